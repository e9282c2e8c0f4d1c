"""What follows a flop: cards up to suits, and how hands compare."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.solvers.flops import runouts
from tests.solvers.flops.small_flops import combo, small_spot


@pytest.fixture(scope="module")
def following():
    return runouts.of(small_spot())


def test_every_turn_and_river_counts_once(following):
    assert sum(turn.times for turn in following.turns) == 49
    for turn in following.turns:
        assert sum(rivers.times.sum() for rivers in turn.blocks) == 48
    whole = runouts.of(small_spot(), symmetric=False)
    assert len(whole.turns) == 49 and whole.num_rivers == 49 * 48


def test_two_suits_that_are_not_on_the_flop_are_alike(following):
    """Clubs and diamonds: 13 of 49 turns are left out; after a club all rivers differ."""
    assert len(following.orders) == 2 and len(following.turns) == 36
    rivers = {
        cards.text(turn.card): int((np.concatenate([b.times for b in turn.blocks]) > 0).sum())
        for turn in following.turns
    }
    assert rivers["2c"] == 48 and rivers["2s"] == 35 and rivers["2h"] == 35


def test_all_ins_are_worth_what_all_runouts_say(following, equity_by_treys):
    place = [{int(ids): at for at, ids in enumerate(of_player) if ids >= 0} for of_player in following.combos]
    for ours, theirs in (("AhAd", "8h8c"), ("7c6c", "KhQh"), ("QhJh", "Tc9c")):
        at = place[1][combo(theirs)], place[0][combo(ours)]
        assert following.all_in[at] == pytest.approx(equity_by_treys(ours, theirs, "Ks7h3h"), abs=1e-6)
        turn = next(turn for turn in following.turns if cards.text(turn.card) == "2s")
        assert turn.all_in[at] == pytest.approx(equity_by_treys(ours, theirs, "Ks7h3h2s"), abs=1e-6)


def test_hands_that_share_a_card_cannot_meet(following):
    place = [{int(ids): at for at, ids in enumerate(of_player) if ids >= 0} for of_player in following.combos]
    assert following.apart[place[1][combo("KhQh")], place[0][combo("QhJh")]] == 0
    assert following.apart[place[1][combo("KhQh")], place[0][combo("QcJc")]] == 1


def test_a_wider_place_changes_no_hand():
    wide = runouts.of(small_spot(), widths=(64, 48))
    assert wide.widths == (64, 48) and runouts.of(small_spot()).widths == (16, 16)
    assert wide.pairs == pytest.approx(runouts.of(small_spot()).pairs)
