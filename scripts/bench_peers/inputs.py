"""The inputs that all contenders share. NumPy only: peers in environments of their own import it too."""

from __future__ import annotations

import numpy as np

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARD_NAMES = [rank + suit for suit in SUITS for rank in RANKS]  # name of card id = suit * 13 + rank

HERO = "AhKh"
FLOP = "Qh7h2c"
VILLAIN_RANGE = "22+, A2s+, KTs+, QTs+, JTs, ATo+, KQo"

TABLES = 8_192
HANDS = 1_000_000
HANDS_COMPARED = 20_000  # of those, all evaluators order the first ones

HALF_TRAINED = 50  # iterations of CFR+, after which all solvers of Leduc have the same strategy but for rounding
NETWORKS, NETWORK_TABLES, NETWORK_STEPS = 50, 64, 50  # PokerNets with weights of their own, tables of each, decisions
GENES, GENERATIONS = 14_545, 50  # of a population of NETWORKS PokerNets
SIMULATIONS, SEARCH_TABLES = 50, 512  # of a search, and games that search side by side
LEDUC_TARGET = 0.001  # exploitability of what counts as solved
LEDUC_SAMPLED_TARGET = 0.01  # ... by sampling


def names_in(cards: str) -> list[str]:
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def random_hands(count: int) -> np.ndarray:
    """``[count, 7]`` ids of distinct cards, always the same ones."""
    keys = np.random.default_rng(20_260).random((count, 52), np.float32)
    return np.argpartition(keys, 7, axis=1)[:, :7].astype(np.int32)


def order_of(strengths: np.ndarray) -> float:
    """How often a hand beats the next one among those compared, a tie counting half: equal for equal orders."""
    compared = np.asarray(strengths)[:HANDS_COMPARED].astype(np.int64)
    return float(np.sign(compared[:-1] - compared[1:]).sum())


def network_weights(shape: tuple[int, ...]) -> np.ndarray:
    """Small weights of all networks ``[NETWORKS, *shape]``, always the same ones for a shape."""
    return np.random.default_rng(shape).normal(0, 0.1, (NETWORKS, *shape)).astype(np.float32)


def network_features() -> np.ndarray:
    """``[NETWORKS, NETWORK_TABLES, 8]`` in 0 .. 1."""
    return np.random.default_rng(8).random((NETWORKS, NETWORK_TABLES, 8), np.float32)
