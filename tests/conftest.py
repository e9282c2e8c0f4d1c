"""Settings of the whole suite, made before jax is imported and so inherited by the processes that tests start."""

import ctypes
import gc
import importlib.util
import os
from importlib import metadata
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
MEMORY = Path("/proc/self/statm")  # pages; Linux alone has it
MOST_MEMORY = 2_500_000_000  # bytes of a process that a new file of tests may begin with

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAXPOKER_CACHE", str(ROOT / ".cache"))  # card abstractions: nothing goes into the user's home
# Compiled functions outlive the run: the second run of the suite takes a fraction of the first.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

# Most tests compile much and compute little: they take code that is made in a fifth of the time and is slower. Those
# that compute more than they compile are marked ``optimised``.
quick = ["--xla_cpu_parallel_codegen_split_count=1"]  # all cores have tests to do: nothing is gained by sharing these
if tuple(map(int, metadata.version("jaxlib").split(".")[:2])) < (0, 11):  # later ones have no such flag
    quick.append("--xla_cpu_use_fusion_emitters=false")
given = os.environ.get("XLA_FLAGS", "").split()
os.environ["XLA_FLAGS"] = " ".join([*given, *(flag for flag in quick if flag not in given)])
gc.set_threshold(50_000, 20, 20)  # tracing makes many objects, few of them garbage

# The same examples in every run; no deadline, because the first example compiles.
settings.register_profile("jaxpoker", deadline=None, derandomize=True)
settings.load_profile("jaxpoker")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test marked ``optimised`` compiles is made to run fast, what its fixtures and processes do, too."""
    import jax

    quickly = item.get_closest_marker("optimised") is None
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = str(int(quickly))
    jax.config.update("jax_disable_most_optimizations", quickly)


@pytest.fixture(scope="module", autouse=True)
def _bounded_memory():
    """Compiled functions are let go after a file of tests when they fill the memory; the cache on disk keeps them."""
    yield
    if MEMORY.is_file() and int(MEMORY.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") > MOST_MEMORY:
        import jax

        jax.clear_caches()
        gc.collect()
        give_back = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)  # glibc's
        give_back(0)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def many_devices(repository: Path) -> ModuleType:
    """tests/many_devices.py."""
    spec = importlib.util.spec_from_file_location("many_devices", repository / "tests" / "many_devices.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def play_out():
    """``play_out(act, state, actions)``: a hand after actions, chips "to", none of which ends it."""

    def play(act, state, actions):
        for to in actions:
            state = act(state, np.int32(to))
            assert not state.terminated
        return state

    return play


@pytest.fixture
def forgets_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games and players that a test registers are gone after it."""
    import jaxpoker
    from jaxpoker.players import registry

    for names in (jaxpoker._GAMES, registry.PLAYERS):
        monkeypatch.setattr(names, "_entries", dict(names._entries))
