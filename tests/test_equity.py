"""Equities: equal to full enumeration by another evaluator, and Monte Carlo that errs as much as it says."""

import functools
import itertools

import eval7
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.random import threefry_2x32

from jaxpoker import cards, ranges
from jaxpoker.equity import (
    ALL_SUIT_ORDERS,
    Equity,
    against_random,
    canonical_boards,
    equity,
    exact,
    sample_against_random,
    win_probabilities,
)
from jaxpoker.equity.table import set_table
from scripts import equity as equity_script


@functools.cache
def eval7_card(card: int) -> eval7.Card:
    return eval7.Card(cards.text(card))


def strength(*ids: int) -> int:
    return eval7.evaluate([eval7_card(card) for card in ids])


def enumerate_deals(players: list[str], board: str, dead: str = "") -> list[tuple[float, float, float]]:
    """(win, tie, equity) of each player by loops over all hands and all runouts, with eval7's evaluator."""
    on_board, out = cards.parse(board).tolist(), cards.parse(dead).tolist()
    holdings = []
    for player in players:
        weights = ranges.parse(player)
        holdings.append([(ranges.COMBOS[i].tolist(), float(weights[i])) for i in np.flatnonzero(weights)])
    sums = np.zeros((len(players), 3))
    total = 0.0
    for deal in itertools.product(*holdings):
        used = [*on_board, *out, *itertools.chain.from_iterable(hand for hand, _ in deal)]
        if len(set(used)) < len(used):
            continue
        weight = float(np.prod([w for _, w in deal]))
        for runout in itertools.combinations([c for c in range(52) if c not in used], 5 - len(on_board)):
            strengths = np.asarray([strength(*hand, *on_board, *runout) for hand, _ in deal])
            best = strengths == strengths.max()
            sums += weight * np.stack([best & (best.sum() == 1), best & (best.sum() > 1), best / best.sum()], axis=1)
            total += weight
    return [tuple(row) for row in sums / total]


def assert_same(results: tuple[Equity, ...], expected: list[tuple[float, float, float]]) -> None:
    for result, (win, tie, share) in zip(results, expected, strict=True):
        assert result.exact
        assert result.standard_error == 0
        assert (result.win, result.tie, result.equity) == pytest.approx((win, tie, share), abs=1e-12)


def errors_off(result: Equity, truth: float) -> float:
    return abs(result.equity - truth) / result.standard_error


# --- exact ------------------------------------------------------------------------------------


def test_aces_against_kings_over_all_suits_and_boards():
    aces, kings = equity("AA", "KK")
    assert aces.counts == (50_371_344, 285_228, 10_986_372)
    assert kings.counts == (10_986_372, 285_228, 50_371_344)
    assert aces.deals == 36 * 1_712_304
    assert aces.equity == (50_371_344 + 285_228 / 2) / (36 * 1_712_304)


def test_single_aces_against_single_kings_add_up_to_the_same():
    """Hand against hand uses fewer symmetries of the suits than range against range: the sums must agree."""
    counts = [equity("AcAd", kings)[0].counts for kings in ("KcKd", "KcKh", "KcKs", "KdKh", "KdKs", "KhKs")]
    assert (6 * np.sum(counts, axis=0)).tolist() == [50_371_344, 285_228, 10_986_372]


@pytest.mark.parametrize(
    ("players", "board", "dead"),
    [
        (["AhKh", "QQ+, AK"], "Qh7h2cTd", ""),
        (["QQ+, AK:0.5, 76s", "22-44:0.25, AhKh, QJ:0.75"], "Qh7h2cTd", ""),
        (["AA:0.3, KK", "AA, KK:0.7"], "As7h2cTd", "Ks"),
        (["AhKh, 7c7d:0.5", "AhQh, KhQs, 8c8d:0.125"], "9h8h2cTd", "3c3d"),
        (["22+:0.5, AK", "A2s+, KQ:0.25"], "Qh7h2cTdTs", "Ad"),
        (["88", "random"], "8h7h6h5h4h", ""),
        (["AhKh", "QcQd"], "Qh7h2c", "2d2h"),
        (["AhKh, 2c2d", "QcQd, AhAd:0.5"], "Qh7h2s", ""),
        (["AsKs", "Ac4d"], "AhKd5c4h4s", ""),
    ],
)
def test_two_ranges_equal_full_enumeration(players: list[str], board: str, dead: str):
    expected = enumerate_deals(players, board, dead)
    assert_same(equity(*players, board=board, dead=dead), expected)
    assert_same(equity(*players[::-1], board=board, dead=dead), expected[::-1])


