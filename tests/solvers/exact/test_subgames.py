"""Exact games and their subgames: rows, ranges at the root, and values that fit together."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers.exact import best_response, exact_game

HOLDS = 6  # cards of Leduc


@pytest.fixture(scope="module")
def solved(leduc) -> np.ndarray:
    solver = solvers.make("cfr+", leduc)
    return np.asarray(solver.average(solver.run(solver.init(), 2_000)))


def second_round(leduc, betting: str) -> int:
    """The first decision after the public card when the first round went like that."""
    return next(
        int(node)
        for node in leduc.tree.decisions(street=1)
        if leduc.tree.turn[node] == 0 and leduc.tree.line_text(int(node)) == f"{betting} |"
    )


def reach(leduc, table, node, player) -> np.ndarray:
    """[6] how likely the player's own actions are to bring each card to ``node``, by walking there."""
    product = np.ones(HOLDS)
    path = leduc.tree.path(node)
    for at, child in itertools.pairwise(path):
        if leduc.tree.player[at] == player:
            side = leduc.sides[player]
            rows = side.row_of_slot[: len(side.nodes[: list(side.nodes).index(at) + 1]) * HOLDS][-HOLDS:]
            product *= np.asarray(table)[rows, leduc.tree.action[child]]
    return product


@pytest.mark.parametrize("betting", ["call call", "raise call", "call raise raise call"])
def test_the_values_of_all_subgames_add_up_to_that_of_the_game(leduc, any_strategy, betting):
    """Given how both players come to a street, what it is worth is the mean of the boards' subgames."""
    table = any_strategy(leduc, 3).astype(np.float32)
    node = second_round(leduc, betting)
    ranges = [reach(leduc, table, node, player) for player in (0, 1)]
    prior = leduc.deals.streets[1].prior
    total = 0.0
    for board in range(HOLDS):
        sub = leduc.below(node, board, ranges)
        weight = (prior[board] * ranges[0][:, None] * ranges[1]).sum()
        total += weight * float(best_response.value(sub, table))
    # The same by hand: play down the whole tree from that node with every deal.
    expected = 0.0
    for board, first, second in zip(*np.nonzero(prior), strict=True):
        likely = prior[board, first, second] * ranges[0][first] * ranges[1][second]
        expected += likely * by_recursion(leduc, table, node, board, (first, second))
    assert total == pytest.approx(expected, abs=1e-6)


def by_recursion(leduc, table, node, board, holds) -> float:
    """What seat 0 gets from ``node`` on with these cards."""
    tree = leduc.tree
    if tree.kind[node] == 2:
        ranks = [card // 2 if card // 2 != board // 2 else HOLDS for card in holds]
        return float(tree.payoffs[node, 1 - int(np.sign(ranks[0] - ranks[1])), 0])
    player = int(tree.player[node])
    side = leduc.sides[player]
    slot = sum(leduc.deals.streets[int(tree.street[n])].columns for n in side.nodes if n < node)
    row = side.row_of_slot[slot + board * HOLDS + holds[player]]
    return sum(
        float(table[row, action]) * by_recursion(leduc, table, int(child), board, holds)
        for action, child in enumerate(tree.children[node])
        if child >= 0
    )


def test_a_subgame_of_an_equilibrium_gains_nothing_by_being_solved_alone(leduc, solved):
    """With the ranges of the equilibrium at its root, the subgame's value is what the equilibrium makes there."""
    node, board = second_round(leduc, "raise call"), 4  # a king is turned up
    sub = leduc.below(node, board, [reach(leduc, solved, node, player) for player in (0, 1)])
    solver = solvers.make("cfr+", sub)
    table = solver.average(solver.run(solver.init(), 2_000))
    assert float(best_response.exploitability(sub, table)) < 2e-3
    assert float(best_response.value(sub, table)) == pytest.approx(float(best_response.value(sub, solved)), abs=5e-3)


def test_what_a_subgame_solves_has_the_rows_of_the_game(leduc, solved):
    node, board = second_round(leduc, "call call"), 2
    sub = leduc.below(node, board)
    inside = sub.legal_rows().any(axis=1)
    assert inside.sum() == len(sub.tree.decisions()) * (HOLDS - 1)  # nobody holds the public card
    names = [leduc.row_text(row) for row in np.flatnonzero(inside)]
    assert all("| call call | Qh |" in f"{name} |" for name in names)
    solver = solvers.make("cfr+", sub)
    glued = np.where(inside[:, None], solver.average(solver.run(solver.init(), 100)), solved)
    best_response.require_strategy(leduc, glued)


def test_from_a_state_it_is_the_same_subgame(leduc, any_strategy):
    game = leduc.game
    node, board = second_round(leduc, "raise call"), 3
    ranges = np.random.default_rng(0).random((2, HOLDS))
    cut = leduc.below(node, board, ranges)
    deal = type(game.deal(jax.random.key(0)))(jnp.int32(0 | 5 << 3 | board << 6))  # J, K and the board
    state = game.step(game.step(game.start(deal), 2), 1)
    built = exact_game.from_state(game, state, ranges)
    np.testing.assert_array_equal(built.deals.streets[1].prior, cut.deals.streets[1].prior)
    values = []
    for sub in (cut, built):
        solver = solvers.make("cfr+", sub)
        values.append(float(best_response.value(sub, solver.average(solver.run(solver.init(), 500)))))
    assert values[0] == pytest.approx(values[1], abs=1e-5)
    assert built.row_text(0) == "Jh | Qs |"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: exact_game.whole(jaxpoker.make("chicago", num_players=2)), "of chicago needs its deals"),
        (lambda: exact_game.whole(jaxpoker.make("holdem", menu="a", stack=20)), "betting ends before the flop"),
        (lambda: exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=1)), "nobody has a decision"),
    ],
)
def test_games_that_cannot_be_solved_exactly_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_ranges_that_cannot_be_held_together_are_refused(leduc):
    node = second_round(leduc, "call call")
    only = np.eye(HOLDS)[0]
    with pytest.raises(ValueError, match="no two hands of these ranges"):
        leduc.below(node, 2, [only, only])
    with pytest.raises(ValueError, match="two lists of 6 weights"):
        leduc.below(node, 2, [only, -only])
