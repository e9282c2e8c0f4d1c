"""Sweeps between buckets, against sums over all pairs of hands and against the exact solver."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.sampling import public_cfr
from jaxpoker.solvers.sampling.boards import ListedBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.tree import street_shapes


@pytest.mark.thorough
def test_every_action_is_worth_the_sum_over_all_pairs_of_hands(two_boards):
    two_boards.require_sums_over_pairs("buckets")


@pytest.mark.thorough
def test_sweeps_of_leduc_are_those_of_the_exact_solver(two_boards):
    leduc = exact_game.whole(jaxpoker.make("leduc"))
    chance = ListedBoards(leduc.deals)
    betting = street_shapes.shaped(leduc.tree)
    game = BucketGame(betting, chance.paths)
    strategy = two_boards.random_strategy(betting, chance.paths.num_buckets)
    share, counts = chance.tables
    every_board = jnp.tensordot(share, counts, axes=1)
    quality = best_response.quality(leduc, public_cfr.as_table(leduc, strategy))
    both = [betting.by_shapes(player, strategy) for player in (0, 1)]
    for player, sign in enumerate((1, -1)):
        swept = game.values(player, every_board, both[player], both[1 - player])
        best = game.respond(player, every_board, both[1 - player])
        np.testing.assert_allclose(swept.value, sign * quality.value, atol=1e-6)
        np.testing.assert_allclose(best.value, quality.best[player], atol=1e-5)
        np.testing.assert_allclose(
            (game.worth(player, best.strategy, both[1 - player]) * every_board).sum(), quality.best[player], atol=1e-5
        )
