"""Sweeps over one street of a flop's tree on one board: down with the other's reach, back up with values.

Arrays are ``[n, H]``: n nodes, H hands of the player whose reach or values they are. As in the subgames of turns and
rivers a sweep for a player needs the *other's* reach alone: how likely its cards and its own actions are.

    value of a fold for hand i       = payoff x sum over hands j that share no card with i of reach(j)
    value of a showdown for hand i   = half the final pot x sum over such j of sign(i against j) reach(j)

Both are products with a matrix of all pairs of hands. On flop and turn a showdown is an all-in: its matrix has the mean
over all cards to come. Values are counterfactual, and sums over the other's hands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.flops import tables
from jaxpoker.solvers.flops.street_tree import DEALT, FOLDS, SHOWN, Piece, StreetTree
from jaxpoker.solvers.flops.tables import Table
from jaxpoker.solvers.regret import Algorithm, instant_regrets, matched
from jaxpoker.solvers.tree import NONE, Tree

Array = jax.Array
Worth = Callable[[int, Array], Array]  # (group, values of actions [A, n, H]) -> values of decisions [n, H]


class Chips(NamedTuple):
    """What the ends of a street pay, in chips less half of the spot's pot."""

    folds: np.ndarray  # [2, n] float32: to each player
    half_pots: np.ndarray  # [m] float32 of showdowns: half of what the winner takes
    taken: np.ndarray  # [m] float32: half of the rake


class Pairs(NamedTuple):
    """How the hands of a player compare with the other's on one board, [H of the other, H of the player]."""

    apart: Array  # float32: 1 if they share no card
    shown: Array  # float32: 1, 0 or -1 at a showdown, or the mean of that; 0 of hands that cannot meet
    open: Array  # [H of the player] float32: 1 of hands that the board leaves


def chips_of(street: StreetTree, tree: Tree) -> Chips:
    pays = tree.payoffs  # [N, outcomes, seats]
    folds, shown = list(street.ends[FOLDS]), list(street.ends[SHOWN])
    first, second = pays[shown, 0, 0], pays[shown, 2, 0]
    as_floats = np.float32
    return Chips(pays[folds, 0].T.astype(as_floats), ((first - second) / 2).astype(as_floats), -(first + second) / 2)


# --- down ---------------------------------------------------------------------------------------


def reaches(
    street: StreetTree, other: int, start: Array, strategy: Sequence[Array | None]
) -> tuple[list[Array], dict[str, Array]]:
    """The reach of ``other`` at all groups, and at all kinds of ends, when it comes to the starts with ``start``
    ``[S, H]`` and plays ``strategy``: by group ``[A, n, H]``, None of the player's own.
    """
    at: list[Array] = []
    after: list[Array | None] = []

    def whole(pieces: Sequence[Piece]) -> Array:
        parts = []
        for piece in pieces:
            if piece.of == NONE:
                source = start
            else:
                assert isinstance(piece.of, int)
                moved = after[piece.of]
                source = at[piece.of] if moved is None else moved[piece.action]
            parts.append(source[piece.start : piece.stop])
        return _joined(parts)

    for group, played in zip(street.groups, strategy, strict=True):
        at.append(whole(group.pieces))
        after.append(None if group.player != other or played is None else played * at[-1])
    nothing = start[:0]
    return at, {kind: whole(pieces) if pieces else nothing for kind, pieces in street.pieces.items()}


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)


# --- up -----------------------------------------------------------------------------------------


def values_of_ends(
    player: int, chips: Chips, pairs: Pairs, reach: dict[str, Array], dealt: Array | None, raked: bool
) -> dict[str, Array]:
    """By kind of ends ``[n, H]``: what they are worth to ``player``; ``dealt`` is known from the next street."""
    found = {FOLDS: chips.folds[player][:, None] * (_product(reach[FOLDS], pairs.apart) * pairs.open)}
    found[SHOWN] = chips.half_pots[:, None] * _product(reach[SHOWN], pairs.shown)
    if raked:
        rivals = _product(reach[SHOWN], pairs.apart) * pairs.open
        found[SHOWN] = found[SHOWN] - chips.taken[:, None] * rivals
    if dealt is not None:
        found[DEALT] = dealt
    return found


def _product(a: Array, b: Array) -> Array:
    return jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)  # signs cancel: no rounding to fewer bits


