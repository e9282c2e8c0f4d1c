"""Betting sequences and information set keys: on real trees, against the engine that plays the hands."""

import re

import numpy as np
import pytest

import jaxpoker
from jaxpoker.games.holdem.table import Street
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.tree import chips, infosets, lines
from jaxpoker.solvers.tree.infosets import InfoSetKey

GAME = jaxpoker.make("holdem", menu="solver", stack=40)


@pytest.fixture(scope="module")
def tree():
    """The solver's menu with 20 big blinds."""
    return trees.build(GAME)


@pytest.fixture(scope="module")
def repeats():
    """A menu in which two sizes come to the same chips, with an ante."""
    return trees.build(jaxpoker.make("holdem", menu="min, 1/3, a", stack=11, ante=1))


# --- betting as text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sequence", "canonical", "line"),
    [
        ("", "", ""),
        ("c", "c", "check/call"),
        ("cc", "cc/", "check/call check/call |"),
        ("r5", "r5", "2.5x to 5"),
        (" R2.5X C / c", "r5c/c", "2.5x to 5 check/call | check/call"),
        ("r5c/r33%", "r5c/r3", "2.5x to 5 check/call | 33% pot to 3"),
        ("r5c/r3/4", "r5c/r7", "2.5x to 5 check/call | 3/4 pot to 7"),
        ("r5cr33%r40", None, None),
        ("r5c/r33%r35", "r5c/r3a", "2.5x to 5 check/call | 33% pot to 3 all-in to 35"),
        ("ra", None, None),
        ("a", "a", "all-in to 40"),
        ("r40", "a", "all-in to 40"),
    ],
)
def test_a_sequence_reads_as_the_betting_that_it_names(tree, sequence, canonical, line):
    if canonical is None:
        with pytest.raises(ValueError, match="unknown betting sequence"):
            lines.node_of(tree, sequence)
        return
    node = lines.node_of(tree, sequence)
    assert tree.kind[node] == trees.DECISION
    assert lines.sequence_of(tree, node) == canonical
    assert tree.line_text(node) == line


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        (
            "r9",
            "unknown betting sequence 'r9': at the start there is no 'r9': legal are f (fold), c (check/call), "
            "r5 (2.5x to 5), r8 (4x to 8), a (all-in to 40)",
        ),
        (
            "cc/cr3/",
            "unknown betting sequence 'cc/cr3/': after 'cc/cr3' there is no '/': legal are f (fold), c (check/call), "
            "r6 (33% pot to 6), r10 (3/4 pot to 10), a (all-in to 38)",
        ),
        (
            "rf",
            "unknown betting sequence 'rf': at the start there is no 'rf': legal are f (fold), c (check/call), "
            "r5 (2.5x to 5), r8 (4x to 8), a (all-in to 40)",
        ),
        (
            "af",
            "unknown betting sequence 'af': the hand is over after 'af', nobody acts any more; after 'a' legal are "
            "f (fold), c (check/call)",
        ),
        (
            "aca",
            "unknown betting sequence 'aca': the hand is over after 'ac', nobody acts any more; after 'a' legal are "
            "f (fold), c (check/call)",
        ),
        ("call", "after 'ca' there is no 'll': legal are f (fold), c (check/call)"),
        ("ccr33%", "after 'cc/' there is no 'r33%': legal are c (check/call), r3 (3/4 pot to 3), a (all-in to 38)"),
    ],
)
def test_an_unknown_sequence_lists_what_may_follow_as_far_as_it_is_known(tree, sequence, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        lines.node_of(tree, sequence)


def test_a_lone_raise_needs_no_size():
    leduc = trees.build(jaxpoker.make("leduc"))
    node = lines.node_of(leduc, "crrc/cr")
    assert leduc.line_text(node) == "call raise raise call | call raise"
    short = trees.build(jaxpoker.make("holdem", menu="push/fold", stack=8))
    assert lines.node_of(short, "r") == lines.node_of(short, "a") == lines.node_of(short, "r8")
    with pytest.raises(ValueError, match=re.escape("legal are f (fold), c (all-in to 8)")):  # the all-in that calls
        lines.node_of(short, "aa")


def test_sizes_that_come_to_the_same_chips_have_names_of_their_own(repeats):
    node = lines.node_of(repeats, "cc/")
    assert [lines.action_token(repeats, node, action) for action in range(1, 5)] == ["c", "r2", "r2#3", "a"]
    third = {lines.node_of(repeats, f"cc/{said}") for said in ("r2#3", "r1/3")}
    smallest = {lines.node_of(repeats, f"cc/{said}") for said in ("r2", "r2#2", "rmin")}
    assert len(third) == len(smallest) == 1 and third != smallest
    with pytest.raises(ValueError, match="fold is not legal after 'cc/'"):
        lines.action_token(repeats, node, 0)


@pytest.mark.parametrize("name", ["tree", "repeats"])
def test_every_sequence_leads_back_to_its_decision(name, request):
    tree = request.getfixturevalue(name)
    decisions = tree.decisions().tolist()
    sequences = [lines.sequence_of(tree, node) for node in decisions]
    assert len(set(sequences)) == len(decisions)
    assert [lines.node_of(tree, sequence) for sequence in sequences] == decisions
    by_walking = [lines.node_of(tree, sequence.rstrip("/").upper() + "  ") for sequence in sequences[::7]]
    assert by_walking == decisions[::7]


@pytest.mark.parametrize("name", ["tree", "repeats"])
def test_ends_pay_the_chips_that_lie_there(name, request):
    """The engine's payoffs: a fold costs what the player had put in, a showdown half of the pot."""
    tree = request.getfixturevalue(name)
    at, ends = chips.chips_at(tree), np.flatnonzero(tree.kind == trees.END)
    before = tree.game.stack - at.behind - at.price
    assert (at.pot == 2 * before + at.bets.sum(axis=1)).all()
    loser = tree.player[tree.parent[ends]]
    folded = np.where(loser == 0, -1, 1) * (before[ends] + at.bets[ends, loser])
    paid = np.where(tree.is_fold(ends), folded, -at.pot[ends] // 2) / tree.game.big_blind
    np.testing.assert_allclose(tree.payoffs_of(0)[ends, trees.OUTCOMES.index("lose")], paid)


# --- keys -------------------------------------------------------------------------------------


def test_the_first_decision_is_the_buttons(tree):
    assert infosets.key_of(tree, 0, 5) == InfoSetKey(
        player_position=0, street=Street.PREFLOP, betting_sequence="", card_bucket=5, spr_bucket=1
    )  # 38 chips behind the big blind, 3 in the pot
    assert infosets.find(tree, InfoSetKey(0, Street.PREFLOP, "", 5, spr_bucket=2)) == (0, 5)  # the history says it all


def test_every_key_leads_back_to_its_decision_and_bucket(tree):
    decisions = tree.decisions().tolist()
    keys = [infosets.key_of(tree, node, node % 9) for node in decisions]
    assert len(set(keys)) == len(keys)
    assert [infosets.find(tree, key) for key in keys] == [(node, node % 9) for node in decisions]


def test_a_key_that_contradicts_its_betting_says_who_acts(tree):
    with pytest.raises(ValueError, match="after 'c' it is BB on street 0 who acts, not BTN on street 0"):
        infosets.find(tree, InfoSetKey(0, Street.PREFLOP, "c", 1, 1))
    with pytest.raises(ValueError, match="after '' it is BTN on street 0 who acts, not BTN on street 1"):
        infosets.find(tree, InfoSetKey(0, Street.FLOP, "", 1, 1))
    with pytest.raises(ValueError, match="nobody decides at node 1"):
        infosets.key_of(tree, 1, 0)


def test_the_stack_to_pot_ratio_is_shallow_below_4_and_deep_from_13_on(tree):
    at, decisions = chips.chips_at(tree), tree.decisions()
    ratio, bucket = (at.behind / at.pot)[decisions], chips.spr_buckets(tree)[decisions]
    assert set(bucket) == {0, 1}
    assert (ratio[bucket == 0] < 4).all() and (ratio[bucket == 1] >= 4).all() and ratio.max() < 13
    deep = trees.build(jaxpoker.make("holdem", menu="push/fold", stack=41))
    assert chips.spr_buckets(deep)[0] == 2  # 39 to 3
    assert chips.spr_buckets(deep)[lines.node_of(deep, "a")] == 0


# --- merged rows ------------------------------------------------------------------------------


def test_merged_decisions_are_alike_in_everything_that_a_merged_key_says(tree):
    merged, spr = infosets.merged_rows(tree), chips.spr_buckets(tree)
    for street in range(4):
        nodes = tree.decisions(street=street).tolist()
        alike = {}
        for node, row in zip(nodes, merged.row_of[street].tolist(), strict=True):
            line = lines.street_sequence_of(tree, node)
            facts = (int(tree.player[node]), line, int(spr[node]), tuple(tree.legal(node)))
            assert alike.setdefault(facts, row) == row
        assert len(alike) == len(set(alike.values())) == merged.num_rows[street]
    assert merged.num_rows[0] == len(merged.row_of[0])  # nothing to forget before the flop
    assert merged.num_rows[3] < len(merged.row_of[3]) / 20


def test_every_merged_key_leads_back_to_its_row(tree):
    merged = infosets.merged_rows(tree)
    places = [(street, row) for street in range(4) for row in range(merged.num_rows[street])]
    keys = [infosets.merged_key_of(tree, street, row, 4) for street, row in places]
    assert len(set(keys)) == len(keys)
    assert [infosets.find_merged(tree, key) for key in keys] == [(*place, 4) for place in places]


def test_a_merged_key_has_the_betting_of_its_street_alone(tree):
    merged = infosets.merged_rows(tree)
    turns = tree.decisions(street=2)
    row = merged.row_of[2][np.searchsorted(turns, lines.node_of(tree, "r5c/cc/cr33%"))]
    key = infosets.merged_key_of(tree, 2, int(row), 0)
    assert key.betting_sequence.partition("[")[0] == "cr33%"
    assert row == merged.row_of[2][np.searchsorted(turns, lines.node_of(tree, "cr5c/cc/cr33%"))]


def test_an_unknown_merged_key_lists_those_that_there_are(tree):
    with pytest.raises(ValueError, match=r"with this betting on street 3 there are .*BB '\[ca\]' shallow \(0\)"):
        infosets.find_merged(tree, InfoSetKey(1, Street.RIVER, "", 0, 2))
    with pytest.raises(ValueError, match=r"on street 0 BTN acts after '', 'ca'"):
        infosets.find_merged(tree, InfoSetKey(0, Street.PREFLOP, "r7", 0, 1))
    with pytest.raises(ValueError, match="on street 0 seat 2 acts after nothing"):
        infosets.find_merged(tree, InfoSetKey(2, Street.PREFLOP, "r7", 0, 1))
