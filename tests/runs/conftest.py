"""The experiment of these tests, a way to run it here, and a display that stops or crashes it."""

import importlib.util
import json
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jaxpoker import runs


class Watcher:
    """A display that keeps what it is told, and at ``at`` steps sends a signal to this process, or crashes."""

    class Crash(BaseException):
        """Stands for a process that ends on the spot."""

    def __init__(self, at: int | None = None, stop: int | None = None) -> None:
        self.at, self.signal = at, stop
        self.messages: list[str] = []
        self.shown: list[int] = []

    def start(self, title: str, step: int, steps: int) -> None: ...

    def stop(self) -> None: ...

    def message(self, text: str) -> None:
        self.messages.append(text)

    def show(self, step: int, metrics: dict[str, Any], seconds: float) -> None:
        self.shown.append(step)
        if self.at is not None and step >= self.at:
            if self.signal is None:
                raise self.Crash
            assert threading.current_thread() is threading.main_thread(), "the signal would end the tests"
            signal.raise_signal(self.signal)


@pytest.fixture(scope="session")
def descent() -> ModuleType:
    """tests/runs/descent.py."""
    path = Path(__file__).parent / "descent.py"
    spec = importlib.util.spec_from_file_location("runs_descent", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


Done = tuple[str, list[dict[str, Any]]]


@pytest.fixture
def run_descent(descent: ModuleType, tmp_path: Path) -> Callable[..., Done]:
    """Runs the experiment here; returns the bits of the last state, and the metrics without the seconds."""

    def run(
        *flags: str,
        display: Watcher | None = None,
        stride: int = 1,
        log_every: int = 1,
        keep: int = 3,
        keep_every: int | None = None,
        seconds: float | None = None,
        **settings: Any,
    ) -> Done:
        argv = [*flags, "--runs", str(tmp_path / "runs")]
        for name, value in settings.items():
            argv += [f"--{name.replace('_', '-')}", str(value)]
        launch = runs.parse(descent.Config, descent.PRESETS, experiment="descent", argv=argv)
        with runs.start(launch, keep=keep, keep_every=keep_every) as run:
            state = run.train(
                descent.Descent(launch.config, stride),
                steps=launch.config.iterations,
                evaluate_every=5,
                log_every=log_every,
                display=display or Watcher(),
                seconds=seconds,
            )
            bits = descent.fingerprint(state)
            run.finish(bits=bits)
            return bits, without_seconds(run.folder)

    return run


@pytest.fixture
def runs_folder(tmp_path: Path) -> Path:
    """Where ``run_descent`` puts its runs."""
    return tmp_path / "runs" / "descent"


@pytest.fixture
def watcher() -> type[Watcher]:
    return Watcher


def without_seconds(folder: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    for row in rows:
        assert row.pop("seconds") >= 0
    return rows
