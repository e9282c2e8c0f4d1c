"""REINFORCE with a value baseline and an entropy bonus (Williams, 1992), by one network for all seats.

All seats of all tables are played by the network, and every seat's decisions are learned from; or it spars with other
players (``learners/experience/sparring.py``) and learns from its own. An update plays a segment
(``learners/experience/trajectories.py``), works out the advantage A and the return R of each decision and descends,
minibatch by minibatch,

    loss = - mean of A log π(a)  +  value_weight * mean of (V - R)²  -  entropy_weight * mean entropy of π

with Adam, gradients cut to a norm. Options: advantages brought to mean 0 and deviation 1; λ < 1 (generalised
advantages); several epochs over a segment with PPO's clipped ratio (Schulman et al., 2017) in the place of log π,

    - mean of min(ρ A, clip(ρ, 1 - ε, 1 + ε) A),    ρ = π(a) / π(a) when it was played;

and tables against past selves (``learners/experience/opponent_pool.py``). What π is, a choice of actions or of chips,
is the network's to say. The policy that comes out is the running mean of the parameters over the last updates: in games
where only mixed strategies hold, the latest one circles around the answer.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import optax

from jaxpoker import core, devices
from jaxpoker.learners.experience import opponent_pool, trajectories
from jaxpoker.learners.experience.opponent_pool import Pool
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.learners.experience.trajectories import Trajectory
from jaxpoker.models.policy import PolicyNetwork

Array = jax.Array

LEAST_DEVIATION = 1e-6  # advantages are not blown up beyond that
BY_ROW = ("tables",)  # of a state: what devices share


class Batch(NamedTuple):
    """Decisions to learn from: ``[n]`` each."""

    state: Any  # as the network looked at it
    action: Array
    log_probability: Array  # when it was played
    advantage: Array
    returns: Array
    weight: Array  # 1 for what is learned from, else 0


class Weights(NamedTuple):
    """Of the parts of a loss."""

    value: float
    entropy: Array | float


@flax.struct.dataclass
class TrainState:
    """Everything that an update depends on."""

    step: Array  # [] int32, updates done
    key: Array  # of the whole run
    params: Any
    average: Any  # running mean of the params
    optimiser: Any
    tables: Any  # [tables, ...] games under way
    pool: Pool | None


@dataclasses.dataclass(frozen=True, eq=False)
class Reinforce:
    """The learner. What an update plays is ``tables * turns`` decisions."""

    game: core.Game
    network: PolicyNetwork
    updates: int = 1_000  # of the whole run: what falls, falls until then
    tables: int = 1_024
    turns: int = 64  # of a segment
    sizes: tuple[int, ...] = ()  # players at tables 0, 1, ... and again from the first; the game's seats when empty
    learning_rate: tuple[float, float] = (3e-4, 3e-4)  # of the first update and of the last; falls evenly
    discount: float = 0.99  # γ, from one decision of a seat to its next
    trace: float = 1.0  # λ
    value_weight: float = 0.5
    entropy_weight: tuple[float, float] = (0.01, 0.01)  # of the first update and of the last; falls evenly
    max_gradient: float = 1.0  # norm beyond which gradients are cut
    reward_scale: float = 1.0  # what rewards are multiplied by: the unit of values
    normalises: bool = False  # advantages to mean 0 and deviation 1
    clip: float | None = None  # ε of PPO's clipped ratio; None: REINFORCE
    epochs: int = 1
    minibatches: int = 1  # of an epoch
    learned_share: float = 1.0  # part of all decisions that an epoch goes over; fewer leave out others' first
    snapshots: int = 0  # past selves that are kept
    snapshot_every: int = 50  # updates
    pool_share: float = 0.0  # of the tables, against past selves; 0: everybody plays itself
    sparring: Sparring | None = None  # with whom it plays instead; the last of the opponents takes a past self's params
    opponent_params: tuple[Any, ...] = ()  # of the other opponents; None each when empty
    average_over: int = 1  # the last updates that count in the running mean; 1: the latest params alone
    mesh: jax.sharding.Mesh | None = None  # its devices share the tables, and the decisions of a minibatch

    def __post_init__(self) -> None:
        for name in ("updates", "tables", "turns", "epochs", "minibatches", "snapshot_every", "average_over"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: it is 1 or more")
        for name in ("learned_share", "pool_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} = {getattr(self, name)}: a part of the whole, 0 to 1")
        if self._learned_decisions % self.minibatches or not self._learned_decisions:
            raise ValueError(
                f"{self._learned_decisions} decisions of an update in {self.minibatches} minibatches: "
                "their number must divide the decisions"
            )
        if self.sizes and not all(2 <= players <= self.game.num_players for players in self.sizes):
            raise ValueError(f"sizes = {self.sizes}: at {self.game.num_players} seats play 2 to that many")
        if self.pool_share and not self.snapshots:
            raise ValueError(f"pool_share = {self.pool_share}, but no snapshots are kept: say how many, 1 or more")
        if self.sparring is not None and not (self.snapshots and self.game == self.sparring.game and not self.sizes):
            raise ValueError("the game of sparring is the learner's, for two, and the last opponent a past self")
        if self.opponent_params and (
            self.sparring is None or len(self.opponent_params) != len(self.sparring.opponents) - 1
        ):
            raise ValueError("opponent_params are those of all opponents of sparring but the past self")
        devices.require_even(self.mesh, self.tables)
        devices.require_even(self.mesh, self._learned_decisions // self.minibatches, "decisions of a minibatch")

    def init(self, key: Array) -> TrainState:
        return devices.begun(self.mesh, self._init, key, BY_ROW)

    def _init(self, key: Array) -> TrainState:
        params_key, deal_key = jax.random.split(jax.random.fold_in(key, 0))
        return self._first_state(key, deal_key, self.network.init(params_key), self._given_params)

    @functools.partial(jax.jit, static_argnums=0)
    def _first_state(self, key: Array, deal_key: Array, params: Any, given: tuple[Any, ...]) -> TrainState:
        pool = opponent_pool.first_pool(params, self.snapshots) if self.snapshots else None
        tables = self._begin(deal_key, (*given, params))
        average = jax.tree.map(lambda x: x + 0, params)  # another buffer: both are donated
        step = jnp.zeros((), jnp.int32)
        return TrainState(step, key, params, average, self._optimiser.init(params), tables, pool)

    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        """A segment of every table, and a step along the gradient of each minibatch."""
        return self._update(state, self._given_params)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _update(self, state: TrainState, given: tuple[Any, ...]) -> tuple[TrainState, dict[str, Array]]:
        play_key, pool_key, order_key = jax.random.split(jax.random.fold_in(state.key, state.step + 1), 3)
        tables, played = self.play(state, play_key, pool_key, given)
        end = tables if self.sparring is None else tables.state
        batch, paid = self.batch_of(state.params, end, played)
        done = jnp.minimum(state.step / max(self.updates - 1, 1), 1.0)
        first, last = self.entropy_weight
        weights = Weights(self.value_weight, first + (last - first) * done)

        def minibatch(learned: tuple[Any, Any], rows: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
            params, optimiser = learned
            part = devices.spread(self.mesh, jax.tree.map(lambda x: x[rows], batch))
            gradient, metrics = jax.grad(self.loss, has_aux=True)(params, part, weights)
            change, optimiser = self._optimiser.update(gradient, optimiser, params)
            metrics["gradient_norm"] = optax.tree.norm(gradient)
            return (optax.apply_updates(params, change), optimiser), metrics

        orders = jax.vmap(self._order, (0, None))(jax.random.split(order_key, self.epochs), batch.weight)
        rows = orders.reshape(self.epochs * self.minibatches, -1)
        (params, optimiser), metrics = jax.lax.scan(minibatch, (state.params, state.optimiser), rows)

        part = jnp.maximum(1 / (state.step + 1), 1 / self.average_over)
        average = jax.tree.map(lambda old, new: old + part * (new - old), state.average, params)
        pool = state.pool
        if pool is not None:
            pool = opponent_pool.with_snapshot(pool, params, (state.step + 1) % self.snapshot_every == 0)
        after = TrainState(state.step + 1, state.key, params, average, optimiser, tables, pool)
        found = {name: value.mean() for name, value in metrics.items()} | paid
        return devices.placed(self.mesh, after, BY_ROW), devices.everywhere(self.mesh, found)

    # --- playing ------------------------------------------------------------------------------

    def play(
        self, state: TrainState, play_key: Array, pool_key: Array, given: tuple[Any, ...] | None = None
    ) -> tuple[Any, Trajectory]:
        """The tables after a segment, and what happened; ``given`` are ``opponent_params``, as data."""
        decide = trajectories.by_network(self.network, state.params, self.game)
        if self.sparring is not None:
            assert state.pool is not None
            params = (*(self._given_params if given is None else given), opponent_pool.draw(state.pool, pool_key))
            return trajectories.collect_sparring(
                self.sparring, self.network, decide, state.tables, params, play_key, self.turns
            )
        others = round(self.pool_share * self.tables)
        if state.pool is not None and others:
            past = trajectories.by_network(self.network, opponent_pool.draw(state.pool, pool_key), self.game)
            decide = opponent_pool.last_against_past_self(decide, past, self._own_seats, others)
        return trajectories.collect(self.game, self.network, decide, state.tables, play_key, self.turns, self._start)

    def batch_of(self, params: Any, end: Any, played: Trajectory) -> tuple[Batch, dict[str, Array]]:
        """All decisions of a segment with their advantages ``[turns * tables]``, and what the games brought."""
        end_value = self.network.said(params, self.game, jax.vmap(self.network.look)(end)).value
        scaled = played._replace(rewards=self.reward_scale * played.rewards)
        found = trajectories.advantages(scaled, end, end_value, self.discount, self.trace)
        weight = (found.complete & played.decision.learns).astype(jnp.float32)
        total = jnp.maximum(weight.sum(), 1)
        mean = (weight * found.advantage).sum() / total
        deviation = jnp.sqrt((weight * (found.advantage - mean) ** 2).sum() / total)
        advantage = found.advantage
        if self.normalises:
            advantage = (advantage - mean) / jnp.maximum(deviation, LEAST_DEVIATION)
        decision = played.decision
        batch = Batch(played.state, decision.action, decision.log_probability, advantage, found.returns, weight)
        returns_mean = (weight * found.returns).sum() / total
        unexplained = deviation**2 + mean**2
        spread = (weight * (found.returns - returns_mean) ** 2).sum() / total
        metrics = {
            "decisions": weight.sum(),
            "games": played.over.sum(),
            "reward": played.rewards.sum() / played.over.size,  # of all seats together, per decision
            "advantage_deviation": deviation,
            "explained": 1 - unexplained / jnp.maximum(spread, LEAST_DEVIATION),  # part of the returns' variance
        }
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), batch), metrics

    def loss(self, params: Any, batch: Batch, weights: Weights) -> tuple[Array, dict[str, Array]]:
        """``[]``, see the module's docstring, and its parts."""
        said = self.network.said(params, self.game, batch.state)
        chosen, entropies = self.network.odds(said, batch.state, batch.action)

        def mean(x: Array) -> Array:
            return (batch.weight * x).sum() / jnp.maximum(batch.weight.sum(), 1)

        ratio = jnp.exp(chosen - batch.log_probability)
        if self.clip is None:
            gain = batch.advantage * chosen
        else:
            clipped = jnp.clip(ratio, 1 - self.clip, 1 + self.clip)
            gain = jnp.minimum(ratio * batch.advantage, clipped * batch.advantage)
        policy, value, entropy = -mean(gain), mean((said.value - batch.returns) ** 2), mean(entropies)
        parts = {
            "policy_loss": policy,
            "value_loss": value,
            "entropy": entropy,
            "kl": mean(ratio - 1 - (chosen - batch.log_probability)),  # from the policy that played
        }
        return policy + weights.value * value - weights.entropy * entropy, parts

    def _order(self, key: Array, weight: Array) -> Array:
        """``[learned decisions]`` int32: rows of a batch in any order, those with a ``weight`` ``[n]`` if not all."""
        if self.learned_share == 1:
            return jax.random.permutation(key, len(weight))
        luck = jax.random.uniform(key, weight.shape)
        return jnp.argsort(jnp.where(weight > 0, luck, 1 + luck))[: self._learned_decisions]

    @property
    def _learned_decisions(self) -> int:
        """Of an epoch."""
        return round(self.learned_share * self.tables * self.turns)

    # --- tables -------------------------------------------------------------------------------

    @property
    def _players(self) -> Array:
        """[tables] int32: how many play at each."""
        sizes = jnp.asarray(self.sizes or (self.game.num_players,), jnp.int32)
        return jnp.tile(sizes, -(-self.tables // len(sizes)))[: self.tables]

    @property
    def _own_seats(self) -> Array:
        """[tables] int32: the learner's seat where it meets a past self; among tables of one size seats take turns."""
        return (jnp.arange(self.tables, dtype=jnp.int32) // max(len(self.sizes), 1)) % self._players

    def _begin(self, key: Array, opponents: tuple[Any, ...]) -> Any:
        """The tables before the first segment; the ``opponents`` of sparring have these params."""
        if self.sparring is None:
            return self._start(self.game.deal(key, (self.tables,)))
        return self.sparring.begin(key, self.tables, opponents)

    @property
    def _given_params(self) -> tuple[Any, ...]:
        """Parameters of those it spars with, but for the past self: data, for they may be many."""
        if self.sparring is None:
            return ()
        return self.opponent_params or (None,) * (len(self.sparring.opponents) - 1)

    def _start(self, deals: Any) -> Any:
        """The first states of a batch of ``deals`` ``[tables, ...]``."""
        if not self.sizes:
            return jax.vmap(self.game.start)(deals)
        return jax.vmap(lambda deal, players: self.game.start(deal, players=players))(  # type: ignore[call-arg]
            deals, self._players
        )

    @functools.cached_property
    def _optimiser(self) -> optax.GradientTransformation:
        rate = optax.linear_schedule(*self.learning_rate, self.updates * self.epochs * self.minibatches)
        return optax.chain(optax.clip_by_global_norm(self.max_gradient), optax.adam(rate))
