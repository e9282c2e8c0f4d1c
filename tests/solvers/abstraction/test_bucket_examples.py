"""Buckets with hands that a player knows."""

import numpy as np
import pytest
from matplotlib.image import imread

from jaxpoker.games.holdem.table import FLOP
from jaxpoker.plots import figures
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import bucket_examples, bucket_profiles

RANK_BASED = abstraction.make("rank_based")


@pytest.fixture(autouse=True)
def few_dots_and_boards(monkeypatch, rank_based_profiles):
    """Small pictures, and profiles of few boards."""
    monkeypatch.setattr(figures, "DOTS_PER_INCH", 50)
    monkeypatch.setattr(bucket_profiles, "sampled", lambda _: rank_based_profiles)


def test_examples_are_hands_of_their_buckets(any_blueprint):
    shown = bucket_examples.of_street(RANK_BASED, FLOP, boards=32)
    assert [held.mean for held in shown] == sorted(held.mean for held in shown)
    for held in shown:
        assert 0 < held.share <= 1 and len(held.examples) == bucket_examples.EXAMPLES
        for example in held.examples:
            assert any_blueprint.bucket(example.hand, example.board) == held.bucket
    kinds = [example.kind for held in shown for example in held.examples]
    assert any(kind.startswith("top pair") for kind in kinds) and "set" in kinds


def test_well_known_hands_are_shown(any_blueprint):
    shown = bucket_examples.of_street(RANK_BASED, FLOP, most=1, boards=32)
    hands = {example.hand for held in shown for example in held.examples}
    assert "AhKh" in hands and {"7s7d", "7d7s"} & hands and len(shown) > 1


def test_there_are_no_examples_without_a_board():
    with pytest.raises(ValueError, match="street 0: examples have a board"):
        bucket_examples.of_street(RANK_BASED, 0)


def test_a_picture_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(bucket_examples, "BOARDS", 16)
    bucket_examples.save(tmp_path / "flop.png", RANK_BASED, FLOP)
    picture = imread(tmp_path / "flop.png")[..., :3]
    assert (picture.max(axis=-1) - picture.min(axis=-1) > 0.25).mean() > 0.001  # histograms are blue
    assert (np.asarray(picture).mean(axis=-1) < 0.5).mean() > 0.005  # words
