"""Search in a latent space: what an action is worth, by a learned model of where it leads.

Everything is the observer's. A node of the tree is one of its decisions, an edge runs to its next one, and the
opponent's reply is inside the edge: the model has learned it from games against an opponent that did not see the
observer's card, so the simulated opponent does not see it either. Rewards and values are the observer's own throughout.
The discount of an edge is the probability that the observer decides again.

    method      simulations                                             improved policy
    gumbel      mctx's Gumbel MuZero (Danihelka et al., 2022)           π' ∝ π exp(step * q)
    muzero      mctx's MuZero (Schrittwieser et al., 2020)              visits
    stochastic  mctx's Stochastic MuZero (Antonoglou et al., 2022)      visits; an edge leads to several draws of the
                                                                        next belief
    rollout     as many for each action, to the depth, by π             π' ∝ π exp(step * q)

A deterministic edge leads to the mean over the opponent's replies and the public cards. One step ahead the value is
learned from what then came. From there on the observer is planned for as if it did not see which reply it got: in
Leduc a deeper search was no better than one of depth 1 (experiments/reports/belief-leduc).

π' ∝ π exp(step * q) is a step of mirror descent: a small one changes a policy little, a large one makes it greedy.
Search from one state knows no equilibrium: where only mixed strategies hold, what is best against the opponent of today
is not tomorrow, and a policy that follows it goes in circles. Who learns from it has to hold it back
(``learners/belief/learner.py``).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import mctx

from jaxpoker import core
from jaxpoker.learners.experience.trajectories import Decide, Decision
from jaxpoker.models.belief import BeliefNetwork, tokens_of
from jaxpoker.models.policy import ILLEGAL_LOGIT, masked
from jaxpoker.players.contract import Player, from_policy

Array = jax.Array

Method = Literal["gumbel", "muzero", "stochastic", "rollout"]


class Node(NamedTuple):
    """Decisions of observers: ``[n]``."""

    latent: Any  # [n, ...]
    logits: Array  # [n, actions] of the policy, -1e9 where an action is not legal
    value: Array  # [n]


class Edge(NamedTuple):
    """From a decision of each observer to its next: ``[n]``."""

    reward: Array  # [n]
    discount: Array  # [n] how likely it is that there is a next one
    node: Node


class Model(NamedTuple):
    """What the search knows of a game."""

    # (params, latents [n, ...], actions [n], noise) -> edges; noise is None for the mean
    step: Callable[[Any, Any, Array, Array | None], Edge]
    # (key, n) -> what ``step`` takes for a draw; only if the model is stochastic
    draw: Callable[[Array, int], Array] | None = None


class Found(NamedTuple):
    """What a search says of each root."""

    policy: Array  # [n, actions] the improved one
    value: Array  # [n] of the root, by the search
    q: Array  # [n, actions] of the actions; the root's value where one was not tried
    visits: Array  # [n, actions]


@dataclasses.dataclass(frozen=True)
class Search:
    """How to search; see the module's docstring."""

    method: Method = "gumbel"
    simulations: int = 50
    step: float = 1.0  # of mirror descent
    depth: int = 4  # decisions that a simulation looks ahead
    gumbel: float = 0.0  # scale of the noise that breaks ties at the root
    outcomes: int = 4  # stochastic: draws that an edge leads to

    def __post_init__(self) -> None:
        for name in ("simulations", "depth", "outcomes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}: a search has 1 or more")

    def __call__(self, model: Model, params: Any, root: Node, key: Array) -> Found:
        """Of roots ``[n]``; an action that is not legal is never tried."""
        if self.method == "stochastic" and model.draw is None:
            raise ValueError("the stochastic search needs a model with probabilistic transitions")
        search = {
            "gumbel": self._gumbel,
            "muzero": self._muzero,
            "stochastic": self._stochastic,
            "rollout": self._rollout,
        }[self.method]
        return search(model, params, root, key)

    def improved(self, logits: Array, q: Array) -> Array:
        """``[n, actions]``: π' ∝ π exp(step * q)."""
        return jax.nn.softmax(logits + self.step * q)

    # --- by mctx ------------------------------------------------------------------------------

    def _gumbel(self, model: Model, params: Any, root: Node, key: Array) -> Found:
        found = mctx.gumbel_muzero_policy(
            params,
            key,
            _root(root),
            _recurrent(model),
            self.simulations,
            ~_is_legal(root.logits),
            self.depth,
            qtransform=functools.partial(completed_q, step=self.step),
            gumbel_scale=self.gumbel,
        )
        return self._found(found.search_tree, root, found.action_weights)

    def _muzero(self, model: Model, params: Any, root: Node, key: Array) -> Found:
        found = mctx.muzero_policy(
            params,
            key,
            _root(root),
            _recurrent(model),
            self.simulations,
            ~_is_legal(root.logits),
            self.depth,
            dirichlet_fraction=0.0,
        )
        return self._found(found.search_tree, root, found.action_weights)

    def _stochastic(self, model: Model, params: Any, root: Node, key: Array) -> Found:
        """Chance has so many outcomes, all alike: the draws of the next belief, the same ones at every edge."""
        assert model.draw is not None
        n, actions = root.logits.shape
        draws = model.draw(jax.random.fold_in(key, 1), self.outcomes)  # [outcomes, ...]

        def decide(params: Any, key: Array, action: Array, latent: Any) -> tuple[Any, Any]:
            edge = model.step(params, latent, action, None)
            after = edge.reward + edge.discount * edge.node.value
            alike = jnp.zeros((n, self.outcomes))
            return mctx.DecisionRecurrentFnOutput(chance_logits=alike, afterstate_value=after), (latent, action)

        def chance(params: Any, key: Array, outcome: Array, after: Any) -> tuple[Any, Any]:
            latent, action = after
            reward, discount, node = model.step(params, latent, action, draws[outcome])
            said = {"action_logits": node.logits, "value": node.value}
            return mctx.ChanceRecurrentFnOutput(reward=reward, discount=discount, **said), node.latent

        found = mctx.stochastic_muzero_policy(
            params,
            key,
            _root(root),
            decide,
            chance,
            self.simulations,
            ~_is_legal(root.logits),
            2 * self.depth,
            dirichlet_fraction=0.0,
        )
        return self._found(found.search_tree, root, found.action_weights[:, :actions])

    def _found(self, tree: Any, root: Node, policy: Array) -> Found:
        actions = root.logits.shape[1]
        of_children = (tree.children_visits, tree.children_rewards, tree.children_discounts, tree.children_values)
        visits, rewards, discounts, values = (x[:, 0, :actions] for x in of_children)
        q = rewards + discounts * values
        value = tree.node_values[:, 0]
        return Found(policy, value, jnp.where(visits > 0, q, value[:, None]), visits)

    # --- by hand ------------------------------------------------------------------------------

    def _rollout(self, model: Model, params: Any, root: Node, key: Array) -> Found:
        """Each legal action is followed to the depth as often as the others, the policy deciding from there on."""
        n, actions = root.logits.shape
        times = -(-self.simulations // actions)
        first = jnp.tile(jnp.arange(actions, dtype=jnp.int32), (n, times))  # [n, rollouts]
        rollouts = first.shape[1]
        latent = jax.tree.map(lambda x: jnp.repeat(x, rollouts, axis=0), root.latent)

        def ahead(carry: tuple[Any, Array, Array, Array], key: Array) -> tuple[Any, Array]:
            latent, action, weight, total = carry
            draw_key, action_key = jax.random.split(key)
            noise = None if model.draw is None else model.draw(draw_key, len(action))
            reward, discount, node = model.step(params, latent, action, noise)
            total, weight = total + weight * reward, weight * discount
            following = jax.random.categorical(action_key, node.logits).astype(jnp.int32)
            return (node.latent, following, weight, total), total + weight * node.value

        begin = (latent, first.reshape(-1), jnp.ones(n * rollouts), jnp.zeros(n * rollouts))
        _, worth = jax.lax.scan(ahead, begin, jax.random.split(key, self.depth))
        q = worth[-1].reshape(n, times, actions).mean(axis=1)
        legal = _is_legal(root.logits)
        policy = self.improved(root.logits, q)
        value = (jax.nn.softmax(root.logits) * q).sum(axis=1)
        return Found(policy, value, jnp.where(legal, q, value[:, None]), jnp.where(legal, times, 0))


def completed_q(tree: Any, node: Array, step: float) -> Array:
    """``[actions]``: step * q, with the mixed value of the node (Danihelka et al., 2022) where one was not tried.

    mctx multiplies by 1 + the largest number of visits. That is taken back: the step stays the same.
    """
    scaled = mctx.qtransform_completed_by_mix_value(
        tree, node, value_scale=step, maxvisit_init=1.0, rescale_values=False
    )
    return scaled / (1 + tree.children_visits[node].max())


def _is_legal(logits: Array) -> Array:
    return logits > ILLEGAL_LOGIT / 2


def _root(root: Node) -> Any:
    return mctx.RootFnOutput(prior_logits=root.logits, value=root.value, embedding=root.latent)


def _recurrent(model: Model) -> Callable[..., Any]:
    def expand(params: Any, key: Array, action: Array, latent: Any) -> tuple[Any, Any]:
        reward, discount, node = model.step(params, latent, action, None)
        said = {"prior_logits": node.logits, "value": node.value}
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, **said), node.latent

    return expand


