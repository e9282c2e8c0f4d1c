"""Some starts of streets: drawn as often as they should be, linked like the tree, and right in the mean."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker.solvers.tree import drawn_starts

SHARES = (1.0, 1.0, 0.5, 0.3)


@pytest.fixture(scope="module")
def betting(two_boards):
    return two_boards.short_stacks()


@pytest.fixture(scope="module")
def likely(betting):
    """Some starts a hundred times as likely as others."""
    rng = np.random.default_rng(1)
    starts = [sum(shape.num_starts for shape in shapes) for shapes in betting.streets]
    return [jnp.asarray(10 ** rng.uniform(-2, 0, n), jnp.float32) for n in starts]


@pytest.fixture(scope="module")
def draw(betting, likely):
    return jax.jit(functools.partial(drawn_starts.draw, betting, likely, SHARES))


# --- one shape ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 7, 13, 40, 41])
def test_probabilities_go_by_weight_and_add_up_to_the_number_drawn(number):
    weights = jnp.asarray(np.random.default_rng(0).pareto(0.5, 41), jnp.float32)
    found = np.asarray(drawn_starts.inclusion(weights, number))
    assert found.sum() == pytest.approx(number, abs=1e-3)
    rest = found < 1
    share = found[rest] / np.asarray(weights)[rest]
    np.testing.assert_allclose(share, share[:1].repeat(rest.sum()), rtol=1e-4)
    assert np.asarray(weights)[~rest].min(initial=np.inf) >= np.asarray(weights)[rest].max(initial=0)


def test_where_few_have_a_weight_all_of_them_are_drawn_and_the_rest_is_void():
    probability = drawn_starts.inclusion(jnp.asarray([0.0, 3.0, 0.0, 1e-6]), 3)
    np.testing.assert_array_equal(probability, [0, 1, 0, 1])
    for seed in range(5):
        np.testing.assert_array_equal(drawn_starts.comb(probability, jax.random.key(seed), 3), [1, 3, 4])


def test_each_is_drawn_with_its_probability():
    weights = jnp.asarray(np.random.default_rng(0).pareto(0.5, 41), jnp.float32)
    probability = drawn_starts.inclusion(weights, 13)
    keys = jax.random.split(jax.random.key(0), 20_000)
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: drawn_starts.comb(probability, key, 13)))(keys))
    assert (np.diff(drawn, axis=1) > 0).all()  # none twice
    often = np.bincount(drawn.reshape(-1), minlength=42)[:41] / len(keys)
    np.testing.assert_allclose(often, probability, atol=0.02)


# --- a whole tree -------------------------------------------------------------------------------


def test_a_start_is_drawn_only_where_the_one_before_it_is(betting, draw):
    """And it is linked with it: where a chance leads, there the start says that it comes from."""
    for seed in range(5):
        starts = draw(jax.random.key(seed))
        for street in range(1, len(starts)):
            before, here = starts[street - 1], starts[street]
            shapes = betting.streets[street - 1]
            leads = np.concatenate(
                [np.asarray(before.onward[i]).T.reshape(-1) for i in range(len(shapes))]
            )  # as arrivals go: by shape, [m, chances]
            ids = np.concatenate(
                [
                    np.append(shape.starts, -1)[np.asarray(where)]
                    for shape, where in zip(betting.streets[street], here.places, strict=True)
                ]
            )
            real = np.flatnonzero(ids >= 0)
            assert len(real) > 0
            np.testing.assert_array_equal(leads[np.asarray(here.arrivals)[real]], real)
            leads_to = np.concatenate(
                [
                    np.pad(shape.next_starts, ((0, 0), (0, 1)), constant_values=10**6)[:, np.asarray(where)].T.reshape(
                        -1
                    )
                    for shape, where in zip(shapes, before.places, strict=True)
                ]
            )
            np.testing.assert_array_equal(leads_to[np.asarray(here.arrivals)[real]], ids[real])


def test_all_starts_are_the_tree(betting):
    for street, here in enumerate(drawn_starts.every(betting)):
        assert here.places is None
        order = np.concatenate([shape.starts for shape in betting.streets[street]])
        if street:
            np.testing.assert_array_equal(here.arrivals, betting.arrivals(street - 1)[order])


def test_what_is_put_back_is_what_was_taken(betting, draw):
    """And the starts that were not drawn keep theirs; void room goes nowhere."""
    starts = draw(jax.random.key(1))
    tables = betting.nothing(0, (3, 3, 3, 3))
    counted = jax.tree.map(lambda table: table + jnp.arange(table.shape[-1]), tables)
    some = jax.tree.map(lambda part: part + 1000, drawn_starts.taken(counted, starts))
    after = drawn_starts.put(counted, some, starts)
    changed = 0
    for street, of_street in enumerate(after):
        for i, table in enumerate(of_street):
            places = np.asarray(starts[street].places[i])
            expected = np.arange(table.shape[-1]) + 1000 * np.isin(np.arange(table.shape[-1]), places)
            if table.size:
                np.testing.assert_array_equal(np.asarray(table)[0, 0, 0], expected)
                changed += (expected < 1000).sum()
    assert changed > 0
    assert drawn_starts.taken(tables, None) is tables and drawn_starts.put(tables, some, None) is some


@pytest.mark.thorough
@pytest.mark.parametrize("player", [0, 1])
def test_values_of_drawn_starts_are_right_in_the_mean(two_boards, betting, likely, draw, player):
    """Of the game, and of the flop's actions, which see the draws of turn and river."""
    game, dealt, cards = two_boards.game_of("hands")
    strategy = two_boards.random_strategy(betting, cards.num_buckets)
    both = [betting.by_shapes(each, strategy) for each in (0, 1)]
    exact = game.values(player, dealt, both[player], both[1 - player])
    reach = game.own_reach(player, dealt, both[player])

    @jax.jit
    def once(key):
        starts = draw(key)
        own, other = (drawn_starts.taken(both[each], starts) for each in (player, 1 - player))
        found = game.values(player, dealt, own, other, starts)
        return (found.value, found.action_values[1][0]), game.own_reach(player, dealt, own, starts), starts

    each = [once(jax.random.key(seed)) for seed in range(48)]
    for i, expected in enumerate((exact.value, exact.action_values[1][0])):
        found = np.stack([np.asarray(one[0][i]) for one in each])
        legal = np.broadcast_to(betting.legal(player)[1][0], found.shape[1:]) if i else np.True_
        error = found.std(axis=0, ddof=1) / len(each) ** 0.5
        z = (found.mean(axis=0) - np.asarray(expected))[legal] / np.maximum(error[legal], 1e-6)
        assert error.max() > 1e-5  # draws do differ
        assert np.sqrt(np.mean(z**2)) < 2
    _, found, starts = each[0]  # own play is as likely to lead there, drawn or not
    for street in range(4):
        for i, table in enumerate(drawn_starts.taken(reach, starts)[street]):
            real = np.asarray(starts[street].places[i]) < betting.streets[street][i].num_starts
            np.testing.assert_allclose(
                np.asarray(found[street][i])[..., real], np.asarray(table)[..., real], rtol=1e-4, atol=1e-7
            )
