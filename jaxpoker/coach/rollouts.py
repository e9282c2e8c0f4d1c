"""Rollouts: what each action is worth when the hand is played to its end, many times, in one batch.

    found = rollouts.gains(game, hero_model, villain_model, state, hero, to, weights, key, 1_000)
    rollouts.values([found]).ev                                # [actions] big blinds

Every rollout has a world: the opponent's hand drawn from its range and the cards to come drawn anew, from what the hero
can know (``game.resample_hidden``). All actions are tried in the same worlds with the same luck of both players, so
that differences between actions are sharper than the values themselves. After the action both seats play on by their
models.

Values are in big blinds and relative to the decision: a fold is worth 0, chips already in the pot are sunk. Who is
all-in gets the share of the pot that the two hands have over all boards to come instead of what one of them brings
(``match.without_luck``): the same in the mean, with much less luck in it. Players begin a rollout without memory of
their earlier decisions; one that follows the betting reads it from the state.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, core, equity, ranges
from jaxpoker.coach.player_model import PlayerModel
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.equity.showdowns import columns
from jaxpoker.games.bets import FOLD_CHIPS
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.game import WIN_STREAM
from jaxpoker.games.holdem.table import Deal, State
from jaxpoker.match import without_luck
from jaxpoker.players import Player

Array = jax.Array


class Gains(NamedTuple):
    """A batch of rollouts: A actions in n worlds."""

    won: Array  # [A, n] float32 big blinds more than a fold
    folds: Array  # [A, n] bool: the opponent folds to the action at once


class Values(NamedTuple):
    """What actions are worth, from one batch or more."""

    ev: np.ndarray  # [A] big blinds more than a fold
    standard_error: np.ndarray  # [A]
    behind: np.ndarray  # [A] by which an action is worse than the best one
    behind_error: np.ndarray  # [A] the standard error of that
    folds: np.ndarray  # [A] how often the opponent folds to the action at once


class Played(NamedTuple):
    """Hands that were played to their end."""

    state: State  # [n, ...]
    last_street: Array  # [n] of the last action


def gains(
    game: Holdem,
    hero_model: PlayerModel,
    villain_model: PlayerModel,
    state: State,
    hero: int,
    to: Array,
    weights: Array,
    key: Array,
    num_rollouts: int,
) -> Gains:
    """Of the ``hero``, who is to act at a table of two, going to ``to`` ``[A]`` chips, each legal, against ``weights``
    ``[1326]``; with ``num_rollouts`` worlds.
    """
    sides, params = _sides(hero_model, villain_model)
    world_key, play_key = jax.random.split(key)
    worlds, shares = _worlds(state, hero, weights, world_key, num_rollouts)
    win_samples = max(hero_model.win_samples, villain_model.win_samples)
    if win_samples:
        worlds = _with_wins(worlds, world_key, win_samples)
    return _gains(game, sides, params, state, hero, to, worlds, shares, play_key)


def _sides(hero: PlayerModel, villain: PlayerModel) -> tuple[tuple[Player, ...], tuple[Any, ...]]:
    """Players and params of hero and villain; one of each where both play alike, which halves the work."""
    if hero.player == villain.player and hero.params is villain.params:
        return (hero.player,), (hero.params,)
    return (hero.player, villain.player), (hero.params, villain.params)


@functools.partial(jax.jit, static_argnums=4)
def _worlds(state: State, hero: Array, weights: Array, key: Array, count: int) -> tuple[State, Array]:
    """Worlds ``[n, ...]``, and seat 0's share of the pot in each, all-in on each street ``[n, 4]``."""
    worlds = worlds_of(state, hero, weights, key, count)
    return worlds, equity.all_in_shares(worlds.deal.hole, worlds.deal.board)


@functools.partial(jax.jit, static_argnums=2)
def _with_wins(worlds: State, key: Array, win_samples: int) -> State:
    """Worlds whose deals carry win probabilities, for players who ask for them at every decision."""
    win_key, deal = jax.random.fold_in(key, WIN_STREAM), worlds.deal
    wins = equity.win_probabilities(win_key, deal.hole, deal.board[:, None, :], win_samples)
    return dataclasses.replace(worlds, deal=dataclasses.replace(deal, win_probability=wins))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _gains(
    game: Holdem,
    sides: tuple[Player, ...],
    params: tuple[Any, ...],
    state: State,
    hero: Array,
    to: Array,
    worlds: State,
    shares: Array,
    key: Array,
) -> Gains:
    actions, count = to.shape[0], shares.shape[0]

    def everywhere(tree: Any) -> Any:
        """A copy of each world for each action: ``[A * n, ...]``."""
        return jax.tree.map(lambda x: jnp.tile(x, (actions, *[1] * (x.ndim - 1))), tree)

    tried = jax.vmap(game.act)(everywhere(worlds), jnp.repeat(to, count))
    played = _play_out(game, sides, params, tried, hero, key, count, state.street)
    share = jnp.take_along_axis(everywhere(shares), played.last_street[:, None], axis=1)[:, 0]
    won = jax.vmap(without_luck)(_paid(played.state), share)[:, hero] + state.committed[hero] / state.big_blind
    won = jnp.where((to < 0)[:, None], 0.0, won.reshape(actions, count))  # without a rounding error
    at_once = played.state.folded[:, 1 - hero] & (played.state.num_acted == state.num_acted + 2)
    return Gains(won, at_once.reshape(actions, count))


