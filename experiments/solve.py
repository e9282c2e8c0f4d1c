"""Solves Kuhn poker, Leduc or heads-up push/fold exactly, by counterfactual regret minimisation.

    scripts/run solve --game kuhn --algorithm pcfr+
    scripts/run solve --game pushfold --stack 10 --iterations 5000

The run folder gets the whole strategy (strategy.csv), the exploitability curve, for push/fold the 13 x 13 ranges
(plots/), and summary.json. Exploitability is half of NashConv, in antes (Kuhn, Leduc) or big blinds (push/fold).
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from fractions import Fraction
from typing import Any, ClassVar, Literal

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import jaxpoker
from jaxpoker import charts, core, plots, ranges, runs
from jaxpoker.games.holdem_table import MAX_CHIPS
from jaxpoker.runs.folder import write_whole
from jaxpoker.solvers import best_response, cfr, public_game
from jaxpoker.solvers.public_game import PublicGame

PUBLISHED = {"kuhn": -1 / 18, "leduc": -0.085606424078}  # values of the game for seat 0
NAME = {"kuhn": "Kuhn poker", "leduc": "Leduc", "pushfold": "Push/fold"}
UNIT = {"kuhn": "antes", "leduc": "antes", "pushfold": "BB"}
ALL_IN = 2  # of the push/fold menu
PURE = 0.005  # hands within half a percent of always or never are shown as that


@dataclasses.dataclass(frozen=True)
class Config:
    """What to solve, and how."""

    game: Literal["kuhn", "leduc", "pushfold"] = "leduc"
    """The game; push/fold is heads-up no-limit hold'em where the small blind jams or folds."""
    algorithm: Literal["cfr", "cfr+", "linear", "dcfr", "pcfr+"] = "cfr+"
    """Vanilla CFR, CFR+, linear CFR, discounted CFR, predictive CFR+."""
    iterations: int = 10_000
    """Updates of both players; may be raised when a run is resumed."""
    stack: float = 10.0
    """Push/fold: both stacks in big blinds, counted before blinds and antes."""
    small_blind: float = 0.5
    """Push/fold: in chips, in any unit."""
    big_blind: float = 1.0
    """Push/fold: in the same chips."""
    ante: float = 0.0
    """Push/fold: of each player, in the same chips."""
    alternating: bool = True
    """Update one player after the other; --no-alternating updates both at once."""
    alpha: float | None = None
    """Discount of positive regrets, t^alpha / (t^alpha + 1); the algorithm's own when left out."""
    beta: float | None = None
    """... of negative ones."""
    gamma: float | None = None
    """Iteration t counts t^gamma in the average strategy: 0 uniform, 1 linear, 2 quadratic averaging."""
    delay: int = 0
    """Iterations that the average strategy leaves out."""
    float64: bool = False
    """Solve in double precision."""
    seed: int = 0
    """Every experiment has one; nothing is random here."""

    extendable: ClassVar[tuple[str, ...]] = ("iterations",)

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise ValueError(f"--iterations {self.iterations}: at least one")
        if not 0 <= self.delay < self.iterations:
            raise ValueError(f"--delay {self.delay}: from 0 to below the {self.iterations} iterations")
        for name in ("alpha", "beta", "gamma"):
            power = getattr(self, name)
            if power is not None and (math.isnan(power) or (name == "gamma" and not 0 <= power <= 20)):
                raise ValueError(f"--{name} {power}: gamma is from 0 to 20, alpha and beta are any number or inf")


PRESETS = {
    "quick": Config(),
    "full": Config(algorithm="dcfr", iterations=200_000, float64=True),
}


