"""The dashboard of an evolution: every metric is there, it fits the screen, live and from a folder alike."""

import io
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from jaxpoker import runs
from jaxpoker.studies.evolve import dashboard
from jaxpoker.studies.evolve.dashboard import EvolutionDashboard, Report, action_bar, picture, sparkline

PAPER = ("scared limper", "calling machine", "hothead maniac", "candid statistician")


def evolution(generations: int, opponents: tuple[str, ...] = PAPER) -> list[dict[str, Any]]:
    """Rows of metrics of a population that gets better; nobody calls the first opponent after the flop."""
    random = np.random.default_rng(7)
    rows = []
    for generation in range(1, generations + 1):
        learned = 1 - np.exp(-generation / 60)
        best, mean, worst = (low + 0.8 * learned for low in (0.1, -0.4, -2.0))
        row: dict[str, Any] = {"step": generation, "seconds": 20 + 4.5 * generation}
        row |= {"fitness_best": best, "fitness_mean": mean, "fitness_worst": worst, "wins": 312, "losses": 85}
        for i, opponent in enumerate(opponents):
            fold, check, call, raised = random.dirichlet(50 * np.array([0.3 - 0.2 * learned, 0.3, 0.2, 0.4 * learned]))
            of_opponent = {
                "earnings": 2 * learned - 0.5 * i,
                "population_earnings": learned - 0.5 * i,
                "win": 0.5 + 0.4 * learned - 0.1 * i,
                "hands": 500 - 100 * i,
                "vpip": 0.9 - 0.1 * i,
                "pfr": 0.7 - 0.1 * i,
                "af": 1.5 + i if i else None,
                "wsd": 0.2 + 0.1 * i,
                "wsdw": 0.5 + 0.05 * i,
                "fold": fold,
                "check": check,
                "call": call,
                "raise": raised,
                "all_in": raised / 4,
            }
            row |= {f"{name}/{opponent}": value for name, value in of_opponent.items()}
        row |= {"hands": 180_000, "decisions": 612_345}
        row |= {
            "mutation_rate": 0.25 - 0.0008 * generation,
            "mutation_strength": 0.5 - 0.0016 * generation,
            "elites": 7,
        }
        rows.append(row)
    return rows


def report(rows: list[dict[str, Any]], **changes: Any) -> Report:
    latest = rows[-1] if rows else {}
    step = rows[-1]["step"] if rows else 0
    whole = Report("evolve/full", step, 250, "12:34  ETA 9:58", rows, latest, "starting stacks", 83.0)
    return whole._replace(**changes)


