"""Measures what more tables, a larger population, more boards and more devices cost.

    .venv/bin/python scripts/scaling.py                        # everything: ten minutes, most of them compiling
    .venv/bin/python scripts/scaling.py --only "random play"   # the works whose name has this in it
    .venv/bin/python scripts/scaling.py --devices 1 2 4 8      # on eight GPUs, say

Writes docs/scaling.json and pictures beside it: scaling-size.png (work a second against size, on one device),
scaling-speed.png and scaling-processor.png (speed, and processor time of the host, on n devices over those on one, at
the same size). Each figure is the best of several repeats, in a process of its own for each number of devices. Where
the devices are CPU cores, a process is given as many as it is asked for; more devices than cores share them, and where
others work on the machine processor time is the figure to go by.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import tyro
from rich.console import Console
from rich.table import Table

import jaxpoker
from jaxpoker import core, devices, match, players, plots, solvers
from jaxpoker.files import write_whole
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Belief
from jaxpoker.learners.evolution.learner import PROTOCOLS, Evolution
from jaxpoker.learners.policy_gradient.reinforce import Reinforce
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, Phase
from jaxpoker.models import belief, observer
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.runs import summary

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
TABLES = (256, 1_024, 4_096, 16_384)
TURNS = 16  # of a call
LEAST_SECONDS = 0.5  # that repeats take together
MENU = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"  # of the tree that boards are drawn for
Mesh = jax.sharding.Mesh | None
Array = jax.Array


class Work(NamedTuple):
    """Something to repeat: ``step`` makes of a state the next one and whatever it found."""

    state: Any
    step: Callable[[Any], tuple[Any, Any]]
    amount: Callable[[Any], float]  # units of work in what was found


@dataclass(frozen=True)
class Subject:
    """What is measured at several sizes."""

    make: Callable[[int, Mesh], Work]
    unit: str
    of: str  # what its size is a number of
    sizes: tuple[int, ...]
    shared_at: int  # the size at which numbers of devices are compared


# --- works ------------------------------------------------------------------------------------


def random_play(name: str) -> Callable[[int, Mesh], Work]:
    """Games of random actions, with automatic new ones, from a state to the same state ``TURNS`` later."""
    game = jaxpoker.make(name)

    def make(tables: int, mesh: Mesh) -> Work:
        @jax.jit
        def begin(key: Array) -> Any:
            return devices.spread(mesh, jax.vmap(game.start)(game.deal(key, (tables,))))

        def turn(state: Any, key: Array) -> tuple[Any, Array]:
            action_key, deal_key = jax.random.split(key)
            action = core.random_action(action_key, state.legal_action_mask)
            after, _, over = core.play_on(game, state, action, deal_key)
            return devices.spread(mesh, after), over.sum()

        @jax.jit
        def play(carry: tuple[Any, Array]) -> tuple[tuple[Any, Array], Array]:
            state, key = carry
            key, own = jax.random.split(key)
            state, over = jax.lax.scan(turn, state, jax.random.split(own, TURNS))
            return (state, key), over.sum()

        return Work((begin(jax.random.key(0)), jax.random.key(1)), play, lambda _: tables * TURNS)

    return make


def duplicate_match(tables: int, mesh: Mesh) -> Work:
    game = jaxpoker.make("holdem")
    bots = [players.make(name, game) for name in ("random", "tag")]

    def play(key: Array) -> tuple[Array, match.Result]:
        key, own = jax.random.split(key)
        return key, match.play(game, bots, own, tables=tables, hands_per_table=1, mesh=mesh)

    return Work(jax.random.key(0), play, lambda result: result.hands)


def learner_work(learner: Any, decisions: float | None = None) -> Work:
    """Updates of a learner or solver; without ``decisions``, what its metrics say of them."""
    return Work(
        learner.init(jax.random.key(0)),
        learner.update,
        lambda found: decisions or float(found["hands"]),
    )


def generation(individuals: int, mesh: Mesh) -> Work:
    return learner_work(Evolution(PROTOCOLS["seed"], individuals, hands=25, win_samples=50, mesh=mesh))


def double_dqn(tables: int, mesh: Mesh) -> Work:
    game = jaxpoker.make("leduc")
    phase = Phase("A", (1.0, 0.0), 1_000_000, DoubleDQN(saved_networks.value_network("leduc")))
    opponents = (Entrant(players.make("random", game)),)
    capacity = max(4 * tables * TURNS, 65_536)
    learner = DQN(game, opponents, (phase,), tables=tables, turns=TURNS, capacity=capacity, mesh=mesh)
    return learner_work(learner, tables * TURNS)


def reinforce(tables: int, mesh: Mesh) -> Work:
    game = jaxpoker.make("leduc")
    learner = Reinforce(game, observer.network(game), tables=tables, turns=TURNS, minibatches=4, mesh=mesh)
    return learner_work(learner, tables * TURNS)


def beliefs(tables: int, mesh: Mesh) -> Work:
    game = jaxpoker.make("leduc")
    network = belief.network(game, belief.Sizes(layers=2, feed_forward=128))
    search = Search(simulations=4, depth=1)
    return learner_work(Belief(game, network, search, tables=tables, turns=TURNS, mesh=mesh), tables * TURNS)


def public_sampling(boards: int, mesh: Mesh) -> Work:
    """Boards between types of hands, each iteration on its own boards."""
    game = Holdem(menu=MENU, stack=200, small_blind=5, big_blind=10)
    return learner_work(solvers.make("dcfr", game, cards="rank_based", batch=boards, mesh=mesh), boards)


SUBJECTS = {
    "random play, leduc": Subject(random_play("leduc"), "decisions", "tables", TABLES, 16_384),
    "random play, hold'em": Subject(random_play("holdem"), "decisions", "tables", TABLES, 16_384),
    "random play, chicago": Subject(random_play("chicago"), "decisions", "tables", TABLES, 4_096),
    "duplicate match, hold'em": Subject(duplicate_match, "hands", "tables", TABLES, 4_096),
    "generation of evolution": Subject(generation, "hands", "individuals", (8, 64), 64),
    "Double DQN, leduc": Subject(double_dqn, "decisions", "tables", (256, 4_096), 4_096),
    "REINFORCE, leduc": Subject(reinforce, "decisions", "tables", TABLES, 4_096),
    "beliefs, leduc": Subject(beliefs, "decisions", "tables", (256, 4_096), 4_096),
    "public sampling, hold'em": Subject(public_sampling, "boards", "boards", (2, 8, 32), 32),
}


# --- measuring --------------------------------------------------------------------------------


def measure(name: str, size: int, number: int, repeats: int) -> dict[str, Any]:
    """The best of the repeats, after one that compiles."""
    subject = SUBJECTS[name]
    mesh = devices.mesh(number, size if subject.of != "individuals" else None, subject.of)
    made = subject.make(size, mesh)
    state, found = made.step(made.state)
    jax.block_until_ready((state, found))
    held = sum(x.nbytes for x in jax.tree.leaves(state))
    seconds: list[float] = []
    processor: list[float] = []
    amount: list[float] = []
    while len(seconds) < repeats or sum(seconds) < LEAST_SECONDS:
        wall, used = time.perf_counter(), time.process_time()
        state, found = made.step(state)
        jax.block_until_ready((state, found))
        seconds.append(time.perf_counter() - wall)
        processor.append(time.process_time() - used)
        amount.append(made.amount(found))
    best = max(range(len(seconds)), key=lambda i: amount[i] / seconds[i])
    return {
        "name": name,
        "unit": subject.unit,
        "of": subject.of,
        "size": size,
        "devices": number,
        "best_s": seconds[best],
        "per_s": amount[best] / seconds[best],
        "processor_s": min(processor),
        "state_bytes": held,
    }


def measured_apart(name: str, sizes: tuple[int, ...], number: int, repeats: int) -> list[dict[str, Any]]:
    """Likewise, each size after the other in a process that has so many devices."""
    request = json.dumps([name, sizes, number, repeats])
    env = {**os.environ, "JAX_NUM_CPU_DEVICES": str(number)}
    command = [sys.executable, str(Path(__file__).resolve()), "--request", request]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValueError(f"{name} on {number} devices failed: see above; are there so many?")
    rows: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return rows


# --- for people -------------------------------------------------------------------------------


def origin(load: list[float]) -> dict[str, Any]:
    """What the figures are measured on, when, and of what."""
    return {
        "date": datetime.date.today().isoformat(),
        "commit": summary.commit_of(ROOT / "jaxpoker"),
        "cores": os.cpu_count(),
        "processor": summary.processor(),
        "load_average": [round(x, 1) for x in load],  # of the minute before the first work, and before each other
        "python": platform.python_version(),
        "jax": jax.__version__,
    }


def by_size(rows: list[dict[str, Any]]) -> dict[str, tuple[list[float], list[float]]]:
    """Speed on one device over that at the smallest size, against size over the smallest."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for name, subject in SUBJECTS.items():
        mine = [row for row in rows if row["name"] == name and row["devices"] == 1]
        if mine:
            first = mine[0]
            ratios = [(row["size"] / first["size"], row["per_s"] / first["per_s"]) for row in mine]
            found[f"{name} (1 is {first['size']:,} {subject.of})"] = ([x for x, _ in ratios], [y for _, y in ratios])
    return found


