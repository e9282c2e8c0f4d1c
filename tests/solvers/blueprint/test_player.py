"""The player of a blueprint: on its own tree, and at tables with other bets."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, players
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.blueprint import player, storage
from jaxpoker.solvers.tree import replay, translation


@functools.partial(jax.jit, static_argnums=(0, 1))
def policies(game, bot, params, paths, deals):
    def at(path, deal):
        state = replay(game, path, deal)
        return bot.policy(params, bot.new_hand(bot.init_memory(params)), game, state)[0], state.deal.hole, state.board

    return jax.vmap(at)(paths, deals)


@pytest.mark.thorough
def test_on_its_own_tree_the_player_plays_its_strategy(any_blueprint):
    game, betting, bot = any_blueprint.game, any_blueprint.tree, blueprint.as_player(any_blueprint)
    nodes = betting.decisions()
    deals = game.deal(jax.random.key(0), (len(nodes),))
    played, hole, board = policies(game, bot, any_blueprint.params, jnp.asarray(betting.paths(nodes)), deals)
    for i, node in enumerate(nodes.tolist()):
        opened = [int(card) for card in board[i] if card != cards.NO_CARD]
        bucket = any_blueprint.bucket(np.asarray(hole[i, betting.player[node]]), opened)
        np.testing.assert_allclose(played[i], any_blueprint.at(node)[bucket], atol=1 / storage.PARTS)


@pytest.mark.thorough
def test_it_plays_legally_and_on_what_it_sees_at_any_table(any_blueprint):
    """Other stacks, blinds, an ante and other sizes than its tree's."""
    table = jaxpoker.make("holdem", stack=300, small_blind=1, big_blind=3, ante=1)
    assert players.check(blueprint.as_player(any_blueprint), any_blueprint.params, table, jax.random.key(1)) > 100


def test_a_blueprint_plays_heads_up(any_blueprint):
    three = jaxpoker.make("holdem", num_players=3)
    bot = blueprint.as_player(any_blueprint)

    def first(key):
        return bot.policy(any_blueprint.params, translation.unread(), three, three.init(key))

    with pytest.raises(ValueError, match="plays heads-up"):
        jax.eval_shape(first, jax.random.key(0))


legalised = jax.jit(player.legalised)


TO = np.asarray([-1, 10, 25, 100])


@pytest.mark.parametrize(
    ("wanted", "legal", "played"),
    [
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]),
        ([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1], [0, 0.3, 0.3, 0.4]),  # a fold for free is a check
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 0, 1], [0.1, 0.2, 0, 0.7]),  # too large, or too small: the nearest raise
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 0, 0], [0.1, 0.9, 0, 0]),  # no raise: a call
        ([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 1], [0.3, 0, 0, 0.7]),  # no call on the menu: a fold
        ([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]),  # nothing known: a call
    ],
)
def test_what_the_table_does_not_allow_becomes_what_it_does(wanted, legal, played):
    found = legalised(np.asarray(wanted, np.float32), TO, np.asarray(legal, bool))
    np.testing.assert_allclose(found, played, atol=1e-6)


@pytest.mark.parametrize(("size", "nearest"), [(50, 2), (80, 4)])
def test_a_raise_becomes_the_one_that_is_nearest_in_chips(size, nearest):
    chips, legal = np.asarray([-1, 10, 25, size, 100]), np.asarray([1, 1, 1, 0, 1], bool)
    found = legalised(np.asarray([0, 0, 0, 1.0, 0], np.float32), chips, legal)
    assert found[nearest] == 1
