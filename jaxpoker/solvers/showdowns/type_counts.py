"""How often types of hands meet, and who wins. Hands with the same bucket on every street are one type.

A *path* is the bucket of a hand on every street from one on, such as (pair, pair, two pair) from the flop. Before the
flop it is the whole type of a hand. For a board and types q of one player and r of the other,

    rivals[q, r]    = pairs of a hand of type q and one of type r that share no card
    showdowns[q, r] = ... where the first wins, less those where it loses

are exact counts. They are all that a solver needs to know of the board. Counts of many boards are added up: their mean
is one small table, whatever the number of boards, and is all that chance does in the abstract game.
"""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.ranges import COMBOS, NUM_COMBOS
from jaxpoker.solvers.showdowns import showdown_sums
from jaxpoker.solvers.showdowns.strength_chains import LIVE_HANDS

Array = jax.Array

_PRECISION = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits

SHOWDOWNS, RIVALS = range(2)  # the two tables of counts
ROUND = 64  # types of a board that are counted at once; coarse buckets give 33 on average
RIVALS_OF_HAND = 990  # hands that share no card with a hand and the board
MEETINGS = LIVE_HANDS * RIVALS_OF_HAND  # ordered pairs of hands that share no card, on any board


@dataclasses.dataclass(frozen=True)
class BucketPaths:
    """The types that there are, and their paths from every street on."""

    num_buckets: tuple[int, ...]  # by street
    types: tuple[tuple[int, ...], ...]  # the bucket on each street, in ascending order

    @functools.cached_property
    def of_street(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The paths from each street on, in order; after the last street the empty one."""
        return tuple(tuple(sorted({path[s:] for path in self.types})) for s in range(len(self.num_buckets) + 1))

    @functools.cached_property
    def size(self) -> tuple[int, ...]:
        """How many paths there are from each street on, 1 after the last."""
        return tuple(map(len, self.of_street))

    @functools.cached_property
    def bucket(self) -> tuple[np.ndarray, ...]:
        """By street ``[paths]`` int32: the first bucket of each path."""
        return tuple(np.array([path[0] for path in paths], np.int32) for paths in self.of_street[:-1])

    @functools.cached_property
    def later(self) -> tuple[np.ndarray, ...]:
        """By street ``[paths]`` int32: how each path goes on, a path of the next street."""
        places = [{path: i for i, path in enumerate(paths)} for paths in self.of_street]
        return tuple(
            np.array([places[s + 1][path[1:]] for path in paths], np.int32)
            for s, paths in enumerate(self.of_street[:-1])
        )

    @property
    def remember(self) -> bool:
        """Whether the bucket of a street always tells the buckets of the streets before it."""
        streets = range(1, len(self.num_buckets))
        return all(
            len({path[: s + 1] for path in self.types}) == len({path[s] for path in self.types}) for s in streets
        )

    def of_buckets(self, buckets: Array) -> Array:
        """Types ``[...]`` int32 of hands with ``buckets`` ``[streets, ...]``; their number where there is none."""
        index = jnp.zeros(buckets.shape[1:], jnp.int32)
        for street in reversed(range(len(self.num_buckets))):
            place = np.full((self.num_buckets[street], self.size[street + 1] + 1), self.size[street], np.int32)
            place[self.bucket[street], self.later[street]] = np.arange(self.size[street])
            index = jnp.asarray(place)[buckets[street], index]
        return index


def count(num_types: int, types: Array, strengths: Array, live: Array) -> tuple[Array, Array]:
    """Mean counts ``[2, num_types, num_types]`` of boards whose hands have the ``[boards, 1326]`` types and strengths,
    and the mean number of types of a board. Types are counted ``ROUND`` at a time, so that any number of them is exact.
    """
    held = jax.vmap(lambda q, alive: jnp.zeros(num_types, bool).at[q].max(alive, mode="drop"))(types, live)
    place = jnp.cumsum(held, axis=1) - 1  # [boards, num_types]: of each type among those of the board
    of_hand = jnp.where(live, jnp.take_along_axis(place, types, axis=1, mode="fill", fill_value=-1), -1)
    number = held.sum(axis=1)
    rounds = -(-number.max() // ROUND)
    ranked = jax.vmap(showdown_sums.order)(strengths)

    def members(first: Array | int) -> tuple[Array, Array]:
        """One-hot ``[boards, 1326, ROUND]`` of the hands of types ``first`` and following, and these types."""
        one_hot = of_hand[:, :, None] == first + jnp.arange(ROUND)
        which = jax.vmap(lambda places, here: jnp.full(ROUND, num_types).at[places - first].set(here, mode="drop"))(
            jnp.where(held & (place >= first), place, NUM_COMBOS + first),
            jnp.broadcast_to(jnp.arange(num_types), held.shape),
        )
        return one_hot.astype(jnp.float32), which

    def meet(first: Array | int, second: Array | int, total: Array) -> Array:
        (ours, q), (theirs, r) = members(first), members(second)
        won = jax.vmap(showdown_sums.showdowns)(ranked, theirs)
        showdowns = jnp.einsum("bhq,bhr->bqr", ours, won, precision=_PRECISION)
        held_by_q, held_by_r = (
            jnp.einsum("bhq,hc->bqc", each, _holds_card(), precision=_PRECISION) for each in (ours, theirs)
        )
        sharing = jnp.einsum("bqc,brc->bqr", held_by_q, held_by_r, precision=_PRECISION)
        hands_of_q, hands_of_r = ours.sum(axis=1)[:, :, None], theirs.sum(axis=1)[:, None]
        rivals = hands_of_q * hands_of_r - sharing + jnp.where(q[:, :, None] == r[:, None], hands_of_q, 0)
        return total.at[:, q[:, :, None], r[:, None]].add(jnp.stack([showdowns, rivals]), mode="drop")

    def more(pair: Array, total: Array) -> Array:
        return meet(pair // rounds * ROUND, pair % rounds * ROUND, total)

    total = meet(0, 0, jnp.zeros((2, num_types, num_types), jnp.float32))  # mostly all there is
    total = jax.lax.fori_loop(1, rounds * rounds, more, total)
    return total / (MEETINGS * len(types)), number.astype(jnp.float32).mean()


def _holds_card() -> Array:
    """``[1326, 52]`` float32: 1 where a hand holds a card."""
    return jnp.asarray((COMBOS[:, :, None] == np.arange(NUM_CARDS)).any(axis=1).astype(np.float32))
