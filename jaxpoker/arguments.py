"""Arguments as users write them, checked where they enter: first the type, then the range, in one sentence.

A check returns the value as the type that it is meant to be. It refuses what Python or JAX would turn into another
number without a word: 2.5 into 2, True into 1, "6" into an error somewhere deep inside.

``right`` is the end of the sentence that says what would be right: "hold'em is for 2 to 10 players".
"""

from __future__ import annotations

import math
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

INT32 = np.iinfo(np.int32)


def whole(name: str, value: Any, least: int, most: int, right: str) -> int:
    """``value`` as an int from ``least`` to ``most``.

    >>> from jaxpoker import arguments
    >>> arguments.whole("num_players", 2.5, 2, 10, "hold'em is for 2 to 10 players")
    Traceback (most recent call last):
    ValueError: num_players = 2.5: hold'em is for 2 to 10 players, a whole number
    """
    number = as_whole(value)
    if number is None:
        raise ValueError(f"{name} = {value!r}: {right}, a whole number")
    if not least <= number <= most:
        raise ValueError(f"{name} = {value!r}: {right}")
    return number


def as_whole(value: Any) -> int | None:
    """``value`` as an int if that is its type, of Python, NumPy or JAX; None for all else, True included."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def number(name: str, value: Any, least: float, most: float, right: str) -> float:
    """``value`` as a finite float from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not least <= value <= most:
        raise ValueError(f"{name} = {value!r}: {right}")
    if not math.isfinite(value):
        raise ValueError(f"{name} = {value!r}: {right}, a finite number")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """``value`` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} = {value!r}: it is True or False")
    return bool(value)


def whole_array(name: str, value: Any, right: str) -> Array:
    """``value`` as int32. An array that is being traced has its type checked, one that is known its values, too."""
    if isinstance(value, jax.core.Tracer):
        if not jnp.issubdtype(value.dtype, jnp.integer):
            raise ValueError(f"{name} is {value.dtype}: {right}, in whole numbers")
        return value.astype(jnp.int32)
    if isinstance(value, list | tuple) and any(isinstance(part, jax.core.Tracer) for part in value):
        return jnp.stack([whole_array(name, part, right) for part in value])
    try:
        known = np.asarray(value)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} = {value!r}: {right}, in whole numbers") from error
    if not np.issubdtype(known.dtype, np.integer):
        raise ValueError(f"{name} = {value!r}: {right}, in whole numbers")
    if known.size and not (INT32.min <= known.min() and known.max() <= INT32.max):
        raise ValueError(f"{name} = {value!r}: {right}; here it has more than 32 bits")
    return jnp.asarray(value, jnp.int32)


def known(value: Array) -> np.ndarray | None:
    """The values of an array; None while it is being traced."""
    return None if isinstance(value, jax.core.Tracer) else np.asarray(value)
