"""Some starts of each street instead of all: where players hardly ever come, an iteration need not go each time.

    starts = drawn_starts.draw(betting, likely, (1, 1, 0.3, 0.1), key)   # a third of the turns, a tenth of the rivers
    some = drawn_starts.taken(tables, starts)                            # by street and shape [..., m]
    tables = drawn_starts.put(tables, some, starts)

In a large tree of bets a twentieth of the river's starts has four fifths of all hands. Of each shape of the betting
(``tree/street_shapes.py``) a fixed number of starts is drawn without putting back, start s with the probability

    p(s) = min(1, c w(s)),    c such that the p(s) of the shape add up to the number drawn,

where w(s) says how ``likely`` s is. It is 0 where the start of the street before, from which s is reached, was not
drawn. A drawn start's value counts 1 / p(s) for the street before, so that all values are right in the mean. Starts
that are likely have p = 1 and no noise. The draw is systematic: a comb of even distance over the sums of the p(s).

A drawn shape has room for more starts than have a weight, at times. Such room is void: its place is M, past the last.
What is taken from there means nothing, and it counts 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.tree.public_tree import NONE
from jaxpoker.solvers.tree.street_shapes import ShapedTree

Array = jax.Array

ROUNDS = 12  # of finding c; each fixes the starts whose p would be above 1


class StreetStarts(NamedTuple):
    """The S starts of a street that a sweep goes through, shape after shape; m of a shape's M."""

    places: tuple[Array, ...] | None  # by shape [m] int32: which of the M; None for all
    arrivals: Array | np.ndarray  # [S] int32: of which chance of the street before each is, by shape and [m, chances]
    onward: tuple[Array | np.ndarray, ...]  # by shape [chances, m] int32: which of the next street's S; S for none
    weights: Array | None  # [S] float32: what a value counts for the street before; None for 1
    counts: Array | None  # [S] float32: what a visit counts: 1 / the probability of it; None for 1


Starts = tuple[StreetStarts, ...]  # by street


def taken(tables: Any, starts: Starts | None) -> Any:
    """Of tables by street and shape ``[..., M]``, the starts drawn ``[..., m]``; void room has the last one."""
    if starts is None:
        return tables
    return tuple(
        tuple(jnp.asarray(table)[..., at] for table, at in _pairs(of_street, here))
        for of_street, here in zip(tables, starts, strict=True)
    )


def put(tables: Any, some: Any, starts: Starts | None) -> Any:
    """``tables`` ``[..., M]`` with what ``some`` ``[..., m]`` say of the starts drawn."""
    if starts is None:
        return some
    return tuple(
        tuple(
            table.at[..., at].set(new, mode="drop") for (table, at), new in zip(_pairs(street, of), news, strict=True)
        )
        for street, of, news in zip(tables, starts, some, strict=True)
    )


def _pairs(of_shapes: Sequence[Any], starts: StreetStarts) -> list[tuple[Any, Array]]:
    assert starts.places is not None
    return list(zip(of_shapes, starts.places, strict=True))


def by_shape(of_starts: Array, starts: StreetStarts) -> list[Array]:
    """``[..., S]``, cut into the parts ``[..., m]`` of the shapes."""
    return jnp.split(of_starts, np.cumsum([each.shape[1] for each in starts.onward])[:-1].tolist(), axis=-1)


@functools.lru_cache(maxsize=16)
def every(betting: ShapedTree) -> Starts:
    """All starts of all streets."""
    order = [np.concatenate([shape.starts for shape in shapes]) for shapes in betting.streets]
    found = []
    for street, shapes in enumerate(betting.streets):
        arrivals = betting.arrivals(street - 1)[order[street]] if street else np.zeros(1, np.int32)
        following = order[street + 1] if street + 1 < len(order) else np.zeros(0, np.int32)
        position = np.append(np.argsort(following), len(following)).astype(np.int32)
        found.append(StreetStarts(None, arrivals, tuple(position[s.next_starts] for s in shapes), None, None))
    return tuple(found)


def draw(betting: ShapedTree, likely: Sequence[Array], shares: Sequence[float], key: Array) -> Starts:
    """Starts drawn, of each shape of a street a part of ``shares``; ``likely`` is by street ``[starts]``, shape after
    shape, in any unit.
    """
    places: list[list[Array]] = []
    weights: list[Array] = []
    counts: list[Array] = []
    for street, shapes in enumerate(betting.streets):
        parents = _parents(betting, street)
        at = np.cumsum([0] + [shape.num_starts for shape in shapes])
        if street == 0:
            come = jnp.ones(int(at[-1]))
        else:
            come = _spread(betting, street - 1, places[-1], counts[-1])[parents.start]
        found: list[Array] = []
        chosen: list[Array] = []
        for i, shape in enumerate(shapes):
            here = slice(int(at[i]), int(at[i + 1]))
            number = math.ceil(shares[street] * shape.num_starts)
            weight = jnp.where(come[here] > 0, likely[street][here], 0)
            probability = inclusion(weight, number)
            where = comb(probability, jax.random.fold_in(jax.random.fold_in(key, street), i), number)
            chosen.append(where)
            found.append(jnp.pad(1 / jnp.maximum(probability, 1e-30), (0, 1))[where])  # void room counts nothing
        places.append(chosen)
        weights.append(jnp.concatenate(found))
        before = jnp.concatenate([jnp.pad(come[at[i] : at[i + 1]], (0, 1))[where] for i, where in enumerate(chosen)])
        counts.append(weights[-1] * before)
    return tuple(
        each._replace(weights=weight, counts=count)
        for each, weight, count in zip(_linked(betting, places), weights, counts, strict=True)
    )


