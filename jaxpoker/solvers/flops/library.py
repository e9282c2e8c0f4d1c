"""The library of solved flops that ships: button against big blind, 100 big blinds deep, single-raised and 3-bet pots.

    library.listed()                          # ("srp", "Kh7s2c"), ... pots and flops
    solved = library.solved("srp", "Kh 7s 2c")          # a SolvedFlop, in the suits of the library
    found = library.find("3bet", "Kc 7d 2s")            # any suits, and how the library names them

``find`` and ``solved`` are what the explorer and the coach read. A flop keeps what both players do on flop and turn, in
15 levels, and the EVs of the flop; a river is solved anew from ``solved.spot_at(line, cards)``, in a second or two.
Chips are hundredths of a big blind. Ranges are usual ones of six players, the small blind has folded: the big blind is
out of position. ``scripts/make_flop_library.py`` makes the file.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from jaxpoker import cards
from jaxpoker.equity.boards import ALL_SUIT_ORDERS
from jaxpoker.errors import RunError
from jaxpoker.files import DATA, archives
from jaxpoker.solvers.flops import files, textures
from jaxpoker.solvers.flops.runouts import renamed
from jaxpoker.solvers.flops.solved import TURN, SolvedFlop
from jaxpoker.solvers.subgame import menus
from jaxpoker.solvers.subgame.spot import Spot

SHIPPED = DATA / "flops.zip"
MOST_BYTES = 64 * archives.MB
DEPTH, LEVELS = TURN, files.COARSE
BIG_BLIND = 100  # chips


class Pot(NamedTuple):
    """A pot before the flop is dealt: how it came about, and what may be bet."""

    title: str
    pot: float
    stack: float
    oop: str  # the big blind
    ip: str  # the button
    menu: Any
    max_raises: int  # bets and raises of a street

    def spot(self, flop: Any) -> Spot:
        menu = menus.parse(self.menu, max_raises=self.max_raises)
        return Spot(board=flop, pot=self.pot, stack=self.stack, oop=self.oop, ip=self.ip, menu=menu)


def _both(bet: str, raise_: str = "") -> dict[str, dict[str, str]]:
    return {seat: {"bet": bet, "raise": raise_} for seat in ("oop", "ip")}


POTS = {
    "srp": Pot(
        "single-raised: the button raises to 2.5 big blinds, the big blind calls",
        pot=550,
        stack=9750,
        oop="99-22, AJs:0.5, ATs-A2s, KQs:0.5, KJs-K2s, QJs-Q4s, JTs:0.5, J9s-J6s, T9s-T6s, 98s-96s, 87s-85s, 76s-74s, "
        "65s-64s, 54s-53s, 43s, AJo:0.5, ATo-A5o, KQo:0.5, KJo-K9o, QJo-Q9o, JTo-J9o, T9o, 98o",
        ip="22+, A2s+, K2s+, Q5s+, J7s+, T7s+, 97s+, 86s+, 75s+, 64s+, 54s, A3o+, K9o+, Q9o+, J9o+, T9o",
        menu={"flop": _both("50%", "60%"), "turn": _both("75%"), "river": _both("75%")},
        max_raises=2,
    ),
    "3bet": Pot(
        "3-bet: the button raises to 2.5 big blinds, the big blind to 11, the button calls",
        pot=2250,
        stack=8900,
        oop="TT+, 99:0.3, AJs+, ATs:0.5, A9s:0.25, A5s-A3s:0.75, KQs, KJs:0.6, KTs:0.5, K9s:0.3, QJs:0.5, QTs:0.4, "
        "JTs:0.5, T9s:0.4, 98s:0.3, 87s:0.3, 76s:0.3, 65s:0.3, 54s:0.3, AQo+, AJo:0.5, KQo:0.5, A5o:0.2",
        ip="JJ-22, QQ:0.5, AQs-A7s, A6s:0.5, A5s-A2s, AKs:0.25, KQs-K9s, QJs-Q9s, JTs-J9s, T9s-T8s, 98s-97s, 87s-86s, "
        "76s-75s, 65s, 54s, AQo-AJo, ATo:0.5, AKo:0.25, KQo-KJo, QJo:0.5",
        menu={"flop": _both("33%, 75%", "60%"), "turn": _both("75%", "60%"), "river": _both("75%", "60%")},
        max_raises=2,
    ),
}


class Found(NamedTuple):
    """A flop of the library for a flop of any suits."""

    solved: SolvedFlop
    suits: tuple[int, ...]  # what each suit of the flop that was asked for is called in the library

    def renamed(self, card: int) -> int:
        """A card of the flop that was asked for, as the library names it."""
        return renamed(card, self.suits)


def listed() -> list[tuple[str, str]]:
    """Pots and flops that ship, as ("srp", "Kh7s2c")."""
    return [(pot, flop) for pot, flop in (name.removesuffix(".flop").split("/") for name in _names())]


def solved(pot: str, flop: str) -> SolvedFlop:
    """A flop of ``listed()``, in any order of its cards."""
    found = find(pot, flop)
    if found.suits != tuple(range(4)):
        raise ValueError(f"{flop!r} has other suits in the library: use find, which says which")
    return found.solved


def find(pot: str, flop: str) -> Found:
    """The flop of the library that ``flop`` is but for the names of the suits; refused if there is none."""
    if pot not in POTS:
        raise ValueError(f"unknown pot {pot!r}: there are {', '.join(POTS)}")
    asked = cards.parse(flop)
    if len(asked) != 3:
        raise ValueError(f"{flop!r}: a flop has 3 cards")
    there = {textures.number_of(cards.parse(known)): known for of, known in listed() if of == pot}
    number = textures.number_of(asked)
    if number not in there:
        raise ValueError(f"{flop!r} is not in the library ({pot}): there are {', '.join(sorted(there.values()))}")
    known = there[number]
    goal = set(cards.parse(known).tolist())
    orders = sorted(ALL_SUIT_ORDERS, key=lambda suits: sum(a != b for a, b in enumerate(suits)))
    suits = next(suits for suits in orders if {renamed(int(card), suits) for card in asked} == goal)
    return Found(_loaded(f"{pot}/{known}.flop"), suits)


def spread_out(number: int, seed: int = 0) -> list[np.ndarray]:
    """The flops of a library of so many ``[3]``, such that the first few of them are spread over all textures too."""
    drawn = textures.classes().cards[textures.sample(number, seed)]
    order = sorted(range(number), key=lambda place: int(f"{place:032b}"[::-1], 2))
    return [drawn[place] for place in order]


def _names() -> list[str]:
    with _archive() as file:
        return [name for name in file.names if name.endswith(".flop")]


@functools.lru_cache(maxsize=4)
def _loaded(name: str) -> SolvedFlop:
    with _archive() as file:
        content = file.read(name)
    return files.load(content)


def _archive() -> archives.Archive:
    try:
        return archives.Archive(SHIPPED, MOST_BYTES)
    except OSError as error:
        raise RunError(
            f"no library of flops comes with this copy of jaxpoker ({error.strerror or error}): "
            "make it with scripts/make_flop_library.py"
        ) from error
