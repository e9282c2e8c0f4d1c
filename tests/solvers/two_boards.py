"""Hold'em with short stacks on two boards: games between buckets, types and hands, and an oracle for all of them that
adds up all pairs of hands at all ends. Tests get this module as the fixture ``two_boards``.
"""

import functools
from typing import Any

import jax
import numpy as np

import jaxpoker
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.sampling.boards import HandBoards, HoldemBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.showdowns import showdown_sums
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


def require_sums_over_pairs(kind: str) -> None:
    """Every action of a game is worth the sum over all pairs of hands, on both boards, at folds and showdowns."""
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
