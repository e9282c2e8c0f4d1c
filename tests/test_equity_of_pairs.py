"""Equities of all pairs of hands on a board, against those of one hand against another."""

import jax
import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.equity import equity
from jaxpoker.equity.by_pair import share_by_pair


@pytest.mark.parametrize("board", ["", "Kd7c2h", "Kd7c2h9d", "Kd7c2h9d3s"])
def test_all_pairs_of_hands_at_once_are_hand_against_hand(board: str):
    found = np.asarray(jax.jit(share_by_pair)(cards.parse(board)))
    pairs = [("AhKh", "QsQc"), ("8h8s", "7h6h"), ("Ah2d", "As2c"), ("JcTc", "9h5s")]
    for text in pairs:
        i, j = (int(ranges.combo_index(*cards.parse(hand))) for hand in text)
        if board:  # before the flop it is the mean over the suits of both classes
            assert found[i, j] == pytest.approx(equity(*text, board=board)[0].equity, abs=1e-6)
        assert found[i, j] + found[j, i] == pytest.approx(1, abs=1e-6)
    clash = int(ranges.combo_index(*cards.parse("AhKh"))), int(ranges.combo_index(*cards.parse("AhQs")))
    assert found[clash] == 0 and (not board or (found[ranges.combo_index(*cards.parse("KdAs"))] == 0).all())
    if not board:
        aces, kings = (int(ranges.combo_index(*cards.parse(hand))) for hand in ("AhAs", "KhKs"))
        assert found[aces, kings] == pytest.approx(equity("AA", "KK")[0].equity, abs=1e-6)
