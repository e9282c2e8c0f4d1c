"""What is read of a solved spot."""

from __future__ import annotations

import numpy as np


def test_equity_is_the_share_of_showdowns_won(solved_river, oracle):
    known, view = oracle(solved_river), solved_river.at("c")
    won = known.won(tuple(solved_river.spot.board))
    for player, sign in ((0, 1), (1, -1)):
        theirs = view.reach[1 - player, known.hands[1 - player]]
        apart, share = (known.apart, (1 + won) / 2) if player == 0 else (known.apart.T, (1 + sign * won.T) / 2)
        expected = (apart * share) @ theirs / (apart @ theirs)
        np.testing.assert_allclose(view.equity[player, known.hands[player]], expected, atol=1e-5)