def by_devices(rows: list[dict[str, Any]], figure: str) -> dict[str, tuple[list[float], list[float]]]:
    """A figure on n devices over that on one, at the size where both were measured."""
    alone = {row["name"]: row[figure] for row in rows if row["devices"] == 1 and _is_shared(row)}
    found: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        if _is_shared(row) and row["name"] in alone:
            numbers, ratios = found.setdefault(f"{row['name']}, {row['size']:,} {row['of']}", ([], []))
            numbers.append(row["devices"])
            ratios.append(row[figure] / alone[row["name"]])
    return {label: curve for label, curve in found.items() if len(curve[0]) > 1}


def _is_shared(row: dict[str, Any]) -> bool:
    """Whether numbers of devices are compared at its size."""
    return bool(row["size"] == SUBJECTS[row["name"]].shared_at)


def draw(rows: list[dict[str, Any]]) -> None:
    """The pictures of what there are rows for."""
    pictures = {
        "size": (by_size(rows), "times the smallest size", "times the speed there", "One device", True),
        "speed": (by_devices(rows, "per_s"), "devices", "times the speed of one", "Speed", False),
        "processor": (by_devices(rows, "processor_s"), "devices", "times that of one", "Processor time", False),
    }
    for name, (series, xlabel, ylabel, title, log) in pictures.items():
        if series:
            plots.curves(DOCS / f"scaling-{name}.png", series, xlabel, ylabel, title, log_x=log, log_y=log)