def chips_of(config: Config) -> dict[str, int]:
    """Stack and blinds in whole chips: the smallest unit in which all of them are whole."""
    exact = {name: Fraction(str(getattr(config, name))) for name in ("small_blind", "big_blind", "ante")}
    exact["stack"] = Fraction(str(config.stack)) * exact["big_blind"]
    unit = math.lcm(*(amount.denominator for amount in exact.values()))
    chips = {name: int(amount * unit) for name, amount in exact.items()}
    shared = math.gcd(*chips.values()) or 1
    chips = {name: amount // shared for name, amount in chips.items()}
    if max(chips.values()) > MAX_CHIPS:
        raise ValueError(
            f"--stack {config.stack} with blinds {config.small_blind}/{config.big_blind} and ante {config.ante} has "
            "too many digits: give the blinds as whole chips, such as --small-blind 1 --big-blind 3"
        )
    return chips


def game_of(config: Config) -> core.Game:
    if config.game != "pushfold":
        return jaxpoker.make(config.game)
    for name in ("stack", "small_blind", "big_blind", "ante"):
        if not math.isfinite(getattr(config, name)):
            raise ValueError(
                f"--{name.replace('_', '-')} {getattr(config, name)}: give a number of big blinds or chips"
            )
    return jaxpoker.make("holdem", menu="push/fold", **chips_of(config))


def algorithm_of(config: Config) -> cfr.Algorithm:
    given = {name: getattr(config, name) for name in ("alpha", "beta", "gamma")}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    algorithm = cfr.ALGORITHMS[config.algorithm]
    return dataclasses.replace(algorithm, alternating=config.alternating, delay=config.delay, **changes)


# --- for people -------------------------------------------------------------------------------


def action_names(game: PublicGame) -> list[str]:
    """Names of the action ids that are legal anywhere."""
    return [game.tree.action_text(0, action).split(" to ")[0] for action in range(game.num_actions)]


def strategy_csv(game: PublicGame, strategy: np.ndarray) -> str:
    """All information sets with their probabilities, empty where an action is not legal."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["information set", *action_names(game)])
    legal = game.legal_rows()
    for row in range(game.num_rows):
        cells = [f"{p:.6f}" if may else "" for p, may in zip(strategy[row], legal[row], strict=True)]
        writer.writerow([game.row_text(row), *cells])
    return out.getvalue()


def strategy_table(game: PublicGame, strategy: np.ndarray) -> Table:
    """Kuhn's whole strategy, or Leduc's before the public card (suits play alike: hearts stand for both)."""
    rows = [row for row in range(game.num_rows) if game.row_text(row).count("|") == 1]
    if game.game.name == "leduc":
        rows = [row for row in rows if game.row_text(row)[1] == "h"]
    title = "Strategy" if game.game.name == "kuhn" else "Strategy before the public card (all of it: strategy.csv)"
    table = Table(title=title, box=box.SIMPLE)
    table.add_column("seat", justify="right")
    table.add_column("card")
    table.add_column("betting")
    for name in action_names(game):
        table.add_column(name, justify="right", no_wrap=True)
    legal, last = game.legal_rows(), None
    for row in rows:
        card, betting = (part.strip() for part in game.row_text(row).split("|"))
        seat = len(betting.split()) % 2
        if betting != last:
            table.add_section()
        last = betting
        cells = [charts.bar(p) if may else Text("") for p, may in zip(strategy[row], legal[row], strict=True)]
        table.add_row(str(seat), card[0], betting or "–", *cells)
    return table


def show_push_fold(console: Console, run: runs.Run[Config], game: PublicGame, strategy: np.ndarray) -> dict[str, float]:
    """Both ranges as grids, as text and as a picture; returns how many percent of hands jam and call."""
    config = run.config
    jam, call = np.zeros(ranges.NUM_CLASSES), np.zeros(ranges.NUM_CLASSES)
    for decision, node in enumerate(game.tree.decisions().tolist()):
        hands = strategy[decision * ranges.NUM_CLASSES : (decision + 1) * ranges.NUM_CLASSES, ALL_IN]
        if game.tree.player[node] == 0:
            jam = hands
        else:
            call = hands
    share = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
    percents = {"jam_percent": float(100 * jam @ share), "call_percent": float(100 * call @ share)}
    ante = f", ante {config.ante:g}" if config.ante else ""
    title = f"{config.stack:g} big blinds, blinds {config.small_blind:g}/{config.big_blind:g}{ante}"
    jam, call = (np.where(hands > 1 - PURE, 1, np.where(hands < PURE, 0, hands)) for hands in (jam, call))
    sides = {
        f"The small blind jams {percents['jam_percent']:.2f}%": (jam, ["jam"]),
        f"The big blind calls {percents['call_percent']:.2f}%": (call, ["call"]),
    }
    grids = [charts.hand_grid(hands, f"{head} at {title}", names) for head, (hands, names) in sides.items()]
    console.print(charts.side_by_side(*grids))
    for head, (hands, _) in sides.items():
        if hands.any():
            console.print(f"[bold]{head}:[/] {ranges.text(hands.round(3)[ranges.CLASS_OF_COMBO])}", soft_wrap=True)
    plots.hand_grid(
        run.plots / "ranges.png",
        {head: hands for head, (hands, _) in sides.items()},
        title,
        {head: names for head, (_, names) in sides.items()},
    )
    return percents


def iterations_per_second(run: runs.Run[Config]) -> float | None:
    """From the first report on, which leaves compiling out."""
    rows = run.metrics()
    first, last = rows[0], rows[-1]
    seconds = last["seconds"] - first["seconds"]
    return (last["step"] - first["step"]) / seconds if seconds > 0 else None


def plot_exploitability(run: runs.Run[Config]) -> None:
    lines = [row for row in run.metrics() if (row["exploitability"] or 0) > 0]  # rounding may bring it below
    label = f"{run.config.algorithm}{'' if run.config.alternating else ', simultaneous'}"
    plots.curves(
        run.plots / "exploitability.png",
        {label: ([row["step"] for row in lines], [row["exploitability"] for row in lines])},
        "iterations",
        f"exploitability ({UNIT[run.config.game]}, half of NashConv)",
        f"{NAME[run.config.game]}: exploitability of the average strategy",
        log_x=True,
        log_y=True,
    )


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="solve", description=__doc__)
    config = launch.config
    if config.float64:
        jax.config.update("jax_enable_x64", True)
    game = public_game.of(game_of(config))
    solver = cfr.CFR(game, algorithm_of(config), np.float64 if config.float64 else np.float32, last=config.iterations)
    console = Console()
    with runs.start(launch) as run:
        state = run.train(solver, steps=config.iterations)
        average = solver.average(state)
        quality = best_response.quality(game, average)
        strategy = np.asarray(average, np.float64)
        write_whole(run.folder / "strategy.csv", strategy_csv(game, strategy))
        plot_exploitability(run)
        figures: dict[str, Any] = {}
        if config.game == "pushfold":
            figures = show_push_fold(console, run, game, strategy)
        else:
            console.print(strategy_table(game, strategy))
        summary = run.finish(
            value=quality.value,
            exploitability=quality.exploitability,
            iterations=state.step,
            algorithm=config.algorithm,
            game=config.game,
            iterations_per_s=iterations_per_second(run),
            **figures,
        )
    published = f" (published {PUBLISHED[config.game]:.9f})" if config.game in PUBLISHED else ""
    who, unit = "the small blind" if config.game == "pushfold" else "seat 0", UNIT[config.game]
    console.print(f"Value for {who} {summary['value']:+.9f} {unit}{published}")
    console.print(f"Exploitability {summary['exploitability']:.3g} {unit}, half of NashConv")
    console.print(
        f"{summary['iterations']:,} iterations of {config.algorithm} in {summary['seconds']:.1f} s with compiling"
    )
    console.print(f"Written to {run.folder}: summary.json, strategy.csv, plots/", soft_wrap=True, highlight=False)


if __name__ == "__main__":
    runs.main(main)
