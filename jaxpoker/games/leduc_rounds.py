"""The betting rounds of Leduc poker for three and more players, as tables.

Leduc's betting is so small that all of it can be listed. A *place* is what has happened in a round so far. Rounds begin
with different seats still in, and each such beginning has its own places. A step of the game then only looks up where
an action leads. Place 0 is no round: it stands for one that has not begun.

The rules of a round: seats act in turn, the lowest seat that is still in first. A fold is legal when facing a raise, a
raise while there were fewer than ``max_raises``. The round is over when all others have called the last raise, when all
have checked, or when one seat is left.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

FOLD, CALL, RAISE = 0, 1, 2
TO_ACT, CLOSED, WON = range(3)  # what a place is: a decision, a round that is over, a game that one seat has won
NONE = -1


@dataclasses.dataclass(frozen=True, eq=False)
class Rounds:
    """P places, n seats, T actions at the most."""

    kind: np.ndarray  # [P] int32: TO_ACT, CLOSED or WON
    player: np.ndarray  # [P] int32: who acts; at other places who acted last
    legal: np.ndarray  # [P, 3] bool; all True where nobody acts
    after: np.ndarray  # [P, 3] int32: the place after each action; NONE where it is not legal
    raises: np.ndarray  # [P] int32
    paid: np.ndarray  # [P, n] int32: raises that each seat has paid for in this round
    left: np.ndarray  # [P, n] bool: seats that are still in
    actions: np.ndarray  # [P, T] int32: the actions so far, then NONE
    seats: np.ndarray  # [P, T] int32: who took them; NONE
    begins: np.ndarray  # [2 ** n] int32: the place at which a round with these seats begins (bit s is seat s), or NONE
    number: np.ndarray  # [P] int32: a decision among those of its beginning, in order; CLOSED: likewise; else NONE


@functools.cache
def rounds(players: int, max_raises: int) -> Rounds:
    """All places of all rounds."""
    kind: list[int] = []
    player: list[int] = []
    raises: list[int] = []
    number: list[int] = []
    paid: list[list[int]] = []
    left: list[list[bool]] = []
    after: list[list[int]] = []
    actions: list[list[int]] = []
    seats: list[list[int]] = []
    begins = np.full(1 << players, NONE, np.int32)

    came: list[int] = []  # who has acted
    counts = [0, 0, 0]  # places of each kind since this beginning

    def add(of_kind: int, who: int, made: int, has_paid: list[int], is_in: list[bool], line: list[int]) -> int:
        kind.append(of_kind)
        player.append(who)
        raises.append(made)
        paid.append(has_paid)
        left.append(is_in)
        after.append([NONE] * 3)
        actions.append(line)
        number.append(counts[of_kind])
        counts[of_kind] += 1
        return len(kind) - 1

    def play(who: int, made: int, calls: int, has_paid: list[int], is_in: list[bool], line: list[int]) -> int:
        """The place where ``who`` is to act, and all that follow; ``calls`` since the last raise."""
        here = add(TO_ACT, who, made, has_paid, is_in, line)
        seats.append(came)
        for action in (FOLD, CALL, RAISE):
            if (action == FOLD and made == 0) or (action == RAISE and made == max_raises):
                continue
            now_in, now_paid = list(is_in), list(has_paid)
            now_in[who] = action != FOLD
            now_made = made + (action == RAISE)
            now_calls = 0 if action == RAISE else calls + (action == CALL)
            if action != FOLD:
                now_paid[who] = now_made
            after[here][action] = follow(who, now_made, now_calls, now_paid, now_in, [*line, action])
        return here

    def follow(who: int, made: int, calls: int, has_paid: list[int], is_in: list[bool], line: list[int]) -> int:
        nonlocal came
        came = [*came, who]
        if sum(is_in) == 1:
            here = add(WON, who, made, has_paid, is_in, line)
            seats.append(came)
        elif calls == sum(is_in) - (made > 0):
            here = add(CLOSED, who, made, has_paid, is_in, line)
            seats.append(came)
        else:
            turn = next(seat % players for seat in range(who + 1, who + 1 + players) if is_in[seat % players])
            here = play(turn, made, calls, has_paid, is_in, line)
        came = came[:-1]
        return here

    add(WON, 0, 0, [0] * players, [False] * players, [])
    seats.append(came)
    for mask in range(1 << players):
        is_in = [bool(mask >> seat & 1) for seat in range(players)]
        if sum(is_in) > 1:
            counts = [0, 0, 0]
            begins[mask] = play(is_in.index(True), 0, 0, [0] * players, is_in, [])

    longest = max(map(len, actions))
    table = np.array(after, np.int32)
    acts = np.array(kind, np.int32) == TO_ACT
    return Rounds(
        kind=np.array(kind, np.int32),
        player=np.array(player, np.int32),
        legal=np.where(acts[:, None], table != NONE, True),
        after=table,
        raises=np.array(raises, np.int32),
        paid=np.array(paid, np.int32),
        left=np.array(left, bool),
        actions=np.array([line + [NONE] * (longest - len(line)) for line in actions], np.int32),
        seats=np.array([line + [NONE] * (longest - len(line)) for line in seats], np.int32),
        begins=begins,
        number=np.where(np.array(kind) == WON, NONE, np.array(number, np.int32)),
    )
