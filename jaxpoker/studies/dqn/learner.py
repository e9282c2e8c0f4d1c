"""The learner of the dqn experiment, as its settings say: phases, opponents and their shares."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import optax

import jaxpoker
from jaxpoker import players, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, Phase, TrainState
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.players.saved_networks import VALUES
from jaxpoker.studies import holdem_rivals
from jaxpoker.studies.dqn import evaluation
from jaxpoker.studies.dqn.config import MIX, Config


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(DQN):
    """The learner, with the evaluation of an experiment."""

    hands: int = 8_000  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """What the network wins of rule players; in Leduc what it exactly loses, and makes of phase A's players."""
        if not isinstance(self.game, Holdem):
            return evaluation.exact(self, state.learned.params)
        own = Entrant(self.player, state.learned.params)
        return holdem_rivals.short_evaluation(self.game, own, key, self.hands)


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    """The learner that ``config`` asks for; the devices of ``mesh`` share its tables and transitions."""
    game = jaxpoker.make(config.game)
    names = list(dict.fromkeys((*MIX[config.game], config.target)))
    mix = (*config.shares, *[0.0] * (len(names) - len(config.shares)))
    of_mix = config.mix_share / sum(mix) if sum(mix) else 0.0
    shares = {
        "A": (*mix, 0.0),
        "B": (*(of_mix * share for share in mix), 1 - config.mix_share),
        "C": (*(float(name == config.target) for name in names), 0.0),
    }
    network = saved_networks.value_network(config.game, **config.network_options)
    gradient_steps = config.tables * config.turns // config.decisions_per_step

    def phase(letter: str, updates: int) -> Phase:
        first_epsilon, least = config.epsilon
        first_epsilon = first_epsilon if letter == "A" else max(config.later_epsilon, least)
        rule = DoubleDQN(
            network,
            learning_rate=optax.linear_schedule(*config.learning_rate, max(updates * gradient_steps, 1)),
            huber=config.huber or None,
            max_gradient=config.max_gradient,
            sync_every=config.sync_every,
            epsilon=(first_epsilon, least),
            epsilon_decay=config.epsilon_decay,
        )
        return Phase(letter, shares[letter], updates, rule)

    updates = dict(zip("ABC", config.updates, strict=True))
    return Evaluated(
        game,
        tuple(players.entrant(name, game) for name in names),
        tuple(phase(letter, updates[letter]) for letter in config.phase),
        tables=config.tables,
        turns=config.turns,
        decisions_per_step=config.decisions_per_step,
        batch=config.batch,
        capacity=config.capacity,
        prioritised=config.prioritised,
        steps=config.steps,
        discount=config.discount,
        reward_scale=config.reward_scale,
        snapshots=config.snapshots,
        snapshot_every=max(config.updates[1] // config.snapshots, 1),
        first=started_from(config),
        mesh=mesh,
        hands=config.evaluation_hands,
    )


def started_from(config: Config) -> Any:
    """The params of ``--start``; None without it."""
    if not config.start:
        return None
    saved = saved_networks.load(Path(config.start))
    if (saved.game, saved.kind, dict(saved.options)) != (config.game, VALUES, config.network_options):
        raise runs.RunError(
            f"--start {config.start} is a network of {saved.kind} for {saved.game} with {dict(saved.options)}, "
            f"not of {VALUES} for {config.game} with {config.network_options}"
        )
    return saved.params
