"""How many hands a gauntlet plays: until intervals are narrow, and no mean is bent by that."""

import numpy as np
import pytest

from jaxpoker.errors import RunError
from jaxpoker.match import Estimate
from jaxpoker.studies.gauntlet import rounds
from jaxpoker.studies.gauntlet.rounds import PILOT, Aim, Standing

TABLES = 64


def play(draw, aim):
    """The standing at the end, with rounds of samples from ``draw``, and when the interval was looked at."""
    standing, looks = Standing(), set()
    while not standing.is_done(aim):
        goal = standing.goal
        standing = standing.after(Estimate.of(draw(TABLES)), aim)
        if standing.rounds >= goal:
            looks.add(standing.rounds)
    return standing, sorted(looks)


def test_rounds_are_played_until_the_interval_is_as_narrow_as_asked_for_and_not_much_longer():
    rng = np.random.default_rng(0)
    for half_width in (5, 10, 20):
        aim = Aim(half_width, 10**9, TABLES)
        end, looks = play(lambda n: rng.normal(7, 100, n), aim)
        needed = (1.96 * 100 / half_width) ** 2 / TABLES
        assert end.result.ci95 <= half_width and end.result.n == TABLES * end.rounds
        assert needed * 0.9 < end.rounds < needed * 1.15 + 2
        assert looks[0] == PILOT and len(looks) <= 6, "after the pilot, and a few times near the end"


def test_it_stops_at_the_most_hands_and_at_once_where_nothing_is_by_chance():
    assert (
        play(lambda n: np.random.default_rng(1).normal(0, 100, n), Aim(0.1, 10 * 16 * TABLES, TABLES))[0].rounds == 10
    )
    assert play(lambda n: np.full(n, 3.0), Aim(1, 10**9, TABLES))[0] == Standing(PILOT, PILOT, Estimate(3, 0, 128))


def test_stopping_by_the_spread_leaves_the_mean_as_it_is():
    """Of a skew distribution with mean 0: the mean over 400 gauntlets is 0 within four standard errors."""
    rng, aim = np.random.default_rng(2), Aim(6, 10**9, TABLES)
    means = [play(lambda n: rng.exponential(100, n) - 100, aim)[0].result.mean for _ in range(400)]
    bias = 2 * 100 / (PILOT * TABLES) ** 0.5 / 16  # skewness times spread over tables, some 1,100
    assert abs(np.mean(means)) < 4 * np.std(means) / 20 + bias
    assert np.mean(np.abs(means) < aim.half_width) > 0.92, "95% intervals hold the truth"


def test_what_is_left_is_told_by_the_square_root_law():
    aim = Aim(10, 10**9, TABLES)
    assert Standing().expected(aim) == PILOT
    assert Standing(4, 4, Estimate(0, 20, 256)).expected(aim) == 17  # four times as many, and 2%
    assert Standing(17, 17, Estimate(0, 10, 256)).expected(aim) == 17
    assert Standing(4, 4, Estimate(0, 20, 256)).expected(Aim(10, 6 * 16 * TABLES, TABLES)) == 6


def test_the_next_round_is_against_whom_the_fewest_were_played_and_who_is_not_done():
    aim = Aim(10, 10**9, TABLES)
    wide, narrow = Estimate(0, 50, 128), Estimate(0, 5, 128)
    standings = {"a": Standing(3, 40, wide), "b": Standing(2, 2, narrow), "c": Standing(2, 40, wide)}
    assert rounds.next_opponent(standings, aim) == "c"
    assert rounds.next_opponent({"b": standings["b"]}, aim) is None


def test_a_resumed_gauntlet_may_ask_for_more():
    """Rounds of an earlier session count, and how many are needed is worked out anew."""
    rng = np.random.default_rng(3)
    coarse, fine = Aim(20, 10**9, TABLES), Aim(10, 10**9, TABLES)
    rows, standings = [], {"tag": Standing()}
    while rounds.next_opponent(standings, coarse):
        played = Estimate.of(rng.normal(0, 100, TABLES))
        rows.append({"step": len(rows) + 1, "seconds": 0.0, **rounds.metrics_of("tag", played)})
        standings = rounds.replayed(rows[-1:], standings, coarse)
    assert rounds.replayed(rows, {"tag": Standing()}, coarse) == standings
    further = rounds.replayed(rows, {"tag": Standing()}, fine)["tag"]
    assert further.result == standings["tag"].result and not further.is_done(fine) and further.goal > further.rounds


def test_a_line_that_is_no_round_is_named():
    for row in ({"step": 7, "seconds": 1.0, "loss": 2.0}, {"step": 7, "seconds": 1.0, "hands": 16, "mbb/tag": None}):
        with pytest.raises(RunError, match=r"step 7 of metrics.jsonl is no round of this gauntlet"):
            rounds.replayed([row], {"tag": Standing()}, Aim(1, 1, 2))
