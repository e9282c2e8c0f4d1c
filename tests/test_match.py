"""Matches: duplicate deals, seats, intervals, and what players remember."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import equity, match, players, ranges
from jaxpoker.games import packed
from jaxpoker.games.kuhn import BET, PASS, Deal
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant, Player

HOLDEM, KUHN = jaxpoker.make("holdem"), jaxpoker.make("kuhn")


def play(game, names, seed=0, **kwargs):
    return match.play(game, [players.make(name, game) for name in names], jax.random.key(seed), **kwargs)


# --- hold'em ----------------------------------------------------------------------------------

RULES = ("random", "call", "check-fold", "min-raise")


ONE_OF_THEM = players.one_of(tuple(players.make(name, HOLDEM) for name in RULES))


def play_holdem(names, seed=0):
    """64 tables with 3 hands each; who plays is a number, so that all matches are one program."""
    who = [np.int32(RULES.index(name)) for name in names]
    return match.play(HOLDEM, [ONE_OF_THEM] * 2, jax.random.key(seed), who, tables=64, hands_per_table=3)


@pytest.fixture(scope="module")
def against_check_fold():
    return play_holdem(["min-raise", "check-fold"])


def test_raising_takes_three_quarters_of_a_big_blind_from_who_always_folds(against_check_fold):
    """The big blind on the button, half a big blind out of it."""
    raiser, folder = against_check_fold.mbb_per_hand
    assert raiser == Estimate(750, 0, 64)
    assert folder == Estimate(-750, 0, 64)
    assert against_check_fold.hands == 64 * 3 * 2
    assert against_check_fold.decisions == 64 * 3 * 3  # two on one's button, one on the other's


def test_profiles_belong_to_players_not_to_seats(against_check_fold):
    raiser, folder = against_check_fold.profiles
    assert (raiser.hands, raiser.vpip, raiser.pfr, raiser.raise_) == (384, 0.5, 0.5, 1)  # the other half are walks
    assert (folder.hands, folder.vpip, folder.pfr, folder.fold) == (384, 0, 0, 1)
    assert raiser.wsd is raiser.wsdw is raiser.af is None  # no flop was seen


def test_a_result_is_printed_with_its_intervals(against_check_fold):
    result = against_check_fold._replace(names=("min-raise", "check-fold"))
    assert str(result) == "min-raise: +750.0 ± 0.0 mBB/hand\ncheck-fold: -750.0 ± 0.0 mBB/hand\n384 hands each"


def test_duplicate_deals_cancel_exactly_between_equals():
    """Whoever always calls wins with the good cards what it loses against them, deal by deal."""
    result = play_holdem(["call", "call"])
    assert result.mbb_per_hand == (Estimate(0, 0, 64),) * 2
    for profile in result.profiles:
        assert (profile.vpip, profile.pfr, profile.wsd) == (0.5, 0, 1)
        assert profile.wsdw == 0.5


@pytest.fixture(scope="module")
def random_matches():
    return [play_holdem(["random", "random"], seed) for seed in range(60)]


def test_what_one_wins_the_other_loses(random_matches):
    for result in random_matches:
        ours, theirs = result.mbb_per_hand
        assert ours.mean == pytest.approx(-theirs.mean, abs=0.01)
        assert ours.ci95 == pytest.approx(theirs.ci95, rel=1e-4)
    assert any(abs(result.mbb_per_hand[0].mean) > 100 for result in random_matches)


def test_intervals_hold_the_truth_nineteen_times_out_of_twenty(random_matches):
    held = sum(abs(result.mbb_per_hand[0].mean) <= result.mbb_per_hand[0].ci95 for result in random_matches)
    assert 51 <= held <= 60  # 57 ± 3.5 deviations
    means = [result.mbb_per_hand[0].mean for result in random_matches]
    widths = [result.mbb_per_hand[0].ci95 for result in random_matches]
    assert np.std(means) * 1.96 == pytest.approx(np.mean(widths), rel=0.35)  # not too wide either


def test_a_key_is_a_match(random_matches):
    again = play_holdem(["random", "random"], 3)
    assert again == random_matches[3]
    assert again.mbb_per_hand != random_matches[4].mbb_per_hand


@pytest.mark.thorough
def test_stacks_and_params_go_with_their_players_through_all_seats():
    """Three players who jam with their own stack and fold with any other: nobody ever folds."""

    def act(own_stack, memory, game, state, key):
        here = game.facing(state)  # before the flop a bet and what is behind are the whole stack
        to = jnp.where(here.own_bet + here.stack == own_stack, here.max_raise_to, -1)
        return game.nearest_legal(state, to), memory

    game = jaxpoker.make("holdem", num_players=3)
    jam = Player("jam", act)
    stacks = [20, 50, 200]
    params = [jnp.int32(chips) for chips in stacks]
    result = match.play(game, [jam] * 3, jax.random.key(0), params, tables=16, hands_per_table=4, stacks=stacks)
    assert [profile.fold for profile in result.profiles] == [0, 0, 0]
    assert [profile.vpip for profile in result.profiles] == [1, 1, 1]
    assert [profile.hands for profile in result.profiles] == [16 * 4 * 3] * 3
    assert sum(estimate.mean for estimate in result.mbb_per_hand) == pytest.approx(0, abs=0.01)
    # Of three equal hands the short one wins the main pot as often as the others; nobody can lose more than 50.
    assert all(abs(estimate.mean) < 25_000 for estimate in result.mbb_per_hand)

    params = params[::-1]
    result = match.play(game, [jam] * 3, jax.random.key(0), params, tables=16, hands_per_table=4, stacks=stacks)
    assert result.profiles[0].vpip == 0 and result.profiles[2].vpip == 0


# --- small games ------------------------------------------------------------------------------


def kuhn_value_of_uniform_play():
    """The first player's mean winnings over all deals and histories, each action as likely."""
    step = jax.jit(KUHN.step)

    def value(state):
        if state.terminated:
            return float(state.rewards[0])
        return sum(value(step(state, action)) for action in (PASS, BET)) / 2

    deals = list(itertools.permutations(range(3), 2))
    return sum(value(KUHN.start(Deal(packed.pack(jnp.array(deal))))) for deal in deals) / len(deals)


