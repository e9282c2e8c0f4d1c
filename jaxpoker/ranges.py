"""Ranges of hold'em hands: text such as "22+, AKs, A2s-A5s:0.5, top 20%" <-> 1,326 weights.

A range is one weight from 0 to 1 for each of the 1,326 two-card combos, in the order of ``COMBOS``. Entries are
separated by commas, and a later entry overrides an earlier one where both name a combo ("random, AA:0" is every
hand but aces):

    QQ  22+  TT-77          pairs: one, that and higher, from one to the other
    AKs  AKo  AK            suited, offsuit, both
    ATs+  KTo+  AT+         the kicker goes up to one below the high card: ATs+ is ATs, AJs, AQs, AKs and
                            T8s+ is T8s, T9s (as in Equilab)
    A2s-A5s  T9s-65s        the kicker runs at one high card, or both ranks run in step
    AhKh                    one combo
    top 20%                 the strongest hands by exact equity against one random hand (see ``top``)
    random, any, 100%       every combo
    ...:0.5                 any of these with a weight from 0 to 1; without it the weight is 1 (as in PioSOLVER)
    [25]AKs, QQ[/25]        these with a weight in percent (as in GTO+)

The 169 classes of hands lie as in the usual chart, row by row: AA top left, suited hands above the diagonal,
offsuit hands below it. Class number = 13 * row + column, where row and column 0 are aces and 12 are twos.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple, TypeVar

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.files import DATA, shipped_arrays

NUM_COMBOS = 1326
NUM_CLASSES = 169

PREFLOP_TABLE = DATA / "preflop_table.npz"

_RANKS_DOWN = cards.RANKS[::-1]  # AKQ...2: the order of the chart's rows and columns

# The two cards of each combo, lower id first, in lexicographic order.
COMBOS = np.stack(np.triu_indices(cards.NUM_CARDS, k=1), axis=1).astype(np.int32)  # [1326, 2]


def _class_of_cards(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    high = 12 - np.maximum(a % 13, b % 13)
    low = 12 - np.minimum(a % 13, b % 13)
    return np.where(a // 13 == b // 13, high * 13 + low, low * 13 + high)


def _class_name(number: int) -> str:
    row, column = divmod(number, 13)
    high, low = _RANKS_DOWN[min(row, column)], _RANKS_DOWN[max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


CLASS_OF_COMBO = _class_of_cards(COMBOS[:, 0], COMBOS[:, 1]).astype(np.int32)  # [1326] into the 169 classes
CLASS_NAMES = tuple(_class_name(number) for number in range(NUM_CLASSES))  # "AA", "AKs", ... "AKo", "KK", ... "22"
COMBOS_PER_CLASS = np.bincount(CLASS_OF_COMBO, minlength=NUM_CLASSES).astype(np.int32)  # [169]: 6, 4 or 12

Cards = TypeVar("Cards", int, np.ndarray, jax.Array)


def combo_index(a: Cards, b: Cards) -> Cards:
    """Number of the combo of two different cards in either order: ``COMBOS[combo_index(a, b)]`` is them, sorted.

    With low < high it is low * (103 - low) / 2 + high - low - 1. Ids may be integers, NumPy or JAX arrays.
    """
    low = a * (a < b) + b * (a >= b)
    high = a + b - low
    return low * (103 - low) // 2 + high - low - 1


class PreflopTable(NamedTuple):
    """Exact counts of each class of hands against one random hand, over 1,225 * 1,712,304 deals."""

    win: np.ndarray  # [169] int64
    tie: np.ndarray  # [169] int64
    lose: np.ndarray  # [169] int64

    @property
    def equity(self) -> np.ndarray:
        """[169] float64: (win + tie / 2) / all."""
        return (self.win + self.tie / 2) / (self.win + self.tie + self.lose)


@functools.cache
def preflop_table() -> PreflopTable:
    """The shipped table, which scripts/make_preflop_table.py computes."""
    return PreflopTable(*shipped_arrays(PREFLOP_TABLE, "win", "tie", "lose"))


# --- text to weights --------------------------------------------------------------------------


def top(percent: float) -> np.ndarray:
    """Weights [1326] of the strongest ``percent`` % of all combos by exact equity against one random hand.

    Whole classes are taken in order of equity; the class at the edge gets the fractional weight that makes the
    weights sum to exactly that share of 1,326 (it is rounded to six digits).

    >>> from jaxpoker import ranges
    >>> ranges.text(ranges.top(3))
    '99+, 88:0.63'
    """
    if not 0 < percent <= 100:
        raise ValueError(f"cannot take the top {percent:g}% of hands: the percentage is above 0 and at most 100")
    order = np.argsort(-preflop_table().equity, kind="stable")
    size = COMBOS_PER_CLASS[order]
    before = np.cumsum(size) - size
    weight_of_class = np.empty(NUM_CLASSES, np.float32)
    weight_of_class[order] = np.round(np.clip((percent / 100 * NUM_COMBOS - before) / size, 0, 1), 6)
    return weight_of_class[CLASS_OF_COMBO]


def parse(text: str) -> np.ndarray:
    """Weights [1326] float32 of a range written as text; the module's docstring has the grammar.

    >>> from jaxpoker import ranges
    >>> float(ranges.parse("QQ+, AKs, A5s:0.5").sum())  # combos: three pairs, four suits, half of four
    24.0
    """
    if not isinstance(text, str):
        raise TypeError(f"a range is written as text such as '22+, AKs', not {type(text).__name__} {text!r}")
    if not text.strip():
        raise ValueError("the range is empty: write hands such as '22+, AKs', or 'random' for all")
    weights = np.zeros(NUM_COMBOS, np.float32)
    for entry in _BRACKETS.sub(_without_brackets, text).split(","):
        hands, weight = _split_weight(entry, text)
        chosen = _weights_of_entry(hands, text)
        weights = np.where(chosen > 0, chosen * weight, weights)
    return weights


_BRACKETS = re.compile(r"\[([\d.]+)\]([^\[\]]*)\[/[\d.]+\]")


def _without_brackets(found: re.Match[str]) -> str:
    """ "[25]AKs, QQ[/25]" as "AKs:0.25,QQ:0.25"; what is no percentage makes a weight that is refused."""
    try:
        weight = float(found[1]) / 100
    except ValueError:
        weight = -1.0
    return ",".join(f"{entry}:{weight:.10g}" for entry in found[2].split(","))


def _split_weight(entry: str, text: str) -> tuple[str, np.float32]:
    """An entry without blanks and its weight: "A2s - A5s : 0.5" is "A2s-A5s" and 0.5."""
    compact = "".join(entry.split())
    hands, colon, number = compact.partition(":")
    if not hands:
        raise ValueError(f"there is an empty entry in range {text!r}: write hands such as 'AKs' between the commas")
    if not colon:
        return hands, np.float32(1)
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 1:
        raise ValueError(f"bad weight {number!r} in {compact!r}: a weight is a number from 0 to 1, as in 'AKs:0.5'")
    return hands, np.float32(weight)


def _weights_of_entry(hands: str, text: str) -> np.ndarray:
    """Weights [1326] of one entry without blanks and weight."""
    if hands.lower() in ("random", "any"):
        return np.ones(NUM_COMBOS, np.float32)
    if hands.endswith("%"):
        number = hands[:-1].lower().removeprefix("top")
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", number):
            raise ValueError(f"cannot read {hands!r} in range {text!r}: write a share of all hands as 'top 20%'")
        return top(float(number))
    hands = hands.replace("10", "T")
    if re.fullmatch(r"(.[cdhsCDHS♣♦♥♠]){2}", hands):
        a, b = cards.parse(hands).tolist()  # says what is wrong with a rank or with the same card twice
        return (np.arange(NUM_COMBOS) == combo_index(a, b)).astype(np.float32)
    chosen = np.isin(CLASS_OF_COMBO, _classes_of_entry(hands, text))
    return chosen.astype(np.float32)


class _Kind(NamedTuple):
    """Hands of two ranks: "AKs" is high 12, low 11, suits "s"; "AK" has suits "so", a pair "p"."""

    high: int
    low: int
    suits: str

    @property
    def classes(self) -> list[int]:
        row, column = 12 - self.high, 12 - self.low
        return [row * 13 + column if s == "s" else column * 13 + row for s in self.suits]


def _kind(hand: str, text: str) -> _Kind:
    """Reads "QQ", "AKs", "AKo" or "AK"."""
    if not 2 <= len(hand) <= 3:
        raise ValueError(
            f"cannot read {hand!r} in range {text!r}: hands look like 'QQ', 'AKs', 'ATo+', 'AhKh', 'top 20%'"
        )
    for rank in hand[:2].upper():
        if rank not in cards.RANKS:
            raise ValueError(f"unknown rank {rank!r} in {hand!r} of range {text!r}: ranks are {cards.RANKS}")
    low, high = sorted(cards.RANKS.index(rank) for rank in hand[:2].upper())
    suits = hand[2:].lower()
    if suits not in ("", "s", "o"):
        raise ValueError(f"cannot read {hand!r} in range {text!r}: 's' is suited, 'o' offsuit, as in 'AKs' and 'AKo'")
    if high == low and suits:
        raise ValueError(f"there is no {hand!r}: a pair is neither suited nor offsuit, write {hand[:2]!r}")
    return _Kind(high, low, "p" if high == low else suits or "so")


def _classes_of_entry(hands: str, text: str) -> list[int]:
    """Numbers of the classes of "QQ", "22+", "TT-77", "AKs", "AT+", "A2s-A5s" or "T9s-65s"."""
    if hands.endswith("+"):
        first = _kind(hands[:-1], text)
        if first.suits == "p":
            run = [_Kind(rank, rank, "p") for rank in range(first.low, 13)]
        else:
            run = [_Kind(first.high, rank, first.suits) for rank in range(first.low, first.high)]
    elif "-" in hands:
        first, last = (_kind(hand, text) for hand in hands.split("-", 1))
        if first > last:
            first, last = last, first
        if first.suits != last.suits:
            raise ValueError(
                f"cannot run from one hand to the other in {hands!r}: both must be pairs, suited or offsuit"
            )
        if first.high == last.high:
            run = [_Kind(first.high, rank, first.suits) for rank in range(first.low, last.low + 1)]
        elif first.high - first.low == last.high - last.low:
            run = [_Kind(first.high + i, first.low + i, first.suits) for i in range(last.high - first.high + 1)]
        else:
            raise ValueError(
                f"cannot run from one hand to the other in {hands!r}: "
                "keep the high card, as in 'A2s-A5s', or the gap, as in 'T9s-65s'"
            )
    else:
        run = [_kind(hands, text)]
    return [number for kind in run for number in kind.classes]


# --- weights to text --------------------------------------------------------------------------


def text(weights: np.ndarray) -> str:
    """A short text of the range that ``parse`` reads back as the same weights.

    Classes whose combos weigh the same are merged into runs, heaviest weight first; the others are written combo
    by combo.

    >>> from jaxpoker import ranges
    >>> ranges.text(ranges.parse("AA, KK, QQ, AKs, AQs"))
    'QQ+, AQs+'
    """
    weights = as_weights(weights)
    if np.all(weights == weights[0]):
        return "random" + _weight_suffix(weights[0])
    of_class = np.zeros(NUM_CLASSES, np.float32)
    of_class[CLASS_OF_COMBO] = weights
    whole = np.bincount(CLASS_OF_COMBO, weights != of_class[CLASS_OF_COMBO], NUM_CLASSES) == 0
    grid = np.where(whole, of_class, 0).reshape(13, 13)[::-1, ::-1]  # by rank: row and column 0 are twos
    entries = []
    for weight in sorted(set(weights[weights > 0].tolist()), reverse=True):
        loose = np.flatnonzero((weights == weight) & ~whole[CLASS_OF_COMBO])
        hands = _runs_of_classes(grid == weight) + [combo_name(i) for i in loose[::-1]]
        entries += [hand + _weight_suffix(weight) for hand in hands]
    return ", ".join(entries)


def as_weights(hands: str | np.ndarray) -> np.ndarray:
    """Weights float32 [1326] of a range given as text or as 1,326 numbers from 0 to 1."""
    if isinstance(hands, str):
        return parse(hands)
    array = np.asarray(hands)
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise TypeError(f"a range is text such as '22+, AKs' or an array of numbers, not {type(hands).__name__}")
    if array.shape != (NUM_COMBOS,):
        raise ValueError(f"a range has 1326 weights, one per combo; got shape {array.shape}")
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError(f"weights of a range are from 0 to 1; got from {array.min()} to {array.max()}")
    return array.astype(np.float32)


def combo_name(index: int) -> str:
    """ "AhKd": the higher rank first."""
    return cards.text(sorted(COMBOS[index].tolist(), key=lambda card: (-(card % 13), -card)))


def _weight_suffix(weight: float) -> str:
    return "" if weight == 1 else ":" + np.format_float_positional(np.float32(weight), trim="-")


def _runs(held: np.ndarray) -> list[tuple[int, int]]:
    """(lowest, highest) of each run of ranks in a row among ``held`` bools, highest first."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(np.int8), [0]])))
    return [(int(low), int(past) - 1) for low, past in edges.reshape(-1, 2)][::-1]


def _runs_of_classes(held: np.ndarray) -> list[str]:
    """Texts of the classes held, bools [13, 13] by rank: [high, low] suited and [low, high] offsuit."""

    def name(high: int, low: int, suffix: str) -> str:
        return cards.RANKS[high] + cards.RANKS[low] + suffix

    hands = []
    for low, high in _runs(np.diagonal(held)):
        run = name(low, low, "+") if high == 12 else f"{name(high, high, '')}-{name(low, low, '')}"
        hands.append(name(low, low, "") if low == high else run)
    for high in range(12, 0, -1):
        suited, offsuit = _runs(held[high, :high]), _runs(held[:high, high])
        both = [run for run in suited if run in offsuit]
        for suits, runs in (("", both), ("s", suited), ("o", offsuit)):
            for low, kicker in runs:
                if suits and (low, kicker) in both:
                    continue
                if low == kicker:
                    hands.append(name(high, low, suits))
                elif kicker == high - 1:
                    hands.append(name(high, low, suits + "+"))
                else:
                    hands.append(f"{name(high, low, suits)}-{name(high, kicker, suits)}")
    return hands
