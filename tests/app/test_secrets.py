"""Nothing on the page depends on cards that nobody showed: every figure is the same whatever the bot held.

A hand is played, and played again in other worlds: the same cards of the person, the same open cards, but the bot has
another hand, with which it does the same, and the cards to come are others. All that a client can ask for has to be
the same.
"""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.app import hand_history, opponents, strategy_view, views
from jaxpoker.app.dealer import BOT, HERO, Dealer, _look
from jaxpoker.app.duel import Duel
from jaxpoker.app.room import GAME, Room
from jaxpoker.coach import Coach, as_json
from jaxpoker.games.holdem.table import Deal


class ActsOtherwise(Exception):
    pass


class AnotherWorld:
    """A dealer who deals the bot another hand; the bot has to do what it did before."""

    def __init__(self, dealer: Dealer, deal: Deal, chosen: list[int]) -> None:
        self._dealer, self._deal, self._chosen = dealer, deal, iter(chosen)

    def __getattr__(self, name):
        return getattr(self._dealer, name)

    def deal(self, key, button):
        state = GAME.start(self._deal, button=button)
        return state, jax.device_get(_look(GAME, state))

    def answer(self, memory, state, key):
        to, after = self._dealer.answer(memory, state, key)
        if to != next(self._chosen):
            raise ActsOtherwise
        return to, after


def other_deal(deal: Deal, open_cards: int, rng: np.random.Generator) -> Deal:
    """Another hand of the bot, other cards to come."""
    hole, board = np.asarray(deal.hole), np.asarray(deal.board)
    known = [*hole[HERO].tolist(), *board[:open_cards].tolist()]
    free = rng.permutation([card for card in range(cards.NUM_CARDS) if card not in known])
    hands = np.empty((2, 2), int)
    hands[HERO], hands[BOT] = hole[HERO], free[:2]
    return Deal.of(hands, np.concatenate([board[:open_cards], free[2 : 7 - open_cards]]))


def shown(duel: Duel, coach: Coach | None) -> str:
    """All that the page can be asked for about the hand that is over."""
    found = {
        "table": views.table(duel),
        "strategy": strategy_view.grid(duel),
        "history": [hand_history.phh(record) for record in duel.history],
    }
    if coach is not None:
        found["review"] = [
            as_json(coach.advise(state, HERO, jax.random.key(number), taken=action))
            for number, (state, action) in enumerate(duel.decisions[-1:])
        ]
    return json.dumps(found, sort_keys=True)


def rounded(text: str) -> str:
    """Numbers of six digits: the order of sums over hands may differ."""
    return json.dumps(json.loads(text, parse_float=lambda number: round(float(number), 4)), sort_keys=True)


def in_another_world(duel: Duel, deal: Deal, seed: int) -> Duel | None:
    """The hand played again with another ``deal``; None where the bot does something else."""
    chosen = [to for _, seat, to in duel._actions if seat == BOT]
    try:
        again = Duel(AnotherWorld(duel.dealer, deal, chosen), jax.random.key(seed))
        for _, action in duel.decisions:
            again.act(1, int(again.look.turn), action)
    except ActsOtherwise:
        return None
    return again


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["blueprint", "dqn", "ppo", "smart", "random"])
def test_nothing_that_is_shown_depends_on_cards_that_stay_hidden(name, any_action, room: Room):
    dealer = Dealer(GAME, opponents.named(name).model(GAME))
    coach = room.prepare("blueprint").coach if name == "blueprint" else None
    rng, compared = np.random.default_rng(7), 0
    for seed in range(400):
        duel = Duel(dealer, jax.random.key(seed))
        while not duel.over:
            duel.act(1, int(duel.look.turn), any_action(duel, rng))
        if duel.look.showdown:
            continue
        opened = int((duel.look.board != cards.NO_CARD).sum())
        worlds = (in_another_world(duel, other_deal(duel.state.deal, opened, rng), seed) for _ in range(12))
        for again in [world for world in worlds if world is not None][:2]:
            assert again.over and np.asarray(again.state.deal.hole[BOT]).tolist() != duel.look.hole[BOT].tolist()
            looks_closer = coach if compared < 2 else None
            assert rounded(shown(again, looks_closer)) == rounded(shown(duel, looks_closer))
            compared += 1
        if compared >= 12:
            break
    assert compared >= 8
