"""Solving one flop: until it is good enough, for so many iterations, or for so long.

    solved = flops.solve(spot, target=0.5)                        # exploitability of 0.5% of the pot
    solved = flops.solve(spot, iterations=200, bits=16)           # half the memory
    solved = flops.solve(spot, target=0.1, start=solved)          # goes on where it stopped; ``start`` is used up

Ctrl-C or SIGTERM ends it after the iteration that runs, and what there is comes back. Exploitability is measured after
10 iterations, 20, 30 and so on, from the 100th on after a tenth more each time, wherever it began: a solve that was
stopped and goes on ends where one without a stop ends, with the same bits.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable

import jax
import numpy as np

from jaxpoker.solvers.flops import memory, runouts
from jaxpoker.solvers.flops.iterating import FlopGame, InMemory
from jaxpoker.solvers.flops.memory import BITS
from jaxpoker.solvers.flops.solved import FLOP, SolvedFlop, in_memory
from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame import betting, regret_loop
from jaxpoker.solvers.subgame.memory import Memory, require
from jaxpoker.solvers.subgame.solving import (
    MOST_ITERATIONS,
    Progress,
    asked_to_stop,
    checked_aims,
    seconds_left,
)
from jaxpoker.solvers.subgame.spot import Spot

_FIRST_CHECK = 10  # iterations
CHECKPOINT_SECONDS = 300.0


def solve(
    spot: Spot,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    algorithm: str | Algorithm = "dcfr",
    symmetric: bool = True,
    bits: int = 32,
    progress: Callable[[Progress], object] | None = None,
    start: SolvedFlop | None = None,
    memory_gb: float | None = None,
    checkpoint: Callable[[SolvedFlop], object] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> SolvedFlop:
    """Solves the flop ``spot`` until exploitability is at most ``target`` % of the pot, or ``iterations`` are done, or
    ``seconds`` are over, whichever comes first; without any of them to 0.3%.

    ``bits``: 32 or 16 of each number in the tables. ``symmetric``: suits that can be exchanged are solved once.
    ``checkpoint`` is called now and then with what there is. ``memory_gb``: refused when it takes more; None is what
    is free.
    """
    target = checked_aims(target, iterations, seconds)
    if start is not None and start.spot is not spot and start.spot.as_json() != spot.as_json():
        raise ValueError(f"cannot go on from another spot: {start.spot.text}, not {spot.text}")
    begun = prepared(spot, algorithm, symmetric, bits, memory_gb) if start is None else start
    last, most_seconds = iterations or MOST_ITERATIONS, seconds or math.inf
    return _solved(begun, target, last, most_seconds, progress, checkpoint, checkpoint_seconds)


def prepared(
    spot: Spot,
    algorithm: str | Algorithm = "dcfr",
    symmetric: bool = True,
    bits: int = 32,
    memory_gb: float | None = None,
    widths: tuple[int, int] = (0, 0),
) -> SolvedFlop:
    """A flop before its first iteration; ``RunError`` when it takes too much memory."""
    made = described(spot, algorithm, symmetric, bits, widths)
    require(memory.needed(made.game, bits), memory_gb)
    made.game.compile(made.algorithm, bits)
    return in_memory(made, made.game.start(bits))


def described(
    spot: Spot,
    algorithm: str | Algorithm = "dcfr",
    symmetric: bool = True,
    bits: int = 32,
    widths: tuple[int, int] = (0, 0),
) -> SolvedFlop:
    """A flop without tables, for files and for what is told before the start. ``widths``: at least so many places for
    both players' hands, so that flops share programs.
    """
    if spot.street != FLOP:
        raise ValueError(f"{spot.text}: a flop has three open cards; turns and rivers are for solvers.subgame")
    chosen = regret_loop.algorithm_of(algorithm)
    if chosen.predictive:
        raise ValueError(f"{chosen.name}: flops are solved by algorithms that keep no forecast, such as dcfr or cfr+")
    if bits not in BITS:
        raise ValueError(f"bits={bits}: tables have 32 or 16 bits a number")
    tree = betting.tree(spot)
    cards = runouts.of(spot, symmetric, widths)
    game = FlopGame(tree, cards, spot.rake > 0)
    return SolvedFlop(spot, tree, cards, game, chosen, _NoAverages(), 0, bits, symmetric)


class _NoAverages:
    """Of a flop without tables."""

    def of_flop(self) -> tuple[()]:
        return ()

    def of_turn(self, number: int) -> tuple[()]:
        return ()

    def of_rivers(self, number: int, block: int) -> tuple[()]:
        return ()


def memory_of(spot: Spot, bits: int = 32, symmetric: bool = True) -> Memory:
    """How much memory solving ``spot`` takes."""
    return memory.needed(described(spot, symmetric=symmetric, bits=bits).game, bits)


def places_of(spot: Spot) -> tuple[int, int]:
    """How many places the hands of both players take."""
    oop, ip = (len(runouts.padded(np.flatnonzero(weights))) for weights in spot.ranges)
    return oop, ip


def next_check(step: int) -> int:
    """The first iteration after ``step`` after which exploitability is measured."""
    check = 0
    while check <= step:
        check = max(check + _FIRST_CHECK, math.ceil(check * 1.1))
    return check


def _solved(
    solved: SolvedFlop,
    target: float,
    last: int,
    seconds: float,
    progress: Callable[[Progress], object] | None,
    checkpoint: Callable[[SolvedFlop], object] | None,
    checkpoint_seconds: float,
) -> SolvedFlop:
    game, state = solved.game, solved.state
    if state is None:
        raise ValueError("this file keeps strategies alone: a flop is solved on from a file with its regrets")
    began, processor, saved = time.perf_counter(), time.process_time(), time.perf_counter()
    seen: list[tuple[int, float]] = []
    pace, stopped = 0.0, False
    with asked_to_stop() as asked:
        while True:
            check = min(next_check(state.step), last)
            while state.step < check and not asked and time.perf_counter() - began < seconds:
                before, first = time.perf_counter(), not pace
                state = game.iterate(solved.algorithm, state)
                jax.block_until_ready(state.flop.averages)
                pace = time.perf_counter() - before if first else 0.5 * (pace + time.perf_counter() - before)
            measured = game.measure(InMemory(state))
            percent = 100 * measured.exploitability / solved.spot.whole_pot
            passed = time.perf_counter() - began
            seen.append((state.step, percent))
            stopped = bool(asked)
            ended = percent <= target or state.step >= last or passed >= seconds or stopped
            if progress is not None:
                aims = (target, last, seconds)
                progress(Progress(state.step, percent, passed, 0 if ended else seconds_left(seen, passed, pace, *aims)))
            if ended:
                break
            if checkpoint is not None and time.perf_counter() - saved >= checkpoint_seconds:
                spent = solved.processor_seconds + time.process_time() - processor
                now = dataclasses.replace(in_memory(solved, state), measured=measured, processor_seconds=spent)
                checkpoint(now)
                saved = time.perf_counter()
    spent = solved.processor_seconds + time.process_time() - processor
    done = in_memory(solved, state)
    return dataclasses.replace(done, measured=measured, processor_seconds=spent, interrupted=stopped)
