"""The hand of Chicago in order: high ranks first, and answers that mean the same cards."""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import sorted_hand

GAME = Chicago(num_players=2)
look = jax.jit(sorted_hand.look)


@pytest.fixture(scope="module")
def first():
    """A table where seat 0 is to act."""
    return jax.jit(GAME.init)(jax.random.key(0))


def holding(text: str, state):
    """Seat 0 to act with these cards in this order."""
    ids = cards.parse(text).tolist()
    hands = np.array(state.hands)
    hands[0] = [*ids, *[-1] * (5 - len(ids))]
    return dataclasses.replace(state, hands=jnp.asarray(hands))


def shown(state) -> str:
    return "".join(cards.text(int(card)) for card in state.hands[0] if card >= 0)


@pytest.mark.parametrize(
    ("hand", "in_order"), [("2sAcTd3hTc", "AcTdTc3h2s"), ("4c4d4h4s5c", "5c4s4h4d4c"), ("3cKdKs", "KsKd3c")]
)
def test_high_ranks_come_first_and_gaps_last(hand, in_order, first):
    looked_at = look(holding(hand, first))
    assert shown(looked_at) == in_order
    assert (np.asarray(looked_at.hands[0][len(hand) // 2 :]) == -1).all()


def test_all_orders_of_a_hand_look_alike():
    orders = np.array(list(itertools.permutations(cards.parse("2sAcTd3hTc"))))  # [120, 5]
    places = jax.jit(jax.vmap(sorted_hand.places))(orders)
    in_order = np.zeros_like(orders)
    np.put_along_axis(in_order, np.asarray(places), orders, axis=1)
    assert (in_order == cards.parse("AcTdTc3h2s")).all()


def test_answers_name_the_same_cards_of_the_real_hand(first):
    state = holding("2sAcTd3hTc", first)
    hand, in_order = (np.asarray(table.hands)[0] for table in (state, look(state)))
    answers = jax.jit(jax.vmap(sorted_hand.answer, in_axes=(None, 0)))(state, np.arange(69, dtype=np.int32)).tolist()

    def gone(hand, action):
        return {int(card) for i, card in enumerate(hand) if action >> i & 1}

    assert sorted(answers) == list(range(69))  # every action once
    for action in range(64):
        assert gone(in_order, action) == gone(hand, answers[action])
        assert action & 32 == answers[action] & 32
    for i in range(5):
        assert in_order[i] == hand[answers[64 + i] - 64]
