"""Which flops a run is about, how much each counts, and the spot on each of them."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from jaxpoker import cards
from jaxpoker.solvers.flops import textures
from jaxpoker.solvers.subgame import Spot
from jaxpoker.studies import menu_settings
from jaxpoker.studies.flops.config import ALL, Config


class Chosen(NamedTuple):
    """F flops."""

    boards: np.ndarray  # [F, 3] int32
    weights: np.ndarray  # [F] float64: how much each counts, together 1


def chosen(config: Config) -> Chosen:
    """The flops that the settings name; ``ValueError`` says what is wrong with them."""
    classes = textures.classes()
    said = config.flops.strip()
    if said == ALL:
        return Chosen(classes.cards, classes.times / classes.times.sum())
    if said.isdecimal():
        numbers = textures.sample(int(said), config.seed)
        return Chosen(classes.cards[numbers], np.full(len(numbers), 1 / len(numbers)))
    boards = [cards.parse(word) for word in re.split(r"[,;]", said) if word.strip()]
    wrong = [cards.text(board) for board in boards if len(board) != 3]
    if wrong or not boards:
        raise ValueError(f"--flops {said!r}: all, a number, or flops of three cards such as 'Td9d6h, QsJh2h'")
    return Chosen(np.stack(boards), np.full(len(boards), 1 / len(boards)))


def spot_on(config: Config, board: np.ndarray) -> Spot:
    """The spot of the settings on a flop."""
    return Spot(
        board=board.tolist(),
        pot=config.pot,
        stack=config.stack,
        oop=config.oop,
        ip=config.ip,
        menu=menu_settings.menu_of(config),
        rake=config.rake,
        rake_cap=config.rake_cap,
    )
