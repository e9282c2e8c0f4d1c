"""Measures jaxpoker and the libraries a user might take instead, side by side.

    .venv/bin/python scripts/bench.py --install     # once: installs the peers (extra "bench")
    .venv/bin/python scripts/bench.py               # everything, about twenty minutes on two cores
    .venv/bin/python scripts/bench.py --only leduc --json
    .venv/bin/python scripts/bench.py --write       # ... and the tables in docs/speed.md and README.md
    .venv/bin/python scripts/bench.py --against ../old   # this checkout against another one: 10 to 15 minutes

Each figure is measured in turns (ours, peer, ours, peer, ...) on the same work in the same run, so that what counts
is the ratio. A bar is what a figure has to reach; rows without one are there for comparison. The exit code is 1 when a
bar is missed or two contenders disagree on the answer.

--against compares two versions: both do their own work of a figure in processes of their own, by turns, and the ratio
of speeds, new / old, has a 95% interval. The exit code is 1 when the whole interval of a figure, by wall or by
processor time, lies below 0.95, two times out of two. Peers and the figures on memory are left out.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import jax
import tyro
from rich.console import Console

from bench_peers import peers, tables, two_versions
from bench_peers.figures import CORES, FIGURES, Figure, Peer
from bench_peers.timing import Measured, PeerMissing, Work, alternate
from jaxpoker.runs import summary

ROOT = Path(__file__).resolve().parent.parent
README, PAGE, KEPT = ROOT / "README.md", ROOT / "docs" / "speed.md", ROOT / "docs" / "bench.json"

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
        for work in (mine, *(work for _, work in present)):
            work.close()

    def row(**fields: Any) -> dict[str, Any]:
        return {
            "figure": figure.name,
            "unit": figure.unit,
            "by_median": figure.by_median,
            "ours": contender(measured),
            **fields,
        }

    if figure.at_least_per_s is not None:
        bar, met = {"at_least_per_s": figure.at_least_per_s}, measured.best_per_s >= figure.at_least_per_s
        rows.append(row(bar=bar, met=met))
    if figure.at_most_s is not None:
        seconds = (measured.median_seconds if figure.by_median else measured.best_seconds) / measured.amount
        rows.append(row(bar={"at_most_s": figure.at_most_s}, met=seconds <= figure.at_most_s))
    if figure.at_most_bytes is not None:
        met = measured.answer is not None and measured.answer <= figure.at_most_bytes
        rows.append(row(bar={"at_most_bytes": figure.at_most_bytes}, met=met))
    if not rows and not present:
        rows.append(row())
    for (peer, _), other in zip(present, others, strict=True):
        ratio = measured.best_per_s / other.best_per_s
        fields: dict[str, Any] = {
            "peer": peer.name,
            "package": peer.package or peer.name,
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


def commit() -> str:
    """Of what is measured; changed when the package or the bench is not as committed, whatever else is not."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)

    found = git("rev-parse", "--short", "HEAD").stdout.strip() or "unknown"
    changed = git("diff", "--quiet", "HEAD", "--", "jaxpoker", "scripts").returncode
    return f"{found}, changed" if changed else found


def origin() -> dict[str, Any]:
    """What the figures are measured on, when, and of what."""
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "processor": summary.processor(),
        "cores": CORES,
        "load": round(os.getloadavg()[0], 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "jax": metadata.version("jax"),
        "device": str(jax.devices()[0].device_kind),
    }


@dataclass(frozen=True)
class Options:
    """What to measure and how to show it."""

    only: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Only the figures whose name contains this."""
    repeats: int = 5
    """Timed repeats of each contender."""
    json: bool = False
    """One JSON document on standard output instead of the table."""
    write: bool = False
    """Keep the rows in docs/bench.json and put the tables into docs/speed.md and README.md; other rows stay."""
    against: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Another checkout of jaxpoker, an older version say, that runs with the same environment."""
    alternations: int = 7
    """Turns of each version with --against."""
    list: bool = False
    """Only list the figures."""
    install: bool = False
    """Install the peers into .venv first (extra "bench")."""


def main() -> int:
    options = tyro.cli(Options, description=__doc__, config=(tyro.conf.FlagCreatePairsOff,))
    console = Console(stderr=options.json)
    if not console.is_terminal:
        console.width = 160
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
    if options.against is not None:
        return compare_versions(options, options.against.resolve(), console)
    if options.install:
        if subprocess.run([ROOT / "scripts" / "setup_venv", "bench"]).returncode:
            return 1
        python = str(ROOT / ".venv" / "bin" / "python")  # a new process sees what was installed
        os.execv(python, [python, *(argument for argument in sys.argv if argument != "--install")])

    rows: list[dict[str, Any]] = []
    with console.status("") as status:
        for number, figure in enumerate(figures, 1):
            status.update(f"{number} of {len(figures)}: {figure.name}")
            made = origin()
            rows += [{**row, "made": made} for row in measure(figure, options.repeats)]
            if options.write:  # figure by figure: what was measured before an interruption stays
                write(rows)
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        console.print(tables.terminal(rows))
        for reason in dict.fromkeys(row["skipped"] for row in rows if "skipped" in row):
            console.print(f"[yellow]skipped:[/] {reason}", soft_wrap=True)
        console.print(tables.origin(rows), soft_wrap=True)
    failed = any(row.get("met") is False or row.get("agree") is False for row in rows)
    return 1 if failed else 0


def compare_versions(options: Options, old: Path, console: Console) -> int:
    """The figures of the checkout ``old`` and of this one, by turns."""
    if not (old / "scripts" / "bench_peers" / "figures.py").is_file():
        print(
            f"error: --against {options.against}: no checkout of jaxpoker, which has scripts/bench_peers",
            file=sys.stderr,
        )
        return 2
    if options.alternations < two_versions.LEAST_ALTERNATIONS:
        print(f"error: --alternations {options.alternations}: at least two, for an interval", file=sys.stderr)
        return 2
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))  # of both
    olds, news = (two_versions.figure_names(folder) for folder in (old, ROOT))
    names = [name for name in news if name in olds and options.only.lower() in name.lower()]
    rows: list[dict[str, Any]] = []
    with console.status("") as status:
        for number, name in enumerate(names, 1):
            status.update(f"{number} of {len(names)}: {name}")
            rows.append(two_versions.row(old, ROOT, name, options.alternations))
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        console.print(two_versions.terminal(rows))
        for row in rows:
            if "failed" in row:
                console.print(f"[red]failed:[/] {row['figure']}: {row['failed']}", soft_wrap=True)
    for folder, only_there in ((old, set(olds) - set(news)), (ROOT, set(news) - set(olds))):
        if only_there:
            console.print(f"only in {folder}, not compared: {', '.join(sorted(only_there))}", soft_wrap=True)
    return 1 if any(row.get("slower") or "failed" in row for row in rows) else 0


def write(rows: list[dict[str, Any]]) -> None:
    """Into docs/bench.json, docs/speed.md and README.md."""
    kept = tables.joined(tables.read_rows(KEPT), rows, [figure.name for figure in FIGURES])
    written = tables.written_into(PAGE.read_text(), kept)
    few = tables.written_into(README.read_text(), kept, few=True)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    PAGE.write_text(written)
    README.write_text(few)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped")
