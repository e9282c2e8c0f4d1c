"""The stakes of a hold'em hand, checked: stacks, button, blinds and ante are whole numbers that a table can have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import jax

from jaxpoker import arguments
from jaxpoker.games.holdem.table import MAX_CHIPS
from jaxpoker.games.seats import any_of, total

Array = jax.Array

_FINEST = 1_000  # parts of a chip that a suggestion makes whole


class Stakes(NamedTuple):
    """What ``start`` is given."""

    stacks: Any  # [players] or [], 0 an empty seat
    button: Any  # []
    small_blind: Any  # []
    big_blind: Any  # []
    ante: Any  # []


def whole_chips(named: Mapping[str, Any]) -> dict[str, int]:
    """Chips by name, as ints; of amounts with fractions the error says the same stakes in whole chips."""
    found = {name: arguments.as_whole(chips) for name, chips in named.items()}
    wrong = [name for name, chips in found.items() if chips is None]
    if wrong:
        raise ValueError(f"{wrong[0]} = {named[wrong[0]]!r}: chips are whole numbers{_in_whole_chips(named)}")
    return {name: chips for name, chips in found.items() if chips is not None}


def _in_whole_chips(named: Mapping[str, Any]) -> str:
    """How to say the same stakes, ": use stack=200, small_blind=1, big_blind=2"; nothing where there is no way."""
    try:
        parts = {name: Fraction(chips).limit_denominator(_FINEST) for name, chips in named.items()}
        exact = all(math.isclose(parts[name], chips, rel_tol=1e-6) for name, chips in named.items())
    except (TypeError, ValueError, OverflowError):
        return ""
    times = math.lcm(*(part.denominator for part in parts.values()))
    amounts = {name: int(part * times) for name, part in parts.items()}
    if not exact or not all(0 <= chips <= MAX_CHIPS for chips in amounts.values()):
        return ""
    return ": use " + ", ".join(f"{name}={chips}" for name, chips in amounts.items() if chips or name != "ante")


def require(stack: int, small_blind: int, big_blind: int, ante: int) -> None:
    """Raises ``ValueError`` for a stack, blinds or an ante that no game can have."""
    if not 1 <= stack <= MAX_CHIPS:
        raise ValueError(f"stack = {stack}: a starting stack is 1 to {MAX_CHIPS:,} chips")
    _require_blinds(small_blind, big_blind, ante)


def _require_blinds(small_blind: int, big_blind: int, ante: int) -> None:
    if not 0 <= small_blind <= big_blind <= MAX_CHIPS or big_blind < 1:
        raise ValueError(
            f"blinds {small_blind}/{big_blind}: the small blind is 0 or more and at most the big blind, "
            f"the big blind 1 to {MAX_CHIPS:,}"
        )
    if not 0 <= ante <= MAX_CHIPS:
        raise ValueError(f"ante = {ante}: an ante is 0 to {MAX_CHIPS:,} chips")


def checked(given: Stakes, num_players: int) -> Stakes:
    """``given`` as int32. What is known is checked; what is being traced is left to ``wrong``."""
    stacks, *amounts = (
        arguments.whole_array(name, value, "the button is a seat" if name == "button" else "chips are counted")
        for name, value in given._asdict().items()
    )
    if stacks.shape not in ((), (num_players,)):
        raise ValueError(f"stacks of shape {stacks.shape}: there are {num_players} seats")
    button, *blinds = amounts
    known = arguments.known(stacks)
    if known is not None:
        for chips in known.reshape(-1).tolist():
            if not 0 <= chips <= MAX_CHIPS:
                raise ValueError(f"stacks = {known.tolist()}: a stack is 0 to {MAX_CHIPS:,} chips")
        if known.ndim and (known > 0).sum() < 2:
            raise ValueError(f"stacks = {known.tolist()}: a hand needs two seats with chips")
    place = arguments.known(button)
    if place is not None and not ((place >= 0) & (place < num_players)).all():
        raise ValueError(f"button = {place.tolist()}: the seats are 0 to {num_players - 1}")
    money = [arguments.known(chips) for chips in blinds]
    if all(chips is not None and chips.ndim == 0 for chips in money):
        _require_blinds(*(int(chips) for chips in money if chips is not None))
    return Stakes(stacks, *amounts)


def wrong(stacks: list[Array], button: Array, small: Array, big: Array, ante: Array) -> Array:
    """``[]`` bool: no table can have these; one scalar per seat in ``stacks``."""
    blinds = (small < 0) | (small > big) | (big < 1) | (big > MAX_CHIPS) | (ante < 0) | (ante > MAX_CHIPS)
    chips = any_of([(stack < 0) | (stack > MAX_CHIPS) for stack in stacks])
    lonely = total([stack > 0 for stack in stacks]) < 2
    return blinds | chips | lonely | (button < 0) | (button >= len(stacks))
