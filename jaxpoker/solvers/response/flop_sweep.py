"""What a best response with real cards makes on a flop: every hand, every turn and every river, exactly.

    sweep = flop_sweep.of(blueprint)
    sweep.values(hands)              # [1326, starts of seat 0's flop, then of seat 1's], given river_hands.prepared

For both seats at once, the responder against the fixed player in the other seat:

    down    the fixed player's reach, hand by hand: flop -> turn -> river, by the tables of ``street_columns.py``
    river   what every hand wins at every end, from sums over the fixed player's hands or types (``river_hands.py``);
            the responder takes the best action for each of its hands, knowing all five cards
    up      the values of a turn's hands are sums over the rivers; then the best action for each hand on the turn; then
            the same on the flop

All-ins before the river are columns of the river that nobody acts in. Rivers are swept one after another, so that no
array is larger than hands times columns. A value is a sum over the fixed player's hands and over the boards to come,
where a turn has probability 1/45 and a river 1/44 for two hands that do not hold it.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER
from jaxpoker.ranges import CLASS_OF_COMBO, COMBOS, NUM_COMBOS
from jaxpoker.solvers.abstraction import isomorphism
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import street_columns
from jaxpoker.solvers.response.river_hands import TYPES, FlopHands, RiverHands
from jaxpoker.solvers.response.street_columns import Reach, StreetColumns
from jaxpoker.solvers.showdowns import showdown_sums, strength_blocks
from jaxpoker.solvers.showdowns.strength_blocks import NO_HAND, Blocks
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import street_shapes

Array = jax.Array

TURNS_OF_A_PAIR, RIVERS_OF_A_PAIR = 45, 44  # cards that two hands and a board leave
MOST_ENDS = 10_000  # of the river: some 100 MB for each array of a sweep
_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits


class Tables(NamedTuple):
    """What both fixed players do, by responder."""

    preflop: tuple[Array, Array]  # [1326, starts of the flop]: how likely each hand comes there by its own actions
    streets: tuple[tuple[Reach, Reach], ...]  # flop, turn, river


class _OfRiver(NamedTuple):
    """The fixed players' reach on a turn, by column of the river; both responders' side by side."""

    folds: Array  # [1327, n], of no hand 0
    showdowns: Array  # [1327, n]


@dataclasses.dataclass(frozen=True, eq=False)
class FlopSweep:
    """Static: the columns of the three streets after the flop; a street without betting has none."""

    streets: tuple[StreetColumns, ...]

    @property
    def num_starts(self) -> int:
        """Of the flop; values have as many columns for each seat."""
        return self.streets[0].num_starts

    @functools.partial(jax.jit, static_argnums=0)
    def values(self, tables: Tables, hands: FlopHands) -> Array:
        """``[1326, 2 * starts]`` float32: what the flop is worth to each hand of a responder in seat 0, then seat 1."""
        flop, turn, _ = self.streets
        runouts = hands.runouts
        live = possible_hands(jnp.asarray(runouts.flop))[:, None]
        down = [
            _descended(flop, tables.streets[0][p], tables.preflop[p] * live, jnp.asarray(hands.flop_bucket))
            for p in PLAYERS
        ]

        def add_turn(t: Array, total: Array) -> Array:
            return total + runouts.turn_times[t] * self._turn(tables, hands, down, t)

        widths = [len(turn.order) + len(flop.showdown_starts)] * 2
        total = jax.lax.fori_loop(0, runouts.num_turns, add_turn, jnp.zeros((NUM_COMBOS, sum(widths))))
        total = _exchanged(total, runouts.orders, runouts.num_orders) / TURNS_OF_A_PAIR
        found = []
        for p, part in zip(PLAYERS, jnp.split(total, [widths[0]], axis=1), strict=True):
            later, showdowns = jnp.split(part, [len(turn.order)], axis=1)
            found.append(flop.start_values(p, showdown_sums.rivals(down[p].folds), showdowns, later))
        return jnp.concatenate(found, axis=1) * live

    def _turn(self, tables: Tables, hands: FlopHands, down: list[Reach], t: Array) -> Array:
        """``[1326, for both seats: starts of the turn, showdowns of the flop]``: values on one turn card."""
        flop, turn, river = self.streets
        runouts = hands.runouts
        live = (jnp.asarray(COMBOS) != jnp.asarray(runouts.turns)[t]).all(axis=1)[:, None]
        bucket = jnp.asarray(hands.turn_bucket)[t]
        here = [_descended(turn, tables.streets[1][p], down[p].chances * live, bucket) for p in PLAYERS]
        ends = _OfRiver(
            jnp.concatenate([each.chances[:, river.fold_starts] for each in here], axis=1),
            jnp.concatenate(
                [
                    part
                    for p in PLAYERS
                    for part in (
                        here[p].chances[:, river.showdown_starts],
                        here[p].showdowns,
                        down[p].showdowns * live,
                    )
                ],
                axis=1,
            ),
        )
        ends = jax.tree.map(lambda x: jnp.pad(x, ((0, 1), (0, 0))), ends)
        waiting = len(turn.showdown_starts) + len(flop.showdown_starts)  # columns in which nobody acts any more
        played = _OfRiver(
            jnp.concatenate([tables.streets[2][p].folds for p in PLAYERS], axis=1),
            jnp.concatenate(
                [
                    jnp.pad(jnp.asarray(tables.streets[2][p].showdowns), ((0, 0), (0, waiting)), constant_values=1)
                    for p in PLAYERS
                ],
                axis=1,
            ),
        )

        def add_river(r: Array, total: Array) -> Array:
            cards = jax.tree.map(lambda x: jnp.asarray(x)[hands.first[t] + r], hands.rivers)
            values, row_of = self._river(ends, played, cards)
            return total + jnp.asarray(runouts.river_times)[t, r] * jnp.pad(values, ((0, 1), (0, 0)))[row_of]

        widths = [len(river.order) + waiting] * 2
        total = jnp.zeros((NUM_COMBOS, sum(widths)))
        total = jax.lax.fori_loop(0, jnp.asarray(runouts.num_rivers)[t], add_river, total)
        total = _exchanged(total, jnp.asarray(runouts.turn_orders)[t], jnp.asarray(runouts.num_turn_orders)[t])
        found = []
        for p, part in zip(PLAYERS, jnp.split(total / RIVERS_OF_A_PAIR, [widths[0]], axis=1), strict=True):
            later, of_turn, of_flop = jnp.split(
                part, [len(river.order), len(river.order) + len(turn.showdown_starts)], axis=1
            )
            found += [turn.start_values(p, showdown_sums.rivals(here[p].folds), of_turn, later), of_flop]
        return jnp.concatenate(found, axis=1) * live

    def _river(self, ends: _OfRiver, played: _OfRiver, cards: RiverHands) -> tuple[Array, Array]:
        """Values ``[rows, for both seats: starts of the river, showdowns of turn and flop]``, and the row of each combo
        ``[1326]``, as many as there are rows for none.
        """
        if cards.example.shape[-1] == 0:
            combo = cards.combo.reshape(-1)
            folds, showdowns = _played(ends, played, cards, combo)
            blocks = _blocks(cards)
            folds = _by_block(strength_blocks.rivals, blocks, folds)
            return self._ascended(folds, _by_block(strength_blocks.showdowns, blocks, showdowns)), cards.place

        def with_types(types: int) -> Array:
            folds, showdowns = _played(ends, played, cards, cards.example[:types])
            meet, beat = _between_types(cards, types)
            return self._ascended(_product(meet, folds), _product(beat, showdowns))

        sizes = [size for size in TYPES if size <= cards.example.shape[-1]]
        return jax.lax.switch(cards.types, [functools.partial(with_types, size) for size in sizes]), cards.row

    def _ascended(self, folds: Array, showdowns: Array) -> Array:
        """The values of the starts, and those of earlier all-ins, from the values of all ends of both seats."""
        river = self.streets[2]
        found = []
        for p in PLAYERS:
            mine, theirs = (jnp.split(x, 2, axis=1)[p] for x in (folds, showdowns))
            own, waiting = jnp.split(theirs, [len(river.showdown_starts)], axis=1)
            none = jnp.zeros((len(mine), 0))
            found += [river.start_values(p, mine, own, none), waiting]
        return jnp.concatenate(found, axis=1)


def require_small(blueprint: Blueprint) -> None:
    """``ValueError`` for a tree with more ends than a sweep of one river has room for."""
    ends = len(blueprint.tree.ends(RIVER))
    if ends > MOST_ENDS:
        raise ValueError(
            f"the tree of {blueprint.game.bet_menu.text!r} has {ends:,} ends on the river: exact responses are for up "
            f"to {MOST_ENDS:,}, such as 10 to 25 big blinds with one or two sizes"
        )


def of(blueprint: Blueprint) -> tuple[FlopSweep, Tables]:
    """The sweep of a blueprint's tree, and what the blueprint does in both seats."""
    betting = street_shapes.shaped(blueprint.tree, street_columns.WASTE)
    later = range(FLOP, RIVER + 1)
    if blueprint.tree.num_streets != RIVER + 1:
        raise ValueError("a sweep of flops is for a tree that is bet on up to the river")
    columns = tuple(street_columns.of_street(betting, street) for street in later)
    strategy = tuple(jnp.asarray(blueprint.strategy[street]) for street in range(RIVER + 1))
    tables = [betting.by_shapes(1 - p, strategy) for p in PLAYERS]
    first = street_columns.of_street(betting, PREFLOP)
    of_combo = np.asarray(blueprint.class_buckets)[CLASS_OF_COMBO]
    preflop = [street_columns.reach_of(first, 1 - p, tables[p][PREFLOP]).chances[of_combo] for p in PLAYERS]

    def played(street: int, of_street: StreetColumns) -> tuple[Reach, Reach]:
        first, second = (street_columns.reach_of(of_street, 1 - p, tables[p][street]) for p in PLAYERS)
        return first, second

    streets = tuple(played(street, of_street) for street, of_street in zip(later, columns, strict=True))
    return FlopSweep(columns), jax.tree.map(jnp.asarray, Tables((preflop[0], preflop[1]), streets))


