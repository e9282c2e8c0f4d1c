"""Exact solving with three and more seats: Kuhn and Leduc against OpenSpiel, and what is known of Kuhn for three."""

import jax
import numpy as np
import pyspiel
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.tree import NONE


@pytest.fixture(scope="module", params=[("kuhn", 3), ("kuhn", 4), ("leduc", 3)], ids=lambda made: f"{made[0]}{made[1]}")
def game(request):
    name, players = request.param
    return exact_game.whole(jaxpoker.make(name, num_players=players))


def of_openspiel(game):
    """OpenSpiel's game. In Leduc suits are left out, which changes no strategy that treats them alike."""
    more = ",suit_isomorphism=True" if game.game.name == "leduc" else ""
    return pyspiel.load_game(f"{game.game.name}_poker(players={game.num_seats}{more})")


def names_of(game, theirs):
    """OpenSpiel's string of each row of a strategy table, "" for those that never come up."""
    names = [""] * game.num_rows
    players, tree = game.num_seats, game.tree
    suits = 2 if game.game.name == "leduc" else 1
    for seat in range(players):
        side, slot = game.sides[seat], 0
        for node in side.nodes.tolist():
            street = game.deals.streets[int(tree.street[node])]
            for column, row in enumerate(side.row_of_slot[slot : slot + street.columns].tolist()):
                if row == NONE:
                    continue
                board, hand = divmod(column, game.num_hands)
                used = {board} if tree.street[node] else set()
                others = iter(card for card in range(game.num_hands) if card not in {hand, *used})
                state = theirs.new_initial_state()
                for other in range(players):
                    state.apply_action((hand if other == seat else next(others)) // suits)
                for at in tree.path(node)[1:]:
                    if tree.action[at] >= 0:
                        state.apply_action(int(tree.action[at]))
                    if state.is_chance_node() and tree.street[node]:
                        state.apply_action(board // suits)
                assert state.current_player() == seat
                names[row] = state.information_state_string()
            slot += street.columns
    return names


@pytest.fixture(scope="module")
def with_theirs(game):
    theirs = of_openspiel(game)
    return game, theirs, names_of(game, theirs)


def as_theirs(game, names, table):
    """A strategy table as a policy of OpenSpiel in C++."""
    legal = game.legal_rows()
    known = {
        name: [(a, float(table[row, a])) for a in np.flatnonzero(legal[row])] for row, name in enumerate(names) if name
    }
    return pyspiel.TabularPolicy(known)


def grouped(names):
    _, of_row = np.unique(names, return_inverse=True)
    return of_row


@pytest.mark.parametrize("seed", [0, 1])
def test_nash_conv_is_openspiels(with_theirs, any_strategy, double, seed):
    game, theirs, names = with_theirs
    of_row = grouped(names)
    table = any_strategy(game, seed)
    first = np.unique(of_row, return_index=True)[1]
    table = table[first][of_row]  # all suits alike, as OpenSpiel has none
    ours = best_response.nash_conv(game, table)
    policy = as_theirs(game, names, table)
    assert float(ours.total) == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-6)
    assert float(ours.values.sum()) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("name", "theirs_of"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)])
def test_average_strategies_are_openspiels_row_by_row(with_theirs, double, name, theirs_of):
    """Not of Kuhn for four: regrets of exactly 0 are there, and a last bit decides what is played."""
    game, theirs, names = with_theirs
    if game.num_seats == 4:
        pytest.skip("regrets of exactly 0")
    solver = theirs_of(theirs)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy().policy_table()
    own = solvers.make(name, game, dtype=np.float64)
    table = np.asarray(own.average(own.run(own.init(), 20)))
    for row, called in enumerate(names):
        if called:
            np.testing.assert_allclose(
                [table[row, action] for action, _ in policy[called]], [p for _, p in policy[called]], atol=1e-8
            )


def test_a_best_response_gains_what_nash_conv_says(game, any_strategy, double):
    table = any_strategy(game, 3)
    measured = best_response.nash_conv(game, table)
    for seat in range(game.num_seats):
        answer = best_response.best_response(game, table, seat)
        assert float(answer.value) == pytest.approx(float(measured.best[seat]), abs=1e-12)
        assert float(best_response.value_against(game, answer.strategy, table, seat)) == pytest.approx(
            float(answer.value), abs=1e-12
        )


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr"])
def test_kuhn_of_three_comes_close_to_an_equilibrium(algorithm, double):
    """Szafron, Gibson and Sturtevant (2013) give a family of equilibria: seat 0 loses 1/48 to 1/32 of a chip, seat 1
    loses 1/48, and seat 2 wins the rest.
    """
    game = exact_game.whole(jaxpoker.make("kuhn", num_players=3))
    solver = solvers.make(algorithm, game, dtype=np.float64)
    found = best_response.nash_conv(game, solver.average(solver.run(solver.init(), 20_000)))
    assert float(found.total) < {"cfr": 5e-4, "cfr+": 1e-5, "dcfr": 1e-5}[algorithm]
    off = 2 * float(found.total)
    assert -1 / 32 - off < float(found.values[0]) < -1 / 48 + off
    assert float(found.values[1]) == pytest.approx(-1 / 48, abs=off)


@pytest.mark.slow
def test_five_at_kuhn():
    game = exact_game.whole(jaxpoker.make("kuhn", num_players=5))
    solver = solvers.make("cfr+", game)
    _, metrics = jax.jit(lambda state: (state, solver.update(state)[1]))(solver.run(solver.init(), 300))
    assert 0 <= float(metrics["nash_conv"]) < 0.1
    assert sum(float(metrics[f"value_seat_{seat}"]) for seat in range(5)) == pytest.approx(0, abs=1e-5)


def test_what_is_for_two_players_says_so(game):
    table = game.uniform()
    with pytest.raises(ValueError, match=f"exploitability is for two players, not for {game.game.name} with"):
        solvers.exploitability(game, table)
    with pytest.raises(ValueError, match="a subgame with ranges is for two players"):
        game.below(0)