# --- the model of a belief network --------------------------------------------------------------


def belief_model(network: BeliefNetwork, uses_value: bool = True) -> Model:
    """The latent steps of a network. An imagined decision has the actions that the network thinks are legal there.

    Without its value head (``uses_value``) a leaf is worth 0 and only the rewards on the way count.
    """

    def step(params: Any, latent: Array, action: Array, noise: Array | None) -> Edge:
        net = network.of(params)
        after = net.transition(latent, action, noise)
        legal = net.legal(after.latent)
        legal = legal >= jnp.minimum(0.0, legal.max(axis=-1, keepdims=True))  # the likeliest one at least
        value = net.value(after.latent) if uses_value else jnp.zeros(len(action))
        node = Node(after.latent, masked(net.policy(after.latent), legal), value)
        return Edge(after.reward, jax.nn.sigmoid(after.goes_on), node)

    if not network.sizes.probabilistic:
        return Model(step)
    return Model(step, lambda key, n: jax.random.normal(key, (n, network.sizes.latent)))


def belief_root(network: BeliefNetwork, params: Any, z: Array, legal: Array) -> Node:
    """Real decisions, from their beliefs ``z`` ``[n, latent]`` and what is legal ``[n, actions]``."""
    net = network.of(params)
    return Node(z, masked(net.policy(z), legal), net.value(z))


