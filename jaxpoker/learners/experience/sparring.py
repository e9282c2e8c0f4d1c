"""Sparring: many tables at which a learner has one seat, and a player who is drawn anew for each hand has the other.

The learner's seat is 0 at every other table and 1 at the rest, so that both are played alike. Opponents are Players:
rule bots, networks, blueprints; they act by their own rules, in chips where the game is hold'em. Nothing of what they
do is learned from.

Hands that are dear to deal are dealt before a segment (``hands``), and each new game of it draws one of them: deals
that carry win probabilities, and what a heads-up all-in is worth, so that the cards to come pay their mean
(``match.without_luck``).
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.blocks import computed_once
from jaxpoker.games.protocols import AllInGame, ChipGame, WinProbabilityGame
from jaxpoker.match import without_luck
from jaxpoker.players import Player

Array = jax.Array

SEATS = 2
HANDS_STREAM, DRAW_STREAM = 2**31 - 1, 2**31 - 2  # of a segment's and a turn's key, far from those of the games


class Tables(NamedTuple):
    """Games under way: ``[tables]`` each."""

    state: Any  # [tables, ...]
    opponent: Array  # int32, which of the opponents sits there
    memories: tuple[Any, ...]  # of each opponent
    shares: Array | None = None  # [tables, 4] seat 0's part of the pot in an all-in; None: luck decides


class Hands(NamedTuple):
    """What is dealt for a segment: ``[n]`` each."""

    deals: Any
    shares: Array | None  # [n, 4] as those of the tables


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
    deals: int = 0  # hands of a segment, from which games draw theirs; 0: every game is dealt anew
    win_samples: int = 0  # of the win probabilities that these deals carry, and then all-ins pay what they are worth

    def __post_init__(self) -> None:
        if self.game.num_players != SEATS:
            raise ValueError(f"{self.game.name} for {self.game.num_players} players: a learner spars with one opponent")
        if len(self.shares) != len(self.opponents) or min(self.shares, default=0) < 0 or sum(self.shares) <= 0:
            names = ", ".join(player.name for player in self.opponents)
            raise ValueError(f"shares = {self.shares}: one for each of {names}, 0 or more, and not all of them 0")
        if self.win_samples and not (self.deals and isinstance(self.game, WinProbabilityGame)):
            raise ValueError(
                f"win_samples = {self.win_samples}, deals = {self.deals}: win probabilities come with hands that are "
                "dealt for a segment, in a game that has them, as hold'em has"
            )

    def begin(self, key: Array, tables: int, params: tuple[Any, ...]) -> Tables:
        """First states of so many ``tables``; ``params`` are the opponents'."""
        deal_key, opponent_key = jax.random.split(key)
        first, shares = self._drawn(self.hands(deal_key), deal_key, tables)
        state = jax.vmap(self.game.start)(first)
        memories = tuple(
            jax.tree.map(lambda x: jnp.broadcast_to(x, (tables, *jnp.shape(x))), memory)
            for memory in self._fresh_memories(params)
        )
        return Tables(state, self._draw(opponent_key, tables), memories, shares)

    def hands(self, key: Array) -> Hands | None:
        """The hands of a segment; None where every game is dealt anew."""
        if not self.deals:
            return None
        key = jax.random.fold_in(key, HANDS_STREAM)
        deals = self.game.deal(key, (self.deals,))
        if not (self.win_samples and isinstance(self.game, WinProbabilityGame)):
            return Hands(deals, None)
        shares = self.game.all_in_shares(deals) if isinstance(self.game, AllInGame) else None
        return Hands(self.game.with_win_probabilities(deals, key, self.win_samples), shares)

    def _drawn(self, hands: Hands | None, key: Array, tables: int) -> tuple[Any, Array | None]:
        """Deals of so many ``tables``, drawn from ``hands`` or new, and their shares."""
        if hands is None:
            return self.game.deal(key, (tables,)), None
        which = jax.random.randint(jax.random.fold_in(key, DRAW_STREAM), (tables,), 0, self.deals)
        drawn: tuple[Any, Array | None] = jax.tree.map(lambda x: x[which], tuple(hands))
        return drawn

    def own_seats(self, tables: int) -> Array:
        """``[tables]`` int32: the learner's."""
        return jnp.arange(tables, dtype=jnp.int32) % SEATS

    def turn(
        self, tables: Tables, choice: Array, params: tuple[Any, ...], key: Array, hands: Hands | None = None
    ) -> tuple[Tables, SparringTurn]:
        """A turn of every table: where the learner is to act it takes its ``choice`` ``[tables]``, what ``game.act``
        takes; elsewhere the opponents, who have ``params``, take theirs. Where a game ends another one begins, with one
        of the ``hands`` of the segment."""
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
        if hands is None:
            state, rewards, over = core.play_on(self.game, tables.state, choice, deal_key, step=self.game.act)
            shares = tables.shares
        else:
            state, rewards, over, shares = self._play_on(tables, choice, *self._drawn(hands, deal_key, count))
        fresh = zip(self._fresh_memories(params), memories, strict=True)
        kept = tuple(jax.vmap(core.select, (0, None, 0))(over, new, old) for new, old in fresh)
        opponent = jnp.where(over, self._draw(opponent_key, count), tables.opponent)
        reward = jnp.where(seats == 0, rewards[:, 0], rewards[:, 1])
        return Tables(state, opponent, kept, shares), SparringTurn(is_own, reward, over)

    def _play_on(
        self, tables: Tables, choice: Array, new_deals: Any, new_shares: Array | None
    ) -> tuple[Any, Array, Array, Array | None]:
        """As ``core.play_on``, with those deals for the games that begin; also the shares after it."""

        def restart(after: Any, new_deals: Any) -> core.Step:
            over = core.is_over(after)
            fresh = jax.vmap(self.game.start)(new_deals)
            return core.Step(jax.vmap(core.select)(over, fresh, after), after.rewards, over)

        after = jax.vmap(self.game.act)(tables.state, choice)
        state, rewards, over = computed_once(restart)(after, new_deals)
        if tables.shares is None or new_shares is None:
            return state, rewards, over, None
        share = jnp.take_along_axis(tables.shares, tables.state.street[:, None], axis=1)[:, 0]
        rewards = jnp.where(over[:, None], jax.vmap(without_luck)(after, share), rewards)
        return state, rewards, over, jnp.where(over[:, None], new_shares, tables.shares)

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
