"""sval (numba) in its own environment: prepares the work named on the command line, then repeats it on request.

Each line on standard input asks for one repeat; the answer is one line of JSON. sval offers an index function and a
table for use inside numba; the loops around them are the ones a user would write.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sval
from numba import njit

from bench_peers.inputs import CARD_NAMES, FLOP, HANDS, HERO, names_in, order_of, random_hands

CALLS = 10  # evaluations of all hands per repeat


@njit
def rank_all(masks: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    for i in range(masks.size):
        out[i] = table[sval.calculate_index(masks[i])]


@njit
def equity_on_flop(hero: int, flop: int, villains: np.ndarray, runouts: np.ndarray, table: np.ndarray) -> float:
    won = 0.0
    total = 0
    for runout in runouts:
        board = flop | runout
        ours = table[sval.calculate_index(hero | board)]
        for villain in villains:
            if villain & runout == 0:
                theirs = table[sval.calculate_index(villain | board)]
                won += 1.0 if ours > theirs else 0.5 if ours == theirs else 0.0
                total += 1
    return won / total


def bits_of_ids() -> np.ndarray:
    """sval's bit of each of our card ids: it counts suits within ranks."""
    return np.array([1 << (card % 13 * 4 + card // 13) for card in range(52)], np.int64)


def prepare(name: str) -> tuple[float, Callable[[], Any], Callable[[Any], float]]:
    """The amount of one repeat of the named work, the repeat, and what reads the answer from its result."""
    table = np.asarray(sval.rank_lookup)
    bits = bits_of_ids()
    if name == "masks":
        masks = bits[random_hands(HANDS)].sum(axis=1)
        out = np.empty(HANDS, np.int64)

        def evaluate() -> np.ndarray:
            for _ in range(CALLS):
                rank_all(masks, table, out)
            return out

        return CALLS * HANDS, evaluate, order_of
    if name == "exact flop":
        bit = dict(zip(CARD_NAMES, bits.tolist(), strict=True))
        hero, flop = (sum(bit[card] for card in names_in(cards)) for cards in (HERO, FLOP))
        rest = [b for b in bits.tolist() if not b & (hero | flop)]
        pairs = np.array([a | b for a, b in itertools.combinations(rest, 2)], np.int64)
        return 1, lambda: equity_on_flop(hero, flop, pairs, pairs, table), float
    raise SystemExit(f"unknown work {name!r}: 'masks' or 'exact flop'")


def main() -> None:
    amount, run, read = prepare(sys.argv[1])
    run()  # compiles
    print(json.dumps({"amount": amount}), flush=True)
    for _ in sys.stdin:
        wall, processor = time.perf_counter(), time.process_time()
        result = run()
        seconds = [time.perf_counter() - wall, time.process_time() - processor]
        print(json.dumps({"repeat": [*seconds, read(result)]}), flush=True)


if __name__ == "__main__":
    main()
