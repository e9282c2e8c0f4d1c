"""The learner of the ppo experiment, as its settings say: against others at hold'em tables, or in self-play."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

import jaxpoker
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.learners.policy_gradient.reinforce import TrainState
from jaxpoker.models import observer, sizednet
from jaxpoker.players import Entrant, networks
from jaxpoker.studies import holdem_rivals
from jaxpoker.studies.exact_quality import exact_quality
from jaxpoker.studies.ppo.config import Config

TABLE = {"stack": 10_000, "small_blind": 50, "big_blind": 100}  # 100 big blinds in small chips


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(PPO):
    """The learner, with the evaluation of an experiment."""

    hands: int = 4_000  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """What the averaged network wins of rule players; in Leduc what it exactly loses."""
        if not isinstance(self.game, Holdem):
            return exact_quality(self, state)
        own = Entrant(networks.of_chips(self.network), state.average)
        return holdem_rivals.short_evaluation(self.game, own, key, self.hands)


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    """The learner that ``config`` asks for; the devices of ``mesh`` share its tables."""
    game = jaxpoker.make(config.game, **(TABLE if config.game == "holdem" else {}))
    against = None
    if isinstance(game, Holdem):
        network = sizednet.network(game)
        against = ppo.sparring(game, network, config.opponents, config.shares, config.past_share)
    else:
        network = observer.network(game)
    return Evaluated(
        game,
        network,
        **config.of_learner,
        learned_share=config.learned_share,
        sparring=against,
        mesh=mesh,
        hands=config.evaluation_hands,
    )
