"""One seat of a game against fixed opponents, as pure functions: what gymnax's and Gymnasium's environments share.

An episode is one game. The opponents act inside ``reset`` and ``step`` until it is the learner's turn again, and
what the learner is paid meanwhile counts as the reward of its last action. A game may be over before the learner's
first turn (everybody folds to the big blind): the learner then takes one action, which does nothing, to be paid.

An opponent is a function ``policy(game, state, key) -> action``, which is shown the whole state and may look at no
more than ``game.observe(state, state.current_player)``, or a Player, or an Entrant: a Player with its ``params``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

from jaxpoker import core, players

Array = jax.Array
Opponent = Any  # a Player, or Callable[[game, state, key], action]


def opponent_and_params(opponent: Opponent | players.Entrant) -> tuple[Opponent, Any]:
    """An Entrant taken apart; any other opponent has no params."""
    return (opponent.player, opponent.params) if isinstance(opponent, players.Entrant) else (opponent, ())


@struct.dataclass
class Seated:
    """A table and the learner at it."""

    game_state: Any
    seat: Array  # [] int32, the learner's
    memory: Any  # of the players, with a leading axis [players]; () when the opponent is a function
    unpaid: Array  # [] float32, paid before the learner's first turn


@dataclass(frozen=True)
class Seating:
    """``seat`` is where the learner sits; None draws it anew for every game. ``params`` below are the opponent's."""

    game: core.Game
    opponent: Opponent
    seat: int | None = None

    def __post_init__(self) -> None:
        if self.seat is not None and not 0 <= self.seat < self.game.num_players:
            raise ValueError(f"seat {self.seat} is not at the table: seats are 0 to {self.game.num_players - 1}")
        if not (hasattr(self.opponent, "act") or callable(self.opponent)):
            raise TypeError(f"an opponent is a Player or a function policy(game, state, key), not {self.opponent!r}")

    def reset(self, key: Array, params: Any) -> Seated:
        """A new game at the learner's first turn."""
        deal_key, seat_key, opponents_key = jax.random.split(key, 3)
        game_state = self.game.init(deal_key)
        seat = jax.random.randint(seat_key, (), 0, self.game.num_players) if self.seat is None else self.seat
        seat = jnp.asarray(seat, jnp.int32)
        game_state, memory, paid = self._opponents_act(opponents_key, game_state, seat, self._fresh(params), params)
        return Seated(game_state, seat, memory, paid)

    def step(self, key: Array, state: Seated, action: Array, params: Any) -> tuple[Seated, Array]:
        """The table at the learner's next turn, or at the end, and the reward ``[]``."""
        game_state = self.game.step(state.game_state, jnp.asarray(action))
        reward = state.unpaid + game_state.rewards[state.seat]
        game_state, memory, paid = self._opponents_act(key, game_state, state.seat, state.memory, params)
        return Seated(game_state, state.seat, memory, jnp.float32(0)), reward + paid

    def observe(self, state: Seated) -> Array:
        """What the learner sees."""
        return self.game.observe(state.game_state, state.seat)

    def _opponents_act(
        self, key: Array, game_state: Any, seat: Array, memory: Any, params: Any
    ) -> tuple[Any, Any, Array]:
        """Plays on to the learner's next turn or the end; returns state, memory and what the learner was paid."""

        def not_yet(carry: tuple[Any, Any, Array, Array]) -> Array:
            game_state = carry[0]
            return ~core.is_over(game_state) & (game_state.current_player != seat)

        def act(carry: tuple[Any, Any, Array, Array]) -> tuple[Any, Any, Array, Array]:
            game_state, memory, paid, key = carry
            key, act_key = jax.random.split(key)
            game_state, memory = self._opponent_acts(act_key, game_state, memory, params)
            return game_state, memory, paid + game_state.rewards[seat], key

        game_state, memory, paid, _ = jax.lax.while_loop(not_yet, act, (game_state, memory, jnp.float32(0), key))
        return game_state, memory, paid

    def _opponent_acts(self, key: Array, game_state: Any, memory: Any, params: Any) -> tuple[Any, Any]:
        if not hasattr(self.opponent, "act"):
            return self.game.step(game_state, self.opponent(self.game, game_state, key)), memory
        player = game_state.current_player
        own = jax.tree.map(lambda m: m[player], memory)
        choice, own = self.opponent.act(params, own, self.game, game_state, key)
        return self.game.act(game_state, choice), jax.tree.map(lambda m, new: m.at[player].set(new), memory, own)

    def _fresh(self, params: Any) -> Any:
        if not hasattr(self.opponent, "act"):
            return ()
        memory = self.opponent.new_hand(self.opponent.init_memory(params))
        return jax.tree.map(lambda m: jnp.broadcast_to(m, (self.game.num_players, *jnp.shape(m))), memory)
