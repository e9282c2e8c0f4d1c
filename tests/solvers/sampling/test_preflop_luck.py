"""Values before the flop with the luck of the boards taken off: what is known exactly, and that nothing is biased."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import ranges
from jaxpoker.cards import deal
from jaxpoker.games import bets
from jaxpoker.solvers.sampling import preflop_luck
from jaxpoker.solvers.sampling.boards import HandBoards

pytestmark = pytest.mark.optimised  # sweeps over all hands of dozens of boards

CLASSES = ranges.CLASS_NAMES


CLASS_OF_CARDS = np.zeros((52, 52), np.int32)
for first, second in (ranges.COMBOS.T, ranges.COMBOS.T[::-1]):
    CLASS_OF_CARDS[first, second] = ranges.CLASS_OF_COMBO


class EveryHand:
    """169 buckets before the flop, and one on each later street."""

    num_buckets, tables, fingerprint, name = (169, 1, 1, 1), (), "every hand", "every hand"

    def sample_boards(self, tables, key, n):
        return deal(key, 5, (n,))

    def of_board(self, tables, board):
        return jnp.zeros((4, ranges.NUM_COMBOS), jnp.int32).at[0].set(ranges.CLASS_OF_COMBO)

    def of_hand(self, tables, hole, board, street):
        return jnp.where(street == 0, jnp.asarray(CLASS_OF_CARDS)[hole[0], hole[1]], 0)


@pytest.fixture(scope="module")
def cards():
    return EveryHand()


@pytest.fixture(scope="module")
def game(two_boards, cards):
    """Short stacks between hands, without luck before the flop."""
    betting = two_boards.short_stacks()
    plain = two_boards.game_of("hands")[0]
    return dataclasses.replace(plain, num_buckets=cards.num_buckets, all_boards=preflop_luck.of(betting, cards))


def dealt(cards, seed, boards):
    chance = HandBoards(cards)
    drawn = chance.draw((), jax.random.key(seed), boards)
    return jax.jit(lambda boards: chance.dealt((), boards)[0])(drawn)


def preflop_values(game, player, boards, strategy):
    """[actions, decisions, 169] in the mean over the boards."""
    own, other = (game.betting.by_shapes(seat, strategy) for seat in (player, 1 - player))
    found = game.values(player, boards, own, other)
    legal = game.legal(player)[0][0][:, :, 0]
    return np.where(legal, np.asarray(found.action_values[0][0])[..., 0], 0), float(found.value)


def passive_after_the_flop(two_boards, betting, buckets):
    """At random before the flop, then check and call."""
    strategy = list(two_boards.random_strategy(betting, buckets))
    for street in (1, 2, 3):
        strategy[street] = np.zeros_like(strategy[street])
        strategy[street][:, :, bets.CALL] = 1
    return tuple(strategy)


def test_aces_and_kings_meet_and_win_as_often_as_published(game):
    known = game.all_boards
    aces, kings = CLASSES.index("AA"), CLASSES.index("KK")
    assert known.rivals.sum() == pytest.approx(1, abs=1e-5)
    won = known.shown_down[aces, kings] / known.rivals[aces, kings]
    assert won == pytest.approx((50_371_344 - 10_986_372) / 61_642_944, abs=1e-6)
    np.testing.assert_allclose(known.shown_down, -known.shown_down.T, atol=1e-9)


def test_a_pot_that_is_checked_down_is_worth_what_both_have_put_in(game):
    betting = game.betting
    (shape,), (checked_down,) = betting.streets[0], game.all_boards.checked_down
    limped = np.flatnonzero(checked_down[:, 0] == checked_down[checked_down > 0].min())
    assert checked_down.shape == shape.next_starts.shape
    assert checked_down[limped[0], 0] == pytest.approx(1)  # big blinds: a limp and a check
    assert checked_down.max() == pytest.approx(6.2)  # raised twice, to whole chips of a tenth


def test_boards_do_not_matter_where_nobody_bets_after_the_flop(two_boards, game, cards):
    strategy = passive_after_the_flop(two_boards, game.betting, cards.num_buckets)
    for player in (0, 1):
        (one, value), (other, same) = (preflop_values(game, player, dealt(cards, seed, 2), strategy) for seed in (1, 2))
        np.testing.assert_allclose(one, other, atol=3e-7)
        assert value == pytest.approx(same, abs=1e-5)
        plain = dataclasses.replace(game, all_boards=None)
        noisy = [preflop_values(plain, player, dealt(cards, seed, 2), strategy)[0] for seed in (1, 2)]
        assert np.abs(noisy[0] - noisy[1]).max() > 1e-3


@pytest.mark.thorough
def test_the_mean_stays_and_the_noise_goes(two_boards, game, cards):
    """Random play on all streets: over 40 draws of two boards values have the same mean, and less spread."""
    strategy = two_boards.random_strategy(game.betting, cards.num_buckets)
    plain = dataclasses.replace(game, all_boards=None)
    draws = [dealt(cards, seed, 2) for seed in range(40)]
    quiet, noisy = (
        np.array([preflop_values(each, 0, boards, strategy)[0] for boards in draws]) for each in (game, plain)
    )
    difference = quiet - noisy
    error = difference.std(axis=0) / np.sqrt(len(draws))
    z = (difference.mean(axis=0) / np.where(error > 0, error, 1))[error > 0]
    assert np.sqrt((z**2).mean()) < 1.5 and np.abs(z).max() < 5
    assert quiet.std(axis=0).sum() < 0.7 * noisy.std(axis=0).sum()
