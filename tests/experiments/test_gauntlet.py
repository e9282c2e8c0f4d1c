"""scripts/run gauntlet, from the command line to the files it leaves."""

import json
import signal

import pytest

from jaxpoker import match

pytestmark = pytest.mark.thorough

MET = ("value 60% pot", "jams 50%", "folds below 75%")  # one program plays all of them
SMALL = ("--player", "tag", "--against", *MET, "--tables", "8", "--stack", "20")
NARROW = ("--half-width", "400")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


def figures_of(folder):
    """The summary without what differs from run to run."""
    summary = json.loads((folder / "summary.json").read_text())
    return {name: summary[name] for name in ("worst", "mbb_per_hand", "widest_half_width", "hands")}


def test_a_gauntlet_ends_with_a_table_a_picture_and_the_worst(whole, run_here, lines_of):
    shown = run_here("gauntlet", "--runs", whole, *SMALL, *NARROW, "--name", "whole")
    folder = whole / "gauntlet" / "whole"
    found = figures_of(folder)
    means = {name: result["mean"] for name, result in found["mbb_per_hand"].items()}
    assert set(means) == set(MET) and list(means.values()) == sorted(means.values())
    assert found["worst"]["opponent"] == next(iter(means)) and found["worst"]["mean"] == min(means.values())
    assert all(0 <= result["ci95"] <= 400 for result in found["mbb_per_hand"].values())
    assert found["hands"] == sum(line["hands"] for line in lines_of(folder))
    assert f"against {found['worst']['opponent']}" in shown and "tag at 20 big blinds" in shown and "ETA" in shown
    assert (folder / "plots" / "results.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_that_was_stopped_or_killed_ends_with_the_same_bits(
    whole, tmp_path, run_here, answer, lines_of, monkeypatch
):
    play, calls = match.play, []

    def interrupted(*args, **kwargs):
        calls.append(None)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGTERM)
        return play(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(match, "play", interrupted)
        shown = answer("gauntlet", "--runs", tmp_path, *SMALL, *NARROW, "--name", "part", code=128 + signal.SIGTERM)
    folder = tmp_path / "gauntlet" / "part"
    assert "go on with: scripts/run gauntlet --resume --name part" in shown and len(lines_of(folder)) == 4
    assert set(figures_of(folder)["mbb_per_hand"]) == set(MET)
    metrics = folder / "metrics.jsonl"
    metrics.write_text(metrics.read_text()[:-20])  # killed in the middle of a line
    run_here("gauntlet", "--runs", tmp_path, "--resume", "--name", "part")
    assert figures_of(folder) == figures_of(whole / "gauntlet" / "whole")
    assert lines_of(folder) == lines_of(whole / "gauntlet" / "whole")


def test_a_finished_gauntlet_goes_on_to_narrower_intervals(whole, run_here, answer, lines_of):
    folder = whole / "gauntlet" / "whole"
    before = lines_of(folder)
    run_here("gauntlet", "--runs", whole, "--resume", "--name", "whole", "--half-width", "300")
    assert lines_of(folder)[: len(before)] == before and len(lines_of(folder)) > len(before)
    assert figures_of(folder)["widest_half_width"] <= 300
    assert "has player 'tag', not 'lag'" in answer(
        "gauntlet", "--runs", whole, "--resume", "--name", "whole", "--player", "lag"
    )


def test_push_fold_is_played_by_jamming_and_folding_alone(tmp_path, run_here):
    opponents = ("--against", "jams 50%", "limps, value 65% pot", "--tables", "64", "--hands", "1")
    run_here("gauntlet", "--runs", tmp_path, "--player", "equilibrium", *opponents, "--name", "jam")
    found = figures_of(tmp_path / "gauntlet" / "jam")["mbb_per_hand"]
    jammer, limper = (found[name] for name in ("jams 50%", "limps, value 65% pot"))
    assert jammer["mean"] > -jammer["ci95"]
    assert limper["mean"] > 2 * limper["ci95"], "who would limp has to fold the small blind"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--player", "nobody"), "unknown player 'nobody'"),
        (("--player", "regular"), "player 'regular' plays chicago, not holdem"),
        (("--half-width", "0"), "--half-width 0.0: a number above 0"),
        (("--stack", "nan"), "--stack nan: a number above 0"),
        (("--tables", "1"), "--tables 1: at least 2"),
        (("--player", "tag", "--menu", "33$"), "unknown bet size '33$'"),
        (("--player", "equilibrium", "--menu", "nine"), "the equilibrium is of push/fold, leave the menu out"),
        (("--player", "tag", "--against", "tag"), "nobody is left to play against tag"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_run(tmp_path, answer, arguments, message):
    shown = answer("gauntlet", "--runs", tmp_path, *arguments)
    assert message in shown and shown.startswith("error: ") and len(shown.splitlines()) == 1
    assert not (tmp_path / "gauntlet").exists()