def lines_of(whole: Report, width: int = 100, height: int | None = 32) -> list[str]:
    """What a terminal of that size shows."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None, legacy_windows=False)
    console.print(picture(whole, width, height))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def line_with(start: str, lines: list[str], skip: int = 0) -> str:
    return [line for line in lines if line.startswith(start)][skip]


def words(line: str) -> str:
    return " ".join(line.split())


# --- what is on it ----------------------------------------------------------------------------


def test_the_population_is_shown_with_everything_the_model_card_lists() -> None:
    row = evolution(1)[0] | {"fitness_best": 0.8123, "fitness_mean": 0.3456, "fitness_worst": -1.2345}
    row |= {"mutation_rate": 0.142, "mutation_strength": 0.284, "elites": 9}
    lines = lines_of(report([row]))
    assert line_with("best", lines).split()[1] == "0.812"
    assert line_with("average", lines).split()[1] == "0.346"
    assert line_with("worst", lines).split()[1] == "-1.234"
    assert words(line_with("W/L", lines)) == "W/L 312–85 (79%) sessions mutation rate 0.142 strength 0.284 elites 9"
    assert lines[0].split() == ["evolve/full", "generation", "1/250"]
    assert lines[1].endswith(" 0%  12:34  ETA 9:58  saved 1:23 ago")
    assert lines[2].endswith("180,000 hands, 612,345 decisions a generation")


def test_every_opponent_has_its_figures_under_their_names() -> None:
    row = evolution(1, ("check-fold", "smart"))[0]
    figures = {"earnings": 1.875, "population_earnings": -0.25, "win": 0.77, "hands": 431.6, "vpip": 0.31, "pfr": 0.22}
    figures |= {"af": 2.345, "wsd": 0.41, "wsdw": 0.56}
    actions = {"fold": 0.11, "check": 0.24, "call": 0.15, "raise": 0.5, "all_in": 0.07}
    row |= {f"{name}/smart": value for name, value in (figures | actions).items()}
    lines = lines_of(report([row]))
    assert words(line_with("opponent", lines)) == "opponent best population win % hands VPIP PFR AF WSD WSDW"
    assert words(line_with("smart", lines)) == "smart +1.88 -0.25 77% 432 31% 22% 2.35 41% 56%"
    assert lines[-3].split() == ["fold", "check", "call", "raise", "all-in"]
    assert line_with("smart", lines, skip=1).split()[-5:] == ["11%", "24%", "15%", "50%", "7%"]
    assert [line.split()[0] for line in lines[-2:]] == ["check-fold", "smart"]
    assert any("earnings in starting stacks" in line for line in lines)


def test_numbers_stand_right_below_their_names() -> None:
    lines = lines_of(report(evolution(3)))
    heading, first = line_with("opponent", lines), line_with("scared limper", lines)
    ends = [match.end() for match in re.finditer(r"win %|\S+", heading)][1:]
    assert [match.end() for match in re.finditer(r"\S+", first)][2:] == ends


def test_what_is_not_known_is_a_dash() -> None:
    row = evolution(1)[0]
    row |= {f"{name}/hothead maniac": None for name in ("wsdw", "earnings", "fold", "check", "call", "raise", "all_in")}
    del row["vpip/hothead maniac"]
    row["fitness_worst"] = None
    lines = lines_of(report([row]))
    assert line_with("scared limper", lines).split()[8] == "–"  # AF: it never called
    cells = line_with("hothead maniac", lines).split()
    assert [i for i, cell in enumerate(cells[2:]) if cell == "–"] == [0, 4, 8]  # earnings, VPIP, WSDW
    assert line_with("hothead maniac", lines, skip=1).split()[2:] == ["–"] * 5
    assert line_with("worst", lines).split() == ["worst", "–"]


def test_before_the_first_generation_there_is_a_screen_too() -> None:
    lines = lines_of(report([]))
    assert "generation 0/250" in lines[0]
    assert line_with("best", lines).split()[:2] == ["best", "–"]
    assert words(lines[2]) == "hands/s – (overall –) – hands, – decisions a generation"


def test_large_earnings_have_no_decimals() -> None:
    row = evolution(1, ("call",))[0] | {"earnings/call": 1234.5678, "population_earnings/call": -99.999}
    lines = lines_of(report([row], unit="mBB/hand"))
    assert line_with("call", lines).split()[1:3] == ["+1,235", "-100"]
    assert any("earnings in mBB/hand" in line for line in lines)


def test_hands_per_second_are_of_the_last_generation_and_of_all() -> None:
    rows = [
        {"step": 1, "seconds": 30.0, "hands": 90_000},  # compiled
        {"step": 2, "seconds": 34.0, "hands": 120_000},
        {"step": 4, "seconds": 44.0, "hands": 100_000},  # a line for two generations
    ]
    assert dashboard.hands_per_second(rows) == (20_000, pytest.approx(410_000 / 44))
    assert dashboard.hands_per_second([]) == (None, None)
    assert "hands/s 20,000 (overall 9,318)" in lines_of(report(rows))[2]


# --- its size ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "height"), [(100, 32), (200, 60), (80, 24), (100, 22), (60, 20), (40, 10), (20, 5), (100, 3)]
)
def test_it_fits_the_terminal(width: int, height: int) -> None:
    lines = lines_of(report(evolution(137)), width, height)
    assert len(lines) < height  # the cursor has a line of its own
    assert max(map(len, lines)) <= width
    assert "generation 137" in "".join(lines) or width < 30


def test_at_100_by_32_nothing_is_left_out_or_cut_off() -> None:
    lines = lines_of(report(evolution(250), title="evolve/full-20261116-044900", step=250))
    assert not any("…" in line for line in lines)
    assert sum(line.startswith(PAPER) for line in lines) == 8
    assert len([line for line in lines if any(block in line for block in "▁▂▃▄▅▆▇█")]) == 6


def test_small_screens_keep_whole_numbers() -> None:
    cells = line_with("scared limp", lines_of(report(evolution(9)), 60, 24))
    assert re.fullmatch(r"scared limp(er *|…)(\s+(\+\d\.\d\d|\d+%|–))+", cells)
    low = lines_of(report(evolution(9)), 100, 16)
    assert sum(line.startswith(PAPER) for line in low) == 4  # without the actions


# --- trends and bars --------------------------------------------------------------------------


def test_a_trend_is_as_high_as_its_values() -> None:
    assert sparkline(list(range(8)), 8) == ["▁▂▃▄▅▆▇█"]
    assert sparkline([0, 10, 0, 5], 4) == ["▁█▁▅"]
    assert sparkline([3, 3, 3], 10) == ["▁▁▁"]
    assert sparkline([], 10, rows=2) == ["", ""]


def test_a_trend_of_two_rows_has_sixteen_heights() -> None:
    upper, lower = sparkline(list(range(16)), 16, rows=2)
    assert upper == " " * 8 + "▁▂▃▄▅▆▇█"
    assert lower == "▁▂▃▄▅▆▇█" + "█" * 8


def test_more_generations_than_columns_are_averaged() -> None:
    assert sparkline([0, 2, 6, 8, -1, 1, 8, 8], 4) == [sparkline([1, 7, 0, 8], 4)[0]]
    assert len(sparkline(list(range(250)), 65)[0]) == 65


def test_one_bad_generation_does_not_flatten_the_trend() -> None:
    trend = sparkline([-200.0, *np.linspace(0, 1, 60)], 61)[0]
    assert trend[0] == trend[1] == "▁"
    assert set(trend) == set("▁▂▃▄▅▆▇█")


def test_the_trends_follow_best_and_average() -> None:
    rows = [row | {"fitness_best": row["step"], "fitness_mean": -row["step"]} for row in evolution(8)]
    lines = lines_of(report(rows), 100, 24)
    assert "▁▂▃▄▅▆▇█" in line_with("best", lines)
    assert "█▇▆▅▄▃▂▁" in line_with("average", lines)
    assert line_with("best", lines).endswith("1.000 … 8.000")


def test_a_bar_is_filled_in_proportion() -> None:
    bar = action_bar([0.1, 0.2, 0.3, 0.4, 0.15], 20)
    assert bar.plain == "F x   C     R    A  "
    widths = [span.end - span.start for span in bar.spans]
    assert widths == [2, 4, 6, 5, 3]
    assert len({str(span.style) for span in bar.spans}) == 5
    assert action_bar([0, 0, 0, 1, 1], 10).plain == "A         "
    assert action_bar([None] * 5, 10).plain == " " * 10


@pytest.mark.parametrize(
    ("shares", "parts"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.1], [0.1, 0.2, 0.3, 0.3, 0.1]),
        ([0.1, 0.2, 0.6, 0.1, 0.5], [0.1, 0.2, 0.2, 0.0, 0.5]),  # calls for the whole stack
        ([1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_all_ins_are_part_of_raises_and_calls(shares: list[float], parts: list[float]) -> None:
    assert dashboard.parts_of_one(shares) == pytest.approx(parts)


# --- live -------------------------------------------------------------------------------------


def play(dashboard: EvolutionDashboard, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        metrics = {name: value for name, value in row.items() if name not in ("step", "seconds")}
        dashboard.show(row["step"], metrics, row["seconds"])


def terminal(width: int = 100, height: int = 32) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    console = Console(
        file=out, width=width, height=height, force_terminal=True, color_system=None, legacy_windows=False, _environ={}
    )
    return console, out


def screen(text: str) -> list[str]:
    """The lines that a terminal shows after it was sent the text; it has room for all."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part.endswith("A") and part.startswith("\x1b"):
            row -= int(part[2:-1] or 1)
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith(("\x1b", "\r")):
            lines[row] += part
    return lines


