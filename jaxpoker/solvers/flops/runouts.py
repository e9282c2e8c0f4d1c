"""What may follow a flop: turn and river cards up to suits that can be exchanged, and how the hands compare on them.

Suits that can be exchanged without changing the flop or a range make turn cards alike: one of each kind is solved and
counts as often as there are such cards. Of the exchanges those that leave the turn card alone make river cards alike.
What a hand is worth before a card is dealt is then a mean over the exchanges. Rivers of one turn come in *blocks* of
12, so that all flops share programs; a block that is not full ends with rivers that count 0 times.

Each player has an axis of its own of the hands that the flop leaves it, the same on all boards: H hands, with places
without a hand at its end. A hand that holds a card of the board has a 0 in the board's ``open``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity import boards
from jaxpoker.ranges import COMBOS, NUM_COMBOS
from jaxpoker.solvers.subgame import hand_places
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.sweep import PLAYERS

RIVERS = 12  # of a block
NO_HAND = -1
TURNS_TO_A_PAIR = NUM_CARDS - 3 - 4  # turn cards that two hands and a flop leave
RIVERS_TO_A_PAIR = NUM_CARDS - 4 - 4
_MULTIPLE = 16  # of hands, for wide registers
SuitOrders = tuple[tuple[int, ...], ...]


class Rivers(NamedTuple):
    """A block of rivers of one turn: 12 of them."""

    cards: np.ndarray  # [12] int32
    times: np.ndarray  # [12] float32: how many cards are like it; 0 of what only fills the block
    open: tuple[np.ndarray, np.ndarray]  # by player [12, H] float32: 1 of hands that the board leaves
    ranks: tuple[np.ndarray, np.ndarray]  # by player [12, H] float32: strength, as small whole numbers


class Turn(NamedTuple):
    """A turn card, and what may follow it."""

    card: int
    times: float
    open: tuple[np.ndarray, np.ndarray]  # by player [H] float32
    orders: SuitOrders  # exchanges of suits that change nothing, the first of them none
    exchanged: tuple[np.ndarray, np.ndarray]  # by player [exchanges, H] int32: the place of each hand after it
    blocks: tuple[Rivers, ...]
    all_in: np.ndarray  # [H of ip, H of oop]: what oop's hand wins from ip's less what it loses, the mean of all rivers


@dataclasses.dataclass(frozen=True, eq=False)
class Runouts:
    """All of it."""

    board: tuple[int, ...]
    combos: tuple[np.ndarray, np.ndarray]  # by player [H] int32: of ranges.COMBOS, NO_HAND at the end
    weights: tuple[np.ndarray, np.ndarray]  # by player [H] float32: the range, divided by its largest weight
    apart: np.ndarray  # [H of ip, H of oop] float32: 1 if two hands share no card
    orders: SuitOrders
    exchanged: tuple[np.ndarray, np.ndarray]
    turns: tuple[Turn, ...]
    all_in: np.ndarray  # [H of ip, H of oop]: the mean of all turns and rivers

    @property
    def widths(self) -> tuple[int, int]:
        """The places of both players' hands."""
        oop, ip = (len(combos) for combos in self.combos)
        return oop, ip

    @property
    def num_rivers(self) -> int:
        """All that are solved, those that only fill a block included."""
        return sum(RIVERS * len(turn.blocks) for turn in self.turns)

    @property
    def pairs(self) -> float:
        """The weight of all pairs of hands."""
        return float(self.weights[1].astype(float) @ self.apart @ self.weights[0])


def of(spot: Spot, symmetric: bool = True, widths: tuple[int, int] = (0, 0)) -> Runouts:
    """What may follow the flop of ``spot``; ``widths``: at least so many places for both players' hands."""
    combos = (padded(np.flatnonzero(spot.oop > 0), widths[0]), padded(np.flatnonzero(spot.ip > 0), widths[1]))
    held = [np.where(ids == NO_HAND, 0, weights[ids]) for ids, weights in zip(combos, spot.ranges, strict=True)]
    weights = tuple((of_player / of_player.max()).astype(np.float32) for of_player in held)
    cards = [_cards(ids) for ids in combos]
    apart = (cards[1][:, None, :, None] != cards[0][None, :, None, :]).all(axis=(2, 3))
    apart &= (combos[1] != NO_HAND)[:, None] & (combos[0] != NO_HAND)
    orders = boards.symmetries([spot.oop, spot.ip], [boards.mask(spot.board)]) if symmetric else (tuple(range(4)),)
    turns = tuple(
        _turn(spot.board, card, times, orders, combos, apart) for card, times in kinds_of_cards(spot.board, orders)
    )
    exchanged = _exchanged(orders, combos)
    all_in = sum((t.times / TURNS_TO_A_PAIR * t.all_in for t in turns), np.zeros(apart.shape))
    every = _mean_exchanged(all_in, exchanged)
    return Runouts(
        spot.board, combos, (weights[0], weights[1]), apart.astype(np.float32), orders, exchanged, turns, every
    )


