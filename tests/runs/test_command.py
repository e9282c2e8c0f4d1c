"""The command line: preset, then file, then flags; and a clear word for every mistake."""

import dataclasses
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxpoker import runs
from jaxpoker.runs import config as configs


@pytest.fixture
def parse(descent, tmp_path: Path):
    def parse(*flags: str) -> runs.Launch:
        argv = [*flags, "--runs", str(tmp_path / "runs")]
        return runs.parse(descent.Config, descent.PRESETS, experiment="descent", description=descent.__doc__, argv=argv)

    return parse


@pytest.fixture
def yaml_file(tmp_path: Path):
    def write(text: str | bytes) -> str:
        path = tmp_path / "mine.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


# --- precedence -------------------------------------------------------------------------------


def test_flags_win_over_the_file_and_the_file_over_the_preset(descent, parse, yaml_file) -> None:
    file = yaml_file("rate: 0.25\nseed: 3\nschedule:\n  floor: 0.5\n")
    config = parse("--preset", "full", "--config", file, "--seed", "4").config
    full = descent.PRESETS["full"]
    assert full.iterations == 40 and full.schedule.half_life == 9.0
    schedule = dataclasses.replace(full.schedule, floor=0.5)
    assert config == dataclasses.replace(full, rate=0.25, seed=4, schedule=schedule)


def test_the_first_preset_is_the_default_and_a_file_may_name_another(descent, parse, yaml_file) -> None:
    assert parse().config == descent.PRESETS["quick"]
    file = yaml_file("preset: full\nseed: 9\n")
    launch = parse("--config", file)
    assert (launch.preset, launch.config.iterations, launch.config.seed) == ("full", 40, 9)
    launch = parse("--config", file, "--preset", "quick")
    assert (launch.preset, launch.config.iterations, launch.config.seed) == ("quick", 12, 9)


def test_an_empty_file_changes_nothing(descent, parse, yaml_file) -> None:
    assert parse("--config", yaml_file("")).config == descent.PRESETS["quick"]


def test_a_default_name_is_preset_and_time_and_not_taken(parse, descent, watcher) -> None:
    launch = parse("--preset", "full")
    assert time.strptime(launch.name, "full-%Y%m%d-%H%M%S")
    first, second = runs.start(launch), runs.start(launch)
    with first, second:
        assert first.folder.name == launch.name
        assert second.folder.name == f"{launch.name}-2"
        assert (second.folder / "config.yaml").exists()


def test_help_is_one_page_with_every_flag_and_preset(parse, capsys) -> None:
    with pytest.raises(SystemExit) as done:
        parse("--help", "--resume")
    assert done.value.code == 0
    text = capsys.readouterr().out
    common = ("--preset", "--config", "--name", "--resume", "--runs", "--checkpoint-seconds")
    for flag in (*common, "--iterations", "--seed", "--schedule.half-life", "--momentum, --no-momentum"):
        assert f" {flag}" in text
    assert "quick: the default" in text
    assert "full: iterations 40, rate 0.1, schedule.half_life 9.0" in text
    assert "noisy gradient descent" in text and "python tests/runs/descent.py" in text
    assert len(text.splitlines()) < 66


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("iteratons: 3", "unknown field 'iteratons': did you mean 'iterations'?"),
        ("schedule: {half: 3}", "unknown field 'schedule.half': "),
        ("xyz: 3", "unknown field 'xyz': the fields are iterations, seed, rate"),
        ("iterations: many", "iterations: 'many' is not a whole number"),
        ("iterations: 3.5", "iterations: 3.5 is not a whole number"),
        ("iterations: true", "iterations: True is not a whole number"),
        ("rate: fast", "rate: 'fast' is not a number"),
        ("momentum: 1", "momentum: 1 is not true or false"),
        ("mode: on", "mode: True is not one of 'plain', 'on'"),
        ("noise: LOUD", "noise: 'LOUD' is not one of NORMAL, UNIFORM"),
        ("target: 3", "target: 3 is not a list, each a number"),
        ("target: [1, x]", "target[1]: 'x' is not a number"),
        ("pair: [1]", "pair: [1] is not a list of 2: a whole number, text"),
        ("limit: soon", "limit: 'soon' is not a whole number or null"),
        ("schedule: 3", "schedule is 3, not a mapping: its fields are half_life, floor"),
        ("schedule: {floor: low}", "schedule.floor: 'low' is not a number or null"),
        ("- a\n- b", "is no mapping"),
        ("a: [1", "as YAML: "),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        ("preset: huge", "unknown preset 'huge': presets are quick, full"),
        ("preset: 3", "preset: 3 is not text"),
        ("experiment: solve", "is of experiment 'solve', this is 'descent'"),
    ],
)
def test_a_mistake_in_the_file_is_named(parse, yaml_file, text, says: str) -> None:
    with pytest.raises(runs.RunError) as error:
        parse("--config", yaml_file(text))
    assert says in str(error.value)
    if "unknown preset" not in says:
        assert "mine.yaml" in str(error.value)


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden", "a\\b", "a b", "a\nb", "-"])
def test_a_bad_name_is_an_error(parse, name: str) -> None:
    with pytest.raises(runs.RunError, match="bad run name"):
        parse(f"--name={name}")


