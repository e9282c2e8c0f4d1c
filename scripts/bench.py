"""Measures jaxpoker and the libraries a user might take instead, side by side.

    .venv/bin/python scripts/bench.py --install     # once: installs the peers (extra "bench")
    .venv/bin/python scripts/bench.py               # everything, about six minutes on two cores
    .venv/bin/python scripts/bench.py --only leduc --json

Each figure is measured in turns (ours, peer, ours, peer, ...) on the same work in the same run, so that what counts
is the ratio. A bar is what a figure has to reach; rows without one are there for comparison. The exit code is 1 when a
bar is missed or two contenders disagree on the answer.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import jax
import tyro
from rich import box
from rich.console import Console
from rich.table import Table

from bench_peers import ours, peers
from bench_peers.inputs import FLOP, LEDUC_SAMPLED_TARGET, LEDUC_TARGET, VILLAIN_RANGE
from bench_peers.timing import Measured, PeerMissing, Work, alternate

ROOT = Path(__file__).resolve().parent.parent

Prepare = Callable[[], Work]


@dataclass(frozen=True)
class Peer:
    """Someone else's way to do a figure's work."""

    name: str
    prepare: Prepare
    at_least: float | None = None  # ours / peer in units a second; None: for comparison only
    package: str | None = None  # whose version to report, when it is not the name


@dataclass(frozen=True)
class Figure:
    """One row or more of the table: our work, the peers, and bars that need no peer."""

    name: str
    unit: str
    prepare: Prepare
    peers: tuple[Peer, ...] = ()
    at_least_per_s: float | None = None
    at_most_s: float | None = None  # for one unit
    tolerance: float = 0.0  # by which answers may differ


def play(name: str, length: int, **rules: Any) -> Prepare:
    return functools.partial(ours.random_play, name, length, **rules)


def open_spiel(part: str, prepare: Prepare, at_least: float | None = None) -> Peer:
    return Peer(f"open_spiel {part}", prepare, at_least, package="open_spiel")


def torch_threads(threads: int) -> Peer:
    prepare = functools.partial(peers.torch_network_forwards, threads)
    return Peer(f"torch, {threads} thread{'s' * (threads > 1)}", prepare, at_least=1, package="torch")


def evosax(algorithm: str) -> Peer:
    return Peer(f"evosax {algorithm}", functools.partial(peers.evosax_generations, algorithm), package="evosax")


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
IMPORT_JAX = Peer("import jax", functools.partial(peers.process_start, "import jax"), package="jax")

FIGURES = (
    Figure(
        "evaluator, from masks",
        "hands",
        ours.evaluator_of_masks,
        (Peer("sval", functools.partial(peers.sval, "masks"), at_least=2),),
    ),
    Figure(
        "evaluator, from ids",
        "hands",
        ours.evaluator_of_ids,
        (
            Peer("pkrbot", peers.pkrbot_evaluator, at_least=15),
            Peer("eval7", peers.eval7_evaluator, at_least=15),
            Peer("treys", peers.treys_evaluator, at_least=15),
        ),
    ),
    Figure(
        "equity, sampled: AhKh against a random hand",
        "samples",
        functools.partial(ours.sampled_equity, "random", ""),
        (Peer("eval7", functools.partial(peers.eval7_sampled, "random", ""), at_least=2),),
        tolerance=2e-3,
    ),
    Figure(
        "equity, sampled: AhKh against a range on Qh7h2c",
        "samples",
        functools.partial(ours.sampled_equity, VILLAIN_RANGE, FLOP),
        (Peer("eval7", functools.partial(peers.eval7_sampled, VILLAIN_RANGE, FLOP), at_least=2),),
        tolerance=2e-3,
    ),
    Figure(
        "equity, exact: AhKh against a random hand on Qh7h2c",
        "calls",
        ours.exact_flop_equity,
        (
            Peer("sval", functools.partial(peers.sval, "exact flop")),
            Peer("eval7", peers.eval7_exact_flop),
        ),
        at_most_s=0.050,
        tolerance=1e-6,
    ),
    Figure(
        "random play: kuhn",
        "steps",
        play("kuhn", 1_000),
        (
            Peer("pgx", functools.partial(peers.pgx_random_play, "kuhn_poker", 200), at_least=2),
            Peer("open_spiel", functools.partial(peers.open_spiel_random_play, "kuhn_poker")),
        ),
    ),
    Figure(
        "random play: leduc",
        "steps",
        play("leduc", 400),
        (
            Peer("pgx", functools.partial(peers.pgx_random_play, "leduc_holdem", 100), at_least=4),
            Peer("open_spiel", functools.partial(peers.open_spiel_random_play, "leduc_poker")),
        ),
    ),
    Figure(
        "random play: hold'em, 2 players",
        "steps",
        play("holdem", 200, num_players=2),
        (Peer("pokers", functools.partial(peers.pokers_random_play, 2), at_least=10),),
    ),
    Figure(
        "random play: hold'em, 6 players",
        "steps",
        play("holdem", 60, num_players=6),
        (Peer("pokers", functools.partial(peers.pokers_random_play, 6)),),
        at_least_per_s=1e6,
    ),
    Figure(
        "random play: Chicago, 4 players, 1,024 tables",
        "steps",
        play("chicago", 100, tables=1_024, num_players=4),
        at_least_per_s=200_000,
    ),
    Figure(
        "dealing nine cards",
        "tables",
        functools.partial(ours.dealt_cards, 1 << 20),
        (Peer("jax permutation", functools.partial(peers.permuted_decks, 1 << 14), package="jax"),),
    ),
    Figure(
        "solving: Leduc, CFR+",
        "iterations",
        functools.partial(ours.cfr_plus_iterations, 4_000, "leduc"),
        (
            open_spiel("JAX", functools.partial(peers.open_spiel_iterations, peers.open_spiel_jax), at_least=15),
            open_spiel("C++", functools.partial(peers.open_spiel_iterations, peers.open_spiel_cpp)),
        ),
        tolerance=1e-5,
    ),
    Figure(
        f"solving: Leduc to exploitability {LEDUC_TARGET}",
        "calls",
        ours.solved_leduc,
        (
            open_spiel("JAX", functools.partial(peers.open_spiel_solved, peers.open_spiel_jax)),
            open_spiel("C++", functools.partial(peers.open_spiel_solved, peers.open_spiel_cpp, once=True)),
        ),
        at_most_s=0.1,
        tolerance=4 * LEDUC_TARGET,  # each value is within NashConv, twice the target, of the game's
    ),
    Figure(
        "solving: push/fold with 10 big blinds, CFR+",
        "iterations",
        functools.partial(
            ours.cfr_plus_iterations, 2_000, "holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2
        ),
    ),
    Figure(
        "solving: Leduc, external sampling",
        "walks",
        functools.partial(ours.sampled_walks, "external"),
        (open_spiel("C++", functools.partial(peers.open_spiel_walks, "external", 20_000)),),
    ),
    Figure(
        "solving: Leduc, outcome sampling",
        "walks",
        functools.partial(ours.sampled_walks, "outcome"),
        (open_spiel("C++", functools.partial(peers.open_spiel_walks, "outcome", 80_000)),),
    ),
    Figure(
        f"solving: Leduc by external sampling to exploitability {LEDUC_SAMPLED_TARGET}",
        "calls",
        functools.partial(ours.leduc_solved_by_sampling, "external", 100),
        at_most_s=10.0,
    ),
    Figure(
        f"solving: Leduc by public chance sampling to exploitability {LEDUC_SAMPLED_TARGET}",
        "calls",
        functools.partial(ours.leduc_solved_by_sampling, "public", 10),
        at_most_s=10.0,
    ),
    Figure(
        "solving: hold'em with 100 big blinds, 6/9/9/9 buckets",
        "boards",
        ours.boards_of_the_large_tree,
        at_least_per_s=8,
    ),
    Figure(
        "exploitability: Leduc, a half-trained strategy",
        "strategies",
        ours.leduc_exploitability,
        (open_spiel("C++", peers.open_spiel_nash_conv),),
        at_least_per_s=100,
        tolerance=1e-5,
    ),
    Figure(
        "evolution: decisions of 50 PokerNets at 64 tables each",
        "decisions",
        ours.network_forwards,
        tuple(torch_threads(threads) for threads in sorted({1, CORES})),
        tolerance=1e-2,
    ),
    Figure(
        "evolution: breeding 50 PokerNets",
        "generations",
        ours.bred_generations,
        (evosax("SimpleGA"), evosax("SNES"), evosax("Open_ES")),
    ),
    Figure(
        "evolution: a generation, stacks carried over",
        "hands",
        functools.partial(ours.evolved_generation, "seed"),
        at_least_per_s=40_000,
    ),
    Figure(
        "evolution: a generation, stacks reset",
        "hands",
        functools.partial(ours.evolved_generation, "paper"),
        at_least_per_s=40_000,
    ),
    Figure(
        "reinforce: Chicago, 2 players, REINFORCE",
        "decisions",
        functools.partial(ours.learned_decisions, 2, minibatches=8),
        at_least_per_s=12_000,
    ),
    Figure(
        "reinforce: Chicago, 4 players, REINFORCE",
        "decisions",
        functools.partial(ours.learned_decisions, 4, minibatches=8),
        at_least_per_s=12_000,
    ),
    Figure(
        "dqn: decisions of both seats, a gradient step for 128",
        "decisions",
        ours.dqn_decisions,
        at_least_per_s=50_000,
    ),
    Figure(
        "dqn: gradient steps of 64, 200-256-256-256-9",
        "steps",
        ours.dqn_gradient_steps,
        (Peer("rlcard DQN", peers.rlcard_gradient_steps, package="rlcard"),),
    ),
    Figure(
        "starting: import jaxpoker",
        "starts",
        functools.partial(peers.process_start, "import jaxpoker"),
        (dataclasses.replace(IMPORT_JAX, at_least=1 / 1.5),),
    ),
    Figure(
        "starting: import jaxpoker and make hold'em",
        "starts",
        functools.partial(peers.process_start, "import jaxpoker; jaxpoker.make('holdem')"),
        (IMPORT_JAX,),
    ),
)


# --- measuring --------------------------------------------------------------------------------


def contender(measured: Measured) -> dict[str, Any]:
    return {
        "amount": measured.amount,
        "repeats": len(measured.repeats),
        "best_per_s": measured.best_per_s,
        "median_per_s": measured.median_per_s,
        "best_s": measured.best_seconds,
        "median_s": measured.median_seconds,
        "cores_used": round(measured.cores, 2),
        "answer": measured.answer,
    }


def measure(figure: Figure, repeats: int) -> list[dict[str, Any]]:
    """One row for our own bar (or when there is no peer), then one per peer."""
    rows: list[dict[str, Any]] = []
    mine = figure.prepare()
    present: list[tuple[Peer, Work]] = []
    skipped: list[dict[str, Any]] = []
    try:
        for peer in figure.peers:
            try:
                present.append((peer, peer.prepare()))
            except PeerMissing as missing:
                skipped.append({"figure": figure.name, "unit": figure.unit, "peer": peer.name, "skipped": str(missing)})
        measured, *others = alternate([mine, *(work for _, work in present)], repeats)
    finally:
        for _, work in present:
            work.close()

    def row(**fields: Any) -> dict[str, Any]:
        return {"figure": figure.name, "unit": figure.unit, "ours": contender(measured), **fields}

    if figure.at_least_per_s is not None:
        bar, met = {"at_least_per_s": figure.at_least_per_s}, measured.best_per_s >= figure.at_least_per_s
        rows.append(row(bar=bar, met=met))
    if figure.at_most_s is not None:
        seconds = measured.best_seconds / measured.amount
        rows.append(row(bar={"at_most_s": figure.at_most_s}, met=seconds <= figure.at_most_s))
    if not rows and not present:
        rows.append(row())
    for (peer, _), other in zip(present, others, strict=True):
        ratio = measured.best_per_s / other.best_per_s
        fields: dict[str, Any] = {
            "peer": peer.name,
            "version": version_of(peer.package or peer.name),
            "theirs": contender(other),
            "ratio_of_bests": ratio,
            "ratio_of_medians": measured.median_per_s / other.median_per_s,
        }
        if measured.answer is not None and other.answer is not None:
            fields["agree"] = abs(measured.answer - other.answer) <= figure.tolerance
        if peer.at_least is not None:
            fields |= {"bar": {"ratio_at_least": peer.at_least}, "met": ratio >= peer.at_least}
        rows.append(row(**fields))
    return rows + skipped


def version_of(package: str) -> str | None:
    if package == "sval":  # it lives elsewhere
        return next(pin for pin in peers.SVAL_REQUIREMENTS if pin.startswith("sval==")).removeprefix("sval==")
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {
        "processor": model,
        "cores": CORES,
        "load": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "jax": metadata.version("jax"),
        "device": str(jax.devices()[0].device_kind),
    }


# --- showing ----------------------------------------------------------------------------------


def amount_text(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def seconds_text(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def speed_text(side: dict[str, Any]) -> str:
    return seconds_text(side["best_s"]) if side["amount"] == 1 else amount_text(side["best_per_s"])


def ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def bar_text(row: dict[str, Any]) -> str:
    bar = row.get("bar", {})
    if "ratio_at_least" in bar:
        return f"≥ {bar['ratio_at_least']:.3g}x"
    if "at_least_per_s" in bar:
        return f"≥ {amount_text(bar['at_least_per_s'])}/s"
    if "at_most_s" in bar:
        return f"≤ {seconds_text(bar['at_most_s'])}"
    return ""


def verdict(row: dict[str, Any]) -> str:
    if row.get("agree") is False:
        return "[red]answers differ[/]"
    if "met" not in row:
        return ""
    return "[green]met[/]" if row["met"] else "[red]missed[/]"


def table_of(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(title="jaxpoker and its peers, best of the repeats (ratio of medians in brackets)", box=box.SIMPLE)
    table.add_column("figure")
    for heading in ("ours", "peer", "theirs", "ratio", "cores", "bar", ""):
        table.add_column(heading, no_wrap=True, justify="left" if heading in ("peer", "") else "right")
    last = None
    for row in rows:
        if row["figure"] != last:
            table.add_section()
        unit = "" if row["unit"] in ("calls", "starts") else f", {row['unit']}/s"
        name, last = row["figure"] + unit if row["figure"] != last else "", row["figure"]
        if "skipped" in row:
            table.add_row(name, "", row["peer"], "[yellow]skipped[/]")
            continue
        mine, theirs = row["ours"], row.get("theirs")
        cells = [name, speed_text(mine)]
        if theirs:
            ratios = f"{ratio_text(row['ratio_of_bests'])} ({ratio_text(row['ratio_of_medians'])})"
            cores = f"{mine['cores_used']:.1f} / {theirs['cores_used']:.1f}"
            cells += [f"{row['peer']} {row['version'] or ''}", speed_text(theirs), ratios, cores]
        else:
            cells += ["", "", "", f"{mine['cores_used']:.1f}"]
        table.add_row(*cells, bar_text(row), verdict(row))
    return table


@dataclass(frozen=True)
class Options:
    """What to measure and how to show it."""

    only: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Only the figures whose name contains this."""
    repeats: int = 5
    """Timed repeats of each contender."""
    json: bool = False
    """One JSON document on standard output instead of the table."""
    list: bool = False
    """Only list the figures."""
    install: bool = False
    """Install the peers into .venv first (extra "bench")."""


