"""What seats have after all-ins: side pots against the engine's, and prizes."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import icm
from jaxpoker.games.holdem import pots
from jaxpoker.solvers.push_fold import Stakes


@pytest.mark.parametrize("seed", range(6))
def test_pots_are_the_engines(seed):
    """In chips of 1/60 big blind there are no odd ones."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    stakes = Stakes(tuple(rng.integers(1, 9, n) * 0.5), ante=0.25)
    stacks, posted = np.array(stakes.stacks), stakes.posted
    for players in rng.integers(1, 1 << n, 8).tolist():
        are_in = np.array([players >> seat & 1 for seat in range(n)], bool)
        put_in = np.where(are_in, stacks, posted)
        if put_in[are_in].max() < put_in.max():
            continue  # nobody folds to less than has been posted
        strengths = rng.integers(0, 4, (5, n))
        after = stakes.after(players, strengths)
        for strength, chips in zip(strengths, after, strict=True):
            won = pots.winnings(
                [jnp.int32(round(x * 3600)) for x in put_in],
                [jnp.bool_(not x) for x in are_in],
                [jnp.int32(x) for x in strength],
                jnp.int32(0),
            )
            np.testing.assert_allclose(chips, stacks - put_in + np.array(won) / 3600, atol=2e-3)
        np.testing.assert_allclose(after.sum(axis=1), stacks.sum())


def test_who_has_a_choice():
    stakes = Stakes((10, 0.5, 3))
    assert stakes.may_fold(0, 0) and stakes.may_fold(2, 0b01)
    assert not stakes.may_fold(1, 0b0) and not stakes.may_fold(1, 0b1)  # its blind is all that it has
    assert not stakes.may_fold(2, 0b00)  # nobody came in
    assert not stakes.may_fold(2, 0b10)  # half a big blind is less than it has put in


def test_antes_come_before_blinds():
    np.testing.assert_allclose(Stakes((5, 0.3, 0.7, 1.05), ante=0.1).posted, [0.1, 0.1, 0.6, 1.05])


def test_prizes_are_worth_as_much_as_all_chips():
    stakes = Stakes((4, 6, 10), payouts=(50, 30, 20))
    worth = stakes.worth(np.array([[0, 10, 10], [4, 6, 10], [20, 0, 0]], float))
    np.testing.assert_allclose(worth.sum(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(worth[1], 0, atol=1e-6)
    before = np.asarray(icm.values([4.0, 6.0, 10.0], (10, 6, 4)))
    np.testing.assert_allclose(worth[2], np.array([10, 4, 6]) - before, atol=1e-5)
    np.testing.assert_allclose(Stakes((4, 6)).worth(np.array([[10.0, 0.0]])), [[6, -6]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stacks": (10,)}, "1 stacks: push/fold is for 2 to 6 players"),
        ({"stacks": (10, 0)}, r"stacks \[10, 0\]: big blinds above 0"),
        ({"stacks": (10, 10), "small_blind": 2}, "a small blind of 2 big blinds"),
        ({"stacks": (10, 10), "ante": -1}, "an ante of -1 big blinds"),
        ({"stacks": (10, 10), "payouts": (1, 2)}, "none above the one before"),
        ({"stacks": (10, 10), "payouts": (0, 0)}, "not all 0"),
        ({"stacks": (10, 10), "payouts": (3, 2, 1)}, "3 payouts for 2 players"),
    ],
)
def test_stakes_that_make_no_game_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Stakes(**given)
