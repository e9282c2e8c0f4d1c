"""Public trees against OpenSpiel, against random play of the engine, and as people read them."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE

LEDUC = trees.build(jaxpoker.make("leduc"))
SOLVER_MENU = jaxpoker.make("holdem", menu="solver", stack=40)


@pytest.fixture(scope="module")
def short_stacks():
    """The solver's menu with 20 big blinds."""
    return trees.build(SOLVER_MENU)


def test_kuhn_reads_as_in_the_book():
    assert trees.build(jaxpoker.make("kuhn")).text().splitlines() == [
        "kuhn: 4 decisions, 0 chance nodes, 5 ends, 1 street",
        "seat 0 to act",
        "  pass: seat 1 to act",
        "    pass: showdown, seat 0 gets +1 or -1",
        "    bet: seat 0 to act",
        "      pass: end, seat 0 gets -1",
        "      bet: showdown, seat 0 gets +2 or -2",
        "  bet: seat 1 to act",
        "    pass: end, seat 0 gets +1",
        "    bet: showdown, seat 0 gets +2 or -2",
    ]


def test_push_fold_reads_as_players_say_it():
    game = jaxpoker.make("holdem", menu="push/fold", stack=30, small_blind=1, big_blind=3, ante=1)
    assert trees.build(game).text().splitlines()[1:] == [
        "seat 0 to act",
        "  fold: end, seat 0 gets -0.666667",
        "  all-in to 29: seat 1 to act",
        "    fold: end, seat 0 gets +1.33333",
        "    all-in to 29: showdown, seat 0 gets +10 or -10",
    ]


def test_a_big_blind_that_is_all_in_has_no_decision():
    tree = trees.build(jaxpoker.make("holdem", menu="push/fold", stack=2))
    assert tree.text().splitlines()[1:] == [
        "seat 0 to act",
        "  fold: end, seat 0 gets -0.5",
        "  all-in to 2: showdown, seat 0 gets +1 or -1",
    ]
    assert trees.build(jaxpoker.make("holdem", menu="push/fold", stack=1)).kind.tolist() == [END]


def test_leduc_has_openspiels_histories():
    """Nodes before the public card stand for 30 pairs of hands, later ones for 120 deals; one history has no card
    and six have one."""
    per_street = np.bincount(LEDUC.street, minlength=2)
    assert per_street @ [30, 120] + 7 == 9457
    assert np.bincount(LEDUC.kind).tolist() == [36, 5, 49]


def test_every_end_of_a_small_game_pays_what_openspiel_pays(with_openspiel):
    game, checked = with_openspiel.ours, 0
    groups = {int(end): (group, i) for group in game.groups for i, end in enumerate(group.ends)}

    def walk(state, cards, node):
        nonlocal checked
        if state.is_chance_node():
            for card, _ in state.chance_outcomes():
                dealt = [*cards, card]
                walk(state.child(card), dealt, int(game.tree.children[node, 0]) if len(dealt) == 3 else node)
        elif state.is_terminal():
            assert game.tree.kind[node] == END
            group, i = groups[node]
            at = (*cards[2:], *cards[:2]) if len(cards) == 3 else (0, *cards)
            prior = game.deals.streets[group.street].prior[at]
            ((factor, of_hands),) = group.payoffs[0]
            assert factor[i] * of_hands[at] / prior == pytest.approx(state.returns()[0])
            checked += 1
        else:
            assert game.tree.kind[node] == DECISION
            assert game.tree.player[node] == state.current_player()
            assert np.nonzero(game.tree.legal(node))[0].tolist() == state.legal_actions()
            for action in state.legal_actions():
                walk(state.child(action), cards, int(game.tree.children[node, action]))

    walk(with_openspiel.theirs.new_initial_state(), [], 0)
    assert checked == {"kuhn": 6 * 5, "leduc": 30 * 4 + 120 * 45}[game.game.name]


@pytest.mark.parametrize("name", ["leduc", "short_stacks"])
def test_levels_belong_to_one_player_and_children_come_later(name, request):
    tree = LEDUC if name == "leduc" else request.getfixturevalue(name)
    decisions = tree.decisions()
    levels = np.stack([tree.street[decisions], tree.turn[decisions]])
    assert (np.lexsort(levels[::-1]) == np.arange(len(decisions))).all()
    for level in np.unique(levels, axis=1).T:
        assert len(set(tree.player[decisions[(level == levels.T).all(axis=1)]])) == 1
    parent = np.arange(tree.num_nodes)[:, None]
    assert ((tree.children > parent) | (tree.children == NONE)).all()
    kids = tree.children[tree.children >= 0]
    assert sorted(kids) == list(range(1, tree.num_nodes))
    np.testing.assert_array_equal(tree.parent[tree.children[0][tree.children[0] >= 0]], 0)
    for node in range(1, tree.num_nodes, 7):
        place = tree.children[tree.parent[node]]
        assert place[max(tree.action[node], 0)] == node


