"""Equity buckets: ordered by equity, draws apart from made hands, and their file."""

import warnings

import jax
import numpy as np
import pytest
from scipy import stats

from jaxpoker import cards, equity, ranges
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import equity_buckets, opponent_clusters
from jaxpoker.solvers.abstraction import equity_distributions as distributions

pytestmark = pytest.mark.optimised  # scores of all hands on hundreds of boards

SMALL = equity_buckets.Options((20, 12, 12, 16), samples=2_000, flops=(1744,))  # AsKs2s

against_random = jax.jit(equity.against_random)


def live(board):
    return np.flatnonzero(~np.isin(ranges.COMBOS, board).any(axis=1))


# --- buckets ----------------------------------------------------------------------------------


def test_buckets_are_ordered_by_equity_on_every_street(few_flops):
    for street, profile in enumerate(few_flops.profiles):
        assert len(profile.share) == few_flops.num_buckets[street]
        assert profile.share.sum() == pytest.approx(1)
        held = profile.share > 0
        assert held.sum() > len(held) / 2
        assert (np.diff(profile.mean[held]) > 0).all(), street
        assert (profile.share @ np.nan_to_num(profile.mean)) == pytest.approx(0.5, abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize(("street", "board"), [(FLOP, "9dTc8d"), (TURN, "AcKc2c7d")])
def test_mean_equities_of_buckets_are_those_of_their_hands(few_flops, street, board):
    """Against the exact equity of every third hand on one board: ordered as the buckets, but for a cluster's width."""
    ids = cards.parse(board)
    combos = live(ids)[::3]
    buckets = np.asarray(jax.jit(few_flops.of_board)(few_flops.tables, np.resize(ids, 5)))[street, combos]
    exact = np.asarray(against_random(ranges.COMBOS[combos], ids))
    assert stats.spearmanr(buckets, exact).statistic > 0.95
    assert np.abs(few_flops.profiles[street].mean[buckets] - exact).mean() < 0.05


def test_a_draw_and_a_made_hand_of_the_same_equity_are_apart(few_flops):
    """On Ts9h8h a pair of nines and a flush draw both have some 60% of the pot."""
    board = np.array([*cards.parse("Ts9h8h"), 0, 1])
    hands = np.array([cards.parse(hand) for hand in ("9s2c", "Ah5h")])
    buckets = jax.jit(few_flops.of_board)(few_flops.tables, board)[FLOP]
    pair, draw = np.asarray(buckets)[ranges.combo_index(*hands.T)]
    equities = against_random(hands, board[:3])
    assert abs(equities[0] - equities[1]) < 0.05
    deviation = few_flops.profiles[FLOP].deviation
    assert pair != draw and deviation[draw] > deviation[pair] + 0.05


def test_a_river_hand_has_the_bucket_whose_centre_is_nearest_to_its_features(few_flops):
    board = cards.parse("AcKc2c7d9h")
    features = np.asarray(jax.jit(opponent_clusters.of_board)(board, few_flops.tables.opponents), int)[:, live(board)]
    distance = np.abs(features.T[:, None] - np.asarray(few_flops.tables.river, int)).sum(axis=2)  # [hands, buckets]
    buckets = np.asarray(jax.jit(few_flops.of_board)(few_flops.tables, board))[RIVER, live(board)]
    np.testing.assert_array_equal(buckets, distance.argmin(axis=1))
    assert len(np.unique(buckets)) > 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("5h3s", "AhKh7h6h3c"), ("KsQc", "AcKc2c7d9h")),  # a small flush among four hearts, a second pair
        (("AcQc", "9h8h2c2dKs"), ("7s3d", "AcKc2c7d9h")),  # ace high on a dry board, a small pair
    ],
)
def test_river_hands_that_beat_others_are_apart_though_their_equities_are_alike(few_flops, one, other):
    boards = np.array([cards.parse(board) for _, board in (one, other)])
    combos = [ranges.combo_index(*cards.parse(hand)) for hand, _ in (one, other)]
    scores = np.asarray(jax.jit(jax.vmap(distributions.river_scores))(boards))[[0, 1], combos]
    buckets = np.asarray(jax.jit(jax.vmap(few_flops.of_board, (None, 0)))(few_flops.tables, boards))
    assert abs(scores[0] - scores[1]) < 0.02 * distributions.MAX_SCORE
    assert buckets[0, RIVER, combos[0]] != buckets[1, RIVER, combos[1]]


def test_preflop_buckets_are_the_169_hands_from_32o_up(counted):
    flops, of_flops = counted[0]
    totals = distributions.preflop_counts(flops.classes, of_flops)
    buckets, rivers = equity_buckets.preflop_buckets(169, *totals, jax.random.key(0))
    classes = np.zeros(169, int)
    classes[ranges.CLASS_OF_COMBO] = buckets
    by_equity = np.argsort(classes)
    assert sorted(classes) == list(range(169))
    assert [ranges.CLASS_NAMES[i] for i in (by_equity[0], by_equity[-1])] == ["32o", "AA"]
    assert (np.diff(ranges.preflop_table().equity[by_equity]) > 0).all()
    np.testing.assert_array_equal(rivers.sum(axis=1), totals[0][by_equity])


