"""Pictures of an evolution: which panels and curves they have, at which points, and that they are drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from jaxpoker import charts
from jaxpoker.plots import figures as canvas
from jaxpoker.studies.evolve import plots

OPPONENTS = ("check-fold", "call", "raise", "smart")
GROUPS = ("earnings", "population_earnings", "vpip", "pfr", "af", "wsd", "wsdw")
MIX = {"fold": 0.1, "check": 0.2, "call": 0.3, "raise": 0.4, "all_in": 0.1}


def evolution(generations: int) -> list[dict[str, Any]]:
    """Metric k of opponent i is k + i / 10 + generation / 1000: every curve has its own height."""
    rows = []
    for step in range(1, generations + 1):
        row: dict[str, Any] = {"step": step, "seconds": 4.0 * step}
        row |= {"fitness_best": 0.5 + step / 1000, "fitness_mean": 0.1, "fitness_worst": -0.5}
        for i, opponent in enumerate(OPPONENTS):
            row |= {f"{group}/{opponent}": k + i / 10 + step / 1000 for k, group in enumerate(GROUPS)}
            row |= {f"{action}/{opponent}": share for action, share in MIX.items()}
        rows.append(row)
    return rows


@pytest.fixture(autouse=True)
def few_dots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of half the size, which are drawn sooner."""
    monkeypatch.setattr(canvas, "DOTS_PER_INCH", 75)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    """The figures that were saved, by the file's name."""
    saved: dict[str, Figure] = {}
    save = canvas.save

    def keep(figure: Figure, path: str | Path) -> None:
        save(figure, path)
        saved[Path(path).name] = figure

    monkeypatch.setattr(canvas, "save", keep)
    return saved


def curves(figure: Figure) -> dict[str, dict[str, np.ndarray]]:
    """By panel and label the points [n, 2] of the labelled curves."""
    return {
        axes.get_title(loc="left"): {
            line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")
        }
        for axes in figure.axes
    }


def coloured(path: Path) -> int:
    """Dots of the picture that are neither white, black nor grey: curves and areas."""
    picture = imread(path)[..., :3]
    return int((picture.max(axis=-1) - picture.min(axis=-1) > 0.25).sum())


@pytest.mark.thorough
def test_all_plots_are_drawn(tmp_path: Path, figures: dict[str, Figure]) -> None:
    paths = plots.all_plots(tmp_path, evolution(12), "starting stacks")
    assert [path.name for path in paths] == ["fitness.png", "earnings.png", "statistics.png", "actions.png"]
    assert [len(figures[path.name].axes) for path in paths] == [1, 4, 5, 4]
    assert all(coloured(path) > 1_000 for path in paths)


def test_fitness_has_three_curves(tmp_path: Path, figures: dict[str, Figure]) -> None:
    plots.fitness(tmp_path / "fitness.png", evolution(3))
    drawn = curves(figures["fitness.png"])["Fitness"]
    assert list(drawn) == ["best", "mean", "worst"]
    assert drawn["best"].tolist() == [[1, 0.501], [2, 0.502], [3, 0.503]]
    assert drawn["worst"].tolist() == [[1, -0.5], [2, -0.5], [3, -0.5]]


def test_one_bad_generation_does_not_flatten_the_fitness(tmp_path: Path, figures: dict[str, Figure]) -> None:
    rows = evolution(60)
    plots.fitness(tmp_path / "good.png", rows)
    rows[0] |= {"fitness_mean": -40.0, "fitness_worst": -50.0}
    plots.fitness(tmp_path / "bad.png", rows)
    lowest = {name: figure.axes[0].get_ylim()[0] for name, figure in figures.items()}
    assert lowest["good.png"] == pytest.approx(-0.5, abs=0.1)
    assert lowest["bad.png"] == pytest.approx(-0.5, abs=0.1)


def test_earnings_have_a_panel_per_opponent(tmp_path: Path, figures: dict[str, Figure]) -> None:
    plots.earnings(tmp_path / "earnings.png", evolution(2), "mBB/hand")
    drawn = curves(figures["earnings.png"])
    assert tuple(drawn) == OPPONENTS
    assert drawn["smart"]["best individual"][:, 1] == pytest.approx([0.301, 0.302])
    assert drawn["smart"]["mean of the population"][:, 1] == pytest.approx([1.301, 1.302])
    assert {axes.get_ylabel() for axes in figures["earnings.png"].axes} == {"mBB/hand"}


