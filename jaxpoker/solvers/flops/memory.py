"""How much memory a flop takes and about how long an iteration takes, known before it is solved."""

from __future__ import annotations

from jaxpoker.solvers.flops import tables
from jaxpoker.solvers.flops.iterating import FlopGame
from jaxpoker.solvers.flops.runouts import RIVERS
from jaxpoker.solvers.flops.street_tree import FOLDS, SHOWN
from jaxpoker.solvers.subgame.memory import Memory
from jaxpoker.solvers.sweep import PLAYERS

BITS = (32, 16)
_FLOAT = 4  # bytes
_PROGRAM = 600e6  # bytes of the programs, and of compiling them
_OF_A_NUMBER = {32: 6e-9, 16: 8e-9}  # seconds that a number of the tables takes an iteration, on a core of 2024
_OF_A_PRODUCT = 1.5e-11  # ... and one multiplication where hands are compared


def boards_of(game: FlopGame) -> tuple[int, ...]:
    """How many boards of each street are solved."""
    return (1, len(game.turns), game.runouts.num_rivers)[: len(game.streets)]


def numbers(game: FlopGame) -> int:
    """How many regrets there are; averages are as many."""
    widths = game.runouts.widths
    return sum(
        boards * street.rows[p] * widths[p]
        for boards, street in zip(boards_of(game), game.streets, strict=True)
        for p in PLAYERS
    )


def needed(game: FlopGame, bits: int) -> Memory:
    """The memory of solving a flop."""
    widths, street = game.runouts.widths, game.streets[-1]
    of_tables = sum(
        2 * tables.num_bytes(tree, p, widths[p], boards, bits)
        for boards, tree in zip(boards_of(game), game.streets, strict=True)
        for p in PLAYERS
    )
    matrices = (6 + 2 * len(game.turns)) * widths[0] * widths[1]
    ranks = 4 * game.runouts.num_rivers * sum(widths)
    of_block = RIVERS * sum(6 * street.rows[p] * widths[p] for p in PLAYERS)
    return Memory(of_tables, _FLOAT * (matrices + ranks + of_block), _PROGRAM)


def seconds_of(game: FlopGame, bits: int) -> float:
    """About how long one core takes for an iteration."""
    products = 0
    for boards, street in zip(boards_of(game), game.streets, strict=True):
        products += 2 * boards * (len(street.ends[FOLDS]) + len(street.ends[SHOWN]))
    oop, ip = game.runouts.widths
    return numbers(game) * _OF_A_NUMBER[bits] + products * oop * ip * _OF_A_PRODUCT
