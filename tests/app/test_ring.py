"""A table of six: what the person sees, that chips stay at the table, and the game in the terminal."""

import io

import pytest
from rich.console import Console

from jaxpoker.app import play as command
from jaxpoker.app.ring import session, terminal
from jaxpoker.app.terminal import Leaves

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def dealers():
    return session.dealers_of("tag,lag,calling machine", 6)


def test_hands_of_six(dealers):
    table = session.Ring(dealers, seed=3)
    assert table.names[1:5] == ("TAG 1", "LAG 2", "Calling Machine 3", "TAG 4")
    buttons, total = [], 0.0
    for hand in range(1, 8):
        seen = table.table()
        buttons.append([seat["position"] for seat in seen["seats"]].index("BTN"))
        while not table.over:
            seen = table.table()
            assert all(seat["cards"] is None for seat in seen["seats"][1:]) and seen["seats"][0]["cards"]
            legal = [action for action in seen["actions"] if action["legal"]]
            table.act(1 if hand % 2 and legal[0]["id"] < 2 else legal[0]["id"])  # calls, or folds
        seen = table.table()
        assert sum(seat["stack"] for seat in seen["seats"]) == pytest.approx(600)
        total += seen["seats"][0]["stack"] - 100
        assert seen["won"] == pytest.approx(total)
        shown = [seat for seat in seen["seats"][1:] if seat["cards"]]
        assert not any(seat["folded"] for seat in shown)
        assert any(" win" in event for event in seen["events"])
        with pytest.raises(ValueError, match="is not legal here"):
            table.act(0)
        table.next_hand()
    assert buttons == [0, 1, 2, 3, 4, 5, 0]


def test_six_in_the_terminal(dealers):
    printed, typed = io.StringIO(), iter(["9 9", "f", "", "q"])
    with pytest.raises(Leaves):
        terminal.play(session.Ring(dealers, seed=0), Console(file=printed, width=100), lambda prompt: next(typed))
    said = printed.getvalue()
    assert "Hand 1. You: the button" in said and "UTG" in said and "You: Fold" in said
    assert "'9 9' is no action here" in said and "1 hand: " in said and "Hand 2. TAG 1: the button" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "6"], "--players 6: tables of more than two are in the terminal, add --terminal"),
        (["--players", "11", "--terminal"], "--players 11: a table has 2 to 10"),
        (["--players", "3", "--terminal", "--opponent", "tag,phil"], "unknown opponent 'phil'"),
        (["--players", "3", "--terminal", "--opponent", "dqn"], "DQN plays heads-up: at a table of 3 sit tag, lag"),
    ],
)
def test_a_mistake_is_told_and_ends_with_2(capsys, arguments, message):
    assert command.main(arguments) == 2
    assert message in capsys.readouterr().err
