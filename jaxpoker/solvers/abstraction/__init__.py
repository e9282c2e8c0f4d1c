"""Card abstractions."""

from __future__ import annotations

from jaxpoker.solvers.abstraction.contract import *  # noqa