@pytest.mark.parametrize(
    ("players", "board", "dead"),
    [
        (["AhKh", "QcQd", "7c7d"], "Qh7h2c", ""),
        (["AhKh", "AcKc", "AdKd", "2h2d"], "Qh7h3c", "Ts"),
        (["2c3d", "2d3h", "2h3s"], "AcKdQhJsTc", ""),
    ],
)
def test_three_single_hands_or_more_equal_full_enumeration(players: list[str], board: str, dead: str):
    assert_same(equity(*players, board=board, dead=dead), enumerate_deals(players, board, dead))


def test_hand_against_hand_is_counted_alike_in_both_ways_and_a_third_takes_from_both():
    """With four cards to come, as two ranges and as single hands; a third hand takes its wins from both."""
    two = set_table(["AhKh", "QcQd"], cards.parse("7s").tolist(), [])
    assert exact.single_hands(two) == exact.two_ranges(two)
    three = exact.single_hands(set_table(["AhKh", "QcQd", "2s3d"], cards.parse("7s").tolist(), []))
    assert {one.deals for one in three} == {148_995}  # 4 of 45 cards
    assert sum(one.equity for one in three) == pytest.approx(1, abs=1e-12)
    alone = between_streets("7s", dead="2s3d").equity
    assert three[0].equity < alone < three[0].equity + three[2].equity


def test_exact_counts_of_a_board_on_every_street_agree():
    """A street's equity is the mean of the next street's over the cards that may come."""
    hero, villain = "AhKh", "QcQd"
    live = [c for c in range(52) if c not in cards.parse(hero + villain).tolist()]
    for board in ("Qh7h2c", "Qh7h2cTd"):
        known = cards.parse(board).tolist()
        after = [equity(hero, villain, board=board + cards.text(c))[0].equity for c in live if c not in known]
        assert equity(hero, villain, board=board)[0].equity == pytest.approx(np.mean(after), abs=1e-12)


def between_streets(board: str, dead: str = "") -> Equity:
    """With a board that no street has: the same counting, which ``equity`` itself does not offer."""
    return exact.two_ranges(set_table(["AhKh", "QcQd"], cards.parse(board).tolist(), cards.parse(dead).tolist()))[0]


def test_one_or_two_board_cards_are_counted_too():
    """Summed over the third card, counts with two on the board triple: each of a runout's cards may come third."""
    live = [c for c in range(52) if c not in cards.parse("AhKhQcQd2c7d").tolist()]
    after = [equity("AhKh", "QcQd", board="2c7d" + cards.text(c))[0].counts for c in live]
    counts = between_streets("2c7d").counts
    assert counts is not None
    assert np.sum(after, axis=0).tolist() == [3 * n for n in counts]
    one = between_streets("2c")
    assert one.deals == 178_365
    assert one.counts is not None
    assert sum(one.counts) == one.deals


def test_dead_cards_leave_the_deck_before_the_flop():
    """All runouts = those without the dead card + those with it."""
    every, without = equity("AhKh", "QcQd")[0].counts, equity("AhKh", "QcQd", dead="Qh")[0].counts
    with_it = between_streets("Qh").counts
    assert every is not None and without is not None and with_it is not None
    assert np.add(without, with_it).tolist() == list(every)


def test_river_equities_are_eval7s():
    """eval7's "exact" deals no runouts, so it is right on rivers only."""
    rng = np.random.default_rng(7)
    for text in ("22+, A2s+, KTo+", "TT-66, 76s, QJo", "AK, AQs, 55"):
        deal = rng.permutation(52)[:7].tolist()
        hero, board = deal[:2], deal[2:]
        theirs = eval7.py_hand_vs_range_exact(
            [eval7_card(c) for c in hero], eval7.HandRange(text.replace(" ", "")), [eval7_card(c) for c in board]
        )
        ours = equity(cards.text(hero), text, board=cards.text(board))[0]
        assert ours.equity == pytest.approx(theirs, abs=1e-6)


