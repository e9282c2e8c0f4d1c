"""Many spots at once: those of one template share one compiled program, and all cores or devices share the spots.

    batch = subgame.solve_many(spots, iterations=60)
    batch.ev, batch.exploitability_percent              # [spots, 2], [spots]
    batch[17].at("c").frequencies                       # a Solved, as subgame.solve returns

The betting trees of all spots are joined in one template, and what a spot's stacks do not allow is masked. On a CPU
each core takes spots one after the other, which keeps a spot's arrays in its cache; on accelerators many spots are one
computation. With a ``mesh`` every device takes an equal part of them.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame import betting, hand_places, regret_loop, template
from jaxpoker.solvers.subgame.hand_places import Places
from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.subgame.regret_loop import Measured, State
from jaxpoker.solvers.subgame.solved import Solved
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.subgame_game import SpotData, SubgameGame
from jaxpoker.solvers.tree import Tree

Array = jax.Array

AT_ONCE = 16  # spots of one call on a CPU; on accelerators these are one computation


class Batch(Sequence[Solved]):
    """Solved spots, in the order in which they were given."""

    def __init__(self, parts: dict[int, tuple[Made, int]]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, number: int) -> Solved: ...
    @overload
    def __getitem__(self, number: slice) -> list[Solved]: ...
    def __getitem__(self, number: int | slice) -> Solved | list[Solved]:
        if isinstance(number, slice):
            return [self[i] for i in range(len(self))[number]]
        made, at = self._parts[range(len(self))[number]]
        return made.solved(at)

    @property
    def ev(self) -> np.ndarray:
        """``[spots, 2]`` chips of oop and ip at the root, the pot included."""
        return np.stack([self._of(i).values + _share(self._spot(i)) for i in range(len(self))])

    @property
    def exploitability_percent(self) -> np.ndarray:
        """``[spots]``: % of the pot."""
        pots = np.array([self._spot(i).whole_pot for i in range(len(self))])
        gains = np.array([(self._of(i).best - self._of(i).values).mean() for i in range(len(self))])
        return 100 * gains / pots

    def _spot(self, number: int) -> Spot:
        made, at = self._parts[number]
        return made.problems[at].spot

    def _of(self, number: int) -> Measured:
        made, at = self._parts[number]
        return jax.tree.map(lambda x: x[at], made.quality)


def _share(spot: Spot) -> np.ndarray:
    return spot.pot / 2 + np.array(spot.bets)


class Problem(NamedTuple):
    """A spot on its way into a batch."""

    number: int
    spot: Spot
    tree: Tree
    places: Places


class Made(NamedTuple):
    """What a call made of some spots."""

    game: SubgameGame
    algorithm: Algorithm
    problems: list[Problem]
    state: State  # [spots, ...] NumPy
    quality: Measured

    def solved(self, at: int) -> Solved:
        _, spot, tree, places = self.problems[at]
        state: State = jax.tree.map(lambda x: jax.numpy.asarray(x[at]), self.state)
        dealt = regret_loop.prepare(self.game, self.game.data(spot, tree, places))
        quality = jax.tree.map(lambda x: x[at], self.quality)
        return Solved(
            spot, tree, places, self.game, self.algorithm, (), dealt, state, values=quality.values, best=quality.best
        )


def solve_many(
    spots: Sequence[Spot],
    iterations: int = 100,
    algorithm: str | Algorithm = "dcfr",
    symmetric: bool = False,
    mesh: Mesh | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Batch:
    """Solves all ``spots``, ``iterations`` each.

    ``symmetric``: suits that can be exchanged are solved once; turns with another number of different river cards then
    have programs of their own. ``threads``: cores of a CPU to use, all when None. ``progress`` is called with the
    number of spots done and of all.
    """
    if not spots:
        raise ValueError("no spots to solve")
    if iterations < 1:
        raise ValueError(f"iterations={iterations}: 1 or more")
    chosen = regret_loop.algorithm_of(algorithm)
    groups = _grouped(spots, symmetric)
    size = AT_ONCE if mesh is None else AT_ONCE * mesh.size
    parts = [(game, _parts(problems, size)) for game, problems in groups]
    first = [(game, some[0]) for game, some in parts]  # compiles
    others = [(game, part) for game, some in parts for part in some[1:]]
    found: dict[int, tuple[Made, int]] = {}
    workers = 1 if mesh is not None or jax.default_backend() != "cpu" else threads or os.cpu_count() or 1

    def make(call: tuple[SubgameGame, list[Problem]]) -> Made:
        return _solved(call[0], chosen, call[1], iterations, size, mesh)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for made in itertools.chain(map(make, first), pool.map(make, others)):
            for at, problem in enumerate(made.problems):
                found[problem.number] = (made, at)
            if progress is not None:
                progress(len(found), len(spots))
    return Batch(dict(sorted(found.items())))


def _grouped(spots: Sequence[Spot], symmetric: bool) -> list[tuple[SubgameGame, list[Problem]]]:
    """Spots that share a program, and the game of each such group."""
    problems: dict[Any, list[Problem]] = {}
    on_river = [number for number, spot in enumerate(spots) if spot.street == LAST_STREET]
    boards = np.array([spots[number].board for number in on_river]).reshape(-1, 5)
    of_hand = dict(zip(on_river, hand_places.strengths(boards) if on_river else (), strict=True))
    for number, spot in enumerate(spots):
        tree, places = betting.tree(spot), hand_places.of(spot, symmetric, of_hand.get(number))
        kind = (spot.street, spot.to_act, spot.rake > 0, places.sizes[len(places.streets) :])
        problems.setdefault(kind, []).append(Problem(number, spot, tree, places))
    groups = []
    for (street, _, raked, _), some in problems.items():
        shapes = {template.shape_of(problem.tree) for problem in some}
        game = SubgameGame(template.of(template.union(list(shapes)), street), len(shapes) > 1, raked)
        blocks = np.max([problem.places.sizes[: len(problem.places.streets)] for problem in some], axis=0).tolist()
        wide = [problem._replace(places=hand_places.widened(problem.places, blocks)) for problem in some]
        groups.append((game, wide))
    return groups


def _parts(problems: list[Problem], size: int) -> list[list[Problem]]:
    return [problems[at : at + size] for at in range(0, len(problems), size)]


def _solved(
    game: SubgameGame, algorithm: Algorithm, problems: list[Problem], iterations: int, size: int, mesh: Mesh | None
) -> Made:
    """One call; the last spot is repeated to fill it."""
    data = [game.data(problem.spot, problem.tree, problem.places) for problem in problems]
    data += [data[-1]] * (size - len(data))
    stacked: SpotData = jax.tree.map(lambda *leaves: np.stack(leaves), *data)
    if mesh is None:
        state, quality = _run(game, algorithm, stacked, np.int32(iterations))
    else:
        state, quality = _run_on(mesh, game, algorithm, stacked, np.int32(iterations))
    state, quality = jax.tree.map(lambda x: np.asarray(x)[: len(problems)], (state, quality))
    return Made(game, algorithm, problems, state, quality)


def _run_all(game: SubgameGame, algorithm: Algorithm, data: SpotData, iterations: Array) -> tuple[State, Measured]:
    def one(data: SpotData) -> tuple[State, Measured]:
        dealt = game.prepared(data)
        state = regret_loop.iterated(game, algorithm, dealt, regret_loop.start(game, algorithm, dealt), iterations)
        return state, regret_loop.measured(game, dealt, regret_loop.average(game, dealt, state))

    at_once = None if jax.default_backend() == "cpu" else AT_ONCE
    return jax.lax.map(one, data, batch_size=at_once)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _run(game: SubgameGame, algorithm: Algorithm, data: SpotData, iterations: Array) -> tuple[State, Measured]:
    return _run_all(game, algorithm, data, iterations)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _run_on(
    mesh: Mesh, game: SubgameGame, algorithm: Algorithm, data: SpotData, iterations: Array
) -> tuple[State, Measured]:
    """Every device solves its part of the spots."""
    each = PartitionSpec(mesh.axis_names)
    solve = jax.shard_map(
        functools.partial(_run_all, game, algorithm),
        mesh=mesh,
        in_specs=(each, PartitionSpec()),
        out_specs=each,
        check_vma=False,
    )
    return solve(data, iterations)
