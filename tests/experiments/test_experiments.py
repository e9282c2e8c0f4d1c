"""What all experiments have in common: their flags, their presets, and how they answer a typing mistake."""

import pytest

EXPERIMENTS = ("belief", "dqn", "evolve", "gauntlet", "lbr", "ppo", "reinforce", "solve", "spot")
FLAGS = (
    *("--preset", "--config", "--name", "--seed", "--resume", "--runs"),
    *("--checkpoint-seconds", "--devices", "--distributed"),
)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_the_same_flags_and_the_presets_quick_and_full(name, answer):
    shown = answer(name, "--help", code=0)
    assert f"usage: scripts/run {name}" in shown
    assert all(f" {flag} " in shown for flag in FLAGS)
    assert "quick: the default" in shown and "full: " in shown


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_typing_mistake_is_named_and_exits_with_2(name, answer):
    assert "--sed" in answer(name, "--sed", "1")
    assert "--seed" in answer(name, "--seed", "x")
    assert f"--seed {1 << 63}: a seed has 64 bits" in answer(name, "--seed", 1 << 63)
    assert "unknown preset 'huge': presets are quick, full" in answer(name, "--preset", "huge")
    assert "cannot read nosuch.yaml" in answer(name, "--config", "nosuch.yaml")
    assert f"no run 'nosuch' to resume: there is none in nowhere/{name}" in answer(
        name, "--runs", "nowhere", "--resume", "--name", "nosuch"
    )
    assert "bad run name 'a/b'" in answer(name, "--name", "a/b")


def test_the_demonstration_answers_likewise(answer):
    assert "--sed" in answer("demo", "--sed", "1")
    assert "--tables 0: at least 2" in answer("demo", "--tables", "0")
