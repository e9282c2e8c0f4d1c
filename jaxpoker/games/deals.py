"""Every deal of a game: who may hold what, how likely that is, and who wins the showdown. ``Deals`` is for two players,
``SeatDeals`` for any number.

This and a betting tree are all that an exact solver knows of a game. A deal is a pair of private hands and, street by
street, a board of public cards. Hands that play alike may be one class (the 169 hands before the flop), with the
number of their cards in the probabilities, so that card removal is exact.

A game whose deals can be listed one by one need not know any of that: ``listed`` and ``listed_for_seats`` make it from
the list.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class StreetDeals:
    """The deals as one street knows them: B boards, H hands. ``[b, i, j]`` is board b, seat 0 with i, seat 1 with j."""

    boards: tuple[str, ...]  # names
    from_board: np.ndarray  # [B] int32: the board of the street before that each one continues
    prior: np.ndarray  # [B, H, H] float64: probability of the board and both hands; all of them sum to 1
    win: np.ndarray  # [B, H, H] float64: ... and seat 0 wins the showdown; cards to come are dealt out
    tie: np.ndarray  # [B, H, H] float64: ... and the pot is split

    @property
    def lose(self) -> np.ndarray:
        return self.prior - self.win - self.tie

    @property
    def columns(self) -> int:
        """Boards times hands: the width of a node's vectors, board by board."""
        return self.prior.shape[0] * self.prior.shape[1]


@dataclasses.dataclass(frozen=True, eq=False)
class Deals:
    """The hands, the streets, and examples of each for whoever must see a real state of the game."""

    hands: tuple[str, ...]  # [H] names
    streets: tuple[StreetDeals, ...]
    examples: tuple[tuple[Any, np.ndarray], ...]  # per seat: deals [E, ...], and their column of the last street [E]

    def columns_before(self, street: int, before: int) -> np.ndarray:
        """``[columns of street]``: the column of street ``before`` that each one continues."""
        return _columns_before(self.streets, len(self.hands), street, before)

    def given(self, street: int, board: int, ranges: Sequence[np.ndarray] | None = None) -> Deals:
        """The deals when play is on ``street`` with its board number ``board`` open, and both players hold hands in
        proportion to their ``ranges`` ``[H]`` (all alike when None). Boards that are out of the question are gone.
        """
        weights = np.ones((2, len(self.hands))) if ranges is None else np.asarray(ranges, np.float64)
        if weights.shape != (2, len(self.hands)) or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(f"ranges are two lists of {len(self.hands)} weights, 0 or more")
        both = weights[0][:, None] * weights[1]
        kept = [np.array([board])]  # boards of each street from this one on
        for later in self.streets[street + 1 :]:
            kept.append(np.nonzero(np.isin(later.from_board, kept[-1]))[0])
        total = (self.streets[street].prior[board] * both).sum()
        if total <= 0:
            raise ValueError("no two hands of these ranges can be held together on this board")

        def seen(cells: np.ndarray) -> np.ndarray:
            return cells * both / total

        after, before = [], np.zeros(0, np.int64)
        for at, these in enumerate(kept):
            of = self.streets[street + at]
            from_board = np.searchsorted(before, of.from_board[these]) if at else np.zeros(1)
            names = tuple(of.boards[b] for b in these)
            after.append(
                StreetDeals(names, from_board.astype(np.int32), *(seen(x[these]) for x in (of.prior, of.win, of.tie)))
            )
            before = these
        first = dataclasses.replace(after[0], boards=("",))
        return Deals(self.hands, (*[first] * street, *after), ())


@dataclasses.dataclass(frozen=True, eq=False)
class SeatStreetDeals:
    """The deals of many seats as one street knows them: B boards, H hands, S seats, O ways that a showdown may end."""

    boards: tuple[str, ...]  # names
    from_board: np.ndarray  # [B] int32: the board of the street before that each one continues
    chances: np.ndarray  # [O, B, H, ..., H] float64: probability of the board, each seat's hand, and how they compare

    @property
    def prior(self) -> np.ndarray:
        """``[B, H, ..., H]``: probability of the board and all hands."""
        total: np.ndarray = self.chances.sum(axis=0)
        return total

    @property
    def columns(self) -> int:
        """Boards times hands."""
        return self.chances.shape[1] * self.chances.shape[2]


@dataclasses.dataclass(frozen=True, eq=False)
class SeatDeals:
    """The deals of a game for any number of seats, as ``Deals`` has those of two."""

    hands: tuple[str, ...]  # [H] names
    streets: tuple[SeatStreetDeals, ...]
    examples: tuple[tuple[Any, np.ndarray], ...]  # per seat: deals [E, ...], and their column of the last street [E]

    def columns_before(self, street: int, before: int) -> np.ndarray:
        """``[columns of street]``: the column of street ``before`` that each one continues."""
        return _columns_before(self.streets, len(self.hands), street, before)


def _columns_before(
    streets: Sequence[StreetDeals | SeatStreetDeals], hands: int, street: int, before: int
) -> np.ndarray:
    board, hand = np.divmod(np.arange(streets[street].columns), hands)
    for later in range(street, before, -1):
        board = streets[later].from_board[board]
    columns: np.ndarray = board * hands + hand
    return columns


