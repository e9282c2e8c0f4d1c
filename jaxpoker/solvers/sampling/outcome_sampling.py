"""Outcome sampling (Lanctot et al., 2009), many deals side by side.

A walk is one game: the deal and the other's actions are drawn with their own probabilities, the walking player's with

    q(a) = exploration / legal actions + (1 - exploration) strategy(a).

Each walk is weighted by w, one over the probability of sampling it: the product of 1 / q over the player's draws so
far. At a decision of the player, action a is worth what the walk brings after it, divided by q(a), and 0 if it was not
drawn:

    u(a) = (a drawn) u / q(a),    r(a) = w (u(a) - sum over b of strategy(b) u(b)),

and u of the decision, for those before it, is that sum. The mean of r is the exact counterfactual regret. Where a walk
comes to a decision of the other, the other's average strategy grows by w (stochastically weighted averaging): as often
as its own actions lead there.

A walk has one node at a time, so that large trees cost no more than deep ones, and sums over walks are scatters. XLA
adds them in order on the CPU; on a GPU it does so when ``--xla_gpu_deterministic_ops=true`` is among its flags.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.solvers.sampling.walk_game import Strategies, WalkDeals, Walked, WalkGame, draw
from jaxpoker.solvers.tree import DECISION

Array = jax.Array


class WalkStep(NamedTuple):
    """One action of each of n walks."""

    slot: Array  # [n] int32 of the walking player's slots, then of the other's, then anything: the game is over
    strategy: Array  # [A, n] there
    inverse: Array  # [A, n]: 1 / q of the action drawn, 0 of the others
    weight: Array  # [n]: w


def walk(
    game: WalkGame, player: int, strategies: Strategies, dealt: WalkDeals, key: Array, exploration: float
) -> Walked:
    """What ``player`` learns from one walk per deal."""
    game.tree.require_two_players("outcome sampling")
    tree, n, dtype = game.tree, len(dealt.outcome), strategies[0].dtype
    own_slots = game.num_slots(player)
    slots = own_slots + game.num_slots(1 - player)
    table = jnp.concatenate([strategies[player], strategies[1 - player]], axis=1).T  # [slots, A]
    following, walks = jnp.asarray(tree.following()), jnp.arange(n)
    first_slot = jnp.asarray(np.where(tree.player == player, 0, own_slots) + game.first_slot, jnp.int32)
    seat, street = (jnp.asarray(np.maximum(x, 0), jnp.int32) for x in (tree.player, tree.street))
    ends = jnp.asarray(tree.kind != DECISION)

    def act(so_far: tuple[Array, Array], word: Array) -> tuple[tuple[Array, Array], WalkStep]:
        node, weight = so_far
        over = ends[node]
        slot = jnp.where(over, slots, first_slot[node] + dealt.columns[street[node], seat[node], walks])
        strategy = table[jnp.minimum(slot, slots - 1)].T
        after = following[node].T  # [A, n]
        legal = (after >= 0).astype(dtype)
        own = slot < own_slots
        explored = exploration * legal / jnp.maximum(legal.sum(axis=0), 1) + (1 - exploration) * strategy
        chances = jnp.where(own, explored, strategy)
        drawn = draw(chances, word)
        inverse = drawn / jnp.where(drawn > 0, chances, 1)
        node = jnp.where(over, node, (after * drawn.astype(jnp.int32)).sum(axis=0))
        after_it = jnp.where(own, weight * inverse.sum(axis=0), weight)
        return (node, after_it), WalkStep(slot, strategy, inverse, weight)

    def look_back(value: Array, step: WalkStep) -> tuple[Array, Array]:
        worth = step.inverse * value  # [A, n]
        here = (step.strategy * worth).sum(axis=0)
        return jnp.where(step.slot < slots, here, value), step.weight * (worth - here)

    words = jnp.stack(cards.random_words(key, tree.longest_game, (n,)))
    (end, _), steps = jax.lax.scan(act, (jnp.zeros(n, jnp.int32), jnp.ones(n, dtype)), words)
    payoff = jnp.asarray(tree.payoffs_of(0), dtype)[end, dealt.outcome] * (1 if player == 0 else -1)
    value, regrets = jax.lax.scan(look_back, payoff, steps, reverse=True)  # [], [steps, A, n]

    mine = jnp.where(steps.slot < own_slots, steps.slot, slots)  # past the end is left out
    others = jnp.where(steps.slot < own_slots, slots, steps.slot - own_slots)
    nothing = jnp.zeros((own_slots, tree.num_actions), dtype)
    sums = nothing.at[mine].add(jnp.moveaxis(regrets, 1, 2), mode="drop").T
    visits = jnp.zeros(slots - own_slots, dtype).at[others].add(steps.weight, mode="drop")
    reach = (None, visits / n) if player == 0 else (visits / n, None)
    return Walked(jnp.where(game.legal[player], sums, 0) / n, reach, value.mean())
