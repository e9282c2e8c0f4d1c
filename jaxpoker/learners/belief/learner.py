"""Learning beliefs by search: games against itself, targets by search in the latent space, four losses.

An update plays a segment (``learners/experience/trajectories.py``) by the policy head, searches at every information
state (``learners/belief/latent_search.py``) and descends

    1   policy      KL(target || π)
    1   value       (V - R)², and the same of what the search reads for the action taken: (r + c V(g(z, a)) - R)²
    0.5 transition  |g(z, a) - z'|² / latent, z' the same observer's belief at its next decision; r, c, what is legal
    0.1 range       - log P(the opponent's hand)

with Adam, gradients cut to a norm. R is the return of a decision, Monte Carlo or bootstrapped (λ), r what the observer
is paid until its next decision and c how likely there is one. Targets have no gradient.

Search from one state has no guarantee to go toward equilibrium: the best answer to today's opponent is not
tomorrow's, and policies that follow it go in circles. Three things hold it back, the first two by the target,

    log target = (log π' + step (magnet log ρ)) / (1 + step (magnet + entropy)) + constant,    π' ∝ π exp(step q):

a magnet ρ, which is the policy of the averaged parameters; an entropy bonus, which is a uniform magnet; both are
magnetic mirror descent (Sokota et al., 2023), which goes to a regularised equilibrium, and to one of the game as the
weights fall; and what comes out is the running mean of the parameters. How far from equilibrium it ends is measured, by
the exact best response, not promised.

A policy that is sure of itself never learns what it would get for what it does not play, nor do its opponents, whom a
best response will lead there all the same. At half of the tables one seat therefore trembles: now and then it takes any
legal action.

Without a search q is what was sampled: V + 1[a was taken] (R - V) / π(a), the policy gradient. For a start by imitation
the games and the targets of the first updates are those of a solved strategy.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxpoker import core, devices
from jaxpoker.learners.belief import information_states
from jaxpoker.learners.belief.information_states import Rows
from jaxpoker.learners.belief.latent_search import Search, belief_model, belief_root
from jaxpoker.learners.experience import trajectories
from jaxpoker.learners.experience.trajectories import Decision, Trajectory
from jaxpoker.models.belief import BeliefNet, BeliefNetwork, hand_of, num_hands
from jaxpoker.models.belief_heads import divergence
from jaxpoker.models.policy import Output, masked

Array = jax.Array

LEAST_PROBABILITY = 1e-6  # what 1 / π(a) is cut at
BY_ROW = ("tables",)  # of a state: what devices share


class Weights(NamedTuple):
    """Of the losses."""

    policy: float = 1.0
    value: float = 1.0
    transition: float = 0.5
    range: float = 0.1
    divergence: float = 0.01  # inside ``transition``: of probabilistic ones from the standard normal distribution


class Following(NamedTuple):
    """What comes after each decision of a segment, for its own seat: ``[T, N]`` each."""

    place: Array  # int32: the seat's next decision in this game as t * N + n; -1 if there is none
    paid: Array  # rewards until then, or until the game ends
    known: Array  # bool: the segment goes on that far


class Batch(NamedTuple):
    """What a segment says of R rows and of P pairs of a row and an action; w are numbers of decisions."""

    row_weight: Array  # [R]
    returns: Array  # [R] mean
    hands: Array  # [R, hands] how often the opponent held each
    pair_row: Array  # [P] int32
    pair_action: Array  # [P] int32
    pair_weight: Array  # [P]
    pair_returns: Array  # [P] mean
    step_weight: Array  # [P] decisions of which it is known what followed
    paid: Array  # [P] mean until the next decision
    goes_on: Array  # [P] how often there was one
    next_belief: Array  # [P, latent] mean, where there was one
    next_legal: Array  # [P, actions] how often each action was legal there


@flax.struct.dataclass
class TrainState:
    """Everything that an update depends on."""

    step: Array  # [] int32, updates done
    key: Array  # of the whole run
    params: Any
    average: Any  # running mean of the params
    optimiser: Any
    tables: Any  # [tables, ...] games under way


@dataclasses.dataclass(frozen=True, eq=False)
class Belief:
    """The learner. What an update plays is ``tables * turns`` decisions."""

    game: core.Game
    network: BeliefNetwork
    search: Search | None = Search()  # noqa: RUF009  # frozen; None: the policy gradient
    updates: int = 1_000  # of the whole run: what falls, falls until then
    tables: int = 1_024
    turns: int = 16  # of a segment
    learning_rate: tuple[float, float] = (1e-3, 1e-4)  # of the first update and of the last; falls evenly
    trace: float = 1.0  # λ: 1 Monte Carlo, 0 bootstrapped from the next decision
    weights: Weights = Weights()  # noqa: RUF009  # frozen
    step: float = 1.0  # of mirror descent, without a search
    magnet: tuple[float, float] = (0.0, 0.0)  # of the first update and of the last; falls by the same factor each time
    entropy: tuple[float, float] = (0.1, 0.01)  # likewise
    tremble: tuple[float, float] = (0.0, 0.0)  # likewise; how often a seat that trembles plays any legal action
    reward_scale: float = 1.0  # what rewards are multiplied by: the unit of values
    evenness: float = 1.0  # decisions of one row count as their number to that power
    max_gradient: float = 1.0  # norm beyond which gradients are cut
    average_over: int = 1  # the last updates that count in the running mean; 1: the latest params alone
    imitation: int = 0  # updates at the start that imitate ``expert``
    expert: np.ndarray | None = None  # [rows, actions] a strategy of the game
    mesh: jax.sharding.Mesh | None = None  # its devices share the tables and, if they can equally, the rows

    def __post_init__(self) -> None:
        for name in ("updates", "tables", "turns", "average_over"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: it is 1 or more")
        if self.imitation and (self.expert is None or not self._is_small):
            raise ValueError(f"imitation = {self.imitation}: it needs an expert, a solved strategy of a small game")
        devices.require_even(self.mesh, self.tables)

    def init(self, key: Array) -> TrainState:
        return devices.begun(self.mesh, self._init, key, BY_ROW)

    def _init(self, key: Array) -> TrainState:
        params_key, deal_key = jax.random.split(jax.random.fold_in(key, 0))
        return self._first_state(key, deal_key, self.network.init(params_key))

    @functools.partial(jax.jit, static_argnums=0)
    def _first_state(self, key: Array, deal_key: Array, params: Any) -> TrainState:
        tables = jax.vmap(self.game.start)(self.game.deal(deal_key, (self.tables,)))
        average = jax.tree.map(lambda x: x + 0, params)  # another buffer: both are donated
        return TrainState(jnp.zeros((), jnp.int32), key, params, average, self._optimiser.init(params), tables)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def update(self, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
        """A segment of every table, a search at every row, and a step along the gradient."""
        play_key, search_key, noise_key = jax.random.split(jax.random.fold_in(state.key, state.step + 1), 3)
        imitates = state.step < self.imitation
        tables, played = self.play(state, play_key, imitates)
        rows, index = self.rows_of(played.state)
        z = self._beliefs(self.network.of(state.params), rows)
        batch, paid = self.batch_of(state, tables, played, rows, index, z)
        target, found = self.target(state, rows, z, batch, search_key, imitates)
        (_, parts), gradient = jax.value_and_grad(self.loss, has_aux=True)(state.params, rows, batch, target, noise_key)
        change, optimiser = self._optimiser.update(gradient, state.optimiser, state.params)
        params = optax.apply_updates(state.params, change)
        part = jnp.maximum(1 / (state.step + 1), 1 / self.average_over)
        average = jax.tree.map(lambda old, new: old + part * (new - old), state.average, params)
        after = TrainState(state.step + 1, state.key, params, average, optimiser, tables)
        metrics = {**parts, **found, **paid, "gradient_norm": optax.tree.norm(gradient)}
        return devices.placed(self.mesh, after, BY_ROW), devices.everywhere(self.mesh, metrics)

    # --- playing ------------------------------------------------------------------------------

    def play(self, state: TrainState, key: Array, imitates: Array | bool = False) -> tuple[Any, Trajectory]:
        """The tables after a segment, and what happened; who imitates lets the expert play."""
        answer = self.answers(state.params, imitates)
        trembles = self._fallen(self.tremble, state)
        at = jnp.arange(self.tables, dtype=jnp.int32) % 4  # at one of four tables seat 0 trembles, at one seat 1

        def decide(tables: Any, key: Array) -> Decision:
            output, legal = answer(tables), tables.legal_action_mask
            share = jnp.where(at == tables.current_player, trembles, 0.0)[:, None]
            policy = jax.nn.softmax(masked(output.logits, legal))
            mixed = (1 - share) * policy + share * legal / legal.sum(axis=1, keepdims=True)
            return trajectories.decide(self.network.policy, Output(_log(mixed), output.value), tables, key)

        return trajectories.collect(self.game, self.network.policy, decide, state.tables, key, self.turns)

    def answers(self, params: Any, imitates: Array | bool = False) -> Any:
        """tables ``[n]`` -> logits and values; looked up where all rows are asked about before."""
        if not self._is_small:
            return lambda tables: self.network.policy.said(params, self.game, tables)
        net, rows = self.network.of(params), self._every_row
        z = self._beliefs(net, rows)
        logits, value = devices.everywhere(self.mesh, (masked(net.policy(z), rows.legal), net.value(z)))
        if self.expert is not None:
            logits = jnp.where(imitates, _log(jnp.asarray(self.expert)), logits)

        def looked_up(tables: Any) -> Output:
            row = self._row_of(tables)
            return Output(logits[row], value[row])

        return looked_up

    def rows_of(self, states: Any) -> tuple[Rows, Array]:
        """The rows, and which of them each decision ``[T, N]`` is: int32 ``[T * N]``."""
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        if self._is_small:
            return self._every_row, self._row_of(flat)
        rows = information_states.of_decisions(self.game, flat)
        return rows, rows.sequence

    # --- what a segment says ------------------------------------------------------------------

    def batch_of(
        self, state: TrainState, end: Any, played: Trajectory, rows: Rows, index: Array, z: Array
    ) -> tuple[Batch, dict[str, Array]]:
        """All decisions of a segment, summed up by row and by pair, and what the games brought."""
        scaled = played._replace(rewards=self.reward_scale * played.rewards)
        end_value = self.answers(state.params)(end).value
        found = trajectories.advantages(scaled, end, end_value, 1.0, self.trace)
        after = following(scaled)
        complete, returns = found.complete.reshape(-1).astype(jnp.float32), found.returns.reshape(-1)
        known, place = after.known.reshape(-1).astype(jnp.float32), after.place.reshape(-1)
        action = played.decision.action.reshape(-1)
        num_rows, num_actions, hands = len(rows.last), self.game.num_actions, num_hands(self.game)

        if self._is_small:  # all pairs
            pair = index * num_actions + action
            pair_row, pair_action = jnp.divmod(jnp.arange(num_rows * num_actions, dtype=jnp.int32), num_actions)
        else:  # those that were played
            pair, pair_row, pair_action = index, index, action

        def summed(x: Array, where: Array, size: int) -> Array:
            return jnp.zeros((size, *x.shape[1:])).at[where].add(x)

        def mean(total: Array, weight: Array) -> Array:
            return total / jnp.maximum(weight, 1).reshape(-1, *[1] * (total.ndim - 1))

        row_weight, pair_weight = summed(complete, index, num_rows), summed(complete, pair, len(pair_row))
        step_weight = summed(known, pair, len(pair_row))
        goes_on = known * (place >= 0)
        next_row = index[jnp.maximum(place, 0)]
        continued = summed(goes_on, pair, len(pair_row))
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), played.state)
        opponent = jax.vmap(lambda table: hand_of(self.game, table, 1 - table.current_player))(flat)
        held = summed(complete, index * hands + opponent, num_rows * hands).reshape(num_rows, hands)
        batch = Batch(
            row_weight,
            mean(summed(complete * returns, index, num_rows), row_weight),
            held,
            pair_row,
            pair_action,
            pair_weight,
            mean(summed(complete * returns, pair, len(pair_row)), pair_weight),
            step_weight,
            mean(summed(known * after.paid.reshape(-1), pair, len(pair_row)), step_weight),
            continued,
            mean(summed(goes_on[:, None] * z[next_row], pair, len(pair_row)), continued),
            mean(summed(goes_on[:, None] * rows.legal[next_row], pair, len(pair_row)), continued),
        )
        metrics = {"decisions": complete.sum(), "games": played.over.sum()}
        return jax.lax.stop_gradient(batch), metrics

    def target(
        self, state: TrainState, rows: Rows, z: Array, batch: Batch, key: Array, imitates: Array
    ) -> tuple[Array, dict[str, Array]]:
        """The policy to go toward ``[R, actions]``, and how far the search moved it."""
        root = belief_root(self.network, state.params, z, rows.legal)
        magnet, entropy = (self._fallen(weight, state) for weight in (self.magnet, self.entropy))
        if self.search is None:
            step, q = self.step, sampled_q(root.logits, root.value, batch)
            improved = jax.nn.softmax(root.logits + step * q)
        else:
            model = belief_model(self.network, self.weights.value > 0)
            step, improved = self.search.step, self.search(model, state.params, root, key).policy
        pulled = _log(improved)
        if max(self.magnet) > 0:
            net = self.network.of(state.average)
            slow = masked(net.policy(self._beliefs(net, rows)), rows.legal)
            pulled = pulled + step * magnet * jax.nn.log_softmax(slow)
        target = jax.nn.softmax(masked(pulled / (1 + step * (magnet + entropy)), rows.legal))
        if self.expert is not None:
            target = jnp.where(imitates, jnp.asarray(self.expert), target)
        policy = jax.nn.softmax(root.logits)
        moved = jnp.abs(improved - policy).sum(axis=1) / 2
        moved = (batch.row_weight * moved).sum() / jnp.maximum(batch.row_weight.sum(), 1)
        return jax.lax.stop_gradient(target), {"search_moved": moved}

    # --- the losses ---------------------------------------------------------------------------

    def loss(self, params: Any, rows: Rows, batch: Batch, target: Array, key: Array) -> tuple[Array, dict[str, Array]]:
        """``[]``, see the module's docstring, and its parts."""
        net = self.network.of(params)
        z = self._beliefs(net, rows)
        log_policy = jax.nn.log_softmax(masked(net.policy(z), rows.legal))
        value = net.value(z)
        noise = jax.random.normal(key, (len(batch.pair_row), z.shape[1])) if self.network.sizes.probabilistic else None
        step = net.transition(z[batch.pair_row], batch.pair_action, noise)
        imagined = step.reward + jax.nn.sigmoid(step.goes_on) * net.value(step.latent)

        def mean(x: Array, weight: Array) -> Array:
            weight = weight**self.evenness
            return (weight * x).sum() / jnp.maximum(weight.sum(), 1)

        policy = mean((target * (_log(target) - log_policy)).sum(axis=1), batch.row_weight)
        values = mean((value - batch.returns) ** 2, batch.row_weight)
        values += mean((imagined - batch.pair_returns) ** 2, batch.pair_weight)
        distance = mean(((step.latent - batch.next_belief) ** 2).mean(axis=1), batch.goes_on)
        part = batch.goes_on / jnp.maximum(batch.step_weight, 1)
        ends = mean(optax.sigmoid_binary_cross_entropy(step.goes_on, part), batch.step_weight)
        paid = mean((step.reward - batch.paid) ** 2, batch.step_weight)
        legal = mean(
            optax.sigmoid_binary_cross_entropy(net.legal(step.latent), batch.next_legal).mean(axis=1), batch.goes_on
        )
        transition = distance + ends + paid + legal
        if step.log_variance is not None:
            spread = mean(divergence(step.mean, step.log_variance) / z.shape[1], batch.goes_on)
            transition += self.weights.divergence * spread
        held = batch.hands / jnp.maximum(batch.row_weight, 1)[:, None]
        hands = mean(-(held * jax.nn.log_softmax(net.range(z))).sum(axis=1), batch.row_weight)
        entropy = mean(-(jnp.exp(log_policy) * log_policy).sum(axis=1), batch.row_weight)
        weights = self.weights
        total = weights.policy * policy + weights.value * values + weights.transition * transition
        parts = {
            "policy_loss": policy,
            "value_loss": values,
            "transition_loss": transition,
            "transition_distance": distance,
            "range_loss": hands,
            "entropy": entropy,
        }
        return total + weights.range * hands, parts

    # --- rows ---------------------------------------------------------------------------------

    @property
    def _is_small(self) -> bool:
        return information_states.is_small(self.game)

    @property
    def _every_row(self) -> Rows:
        return devices.spread_if_even(self.mesh, jax.tree.map(jnp.asarray, information_states.every_row(self.game)))

    def _beliefs(self, net: BeliefNet, rows: Rows) -> Array:
        """``[R, latent]``; a row is read and searched by one device, where they can share the rows equally."""
        return devices.spread_if_even(self.mesh, rows.beliefs(net))

    def _row_of(self, tables: Any) -> Array:
        """``[n]`` int32 of tables ``[n]``."""
        game: Any = self.game
        return jax.vmap(game.infoset_index)(tables, tables.current_player)

    def _fallen(self, weight: tuple[float, float], state: TrainState) -> Array:
        """From the first update's to the last one's, by the same factor each time; evenly if one of them is 0."""
        first, last = weight
        done = jnp.minimum(state.step / max(self.updates - 1, 1), 1.0)
        if min(first, last) <= 0:
            return first + (last - first) * done
        return first * (last / first) ** done

    @functools.cached_property
    def _optimiser(self) -> optax.GradientTransformation:
        rate = optax.linear_schedule(*self.learning_rate, self.updates)
        return optax.chain(optax.clip_by_global_norm(self.max_gradient), optax.adam(rate))


