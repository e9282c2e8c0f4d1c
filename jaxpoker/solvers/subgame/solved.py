"""A solved spot, read node by node: what each hand does, is worth, and how likely it is.

    solved.ev                             # chips of oop and ip at the root, the pot included
    solved.exploitability_percent
    node = solved.at("cr66c/c", "7h")     # betting as in tree/lines.py, and the river card where there is one
    node.actions, node.frequencies, node.strategy, node.ev[0], node.equity[1], node.reach[0]

The EV of a hand at a node is what it wins from there on, in chips, less what it still puts in: the pot counts, and
without rake the two players' sum to it. Arrays over hands are ``[1326]`` in the order of ``ranges.COMBOS``.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.equity import boards
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.regret import NO_LOCKS, Algorithm, Locks
from jaxpoker.solvers.subgame import betting, regret_loop
from jaxpoker.solvers.subgame.hand_places import Places
from jaxpoker.solvers.subgame.locks import NodeLock
from jaxpoker.solvers.subgame.regret_loop import Reading, State
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.subgame_game import Dealt, SubgameGame
from jaxpoker.solvers.subgame.template import DECISIONS
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import NONE, Tree, lines

if TYPE_CHECKING:
    from pathlib import Path


class NodeView(NamedTuple):
    """One decision; S = 2 players, oop and ip."""

    line: str
    board: tuple[int, ...]
    player: int  # whose decision it is
    pot: float  # with the bets of the street
    actions: tuple[str, ...]  # "f", "c", "r66": as in lines
    to: np.ndarray  # [actions] chips "to"; below 0 of a fold
    strategy: np.ndarray  # [actions, 1326] of the player; 0 of hands that it does not hold
    reach: np.ndarray  # [S, 1326]: weight of each hand that comes here
    ev: np.ndarray  # [S, 1326] chips; NaN of hands that are not held or that the other never meets, or not known
    equity: np.ndarray  # [S, 1326] share of the pot if it were shown down; NaN of such hands
    rivals: np.ndarray  # [S, 1326]: weight of the other's hands that share no card with it

    @property
    def met(self) -> np.ndarray:
        """``[S, 1326]``: how likely each hand is, the other's cards considered; up to a factor."""
        return np.where(np.isnan(self.equity), 0, self.reach * self.rivals)

    @property
    def frequencies(self) -> dict[str, float]:
        """How often the player takes each action."""
        weights = self.met[self.player]
        shares = (self.strategy * weights).sum(axis=1) / max(weights.sum(), 1e-30)
        return dict(zip(self.actions, shares.tolist(), strict=True))

    @property
    def range_ev(self) -> np.ndarray:
        """``[S]``: the mean over all hands of each player."""
        return _mean(self.ev, self.met)

    @property
    def range_equity(self) -> np.ndarray:
        return _mean(self.equity, self.met)


def _mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = np.where(weights > 0, values * weights, 0).sum(axis=1)
    return total / np.maximum(weights.sum(axis=1), 1e-30)


