"""What the buckets of a street hold, with hands that a poker player knows, as pictures (the extra ``plots``).

    bucket_examples.save("flop.png", known, 1)       # some buckets of the flop, from the weakest to the strongest
    bucket_examples.of_street(known, 1)              # the same as data

``known`` is a card abstraction. The hands of ``WELL_KNOWN`` on their board are shown with their buckets. Other examples
are drawn at random: of the kinds of hands that a bucket holds (``hand_kinds.py``) the most frequent ones, with a hand
and a board for each.
"""

from __future__ import annotations

import collections
import functools
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker import cards, plots, ranges
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.plots import ExampleRow
from jaxpoker.solvers.abstraction import bucket_profiles, hand_kinds
from jaxpoker.solvers.abstraction.bucket_plots import RIVER_EQUITY, some
from jaxpoker.solvers.abstraction.contract import OPEN_CARDS, CardAbstraction

Array = jax.Array

WELL_KNOWN = ("AhKh", "KsQd", "7s7d", "5s2s", "Jc5d")  # nut flush draw, top pair, set, bottom pair, nothing
WELL_KNOWN_BOARD = "Qh7h2c9s3d"

BUCKETS = 8  # of a street, evenly spread, beside those of well-known hands
EXAMPLES = 3  # of a bucket
BOARDS = 160  # at random, whose hands are looked through
MOST_HANDS = 80  # of a bucket, whose kinds are counted


class Example(NamedTuple):
    """A hand of a bucket."""

    hand: str
    board: str
    kind: str


class BucketExamples(NamedTuple):
    """A bucket and hands that it holds."""

    bucket: int
    share: float  # of all hands and boards
    mean: float  # equity against a random hand
    deviation: float  # of that equity on the river
    histogram: np.ndarray  # [33] of that equity, from 0 to 1
    examples: tuple[Example, ...]  # the most frequent kind first


def of_street(
    abstraction: CardAbstraction, street: int, most: int = BUCKETS, each: int = EXAMPLES, boards: int = BOARDS
) -> list[BucketExamples]:
    """``most`` buckets of a street from the flop on, evenly spread, and those of well-known hands, with examples; from
    the weakest to the strongest.
    """
    if not 1 <= street < len(STREETS):
        raise ValueError(f"street {street}: examples have a board, on the flop (1), turn (2) or river (3)")
    profile = bucket_profiles.profiles(abstraction)[street]
    dealt = np.asarray(abstraction.sample_boards(abstraction.tables, jax.random.key(1), boards))  # [boards, 5]
    known_board = cards.parse(WELL_KNOWN_BOARD)
    *buckets, of_known = np.asarray(_buckets(abstraction, abstraction.tables, np.vstack([dealt, known_board])))[
        :, street
    ]
    known: dict[int, list[Example]] = {}
    for hand in WELL_KNOWN:
        combo = int(ranges.combo_index(*cards.parse(hand).tolist()))
        known.setdefault(int(of_known[combo]), []).append(_example(known_board[: OPEN_CARDS[street]], combo))
    by_strength = np.argsort(np.nan_to_num(profile.mean), kind="stable")
    held = by_strength[np.isin(by_strength, np.unique(buckets))]
    chosen = {*some(held, most).tolist(), *known}
    chance = np.random.default_rng(0)
    found = []
    for bucket in (bucket for bucket in by_strength.tolist() if bucket in chosen):
        at = np.argwhere(np.stack(buckets) == bucket)
        at = at[chance.permutation(len(at))[:MOST_HANDS]]
        drawn = [_example(dealt[board, : OPEN_CARDS[street]], combo) for board, combo in at.tolist()]
        mean, deviation = float(profile.mean[bucket]), float(profile.deviation[bucket])
        examples = _some_of_each_kind(known.get(bucket, []), drawn, each)
        found.append(
            BucketExamples(bucket, float(profile.share[bucket]), mean, deviation, profile.histogram[bucket], examples)
        )
    return found


def _some_of_each_kind(first: list[Example], drawn: list[Example], number: int) -> tuple[Example, ...]:
    """The ``first`` examples, then one of each kind of those ``drawn``, the most frequent kind first, then others."""
    kinds = [kind for kind, _ in collections.Counter(example.kind for example in drawn).most_common()]
    shown = {example.kind for example in first}
    of_kinds = [next(example for example in drawn if example.kind == kind) for kind in kinds if kind not in shown]
    others = [example for example in drawn if example not in of_kinds]
    return tuple([*first, *of_kinds, *others][:number])


def save(path: str | Path, abstraction: CardAbstraction, street: int) -> None:
    """Draws ``of_street`` as a table: equity, how it spreads on the river, and hands."""
    rows = [
        ExampleRow(
            f"{held.mean:.0%} ± {held.deviation:.0%}",
            held.histogram,
            [(f"{example.hand} on {example.board}", example.kind) for example in held.examples],
        )
        for held in of_street(abstraction, street)
    ]
    number = abstraction.num_buckets[street]
    plots.example_rows(
        path, rows, RIVER_EQUITY, f"The {STREETS[street]}: {len(rows)} of {number} buckets, from weak to strong"
    )


def _example(board: np.ndarray, combo: int) -> Example:
    hole = sorted(ranges.COMBOS[combo].tolist(), key=lambda card: -(card % cards.NUM_RANKS))
    return Example(cards.text(hole), cards.text(board), hand_kinds.kind(hole, board.tolist()))


@functools.partial(jax.jit, static_argnums=0)
def _buckets(abstraction: CardAbstraction, tables: Any, boards: Array) -> Array:
    """``[boards, 4, 1326]``: the buckets of all hands, -1 of those that the board blocks."""

    def of_board(board: Array) -> Array:
        return jax.numpy.where(possible_hands(board), abstraction.of_board(tables, board), -1)

    return jax.vmap(of_board)(boards)