def table(rows: list[dict[str, Any]]) -> Table:
    shown = Table(box=None, pad_edge=False)
    for heading in ("what", "size", "devices", "seconds", "processor seconds", "a second", "state"):
        shown.add_column(heading, justify="left" if heading == "what" else "right")
    for row in rows:
        shown.add_row(
            row["name"],
            f"{row['size']:,} {row['of']}",
            str(row["devices"]),
            f"{row['best_s']:.4f}",
            f"{row['processor_s']:.4f}",
            f"{row['per_s']:,.0f} {row['unit']}",
            f"{row['state_bytes'] / 1e6:.2f} MB",
        )
    return shown


@dataclass(frozen=True)
class Options:
    """What to measure."""

    only: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Only the works whose name contains this; the others' rows stay what they were."""
    devices: tuple[int, ...] = (1, 2)
    """Numbers of devices to compare; all sizes are measured on one."""
    repeats: int = 5
    """Timed repeats of each."""
    request: Annotated[str, tyro.conf.arg(metavar="JSON")] = ""
    """What this script asks itself for, in other processes."""


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(Options, args=arguments, description=__doc__)
    if options.request:
        name, sizes, number, repeats = json.loads(options.request)
        print(json.dumps([measure(name, size, number, repeats) for size in sizes]))
        return 0
    try:
        write(options, Console())
    except ValueError as error:
        print(f"scripts/scaling.py: {error}", file=sys.stderr)
        return 2
    return 0


def write(options: Options, console: Console) -> None:
    chosen = {name: subject for name, subject in SUBJECTS.items() if options.only.lower() in name.lower()}
    if not chosen:
        raise ValueError(f"--only {options.only!r}: there are {'; '.join(SUBJECTS)}")
    if 1 not in options.devices or min(options.devices) < 1 or options.repeats < 1:
        raise ValueError(
            f"--devices {options.devices}, --repeats {options.repeats}: 1 or more, and 1 device among them"
        )
    kept = json.loads((DOCS / "scaling.json").read_text())["rows"] if (DOCS / "scaling.json").is_file() else []
    rows, load = [row for row in kept if row["name"] in SUBJECTS and row["name"] not in chosen], []
    for name, subject in chosen.items():
        load.append(os.getloadavg()[0])
        with console.status(name):
            for number in options.devices:
                sizes = subject.sizes if number == 1 else (subject.shared_at,)
                rows += measured_apart(name, sizes, number, options.repeats)
        console.print(table([row for row in rows if row["name"] == name]))
    rows.sort(key=lambda row: (list(SUBJECTS).index(row["name"]), row["devices"], row["size"]))
    write_whole(DOCS / "scaling.json", json.dumps({**origin(load), "rows": rows}, indent=1) + "\n")
    draw(rows)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped")