def _descended(columns: StreetColumns, table: Reach, starts: Array, bucket: Array) -> Reach:
    """The reach ``[1326, columns]`` of a street, from that of its starts ``[1326, starts]`` and the hands' buckets."""
    return Reach(
        starts[:, columns.fold_starts] * table.folds[bucket],
        starts[:, columns.showdown_starts] * table.showdowns[bucket],
        starts[:, columns.chance_starts] * table.chances[bucket],
    )


def _exchanged(values: Array, orders: Array | np.ndarray, number: Array | np.ndarray) -> Array:
    """The mean of ``[1326, n]`` over the exchanges of suits of a group."""
    renamed = jnp.asarray(isomorphism.renamed_combos())

    def add(i: Array, total: Array) -> Array:
        return total + values[renamed[jnp.asarray(orders)[i]]]

    return jax.lax.fori_loop(0, number, add, jnp.zeros_like(values)) / number


def _blocks(cards: RiverHands) -> Blocks:
    held = jnp.concatenate([_numbers(cards.boards)[jnp.asarray(COMBOS)], jnp.full((1, 2), NO_HAND)])[cards.combo]
    return strength_blocks.of(held[None], cards.strength[None], NUM_CARDS - len(cards.boards))


def _numbers(board: Array) -> Array:
    """``[52]``: the number of each card among those that are not on the board."""
    on_board = (jnp.arange(NUM_CARDS)[:, None] == board).any(axis=1)
    return jnp.where(on_board, NO_HAND, jnp.cumsum(~on_board) - 1)


