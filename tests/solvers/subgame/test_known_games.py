"""Games on the river whose solutions are known in closed form."""

from __future__ import annotations

import pytest

from jaxpoker.solvers import subgame


@pytest.mark.parametrize("percent", [33, 50, 75, 100, 200])
def test_clairvoyance(menu_of, percent):
    """Oop holds the nuts or nothing, ip can beat only the bluffs.

    A bet of b pots bluffs b / (1 + b) times as often as it bets for value, and is called 1 / (1 + b) of the time.
    """
    pot = 100.0
    spot = subgame.Spot(
        board="Ks Kh 7d 4c 2s", pot=pot, stack=pot * percent / 100, oop="AA, QJ", ip="TT", menu=menu_of(f"{percent}%")
    )
    solved = subgame.solve(spot, target=0.01)
    b, root, bet = percent / 100, solved.at(""), f"r{percent}"
    bets = root.strategy[root.actions.index(bet)] * root.met[0]
    strong = root.equity[0] > 0.5
    assert bets[strong].sum() == pytest.approx(root.met[0][strong].sum(), rel=0.01), "value is always bet"
    assert bets[~strong].sum() / bets[strong].sum() == pytest.approx(b / (1 + b), abs=0.02)
    assert solved.at(bet).frequencies["c"] == pytest.approx(1 / (1 + b), abs=0.02)


def test_the_akq_game(menu_of):
    """Aces, kings or queens for both, ranks may be equal; ip may bet half of the pot after a check.

    Ip bets its aces and a third of its queens: a king that calls 100 to win 300 then meets a bluff a quarter of the
    time. Kings call two thirds of the time.
    """
    menu = {"river": {"oop": {}, "ip": {"bet": "50%"}}}
    spot = subgame.Spot(
        board="8c 8d 8h 3s 2s",
        pot=200,
        stack=100,
        oop="AcAd, KcKd, QcQd",
        ip="AhAs, KhKs, QhQs",
        menu=menu,
    )
    solved = subgame.solve(spot, target=0.005)
    after = solved.at("c")
    bet = after.strategy[after.actions.index("r100")]
    aces, kings, queens = (_combo(hand) for hand in ("AhAs", "KhKs", "QhQs"))
    assert bet[aces] == pytest.approx(1, abs=0.01)
    assert bet[kings] == pytest.approx(0, abs=0.02)
    assert bet[queens] == pytest.approx(1 / 3, abs=0.03)
    facing = solved.at("cr100")
    call = facing.strategy[facing.actions.index("c")]
    assert call[_combo("AcAd")] == pytest.approx(1, abs=0.01)
    assert call[_combo("QcQd")] == pytest.approx(0, abs=0.01)
    # A queen that bluffs meets aces (-100), kings that call c of the time (200 - 300 c) and queens that fold (200); one
    # that checks wins half of the pot from queens: 300 - 300 c = 100.
    assert call[_combo("KcKd")] == pytest.approx(2 / 3, abs=0.03)


def _combo(hand: str) -> int:
    from jaxpoker import cards, ranges

    return int(ranges.combo_index(*cards.parse(hand).tolist()))
