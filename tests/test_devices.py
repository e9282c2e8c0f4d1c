"""What one device computes, four compute: every learner, every solver, and matches."""

import dataclasses
import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from jaxpoker import devices, match, runs

# Largest difference, relative to 1 + the value, that sums in another order make of two updates.
ROUNDING = 2e-5
# Adam divides a gradient by its size, so that one that is 0 but for rounding moves its parameter by a part of the
# learning rate, 0.001, in an update: the keys' bias in attention has none, for it changes no difference of scores.
ROUNDING_OF_ADAM = 2e-3

ATTEMPTS = 6
SAME_BITS = 0.0  # tables and sessions are summed up in the same order by everybody
EXPECTED = {
    "evolution": (SAME_BITS, ()),
    "policy gradient": (ROUNDING, ("memory",)),
    "REINFORCE": (ROUNDING, ("tables",)),
    "PPO": (ROUNDING, ("tables",)),
    "Double DQN": (ROUNDING, ("tables", "waiting", "replay.rows")),
    "beliefs": (ROUNDING_OF_ADAM, ("tables",)),
    "exact CFR": (SAME_BITS, ()),
    "external sampling": (ROUNDING, ()),
    "outcome sampling": (ROUNDING, ()),
    "hold'em by types": (ROUNDING, ()),
    "hold'em by hands": (ROUNDING, ()),
}


@pytest.fixture(scope="module")
def found(repository):
    """By name: what ``many_devices.py`` says."""
    command = [sys.executable, str(repository / "tests" / "many_devices.py")]
    env = {**os.environ, "PYTHONPATH": str(repository)}
    # Devices that are threads of few cores may each wait in another collective until XLA aborts: begun anew, then.
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        if done.returncode == 0 or "rendezvous" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {row.pop("name"): row for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_four_devices_learn_what_one_learns(found, name):
    result = found[name]
    assert "error" not in result, result["error"]
    most, parts = EXPECTED[name]
    worst = sorted(result["differences"].items(), key=lambda item: -item[1])
    assert all(difference <= most for _, difference in worst), worst[:5]
    assert result["devices"] == [4]
    for part in parts:
        assert any(path.startswith(part) for path in result["spread"]), f"{part} is whole on every device"
    others = [path for path in result["spread"] if not path.startswith(parts)] if parts else result["spread"]
    assert not others, "parameters and regrets are everywhere"


@pytest.mark.slow
def test_four_devices_play_the_same_match(found):
    one, four = found["match"]["results"]
    assert one == four and "mbb_per_hand" in one


# --- meshes, without devices of their own -----------------------------------------------------


@pytest.fixture
def crowd(monkeypatch):
    """``crowd(n)``: as if there were n devices; none of them computes anything."""

    def make(number):
        there = jax.devices() * number
        monkeypatch.setattr(jax, "device_count", lambda: number)
        monkeypatch.setattr(jax, "devices", lambda: there)
        monkeypatch.setattr(jax, "make_mesh", lambda shape, names, **options: Crowd(shape, names))

    return make


class Crowd:
    """A mesh that has a size and nothing else."""

    def __init__(self, shape, names):
        self.axis_names, self.size = names, int(np.prod(shape))


def test_as_many_devices_are_used_as_can_share_the_tables_equally(crowd):
    crowd(6)
    assert devices.mesh().size == 6
    assert devices.mesh(rows=32).size == 4
    assert devices.mesh(0, rows=30).size == 6
    assert devices.mesh(rows=7) is None
    assert devices.mesh(2, rows=32).size == 2
    assert devices.mesh(1) is None


def test_what_cannot_be_shared_equally_is_refused(crowd, many_devices):
    crowd(6)
    with pytest.raises(ValueError, match="32 tables over 3 devices: their number must divide the tables"):
        devices.mesh(3, rows=32)
    with pytest.raises(ValueError, match="7 devices: there are 6"):
        devices.mesh(7)
    with pytest.raises(ValueError, match="-1 devices: there are 6"):
        devices.mesh(-1)
    three = devices.mesh(3)
    refused = {
        "evolution": "8 sessions of an individual over 3 devices",
        "policy gradient": "8 tables over 3 devices",
        "REINFORCE": "32 tables over 3 devices",
        "PPO": "32 tables over 3 devices",
        "Double DQN": "32 tables over 3 devices",
        "beliefs": "32 tables over 3 devices",
        "external sampling": "32 walks over 3 devices",
        "outcome sampling": "32 walks over 3 devices",
        "hold'em by types": "8 boards over 3 devices",
        "hold'em by hands": "8 boards over 3 devices",
    }
    for name, message in refused.items():
        with pytest.raises(ValueError, match=message):
            many_devices.LEARNERS[name](three)
    with pytest.raises(ValueError, match="8 tables over 3 devices"):
        match.play(many_devices.KUHN, [None] * 2, jax.random.key(0), tables=8, mesh=three)


@dataclasses.dataclass(frozen=True)
class Config:
    """Of an experiment that has nothing to say."""

    seed: int = 0
    """Of everything random."""


def test_devices_that_are_not_there_are_an_error_of_the_user(crowd, capsys):
    crowd(2)
    launch = runs.parse(Config, {"quick": Config()}, experiment="any", argv=["--devices", "3"])
    with pytest.raises(SystemExit) as ended:
        runs.main(lambda: launch.mesh(32))
    assert ended.value.code == 2 and "error: 3 devices: there are 2 (" in capsys.readouterr().err
    left_out = runs.parse(Config, {"quick": Config()}, experiment="any", argv=[])
    assert left_out.mesh(32).size == 2 and left_out.mesh(31) is None
