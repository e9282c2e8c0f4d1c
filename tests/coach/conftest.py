"""Spots of heads-up hold'em at 100 big blinds, blinds 5/10, set up by cards and actions."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.coach import Coach, named
from jaxpoker.games.holdem_table import Deal


@pytest.fixture(scope="session")
def game():
    return jaxpoker.make("holdem", menu="nine", stack=1000, small_blind=5, big_blind=10)


@pytest.fixture(scope="session")
def spot(game, play_out):
    """``spot(hole, actions, board, villain)``: seat 0, who has ``hole`` and the button, is to act after ``actions``."""
    start, act = jax.jit(game.start), jax.jit(game.act)

    def at(hole: str, actions: Sequence[int] = (), board: str = "2c7d9hJsQc", villain: str = "3c4d", button: int = 0):
        dealt = jnp.stack([cards.parse(hole), cards.parse(villain)])
        state = start(Deal.of(dealt, cards.parse(board)), button=button)
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
    return lambda name: Coach(game, villain=model(name), hero=model("call"), num_rollouts=500)


@pytest.fixture(scope="session")
def blueprint_coach(game):
    """The coach as it comes: the shipped blueprint on both sides, 1,000 rollouts."""
    return Coach(game)
