"""The command line of an experiment: presets, a YAML file and flags, in that order; the last word wins.

    scripts/run solve --preset full --config mine.yaml --iterations 5000 --name long
    scripts/run solve --resume --name long

With ``--distributed`` several processes are one run; the first of them keeps its folder and speaks for all.
"""

from __future__ import annotations

import dataclasses
import errno
import linecache
import math
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, NoReturn

import jax
import tyro

from jaxpoker import devices
from jaxpoker.errors import RunError
from jaxpoker.runs import config as configs
from jaxpoker.runs import folder as run_files
from jaxpoker.runs.config import ConfigT

Understand = Callable[[dict[Any, Any], str], dict[Any, Any]]

# What a file system refuses, and its user can put right.
OF_THE_SYSTEM = (
    errno.ENOSPC,
    errno.EFBIG,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENAMETOOLONG,
    errno.EIO,
)
DEFAULT_RUNS = Path("runs")
CHECKPOINT_SECONDS = 60.0


@dataclass(frozen=True)
class Launch(Generic[ConfigT]):
    """What to run and where: the command line, understood."""

    experiment: str
    preset: str
    config: ConfigT
    name: str
    default_name: bool = False  # made from preset and time: ``start`` adds -2, -3, ... when it is taken
    resume: bool = False
    runs: Path = DEFAULT_RUNS
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    devices: int | None = None  # None or 0: as many as there are
    arguments: tuple[str, ...] = ()  # as they were typed

    @property
    def command(self) -> str:
        """What the user typed."""
        return shlex.join(["scripts/run", self.experiment, *self.arguments])

    @property
    def folder(self) -> Path:
        return self.runs / self.experiment / self.name

    @property
    def resume_command(self) -> str:
        """What the user types to go on with this run."""
        words = ["scripts/run", self.experiment, "--resume", "--name", self.name]
        if self.runs != DEFAULT_RUNS:
            words += ["--runs", str(self.runs)]
        return shlex.join(words)

    def mesh(self, rows: int | None = None, what: str = "tables") -> jax.sharding.Mesh | None:
        """The devices to use, which share so many ``rows`` of ``what``; None for one."""
        return devices.mesh(self.devices, rows, what)


@dataclass(frozen=True)
class _Options:
    """The options that every experiment has."""

    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Where the settings start from."""
    config: Annotated[Path | None, tyro.conf.arg(metavar="FILE.yaml")] = None
    """A YAML file of 'field: value' lines that replace the preset's; flags win over it."""
    name: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Of the run and its folder. Made of preset and time when left out; with --resume the latest run."""
    resume: bool = False
    """Go on with a run that was stopped or killed; its settings are in its config.yaml."""
    runs: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = DEFAULT_RUNS
    """The folder that holds all runs."""
    checkpoint_seconds: Annotated[float, tyro.conf.arg(metavar="SECONDS")] = CHECKPOINT_SECONDS
    """Time between two checkpoints; 0 saves one after each update."""
    devices: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Devices to use, which may change on --resume; when left out, as many as can share the tables equally."""
    distributed: bool = False
    """This is one of several processes that are one run, which a cluster manager starts, or you (docs/scaling.md)."""


