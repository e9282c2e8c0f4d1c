"""What the buckets of a card abstraction hold, as pictures (the extra ``plots``) and as a table for the terminal.

    bucket_plots.buckets("buckets.png", known)      # preflop chart; by bucket, where the river's equities lie
    bucket_plots.curves("curves.png", known)        # cumulative curves of a few buckets of each street
    console.print(bucket_plots.table(known, 1))     # a few buckets of the flop

``known`` is a card abstraction.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich import box
from rich.table import Table

from jaxpoker import plots, ranges
from jaxpoker.games.holdem.table import PREFLOP, STREETS
from jaxpoker.solvers.abstraction import bucket_profiles
from jaxpoker.solvers.abstraction.bucket_profiles import MIDDLES, BucketProfile
from jaxpoker.solvers.abstraction.contract import CardAbstraction, class_buckets

RIVER_EQUITY = "equity on the river against a random hand"

_NAMED_ROWS = 12  # a street with no more buckets shows their names
_BLOCKS = " ▁▂▃▄▅▆▇█"
_TABLE_BINS = 3  # bins of a profile to one of the table


def buckets(path: str | Path, abstraction: CardAbstraction) -> None:
    """Draws the bucket of every hand before the flop, and for later streets the histogram of river equity by bucket.

    Beside each histogram stands the share of all hands and boards that its bucket has.
    """
    panels = {_title(abstraction, PREFLOP): _preflop_chart(abstraction)}
    profiles = bucket_profiles.profiles(abstraction)
    for street in range(PREFLOP + 1, len(STREETS)):
        panels[_title(abstraction, street)] = _histograms(abstraction, street, profiles[street])
    plots.heat_maps(path, panels, f"Buckets of the {abstraction.name} card abstraction")


def _title(abstraction: CardAbstraction, street: int) -> str:
    return f"{STREETS[street]}: {abstraction.num_buckets[street]} buckets"


def _preflop_chart(abstraction: CardAbstraction) -> plots.HeatMap:
    of_class = class_buckets(abstraction)
    cells = [f"{name}\n{bucket}" for name, bucket in zip(ranges.CLASS_NAMES, of_class, strict=True)]
    return plots.HeatMap(of_class.reshape(13, 13), cells=[cells[13 * row : 13 * row + 13] for row in range(13)])


def _histograms(abstraction: CardAbstraction, street: int, profile: BucketProfile) -> plots.HeatMap:
    few = abstraction.num_buckets[street] <= _NAMED_ROWS
    return plots.HeatMap(
        profile.histogram,
        RIVER_EQUITY,
        "" if few else "bucket",
        width=(0, 1),
        rows=[abstraction.text(street, bucket) for bucket in range(len(profile.share))] if few else (),
        bars=profile.share,
        bars_label="share",
    )


def curves(path: str | Path, abstraction: CardAbstraction, most: int = 7) -> None:
    """Draws the cumulative curves of river equity of some buckets of each street, evenly from the lowest up."""
    panels = {}
    for street, profile in enumerate(bucket_profiles.profiles(abstraction)):
        x = np.append(0.0, MIDDLES + 0.5 / len(MIDDLES))
        chosen = some(np.flatnonzero(profile.share > 0), most)
        panels[_title(abstraction, street)] = {
            f"{i + 1} of {len(chosen)}": (x, np.append(0.0, np.cumsum(profile.histogram[bucket])))
            for i, bucket in enumerate(chosen)
        }
    title = f"Some buckets of the {abstraction.name} card abstraction, from weak to strong"
    plots.curve_panels(path, panels, RIVER_EQUITY, "part of rivers with less", title)


def some(items: np.ndarray, most: int) -> np.ndarray:
    """``most`` of the items, evenly spread with both ends, or all if there are no more."""
    if most < 1:
        raise ValueError(f"cannot choose {most} buckets to show: 1 or more")
    chosen: np.ndarray = items[np.unique(np.linspace(0, len(items) - 1, min(most, len(items))).round().astype(int))]
    return chosen


def table(abstraction: CardAbstraction, street: int, most: int = 16) -> Table:
    """Some buckets of a street: name, share of hands, mean equity, and their river equities from 0 to 100% as bars."""
    profile = bucket_profiles.profiles(abstraction)[street]
    shown = Table(title=_title(abstraction, street), box=box.SIMPLE)
    for heading in ("bucket", "share", "equity"):
        shown.add_column(heading, justify="right")
    shown.add_column("0% equity 100%", no_wrap=True)
    shown.add_column("what it holds", overflow="ellipsis", no_wrap=True)
    for bucket in some(np.arange(len(profile.share)), most).tolist():
        held = profile.share[bucket] > 0
        equity = f"{profile.mean[bucket]:.1%}" if held else "-"
        bars = _bars(profile.histogram[bucket]) if held else ""
        shown.add_row(str(bucket), f"{profile.share[bucket]:.2%}", equity, bars, abstraction.text(street, bucket))
    return shown


def _bars(histogram: np.ndarray) -> str:
    """A histogram [33] as eleven characters, the highest one full."""
    heights = histogram.reshape(-1, _TABLE_BINS).sum(axis=1)
    return "".join(_BLOCKS[int(np.ceil(8 * height))] for height in heights / heights.max())