def back(
    street: StreetTree, player: int, ends: dict[str, Array], worth: Worth
) -> tuple[Array, dict[int, Array], list[Array]]:
    """Values of the starts ``[S, H]``, of the player's actions by group ``[A, n, H]``, and of all groups."""
    values: list[Array | None] = [None] * len(street.groups)
    of_actions: dict[int, Array] = {}

    def whole(pieces: Sequence[Piece]) -> Array:
        return _joined([_source(values, ends, piece)[piece.start : piece.stop] for piece in pieces])

    for g in reversed(range(len(street.groups))):
        group = street.groups[g]
        found = [whole(pieces) for pieces in group.values]
        if group.player == player:
            of_actions[g] = jnp.stack(found)
            values[g] = worth(g, of_actions[g])
        else:
            values[g] = functools.reduce(jnp.add, found)
    done = [x for x in values if x is not None]
    return _starts(street, done), of_actions, done


def _source(values: Sequence[Array | None], ends: dict[str, Array], piece: Piece) -> Array:
    found = ends[piece.of] if isinstance(piece.of, str) else values[piece.of]
    assert found is not None, "a group comes after those that it is put together from"
    return found


def _starts(street: StreetTree, values: Sequence[Array]) -> Array:
    """``[S, H]``: the first groups of a street in the order of its starts."""
    places = [street.place[node] for node in street.starts]
    return _joined([values[g][at : at + 1] for g, at in places]) if len(places) > 1 else values[0]


# --- what a pass does on one board --------------------------------------------------------------


def updated(
    street: StreetTree,
    algorithm: Algorithm,
    player: int,
    t: Array,
    start: Array,
    chips: Chips,
    pairs: Pairs,
    dealt: Array | None,
    own: Table,
    theirs: Table,
    average: Table,
    raked: bool,
) -> tuple[Array, Table, Table]:
    """Iteration ``t`` of ``player``: values of the starts, its regrets, and the other's averages.

    ``start`` ``[S, H]`` is the other's reach, ``own`` and ``theirs`` are regrets ``[rows, H]``, ``average`` is the
    other's, which grows by the strategy that the player is swept against.
    """
    other = 1 - player
    strategy = _strategies(street, other, theirs)
    at, ends = reaches(street, other, start, strategy)
    worth_of_ends = values_of_ends(player, chips, pairs, ends, dealt, raked)
    mine = _strategies(street, player, own)
    value, of_actions, _ = back(street, player, worth_of_ends, _mean_under(mine))
    grown, averaged = [], []
    for g in street.of_player(player):
        played = jnp.asarray(mine[g])
        instant = instant_regrets(of_actions[g], played, _legal(played))
        grown.append(algorithm.grown(tables.part(own, street.groups[g]), instant, t))
    for g in street.of_player(other):
        averaged.append(algorithm.averaged(tables.part(average, street.groups[g]), strategy[g], at[g], t))
    return value, tables.joined(grown, own), tables.joined(averaged, average)


def dealt_reach(street: StreetTree, other: int, start: Array, theirs: Table) -> Array:
    """The reach of ``other`` where the next card is dealt, by its regrets or its averages."""
    return reaches(street, other, start, _strategies(street, other, theirs))[1][DEALT]


class Both(NamedTuple):
    """What a street is worth to a player who plays its average, and to one who answers best."""

    values: Array  # [2, S, H]: of the starts
    groups: list[Array]  # of all groups [n, H], of the average


def measured(
    street: StreetTree,
    player: int,
    start: Array,
    chips: Chips,
    pairs: Pairs,
    dealt: Array | None,
    own: Table,
    theirs: Table,
    raked: bool,
) -> Both:
    """Values of averages ``own`` against ``theirs`` ``[rows, H]``; ``dealt`` ``[2, n, H]``."""
    other = 1 - player
    _, reach = reaches(street, other, start, _strategies(street, other, theirs))
    mine = _strategies(street, player, own)
    ends = values_of_ends(player, chips, pairs, reach, None if dealt is None else dealt[0], raked)
    value, _, groups = back(street, player, ends, _mean_under(mine))
    if dealt is not None:
        ends = {**ends, DEALT: dealt[1]}
    best, _, _ = back(street, player, ends, lambda _, values: functools.reduce(jnp.maximum, list(values)))
    return Both(jnp.stack([value, best]), groups)


def strategies(street: StreetTree, player: int, sums: Table) -> list[Array]:
    """By group of ``player`` ``[A, n, H]``: what it plays by its regrets, or on average."""
    return [x for x in _strategies(street, player, sums) if x is not None]


def _strategies(street: StreetTree, player: int, sums: Table) -> list[Array | None]:
    found: list[Array | None] = [None] * len(street.groups)
    for g in street.of_player(player):
        of_group = tables.part(sums, street.groups[g])
        found[g] = matched(of_group, _legal(of_group))
    return found


def _legal(of_group: Array) -> np.ndarray:
    return np.ones((len(of_group), 1, 1), bool)


def _mean_under(strategy: Sequence[Array | None]) -> Worth:
    """A decision is worth the mean of its actions under ``strategy``."""
    return lambda g, values: over_actions(jnp.asarray(strategy[g]) * values)
