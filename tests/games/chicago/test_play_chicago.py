"""The terminal game of Chicago: what it understands, and how it answers what it does not."""

import importlib.util
import io
import sys

import jax
import pytest
from rich.console import Console

import jaxpoker
from jaxpoker import players
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import chicagonet, observer
from jaxpoker.players import saved_networks


@pytest.fixture(scope="module")
def script(repository):
    path = repository / "scripts" / "play_chicago.py"
    spec = importlib.util.spec_from_file_location("play_chicago", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


DRAW_0, DRAW_1 = set(range(32)), set(range(32)) | {32 + (1 << i) for i in range(5)}


@pytest.mark.parametrize(
    ("line", "action"), [("", 0), ("1", 1), ("1 3 5", 0b10101), ("5,4", 0b11000), ("4 x", 32 + 8), ("X 4", 32 + 8)]
)
def test_draws_are_read(script, line, action):
    assert script.read_draw(line, DRAW_1) == action


@pytest.mark.parametrize(
    ("line", "legal", "says"),
    [
        ("6", DRAW_0, "'6' is no card of yours: they are 1 to 5"),
        ("ace", DRAW_0, "'ace' is no card of yours"),
        ("²", DRAW_0, "'²' is no card of yours"),
        ("1 2 x", DRAW_1, "it goes with a single discard"),
        ("1 x", DRAW_0, "in draw 1 only"),
        ("1 2 3", {0, 1, 2, 4, 8, 16, 3}, "the deck has only 2 left"),
    ],
)
def test_draws_that_cannot_be_are_answered_kindly(script, line, legal, says):
    with pytest.raises(ValueError, match=says):
        script.read_draw(line, legal)


def test_plays_and_decisions_are_read(script):
    hand = ["A♠", "2♦", "3♦"]
    assert script.read_play("2", {65, 66}, hand) == 65
    with pytest.raises(ValueError, match=r"A♠ does not follow suit: play 2 \(2♦\), 3 \(3♦\)"):
        script.read_play("1", {65, 66}, hand)
    with pytest.raises(ValueError, match="'4' is no card of yours: they are 1 to 3"):
        script.read_play("4", {65, 66}, hand)
    assert (script.read_decision("k", {0, 32}), script.read_decision("X", {0, 32})) == (0, 32)
    with pytest.raises(ValueError, match="the deck is empty"):
        script.read_decision("x", {0})


def test_a_whole_game_with_wrong_answers_in_between(script):
    game = Chicago(num_players=2, target=1)
    answers = iter(["?", "l", "nonsense"] + ["", "1", "2", "3", "4", "5"] * 200)
    shown = io.StringIO()
    terminal = script.Terminal(
        game, players.make("regular", game), None, 3, Console(file=shown, width=120), lambda prompt: next(answers)
    )
    terminal.play()
    text = shown.getvalue()
    assert bool(terminal.state.terminated) and not bool(terminal.state.illegal)
    assert (
        "'nonsense' is no card of yours" in text and "stand pat" in text and "wins" in text.replace("you win", "wins")
    )
    assert "?? ??" in text


@pytest.mark.thorough
def test_the_network_of_a_run_takes_a_seat(script, tmp_path, capsys):
    saved = saved_networks.SavedNetwork("chicago", jax.jit(chicagonet.init)(jax.random.key(0)))
    saved_networks.save(tmp_path / saved_networks.NETWORK_FILE, saved)
    game = Chicago(num_players=2, target=1)
    rival, params = players.entrant(str(tmp_path), game)

    @jax.jit
    def first_action(params, key):
        state = game.init(key)
        return state.legal_action_mask, rival.act(params, (), game, state, key)[0]

    legal, action = first_action(params, jax.random.key(1))
    assert legal[action]
    new_params = jax.jit(observer.network(jaxpoker.make("kuhn")).init)(jax.random.key(0))
    kuhn = saved_networks.SavedNetwork("kuhn", new_params)
    saved_networks.save(tmp_path / saved_networks.NETWORK_FILE, kuhn)
    assert script.main(["--opponent", str(tmp_path)]) == 2
    assert "plays kuhn, not chicago" in capsys.readouterr().err


def test_unknown_opponents_and_tables_are_clear_errors(script, capsys):
    assert script.main(["--opponent", "shark"]) == 2
    assert "unknown player 'shark': players are random, regular, chicagonet; or name" in capsys.readouterr().err
    assert script.main(["--opponent", "runs/reinforce/nowhere"]) == 2
    assert "unknown player 'runs/reinforce/nowhere': players are random" in capsys.readouterr().err
    assert script.main(["--players", "9"]) == 2
    assert "Chicago is for 2 to 6 players" in capsys.readouterr().err
    assert script.main(["--opponent", "random", "--seed", "9" * 20]) == 2
    assert f"seed {'9' * 20} is too large" in capsys.readouterr().err