def test_names_of_buckets_are_for_people(few_flops):
    names = [few_flops.text(PREFLOP, bucket) for bucket in range(20)]
    everything = sum(ranges.parse(name) for name in names if name != "no hand")
    np.testing.assert_array_equal(everything, 1)
    assert few_flops.text(FLOP, 11) != few_flops.text(FLOP, 0) and "±" in few_flops.text(TURN, 5)
    assert few_flops.text(RIVER, 15) == f"{few_flops.profiles[RIVER].mean[15]:.0%} ± 3%"
    with pytest.raises(ValueError, match="bucket 16: equity has buckets 0 to 15 on the river"):
        few_flops.text(RIVER, 16)


# --- options and the file ---------------------------------------------------------------------


def made(folder):
    return equity_buckets.make(SMALL.num_buckets, samples=SMALL.samples, flops=SMALL.flops, cache=folder)


def same_tables(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.tables, b.tables, strict=True))


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with one file, and what is in it."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, made(folder)


def test_computing_again_gives_the_same_bits(kept):
    again = equity_buckets.compute(SMALL)
    before = np.load(next(kept[0].iterdir()))
    assert set(before.files) == {*again, "checksum"}
    for name, array in again.items():
        assert before[name].dtype == array.dtype
        np.testing.assert_array_equal(before[name], array)
    other = equity_buckets.Options(SMALL.num_buckets, seed=1, samples=SMALL.samples, flops=SMALL.flops)
    assert other.fingerprint != SMALL.fingerprint


def test_without_a_folder_the_file_is_in_the_users_cache_and_not_where_one_works(kept, tmp_path, monkeypatch):
    folder, first = kept
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAXPOKER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(equity_buckets, "compute", lambda *_: dict(np.load(next(folder.iterdir()))))
    equity_buckets.make(SMALL.num_buckets, samples=SMALL.samples, flops=SMALL.flops)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    assert (tmp_path / "cache" / "abstractions" / f"equity-{first.fingerprint}.npz").is_file()


def test_the_file_is_named_by_the_fingerprint_and_read_back(kept, monkeypatch):
    folder, first = kept
    assert [file.name for file in folder.iterdir()] == [f"equity-{first.fingerprint}.npz"]
    monkeypatch.setattr(equity_buckets, "compute", lambda *_: pytest.fail("computed though there is a file"))
    second = made(folder)
    assert second == first and hash(second) == hash(first) and same_tables(first, second)
    assert second != abstraction.make("rank_based")
    np.testing.assert_array_equal(first.profiles[FLOP].histogram, second.profiles[FLOP].histogram)


@pytest.mark.parametrize("damage", ["cut off", "bits flipped", "no zip", "other numbers", "empty"])
def test_a_damaged_file_is_named_and_computed_anew(kept, tmp_path, monkeypatch, damage):
    folder, first = kept
    file = next(folder.iterdir())
    content = bytearray(file.read_bytes())
    if damage == "cut off":
        content = content[: len(content) // 2]
    elif damage == "bits flipped":
        content[2_000:2_100] = bytes(byte ^ 4 for byte in content[2_000:2_100])
    elif damage == "no zip":
        content = b"something else"
    elif damage == "empty":
        content = b""
    copy = tmp_path / file.name
    copy.write_bytes(content)
    arrays = {name: array for name, array in np.load(file).items()}
    if damage == "other numbers":
        np.savez_compressed(copy, **{**arrays, "flop": arrays["flop"] ^ 1})
    arrays.pop("checksum")
    monkeypatch.setattr(equity_buckets, "compute", lambda *_: arrays)
    with pytest.warns(UserWarning, match=f"file .*{file.name} is damaged .*: it is computed anew"):
        again = made(tmp_path)
    assert same_tables(first, again)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same_tables(first, made(tmp_path))  # it was replaced


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path, kept, monkeypatch):
    arrays = {name: array for name, array in np.load(next(kept[0].iterdir())).items() if name != "checksum"}
    monkeypatch.setattr(equity_buckets, "compute", lambda *_: arrays)
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot keep the card abstraction"):
        made(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_buckets": (170, 9, 9, 9)}, "num_buckets 170 for the preflop: equity buckets are 1 to 169 there"),
        ({"num_buckets": (169, 9, 9, 5000)}, "num_buckets 5000 for the river: equity buckets are 1 to 4,096 there"),
        ({"samples": 10}, "samples 10: take at least as many as there are buckets"),
        ({"seed": -1}, "seed -1: it is 0 or more"),
        ({"flops": (1755,)}, "flops 1755: there are classes 0 to 1754"),
    ],
)
def test_impossible_options_say_what_would_be_right(options, message):
    with pytest.raises(ValueError, match=message):
        abstraction.make("equity", **options)
