"""What a run shows while it works: a progress line on a terminal, plain lines elsewhere.

``Display`` is what the run loop talks to; a richer dashboard (a live table, curves) is another class with the same
four methods.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

Metrics = Mapping[str, float | int | bool | None]  # None: not a finite number

PLAIN_SECONDS = 2.0  # between two plain lines
REFRESHES_PER_SECOND = 4
_TITLE_WIDTH = 14


class Display(Protocol):
    """Shows a run. ``message`` may come at any time, ``stop`` more than once and without a ``start``."""

    def start(self, title: str, step: int, steps: int) -> None:
        """The run called ``title`` begins at ``step`` and goes on to ``steps``."""
        ...

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        """The newest line of metrics, after ``seconds`` of training in all."""
        ...

    def message(self, text: str) -> None:
        """A line for the user that stays."""
        ...

    def stop(self) -> None:
        """The run is over, or stopped."""
        ...


def progress(console: Console | None = None, plain_seconds: float = PLAIN_SECONDS) -> Display:
    """A progress line if ``console`` (standard output when None) is a terminal, else a plain line every so often."""
    console = console or Console()
    return ProgressLine(console) if console.is_terminal else PlainLines(console, plain_seconds)


def compact(metrics: Metrics) -> str:
    """Metrics in one line: ``value -0.0556  exploitability 1.2e-05  hands 12.5M``.

    Details, whose names have two slashes or more (``action/flop/fold``), are left to the files.
    """
    shown = ((name, value) for name, value in metrics.items() if name.count("/") < 2)
    return "  ".join(f"{name} {compact_number(value)}" for name, value in shown)


def compact_number(value: float | int | bool | None) -> str:
    """Four significant digits; millions and more by letter; what is no finite number as "-"."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size <= abs(value) < 1e3 * size:
            return f"{value / size:.4g}{letter}"
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e6):
        return f"{int(value):,}"
    return f"{value:.4g}"


def duration(seconds: float) -> str:
    """``m:ss``, or ``h:mm:ss`` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Pace:
    """Time spent and time left; both go on between two updates.

    Time left is judged from the session's first update on: that one has compiled and says nothing of the pace.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._first: tuple[int, float] | None = None  # step and time of the first update
        self._seconds, self._remaining, self._at = 0.0, float("nan"), time.monotonic()

    def at(self, step: int, seconds: float) -> None:
        """The run is at ``step`` after ``seconds`` of training in all."""
        self._seconds, self._at = seconds, time.monotonic()
        first_step, began = self._first = self._first or (step, self._at)
        if step >= self.steps:
            self._remaining = 0.0
        elif step > first_step:
            self._remaining = (self.steps - step) * (self._at - began) / (step - first_step)

    def __str__(self) -> str:
        since = time.monotonic() - self._at
        left = "?" if self._remaining != self._remaining else duration(max(self._remaining - since, 0.0))
        return f"{duration(self._seconds + since)}  ETA {left}"


class PlainLines:
    """One line every so many seconds, and the first and the last: for files and pipes.

    A metric that comes with some lines only, such as an evaluation, is shown until it comes again.
    """

    def __init__(self, console: Console, seconds: float = PLAIN_SECONDS) -> None:
        self._console, self._seconds = console, seconds
        self._title = ""
        self._pace = Pace(0)
        self._latest: dict[str, float | int | bool | None] = {}
        self._printed_at: float | None = None
        self._waiting: str | None = None

    def start(self, title: str, step: int, steps: int) -> None:
        self._title, self._pace = title, Pace(steps)

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        now, steps = time.monotonic(), self._pace.steps
        self._pace.at(step, seconds)
        self._latest |= metrics
        done = step / steps if steps else 1
        self._waiting = (
            f"{self._title}  step {step:,}/{steps:,} ({done:.0%})  {self._pace}  {compact(self._latest)}".rstrip()
        )
        if self._printed_at is None or now - self._printed_at >= self._seconds:
            self._print_waiting()
            self._printed_at = now

    def message(self, text: str) -> None:
        self._print_waiting()
        print_line(self._console, text)

    def stop(self) -> None:
        self._print_waiting()

    def _print_waiting(self) -> None:
        if self._waiting is not None:
            print_line(self._console, self._waiting)
            self._waiting = None


class ProgressLine:
    """One line at the bottom of the terminal: bar, steps, time, time left and the latest metrics, cut to its width."""

    def __init__(self, console: Console) -> None:
        self._pace = Pace(0)
        self._latest: dict[str, float | int | bool | None] = {}
        one_line = Column(no_wrap=True)
        rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False, table_column=one_line),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[steps]}", markup=False, table_column=one_line),
            TextColumn("{task.fields[pace]}", markup=False, table_column=one_line),
            TextColumn("{task.fields[metrics]}", markup=False, table_column=rest),
            console=console,
            expand=True,
            refresh_per_second=REFRESHES_PER_SECOND,
        )
        self._task = self._progress.add_task("", start=False, visible=False, steps="", pace=self._pace, metrics="")

    def start(self, title: str, step: int, steps: int) -> None:
        self._pace = Pace(steps)
        self._progress.update(
            self._task,
            description=title if len(title) <= _TITLE_WIDTH else f"{title[: _TITLE_WIDTH - 1]}…",
            total=steps,
            completed=step,
            visible=True,
            steps=f"{step:,}/{steps:,}",
            pace=self._pace,
        )
        self._progress.start()

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        self._pace.at(step, seconds)
        self._latest |= metrics
        self._progress.update(
            self._task, completed=step, steps=f"{step:,}/{self._pace.steps:,}", metrics=compact(self._latest)
        )

    def message(self, text: str) -> None:
        print_line(self._progress.console, text)

    def stop(self) -> None:
        self._progress.stop()


class ByTheClock:
    """Another display, of a run that ends after so many ``seconds``: what it shows as steps are seconds."""

    def __init__(self, display: Display, seconds: float) -> None:
        self._display, self._seconds = display, max(round(seconds), 1)

    def start(self, title: str, step: int, steps: int) -> None:
        self._display.start(f"{title}, seconds", 0, self._seconds)

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        self._display.show(min(round(seconds), self._seconds), {"updates": step, **metrics}, seconds)

    def message(self, text: str) -> None:
        self._display.message(text)

    def stop(self) -> None:
        self._display.stop()


def print_line(console: Console, text: str) -> None:
    """One line of text as it is, which no console breaks in two."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
