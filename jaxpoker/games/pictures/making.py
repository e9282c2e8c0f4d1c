"""SVG files of states: one table, a grid of many, or one that plays by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.games.pictures import drawing
from jaxpoker.games.pictures.view import of_state

MOST = 16  # tables of a grid
_GAP = 12


def _tables(state: Any) -> list[Any]:
    """The tables of a batch one by one, on the host, or the only one."""
    host = jax.device_get(state)
    shape = np.shape(host.terminated)
    if not shape:
        return [host]
    flat = jax.tree.map(lambda x: np.reshape(x, (-1, *np.shape(x)[len(shape) :])), host)
    return [jax.tree.map(lambda x, n=n: x[n], flat) for n in range(min(math.prod(shape), MOST + 1))]


def _document(width: float, height: float, elements: str, scale: float) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width * scale:.0f}' height='{height * scale:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}'>{elements}</svg>"
    )


def svg(state: Any, seen_by: int | None = None, most: int = MOST, scale: float = 1.0) -> str:
    """The picture of a state, or of the first ``most`` of a batch; ``seen_by`` a seat: the others' cards face down."""
    tables = _tables(state)[: max(1, min(most, MOST))]
    views = [drawing.table(of_state(table, seen_by)) for table in tables]
    columns = math.ceil(math.sqrt(len(views)))
    rows = math.ceil(len(views) / columns)
    across, down = drawing.WIDTH + _GAP, drawing.HEIGHT + _GAP
    placed = "".join(
        f"<g transform='translate({across * (n % columns)} {down * (n // columns)})'>{view}</g>"
        for n, view in enumerate(views)
    )
    return _document(across * columns - _GAP, down * rows - _GAP, placed, scale / math.sqrt(columns))


def animation(states: Sequence[Any] | Any, seconds: float = 1.0, seen_by: int | None = None, scale: float = 1.0) -> str:
    """One table state after state, over and over: a list of states, or states with a leading axis of time."""
    frames = [_tables(one)[0] for one in states] if isinstance(states, Sequence) else _tables_in_time(states)
    if not frames:
        raise ValueError("an animation of no state: there is nothing to see")
    if seconds <= 0:
        raise ValueError(f"seconds = {seconds}: every state is shown for a while")
    length = seconds * len(frames)
    moving = []
    for n, frame in enumerate(frames):
        begins, ends = n / len(frames), (n + 1) / len(frames)
        times = sorted({0.0, begins, min(ends, 1.0)})
        values = ";".join("visible" if begins <= time < ends else "hidden" for time in times)
        moves = (
            f"<animate attributeName='visibility' dur='{length:g}s' repeatCount='indefinite' calcMode='discrete' "
            f"values='{values}' keyTimes='{';'.join(f'{time:.6g}' for time in times)}'/>"
        )
        # A browser that does not animate shows the last state.
        shown = "visible" if n == len(frames) - 1 else "hidden"
        moving.append(f"<g visibility='{shown}'>{moves}{drawing.table(of_state(frame, seen_by))}</g>")
    return _document(drawing.WIDTH, drawing.HEIGHT, "".join(moving), scale)


def _tables_in_time(states: Any) -> list[Any]:
    host = jax.device_get(states)
    if np.ndim(host.terminated) != 1:
        raise ValueError(f"states {np.shape(host.terminated)}: an animation has one axis, that of time")
    return [jax.tree.map(lambda x, n=n: x[n], host) for n in range(len(host.terminated))]


def save(state: Any, file: str | Path, seen_by: int | None = None, scale: float = 1.0) -> None:
    """Writes ``svg(state)``."""
    path = Path(file)
    if path.suffix != ".svg":
        raise ValueError(f"{path.name}: the name of a picture ends with .svg")
    try:
        path.write_text(svg(state, seen_by, scale=scale), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {path}: {error}") from error