def test_kuhn_without_duplicates_measures_the_first_seat():
    exact = kuhn_value_of_uniform_play()
    assert exact == pytest.approx(1 / 8)
    first, second = play(KUHN, ["random", "random"], tables=2048, hands_per_table=4, duplicate=False).mbb_per_hand
    assert abs(first.mean - 1000 * exact) <= first.ci95 < 50
    assert second.mean == pytest.approx(-first.mean)


def test_kuhn_with_duplicates_is_fair_and_its_intervals_are_calibrated():
    results = [play(KUHN, ["random", "random"], seed, tables=64, hands_per_table=2) for seed in range(200)]
    held = sum(abs(result.mbb_per_hand[0].mean) <= result.mbb_per_hand[0].ci95 for result in results)
    assert 179 <= held <= 200  # 190 ± 3.5 deviations
    assert results[0].profiles is None


def test_good_cards_are_no_skill():
    """Both bet kings only and call with them only: who gets them is luck, which duplicates take out."""

    def act(params, memory, game, state, key):
        king = packed.card_at(state.table, state.current_player) == 2
        return jnp.where(king, BET, PASS), memory

    tight = Player("tight", act)
    alone, duplicate = (
        match.play(KUHN, [tight] * 2, jax.random.key(0), tables=256, hands_per_table=hands, duplicate=again)
        for hands, again in ((2, False), (1, True))
    )
    assert alone.hands == duplicate.hands == 512
    assert alone.mbb_per_hand[0].ci95 > 50
    assert duplicate.mbb_per_hand == (Estimate(0, 0, 256),) * 2


