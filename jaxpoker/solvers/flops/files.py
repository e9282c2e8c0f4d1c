"""Solved flops as files, read node by node.

    files.save_state(solved, "f2.flop")           # all tables, to the bit: solving goes on as without a stop
    files.save(solved, "f2.flop", depth=2, levels=15)     # strategies alone, rounded; of flop and turn
    solved = files.load("f2.flop")                # reads the flop; turns and rivers when they are asked for

A file is a zip without code in it: the spot as JSON, and for each board or block of rivers a member with the tables of
both players, each with a checksum. A *state* has regrets and averages as they are. A *strategy* has probabilities as
whole numbers up to ``levels``, those of the last action left out: 255 are as good as exact, 15 take much less room.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.files import archives, replacing
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.abstraction.contract import digest
from jaxpoker.solvers.flops import solving, tables
from jaxpoker.solvers.flops.iterating import Held, Measured, Pair, State
from jaxpoker.solvers.flops.runouts import RIVERS
from jaxpoker.solvers.flops.solved import FLOP, RIVER, SolvedFlop, in_memory
from jaxpoker.solvers.flops.street_tree import StreetTree
from jaxpoker.solvers.flops.tables import Table
from jaxpoker.solvers.regret import matched
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.storage import algorithm_as_json, algorithm_from_json
from jaxpoker.solvers.sweep import PLAYERS

FORMAT = 1
STATE, STRATEGY = "state", "strategy"
MANIFEST, RANGES, VALUES = "manifest.json", "ranges", "values"
MOST_BYTES, MOST_MANIFEST = 64 << 30, archives.MB
FINE, COARSE = 255, 15  # levels
_LEVEL = 6  # of compression, of strategies: most hands play one action


def save_state(solved: SolvedFlop, path: str | Path) -> None:
    """Writes all tables, whole or not at all; they are written one after the other, not gathered first."""
    state = solved.state
    if state is None:
        raise ValueError("this flop was read from a file of strategies: it has no state")
    with replacing(Path(path)) as unfinished, zipfile.ZipFile(unfinished, "w", allowZip64=True) as file:
        sums = {}
        for name, held in _named(state):
            content = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves([held.regrets, held.averages]))
            sums[name] = digest(content)
            _write(file, name, content, zipfile.ZIP_STORED)
        _finish(file, solved, STATE, RIVER, sums)


def save(solved: SolvedFlop, path: str | Path, depth: int = RIVER, levels: int = FINE) -> None:
    """Writes the average strategies down to street ``depth``, and the values of the flop."""
    if not FLOP <= depth <= solved.depth:
        raise ValueError(f"depth={depth}: streets from 1, the flop, to {solved.depth}")
    if not 1 <= levels <= FINE:
        raise ValueError(f"levels={levels}: 1 to {FINE}")
    with replacing(Path(path)) as unfinished, zipfile.ZipFile(unfinished, "w", allowZip64=True) as file:
        sums = {}
        for name, street, pair in _averages(solved, depth):
            both = [_rounded(solved.game.streets[street], p, pair[p], levels) for p in PLAYERS]
            content = b"".join(of_player.tobytes() for of_player in both)
            sums[name] = digest(content)
            _write(file, name, content, zipfile.ZIP_DEFLATED)
        _finish(file, solved, STRATEGY, depth, sums, levels=levels)


def _finish(
    file: zipfile.ZipFile, solved: SolvedFlop, kind: str, depth: int, sums: dict[str, str], **more: Any
) -> None:
    """The members that say what the others are; the last to be written."""
    quality = solved.measured
    members = {RANGES: solved.spot.ranges.tobytes()}
    if quality is not None:
        members[VALUES] = b"".join(x.astype(np.float32).tobytes() for of in quality.groups for x in of)
    for name, content in members.items():
        sums[name] = digest(content)
        _write(file, name, content, zipfile.ZIP_DEFLATED)
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "depth": depth,
        "spot": solved.spot.as_json(),
        "algorithm": algorithm_as_json(solved.algorithm),
        "iterations": solved.iterations,
        "bits": solved.bits,
        "symmetric": solved.symmetric,
        "widths": list(solved.runouts.widths),
        "values": None if quality is None else quality.values.tolist(),
        "best": None if quality is None else quality.best.tolist(),
        "processor_seconds": solved.processor_seconds,
        **more,
        "checksums": sums,
    }
    _write(file, MANIFEST, json.dumps(manifest, indent=1).encode(), zipfile.ZIP_DEFLATED)


def _write(file: zipfile.ZipFile, name: str, content: bytes, compression: int) -> None:
    file.writestr(zipfile.ZipInfo(name), content, compression, _LEVEL)  # no time: same bits every time


def _named(state: State) -> Iterator[tuple[str, Held]]:
    yield "flop", state.flop
    for number, held in enumerate(state.turns):
        yield _turn(number), held
    for number, of_turn in enumerate(state.rivers):
        for block, held in enumerate(of_turn):
            yield _rivers(number, block), held


def _turn(number: int) -> str:
    return f"turn-{number}"


def _rivers(number: int, block: int) -> str:
    return f"rivers-{number}-{block}"


def _averages(solved: SolvedFlop, depth: int) -> Iterator[tuple[str, int, Pair]]:
    """Names, streets from 0 and averages of all boards down to ``depth``."""
    deepest = min(depth, len(solved.game.streets))
    yield "flop", 0, solved.averages.of_flop()
    for number, turn in enumerate(solved.runouts.turns if deepest > 1 else ()):
        yield _turn(number), 1, solved.averages.of_turn(number)
        for block in range(len(turn.blocks) if deepest > 2 else 0):
            yield _rivers(number, block), 2, solved.averages.of_rivers(number, block)


# --- strategies as small numbers ----------------------------------------------------------------


def _rounded(street: StreetTree, player: int, table: Table, levels: int) -> np.ndarray:
    """``[boards, rows less one of each decision, H]`` uint8; what is rounded up and down still adds up to one."""
    found = []
    for group in (street.groups[g] for g in street.of_player(player)):
        played = np.asarray(_strategy(table, group))  # [boards, A, n, H]
        up_to = np.round(np.cumsum(played, axis=1) * levels)
        steps = np.diff(up_to, axis=1, prepend=0)[:, :-1]
        found.append(steps.reshape(len(steps), -1, steps.shape[-1]))
    return np.concatenate(found, axis=1).astype(np.uint8)


def _strategy(table: Table, group: Any) -> Any:
    of_boards = jax.vmap(lambda of_board: tables.part(of_board, group))(table)
    return matched(jnp.moveaxis(of_boards, 1, 0), np.ones((group.actions, 1, 1, 1), bool)).swapaxes(0, 1)


def _unrounded(street: StreetTree, player: int, steps: np.ndarray, levels: int) -> np.ndarray:
    """``[boards, rows, H]`` float32 of what ``_rounded`` made."""
    found, row = [], 0
    for group in (street.groups[g] for g in street.of_player(player)):
        rows = (group.actions - 1) * len(group.nodes)
        shape = (len(steps), group.actions - 1, len(group.nodes), steps.shape[-1])
        first = steps[:, row : row + rows].reshape(shape).astype(np.float32)
        whole = np.concatenate([first, levels - first.sum(axis=1, keepdims=True)], axis=1) / levels
        found.append(whole.reshape(len(steps), -1, steps.shape[-1]))
        row += rows
    return np.concatenate(found, axis=1)


def _rounded_rows(street: StreetTree, player: int) -> int:
    return street.rows[player] - street.nodes_of(player)


# --- reading ------------------------------------------------------------------------------------


def load(path: str | Path | bytes, whole: bool = False) -> SolvedFlop:
    """The solved flop of a file, or of the bytes of one, to be read node by node; ``whole``: with its state in memory,
    to solve on.
    """
    path = Path(path) if isinstance(path, str) else path
    try:
        content = _Members(path)
        solved = _described(content)
    except OSError as error:
        raise RunError(f"cannot read the solved flop {_name(path)}: {error.strerror or error}") from error
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise _damaged(path, error) from error
    if not whole:
        return dataclasses.replace(solved, averages=_InFile(content, solved))
    if content.kind != STATE:
        raise RunError(f"{_name(path)} keeps strategies alone: a flop is solved on from a file with its state")
    return in_memory(solved, content.state(solved))


def _name(path: Path | bytes) -> str:
    return "of the library" if isinstance(path, bytes) else str(path)


def _damaged(path: Path | bytes, error: Exception) -> RunError:
    return RunError(f"{_name(path)} is damaged, or no solved flop: {error}; solve it anew, or take another copy")


class _Members:
    """A file's manifest, and its members one at a time."""

    def __init__(self, path: Path | bytes) -> None:
        self.path = path
        with archives.Archive(path, MOST_BYTES) as file:
            self.manifest = archives.parsed(file.read(MANIFEST, MOST_MANIFEST))
            self.names = file.names
        if self.manifest.get("format") != FORMAT:
            raise ValueError(f"its format is {self.manifest.get('format')}, and this version reads {FORMAT}")
        self.kind = self.manifest["kind"]
        self.levels = int(self.manifest.get("levels", FINE))
        if self.kind not in (STATE, STRATEGY) or not 1 <= self.levels <= FINE:
            raise ValueError(f"its kind is {self.kind!r} with {self.levels} levels")

    def read(self, name: str, size: int) -> bytes:
        """A member of so many bytes: what it should have is known before it is read."""
        with archives.Archive(self.path, MOST_BYTES) as file:
            if file.size(name) != size:
                raise ValueError(f"its {name} has {file.size(name):,} bytes, not {size:,}")
            content = file.read(name)
        if digest(content) != self.manifest["checksums"][name]:
            raise ValueError(f"its {name} is not what was saved")
        return content

    def floats(self, name: str, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
        content = self.read(name, 4 * sum(map(math.prod, shapes)))
        flat = np.frombuffer(content, np.float32)
        return [
            x.reshape(shape)
            for x, shape in zip(np.split(flat, np.cumsum([*map(math.prod, shapes)])[:-1]), shapes, strict=True)
        ]

    def held(self, name: str, empty: Held) -> Held:
        """The tables of a member of a state, of the shapes and types of ``empty``."""
        leaves, structure = jax.tree.flatten([empty.regrets, empty.averages])
        content = self.read(name, sum(leaf.size * leaf.dtype.itemsize for leaf in leaves))
        found, at = [], 0
        for leaf in leaves:
            found.append(jnp.asarray(np.frombuffer(content, leaf.dtype, leaf.size, at).reshape(leaf.shape)))
            at += leaf.size * leaf.dtype.itemsize
        regrets, averages = jax.tree.unflatten(structure, found)
        return Held(regrets, averages)

    def state(self, solved: SolvedFlop) -> State:
        state = solved.game.start(solved.bits)
        try:
            state.flop = self.held("flop", state.flop)
            for number in range(len(state.turns)):
                state.turns[number] = self.held(_turn(number), state.turns[number])
                for block in range(len(state.rivers[number])):
                    state.rivers[number][block] = self.held(_rivers(number, block), state.rivers[number][block])
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise _damaged(self.path, error) from error
        state.step = solved.iterations
        return state


def _described(content: _Members) -> SolvedFlop:
    manifest = content.manifest
    ranges = content.floats(RANGES, [(2, NUM_COMBOS)])[0]
    spot = Spot.from_json({**manifest["spot"], "oop": ranges[0], "ip": ranges[1]})
    bits, depth, widths = manifest["bits"], manifest["depth"], manifest["widths"]
    algorithm = algorithm_from_json(manifest["algorithm"])
    iterations = manifest["iterations"]
    if len(widths) != 2 or any(not isinstance(width, int) or not 0 <= width <= 2 * NUM_COMBOS for width in widths):
        raise ValueError(f"its widths are {widths}")
    if not isinstance(iterations, int) or iterations < 0:
        raise ValueError(f"its iterations are {iterations!r}")
    made = solving.described(spot, algorithm, bool(manifest["symmetric"]), bits, tuple(widths))
    if depth not in (1, 2, 3):
        raise ValueError(f"its depth is {depth!r}")
    measured = None
    if manifest["values"] is not None:
        street, both = made.game.streets[0], made.runouts.widths
        shapes: list[tuple[int, ...]] = [(len(group.nodes), both[p]) for p in PLAYERS for group in street.groups]
        groups = content.floats(VALUES, shapes)
        of_oop, of_ip = groups[: len(street.groups)], groups[len(street.groups) :]
        values, best = (np.array(manifest[name], float).reshape(2) for name in ("values", "best"))
        measured = Measured(values, best, (of_oop, of_ip))
    return dataclasses.replace(
        made,
        iterations=iterations,
        depth=depth,
        measured=measured,
        processor_seconds=float(manifest["processor_seconds"]),
    )


@dataclasses.dataclass(frozen=True)
class _InFile:
    """The averages of a file: a member is read when it is asked for, and not kept."""

    content: _Members
    solved: SolvedFlop

    def of_flop(self) -> Pair:
        return self._pair("flop", 0)

    def of_turn(self, number: int) -> Pair:
        return self._pair(_turn(number), 1)

    def of_rivers(self, number: int, block: int) -> Pair:
        return self._pair(_rivers(number, block), 2, RIVERS)

    def _pair(self, name: str, street: int, count: int = 1) -> Pair:
        tree, widths = self.solved.game.streets[street], self.solved.runouts.widths
        try:
            if self.content.kind == STATE:
                return self.content.held(name, self.solved.game.empty(street, count, self.solved.bits)).averages
            shapes = [(count, _rounded_rows(tree, p), widths[p]) for p in PLAYERS]
            whole = np.frombuffer(self.content.read(name, sum(map(math.prod, shapes))), np.uint8)
            parts = np.split(whole, [math.prod(shapes[0])])
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise _damaged(self.content.path, error) from error
        return [
            jnp.asarray(_unrounded(tree, p, part.reshape(shape), self.content.levels))
            for p, part, shape in zip(PLAYERS, parts, shapes, strict=True)
        ]
