"""Programs over blocks of rivers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.solvers.flops import passes
from jaxpoker.solvers.flops.iterating import InMemory


def test_a_block_is_the_sum_of_its_rivers(solved):
    game, averages = solved.game, InMemory(solved.state)
    tree, number = game.streets[2], 3
    own, theirs = averages.of_rivers(number, 0)
    block = game.turns[number].blocks[0][0]
    reach = jnp.ones((len(tree.starts), game.runouts.widths[1]))
    nothing = jnp.zeros((2, len(tree.starts), game.runouts.widths[0]))
    whole = passes.measure_rivers(tree, 0, False, reach, game.chips[2], game.apart[0], block, own, theirs, nothing)
    total = np.zeros(whole.shape)
    for river in range(12):
        one = jax.tree.map(lambda x, at=river: x[at], block)
        start = reach * (one.open_other / 44)
        pairs = passes.river_pairs(game.apart[0], one)
        found = passes.measure_river(tree, 0, False, start, game.chips[2], pairs, own[river], theirs[river])
        total += np.asarray(found.values) * float(one.times)
    np.testing.assert_allclose(whole, total, rtol=1e-4, atol=1e-4)


def test_hands_of_the_board_compare_with_nothing(solved):
    game = solved.game
    block = game.turns[0].blocks[0][0]
    pairs = passes.river_pairs(game.apart[0], jax.tree.map(lambda x: x[1], block))
    dead = np.asarray(pairs.open) == 0
    assert dead.any() and not np.asarray(pairs.shown)[:, dead].any()
    assert set(np.unique(pairs.shown)) <= {-1, 0, 1}
