"""Keys of information sets, and decisions that share a row."""

import numpy as np
import pytest

from jaxpoker.games.holdem.table import Street
from jaxpoker.solvers.tree import chips, infosets, lines
from jaxpoker.solvers.tree.infosets import InfoSetKey

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
