"""Pictures and tables of buckets."""

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from rich.console import Console

from jaxpoker import plots
from jaxpoker.games.holdem.table import FLOP
from jaxpoker.plots import figures
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import bucket_plots, bucket_profiles

pytestmark = pytest.mark.thorough

RANK_BASED = abstraction.make("rank_based")


@pytest.fixture(autouse=True)
def few_dots_and_boards(monkeypatch, rank_based_profiles):
    """Small pictures, and profiles of few boards."""
    monkeypatch.setattr(figures, "DOTS_PER_INCH", 50)
    monkeypatch.setattr(bucket_profiles, "sampled", lambda _: rank_based_profiles)


@pytest.mark.parametrize("name", ["rank_based", "equity"])
def test_pictures_are_drawn(name, tmp_path: Path, few_flops):
    cards = RANK_BASED if name == "rank_based" else few_flops
    for draw in (bucket_plots.buckets, bucket_plots.curves):
        draw(tmp_path / "picture.png", cards)
        picture = imread(tmp_path / "picture.png")[..., :3]
        assert (picture.max(axis=-1) - picture.min(axis=-1) > 0.25).mean() > 0.005  # dots with colour


def test_a_heat_map_is_light_where_numbers_are_small(tmp_path: Path):
    plots.heat_maps(tmp_path / "map.png", {"": plots.HeatMap([[0.0, 1.0], [np.nan, 0.0]])})
    picture = imread(tmp_path / "map.png")[..., :3].mean(axis=-1)
    height, width = picture.shape
    lower_left, lower_right = (picture[int(0.75 * height), int(at * width)] for at in (0.3, 0.7))
    upper_left = picture[int(0.25 * height), int(0.3 * width)]
    assert lower_right < 0.2 and 0.9 < lower_left < 1 and upper_left == 1


@pytest.mark.parametrize(
    ("panels", "message"),
    [({}, "there is no panel to draw"), ({"flop": plots.HeatMap([1.0, 2.0])}, r"'flop' has shape \(2,\): give")],
)
def test_heat_maps_without_numbers_say_what_is_missing(tmp_path: Path, panels, message):
    with pytest.raises(ValueError, match=message):
        plots.heat_maps(tmp_path / "map.png", panels)


def test_the_table_shows_some_buckets_from_both_ends(rank_based_profiles):
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(bucket_plots.table(RANK_BASED, FLOP, most=5))
    lines = console.export_text().splitlines()
    assert [line.split()[0] for line in lines[4:9]] == ["0", "2", "4", "6", "8"]
    share, equity = (
        f"{number[0]:.{digits}%}"
        for number, digits in ((rank_based_profiles[FLOP].share, 2), (rank_based_profiles[FLOP].mean, 1))
    )
    assert f"{share}    {equity}" in lines[4] and lines[4].rstrip().endswith("high card")
    assert lines[8].rstrip().endswith("straight flush")


def test_some_of_many_are_spread_evenly():
    assert bucket_plots.some(np.arange(64), 4).tolist() == [0, 21, 42, 63]
    assert bucket_plots.some(np.arange(3), 4).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="cannot choose 0 buckets"):
        bucket_plots.some(np.arange(3), 0)
