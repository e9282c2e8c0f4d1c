"""The ``equity`` card abstraction: hands that win alike, now and on the boards to come, share a bucket.

    preflop   the 169 hands, or fewer clusters of them
    flop      clusters of the distributions of river equity (``equity_distributions.py``): of two hands with
    turn      the same equity, one that is made and a draw are apart
    river     clusters of the equities against eight groups of opponents' hands (``opponent_clusters.py``): of two hands
              with the same equity, one that beats bluffs only and one that blocks the nuts are apart

Clusters are k-medians under the earth mover's distance, on the river under the sum of differences (L1)
(``solvers/abstraction/clustering.py``; Johanson et al., 2013). The nearest cluster of a river hand is found when it is
asked for. On every street buckets are ordered by their mean equity, from 0 up. Computing them takes a minute or two on
two cores, and 1.6 GB; they are kept in a file whose name has the fingerprint. Everything is counted in whole numbers:
the same options give the same bits.
"""

from __future__ import annotations

import dataclasses
import io
import warnings
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.errors import RunError
from jaxpoker.files import archives, user_cache, write_whole
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, STREETS, TURN
from jaxpoker.solvers.abstraction import bucket_profiles, clustering, isomorphism, opponent_clusters
from jaxpoker.solvers.abstraction import equity_distributions as distributions
from jaxpoker.solvers.abstraction.bucket_profiles import BucketProfile
from jaxpoker.solvers.abstraction.contract import NumBuckets, digest, require_bucket
from jaxpoker.solvers.abstraction.equity_distributions import MAX_SCORE, THRESHOLDS, Progress, no_progress
from jaxpoker.solvers.abstraction.isomorphism import look_up

Array = jax.Array

DEFAULT_BUCKETS: NumBuckets = (ranges.NUM_CLASSES, 64, 64, 64)
MOST_BUCKETS: NumBuckets = (ranges.NUM_CLASSES, 4096, 4096, 4096)
SAMPLES = 200_000  # hands on boards, dealt at random, that the clusters of a street are made of
USER_CACHE = "user"  # files are kept in the folder abstractions of ``files.user_cache()``

_VERSION = "2"  # changes with whatever changes a bucket
_FLOP_CARDS, _TURN_CARDS, _RIVER_CARDS = 3, 4, 5
_BOARDS_AT_ONCE = 64
MOST_BYTES = 256 * archives.MB  # of all arrays of a file
_SAMPLES_OF_BOARD = 50  # hands on one river board, of which all hands are in the profiles
_PREFLOP_PARTS = 20_000  # of all rivers, in which the curves of the 169 hands are compared


class Tables(NamedTuple):
    """What ``of_board`` reads; buckets of flop and turn are by class of boards (``abstraction/isomorphism.py``)."""

    preflop: Array  # [1326]
    flop: Array  # [1755, 1326]
    turn: Array  # [16432, 1326]
    opponents: Array  # [1326] cluster of each hand as an opponent's (``abstraction/opponent_clusters.py``)
    river: Array  # [buckets, 8] int16: the centres of the buckets
    flop_class: Array  # [22100] by number of the flop
    flop_order: Array  # [22100]
    turn_class: Array  # [270725]
    turn_order: Array  # [270725]
    renamed: Array  # [24, 1326]


_IN_TABLES = ("preflop", "flop", "turn", "opponents", "river")  # arrays that are computed


@dataclasses.dataclass(frozen=True, eq=False)
class EquityBuckets:
    """See the module's docstring; ``make`` computes or loads one."""

    num_buckets: NumBuckets
    fingerprint: str
    tables: Tables
    profiles: tuple[BucketProfile, ...]  # preflop, flop, turn, river
    arrays: dict[str, np.ndarray] = dataclasses.field(repr=False)  # that all of it is made of (``compute``)

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
            clustering.closest(opponent_clusters.of_board(board, tables.opponents), tables.river)[0],
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
            clustering.closest(opponent_clusters.of_hand(hole, board, tables.opponents)[:, None], tables.river)[0][0],
        ]
        return jnp.stack([bucket.astype(jnp.int32) for bucket in of_street])[street]

    def sample_boards(self, tables: Tables, key: Array, n: int) -> Array:
        return cards.deal(key, 5, (n,))

    def text(self, street: int, bucket: int) -> str:
        """Before the flop the hands, "QQ" or "T9s-87s"; then equity and its spread on the river, "43% ± 12%"."""
        require_bucket(self, street, bucket)
        if street == PREFLOP:
            return ranges.text((np.asarray(self.tables.preflop) == bucket).astype(np.float32)) or "no hand"
        profile = self.profiles[street]
        if not profile.share[bucket]:
            return "no hand"
        return f"{profile.mean[bucket]:.0%} ± {profile.deviation[bucket]:.0%}"


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
        if self.samples < max(self.num_buckets[FLOP:]):
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
    tables = Tables._make(jnp.asarray(array) for array in (*(arrays[name] for name in _IN_TABLES), *lookups))
    preflop, flop, turn, river = (bucket_profiles.from_bins(arrays[f"{street}_rivers"]) for street in STREETS)
    of_class = np.zeros(ranges.NUM_CLASSES, np.int64)
    of_class[ranges.CLASS_OF_COMBO] = arrays["preflop"]
    preflop = preflop._replace(mean=preflop_means(of_class, options.num_buckets[PREFLOP]))
    with np.errstate(invalid="ignore"):
        exact = arrays["river_scores"] / arrays["river_rivers"].sum(axis=1) / MAX_SCORE
    profiles = (preflop, flop, turn, river._replace(mean=exact))
    return EquityBuckets(options.num_buckets, options.fingerprint, tables, profiles, arrays)