def _played(ends: _OfRiver, played: _OfRiver, cards: RiverHands, combo: Array) -> tuple[Array, Array]:
    """The fixed players' reach at folds and showdowns, ``[n, columns]`` for hands ``combo`` ``[n]``."""
    bucket = jnp.pad(cards.bucket, (0, 1))[combo]
    folds, showdowns = (reach[combo] * table[bucket] for reach, table in zip(ends, played, strict=True))
    return folds, showdowns


def _between_types(cards: RiverHands, types: int) -> tuple[Array, Array]:
    """``[1081, types]`` each: how many hands of a type a hand meets, and how many it beats less those that beat it.

    These are the sums of ``strength_blocks`` for members of types. A product with out(i), which has three entries, is
    three rows of a table.
    """
    blocks = _blocks(cards)
    assert blocks.within is not None and blocks.between is not None
    one_hot = (cards.member[:, :, None] == jnp.arange(types)).astype(jnp.float32)  # [N, L, T]
    sums = _product(jnp.swapaxes(blocks.cards_in[0], 1, 2), one_hot)  # [N, C, T]
    compared = _product(blocks.between[0], sums.reshape(len(sums), -1)).reshape(sums.shape)
    within = _product(jnp.swapaxes(blocks.within[0], 1, 2), one_hot).reshape(-1, types)  # [P, T]
    place = cards.place[cards.live].astype(jnp.int32)
    low, high = _numbers(cards.boards)[jnp.asarray(COMBOS)[cards.live]].T + 1
    rows = place // one_hot.shape[1] * sums.shape[1]

    def out(table: Array, first: Array | int) -> Array:
        return table[first] - table[first + low] - table[first + high]

    meet = out(sums.sum(axis=0), 0) + one_hot.reshape(-1, types)[place]
    return meet, out(compared.reshape(-1, types), rows) + within[place]


def _by_block(f: Any, blocks: Blocks, weights: Array) -> Array:
    """``f`` of weights ``[places, n]``."""
    _, n, length, _ = blocks.cards_in.shape
    found = f(blocks, jnp.swapaxes(weights.reshape(n, length, -1), 1, 2)[None])[0]
    return jnp.swapaxes(found, 1, 2).reshape(weights.shape)


def _product(a: Array, b: Array) -> Array:
    return jnp.matmul(a, b, precision=_PRECISION)
