"""Pictures: their size, which pixels have which colour, and what is refused."""

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from jaxpoker import charts, plots, ranges
from jaxpoker.plots import figures


def number(name: str) -> int:
    return ranges.CLASS_NAMES.index(name)


def pixels(path: Path) -> np.ndarray:
    """[height, width, 3] from 0 to 255."""
    return np.rint(imread(path)[..., :3] * 255).astype(int)


def places_of(colour: tuple[int, int, int], picture: np.ndarray) -> np.ndarray:
    """[height, width] where the picture has just this colour."""
    return (picture == np.asarray(colour)).all(axis=-1)


def cell_bounds(places: np.ndarray) -> tuple[int, int, int, int]:
    """Top, bottom, left, right of what is True."""
    rows, columns = np.flatnonzero(places.any(axis=1)), np.flatnonzero(places.any(axis=0))
    return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1


RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
FIRST, SECOND, GREY, INK = (  # colours of the first and the second curve, of references and of text
    tuple(np.rint(np.multiply(to_rgb(colour), 255)).astype(int))
    for colour in (*figures.CURVE_COLOURS[:2], figures.GREY, figures.INK)
)
CELL = 75  # dots: half an inch
EDGE = 3  # half of the white line between cells, rounded up


def test_hands_lie_in_the_picture_as_in_the_chart(tmp_path: Path):
    """Three actions that take one hand each: AA is top left, AKs to its right, AKo beneath."""
    mix = np.zeros((169, 3))
    for action, hand in enumerate(["AA", "AKs", "AKo"]):
        mix[number(hand), action] = 1
    plots.hand_grid(tmp_path / "grid.png", mix, actions=["x", "y", "z"], colours=[RED, GREEN, BLUE])
    picture = pixels(tmp_path / "grid.png")
    grid = picture[: 13 * CELL + 60]  # without the legend
    aces, suited, offsuit = (cell_bounds(places_of(colour, grid)) for colour in (RED, GREEN, BLUE))
    for top, bottom, left, right in (aces, suited, offsuit):
        assert abs(bottom - top - CELL) <= EDGE
        assert abs(right - left - CELL) <= EDGE
    assert np.subtract(suited, aces) == pytest.approx([0, 0, CELL, CELL], abs=EDGE)
    assert np.subtract(offsuit, aces) == pytest.approx([CELL, CELL, 0, 0], abs=EDGE)
    nothing = cell_bounds(places_of(charts.NOTHING, grid))
    assert nothing == pytest.approx([aces[0], aces[0] + 13 * CELL, aces[2], aces[2] + 13 * CELL], abs=EDGE)


def test_a_cell_is_filled_in_proportion(tmp_path: Path):
    mix = np.zeros((169, 2))
    mix[number("22")] = 0.25, 0.5
    plots.hand_grid(tmp_path / "grid.png", mix, actions=["x", "y"], colours=[RED, GREEN])
    picture = pixels(tmp_path / "grid.png")
    grid = picture[: 13 * CELL + 60]
    _, _, left, middle = cell_bounds(places_of(RED, grid))
    _, _, start, end = cell_bounds(places_of(GREEN, grid))
    assert middle - left == pytest.approx(CELL / 4, abs=EDGE)
    assert end - start == pytest.approx(CELL / 2, abs=EDGE)
    assert start == pytest.approx(middle, abs=1)


def test_panels_stand_side_by_side_and_say_what_they_are(tmp_path: Path):
    jam = np.ones(169)
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    plots.hand_grid(one, jam, actions=["jam"])
    plots.hand_grid(two, {"SB": jam, "BB": jam / 2}, "10 BB", {"SB": ["jam"], "BB": ["call"]})
    single, double = pixels(one), pixels(two)
    assert single.shape == (13 * CELL + 45 + 90, 13 * CELL + 90, 3)  # margins and one line of legend
    assert double.shape[1] == 2 * 13 * CELL + 3 * 45
    assert double.shape[0] > single.shape[0]  # titles
    half = double.shape[1] // 2
    assert places_of(charts.ALL_IN, double)[:, :half].sum() > 100 * CELL * CELL
    assert places_of(charts.ALL_IN, double)[:, half:].sum() == 0
    assert 50 * CELL * CELL < places_of(charts.CALL, double)[:, half:].sum() < 85 * CELL * CELL
    assert places_of(charts.NOTHING, double)[:, :half].sum() == 0


def test_a_mixed_hand_shows_its_percentage(tmp_path: Path):
    """The number below the name is more ink in the lower part of the cell than a pure hand has there."""
    ink = []
    for share in (1.0, 0.99):
        plots.hand_grid(tmp_path / "grid.png", np.where(np.arange(169) == 0, share, 0), colours=[(0, 0, 0)])
        cell = pixels(tmp_path / "grid.png")[45 + 48 : 45 + 66, 45 + 10 : 45 + 65]
        ink.append(int((cell.sum(axis=-1) > 600).sum()))
    assert ink[0] < 20 < ink[1]


