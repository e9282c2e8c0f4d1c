"""Deals of chosen cards."""

import jax
import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.games.holdem import Deal


def test_cards_as_text_are_dealt_as_named():
    for hole in (["AhKh", "QsQd"], "AhKh QsQd"):
        deal = Deal.of(hole, "Qh 7h 2c 3d 4d")
        assert [cards.text(hand) for hand in deal.hole] == ["AhKh", "QsQd"]
        assert cards.text(deal.board) == "Qh7h2c3d4d"
    as_numbers = Deal.of(np.array([cards.parse("AhKh"), cards.parse("QsQd")]), cards.parse("Qh7h2c3d4d"))
    assert jax.tree.map(int, as_numbers) == jax.tree.map(int, deal)


def test_what_is_left_out_is_drawn_from_the_rest():
    draws = [Deal.of(["AhKh", "", ""], "Qh7h2c", jax.random.key(seed)) for seed in range(50)]
    for deal in draws:
        whole = np.concatenate([np.asarray(deal.hole).reshape(-1), np.asarray(deal.board)])
        assert len(set(whole.tolist())) == 11 and cards.text(whole[:2]) == "AhKh"
        assert cards.text(deal.board[:3]) == "Qh7h2c"
    assert len({int(deal.hole[1, 0]) for deal in draws}) > 20
    lowest = Deal.of(["AhKh", ""], "2c3c4c")
    assert cards.text(lowest.hole[1]) == "5c6c" and cards.text(lowest.board) == "2c3c4c7c8c"


@pytest.mark.parametrize(
    ("hole", "board", "why"),
    [
        (["AhKh", "AhQd"], "", "'Ah' appears twice"),
        (["AhKh", "QsQd"], "Kh7h2c", "'Kh' appears twice"),
        (["Ah", "QsQd"], "", "hand 'Ah' has 1 cards"),
        (["AhKh", "QsQd"], "2c3c4c5c6c7c", "has 6 cards"),
        (["AxKh", "QsQd"], "", "unknown card 'Ax'"),
    ],
)
def test_mistakes_are_named(hole, board, why):
    with pytest.raises(ValueError, match=why):
        Deal.of(hole, board)