def test_other_mistakes_on_the_command_line(parse, tmp_path: Path) -> None:
    with pytest.raises(runs.RunError, match="unknown preset 'huge': presets are quick, full"):
        parse("--preset", "huge")
    with pytest.raises(runs.RunError, match="unknown preset '': presets are quick, full"):
        parse("--preset=")
    with pytest.raises(runs.RunError, match=f"cannot read {tmp_path}/none.yaml: No such file"):
        parse("--config", f"{tmp_path}/none.yaml")
    for seconds in ("-1", "nan", "inf"):
        with pytest.raises(runs.RunError, match=r"--checkpoint-seconds .* is no time"):
            parse(f"--checkpoint-seconds={seconds}")


@pytest.mark.parametrize("flags", [["--iterations", "x"], ["--nonsense", "3"], ["--mode", "z"], ["--preset"]])
def test_flags_that_cannot_be_read_exit_with_2(parse, capsys, flags: list[str]) -> None:
    with pytest.raises(SystemExit) as done:
        parse(*flags)
    assert done.value.code == 2
    assert flags[0] in capsys.readouterr().err


def test_a_name_that_is_taken_is_an_error_and_nothing_is_touched(run_descent, runs_folder, parse) -> None:
    run_descent("--name", "a")
    before = {path: path.stat().st_mtime_ns for path in runs_folder.rglob("*")}
    with pytest.raises(
        runs.RunError, match=r"run .*/a exists: .*scripts/run descent --resume --name a .*another --name"
    ):
        parse("--name", "a")
    assert {path: path.stat().st_mtime_ns for path in runs_folder.rglob("*")} == before


