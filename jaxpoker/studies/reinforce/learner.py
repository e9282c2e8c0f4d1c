"""The learner of the reinforce experiment, as its settings say."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

import jaxpoker
from jaxpoker import core
from jaxpoker.games.chicago import Chicago
from jaxpoker.learners.policy_gradient.reinforce import Reinforce, TrainState
from jaxpoker.players import saved_networks
from jaxpoker.studies.exact_quality import exact_quality
from jaxpoker.studies.reinforce import matches
from jaxpoker.studies.reinforce.config import Config


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(Reinforce):
    """The learner, with the evaluation of an experiment."""

    deals: int = 100  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """Games won heads-up against each rival; of games that can be solved the exploitability."""
        if not isinstance(self.game, Chicago):
            return exact_quality(self, state)
        rates = {
            rival: matches.games_won(self, state.average, rival, None, 2, key, self.deals) for rival in matches.RIVALS
        }
        return {f"win_rate/{rival}": rate.all_seats.mean for rival, rate in rates.items()}


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    """The learner that ``config`` asks for; the devices of ``mesh`` share its tables."""
    game = game_of(config)
    return Evaluated(
        game,
        saved_networks.policy_network(config.game, config.sorts_hand),
        **config.of_learner,
        sizes=config.sizes if isinstance(game, Chicago) else (),
        discount=config.discount,
        pool_share=config.pool_share,
        mesh=mesh,
        deals=config.evaluation_deals,
    )


def game_of(config: Config) -> core.Game:
    """Chicago for the largest number of players that ``config`` names, or a small game."""
    if config.game == "chicago":
        return Chicago(max(config.sizes), target=config.target, winner_bonus=config.winner_bonus)
    return jaxpoker.make(config.game)