def test_statistics_have_a_curve_per_opponent_and_none_where_nothing_was_counted(
    tmp_path: Path, figures: dict[str, Figure]
) -> None:
    rows = evolution(3)
    rows[1]["wsdw/call"] = None
    for row in rows:
        row["af/check-fold"] = None
    plots.statistics(tmp_path / "statistics.png", rows)
    drawn = curves(figures["statistics.png"])
    assert list(drawn) == ["VPIP", "PFR", "AF", "WSD", "WSDW"]
    assert [tuple(drawn[panel]) for panel in ("VPIP", "AF")] == [OPPONENTS, OPPONENTS[1:]]
    assert drawn["WSDW"]["call"][:, 0].tolist() == [1, 3]
    assert drawn["PFR"]["raise"][:, 1] == pytest.approx([3.201, 3.202, 3.203])
    first, second = (figures["statistics.png"].axes[panel].lines for panel in (0, 2))
    assert {line.get_label(): line.get_color() for line in second}.items() <= {
        line.get_label(): line.get_color() for line in first
    }.items()


def test_actions_fill_the_panel_in_their_colours(tmp_path: Path) -> None:
    """A tenth is folds, two checks, three calls, three raises that are no all-in, and one all-ins."""
    path = tmp_path / "actions.png"
    plots.actions(path, evolution(40))
    picture = np.rint(imread(path)[..., :3] * 255).astype(int)
    panel = picture[: picture.shape[0] // 2, : picture.shape[1] // 2]
    counts = [
        int((panel == np.asarray(colour)).all(axis=-1).sum())
        for colour in (charts.FOLD, (0, 114, 178), charts.CALL, charts.RAISE, charts.ALL_IN)
    ]
    assert np.array(counts) / sum(counts) == pytest.approx([0.1, 0.2, 0.3, 0.3, 0.1], abs=0.02)
    assert sum(counts) > 0.4 * panel.shape[0] * panel.shape[1]


def test_actions_of_an_opponent_that_nobody_acted_against_are_left_out(
    tmp_path: Path, figures: dict[str, Figure]
) -> None:
    rows = evolution(3)
    for row in rows:
        row |= {f"{action}/call": None for action in MIX}
    plots.actions(tmp_path / "actions.png", rows)
    assert [axes.get_title(loc="left") for axes in figures["actions.png"].axes] == ["check-fold", "raise", "smart"]


@pytest.mark.thorough
def test_one_generation_is_enough(tmp_path: Path) -> None:
    paths = plots.all_plots(tmp_path, evolution(1), "starting stacks")
    assert all(coloured(path) > 100 for path in paths)
    assert coloured(paths[-1]) > 100_000  # areas are as wide as the panel


def test_adaptation_shows_moving_averages_of_the_hands_that_were_reached(
    tmp_path: Path, figures: dict[str, Figure]
) -> None:
    hands = np.arange(100.0)
    ended = np.where(hands < 60, 5.0, np.nan)
    series = {
        "raise": {"with opponent memory": hands, "without": ended},
        "smart": {"with opponent memory": np.where(hands % 2, 1.0, -1.0), "without": 0 * hands},
    }
    plots.adaptation(tmp_path / "adaptation.png", series, "mBB/hand", window=10)
    drawn = curves(figures["adaptation.png"])
    assert {panel: list(of_panel) for panel, of_panel in drawn.items()} == {
        "raise": ["with opponent memory", "without"],
        "smart": ["with opponent memory", "without"],
    }
    assert drawn["raise"]["with opponent memory"][50].tolist() == [51, np.mean(range(46, 56))]
    assert drawn["raise"]["without"].tolist() == [[hand, 5.0] for hand in range(1, 61)]
    assert np.abs(drawn["smart"]["with opponent memory"][10:-10, 1]).max() < 1e-9
    assert coloured(tmp_path / "adaptation.png") > 1_000


def test_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there are no rows of metrics to draw"):
        plots.all_plots(tmp_path, [], "starting stacks")
    assert not list(tmp_path.iterdir())