def test_messages_stay_above_and_the_last_state_stays_at_the_end() -> None:
    console, out = terminal()
    dashboard = EvolutionDashboard(console, "starting stacks")
    rows = evolution(6)
    dashboard.message("writes to runs/evolve/a")
    dashboard.start("evolve/a", 0, 6)
    play(dashboard, rows[:3])
    dashboard.message("[bold] is not markup")
    play(dashboard, rows[3:])
    dashboard.stop()
    dashboard.stop()
    dashboard.message("done")
    lines = screen(out.getvalue())
    assert lines[:2] == ["writes to runs/evolve/a", "[bold] is not markup"]
    assert [line for line in lines if "generation" in line and "/6" in line] == [lines[2]]  # one screen, not many
    assert lines[2].endswith("generation 6/6")
    assert [line for line in lines if line][-1] == "done"
    expected = line_with("candid statistician", lines_of(report(rows)))
    assert line_with("candid statistician", lines).rstrip() == expected.rstrip()


def test_a_resumed_run_has_the_trend_of_its_earlier_sessions() -> None:
    console, out = terminal(height=24)
    rows = [row | {"fitness_best": row["step"]} for row in evolution(12)]
    dashboard = EvolutionDashboard(console, "starting stacks", history=rows[:10])
    dashboard.start("evolve/a", 6, 12)  # the checkpoint is older than the last lines
    play(dashboard, [row | {"fitness_best": row["step"]} for row in rows[6:8]])
    dashboard.stop()
    assert "▁▂▃▄▅▆▇█" in line_with("best", screen(out.getvalue()))


