"""The 169 x 169 match-ups before the flop: published counts, other ways to count, and brute force on a few boards."""

import itertools

import eval7
import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.equity import ALL_SUIT_ORDERS, canonical_boards, equity, matchups
from scripts import make_matchup_table

BOARDS = 1_712_304


def number(name: str) -> int:
    return ranges.CLASS_NAMES.index(name)


def test_aces_against_kings_as_published():
    table, pair = matchups(), (number("AA"), number("KK"))
    assert table.win[pair] == 50_371_344
    assert table.tie[pair] == 285_228
    assert table.lose[pair] == 10_986_372
    assert table.combos[pair] == 36
    assert table.equity[pair] == (50_371_344 + 285_228 / 2) / (36 * BOARDS)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("AKs", "22"), ("AKo", "AQs"), ("AKs", "AKs"), ("72o", "72o"), ("JTs", "AA"), ("K2o", "22"), ("AKs", "AKo")],
)
def test_counts_equal_the_enumeration_of_two_ranges(ours: str, theirs: str):
    table, pair = matchups(), (number(ours), number(theirs))
    hero, villain = equity(ours, theirs, method="exact")
    assert hero.counts == (table.win[pair], table.tie[pair], table.lose[pair])
    assert villain.counts == tuple(counts[pair[::-1]] for counts in (table.win, table.tie, table.lose))
    assert hero.equity == pytest.approx(table.equity[pair], abs=1e-15)


def test_all_opponents_together_are_a_random_hand():
    table, against_random = matchups(), ranges.preflop_table()
    for outcome in ("win", "tie", "lose"):
        of_class = ranges.COMBOS_PER_CLASS.astype(np.int64) * getattr(against_random, outcome)
        np.testing.assert_array_equal(getattr(table, outcome).sum(axis=1), of_class, err_msg=outcome)


def test_every_deal_is_won_tied_or_lost():
    table = matchups()
    assert table.win.dtype == table.tie.dtype == table.combos.dtype == np.int64
    np.testing.assert_array_equal(table.win + table.tie + table.lose, table.combos * BOARDS)
    np.testing.assert_array_equal(table.lose, table.win.T)
    np.testing.assert_array_equal(table.tie, table.tie.T)
    np.testing.assert_allclose(table.equity + table.equity.T, 1, atol=1e-15)
    assert (table.win > 0).all()
    assert (table.tie > 0).all()


def test_combos_are_pairs_of_hands_without_a_common_card():
    held: list[list[set[int]]] = [[] for _ in ranges.CLASS_NAMES]
    for of_class, combo in zip(ranges.CLASS_OF_COMBO, ranges.COMBOS.tolist(), strict=True):
        held[of_class].append(set(combo))
    for i, j in itertools.combinations_with_replacement(range(169), 2):
        count = sum(a.isdisjoint(b) for a in held[i] for b in held[j])
        assert matchups().combos[i, j] == matchups().combos[j, i] == count, (i, j)


def test_the_table_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        matchups().win[0, 0] = 0


# --- the script -------------------------------------------------------------------------------


def brute_force(board: int) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties [169, 169] of all live hands against each other on one board (a 52-bit mask), by eval7."""
    deck = [eval7.Card(cards.text(card)) for card in range(52)]
    known = [deck[card] for card in range(52) if board >> card & 1]
    live = [card for card in range(52) if not board >> card & 1]
    hands = np.array(list(itertools.combinations(live, 2)))  # [1081, 2]
    strength = np.array([eval7.evaluate([deck[a], deck[b], *known]) for a, b in hands])
    of_class = ranges.CLASS_OF_COMBO[ranges.combo_index(hands[:, 0], hands[:, 1])]
    disjoint = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3))
    counts = []
    for happens in (strength[:, None] > strength, strength[:, None] == strength):
        ours, theirs = np.nonzero(happens & disjoint)
        pairs = 169 * of_class[ours] + of_class[theirs]
        counts.append(np.bincount(pairs, minlength=169 * 169).reshape(169, 169))
    win, tie = counts
    return win, tie


@pytest.mark.thorough
def test_the_script_counts_a_few_boards_as_brute_force_does():
    boards, times = canonical_boards(5, ALL_SUIT_ORDERS)
    chosen = np.random.default_rng(1).choice(boards.size, 20, replace=False)
    expected = [brute_force(int(board)) for board in boards[chosen]]
    win = sum(int(n) * w for n, (w, _) in zip(times[chosen], expected, strict=True))
    tie = sum(int(n) * t for n, (_, t) in zip(times[chosen], expected, strict=True))
    assert len(set(times[chosen].tolist())) > 1  # boards that count differently
    counted = make_matchup_table.compute(boards[chosen], times[chosen])
    np.testing.assert_array_equal(counted.win, win)
    np.testing.assert_array_equal(counted.tie, tie)
    np.testing.assert_array_equal(counted.combos, matchups().combos)


def test_the_script_refuses_a_table_that_does_not_add_up():
    table = matchups()
    make_matchup_table.check(table)
    win = table.win.copy()
    win[number("AA"), number("KK")] += 1
    with pytest.raises(SystemExit, match="AA against KK: -1 deals"):
        make_matchup_table.check(table._replace(win=win))
    win, tie = table.win.copy(), table.tie.copy()
    win[number("QQ"), number("JJ")] += 1
    tie[number("QQ"), number("JJ")] -= 1
    tie[number("JJ"), number("QQ")] -= 1
    with pytest.raises(SystemExit, match="win of QQ against all hands is 1 deals off the preflop table"):
        make_matchup_table.check(table._replace(win=win, tie=tie))
