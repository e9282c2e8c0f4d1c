"""A spot: a board, a pot, two stacks, two ranges and what may be bet.

    spot = Spot(board="Ks 7h 3d 9h", pot=100, stack=400, oop="TT-22, AJs-A2s, ...", ip="22+, A2s+, ...", menu="66%, a")
    spot = Spot.from_json({"board": [...], "pot": 100, "stack": 400, "oop": "...", "ip": "...", "menu": {...}})

Two players: ``oop``, out of position, acts first on every street (seat 0), ``ip`` is in position (seat 1). ``pot`` is
what lies in the middle before the street's bets, ``stacks`` is what each player has behind, ``bets`` is what each has
put in on this street so far. Of uneven stacks only the smaller can be lost: the rest of the larger is not at stake.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.files import archives
from jaxpoker.solvers.subgame import menus
from jaxpoker.solvers.subgame.menus import SEATS, STREETS, Menu

MOST_BYTES = archives.MB  # of a spot's file

OOP, IP = 0, 1
_OPTIONS = {  # names of others for what a menu may say besides its sizes
    "add_allin_threshold": "add_all_in",
    "force_allin_threshold": "force_all_in",
    "merging_threshold": "merge",
    "add_all_in": "add_all_in",
    "force_all_in": "force_all_in",
    "merge": "merge",
    "all_in_share": "all_in_share",
    "max_raises": "max_raises",
}
_FIELDS = ("board", "pot", "stack", "stacks", "oop", "ip", "menu", "donk", "rake", "rake_cap", "bets", "to_act")
_COMMENTS = ("reference", "note", "name")


@dataclasses.dataclass(frozen=True, eq=False)
class Spot:
    """See the module's docstring. What cannot be is refused with ``ValueError``."""

    board: Any  # text or card ids; afterwards a tuple of 3 to 5 ids
    pot: float
    oop: Any  # text or weights; afterwards float32 [1326], 0 where the board blocks
    ip: Any
    menu: Any  # whatever menus.parse reads; afterwards a Menu
    stack: float | None = None  # behind, of both players, or else:
    stacks: Any = None  # of each; afterwards a tuple of two
    rake: float = 0.0  # share of the pot that the house takes when the hand ends
    rake_cap: float = 0.0  # the most it takes, in chips; 0: no cap
    bets: Any = (0, 0)  # already made on this street
    to_act: Any = None  # the seat; None: whoever has bet less, else oop

    def __post_init__(self) -> None:
        fixed: dict[str, Any] = {"board": _board(self.board), "pot": _chips("pot", self.pot)}
        if (self.stack is None) == (self.stacks is None):
            raise ValueError("a spot has a stack (of both players) or stacks (of each), and not both")
        stacks = (self.stack, self.stack) if self.stacks is None else tuple(self.stacks)
        if len(stacks) != 2 or len(tuple(self.bets)) != 2:
            raise ValueError(f"stacks and bets are two numbers, of oop and of ip: {stacks} and {tuple(self.bets)}")
        fixed["stacks"] = tuple(_chips(f"stack of {seat}", x) for seat, x in zip(SEATS, stacks, strict=True))
        fixed["stack"] = None
        fixed["bets"] = tuple(_chips(f"bet of {seat}", x, 0) for seat, x in zip(SEATS, self.bets, strict=True))
        fixed["rake"], fixed["rake_cap"] = _number("rake", self.rake), _number("rake_cap", self.rake_cap)
        if fixed["rake"] >= 1:
            raise ValueError(f"rake={self.rake}: a share of the pot below 1, such as 0.05")
        for seat in SEATS:
            fixed[seat] = _range(seat, getattr(self, seat), fixed["board"])
        if not _pairs(fixed["oop"], fixed["ip"]):
            raise ValueError("no hand of oop can be held together with any of ip: each shares a card with all of them")
        fixed["menu"] = menus.parse(self.menu)
        fixed["to_act"] = self._seat_to_act(fixed["bets"])
        for name, value in fixed.items():
            object.__setattr__(self, name, value)
        facing = self.bets[OOP] != self.bets[IP]
        if not facing and not any(of.bet or of.donk for both in self.menu.choices[self.street :] for of in both):
            raise ValueError("there is no legal bet: the menu has no bets on this street or a later one")

    def _seat_to_act(self, bets: tuple[float, float]) -> int:
        behind = None if bets[OOP] == bets[IP] else OOP if bets[OOP] < bets[IP] else IP
        if self.to_act not in (None, OOP, IP) or (None not in (behind, self.to_act) and behind != self.to_act):
            raise ValueError(f"to_act={self.to_act!r}: seat 0 is oop, 1 is ip, and whoever has bet less is to act")
        if self.to_act is None:
            return OOP if behind is None else behind
        return self.to_act

    # --- what it is ---------------------------------------------------------------------------

    @property
    def street(self) -> int:
        """1 flop, 2 turn, 3 river."""
        return len(self.board) - 2

    @property
    def street_name(self) -> str:
        return STREETS[self.street]

    @property
    def whole_pot(self) -> float:
        """The pot with the bets that are already made."""
        return self.pot + sum(self.bets)

    @functools.cached_property
    def ranges(self) -> np.ndarray:
        """``[2, 1326]`` float32: weights of both players' hands."""
        return np.stack([self.oop, self.ip])

    @property
    def text(self) -> str:
        return f"{cards.text(self.board)}, pot {self.pot:g}, stacks {self.stacks[OOP]:g} and {self.stacks[IP]:g}"

    # --- JSON -----------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, spot: Mapping[str, Any] | str | Path) -> Spot:
        """A spot of a mapping, or of a file that has one; see ``as_json``."""
        if isinstance(spot, str | Path):
            path = Path(spot)
            try:
                spot = archives.parsed(archives.whole(path, MOST_BYTES))
            except OSError as error:
                raise ValueError(f"cannot read the spot {path}: {error.strerror}") from error
            except archives.Damaged as error:
                raise ValueError(f"the spot {path} is not JSON: {error}") from error
        if not isinstance(spot, Mapping):
            raise ValueError(f"a spot is a mapping with {', '.join(_FIELDS[:7])}, not {type(spot).__name__}")
        unknown = set(spot) - set(_FIELDS) - set(_OPTIONS) - set(_COMMENTS)
        if unknown:
            raise ValueError(f"unknown field {sorted(unknown)[0]!r} of a spot: fields are {', '.join(_FIELDS)}")
        missing = {"board", "pot", "oop", "ip", "menu"} - set(spot)
        if missing:
            raise ValueError(f"a spot needs {sorted(missing)[0]!r}")
        options = {_OPTIONS[name]: spot[name] for name in spot if name in _OPTIONS}
        menu = menus.parse(spot["menu"], spot.get("donk"), **options)
        given = {name: spot[name] for name in _FIELDS if name in spot and name not in ("menu", "donk")}
        return cls(**{**given, "menu": menu})

    def as_json(self) -> dict[str, Any]:
        """The spot as plain data, which ``from_json`` reads back as the same spot."""
        options = {
            f.name: getattr(self.menu, f.name)
            for f in dataclasses.fields(Menu)
            if f.name != "choices" and getattr(self.menu, f.name) != f.default
        }
        return {
            "board": [cards.text(card) for card in self.board],
            "pot": self.pot,
            "stacks": list(self.stacks),
            "oop": ranges.text(self.oop),
            "ip": ranges.text(self.ip),
            "menu": menus.as_json(self.menu),
            **options,
            **{name: getattr(self, name) for name in ("rake", "rake_cap") if getattr(self, name)},
            **({"bets": list(self.bets)} if any(self.bets) else {}),
            **({"to_act": self.to_act} if self.to_act else {}),
        }


