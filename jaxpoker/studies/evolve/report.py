"""What a run of the evolve experiment leaves: tables and pictures of its champion, and the figures of the summary."""

from __future__ import annotations

from typing import Any

import jax
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import match, runs
from jaxpoker.learners.evolution.learner import Evolution
from jaxpoker.studies.evolve import champion as champions
from jaxpoker.studies.evolve import plots
from jaxpoker.studies.evolve.champion import Sessions
from jaxpoker.studies.evolve.config import Config


def figures_of(
    run: runs.Run[Config], learner: Evolution, champion: jax.Array, keys: tuple[jax.Array, jax.Array], console: Console
) -> dict[str, Any]:
    """The ``champion`` ``[genes]`` plays everybody; the figures of the summary. ``keys``: of matches and sessions."""
    config, game = run.config, learner.protocol.game
    match_key, session_key = keys
    with console.status("the champion plays everybody"):
        results = champions.play_everybody(learner, champion, match_key, config.final_hands)
        sessions, without = champions.play_sessions(learner, champion, session_key, config.final_sessions)
    curves = {
        name: {"with opponent memory": sessions[name].by_hand, "without": without[name].by_hand}
        for name in learner.protocol.family
    }
    plots.adaptation(run.plots / "adaptation.png", curves, "mBB/hand")
    console.print(table_of_matches(results, game.stack // game.big_blind))
    if learner.protocol.carry_over:
        console.print(table_of_sessions(sessions, config.hands))
    last = run.metrics()[-1]
    return {
        "mbb_per_hand": {name: result.mbb_per_hand[0] for name, result in results.items()},
        "session_earnings": {name: found.earnings for name, found in sessions.items()},
        "win_rate": {name: found.win_rate for name, found in sessions.items()},
        "hands_until_the_end": {name: found.hands for name, found in sessions.items()},
        "without_opponent_memory": {name: found.earnings for name, found in without.items()},
        "fitness_best": last.get("fitness_best"),
        "fitness_mean": last.get("fitness_mean"),
        "generations": last["step"],
    }


def table_of_matches(results: dict[str, match.Result], stack: int) -> Table:
    """What the champion wins of each opponent, and how it plays."""
    table = Table(title=f"The champion on fresh duplicate deals, {stack} big blinds, reset every hand", box=box.SIMPLE)
    table.add_column("opponent")
    for heading in ("mBB/hand ± 95%", "VPIP", "PFR", "AF", "WSD", "WSDW"):
        table.add_column(heading, justify="right")
    for name, result in results.items():
        assert result.profiles is not None
        own = result.profiles[0]
        rates = [f"{x:.0%}" if x is not None else "–" for x in (own.vpip, own.pfr, own.wsd, own.wsdw)]
        factor = f"{own.af:.2f}" if own.af is not None else "–"
        table.add_row(name, str(result.mbb_per_hand[0]), *rates[:2], factor, *rates[2:])
    return table


def table_of_sessions(sessions: dict[str, Sessions], hands: int) -> Table:
    """What sessions of at most ``hands`` hands bring, by opponent."""
    table = Table(title=f"Sessions of at most {hands} hands, stacks carried over", box=box.SIMPLE)
    table.add_column("opponent")
    for heading in ("starting stacks won", "sessions won", "hands until the end"):
        table.add_column(heading, justify="right")
    for name, found in sessions.items():
        won = f"{found.win_rate.mean:.1%} ± {found.win_rate.ci95:.1%}"
        stacks = f"{found.earnings.mean:+.3f} ± {found.earnings.ci95:.3f}"
        table.add_row(name, stacks, won, f"{found.hands.mean:.0f} ± {found.hands.ci95:.0f}")
    return table
