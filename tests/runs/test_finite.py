"""A run that diverges stops at once, and keeps what was good."""

from __future__ import annotations

import json

import jax.numpy as jnp
import pytest

from jaxpoker.errors import RunError
from jaxpoker.runs.finite import Finite


def test_a_run_that_diverges_stops_at_once_and_names_the_last_good_checkpoint(run_descent, runs_folder) -> None:
    with pytest.raises(RunError, match=r"went astray at step \d+: .*no finite number.*checkpoints/0: start a new run"):
        run_descent("--name", "a", "--checkpoint-seconds", "1000", rate=1e30)
    lines = [json.loads(line) for line in (runs_folder / "a" / "metrics.jsonl").read_text().splitlines()]
    assert len(lines) < 12 and all(line["loss"] is not None for line in lines)
    kept = sorted(path.name for path in (runs_folder / "a" / "checkpoints").iterdir())
    assert kept == ["0", "0.json"] and not (runs_folder / "a" / "summary.json").exists()


def test_what_was_infinite_at_the_start_may_stay_so() -> None:
    state = {"best": jnp.array([jnp.inf, 1.0]), "point": jnp.zeros(3), "step": jnp.int32(0)}
    finite = Finite(state)
    assert finite.astray(state, {"odd": jnp.nan}) is None
    assert finite.astray(state | {"best": jnp.array([jnp.nan, 1.0])}, {}) is None
    assert finite.astray(state | {"point": jnp.array([0.0, jnp.nan, 0.0])}, {}) == "leaf ['point']"


@pytest.mark.parametrize("name", ["loss", "value_loss", "gradient_norm"])
def test_losses_and_gradients_have_to_be_finite(name) -> None:
    finite = Finite({"point": jnp.zeros(3)})
    assert finite.astray({"point": jnp.zeros(3)}, {name: jnp.float32(jnp.inf)}) == name
    assert finite.astray({"point": jnp.zeros(3)}, {name: jnp.float32(3)}) is None
