"""Where each hand of a spot stands in the solver's arrays, and the cards that are still to come.

Both players share one axis of hands, those in either range. On the river hands stand in blocks in the order of their
strength (``showdowns/strength_blocks.py``), on each board another; on the turn in blocks in no special order. How many
blocks a board needs depends on how many of its hands are equal. All boards get what nearly every board needs for so
many hands, rounded up to one of a few numbers, so that spots share programs.

Suits that can be exchanged without changing the board or a range make river cards alike: one of each kind is solved and
counts as often as there are such cards. What a hand is worth on the turn is then a mean over the exchanges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import hands
from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity import boards
from jaxpoker.equity.by_hand import hole_masks
from jaxpoker.equity.showdowns import columns, strength
from jaxpoker.ranges import COMBOS, NUM_COMBOS
from jaxpoker.solvers.showdowns.strength_blocks import NO_HAND, places
from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.subgame.spot import Spot

LENGTH = 48  # hands of a block
WIDTHS = (1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48)  # numbers of blocks
USUAL = 1.25  # places that nine of ten rivers need for a hand
AT_ONCE = 48  # boards whose hands are evaluated at once


class Street(NamedTuple):
    """The hands on B boards of one street, N blocks of L places."""

    combo: np.ndarray  # [B, N, L] int32 into ranges.COMBOS; NO_HAND where there is none
    cards: np.ndarray  # [B, N, L, 2] int32: numbers among the cards that are not on the board; NO_HAND
    strength: np.ndarray | None  # [B, N, L] int32, of a river
    boards: np.ndarray  # [B, cards] int32


class Deal(NamedTuple):
    """From the turn to R river cards and back; F = N * L places of the turn, P of the river."""

    after: np.ndarray  # [R, N, L] int32: the turn's place of each hand on the river; F for none
    before: np.ndarray  # [R, F] int32: the river's place of each hand on the turn; P for none
    times: np.ndarray  # [R] float32: how many cards are like this one
    exchanged: np.ndarray  # [G, F] int32: the place that each hand has after an exchange of suits; F for none


class Places(NamedTuple):
    """All of it."""

    streets: tuple[Street, ...]  # from the spot's on
    deal: Deal | None  # of a turn
    orders: tuple[tuple[int, ...], ...]  # exchanges of suits that change nothing, the first of them none

    @property
    def sizes(self) -> tuple[int, ...]:
        """What fixes the sizes of arrays: blocks by street, boards, exchanges."""
        dealt = () if self.deal is None else (len(self.deal.times), len(self.deal.exchanged))
        return (*(street.combo.shape[1] for street in self.streets), *dealt)


def of(spot: Spot, symmetric: bool = True, of_hand: np.ndarray | None = None) -> Places:
    """The places of the hands of ``spot``; of a river ``of_hand`` ``[1326]`` may say how strong they are."""
    if spot.street < LAST_STREET - 1:
        raise ValueError(f"{spot.text}: turns and rivers are solved here, flops by solvers.flops")
    live = np.asarray((spot.ranges > 0).any(axis=0))
    if spot.street == LAST_STREET:
        board = np.array([spot.board])
        found = strengths(board) if of_hand is None else of_hand[None]
        return Places((_rivers(board, live, found),), None, (tuple(range(4)),))
    known = [boards.mask(spot.board)]
    orders = boards.symmetries([spot.oop, spot.ip], known) if symmetric else (tuple(range(4)),)
    turn = _turn(spot.board, live)
    next_cards, times = _next_cards(spot.board, orders)
    all_boards = np.array([[*spot.board, card] for card in next_cards])
    rivers = _rivers(all_boards, live, strengths(all_boards))
    return Places((turn, rivers), _deal(turn, rivers, times, orders), orders)


def widened(places: Places, blocks: Sequence[int]) -> Places:
    """The same with so many ``blocks`` on each street: empty ones are added, no hand moves within its board."""
    streets = tuple(_with_blocks(street, number) for street, number in zip(places.streets, blocks, strict=True))
    if places.deal is None:
        return places._replace(streets=streets)
    return places._replace(streets=streets, deal=_deal(streets[0], streets[1], places.deal.times, places.orders))


def _with_blocks(street: Street, blocks: int) -> Street:
    def longer(x: np.ndarray, fill: int) -> np.ndarray:
        more = [(0, 0), (0, blocks - x.shape[1]), *[(0, 0)] * (x.ndim - 2)]
        return np.pad(x, more, constant_values=fill)

    ranked = None if street.strength is None else longer(street.strength, 0)
    return Street(longer(street.combo, NO_HAND), longer(street.cards, NO_HAND), ranked, street.boards)


def _next_cards(board: Sequence[int], orders: tuple[tuple[int, ...], ...]) -> tuple[list[int], np.ndarray]:
    """One card of each kind that may come, and how many there are of it."""
    orbits: dict[int, set[int]] = {}
    for card in range(NUM_CARDS):
        if card not in board:
            orbit = {suits[card // 13] * 13 + card % 13 for suits in orders}
            orbits[min(orbit)] = orbit
    return list(orbits), np.array([len(orbit) for orbit in orbits.values()], np.float32)


def _turn(board: Sequence[int], live: np.ndarray) -> Street:
    combos = np.flatnonzero(live)
    return _street(np.array([board]), [combos], [np.arange(len(combos))], None)


def _rivers(all_boards: np.ndarray, live: np.ndarray, of_hand: np.ndarray) -> Street:
    """The hands on ``all_boards`` ``[B, 5]``, with strengths ``[B, 1326]``."""
    combos = [np.flatnonzero(live & ~np.isin(COMBOS, board).any(axis=1)) for board in all_boards]
    at = [places(of_board[chosen], LENGTH) for of_board, chosen in zip(of_hand, combos, strict=True)]
    return _street(all_boards, combos, at, of_hand)


def _street(
    all_boards: np.ndarray, combos: list[np.ndarray], at: list[np.ndarray], of_hand: np.ndarray | None
) -> Street:
    widest = max(int(of_board.max(initial=0)) // LENGTH + 1 for of_board in at)
    usual = max(map(len, combos)) * (1.0 if of_hand is None else USUAL) / LENGTH
    blocks = next(width for width in WIDTHS if width >= max(widest, usual))
    combo = np.full((len(combos), blocks * LENGTH), NO_HAND, np.int32)
    for row, chosen, place in zip(combo, combos, at, strict=True):
        row[place] = chosen
    number = np.empty((len(combos), NUM_CARDS + 1), np.int32)  # of each card among those not on the board
    for row, board in zip(number, all_boards, strict=True):
        off = ~np.isin(np.arange(NUM_CARDS), board)
        row[:-1], row[-1] = np.where(off, np.cumsum(off) - 1, NO_HAND), NO_HAND
    held = np.where(combo[..., None] == NO_HAND, NUM_CARDS, COMBOS[combo])  # [B, N * L, 2]
    held = np.take_along_axis(number[:, None], held, axis=2)
    shape = (len(combos), blocks, LENGTH)
    ranked = None
    if of_hand is not None:
        ranked = np.where(combo == NO_HAND, 0, np.take_along_axis(of_hand, combo, axis=1)).reshape(shape)
        ranked = ranked.astype(np.int32)
    return Street(combo.reshape(shape), held.reshape(*shape, 2), ranked, all_boards)


def _deal(turn: Street, rivers: Street, times: np.ndarray, orders: tuple[tuple[int, ...], ...]) -> Deal:
    on_turn, on_river = turn.combo.reshape(-1), rivers.combo.reshape(len(times), -1)
    turn_place = _inverse(on_turn)
    after = turn_place[on_river].reshape(rivers.combo.shape)
    before = np.stack([_inverse(row)[on_turn] for row in on_river])
    exchanged = [np.append(boards.renamed_combos(suits), NO_HAND) for suits in orders]
    moved = np.stack([turn_place[combos[on_turn]] for combos in exchanged])
    return Deal(after, before, times, moved)


def _inverse(combo: np.ndarray) -> np.ndarray:
    """``[1327]`` int32: the place of each combo, and of NO_HAND, which is the last; as many as places for none."""
    place = np.full(NUM_COMBOS + 1, len(combo), np.int32)
    real = combo != NO_HAND
    place[combo[real]] = np.flatnonzero(real)
    return place


def strengths(all_boards: np.ndarray) -> np.ndarray:
    """``[B, 1326]`` int32: of every hand on every board of five cards ``[B, 5]``; of hands that it blocks any number.

    Boards are evaluated in blocks of one size, so that it compiles once.
    """
    size = 1 if len(all_boards) == 1 else AT_ONCE
    padding = np.repeat(all_boards[:1], -len(all_boards) % size, axis=0)
    padded = np.concatenate([all_boards, padding]).astype(np.int32)
    parts = [np.asarray(_strengths(padded[at : at + size])) for at in range(0, len(padded), size)]
    return np.concatenate(parts)[: len(all_boards)]


@jax.jit
def _strengths(all_boards: jax.Array) -> jax.Array:
    def of_board(board: jax.Array) -> jax.Array:
        return strength(hands.suit_masks(columns(board)), hole_masks())

    return jax.vmap(of_board)(jnp.asarray(all_boards))
