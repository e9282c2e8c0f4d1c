"""A solved flop, read node by node: what each hand does, is worth, and how likely it is.

    solved.ev                             # chips of oop and ip at the root, the pot included
    node = solved.at("cr66c/c", "7h")     # betting as in tree/lines.py, and the cards dealt on the way
    node = solved.at("cc/cc/", "7h 2c")
    node.actions, node.frequencies, node.strategy, node.ev[0], node.equity[1], node.reach[0]

It answers what a solved turn or river answers (``subgame.Solved``), with the same ``NodeView``. The values of the flop
are known when it is solved; a turn's are made from that turn's tables when it is asked for, a river's from that
river's. So a file is never loaded whole. A file that keeps no rivers has no values on the turn: EV is NaN there.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.equity import boards
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.flops import passes
from jaxpoker.solvers.flops.iterating import Averages, FlopGame, InMemory, Measured, State
from jaxpoker.solvers.flops.passes import Seen
from jaxpoker.solvers.flops.runouts import NO_HAND, RIVERS_TO_A_PAIR, Runouts, renamed
from jaxpoker.solvers.flops.street_sweep import Pairs
from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.subgame import betting
from jaxpoker.solvers.subgame.menus import STREETS
from jaxpoker.solvers.subgame.solved import NodeView
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import NONE, Tree, lines

Array = jax.Array
T = TypeVar("T")
FLOP, TURN, RIVER = 1, 2, 3


@dataclasses.dataclass(frozen=True)
class Runout:
    """The board of a node, as the solver has it."""

    board: tuple[int, ...]  # as it was asked for
    turn: int = NONE  # number of the turn
    block: int = NONE  # of its rivers, and the place there
    river: int = NONE
    suits: tuple[int, ...] = (0, 1, 2, 3)  # what each suit that was asked for is called by the solver


@dataclasses.dataclass(frozen=True, eq=False)
class SolvedFlop:
    """A flop with its strategies so far; ``solving.solve`` and ``files.load`` make one."""

    spot: Spot
    tree: Tree
    runouts: Runouts
    game: FlopGame
    algorithm: Algorithm
    averages: Averages  # in memory or in a file
    iterations: int
    bits: int = 32
    symmetric: bool = True
    measured: Measured | None = None
    depth: int = RIVER  # the last street whose strategies there are
    state: State | None = None  # what solving goes on from; solving on uses it up
    processor_seconds: float = 0.0
    interrupted: bool = False

    # --- the whole ------------------------------------------------------------------------------

    @property
    def quality(self) -> Measured:
        if self.measured is None:
            raise ValueError("this flop is not solved yet: its exploitability was not measured")
        return self.measured

    @property
    def is_measured(self) -> bool:
        """Whether EV and exploitability are known."""
        return self.measured is not None

    @property
    def ev(self) -> tuple[float, float]:
        """Chips of oop and ip at the root, the pot included."""
        values = zip(self.quality.values, self.spot.bets, strict=True)
        oop, ip = (float(v) + self.spot.pot / 2 + bet for v, bet in values)
        return oop, ip

    @property
    def exploitability(self) -> float:
        """Chips: the mean of what best responses of both players would gain."""
        return self.quality.exploitability

    @property
    def exploitability_percent(self) -> float:
        """... in % of the pot."""
        return 100 * self.exploitability / self.spot.whole_pot

    # --- nodes ----------------------------------------------------------------------------------

    def at(self, line: str = "", dealt: str = "") -> NodeView:
        """The decision after a betting line and the cards ``dealt`` on the way."""
        return self.node(lines.node_of(self.tree, line), dealt)

    def node(self, node: int, dealt: Any = "") -> NodeView:
        """The decision ``node`` of the tree."""
        street = int(self.tree.street[node])
        if street > self.depth:
            raise ValueError(
                f"this file keeps no strategies of the {STREETS[street]}: take the spot there (spot_at) and solve it"
            )
        runout = self._runout(node, _dealt(dealt))
        tree = self.game.streets[street - FLOP]
        g, at = tree.place[node]
        seen = [self._seen(runout, street, player) for player in PLAYERS]
        pairs = self._pairs(runout, street)
        compared = [passes.equities(pairs[p], seen[1 - p].reach[g][at : at + 1]) for p in PLAYERS]
        values = [self._values(runout, street, player) for player in PLAYERS]
        spread = functools.partial(self._spread, runout)
        reach = np.stack([spread(p, seen[p].reach[g][at]) for p in PLAYERS])
        rivals = np.stack([spread(p, compared[p][0][0]) for p in PLAYERS])
        equity = np.stack([spread(p, compared[p][1][0]) for p in PLAYERS])
        met = (reach > 0) & (rivals > 1e-9 * rivals.max(initial=0))
        put_in = betting.put_in(self.tree, node)
        worth = np.full(reach.shape, np.nan)
        if values[0] is not None and values[1] is not None:
            worth = np.stack([spread(p, values[p][g][at]) for p in PLAYERS])  # type: ignore[index]
        ev = worth / np.where(met, rivals, 1) + self.spot.pot / 2 + put_in[:, None]
        player = tree.groups[g].player
        strategy = spread(player, seen[player].strategies[tree.of_player(player).index(g)][:, at])
        slots = np.flatnonzero(self.tree.legal(node))
        return NodeView(
            lines.sequence_of(self.tree, node),
            runout.board,
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

    def spot_at(self, line: str, dealt: str) -> Spot:
        """The spot that begins where the card after ``line`` was dealt, with the ranges that come there: to be solved
        anew with other bets, or below the depth of a file. ``dealt`` has all cards, that one too.
        """
        first = lines.node_of(self.tree, line)
        street = int(self.tree.street[first])
        parent = int(self.tree.parent[first])
        if self.tree.turn[first] or parent == NONE:
            raise ValueError(f"spot_at({line!r}): name the line to the first decision of a turn or a river")
        ids = _dealt(dealt)
        if len(ids) != street - FLOP:
            raise ValueError(f"after {line!r} {street - FLOP} cards are dealt, not {cards.text(ids)!r}")
        before = self._runout(self._decision_before(parent), ids[:-1])
        place = self.game.streets[street - FLOP].starts.index(first)
        held = [self._spread(before, p, self._seen(before, street - 1, p).dealt[place]) for p in PLAYERS]
        put_in = betting.put_in(self.tree, first)
        return Spot(
            board=[*self.spot.board, *ids],
            pot=float(self.spot.pot + put_in.sum()),
            stacks=tuple(s + b - x for s, b, x in zip(self.spot.stacks, self.spot.bets, put_in, strict=True)),
            oop=held[0] / max(held[0].max(), 1e-30),
            ip=held[1] / max(held[1].max(), 1e-30),
            menu=self.spot.menu,
            rake=self.spot.rake,
            rake_cap=self.spot.rake_cap,
        )

    def _decision_before(self, node: int) -> int:
        return int(self.tree.parent[node])

    # --- boards ---------------------------------------------------------------------------------

    def _runout(self, node: int, dealt: tuple[int, ...]) -> Runout:
        """The board of ``node`` after cards ``dealt``, up to suits that can be exchanged."""
        missing = int(self.tree.street[node]) - FLOP
        if len(dealt) != missing:
            said = cards.text(dealt) if dealt else ""
            raise ValueError(f"after {lines.sequence_of(self.tree, node)!r} {missing} cards are dealt, not {said!r}")
        board = (*self.spot.board, *dealt)
        cards.require_distinct(board=np.array(board))
        if not dealt:
            return Runout(board)
        known = {turn.card: number for number, turn in enumerate(self.runouts.turns)}
        suits = next(order for order in self.runouts.orders if renamed(dealt[0], order) in known)
        number = known[renamed(dealt[0], suits)]
        if len(dealt) == 1:
            return Runout(board, number, suits=suits)
        turn = self.runouts.turns[number]
        for stay in turn.orders:
            both = tuple(stay[suit] for suit in suits)
            for block, rivers in enumerate(turn.blocks):
                found = np.flatnonzero((rivers.cards == renamed(dealt[1], both)) & (rivers.times > 0))
                if len(found):
                    return Runout(board, number, block, int(found[0]), both)
        raise AssertionError("every card is like one that is solved")

    def _spread(self, runout: Runout, player: int, found: Array | np.ndarray) -> np.ndarray:
        """``[..., 1326]`` of ``[..., H]``, hands with the suits that were asked for."""
        combos = self.runouts.combos[player]
        real = combos != NO_HAND
        back = boards.renamed_combos(tuple(np.argsort(runout.suits).tolist()))
        whole = np.zeros((*found.shape[:-1], NUM_COMBOS), np.float32)
        whole[..., back[combos[real]]] = np.asarray(found)[..., real]
        return whole

    # --- what there is on a board, both players; kept for the boards that were asked for last ---

    def _seen(self, runout: Runout, street: int, player: int) -> Seen:
        if street == FLOP:
            return self._on_flop(player)
        if street == TURN:
            return self._on_turn(runout.turn, player)
        turn = self._on_turn(runout.turn, player)
        rivers = self.runouts.turns[runout.turn].blocks[runout.block]
        start = turn.dealt * (rivers.open[player][runout.river] / RIVERS_TO_A_PAIR)
        return passes.see(self.game.streets[2], player, start, self._river_tables(runout)[player])

    @functools.cached_property
    def _flop_seen(self) -> tuple[Seen, Seen]:
        oop, ip = (
            passes.see(self.game.streets[0], p, self.game.weights[p], _one(self.averages.of_flop()[p])) for p in PLAYERS
        )
        return oop, ip

    def _on_flop(self, player: int) -> Seen:
        return self._flop_seen[player]

    def _on_turn(self, number: int, player: int) -> Seen:
        def see() -> Seen:
            start = self.game.turn_start(number, player, self._on_flop(player).dealt)
            return passes.see(self.game.streets[1], player, start, _one(self.averages.of_turn(number)[player]))

        return self._kept(number, ("seen", player), see)

    def _river_tables(self, runout: Runout) -> list[Any]:
        tables = self.averages.of_rivers(runout.turn, runout.block)
        return [jax.tree.map(lambda x: x[runout.river], table) for table in tables]

    def _pairs(self, runout: Runout, street: int) -> tuple[Pairs, Pairs]:
        if street == FLOP:
            return self.game.flop_pairs
        if street == TURN:
            return self.game.turns[runout.turn].pairs
        blocks = [self.game.turns[runout.turn].blocks[p][runout.block] for p in PLAYERS]
        oop, ip = (
            passes.river_pairs(self.game.apart[p], jax.tree.map(lambda x: x[runout.river], blocks[p])) for p in PLAYERS
        )
        return oop, ip

    def _values(self, runout: Runout, street: int, player: int) -> list[Any] | None:
        """By group ``[n, H]``; None where strategies below are missing."""
        if street == FLOP:
            return None if self.measured is None else list(self.measured.groups[player])
        if street == TURN:
            return self._turn_values(runout.turn, player) if self.depth >= len(self.game.streets) else None
        other = 1 - player
        tables = self._river_tables(runout)
        turn = self._on_turn(runout.turn, other)
        rivers = self.runouts.turns[runout.turn].blocks[runout.block]
        start = turn.dealt * (rivers.open[other][runout.river] / RIVERS_TO_A_PAIR)
        found = passes.measure_river(
            self.game.streets[2],
            player,
            self.game.raked,
            start,
            self.game.chips[2],
            self._pairs(runout, RIVER)[player],
            tables[player],
            tables[other],
        )
        return found.groups

    def _turn_values(self, number: int, player: int) -> list[Any]:
        def measure() -> list[Any]:
            reach = self._on_flop(1 - player).dealt
            return self.game.measure_turn(self.averages, number, player, reach).groups

        return self._kept(number, ("values", player), measure)

    def _kept(self, number: int, what: tuple[str, int], make: Callable[[], T]) -> T:
        """Of a turn: what was made for it, or is made now; the turns that were asked for last are kept."""
        kept = self._turns_kept
        of_turn = kept.pop(number, {})
        kept[number] = of_turn  # the last one
        while len(kept) > _KEPT_TURNS:
            kept.pop(next(iter(kept)))
        if what not in of_turn:
            of_turn[what] = make()
        found: T = of_turn[what]
        return found

    @functools.cached_property
    def _turns_kept(self) -> dict[int, dict[tuple[str, int], Any]]:
        return {}


_KEPT_TURNS = 8


def in_memory(solved: SolvedFlop, state: State) -> SolvedFlop:
    """``solved`` with the tables of ``state``."""
    return dataclasses.replace(solved, state=state, averages=InMemory(state), iterations=state.step)


def _one(table: Any) -> Any:
    """The table of the first board."""
    return jax.tree.map(lambda x: jnp.asarray(x[0]), table)


def _dealt(said: Any) -> tuple[int, ...]:
    if isinstance(said, str):
        return tuple(cards.parse(said).tolist()) if said.strip() else ()
    if isinstance(said, int | np.integer):
        return () if said == NONE else (int(said),)
    return tuple(int(card) for card in said)
