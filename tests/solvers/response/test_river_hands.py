"""Hands on all rivers of a flop: the order of their strength, their places and their types."""

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.response import public_cards, river_hands
from jaxpoker.solvers.showdowns import showdown_sums, strength_blocks

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def hands():
    return river_hands.prepared(abstraction.make("rank_history"), public_cards.after(cards.parse("As8s3s")))


@pytest.mark.parametrize("river", [0, 17, 300])
def test_places_are_those_of_strength_blocks(hands, river):
    rivers = hands.rivers
    board = hands.runouts.boards()[river]
    assert rivers.boards[river].tolist() == board.tolist()
    live = np.flatnonzero(np.asarray(possible_hands(board)))
    strengths = np.asarray(showdown_sums.strengths(board))
    expected = strength_blocks.places(strengths[live], river_hands.LENGTH)
    assert rivers.place[river][live].tolist() == expected.tolist()
    assert rivers.live[river].tolist() == live.tolist()
    places = rivers.combo[river].size
    blocked = np.setdiff1d(np.arange(len(COMBOS)), live)
    assert (rivers.place[river][blocked] == places).all() and (rivers.row[river][blocked] == len(live)).all()
    assert rivers.combo[river].reshape(-1)[expected].tolist() == live.tolist()
    assert rivers.strength[river].reshape(-1)[expected].tolist() == strengths[live].tolist()


@pytest.mark.parametrize("river", [0, 17, 300])
def test_hands_are_one_type_when_all_their_buckets_are_the_same(hands, river):
    rivers = hands.rivers
    known = abstraction.make("rank_history")
    buckets = np.asarray(known.of_board(known.tables, hands.runouts.boards()[river]))
    combo, member = rivers.combo[river].reshape(-1), rivers.member[river].reshape(-1)
    real = combo < len(COMBOS)
    assert (member[~real] == -1).all()
    paths = {}
    for hand, kind in zip(combo[real], member[real], strict=True):
        paths.setdefault(int(kind), set()).add(tuple(buckets[:, hand].tolist()))
    assert all(len(path) == 1 for path in paths.values())
    assert len(paths) == len(set.union(*paths.values())) <= river_hands.TYPES[rivers.types[river]]
    for kind, path in paths.items():
        assert tuple(buckets[:, rivers.example[river, kind]].tolist()) in path


def test_with_fine_buckets_there_are_no_types(monkeypatch):
    monkeypatch.setattr(river_hands, "TYPES", (4,))
    found = river_hands.prepared(abstraction.make("rank_history"), public_cards.after(cards.parse("As8s3s")))
    assert found.rivers.example.shape[1] == 0
