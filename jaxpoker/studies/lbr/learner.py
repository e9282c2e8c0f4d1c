"""Local best responses as a run sees them: rounds of deals until all intervals are narrow enough."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

import jaxpoker
from jaxpoker import players
from jaxpoker.dashboard import Display, Metrics
from jaxpoker.errors import RunError
from jaxpoker.match import Estimate
from jaxpoker.players.registry import BLUEPRINT_FILE, file_of
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.response import local_best_response, settings
from jaxpoker.solvers.response.range_play import Match
from jaxpoker.studies.lbr.config import Config

Array = jax.Array

FEWEST_ROUNDS = 4  # an interval from fewer deals is not to be trusted
MILLI = 1_000
SHIPPED = "blueprint"


class Opponents(NamedTuple):
    """A responder for each setting, against the same player."""

    matches: tuple[Match, ...]
    params: Any


def opponents_of(config: Config) -> Opponents:
    """The player that the settings name, as each responder meets it; one that cannot be measured is refused."""
    chosen = [settings.of_name(name) for name in config.setting]
    path = Path(config.player)
    try:
        if config.game == "holdem" and config.player == SHIPPED:
            made = [local_best_response.of_blueprint(blueprints.load_shipped(), setting) for setting in chosen]
        elif config.game == "holdem" and os.path.exists(path) and file_of(path).suffix == Path(BLUEPRINT_FILE).suffix:
            solved = blueprints.load(file_of(path))
            made = [local_best_response.of_blueprint(solved, setting) for setting in chosen]
        else:
            chips = {"stack": 2 * config.stack} if config.game == "holdem" else {}
            game = jaxpoker.make(config.game, **chips)
            entrant = players.entrant(config.player, game)
            made = [local_best_response.of_entrant(entrant, game, setting) for setting in chosen]
    except ValueError as error:
        raise RunError(f"--player {config.player}: {error}") from error
    return Opponents(tuple(match for match, _ in made), made[0][1])


@flax.struct.dataclass
class State:
    """What was played so far: S settings."""

    step: Array  # [] int32: rounds; all of them once the intervals are narrow enough
    played: Array  # [S] int32: rounds of each setting
    won: Array  # [S, deals, 2] float32: what the responder won on each deal in each seat, big blinds
    key: Array


@dataclasses.dataclass(frozen=True)
class Rounds:
    """A ``Learner`` that learns nothing: each update plays a round in every setting that is not sure enough yet."""

    config: Config
    opponents: Opponents

    def init(self, key: Array) -> State:
        count, deals = len(self.config.setting), self.config.rounds * self.config.deals
        return State(jnp.zeros((), jnp.int32), jnp.zeros(count, jnp.int32), jnp.zeros((count, deals, 2)), key)

    def update(self, state: State) -> tuple[State, dict[str, Any]]:
        config = self.config
        began = time.process_time()
        played, won = np.array(state.played), np.array(state.won)
        for at, match in enumerate(self.opponents.matches):
            if self.is_sure(estimate(config, played, won, at), int(played[at])):
                continue
            key = jax.random.fold_in(jax.random.fold_in(state.key, at), int(played[at]))
            keys = jax.random.split(key, config.deals)
            first = int(played[at]) * config.deals
            won[at, first : first + config.deals] = local_best_response.winnings(
                match, self.opponents.params, keys, config.walks
            )
            played[at] += 1
        found = [estimate(config, played, won, at) for at in range(len(played))]
        sure = all(self.is_sure(each, int(rounds)) for each, rounds in zip(found, played, strict=True))
        step = jnp.int32(config.rounds) if sure else state.step + 1
        metrics: dict[str, Any] = {}
        for name, each in zip(config.setting, found, strict=True):
            metrics |= {name: each.mean, f"{name} ±": each.ci95}
        metrics["processor_seconds"] = time.process_time() - began
        return State(step, jnp.asarray(played), jnp.asarray(won), state.key), metrics

    def is_sure(self, found: Estimate, rounds: int) -> bool:
        return rounds >= FEWEST_ROUNDS and found.ci95 <= self.config.half_width


def estimate(config: Config, played: np.ndarray, won: np.ndarray, at: int, seat: int | None = None) -> Estimate:
    """Of setting number ``at``, in mBB/hand, over both seats or in one."""
    deals = int(played[at]) * config.deals
    if not deals:
        return Estimate(float("nan"), float("inf"), 0)
    of_deals = won[at, :deals]
    return Estimate.of(MILLI * (of_deals.mean(axis=1) if seat is None else of_deals[:, seat]))


class Narrowing:
    """A ``Display`` in which the run is done when the widest interval is narrow enough; n grows with its square."""

    PARTS = 1_000

    def __init__(self, shown: Display, config: Config) -> None:
        self._shown, self._config = shown, config

    def start(self, title: str, step: int, steps: int) -> None:
        self._shown.start(title, 0, self.PARTS)

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        widths = [metrics[f"{name} ±"] for name in self._config.setting]
        parts = [0.0 if width is None else (self._config.half_width / max(width, 1e-9)) ** 2 for width in widths]
        done = self.PARTS if step >= self._config.rounds else min(int(self.PARTS * min(parts)), self.PARTS - 1)
        self._shown.show(done, {k: v for k, v in metrics.items() if k != "processor_seconds"}, seconds)

    def message(self, text: str) -> None:
        self._shown.message(text)

    def stop(self) -> None:
        self._shown.stop()
