"""The ``equity`` card abstraction: hands that win alike, now and on the boards to come, share a bucket.

    preflop   the 169 hands, or fewer clusters of them
    flop      clusters of the distributions of river equity (``equity_distributions.py``): of two hands with
    turn      the same equity, one that is made and a draw are apart
    river     quantiles of the equity against a random hand, with card removal, worked out for each board

Clusters are k-medians under the earth mover's distance (``solvers/abstraction/clustering.py``; Johanson et al., 2013).
On every street buckets are ordered by their mean equity, from 0 up. Computing them takes a minute or two on two cores,
and 1.6 GB; they are kept in a file whose name has the fingerprint. Everything is counted in whole numbers: the same
options give the same bits.
"""

from __future__ import annotations

import dataclasses
import io
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.errors import RunError
from jaxpoker.files import user_cache, write_whole
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, STREETS, TURN
from jaxpoker.solvers.abstraction import bucket_profiles, clustering, isomorphism
from jaxpoker.solvers.abstraction import equity_distributions as distributions
from jaxpoker.solvers.abstraction.bucket_profiles import BucketProfile
from jaxpoker.solvers.abstraction.contract import NumBuckets, digest, require_bucket
from jaxpoker.solvers.abstraction.equity_distributions import THRESHOLDS, Progress, no_progress
from jaxpoker.solvers.abstraction.isomorphism import look_up

Array = jax.Array

DEFAULT_BUCKETS: NumBuckets = (ranges.NUM_CLASSES, 64, 64, 64)
MOST_BUCKETS: NumBuckets = (ranges.NUM_CLASSES, 4096, 4096, 990)
SAMPLES = 200_000  # hands on boards, dealt at random, that the clusters of a street are made of
USER_CACHE = "user"  # files are kept in the folder abstractions of ``files.user_cache()``

_VERSION = "1"  # changes with whatever changes a bucket
_FLOP_CARDS, _TURN_CARDS = 3, 4
_BOARDS_AT_ONCE = 64
_PREFLOP_PARTS = 20_000  # of all rivers, in which the curves of the 169 hands are compared


class Tables(NamedTuple):
    """What ``of_board`` reads; buckets of flop and turn are by class of boards (``abstraction/isomorphism.py``)."""

    preflop: Array  # [1326]
    flop: Array  # [1755, 1326]
    turn: Array  # [16432, 1326]
    river: Array  # [1981] by score
    flop_class: Array  # [22100] by number of the flop
    flop_order: Array  # [22100]
    turn_class: Array  # [270725]
    turn_order: Array  # [270725]
    renamed: Array  # [24, 1326]


@dataclasses.dataclass(frozen=True, eq=False)
class EquityBuckets:
    """See the module's docstring; ``make`` computes or loads one."""

    num_buckets: NumBuckets
    fingerprint: str
    tables: Tables
    profiles: tuple[BucketProfile, ...]  # preflop, flop, turn, river

    name = "equity"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EquityBuckets) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def of_board(self, tables: Tables, board: Array) -> Array:
        flop, flop_order = look_up(tables.flop_class, tables.flop_order, board[:_FLOP_CARDS])
        turn, turn_order = look_up(tables.turn_class, tables.turn_order, board[:_TURN_CARDS])
        of_street = [
            tables.preflop,
            tables.flop[flop][tables.renamed[flop_order]],
            tables.turn[turn][tables.renamed[turn_order]],
            tables.river[distributions.river_scores(board)],
        ]
        return jnp.stack([buckets.astype(jnp.int32) for buckets in of_street])

    def of_hand(self, tables: Tables, hole: Array, board: Array, street: Array | int) -> Array:
        combo = ranges.combo_index(hole[0], hole[1])
        flop, flop_order = look_up(tables.flop_class, tables.flop_order, board[:_FLOP_CARDS])
        turn, turn_order = look_up(tables.turn_class, tables.turn_order, board[:_TURN_CARDS])
        of_street = [
            tables.preflop[combo],
            tables.flop[flop, tables.renamed[flop_order, combo]],
            tables.turn[turn, tables.renamed[turn_order, combo]],
            tables.river[distributions.river_score(hole, board)],
        ]
        return jnp.stack([bucket.astype(jnp.int32) for bucket in of_street])[street]

    def sample_boards(self, tables: Tables, key: Array, n: int) -> Array:
        return cards.deal(key, 5, (n,))

    def text(self, street: int, bucket: int) -> str:
        """Before the flop the hands, "QQ" or "T9s-87s"; then equity and how far the river spreads it, "43% ± 12%"."""
        require_bucket(self, street, bucket)
        if street == PREFLOP:
            return ranges.text((np.asarray(self.tables.preflop) == bucket).astype(np.float32)) or "no hand"
        profile = self.profiles[street]
        if not profile.share[bucket]:
            return "no hand"
        spread = "" if street == RIVER else f" ± {profile.deviation[bucket]:.0%}"
        return f"{profile.mean[bucket]:.{1 if street == RIVER else 0}%}{spread}"


