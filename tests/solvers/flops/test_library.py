"""The flops that ship."""

from __future__ import annotations

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.solvers.flops import library, textures


def test_pots_are_those_of_a_hundred_big_blinds():
    for pot in library.POTS.values():
        assert 2 * pot.stack + pot.pot == 2 * 100 * library.BIG_BLIND + 50  # and what the small blind has left there


def test_all_that_ships_can_be_read_and_is_good():
    listed = library.listed()
    assert len(listed) >= 10 and library.SHIPPED.stat().st_size <= 15e6
    for pot, flop in listed[:4]:
        solved = library.solved(pot, flop)
        assert solved.exploitability_percent < 3 and sum(solved.ev) == pytest.approx(solved.spot.pot, abs=1)
        node = solved.at()
        assert sum(node.frequencies.values()) == pytest.approx(1, abs=1e-4)
        turn = solved.at("cc/", cards.text([next(c for c in range(52) if c not in solved.spot.board)]))
        np.testing.assert_allclose(turn.strategy.sum(axis=0)[turn.met[0] > 0], 1, atol=1e-5)


def test_a_flop_in_other_suits_is_found_with_their_names():
    pot, flop = library.listed()[0]
    ids = cards.parse(flop)
    moved = (ids // 13 + 1) % 4 * 13 + ids % 13
    found = library.find(pot, cards.text(moved))
    assert {found.renamed(int(card)) for card in moved} == set(ids.tolist())
    assert library.find(pot, flop).suits == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("pot", "flop", "message"),
    [("4bet", "Td9d6h", "unknown pot"), ("srp", "Td9d", "has 3 cards"), ("srp", "2c2d2h", "not in the library")],
)
def test_what_is_not_there_is_named(pot, flop, message):
    with pytest.raises(ValueError, match=message):
        library.find(pot, flop)


def test_the_first_flops_of_a_library_are_spread_over_textures():
    first = library.spread_out(24)[:8]
    assert len({textures.of_flop(flop)["high card"] for flop in first}) >= 2
    assert len({cards.text(flop) for flop in library.spread_out(24)}) == 24
