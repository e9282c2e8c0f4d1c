"""The learner of the respond experiment: PPO or Double DQN against one player who never changes, and the best so far.

Now and then the network plays its target on deals that are always the same, the validation, and the network with the
best result is kept: that is the response. What it won there is more than it is worth, because it was chosen by it, so
that a test on other deals judges it at the end.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp
import optax

from jaxpoker import devices
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.learners.policy_gradient import reinforce
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.learners.q_learning import dqn
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, Phase
from jaxpoker.models import responder
from jaxpoker.players import Player, networks
from jaxpoker.studies.final_key import final_key
from jaxpoker.studies.respond import evaluation
from jaxpoker.studies.respond.config import Config
from jaxpoker.studies.respond.evaluation import WIN_SAMPLES
from jaxpoker.studies.respond.targets import Target

Array = jax.Array

NO_END = 1 << 30  # updates: time ends a run first
REWARD_SCALE = {"holdem": 0.1, "leduc": 0.2, "kuhn": 0.5}  # values near 1
PPO_TURNS, DQN_TURNS = 16, 8  # of each table in an update
HANDS_OF_A_TURN = 4  # turns that a hand has, at most: so many of them share what is dealt for an update
ENTROPY_WEIGHT = {"holdem": (0.02, 0.005), "small": (0.15, 0.02)}  # PPO: small games are exploited at rare decisions
DQN_BATCH, DQN_CAPACITY = 512, 200_000
EXPLORES = (0.5, 0.05)  # DQN: part of the actions that are random, at first and when it has fallen


@flax.struct.dataclass
class TrainState:
    """Everything that an update depends on."""

    step: Array  # [] int32, updates done
    inner: Any  # state of the learner
    best: Any  # params of the best validation so far
    best_result: Array  # [] float32, what they won there; -inf before the first one
    best_step: Array  # [] int32, after how many updates


@dataclasses.dataclass(frozen=True, eq=False)
class Response:
    """A learner against one target, with validation."""

    learner: PPO | DQN
    target: Target
    player: Player  # who plays by the network
    validate_every: int
    validation_hands: int
    validation_key: Array
    mesh: jax.sharding.Mesh | None = None

    def init(self, key: Array) -> TrainState:
        inner = dqn.BY_ROW if isinstance(self.learner, DQN) else reinforce.BY_ROW
        return devices.begun(self.mesh, self._init, key, tuple(f"inner.{part}" for part in inner))

    def _init(self, key: Array) -> TrainState:
        inner, none = self.learner.init(key), jnp.zeros((), jnp.int32)
        first = jax.tree.map(lambda x: x + 0, self.params(inner))  # other buffers: the learner's are donated
        return TrainState(none, inner, first, jnp.full((), -jnp.inf), none + 0)

    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Any]]:
        """An update of the learner, after the first and every so many of them a validation."""
        began = time.process_time()
        inner, metrics = self.learner.update(state.inner)
        step = state.step + 1
        after = TrainState(step, inner, state.best, state.best_result, state.best_step)
        done, found = int(step), {}
        if done == 1 or done % self.validate_every == 0:
            found = self.validated(self.params(inner))
            result = jnp.float32(found[self.measure])
            if result > state.best_result:
                best = jax.tree.map(lambda x: x + 0, self.params(inner))
                after = TrainState(step, inner, best, result, step + 0)
            found["best"] = float(after.best_result)
        return after, {**found, **metrics, "processor_seconds": time.process_time() - began}

    def params(self, inner: Any) -> Any:
        """That the learner would play by."""
        return inner.learned.params if isinstance(self.learner, DQN) else inner.average

    @property
    def measure(self) -> str:
        """The metric that validation goes by."""
        return "mbb" if isinstance(self.target.game, Holdem) else "part"

    def validated(self, params: Any) -> dict[str, float]:
        """What the network with ``params`` wins in the validation: mBB/hand, or part of a best response's gain."""
        if not isinstance(self.target.game, Holdem):
            gain = evaluation.exact_gain(self.target, self.player, params)
            return {"part": gain.part, "value": gain.value}
        won = evaluation.judged(self.target, self.player, params, self.validation_key, self.validation_hands)
        return {"mbb": won.mean, "mbb_ci95": won.ci95}


def learner_of(config: Config, target: Target, mesh: jax.sharding.Mesh | None = None) -> Response:
    """The learner that ``config`` asks for; the devices of ``mesh`` share its tables."""
    make = _ppo if config.learner == "ppo" else _dqn
    learner, network = make(config, target, mesh)
    return Response(
        learner,
        target,
        networks.responder(network, target.game),
        config.validate_every,
        config.validation_hands,
        final_key(config.seed, further=1),
        mesh,
    )


def _ppo(config: Config, target: Target, mesh: jax.sharding.Mesh | None) -> tuple[PPO, Any]:
    game, network = target.game, responder.policy(target.game)
    against = Sparring(
        game,
        (target.entrant.player, networks.responder(network, game)),
        (1.0, 0.0),  # the past self is never met
        **_dealing(config, target, PPO_TURNS),
    )
    learner = PPO(
        game,
        network,
        updates=config.falls_over,
        tables=config.tables,
        turns=PPO_TURNS,
        learning_rate=config.learning_rate,
        trace=0.95,
        entropy_weight=ENTROPY_WEIGHT["holdem" if isinstance(game, Holdem) else "small"],
        reward_scale=REWARD_SCALE[game.name],
        epochs=2,
        minibatches=8,
        learned_share=0.5,  # about half of the decisions are its own
        snapshots=1,
        snapshot_every=NO_END,
        sparring=against,
        opponent_params=(target.entrant.params,),
        average_over=10,
        mesh=mesh,
    )
    return learner, network


def _dqn(config: Config, target: Target, mesh: jax.sharding.Mesh | None) -> tuple[DQN, Any]:
    game, network = target.game, responder.values(target.game)
    gradient_steps = config.falls_over * DQN_TURNS
    rule = DoubleDQN(
        network,
        learning_rate=optax.linear_schedule(*config.learning_rate, gradient_steps),
        huber=None,
        sync_every=100,
        epsilon=EXPLORES,
        epsilon_decay=(EXPLORES[1] / EXPLORES[0]) ** (2 / gradient_steps),  # in half of the fall
    )
    learner = DQN(
        game,
        (target.entrant,),
        (Phase(target.name, (1.0, 0.0), NO_END, rule),),
        tables=config.tables,
        turns=DQN_TURNS,
        decisions_per_step=config.tables,
        batch=DQN_BATCH,
        capacity=max(DQN_CAPACITY, config.tables * DQN_TURNS),
        reward_scale=REWARD_SCALE[game.name],
        snapshots=1,
        snapshot_every=NO_END,
        mesh=mesh,
        **_dealing(config, target, DQN_TURNS),
    )
    return learner, network


def _dealing(config: Config, target: Target, turns: int) -> dict[str, Any]:
    """Hold'em is dealt for an update at once, with win probabilities."""
    if not isinstance(target.game, Holdem):
        return {}
    return {"deals": max(config.tables * turns // HANDS_OF_A_TURN, 1), "win_samples": WIN_SAMPLES}