# --- making one -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Options:
    """What the buckets depend on."""

    num_buckets: NumBuckets = DEFAULT_BUCKETS
    seed: int = 0
    samples: int = SAMPLES
    flops: tuple[int, ...] = ()  # classes of flops; only boards that begin with them have buckets. None named: all

    def __post_init__(self) -> None:
        for n, most, street in zip(self.num_buckets, MOST_BUCKETS, STREETS, strict=True):
            if not 1 <= n <= most:
                raise ValueError(f"num_buckets {n} for the {street}: equity buckets are 1 to {most:,} there")
        if self.seed < 0:
            raise ValueError(f"seed {self.seed}: it is 0 or more")
        if self.samples < max(self.num_buckets[FLOP], self.num_buckets[TURN]):
            raise ValueError(f"samples {self.samples}: take at least as many as there are buckets")
        last = len(isomorphism.classes(_FLOP_CARDS).cards) - 1
        for flop in self.flops:
            if not 0 <= flop <= last:
                raise ValueError(f"flops {flop}: there are classes 0 to {last}")

    @property
    def fingerprint(self) -> str:
        return digest("equity", _VERSION, repr(dataclasses.astuple(self)))


def make(
    num_buckets: NumBuckets = DEFAULT_BUCKETS,
    seed: int = 0,
    samples: int = SAMPLES,
    cache: str | Path | None = USER_CACHE,
    flops: Sequence[int] = (),
    progress: Progress = no_progress,
) -> EquityBuckets:
    """Equity buckets, from their file in ``cache`` if there is one, else computed and, unless it is None, kept there.

    Args:
      num_buckets: preflop, flop, turn and river.
      seed: of the sample and the first centres.
      samples: hands on boards that the clusters are made of.
      cache: the folder of the file; "user" is one in the user's cache folder.
      flops: classes of flops (``isomorphism.classes(3)``) to which the boards are limited; all when none is named.
      progress: is told what is being computed and which share of it is done.
    """
    options = Options(num_buckets, seed, samples, tuple(flops))
    folder = user_cache() / "abstractions" if cache == USER_CACHE else cache
    path = None if folder is None else Path(folder) / f"equity-{options.fingerprint}.npz"
    arrays = None if path is None else _load(path)
    if arrays is None:
        arrays = compute(options, progress)
        if path is not None:
            _save(path, arrays)
    return _assembled(options, arrays)


def _assembled(options: Options, arrays: dict[str, np.ndarray]) -> EquityBuckets:
    flops, turns = isomorphism.classes(_FLOP_CARDS), isomorphism.classes(_TURN_CARDS)
    lookups = (flops.class_of, flops.order_of, turns.class_of, turns.order_of, isomorphism.renamed_combos())
    tables = Tables._make(jnp.asarray(array) for array in (*(arrays[street] for street in STREETS), *lookups))
    preflop, flop, turn = (bucket_profiles.from_bins(arrays[f"{street}_rivers"]) for street in STREETS[:RIVER])
    of_class = np.zeros(ranges.NUM_CLASSES, np.int64)
    of_class[ranges.CLASS_OF_COMBO] = arrays["preflop"]
    preflop = preflop._replace(mean=preflop_means(of_class, options.num_buckets[PREFLOP]))
    of_river = arrays["river_deals"] * (arrays["river"] == np.arange(options.num_buckets[RIVER])[:, None])
    profiles = (preflop, flop, turn, bucket_profiles.from_scores(of_river))
    return EquityBuckets(options.num_buckets, options.fingerprint, tables, profiles)


