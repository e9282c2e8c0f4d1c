"""What the buckets of a card abstraction hold: shares, mean equities and how much these vary."""

import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.games.holdem.table import PREFLOP, RIVER
from jaxpoker.solvers.abstraction import bucket_profiles, rank_based
from jaxpoker.solvers.abstraction.equity_distributions import BIN, MAX_SCORE, NUM_BINS

pytestmark = pytest.mark.optimised  # scores of all hands on hundreds of boards


@pytest.mark.thorough
def test_sampled_profiles_are_the_shares_and_equities_of_the_hands(rank_based_profiles):
    combos = np.bincount(rank_based.preflop_buckets(), minlength=6)
    np.testing.assert_allclose(rank_based_profiles[PREFLOP].share, combos / ranges.NUM_COMBOS, atol=0.005)
    exact = ranges.preflop_table().equity[ranges.CLASS_OF_COMBO]
    of_bucket = np.bincount(rank_based.preflop_buckets(), exact)[1:] / combos[1:]
    np.testing.assert_allclose(rank_based_profiles[PREFLOP].mean[1:], of_bucket, atol=0.03)
    river = rank_based_profiles[RIVER]
    # Wikipedia's frequencies of seven cards: high card 17.4%, pair 43.8%, two pair 23.5%
    np.testing.assert_allclose(river.share[:3], [0.174, 0.438, 0.235], atol=0.03)
    assert (np.diff(river.mean[:3]) > 0.2).all()
    assert river.share @ np.nan_to_num(river.mean) == pytest.approx(0.5)
    np.testing.assert_allclose(np.nansum(river.histogram, axis=1)[river.share > 0], 1)


def test_river_profiles_are_those_of_hands_on_other_boards(few_flops):
    """Sampled boards of any flop against those that the buckets were made of."""
    known, sampled = few_flops.profiles[RIVER], bucket_profiles.sampled(few_flops, 200)[RIVER]
    np.testing.assert_allclose(known.mean, sampled.mean, atol=0.06)
    assert np.corrcoef(known.share, sampled.share)[0, 1] > 0.5
    assert (known.deviation < 0.12).all()


def test_a_profile_is_that_of_the_listed_hands():
    """Counts by score against the list of all hands: the mean is exact, the deviation that of the bins."""
    rng = np.random.default_rng(0)
    held = rng.integers(0, 3, (4, MAX_SCORE + 1))
    held[2] = 0
    found = bucket_profiles.from_scores(held)
    for bucket in (0, 1, 3):
        scores = np.repeat(np.arange(MAX_SCORE + 1), held[bucket])
        middles = (np.minimum(scores // BIN, NUM_BINS - 1) + 0.5) / NUM_BINS  # the nuts are in the last bin
        assert found.share[bucket] == pytest.approx(len(scores) / held.sum())
        assert found.mean[bucket] == pytest.approx(scores.mean() / MAX_SCORE)
        assert found.deviation[bucket] == pytest.approx(middles.std())
    assert found.share[2] == 0 and np.isnan(found.mean[2])


def test_buckets_that_know_their_profiles_are_not_sampled(few_flops, monkeypatch):
    monkeypatch.setattr(bucket_profiles, "sampled", lambda _: pytest.fail("sampled though they are known"))
    assert bucket_profiles.profiles(few_flops) is few_flops.profiles
