"""Where a local best response may bet, and with what: settings as data.

    name        preflop         flop            turn            river
    tree        the menu        the menu        the menu        the menu
    fold-call   fold, call      fold, call      fold, call      fold, call
    late        call            call            56 sizes        56 sizes
    any         56 sizes        56 sizes        56 sizes        56 sizes

"the menu" is that of the player who is measured: of a blueprint the bets of its tree. Where a street has bets the
responder may fold and call as well. Each setting is a strategy of its own, and what it wins is a lower bound of the
exploitability; none of them is always the highest. Lisý and Bowling (2017) and the supplement of DeepStack (Moravčík et
al., 2017) measure bots in such settings.

The 56 sizes, a rule of our own: the minimum raise; 54 sizes from 10% of the pot (after calling) on, each 10^(1/20) =
1.122 times the one before and rounded to a percent, up to 44.67 pots; and all-in. A size below the minimum raise is not
legal, and one of the whole stack is the all-in's, as in all menus (``games/bets.py``).
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from jaxpoker.games import bets
from jaxpoker.games.bets import BetMenu, Size

POT_SIZES = tuple(Size("pot", Fraction(round(10 * 10 ** (k / 20)), 100)) for k in range(54))
SIZES = (Size("min"), *POT_SIZES, Size("all-in"))  # 56


@dataclasses.dataclass(frozen=True)
class StreetRule:
    """What the responder may do on a street besides calling."""

    may_fold: bool = True
    sizes: tuple[Size, ...] | None = None  # None: the bets of the player's own menu

    def menu(self, own: BetMenu) -> BetMenu:
        """Its bets as a menu, where the player's is ``own``."""
        return own if self.sizes is None else bets.menu(self.sizes, self.sizes)


_MENU, _NO_BET, _CALL, _ANY = StreetRule(), StreetRule(sizes=()), StreetRule(False, ()), StreetRule(sizes=SIZES)


@dataclasses.dataclass(frozen=True)
class Setting:
    """A name, what it may do on each street, and what that is in words."""

    name: str
    streets: tuple[StreetRule, ...]  # by street; the last one also for all later streets
    text: str

    def on(self, street: int) -> StreetRule:
        return self.streets[min(street, len(self.streets) - 1)]

    @property
    def leaves_menu(self) -> bool:
        """Whether it bets sizes that are not on the player's menu."""
        return any(rule.sizes for rule in self.streets)


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("tree", (_MENU,), "folds, calls and bets by the player's own menu"),
        Setting("fold-call", (_NO_BET,), "folds and calls, and never bets"),
        Setting("late", (_CALL, _CALL, _ANY), "calls before the flop and on it, then any of 56 sizes"),
        Setting("any", (_ANY,), "any of 56 sizes on every street"),
    )
}


def of_name(name: str) -> Setting:
    """The setting called ``name``."""
    if name not in SETTINGS:
        raise ValueError(f"unknown setting {name!r} of a local best response: there are {', '.join(SETTINGS)}")
    return SETTINGS[name]
