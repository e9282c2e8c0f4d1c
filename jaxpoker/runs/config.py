"""Settings as frozen dataclasses, and as text: every field goes to YAML and comes back the same, type included.

A field may be a bool, int, float, str, ``Path``, ``Enum``, ``Literal``, None, a tuple, list or dict of those, a union
of them, or another such dataclass. In YAML an enum is its member's name and a tuple is a list.
"""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import difflib
import enum
import hashlib
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from jaxpoker import files
from jaxpoker.errors import RunError
from jaxpoker.files import archives
from jaxpoker.runs import folder as run_files

ConfigT = TypeVar("ConfigT")

# --- to plain values --------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """What YAML and JSON can say of a setting: dicts, lists, text, numbers, booleans, None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"a setting cannot be a {type(value).__name__} such as {value!r}: see jaxpoker.runs.config")


def differences(ours: Any, theirs: Any, prefix: str = "") -> list[tuple[str, Any, Any]]:
    """The fields in which two configs of one class differ: dotted name, our value, their value."""
    found = []
    for field in dataclasses.fields(ours):
        name = prefix + field.name
        one, other = getattr(ours, field.name), getattr(theirs, field.name)
        if dataclasses.is_dataclass(one) and type(one) is type(other):
            found += differences(one, other, name + ".")
        elif repr(one) != repr(other):  # repr: NaN is the same as NaN, 1 is not 1.0
            found.append((name, one, other))
    return found


def extendable(config: Any) -> tuple[str, ...]:
    """The fields that may be raised when a run is resumed: the class variable of that name, if there is one."""
    return tuple(getattr(type(config), "extendable", ()))


def changeable(config: Any) -> tuple[str, ...]:
    """The fields that may be anything when a run is resumed: the class variable of that name, if there is one."""
    return tuple(getattr(type(config), "changeable", ()))


def fingerprint(config: Any) -> str:
    """Of all fields but the extendable and changeable ones: checkpoints belong to it."""
    free = (*extendable(config), *changeable(config))
    fixed = {name: value for name, value in plain(config).items() if name not in free}
    return hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()[:16]


# --- from plain values ------------------------------------------------------------------------


def overlay(base: ConfigT, values: Any, where: str, prefix: str = "") -> ConfigT:
    """``base`` with the fields that ``values`` names replaced. Errors say ``where`` and the name after ``prefix``."""
    hints = get_type_hints(type(base), include_extras=True)
    known = [field.name for field in dataclasses.fields(base)]  # type: ignore[arg-type]
    if not isinstance(values, Mapping):
        raise RunError(
            f"{where}: {prefix.rstrip('.') or 'this'} is {values!r}, not a mapping: its fields are {', '.join(known)}"
        )
    changes = {}
    for name, value in values.items():
        if name not in known:
            close = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"the fields are {', '.join(known)}"
            raise RunError(f"{where}: unknown field '{prefix}{name}': {hint}")
        current = getattr(base, name)
        if dataclasses.is_dataclass(current) and hints[name] is type(current):
            changes[name] = overlay(current, value, where, f"{prefix}{name}.")
        else:
            changes[name] = typed(hints[name], value, f"{where}: {prefix}{name}")
    return dataclasses.replace(base, **changes)  # type: ignore[type-var]


def typed(kind: Any, value: Any, where: str) -> Any:
    """``value``, as read from YAML, as the annotation ``kind`` says; ``RunError`` when it cannot be."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return typed(arguments[0], value, where)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value, where, kind)
    wrong = RunError(f"{where}: {value!r} is not {_in_words(kind)}")
    if kind is Any:
        return value
    if kind is None or kind is type(None):
        if value is not None:
            raise wrong
        return None
    if origin is Literal:
        if value not in arguments:
            raise wrong
        return arguments[arguments.index(value)]
    if origin in (tuple, list, collections.abc.Sequence):
        return _sequence(origin, arguments, value, where, wrong)
    if origin in (dict, collections.abc.Mapping):
        if not isinstance(value, Mapping):
            raise wrong
        of_key, of_item = arguments
        return {typed(of_key, k, where): typed(of_item, item, f"{where}[{k!r}]") for k, item in value.items()}
    if not isinstance(kind, type):
        raise TypeError(f"{where}: settings of type {kind} are not supported: see jaxpoker.runs.config")
    return _instance(kind, value, where, wrong)


def _one_of(kinds: tuple[Any, ...], value: Any, where: str, union: Any) -> Any:
    """The first member of a union that takes the value as it is, else the first that takes it at all."""
    taken = []
    for kind in kinds:
        with contextlib.suppress(RunError):
            taken.append(typed(kind, value, where))
    if not taken:
        raise RunError(f"{where}: {value!r} is not {_in_words(union)}")
    return next((item for item in taken if type(item) is type(value)), taken[0])


def _sequence(origin: Any, arguments: tuple[Any, ...], value: Any, where: str, wrong: RunError) -> Any:
    if not isinstance(value, list | tuple):
        raise wrong
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        if len(value) != len(arguments):
            raise wrong
        kinds = arguments
    else:
        kinds = (arguments[0],) * len(value)
    items = [typed(of, item, f"{where}[{i}]") for i, (of, item) in enumerate(zip(kinds, value, strict=True))]
    return items if origin is list else tuple(items)


def _instance(kind: type, value: Any, where: str, wrong: RunError) -> Any:
    if dataclasses.is_dataclass(kind):
        return overlay(kind(), value, where)
    if issubclass(kind, enum.Enum):
        if not isinstance(value, str) or value not in kind.__members__:
            raise wrong
        return kind[value]
    if issubclass(kind, Path):
        if not isinstance(value, str):
            raise wrong
        return kind(value)
    if kind is float and not isinstance(value, bool) and isinstance(value, int | float | str):
        try:
            return float(value)  # text too: YAML takes 3e-4, which lacks the point, for text
        except (ValueError, OverflowError):
            raise wrong from None
    if type(value) is not kind:
        raise wrong
    return value


def _in_words(kind: Any) -> str:
    """An annotation as an error message says it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _in_words(arguments[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_in_words(argument) for argument in arguments)
    if origin is Literal:
        return f"one of {', '.join(repr(choice) for choice in arguments)}"
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        return f"a list of {len(arguments)}: {', '.join(_in_words(argument) for argument in arguments)}"
    if origin in (tuple, list, collections.abc.Sequence):
        return f"a list, each {_in_words(arguments[0])}"
    if origin in (dict, collections.abc.Mapping):
        return f"a mapping, each value {_in_words(arguments[1])}"
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return f"one of {', '.join(kind.__members__)}"
    words = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text (quote it if it looks like something else)",
        Path: "a path",
        type(None): "null",
    }
    return words.get(kind, str(kind))


