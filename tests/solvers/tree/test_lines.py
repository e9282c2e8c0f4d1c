"""Betting as text: on real trees, against the engine that plays the hands."""

import re

import pytest

import jaxpoker
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.tree import lines


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
