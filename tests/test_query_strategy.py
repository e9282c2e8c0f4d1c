"""scripts/query_strategy.py: what a person asks of a solved strategy, and what comes back."""

import csv
import importlib.util
import io
import json
import re
import sys

import numpy as np
import pytest

import jaxpoker
from jaxpoker import ranges, runs
from jaxpoker.solvers import abstraction, subgame, tree
from jaxpoker.solvers.blueprint import Blueprint, tables_file
from jaxpoker.studies.solve import solvers as solve_solvers
from jaxpoker.studies.solve import training
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import game_of


@pytest.fixture(scope="module")
def script(repository):
    spec = importlib.util.spec_from_file_location("query_strategy", repository / "scripts" / "query_strategy.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["query_strategy"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def solved():
    """Raises 70.8% of its premium hands, and calls or folds all others as their bucket is even or odd."""
    game = jaxpoker.make(
        "holdem", menu="preflop: 2.5x, a; postflop: 75%, a; raises: 2", stack=60, small_blind=5, big_blind=10
    )
    betting, known = tree.build(game), abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = np.tile([0.01, 0.01, 0.0, 0.0], (len(nodes), buckets, 1))
        weights[:, ::2, 1] = weights[:, 1::2, 0] = 1
        weights[:, 5] = [0, 0.206, 0.708, 0.086]
        weights = weights * betting.legal(nodes)[:, None, :]
        weights[weights.sum(axis=-1) == 0] = [0, 1, 0, 0]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


@pytest.fixture(scope="module")
def ask(script, solved, tmp_path_factory):
    """``ask("--card1", "Ah", ...)``: the exit code and what is printed, with a run called "mine"."""
    runs = tmp_path_factory.mktemp("runs")
    (runs / "solve" / "mine").mkdir(parents=True)
    (runs / "solve" / "unfinished").mkdir()
    solved.save(runs / "solve" / "mine" / "blueprint.zip")

    def asked(capsys, *arguments, run="mine"):
        code = script.main(["--runs", str(runs), "--run", run, *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return asked


def test_a_decision_is_shown_bucket_by_bucket(ask, capsys):
    code, shown, _ = ask(capsys, "--sequence", "")
    assert code == 0 and "BTN" in shown and "hand strength" in shown
    *rows, reached = [line for line in shown.splitlines() if "%" in line]
    assert reached == "Reached: 100% of hands"
    assert len(rows) == 5 and "71.0%" in rows[0] and "71.0%" not in "".join(rows[1:])  # 181 of 255 parts


def test_a_custom_situation_is_a_bar_chart(ask, capsys):
    custom = (
        "--custom",
        "--card1",
        "Ah",
        "--card2",
        "Kh",
        "--position",
        "BTN",
        "--street",
        "preflop",
        "--sequence",
        "",
    )
    code, shown, _ = ask(capsys, *custom)
    assert code == 0
    assert shown.splitlines() == [
        "Hand: AhKh",
        "Hand Strength: Premium (AA-TT, AK)",
        "Position: BTN",
        "Situation: first to act",
        "Reached: 100% of hands, 100% with this hand",
        "",
        "  Raise to 25           71.0%  ████████████████████████████",
        "  Call 5                20.4%  ████████",
        "  All-in (60)            8.6%  ███",
        "  Fold                   0.0%",
    ]


def test_without_a_question_there_are_examples(ask, capsys):
    code, shown, _ = ask(capsys)
    assert code == 0
    assert shown.startswith("1. Hand Strength: Premium (AA-TT, AK)\n   Position: BTN\n   Situation: first to act\n")
    assert "Situation: BTN raises to 25" in shown and "Hand Strength: Trash (all others)" in shown


def test_after_the_flop_the_board_decides(ask, capsys):
    code, shown, _ = ask(capsys, "--card1", "Ah", "--card2", "Kd", "--board", "AsKs2c", "--sequence", "r25c/c")
    assert code == 0
    assert "Hand: AhKd on AsKs2c\nHand Strength: Two pair\nPosition: BTN" in shown
    assert "Situation: BTN raises to 25, BB calls 15 | BB checks" in shown


def test_json_has_the_information_set_and_the_strategy(ask, capsys):
    code, shown, _ = ask(capsys, "--card1", "Ah", "--card2", "Kh", "--json")
    found = json.loads(shown)
    assert code == 0
    assert found["infoset"] == {
        "player_position": 0,
        "street": "preflop",
        "betting_sequence": "",
        "card_bucket": 5,
        "spr_bucket": 0,
    }
    assert found["strategy"]["Raise to 25"] == pytest.approx(0.708, abs=0.004)


def test_a_whole_decision_as_csv_and_json(ask, capsys, tmp_path):
    code, _, _ = ask(capsys, "--sequence", "c", "--csv", str(tmp_path / "n.csv"))
    assert code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "n.csv").read_text())))
    assert [row["hand"] for row in rows] == list(ranges.CLASS_NAMES)
    assert list(rows[0]) == ["hand", "bucket", "reach", "Check", "Raise to 25", "All-in (60)"]
    code, shown, _ = ask(capsys, "--sequence", "cc/", "--json")
    found = json.loads(shown)
    assert (found["position"], found["street"], found["sequence"]) == ("BB", "flop", "cc/")
    assert [row["cards"] for row in found["strategy"]][:2] == ["high card", "pair"]


