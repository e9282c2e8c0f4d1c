"""The loop that drives every learner and solver: update, evaluate, write down, save, until the steps are done."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Generic, Protocol, Self

import jax
from rich.console import Console

from jaxpoker import dashboard, devices, files
from jaxpoker.errors import RunError
from jaxpoker.runs import config as configs
from jaxpoker.runs import folder as run_files
from jaxpoker.runs import metrics as metric_lines
from jaxpoker.runs import summary
from jaxpoker.runs.checkpoints import Checkpoints, Leaf, Saved, leaves_of, misfit
from jaxpoker.runs.command import Launch, check_new, check_resumed
from jaxpoker.runs.config import ConfigT
from jaxpoker.runs.finite import Finite
from jaxpoker.runs.stopped import Stopped

Array = jax.Array
Metrics = Mapping[str, Any]  # scalars by name

EVALUATION = 0x6576616C  # folded into the seed's key for the evaluations' own stream


class Learner(Protocol):
    """What the loop drives. A learner may also have ``evaluate(state, key) -> metrics``.

    The state is a pytree with an attribute ``step`` (int32 []) that holds everything an update depends on, keys
    included: then a resumed run ends with the same bits as one that was never stopped. A state that lives on several
    devices comes back there if ``init`` is a jitted function with ``out_shardings`` (``devices.begun``).
    """

    def init(self, key: Array, /) -> Any:
        """The state at step 0; traceable by ``jax.eval_shape``, which tells what a checkpoint has to fit."""
        ...

    def update(self, state: Any, /) -> tuple[Any, Metrics]:
        """The next state, whose step is higher, and what to write down. Jitted; may donate its argument."""
        ...


def start(launch: Launch[ConfigT], keep: int = 3, keep_every: int | None = None) -> Run[ConfigT]:
    """Makes the folder of a new run, or opens that of the run to resume.

    The last ``keep`` checkpoints stay. With ``keep_every`` one is saved, too, whenever a multiple of so many steps was
    passed, and those all stay.
    """
    return Run(launch, keep, keep_every)


class Run(Generic[ConfigT]):
    """A run at work; use it in a ``with`` statement.

    Of several processes (``jaxpoker.devices``) the first has the folder of the run. The others write the same into a
    folder of their own, which goes away with them: they need nothing else to do the same, call for call.
    """

    def __init__(self, launch: Launch[ConfigT], keep: int = 3, keep_every: int | None = None) -> None:
        if keep_every is not None and keep_every < 1:
            raise ValueError(f"cannot keep a checkpoint every {keep_every} steps: say 1 or more, or None")
        self._keep_every = keep_every
        self._apart = None if devices.is_first() else tempfile.TemporaryDirectory(prefix="jaxpoker-")
        if self._apart is not None:
            launch = _moved(launch, Path(self._apart.name))
        devices.wait("the others have read the folder")
        if launch.default_name:
            launch = dataclasses.replace(launch, name=files.free_path(launch.folder).name)
        self.launch = launch
        self.config = launch.config
        self.folder = launch.folder
        self.plots = launch.folder / run_files.PLOTS
        self.seconds = 0.0  # of training, all sessions together
        self._checkpoints = Checkpoints(self.folder / run_files.CHECKPOINTS, configs.fingerprint(self.config), keep)
        self._trained = False
        self._commit = summary.commit_of(Path(__file__).resolve().parent.parent)  # of the code that runs, not of later
        self._lock = self._reopen() if launch.resume else self._create()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        if self._apart is not None:
            self._apart.cleanup()

    def train(
        self,
        learner: Learner,
        steps: int,
        evaluate_every: int | None = None,
        log_every: int = 1,
        display: dashboard.Display | None = None,
        seconds: float | None = None,
    ) -> Any:
        """Updates the learner's state until its step is ``steps`` or more, and returns it, to each of several processes
        in its own memory: what comes after training each does for itself.

        Args:
          learner: what to drive; its ``evaluate``, if it has one, gets the key of the seed and the step alone.
          steps: where to stop. A resumed run that is there already is returned as it was.
          evaluate_every: evaluate whenever a multiple of so many steps was passed. The end is evaluated in any case.
          log_every: write the metrics of every so many-th update only; evaluations and the end are written in any case.
          display: shows progress; ``dashboard.progress()`` when None.
          seconds: stops as soon as training took that long, all sessions together, even if there are steps left.
        """
        if evaluate_every is not None and evaluate_every < 1:
            raise ValueError(f"cannot evaluate every {evaluate_every} steps: say 1 or more, or None for the end alone")
        if log_every < 1:
            raise ValueError(f"cannot log every {log_every} updates: say 1 or more")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"cannot train for {seconds} seconds: say more than 0, or None for all steps")
        if self._trained:
            raise RuntimeError("a run trains once: put what comes in phases into one learner's state")
        self._trained = True
        shown = display or dashboard.progress()
        if seconds is not None:
            shown = dashboard.ByTheClock(shown, seconds)
        try:
            with signals_caught() as caught:
                return devices.fetched(self._loop(learner, steps, evaluate_every, log_every, shown, caught, seconds))
        finally:
            shown.stop()

    def metrics(self) -> list[metric_lines.Row]:
        """The lines written so far."""
        return metric_lines.read_metrics(self.folder)

    def totals(self, *names: str) -> dict[str, float | None]:
        """What metrics add up to, and the first of them a second: ``metrics.totals`` of the lines written so far."""
        return metric_lines.totals(self.metrics(), *names)

    def finish(self, **figures: Any) -> dict[str, Any]:
        """Writes ``summary.json``: the figures, then config, preset, command, seconds, commit, device, jax. Says what
        the folder holds now."""
        provenance = {
            "config": configs.plain(self.config),
            "preset": self.launch.preset,
            "command": self.launch.command,
            "seconds": round(self.seconds, 3),
            "commit": self._commit,
            "device": summary.device(),
            "jax": jax.__version__,
        }
        written = summary.write_summary(self.folder, figures, provenance)
        made = sorted(
            path.name for path in self.folder.glob("[!.]*") if path.is_file() and path.name not in run_files.OWN
        )
        shown = ", ".join([run_files.SUMMARY_FILE, *made, f"{run_files.PLOTS}/"])
        Console().print(f"Written to {self.folder}: {shown}", soft_wrap=True, highlight=False)
        return written

    # --- the loop -----------------------------------------------------------------------------

    def _loop(
        self,
        learner: Learner,
        steps: int,
        evaluate_every: int | None,
        log_every: int,
        display: dashboard.Display,
        caught: list[int],
        seconds: float | None,
    ) -> Any:
        key = jax.random.key(self._seed())
        evaluate: Callable[[Any, Array], Metrics] | None = getattr(learner, "evaluate", None)
        evaluation_key = jax.random.fold_in(key, EVALUATION)
        began = time.perf_counter()
        saved = self._restore(learner, key, steps, display) if self.launch.resume else None
        with contextlib.closing(self._metrics_file(saved, display)) as lines:
            if saved is None:
                first = learner.init(key)
                saved = Saved(first, int(first.step), 0.0, 0)
                self._checkpoints.save(*saved)
            state, step, self.seconds, updates = saved
            display.start(f"{self.launch.experiment}/{self.launch.name}", step, steps)
            layout, finite = [leaf for leaf, _ in leaves_of(state)], Finite(state)
            saved_step, saved_at = step, time.perf_counter()
            stopped, _ = _agreed(bool(caught), False)
            out_of_time = _is_out_of_time(self.seconds, seconds)
            if saved.updates and out_of_time and step < steps:
                display.message(f"the {dashboard.duration(self.seconds)} of training were over before")
            while step < steps and not stopped and not out_of_time:
                state, metrics = learner.update(state)
                astray = finite.astray(state, metrics)
                previous, step, updates = step, int(state.step), updates + 1
                if astray:
                    raise RunError(
                        f"training went astray at step {step}: {astray} is no finite number; nothing of it was saved. "
                        f"The last good checkpoint is {self.folder / run_files.CHECKPOINTS / str(saved_step)}: start a "
                        "new run with a lower learning rate"
                    )
                if updates == saved.updates + 1:
                    _check_layout(state, layout)
                if step <= previous:
                    raise TypeError(f"update left the state's step at {step} (it was {previous}): it has to grow")
                out_of_time = _is_out_of_time(saved.seconds + time.perf_counter() - began, seconds)
                ended = step >= steps or out_of_time
                passed = evaluate_every is not None and step // evaluate_every > previous // evaluate_every
                due = passed or ended
                if due and evaluate is not None:
                    metrics = {**metrics, **evaluate(state, jax.random.fold_in(evaluation_key, step))}
                written = due or updates % log_every == 0
                fetched = jax.device_get(metrics) if written else {}
                values = {name: fetched[name] for name in metrics if written}  # in the learner's order
                self.seconds = saved.seconds + time.perf_counter() - began
                if written:
                    row = lines.write(step, self.seconds, values)
                    shown = {name: value for name, value in row.items() if name not in metric_lines.RESERVED}
                    display.show(step, shown, self.seconds)
                is_time = time.perf_counter() - saved_at >= self.launch.checkpoint_seconds
                stopped, is_time = _agreed(bool(caught), is_time)
                stays = self._keep_every is not None and step // self._keep_every > previous // self._keep_every
                if ended or is_time or stays:
                    self._save(Saved(state, step, self.seconds, updates), lines, stays)
                    saved_step, saved_at = step, time.perf_counter()
            stopped, _ = _agreed(bool(caught) or stopped, False)
            if stopped:
                if saved_step < step:
                    self._save(Saved(state, step, self.seconds, updates), lines)
                display.stop()
                display.message(f"stopped at step {step}; go on with: {self.launch.resume_command}")
                raise Stopped(128 + (caught or [signal.SIGTERM])[0])
            return state

    def _save(self, saved: Saved, lines: metric_lines.MetricsFile, stays: bool = False) -> None:
        """Lines first: a checkpoint's metrics are on disk before it is."""
        lines.sync()
        self._checkpoints.save(*saved, stays=stays)

    def _restore(self, learner: Learner, key: Array, steps: int, display: dashboard.Display) -> Saved | None:
        """The state to go on from; None when the run was killed before it had saved any."""
        rows = metric_lines.read_metrics(self.folder, say=lambda text: None)  # a damaged line ends it here
        if not rows:
            self._checkpoints.forget_first()
        saved = self._checkpoints.restore(jax.eval_shape(learner.init, key), display.message)
        if saved is None:
            display.message("no checkpoint yet: starts from the beginning")
        elif saved.step >= steps:
            display.message(f"all {steps} steps were done before")
        else:
            display.message(f"goes on from step {saved.step}")
        return saved

    def _metrics_file(self, saved: Saved | None, display: dashboard.Display) -> metric_lines.MetricsFile:
        """``metrics.jsonl`` without the lines that will be computed again."""
        if not self.launch.resume:
            display.message(f"writes to {self.folder}")
            return metric_lines.MetricsFile(self.folder, [])
        rows = metric_lines.read_metrics(self.folder, display.message)
        if saved is None and rows:
            path = self.folder / run_files.METRICS_FILE
            aside = files.free_path(path.with_name("metrics-without-checkpoint.jsonl"))
            os.rename(path, aside)
            display.message(f"{len(rows)} lines of metrics that have no checkpoint are now in {aside}")
        kept = [row for row in rows if saved is not None and row["step"] <= saved.step]
        return metric_lines.MetricsFile(self.folder, kept)

    def _seed(self) -> int:
        return int(self.config.seed)  # type: ignore[attr-defined]  # parse has seen that it is there

    # --- the folder ---------------------------------------------------------------------------

    def _create(self) -> run_files.RunLock:
        """Makes the folder beside its place and renames it, so that a run's folder always has its config."""
        check_new(self.launch.runs, self.launch.experiment, self.launch.name)
        unfinished = self.folder.with_name(f".{self.folder.name}.{os.getpid()}")
        with files.writing(self.folder):
            (unfinished / run_files.CHECKPOINTS).mkdir(parents=True)
            (unfinished / run_files.PLOTS).mkdir()
            (unfinished / run_files.METRICS_FILE).touch()
        try:
            lock = run_files.RunLock(unfinished)
            self._write_config(unfinished)
            with files.writing(self.folder):
                os.rename(unfinished, self.folder)
                files.sync_folder(self.folder.parent)
        except RunError:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        return lock

    def _reopen(self) -> run_files.RunLock:
        """Takes the lock first, then looks once more at the config, and writes it if the run is to be longer."""
        lock = run_files.RunLock(self.folder)
        try:
            _, before = configs.read_config(self.folder, self.launch.experiment, type(self.config))
            check_resumed(self.folder, before, self.config)
            if configs.differences(before, self.config):
                self._write_config(self.folder)
        except RunError:
            lock.release()
            raise
        return lock

    def _write_config(self, folder: Path) -> None:
        launch = self.launch
        configs.write_config(folder, launch.experiment, launch.preset, launch.config, launch.resume_command)


