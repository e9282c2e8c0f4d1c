"""How far from equilibrium a policy gradient has come, in games small enough for an exact best response."""

from __future__ import annotations

from jaxpoker.learners.reinforce import Reinforce, TrainState
from jaxpoker.players import networks
from jaxpoker.solvers import best_response, public_game, strategies


def exact_quality(learner: Reinforce, state: TrainState) -> dict[str, float]:
    """Exploitability and value of the averaged policy, and the exploitability of the latest one."""
    game = public_game.of(learner.game)
    player = networks.of_policy(learner.network)
    average, latest = (strategies.of_player(game, player, params) for params in (state.average, state.params))
    quality = best_response.quality(game, average)
    return {
        "exploitability": float(quality.exploitability),
        "value": float(quality.value),
        "exploitability_latest": float(best_response.exploitability(game, latest)),
    }
