"""Counterfactual regret minimisation on a spot: both players are updated in every iteration.

In iteration t first oop's regrets grow by what its actions are worth against ip's strategy, then ip's against oop's new
one. The strategy that a player is swept against goes into the average at that time: its reach is needed then anyway.
The algorithms are those of ``solvers/regret.py``; the default is DCFR with averages weighted by t^5, which forgets the
first iterations without restarts.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.solvers.regret import ALGORITHMS, NO_LOCKS, Algorithm, Locks, instant_regrets, matched
from jaxpoker.solvers.subgame.subgame_game import Dealt, SpotData, SubgameGame, Tables
from jaxpoker.solvers.sweep import PLAYERS

Array = jax.Array

DEFAULT = dataclasses.replace(ALGORITHMS["dcfr"], name="dcfr t^5", gamma=5.0)
NAMED = {**ALGORITHMS, "dcfr": DEFAULT, "dcfr t^2": ALGORITHMS["dcfr"]}


class State(NamedTuple):
    """Everything that an iteration changes, by player."""

    step: Array  # [] int32, iterations done
    regrets: tuple[Tables, Tables]
    averages: tuple[Tables, Tables]  # weighted sums of strategies times own reach
    instants: tuple[Tables, Tables] | None = None  # the last instantaneous regrets, of algorithms that predict


class Measured(NamedTuple):
    """The average strategies against each other and against best responses, in chips less half of the pot."""

    values: Array  # [2] what each player makes
    best: Array  # [2] what a best response of each would make

    @property
    def exploitability(self) -> Array:
        """``[]``: the mean of what both would gain."""
        return (self.best - self.values).mean(axis=-1)


def algorithm_of(name: str | Algorithm) -> Algorithm:
    """An algorithm by its name."""
    if isinstance(name, Algorithm):
        return name
    if name not in NAMED:
        raise ValueError(f"unknown algorithm {name!r}: there are {', '.join(NAMED)}")
    return NAMED[name]


def start(game: SubgameGame, algorithm: Algorithm, data: SpotData | Dealt) -> State:
    """Before the first iteration; jittable."""

    def zeros() -> tuple[Tables, Tables]:
        return game.zeros(0, data), game.zeros(1, data)

    return State(jnp.zeros((), jnp.int32), zeros(), zeros(), zeros() if algorithm.predictive else None)


def iterated(
    game: SubgameGame,
    algorithm: Algorithm,
    dealt: Dealt,
    state: State,
    iterations: Array | int,
    locks: Locks = NO_LOCKS,
) -> State:
    """So many iterations on; jittable."""
    legal = [game.legal(player, dealt) for player in PLAYERS]

    def strategy(state: State, player: int) -> Tables:
        sums = state.regrets[player]
        if state.instants is not None:
            sums = algorithm.to_match(sums, state.instants[player])
        return matched(sums, legal[player], locks[player])

    def updated(state: State, player: int, t: Array) -> State:
        other = 1 - player
        own, theirs = strategy(state, player), strategy(state, other)
        swept = game.values(player, dealt, own, theirs)
        instant = instant_regrets(swept.action_values, own, legal[player], locks[player])
        grown = algorithm.grown(state.regrets[player], instant, t)
        reach = game.own_reach(other, dealt, theirs)
        averaged = algorithm.averaged(state.averages[other], theirs, reach, t)
        instants = None if state.instants is None else _with(state.instants, player, instant)
        return State(state.step, _with(state.regrets, player, grown), _with(state.averages, other, averaged), instants)

    def iteration(_: Array, state: State) -> State:
        t = (state.step + 1).astype(jnp.float32)
        for player in PLAYERS:
            state = updated(state, player, t)
        return state._replace(step=state.step + 1)

    return jax.lax.fori_loop(0, iterations, iteration, state)


def average(game: SubgameGame, dealt: Dealt, state: State, locks: Locks = NO_LOCKS) -> tuple[Tables, Tables]:
    """The average strategies of both players; jittable."""
    oop, ip = (matched(state.averages[p], game.legal(p, dealt), locks[p]) for p in PLAYERS)
    return oop, ip


def measured(game: SubgameGame, dealt: Dealt, strategies: tuple[Tables, Tables], locks: Locks = NO_LOCKS) -> Measured:
    """How good strategies are; jittable. A best response plays what is locked."""
    values = [game.values(p, dealt, strategies[p], strategies[1 - p]).value for p in PLAYERS]
    best = [game.respond(p, dealt, strategies[1 - p], locks[p]).value for p in PLAYERS]
    return Measured(jnp.stack(values), jnp.stack(best))


def _with(pair: tuple[Tables, Tables], player: int, new: Tables) -> tuple[Tables, Tables]:
    return (new, pair[1]) if player == 0 else (pair[0], new)


# --- one spot, compiled ---------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=(3,))
def run(game: SubgameGame, algorithm: Algorithm, dealt: Dealt, state: State, iterations: Array, locks: Locks) -> State:
    """``iterated``; the old state is used up."""
    return iterated(game, algorithm, dealt, state, iterations, locks)


@functools.partial(jax.jit, static_argnums=0)
def quality(game: SubgameGame, dealt: Dealt, state: State, locks: Locks) -> Measured:
    """``measured`` of the average strategies."""
    return measured(game, dealt, average(game, dealt, state, locks), locks)


@functools.partial(jax.jit, static_argnums=0)
def prepare(game: SubgameGame, data: SpotData) -> Dealt:
    return game.prepared(data)


@functools.partial(jax.jit, static_argnums=(0, 1))
def begin(game: SubgameGame, algorithm: Algorithm, dealt: Dealt) -> State:
    return start(game, algorithm, dealt)


class Reading(NamedTuple):
    """What there is to read of a solved spot, by buffer of decisions; counterfactual values."""

    strategies: tuple[Tables, Tables]  # the averages
    reach: tuple[Tables, Tables]  # of each player
    values: tuple[Tables, Tables]  # of being there, to each player
    rivals: tuple[Tables, Tables]  # weight of the other's hands that can be held together with each one
    shares: tuple[Tables, Tables]  # equity


@functools.partial(jax.jit, static_argnums=0)
def read(game: SubgameGame, dealt: Dealt, state: State, locks: Locks) -> Reading:
    """Values, reach and equity of every hand at every decision."""
    strategies = average(game, dealt, state, locks)
    decisions = [i for i, buffer in enumerate(game.template.buffers) if buffer.actions]
    streets = [game.template.buffers[i].street for i in decisions]
    whole = [game.reach(player, dealt, strategies[player]) for player in PLAYERS]
    reach = [tuple(of[i] for i in decisions) for of in whole]
    values = [game.node_values(p, dealt, strategies[p], strategies[1 - p]) for p in PLAYERS]
    rivals = [tuple(game.rivals(dealt, s, x) for s, x in zip(streets, reach[1 - p], strict=True)) for p in PLAYERS]
    won = [tuple(game.showdowns(dealt, s, x) for s, x in zip(streets, reach[1 - p], strict=True)) for p in PLAYERS]
    shares = [
        tuple((1 + w / jnp.where(r > 0, r, 1)) / 2 for w, r in zip(won[p], rivals[p], strict=True)) for p in PLAYERS
    ]
    return Reading(strategies, *((oop, ip) for oop, ip in (reach, values, rivals, shares)))
