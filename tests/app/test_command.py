"""The command ``jaxpoker``: it finds and runs what scripts and experiments do."""

import subprocess
import sys

import pytest

from jaxpoker.app import command


def test_every_experiment_is_a_command_and_what_people_want_comes_first(repository):
    known = command.commands()
    assert list(known)[:6] == ["play", "solve", "spot", "equity", "gauntlet", "bench"]
    assert {path.stem for path in (repository / "experiments").glob("[!_]*.py")} <= set(known)
    assert all(file.is_file() for file in known.values())


def test_without_a_command_all_are_listed(capsys):
    assert command.main([]) == 0
    said = capsys.readouterr().out
    for name in command.commands():
        assert f"  {name} " in said
    assert "Prints the equity of hands and ranges." in said


def test_an_unknown_command_is_a_clear_error(capsys):
    assert command.main(["slove"]) == 2
    assert "unknown command 'slove'; commands are play, solve" in capsys.readouterr().err


def test_a_command_runs_with_its_arguments():
    code = "import sys; from jaxpoker.app.command import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, "equity", "AA", "KK"], capture_output=True, text=True)
    assert done.returncode == 0 and "82" in done.stdout, done.stderr
    wrong = subprocess.run([sys.executable, "-c", code, "equity", "AA", "XX"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "XX" in wrong.stderr and "Traceback" not in wrong.stderr


@pytest.mark.parametrize("name", ["spot", "bench"])
def test_help_is_the_commands_own(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", [])
    assert command.main([name, "--help"]) == 0
    assert "--" in capsys.readouterr().out


def test_a_wheel_brings_the_files_along(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "__file__", str(tmp_path / "site" / "jaxpoker" / "app" / "command.py"))
    monkeypatch.setattr(command.sysconfig, "get_path", lambda _: str(tmp_path / "env"))
    there = tmp_path / "env" / "share" / "jaxpoker"
    (there / "experiments").mkdir(parents=True)
    (there / "experiments" / "solve.py").write_text('"""Solves."""\n')
    assert command.commands() == {"solve": there / "experiments" / "solve.py"}
