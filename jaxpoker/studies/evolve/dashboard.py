"""The live screen of the neuroevolution experiment: a population of networks against rule-based opponents.

    display = EvolutionDashboard(Console(), "starting stacks", history=run.metrics(), folder=run.folder)
    run.train(learner, steps=250, display=display)
    dashboard.show(folder, Console())  # the same picture of a run that ended, or is at work elsewhere

One step is one generation. What is shown comes from the generation's metrics alone: ``fitness_best``, ``wins``, ... of
the population, and ``earnings/<opponent>``, ``vpip/<opponent>``, ... by opponent. What a line lacks, or has as null,
is shown as a dash.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.color import Color
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.style import Style
from rich.text import Text

from jaxpoker import charts, runs
from jaxpoker.dashboard import REFRESHES_PER_SECOND, Metrics, Pace, PlainLines, compact_number, duration, print_line
from jaxpoker.runs.config import read_yaml
from jaxpoker.runs.folder import CHECKPOINTS, CONFIG_FILE

STATISTICS = ("vpip", "pfr", "af", "wsd", "wsdw")
ACTIONS = ("fold", "check", "call", "raise", "all_in")
ACTION_COLOURS: tuple[charts.Colour, ...] = (charts.FOLD, (0, 114, 178), charts.CALL, charts.RAISE, charts.ALL_IN)
_BY_OPPONENT = ("earnings", "population_earnings", "win", "hands", *STATISTICS, *ACTIONS)

DASH = "–"
_BLOCKS = "▁▂▃▄▅▆▇█"
_NAME_WIDTH = 19  # of opponents
_SHORT_NAME_WIDTH = 12  # on narrow screens
_PERCENT_WIDTH = 8
_WIDER = 2  # columns that a number may get more on wide screens
_LABEL_WIDTH = 18  # of the fitness lines: name and number
_SCALE_WIDTH = 19  # of the numbers to the right of a trend
_LOW_PERCENTILE = 5


# --- figures ----------------------------------------------------------------------------------


class Report(NamedTuple):
    """What there is to show of a run."""

    title: str
    step: int  # generations done
    steps: int  # generations in all
    times: str  # spent, and left
    rows: Sequence[Mapping[str, Any]]  # of metrics, one per generation
    latest: Metrics  # the newest value of every metric
    unit: str  # of earnings; "" if it is not known
    checkpoint_age: float | None  # seconds


def opponents_of(names: Iterable[str]) -> list[str]:
    """The opponents in the names of metrics such as ``earnings/check-fold``, in order of appearance."""
    parts = (name.partition("/") for name in names)
    return list(dict.fromkeys(opponent for group, _, opponent in parts if opponent and group in _BY_OPPONENT))


def hands_per_second(rows: Sequence[Mapping[str, Any]]) -> tuple[float | None, float | None]:
    """Hands per second of training in the last generation, and in all; None where it is not known.

    A line's hands are those of one generation and stand for the ones since the line before, too.
    """
    rates, total, spent = [], 0.0, 0.0
    step, seconds = 0, 0.0
    for row in rows:
        hands = (row.get("hands") or 0) * (row["step"] - step)
        took = row["seconds"] - seconds
        rates.append(hands / took if hands and took > 0 else None)
        total, spent = total + hands, spent + took
        step, seconds = row["step"], row["seconds"]
    return (rates[-1] if rates else None), (total / spent if total and spent > 0 else None)


def checkpoint_age(folder: Path) -> float | None:
    """Seconds since the run's newest checkpoint was whole; None before the first."""
    written = []
    for manifest in (folder / CHECKPOINTS).glob("*.json"):
        try:
            written.append(manifest.stat().st_mtime)
        except FileNotFoundError:  # a run at work deletes old checkpoints
            continue
    return max(time.time() - max(written), 0.0) if written else None


def bottom_of(values: np.ndarray) -> float:
    """Where a picture of the values begins: at the lowest, unless a few very low ones would flatten all others.

    Fitness is very low as long as nobody beats some opponent. Where more lies between the lowest value and the 5th
    percentile than above that, the picture begins there.
    """
    low = float(np.percentile(values, _LOW_PERCENTILE))
    return low if low - values.min() > values.max() - low else float(values.min())


def sparkline(values: Sequence[float], width: int, rows: int = 1) -> list[str]:
    """A trend as lines of block characters, ``rows`` high and at most ``width`` wide; "▁" is lowest, "█" highest.

    More values than columns are averaged by column. Heights begin at ``bottom_of`` the values.
    """
    if not values or width < 1:
        return [""] * rows
    columns = np.array([part.mean() for part in np.array_split(np.asarray(values, float), min(len(values), width))])
    low, high = bottom_of(columns), columns.max()
    share = np.clip((columns - low) / (high - low), 0, 1) if high > low else np.zeros(len(columns))
    eighths = 1 + np.rint(share * (8 * rows - 1)).astype(int)  # [columns] from 1 to 8 rows
    lines = []
    for row in reversed(range(rows)):
        filled = np.clip(eighths - 8 * row, 0, 8)
        lines.append("".join(" " if not eighth else _BLOCKS[eighth - 1] for eighth in filled))
    return lines


