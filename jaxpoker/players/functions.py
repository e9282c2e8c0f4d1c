"""Players written in plain Python: a function is called with what the player may know, and says what it does.

    def mine(decision):
        if "A" in decision.hole:
            return decision.max_raise_to
        return decision.call_to

    player = players.from_function(mine)
    match.play(game, [player, players.make("tag", game)], key)

The compiled match calls back to Python once for all tables, and the function is asked at each of them in turn: some ten
thousand decisions a second, where players in JAX make millions. The function may use any library, files or a network,
but not JAX itself, which waits for it. It keeps no memory: tables are not told apart, and a match asks each player at
every decision, those of others too, and drops what it says there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, core
from jaxpoker.games import bets
from jaxpoker.games.protocols import ChipGame
from jaxpoker.players.contract import Player

Array = jax.Array


class Decision(NamedTuple):
    """What the player to act knows; nothing here depends on what is hidden from it."""

    seat: int
    legal: np.ndarray  # [actions] bool
    observation: np.ndarray  # [observation size] float32: ``game.observe``
    information_state: np.ndarray  # [tokens, 4] int32: ``game.information_state``
    facing: bets.Facing | None  # of a game with chips: the pot, the price, the smallest and the largest raise
    hole: str  # of a game with chips: "AhKd"
    board: str  # ... "Qh7h2c"
    seed: int  # a number that is drawn for this decision: ``np.random.default_rng(decision.seed)``
    game: core.Game
    more: Any = None  # what ``see`` of ``from_function`` returned, as NumPy arrays

    @property
    def fold(self) -> int:
        """The choice that folds, in a game with chips."""
        return bets.FOLD_CHIPS

    @property
    def call_to(self) -> int:
        """The choice that calls, or checks, in a game with chips."""
        return int(self._facing.own_bet + self._facing.to_call)

    @property
    def min_raise_to(self) -> int:
        """The smallest raise; where there is none the call, as in ``max_raise_to``."""
        return int(self._facing.min_raise_to) if self._facing.may_raise else self.call_to

    @property
    def max_raise_to(self) -> int:
        return int(self._facing.max_raise_to) if self._facing.may_raise else self.call_to

    def is_legal(self, choice: int) -> bool:
        """Whether the game takes this choice."""
        if self.facing is None:
            return 0 <= choice < len(self.legal) and bool(self.legal[choice])
        if choice < 0:
            return bool(self.facing.may_fold)
        raises = self.facing.may_raise and self.facing.min_raise_to <= choice <= self.facing.max_raise_to
        return choice == self.call_to or bool(raises)

    @property
    def _facing(self) -> bets.Facing:
        if self.facing is None:
            raise ValueError(f"{self.game.name} has no chips to choose: a choice is one of legal's numbers")
        return self.facing


Ask = Callable[[Decision], int]
See = Callable[[core.Game, Any, Array], Any]


@functools.lru_cache(maxsize=256)
def from_function(ask: Ask, name: str | None = None, see: See | None = None) -> Player:
    """The player who does what ``ask`` says: chips "to" in hold'em, an action id elsewhere.

    ``see(game, state, player)`` is what the function is told besides, arrays of one table, as ``decision.more``; it may
    look at what ``player`` may know and no further. A choice that is not legal is a ``ValueError`` that says what would
    be; it comes out of the match as jax's own error.
    """
    called = str(name or getattr(ask, "__name__", "function"))

    def answers(game: core.Game, live: Any, seats: Any, seeds: Any, *seen: Any) -> np.ndarray:
        """Of one table, or of many: each array may have leading axes, the same ones."""
        live, seats, seeds = (np.asarray(x) for x in (live, seats, seeds))
        legal, observation, tokens, facing, hole, board, more = jax.tree.map(np.asarray, seen)
        choices = np.zeros(live.shape, np.int32)
        for at in np.ndindex(live.shape):
            if not live[at]:
                continue
            decision = Decision(
                seat=int(seats[at]),
                legal=legal[at],
                observation=observation[at],
                information_state=tokens[at],
                facing=None if facing is None else bets.Facing(*(x[at] for x in facing)),
                hole="" if hole is None else cards.text(hole[at]),
                board="" if board is None else cards.text(board[at]),
                seed=int(seeds[at]),
                game=game,
                more=jax.tree.map(lambda x, at=at: x[at], more),
            )
            choice = int(ask(decision))
            if not decision.is_legal(choice):
                raise ValueError(
                    f"player {called!r} chose {choice} in seat {decision.seat}: {_what_is_legal(decision)}"
                )
            choices[at] = choice
        return choices

    def act(params: Any, memory: Any, game: core.Game, state: Any, key: Array) -> tuple[Array, Any]:
        player = state.current_player
        facing = hole = board = None
        if isinstance(game, ChipGame):
            facing, hole, board = game.facing(state), state.hole[player], state.board
        more = None if see is None else see(game, state, player)
        seen = (game.observe(state, player), game.information_state(state, player), facing, hole, board, more)
        seed = jax.random.bits(key, (), jnp.uint32)
        choice = jax.pure_callback(
            functools.partial(answers, game),
            jax.ShapeDtypeStruct((), jnp.int32),
            ~core.is_over(state),
            player,
            seed,
            state.legal_action_mask,
            *seen,
            vmap_method="broadcast_all",
        )
        return choice, memory

    return Player(called, act)


def _what_is_legal(decision: Decision) -> str:
    if decision.facing is None:
        return f"legal are {np.nonzero(decision.legal)[0].tolist()}"
    folds = f"{decision.fold} folds, " if decision.facing.may_fold else ""
    raises = f", {decision.min_raise_to} to {decision.max_raise_to} raise" if decision.facing.may_raise else ""
    return f"{folds}{decision.call_to} checks or calls{raises}"
