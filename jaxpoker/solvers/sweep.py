"""What a solver asks of a game: one contract for games between cards, types of hands, buckets and real hands.

A *sweep* goes over the betting tree once with a number for everything that a player may hold. A solver needs three
kinds of sweeps, and besides them only to know which actions are legal:

    values       what each action of a player is worth, when both play given strategies
    own_reach    how likely a player's own cards and actions are to bring it to each of its information sets
    respond      a best response to the other's strategy, and what it wins

``dealt`` is what chance did. It is None in a game all of whose deals are known (``exact/exact_game.py``). Else it is
what the solver drew (``sampling/boards.py``): counts of types, or boards. Where several boards were drawn, the game
takes the mean over them; the solver does not have to. Strategies and values are tables (``solvers/regret.py``); each
game chooses their form. Values are counterfactual: sums over deals. Most games are for
two players, whose payoffs sum to zero. One for more (``exact/exact_game.py``) takes a tuple of all seats' strategies
where ``other`` stands here, and ``quality`` is not for it: see ``exact/best_response.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

from jaxpoker.solvers.regret import Table

Array = jax.Array

PLAYERS = (0, 1)
Others = Table | tuple[Table, ...]  # the other's strategy, or those of all seats where there are more than two


def others_of(player: int, strategies: Sequence[Table]) -> Others:
    """What ``SweepGame.values`` takes as ``other``, of the strategies of all seats."""
    return strategies[1 - player] if len(strategies) == 2 else tuple(strategies)


class Swept(NamedTuple):
    """What a sweep says of one player."""

    value: Array  # [] of the game to the player
    action_values: Table  # counterfactual; any number where an action is not legal


class Response(NamedTuple):
    """A best response of one player."""

    value: Array  # [] of the game to the player
    strategy: Table  # pure


class Quality(NamedTuple):
    """A strategy of both seats against itself and against best responses, in the game's unit per game."""

    value: Array  # [] what seat 0 makes when both play the strategy
    best: tuple[Array, Array]  # [] what a best response in each seat makes
    exploitability: Array  # [] half of NashConv


class SweepGame(Protocol):
    """A game as a solver sees it."""

    def legal(self, player: int) -> Table:
        """Bool: which actions the information sets of ``player`` have."""
        ...

    def values(self, player: int, dealt: Any, own: Table, other: Table) -> Swept:
        """What each action of ``player``, who plays ``own``, is worth against ``other``."""
        ...

    def own_reach(self, player: int, dealt: Any, own: Table) -> Table:
        """How likely ``player``'s cards and its own actions by ``own`` are at each of its information sets."""
        ...

    def respond(self, player: int, dealt: Any, other: Table) -> Response:
        """The best response of ``player`` to ``other``."""
        ...


class TableGame(SweepGame, Protocol):
    """A game all of whose information sets are rows of one table ``[rows, actions]``; for any number of seats."""

    @property
    def game(self) -> Any:
        """What errors name by its ``name``."""
        ...

    @property
    def num_seats(self) -> int: ...

    @property
    def num_rows(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def row_text(self) -> Callable[[int], str]:
        """An information set for people."""
        ...

    def legal_rows(self) -> np.ndarray:
        """``[rows, actions]`` bool."""
        ...

    def part(self, player: int, table: jax.Array) -> jax.Array:
        """A player's part ``[actions, slots]`` of a strategy table."""
        ...

    def table(self, strategies: tuple[jax.Array, ...]) -> jax.Array:
        """The strategy table of all players' ``[actions, slots]``."""
        ...

    def require_two_players(self, what: str) -> None:
        """``ValueError`` for a game of more seats."""
        ...


def quality(game: SweepGame, dealt: Any, strategies: tuple[Table, Table]) -> Quality:
    """Value and exploitability of both players' ``strategies``:

    exploitability = (v(0) + v(1)) / 2,    v(p) the value of a best response of player p.
    """
    first, second = (game.respond(player, dealt, strategies[1 - player]).value for player in PLAYERS)
    value = game.values(0, dealt, *strategies).value
    return Quality(value, (first, second), (first + second) / 2)
