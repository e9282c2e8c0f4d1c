"""The range that an opponent's actions imply: Bayes over all 1,326 hands, under a model of how it plays.

    P(hand | actions) ~ P(hand) prod P(action | hand, what was public then)

The hand is played over from its first action. At each of the opponent's decisions the model is asked what it would do
with every hand. A model with a policy says the probabilities of its menu's entries; one that chooses chips is asked
``DRAWS`` times with different keys. Either way there is a list of chips that a hand may go to and their probabilities,
and the action that was seen is as likely as the entries of its kind (fold, check or call, raise) that it may have been:

    P(to | hand) = (1 - TREMBLE) sum_i p_i K(to, c_i) + TREMBLE
    K(to, c) = exp(-(d(to, c)^2 - d_min^2) / (2 WIDTH^2)),    d(to, c) = log((1 + to's part of the pot) / (1 + c's))

so that a raise on the menu is that raise, one between two sizes is some of both, and no hand is ever ruled out by a
model that may be wrong. An action that the model never takes, whatever it holds, says nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import ranges
from jaxpoker.coach.player_model import PlayerModel
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS, State, log_entries
from jaxpoker.players import Player, win_probability
from jaxpoker.solvers.tree.translation import pot_fraction

Array = jax.Array

TREMBLE = 0.02  # the part of actions that the model does not explain
WIDTH = 0.1  # of log(1 + raise / pot) by which sizes are told apart
DRAWS = 16  # of a player that chooses chips, per hand

FOLDS, CALLS, RAISES = range(3)


def implied_by_actions(model: PlayerModel, game: Holdem, state: State, hero: int, key: Array) -> Array:
    """``[1326]`` weights, the largest 1, of the hands that ``hero``'s opponent may hold at a table of two.

    They rest on the public actions, the open cards and the hero's hand alone.
    """
    villain = 1 - hero
    at, log = _start(game, state)
    seat, _, _, to = (column.tolist() for column in jax.device_get(log))
    weights: Array | np.ndarray = np.ones(ranges.NUM_COMBOS, np.float32)
    memories = _memories(model.player, model.params)
    for action in range(min(int(state.num_acted), game.max_log)):
        if seat[action] == villain:
            asked = (game, model.player, model.menu, model.win_samples)
            watch_key = jax.random.fold_in(key, action)
            weights, memories = _watch(*asked, model.params, memories, at, to[action], weights, watch_key)
        at = after(game, at, to[action])
    return possible(weights, state, hero)


@functools.partial(jax.jit, static_argnums=0)
def _start(game: Holdem, state: State) -> tuple[State, tuple[Array, ...]]:
    """The hand's first state, whose cards are those of ``state``, and what happened since: ``log_entries``."""
    starting = jnp.stack([one.starting for one in state.seats])
    chips = (state.button, state.small_blind, state.big_blind, state.ante)
    return game.start(state.deal, starting, *chips), log_entries(state)


@functools.partial(jax.jit, static_argnums=0)
def after(game: Holdem, state: State, to: Array) -> State:
    """The table after the player to act went ``to`` chips."""
    return game.act(state, to)


@functools.partial(jax.jit, static_argnums=0)
def _memories(player: Player, params: Any) -> Any:
    """``[1326, ...]``: what the player remembers with each hand at the start of a hand."""
    fresh = player.new_hand(player.init_memory(params))
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (ranges.NUM_COMBOS, *jnp.shape(x))), fresh)


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _watch(
    game: Holdem,
    player: Player,
    menu: bets.BetMenu | None,
    win_samples: int,
    params: Any,
    memories: Any,
    state: State,
    to: Array,
    weights: Array,
    key: Array,
) -> tuple[Array, Any]:
    """Weights ``[1326]`` after the player to act went ``to``, and its memories ``[1326, ...]`` then."""
    actor = state.current_player
    held = jax.vmap(lambda hand: game.with_hand(state, actor, hand))(jnp.asarray(ranges.COMBOS))
    if menu is None:
        keys = jax.random.split(key, DRAWS)

        def ask(memory: Any, one: State) -> tuple[Array, Array, Any]:
            if win_samples:  # the same in all draws
                wins = jnp.broadcast_to(win_probability(one, actor, key), (game.num_players, len(STREETS)))
                one = dataclasses.replace(one, deal=dataclasses.replace(one.deal, win_probability=wins))
            choices, after = jax.vmap(lambda k: player.act(params, memory, game, one, k))(keys)
            return choices, jnp.full(DRAWS, 1 / DRAWS), jax.tree.map(lambda x: x[0], after)

    else:
        policy = player.policy
        assert policy is not None
        own_game = dataclasses.replace(game, menu=menu)

        def ask(memory: Any, one: State) -> tuple[Array, Array, Any]:
            mix, after = policy(params, memory, game, one)
            return own_game.choices(dataclasses.replace(one, game=own_game))[0], mix, after

    chips, mix, memories = jax.vmap(ask)(memories, held)  # [1326, n] each
    seen = likelihood(game.facing(state), to, chips, mix)
    weights = weights * seen
    return weights / weights.max(), memories


def likelihood(here: bets.Facing, to: Array, chips: Array, mix: Array) -> Array:
    """``[hands]`` P(to | hand), where a hand goes to ``chips`` ``[hands, n]`` with probabilities ``mix``."""

    def kind(chips: Array) -> Array:
        return jnp.where(chips < 0, FOLDS, jnp.where(chips > here.price, RAISES, CALLS))

    def size(chips: Array) -> Array:
        return jnp.log1p(jnp.maximum(pot_fraction(chips, here.price, here.own_bet, here.pot), 0))

    like = (kind(chips) == kind(to)) & (mix > 0)
    apart = jnp.where(kind(to) == RAISES, jnp.square(size(chips) - size(to)), 0)
    apart = jnp.where(like, apart, jnp.inf)
    nearest = apart.min()
    kernel = jnp.where(like, jnp.exp(-(apart - nearest) / (2 * WIDTH**2)), 0)
    found = (1 - TREMBLE) * (mix * kernel).sum(axis=-1) + TREMBLE
    return jnp.where(jnp.isfinite(nearest), found, 1.0)


@jax.jit
def possible(weights: Array, state: State, hero: Array) -> Array:
    """The weights of hands without the cards that ``hero`` sees, the largest 1; NaN where none is left."""
    weights = weights * possible_hands(jnp.concatenate([state.deal.hole[hero], state.board]))
    return weights / weights.max()
