"""What a player is: a tuple of pure functions on one table, vmapped by the caller.

Rule bots, networks, solved tables and search are all Players, so that every match, opponent pool, fitness and
rollout is the same code. A choice is what ``game.act`` takes: chips "to" in hold'em, an action id elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.bets import BetMenu
from jaxpoker.games.holdem import Holdem

Array = jax.Array

Policy = Callable[[Any, Any, Any, Any], tuple[Array, Any]]


def no_memory(params: Any) -> tuple[()]:
    """The memory of a player that has none."""
    return ()


def same_memory(memory: Any) -> Any:
    return memory


class Player(NamedTuple):
    """Pure functions; ``params`` is whatever pytree the player needs, None for most rule bots."""

    name: str
    act: Callable[[Any, Any, Any, Any, Array], tuple[Array, Any]]  # (params, memory, game, state, key) -> choice, memory
    policy: Policy | None = None  # (params, memory, game, state) -> probabilities over its menu [actions], memory
    init_memory: Callable[[Any], Any] = no_memory  # params -> memory at the start of a session
    new_hand: Callable[[Any], Any] = same_memory  # memory -> memory at the start of a hand


def from_policy(
    name: str,
    policy: Policy,
    init_memory: Callable[[Any], Any] = no_memory,
    new_hand: Callable[[Any], Any] = same_memory,
) -> Player:
    """The player that samples action ids from ``policy``; in hold'em wrap it with ``on_menu``."""

    def act(params: Any, memory: Any, game: core.Game, state: Any, key: Array) -> tuple[Array, Any]:
        probabilities, memory = policy(params, memory, game, state)
        return jax.random.categorical(key, jnp.log(probabilities)).astype(jnp.int32), memory

    return Player(name, act, policy, init_memory, new_hand)


def on_menu(player: Player, menu: BetMenu | None = None) -> Player:
    """A player that thinks in action ids, made to act in chips by ``menu`` (the game's own when None)."""

    def act(params: Any, memory: Any, game: Holdem, state: Any, key: Array) -> tuple[Array, Any]:
        action, memory = player.act(params, memory, game, state, key)
        to, _ = (menu or game.bet_menu)(game.spot(state))
        return jnp.stack(to)[action], memory

    return player._replace(act=act)


def require_policy(player: Player) -> Policy:
    """The player's policy, or ``ValueError`` for one that only chooses chips."""
    if player.policy is None:
        raise ValueError(f"player {player.name!r} chooses chip amounts and has no policy over action ids")
    return player.policy


def check(player: Player, params: Any, game: core.Game, key: Array, tables: int = 64, max_steps: int = 500) -> int:
    """Plays ``player`` in all seats and raises ``AssertionError`` if it acts illegally or on what it cannot see.

    Its choice must stay the same when everything hidden from it is drawn anew. Returns the number of decisions.
    """

    def decide(state: Any, memory: Any, key: Array) -> tuple[Array, Array, Any]:
        act_key, hidden_key = jax.random.split(key)
        other_world = game.resample_hidden(state, state.current_player, hidden_key)
        choice, memory_after = player.act(params, memory, game, state, act_key)
        blind_choice, _ = player.act(params, memory, game, other_world, act_key)
        return choice, blind_choice, memory_after

    start = jax.jit(jax.vmap(game.start))
    step = jax.jit(jax.vmap(game.act))
    decide_all = jax.jit(jax.vmap(decide))
    key, deal_key = jax.random.split(key)
    state = start(game.deal(deal_key, (tables,)))
    memory = jax.vmap(lambda _: player.new_hand(player.init_memory(params)))(jnp.arange(tables))
    decisions = 0
    for _ in range(max_steps):
        live = ~np.asarray(core.is_over(state))
        if not live.any():
            return decisions
        key, step_key = jax.random.split(key)
        choice, blind_choice, memory = decide_all(state, memory, jax.random.split(step_key, tables))
        if not np.array_equal(np.asarray(choice)[live], np.asarray(blind_choice)[live]):
            raise AssertionError(f"player {player.name!r} acts on what it cannot see")
        after = step(state, choice)
        actor = np.asarray(state.current_player)
        illegal = np.asarray(getattr(after, "illegal", np.zeros(tables, bool))) & live
        if illegal.any():
            table = int(np.argmax(illegal))
            raise AssertionError(f"player {player.name!r} in seat {actor[table]} chose {choice[table]}: not legal")
        decisions += int(live.sum())
        state = after
    raise AssertionError(f"hands of {player.name!r} against itself do not end within {max_steps} actions")
