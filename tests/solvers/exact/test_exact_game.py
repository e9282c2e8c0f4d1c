"""A small game as arrays: strategies in two forms, and sweeps against a recursion over all deals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import CHANCE, END


@pytest.mark.parametrize("name", ["kuhn", "leduc", "push_fold"])
def test_a_strategy_goes_into_both_players_parts_and_back(request, any_strategy, name):
    game = request.getfixturevalue(name)
    table = jnp.asarray(any_strategy(game, 0), jnp.float32)
    parts = tuple(game.part(player, table) for player in PLAYERS)
    np.testing.assert_array_equal(game.table(parts), table)
    for part in parts:
        np.testing.assert_allclose(part.sum(axis=0), 1, atol=1e-5)  # also of hands that the board rules out


def test_uniform_play_takes_all_legal_actions_alike(leduc):
    even = leduc.uniform()
    np.testing.assert_array_equal(even > 0, leduc.legal_rows())
    np.testing.assert_allclose(even.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(even.max(axis=1), 1 / leduc.legal_rows().sum(axis=1))


def values_by_recursion(game, player, parts):
    """Counterfactual values ``[actions, slots]`` and the value of the game, deal by deal and node by node."""
    tree, deals, last = game.tree, game.deals, game.deals.streets[-1]
    side = game.sides[player]
    slots = [{}, {}]
    for each in game.sides:
        widths = [deals.streets[street].columns for street in tree.street[each.nodes]]
        slots[each.player] = dict(zip(each.nodes.tolist(), (np.cumsum(widths) - widths).tolist(), strict=True))
    values, total = np.zeros(parts[player].shape), 0.0
    for board, one, other in np.argwhere(last.prior > 0).tolist():
        hands = (one, other)
        outcomes = np.array([each[board, one, other] for each in (last.win, last.tie, last.lose)])

        def column(street, seat, board=board, hands=hands):
            at = deals.columns_before(len(deals.streets) - 1, street)[board * len(deals.hands) + hands[seat]]
            return int(at)

        def worth(node, reach, outcomes=outcomes, column=column):
            if tree.kind[node] == END:
                return tree.payoffs_of(0)[node] @ outcomes * (1 if player == 0 else -1)
            if tree.kind[node] == CHANCE:
                return worth(tree.children[node, 0], reach)
            seat = int(tree.player[node])
            slot = slots[seat][node] + column(int(tree.street[node]), seat)
            mean = 0.0
            for action in np.nonzero(tree.legal(node))[0].tolist():
                played = parts[seat][action, slot]
                found = worth(int(tree.children[node, action]), reach * (1 if seat == player else played))
                mean += played * found
                if seat == player:
                    values[action, slot] += reach * found
            return mean

        total += worth(0, 1.0)
    return np.where(side.legal, values, 0), total


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_sweep_is_a_recursion_over_all_deals(request, any_strategy, double, name, player):
    game = request.getfixturevalue(name)
    parts = [np.asarray(game.part(each, jnp.asarray(any_strategy(game, 1)))) for each in PLAYERS]
    sweep = jax.jit(lambda own, other: game.values(player, None, own, other))
    value, values = sweep(parts[player], parts[1 - player])
    expected, total = values_by_recursion(game, player, parts)
    assert float(value) == pytest.approx(total, abs=1e-9)
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_menus_that_reach_the_flop_are_not_for_this_solver():
    with pytest.raises(ValueError, match="needs a menu whose betting ends before the flop"):
        exact_game.whole(jaxpoker.make("holdem", menu="a", stack=10))


def test_a_hand_that_the_blinds_decide_is_refused():
    with pytest.raises(ValueError, match="nobody has a decision"):
        exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=1))