def following(played: Trajectory) -> Following:
    """The next decision of each decision's own seat, by one pass from the segment's end."""
    turns, tables = played.over.shape
    seats = jnp.arange(played.rewards.shape[-1], dtype=jnp.int32)
    nothing = jnp.zeros((tables, len(seats)))

    def turn(ahead: Following, now: tuple[Array, Array, Array, Array]) -> tuple[Following, Following]:
        at, actor, rewards, over = now
        ends = over[:, None]
        place = jnp.where(ends, -1, ahead.place)
        paid = jnp.where(ends, 0.0, ahead.paid) + rewards
        known = ends | ahead.known
        mine = actor[:, None] == seats

        def own(x: Array) -> Array:
            return jnp.where(mine, x, 0).sum(axis=1)

        here = jnp.broadcast_to((at * tables + jnp.arange(tables, dtype=jnp.int32))[:, None], mine.shape)
        before = Following(jnp.where(mine, here, place), jnp.where(mine, 0.0, paid), mine | known)
        return before, Following(own(place), own(paid), (mine & known).any(axis=1))

    end = Following(jnp.full(nothing.shape, -1, jnp.int32), nothing, nothing > 0)
    steps = (jnp.arange(turns, dtype=jnp.int32), played.state.current_player, played.rewards, played.over)
    return jax.lax.scan(turn, end, steps, reverse=True)[1]


def sampled_q(logits: Array, value: Array, batch: Batch) -> Array:
    """``[R, actions]``: the mean over a row's decisions of V + 1[a was taken] (R - V) / π(a)."""
    policy = jnp.maximum(jax.nn.softmax(logits), LEAST_PROBABILITY)
    chosen = policy[batch.pair_row, batch.pair_action]
    row_weight = jnp.maximum(batch.row_weight, 1)[batch.pair_row]
    gain = batch.pair_weight * (batch.pair_returns - value[batch.pair_row]) / (chosen * row_weight)
    return value[:, None] + jnp.zeros_like(logits).at[batch.pair_row, batch.pair_action].add(gain)


def _log(probabilities: Array) -> Array:
    return jnp.log(jnp.maximum(probabilities, 1e-30))
