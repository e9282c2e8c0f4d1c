"""Card abstractions: which hands a solver treats alike.

    from jaxpoker.solvers import abstraction

    known = abstraction.make("equity", (169, 64, 64, 64))
    known.text(1, 12)
    abstraction.check(mine, jax.random.key(0))              # one of your own

The README beside this says which file to open first.
"""

from __future__ import annotations

from jaxpoker.solvers.abstraction.catalogue import make, packed, unpacked
from jaxpoker.solvers.abstraction.contract import OPEN_CARDS, CardAbstraction, check, class_buckets

__all__ = ["OPEN_CARDS", "CardAbstraction", "check", "class_buckets", "make", "packed", "unpacked"]