# --- curves -----------------------------------------------------------------------------------


def test_each_series_has_a_colour_of_its_own(tmp_path: Path):
    x = np.arange(1, 101)
    both, first = tmp_path / "both.png", tmp_path / "first.png"
    plots.curves(both, {"CFR": (x, 1 / x), "CFR+": (x, 1 / x**2)}, "iterations", "exploitability", "Kuhn", True, True)
    plots.curves(first, {"CFR": (x, 1 / x)}, "iterations", "exploitability", "Kuhn", True, True)
    assert pixels(both).shape == pixels(first).shape == (780, 1275, 3)
    assert places_of(FIRST, pixels(both)).sum() > 500
    assert places_of(SECOND, pixels(both)).sum() > 500
    assert places_of(FIRST, pixels(first)).sum() > 500
    assert places_of(SECOND, pixels(first)).sum() == 0


def test_log_axes_make_a_power_law_straight(tmp_path: Path):
    x = np.geomspace(1, 1000, 200)

    def bend(log: bool) -> float:
        """How far the curve leaves the line from its middle to its end, in dots; the legend is on the left."""
        plots.curves(tmp_path / "curve.png", {"s": (x, x**2)}, "x", "y", log_x=log, log_y=log)
        rows, columns = np.nonzero(places_of(FIRST, pixels(tmp_path / "curve.png"))[:, 600:])
        ends = [columns.argmin(), columns.argmax()]
        return float(np.abs(rows - np.polyval(np.polyfit(columns[ends], rows[ends], 1), columns)).max())

    assert bend(log=True) < 10 < bend(log=False)


def test_reference_lines_are_drawn_at_their_height(tmp_path: Path):
    def longest_row(lines: dict[str, float]) -> tuple[int, int]:
        """The row above the x axis with the most grey dots, and how many."""
        plots.curves(tmp_path / "curve.png", {"s": ([0, 1], [0.0, 1.0])}, "x", "y", lines=lines)
        in_row = places_of(GREY, pixels(tmp_path / "curve.png"))[:600].sum(axis=1)
        return int(in_row.argmax()), int(in_row.max())

    assert longest_row({})[1] < 50
    (high, many), (low, also_many) = longest_row({"value": 0.75}), longest_row({"value": 0.25})
    assert many > 400
    assert also_many > 400
    assert 200 < low - high < 400


def test_intervals_are_a_band_around_the_curve(tmp_path: Path):
    """As high as it is wide: three times the interval is three times the rows of the picture."""

    def height(width: float) -> int:
        """How many rows in the middle of the picture differ from those of a curve without a band."""
        series, middle = {"s": ([0, 1], [2.0, 2.0]), "up": ([0, 1], [3.0, 3.0])}, slice(500, 520)
        for name, given in (("bare", None), ("band", {"s": [width, width]})):
            plots.curves(tmp_path / f"{name}.png", series, "x", "y", bottom=0, intervals=given)
        bare, band = (pixels(tmp_path / f"{name}.png")[:, middle] for name in ("bare", "band"))
        return int((bare != band).any(axis=(1, 2)).sum())

    narrow, wide = height(0.25), height(0.75)
    assert narrow > 50
    assert 2.5 < wide / narrow < 3.5
    with pytest.raises(ValueError, match="intervals of 't', which is no series: there are"):
        plots.curves(tmp_path / "curve.png", {"s": ([0], [1.0])}, "x", "y", intervals={"t": [1.0]})


def test_the_y_axis_can_begin_above_the_lowest_point(tmp_path: Path):
    """With the axis cut at 0, the curve's upper half fills the picture and its three quarters are in the middle."""

    def row_at_three_quarters(bottom: float | None) -> int:
        plots.curves(tmp_path / "curve.png", {"s": (np.arange(40), np.linspace(-1, 1, 40))}, "x", "y", bottom=bottom)
        column = places_of(FIRST, pixels(tmp_path / "curve.png"))[:650, 940:950].any(axis=1)
        return int(np.flatnonzero(column).mean())

    assert row_at_three_quarters(bottom=0.0) > row_at_three_quarters(bottom=None) + 100


# --- panels -----------------------------------------------------------------------------------


