"""The flops of a run as a learner: an update solves one flop, or several at once. So a run saves, stops and goes on as
all others do. A flop that was at work when the run was killed is solved anew, with the same bits.
"""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.solvers import flops
from jaxpoker.solvers.flops import files, memory, solving
from jaxpoker.solvers.flops.solved import SolvedFlop
from jaxpoker.solvers.subgame.memory import available
from jaxpoker.studies.flops import facts
from jaxpoker.studies.flops.chosen import spot_on
from jaxpoker.studies.flops.config import KEPT, Config
from jaxpoker.studies.flops.facts import Facts, Layout


class State(NamedTuple):
    """What is done."""

    step: np.ndarray  # [] int32: flops
    facts: Facts  # of all flops, 0 of those that are not done


class FlopByFlop:
    """``boards`` ``[F, 3]``: the flops to solve, in order. ``folder``: where files of them are left."""

    def __init__(self, config: Config, boards: np.ndarray, layout: Layout, folder: Path) -> None:
        self.config, self.boards, self.layout, self.folder = config, boards, layout, folder
        self._spots = [spot_on(config, board) for board in boards]
        places = np.array([solving.places_of(spot) for spot in self._spots]).reshape(-1, 2)
        self._widths = (int(places[:, 0].max(initial=0)), int(places[:, 1].max(initial=0)))
        self._devices = jax.devices()

    def init(self, key: Any) -> State:
        return State(np.zeros((), np.int32), self.layout.empty(len(self.boards)))

    def update(self, state: State) -> tuple[State, Mapping[str, Any]]:
        began, step = time.process_time(), int(state.step)
        todo = range(step, min(step + self.config.at_once, len(self.boards)))
        found = Facts(*(np.array(array) for array in state.facts))
        with concurrent.futures.ThreadPoolExecutor(len(todo)) as pool:  # not the main thread: it hears of Ctrl-C
            for number, one in zip(todo, pool.map(self._solved, todo), strict=True):
                for whole, part in zip(found, one, strict=True):
                    whole[number] = part
        spent = time.process_time() - began
        worst = float(found.quality[list(todo), 2].max())
        metrics = {"processor_seconds": spent, "exploitability_percent": worst, "iterations": self._iterations(found)}
        return State(np.asarray(step + len(todo), np.int32), found), metrics

    def _iterations(self, found: Facts) -> float:
        return float(found.quality[found.done, 3].mean())

    def _solved(self, number: int) -> Facts:
        config, device = self.config, self._devices[number % len(self._devices)]
        with jax.default_device(device):
            begun = self.begun(number, config.memory_limit and config.memory_limit / config.at_once)
            solved = flops.solve(self._spots[number], config.target, config.iterations, start=begun)
            if config.keep != KEPT[0]:
                depth = min(KEPT.index(config.keep), solved.depth)
                files.save(solved, self.folder / f"{cards.text(self.boards[number])}.flop", depth)
            return facts.of(solved, self.layout)

    def begun(self, number: int, memory_gb: float | None = None) -> SolvedFlop:
        """A flop before its first iteration."""
        return solving.prepared(self._spots[number], bits=self.config.bits, memory_gb=memory_gb, widths=self._widths)

    def cost(self) -> tuple[float, float]:
        """GB of memory and seconds an iteration on one core, of the first flop; refused if all at once are too much."""
        config = self.config
        made = solving.described(self._spots[0], bits=config.bits, widths=self._widths)
        total = memory.needed(made.game, config.bits).total / 1e9
        limit = available() / 1e9 if config.memory_limit is None else config.memory_limit
        together = min(config.at_once, len(self.boards))
        if together * total > limit:
            raise RunError(
                f"{together} flops at once take {together * total:.1f} GB of memory and {limit:.1f} GB are there: "
                "take --bits 16, fewer at once, fewer bet sizes, a cap on raises, or smaller ranges"
            )
        return total, memory.seconds_of(made.game, config.bits)
