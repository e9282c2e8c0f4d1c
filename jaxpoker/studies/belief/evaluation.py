"""What a belief network is worth, where everything can be worked out exactly: Kuhn and Leduc.

Its policy by the exact best response; its range head against the Bayes posterior under that same policy,

    P(hand | what was seen) ∝ P(hand | own card, public card) * product of π(opponent's action | its hand),

by the mean of KL(posterior || head) over the decisions of games that the policy plays against itself; and its latent
steps, one after the other, against the beliefs that its own games then came to.
"""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.learners.belief.information_states import every_row
from jaxpoker.learners.belief.latent_search import Search, belief_model, belief_root, searching
from jaxpoker.learners.belief.learner import Belief, TrainState, following
from jaxpoker.learners.experience import trajectories
from jaxpoker.models.belief import BeliefNetwork, num_hands
from jaxpoker.solvers.exact import exact_game

Array = jax.Array

CALIBRATION_BINS = 10
SPEED_MEASUREMENTS = 5
_LEAST = 1e-9  # probability whose logarithm is still taken


@functools.partial(jax.jit, static_argnums=(0, 1))
def strategy(game: Kuhn | Leduc, network: BeliefNetwork, params: Any) -> Array:
    """``[rows, actions]``: what the policy head plays at each information set."""
    return jax.tree.map(jnp.asarray, every_row(game)).policy(network.of(params))


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def searched_strategy(game: Kuhn | Leduc, network: BeliefNetwork, search: Search, params: Any, key: Array) -> Array:
    """``[rows, actions]``: what comes of searching at each information set and playing the improved policy."""
    rows = jax.tree.map(jnp.asarray, every_row(game))
    root = belief_root(network, params, rows.beliefs(network.of(params)), rows.legal)
    return search(belief_model(network), params, root, key).policy


def searched_decisions_per_second(
    game: Kuhn | Leduc, network: BeliefNetwork, search: Search, params: Any, tables: int = 512, turns: int = 8
) -> float:
    """Self-play of so many ``tables`` with a search of its own at every decision; the best of several measurements."""

    @jax.jit
    def play(params: Any, key: Array) -> Any:
        decide = searching(network, search, params, game)
        begin = jax.vmap(game.start)(game.deal(key, (tables,)))  # type: ignore[arg-type]
        return trajectories.collect(game, network.policy, decide, begin, key, turns)[0]

    jax.block_until_ready(play(params, jax.random.key(0)))
    seconds = []
    for i in range(SPEED_MEASUREMENTS):
        began = time.perf_counter()
        jax.block_until_ready(play(params, jax.random.key(1 + i)))
        seconds.append(time.perf_counter() - began)
    return tables * turns / min(seconds)


# --- the opponent's hand ------------------------------------------------------------------------


class Posterior(NamedTuple):
    """At each of R information sets."""

    hands: Array  # [R, hands] probabilities of the opponent's; 0/0 is the prior
    prior: Array  # [R, hands] by the visible cards alone
    reach: Array  # [R] how likely a game comes there


def posterior(game: Kuhn | Leduc, table: Array) -> Posterior:
    """When both play the strategy ``table`` ``[R, actions]``."""
    public = exact_game.whole(game)
    nodes = public.tree.decisions()
    paths, seats = jnp.asarray(public.tree.paths(nodes)), jnp.asarray(public.tree.player[nodes], jnp.int32)
    deals = jax.tree.map(lambda *both: jnp.stack(both), *(examples for examples, _ in public.deals.examples))
    found = jax.tree.map(np.asarray, _posteriors(game, table, paths, seats, deals))
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), found)
    rows, first = np.unique(flat[0], return_index=True)
    assert len(rows) == game.num_infosets
    return Posterior(*(jnp.asarray(x[first]) for x in flat[1:]))


@functools.partial(jax.jit, static_argnums=0)
def _posteriors(game: Kuhn | Leduc, table: Array, paths: Array, seats: Array, deals: Any) -> tuple[Array, ...]:
    """Row, posterior, prior and reach at the end of ``paths`` ``[n, length]``, by deal: ``[n, examples, ...]``."""
    hands = jnp.arange(num_hands(game), dtype=jnp.int32)

    def at(path: Array, seat: Array, deal: Any) -> tuple[Array, ...]:
        def play(carry: Any, action: Array) -> tuple[Any, None]:
            state, own, other = carry
            actor = state.current_player
            chance = table[game.infoset_index(state, actor), action]
            happens, mine = action >= 0, actor == seat
            own = own * jnp.where(happens & mine, chance, 1.0)
            other = other * jnp.where(happens & ~mine, chance, 1.0)
            after = game.step(state, action)
            return (jax.tree.map(lambda a, b: jnp.where(happens, a, b), after, state), own, other), None

        def with_hand(hand: Array) -> tuple[Any, Array, Array]:
            state: Any = game.start(deal)
            begin = (game.with_hand(state, 1 - seat, hand), jnp.ones(()), jnp.ones(()))
            return jax.lax.scan(play, begin, path)[0]

        states, own, other = jax.vmap(with_hand)(hands)
        state = jax.tree.map(lambda x: x[0], states)
        seen = game.information_state(state, seat)[:, 1]  # 1 + card, 0 where a token is none
        possible = ~(seen[:, None] == 1 + hands).any(axis=0)
        prior = possible / possible.sum()
        joint = prior * other
        visible = (seen > 0).sum()
        # deals of the visible cards: all are alike
        ways = jnp.prod(jnp.where(jnp.arange(len(hands)) < visible, len(hands) - jnp.arange(len(hands)), 1))
        total = joint.sum()
        bayes = jnp.where(total > 0, joint / jnp.where(total > 0, total, 1), prior)
        return game.infoset_index(state, seat), bayes, prior, own[0] * total / ways

    def with_deals(path: Array, seat: Array) -> tuple[Array, ...]:
        own = jax.tree.map(lambda x: x[seat], deals)
        return jax.vmap(at, in_axes=(None, None, 0))(path, seat, own)

    return jax.vmap(with_deals)(paths, seats)


