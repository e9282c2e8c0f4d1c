"""What a run of the respond experiment leaves: the response in a file, its picture, and the figures of the summary."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import rivals, runs
from jaxpoker.dashboard import print_line
from jaxpoker.games.holdem import Holdem
from jaxpoker.match import Estimate
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, RESPONSE, SavedNetwork
from jaxpoker.studies import update_plots
from jaxpoker.studies.final_key import final_key
from jaxpoker.studies.respond import evaluation, plots
from jaxpoker.studies.respond.config import Config
from jaxpoker.studies.respond.learner import Response, TrainState

BOUND = "a lower bound of what can be won of it: a better response may exist"
UPDATES = {
    "ppo": {"entropy": "nats a decision", "explained": "part of the returns' variance", "value_loss": "mean square"},
    "dqn": {"loss": "mean of a gradient step", "q_magnitude": "unit of the rewards learned", "epsilon": "part random"},
}


def figures_of(run: runs.Run[Config], learner: Response, state: TrainState, console: Console) -> dict[str, Any]:
    """Saves the response, judges it on deals that it has not seen, draws; the figures of the summary."""
    config, target, rows = run.config, learner.target, run.metrics()
    test: Estimate | float
    found: dict[str, Any]
    best = jax.device_get(state.best)
    options = {"learner": config.learner} | ({"menu": config.menu} if config.game == Holdem.name else {})
    saved_networks.save(run.folder / NETWORK_FILE, SavedNetwork(config.game, best, RESPONSE, options), np.float32)
    if config.game == Holdem.name:
        with console.status(f"the response plays {config.final_hands:,} hands against {target.name}"):
            won = evaluation.judged(target, learner.player, best, final_key(config.seed), config.final_hands)
        console.print(rivals.table({target.name: won}, "The response on fresh deals, all-ins at their worth"))
        print_line(console, f"It wins {won} mBB/hand of {target.name}: {BOUND}.")
        test, found = won, {"mbb_per_hand": {target.name: won}, "validation_mbb_per_hand": state.best_result}
    else:
        gain = evaluation.exact_gain(target, learner.player, best)
        print_line(
            console,
            f"It makes {gain.value:+.4f} of {target.name} per game, seats alike, and a best response {gain.best:+.4f}: "
            f"{gain.part:.1%} of it.",
        )
        test, found = gain.part, {"value": gain.value, "best_response_value": gain.best, "part": gain.part}
    plots.learning(run.plots / "learning.png", rows, target.name, test, learner.measure)
    update_plots.updates(run.plots / "updates.png", rows, UPDATES[config.learner])
    seconds = sum(row["processor_seconds"] for row in rows)
    return {
        **found,
        "bound": "lower",
        "target": target.name,
        "best_update": state.best_step,
        "updates": state.step,
        "processor_minutes": seconds / 60,
    }
