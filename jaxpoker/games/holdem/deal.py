"""The cards of a hand of hold'em: drawn, or chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands

Array = jax.Array

BOARD_CARDS = np.asarray([0, 3, 4, 5], np.int32)  # face up on each street


@flax.struct.dataclass
class Deal:
    """Everything random of a hand, one scalar per card and seat."""

    hole_cards: tuple[Array, ...]  # 2 * players: seat i holds cards 2 i and 2 i + 1
    board_cards: tuple[Array, ...]  # 5, face down until their street
    strengths: tuple[Array, ...]  # players: strength of the seat's seven cards
    win_probability: Array | None = None  # [players, 4] each seat's equity against a random hand, street by street

    @classmethod
    def of(
        cls,
        hole: Array | np.ndarray | str | Sequence[str],
        board: Array | np.ndarray | str = "",
        key: Array | None = None,
    ) -> Deal:
        """The deal of ``hole`` ``[..., players, 2]`` and ``board`` ``[..., 5]`` cards, or of text seat by seat.

        As text the board may be short and hands may be empty: ``Deal.of(["AhKh", ""], "Qh7h2c", key)``. What is left
        out is drawn with ``key``, and without one it is the lowest cards that are left.
        """
        if isinstance(hole, str) or (isinstance(hole, Sequence) and all(isinstance(hand, str) for hand in hole)):
            hole, board = _chosen(hole.split() if isinstance(hole, str) else list(hole), board, key)
        hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
        if hole.ndim < 2 or hole.shape[-1] != 2 or board.ndim < 1 or board.shape[-1] != 5:
            raise ValueError(f"hole {hole.shape}, board {board.shape}: a deal has [..., players, 2] and [..., 5]")
        columns = [hole[..., i, j] for i in range(hole.shape[-2]) for j in range(2)]
        return cls.of_columns(columns, [board[..., i] for i in range(5)])

    @classmethod
    def of_columns(cls, hole: list[Array], board: list[Array]) -> Deal:
        """The deal of one array per card."""
        on_board = hands.suit_masks(board)
        strengths = []
        for pair in zip(hole[::2], hole[1::2], strict=True):
            clubs, diamonds, hearts, spades = (
                a | b for a, b in zip(on_board, hands.suit_masks(list(pair)), strict=True)
            )
            strengths.append(hands.strength_of_masks(clubs, diamonds, hearts, spades))
        return cls(tuple(hole), tuple(board), tuple(strengths))

    @property
    def hole(self) -> Array:
        """``[..., players, 2]`` cards."""
        cards_ = jnp.stack(self.hole_cards, axis=-1)
        return cards_.reshape(*cards_.shape[:-1], -1, 2)

    @property
    def board(self) -> Array:
        """``[..., 5]`` cards, those not yet face up included."""
        return jnp.stack(self.board_cards, axis=-1)

    @property
    def strength(self) -> Array:
        """``[..., players]`` showdown strengths."""
        return jnp.stack(self.strengths, axis=-1)


def _chosen(hands: list[str], board: Any, key: Array | None) -> tuple[np.ndarray, np.ndarray]:
    """``[players, 2]`` and ``[5]`` cards: those that are named, and others in the place of those that are not."""
    held = [cards.parse(hand) for hand in hands]
    for hand, named in zip(hands, held, strict=True):
        if len(named) not in (0, 2):
            raise ValueError(f"hand {hand!r} has {len(named)} cards: a hand of hold'em has two, or none to be drawn")
    opened = cards.parse(board) if isinstance(board, str) else np.asarray(board)
    if len(opened) > BOARD_CARDS[-1]:
        raise ValueError(f"board {board!r} has {len(opened)} cards: it has five at the most")
    named = cards.parse(cards.text(np.concatenate([*held, opened]).astype(int)))  # which refuses a card named twice
    left = np.setdiff1d(np.arange(cards.NUM_CARDS), named)
    deck = iter(left if key is None else np.asarray(jax.random.permutation(key, left)))
    hole = [hand if len(hand) else np.array([next(deck), next(deck)]) for hand in held]
    rest = [next(deck) for _ in range(int(BOARD_CARDS[-1]) - len(opened))]
    return np.array(hole), np.array([*opened.tolist(), *rest])