def test_hand_against_random_preflop_is_the_table():
    hero, villain = equity("AhKh", "random")
    assert hero.counts == (1_389_004_215, 34_610_976, 673_957_209)
    assert villain.counts == (673_957_209, 34_610_976, 1_389_004_215)
    assert equity("random", "AhKh")[1] == hero
    assert equity("random", "random")[0].equity == 0.5
    table = dict(zip(ranges.CLASS_NAMES, ranges.preflop_table().equity, strict=True))
    weighted = (6 * table["AA"] + 0.5 * 12 * table["72o"]) / 12
    assert equity("AA, 72o:0.5", "random")[0].equity == pytest.approx(weighted, abs=1e-12)


@pytest.mark.optimised
def test_preflop_table_agrees_with_exact_flops():
    """Another way to one entry: exact equities on a random sample of flops, each by its number of boards."""
    masks, times = canonical_boards(3, ((0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)))  # c with d, h with s
    flops = [[c for c in range(52) if int(mask) >> c & 1] for mask in masks]
    hole = cards.parse("5c5d").tolist()
    live = [i for i, flop in enumerate(flops) if not set(flop) & set(hole)]
    assert times[live].sum() == 19_600
    some = np.random.default_rng(0).choice(live, 40, replace=False)
    equities = np.asarray(jax.jit(against_random)(np.asarray(hole), np.asarray([flops[i] for i in some])))
    weights = times[some] / times[some].sum()
    mean = (weights * equities).sum()
    error = np.sqrt((weights**2 * (equities - mean) ** 2).sum())
    truth = ranges.preflop_table().equity[ranges.CLASS_NAMES.index("55")]
    assert abs(mean - truth) < 4 * error


def test_boards_up_to_suits():
    for size, classes in ((3, 1_755), (4, 16_432), (5, 134_459)):
        boards, times = canonical_boards(size, ALL_SUIT_ORDERS)
        assert boards.size == classes
        assert int(times.sum()) == {3: 22_100, 4: 270_725, 5: 2_598_960}[size]


# --- arrays -----------------------------------------------------------------------------------

deal = np.asarray(cards.deal(jax.random.key(5), 7, (6,)))  # [6, 7]
HOLE, BOARD = deal[:, :2], deal[:, 2:]
exact_against_random = jax.jit(against_random)


@functools.cache
def truth_on(street: int) -> np.ndarray:
    """[6]: exact equities of the hands with that many cards of their boards."""
    return np.asarray(exact_against_random(HOLE, BOARD[:, :street]))


@pytest.mark.parametrize("street", [5, 4])
def test_exact_against_random_equals_full_enumeration(street: int):
    """On the turn for one hand, on the river for all: 45,540 and 990 deals each."""
    number = 6 if street == 5 else 1
    for hole, board, result in list(zip(HOLE, BOARD[:, :street], truth_on(street), strict=True))[:number]:
        known = [*hole.tolist(), *board.tolist()]
        live = [c for c in range(52) if c not in known]
        half_wins = []
        for runout in itertools.combinations(live, 5 - street):
            mine = strength(*known, *runout)
            for villain in itertools.combinations([c for c in live if c not in runout], 2):
                theirs = strength(*villain, *known[2:], *runout)
                half_wins.append(2 if mine > theirs else 1 if mine == theirs else 0)
        assert len(half_wins) == {5: 990, 4: 45_540}[street]
        assert result == pytest.approx(np.mean(half_wins) / 2, abs=1e-6)


@pytest.mark.thorough
def test_exact_flop_against_random_is_the_mean_over_turns():
    hole, flop = HOLE[0], BOARD[0, :3]
    live = np.setdiff1d(np.arange(52), [*hole, *flop])
    turns = np.concatenate([np.broadcast_to(flop, (47, 3)), live[:, None]], axis=1)
    after = exact_against_random(np.broadcast_to(hole, (47, 2)), turns)
    assert truth_on(3)[0] == pytest.approx(float(np.mean(after)), abs=1e-6)
    text = equity(cards.text(hole), "random", board=cards.text(flop))[0]
    assert truth_on(3)[0] == pytest.approx(text.equity, abs=1e-6)


@pytest.fixture(scope="module")
def sampled():
    return jax.jit(sample_against_random, static_argnames="samples")