def parts_of_one(shares: Sequence[float | None]) -> list[float]:
    """Fold, check, call, raise and all-in as parts that add up to 1.

    An all-in is a call or a raise, too: its part is taken from the raises, and from the calls where those are too few.
    """
    fold, check, call, _, all_in = (share or 0.0 for share in shares)
    ends = np.minimum([fold, fold + check, fold + check + call, 1.0], 1 - all_in)
    return np.diff(ends, prepend=0.0, append=1.0).tolist()


# --- numbers as text --------------------------------------------------------------------------


def _signed(value: Any) -> str:
    """Three digits and more: "+1.87", "-0.04", "+143", "-12,345"."""
    if value is None:
        return DASH
    return f"{value:+,.0f}" if abs(value) >= 99.995 else f"{value:+.2f}"


def _fitness(value: Any) -> str:
    return DASH if value is None else f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def _percent(value: Any) -> str:
    return DASH if value is None else f"{value:.0%}"


def _ratio(value: Any) -> str:
    return DASH if value is None else f"{value:.2f}" if value < 99.995 else f"{value:.0f}"


def _whole(value: Any) -> str:
    return DASH if value is None else f"{value:,.0f}"


def _count(value: Any) -> str:
    """Millions and more by letter."""
    return DASH if value is None else compact_number(round(value))


def _small(value: Any) -> str:
    return DASH if value is None else f"{value:.3g}"


class _Column(NamedTuple):
    group: str  # of metrics
    heading: str
    width: int
    text: Callable[[Any], str]


_COLUMNS = (
    _Column("earnings", "best", 9, _signed),
    _Column("population_earnings", "population", 12, _signed),
    _Column("win", "win %", 7, _percent),
    _Column("hands", "hands", 7, _whole),
    _Column("vpip", "VPIP", 6, _percent),
    _Column("pfr", "PFR", 6, _percent),
    _Column("af", "AF", 7, _ratio),
    _Column("wsd", "WSD", 6, _percent),
    _Column("wsdw", "WSDW", 6, _percent),
)
_LEFT_OUT_FIRST = ("hands", "population_earnings", "wsdw", "wsd", "pfr", "af", "vpip", "win")  # on narrow screens


# --- the picture ------------------------------------------------------------------------------


def picture(report: Report, width: int, height: int | None = None) -> RenderableType:
    """The dashboard, ``width`` columns wide and lower than ``height``, if one is given.

    What does not fit: trends get lower, then gaps between the parts go, then the actions, then the last lines.
    """
    for trend_rows, gaps, actions in [(3, 1, 1), (2, 1, 1), (1, 1, 1), (1, 0, 1), (1, 0, 0)]:
        parts = [_head(report, width), _population(report, width, trend_rows), _opponents(report, width)]
        if actions:
            parts.append(_actions(report, width))
        lines = [line for part in parts for line in (*[Text()] * gaps, *part)][gaps:]
        if height is None or len(lines) < height:
            break
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*(lines if height is None else lines[: max(height - 1, 1)]))


def _heading(text: str, note: str, width: int) -> Text:
    line = Text.assemble(("── ", "dim"), (text, "bold"), (f"  {note} " if note else " ", "dim"))
    return line.append("─" * max(width - line.cell_len, 0), "dim")


def _head(report: Report, width: int) -> list[Text]:
    """Name of the run, generation with a bar, time, checkpoint, pace."""
    generation = f"generation {report.step:,}/{report.steps:,}"
    title = Text(report.title, "bold")
    title.truncate(max(width - len(generation) - 2, 8), overflow="ellipsis", pad=True)
    done = min(report.step / report.steps, 1.0) if report.steps else 1.0
    times = f" {done:4.0%}  {report.times}"
    if report.checkpoint_age is not None:
        times += f"  saved {duration(report.checkpoint_age)} ago"
    bar_width = max(width - len(times), 5)
    filled = int(done * bar_width)
    bar = Text.assemble(("━" * filled, "green"), ("━" * (bar_width - filled), "bright_black"), times)
    of_last, overall = (_count(rate) for rate in hands_per_second(report.rows))
    played, decided = (_count(report.latest.get(name)) for name in ("hands", "decisions"))
    pace = Text.assemble(("hands/s ", "dim"), of_last, (" (overall ", "dim"), overall, (")   ", "dim"))
    pace.append_text(Text.assemble(played, (" hands, ", "dim"), decided, (" decisions a generation", "dim")))
    return [Text.assemble(title, "  ", (generation, "bold")), bar, pace]


