"""Sweeps between buckets, types and hands against sums over all pairs of hands and all ends of the game."""

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.sampling import public_cfr
from jaxpoker.solvers.sampling.boards import HandBoards, HoldemBoards, ListedBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.showdowns import showdown_sums, type_counts
from jaxpoker.solvers.tree import CHANCE, DECISION, END, street_shapes

CARDS = abstraction.make("rank_based")
MEETING = (COMBOS[:, None, :, None] != COMBOS[:, None]).all(axis=(2, 3))  # [1326, 1326] hands without a common card


@functools.cache
def short_stacks() -> street_shapes.ShapedTree:
    """20 big blinds with two sizes: four streets, 544 decisions, two shapes of betting on turn and river."""
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    game = jaxpoker.make("holdem", menu=menu, stack=200, small_blind=5, big_blind=10)
    return street_shapes.shaped(trees.build(game))


@functools.cache
def boards() -> np.ndarray:
    """Two of them."""
    return np.asarray(CARDS.sample_boards(CARDS.tables, jax.random.key(3), 2))


def cards_of(chance: Any) -> Any:
    """What is played on with these boards."""
    return jax.jit(lambda dealt: chance.dealt((), dealt))(boards())


@functools.cache
def game_of(kind: str) -> tuple[Any, Any, abstraction.CardAbstraction]:
    """A game of short stacks, what it plays on with ``boards()``, and its buckets."""
    betting, cards = short_stacks(), abstraction.make("rank_history") if kind == "types" else CARDS
    if kind == "hands":
        return HandGame(betting, cards.num_buckets), cards_of(HandBoards(cards))[0], cards
    chance = HoldemBoards(cards)
    game = TypeGame(betting, chance.paths) if kind == "types" else BucketGame(betting, chance.paths)
    return game, cards_of(chance)[0], cards


