#!/usr/bin/env python3
"""Makes jaxpoker/data/rank_histories.npz: which rank-based buckets a hand may have on the four streets, and how often.

All hands of 4,096 boards are looked at, drawn from a fixed seed. Takes some ten seconds.
"""

from __future__ import annotations

import sys

import jax
import numpy as np
import tyro

from jaxpoker.solvers.abstraction import rank_history
from jaxpoker.solvers.abstraction.rank_based import RankBased
from jaxpoker.solvers.sampling import boards


def main(check: bool = False) -> int:
    """Writes the table, or with --check says whether the one that is there is right."""
    types, hands = boards.census(RankBased())
    if check:
        with np.load(rank_history.TABLE) as table:
            same = np.array_equal(table["types"], types) and np.array_equal(table["hands"], hands)
        print(f"{rank_history.TABLE.name} is {'right' if same else 'wrong: run this without --check'}")
        return 0 if same else 1
    np.savez_compressed(rank_history.TABLE, types=types.astype(np.uint8), hands=hands.astype(np.int32))
    sizes = "/".join(map(str, rank_history.of_types(types, hands).size))
    print(f"{rank_history.TABLE.name}: {len(types)} histories, {sizes} by street, of {hands.sum():,} hands")
    return 0


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    sys.exit(tyro.cli(main))
