"""Search with mctx on the states of any two-player zero-sum game.

    start = root(game, states, key, params, evaluate)
    found = mctx.gumbel_muzero_policy(
        params, key, start, recurrent_fn(game, evaluate), num_simulations=64, invalid_actions=invalid_actions(start)
    )

Each tree searches one world that the player to move cannot tell from the true one (``game.resample_hidden``), so that
its result does not depend on what that player cannot see. Inside that world everything is known to both sides. Average
over many worlds (rows of the batch) to play well: a single one tells the searcher the cards.

Rewards are those of the player who acts, values those of the player to move. The discount is +1 when the same player
moves again, -1 when the other does, and 0 at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mctx

from jaxpoker import core

Array = jax.Array

# (params, state, key) -> (prior logits [actions], value [] for the player to move), for one table
Evaluate = Callable[[Any, Any, Array], tuple[Array, Array]]


def random_rollout(game: core.Game) -> Evaluate:
    """Uniform prior, and as value what the player to move gets when both play at random to the end."""

    def evaluate(params: Any, state: Any, key: Array) -> tuple[Array, Array]:
        player = state.current_player

        def play_on(carry: tuple[Any, Array, Array]) -> tuple[Any, Array, Array]:
            state, value, key = carry
            key, action_key = jax.random.split(key)
            state = game.step(state, core.random_action(action_key, state.legal_action_mask))
            return state, value + state.rewards[player], key

        _, value, _ = jax.lax.while_loop(lambda carry: ~core.is_over(carry[0]), play_on, (state, jnp.float32(0), key))
        return jnp.zeros(game.num_actions), value

    return evaluate


def root(
    game: core.Game,
    states: Any,
    key: Array,
    params: Any = None,
    evaluate: Evaluate | None = None,
    weights: Array | None = None,
) -> mctx.RootFnOutput:
    """The root for a batch of states, seen by the player to move.

    ``weights`` ``[batch, ...]`` are the opponents' hands' relative probabilities, for ``game.resample_hidden``.
    """
    _require_two_players(game)
    hidden_key, evaluate_key = jax.random.split(key)
    batch = jax.tree.leaves(states)[0].shape[0]
    hidden_keys = jax.random.split(hidden_key, batch)

    def sample_world(state: Any, key: Array, weights: Array | None) -> Any:
        return game.resample_hidden(state, state.current_player, key, weights)

    worlds = jax.vmap(sample_world)(states, hidden_keys, weights)
    logits, value = _evaluated(game, params, worlds, evaluate_key, evaluate)
    return mctx.RootFnOutput(prior_logits=logits, value=value, embedding=worlds)


def invalid_actions(start: mctx.RootFnOutput) -> Array:
    """``[batch, actions]`` bool for mctx's policies."""
    return ~jax.vmap(lambda state: state.legal_action_mask)(start.embedding)


def recurrent_fn(game: core.Game, evaluate: Evaluate | None = None) -> Callable[..., Any]:
    """mctx's ``recurrent_fn(params, key, action, embedding)`` for a batch of game states."""
    _require_two_players(game)

    def step(state: Any, action: Array) -> tuple[Any, Array, Array]:
        actor = state.current_player
        after = game.step(state, action)
        discount = jnp.where(core.is_over(after), 0.0, jnp.where(after.current_player == actor, 1.0, -1.0))
        return after, after.rewards[actor], discount

    def expand(params: Any, key: Array, action: Array, states: Any) -> tuple[mctx.RecurrentFnOutput, Any]:
        states, reward, discount = jax.vmap(step)(states, action)
        logits, value = _evaluated(game, params, states, key, evaluate)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), states

    return expand


def _evaluated(game: core.Game, params: Any, states: Any, key: Array, evaluate: Evaluate | None) -> tuple[Array, Array]:
    """Prior logits ``[batch, actions]``, lowest where illegal, and values ``[batch]``, 0 where the game is over."""
    evaluate = random_rollout(game) if evaluate is None else evaluate

    def one(state: Any, key: Array) -> tuple[Array, Array]:
        logits, value = evaluate(params, state, key)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        return logits, jnp.where(core.is_over(state), 0.0, value)

    return jax.vmap(one)(states, jax.random.split(key, jax.tree.leaves(states)[0].shape[0]))


def _require_two_players(game: core.Game) -> None:
    if game.num_players != 2 or not game.zero_sum:
        what = f"has {game.num_players}" if game.zero_sum else "is not zero-sum"
        raise ValueError(f"this search is for zero-sum games of 2 players, and {game.name} {what}")
