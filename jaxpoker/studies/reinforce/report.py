"""What a run on Chicago leaves: the network, pictures, a table of games won, and the figures of the summary."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import runs
from jaxpoker.learners.policy_gradient.reinforce import Reinforce, TrainState
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.studies import gradient_plots
from jaxpoker.studies.final_key import final_key
from jaxpoker.studies.reinforce import chicago_evaluation, matches, plots
from jaxpoker.studies.reinforce.config import Config


def chicago_figures(run: runs.Run[Config], learner: Reinforce, state: TrainState, console: Console) -> dict[str, Any]:
    """Saves the network, evaluates and draws; the figures of the summary."""
    config = run.config
    params = jax.device_get(state.average)
    options = {"sorts_hand": config.sorts_hand}
    saved_networks.save(run.folder / NETWORK_FILE, SavedNetwork(config.game, params, options=options))
    rates, styles = matches.by_size(
        learner, state, config.sizes, final_key(config.seed), 2 * config.final_deals, console
    )
    measures = {f"win_rate/{rival}": f"games won heads-up against {rival}" for rival in matches.RIVALS}
    gradient_plots.learning(run.plots / "learning.png", run.metrics(), measures, {"half": 0.5})
    plots.win_rates(run.plots / "win_rates.png", rates)
    plots.style(run.plots / "style.png", styles)
    plots.discards(run.plots / "discards.png", styles)
    plots.calibration(run.plots / "calibration.png", styles)
    console.print(matches.table_of_wins(rates))
    sizes = [f"{size} players" for size in rates]

    def by_size(values: Any) -> dict[str, Any]:
        return dict(zip(sizes, values, strict=True))

    return {
        "win_rate": {
            f"{rival}, {size} players": rate.all_seats
            for size, by_rival in rates.items()
            for rival, rate in by_rival.items()
        },
        "win_rate_by_seat": {
            f"{rival}, {size} players, seat {seat}": estimate
            for size, by_rival in rates.items()
            for rival, rate in by_rival.items()
            for seat, estimate in enumerate(rate.by_seat)
        },
        "rounds": by_size(style.rounds for style in styles.values()),
        **{
            f"points_{source.replace(' ', '_')}": by_size(style.points[source] for style in styles.values())
            for source in chicago_evaluation.SOURCES
        },
        **{
            f"discards_in_draw_{draw}": by_size(float(style.discards[draw] @ np.arange(6)) for style in styles.values())
            for draw in range(2)
        },
        "turned_down": by_size(style.turned_down for style in styles.values()),
        "games_unfinished": by_size(style.unfinished for style in styles.values()),
        "calibration_error": by_size(
            float(np.abs(style.calibration.value - style.calibration.paid).mean()) for style in styles.values()
        ),
    }