def _population(report: Report, width: int, rows: int) -> list[Text]:
    """Fitness with trends, sessions won and lost, mutation."""
    latest = report.latest
    lines = [_heading("Fitness", "average normalised earnings (ANE) of the population", width)]
    for name, metric, colour in (("best", "fitness_best", "green"), ("average", "fitness_mean", "cyan")):
        lines += _trend(name, [row.get(metric) for row in report.rows], latest.get(metric), colour, width, rows)
    wins, losses = latest.get("wins"), latest.get("losses")
    won = f" ({wins / (wins + losses):.0%})" if wins is not None and losses is not None and wins + losses else ""
    lines.append(_label("worst", latest.get("fitness_worst"), "red"))
    record = f"{_whole(wins)}–{_whole(losses)}{won}"
    lines.append(Text.assemble((f"{'W/L':<8}", "dim"), record, (" sessions   mutation rate ", "dim")))
    lines[-1].append_text(
        Text.assemble(
            _small(latest.get("mutation_rate")),
            ("  strength ", "dim"),
            _small(latest.get("mutation_strength")),
            ("  elites ", "dim"),
            _whole(latest.get("elites")),
        )
    )
    return lines


def _label(name: str, value: Any, colour: str) -> Text:
    return Text.assemble((f"{name:<8}", "dim"), (f"{_fitness(value):>8}", f"bold {colour}"), "  ")


def _trend(name: str, values: Sequence[Any], latest: Any, colour: str, width: int, rows: int) -> list[Text]:
    """The newest value, the trend over all generations, and its lowest and highest value at the right."""
    known = [value for value in values if value is not None]
    blocks = sparkline(known, width - _LABEL_WIDTH - _SCALE_WIDTH, rows)
    lowest, highest = (_fitness(limit) for limit in ((min(known), max(known)) if known else (None, None)))
    scale = [highest, *[""] * (rows - 2), lowest] if rows > 1 else [f"{lowest} … {highest}"]
    label = _label(name, latest, colour)
    lines = []
    for row, (line, limit) in enumerate(zip(blocks, scale, strict=True)):
        start = label if row == 0 else Text(" " * _LABEL_WIDTH)
        lines.append(Text.assemble(start, (line, colour), "  ", (limit, "dim")))
    return lines


