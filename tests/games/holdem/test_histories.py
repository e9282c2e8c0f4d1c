"""Hands in PHH files: written by PokerKit, played here, written again."""

import functools
import warnings

import jax
import numpy as np
import pokerkit
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.games.holdem import histories
from jaxpoker.games.holdem.histories import HistoryError, from_phh, replay, to_histories, to_phh


@pytest.fixture(autouse=True)
def _quiet_pokerkit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wonders about folds that cost nothing and the like
        yield


def random_hand(rng, players):
    """A hand that PokerKit plays to its end, and PokerKit's record of it."""
    big = int(rng.integers(2, 12))
    stacks = tuple(int(rng.integers(2, 40)) * (big if rng.random() < 0.7 else 1) for _ in range(players))
    blinds = (max(1, big // 2), big, *[0] * (players - 2))
    ante = int(rng.integers(0, 3) * (rng.random() < 0.3))
    game = pokerkit.NoLimitTexasHoldem(
        tuple(a for a in pokerkit.Automation if not any(x in a.name for x in ("DEALING", "BURNING", "SHOWING"))),
        True,
        (ante,) * players,
        blinds,
        big,
    )
    state = game(stacks, players)
    deck = iter(rng.permutation(52))

    def dealt(count):
        return cards.text([next(deck) for _ in range(count)])

    for _ in range(players):
        state.deal_hole(dealt(2))
    while state.status:
        if state.can_burn_card():
            state.burn_card("??")
        elif state.can_deal_board():
            state.deal_board(dealt(state.board_dealing_count))
        elif state.can_show_or_muck_hole_cards():
            state.show_or_muck_hole_cards(True)  # everybody shows, losers too
        else:
            smallest = state.min_completion_betting_or_raising_to_amount
            what = rng.random()
            if smallest is not None and what < 0.35:
                largest = state.max_completion_betting_or_raising_to_amount
                state.complete_bet_or_raise_to(int(smallest + (largest - smallest) * rng.random() ** 4))
            elif what > 0.85 and state.can_fold() and state.checking_or_calling_amount:
                state.fold()
            else:
                state.check_or_call()
    names = [f"player {place}" for place in range(players)]
    settings = {"ante_trimming_status": True, "antes": [ante] * players, "blinds_or_straddles": list(blinds)}
    record = pokerkit.HandHistory.from_game_state(game, state, **settings, min_bet=big, players=names)
    return record, state.stacks


@functools.cache
def some_hands(players, count):
    """As PokerKit writes them, and how they ended."""
    rng = np.random.default_rng(players)
    return [random_hand(rng, players) for _ in range(count)]


# A thousand hands in all.
@pytest.mark.parametrize("players", [2, *(pytest.param(n, marks=pytest.mark.thorough) for n in (3, 6))])
def test_pokerkits_hands_end_here_as_there_and_are_written_as_they_were(players, tmp_path):
    records, stacks = zip(*some_hands(players, 334), strict=True)
    file = tmp_path / "hands.phhs"
    file.write_text(pokerkit.HandHistory.dumps_all(records))
    hands = from_phh(file)
    ends = replay(hands)
    assert len(hands) == 334 and np.asarray(ends.terminated).all() and not np.asarray(ends.illegal).any()
    np.testing.assert_array_equal(ends.stacks, stacks)
    again = to_histories(ends, hands.known, players=[record.players for record in records])
    assert [one.actions for one in again] == [one.actions for one in records]
    assert to_phh(ends, players=[record.players for record in records]) == file.read_text() + "\n"


def test_a_hand_is_replayed_to_any_decision():
    records = [record for record, _ in some_hands(3, 50)]
    hands = from_phh(records)
    spots, played = histories.every_decision(hands)
    counts = np.asarray(played).sum(axis=0)
    for decision in (0, 1, 4):
        here = replay(hands, decision)
        far_enough = counts > decision
        for ours, theirs in zip(jax.tree.leaves(here), jax.tree.leaves(spots), strict=True):
            np.testing.assert_array_equal(np.asarray(ours)[far_enough], np.asarray(theirs)[decision][far_enough])
        assert (np.asarray(here.num_acted) == np.minimum(counts, decision)).all()
    halves = replay(hands, counts // 2)  # another number for each hand
    again = replay(from_phh(to_histories(halves)))
    np.testing.assert_array_equal(again.stacks, halves.stacks)
    np.testing.assert_array_equal(again.current_player, halves.current_player)
    assert set(np.asarray(spots.current_player)[np.asarray(played)].tolist()) == {0, 1, 2}


def test_hands_of_any_number_of_players_are_one_batch():
    some = [hand for players in (2, 3, 6) for hand in some_hands(players, 20)]
    hands = from_phh([record for record, _ in some])
    assert hands.game.num_players == 6
    ends = np.asarray(replay(hands).stacks)
    for row, (_, stacks) in zip(ends, some, strict=True):
        assert row.tolist() == [*stacks, *[0] * (6 - len(stacks))]


def test_cards_that_nobody_showed_are_unknown_and_stay_so():
    text = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 80]
actions = ['d dh p1 ????', 'd dh p2 AhKd', 'p2 cbr 6', 'p1 cc', 'd db Qh7h2c', 'p1 cc', 'p2 cbr 8', 'p1 f']
"""
    deals = [from_phh(text, key=jax.random.key(seed)) for seed in range(8)]
    for hands in deals:
        assert hands.known.tolist() == [[False, True]]
        assert cards.text(hands.deals.hole[0, 1]) == "AhKd" and cards.text(hands.deals.board[0, :3]) == "Qh7h2c"
        assert (
            len({*np.asarray(hands.deals.hole).ravel().tolist(), *np.asarray(hands.deals.board).ravel().tolist()}) == 9
        )
        assert replay(hands).stacks.tolist() == [[94, 86]]
    assert len({str(hands.deals.hole.tolist()) for hands in deals}) > 4
    assert "d dh p1 ????" in to_phh(replay(deals[0]), deals[0].known)
    one = jax.tree.map(lambda x: x[0], replay(deals[0]))
    assert to_phh(one, deals[0].known[0]).startswith("variant = 'NT'")


def test_cents_are_chips_when_that_is_said():
    text = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [0.5, 1]
min_bet = 1
starting_stacks = [100, 80.25]
actions = ['d dh p1 AsAd', 'd dh p2 AhKd', 'p2 cbr 2.75', 'p1 f']
"""
    assert replay(from_phh(text, chips_per_unit=100)).stacks.tolist() == [[9900, 8125]]
    with pytest.raises(HistoryError, match=r"0.5 is no whole number of chips.*chips_per_unit=100"):
        from_phh(text)


GOOD = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 80]
actions = [
  'd dh p1 AsAd',
  'd dh p2 AhKd',
  'p2 cbr 6',
  'p1 f',
]
"""


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        (("p2 cbr 6", "p2 cbr 3"), "line 9", "action 3, 'p2 cbr 3', cannot be"),
        (("p2 cbr 6", "p1 cbr 6"), "line 9", "'p1 cbr 6', cannot be"),
        (("p2 cbr 6", "p2 bets 6"), "line 9", "'p2 bets 6', cannot be"),
        (("AhKd", "AsKd"), "line 10", "card As is dealt twice"),
        (("AhKd", "AxKd"), "line 8", "cannot be"),
        (("'NT'", "'PO'"), "line 1", "variant 'PO'"),
        (("'NT'", "'XX'"), "line 1", "XX"),
        (("[1, 2]", "[1, 2, 4]"), "line 1", "."),
        (("min_bet = 2", "min_bet = 3"), "line 1", "smallest bet"),
        (("min_bet = 2", "min_bet = "), "line 4", "Invalid value"),
        (("min_bet = 2\n", ""), "line 1", "bets from None"),
        (("[100, 80]", "[100]"), "line 1", "1 players"),
        (("[100, 80]", "[100, 99999999]"), "line 1", "99999999 chips"),
        (("[100, 80]", "['a', 80]"), "line 1", "."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(change, line, why, tmp_path):
    assert change[0] in GOOD
    file = tmp_path / "bad.phh"
    file.write_text(GOOD.replace(*change))
    with pytest.raises(HistoryError) as refused:
        from_phh(file)
    assert line in str(refused.value) and "bad.phh" in str(refused.value), refused.value
    assert why in str(refused.value) or why == "."


def test_the_hand_of_many_that_is_wrong_is_named(tmp_path):
    file = tmp_path / "hands.phhs"
    file.write_text(f"[1]\n{GOOD}\n[2]\n{GOOD.replace('p2 cbr 6', 'p2 cbr 3')}")
    with pytest.raises(HistoryError, match=r"hands\.phhs, line 23 \(hand 2\): action 3"):
        from_phh(file)


def test_files_that_are_none_and_hands_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(RunError, match="cannot read"):
        from_phh(tmp_path / "nothing.phh")
    (tmp_path / "bytes.phh").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RunError, match="cannot read"):
        from_phh(tmp_path / "bytes.phh")
    with pytest.raises(RunError, match="no hand"):
        from_phh("\n")
    with pytest.raises(RunError, match="2 seats is too small"):
        from_phh([random_hand(np.random.default_rng(0), 3)[0]], num_players=2)
    game = jaxpoker.make("holdem", max_log=1)
    state = game.start(game.deal(jax.random.key(0)))
    with pytest.raises(ValueError, match="illegal action"):
        to_phh(game.act(state, np.int32(3)))
    with pytest.raises(ValueError, match="larger max_log"):
        to_phh(game.act(game.act(state, np.int32(2)), np.int32(2)))