def test_stopping_before_starting_is_fine() -> None:
    console, out = terminal()
    dashboard = EvolutionDashboard(console, "starting stacks")
    dashboard.message("damaged")
    dashboard.stop()
    assert out.getvalue().strip() == "damaged"


def test_without_a_terminal_lines_say_fitness_and_earnings() -> None:
    out = io.StringIO()
    dashboard = EvolutionDashboard(Console(file=out, width=40), "starting stacks")
    row = evolution(1, ("check-fold", "smart"))[0]
    row = dict(sorted(row.items())) | {"fitness_best": 0.75, "fitness_mean": 0.25}  # as jitted functions return them
    row |= {"earnings/check-fold": 1.5, "earnings/smart": -0.125}
    dashboard.message("writes to runs/evolve/a")
    dashboard.start("evolve/a", 0, 4)
    play(dashboard, [row | {"seconds": 5.0}])
    dashboard.stop()
    assert out.getvalue().splitlines() == [
        "writes to runs/evolve/a",
        "evolve/a  step 1/4 (25%)  0:05  ETA ?  "
        "fitness_best 0.75  fitness_mean 0.25  earnings/check-fold 1.5  earnings/smart -0.125",
    ]


# --- from a folder ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of 100 generations of which 40 are done."""
    folder = tmp_path / "evolve" / "first"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in evolution(40)))
    (folder / "config.yaml").write_text("experiment: evolve\npreset: quick\ngenerations: 100\nseed: 0\n")
    for step, age in ((10, 500), (30, 125)):
        manifest = folder / "checkpoints" / f"{step}.json"
        manifest.write_text("{}")
        os.utime(manifest, (time.time() - age,) * 2)
    return folder


def test_a_folder_is_shown_as_the_run_showed_itself(folder: Path) -> None:
    console, out = terminal(height=10)
    dashboard.show(folder, console, "starting stacks")
    lines = out.getvalue().splitlines()
    assert lines[0].split() == ["evolve/first", "generation", "40/100"]
    assert re.search(r" 40%  3:20  saved 2:0[5-9] ago$", lines[1])
    rows = evolution(40)
    assert lines[3:] == lines_of(report(rows, title="evolve/first", steps=100), height=None)[3:]


def test_the_unit_is_left_out_if_nobody_says_it(folder: Path) -> None:
    console, out = terminal()
    dashboard.show(folder, console)
    assert "earnings in" not in out.getvalue()


def test_a_folder_without_metrics_is_a_clear_error(folder: Path, tmp_path: Path) -> None:
    (folder / "metrics.jsonl").write_text("")
    with pytest.raises(runs.RunError, match=r"first has no metrics to show yet: the first line comes with"):
        dashboard.show(folder, Console(file=io.StringIO()))
    with pytest.raises(runs.RunError, match=r"cannot read .*nowhere.*metrics\.jsonl"):
        dashboard.show(tmp_path / "nowhere", Console(file=io.StringIO()))


def test_the_age_is_that_of_the_newest_checkpoint(folder: Path, tmp_path: Path) -> None:
    assert dashboard.checkpoint_age(folder) == pytest.approx(125, abs=20)
    assert dashboard.checkpoint_age(tmp_path) is None
