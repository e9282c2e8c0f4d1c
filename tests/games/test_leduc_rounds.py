"""The places of Leduc's betting rounds."""

import numpy as np
import pytest

from jaxpoker.games.leduc_rounds import CALL, CLOSED, FOLD, NONE, RAISE, TO_ACT, WON, rounds


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_places_are_those_of_the_rules(players):
    known = rounds(players, 2)
    acts = known.kind == TO_ACT
    assert (known.legal[acts] == (known.after[acts] != NONE)).all() and known.legal[~acts].all()
    assert (known.legal[acts, FOLD] == (known.raises[acts] > 0)).all()
    assert (known.legal[acts, RAISE] == (known.raises[acts] < 2)).all() and known.legal[acts, CALL].all()
    assert (known.left[known.kind == WON].sum(axis=1)[1:] == 1).all()  # place 0 is no round
    closed = known.kind == CLOSED
    paid = np.where(known.left, known.paid, known.raises[:, None])
    assert (paid[closed] == known.raises[closed, None]).all()  # who is still in has paid for all raises
    assert known.actions.shape[1] == 3 * players - 2  # all check but the last, who raises, and one raises again


def test_the_round_of_two():
    known = rounds(2, 2)
    place = known.begins[0b11]
    for action, seat in ((CALL, 1), (RAISE, 0), (RAISE, 1)):
        place = known.after[place, action]
        assert known.kind[place] == TO_ACT and known.player[place] == seat
    assert known.kind[known.after[place, CALL]] == CLOSED and known.kind[known.after[place, FOLD]] == WON
    assert known.begins[0b01] == known.begins[0b00] == NONE
