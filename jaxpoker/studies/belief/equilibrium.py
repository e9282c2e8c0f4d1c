"""What a belief network is compared with: a solved strategy, and how fast CFR+ comes there."""

from __future__ import annotations

import dataclasses
import time
from typing import NamedTuple

import jax

from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.solvers.exact import cfr, exact_game

CFR_ITERATIONS = 1_000  # of the line in the picture, and of the equilibrium that a network plays


class Solved(NamedTuple):
    """CFR+'s averaged strategy, and its way there, measurement by measurement."""

    strategy: jax.Array  # [information sets, actions]
    step: tuple[int, ...]
    seconds: tuple[float, ...]
    exploitability: tuple[float, ...]


def equilibrium(game: Kuhn | Leduc) -> Solved:
    """Solves ``game`` and writes down how exploitable the average is after every update."""
    solver = cfr.CFR(exact_game.whole(game))
    solver = dataclasses.replace(solver, last=CFR_ITERATIONS)
    began, state = time.perf_counter(), solver.init()
    way: list[tuple[int, float, float]] = []
    while int(state.step) < CFR_ITERATIONS:
        state, metrics = solver.update(state)
        exploitability = float(metrics["exploitability"])
        way.append((int(state.step), time.perf_counter() - began, exploitability))
    step, seconds, exploitabilities = zip(*way, strict=True)
    return Solved(solver.average(state), step, seconds, exploitabilities)