def values(batches: Sequence[Gains]) -> Values:
    """The means of batches of the same actions, with their standard errors.

    Hands come more evenly than by chance (``worlds_of``), so that errors are rather too large than too small.
    """
    won = np.concatenate([np.asarray(batch.won, np.float64) for batch in batches], axis=1)
    folds = np.concatenate([np.asarray(batch.folds) for batch in batches], axis=1)
    ev = won.mean(axis=1)
    behind = won[ev.argmax()] - won
    return Values(ev, _error(won), behind.mean(axis=1), _error(behind), folds.mean(axis=1))


def _error(samples: np.ndarray) -> np.ndarray:
    """``[A]`` standard errors of the means of ``samples`` ``[A, n]``."""
    errors: np.ndarray = samples.std(axis=1, ddof=1) / np.sqrt(samples.shape[1])
    return errors


def worlds_of(state: State, hero: Array | int, weights: Array, key: Array, count: int) -> State:
    """``[count, ...]`` states of a table of two that ``hero`` cannot tell from ``state``.

    They are as ``game.resample_hidden`` draws them, but for the opponent's hands: each comes as often as its weight in
    ``weights`` ``[1326]`` says, rounded up or down (systematic sampling), which takes luck out of their mean.
    """
    hand_key, board_key = jax.random.split(key)
    own, opened = state.deal.hole[hero], state.board
    held = weights * possible_hands(jnp.concatenate([own, opened]))
    up_to = jnp.cumsum(held)
    marks = (jnp.arange(count) + jax.random.uniform(hand_key)) / count * up_to[-1]
    last = jnp.argmax(jnp.where(held > 0, jnp.arange(len(held)), -1))  # rounding must not slip past it
    combos = jnp.asarray(ranges.COMBOS)[jnp.minimum(jnp.searchsorted(up_to, marks, side="right"), last)]  # [count, 2]
    hole = jnp.where((jnp.arange(2) == hero)[:, None], own, combos[:, None, :])  # [count, 2, 2]
    dead = [*columns(hole.reshape(count, -1)), *columns(opened)]
    to_come = jnp.stack(cards.deal_columns(board_key, 5, (count,), dead), axis=-1)
    deal = Deal.of(hole, jnp.where(opened == cards.NO_CARD, to_come, opened))
    return dataclasses.replace(_copies(state, count), deal=deal)


def _copies(tree: Any, count: int) -> Any:
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *jnp.shape(x))), tree)


def _play_out(
    game: Holdem,
    sides: tuple[Player, ...],
    params: tuple[Any, ...],
    states: State,
    hero: Array,
    key: Array,
    num_keys: int,
    street: Array,
) -> Played:
    """Hands ``[n, ...]`` to their end, begun with an action on ``street``. ``sides`` are hero and villain, or one who
    plays both. The luck of hand i is that of every hand i + k ``num_keys``.
    """
    count = states.terminated.shape[0]

    seated = [(sides[0], params[0]), (sides[-1], params[-1])]  # hero, villain
    memories = tuple(_copies(player.new_hand(player.init_memory(own)), count) for player, own in seated)

    def one(state: State, memories: tuple[Any, Any], key: Array) -> tuple[State, tuple[Any, Any]]:
        heros = state.current_player == hero
        if len(sides) == 1:
            choice, after = sides[0].act(params[0], core.select(heros, *memories), game, state, key)
            afters = (after, after)
        else:
            answers = [
                side.act(own, memory, game, state, key) for (side, own), memory in zip(seated, memories, strict=True)
            ]
            choice = jnp.where(heros, answers[0][0], answers[1][0])
            afters = (answers[0][1], answers[1][1])
        kept = (core.select(heros, afters[0], memories[0]), core.select(heros, memories[1], afters[1]))
        return game.act(state, choice), kept

    def everyone(loop: tuple[State, Any, Array, Array]) -> tuple[State, Any, Array, Array]:
        states, memories, last_street, key = loop
        key, step_key = jax.random.split(key)
        keys = jnp.tile(jax.random.split(step_key, num_keys), count // num_keys)
        last_street = jnp.where(states.terminated, last_street, states.street)
        states, memories = jax.vmap(one)(states, memories, keys)
        return states, memories, last_street, key

    begin = (states, memories, jnp.broadcast_to(street, (count,)), key)
    states, _, last_street, _ = jax.lax.while_loop(lambda loop: ~loop[0].terminated.all(), everyone, begin)
    return Played(states, last_street)


def legal_choices(game: Holdem, state: State) -> tuple[Array, Array]:
    """Chips ``[A]`` of the menu's entries and which are legal ``[A]``; those that are not stand for a fold, or for a
    check where that is free, so that a batch of rollouts always has one shape.
    """
    to, legal = game.choices(state)
    here = game.facing(state)
    return jnp.where(legal, to, jnp.where(here.may_fold, FOLD_CHIPS, here.own_bet + here.to_call)), legal


def _paid(ended: State) -> State:
    """Ended hands as in the step that ended them: they pay."""
    return dataclasses.replace(ended, paying=jnp.ones_like(ended.paying))