class RangeQuality(NamedTuple):
    """The range head against Bayes; means over the decisions of the policy's own games, in nats."""

    cross_entropy: float  # of the head
    bayes_entropy: float  # of the posterior: no head has less
    divergence: float  # KL(posterior || head)
    prior_divergence: float  # KL(posterior || prior)
    said: np.ndarray  # [bins] mean of the probabilities that the head gave, from the smallest tenth to the largest
    true: np.ndarray  # [bins] mean of the exact ones there

    @property
    def factor(self) -> float:
        """How many times closer to the posterior the head is than the prior."""
        return self.prior_divergence / max(self.divergence, _LEAST)

    @property
    def calibration_error(self) -> float:
        return float(np.abs(self.said - self.true).mean())


@functools.partial(jax.jit, static_argnums=(0, 1))
def _ranges(game: Kuhn | Leduc, network: BeliefNetwork, params: Any) -> Array:
    """``[R, hands]``: probabilities of the opponent's, by the head."""
    net = network.of(params)
    return jax.nn.softmax(net.range(jax.tree.map(jnp.asarray, every_row(game)).beliefs(net)))


def range_quality(game: Kuhn | Leduc, network: BeliefNetwork, params: Any) -> RangeQuality:
    """Of the range head, under the network's own policy."""
    exact = posterior(game, strategy(game, network, params))
    head = np.asarray(_ranges(game, network, params), np.float64)
    bayes, prior = np.asarray(exact.hands, np.float64), np.asarray(exact.prior, np.float64)
    weight = np.asarray(exact.reach, np.float64) / float(exact.reach.sum())

    def mean_of(log: np.ndarray) -> float:
        return float(weight @ (bayes * log).sum(axis=1))

    logs = {name: np.log(np.maximum(x, _LEAST)) for name, x in (("head", head), ("bayes", bayes), ("prior", prior))}
    order = np.argsort(head, axis=None)
    mass = (weight[:, None] * np.ones_like(head)).reshape(-1)[order]
    bins = np.minimum((np.cumsum(mass) / mass.sum() * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)

    def binned(x: np.ndarray) -> np.ndarray:
        total = np.bincount(bins, mass * x.reshape(-1)[order], CALIBRATION_BINS)
        return total / np.maximum(np.bincount(bins, mass, CALIBRATION_BINS), _LEAST)

    return RangeQuality(
        -mean_of(logs["head"]),
        -mean_of(logs["bayes"]),
        mean_of(logs["bayes"] - logs["head"]),
        mean_of(logs["bayes"] - logs["prior"]),
        binned(head),
        binned(bayes),
    )


# --- latent steps -------------------------------------------------------------------------------


def step_errors(learner: Belief, state: TrainState, key: Array, steps: int = 4) -> list[float]:
    """How wrong so many latent steps in a row are, in parts of the variance of the beliefs z' that then came:

        |g(... g(z, a) ...) - z'|² / variance of z'

    The actions are the observer's own in games of the policy against itself, z' the belief that it then had. 1 is no
    better than the mean belief. There are as many errors as the longest game has decisions to go.
    """
    errors, decisions = jax.device_get(_step_errors(learner, state, key, steps))
    return errors[decisions > 0].tolist()


@functools.partial(jax.jit, static_argnums=(0, 3))
def _step_errors(learner: Belief, state: TrainState, key: Array, steps: int) -> tuple[Array, Array]:
    """``[steps]`` each: the errors, and of how many decisions they are the mean."""
    _, played = learner.play(state, key)
    rows, index = learner.rows_of(played.state)
    z = rows.beliefs(learner.network.of(state.params))[index]
    after = following(played)
    place, known = after.place.reshape(-1), after.known.reshape(-1)
    action = played.decision.action.reshape(-1)

    def step(carry: tuple[Array, Array, Array], _: None) -> tuple[Any, tuple[Array, Array]]:
        latent, at, there = carry
        latent = learner.network.of(state.params).transition(latent, action[at]).mean
        there &= known[at] & (place[at] >= 0)
        at = jnp.where(there, place[at], 0)
        truth, weight = z[at], (there / there.sum())[:, None]
        spread = (weight * (truth - (weight * truth).sum(axis=0)) ** 2).sum()
        return (latent, at, there), ((weight * (latent - truth) ** 2).sum() / spread, there.sum())

    begin = (z, jnp.arange(len(place)), jnp.ones(len(place), jnp.bool_))
    return jax.lax.scan(step, begin, length=steps)[1]
