"""What is at stake in push/fold: stacks, blinds, antes and prizes, and what each seat has after a hand.

Seats are numbered as they act: the first to act before the flop is seat 0, the small blind is the last but one, the big
blind the last; with two the small blind has the button. A seat is in, with all its chips, or it folds and loses what it
has posted.

    ante first, then the blind, both as far as the stack goes
    a seat that has posted all its chips is in; so is the big blind when nobody has bet more than it has
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from jaxpoker import icm

MAX_SEATS = 6
NAMES = {
    2: ("SB", "BB"),
    3: ("BTN", "SB", "BB"),
    4: ("CO", "BTN", "SB", "BB"),
    5: ("HJ", "CO", "BTN", "SB", "BB"),
    6: ("UTG", "HJ", "CO", "BTN", "SB", "BB"),
}


@dataclasses.dataclass(frozen=True)
class Stakes:
    """All in big blinds."""

    stacks: tuple[float, ...]  # before antes and blinds, in the order in which seats act
    small_blind: float = 0.5
    ante: float = 0.0  # of each seat
    payouts: tuple[float, ...] = ()  # prizes, the first place's first; none: chips are what counts

    def __post_init__(self) -> None:
        if not 2 <= len(self.stacks) <= MAX_SEATS:
            raise ValueError(f"{len(self.stacks)} stacks: push/fold is for 2 to {MAX_SEATS} players")
        if not all(math.isfinite(stack) and 0 < stack <= 1000 for stack in self.stacks):
            raise ValueError(f"stacks {list(self.stacks)}: big blinds above 0, at most 1,000")
        if not 0 <= self.small_blind <= 1:
            raise ValueError(f"a small blind of {self.small_blind:g} big blinds: from 0 to 1")
        if not 0 <= self.ante <= 10:
            raise ValueError(f"an ante of {self.ante:g} big blinds: from 0 to 10")
        if self.payouts:
            if not all(math.isfinite(prize) and prize >= 0 for prize in self.payouts) or not sum(self.payouts):
                raise ValueError(f"payouts {list(self.payouts)}: numbers of 0 or more, not all 0")
            if list(self.payouts) != sorted(self.payouts, reverse=True):
                raise ValueError(f"payouts {list(self.payouts)}: the first place's first, none above the one before")
            if len(self.payouts) > len(self.stacks):
                raise ValueError(f"{len(self.payouts)} payouts for {len(self.stacks)} players: one a place at the most")

    @property
    def num_seats(self) -> int:
        return len(self.stacks)

    @property
    def names(self) -> tuple[str, ...]:
        """Positions, in the order in which they act."""
        return NAMES[self.num_seats]

    @property
    def posted(self) -> np.ndarray:
        """``[seats]`` float64: antes and blinds."""
        stacks = np.array(self.stacks)
        antes = np.minimum(stacks, self.ante)
        blinds = np.zeros(self.num_seats)
        blinds[-2:] = self.small_blind, 1.0
        posted: np.ndarray = antes + np.minimum(stacks - antes, blinds)
        return posted

    def may_fold(self, seat: int, before: int) -> bool:
        """Whether ``seat`` has a choice when the seats of ``before`` (bit s is seat s) are in."""
        posted, stacks = self.posted, np.array(self.stacks)
        if stacks[seat] <= posted[seat]:
            return False
        if seat < self.num_seats - 1:
            return True
        bets = [stacks[s] for s in range(seat) if before >> s & 1]
        return max(bets, default=0.0) > posted[seat]

    def unit(self) -> str:
        return "big blinds of prize money" if self.payouts else "big blinds"

    def after(self, players: int, strengths: np.ndarray) -> np.ndarray:
        """``[m, seats]`` float64: chips after showdowns in which the seats of ``players`` (bits) are in with
        ``strengths`` ``[m, seats]``, the higher the better; uncalled chips come back.
        """
        n, stacks = self.num_seats, np.array(self.stacks)
        are_in = np.array([players >> seat & 1 for seat in range(n)], bool)
        put_in = np.where(are_in, stacks, self.posted)
        chips = np.broadcast_to(stacks - put_in, (len(strengths), n)).copy()
        level = 0.0
        for cap in np.unique(put_in):
            if cap <= level:
                continue
            parts = np.clip(put_in - level, 0, cap - level)
            reaches = are_in & (put_in >= cap)
            if reaches.any():
                own = np.where(reaches, strengths, -1)
                wins = own == own.max(axis=1, keepdims=True)
                chips += wins * (parts.sum() / wins.sum(axis=1, keepdims=True))
            else:
                chips += parts
            level = cap
        return chips

    def worth(self, chips: np.ndarray) -> np.ndarray:
        """``[m, seats]`` float64: what each seat has won when it ends with ``chips`` ``[m, seats]``.

        In chips it is chips. With payouts it is what the stacks are worth by ICM, before and after, in a unit in which
        all prizes together are as much as all chips.
        """
        stacks = np.array(self.stacks)
        if not self.payouts:
            won: np.ndarray = chips - stacks
            return won
        prizes = np.array(self.payouts) * stacks.sum() / sum(self.payouts)
        different, which = np.unique(np.round(chips, 9), axis=0, return_inverse=True)
        before = icm.values(stacks, prizes)
        after = np.asarray(icm.after_hand(stacks, different, prizes), np.float64)
        worth: np.ndarray = (after - np.asarray(before, np.float64))[which.reshape(-1)]
        return worth