# --- computing --------------------------------------------------------------------------------


def compute(options: Options, progress: Progress = no_progress) -> dict[str, np.ndarray]:
    """What ``Tables`` has of the streets; counts of the rivers of each bucket's hands by bin (``..._rivers``
    [buckets, 33] int64, all suits counted), and the sums of the scores of river buckets (``river_scores`` [buckets]
    int64). Those of the river are of the sampled boards.
    """
    *keys, opponent_key = jax.random.split(jax.random.key(options.seed), len(STREETS) + 1)
    all_flops = np.arange(len(isomorphism.classes(_FLOP_CARDS).cards))
    flops = distributions.next_boards(_FLOP_CARDS, np.array(options.flops) if options.flops else all_flops)
    turns = distributions.next_boards(_TURN_CARDS, np.unique(flops.next_class))
    river_classes = np.unique(turns.next_class)

    arrays: dict[str, np.ndarray] = {}
    bins = distributions.river_bins(river_classes, progress)
    counts = distributions.turn_counts(turns, river_classes, bins, progress)
    del bins
    arrays["turn"], arrays["turn_rivers"] = _clustered(TURN, options, turns.classes, counts, keys[TURN], progress)
    counts = distributions.flop_counts(flops, turns.classes, counts, progress)  # the turns' are not needed any more
    arrays["flop"], arrays["flop_rivers"] = _clustered(FLOP, options, flops.classes, counts, keys[FLOP], progress)
    totals = distributions.preflop_counts(flops.classes, counts)
    del counts
    arrays["preflop"], arrays["preflop_rivers"] = preflop_buckets(options.num_buckets[PREFLOP], *totals, keys[PREFLOP])
    arrays["opponents"], _ = preflop_buckets(opponent_clusters.CLUSTERS, *totals, opponent_key)
    arrays |= _river(options, river_classes, arrays["opponents"], keys[RIVER], progress)
    progress("card abstraction", 1.0)
    return arrays


