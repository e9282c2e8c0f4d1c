"""tmp"""
from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.response import range_play
from jaxpoker.solvers.response.range_play import Cards, Line, Match

Array = jax.Array


class _Walk(NamedTuple):
    """A sampled line, and what came of the ends beside it."""

    line: Line
    won: Array  # [] float32: what ends were worth so far, each with its probability
    weight: Array  # [] float32: probability of the line over that of drawing it; 0 when nothing is left
    key: Array


def _walk_street(match: Match, params: Any, cards: Cards, street: int, seat: Array, walk: _Walk) -> _Walk:
    game = match.game

    def goes_on(walk: _Walk) -> Array:
        return (walk.weight > 0) & (game.street(walk.line.state) == street)

    def step(walk: _Walk) -> _Walk:
        key, draw_key = jax.random.split(walk.key)

        def on(branches: range_play.Branches) -> _Walk:
            ended = jnp.where(branches.ends, branches.likely * branches.worth, 0).sum()
            likely = jnp.where(branches.ends, 0, branches.likely)
            drawn = likely * branches.pot
            action = jax.random.categorical(draw_key, jnp.log(drawn))
            weight = likely[action] * drawn.sum() / jnp.maximum(drawn[action], 1e-30)
            line = range_play.taken(match, walk.line, branches, action)
            return _Walk(line, walk.won + walk.weight * ended, walk.weight * weight, key)

        def ours() -> _Walk:
            return on(range_play.branches_of_responder(match, params, cards, street, walk.line, seat))

        def theirs() -> _Walk:
            return on(range_play.branches_of_player(match, params, cards, street, walk.line, seat))

        return jax.lax.cond(walk.line.state.current_player == seat, ours, theirs)

    return jax.lax.while_loop(goes_on, step, walk)


SHARED = 2  # streets whose cards all walks of a deal have in common: before the flop and on it
WALKS = 4  # of a deal in each seat


@functools.partial(jax.jit, static_argnums=(0, 3))
def walked(match: Match, params: Any, keys: Array, walks: int = WALKS) -> Array:
    """``[n, 2]``: what the responder wins in each seat, of ``keys`` ``[n]``."""

    def of_deal(key: Array) -> Array:
        deal_key, walk_key = jax.random.split(key)
        deal = match.game.deal(deal_key)
        shared = [match.game.pair_shares(deal, street) for street in range(SHARED)]
        seats = jnp.arange(2 * walks) % 2
        each = jax.random.split(walk_key, 2 * walks)
        won = jax.lax.map(lambda x: _walk(match, params, deal, shared, *x), (seats, each))
        return won.reshape(walks, 2).mean(axis=0)

    return jax.lax.map(of_deal, keys)


def _walk(match: Match, params: Any, deal: Any, shared: list[Array], seat: Array, key: Array) -> Array:
    """What the responder wins in ``seat``, with cards of its own after the shared streets."""
    game = match.game
    later_key, key = jax.random.split(key)
    deal = game.with_later_cards(deal, SHARED - 1, later_key)
    walk = _Walk(range_play.start(match, params, deal), jnp.zeros(()), jnp.ones(()), key)
    last = len(game.street_names) - 1
    in_the_end = game.possible_hands(deal, last).astype(jnp.float32)
    for street in range(last + 1):
        possible = game.possible_hands(deal, street).astype(jnp.float32)

        def go(walk: _Walk) -> _Walk:
            shares = shared[street] if street < SHARED else game.pair_shares(deal, street)
            return _walk_street(match, params, Cards(shares, possible, in_the_end), street, seat, walk)

        walk = jax.lax.cond(walk.weight > 0, go, lambda walk: walk, walk)
    return walk.won
