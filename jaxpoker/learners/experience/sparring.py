"""Sparring: many tables at which a learner has one seat, and a player who is drawn anew for each hand has the other.

The learner's seat is 0 at every other table and 1 at the rest, so that both are played alike. Opponents are Players:
rule bots, networks, blueprints; they act by their own rules, in chips where the game is hold'em. Nothing of what they
do is learned from.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games.protocols import ChipGame
from jaxpoker.players import Player

Array = jax.Array

SEATS = 2


class Tables(NamedTuple):
    """Games under way: ``[tables]`` each."""

    state: Any  # [tables, ...]
    opponent: Array  # int32, which of the opponents sits there
    memories: tuple[Any, ...]  # of each opponent


class SparringTurn(NamedTuple):
    """What a turn of all tables brought the learner: ``[tables]`` each."""

    is_own: Array  # bool: the learner was to act
    reward: Array  # float32, the learner's
    over: Array  # bool: the game ended with it


@dataclasses.dataclass(frozen=True)
class Sparring:
    """The tables of ``game`` against ``opponents``; ``shares`` says how often each is drawn, relative to the others."""

    game: core.Game
    opponents: tuple[Player, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.game.num_players != SEATS:
            raise ValueError(f"{self.game.name} for {self.game.num_players} players: a learner spars with one opponent")
        if len(self.shares) != len(self.opponents) or min(self.shares, default=0) < 0 or sum(self.shares) <= 0:
            names = ", ".join(player.name for player in self.opponents)
            raise ValueError(f"shares = {self.shares}: one for each of {names}, 0 or more, and not all of them 0")

    def begin(self, key: Array, tables: int, params: tuple[Any, ...]) -> Tables:
        """First states of so many ``tables``; ``params`` are the opponents'."""
        deal_key, opponent_key = jax.random.split(key)
        state = jax.vmap(self.game.start)(self.game.deal(deal_key, (tables,)))
        memories = tuple(
            jax.tree.map(lambda x: jnp.broadcast_to(x, (tables, *jnp.shape(x))), memory)
            for memory in self._fresh_memories(params)
        )
        return Tables(state, self._draw(opponent_key, tables), memories)

    def own_seats(self, tables: int) -> Array:
        """``[tables]`` int32: the learner's."""
        return jnp.arange(tables, dtype=jnp.int32) % SEATS

    def turn(self, tables: Tables, choice: Array, params: tuple[Any, ...], key: Array) -> tuple[Tables, SparringTurn]:
        """A turn of every table: where the learner is to act it takes its ``choice`` ``[tables]``, what ``game.act``
        takes; elsewhere the opponents, who have ``params``, take theirs. Where a game ends another one begins."""
        act_key, deal_key, opponent_key = jax.random.split(key, 3)
        count = len(choice)
        seats = self.own_seats(count)
        is_own = tables.state.current_player == seats
        keys = jax.random.split(act_key, count)
        memories = []
        for i, (player, own, memory) in enumerate(zip(self.opponents, params, tables.memories, strict=True)):
            if not self.shares[i]:
                memories.append(memory)
                continue
            wanted, after = jax.vmap(player.act, (None, 0, None, 0, 0))(own, memory, self.game, tables.state, keys)
            acts = ~is_own & (tables.opponent == i)
            choice = jnp.where(acts, wanted, choice)
            memories.append(jax.vmap(core.select)(acts, after, memory))
        state, rewards, over = core.play_on(self.game, tables.state, choice, deal_key, step=self.game.act)
        fresh = zip(self._fresh_memories(params), memories, strict=True)
        kept = tuple(jax.vmap(core.select, (0, None, 0))(over, new, old) for new, old in fresh)
        opponent = jnp.where(over, self._draw(opponent_key, count), tables.opponent)
        reward = jnp.where(seats == 0, rewards[:, 0], rewards[:, 1])
        return Tables(state, opponent, kept), SparringTurn(is_own, reward, over)

    def _draw(self, key: Array, tables: int) -> Array:
        """``[tables]`` int32: opponents by their shares."""
        logits = jnp.log(jnp.asarray(self.shares, jnp.float32))
        return jax.random.categorical(key, logits, shape=(tables,)).astype(jnp.int32)

    def _fresh_memories(self, params: tuple[Any, ...]) -> list[Any]:
        """What each opponent remembers when it sits down."""
        pairs = zip(self.opponents, params, strict=True)
        return [player.new_hand(player.init_memory(own)) for player, own in pairs]


def choice_of(game: core.Game, state: Any, action: Array) -> Array:
    """``[tables]``: what ``game.act`` takes for ``action`` ``[tables]``, ids of the game's menu: chips in hold'em."""
    if not isinstance(game, ChipGame):
        return action
    to, _ = jax.vmap(game.choices)(state)
    return jnp.take_along_axis(to, action[:, None], axis=1)[:, 0]