def test_random_hands_walk_the_tree_and_are_paid_as_it_says(short_stacks):
    tree, game, hands = short_stacks, SOLVER_MENU, 512
    step, choose = jax.jit(jax.vmap(game.step)), jax.jit(core.random_action)
    choices = jax.jit(jax.vmap(game.choices))
    state = jax.jit(lambda key: jax.vmap(game.start)(game.deal(key, (hands,))))(jax.random.key(0))
    strength = np.asarray(state.deal.strength)
    outcome = 1 - np.sign(strength[:, 0] - strength[:, 1])  # 0 win, 1 tie, 2 lose
    nodes, paid, key = np.zeros(hands, int), np.zeros(hands), jax.random.key(1)
    for _ in range(40):
        live = ~np.asarray(state.terminated)
        if not live.any():
            break
        assert (tree.kind[nodes[live]] == DECISION).all()
        np.testing.assert_array_equal(tree.player[nodes[live]], np.asarray(state.current_player)[live])
        np.testing.assert_array_equal(tree.street[nodes[live]], np.asarray(state.street)[live])
        to, legal = (np.asarray(x)[live] for x in choices(state))
        np.testing.assert_array_equal(tree.legal(nodes[live]), legal)
        np.testing.assert_array_equal(np.where(legal, tree.to[nodes[live]], 0), np.where(legal, to, 0))
        key, action_key = jax.random.split(key)
        action = np.asarray(choose(action_key, state.legal_action_mask))
        state = step(state, jnp.asarray(action))
        paid += np.asarray(state.rewards)[:, 0]
        nodes = np.where(live, tree.children[nodes, action], nodes)
        nodes = np.where(tree.kind[nodes] == CHANCE, tree.children[nodes, 0], nodes)
    assert (tree.kind[nodes] == END).all()
    assert len(set(nodes)) > 50
    np.testing.assert_allclose(tree.payoffs_of(0)[nodes, outcome], paid, atol=1e-6)
    folded = np.asarray(state.folded).any(axis=1)
    np.testing.assert_array_equal(tree.is_fold(nodes), folded)


def test_hold_em_with_100_big_blinds_fits():
    tree = trees.build(jaxpoker.make("holdem", menu="solver", stack=200))
    assert 40_000 < len(tree.decisions()) < 60_000
    assert tree.num_streets == 4
    lines = tree.text(max_nodes=30).splitlines()
    assert len(lines) == 32
    assert lines[-1] == f"... and {tree.num_nodes - 30:,} nodes more"


def test_a_line_reads_with_streets_and_sizes(short_stacks):
    node = 0
    for action in (1, 1, NONE, 3, 1):  # limp, check, the flop, 3/4 pot, call
        node = int(short_stacks.children[node, max(action, 0)])
    assert short_stacks.line_text(node) == "check/call check/call | 3/4 pot to 3 check/call"
    assert short_stacks.actions_to(node) == [1, 1, 3, 1]
    assert short_stacks.kind[node] == CHANCE


def test_replay_plays_a_path():
    game = jaxpoker.make("leduc")
    decisions = LEDUC.decisions()
    deal = game.deal(jax.random.key(3))
    states = jax.jit(jax.vmap(lambda path: trees.replay(game, path, deal)))(LEDUC.paths(decisions))
    np.testing.assert_array_equal(states.current_player, LEDUC.player[decisions])
    np.testing.assert_array_equal(states.round, LEDUC.street[decisions])
    np.testing.assert_array_equal(states.legal_action_mask, LEDUC.legal(decisions))
    assert not np.asarray(states.terminated).any()


def test_kuhn_for_three_has_a_tree_too():
    tree = trees.build(jaxpoker.make("kuhn", num_players=3))
    assert len(tree.decisions()) * 4 == jaxpoker.make("kuhn", num_players=3).num_infosets


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: trees.build(jaxpoker.make("chicago")), "there is no tree of chicago"),
        (lambda: trees.build(SOLVER_MENU, max_nodes=100), "more than 100 nodes"),
    ],
)
def test_trees_that_cannot_be_are_refused(build, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        build()