def parse(
    kind: type[ConfigT],
    presets: Mapping[str, ConfigT],
    experiment: str,
    description: str | None = None,
    argv: Sequence[str] | None = None,
    understand: Understand | None = None,
) -> Launch[ConfigT]:
    """Reads the command line (``argv``, or the process's own) of an experiment with settings ``kind``.

    The first of ``presets`` is the default. ``understand(values, where)`` makes fields of ``kind`` of what the file of
    ``--config`` holds, for experiments that read files of other forms too. Raises ``RunError`` for what ``main`` should
    print as an error; flags that tyro rejects, and ``--help``, exit at once.
    """
    _check_class(kind, presets)
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = _options_alone(arguments)
    asks_for_help = "-h" in arguments or "--help" in arguments
    if options.distributed and not asks_for_help:
        _join()
    asked = _read_request(options, experiment, understand)
    named = options.preset if options.preset is not None else asked.preset
    preset = next(iter(presets)) if named is None else named

    if options.resume and not asks_for_help:
        folder = _run_to_resume(options, experiment)
        run_preset, run_config = configs.read_config(folder, experiment, kind)
        if named not in (None, run_preset):
            raise RunError(f"run {folder} was started with preset {run_preset!r}, not {named!r}")
        preset, base, name = run_preset, run_config, folder.name
    else:
        if preset not in presets:
            raise RunError(f"unknown preset {preset!r}: presets are {', '.join(presets)}")
        base, run_config = presets[preset], None
        name = run_files.default_name(preset) if options.name is None else options.name
        if options.name is not None and (not options.distributed or devices.is_first()):
            check_new(options.runs, experiment, name)

    base = configs.overlay(base, asked.values, str(options.config))
    config = _whole_command(kind, base, presets, experiment, preset, description, arguments)
    if run_config is not None:
        check_resumed(folder, run_config, config)
    seed: int = config.seed  # type: ignore[attr-defined]  # _check_class has seen that it is there
    if not -(1 << 63) <= seed < 1 << 63:
        raise RunError(f"--seed {seed}: a seed has 64 bits")
    if not (options.checkpoint_seconds >= 0 and math.isfinite(options.checkpoint_seconds)):
        raise RunError(f"--checkpoint-seconds {options.checkpoint_seconds} is no time: say 0 or more seconds")
    return Launch(
        experiment,
        preset,
        config,
        name,
        default_name=options.name is None and not options.resume,
        resume=options.resume,
        runs=options.runs,
        checkpoint_seconds=options.checkpoint_seconds,
        devices=options.devices,
        arguments=tuple(arguments),
    )


def asked_for(flag: str, experiment: str, description: str | None, file: str = run_files.CONFIG_FILE) -> Path | None:
    """The folder of the run that ``flag`` names, as in ``--show NAME``, which has ``file``; None without that flag.

    For what an experiment does with a run that is there, in place of a new one.
    """
    if not any(argument.partition("=")[0] == flag for argument in sys.argv[1:]):
        return None
    verb = flag.removeprefix("--")
    name = Annotated[str, tyro.conf.arg(name=verb, metavar="NAME", help="The run's name.")]
    folder = Annotated[Path, tyro.conf.arg(metavar="FOLDER", help="The folder that holds all runs.")]
    command = dataclasses.make_dataclass("Command", [("name", name), ("runs", folder, DEFAULT_RUNS)])
    named: Any = tyro.cli(command, prog=f"scripts/run {experiment}", description=description)
    return run_files.existing_run(named.runs / experiment, named.name, f"to {verb}", file)