def test_a_grid_in_the_terminal_and_as_a_picture(ask, capsys, tmp_path):
    code, shown, _ = ask(capsys, "--grid", "--sequence", "cr25", "--png", str(tmp_path / "g.png"))
    assert code == 0
    assert "BTN: BTN calls 5, BB raises to 25" in shown and "AKs" in shown and "combos that come here" in shown
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--card1", "Ah", "--card2", "Ah"], "appears twice"),
        (["--card1", "Xh", "--card2", "Ah"], "ranks are 23456789TJQKA"),
        (["--card1", "Ah"], "--card2 is missing"),
        (["--card1", "Ah", "--card2", "Kh", "--board", "Ah7c2d", "--sequence", "cc/"], "'Ah'"),
        (["--card1", "Ah", "--card2", "Kh", "--board", "Qh7c2d"], "has 3 cards: on the preflop"),
        (["--sequence", "r30"], "legal are f (fold), c (check/call), r25 (2.5x to 25), a (all-in to 60)"),
        (["--sequence", "f"], "the hand is over"),
        (["--position", "BB"], "at the start of a hand it is BTN who acts, not BB"),
        (["--street", "flop", "--sequence", "r25"], "on the preflop, not on the flop"),
        (["--grid", "--sequence", "cc/"], "a grid is for preflop"),
        (["--png", "nowhere/grid.png"], "there is no folder 'nowhere' to save 'grid.png' into"),
        (["--csv", "nowhere/all.csv"], "cannot write nowhere/all.csv"),
    ],
)
def test_bad_questions_are_answered_with_what_would_be_right(ask, capsys, arguments, message):
    code, _, error = ask(capsys, *arguments)
    assert code == 2
    assert message in error and "Traceback" not in error


def test_a_run_that_is_not_there_is_named_and_so_are_those_that_are(ask, capsys):
    code, _, error = ask(capsys, run="other")
    assert code == 2 and "no run 'other': the runs there are mine" in error
    code, _, error = ask(capsys, run="unfinished")
    assert code == 2 and "has no blueprint.zip" in error


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Runs with a hold'em "t" at work, which has no blueprint yet: checkpoints 2 and 3, and the tables of the last."""
    folder = tmp_path_factory.mktemp("trained")
    config = Config(stack=4.0, menu="a, 75%; raises: 1", boards=64, batch=2, iterations=3).resolved()
    launch = runs.Launch("solve", "quick", config, "t", runs=folder)
    known = abstraction.make("rank_based")
    solver = solve_solvers.of_holdem(launch, game_of(config), known)
    with runs.start(launch, keep=1, keep_every=2) as run:
        state = run.train(training.Training(solver, known, 64, run.folder, 3), 3)
    about = {"algorithm": "dcfr"}
    tables_file.save(folder / "t.h5", solver.street_tables(state), solver.game.tree, known, about)
    return folder


