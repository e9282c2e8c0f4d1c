"""Solving one spot: until it is good enough, for so many iterations, or for so long.

    solved = subgame.solve(spot, target=0.3)            # exploitability of 0.3% of the pot
    solved = subgame.solve(spot, iterations=200, algorithm="cfr+", progress=print)
    solved = subgame.solve(spot, target=0.1, start=solved)         # goes on where it stopped

Ctrl-C or SIGTERM ends it after the iterations that run, and what there is comes back.
"""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame import betting, hand_places, memory, regret_loop, template
from jaxpoker.solvers.subgame import locks as node_locks
from jaxpoker.solvers.subgame.locks import NodeLock
from jaxpoker.solvers.subgame.solved import Solved
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.subgame_game import SubgameGame
from jaxpoker.solvers.subgame.template import Shape

DEFAULT_TARGET = 0.3  # % of the pot
MOST_ITERATIONS = 100_000
_FIRST_CHECK = 10  # iterations; later checks come after a tenth more
_LONGEST = 1.0  # seconds between two looks at the clock and at Ctrl-C


class Progress(NamedTuple):
    """How far it is."""

    iterations: int
    exploitability: float  # % of the pot
    seconds: float
    seconds_left: float  # estimated; infinite when it cannot be told

    def __str__(self) -> str:
        left = "" if math.isinf(self.seconds_left) else f", about {self.seconds_left:.0f} s left"
        return f"iteration {self.iterations}: exploitable for {self.exploitability:.3f}% of the pot{left}"


def solve(
    spot: Spot,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    algorithm: str | Algorithm = "dcfr",
    locks: Sequence[NodeLock] = (),
    symmetric: bool = True,
    progress: Callable[[Progress], object] | None = None,
    start: Solved | None = None,
    shape: Shape | None = None,
    memory_gb: float | None = None,
) -> Solved:
    """Solves ``spot`` until exploitability is at most ``target`` % of the pot, or ``iterations`` are done, or
    ``seconds`` are over, whichever comes first; without any of them to 0.3%.

    ``symmetric``: suits that can be exchanged are solved once, unless there are ``locks``. ``start``: a solved state of
    the same spot to go on from, with its algorithm and its locks. ``shape``: a larger betting tree whose program is to
    be used (``template.union``). ``memory_gb``: refused when it takes more; None is what is free.
    """
    target = checked_aims(target, iterations, seconds)
    chosen = regret_loop.algorithm_of(algorithm)
    if start is not None and start.spot is not spot and start.spot.as_json() != spot.as_json():
        raise ValueError(f"cannot go on from another spot: {start.spot.text}, not {spot.text}")
    begun = prepared(spot, chosen, locks, symmetric, shape, memory_gb) if start is None else start
    return _Run(begun, target, iterations or MOST_ITERATIONS, seconds or math.inf, progress).done()


def prepared(
    spot: Spot,
    algorithm: Algorithm,
    locks: Sequence[NodeLock] = (),
    symmetric: bool = True,
    shape: Shape | None = None,
    memory_gb: float | None = None,
) -> Solved:
    """A spot before its first iteration; ``RunError`` when it takes too much memory."""
    tree = betting.tree(spot)
    form = template.of(shape or template.shape_of(tree), spot.street)
    places = hand_places.of(spot, symmetric and not locks)
    memory.require(memory.needed(form, places, algorithm, bool(locks)), memory_gb)
    game = SubgameGame(form, masked=shape is not None, raked=spot.rake > 0)
    dealt = regret_loop.prepare(game, game.data(spot, tree, places))
    tables = node_locks.tables(locks, tree, form, places)
    state = regret_loop.begin(game, algorithm, dealt)
    return Solved(spot, tree, places, game, algorithm, tuple(locks), dealt, state, tables)


def memory_of(spot: Spot, algorithm: str | Algorithm = "dcfr", symmetric: bool = True) -> memory.Memory:
    """How much memory solving ``spot`` takes."""
    form = template.of(template.shape_of(betting.tree(spot)), spot.street)
    return memory.needed(form, hand_places.of(spot, symmetric), regret_loop.algorithm_of(algorithm))