def test_a_label_has_the_same_colour_in_every_panel(tmp_path: Path):
    """The second label is drawn in the first panel only, the first label in the second panel only."""
    x = np.arange(100)
    panels = {"left": {"a": (x, x), "b": (x, 2 * x)}, "right": {"b": (x, x)}}
    plots.curve_panels(tmp_path / "panels.png", panels, "x", {"left": "chips", "right": "hands"}, "both")
    picture = pixels(tmp_path / "panels.png")
    assert picture.shape == (660, 1800, 3)
    panels_alone = picture[:560]  # without the legend
    assert places_of(FIRST, panels_alone)[:, :900].sum() > 300
    assert places_of(FIRST, panels_alone)[:, 900:].sum() == 0
    assert places_of(SECOND, panels_alone)[:, :900].sum() > 300
    assert places_of(SECOND, panels_alone)[:, 900:].sum() > 300
    assert places_of(SECOND, picture[560:]).sum() > 20  # the legend


def test_panels_stand_two_in_a_row(tmp_path: Path):
    for count, (height, width) in {1: (660, 900), 2: (660, 1800), 3: (1170, 1800), 5: (1680, 1800)}.items():
        panels = {str(i): {"s": ([1, 2], [1, 2])} for i in range(count)}
        plots.curve_panels(tmp_path / "panels.png", panels, "x", "y")
        assert pixels(tmp_path / "panels.png").shape == (height, width, 3)


def test_a_moving_average_is_of_the_points_around():
    assert plots.moving_average([1, 2, 6, 3, 4], 1).tolist() == [1, 2, 6, 3, 4]
    assert plots.moving_average([1, 2, 6, 3, 4], 3) == pytest.approx([1.5, 3, 11 / 3, 13 / 3, 3.5])
    assert plots.moving_average([1, 3, 5, 7], 2) == pytest.approx([2, 4, 6, 7])
    assert plots.moving_average([1, 2, 6], 99) == pytest.approx([3, 3, 3])


def test_areas_lie_on_top_of_each_other(tmp_path: Path):
    x = np.arange(50)
    panels = {"one": {"fold": (x, 0 * x + 0.25), "raise": (x, 0 * x + 0.75)}}
    plots.area_panels(tmp_path / "areas.png", panels, "x", "y")
    picture = pixels(tmp_path / "areas.png")[:560]
    fold, raised = (cell_bounds(places_of(colour, picture)) for colour in (charts.FOLD, charts.RAISE))
    assert raised[1] == pytest.approx(fold[0], abs=2)
    assert (raised[1] - raised[0]) / (fold[1] - fold[0]) == pytest.approx(3, rel=0.05)


def test_bars_are_as_high_as_they_say_and_carry_their_intervals(tmp_path: Path):
    names = {"games": ["two", "four"]}
    panels = {"games": {"a": plots.Bars([0.8, 0.4], [0.05, 0.05]), "b": plots.Bars([0.2, 0.2])}}
    plots.bar_panels(tmp_path / "bars.png", panels, names, "won", lines={"games": {"half": 0.5}})
    picture = pixels(tmp_path / "bars.png")[:560]
    columns = np.flatnonzero(places_of(FIRST, picture).any(axis=0))
    first, second = columns[columns < 450], columns[columns > 450]
    heights = [places_of(FIRST, picture)[:, part[3]].sum() for part in (first, second)]  # at an edge: no whisker there
    assert heights[0] / heights[1] == pytest.approx(2, rel=0.1)
    assert places_of(SECOND, picture).any(axis=1).sum() == pytest.approx(heights[0] / 4, rel=0.1)
    whiskers = places_of(INK, picture)[:, first[0] : first[-1]]
    assert np.flatnonzero(whiskers.any(axis=1)).min() < np.flatnonzero(places_of(FIRST, picture).any(axis=1)).min() - 5
    with pytest.raises(ValueError, match="there is no panel to draw"):
        plots.bar_panels(tmp_path / "bars.png", {}, {}, "won")


def test_ranked_bars_go_left_and_right_and_one_is_marked(tmp_path: Path):
    bars = {"worst": (-400.0, 20.0), "bad": (-200.0, 20.0), "good": (200.0, 20.0)}
    plots.ranked_bars(tmp_path / "ranked.png", bars, "won", "A title", marked="worst")
    picture = pixels(tmp_path / "ranked.png")
    worst, bad = (places_of(colour, picture) for colour in (SECOND, FIRST))
    rows = np.flatnonzero(bad.any(axis=1))
    longest = [place.sum(axis=1).max() for place in (worst, bad)]
    assert longest[0] / longest[1] == pytest.approx(2, rel=0.1)
    assert np.flatnonzero(worst.sum(axis=1) > longest[1]).max() < rows.min(), "the first one is at the top"
    plots.ranked_bars(tmp_path / "plain.png", bars, "won")
    assert not places_of(SECOND, pixels(tmp_path / "plain.png")).any()
    with pytest.raises(ValueError, match="there is no bar to draw"):
        plots.ranked_bars(tmp_path / "ranked.png", {}, "won")


# --- what is refused --------------------------------------------------------------------------


