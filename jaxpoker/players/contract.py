"""What a player is: a tuple of pure functions on one table, vmapped by the caller.

Rule bots, networks, solved tables and search are all Players, so that every match, opponent pool, fitness and
rollout is the same code. A choice is what ``game.act`` takes: chips "to" in hold'em, an action id elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.protocols import ChipGame

Array = jax.Array

Act = Callable[[Any, Any, Any, Any, Array], tuple[Array, Any]]
Policy = Callable[[Any, Any, Any, Any], tuple[Array, Any]]


class Mixture(NamedTuple):
    """What a choice was drawn from: n choices as ``game.act`` takes them, several of which may be the same chips."""

    choices: Array  # [n]
    probabilities: Array  # [n]; 0 for what is not legal
    drawn: Array  # [] int32: the place of the one that was drawn
    likelihood: Array  # [] the probability of the very choice, its size included


Mix = Callable[[Any, Any, Any, Any, Array], Mixture]


def no_memory(params: Any) -> tuple[()]:
    """The memory of a player that has none."""
    return ()


def same_memory(memory: Any) -> Any:
    return memory


class Player(NamedTuple):
    """Pure functions; ``params`` is whatever pytree the player needs, None for most rule bots."""

    name: str
    act: Act  # (params, memory, game, state, key) -> choice, memory
    policy: Policy | None = None  # (params, memory, game, state) -> probabilities over its menu [actions], memory
    init_memory: Callable[[Any], Any] = no_memory  # params -> memory at the start of a session
    new_hand: Callable[[Any], Any] = same_memory  # memory -> memory at the start of a hand
    menu: bets.BetMenu | None = None  # hold'em: that its policy is over; None: the game's own
    weighs_wins: bool = False  # it asks for its win probability at every decision
    # (params, memory that act left, game, state, choice) -> what act drew from; the same with any other hand in state,
    # given all that the player decided by chance besides. None: it does not tell.
    mixture: Mix | None = None


class Entrant(NamedTuple):
    """Who sits down at a table: a player and what it knows."""

    player: Player
    params: Any = None


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

    def mixture(params: Any, memory: Any, game: core.Game, state: Any, choice: Array) -> Mixture:
        probabilities, _ = policy(params, memory, game, state)
        ids = jnp.arange(len(probabilities), dtype=jnp.int32)
        return Mixture(ids, probabilities, jnp.asarray(choice, jnp.int32), probabilities[choice])

    # A memory is another one after the choice, and the policy may be, too.
    tells = init_memory is no_memory
    return Player(name, act, policy, init_memory, new_hand, mixture=mixture if tells else None)


def on_menu(player: Player, menu: bets.BetMenu | None = None) -> Player:
    """A player that thinks in action ids, made to act in chips by ``menu`` (the game's own when None).

    With a ``menu`` of its own it sees the game and the state under that menu, ``legal_action_mask`` included. An id
    that is not legal becomes chips that are not.
    """

    def through_menu(game: ChipGame, state: Any) -> tuple[ChipGame, Any]:
        return (game, state) if menu is None else game.with_menu(state, menu)

    def act(params: Any, memory: Any, game: ChipGame, state: Any, key: Array) -> tuple[Array, Any]:
        game, state = through_menu(game, state)
        action, memory = player.act(params, memory, game, state, key)
        to, legal = game.choices(state)
        return jnp.where(core.is_legal(legal, action), to[action], bets.ILLEGAL_CHIPS), memory

    def policy(params: Any, memory: Any, game: ChipGame, state: Any) -> tuple[Array, Any]:
        assert player.policy is not None
        return player.policy(params, memory, *through_menu(game, state))

    def mixture(params: Any, memory: Any, game: ChipGame, state: Any, choice: Array) -> Mixture:
        probabilities, _ = policy(params, memory, game, state)
        game, state = through_menu(game, state)
        to, legal = game.choices(state)
        chips = jnp.where(legal, to, bets.ILLEGAL_CHIPS)
        same = jnp.where(chips == choice, probabilities, 0)  # two entries may be the same chips
        return Mixture(chips, probabilities, jnp.argmax(same).astype(jnp.int32), same.sum())

    return player._replace(
        act=act,
        policy=None if player.policy is None else policy,
        menu=menu,
        mixture=None if player.mixture is None else mixture,
    )


def regardless_of_cards(player: Player) -> Player:
    """``player``, whose choice is the same with all hands and at all times: it tells that it is sure of it."""

    def mixture(params: Any, memory: Any, game: core.Game, state: Any, choice: Array) -> Mixture:
        one = jnp.ones(())
        return Mixture(jnp.asarray(choice)[None], one[None], jnp.zeros((), jnp.int32), one)

    return player._replace(mixture=mixture)


@functools.lru_cache(maxsize=64)
def within_menu(player: Player) -> Player:
    """A player that chooses chips, held to the menu of the game; the same one every time.

    A raise that is not on the menu becomes the nearest one that is. A check or call that is not, as in push/fold, and a
    raise where the menu has none, become a call if there is one, else a fold.
    """

    def act(params: Any, memory: Any, game: ChipGame, state: Any, key: Array) -> tuple[Array, Any]:
        wanted, memory = player.act(params, memory, game, state, key)
        to, legal = game.choices(state)
        raises = legal & (to > game.facing(state).price)
        apart = jnp.where(raises, jnp.abs(to - wanted).astype(jnp.float32), jnp.inf)
        passive = jnp.where(legal[bets.CALL], to[bets.CALL], jnp.where(legal[bets.FOLD], bets.FOLD_CHIPS, to[-1]))
        instead = jnp.where((wanted > game.facing(state).price) & raises.any(), to[jnp.argmin(apart)], passive)
        return jnp.where((legal & (to == wanted)).any(), wanted, instead), memory

    return player._replace(act=act, policy=None)


def one_of(players: tuple[Player, ...], name: str = "one of several") -> Player:
    """The player whose ``params`` say which of ``players`` it is: a number from 0 on, or that and the params of each.

    Many tables with different opponents are one program, then. All of them are asked, one is listened to.
    """

    def parts(params: Any) -> tuple[Array, tuple[Any, ...]]:
        return params if isinstance(params, tuple) else (params, (None,) * len(players))

    def act(params: Any, memories: tuple[Any, ...], game: core.Game, state: Any, key: Array) -> tuple[Array, Any]:
        which, own = parts(params)
        each = zip(players, own, memories, strict=True)
        answers = [player.act(mine, memory, game, state, key) for player, mine, memory in each]
        choice = jnp.stack([answer for answer, _ in answers])[which]
        after = (memory for _, memory in answers)
        kept = zip(range(len(players)), after, memories, strict=True)
        return choice, tuple(core.select(which == i, new, old) for i, new, old in kept)

    def init_memory(params: Any) -> tuple[Any, ...]:
        _, own = parts(params)
        return tuple(player.init_memory(mine) for player, mine in zip(players, own, strict=True))

    def new_hand(memories: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(player.new_hand(memory) for player, memory in zip(players, memories, strict=True))

    return Player(name, act, None, init_memory, new_hand)


def require_policy(player: Player) -> Policy:
    """The player's policy, or ``ValueError`` for one that only chooses chips."""
    if player.policy is None:
        raise ValueError(f"player {player.name!r} chooses chip amounts and has no policy over action ids")
    return player.policy


# --- the conformance check --------------------------------------------------------------------


class _Decision(NamedTuple):
    """What a player does at each table, and what it would do if everything hidden from it were another."""

    live: Array  # [tables] bool: there was a decision
    seat: Array  # [tables]
    choice: Array  # [tables]
    legal: Array  # [tables] bool
    sees_only_its_own: Array  # [tables] bool: neither choice nor memory depend on what is hidden


def check(player: Player, params: Any, game: core.Game, key: Array, tables: int = 64, max_steps: int = 500) -> int:
    """Plays ``player`` in all seats and raises ``AssertionError`` if it acts illegally or on what it cannot see.

    Its choice and its memory must stay the same when everything hidden from it is drawn anew. Returns the number of
    decisions.
    """

    @jax.jit
    def start(params: Any, key: Array) -> tuple[Any, Any]:
        """First states ``[tables, ...]`` and memories ``[tables, players, ...]``."""
        each_seat = jnp.zeros((tables, game.num_players))
        memories = jax.vmap(jax.vmap(lambda _: player.new_hand(player.init_memory(params))))(each_seat)
        return jax.vmap(game.start)(game.deal(key, (tables,))), memories

    def decide(params: Any, state: Any, memories: Any, key: Array) -> tuple[_Decision, Any, Any]:
        act_key, hidden_key = jax.random.split(key)
        seat = state.current_player
        memory = jax.tree.map(lambda x: x[seat], memories)
        other_world = game.resample_hidden(state, seat, hidden_key)
        worlds = jax.tree.map(lambda *of_both: jnp.stack(of_both), state, other_world)
        # A loop, so that both worlds run through the same program: equal floats are equal to the last bit.
        in_both = jax.lax.map(lambda world: player.act(params, memory, game, world, act_key), worlds)
        same = jax.tree.map(lambda x: jnp.all(x[0] == x[1]), in_both)
        choice, memory_after = jax.tree.map(lambda x: x[0], in_both)
        memories = jax.tree.map(lambda old, new: old.at[seat].set(new), memories, memory_after)
        after = game.act(state, choice)
        legal = ~after.illegal if isinstance(game, ChipGame) else core.is_legal(state.legal_action_mask, choice)
        blind = jnp.stack(jax.tree.leaves(same)).all()
        return _Decision(~core.is_over(state), seat, choice, legal, blind), after, memories

    @jax.jit
    def decide_all(params: Any, state: Any, memories: Any, key: Array) -> tuple[_Decision, Any, Any]:
        keys = jax.random.split(key, tables)
        return jax.vmap(decide, in_axes=(None, 0, 0, 0))(params, state, memories, keys)

    key, deal_key = jax.random.split(key)
    state, memories = start(params, deal_key)
    decisions = 0
    for _ in range(max_steps):
        key, step_key = jax.random.split(key)
        decision, state, memories = decide_all(params, state, memories, step_key)
        live, seat, choice, legal, sees_only_its_own = jax.device_get(decision)
        if not live.any():
            return decisions
        if not sees_only_its_own[live].all():
            raise AssertionError(f"player {player.name!r} acts on what it cannot see")
        if not legal[live].all():
            table = int(np.argmax(live & ~legal))
            raise AssertionError(f"player {player.name!r} in seat {seat[table]} chose {choice[table]}: not legal")
        decisions += int(live.sum())
    raise AssertionError(f"hands of {player.name!r} against itself do not end within {max_steps} actions")
