"""What a run that solves hold'em leaves for people: the opening chart, what it wins, poker facts, pictures.

The screen is one page in plain words; all figures are in ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
from rich.console import Console

from jaxpoker import dashboard, devices, rivals
from jaxpoker.match import Estimate
from jaxpoker.players.registry import BLUEPRINT_FILE
from jaxpoker.runs.folder import PLOTS
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.abstraction import bucket_plots
from jaxpoker.solvers.blueprint import Blueprint, charts, litmus
from jaxpoker.solvers.blueprint.litmus import Litmus
from jaxpoker.solvers.response import local_best_response, strength
from jaxpoker.studies.solve.config import NOTHING, Config
from jaxpoker.studies.solve.training import EARLIER_FILE, Training

Array = jax.Array

OPPONENT = {
    "call": "always call",
    "min-raise": "always raise the minimum",
    "tag": "tight-aggressive",
    "lag": "loose-aggressive",
    "hothead maniac": "maniac",
}
REPORT = 0x7265706F  # folded into the seed's key for the stream of the matches
PLAIN_SECONDS = 20.0  # between two lines of progress where there is no terminal
MOST_FAILURES = 5  # poker facts that do not hold, in full on the screen


class Progress:
    """A display of a run (``jaxpoker.dashboard``) that says how many boards were drawn, and no more."""

    def __init__(self, console: Console) -> None:
        self._display = dashboard.progress(console, PLAIN_SECONDS)

    def start(self, title: str, step: int, steps: int) -> None:
        self._display.start(title, step, steps)

    def show(self, step: int, metrics: dashboard.Metrics, seconds: float) -> None:
        shown = {name: metrics[name] for name in ("boards", "walks") if name in metrics}
        self._display.show(step, shown, seconds)

    def message(self, text: str) -> None:
        self._display.message(text)

    def stop(self) -> None:
        self._display.stop()


def report(console: Console, folder: Path, training: Training, key: Array, config: Config) -> dict[str, Any]:
    """Shows what the saved blueprint does and how good it is; returns the figures of the summary."""
    if training.measured_on is None:
        devices.give_back_memory(forget_compiled=True)  # nothing of the training is needed any more
    solved = blueprints.load(folder / BLUEPRINT_FILE, training.cards)  # to the 255th, as others will have it
    big_blinds = f"{solved.game.stack / solved.game.big_blind:g} big blinds"
    nodes = charts.opening_nodes(solved.tree)
    console.print(charts.grid(solved, nodes[0], in_big_blinds=True))
    charts.save_grids(folder / PLOTS / "preflop.png", solved, nodes, f"Hold'em, {big_blinds}", in_big_blinds=True)
    bucket_plots.buckets(folder / PLOTS / "buckets.png", training.cards)
    response_key, match_key, local_key = jax.random.split(key, 3)
    with console.status("duplicate matches"):
        results = _matches(solved, folder, match_key, config)
    _say_results(console, results, big_blinds, config)
    tests = litmus.tests(solved)
    _say_litmus(console, tests, config.details)
    figures: dict[str, Any] = {}
    with console.status("best responses"):
        found = training.exploitability(solved.strategy, response_key)
    if found is not None:
        console.print(
            f"A perfect opponent who knows it, and groups hands alike, wins {found.exploitability} mBB/hand or more",
            highlight=False,
            soft_wrap=True,
        )
        figures |= {
            "exploitability": found.exploitability,
            "exploitability_fitted": found.fitted,
            "value": found.value,
        }
    if config.lbr_deals:
        with console.status("local best response"):
            wins = local_best_response.measure(solved, local_key, config.lbr_deals)
        console.print(
            f"A local best response with real cards wins {wins} mBB/hand ({config.lbr_deals:,} deals from both seats): "
            "exploitability in the real game is at least that",
            highlight=False,
            soft_wrap=True,
        )
        figures["local_best_response"] = wins
    return {
        **figures,
        "mbb_per_hand": results,
        "litmus": {test.claim: test.passed for test in tests},
        "litmus_found": {test.claim: test.found for test in tests},
    }


def say_next_steps(console: Console, name: str, config: Config) -> None:
    """What a reader of the screen may type now."""
    lines = [f"Ask it:   scripts/query_strategy.py --run {name} --card1 Ah --card2 Kh"]
    if config.start != NOTHING:
        lines.append("Solve:    scripts/run solve --preset bb20, or bb50, bb100, bb200 (some 40 minutes each)")
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _say_results(console: Console, results: Mapping[str, Estimate], big_blinds: str, config: Config) -> None:
    """Few opponents in a line, many in a table."""
    if config.opponents == "all":
        console.print(rivals.table(results, f"Duplicate matches at {big_blinds}"))
        return
    console.print(
        f"It wins, in thousandths of a big blind a hand (mBB/hand ± 95%, {config.final_hands:,} hands against each):",
        highlight=False,
        soft_wrap=True,
    )
    won = [f"{result.mean:+,.0f} ± {result.ci95:,.0f} of {OPPONENT[name]}" for name, result in results.items()]
    console.print("  " + "; ".join(won), highlight=False, soft_wrap=True)


def _say_litmus(console: Console, tests: list[Litmus], details: bool) -> None:
    """How many hold, and those that do not; all of them with ``details``."""
    console.print(litmus.summary(tests), highlight=False)
    failures = [test for test in tests if not test.passed]
    shown = tests if details else failures[:MOST_FAILURES]
    for test in shown:
        mark = "[green]holds[/]" if test.passed else "[red]does not hold[/]"
        console.print(f"  {mark}: {test.claim}: {test.found}", highlight=False, soft_wrap=True)
    if len(failures) > MOST_FAILURES and not details:
        console.print(f"  and {len(failures) - MOST_FAILURES} more, in summary.json", highlight=False)


def _matches(solved: Blueprint, folder: Path, key: Array, config: Config) -> dict[str, Estimate]:
    """Against rule players; of all opponents also what the run had half way, and the push/fold equilibrium where stacks
    are that short.
    """
    everybody_key, short_key = jax.random.split(key)
    if config.opponents == "few":
        return strength.against(solved, tuple(OPPONENT), everybody_key, config.final_hands)
    before = folder / EARLIER_FILE
    earlier = blueprints.load(before, solved.abstraction) if before.is_file() else None
    results = strength.against_everybody(solved, earlier, everybody_key, config.final_hands)
    push_fold = strength.against_push_fold(solved, short_key, config.final_hands)
    if push_fold is not None:
        results["push/fold equilibrium"] = push_fold
    return results
