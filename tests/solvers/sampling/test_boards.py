"""Boards that solvers draw: how often they come, and one mean on any number of devices."""

import jax
import numpy as np

from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.sampling.boards import HandBoards, HoldemBoards, ListedBoards
from jaxpoker.solvers.showdowns.strength_chains import LIVE_HANDS
from jaxpoker.solvers.showdowns.type_counts import RIVALS, RIVALS_OF_HAND

RANK_BASED = abstraction.make("rank_based")


def test_boards_of_leduc_are_drawn_by_their_probabilities(leduc):
    boards = ListedBoards(leduc.deals)
    drawn = np.asarray(jax.jit(boards.draw, static_argnums=2)(boards.tables, jax.random.key(0), 60_000))
    np.testing.assert_allclose(np.bincount(drawn) / len(drawn), 1 / 6, atol=0.01)
    counts, types = boards.dealt(boards.tables, np.array([2, 2, 5]))
    expected = (2 * boards.tables[1][2] + boards.tables[1][5]) / 3
    np.testing.assert_allclose(counts, expected, atol=1e-7)
    assert float(types) == len(leduc.deals.hands)


def test_hands_of_a_board_are_held_as_often_as_the_deck_says():
    boards = HandBoards(RANK_BASED)
    drawn = boards.draw((), jax.random.key(1), 3)
    hands, types = jax.jit(boards.dealt)((), drawn)
    assert boards.num_types == 0 and float(types) == LIVE_HANDS
    for board, dealt in zip(drawn, np.asarray(hands.chains.hands), strict=True):
        assert len(np.unique(dealt)) == LIVE_HANDS and not np.isin(COMBOS[dealt], board).any()
    one = jax.tree.map(lambda x: x[0], hands)
    np.testing.assert_allclose(one.held.sum(), 1, rtol=1e-5)
    everybody = np.ones((LIVE_HANDS, 1), np.float32)
    np.testing.assert_allclose(one.folded(everybody), RIVALS_OF_HAND)
    np.testing.assert_allclose((one.shown_down(everybody) * everybody).sum(), 0, atol=1)  # what one wins another loses


def test_types_and_hands_are_counts_of_the_same_boards():
    """A type is held as often as all its hands are."""
    typed, by_hand = HoldemBoards(RANK_BASED), HandBoards(RANK_BASED)
    drawn = typed.draw((), jax.random.key(2), 2)
    counts = jax.jit(lambda boards: typed.dealt((), boards)[0])(drawn)
    hands = jax.jit(lambda boards: by_hand.dealt((), boards)[0])(drawn)
    held = np.zeros(typed.num_types)
    for board in range(2):
        types = np.asarray(typed.paths.of_buckets(hands.buckets[board]))
        held += np.bincount(types, minlength=typed.num_types) / LIVE_HANDS / 2
    np.testing.assert_allclose(counts[RIVALS].sum(axis=1), held, atol=1e-6)
