"""Bet menus of a spot: which sizes each player has on each street, for bets, raises and donk bets.

    menu = menus.parse({"turn": {"oop": {"bet": "66%", "raise": "60%"}, "ip": {...}}, "river": {...}})
    menu = menus.parse("33%, 75%, a")              # the same bets for both players on all streets; raises of 60%, a

A size is text, and sizes are divided by commas:

    66%     bet 66% of the pot; raise by 66% of the pot that a call would make
    2.5x    raise to 2.5 times the bet
    150     bet, or raise to, 150 chips
    e       geometric: the same share of the pot on this and every street to come gets the stacks in; "2e" in two
            streets
    a       all-in

Sizes are rounded to the nearest chip. One below the smallest legal raise is that raise, one above the stack is all-in,
and equal ones are one. A donk bet is a bet of the player out of position on a street that begins after it called;
without sizes of their own, donk bets are bets.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxpoker.games.bets import STREETS

FIRST_STREET, LAST_STREET = 1, 3
SEATS = ("oop", "ip")  # out of position acts first on every street
NO_CAP = 1 << 20

_PATTERNS = (
    (r"(\d+(?:\.\d+)?|\.\d+)%", "pot"),
    (r"(\d+(?:\.\d+)?|\.\d+)x", "bet"),
    (r"(\d*)e", "geometric"),
    (r"(\d+(?:\.\d+)?)", "chips"),
)


class Size(NamedTuple):
    """One size: ``unit`` is "pot", "bet", "chips", "geometric" or "all-in"."""

    unit: str
    amount: float = 0.0

    @property
    def text(self) -> str:
        if self.unit == "all-in":
            return "a"
        if self.unit == "geometric":
            return f"{self.amount:g}e" if self.amount else "e"
        return f"{self.amount:g}" + {"pot": "%", "bet": "x", "chips": ""}[self.unit]


Sizes = tuple[Size, ...]


class Facing(NamedTuple):
    """What a player faces, in chips."""

    pot: float  # all chips in the middle, bets of this street included
    price: float  # the largest bet of this street
    own: float  # the player's bet of this street
    least: float  # the smallest legal raise "to", or bet
    most: float  # "to" of the all-in, at most what the other can call
    streets_left: int  # this one included


@dataclasses.dataclass(frozen=True)
class Choices:
    """The sizes of one player on one street."""

    bet: Sizes = ()
    raise_: Sizes = ()
    donk: Sizes | None = None  # None: as ``bet``

    @property
    def longest(self) -> int:
        return max(len(self.bet), len(self.raise_), len(self.donk or ()))


@dataclasses.dataclass(frozen=True)
class Menu:
    """The choices of both players on all streets, and what is done about sizes that come close to each other."""

    choices: tuple[tuple[Choices, Choices], ...]  # by street of STREETS, by seat
    max_raises: int = NO_CAP  # bets and raises of one street
    add_all_in: float = 0.0  # all-in is offered where it is at most so many times the pot
    force_all_in: float = 0.0  # a bet is all-in where stack / pot after a call would be at most this
    all_in_share: float = 1.0  # a bet of this share of the stack or more is all-in
    merge: float = 0.0  # of sizes X > Y, in shares of the pot, Y is left out where (1 + X) / (1 + Y) < 1 + merge

    def raises(self, street: int, seat: int, facing: Facing, donk: bool = False) -> dict[int, float]:
        """Chips "to" of each bet or raise, by its place on the menu; the all-in that is added comes last."""
        of = self.choices[street][seat]
        sizes = of.raise_ if facing.price > 0 else of.donk if donk and of.donk is not None else of.bet
        base = facing.pot + facing.price - facing.own  # the pot after a call
        found: dict[int, float] = {}
        for place, size in enumerate(sizes):
            to = _to(size, facing, base)
            to = min(max(to, facing.least), facing.most)
            after_call = base + 2 * (to - facing.price)
            forced = facing.most - to <= self.force_all_in * after_call if self.force_all_in else False
            if forced or to - facing.own >= self.all_in_share * (facing.most - facing.own):
                to = facing.most
            found[place] = to
        if self.add_all_in and facing.most - facing.price <= self.add_all_in * base:
            found[of.longest] = facing.most
        return self._merged(found, facing.price, base)

    def _merged(self, found: dict[int, float], price: float, base: float) -> dict[int, float]:
        """Equal sizes as one, the first of them, and those that are too close to a larger one left out."""
        kept: dict[int, float] = {}
        last = math.inf
        for place, to in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            share = (to - price) / base
            if to in kept.values() or (last < math.inf and self.merge and (1 + last) / (1 + share) < 1 + self.merge):
                continue
            kept[place], last = to, share
        return dict(sorted(kept.items(), key=lambda item: item[1]))


def _to(size: Size, facing: Facing, base: float) -> float:
    """Chips "to" before limits, to the nearest chip."""
    if size.unit == "all-in":
        return facing.most
    if size.unit == "chips":
        exact = size.amount
    elif size.unit == "bet":
        exact = size.amount * facing.price
    else:
        share = size.amount / 100
        if size.unit == "geometric":
            streets = int(size.amount) or facing.streets_left
            share = (((base + 2 * (facing.most - facing.price)) / base) ** (1 / streets) - 1) / 2
        exact = facing.price + share * base
    return math.floor(exact + 0.5)


# --- text ---------------------------------------------------------------------------------------


def parse_sizes(text: str, where: str = "menu") -> Sizes:
    """Sizes of text such as "33%, 75%, a"; no text is no sizes."""
    if not isinstance(text, str):
        raise ValueError(f"{where}: sizes are text such as '33%, 75%, a', not {text!r}")
    return tuple(_parse_size(word, where) for word in filter(None, (word.strip() for word in text.split(","))))


def _parse_size(word: str, where: str) -> Size:
    said = word.lower()
    if said in ("a", "all-in", "allin"):
        return Size("all-in")
    for pattern, unit in _PATTERNS:
        match = re.fullmatch(pattern, said)
        if match:
            amount = float(match[1] or 0)
            if amount > 3 if unit == "geometric" else not 0 < amount < 1e9:
                break
            return Size(unit, amount)
    raise ValueError(f"{where}: unknown bet size {word!r}: sizes look like 66%, 2.5x, 150 (chips), e, 2e or a")


def sizes_text(sizes: Sizes) -> str:
    """The text that ``parse_sizes`` reads as ``sizes``."""
    return ",".join(size.text for size in sizes)


def parse(menu: Mapping[str, Any] | str | Menu, donk: Mapping[str, Any] | None = None, **options: Any) -> Menu:
    """A menu of ``menu[street][player]`` with "bet", "raise" and "donk", of bets as one text, or itself.

    ``donk`` may give donk bets by street; ``options`` are the other fields of ``Menu``.
    """
    if isinstance(menu, Menu):
        return dataclasses.replace(menu, **options) if options else menu
    if isinstance(menu, str):
        bets = parse_sizes(menu)
        if not bets:
            raise ValueError(f"menu {menu!r} has no sizes: write bets such as '33%, 75%, a'")
        both = Choices(bets, parse_sizes("60%,a"))
        return Menu(((both, both),) * len(STREETS), **_checked(options))
    if not isinstance(menu, Mapping):
        raise ValueError(f"a menu is text such as '33%, a' or menu[street][player], not {type(menu).__name__}")
    unknown = set(menu) - set(STREETS)
    if unknown:
        raise ValueError(f"unknown street {sorted(unknown)[0]!r} in the menu: streets are {', '.join(STREETS[1:])}")
    by_street = [_street(street, menu.get(street, {}), (donk or {}).get(street)) for street in STREETS]
    return Menu(tuple(by_street), **_checked(options))


def _street(street: str, players: Any, donk: str | None) -> tuple[Choices, Choices]:
    if not isinstance(players, Mapping) or set(players) - set(SEATS):
        raise ValueError(f"the {street} of a menu has sizes of 'oop' and 'ip', not {players!r}")
    oop, ip = (_choices(f"{street} of {seat}", players.get(seat, {})) for seat in SEATS)
    if donk is not None:
        oop = dataclasses.replace(oop, donk=parse_sizes(donk, f"donk bets on the {street}"))
    return oop, ip


def _choices(where: str, sizes: Any) -> Choices:
    if not isinstance(sizes, Mapping) or set(sizes) - {"bet", "raise", "donk"}:
        raise ValueError(f"{where}: sizes are given as 'bet', 'raise' and 'donk', not {sizes!r}")
    bet, raise_ = (parse_sizes(sizes.get(kind, ""), f"{where}, {kind}") for kind in ("bet", "raise"))
    return Choices(bet, raise_, parse_sizes(sizes["donk"], f"{where}, donk") if "donk" in sizes else None)


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    for name, value in options.items():
        if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise ValueError(f"{name}={value!r}: a number of 0 or more")
    return options


def as_json(menu: Menu) -> dict[str, Any]:
    """The menu as ``parse`` reads it, streets without sizes left out."""

    def player(of: Choices) -> dict[str, str]:
        sizes = {"bet": sizes_text(of.bet), "raise": sizes_text(of.raise_)}
        return sizes if of.donk is None else {**sizes, "donk": sizes_text(of.donk)}

    return {
        street: {seat: player(of) for seat, of in zip(SEATS, both, strict=True)}
        for street, both in zip(STREETS, menu.choices, strict=True)
        if any(of.longest for of in both)
    }