def checked_aims(target: float | None, iterations: int | None, seconds: float | None) -> float:
    for name, value in (("target", target), ("iterations", iterations), ("seconds", seconds)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name}={value!r}: a number above 0")
    if target is None:
        return DEFAULT_TARGET if iterations is None and seconds is None else 0.0
    return target


class _Run:
    """Iterations in blocks, with a look at the clock, at Ctrl-C and at exploitability in between."""

    def __init__(
        self,
        solved: Solved,
        target: float,
        last: int,
        seconds: float,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        self.solved, self.target, self.last, self.seconds, self.progress = solved, target, last, seconds, progress
        self.state = jax.tree.map(jnp.copy, solved.state)  # the old one stays with who has it
        self.seen: list[tuple[int, float]] = []  # iterations and exploitability
        self.pace = 0.0  # seconds an iteration

    def done(self) -> Solved:
        solved, step = self.solved, int(self.solved.state.step)
        self._compiled()
        began, processor = time.perf_counter(), time.process_time()
        percent, stopped = math.inf, False
        with asked_to_stop() as asked:
            while True:
                check = min(max(step + _FIRST_CHECK, math.ceil(step * 1.1)), self.last)
                while step < check and not asked and time.perf_counter() - began < self.seconds:
                    step = self._advance(step, check, began)
                quality = regret_loop.quality(solved.game, solved.dealt, self.state, solved.locks)
                percent = 100 * float(quality.exploitability) / solved.spot.whole_pot
                passed = time.perf_counter() - began
                self.seen.append((step, percent))
                if self.progress is not None:
                    aims = (self.target, self.last, self.seconds)
                    self.progress(Progress(step, percent, passed, seconds_left(self.seen, passed, self.pace, *aims)))
                stopped = bool(asked)
                if percent <= self.target or step >= self.last or passed >= self.seconds or stopped:
                    break
        return solved.after(
            self.state,
            np.asarray(quality.values),
            np.asarray(quality.best),
            processor_seconds=time.process_time() - processor,
            interrupted=stopped,
        )

    def _compiled(self) -> None:
        """Makes the programs before the clock starts."""
        solved = self.solved
        self.state = regret_loop.run(solved.game, solved.algorithm, solved.dealt, self.state, np.int32(0), solved.locks)
        jax.block_until_ready(regret_loop.quality(solved.game, solved.dealt, self.state, solved.locks))

    def _advance(self, step: int, check: int, began: float) -> int:
        """Some iterations towards ``check``, for a second at the most."""
        count = check - step
        if self.pace:
            time_left = min(_LONGEST, max(self.seconds - (time.perf_counter() - began), 0))
            count = max(1, min(count, int(time_left / self.pace)))
        start, solved = time.perf_counter(), self.solved
        self.state = regret_loop.run(
            solved.game, solved.algorithm, solved.dealt, self.state, np.int32(count), solved.locks
        )
        jax.block_until_ready(self.state.step)
        self.pace = (time.perf_counter() - start) / count
        return step + count


def seconds_left(
    seen: list[tuple[int, float]], passed: float, pace: float, target: float, last: int, seconds: float
) -> float:
    """Seconds until the first of the aims, by the ``pace`` of the last iterations, of what was ``seen``: iterations and
    exploitability. Exploitability is taken to fall as a power of the iterations.
    """
    step, now = seen[-1]
    left = [seconds - passed, (last - step) * pace if last < MOST_ITERATIONS else math.inf]
    if target and len(seen) > 1 and now > target:
        before, then = seen[-2]
        if then > now and step > before:
            power = math.log(then / now) / math.log(step / before)
            left.append(step * ((now / target) ** (1 / power) - 1) * pace)
    return max(min(left), 0)


@contextlib.contextmanager
def asked_to_stop() -> Iterator[list[int]]:
    """A list that has an entry after Ctrl-C or SIGTERM; a second one does what it always does. Python tells the main
    thread only.
    """
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    def catch(number: int, frame: object) -> None:
        asked.append(number)
        restore()

    for number in previous:
        signal.signal(number, catch)
    try:
        yield asked
    finally:
        restore()