def test_a_checkpoint_is_asked_by_its_step(script, trained, capsys):
    def asked(*arguments):
        code = script.main(["--runs", str(trained), *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    hand = ("--card1", "Ah", "--card2", "Kh")
    answers = {step: asked("--run", "t", "--checkpoint", step, *hand) for step in ("2", "3")}
    assert all(code == 0 for code, _, _ in answers.values()) and answers["2"][1] != answers["3"][1]
    assert "of 1.25 weighted iterations\n" in answers["2"][1]  # 1 and 4 quarters of the second's weight
    assert asked("--run", str(trained / "t.h5"), *hand) == answers["3"]
    code, shown, _ = asked("--run", str(trained / "t.h5"), *hand, "--json")
    seen = json.loads(shown)["times_seen"]
    assert code == 0 and 0 < seen["iterations"] < seen["of"] == pytest.approx(14 / 9, rel=1e-4)
    assert asked("--run", "t", "--checkpoint", "2")[1].count("Times seen: ") == 15

    for step in ("list", "1", "2.5"):
        code, shown, error = asked("--run", "t", "--checkpoint", step)
        assert code == 2 and not shown and error.count("\n") == 1
        assert f"has no checkpoint '{step}': the steps there are 2, 3" in error
    assert "--checkpoint STEP asks what the run has so far" in asked("--run", "t")[2]
    code, _, error = asked("--run", "x", "--checkpoint", "2")
    assert code == 2 and "no run 'x' to ask: the runs there are t" in error
    code, _, error = asked("--checkpoint", "2")
    assert code == 2 and "--checkpoint 2 is of a run: name it with --run NAME" in error
    code, _, error = asked("--run", "nothing.h5")
    assert code == 2 and "cannot read nothing.h5: No such file" in error


def test_how_often_a_decision_is_reached_is_said(ask, capsys):
    """The button raises its premium hands alone, and calls or folds all others by turns."""
    code, shown, _ = ask(capsys, "--card1", "7h", "--card2", "2d", "--sequence", "r25", "--json")
    reached = json.loads(shown)["reached"]
    assert code == 0 and reached["hands"] == pytest.approx(46 / 1326 * 0.71, abs=0.001)
    assert reached["this_hand"] > reached["hands"]  # a seven and a deuce leave all big cards to the button
    code, shown, _ = ask(capsys, "--card1", "7h", "--card2", "2d", "--sequence", "r25c/", "--board", "AsKs2c")
    assert code == 0 and re.search(
        r"^Reached: [\d.e-]+% of hands on this board, [\d.e-]+% with this hand$", shown, re.M
    )
    code, shown, _ = ask(capsys, "--sequence", "r25c/")
    assert code == 0 and shown.splitlines()[-1].startswith("Reached: ") and " ± " in shown.splitlines()[-1]


def test_where_there_are_no_runs_it_says_so(script, capsys, tmp_path):
    assert script.main(["--runs", str(tmp_path), "--run", "mine"]) == 2
    assert f"no run 'mine': there is none in {tmp_path / 'solve'}" in capsys.readouterr().err


def test_a_file_that_is_no_blueprint_is_named(script, capsys, tmp_path):
    (tmp_path / "mine.zip").write_text("not a zip")
    assert script.main(["--run", str(tmp_path / "mine.zip")]) == 2
    error = capsys.readouterr().err
    assert "mine.zip is damaged" in error and "Traceback" not in error


def test_questions_about_spots_need_a_spot(ask, capsys):
    code, _, error = ask(capsys, "--line", "check")
    assert code == 2 and "no run 'mine' of scripts/run spot: there is none in" in error


@pytest.fixture(scope="module")
def spot_run(tmp_path_factory):
    """Runs with a spot called "k" that was solved."""
    runs = tmp_path_factory.mktemp("spots")
    (runs / "spot" / "k").mkdir(parents=True)
    spot = subgame.Spot(board="Ks7h3d9h2c", pot=100, stack=100, oop="KhKd, 5c4c", ip="AdKc", menu="100%")
    subgame.solve(spot, iterations=20).save(runs / "spot" / "k" / "solved.spot")
    return runs


def test_a_spot_is_walked_by_lines_in_words(script, spot_run, capsys, tmp_path):
    def asked(*arguments):
        code = script.main(["--runs", str(spot_run), "--run", "k", *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    code, shown, _ = asked("--line", "check", "--hand", "AdKc", "--ranges")
    assert code == 0 and "IP on Ks7h3d9h2c after check, pot 100" in shown
    assert "Range of OOP" in shown and "AdKc" in shown and "IP all-in 100" in shown
    code, shown, _ = asked("--line", "all-in", "--json")
    assert code == 0 and list(json.loads(shown)["frequencies"]) == ["fold", "call 100"]
    code, _, _ = asked("--csv", str(tmp_path / "root.csv"), "--png", str(tmp_path / "root.png"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "root.csv").read_text())))
    assert code == 0 and {row["hand"] for row in rows} == {"KhKd", "5c4c", "AdKc"}
    assert (tmp_path / "root.png").read_bytes().startswith(b"\x89PNG")
    code, _, error = asked("--line", "bet 7")
    assert code == 2 and "legal are check, all-in 100" in error
