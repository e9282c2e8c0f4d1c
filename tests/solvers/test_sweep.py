"""The contract of sweeps: games between cards, types, buckets and hands say the same of the same strategies."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers import sweep
from jaxpoker.solvers.abstraction.rank_history import RankHistory
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.sampling.boards import HandBoards, HoldemBoards, ListedBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import build
from jaxpoker.solvers.tree.street_shapes import shaped

pytestmark = pytest.mark.thorough

KNOWN = RankHistory()


@pytest.fixture(scope="module")
def shapes():
    return shaped(build(jaxpoker.make("holdem", menu="a", stack=6, small_blind=1, big_blind=2)))


@pytest.fixture(scope="module")
def boards():
    return np.asarray(KNOWN.sample_boards((), jax.random.key(5), 3))


@pytest.fixture(scope="module")
def games(shapes, boards):
    """The same boards as counts of types, twice, and hand by hand: (game, dealt) each."""
    counted, by_hand = HoldemBoards(KNOWN), HandBoards(KNOWN)
    counts = jax.jit(lambda drawn: counted.dealt((), drawn)[0])(boards)
    hands = jax.jit(lambda drawn: by_hand.dealt((), drawn)[0])(boards)
    return [
        (TypeGame(shapes, counted.paths), counts),
        (BucketGame(shapes, counted.paths), counts),
        (HandGame(shapes, KNOWN.num_buckets), hands),
    ]


@pytest.fixture(scope="module")
def strategies(shapes):
    rng, tables = np.random.default_rng(1), []
    for street in range(shapes.tree.num_streets):
        nodes = shapes.tree.decisions(street=street)
        table = rng.random((len(nodes), KNOWN.num_buckets[street], shapes.tree.num_actions))
        table *= shapes.tree.legal(nodes)[:, None]
        tables.append(jnp.asarray(table / table.sum(axis=2, keepdims=True), jnp.float32))
    return tuple(shapes.by_shapes(player, tuple(tables)) for player in PLAYERS)


def require_same(one, other, legal):
    for mine, theirs, may in zip(*map(jax.tree.leaves, (one, other, legal)), strict=True):
        np.testing.assert_allclose(np.where(may, mine, 0), np.where(may, theirs, 0), rtol=1e-3, atol=3e-6)


@pytest.mark.parametrize("player", PLAYERS)
def test_games_of_types_buckets_and_hands_agree(games, strategies, player):
    own, other = strategies[player], strategies[1 - player]
    first, *others = [game.values(player, dealt, own, other) for game, dealt in games]
    reach, *reaches = [game.own_reach(player, dealt, own) for game, dealt in games]
    legal = games[0][0].legal(player)
    for swept, reached in zip(others, reaches, strict=True):
        np.testing.assert_allclose(swept.value, first.value, atol=1e-5)
        require_same(swept.action_values, first.action_values, legal)
        require_same(reached, reach, jax.tree.map(lambda may: may.any(axis=0), legal))


@pytest.mark.parametrize("player", PLAYERS)
def test_a_best_response_is_the_same_in_all_of_them_and_worth_what_it_says(games, strategies, player):
    other = strategies[1 - player]
    responses = [game.respond(player, dealt, other) for game, dealt in games]
    values = [float(response.value) for response in responses]
    assert values == pytest.approx([values[0]] * len(values), abs=2e-5)
    for (game, dealt), response in zip(games, responses, strict=True):
        played = game.values(player, dealt, response.strategy, other)
        assert float(played.value) == pytest.approx(float(response.value), abs=2e-5)
        own = game.values(player, dealt, strategies[player], other)
        assert float(response.value) > float(own.value) + 0.1


def test_the_quality_of_a_strategy_is_that_of_the_exact_game(leduc, any_strategy):
    """Leduc between its cards and between the types of its boards: one function measures both."""
    table = any_strategy(leduc, 7).astype(np.float32)
    exact = sweep.quality(leduc, None, tuple(leduc.part(player, jnp.asarray(table)) for player in PLAYERS))
    assert float(exact.exploitability) == pytest.approx(float(best_response.exploitability(leduc, table)), abs=1e-6)
    listed = ListedBoards(leduc.deals)
    game = BucketGame(shaped(leduc.tree), listed.paths)
    share, counts = listed.tables
    by_street = []
    for street in range(2):
        nodes = leduc.tree.decisions(street=street)
        width = leduc.deals.streets[street].columns
        rows = np.zeros((len(nodes), width, 3), np.float32)
        for player in PLAYERS:
            side, slot = leduc.sides[player], 0
            for node in side.nodes.tolist():
                columns = leduc.deals.streets[int(leduc.tree.street[node])].columns
                if leduc.tree.street[node] == street:
                    own = side.row_of_slot[slot : slot + columns]
                    rows[list(nodes).index(node)] = np.where((own >= 0)[:, None], table[own], 1 / 3)
                slot += columns
        by_street.append(jnp.asarray(rows))
    both = tuple(game.betting.by_shapes(player, tuple(by_street)) for player in PLAYERS)
    found = sweep.quality(game, jnp.tensordot(share, counts, axes=1), both)
    np.testing.assert_allclose(found.exploitability, exact.exploitability, atol=1e-5)
    np.testing.assert_allclose(found.value, exact.value, atol=1e-5)