def test_panels_that_cannot_be_drawn(tmp_path: Path):
    path, x = tmp_path / "panels.png", [1, 2]
    with pytest.raises(ValueError, match="there is no panel to draw"):
        plots.curve_panels(path, {}, "x", "y")
    with pytest.raises(ValueError, match="panel 'call' has no series to draw"):
        plots.curve_panels(path, {"call": {}}, "x", "y")
    with pytest.raises(ValueError, match="y of series 's' has nan"):
        plots.curve_panels(path, {"call": {"s": (x, [1, np.nan])}}, "x", "y")
    with pytest.raises(ValueError, match="cannot smooth over 0 points"):
        plots.curve_panels(path, {"call": {"s": (x, x)}}, "x", "y", smooth=0)
    with pytest.raises(ValueError, match=r"panel 'b' has the areas \['t'\], another has \['s'\]"):
        plots.area_panels(path, {"a": {"s": (x, x)}, "b": {"t": (x, x)}}, "x", "y")
    with pytest.raises(ValueError, match="the areas of panel 'a' differ in x"):
        plots.area_panels(path, {"a": {"s": (x, x), "t": ([1, 3], x)}}, "x", "y")
    with pytest.raises(ValueError, match=r"2 colours for 1 areas \['s'\]"):
        plots.area_panels(path, {"a": {"s": (x, x)}}, "x", "y", colours=[RED, GREEN])
    assert not path.exists()


@pytest.mark.parametrize(
    ("series", "options", "message"),
    [
        ({}, {}, "no series to draw"),
        ({"CFR": ([1, 2, 3], [1, 2])}, {}, r"series 'CFR' has x of shape \(3,\) and y of shape \(2,\)"),
        ({"CFR": ([], [])}, {}, "at least one"),
        ({"CFR": ([[1]], [[1]])}, {}, r"x of shape \(1, 1\)"),
        ({"CFR": ([1, 2], [1, np.nan])}, {}, "y of series 'CFR' has nan: only finite"),
        ({"CFR": ([1, np.inf], [1, 2])}, {}, "x of series 'CFR' has inf: only finite"),
        ({"CFR": ([0, 1], [1, 2])}, {"log_x": True}, "x of series 'CFR' has 0: with log_x all are above 0"),
        ({"CFR": ([0, 1], [-1, 2])}, {"log_y": True}, "y of series 'CFR' has -1: with log_y all are above 0"),
        ({"CFR": ([0, 1], [1, 2])}, {"log_y": True, "lines": {"value": 0}}, "line 'value' has 0: with log_y"),
    ],
)
def test_curves_that_cannot_be_drawn(tmp_path: Path, series: dict, options: dict, message: str):
    with pytest.raises(ValueError, match=message):
        plots.curves(tmp_path / "curve.png", series, "x", "y", **options)
    assert not (tmp_path / "curve.png").exists()


def test_grids_that_cannot_be_drawn(tmp_path: Path):
    path = tmp_path / "grid.png"
    with pytest.raises(ValueError, match=r"got shape \(168,\)"):
        plots.hand_grid(path, np.ones(168))
    with pytest.raises(ValueError, match="the weight of AA is nan"):
        plots.hand_grid(path, np.full(169, np.nan))
    with pytest.raises(ValueError, match="there is no panel to draw"):
        plots.hand_grid(path, {})
    with pytest.raises(ValueError, match=r"actions are for panels \['BB'\], weights for \['SB'\]"):
        plots.hand_grid(path, {"SB": np.ones(169)}, actions={"BB": ["call"]})
    assert not path.exists()


def test_pictures_are_png_files_in_a_folder_that_is_there(tmp_path: Path):
    with pytest.raises(ValueError, match=r"as 'grid.jpg': the name ends with .png"):
        plots.hand_grid(tmp_path / "grid.jpg", np.ones(169))
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere.* to save 'curve.png' into"):
        plots.curves(tmp_path / "nowhere" / "curve.png", {"s": ([1], [1])}, "x", "y")


def test_matplotlib_is_loaded_when_something_is_drawn_and_keeps_its_settings(tmp_path: Path):
    code = """
import sys
from jaxpoker import plots
assert "matplotlib" not in sys.modules
import matplotlib
matplotlib.use("svg")
before = dict(matplotlib.rcParams)
plots.curves(sys.argv[1], {"s": ([1, 2], [1, 2])}, "x", "y")
assert dict(matplotlib.rcParams) == before
assert "matplotlib.pyplot" not in sys.modules
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "curve.png")], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_legend_of_many_curves_stands_beside_them(tmp_path):
    def drawn(number):
        path = tmp_path / f"{number}.png"
        plots.curves(path, {f"curve {i}": ([1, 2], [i, i + 1]) for i in range(number)}, "x", "y")
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        return width / height

    assert drawn(7) > 1.3 * drawn(6)
