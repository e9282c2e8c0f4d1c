"""jaxpoker-play and scripts/play.py: what they say, the game in the terminal, and the page that is served."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from jaxpoker.app import play
from jaxpoker.app.opponents import SHIPPED
from jaxpoker.app.terminal import Leaves, Terminal, card_text, read_action
from jaxpoker.coach.language_model import LanguageModel

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).parents[2] / "scripts" / "play.py"


def sit_and_say(room, *lines: str, model: LanguageModel | None = None) -> str:
    """What the terminal prints when somebody types ``lines`` and leaves."""
    printed = io.StringIO()
    typed = iter([*lines, "q"])
    terminal = Terminal(room, "blueprint", Console(file=printed, width=110), lambda prompt: next(typed), model)
    with pytest.raises(Leaves):
        terminal.play()
    room.leave(terminal.session)
    return printed.getvalue()


# --- the terminal -----------------------------------------------------------------------------


def test_a_hand_in_the_terminal(room):
    said = sit_and_say(room, "f", "", "?")
    assert "Hand 1. You have the button." in said and "You: Fold" in said and "Blueprint wins 0.5 BB." in said
    assert "1 hand: -0.5 BB; luck-adjusted" in said and "Hand 2. Blueprint has the button." in said
    assert said.count("h asks the coach") == 2


def test_the_coach_in_the_terminal(room):
    said = sit_and_say(room, "h", "f", "r", "p")
    for part in ("1. Recommended", "2. Equity", "3. Rollouts", "4. Reasoning", "You took Fold", "variant = 'NT'"):
        assert part in said


def test_a_language_model_that_does_not_answer_is_told_in_the_terminal(room):
    said = sit_and_say(room, "h", model=LanguageModel("http://127.0.0.1:1/v1", "none"))
    assert "4. Reasoning" in said and "The language model's words are not shown: the server cannot be asked" in said


def test_what_is_not_understood_is_answered(room):
    said = sit_and_say(room, "raise", "4", "p", "f", "what")
    assert "'raise' is no action here: there are 1 (Fold), 2 (Call 0.5 BB)" in said.replace("\n", " ")
    assert "'4' is no action here" in said and "no hand is over yet" in said and "'what' is not understood" in said


def test_actions_by_number_and_by_letter():
    actions = [{"id": i, "label": str(i), "legal": i != 3} for i in range(9)]
    assert [read_action(word, actions) for word in ("f", "c", "a", "1", "9")] == [0, 1, 8, 0, 8]
    for word in ("", "0", "4", "10", "-1", "x", "²"):
        with pytest.raises(ValueError, match="is no action here"):
            read_action(word, actions)


def test_cards_have_suits_and_colours():
    assert card_text(["Ah", "Tc"]) == "[red]A♥[/] [green]T♣[/]" and card_text(None) == "? ?"


# --- the script -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--opponent", "phil"], "unknown opponent 'phil'"),
        (["--port", "99999"], "cannot listen on 127.0.0.1 port 99999"),
        (["--host", "0.0.0.0"], "--host '0.0.0.0' is every address"),
        (["--seed", "-1"], "seed -1: the cards have seeds from 0"),
        (["--llm-url", "nonsense", "--llm-model", "x"], "language model at 'nonsense'"),
        (["--llm-url", "http://localhost:1/v1"], "has no name"),
        (["--terminal", "--llm-url", "nonsense", "--llm-model", "x"], "language model at 'nonsense'"),
    ],
)
def test_a_mistake_is_told_and_ends_with_2(capsys, arguments, message):
    assert play.main(["--no-browser", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_who_is_asked_for_comes_first():
    first, *others = play.room_of(play.Options(opponent="LAG")).opponents
    assert first == "lag" and "blueprint" in others and len(others) == len(SHIPPED) - 1


def test_a_port_that_is_taken_is_told(capsys, room, serving):
    with serving(room) as client:
        assert play.main(["--no-browser", "--port", str(client.port)]) == 2
    assert "choose another --port" in capsys.readouterr().err


def test_the_script_of_a_checkout_is_the_same_command():
    done = subprocess.run([sys.executable, str(SCRIPT), "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "jaxpoker-play" in done.stdout and "--opponent" in done.stdout