def _board(board: Any) -> tuple[int, ...]:
    if isinstance(board, str):
        ids = cards.parse(board)
    elif len(board) and isinstance(next(iter(board)), str):
        ids = cards.parse("".join(board))
    else:
        ids = np.asarray(board)
        cards.require_distinct(board=ids)
    if not 3 <= len(ids) <= 5:
        raise ValueError(f"a board of {len(ids)} cards: a flop has 3, a turn 4 and a river 5")
    return tuple(int(card) for card in ids)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise ValueError(f"{name}={value!r}: a number")
    if value < 0:
        raise ValueError(f"{name}={value!r}: it cannot be below 0")
    return float(value)


def _chips(name: str, value: Any, least: float = 1e-9) -> float:
    chips = _number(name, value)
    if chips < least:
        raise ValueError(f"{name} is {value!r} chips: it must be above 0")
    if chips > 1e9:
        raise ValueError(f"{name} is {value!r} chips: at most a thousand million")
    return chips


def _range(seat: str, hands: Any, board: tuple[int, ...]) -> np.ndarray:
    try:
        weights = ranges.as_weights(hands)
    except (ValueError, TypeError) as error:
        raise ValueError(f"the range of {seat}: {error}") from error
    if not weights.any():
        raise ValueError(f"the range of {seat} is empty: all its weights are 0")
    live = np.where(np.isin(ranges.COMBOS, board).any(axis=1), 0, weights).astype(np.float32)
    if not live.any():
        raise ValueError(f"the board {cards.text(board)} blocks every hand in the range of {seat}")
    return live


def _pairs(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether some hand of one range and some hand of the other share no card."""
    one, other = (ranges.COMBOS[weights > 0] for weights in (ours, theirs))
    some = one[:200]  # a hand of the other range that clashes with all of many hands is rare: look at all if need be
    for ours_part in (some, one):
        if (ours_part[:, None, :, None] != other[None, :, None, :]).all(axis=(2, 3)).any():
            return True
    return False