@pytest.mark.parametrize("street", [0, 3, 4, 5])
def test_sampling_against_random_is_right_on_every_street(sampled, street: int):
    board = np.where(np.arange(5) < street, BOARD, cards.NO_CARD)
    estimate = sampled(jax.random.key(street), HOLE, board, samples=20_000)
    off = np.abs(estimate.mean - truth_on(street)) / np.asarray(estimate.standard_error)
    assert off.max() < 4
    assert estimate.mean.shape == estimate.standard_error.shape == (6,)


def test_standard_errors_of_samples_are_calibrated(sampled):
    """Over many independent estimates of one equity, (estimate - truth) / standard error has variance 1."""
    hole = np.broadcast_to(HOLE[0], (400, 2))
    board = np.broadcast_to(np.where(np.arange(5) < 3, BOARD[0], cards.NO_CARD), (400, 5))
    estimate = sampled(jax.random.key(11), hole, board, samples=500)
    z = np.asarray((estimate.mean - truth_on(3)[0]) / estimate.standard_error)
    assert abs(z.mean()) < 4 / np.sqrt(400)
    assert 0.75 < z.var() < 1.25  # the variance of 400 normal numbers is within 1 ± 0.28 but once in 15,000


def test_sample_counts_that_fill_no_whole_block_all_count(sampled):
    estimate = sampled(jax.random.key(0), HOLE[0], BOARD[0], samples=2_500)
    assert float(estimate.mean) * 5_000 == pytest.approx(round(float(estimate.mean) * 5_000), abs=1e-2)
    truth = float(exact_against_random(HOLE[0], BOARD[0]))
    assert abs(float(estimate.mean) - truth) < 4 * float(estimate.standard_error)


def test_win_probabilities_of_the_four_streets():
    four = jax.jit(win_probabilities, static_argnames="samples")(jax.random.key(3), HOLE, BOARD, samples=10_000)
    assert four.shape == (6, 4)
    truth = np.stack([truth_on(street) for street in (0, 3, 4, 5)], axis=-1)
    np.testing.assert_allclose(four[:, [0, 3]], truth[:, [0, 3]], atol=1e-6)
    np.testing.assert_allclose(four, truth, atol=4 * 0.5 / np.sqrt(10_000))
    assert np.abs(np.asarray(four)[:, 1:3] - truth[:, 1:3]).max() > 0  # flop and turn are estimates


def test_array_functions_refuse_wrong_shapes():
    with pytest.raises(ValueError, match="hole cards"):
        against_random(jnp.zeros(3, jnp.int32), BOARD[0])
    with pytest.raises(ValueError, match="n in"):
        against_random(HOLE[0], BOARD[0, :2])
    with pytest.raises(ValueError, match="n in"):
        sample_against_random(jax.random.key(0), HOLE[0], BOARD[0, :3], 10)
    with pytest.raises(ValueError, match="0 samples"):
        sample_against_random(jax.random.key(0), HOLE[0], BOARD[0], 0)


# --- the random words of samples --------------------------------------------------------------