def inclusion(weights: Array, number: int) -> Array:
    """``[M]``: the probabilities min(1, c w) of ``weights`` w that add up to ``number``; 1 for all that have a weight
    where these are fewer.
    """

    def closer(_: int, probability: Array) -> Array:
        sure = probability >= 1
        rest = jnp.where(sure, 0, weights)
        total = rest.sum()
        free = jnp.maximum(number - sure.sum(), 0)
        shared = jnp.minimum(rest * (free / jnp.where(total > 0, total, 1)), 1)
        return jnp.where(sure, 1, shared)

    some = weights > 0
    probability = jax.lax.fori_loop(0, ROUNDS, closer, jnp.zeros_like(weights))
    return jnp.where(some.sum() <= number, some.astype(weights.dtype), probability)


def comb(probability: Array, key: Array, number: int) -> Array:
    """``[number]`` int32: places drawn, each with its ``probability`` ``[M]``; M where fewer are drawn."""
    sums = jnp.cumsum(probability) + jax.random.uniform(key)
    teeth = jnp.floor(sums + 1e-5)  # sums of ones stay on their side of a tooth
    before = jnp.concatenate([jnp.floor(sums[:1] - probability[:1] + 1e-5), teeth[:-1]])
    hit = (teeth > before) & (probability > 0)
    return jnp.nonzero(hit, size=number, fill_value=len(probability))[0].astype(jnp.int32)


# --- how streets are linked -------------------------------------------------------------------


class _Parents(NamedTuple):
    """Of each start of a street, shape after shape: where it comes from on the street before."""

    start: np.ndarray  # [starts] among those of the street before, shape after shape
    shape: np.ndarray  # [starts] its shape
    chance: np.ndarray  # [starts] the shape's chance


@functools.lru_cache(maxsize=64)
def _parents(betting: ShapedTree, street: int) -> _Parents:
    order = np.concatenate([shape.starts for shape in betting.streets[street]])
    number = len(order)
    found = np.full((3, number), NONE, np.int32)
    base = 0
    for i, shape in enumerate(betting.streets[street - 1] if street else ()):
        chance, place = np.nonzero(shape.next_starts < number)
        found[:, shape.next_starts[chance, place]] = [base + place, np.full(len(place), i), chance]
        base += shape.num_starts
    return _Parents(*found[:, order])


def _spread(betting: ShapedTree, street: int, places: Sequence[Array], counts: Array) -> Array:
    """``[starts]``: the ``counts`` ``[S]`` of the starts drawn, 0 of all others."""
    shapes = betting.streets[street]
    base = np.cumsum([0] + [shape.num_starts for shape in shapes])
    at = [
        jnp.where(where < shape.num_starts, base[i] + where, base[-1])
        for i, (shape, where) in enumerate(zip(shapes, places, strict=True))
    ]
    return jnp.zeros(int(base[-1])).at[jnp.concatenate(at)].set(counts, mode="drop")


def _linked(betting: ShapedTree, places: Sequence[Sequence[Array]]) -> Starts:
    found = []
    last = len(betting.streets) - 1
    for street, shapes in enumerate(betting.streets):
        arrivals: Array | np.ndarray = np.zeros(1, np.int32)
        if street:
            arrivals = _arrivals(betting, street, places[street - 1], places[street])
        number, position = 0, jnp.zeros(1, jnp.int32)
        if street < last:
            following = betting.streets[street + 1]
            number = sum(len(where) for where in places[street + 1])
            starts = sum(shape.num_starts for shape in following)
            ids = [
                jnp.pad(jnp.asarray(shape.starts), (0, 1), constant_values=starts + 1)[where]
                for shape, where in zip(following, places[street + 1], strict=True)
            ]
            position = jnp.full(starts + 1, number, jnp.int32)
            position = position.at[jnp.concatenate(ids)].set(jnp.arange(number, dtype=jnp.int32), mode="drop")
        onward = []
        for shape, where in zip(shapes, places[street], strict=True):
            nowhere = len(position) - 1
            leads = jnp.pad(jnp.asarray(shape.next_starts), ((0, 0), (0, 1)), constant_values=nowhere)
            onward.append(position[leads[:, where]])
        found.append(StreetStarts(tuple(places[street]), arrivals, tuple(onward), None, None))
    return tuple(found)


def _arrivals(betting: ShapedTree, street: int, before: Sequence[Array], places: Sequence[Array]) -> Array:
    """``[S]`` of the starts at ``places``, where those of the street before are at ``before``."""
    parents = _parents(betting, street)
    shapes = betting.streets[street - 1]
    chances = np.array([len(shape.next_starts) for shape in shapes])
    leaves_before = np.cumsum([0] + [len(where) * n for where, n in zip(before, chances, strict=True)])
    within = [jnp.arange(len(where), dtype=jnp.float32) for where in before]
    position = _spread(betting, street - 1, before, jnp.concatenate(within)).astype(jnp.int32)  # among its shape's m
    base = np.cumsum([0] + [shape.num_starts for shape in betting.streets[street]])
    rows = jnp.concatenate(
        [
            jnp.minimum(where, shape.num_starts - 1) + base[i]
            for i, (shape, where) in enumerate(zip(betting.streets[street], places, strict=True))
        ]
    )
    shape_of, chance = jnp.asarray(parents.shape)[rows], jnp.asarray(parents.chance)[rows]
    at = position[jnp.asarray(parents.start)[rows]]
    return jnp.asarray(leaves_before)[shape_of] + at * jnp.asarray(chances)[shape_of] + chance
