"""A small experiment for the tests of runs: noisy gradient descent on a quadratic, everything random from the state.

Its state has leaves of every kind that a checkpoint has to keep.

    python tests/runs/descent.py --iterations 20
"""

from __future__ import annotations

import enum
import functools
import hashlib
import time
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import runs


class Noise(enum.Enum):
    NORMAL = "normal"
    UNIFORM = "uniform"


@dataclass(frozen=True)
class Schedule:
    """How the rate falls."""

    half_life: float = 50.0
    """Steps until it is half."""
    floor: float | None = None
    """It does not fall below."""


@dataclass(frozen=True)
class Config:
    """Noisy descent."""

    extendable: ClassVar[tuple[str, ...]] = ("iterations",)

    iterations: int = 12
    """Steps to take."""
    seed: int = 0
    """Of everything random."""
    rate: float = 3e-4
    """Of the descent."""
    noise: Noise = Noise.NORMAL
    """Its distribution."""
    mode: Literal["plain", "on"] = "plain"
    """A word that YAML might take for true."""
    target: tuple[float, ...] = (1.0, -2.0, 0.5)
    """The minimum."""
    pair: tuple[int, str] = (3, "x")
    """Two of a kind."""
    limit: int | None = None
    """None, or a number."""
    momentum: bool = True
    """Whether there is any."""
    pause: float = 0.0
    """Seconds that each update takes longer."""
    schedule: Schedule = Schedule()
    """Of the rate."""


PRESETS = {"quick": Config(), "full": Config(iterations=40, rate=0.1, schedule=Schedule(half_life=9.0))}


@flax.struct.dataclass
class State:
    step: jax.Array  # [] int32
    key: jax.Array  # [] typed
    point: jax.Array  # [dimensions] float32
    velocity: jax.Array  # [dimensions] bfloat16
    weak: jax.Array  # [] float32, weakly typed: it must not turn the velocity into float32
    seen: dict[str, Any]


@dataclass(frozen=True)
class Descent:
    """``stride`` steps per update, so that step and updates differ."""

    config: Config
    stride: int = 1

    def init(self, key: jax.Array) -> State:
        dimensions = len(self.config.target)
        return State(
            step=jnp.int32(0),
            key=key,
            point=jnp.zeros(dimensions),
            velocity=jnp.zeros(dimensions, jnp.bfloat16),
            weak=jnp.asarray(0.5),
            seen={"best": jnp.full(2, np.inf), "none": None, "empty": jnp.zeros((0, 3)), "signs": np.arange(3.0)},
        )

    def update(self, state: State) -> tuple[State, dict[str, jax.Array]]:
        time.sleep(self.config.pause)
        return _update(self, state)

    def evaluate(self, state: State, key: jax.Array) -> dict[str, jax.Array]:
        return {"probe": jnp.sum(state.point) + jax.random.normal(key)}


@functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
def _update(learner: Descent, state: State) -> tuple[State, dict[str, jax.Array]]:
    key, draw = jax.random.split(state.key)
    slope = state.point - jnp.asarray(learner.config.target)
    noise = jax.random.normal(draw, slope.shape)
    velocity = state.velocity * state.weak + (slope + noise).astype(jnp.bfloat16)
    point = state.point - learner.config.rate * velocity.astype(jnp.float32)
    loss = jnp.sum(slope**2)
    best = jnp.minimum(state.seen["best"], loss)
    after = state.replace(
        step=state.step + learner.stride,
        key=key,
        point=point,
        velocity=velocity,
        weak=state.weak * 0.99,
        seen={**state.seen, "best": best},
    )
    return after, {"loss": loss, "noise": noise[0], "odd": jnp.where(after.step % 5 == 0, jnp.nan, 1.0)}


def fingerprint(state: State) -> str:
    """Of every bit of the state."""
    bits = hashlib.sha256()
    for leaf in jax.tree.leaves(state.replace(key=jax.random.key_data(state.key))):
        array = np.asarray(leaf)
        bits.update(f"{array.dtype} {array.shape}".encode())
        bits.update(array.tobytes())
    return bits.hexdigest()


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="descent", description=__doc__)
    with runs.start(launch) as run:
        state = run.train(Descent(launch.config), steps=launch.config.iterations, evaluate_every=5)
        run.finish(bits=fingerprint(state), loss=run.metrics()[-1]["loss"])


if __name__ == "__main__":
    runs.main(main)
