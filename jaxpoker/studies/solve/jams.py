"""Push/fold for three to six seats, or with prizes: the game of a run, and its ranges for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import plots, ranges
from jaxpoker.solvers import push_fold
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.push_fold import JamGame
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import UNIT
from jaxpoker.studies.solve.push_fold import PURE

SHARE = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
SHOWN = 0.002  # of all hands: histories that come up less often are in strategy.csv alone
CHECKED_BY = 1_000_000  # added to the seed of what is sampled: all-ins sampled anew


def game_of(config: Config, anew: bool = False) -> JamGame:
    """The game that ``config`` names; with its all-ins sampled ``anew``, to see how much that matters."""
    stacks = config.stacks or (config.stack or 10.0,) * config.num_players
    return push_fold.make(
        tuple(stacks),
        small_blind=config.small_blind / config.big_blind,
        ante=config.ante / config.big_blind,
        payouts=config.payouts,
        seed=config.seed + CHECKED_BY * anew,
        boards=config.three_way_boards,
        deals=config.deals,
    )


def show(console: Console, game: JamGame, strategy: np.ndarray, config: Config, folder: Path) -> dict[str, Any]:
    """Ranges by seat and history as a table, and those of openings and of calls as pictures in ``folder``; returns the
    summary's figures: what best responses gain, also when all-ins are sampled anew, and percents of hands.
    """
    table = jnp.asarray(strategy, jnp.float32)
    measured = best_response.nash_conv(game, table)
    figures: dict[str, Any] = {"gains": np.asarray(measured.gains).tolist(), "nash_conv": float(measured.total)}
    percents: dict[str, float] = {}
    figures |= {f"value_seat_{seat}": float(value) for seat, value in enumerate(np.asarray(measured.values))}
    if game.num_seats > 2:
        anew = best_response.nash_conv(game_of(config, anew=True), table)
        figures["gains_sampled_anew"] = np.asarray(anew.gains).tolist()
        figures["value_errors"] = np.abs(np.asarray(anew.values - measured.values)).tolist()
    often = _how_often(game, strategy)
    rows = Table(title=_title(game), box=box.SIMPLE, title_justify="left")
    for heading in ("seat", "after", "comes up", "in", "hands"):
        rows.add_column(heading, justify="right" if heading in ("comes up", "in") else "left")
    panels: dict[str, np.ndarray] = {}
    for seat in range(game.num_seats):
        for before in range(1 << seat):
            if not game.stakes.may_fold(seat, before):
                continue
            hands = _hands(game, strategy, seat, before)
            history = game.history_text(seat, before)
            percents[history] = float(100 * hands @ SHARE)
            if often[seat][before] < SHOWN:
                continue
            name, _, after = history.partition(" after ")
            pure = np.where(hands > 1 - PURE, 1, np.where(hands < PURE, 0, hands))
            text = ranges.text(pure.round(2)[ranges.CLASS_OF_COMBO]) if pure.any() else "none"
            rows.add_row(name, after, f"{often[seat][before]:.1%}", f"{hands @ SHARE:.1%}", text)
            panels[history] = pure
    console.print(rows)
    openings = {history: hands for history, hands in panels.items() if history.endswith("folds")}
    calls = {history: hands for history, hands in panels.items() if history not in openings}
    for file, some in (("jams", openings), ("calls", calls)):
        if some:
            heads = {f"{history}: {hands @ SHARE:.1%}": hands for history, hands in list(some.items())[:8]}
            plots.hand_grid(folder / f"{file}.png", heads, _title(game), ["all-in"])
    return figures | {"percents": percents}


def as_csv(game: JamGame, strategy: np.ndarray) -> str:
    """All information sets with the probability of being in."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["hand", "seat and history", "in"])
    legal = game.legal_rows()
    for row in range(game.num_rows):
        if legal[row].all():
            writer.writerow([*game.row_text(row).split(" | "), f"{strategy[row, 1]:.6f}"])
    return out.getvalue()


def say_seats(console: Console, config: Config, summary: Mapping[str, Any]) -> None:
    """What each seat makes and could gain, in words; also of other games for more than two."""
    unit = UNIT[config.game] if not config.payouts else "big blinds of prize money"
    values = [summary[key] for key in sorted(summary) if key.startswith("value_seat_")]
    console.print(f"Values by seat {', '.join(f'{float(value):+.5f}' for value in values)} {unit}")
    gains = f"; the most that a seat gains is {np.max(summary['gains']):.3g}" if "gains" in summary else ""
    console.print(f"NashConv {float(summary['nash_conv']):.3g} {unit}{gains}")
    if "gains_sampled_anew" in summary:
        console.print(
            f"With all-ins sampled anew a seat would gain {np.max(summary['gains_sampled_anew']):.3g} at the most, and "
            f"values move by {np.max(summary['value_errors']):.3g}: that is the sampling error. Cards that two others "
            "take from each other are not counted, but in all-ins of four and more"
        )


def _title(game: JamGame) -> str:
    stakes = game.stakes
    stacks = ", ".join(f"{name} {stack:g}" for name, stack in zip(stakes.names, stakes.stacks, strict=True))
    more = f", ante {stakes.ante:g}" if stakes.ante else ""
    prizes = f", prizes {' '.join(f'{prize:g}' for prize in stakes.payouts)}" if stakes.payouts else ""
    return f"Push/fold, big blinds: {stacks}{more}{prizes}"


def _hands(game: JamGame, strategy: np.ndarray, seat: int, before: int) -> np.ndarray:
    """``[169]``: how often each class of hands is in."""
    first = game.first_row(seat) + before * ranges.NUM_CLASSES
    hands: np.ndarray = strategy[first : first + ranges.NUM_CLASSES, 1]
    return hands


def _how_often(game: JamGame, strategy: np.ndarray) -> list[list[float]]:
    """By seat and history: how often it comes to that, without card removal."""
    often = [[1.0]]
    for seat in range(1, game.num_seats):
        row = []
        for before in range(1 << seat):
            earlier = before & ((1 << (seat - 1)) - 1)
            comes_in = float(_hands(game, strategy, seat - 1, earlier) @ SHARE)
            row.append(often[-1][earlier] * (comes_in if before >> (seat - 1) & 1 else 1 - comes_in))
        often.append(row)
    return often