def test_seats_rotate_through_all_players():
    """Whoever sits first forfeits: in a three-handed round of duplicates everyone does it once a deal."""

    def act(params, memory, game, state, key):
        return jnp.int32(-1), memory

    game = jaxpoker.make("kuhn", num_players=3)
    result = match.play(game, [Player("gone", act)] * 3, jax.random.key(0), tables=8, hands_per_table=2)
    assert result.mbb_per_hand == (Estimate(0, 0, 8),) * 3
    assert result.first_by_seat == (Estimate(-2000, 0, 8), Estimate(1000, 0, 8), Estimate(1000, 0, 8))
    assert result.decisions == 8 * 2 * 3
    fixed = match.play(game, [Player("gone", act)] * 3, jax.random.key(0), tables=8, hands_per_table=2, duplicate=False)
    assert fixed.mbb_per_hand == (Estimate(-2000, 0, 8), Estimate(1000, 0, 8), Estimate(1000, 0, 8))


def test_results_per_position():
    """Six who fold whenever they can: the small blind loses half a big blind to the big one, and nobody else pays."""
    game = jaxpoker.make("holdem", num_players=6)
    folds = [players.make("check-fold", game)] * 6
    result = match.play(game, folds, jax.random.key(0), tables=4, hands_per_table=4)
    assert len(result.by_position) == 6
    for row in result.by_position:
        assert [estimate.mean for estimate in row] == [0, -500, 500, 0, 0, 0]
    text = result.positions_text().splitlines()
    assert text[0].split() == ["BTN", "SB", "BB", "UTG", "HJ", "CO"] and len(text) == 7
    assert [len(names) for n, names in match.POSITIONS.items()] == list(match.POSITIONS)
    pair = match.play(jaxpoker.make("holdem"), folds[:2], jax.random.key(0), tables=4, hands_per_table=2)
    with pytest.raises(ValueError, match="three and more players"):
        pair.positions_text()


def test_players_remember_from_hand_to_hand_and_hear_of_each_new_one():
    """A player that passes four hands and bets in the fifth, against one that always passes.

    It keeps count of the hands it was told of and of its own decisions, one a hand, and acts illegally when they
    do not agree. Passed hands cancel between the seats; the fifth wins the ante from either seat: 2 of 10 hands.
    """

    def act(params, memory, game, state, key):
        hands, decisions = memory
        choice = jnp.where(hands == decisions + 1, jnp.where(hands == 5, BET, PASS), 99)
        return choice, (hands, decisions + 1)

    def passes(params, memory, game, state, key):
        return jnp.int32(PASS), memory

    counting = Player(
        "counting",
        act,
        init_memory=lambda params: (params, jnp.int32(0)),
        new_hand=lambda memory: (memory[0] + 1, memory[1]),
    )
    result = match.play(
        KUHN, [Player("passes", passes), counting], jax.random.key(0), [None, jnp.int32(0)], tables=8, hands_per_table=5
    )
    assert result.names == ("passes", "counting")
    assert [estimate.mean for estimate in result.mbb_per_hand] == pytest.approx([-200, 200])
    assert [estimate.ci95 for estimate in result.mbb_per_hand] == pytest.approx([0, 0], abs=1e-6)
    # Two decisions a passed hand; in the fifth two from the first seat, three from the second.
    assert result.decisions == 8 * (2 * 4 * 2 + 2 + 3)


def test_an_entrant_brings_its_params_along():
    """It plays the very match of a player whose params are given."""
    often = players.from_policy("often", lambda bets, memory, game, state: (jnp.stack([1 - bets, bets]), memory))
    half, always = jnp.float32(0.5), jnp.float32(1)

    def played(pair, params):
        return match.play(KUHN, pair, jax.random.key(0), params, tables=16, hands_per_table=2)

    given = played([often, often], [half, always])
    assert played([Entrant(often, half), Entrant(often, always)], None) == given
    assert played([often, Entrant(often, always)], [half, None]) == given
    assert played([Entrant(often, always), Entrant(often, half)], None) != given
    for entrant in (Entrant(often, half), Entrant(often)):
        with pytest.raises(ValueError, match="params for 'often', an entrant: it brings its own, give None for it"):
            played([often, entrant], [half, always])


