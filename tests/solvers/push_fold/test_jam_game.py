"""Push or fold for two to four seats: against the exact game of two, real deals, and what is known of prizes."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import equity, ranges
from jaxpoker.solvers import push_fold
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.push_fold import pool
from jaxpoker.solvers.regret import ALGORITHMS

SHARE = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
FEW = {"boards": 256, "deals": 20_000}


def solved(game, iterations=150):
    solver = CFR(game, ALGORITHMS["dcfr"])
    return np.asarray(solver.average(solver.run(solver.init(), iterations)))


def hands(game, table, seat, before):
    first = game.first_row(seat) + before * 169
    return table[first : first + 169, 1]


def random_table(game, seed):
    table = game.uniform()
    often = np.random.default_rng(seed).random(len(table)).astype(np.float32) ** 2
    choice = game.legal_rows().all(axis=1)
    table[choice] = np.stack([1 - often, often], axis=1)[choice]
    return table


@pytest.mark.parametrize(("stack", "ante"), [(10, 0), (4, 0.5)])
def test_two_seats_are_the_exact_game(stack, ante):
    game = push_fold.make((stack, stack), ante=ante)
    exact = exact_game.whole(
        jaxpoker.make("holdem", menu="push/fold", stack=4 * stack, small_blind=2, big_blind=4, ante=int(4 * ante))
    )
    table = random_table(game, 0)
    same = np.zeros((338, 3), np.float32)
    same[:169, 2], same[169:, 2] = hands(game, table, 0, 0), hands(game, table, 1, 1)
    same[:, 0] = 1 - same[:, 2]
    ours, theirs = best_response.nash_conv(game, table), best_response.quality(exact, same)
    np.testing.assert_allclose(ours.best, theirs.best, atol=2e-6)
    np.testing.assert_allclose(ours.values, [theirs.value, -theirs.value], atol=2e-6)
    found = best_response.nash_conv(game, solved(game, 1_500))
    solver = CFR(exact, ALGORITHMS["dcfr"])
    right = best_response.value(exact, solver.average(solver.run(solver.init(), 1_500)))
    assert float(found.values[0]) == pytest.approx(float(right), abs=2e-6)


@pytest.fixture(scope="module")
def three():
    return push_fold.make((10, 10, 10), **FEW)


@pytest.mark.slow
@pytest.mark.parametrize("stacks", [(10, 10, 10), (6, 12, 9, 15)])
def test_values_are_those_of_real_deals(stacks):
    """Every card of every hand counts there, so that they are not quite the same."""
    game = push_fold.make(stacks, **FEW)
    table = random_table(game, 1)
    found = best_response.nash_conv(game, table).values
    dealt = pool.dealt(len(stacks), 400_000, 9)
    total = np.zeros(len(stacks))
    for end in game.ends:
        likely = np.ones(dealt.classes.shape[1])
        for seat in range(len(stacks)):
            comes_in = hands(game, table, seat, end.players & ((1 << seat) - 1))[dealt.classes[seat]]
            likely = likely * (comes_in if end.players >> seat & 1 else 1 - comes_in)
        won = game.stakes.worth(game.stakes.after(end.players, dealt.strengths))
        total += (likely[:, None] * won).mean(axis=0)
    np.testing.assert_allclose(found, total, atol=0.06)


@pytest.mark.slow
def test_no_seat_gains_by_another_strategy(three):
    table = solved(three)
    measured = best_response.nash_conv(three, table)
    assert float(measured.gains.max()) < 1e-4
    aces, trash = ranges.CLASS_NAMES.index("AA"), ranges.CLASS_NAMES.index("72o")
    for seat in range(3):
        for before in range(1 << seat):
            if three.stakes.may_fold(seat, before):
                assert hands(three, table, seat, before)[aces] > 0.99
                assert hands(three, table, seat, before)[trash] < 0.01 or (seat, before) == (1, 0)
    button, small_blind = hands(three, table, 0, 0) @ SHARE, hands(three, table, 1, 0) @ SHARE
    assert 0.25 < button < 0.4 < small_blind < 0.62
    assert hands(three, table, 2, 0b11) @ SHARE < hands(three, table, 2, 0b01) @ SHARE


@pytest.mark.slow
def test_calls_of_the_same_jams_shrink_as_pay_jumps_grow():
    """Winner takes all is chips; the flatter the prizes, the more a caller has to lose."""
    calls = []
    for payouts in ((), (100,), (65, 35), (50, 50)):
        game = push_fold.make((10, 10, 10), payouts=payouts, **FEW)
        table = random_table(game, 2)
        table[: 7 * 169] = push_table()
        answer = best_response.best_response(game, jnp.asarray(table), 2).strategy
        calls.append(float(hands(game, np.asarray(answer), 2, 0b01) @ SHARE))
    chips, winner, two, bubble = calls
    assert winner == pytest.approx(chips, abs=1e-6)
    assert chips > two > bubble


def push_table():
    """All jam the better half of their hands, whatever came before."""
    order = np.argsort(-ranges.preflop_table().equity)
    jams = np.zeros(169, np.float32)
    jams[order[:80]] = 1
    table = np.tile(np.stack([1 - jams, jams], axis=1), (7, 1))
    table[3 * 169 : 4 * 169] = [0, 1]  # nobody came in: the big blind has won
    return table


@pytest.mark.slow
def test_who_has_folded_wins_prizes_when_another_goes_out():
    game = push_fold.make((10, 10, 10), payouts=(50, 50), **FEW)
    table = game.uniform()
    table[:169] = [1, 0]  # the button folds, and the blinds are always in
    table[game.first_row(1) :][:169], table[game.first_row(2) + 2 * 169 :][:169] = [0, 1], [0, 1]
    values = best_response.nash_conv(game, table).values
    counts = equity.matchups()
    tie = counts.tie.sum() / (counts.win + counts.tie + counts.lose).sum()
    assert float(values[0]) == pytest.approx(5 * (1 - tie), abs=1e-3)  # a third of all prizes is 10, half is 15


def test_histories_have_names():
    game = push_fold.make((10, 10))
    assert game.row_text(0) == "AA | SB after folds"
    assert game.row_text(3 * 169 - 1) == "22 | BB after SB in"
    with pytest.raises(ValueError, match="exploitability is for two players, not for push/fold with 3"):
        push_fold.JamGame(push_fold.Stakes((1, 2, 3)), (), np.zeros(0), None, {}, None, {}).require_two_players(
            "exploitability"
        )