def _opponents(report: Report, width: int) -> list[Text]:
    """One line per opponent: what is earned against it, and how the best individual plays against it."""
    columns = list(_COLUMNS)
    for name in _LEFT_OUT_FIRST:
        if _SHORT_NAME_WIDTH + sum(column.width for column in columns) > width:
            columns = [column for column in columns if column.group != name]
    spare = width - sum(column.width for column in columns)
    name_width = min(max(spare, 4), _NAME_WIDTH)
    wider = min(max(spare - name_width, 0) // len(columns), _WIDER)
    columns = [column._replace(width=column.width + wider) for column in columns]
    of_whom = "win % and hands a session: all; VPIP to WSDW: the best"
    lines = [_heading("Opponents", f"earnings in {report.unit}; {of_whom}" if report.unit else of_whom, width)]
    heading = "".join(f"{column.heading:>{column.width}}" for column in columns)
    lines.append(Text(f"{_cut('opponent', name_width)}{heading}", "dim"))
    for opponent in opponents_of(report.latest):
        line = Text(_cut(opponent, name_width))
        for column in columns:
            value = report.latest.get(f"{column.group}/{opponent}")
            line.append(f"{column.text(value):>{column.width}}", _style_of(column, value))
        lines.append(line)
    return lines


def _style_of(column: _Column, value: Any) -> str:
    if column.text is not _signed or not value:
        return ""
    return "green" if value > 0 else "red"


def _actions(report: Report, width: int) -> list[Text]:
    """One line per opponent: a bar of the best individual's actions, and their percentages."""
    name_width = min(max(width - _PERCENT_WIDTH * len(ACTIONS) - 1, 4), _NAME_WIDTH)
    bar_width = max(width - name_width - _PERCENT_WIDTH * len(ACTIONS) - 1, 0)
    lines = [_heading("Actions", "of the best; all-ins are calls and raises, too", width)]
    legend = Text(" " * (name_width + 1 + bar_width))
    for action, colour in zip(ACTIONS, ACTION_COLOURS, strict=True):
        word = action.replace("_", "-")
        legend.append(" " * (_PERCENT_WIDTH - len(word)))
        legend.append(word, _ink(colour))
    lines.append(legend)
    for opponent in opponents_of(report.latest):
        shares = [report.latest.get(f"{action}/{opponent}") for action in ACTIONS]
        line = Text.assemble(_cut(opponent, name_width), " ", action_bar(shares, bar_width))
        for share in shares:
            line.append(f"{_percent(share):>{_PERCENT_WIDTH}}")
        lines.append(line)
    return lines


def action_bar(shares: Sequence[float | None], width: int) -> Text:
    """The parts of the actions side by side in their colours, each with its letter (x for check) if there is room."""
    if None in shares:
        return Text(" " * width)
    edges = np.rint(width * np.cumsum([0.0, *parts_of_one(shares)])).astype(int).tolist()
    bar = Text()
    for letter, colour, left, right in zip("FxCRA", ACTION_COLOURS, edges[:-1], edges[1:], strict=True):
        bar.append(letter.ljust(right - left) if right > left else "", _background(colour))
    return bar


def _cut(name: str, width: int) -> str:
    """The name, padded or cut to the width."""
    return f"{name:<{width}}" if len(name) <= width else f"{name[: width - 1]}…"


def _ink(colour: charts.Colour) -> Style:
    return Style(color=Color.from_rgb(*charts.blend(colour, charts.LIGHT_TEXT, 0.35)))


def _background(colour: charts.Colour) -> Style:
    return Style(color=Color.from_rgb(*charts.text_colour(colour)), bgcolor=Color.from_rgb(*colour))


# --- displays ---------------------------------------------------------------------------------


class EvolutionDashboard:
    """Shows an evolution (a ``dashboard.Display``): a live screen on a terminal, plain lines elsewhere."""

    def __init__(
        self,
        console: Console,
        unit: str,
        history: Sequence[Mapping[str, Any]] = (),
        folder: Path | None = None,
    ) -> None:
        """
        Args:
          console: where to.
          unit: of the earnings, such as "starting stacks" or "mBB/hand".
          history: the rows of metrics of the sessions before, if the run goes on; trends begin with them.
          folder: of the run; the age of its newest checkpoint is shown.
        """
        self._console = console
        self._unit, self._folder = unit, folder
        self._plain = None if console.is_terminal and not console.is_dumb_terminal else PlainLines(console)
        self._title = ""
        self._pace, self._step = Pace(0), 0
        self._rows: list[Mapping[str, Any]] = list(history)
        self._latest: dict[str, float | int | bool | None] = {}
        self._live: Live | None = None

    def start(self, title: str, step: int, steps: int) -> None:
        self._title, self._step, self._pace = title, step, Pace(steps)
        self._rows = [row for row in self._rows if row["step"] <= step]  # the others are computed again
        if self._plain is not None:
            self._plain.start(title, step, steps)
            return
        for row in self._rows:
            self._latest |= row
        self._live = Live(get_renderable=self._picture, console=self._console, refresh_per_second=REFRESHES_PER_SECOND)
        self._live.start()

    def show(self, step: int, metrics: Metrics, seconds: float) -> None:
        if self._plain is not None:
            self._plain.show(step, _in_short(metrics), seconds)
            return
        self._pace.at(step, seconds)
        self._rows.append({"step": step, "seconds": seconds, **metrics})
        self._latest = {**self._latest, **metrics}  # a new one: the screen may be reading the old
        self._step = step

    def message(self, text: str) -> None:
        if self._plain is not None:
            self._plain.message(text)
        else:
            print_line(self._console, text)

    def stop(self) -> None:
        if self._plain is not None:
            self._plain.stop()
        if self._live is not None:
            self._live.stop()

    def _picture(self) -> RenderableType:
        age = checkpoint_age(self._folder) if self._folder is not None else None
        report = Report(
            self._title, self._step, self._pace.steps, str(self._pace), self._rows, self._latest, self._unit, age
        )
        return picture(report, self._console.width, self._console.height)


def _in_short(metrics: Metrics) -> Metrics:
    """What a plain line has room for: fitness, and what the best individual earns from each opponent."""
    earned = (name for name in metrics if name.startswith("earnings/"))
    return {name: metrics[name] for name in ("fitness_best", "fitness_mean", *earned) if name in metrics}


def show(folder: str | Path, console: Console | None = None, unit: str = "") -> None:
    """Prints the dashboard of a run from its folder: of one that ended, was stopped, or is at work.

    ``unit`` is that of the earnings, which the folder does not say. The generations in all are the config's.
    """
    folder = Path(folder)
    console = console or Console()
    rows = runs.read_metrics(folder)
    if not rows:
        raise runs.RunError(f"{folder} has no metrics to show yet: the first line comes with the first generation")
    config = read_yaml(folder / CONFIG_FILE)
    latest = {name: value for row in rows for name, value in row.items()}
    step = rows[-1]["step"]
    steps = config.get("generations")
    title = f"{config.get('experiment', folder.parent.name)}/{folder.name}"
    times = duration(rows[-1]["seconds"])
    report = Report(
        title, step, steps if isinstance(steps, int) else step, times, rows, latest, unit, checkpoint_age(folder)
    )
    console.print(picture(report, console.width))
