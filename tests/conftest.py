"""Settings of the whole suite, made before jax is imported and so inherited by the processes that tests start."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Compiled functions outlive the run: the second run of the suite takes a fraction of the first.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

# The same examples in every run; no deadline, because the first example compiles.
settings.register_profile("jaxpoker", deadline=None, derandomize=True)
settings.load_profile("jaxpoker")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def quick_compiler() -> dict[str, str]:
    """The environment of a process that compiles much and computes little: half the time to compile, slower code."""
    flags = os.environ.get("XLA_FLAGS", "")
    return {**os.environ, "XLA_FLAGS": f"{flags} --xla_backend_optimization_level=0".strip()}


@pytest.fixture(scope="session")
def play_out():
    """``play_out(act, state, actions)``: a hand after actions, chips "to", none of which ends it."""

    def play(act, state, actions):
        for to in actions:
            state = act(state, np.int32(to))
            assert not state.terminated
        return state

    return play