def main(experiment_main: Callable[[], None]) -> None:
    """Calls an experiment's ``main``; what its user can put right is one line on standard error and exit code 2.

    That is every ``RunError``, a disk that is full or may not be written to, and every ``ValueError`` that jaxpoker or
    the experiment itself raises for a value that makes no sense. Errors from anywhere else are bugs and keep their
    traceback.
    """
    try:
        experiment_main()
    except RunError as error:
        message = str(error)
    except ValueError as error:
        if not _raised_by_us(error, Path(experiment_main.__code__.co_filename)):
            raise
        message = str(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # whoever read the output, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
            sys.exit(141)
        if error.errno not in OF_THE_SYSTEM:
            raise
        message = f"{error.strerror}{f': {error.filename}' if error.filename else ''}"
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        _leave(130)
    else:
        return
    print(f"error: {message}", file=sys.stderr)
    _leave(2)


def _leave(code: int) -> NoReturn:
    """Ends the process. One of several does not wait for the others, as jax would, for they wait for it: when it is
    gone jax ends them too."""
    if jax.distributed.is_initialized():
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def check_new(runs: Path, experiment: str, name: str) -> None:
    """A new run's name is well formed and not taken."""
    run_files.check_name(name)
    folder = runs / experiment / name
    if os.path.lexists(folder):
        where = "" if runs == DEFAULT_RUNS else f" --runs {shlex.quote(str(runs))}"
        raise RunError(
            f"run {folder} exists: go on with it by scripts/run {experiment} --resume --name {name}{where}, "
            "or choose another --name"
        )


def check_resumed(folder: Path, before: Any, after: Any) -> None:
    """A resumed run keeps its settings, but for the changeable ones and the extendable ones, which may be raised."""
    for name, ours, asked in configs.differences(before, after):
        if name in configs.changeable(before):
            continue
        if name not in configs.extendable(before):
            may = ", ".join(configs.extendable(before))
            raise RunError(
                f"run {folder} has {name} {ours!r}, not {asked!r}: a resumed run keeps its settings"
                + (f" (only {may} may be raised)" if may else "")
                + "; leave the flag out, or start a new run"
            )
        if not asked > ours:
            raise RunError(f"run {folder} has {name} {ours!r}, which may be raised, not lowered to {asked!r}")


# --- reading the command line -----------------------------------------------------------------


def _join() -> None:
    """Makes this process one of several; all but the first are silent from now on, but for errors."""
    devices.join()
    if not devices.is_first():
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  until the end


@dataclass(frozen=True)
class _Request:
    preset: str | None  # that the YAML file names
    values: dict[Any, Any]  # fields of the YAML file


def _read_request(options: _Options, experiment: str, understand: Understand | None) -> _Request:
    """What the file given by ``--config`` asks for."""
    if options.config is None:
        return _Request(None, {})
    values = configs.read_yaml(options.config)
    preset = configs.take_header(values, options.config, experiment)
    return _Request(preset, understand(values, str(options.config)) if understand else values)


def _options_alone(arguments: list[str]) -> _Options:
    """The options that every experiment has; all else is left to the second reading."""
    options, _ = tyro.cli(
        tyro.conf.FlagCreatePairsOff[_Options], args=arguments, return_unknown_args=True, add_help=False
    )
    return options


def _whole_command(
    kind: type[ConfigT],
    base: ConfigT,
    presets: Mapping[str, ConfigT],
    experiment: str,
    preset: str,
    description: str | None,
    arguments: list[str],
) -> ConfigT:
    """The config with the flags that were given: tyro reads all of them, and shows all of them for ``--help``."""
    flat = tyro.conf.arg(name="")
    command = dataclasses.make_dataclass(
        "Command",
        [
            ("settings", Annotated[kind, flat]),
            ("options", Annotated[tyro.conf.FlagCreatePairsOff[_Options], flat]),
        ],
        frozen=True,
    )
    done = tyro.cli(
        command,
        args=arguments,
        default=command(settings=base, options=_Options(preset=preset)),
        prog=f"scripts/run {experiment}",
        description=_help_text(presets, description),
    )
    config: ConfigT = done.settings
    return config


def _help_text(presets: Mapping[str, Any], description: str | None) -> str:
    """The experiment's docstring and its presets, each with what it changes of the first."""
    first = next(iter(presets))
    lines = []
    for name, config in presets.items():
        changes = [f"{field} {theirs}" for field, _, theirs in configs.differences(presets[first], config)]
        lines.append(f"    {name}: {', '.join(changes) if name != first else 'the default'}")
    text = (description or "").strip()
    return f"{text}\n\nPresets:\n\n" + "\n".join(lines)


def _run_to_resume(options: _Options, experiment: str) -> Path:
    parent = options.runs / experiment
    return (
        run_files.latest_run(parent)
        if options.name is None
        else run_files.existing_run(parent, options.name, "to resume")
    )


def _check_class(kind: type, presets: Mapping[str, Any]) -> None:
    """Mistakes of the experiment's author, not of its user."""
    names = {field.name for field in dataclasses.fields(kind)}
    reserved = {field.name for field in dataclasses.fields(_Options)} | {"experiment"}
    if names & reserved:
        raise TypeError(
            f"{kind.__name__} may not have a field {min(names & reserved)!r}: every experiment has that flag"
        )
    if "seed" not in names:
        raise TypeError(f"{kind.__name__} lacks the field 'seed: int = 0'")
    if not presets:
        raise TypeError(f"presets of {kind.__name__} are empty: name at least one")
    for variable in ("extendable", "changeable"):
        unknown = set(getattr(kind, variable, ())) - names
        if unknown:
            raise TypeError(f"{kind.__name__}.{variable} names {min(unknown)!r}, which is no field")


def _raised_by_us(error: ValueError, experiment: Path) -> bool:
    """Whether the error comes from a ``raise`` in jaxpoker or next to the experiment.

    The line tells: where jax hides its own frames, the last one left is ours, but it is a call.
    """
    frame = traceback.extract_tb(error.__traceback__)[-1]
    ours = (Path(__file__).resolve().parent.parent, experiment.resolve().parent)
    line = linecache.getline(frame.filename, frame.lineno or 0)
    return line.lstrip().startswith("raise ") and any(Path(frame.filename).resolve().is_relative_to(at) for at in ours)
