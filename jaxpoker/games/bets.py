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

A size below the minimum raise is not legal, and one that takes the whole stack is the all-in's.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp

Array = jax.Array

FOLD, CALL, FIRST_SIZE = 0, 1, 2
FOLD_CHIPS = -1  # what "to" is for a fold
ILLEGAL_CHIPS = 1 << 30  # a "to" above every stack: what an action id that is not legal comes to
NO_CAP = 1 << 20

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

    @property
    def name(self) -> str:
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
            return {"min": "min", "all-in": "a"}[self.unit]
        if self.unit == "pot":
            percents = self.factor * 100
            return f"{percents}%" if percents.denominator == 1 else str(self.factor)
        return f"{float(self.factor)!r}{'x' if self.unit == 'price' else 'bb'}"

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
    """Raise sizes before and after the flop, and how many bets or raises a street may have."""

    preflop: tuple[Size, ...]
    postflop: tuple[Size, ...]
    max_raises: int = NO_CAP
    may_call: bool = True  # False is push/fold: the all-in calls, too

    @property
    def num_actions(self) -> int:
        return FIRST_SIZE + max(len(self.preflop), len(self.postflop))

    @property
    def text(self) -> str:
        """The menu as ``parse`` reads it."""
        named = [name for name, menu in MENUS.items() if menu == self]
        if named:
            return named[0]
        if not self.may_call:
            raise ValueError("a menu without check and call has no text, but for push/fold")
        streets = (("preflop", self.preflop), ("postflop", self.postflop))
        lists = [f"{street}: {', '.join(size.text for size in sizes)}" for street, sizes in streets]
        return "; ".join(lists + ([] if self.max_raises == NO_CAP else [f"raises: {self.max_raises}"]))

    def action_name(self, action: int, street: int = 1) -> str:
        """What an id is called on a street: "fold", "check/call", "1/2 pot", "all-in"."""
        sizes = self.postflop if street else self.preflop
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
            before, before_legal = self._entry(self.preflop, i, facing, may_raise, call_to)
            after, after_legal = (before, before_legal)
            if self.preflop != self.postflop:
                after, after_legal = self._entry(self.postflop, i, facing, may_raise, call_to)
            to.append(jnp.where(facing.street == 0, before, after))
            legal.append(jnp.where(facing.street == 0, before_legal, after_legal))
        return to, legal

    def _entry(
        self, sizes: tuple[Size, ...], i: int, facing: Facing, may_raise: Array, call_to: Array
    ) -> tuple[Array, Array]:
        if i >= len(sizes):
            return call_to, jnp.zeros_like(may_raise)
        to = sizes[i].raise_to(facing)
        if sizes[i].unit == "all-in":
            if self.may_call:
                return to, may_raise
            return jnp.where(may_raise, to, call_to), jnp.ones_like(may_raise)
        return to, may_raise & (to >= facing.min_raise_to) & (to < facing.max_raise_to)


def parse_size(text: str) -> Size:
    """One size of a menu's text; see the module's docstring."""
    word = text.strip().lower()
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
        match = re.fullmatch(pattern, word)
        if match:
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
    """A menu from text: a name of ``MENUS``, one list for all streets, or lists per street and a cap."""
    if text.strip().lower() in MENUS:
        return MENUS[text.strip().lower()]
    sizes: dict[str, tuple[Size, ...]] = {}
    max_raises = None
    for part in filter(None, (part.strip() for part in text.split(";"))):
        head, colon, tail = part.partition(":")
        head = head.strip().lower() if colon else "every street"
        if head == "raises":
            if not tail.strip().isdecimal() or int(tail) < 1:
                raise ValueError(f"raises: {tail.strip()!r} is not a number of raises a street, 1 or more")
            if max_raises is not None:
                raise ValueError(f"bet menu {text!r} says 'raises' twice")
            max_raises = int(tail)
        elif head in ("preflop", "postflop", "every street"):
            if head in sizes or (sizes and "every street" in (head, *sizes)):
                raise ValueError(f"bet menu {text!r} has two lists of sizes for one street")
            sizes[head] = _parse_sizes(tail if colon else part)
        else:
            raise ValueError(f"unknown part {head!r} of bet menu {text!r}: parts are preflop, postflop and raises")
    every = sizes.get("every street")
    preflop, postflop = sizes.get("preflop", every), sizes.get("postflop", every)
    if not preflop or not postflop:
        where = " after the flop" if preflop else " before the flop" if postflop else ""
        example = f"write a list such as '33%, 75%, a', or one of {[*MENUS]}"
        raise ValueError(f"bet menu {text!r} has no sizes{where}: {example}")
    return BetMenu(preflop, postflop, NO_CAP if max_raises is None else max_raises)


NINE_SIZES = tuple(map(parse_size, ("min", "1/4", "1/3", "1/2", "3/4", "pot", "a")))
SOLVER_PREFLOP = tuple(map(parse_size, ("2.5x", "4x", "a")))
SOLVER_POSTFLOP = tuple(map(parse_size, ("33%", "75%", "a")))
MENUS = {
    "nine": BetMenu(NINE_SIZES, NINE_SIZES),
    "solver": BetMenu(SOLVER_PREFLOP, SOLVER_POSTFLOP, max_raises=3),
    "push/fold": BetMenu((Size("all-in"),), (Size("all-in"),), may_call=False),
}