# --- without the luck of all-ins --------------------------------------------------------------

ALL_IN = Player("jams", lambda params, memory, game, state, key: (game.facing(state).max_raise_to, memory))
SHORT = jaxpoker.make("holdem", stack=20)


def test_without_luck_an_all_in_before_the_flop_pays_what_both_hands_are_worth():
    """One deal after the other by the table of 169 x 169 classes, itself counted by enumeration."""
    pair = [ALL_IN, players.make("call", SHORT)]
    key, length = jax.random.key(5), {"tables": 64, "hands_per_table": 1, "duplicate": False}
    fair = match.play(SHORT, pair, key, luck=False, **length).mbb_per_hand[0]
    hole = np.asarray(SHORT.deal(jax.random.split(key)[0], (64, 1)).hole)[:, 0]
    of_class = ranges.CLASS_OF_COMBO[ranges.combo_index(hole[..., 0], hole[..., 1])]
    share = equity.matchups().equity[of_class[:, 0], of_class[:, 1]]
    assert fair == pytest.approx(Estimate.of(1000 * 10 * (2 * share - 1)), rel=1e-4)
    assert fair.ci95 < 0.5 * match.play(SHORT, pair, key, **length).mbb_per_hand[0].ci95


def test_without_luck_hands_that_are_checked_down_pay_as_they_were_dealt():
    both = [play(SHORT, ["call", "call"], duplicate=False, tables=16, luck=luck).mbb_per_hand for luck in (True, False)]
    assert both[0] == both[1] and both[0][0].mean != 0


# --- estimates and errors ---------------------------------------------------------------------


def test_an_estimate_is_the_mean_and_two_standard_errors():
    estimate = Estimate.of(np.array([1.0, 2.0, 3.0, 4.0]))
    assert estimate.mean == 2.5
    assert estimate.ci95 == pytest.approx(1.96 * np.sqrt(5 / 3 / 4))
    assert estimate.n == 4
    assert str(Estimate(-1234.56, 78.9, 10)) == "-1,234.6 ± 78.9"


def test_estimates_of_parts_are_pooled_to_that_of_all_samples():
    samples = np.random.default_rng(0).gamma(0.5, 300, 70)
    parts = [Estimate.of(part) for part in (samples[:9], samples[9:11], samples[11:])]
    assert Estimate.pooled(parts) == pytest.approx(Estimate.of(samples), rel=1e-12)
    assert Estimate.pooled(parts[:1]) == pytest.approx(parts[0], rel=1e-12)


def test_one_sample_says_nothing_about_its_error():
    assert Estimate.of(np.array([3.0])) == Estimate(3.0, float("inf"), 1)


@pytest.mark.parametrize(
    ("game", "seats", "kwargs", "message"),
    [
        (HOLDEM, 3, {}, "3 players for holdem with 2 seats"),
        (KUHN, 1, {}, "1 players for kuhn with 2 seats"),
        (KUHN, 2, {"tables": 1}, "tables = 1, hands_per_table = 8: at least 2 tables with a hand each"),
        (KUHN, 2, {"hands_per_table": 0}, "hands_per_table = 0: at least 2 tables with a hand each"),
        (KUHN, 2, {"stacks": [1, 2]}, "kuhn has no stacks to set: it is no StackGame"),
        (HOLDEM, 2, {"stacks": [100]}, r"stacks = \[100\]: 2 players have 1 to 4,194,302 chips each"),
        (HOLDEM, 2, {"stacks": [100, 0]}, r"stacks = \[100, 0\]: 2 players have 1 to"),
        (KUHN, 2, {"luck": False}, "all-ins of kuhn have no worth: luck is taken out of an AllInGame for two"),
        (KUHN, 2, {"params": [None]}, "params of 1 players for 2 players: give None to those without"),
    ],
)
def test_what_is_wrong_with_a_match_is_said(game, seats, kwargs, message):
    with pytest.raises(ValueError, match=message):
        play(game, ["random"] * seats, **kwargs)
