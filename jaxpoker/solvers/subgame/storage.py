"""A solved spot as a file: the spot and its locks as JSON, the tables of live hands, and a checksum of each.

    solved.save("k73.spot")
    solved = subgame.load("k73.spot")              # to be read node by node, or solved on

The file is a zip without code in it. Tables are float32, to the bit, so that solving on gives what it would have given
without a stop; places without a hand are left out.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.files import archives, write_whole
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.abstraction.contract import digest
from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame import solving
from jaxpoker.solvers.subgame.hand_places import NO_HAND
from jaxpoker.solvers.subgame.locks import NodeLock
from jaxpoker.solvers.subgame.regret_loop import State
from jaxpoker.solvers.subgame.solved import Solved
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.subgame_game import Tables
from jaxpoker.solvers.sweep import PLAYERS

FORMAT = 1
MANIFEST, RANGES = "manifest.json", "ranges"
MOST_BYTES, MOST_MANIFEST = 8 << 30, archives.MB  # of all tables, and of what says whose they are
_LEVEL = 1  # of compression: tables are noise to it, more effort gains nothing


def save(solved: Solved, path: str | Path) -> None:
    """Writes one file, whole or not at all."""
    members = {RANGES: solved.spot.ranges, **_live(solved)}
    manifest = {
        "format": FORMAT,
        "spot": solved.spot.as_json(),
        "locks": [lock.as_json() for lock in solved.node_locks],
        "symmetric": len(solved.places.orders) > 1,
        "algorithm": algorithm_as_json(solved.algorithm),
        "iterations": solved.iterations,
        "values": None if solved.values is None else np.asarray(solved.values, float).tolist(),
        "best": None if solved.best is None else np.asarray(solved.best, float).tolist(),
        "processor_seconds": solved.processor_seconds,
        "checksums": {name: digest(array.tobytes()) for name, array in members.items()},
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        texts = {MANIFEST: json.dumps(manifest, indent=1).encode()}
        for name, data in {**texts, **{name: array.tobytes() for name, array in members.items()}}.items():
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, _LEVEL)  # no time: same bits every time
    write_whole(Path(path), content.getvalue())


def load(path: str | Path) -> Solved:
    """The solved spot of a file; ``RunError`` when it is damaged or of another version."""
    path = Path(path)
    try:
        with archives.Archive(path, MOST_BYTES) as file:
            manifest = archives.parsed(file.read(MANIFEST, MOST_MANIFEST))
            if manifest.get("format") != FORMAT:
                raise RunError(
                    f"{path} has format {manifest.get('format')}, this version reads {FORMAT}: solve it anew"
                )
            checksums = manifest["checksums"]

            def member(name: str, count: int) -> np.ndarray:
                """A member of so many numbers: what it should have is known before it is read."""
                if file.size(name) != 4 * count:
                    raise ValueError(f"its {name} has {file.size(name):,} bytes, not {4 * count:,}")
                data = file.read(name)
                if digest(data) != checksums[name]:
                    raise ValueError(f"its {name} is not what was saved")
                return np.frombuffer(data, np.float32)

            return _solved(manifest, member)
    except OSError as error:
        raise RunError(f"cannot read the solved spot {path}: {error.strerror or error}") from error
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise RunError(f"{path} is damaged, or no solved spot: {error}; solve it anew, or take another copy") from error


def _solved(manifest: dict[str, Any], member: Callable[[str, int], np.ndarray]) -> Solved:
    ranges = member(RANGES, 2 * NUM_COMBOS).reshape(2, NUM_COMBOS)
    spot = Spot.from_json({**manifest["spot"], "oop": ranges[0], "ip": ranges[1]})
    locks = [NodeLock.from_json(lock) for lock in manifest["locks"]]
    algorithm = algorithm_from_json(manifest["algorithm"])
    empty = solving.prepared(spot, algorithm, locks, manifest["symmetric"])
    tables: dict[str, Any] = {name: _filled(empty, name, member) for name in ("regrets", "averages", "instants")}
    state = State(jnp.asarray(manifest["iterations"], jnp.int32), **tables)
    quality: dict[str, Any] = {name: manifest[name] and np.array(manifest[name]) for name in ("values", "best")}
    return dataclasses.replace(empty, state=state, processor_seconds=manifest["processor_seconds"], **quality)


# --- tables of live hands ---------------------------------------------------------------------------


def _buffers(solved: Solved, player: int) -> list[np.ndarray]:
    """By buffer of a player's decisions ``[B, N, L]`` bool: the places that have a hand."""
    template = solved.game.template
    streets = [template.buffers[i].street - template.first_street for i in template.of_player(player)]
    return [solved.places.streets[street].combo != NO_HAND for street in streets]


def _live(solved: Solved) -> dict[str, np.ndarray]:
    """The tables ``[live hands, actions, n]`` by name."""
    found = {}
    for name in ("regrets", "averages", "instants"):
        pair: tuple[Tables, Tables] | None = getattr(solved.state, name)
        for player in PLAYERS if pair is not None else ():
            assert pair is not None
            for number, (table, live) in enumerate(zip(pair[player], _buffers(solved, player), strict=True)):
                found[f"{name}-{player}-{number}"] = np.moveaxis(np.asarray(table), (0, 3), (3, 4))[live]
    return found


def _filled(solved: Solved, name: str, member: Callable[[str, int], np.ndarray]) -> tuple[Tables, Tables] | None:
    """Tables with what was saved at the places of live hands, and 0 elsewhere."""
    pair: tuple[Tables, Tables] | None = getattr(solved.state, name)
    if pair is None:
        return None

    def of(player: int) -> Tables:
        tables = []
        for number, (table, live) in enumerate(zip(pair[player], _buffers(solved, player), strict=True)):
            whole = np.zeros([table.shape[axis] for axis in (1, 2, 4, 0, 3)], np.float32)
            shape = (int(live.sum()), table.shape[0], table.shape[3])
            whole[live] = member(f"{name}-{player}-{number}", math.prod(shape)).reshape(shape)
            tables.append(jnp.asarray(np.moveaxis(whole, (3, 4), (0, 3))))
        return tuple(tables)

    return of(0), of(1)


def algorithm_as_json(algorithm: Algorithm) -> dict[str, Any]:
    """Plain data; JSON has no infinity."""
    return {name: str(value) if value == math.inf else value for name, value in dataclasses.asdict(algorithm).items()}


def algorithm_from_json(said: dict[str, Any]) -> Algorithm:
    """What ``algorithm_as_json`` wrote."""
    fields: dict[str, Any] = {name: math.inf if value == "inf" else value for name, value in said.items()}
    return Algorithm(**fields)
