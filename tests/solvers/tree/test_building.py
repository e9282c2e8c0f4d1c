"""Trees from any state: what is below a node of the whole tree is what is built from the state there."""

import dataclasses

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.tree import CHANCE, DECISION, END, Tree
from jaxpoker.solvers.tree.chips import chips_at

HOLDEM = jaxpoker.make("holdem", menu="50%, a; raises: 2", stack=60, small_blind=1, big_blind=2, ante=1)


@pytest.fixture(scope="module")
def holdem() -> Tree:
    return trees.build(HOLDEM)


def state_at(game, tree, node):
    """A state of ``game`` at a decision of ``tree``."""
    state = game.start(game.deal(jax.random.key(1)))
    for action in tree.actions_to(node):
        state = game.step(state, action)
    return state


def require_same(one: Tree, other: Tree) -> None:
    for field in dataclasses.fields(Tree):
        if field.name not in ("game", "stakes"):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)
    assert (one.stakes is None) == (other.stakes is None)
    if one.stakes is not None:
        for mine, theirs in zip(one.stakes, other.stakes, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def starts(tree: Tree, street: int) -> list[int]:
    return [int(node) for node in tree.decisions(street=street) if tree.turn[node] == 0]


def test_the_tree_from_leducs_second_round_is_the_part_below_it():
    game = jaxpoker.make("leduc")
    whole = trees.build(game)
    assert len(starts(whole, 1)) == 5  # ways to end the first round without a fold
    for node in starts(whole, 1):
        require_same(trees.build(game, state_at(game, whole, node)), trees.below(whole, node)[0])


@pytest.mark.parametrize("street", [1, 2, 3], ids=["flop", "turn", "river"])
def test_the_tree_from_a_street_of_holdem_is_the_part_below_it(holdem, street):
    found = starts(holdem, street)
    for node in (found[0], found[len(found) // 2], found[-1]):
        rest = trees.build(HOLDEM, state_at(HOLDEM, holdem, node))
        require_same(rest, trees.below(holdem, node)[0])
        assert rest.first_street == street


@pytest.mark.parametrize("turn", [1, 2])
def test_a_tree_may_begin_in_the_middle_of_a_street(holdem, turn):
    nodes = [int(node) for node in holdem.decisions(street=1) if holdem.turn[node] == turn]
    rest = trees.build(HOLDEM, state_at(HOLDEM, holdem, nodes[3]))
    below, _ = trees.below(holdem, nodes[3])
    require_same(rest, below)
    assert rest.turn[0] == 0 and rest.player[0] == holdem.player[nodes[3]]


def test_below_says_which_nodes_of_the_whole_tree_they_are(holdem):
    node = starts(holdem, 2)[5]
    rest, nodes = trees.below(holdem, node)
    assert nodes[0] == node
    np.testing.assert_array_equal(rest.kind, holdem.kind[nodes])
    for small, large in list(enumerate(nodes))[1:]:
        assert nodes[rest.parent[small]] == holdem.parent[large]
    assert holdem.line_text(int(nodes[-1])).endswith(rest.line_text(len(nodes) - 1).lstrip("| "))


def test_chips_of_a_subtree_are_those_of_the_table(holdem):
    """Pot, bets and stacks go on from the state, uneven stacks too."""
    game = dataclasses.replace(HOLDEM, ante=0)
    state = game.start(game.deal(jax.random.key(0)), stacks=np.array([60, 37]))
    for action in (1, 1, 2):  # limp, check, the big blind bets half the pot
        state = game.step(state, action)
    rest = trees.build(game, state)
    at = chips_at(rest)
    assert at.pot[0] == int(state.pot) == 6 and at.price[0] == 2
    np.testing.assert_array_equal(rest.stakes.starting, [60, 37])
    assert at.behind[0] == 37 - 2 - 2
    for node in rest.decisions()[:40].tolist():
        there = state
        for action in rest.actions_to(node):
            there = game.step(there, action)
        assert at.pot[node] == int(there.pot)
        np.testing.assert_array_equal(at.bets[node], there.bets)
    ends = rest.kind == END
    assert np.abs(rest.payoffs[ends]).max() <= 37 / 2  # nobody loses more than the shorter stack


@pytest.mark.parametrize("players", [3, 4])
def test_payoffs_of_kuhn_are_those_of_every_seat(players):
    game = jaxpoker.make("kuhn", num_players=players)
    tree = trees.build(game)
    ends = np.flatnonzero(tree.kind == END)
    assert tree.payoffs.shape == (tree.num_nodes, len(tree.orders), players)
    np.testing.assert_allclose(tree.payoffs[ends].sum(axis=2), 0, atol=1e-6)
    play = jax.jit(lambda path, deal: trees.replay(game, path, deal).rewards)
    for node, path in zip(ends.tolist(), tree.paths(ends), strict=True):
        for outcome in (0, len(tree.orders) // 2):
            dealt = game.showdown_states()
            deal = type(game.deal(jax.random.key(0)))(dealt.table[outcome])
            np.testing.assert_allclose(tree.payoffs[node, outcome], play(path, deal), atol=1e-6)


def test_holdem_for_three_has_a_tree_with_side_pots():
    """Push or fold: the button, the small blind and the big blind, ends with two and with three hands shown."""
    game = jaxpoker.make("holdem", num_players=3, menu="push/fold", stack=10, small_blind=1, big_blind=2)
    tree = trees.build(game)
    assert sorted(set(tree.player[tree.decisions()].tolist())) == [0, 1, 2]
    ends = np.flatnonzero(tree.kind == END)
    np.testing.assert_allclose(tree.payoffs[ends].sum(axis=2), 0, atol=1e-6)
    all_in = max(ends.tolist(), key=lambda node: np.abs(tree.payoffs[node]).sum())
    by_order = {tuple(order): tree.payoffs[all_in, i].tolist() for i, order in enumerate(tree.orders)}
    assert by_order[2, 1, 0] == [10, -5, -5] and by_order[0, 1, 2] == [-5, -5, 10]  # big blinds
    assert by_order[1, 1, 0] == [2.5, 2.5, -5]
    with pytest.raises(ValueError, match="two players, not for holdem with 3"):
        tree.require_two_players("a sweep")


def test_a_game_that_is_over_has_no_tree():
    game = jaxpoker.make("kuhn")
    over = game.step(game.step(game.init(jax.random.key(0)), 0), 0)
    with pytest.raises(ValueError, match="this game of kuhn is over"):
        trees.build(game, over)


def test_a_subtree_begins_with_a_decision(holdem):
    (chance, *_) = np.flatnonzero(holdem.kind == CHANCE)
    with pytest.raises(ValueError, match="no decision of this tree"):
        trees.below(holdem, int(chance))
    assert trees.below(holdem, 0)[0].kind[0] == DECISION