def test_a_folder_that_cannot_be_made_is_an_error(descent, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    launch = runs.Launch("descent", "quick", descent.Config(), "a", runs=tmp_path / "file")
    with pytest.raises(runs.RunError, match=r"cannot write .*: Not a directory"):
        runs.start(launch)


# --- resuming ---------------------------------------------------------------------------------


def test_resuming_without_a_name_takes_the_run_that_changed_last(run_descent, runs_folder, parse) -> None:
    with pytest.raises(runs.RunError, match=f"no run to resume in {runs_folder}"):
        parse("--resume")
    for name in ("a", "b", "c"):
        run_descent("--name", name, iterations=1)
    hour = 3600
    for name, age in (("a", 3), ("b", 1), ("c", 2)):
        for file in (runs_folder / name).rglob("*"):
            os.utime(file, (time.time() - age * hour,) * 2)
    assert parse("--resume").name == "b"
    os.utime(runs_folder / "a" / "metrics.jsonl")
    assert parse("--resume").name == "a"
    with pytest.raises(runs.RunError, match="no run 'd' to resume: the runs there are a, b, c"):
        parse("--resume", "--name", "d")


def test_a_resumed_run_keeps_its_settings(run_descent, runs_folder, parse, yaml_file) -> None:
    run_descent("--name", "a", seed=5, rate=0.5)
    text = (runs_folder / "a" / "config.yaml").read_text()
    resume = ("--resume", "--name", "a")
    assert parse(*resume).config.seed == 5
    assert parse(*resume, "--seed", "5", "--preset", "quick", "--config", yaml_file("rate: 0.5")).config.rate == 0.5
    assert parse(*resume, "--iterations", "13").config.iterations == 13
    for flags, says in (
        (["--seed", "6"], r"run .*/a has seed 5, not 6.*only iterations may be raised"),
        (["--schedule.floor", "1"], r"has schedule.floor None, not 1.0"),
        (["--config", yaml_file("rate: 0.25")], r"has rate 0.5, not 0.25"),
        (["--preset", "full"], r"was started with preset 'quick', not 'full'"),
        (["--iterations", "11"], r"has iterations 12, which may be raised, not lowered to 11"),
    ):
        with pytest.raises(runs.RunError, match=says):
            parse(*resume, *flags)
    assert (runs_folder / "a" / "config.yaml").read_text() == text


def test_what_is_no_number_is_the_same_setting_again(parse) -> None:
    with runs.start(parse("--name", "a", "--target", "nan")):
        pass
    with runs.start(parse("--resume")) as again:
        assert math.isnan(again.config.target[0])


def test_a_config_from_another_version_of_the_experiment_is_named(run_descent, runs_folder, parse) -> None:
    run_descent("--name", "a")
    path = runs_folder / "a" / "config.yaml"
    text = path.read_text()
    path.write_text(text.replace("momentum: true\n", ""))
    with pytest.raises(runs.RunError, match=r"config\.yaml lacks the field 'momentum'"):
        parse("--resume")
    path.write_text(text + "heat: 3\n")
    with pytest.raises(runs.RunError, match=r"config\.yaml: unknown field 'heat'"):
        parse("--resume")


def test_one_process_at_a_time_uses_a_run(descent, parse, runs_folder) -> None:
    with runs.start(parse("--name", "a")), pytest.raises(runs.RunError, match=f"in use by process {os.getpid()}"):
        runs.start(parse("--name", "a", "--resume"))
    runs.start(parse("--name", "a", "--resume")).__exit__(None, None, None)  # the first has let go


# --- settings as text -------------------------------------------------------------------------


def test_every_setting_comes_back_from_config_yaml_as_it_was(descent, tmp_path: Path) -> None:
    config = descent.Config(
        rate=3e-4,
        noise=descent.Noise.UNIFORM,
        mode="on",
        target=(1e-300, -0.0, 1e22, 0.1 + 0.2, float("inf")),
        pair=(-1, "yes"),
        limit=7,
        momentum=False,
        schedule=descent.Schedule(half_life=1.0, floor=None),
    )
    configs.write_config(tmp_path, "descent", "full", config, "scripts/run ...")
    preset, back = configs.read_config(tmp_path, "descent", descent.Config)
    assert preset == "full"
    assert repr(back) == repr(config)
    assert "rate: 0.0003\n" in (tmp_path / "config.yaml").read_text()


def test_a_runs_config_starts_the_same_run_again(run_descent, runs_folder, parse) -> None:
    run_descent("--name", "a", seed=5)
    assert parse("--config", str(runs_folder / "a" / "config.yaml")).config == parse("--resume").config


def test_yaml_numbers_as_people_write_them(descent, parse, yaml_file) -> None:
    config = parse("--config", yaml_file("rate: 3e-4\niterations: 10_000\ntarget: [1, 2]")).config
    assert (config.rate, config.iterations) == (3e-4, 10_000)
    assert [type(item) for item in config.target] == [float, float]


def test_mistakes_of_an_experiments_author_are_named() -> None:
    named = dataclasses.make_dataclass("Named", [("seed", int, 0), ("name", str, "")])
    seedless = dataclasses.make_dataclass("Seedless", [("x", int, 0)])
    for kind, says in ((named, "may not have a field 'name'"), (seedless, "Seedless lacks the field 'seed")):
        with pytest.raises(TypeError, match=says):
            runs.parse(kind, {"quick": kind()}, experiment="x", argv=[])


# --- main -------------------------------------------------------------------------------------


def test_an_error_of_the_user_is_one_line_and_exit_code_2(capsys) -> None:
    from jaxpoker import cards

    def bad_run() -> None:
        raise runs.RunError("no such run")

    def bad_card() -> None:
        cards.parse("Xs")

    for broken, says in ((bad_run, "error: no such run\n"), (bad_card, "error: unknown card 'Xs' in 'Xs': ranks are")):
        with pytest.raises(SystemExit) as done:
            runs.main(broken)
        assert done.value.code == 2
        assert capsys.readouterr().err.startswith(says)


def test_a_bug_keeps_its_traceback() -> None:
    import jax.numpy as jnp

    def bug_in_a_call() -> None:
        jnp.ones(2) + jnp.ones(3)

    def bug_of_ours() -> None:
        int("x")

    for bug in (bug_in_a_call, bug_of_ours):
        with pytest.raises((ValueError, TypeError)):
            runs.main(bug)


def test_a_process_says_what_is_wrong_without_a_traceback(tmp_path: Path) -> None:
    script, root = Path(__file__).parent / "descent.py", Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, str(script), "--resume", "--name", "a"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == "error: no run 'a' to resume: there is none in runs/descent\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_reader_that_has_seen_enough_is_no_error(repository: Path) -> None:
    code = "from jaxpoker import runs\nruns.main(lambda: [print('line') for _ in range(100_000)])"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "line\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_a_second_signal_interrupts_at_once(run_descent, watcher) -> None:
    class Impatient(watcher):
        def show(self, step: int, metrics: dict, seconds: float) -> None:
            super().show(step, metrics, seconds)
            super().show(step, metrics, seconds)

    with pytest.raises(KeyboardInterrupt):
        run_descent("--name", "a", display=Impatient(3, signal.SIGINT))


def test_importing_runs_does_not_import_orbax(repository: Path) -> None:
    code = "import sys, jaxpoker.runs; assert not [name for name in sys.modules if name.startswith('orbax')]"
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