def test_random_words_are_threefrys():
    """Words 2 b and 2 b + 1 at place p are JAX's own cipher of (p, b); that one is checked by published vectors."""
    published = [  # key, block, cipher: Random123's kat_vectors, threefry 2x32, 20 rounds
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ]
    for key, block, cipher in published:
        theirs = threefry_2x32(jnp.asarray(key, jnp.uint32), jnp.asarray(block, jnp.uint32))
        assert tuple(theirs.tolist()) == cipher
    for key_data in ((0, 0), (0x13198A2E, 0x03707344)):
        words = cards.random_words(jnp.asarray(key_data, jnp.uint32), 5, (3, 4))
        assert [word.shape for word in words] == [(3, 4)] * 5
        for number, word in enumerate(words):
            place, block = np.arange(12, dtype=np.uint32), np.full(12, number // 2, np.uint32)
            cipher = threefry_2x32(jnp.asarray(key_data, jnp.uint32), jnp.concatenate([place, block]))
            np.testing.assert_array_equal(word.reshape(-1), cipher[12 * (number % 2) :][:12])


def test_a_fused_deal_is_the_same_deal():
    dead = [jnp.asarray([3, cards.NO_CARD]), jnp.asarray([0, 51])]
    apart = cards.deal_columns(jax.random.key(4), 8, (2,), dead)
    np.testing.assert_array_equal(cards.deal_columns(jax.random.key(4), 8, (2,), dead, fused=True), apart)


@pytest.mark.parametrize(
    "new_key", [jax.random.PRNGKey, lambda seed: jax.random.key(seed, impl="rbg")], ids=["PRNGKey", "rbg"]
)
def test_any_kind_of_key_samples(sampled, new_key):
    board = np.where(np.arange(5) < 3, BOARD, cards.NO_CARD)
    estimate = sampled(new_key(2), HOLE, board, samples=4_000)
    assert (np.abs(estimate.mean - truth_on(3)) / np.asarray(estimate.standard_error)).max() < 4


# --- Monte Carlo with ranges ------------------------------------------------------------------

SAMPLED = [
    (["AhKh", "QQ+, AK"], "Qh7h2c"),  # a hand and a range that it blocks
    (["AhKh", "random"], "Qh7h2c"),
    (["random", "22+:0.5, AK, 76s:0.1"], "Qh7h2c"),
    (["top 20%", "TT+:0.25, AQ"], "Qh7h2c"),  # two ranges that seldom clash
    (["AhAd, 2c2d", "AhAc, 3c3d"], "Kc7hTs"),  # two that clash in one deal of four
    (["AA", "AA, KhKd:0.05"], "Kc7h2c"),  # two that mostly do
    (["AhKh, AhKd, 2c2d:0.05", "AhQh, AhJh, 3c3d:0.5"], "Qs7h3s"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("players", "board"), SAMPLED)
def test_sampled_ranges_agree_with_exact_ones(players: list[str], board: str):
    exact = equity(*players, board=board, method="exact")
    estimate = equity(*players, board=board, method="sample", samples=30_000, seed=1)
    for one, truth in zip(estimate, exact, strict=True):
        assert not one.exact
        assert errors_off(one, truth.equity) < 4
        assert one.win == pytest.approx(truth.win, abs=4 * one.standard_error + 0.01)
        assert one.standard_error < 0.02


def test_standard_errors_of_ranges_are_calibrated():
    """Deals of unequal weight: the ranges mostly clash and are drawn one after the other."""
    players, board = ["AA", "AA:0.5, KhKd:0.05, 77"], "Kc7h2c"
    truth = equity(*players, board=board)[0].equity
    z = []
    for seed in range(100):
        one = equity(*players, board=board, method="sample", samples=2_048, seed=seed)[0]
        z.append((one.equity - truth) / one.standard_error)
    assert abs(np.mean(z)) < 4 / np.sqrt(100)
    assert 0.5 < np.var(z) < 1.6  # of 100 normal numbers: 1 ± 0.14 is one standard error


def test_many_players_share_one_pot():
    results = equity("AhKh", "QQ+", "top 10%", "random", samples=20_000)
    assert sum(one.equity for one in results) == pytest.approx(1, abs=1e-5)
    assert all(one.win <= one.equity <= one.win + one.tie for one in results)


def test_three_ranges_equal_full_enumeration():
    """Ranges that clash a lot, so that the weights of deals matter."""
    players, board = ["AA, KK:0.5", "AA:0.25, AhKh", "KK, AcKc"], "Qh7h2cTd2s"
    expected = enumerate_deals(players, board)
    for one, (_, _, truth) in zip(equity(*players, board=board, samples=60_000), expected, strict=True):
        assert abs(one.equity - truth) < 4 * one.standard_error + 1e-6


def test_a_third_hand_that_cannot_win_is_dead_money():
    """On this board the third hand always loses, and its cards are out of the deck for the others."""
    two = equity("AhAd", "KK, QQ, JJ:0.5", board="AsKcKdQhQs", dead="3c2d")
    three = equity("AhAd", "KK, QQ, JJ:0.5", "3c2d", board="AsKcKdQhQs", samples=30_000)
    for one, truth in zip(three, two, strict=False):
        assert abs(one.equity - truth.equity) < 4 * one.standard_error + 1e-6
    assert three[2].equity == 0


def test_order_of_players_does_not_matter():
    one, two, three = equity("AhKh", "22+", "random", samples=40_000, seed=1)
    c, a, b = equity("random", "AhKh", "22+", samples=40_000, seed=2)
    for here, there in ((one, a), (two, b), (three, c)):
        assert abs(here.equity - there.equity) < 4 * np.hypot(here.standard_error, there.standard_error)


def test_same_seed_same_result():
    first = equity("AhKh", "QQ+, AK", method="sample", samples=4_096, seed=3)
    assert first == equity("AhKh", "QQ+, AK", method="sample", samples=4_096, seed=3)
    assert first != equity("AhKh", "QQ+, AK", method="sample", samples=4_096, seed=4)


def test_weights_may_be_given_instead_of_text():
    assert equity(ranges.parse("QQ+"), "AhKh", board="Qh7h2c") == equity("QQ+", "AhKh", board="Qh7h2c")


# --- for people -------------------------------------------------------------------------------


def test_results_as_text():
    assert str(Equity(0.639, 0.621, 0.036, 0.0, 1_234_567, True)) == (
        "63.90% (win 62.10%, tie 3.60%), exact, 1,234,567 combinations"
    )
    assert "± 0.03%" in str(Equity(0.5, 0.4, 0.2, 0.0003, 1000, False))
    assert str(equity("AhKh", "random")).count("\n") == 1


@pytest.mark.parametrize(
    ("players", "options", "what_is_wrong"),
    [
        (["AA"], {}, "2 to 10 players, not 1"),
        (["random"] * 11, {}, "2 to 10 players, not 11"),
        (["AA", "KK"], {"method": "guess"}, "'auto', 'exact' or 'sample'"),
        (["AA", "KK"], {"samples": 0}, "0 samples"),
        (["AA", "KK"], {"seed": -1}, "seed is 0 or more"),
        (["AA", "KK"], {"board": "Qh7h2cTdTs2d"}, "has 6 cards: it has 0, or 3, 4 or 5"),
        (["AA", "KK"], {"board": "Qh7h"}, "the board 'Qh7h' has 2 cards: it has 0, or 3, 4 or 5"),
        (["AA", "KK"], {"board": "Qh", "method": "sample"}, "the board 'Qh' has 1 cards"),
        (["AA", "KK"], {"board": "Qh7h2c", "dead": "2c"}, "in board and in dead"),
        (["AhKh", "KK"], {"board": "Ah7h2c"}, "no hand of 'AhKh' is left"),
        (["AA:0", "KK"], {}, "all its weights are 0"),
        (["AhKh", "AhQd"], {}, "players 1 and 2 cannot both be dealt in: KhAh is taken"),
        (["AhKh, AhQh", "AhJh, AhTh"], {}, "cannot be dealt together"),
        (["AA", "AA", "AA"], {"samples": 2_048}, "cannot be dealt together"),
        (["AA", "KK", "QQ"], {"method": "exact"}, "only single hands"),
        (["AA", "KX"], {}, "ranks are"),
    ],
)
def test_bad_input_is_refused(players: list[str], options: dict, what_is_wrong: str):
    with pytest.raises(ValueError) as error:
        equity(*players, **options)
    assert what_is_wrong in str(error.value)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError):
        equity("AA", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        equity("AA", "KK", board=["Qh"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="whole number"):
        equity("AA", "KK", samples=1e6)  # type: ignore[arg-type]


def test_script_prints_equities(capsys: pytest.CaptureFixture[str]):
    assert equity_script.main(["AhKh", "random"]) == 0
    printed = capsys.readouterr().out
    assert "67.04%" in printed and "2,097,572,400" in printed
    assert equity_script.main(["--table"]) == 0
    assert "72o" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["AhKh", "QQ+, AX"], "unknown rank 'X' in 'AX' of range 'QQ+, AX': ranks are 23456789TJQKA"),
        (["AhKh", "QQ", "--seed", str(1 << 63)], f"the seed is 0 or more and below 2**63, not {1 << 63}"),
        (["AhKh"], "name two players or more, as in: scripts/equity.py AhKh 'QQ+, AK' --board Qh7h2c"),
        (
            ["AA", "KK", "--exact", "--samples", "9"],
            "--exact counts all deals and --samples draws random ones: choose one",
        ),
        (["AA", "--table"], "--table prints the 169 hands before the flop: it takes no players and no other option"),
    ],
)
def test_script_says_in_one_sentence_what_is_wrong(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str):
    assert equity_script.main(arguments) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"scripts/equity.py: {says}\n")


def test_the_first_player_is_the_hero():
    result = equity("AhKh", "QQ+, AK", board="Qh7h2c")
    hero, _ = result
    assert (result.equity, result.win, result.tie, result.standard_error) == hero[:4]
    assert len(str(result).splitlines()) == 2