def kinds_of_cards(board: Sequence[int], orders: SuitOrders) -> list[tuple[int, float]]:
    """One card of each kind that may come, and how many there are of it."""
    orbits: dict[int, set[int]] = {}
    for card in range(NUM_CARDS):
        if card not in board:
            orbit = {renamed(card, suits) for suits in orders}
            orbits[min(orbit)] = orbit
    return [(card, float(len(orbit))) for card, orbit in orbits.items()]


def renamed(card: int, suits: Sequence[int]) -> int:
    return suits[card // 13] * 13 + card % 13


def _turn(
    flop: Sequence[int],
    card: int,
    times: float,
    orders: SuitOrders,
    combos: tuple[np.ndarray, np.ndarray],
    apart: np.ndarray,
) -> Turn:
    board = (*flop, card)
    stay = tuple(suits for suits in orders if renamed(card, suits) == card)
    kinds = kinds_of_cards(board, stay)
    all_boards = np.array([[*board, river] for river, _ in kinds], np.int32)
    strengths = hand_places.strengths(all_boards)  # [R, 1326]
    open_ = [np.stack([_open(ids, river) for river in all_boards]) for ids in combos]
    ranks = _ranks(strengths, combos, open_)
    counts = np.array([count for _, count in kinds], np.float32)
    all_in = np.zeros(apart.shape)
    for number, count in enumerate(counts):
        oop, ip = (of_player[number] for of_player in ranks)
        live = open_[1][number][:, None] * open_[0][number]
        all_in += count / RIVERS_TO_A_PAIR * np.sign(oop - ip[:, None]) * live
    exchanged = _exchanged(stay, combos)
    missing = -len(kinds) % RIVERS

    def filled(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])

    blocks = tuple(
        Rivers(
            filled(all_boards[:, -1])[at : at + RIVERS],
            filled(counts)[at : at + RIVERS],
            (filled(open_[0])[at : at + RIVERS], filled(open_[1])[at : at + RIVERS]),
            (filled(ranks[0])[at : at + RIVERS], filled(ranks[1])[at : at + RIVERS]),
        )
        for at in range(0, len(kinds), RIVERS)
    )
    return Turn(
        card,
        times,
        (_open(combos[0], board), _open(combos[1], board)),
        stay,
        exchanged,
        blocks,
        _mean_exchanged(all_in * apart, exchanged),
    )


def padded(combos: np.ndarray, least: int = 0) -> np.ndarray:
    """``[H]`` int32: combos and places without a hand, at least so many."""
    width = max(len(combos), least)
    width += -width % _MULTIPLE
    return np.pad(combos.astype(np.int32), (0, width - len(combos)), constant_values=NO_HAND)


def _cards(combos: np.ndarray) -> np.ndarray:
    """``[H, 2]``; of no hand cards that there are not."""
    return np.where(combos[:, None] == NO_HAND, NUM_CARDS, COMBOS[combos])


def _open(combos: np.ndarray, board: Sequence[int] | np.ndarray) -> np.ndarray:
    """``[H]`` float32: 1 of hands that share no card with ``board``."""
    return (~np.isin(_cards(combos), board).any(axis=1) & (combos != NO_HAND)).astype(np.float32)


def _ranks(
    strengths: np.ndarray, combos: tuple[np.ndarray, np.ndarray], open_: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """By player ``[R, H]`` float32: strengths ``[R, 1326]`` as 0, 1, 2, ... of those that somebody has."""
    both = np.concatenate(combos)
    live = np.concatenate(open_, axis=1) > 0
    found = np.zeros(live.shape, np.float32)
    for row, of_board, there in zip(found, strengths, live, strict=True):
        row[there] = np.unique(of_board[both[there]], return_inverse=True)[1]
    return found[:, : len(combos[0])], found[:, len(combos[0]) :]


def _exchanged(orders: SuitOrders, combos: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    found = []
    for player in PLAYERS:
        place = np.arange(NUM_COMBOS + 1)
        place[combos[player]] = np.arange(len(combos[player]))
        new = np.stack([np.append(boards.renamed_combos(suits), NO_HAND)[combos[player]] for suits in orders])
        found.append(np.where(new == NO_HAND, np.arange(new.shape[1]), place[new]).astype(np.int32))
    return found[0], found[1]


def _mean_exchanged(matrix: np.ndarray, exchanged: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The mean over all exchanges of a matrix ``[H of ip, H of oop]``."""
    oop, ip = exchanged
    total = sum((matrix[np.ix_(rows, columns)] for rows, columns in zip(ip, oop, strict=True)), np.zeros(matrix.shape))
    return (total / len(oop)).astype(np.float32)
