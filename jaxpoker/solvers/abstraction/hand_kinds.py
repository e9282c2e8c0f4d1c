"""What a hand is on a board, in the words of players: "top pair, king kicker", "set", "nut flush draw + two overcards".

hand_kinds.kind("AhKh", "Qh7h2c")        # "nut flush draw + two overcards"
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxpoker import cards

_RANK = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
_ACE = 12
_STRAIGHT, _FLUSH = 5, 5  # cards


def kind(hole: str | Sequence[int], board: str | Sequence[int]) -> str:
    """What two ``hole`` cards make with 3, 4 or 5 cards of the ``board``: the best hand, then draws to a better one."""
    own, opened = ([int(c) for c in (cards.parse(x) if isinstance(x, str) else x)] for x in (hole, board))
    cards.require_distinct(hand=own, board=opened)
    own_ranks, board_ranks = ([card % cards.NUM_RANKS for card in each] for each in (own, opened))
    made = _made(own, opened, own_ranks, board_ranks)
    found = [] if made is None else [made]
    if len(opened) < 5 and made not in ("flush", "full house", "four of a kind", "straight flush"):
        found += _draws(own, opened, own_ranks, board_ranks, made == "straight")
    overcards = sum(rank > max(board_ranks) for rank in own_ranks)
    if made is None:
        if len(opened) < 5 and overcards == 2:
            found.append("two overcards")
        elif not found:
            found.append(f"no pair, {_RANK[max(own_ranks)]} high" if overcards else "no pair")
    return " + ".join(found)


def _made(own: list[int], opened: list[int], own_ranks: list[int], board_ranks: list[int]) -> str | None:
    """The best hand that needs one of the hole cards; None for no pair."""
    count = np.bincount(own_ranks + board_ranks, minlength=cards.NUM_RANKS)
    on_board = np.bincount(board_ranks, minlength=cards.NUM_RANKS)
    suits = [card // cards.NUM_RANKS for card in own + opened]
    flush = [s for s in range(4) if suits.count(s) >= _FLUSH and s in suits[:2]]
    if flush:
        suited = {c % cards.NUM_RANKS for c in own + opened if c // cards.NUM_RANKS == flush[0]}
        return "straight flush" if _is_straight(suited) else "flush"
    if any(count[rank] == 4 for rank in own_ranks):
        return "four of a kind"
    threes = [rank for rank in range(cards.NUM_RANKS) if count[rank] == 3]
    pairs = [rank for rank in range(cards.NUM_RANKS) if count[rank] == 2]
    uses_own = any(count[rank] > on_board[rank] for rank in threes + pairs)
    if threes and len(threes) + len(pairs) >= 2 and uses_own:
        return "full house"
    if _is_straight({*own_ranks, *board_ranks}) and not _is_straight(set(board_ranks)):
        return "straight"
    if any(count[rank] == 3 for rank in own_ranks):
        return "set" if own_ranks[0] == own_ranks[1] else "trips"
    return _pair(own_ranks, board_ranks)


def _pair(own_ranks: list[int], board_ranks: list[int]) -> str | None:
    """One pair or two with the hole cards."""
    ranks = sorted(set(board_ranks), reverse=True)
    high, low = max(own_ranks), min(own_ranks)
    if high == low:
        return "overpair" if high > ranks[0] else f"pocket pair below the {_RANK[ranks[0]]}"
    paired = [rank for rank in (high, low) if rank in ranks]
    if len(paired) == 2:
        return "two pair"
    if not paired:
        return None
    place, kicker = ranks.index(paired[0]), low if paired[0] == high else high
    if place == 0:
        return f"top pair, {_RANK[kicker]} kicker"
    return "second pair" if place == 1 else "bottom pair" if place == len(ranks) - 1 else "low pair"


def _draws(
    own: list[int], opened: list[int], own_ranks: list[int], board_ranks: list[int], has_straight: bool
) -> list[str]:
    """Flush and straight draws that need one of the hole cards."""
    found = []
    for suit in range(4):
        mine = [c % cards.NUM_RANKS for c in own if c // cards.NUM_RANKS == suit]
        theirs = [c % cards.NUM_RANKS for c in opened if c // cards.NUM_RANKS == suit]
        if mine and len(mine) + len(theirs) == _FLUSH - 1:
            best = max(rank for rank in range(cards.NUM_RANKS) if rank not in theirs)
            found.append("nut flush draw" if best in mine else "flush draw")
    held = {*own_ranks, *board_ranks}
    outs = [
        rank
        for rank in range(cards.NUM_RANKS)
        if _is_straight({*held, rank}) and not _is_straight({*board_ranks, rank})
    ]
    if outs and not has_straight:
        found.append("gutshot" if len(outs) == 1 else "straight draw")
    return found


def _is_straight(ranks: set[int]) -> bool:
    """Whether five of the ranks follow each other; an ace is also below a two."""
    low = {rank + 1 for rank in ranks} | ({0} if _ACE in ranks else set())  # the wheel's ace is 0
    return any(all(top - i in low for i in range(_STRAIGHT)) for top in range(_STRAIGHT - 1, cards.NUM_RANKS + 1))