@dataclasses.dataclass(frozen=True, eq=False)
class Solved:
    """A spot with its strategies so far; ``solving.solve`` and ``storage.load`` make one."""

    spot: Spot
    tree: Tree
    places: Places
    game: SubgameGame
    algorithm: Algorithm
    node_locks: tuple[NodeLock, ...]
    dealt: Dealt
    state: State
    locks: Locks = NO_LOCKS
    values: np.ndarray | None = None  # [2] chips less half of the pot
    best: np.ndarray | None = None  # [2] likewise, of best responses
    processor_seconds: float = 0.0
    interrupted: bool = False

    def after(self, state: State, values: np.ndarray, best: np.ndarray, **more: float | bool) -> Solved:
        """With more iterations done."""
        spent = self.processor_seconds + float(more.pop("processor_seconds", 0.0))
        return dataclasses.replace(self, state=state, values=values, best=best, processor_seconds=spent, **more)  # type: ignore[arg-type]

    # --- the whole ------------------------------------------------------------------------------

    @property
    def iterations(self) -> int:
        return int(self.state.step)

    @property
    def is_measured(self) -> bool:
        """Whether EV and exploitability are known."""
        return self.values is not None

    @property
    def ev(self) -> tuple[float, float]:
        """Chips of oop and ip at the root, the pot included."""
        assert self.values is not None, "not solved yet"
        oop, ip = (float(v) + self.spot.pot / 2 + bet for v, bet in zip(self.values, self.spot.bets, strict=True))
        return oop, ip

    @property
    def exploitability(self) -> float:
        """Chips: the mean of what best responses of both players would gain."""
        assert self.values is not None and self.best is not None, "not solved yet"
        return float(np.mean(self.best - self.values))

    @property
    def exploitability_percent(self) -> float:
        """... in % of the pot."""
        return 100 * self.exploitability / self.spot.whole_pot

    def save(self, path: str | Path) -> None:
        """Writes the spot and its strategies to a file (``storage.py``)."""
        from jaxpoker.solvers.subgame import storage

        storage.save(self, path)

    # --- nodes ----------------------------------------------------------------------------------

    @functools.cached_property
    def _reading(self) -> Any:
        """A ``Reading`` of NumPy arrays."""
        read: Reading = regret_loop.read(self.game, self.dealt, self.state, self.locks)
        return jax.tree.map(np.asarray, read)

    @functools.cached_property
    def _template_node(self) -> dict[int, int]:
        return {theirs: ours for ours, theirs in self.game.template.nodes_of(self.tree).items()}

    def at(self, line: str = "", card: str | int = "") -> NodeView:
        """The decision after a betting line and, on the river of a turn's spot, its card."""
        return self.node(lines.node_of(self.tree, line), card)

    def node(self, node: int, card: str | int = "") -> NodeView:
        """The decision ``node`` of the tree."""
        i, place = self.game.template.place[self._template_node[node]]
        buffers = self.game.template.of_kind(DECISIONS)
        buffer, number = self.game.template.buffers[i], buffers.index(i)
        own = self.game.template.of_player(buffer.player).index(i)
        board, combo, shown = self._board(node, card)

        def spread(found: np.ndarray) -> np.ndarray:
            """``[..., 1326]`` of a buffer's ``[..., B, N, n, L]``."""
            on_board = found[..., board, :, place, :].reshape(*found.shape[:-4], -1)
            whole = np.zeros((*on_board.shape[:-1], NUM_COMBOS), np.float32)
            whole[..., combo[combo >= 0]] = on_board[..., combo >= 0]
            return whole

        read, player = self._reading, buffer.player
        reach = np.stack([spread(read.reach[p][number]) for p in PLAYERS])
        rivals = np.stack([spread(read.rivals[p][number]) for p in PLAYERS])
        met = (reach > 0) & (rivals > 1e-9 * rivals.max(initial=0))
        put_in = betting.put_in(self.tree, node)
        values = np.stack([spread(read.values[p][number]) for p in PLAYERS])
        ev = values / np.where(met, rivals, 1) + self.spot.pot / 2 + put_in[:, None]
        equity = np.stack([spread(read.shares[p][number]) for p in PLAYERS])
        slots = np.flatnonzero(self.tree.legal(node))
        ours = [self.game.template.slots[self._template_node[node]].index(slot) for slot in slots]
        strategy = spread(read.strategies[player][own])[ours]
        return NodeView(
            lines.sequence_of(self.tree, node),
            shown,
            player,
            float(self.spot.pot + put_in.sum()),
            tuple(lines.action_token(self.tree, node, int(slot)) for slot in slots),
            self.tree.to[node, slots],
            np.where(reach[player] > 0, strategy, 0),
            reach,
            np.where(met, ev, np.nan),
            np.where(met, equity, np.nan),
            rivals,
        )

    def _board(self, node: int, card: str | int) -> tuple[int, np.ndarray, tuple[int, ...]]:
        """The board's number, the combo at each place there, suits as on the board that is asked for, and the board."""
        at = int(self.tree.street[node]) - self.spot.street
        street = self.places.streets[at]
        dealt = [] if card in ("", NONE) else cards.parse(card).tolist() if isinstance(card, str) else [int(card)]
        if len(dealt) != at:
            raise ValueError(f"after {lines.sequence_of(self.tree, node)!r} {at} cards are dealt, not {card!r}")
        if not dealt:
            return 0, street.combo[0].reshape(-1), tuple(self.spot.board)
        if dealt[0] in self.spot.board:
            raise ValueError(f"card {cards.text(dealt)!r} is on the board {cards.text(self.spot.board)} already")
        for suits in self.places.orders:
            renamed = suits[dealt[0] // 13] * 13 + dealt[0] % 13
            found = np.flatnonzero(street.boards[:, -1] == renamed)
            if len(found):
                combo = street.combo[found[0]].reshape(-1)
                back = boards.renamed_combos(tuple(np.argsort(suits).tolist()))
                return int(found[0]), np.where(combo >= 0, back[combo], NONE), (*self.spot.board, dealt[0])
        raise AssertionError("every card is like one that is solved")
