"""Policy gradients in games small enough for an exact best response: how far from equilibrium they have come."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import runs
from jaxpoker.learners.policy_gradient.reinforce import Reinforce, TrainState
from jaxpoker.players import networks, saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.studies import gradient_plots

MEASURES = {"exploitability": "averaged policy", "exploitability_latest": "latest policy"}


def exact_quality(learner: Reinforce, state: TrainState) -> dict[str, float]:
    """Exploitability and value of the averaged policy, and the exploitability of the latest one."""
    game = exact_game.whole(learner.game)
    player = networks.of_policy(learner.network)
    average, latest = (strategies.of_player(game, player, params) for params in (state.average, state.params))
    quality = best_response.quality(game, average)
    return {
        "exploitability": float(quality.exploitability),
        "value": float(quality.value),
        "exploitability_latest": float(best_response.exploitability(game, latest)),
    }


def figures_of(run: runs.Run[Any], learner: Reinforce, state: TrainState, console: Console) -> dict[str, float]:
    """Saves the averaged network, draws and says what it is worth; the figures of the summary."""
    saved = SavedNetwork(learner.game.name, jax.device_get(state.average))
    saved_networks.save(run.folder / NETWORK_FILE, saved, np.float32)
    found = exact_quality(learner, state)
    gradient_plots.learning(run.plots / "learning.png", run.metrics(), MEASURES, {}, "exploitability, antes")
    console.print(f"exploitability {found['exploitability']:.4f} of the averaged policy, value {found['value']:+.4f}")
    return found
