"""External sampling: walks whose regrets are the exact ones in the mean."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.regret import instant_regrets


@pytest.fixture(scope="module")
def three_seats():
    """``three_seats(name)``: a game for three, and a solver by external sampling."""

    def made(name):
        game = exact_game.whole(jaxpoker.make(name, num_players=3))
        return game, solvers.make("linear", game, sampling="external", batch=256)

    return made


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["leduc", "push/fold"])
def test_regrets_reach_and_value_are_exact_in_the_mean(require_exact_in_the_mean, name):
    require_exact_in_the_mean(name, "external")


@pytest.mark.thorough
def test_four_streets_of_holdem_are_walked_as_a_recursion_walks_them(require_walks_of_a_recursion):
    require_walks_of_a_recursion("external")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_regrets_of_three_seats_are_exact_in_the_mean(name, any_strategy, three_seats):
    game, solver = three_seats(name)
    table = ((any_strategy(game, 1) + game.uniform()) / 2).astype(np.float32)
    parts = tuple(game.part(seat, table) for seat in range(3))
    for player in range(3):
        values = game.values(player, None, parts[player], parts)
        exact = instant_regrets(values.action_values, parts[player], game.legal(player))
        found = jax.jit(
            lambda keys, p=player: jax.lax.map(lambda k: solver.walks(solver.game.tables, p, parts, k)[::2], keys)
        )(jax.random.split(jax.random.key(player), 300))
        for sampled, right in zip(found, (exact, values.value), strict=True):
            sampled, right = np.asarray(sampled, np.float64), np.asarray(right, np.float64)
            often = (sampled != 0).sum(axis=0) >= 40  # elsewhere the errors are not known well
            mean, error = sampled.mean(axis=0)[often], sampled.std(axis=0)[often] / np.sqrt(len(sampled))
            z = (mean - right[often]) / error
            assert often.any() and np.abs(right).max() > 0.01
            assert np.abs(z).max() < 6
            assert z.size < 100 or (z**2).mean() < 1.5  # few of them are not independent


def test_kuhn_of_three_is_solved_by_walks(three_seats):
    _, solver = three_seats("kuhn")
    state = solver.run(solver.init(jax.random.key(0)), 300)
    assert float(solver.evaluate(state, jax.random.key(1))["nash_conv"]) < 0.01
    _, metrics = solver.update(state)
    assert float(metrics["walks"]) == 301 * 3 * solver.batch


def test_other_sampling_of_three_is_refused():
    with pytest.raises(ValueError, match="outcome sampling is for two players, not for kuhn with 3"):
        solvers.make("linear", jaxpoker.make("kuhn", num_players=3), sampling="outcome")
