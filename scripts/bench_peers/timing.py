"""Contenders and how they are timed: in turns, so that both meet the same disturbances of the machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax


class PeerMissing(Exception):
    """A peer that cannot be measured here; the message says how to install it, or why it cannot be."""


class Repeat(NamedTuple):
    """One timed repeat."""

    seconds: float  # wall time
    processor_seconds: float  # over all threads
    answer: float | None  # what was computed, to be compared between contenders


@dataclass(frozen=True)
class Work:
    """Something to measure: ``repeat`` does ``amount`` units of it and says how long that took."""

    amount: float
    repeat: Callable[[], Repeat]
    close: Callable[[], None] = lambda: None
    once: bool = False  # takes so long that one repeat has to do, without an untimed one before


def work(amount: float, run: Callable[[], Any], answer: Callable[[Any], float] | None = None) -> Work:
    """A work of this process: ``run`` does ``amount`` units; ``answer``, not timed, reads its result."""

    def repeat() -> Repeat:
        wall, processor = time.perf_counter(), time.process_time()
        result = run()
        seconds, processor_seconds = time.perf_counter() - wall, time.process_time() - processor
        return Repeat(seconds, processor_seconds, float(answer(result)) if answer else None)

    return Work(amount, repeat)


def finished(result: Any) -> Any:
    """What JAX computes, once it is there."""
    return jax.block_until_ready(result)


@dataclass
class Measured:
    """The repeats of one contender."""

    amount: float
    repeats: list[Repeat] = field(default_factory=list)

    @property
    def best_seconds(self) -> float:
        return min(r.seconds for r in self.repeats)

    @property
    def median_seconds(self) -> float:
        return statistics.median(r.seconds for r in self.repeats)

    @property
    def best_per_s(self) -> float:
        return self.amount / self.best_seconds

    @property
    def median_per_s(self) -> float:
        return self.amount / self.median_seconds

    @property
    def cores(self) -> float:
        """Processor time over wall time."""
        return sum(r.processor_seconds for r in self.repeats) / sum(r.seconds for r in self.repeats)

    @property
    def answer(self) -> float | None:
        return self.repeats[-1].answer


def alternate(works: Sequence[Work], repeats: int) -> list[Measured]:
    """All works ``repeats`` times in turns (first, second, ..., first, second, ...), after one untimed round."""
    measured = [Measured(w.amount) for w in works]
    for w in works:
        if not w.once:
            w.repeat()
    for turn in range(repeats):
        for w, m in zip(works, measured, strict=True):
            if turn == 0 or not w.once:
                m.repeats.append(w.repeat())
    return measured