# --- computing --------------------------------------------------------------------------------


def compute(options: Options, progress: Progress = no_progress) -> dict[str, np.ndarray]:
    """Buckets by street, as in ``Tables``; counts of the rivers of each bucket's hands by bin (``..._rivers``
    [buckets, 33] int64, all suits counted), and of hands on river boards by score (``river_deals`` [1981] int64).
    """
    keys = jax.random.split(jax.random.key(options.seed), RIVER)
    all_flops = np.arange(len(isomorphism.classes(_FLOP_CARDS).cards))
    flops = distributions.next_boards(_FLOP_CARDS, np.array(options.flops) if options.flops else all_flops)
    turns = distributions.next_boards(_TURN_CARDS, np.unique(flops.next_class))
    river_classes = np.unique(turns.next_class)

    rivers = distributions.rivers(river_classes, progress)
    arrays = {"river": river_quantiles(rivers.deals, options.num_buckets[RIVER]), "river_deals": rivers.deals}
    counts = distributions.turn_counts(turns, river_classes, rivers.bins, progress)
    del rivers
    arrays["turn"], arrays["turn_rivers"] = _clustered(TURN, options, turns.classes, counts, keys[TURN], progress)
    counts = distributions.flop_counts(flops, turns.classes, counts, progress)  # the turns' are not needed any more
    arrays["flop"], arrays["flop_rivers"] = _clustered(FLOP, options, flops.classes, counts, keys[FLOP], progress)
    totals = distributions.preflop_counts(flops.classes, counts)
    arrays["preflop"], arrays["preflop_rivers"] = preflop_buckets(options.num_buckets[PREFLOP], *totals, keys[PREFLOP])
    progress("card abstraction", 1.0)
    return arrays


def river_quantiles(deals: np.ndarray, num_buckets: int) -> np.ndarray:
    """[1981] the bucket of each score: all hands in order, those of one score together, cut into parts of one size."""
    below = np.cumsum(deals) - deals
    middle = (2 * below + deals) * num_buckets // (2 * max(int(deals.sum()), 1))
    return np.minimum(middle, num_buckets - 1).astype(_small(num_buckets))


