"""The learner of the belief experiment, as its settings say, with the exact best response as its evaluation."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Belief, TrainState, Weights
from jaxpoker.models import belief
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.studies.belief import evaluation
from jaxpoker.studies.belief.config import Config
from jaxpoker.studies.belief.equilibrium import equilibrium


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(Belief):
    """The learner, with the evaluation of an experiment."""

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """Exploitability and value of the averaged policy, and the exploitability of the latest one."""
        assert isinstance(self.game, Kuhn | Leduc)
        game = exact_game.whole(self.game)
        average, latest = (
            evaluation.strategy(self.game, self.network, params) for params in (state.average, state.params)
        )
        quality = best_response.quality(game, average)
        return {
            "exploitability": quality.exploitability,
            "value": quality.value,
            "exploitability_latest": best_response.exploitability(game, latest),
        }


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    """The learner that ``config`` asks for; the devices of ``mesh`` share its tables."""
    game = game_of(config)
    search = None
    if config.search != "none":
        search = Search(config.search, config.simulations, config.step, config.depth)
    weights = Weights(config.policy_weight, config.value_weight, config.transition_weight, config.range_weight)
    return Evaluated(
        game,
        belief.network(game, config.sizes),
        search,
        updates=config.updates,
        tables=config.tables,
        turns=config.turns,
        learning_rate=config.learning_rate,
        trace=config.trace,
        weights=weights,
        step=config.step,
        magnet=config.magnet,
        entropy=config.entropy,
        tremble=config.tremble,
        reward_scale=config.reward_scale,
        evenness=config.evenness,
        max_gradient=config.max_gradient,
        average_over=config.average_over,
        imitation=config.imitation,
        expert=np.asarray(equilibrium(game).strategy) if config.imitation else None,
        mesh=mesh,
    )


def game_of(config: Config) -> Kuhn | Leduc:
    """The game that is learned."""
    return Kuhn() if config.game == "kuhn" else Leduc()
