"""Every deal of a two-player game: who may hold what, how likely that is, and who wins the showdown.

This and a betting tree are all that an exact solver knows of a game. A deal is a pair of private hands and, street by
street, a board of public cards. Hands that play alike may be one class (the 169 hands before the flop), with the
number of their cards in the probabilities, so that card removal is exact.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxpoker import core, equity, ranges
from jaxpoker.games import kuhn, leduc, packed
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import Deal as HoldemDeal
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc


@dataclasses.dataclass(frozen=True, eq=False)
class Street:
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
    streets: tuple[Street, ...]
    examples: tuple[tuple[Any, np.ndarray], ...]  # per seat: deals [E, ...], and their column of the last street [E]

    def columns_before(self, street: int, before: int) -> np.ndarray:
        """``[columns of street]``: the column of street ``before`` that each one continues."""
        board, hand = np.divmod(np.arange(self.streets[street].columns), len(self.hands))
        for later in range(street, before, -1):
            board = self.streets[later].from_board[board]
        return board * len(self.hands) + hand


def of(game: core.Game) -> Deals:
    """The deals of Kuhn or Leduc for two, or of hold'em before the flop in 169 classes of hands."""
    if isinstance(game, Kuhn) and game.num_players == 2:
        return _kuhn()
    if isinstance(game, Leduc):
        return _leduc()
    if isinstance(game, Holdem) and game.num_players == 2:
        return _preflop()
    raise ValueError(f"exact solving is for two players, not for {game.name} with {game.num_players}")


def _showdowns(strength: np.ndarray, prior: np.ndarray) -> dict[str, np.ndarray]:
    """Prior, win and tie ``[B, H, H]`` when ``strength`` ``[B, H]`` decides."""
    mine, other = strength[:, :, None], strength[:, None, :]
    return {"prior": prior, "win": prior * (mine > other), "tie": prior * (mine == other)}


@functools.cache
def _kuhn() -> Deals:
    game = Kuhn()
    n = game.num_cards
    prior = (1 - np.eye(n))[None] / (n * (n - 1))
    street = Street(("",), np.zeros(1, np.int32), **_showdowns(np.arange(n)[None], prior))
    hand, other = np.arange(n), (np.arange(n) + 1) % n
    examples = tuple(
        (kuhn.Deal(packed.pack(jnp.asarray(np.stack(pair, axis=1)))), hand) for pair in ((hand, other), (other, hand))
    )
    return Deals(tuple(game.card_text(card) for card in range(n)), (street,), examples)


@functools.cache
def _leduc() -> Deals:
    game = Leduc()
    n = game.num_cards
    hands = tuple(game.card_text(card) for card in range(n))
    apart = 1.0 - np.eye(n)
    prior = apart[:, :, None] * apart[:, None, :] * apart[None] / (n * (n - 1) * (n - 2))  # [public, hand, hand]
    rank = np.arange(n) // 2
    strength = np.where(rank[:, None] == rank, n, rank)  # [public, hand]
    second = Street(hands, np.zeros(n, np.int32), **_showdowns(strength, prior))
    first = Street(("",), np.zeros(1, np.int32), *(x.sum(axis=0)[None] for x in (second.prior, second.win, second.tie)))
    public, hand = np.nonzero(apart)
    other = np.array([min({0, 1, 2} - {p, h}) for p, h in zip(public, hand, strict=True)])
    examples = tuple(
        (leduc.Deal(packed.pack(jnp.asarray(np.stack([*pair, public], axis=1)))), public * n + hand)
        for pair in ((hand, other), (other, hand))
    )
    return Deals(hands, (first, second), examples)


@functools.cache
def _preflop() -> Deals:
    table = equity.matchups()
    pairs = table.combos.sum()  # 1,326 * 1,225
    boards = table.win + table.tie + table.lose  # [169, 169] of each pair of classes
    prior = table.combos / pairs
    win, tie = (prior * count / boards for count in (table.win, table.tie))
    street = Street(("",), np.zeros(1, np.int32), prior[None], win[None], tie[None])
    hole = ranges.COMBOS  # [1326, 2], and two cards more that are not among them
    others = np.array([sorted({0, 1, 2, 3} - set(pair))[:2] for pair in hole.tolist()])
    board = np.array(
        [sorted(set(range(9)) - {*a, *b})[:5] for a, b in zip(hole.tolist(), others.tolist(), strict=True)]
    )
    examples = tuple(
        (HoldemDeal.of(jnp.asarray(np.stack(pair, axis=1)), jnp.asarray(board)), ranges.CLASS_OF_COMBO)
        for pair in ((hole, others), (others, hole))
    )
    return Deals(ranges.CLASS_NAMES, (street,), examples)