# --- players that search ------------------------------------------------------------------------


def searched_tables(
    network: BeliefNetwork, search: Search, params: Any, game: core.Game, tables: Any, key: Array
) -> Found:
    """A search for the seat to act at each of ``tables`` ``[n]``."""
    z = network.of(params).beliefs(tokens_of(game, tables))
    root = belief_root(network, params, z, tables.legal_action_mask)
    return search(belief_model(network), params, root, key)


@functools.cache
def searching_player(network: BeliefNetwork, search: Search, name: str = "search") -> Player:
    """The player that searches at every decision and plays the improved policy; its params are the network's."""

    def policy(params: Any, memory: Any, game: core.Game, state: Any) -> tuple[Array, Any]:
        tables = jax.tree.map(lambda x: x[None], state)
        found = searched_tables(network, search, params, game, tables, jax.random.key(0))
        return found.policy[0], memory

    return from_policy(name, policy)


def searching(network: BeliefNetwork, search: Search, params: Any, game: core.Game) -> Decide:
    """Self-play with a search at every decision, for ``trajectories.collect``."""

    def decide(tables: Any, key: Array) -> Decision:
        search_key, action_key = jax.random.split(key)
        found = searched_tables(network, search, params, game, tables, search_key)
        log_probabilities = jnp.log(jnp.maximum(found.policy, 1e-30))
        action = jax.random.categorical(action_key, log_probabilities).astype(jnp.int32)
        chosen = jnp.take_along_axis(log_probabilities, action[:, None], axis=1)[:, 0]
        return Decision(action, chosen, found.value, jnp.ones(action.shape, jnp.bool_))

    return decide
