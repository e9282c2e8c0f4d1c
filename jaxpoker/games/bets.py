"""Bet menus: the few raise sizes that a discrete game offers on top of the no-limit engine.

The engine's primitive is "raise to any amount"; a menu turns what a player faces (the price, the pot, the stacks) into
chips per action id and says which ids are legal.

    id 0        fold, legal when there is a bet to call
    id 1        check or call
    id 2 ...    the sizes of the street, in the menu's order

Menus are written as text: ``"33%, 75%, a"`` or ``"preflop: 2.5x, 4x, a; postflop: 33%, 75%, a; raises: 3"``.

    min     the smallest legal raise
    33%     call, then raise by 33% of the pot, rounded down ("1/3" and "1/3 pot" work too)
    2.5x    raise to 2.5 times the bet faced, rounded down
    3bb     raise to 3 big blinds
    a       all-in
    4x@2    a size for the second bet or raise of a street alone; "@2+" from the second on, "@1-2" up to it

Streets may have lists of their own, ``"preflop: 2.5x@1, 3.5x@2, a; flop: 33%, a; turn: 75%, a; river: 75%, a"``;
"postflop" is for those of the three that have none. A size below the minimum raise is not legal, and one that takes the
whole stack is the all-in's.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import arguments

Array = jax.Array

FOLD, CALL, FIRST_SIZE = 0, 1, 2
FOLD_CHIPS = -1  # what "to" is for a fold
ILLEGAL_CHIPS = 1 << 30  # a "to" above every stack: what an action id that is not legal comes to
NO_CAP = 1 << 20
MOST_LETTERS = 40  # of a size
MAX_SIZES = 64  # of a street
UNITS = ("min", "pot", "price", "big blind", "all-in")
STREETS = ("preflop", "flop", "turn", "river")

_MAX_POT = 1 << 26  # above ten of the largest stacks and a call
_FINEST_SIZE = 1 << 30  # of numerator times denominator


class Facing(NamedTuple):
    """What the player to act faces and may do, in chips. Each field is a scalar of one table."""

    street: Array  # 0 preflop ... 3 river
    pot: Array  # all chips put in, bets of this street included
    price: Array  # the largest bet of this street
    own_bet: Array  # the player's bet of this street
    to_call: Array  # chips that calling costs, at most the stack
    stack: Array  # chips behind
    min_raise_to: Array  # the smallest legal raise, all-in when short
    max_raise_to: Array  # all-in
    may_raise: Array  # bool
    may_fold: Array  # bool: there is a bet to call
    raises: Array  # bets and raises on this street so far; blinds don't count
    big_blind: Array


@dataclasses.dataclass(frozen=True)
class Size:
    """One raise size: ``unit`` is "min", "pot", "price", "big blind" or "all-in"."""

    unit: str
    factor: Fraction = Fraction(1)
    first: int = 1  # of a street's bets and raises that it is for
    last: int = NO_CAP

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"unit = {self.unit!r}: a size is of {', '.join(UNITS)}")
        known = type(self.factor) in (int, Fraction)
        if not known or not 0 < self.factor <= 100:
            raise ValueError(f"factor = {self.factor!r}: a Fraction above 0 and up to 100")
        if self.factor.numerator * self.factor.denominator >= _FINEST_SIZE:
            raise ValueError(f"factor = {self.factor!r} has too many digits: chips are whole numbers")
        arguments.whole("first", self.first, 1, NO_CAP, "raises of a street are counted from 1 on")
        arguments.whole("last", self.last, self.first, NO_CAP, "it is not before the first")

    @property
    def name(self) -> str:
        """What players call it, whichever raise it is for."""
        if self.unit == "min":
            return "min raise"
        if self.unit == "all-in":
            return "all-in"
        if self.unit == "pot":
            if self.factor == 1:
                return "pot"
            simple = self.factor.denominator <= 4
            return f"{self.factor} pot" if simple else f"{float(self.factor * 100):g}% pot"
        return f"{float(self.factor):g}{'x' if self.unit == 'price' else 'bb'}"

    @property
    def text(self) -> str:
        """The size as ``parse_size`` reads it, exactly."""
        if self.unit in ("min", "all-in"):
            amount = {"min": "min", "all-in": "a"}[self.unit]
        elif self.unit == "pot":
            percents = self.factor * 100
            amount = f"{percents}%" if percents.denominator == 1 else str(self.factor)
        else:
            amount = f"{float(self.factor)!r}{'x' if self.unit == 'price' else 'bb'}"
        if (self.first, self.last) == (1, NO_CAP):
            return amount
        upto = "+" if self.last == NO_CAP else "" if self.last == self.first else f"-{self.last}"
        return f"{amount}@{self.first}{upto}"

    def raise_to(self, facing: Facing) -> Array:
        """Chips that this size raises to, rounded down; far above any stack it may be too small, never too large."""

        def of(chips: Array) -> Array:
            times, parts = self.factor.numerator, jnp.int32(self.factor.denominator)
            if times * _MAX_POT < 1 << 31:
                return jax.lax.div(chips * times, parts)
            whole = jax.lax.div(chips, parts)  # so that nothing passes 32 bits
            rest = chips - whole * parts
            return jnp.minimum(whole, _MAX_POT // times) * times + jax.lax.div(rest * times, parts)

        if self.unit == "min":
            return facing.min_raise_to
        if self.unit == "all-in":
            return facing.max_raise_to
        if self.unit == "pot":
            return facing.price + of(facing.pot + facing.price - facing.own_bet)
        return of(facing.price if self.unit == "price" else facing.big_blind)


@dataclasses.dataclass(frozen=True)
class BetMenu:
    """Raise sizes of each street, and how many bets or raises a street may have."""

    streets: tuple[tuple[Size, ...], ...]  # preflop, flop, turn, river
    max_raises: int = NO_CAP
    may_call: bool = True  # False is push/fold: the all-in calls, too

    def __post_init__(self) -> None:
        of_sizes = isinstance(self.streets, tuple) and len(self.streets) == len(STREETS)
        if not of_sizes or not all(isinstance(size, Size) for sizes in self.streets for size in sizes):
            raise ValueError(f"streets = {self.streets!r}: a tuple of sizes for each of {', '.join(STREETS)}")
        if max(map(len, self.streets)) > MAX_SIZES:
            raise ValueError(f"a menu of {max(map(len, self.streets))} sizes a street: {MAX_SIZES} at most")
        arguments.whole("max_raises", self.max_raises, 0, NO_CAP, f"0 to {NO_CAP:,} bets and raises a street")
        arguments.flag("may_call", self.may_call)

    @property
    def num_actions(self) -> int:
        return FIRST_SIZE + max(map(len, self.streets))

    @property
    def text(self) -> str:
        """The menu as ``parse`` reads it."""
        named = [name for name, menu in MENUS.items() if menu == self]
        if named:
            return named[0]
        if not self.may_call:
            raise ValueError("a menu without check and call has no text, but for push/fold")
        alike = len(set(self.streets[1:])) == 1
        names = ("preflop", "postflop") if alike else STREETS
        lists = [
            f"{name}: {', '.join(size.text for size in sizes)}"
            for name, sizes in zip(names, self.streets, strict=False)
        ]
        return "; ".join(lists + ([] if self.max_raises == NO_CAP else [f"raises: {self.max_raises}"]))

    def action_name(self, action: int, street: int = 1) -> str:
        """What an id is called on a street: "fold", "check/call", "1/2 pot", "all-in"."""
        sizes = self.streets[street]
        if not 0 <= action < FIRST_SIZE + len(sizes):
            raise ValueError(f"action {action} is not on this street's menu of {FIRST_SIZE + len(sizes)} actions")
        return ("fold", "check/call")[action] if action < FIRST_SIZE else sizes[action - FIRST_SIZE].name

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, facing: Facing) -> tuple[list[Array], list[Array]]:
        """Chips "to" of each action id, and whether it is legal."""
        call_to = facing.own_bet + facing.to_call
        may_raise = facing.may_raise & (facing.raises < self.max_raises)
        to = [jnp.full_like(facing.price, FOLD_CHIPS), call_to]
        legal = [facing.may_fold, jnp.full_like(facing.may_fold, self.may_call)]
        for i in range(self.num_actions - FIRST_SIZE):
            sizes = [street[i] if i < len(street) else None for street in self.streets]
            chips, may = self._entry(sizes[-1], facing, may_raise, call_to)
            for street in reversed(range(len(sizes) - 1)):
                if sizes[street] != sizes[street + 1]:
                    here, may_here = self._entry(sizes[street], facing, may_raise, call_to)
                    before = facing.street <= street
                    chips, may = jnp.where(before, here, chips), jnp.where(before, may_here, may)
            to.append(chips)
            legal.append(may)
        return to, legal

    def _entry(self, size: Size | None, facing: Facing, may_raise: Array, call_to: Array) -> tuple[Array, Array]:
        if size is None:
            return call_to, jnp.zeros_like(may_raise)
        to = size.raise_to(facing)
        if size.first > 1:
            may_raise = may_raise & (facing.raises + 1 >= size.first)
        if size.last < NO_CAP:
            may_raise = may_raise & (facing.raises + 1 <= size.last)
        if size.unit == "all-in":
            if self.may_call:
                return to, may_raise
            return jnp.where(may_raise, to, call_to), jnp.ones_like(may_raise)
        return to, may_raise & (to >= facing.min_raise_to) & (to < facing.max_raise_to)


def menu(
    preflop: tuple[Size, ...], postflop: tuple[Size, ...], max_raises: int = NO_CAP, may_call: bool = True
) -> BetMenu:
    """A menu with the same sizes on flop, turn and river."""
    return BetMenu((preflop, postflop, postflop, postflop), max_raises, may_call)


def parse_size(text: str) -> Size:
    """One size of a menu's text; see the module's docstring."""
    word, at, raises = text.strip().lower().partition("@")
    if at:
        return _for_raises(_parse_amount(word, text), raises, text)
    return _parse_amount(word, text)


def _for_raises(size: Size, raises: str, text: str) -> Size:
    """``size``, for the ``raises`` of a street that are named as "2", "2+" or "1-2"."""
    match = re.fullmatch(r"([1-9]\d?)(\+|-([1-9]\d?))?", raises.strip())
    if not match or (match[3] and int(match[3]) < int(match[1])):
        raise ValueError(f"bet size {text.strip()!r}: after @ goes a raise of the street, as in 4x@2, 4x@2+ or 4x@1-2")
    first = int(match[1])
    return dataclasses.replace(size, first=first, last=NO_CAP if match[2] == "+" else int(match[3] or first))


def _parse_amount(word: str, text: str) -> Size:
    word = word.strip()
    if word in ("a", "all-in", "allin", "all in", "jam"):
        return Size("all-in")
    if word in ("min", "min raise", "min-raise"):
        return Size("min")
    if word == "pot":
        return Size("pot")
    for pattern, unit, scale in (
        (r"(\d+(?:\.\d+)?)%(?: pot)?", "pot", Fraction(1, 100)),
        (r"(\d+/0*[1-9]\d*)(?: pot)?", "pot", Fraction(1)),
        (r"(\d+(?:\.\d+)?)x", "price", Fraction(1)),
        (r"(\d+(?:\.\d+)?)bb", "big blind", Fraction(1)),
    ):
        match = re.fullmatch(pattern, word, re.ASCII)
        if match:
            if len(word) > MOST_LETTERS:
                raise ValueError(f"bet size {text.strip()[:20] + '...'!r} has too many digits: chips are whole numbers")
            factor = Fraction(match[1]) * scale
            if not 0 < factor <= 100:
                raise ValueError(f"bet size {text.strip()!r} is out of range: sizes are above 0 and up to 100 times")
            if factor.numerator * factor.denominator >= _FINEST_SIZE:
                raise ValueError(f"bet size {text.strip()!r} has too many digits: chips are whole numbers")
            return Size(unit, factor)
    raise ValueError(f"unknown bet size {text.strip()!r}: sizes look like min, 33%, 1/3, 2.5x, 3bb or a")


def _parse_sizes(text: str) -> tuple[Size, ...]:
    sizes: list[Size] = []
    for word in filter(None, (word.strip() for word in text.split(","))):
        size = parse_size(word)
        if size in sizes:
            raise ValueError(f"bet size {word!r} stands twice in {text.strip()!r}")
        sizes.append(size)
    return tuple(sizes)


def parse(text: str) -> BetMenu:
    """A menu from text: a name of ``MENUS``, one list for all streets, or lists by street and a cap."""
    if text.strip().lower() in MENUS:
        return MENUS[text.strip().lower()]
    sizes: dict[str, tuple[Size, ...]] = {}
    max_raises = None
    for part in filter(None, (part.strip() for part in text.split(";"))):
        head, colon, tail = part.partition(":")
        head = head.strip().lower() if colon else "every street"
        if head == "raises":
            number = tail.strip()
            if not re.fullmatch(r"0*[1-9][0-9]{0,5}", number, re.ASCII):
                raise ValueError(f"raises: {number!r} is not a number of raises a street, 1 or more, at most 999,999")
            if max_raises is not None:
                raise ValueError(f"bet menu {text!r} says 'raises' twice")
            max_raises = int(number)
        elif head in (*STREETS, "postflop", "every street"):
            if head in sizes or (sizes and "every street" in (head, *sizes)):
                raise ValueError(f"bet menu {text!r} has two lists of sizes for one street")
            sizes[head] = _parse_sizes(tail if colon else part)
        else:
            parts = f"{', '.join(STREETS)}, postflop and raises"
            raise ValueError(f"unknown part {head!r} of bet menu {text!r}: parts are {parts}")
    every = sizes.get("every street", ())
    after = sizes.get("postflop", every)
    streets = tuple(sizes.get(street, after if street in STREETS[1:] else every) for street in STREETS)
    if "postflop" in sizes and all(street in sizes for street in STREETS[1:]):
        raise ValueError(f"bet menu {text!r}: 'postflop' is for streets without a list of their own, here all have one")
    if not all(streets):
        missing = [street for street, found in zip(STREETS, streets, strict=True) if not found]
        where = {4: "", 3: " after the flop"}.get(len(missing), f" for {', '.join(missing)}")
        where = " before the flop" if missing == ["preflop"] else where
        example = f"write a list such as '33%, 75%, a', or one of {[*MENUS]}"
        raise ValueError(f"bet menu {text!r} has no sizes{where}: {example}")
    return BetMenu(streets, NO_CAP if max_raises is None else max_raises)


NINE_SIZES = tuple(map(parse_size, ("min", "1/4", "1/3", "1/2", "3/4", "pot", "a")))
SOLVER_PREFLOP = tuple(map(parse_size, ("2.5x", "4x", "a")))
SOLVER_POSTFLOP = tuple(map(parse_size, ("33%", "75%", "a")))
MENUS = {
    "nine": menu(NINE_SIZES, NINE_SIZES),
    "solver": menu(SOLVER_PREFLOP, SOLVER_POSTFLOP, max_raises=3),
    "push/fold": menu((Size("all-in"),), (Size("all-in"),), may_call=False),
}