def _moved(launch: Launch[ConfigT], folder: Path) -> Launch[ConfigT]:
    """The launch with its runs in ``folder``, where the run to resume is copied to."""
    moved = dataclasses.replace(launch, runs=folder)
    if launch.resume:
        with files.writing(folder):
            shutil.copytree(launch.folder, moved.folder)
    return moved


def _is_out_of_time(spent: float, seconds: float | None) -> bool:
    """Whether training is to end, as the first process's clock says: all do the same."""
    return seconds is not None and bool(devices.told([spent >= seconds])[0, 0])


def _agreed(stop: bool, save: bool) -> tuple[bool, bool]:
    """Whether to stop, if any process was told to, and whether to save, as the first one says: all do the same."""
    said = devices.told([stop, save])
    return bool(said[:, 0].any()), bool(said[0, 1])


def _check_layout(state: Any, initial: list[Leaf]) -> None:
    difference = misfit([leaf for leaf, _ in leaves_of(state)], initial)
    if difference:
        raise TypeError(f"update changed the state's layout, so it could not be resumed: {difference}")


@contextlib.contextmanager
def signals_caught() -> Iterator[list[int]]:
    """SIGINT and SIGTERM are put into the list that is yielded; the second one interrupts at once.

    Python hands signals to the main thread only; elsewhere the list stays empty.
    """
    caught: list[int] = []

    def catch(number: int, frame: FrameType | None) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    previous = {number: signal.signal(number, catch) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