def _river(
    options: Options, classes: np.ndarray, opponents: np.ndarray, key: Array, progress: Progress
) -> dict[str, np.ndarray]:
    """Centres ``river`` [buckets, 8] of river buckets, and ``river_rivers`` and ``river_scores`` of ``compute``.

    Boards of these ``classes`` are dealt at random. Their hands, of which a sample makes the centres, are all counted.
    """
    every, k = isomorphism.classes(_RIVER_CARDS), options.num_buckets[RIVER]
    board_key, sample_key, centre_key = jax.random.split(key, 3)
    words = cards.random_words(board_key, 1, (-(-options.samples // _SAMPLES_OF_BOARD),))[0]
    boards = every.cards[classes[_drawn(words, every.times[classes])]]
    features = np.empty((len(boards), opponent_clusters.CLUSTERS, ranges.NUM_COMBOS), np.int16)
    scores = np.empty((len(boards), ranges.NUM_COMBOS), np.int16)
    for start, block in distributions.blocks(len(boards), _BOARDS_AT_ONCE):
        progress("equities against clusters of opponents", start / len(boards))
        features[block], scores[block] = _features_of_boards(boards[block], opponents)
    blocked = distributions.blocked(boards)
    progress("clusters of the river", 0.0)
    board, combo = _sample(sample_key, np.ones(len(boards), np.int64), blocked, options.samples)
    centres = clustering.k_medians(np.ascontiguousarray(features[board, :, combo].T), k, centre_key).centres

    held = np.zeros((k, MAX_SCORE + 1), np.int64)
    for start, block in distributions.blocks(len(boards), _BOARDS_AT_ONCE):
        progress("clusters of the river", start / len(boards))
        new = block[: len(boards) - start]
        label = np.asarray(clustering.nearest_of_blocks(features[block], centres)[0])[: len(new)]
        place = (label.astype(np.int64) * (MAX_SCORE + 1) + scores[new])[~blocked[new]]
        held += np.bincount(place, minlength=held.size).reshape(held.shape)
    deals, total = held.sum(axis=1), held @ np.arange(MAX_SCORE + 1)
    full_score = opponent_clusters.CLUSTERS * opponent_clusters.SCALE
    order = _ascending(deals, full_score * total, MAX_SCORE * centres.sum(axis=1, dtype=np.int64))
    return {
        "river": centres[order].astype(np.int16),
        "river_rivers": bucket_profiles.scores_by_bin(held[order]),
        "river_scores": total[order],
    }


@jax.jit
def _features_of_boards(boards: Array, opponents: Array) -> tuple[Array, Array]:
    """Features ``[b, 8, 1326]`` and scores ``[b, 1326]`` of all hands on boards ``[b, 5]``."""
    features = jax.vmap(opponent_clusters.of_board, (0, None))(boards, opponents)
    return features, jax.vmap(distributions.river_scores)(boards)


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
    order = _ascending(deals, -below.sum(axis=1), -centres.sum(axis=1))  # few rivers below: much equity
    rank = np.argsort(order).astype(buckets.dtype)
    return rank[buckets], _by_bin(deals[order] * distributions.RIVERS[size], below[order])


def _sample(key: Array, times: np.ndarray, blocked: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n hands on boards as dealt: rows of boards, which come ``times`` [m] each, and combos not ``blocked`` there."""
    drawn = n + n // 2 + 64  # a third is blocked at the most
    board_word, combo_word = (np.asarray(word, np.uint64) for word in cards.random_words(key, 2, (drawn,)))
    board = _drawn(board_word, times)
    combo = (combo_word * np.uint64(ranges.NUM_COMBOS) >> np.uint64(32)).astype(np.int64)
    live = np.flatnonzero(~blocked[board, combo])[:n]
    return board[live], combo[live]


def _drawn(words: np.ndarray | Array, times: np.ndarray) -> np.ndarray:
    """[n] rows drawn by random words [n], each in proportion to its ``times`` [m]."""
    ends = np.cumsum(times, dtype=np.int64)
    at = np.asarray(words, np.uint64) * np.uint64(ends[-1]) >> np.uint64(32)
    return np.searchsorted(ends, at, side="right")


def _sums(label: np.ndarray, values: np.ndarray, k: int) -> np.ndarray:
    """[k] int64: the sum of whole numbers of each label."""
    return np.bincount(label.reshape(-1), values.reshape(-1), k).astype(np.int64)


def _ascending(deals: np.ndarray, totals: np.ndarray, of_empty: np.ndarray) -> np.ndarray:
    """[k] the clusters from the lowest mean, total / deals, up; a cluster without deals has the mean ``of_empty``."""

    def mean(cluster: int) -> Fraction:
        if deals[cluster]:
            return Fraction(int(totals[cluster]), int(deals[cluster]))
        return Fraction(int(of_empty[cluster]))

    return np.array(sorted(range(len(deals)), key=lambda cluster: (mean(cluster), cluster)))


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


def packed(abstraction: EquityBuckets) -> bytes:
    """The buckets as the content of a file: a few MB, from which ``unpacked`` makes them in a moment."""
    return _in_file(abstraction.arrays)


def unpacked(num_buckets: NumBuckets, content: bytes) -> EquityBuckets:
    """The buckets, of the default options, that ``packed`` made ``content`` of; ``ValueError`` if it is damaged."""
    arrays = _arrays(content)
    if sorted(arrays) != sorted((*_IN_TABLES, *(f"{street}_rivers" for street in STREETS), "river_scores")):
        raise ValueError("these are no equity buckets")
    found = tuple(len(arrays[f"{street}_rivers"]) for street in STREETS)
    combos = (len(ranges.COMBOS),)
    of_hands = {name: arrays[name] for name in ("preflop", "opponents", "flop", "turn")}
    if any(array.shape[-1:] != combos or array.dtype.kind not in "iu" for array in of_hands.values()):
        raise ValueError("these are no buckets of 1,326 hands")
    for street, buckets in zip(STREETS[:3], found[:3], strict=True):
        if arrays[street].min() < 0 or arrays[street].max() >= buckets:
            raise ValueError(f"it names buckets of the {street} that it has not")
    if found != num_buckets:
        raise ValueError(f"there are {found} buckets in it, not {num_buckets}")
    return _assembled(Options(num_buckets), arrays)


def _in_file(arrays: dict[str, np.ndarray]) -> bytes:
    """The arrays and their checksum."""
    file = io.BytesIO()
    everything: dict[str, Any] = {"checksum": np.array(_checksum(arrays)), **arrays}
    np.savez_compressed(file, **everything)
    return file.getvalue()


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes the arrays and their checksum; a warning when that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _in_file(arrays))
    except (OSError, RunError) as error:
        warnings.warn(f"cannot keep the card abstraction: {error}; it is computed anew next time", stacklevel=3)


def _load(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file; None when there is none, and after a warning when it is damaged."""
    if not path.exists():
        return None
    try:
        return _arrays(path)
    except (OSError, ValueError) as error:
        warnings.warn(f"card abstraction file {path} is damaged ({error}): it is computed anew", stacklevel=3)
    return None


def _arrays(file: Path | bytes) -> dict[str, np.ndarray]:
    """What ``_in_file`` has put together; ``ValueError`` if that is not what is there."""
    try:
        with archives.Archive(file, MOST_BYTES) as opened:
            arrays = opened.arrays()
    except archives.Damaged as error:
        raise ValueError(str(error)) from error
    if str(arrays.pop("checksum", "")) != _checksum(arrays):
        raise ValueError("its checksum does not fit")
    return arrays


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    return digest(*(part for name in sorted(arrays) for part in (name, arrays[name])))