def main() -> int:
    options = tyro.cli(Options, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    console = Console(stderr=options.json)
    if not console.is_terminal:
        console.width = 120
    figures = [figure for figure in FIGURES if options.only.lower() in figure.name.lower()]
    if not figures or options.list:
        names = "\n".join(f"  {figure.name}" for figure in FIGURES)
        if not figures:
            print(f"error: no figure's name contains {options.only!r}; there are:\n{names}", file=sys.stderr)
            return 2
        print(names)
        return 0
    if options.repeats < 1:
        print(f"error: --repeats {options.repeats}: at least one repeat", file=sys.stderr)
        return 2
    if options.install:
        if subprocess.run([ROOT / "scripts" / "setup_venv", "bench"]).returncode:
            return 1
        python = str(ROOT / ".venv" / "bin" / "python")  # a new process sees what was installed
        os.execv(python, [python, *(argument for argument in sys.argv if argument != "--install")])

    rows: list[dict[str, Any]] = []
    with console.status("") as status:
        for number, figure in enumerate(figures, 1):
            status.update(f"{number} of {len(figures)}: {figure.name}")
            rows += measure(figure, options.repeats)
    here = machine()
    if options.json:
        print(json.dumps({"machine": here, "rows": rows}, indent=1))
    else:
        console.print(table_of(rows))
        for reason in dict.fromkeys(row["skipped"] for row in rows if "skipped" in row):
            console.print(f"[yellow]skipped:[/] {reason}", soft_wrap=True)
        console.print(", ".join(f"{key} {value}" for key, value in here.items()), soft_wrap=True)
    failed = any(row.get("met") is False or row.get("agree") is False for row in rows)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped")