def showdown_orders(players: int, ties: bool = True) -> np.ndarray:
    """``[outcomes, players]`` int8: all ways that a showdown may come out, the highest number wins.

    For two players these are win, tie and loss of seat 0: (1, 0), (0, 0), (0, 1). In a game without ``ties`` a second
    win takes the place of the tie.
    """
    every = itertools.product(range(players), repeat=players)
    orders = [order for order in every if set(order) == set(range(max(order) + 1))]
    orders.sort(key=lambda order: (max(order[1:]) - order[0], *(-place for place in order)))
    if not ties:
        strict = [order for order in orders if len(set(order)) == players]
        orders = [strict[0], *strict] if players == 2 else strict
    return np.array(orders, np.int8)


def listed(
    deals: Any,
    probabilities: np.ndarray,
    holds: np.ndarray,
    strengths: np.ndarray,
    hands: Sequence[str],
    boards: Sequence[tuple[np.ndarray, Sequence[str]]] = (),
) -> Deals:
    """The ``Deals`` of a game whose deals are listed one by one; D of them, H hands.

    ``deals``          pytree of arrays ``[D, ...]``, each what ``game.start`` takes
    ``probabilities``  ``[D]``, which sum to 1
    ``holds``          ``[D, 2]`` int: the number of each seat's hand, 0 to H - 1
    ``strengths``      ``[D, 2]``: whose is higher wins the showdown
    ``hands``          ``[H]`` names
    ``boards``         for each street after the first the number of its board ``[D]`` and the boards' names
    """
    probabilities, holds, strengths = np.asarray(probabilities, np.float64), np.asarray(holds), np.asarray(strengths)
    if not np.isclose(probabilities.sum(), 1) or (probabilities < 0).any():
        raise ValueError(f"the probabilities of all deals sum to 1, not to {probabilities.sum():.6g}")
    if holds.shape != (len(probabilities), 2) or strengths.shape != holds.shape:
        raise ValueError(f"holds {holds.shape} and strengths {strengths.shape}: [{len(probabilities)}, 2] each")
    number, names = np.zeros(len(probabilities), np.int64), [("",), *(tuple(each) for _, each in boards)]
    on_street = [number, *(np.asarray(board) for board, _ in boards)]
    streets = []
    for s, (board, named) in enumerate(zip(on_street, names, strict=True)):
        prior, win, tie = (np.zeros((len(named), len(hands), len(hands))) for _ in range(3))
        place = (board, holds[:, 0], holds[:, 1])
        for cells, counts in (
            (prior, True),
            (win, strengths[:, 0] > strengths[:, 1]),
            (tie, strengths[:, 0] == strengths[:, 1]),
        ):
            np.add.at(cells, place, np.where(counts, probabilities, 0.0))
        streets.append(StreetDeals(named, _continued(on_street, s, len(named)), prior, win, tie))
    return Deals(tuple(hands), tuple(streets), _examples(deals, on_street[-1], holds, len(hands)))


def listed_for_seats(
    deals: Any,
    probabilities: np.ndarray,
    holds: np.ndarray,
    strengths: np.ndarray,
    hands: Sequence[str],
    orders: np.ndarray,
    boards: Sequence[tuple[np.ndarray, Sequence[str]]] = (),
) -> SeatDeals:
    """As ``listed``, for any number of seats: ``holds`` and ``strengths`` are ``[D, seats]``, and ``orders`` are the
    game's ``showdown_orders`` ``[O, seats]``.
    """
    seats = holds.shape[1]
    dense = np.array([np.unique(row, return_inverse=True)[1] for row in strengths])  # the same order from 0 up
    outcome = np.argmax((dense[:, None] == np.asarray(orders)[None]).all(axis=2), axis=1)
    on_street = [np.zeros(len(probabilities), np.int64), *(np.asarray(board) for board, _ in boards)]
    streets = []
    for s, (board, named) in enumerate(zip(on_street, [("",), *(tuple(each) for _, each in boards)], strict=True)):
        chances = np.zeros((len(orders), len(named), *[len(hands)] * seats))
        np.add.at(chances, (outcome, board, *holds.T), probabilities)
        streets.append(SeatStreetDeals(named, _continued(on_street, s, len(named)), chances))
    return SeatDeals(tuple(hands), tuple(streets), _examples(deals, on_street[-1], holds, len(hands)))


def _continued(on_street: Sequence[np.ndarray], street: int, boards: int) -> np.ndarray:
    """``[boards]`` int32: the board of the street before that each board of ``street`` continues."""
    from_board = np.zeros(boards, np.int32)
    if street:
        from_board[on_street[street]] = on_street[street - 1]
    return from_board


def _examples(deals: Any, board: np.ndarray, holds: np.ndarray, hands: int) -> tuple[tuple[Any, np.ndarray], ...]:
    """Of each seat, one deal for each board of the last street and hand."""
    examples = []
    for seat in range(holds.shape[1]):
        column, first = np.unique(board * hands + holds[:, seat], return_index=True)
        examples.append((jax.tree.map(lambda x, rows=first: x[rows], deals), column))
    return tuple(examples)


@functools.cache
def arrangements(cards: int, places: int) -> np.ndarray:
    """``[D, places]`` int: all ways to deal so many different cards, for ``listed``."""
    return np.array(list(itertools.permutations(range(cards), places)))
