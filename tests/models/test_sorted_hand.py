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


def holding(text: str):
    """Seat 0 to act with these cards in this order."""
    ids = cards.parse(text).tolist()
    state = GAME.init(jax.random.key(0))
    hand = jnp.asarray([*ids, *[-1] * (5 - len(ids))], jnp.int8)
    return dataclasses.replace(state, hands=state.hands.at[0].set(hand))


def shown(state) -> str:
    return "".join(cards.text(int(card)) for card in state.hands[0] if card >= 0)


@pytest.mark.parametrize(
    ("hand", "in_order"), [("2sAcTd3hTc", "AcTdTc3h2s"), ("4c4d4h4s5c", "5c4s4h4d4c"), ("3cKdKs", "KsKd3c")]
)
def test_high_ranks_come_first_and_gaps_last(hand, in_order):
    looked_at = sorted_hand.look(holding(hand))
    assert shown(looked_at) == in_order
    assert (np.asarray(looked_at.hands[0][len(hand) // 2 :]) == -1).all()


def test_all_orders_of_a_hand_look_alike():
    orders = np.array(list(itertools.permutations(cards.parse("2sAcTd3hTc"))))  # [120, 5]
    places = jax.vmap(sorted_hand.places)(jnp.asarray(orders))
    in_order = np.zeros_like(orders)
    np.put_along_axis(in_order, np.asarray(places), orders, axis=1)
    assert (in_order == cards.parse("AcTdTc3h2s")).all()


def test_answers_name_the_same_cards_of_the_real_hand():
    state = holding("2sAcTd3hTc")
    looked_at = sorted_hand.look(state)
    answer = jax.jit(lambda action: sorted_hand.answer(state, action))

    def gone(table, action):
        return {int(card) for i, card in enumerate(table.hands[0]) if action >> i & 1}

    answers = [int(answer(jnp.int32(action))) for action in range(69)]
    assert sorted(answers) == list(range(69))  # every action once
    for action in range(64):
        assert gone(looked_at, action) == gone(state, answers[action])
        assert action & 32 == answers[action] & 32
    for i in range(5):
        assert looked_at.hands[0][i] == state.hands[0][answers[64 + i] - 64]
