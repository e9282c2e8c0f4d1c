"""The figures as tables: one for the terminal, one between two marks of docs/speed.md, and a few rows for README.md.

A row is what ``bench.measure`` makes of a figure and one of its contenders or bars; ``docs/bench.json`` keeps all rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from bench_peers.figures import BYTES, CALLS, GIGABYTE

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
FEW_BEGIN, FEW_END = "<!-- bench-few:begin -->", "<!-- bench-few:end -->"
FEW = (  # figures that README.md shows
    "seven-card hands, from suit masks",
    "equity against a random hand",
    "random play at 8,192 tables: Leduc",
    "random play at 8,192 tables: hold'em, two players",
    "Leduc by CFR+",
    "Leduc by external sampling",
    "Double DQN on hold'em, a gradient step of 64 for each 128 decisions",
)

Row = dict[str, Any]

# --- numbers ----------------------------------------------------------------------------------


def amount_text(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{_digits(value / size)} {letter}"
    return _digits(value)


def _digits(value: float) -> str:
    """Three digits, at least all before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def seconds_text(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{_digits(1e3 * seconds)} ms"


def side_text(row: Row, side: Row) -> str:
    """What a contender reached: bytes, seconds or units a second."""
    if row["unit"] == BYTES:
        return f"{side['answer'] / GIGABYTE:.2f} GB"
    if row["unit"] == CALLS:
        return seconds_text(side["median_s" if row.get("by_median") else "best_s"])
    return amount_text(side["best_per_s"])


def ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.2g} ×"


def bar_text(row: Row) -> str:
    bar = row.get("bar", {})
    if "ratio_at_least" in bar:
        least = bar["ratio_at_least"]
        return f"≥ {least:.3g} ×" if least >= 1 else f"≤ {1 / least:.3g} × the time"
    if "at_least_per_s" in bar:
        return f"≥ {amount_text(bar['at_least_per_s'])}"
    if "at_most_s" in bar:
        return f"≤ {seconds_text(bar['at_most_s'])}"
    if "at_most_bytes" in bar:
        return f"≤ {bar['at_most_bytes'] / GIGABYTE:g} GB"
    return ""


def figure_text(row: Row) -> str:
    return row["figure"] if row["unit"] in (CALLS, BYTES) else f"{row['figure']}: {row['unit']} a second"


# --- the terminal -----------------------------------------------------------------------------


def verdict(row: Row) -> str:
    if row.get("agree") is False:
        return "[red]answers differ[/]"
    if "met" not in row:
        return ""
    return "[green]met[/]" if row["met"] else "[red]missed[/]"


def terminal(rows: Sequence[Row]) -> Table:
    table = Table(title="jaxpoker and its peers, best of the repeats (ratio of medians in brackets)", box=box.SIMPLE)
    table.add_column("figure", min_width=40)
    for heading in ("ours", "peer", "theirs", "ratio", "cores", "bar", ""):
        table.add_column(heading, no_wrap=True, justify="left" if heading in ("peer", "") else "right")
    last = None
    for row in rows:
        if row["figure"] != last:
            table.add_section()
        name, last = figure_text(row) if row["figure"] != last else "", row["figure"]
        if "skipped" in row:
            table.add_row(name, "", row["peer"], "[yellow]skipped[/]")
            continue
        mine, theirs = row["ours"], row.get("theirs")
        cells = [name, side_text(row, mine)]
        if theirs:
            ratios = f"{ratio_text(row['ratio_of_bests'])} ({ratio_text(row['ratio_of_medians'])})"
            cores = f"{mine['cores_used']:.1f} / {theirs['cores_used']:.1f}"
            cells += [f"{row['peer']} {row['version'] or ''}", side_text(row, theirs), ratios, cores]
        else:
            cells += ["", "", "", f"{mine['cores_used']:.1f}"]
        table.add_row(*cells, bar_text(row), verdict(row))
    return table


# --- Markdown ---------------------------------------------------------------------------------


def markdown(rows: Sequence[Row]) -> str:
    """The table: what, ours, the peer's, the ratio, the bar."""
    lines = ["| what | jaxpoker | peer | ratio | bar |", "|---|--:|--:|--:|--:|"]
    last = None
    for row in rows:
        name, last = figure_text(row) if row["figure"] != last else "", row["figure"]
        if "skipped" in row:
            lines.append(f"| {name} | | {row['peer']}: not measured | | |")
            continue
        mine = side_text(row, row["ours"]) if name else ""
        peer = f"{row['peer']} {side_text(row, row['theirs'])}" if "theirs" in row else ""
        ratio = ratio_text(row["ratio_of_bests"]) if "theirs" in row else ""
        bar = bar_text(row) + ("" if row.get("met", True) else ", **missed**")
        lines.append("| " + " | ".join((name, mine, peer, ratio, bar)) + " |")
    return "\n".join(lines)


def origin(rows: Sequence[Row]) -> str:
    """Where, when and with what the rows were measured, and what else the machine had to do."""
    made = [row["made"] for row in rows]

    def all_of(name: str) -> str:
        return " and ".join(dict.fromkeys(str(one[name]) for one in made))

    loads = sorted(one["load"] for one in made)
    load = f"{loads[0]:g}" if loads[0] == loads[-1] else f"{loads[0]:g} to {loads[-1]:g}"
    versions = {row["package"]: row["version"] for row in rows if row.get("version") and row["package"] != "jax"}
    peers = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"Measured on {all_of('date')}, commit {all_of('commit')}: {all_of('cores')} cores of {all_of('processor')}, "
        f"{all_of('system')}, Python {all_of('python')}, jax {all_of('jax')}; the load before was {load}. "
        f"Peers: {peers}."
    )


def block(rows: Sequence[Row]) -> str:
    """What stands between the marks."""
    return f"{BEGIN}\n{markdown(rows)}\n\n{origin(rows)}\n{END}"


def few_block(rows: Sequence[Row]) -> str:
    """What stands between the marks of README.md."""
    return f"{FEW_BEGIN}\n{markdown([row for row in rows if row['figure'] in FEW])}\n{FEW_END}"


def written_into(text: str, rows: Sequence[Row], few: bool = False) -> str:
    """``text`` with the block of ``rows``, or of a ``few`` of them, instead of the one that it has."""
    first, last = (FEW_BEGIN, FEW_END) if few else (BEGIN, END)
    begin, end = text.find(first), text.find(last)
    if not 0 <= begin < end:
        raise ValueError(f"the page has no {first} ... {last}: put the two marks where the table shall stand")
    return text[:begin] + (few_block(rows) if few else block(rows)) + text[end + len(last) :]


# --- docs/bench.json --------------------------------------------------------------------------


def read_rows(path: Path) -> list[Row]:
    """The rows that were kept; none when there is no such file."""
    if not path.exists():
        return []
    rows: list[Row] = json.loads(path.read_text())
    return rows


def joined(old: Sequence[Row], new: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """The rows of the figures ``names``, in that order: the new ones where a figure was measured again."""
    measured = {row["figure"] for row in new}
    kept = [row for row in old if row["figure"] not in measured and row["figure"] in names]
    return sorted([*kept, *new], key=lambda row: names.index(row["figure"]))