# --- sizes ------------------------------------------------------------------------------------


def require_at_least(config: Any, **least: float) -> None:
    """Settings that would be too small are named as flags; those that were left out, which are None, are not."""
    for name, number in least.items():
        value = getattr(config, name)
        if value is not None and value < number:
            raise ValueError(f"--{name.replace('_', '-')} {value}: at least {number}")


def require_part_of_one(config: Any, *names: str) -> None:
    """Likewise settings that are no part of 1."""
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"--{name.replace('_', '-')} {getattr(config, name)}: 0 to 1")


def require_learning_rate(config: Any) -> None:
    """Likewise learning rates with which nothing is learned."""
    for rate in config.learning_rate:
        if not 0 <= rate <= 1:
            raise ValueError(f"--learning-rate {rate}: 0 to 1, and as a rule below 0.01")


# --- files ------------------------------------------------------------------------------------

MOST_YAML = archives.MB  # bytes


class _Loader(yaml.SafeLoader):
    """YAML without aliases: a few lines of them may stand for more text than there is memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not read: write the value again")
        return super().compose_node(parent, index)


def read_yaml(path: Path) -> dict[Any, Any]:
    """The mapping in a YAML file; an empty file is an empty mapping."""
    try:
        text = archives.whole(path, MOST_YAML).decode()
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RunError(f"cannot read {path}: byte {error.start} is not UTF-8 text") from error
    except archives.Damaged as error:
        raise RunError(f"cannot read {path}: {error}") from error
    try:
        values = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date that there is not
        raise RunError(f"cannot read {path} as YAML: {' '.join(str(error).split())}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise RunError(f"{path}: {values!r} is no mapping: write one 'field: value' line per setting")
    return values


def write_config(folder: Path, experiment: str, preset: str, config: Any, command: str) -> None:
    """Writes ``config.yaml``. It can be handed to ``--config`` to start such a run again."""
    values = {"experiment": experiment, "preset": preset, **plain(config)}
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    files.write_whole(folder / run_files.CONFIG_FILE, f"# This run goes on with: {command}\n{text}")


def read_config(folder: Path, experiment: str, kind: type[ConfigT]) -> tuple[str, ConfigT]:
    """Preset and config of a run from its ``config.yaml``, which must name every field of ``kind`` but the changeable
    ones: those are the class's own where the run is older than they are."""
    path = folder / run_files.CONFIG_FILE
    values = read_yaml(path)
    preset = take_header(values, path, experiment)
    config = overlay(kind(), values, str(path))
    named = (*values, *changeable(config))
    missing = [field.name for field in dataclasses.fields(config) if field.name not in named]  # type: ignore[arg-type]
    if missing:
        raise RunError(
            f"{path} lacks the field {missing[0]!r}: the run was made by another version of this experiment; "
            "add the line, or start a new run"
        )
    return preset or "", config


def take_header(values: dict[Any, Any], path: Path, experiment: str) -> str | None:
    """Removes the keys that are no fields of the config: checks ``experiment`` and returns ``preset``."""
    of = values.pop("experiment", experiment)
    if of != experiment:
        raise RunError(f"{path} is of experiment {of!r}, this is {experiment!r}")
    preset = values.pop("preset", None)
    if preset is not None and not isinstance(preset, str):
        raise RunError(f"{path}: preset: {preset!r} is not text")
    return preset
