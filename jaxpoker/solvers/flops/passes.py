"""The compiled programs of a flop: a pass over a street on one board, and over a block of rivers.

A processor takes the rivers of a block one after the other, so that all arrays of a river stay in its cache and no
array of the whole flop is ever made; accelerators take them at once. Tables that change are donated: the new ones are
where the old ones were.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.solvers.flops import street_sweep
from jaxpoker.solvers.flops.runouts import RIVERS_TO_A_PAIR
from jaxpoker.solvers.flops.street_sweep import Both, Chips, Pairs
from jaxpoker.solvers.flops.street_tree import DEALT, StreetTree
from jaxpoker.solvers.flops.tables import Table
from jaxpoker.solvers.regret import Algorithm

Array = jax.Array


class Block(NamedTuple):
    """A block of rivers to a player, ready for a program."""

    times: Array  # [12]
    open: Array  # [12, H of the player]
    open_other: Array  # [12, H of the other]
    ranks: Array  # [12, H of the player]
    ranks_other: Array


def river_pairs(apart: Array, river: Block) -> Pairs:
    """How hands compare on one river, a row of a ``Block``."""
    signs = jnp.clip(river.ranks - river.ranks_other[:, None], -1, 1)
    return Pairs(apart, signs * (apart * river.open), river.open)


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3), donate_argnums=(9, 11, 12))
def update_rivers(
    street: StreetTree,
    algorithm: Algorithm,
    player: int,
    raked: bool,
    t: Array,
    reach: Array,
    chips: Chips,
    apart: Array,
    block: Block,
    own: Table,
    theirs: Table,
    average: Table,
    total: Array,
) -> tuple[Array, Table, Table]:
    """An iteration of ``player`` on a block of rivers: ``total`` ``[S, H]`` with the block's values added, new tables.

    ``reach`` ``[S, H]`` is the other's on the turn; tables are ``[12, rows, H]``.
    """

    def of_river(river: Block, own: Table, theirs: Table, average: Table) -> tuple[Array, Table, Table]:
        start = reach * (river.open_other / RIVERS_TO_A_PAIR)
        pairs = river_pairs(apart, river)
        value, *new = street_sweep.updated(
            street, algorithm, player, t, start, chips, pairs, None, own, theirs, average, raked
        )
        return value * river.times, *new  # type: ignore[return-value]

    def step(carry: Any, river: Any) -> Any:
        value, own, average = of_river(*river)
        return carry + value, (own, average)

    total, (own, average) = jax.lax.scan(step, total, (block, own, theirs, average))
    return total, own, average


@functools.partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(9,))
def measure_rivers(
    street: StreetTree,
    player: int,
    raked: bool,
    reach: Array,
    chips: Chips,
    apart: Array,
    block: Block,
    own: Table,
    theirs: Table,
    total: Array,
) -> Array:
    """``total`` ``[2, S, H]`` with the values of a block of rivers added, of averages and of best answers."""

    def step(carry: Array, river: Any) -> tuple[Array, None]:
        of, own, theirs = river
        start = reach * (of.open_other / RIVERS_TO_A_PAIR)
        found = street_sweep.measured(street, player, start, chips, river_pairs(apart, of), None, own, theirs, raked)
        return carry + found.values * of.times, None

    return jax.lax.scan(step, total, (block, own, theirs))[0]


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3), donate_argnums=(8, 10))
def update_street(
    street: StreetTree,
    algorithm: Algorithm,
    player: int,
    raked: bool,
    t: Array,
    start: Array,
    chips: Chips,
    pairs: Pairs,
    own: Table,
    theirs: Table,
    average: Table,
    dealt: Array,
) -> tuple[Array, Table, Table]:
    """An iteration of ``player`` on flop or turn, when the next street is worth ``dealt`` ``[n, H]``."""
    one = functools.partial(jax.tree.map, lambda x: x[0])
    value, new, averaged = street_sweep.updated(
        street, algorithm, player, t, start, chips, pairs, dealt, one(own), one(theirs), one(average), raked
    )
    return value, *jax.tree.map(lambda x: x[None], (new, averaged))


@functools.partial(jax.jit, static_argnums=(0, 1))
def reach_of_deals(street: StreetTree, other: int, start: Array, theirs: Table) -> Array:
    """The other's reach where the next card is dealt."""
    return street_sweep.dealt_reach(street, other, start, jax.tree.map(lambda x: x[0], theirs))


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def measure_street(
    street: StreetTree,
    player: int,
    raked: bool,
    start: Array,
    chips: Chips,
    pairs: Pairs,
    own: Table,
    theirs: Table,
    dealt: Array,
) -> Both:
    """Values on flop or turn of averages and of best answers; ``dealt`` ``[2, n, H]``."""
    one = functools.partial(jax.tree.map, lambda x: x[0])
    return street_sweep.measured(street, player, start, chips, pairs, dealt, one(own), one(theirs), raked)


@jax.jit
def exchanged(values: Array, places: Array) -> Array:
    """The mean over exchanges of suits ``places`` ``[G, H]`` of values ``[..., H]``."""
    return values[..., places].mean(axis=-2)


class Seen(NamedTuple):
    """What there is to read on one board, by group."""

    reach: list[Array]  # [n, H] of the player
    dealt: Array  # [m, H] where the next card comes
    strategies: list[Array]  # [A, n, H] of the player's own groups


@functools.partial(jax.jit, static_argnums=(0, 1))
def see(street: StreetTree, player: int, start: Array, averages: Table) -> Seen:
    """The reach of ``player`` at all groups, and its strategies, by averages ``[rows, H]`` of one board."""
    own = street_sweep.strategies(street, player, averages)
    places = street.of_player(player)
    played = [own[places.index(g)] if g in places else None for g in range(len(street.groups))]
    at, ends = street_sweep.reaches(street, player, start, played)
    return Seen(at, ends[DEALT], own)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def measure_river(
    street: StreetTree,
    player: int,
    raked: bool,
    start: Array,
    chips: Chips,
    pairs: Pairs,
    own: Table,
    theirs: Table,
) -> Both:
    """Values on one river, of tables ``[rows, H]``."""
    return street_sweep.measured(street, player, start, chips, pairs, None, own, theirs, raked)


@jax.jit
def equities(pairs: Pairs, reach: Array) -> tuple[Array, Array]:
    """``[n, H]`` of the other's ``reach``: the weight of its hands that can meet each one, and the share of the pot."""
    rivals = jnp.matmul(reach, pairs.apart, precision=jax.lax.Precision.HIGHEST) * pairs.open
    won = jnp.matmul(reach, pairs.shown, precision=jax.lax.Precision.HIGHEST)
    return rivals, (1 + won / jnp.where(rivals > 0, rivals, 1)) / 2