@functools.cache
def random_strategy(betting: street_shapes.ShapedTree, num_buckets: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    tables = []
    for street in range(len(betting.streets)):
        nodes = betting.tree.decisions(street=street)
        table = rng.random((len(nodes), num_buckets[street], betting.tree.num_actions))
        table *= betting.tree.legal(nodes)[:, None]
        tables.append((table / table.sum(axis=2, keepdims=True)).astype(np.float32))
    return tuple(tables)


@functools.partial(jax.jit, static_argnums=0)
def hands_of(cards: abstraction.CardAbstraction, board: np.ndarray) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Buckets ``[4, 1326]``, strengths and which hands are live ``[1326]``."""
    return cards.of_board(cards.tables, board), showdown_sums.strengths(board), possible_hands(board)


@functools.cache
def values_by_pairs(
    cards: abstraction.CardAbstraction, number: int, player: int
) -> tuple[float, dict[int, np.ndarray]]:
    """What ``player`` makes on one of the boards when both play at random, and the counterfactual values
    ``[actions, buckets]`` of its decisions: at every end, with every hand against every hand, added up backwards hand
    by hand.
    """
    betting = short_stacks()
    tree, strategy = betting.tree, random_strategy(betting, cards.num_buckets)
    buckets, strengths, live = map(np.asarray, hands_of(cards, boards()[number]))
    pairs = MEETING & live[:, None] & live
    wins = np.sign(strengths[:, None] - strengths) * pairs
    place = {int(n): i for street in range(4) for i, n in enumerate(betting.tree.decisions(street=street))}

    def played(node: int, action: int) -> np.ndarray:
        street = int(tree.street[node])
        return strategy[street][place[node]][buckets[street], action]  # [1326]

    reach = np.ones((tree.num_nodes, 1326))  # of the other
    for node in range(1, tree.num_nodes):
        parent, action = int(tree.parent[node]), int(tree.action[node])
        reach[node] = reach[parent]
        if tree.kind[parent] == DECISION and tree.player[parent] != player:
            reach[node] *= played(parent, action)
    worth = np.zeros((tree.num_nodes, 1326))
    ends, sign = np.nonzero(tree.kind == END)[0], 1 if player == 0 else -1
    folds, showdowns = (ends[folded] for folded in (tree.is_fold(ends), ~tree.is_fold(ends)))
    worth[folds] = sign * tree.payoffs_of(0)[folds, :1] * (reach[folds] @ pairs.astype(float))
    worth[showdowns] = tree.payoffs_of(0)[showdowns, :1] * (reach[showdowns] @ wins.T.astype(float))
    found = {}
    for node in reversed(range(tree.num_nodes)):
        actions = np.nonzero(tree.children[node] >= 0)[0].tolist()
        after = {action: worth[tree.children[node, action]] for action in actions}
        if tree.kind[node] == CHANCE or (tree.kind[node] == DECISION and tree.player[node] != player):
            worth[node] = sum(after.values())
        elif tree.kind[node] == DECISION:
            street = int(tree.street[node])
            found[node] = np.zeros((tree.num_actions, cards.num_buckets[street]))
            for action, values in after.items():
                worth[node] += played(node, action) * values
                np.add.at(found[node][action], buckets[street], values / pairs.sum())
    return worth[0].sum() / pairs.sum(), found


@pytest.mark.parametrize("kind", ["buckets", "types", "hands"])
def test_every_action_is_worth_the_sum_over_all_pairs_of_hands(kind):
    """On two boards, at folds and showdowns of all streets."""
    betting = short_stacks()
    game, played_on, cards = game_of(kind)
    strategy = random_strategy(betting, cards.num_buckets)
    both = [betting.by_shapes(player, strategy) for player in (0, 1)]
    for player, own in enumerate(both):
        by_board = [values_by_pairs(cards, number, player) for number in range(len(boards()))]
        value = np.mean([value for value, _ in by_board])
        swept = game.values(player, played_on, own, both[1 - player])
        np.testing.assert_allclose(swept.value, value, atol=1e-5)
        if kind != "hands":
            np.testing.assert_allclose((game.worth(player, own, both[1 - player]) * played_on).sum(), value, atol=1e-5)
        compared = 0
        for shapes, values in zip(betting.streets, swept.action_values, strict=True):
            for shape, of_shape in zip(shapes, map(np.asarray, values), strict=True):
                for k, m in zip(*np.nonzero(shape.nodes[player] >= 0), strict=True):
                    node = int(shape.nodes[player][k, m])
                    expected = np.mean([values[node] for _, values in by_board], axis=0)
                    legal = betting.tree.legal(node)
                    np.testing.assert_allclose(of_shape[legal, k, :, m], expected[legal], rtol=1e-4, atol=3e-6)
                    compared += 1
        assert compared == len(betting.tree.decisions(player))


def test_buckets_and_hands_come_to_a_decision_as_often():
    betting = short_stacks()
    strategy = random_strategy(betting, CARDS.num_buckets)
    for player in (0, 1):
        own = betting.by_shapes(player, strategy)
        games = (game_of(kind) for kind in ("buckets", "hands"))
        one, other = (game.own_reach(player, played_on, own) for game, played_on, _ in games)
        np.testing.assert_allclose(sum(one[0][0][0]), 1, atol=1e-5)  # some bucket is held at the first decision
        for street, shapes in enumerate(betting.streets):
            for i, shape in enumerate(shapes):
                there = shape.legal[player].any(axis=0)[:, None]
                np.testing.assert_allclose(
                    np.where(there, one[street][i], 0), np.where(there, other[street][i], 0), rtol=1e-4, atol=3e-6
                )


def test_sweeps_of_leduc_are_those_of_the_exact_solver():
    leduc = exact_game.whole(jaxpoker.make("leduc"))
    chance = ListedBoards(leduc.deals)
    betting = street_shapes.shaped(leduc.tree)
    game = BucketGame(betting, chance.paths)
    strategy = random_strategy(betting, chance.paths.num_buckets)
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


# --- types ------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [type_counts.ROUND, 7], ids=["in one round", "in many rounds"])
def test_counts_of_types_are_those_of_all_pairs_of_hands(monkeypatch, at_once):
    monkeypatch.setattr(type_counts, "ROUND", at_once)
    chance = HoldemBoards(CARDS)
    counts, types = cards_of(chance)
    expected = np.zeros(counts.shape)
    numbers = []
    place = {path: i for i, path in enumerate(chance.paths.types)}
    for board in boards():
        buckets, strengths, live = map(np.asarray, hands_of(CARDS, board))
        of_hand = np.array([place.get(path, -1) for path in map(tuple, buckets.T.tolist())])
        assert (of_hand[live] >= 0).all()
        one, other = np.nonzero(MEETING & live[:, None] & live)
        pair = (of_hand[one], of_hand[other])
        np.add.at(expected[type_counts.SHOWDOWNS], pair, np.sign(strengths[one] - strengths[other]))
        np.add.at(expected[type_counts.RIVALS], pair, 1)
        numbers.append(len(np.unique(of_hand[live])))
    np.testing.assert_allclose(counts, expected / len(boards()) / (1_081 * 990), atol=1e-8)
    np.testing.assert_allclose(counts[type_counts.RIVALS].sum(), 1, atol=1e-6)
    assert types == np.mean(numbers)


def test_rank_based_hands_take_few_paths():
    paths = HoldemBoards(CARDS).paths
    assert paths.size == (327, 70, 31, 9, 1)
    assert all(earlier <= later for path in paths.of_street[1] for earlier, later in itertools.pairwise(path))
    for street in range(4):
        whole = {
            (path[0], *paths.of_street[street + 1][later])
            for path, later in zip(paths.of_street[street], paths.later[street], strict=True)
        }
        assert whole == set(paths.of_street[street])


# --- shapes -----------------------------------------------------------------------------------


def test_shapes_hold_every_node_of_the_tree_once():
    betting = short_stacks()
    tree = betting.tree
    decisions, next_starts, pays = [], 0, 0.0
    for street, shapes in enumerate(betting.streets):
        starts = np.sort(np.concatenate([shape.starts for shape in shapes]))
        np.testing.assert_array_equal(
            starts, np.arange(((tree.kind == CHANCE) & (tree.street == street - 1)).sum() or 1)
        )
        for shape in shapes:
            decisions += [n for nodes in shape.nodes for n in nodes.reshape(-1).tolist() if n >= 0]
            next_starts += int((shape.next_starts < (tree.kind == CHANCE).sum()).sum()) if len(shape.next_starts) else 0
            pays += float(np.abs(shape.fold_pays).sum() + shape.showdown_pays.sum())
            for player in (0, 1):
                real = shape.nodes[player] >= 0
                np.testing.assert_array_equal(
                    np.moveaxis(shape.legal[player], 0, -1)[real], tree.legal(shape.nodes[player][real])
                )
    np.testing.assert_array_equal(np.sort(decisions), tree.decisions())
    np.testing.assert_allclose(pays, np.abs(tree.payoffs_of(0)[tree.kind == END, 0]).sum(), rtol=1e-6)


def test_a_strategy_goes_into_shapes_and_back():
    betting = short_stacks()
    strategy = random_strategy(betting, CARDS.num_buckets)
    back = betting.strategy((betting.by_shapes(0, strategy), betting.by_shapes(1, strategy)))
    for one, other in zip(strategy, back, strict=True):
        np.testing.assert_array_equal(one, other)
