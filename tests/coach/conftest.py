"""Spots of heads-up hold'em at 100 big blinds, blinds 5/10, set up by cards and actions."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.coach import Coach, named
from jaxpoker.games.holdem.table import Deal

ROLLOUTS = 250  # of an action: one shape for all, and that of the page's tests


@pytest.fixture(scope="session")
def game():
    return jaxpoker.make("holdem", menu="nine", stack=1000, small_blind=5, big_blind=10)


@pytest.fixture(scope="session")
def spot(game, play_out):
    """``spot(hole, actions, board, villain)``: seat 0, who has ``hole`` and the button, is to act after ``actions``.

    ``stacks`` are the chips of both, the same 100 big blinds unless it is said.
    """
    deal_of, start, act = jax.jit(Deal.of), jax.jit(game.start), jax.jit(game.act)

    def at(
        hole: str,
        actions: Sequence[int] = (),
        board: str = "2c7d9hJsQc",
        villain: str = "3c4d",
        button: int = 0,
        stacks: tuple[int, int] = (1000, 1000),
    ):
        dealt = np.stack([cards.parse(hole), cards.parse(villain)])
        state = start(deal_of(dealt, cards.parse(board)), np.asarray(stacks), button=button)
        state = play_out(act, state, actions)
        assert int(state.current_player) == 0
        return state

    return at


@pytest.fixture(scope="session")
def model(game):
    """``model("call")``: a rule player as the coach imagines it."""
    return lambda name: named(name, game)


@pytest.fixture(scope="session")
def coach_against(game, model):
    """``coach_against("call")``: a coach of one who calls to the end, against a rule player."""
    return lambda name: Coach(game, villain=model(name), hero=model("call"), num_rollouts=ROLLOUTS)


@pytest.fixture(scope="session")
def blueprint_coach(game):
    """The coach as it comes, the shipped blueprint on both sides, but with fewer rollouts."""
    return Coach(game, num_rollouts=ROLLOUTS)