def _small(num_buckets: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if num_buckets <= 256 else np.uint16


def _clustered(
    street: int, options: Options, classes: np.ndarray, counts: np.ndarray, key: Array, progress: Progress
) -> tuple[np.ndarray, np.ndarray]:
    """Buckets ``[all classes, 1326]`` and their rivers ``[buckets, 33]``, from ``counts`` ``[n, 32, 1326]``."""
    size, k = (_FLOP_CARDS, _TURN_CARDS)[street - FLOP], options.num_buckets[street]
    every = isomorphism.classes(size)
    times, blocked = every.times[classes].astype(np.int64), distributions.blocked(every.cards[classes])
    progress(f"clusters of the {STREETS[street]}", 0.0)
    sample_key, centre_key = jax.random.split(key)
    board, combo = _sample(sample_key, times, blocked, options.samples)
    centres = clustering.k_medians(np.ascontiguousarray(counts[board, :, combo].T), k, centre_key).centres

    buckets = np.zeros((len(every.cards), ranges.NUM_COMBOS), _small(k))
    deals, below = np.zeros(k, np.int64), np.zeros((k, THRESHOLDS), np.int64)
    for start, block in distributions.blocks(len(classes), _BOARDS_AT_ONCE):
        progress(f"clusters of the {STREETS[street]}", start / len(classes))
        new = block[: len(classes) - start]
        label = np.asarray(clustering.nearest_of_blocks(counts[block], centres)[0])[: len(new)]
        buckets[classes[new]] = label
        weight = times[new][:, None] * ~blocked[new]  # [b, 1326]
        deals += _sums(label, weight, k)
        below += np.stack([_sums(label, weight * counts[new, j], k) for j in range(THRESHOLDS)], axis=1)
    order = _by_equity(deals, below, centres)
    rank = np.argsort(order).astype(buckets.dtype)
    return rank[buckets], _by_bin(deals[order] * distributions.RIVERS[size], below[order])


def _sample(key: Array, times: np.ndarray, blocked: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n hands on boards as dealt: rows of boards, which come ``times`` [m] each, and combos not ``blocked`` there."""
    drawn = n + n // 2 + 64  # a third is blocked at the most
    board_word, combo_word = (np.asarray(word).astype(np.uint64) for word in cards.random_words(key, 2, (drawn,)))
    ends = np.cumsum(times)
    board = np.searchsorted(ends, board_word * np.uint64(ends[-1]) >> np.uint64(32), side="right")
    combo = (combo_word * np.uint64(ranges.NUM_COMBOS) >> np.uint64(32)).astype(np.int64)
    live = np.flatnonzero(~blocked[board, combo])[:n]
    return board[live], combo[live]


def _sums(label: np.ndarray, values: np.ndarray, k: int) -> np.ndarray:
    """[k] int64: the sum of whole numbers of each label."""
    return np.bincount(label.reshape(-1), values.reshape(-1), k).astype(np.int64)


def _by_equity(deals: np.ndarray, below: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """[k] the clusters from the lowest mean equity up: few rivers below the thresholds are much equity."""

    def weakness(cluster: int) -> Fraction:
        if deals[cluster]:
            return Fraction(int(below[cluster].sum()), int(deals[cluster]))
        return Fraction(int(centres[cluster].sum()))

    return np.array(sorted(range(len(deals)), key=lambda cluster: (-weakness(cluster), cluster)))


def _by_bin(total: np.ndarray, below: np.ndarray) -> np.ndarray:
    """[k, 33] counts by bin of cumulative ones [k, 32] with their totals [k]."""
    return np.diff(np.concatenate([np.zeros_like(total)[:, None], below, total[:, None]], axis=1), axis=1)


def preflop_buckets(
    num_buckets: int, total: np.ndarray, below: np.ndarray, key: Array
) -> tuple[np.ndarray, np.ndarray]:
    """Buckets ``[1326]`` and their rivers ``[buckets, 33]``, from ``distributions.preflop_counts``."""
    if num_buckets == ranges.NUM_CLASSES:
        label = np.arange(ranges.NUM_CLASSES)
    else:
        parts = (below * _PREFLOP_PARTS // np.maximum(total, 1)).astype(np.int32)
        centres = clustering.k_medians(parts[:, ranges.CLASS_OF_COMBO], num_buckets, key).centres
        label = clustering.nearest(parts, centres)[0]
    order = np.argsort(np.nan_to_num(preflop_means(label, num_buckets)), kind="stable")
    of_class = np.argsort(order)[label]
    totals, *sums_below = (_sums(of_class, each, num_buckets) for each in (total, *below))
    buckets = of_class[ranges.CLASS_OF_COMBO].astype(_small(num_buckets))
    return buckets, _by_bin(totals, np.stack(sums_below, axis=1))


def preflop_means(of_class: np.ndarray, num_buckets: int) -> np.ndarray:
    """[buckets] the exact mean equity of the combos of each bucket; NaN where there is none."""
    combos = ranges.COMBOS_PER_CLASS
    with np.errstate(invalid="ignore"):
        total = np.bincount(of_class, combos * ranges.preflop_table().equity, num_buckets)
        return total / np.bincount(of_class, combos, num_buckets)


# --- the file ---------------------------------------------------------------------------------


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes the arrays and their checksum; a warning when that cannot be done."""
    file = io.BytesIO()
    everything: dict[str, Any] = {"checksum": np.array(_checksum(arrays)), **arrays}
    np.savez_compressed(file, **everything)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, file.getvalue())
    except (OSError, RunError) as error:
        warnings.warn(f"cannot keep the card abstraction: {error}; it is computed anew next time", stacklevel=3)


def _load(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file; None when there is none, and after a warning when it is damaged."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if str(arrays.pop("checksum", "")) == _checksum(arrays):
            return arrays
        reason = "its checksum does not fit"
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        reason = str(error)
    warnings.warn(f"card abstraction file {path} is damaged ({reason}): it is computed anew", stacklevel=3)
    return None


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    return digest(*(part for name in sorted(arrays) for part in (name, arrays[name])))
