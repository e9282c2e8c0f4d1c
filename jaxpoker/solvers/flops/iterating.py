"""Iterations over a whole flop: turn by turn, and block by block of rivers.

In iteration t first oop's regrets grow by what its actions are worth against ip's strategy, then ip's against oop's new
one. A pass for a player takes the other's reach down to each turn, and from there to each block of rivers, and brings
the values back: they are added up over the rivers of a turn and over the turns. So what lives beside the tables is the
work of one block, and sums over the nodes of flop and turn.

The programs of ``passes.py`` change the tables of one board or block at a time. A state is used up when it is changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices
from jaxpoker.solvers.flops import passes, street_sweep, street_tree, tables
from jaxpoker.solvers.flops.passes import Block
from jaxpoker.solvers.flops.runouts import RIVERS, TURNS_TO_A_PAIR, Runouts, Turn
from jaxpoker.solvers.flops.street_sweep import Pairs
from jaxpoker.solvers.flops.street_tree import DEALT
from jaxpoker.solvers.flops.tables import Table
from jaxpoker.solvers.regret import Algorithm
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import Tree

Array = jax.Array


@dataclasses.dataclass
class Held:
    """The tables of one board or of one block of rivers ``[boards, rows, H]``, by player."""

    regrets: list[Table]
    averages: list[Table]


@dataclasses.dataclass
class State:
    """Everything that an iteration changes."""

    step: int  # iterations done
    flop: Held
    turns: list[Held]
    rivers: list[list[Held]]  # by turn and block

    def everything(self) -> list[Held]:
        """All tables in a fixed order."""
        return [self.flop, *self.turns, *(held for of_turn in self.rivers for held in of_turn)]


class Measured(NamedTuple):
    """The average strategies against each other and against best responses, in chips less half of the pot."""

    values: np.ndarray  # [2]
    best: np.ndarray  # [2]
    groups: tuple[list[np.ndarray], list[np.ndarray]]  # by player: values of the groups of the flop [n, H]

    @property
    def exploitability(self) -> float:
        """The mean of what both would gain."""
        return float((self.best - self.values).mean())


Pair = Sequence[Table]  # of both players


class Averages(Protocol):
    """Averages, or strategies, of both players ``[boards, rows, H]``, one board or block at a time."""

    def of_flop(self) -> Pair: ...

    def of_turn(self, number: int) -> Pair: ...

    def of_rivers(self, number: int, block: int) -> Pair: ...


@dataclasses.dataclass(frozen=True)
class InMemory:
    """The averages of a state."""

    state: State

    def of_flop(self) -> Pair:
        return self.state.flop.averages

    def of_turn(self, number: int) -> Pair:
        return self.state.turns[number].averages

    def of_rivers(self, number: int, block: int) -> Pair:
        return self.state.rivers[number][block].averages


class FlopGame:
    """The betting of a flop with its cards: what passes over it need."""

    def __init__(self, tree: Tree, runouts: Runouts, raked: bool = False) -> None:
        self.streets = street_tree.of(tree)
        self.chips = tuple(jax.tree.map(jnp.asarray, street_sweep.chips_of(street, tree)) for street in self.streets)
        self.runouts, self.raked = runouts, raked
        oop, ip = runouts.weights
        self.weights = (jnp.asarray(oop)[None], jnp.asarray(ip)[None])
        self.apart = _of_both(runouts.apart)
        self._exchanged = [jnp.asarray(of_player) for of_player in runouts.exchanged]
        self.turns = [OnTurn(turn, self.apart) for turn in runouts.turns]
        flop = _pairs(self.apart, _of_both(runouts.all_in, -1), [jnp.ones(width) for width in runouts.widths])
        self.flop_pairs = flop

    @property
    def deals_turns(self) -> bool:
        return len(self.streets) > 1

    @property
    def deals_rivers(self) -> bool:
        return len(self.streets) > 2

    # --- tables ---------------------------------------------------------------------------------

    def start(self, bits: int = 32) -> State:
        """Before the first iteration."""

        turns = self.runouts.turns if self.deals_turns else ()
        rivers = [[self.empty(2, RIVERS, bits) for _ in turn.blocks] if self.deals_rivers else [] for turn in turns]
        return State(0, self.empty(0, 1, bits), [self.empty(1, 1, bits) for _ in turns], rivers)

    def empty(self, street: int, boards: int, bits: int) -> Held:
        """The tables of so many ``boards`` of a street, 0 for the flop's, that are 0 everywhere."""
        tree, widths = self.streets[street], self.runouts.widths
        regrets, averages = (
            [tables.zeros(tree, player, widths[player], boards, bits, signed) for player in PLAYERS]
            for signed in (True, False)
        )
        return Held(regrets, averages)

    def compile(self, algorithm: Algorithm, bits: int = 32) -> None:
        """Makes the programs, on the tables of one turn: before there are all tables, whose memory compiling then need
        not have besides.
        """
        turns = self.turns[: int(self.deals_turns)]
        rivers = [[self.empty(2, RIVERS, bits) for _ in turn.blocks[0]] if self.deals_rivers else [] for turn in turns]
        state = State(0, self.empty(0, 1, bits), [self.empty(1, 1, bits) for _ in turns], rivers)
        self.iterate(algorithm, state)
        for player in PLAYERS:
            reach = self._reach(0, 1 - player, self.weights[1 - player], state.flop.averages[1 - player])
            for number in range(len(turns)):
                jax.block_until_ready(self.measure_turn(InMemory(state), number, player, reach).values)
        devices.give_back_memory()

    # --- iterations -----------------------------------------------------------------------------

    def iterate(self, algorithm: Algorithm, state: State) -> State:
        """One iteration on; the old state is used up."""
        t = jnp.float32(state.step + 1)
        for player in PLAYERS:
            self._update(algorithm, state, player, t)
        state.step += 1
        return state

    def _update(self, algorithm: Algorithm, state: State, player: int, t: Array) -> None:
        other = 1 - player

        def pass_over(street: int, held: Held, start: Array, pairs: Pairs, dealt: Array) -> Array:
            value, held.regrets[player], held.averages[other] = passes.update_street(
                self.streets[street],
                algorithm,
                player,
                self.raked,
                t,
                start,
                self.chips[street],
                pairs,
                held.regrets[player],
                held.regrets[other],
                held.averages[other],
                dealt,
            )
            return value

        def over_rivers(block: Block, held: Held, reach: Array, total: Array) -> Array:
            total, held.regrets[player], held.averages[other] = passes.update_rivers(
                self.streets[2],
                algorithm,
                player,
                self.raked,
                t,
                reach,
                self.chips[2],
                self.apart[player],
                block,
                held.regrets[player],
                held.regrets[other],
                held.averages[other],
                total,
            )
            return total

        flop_reach = self._reach(0, other, self.weights[other], state.flop.regrets[other])
        dealt = self._nothing(0, player)
        for number, turn in enumerate(self.turns[: len(state.turns)]):
            held = state.turns[number]
            start = self.turn_start(number, other, flop_reach)
            total = self._nothing(1, player)
            if self.deals_rivers:
                reach = self._reach(1, other, start, held.regrets[other])
                for block, of_block in zip(turn.blocks[player], state.rivers[number], strict=True):
                    total = over_rivers(block, of_block, reach, total)
                total = passes.exchanged(total, turn.exchanged[player])
            dealt = dealt + turn.times * pass_over(1, held, start, turn.pairs[player], total)
        dealt = passes.exchanged(dealt, self._exchanged[player])
        pass_over(0, state.flop, self.weights[other], self.flop_pairs[player], dealt)

    def _reach(self, street: int, other: int, start: Array, sums: Table) -> Array:
        return passes.reach_of_deals(self.streets[street], other, start, sums)

    def turn_start(self, number: int, player: int, flop_reach: Array) -> Array:
        """The reach of ``player`` at the starts of a turn, of that where it is dealt."""
        start: Array = flop_reach * (self.turns[number].open[player] / TURNS_TO_A_PAIR)
        return start

    def _nothing(self, street: int, player: int, *more: int) -> Array:
        """Values of the deals of a street, 0."""
        return jnp.zeros((*more, len(self.streets[street].ends[DEALT]), self.runouts.widths[player]), jnp.float32)

    # --- how good it is -------------------------------------------------------------------------

    def measure(self, averages: Averages) -> Measured:
        """What averages are worth, and what best responses to them are."""
        found = [self._measured(averages, player) for player in PLAYERS]
        pairs = self.runouts.pairs
        whole = np.stack(
            [(np.asarray(of.values, float) @ w)[:, 0] for of, w in zip(found, self.runouts.weights, strict=True)]
        )
        oop, ip = ([np.asarray(x) for x in of.groups] for of in found)
        return Measured(whole[:, 0] / pairs, whole[:, 1] / pairs, (oop, ip))

    def _measured(self, averages: Averages, player: int) -> street_sweep.Both:
        other = 1 - player
        flop = averages.of_flop()
        flop_reach = self._reach(0, other, self.weights[other], flop[other])
        dealt = self._nothing(0, player, 2)
        for number in range(len(self.turns) if self.deals_turns else 0):
            found = self.measure_turn(averages, number, player, flop_reach)
            dealt = dealt + self.turns[number].times * found.values
        dealt = passes.exchanged(dealt, self._exchanged[player])
        return self._measure_street(0, player, self.weights[other], self.flop_pairs[player], flop, dealt)

    def measure_turn(self, averages: Averages, number: int, player: int, flop_reach: Array) -> street_sweep.Both:
        """Values on one turn; ``flop_reach`` ``[n, H]`` is the other's where it is dealt."""
        turn, other, held = self.turns[number], 1 - player, averages.of_turn(number)
        start = self.turn_start(number, other, flop_reach)
        total = self._nothing(1, player, 2)
        if self.deals_rivers:
            reach = self._reach(1, other, start, held[other])
            for at, block in enumerate(turn.blocks[player]):
                of_block = averages.of_rivers(number, at)
                total = passes.measure_rivers(
                    self.streets[2],
                    player,
                    self.raked,
                    reach,
                    self.chips[2],
                    self.apart[player],
                    block,
                    of_block[player],
                    of_block[other],
                    total,
                )
            total = passes.exchanged(total, turn.exchanged[player])
        return self._measure_street(1, player, start, turn.pairs[player], held, total)

    def _measure_street(
        self, street: int, player: int, start: Array, pairs: Pairs, held: Pair, dealt: Array
    ) -> street_sweep.Both:
        return passes.measure_street(
            self.streets[street],
            player,
            self.raked,
            start,
            self.chips[street],
            pairs,
            held[player],
            held[1 - player],
            dealt,
        )


class OnTurn:
    """A turn as arrays for programs, by player."""

    def __init__(self, turn: Turn, apart: tuple[Array, Array]) -> None:
        self.times = jnp.float32(turn.times)
        self.open = [jnp.asarray(of_player) for of_player in turn.open]
        self.exchanged = [jnp.asarray(of_player) for of_player in turn.exchanged]
        self.pairs = _pairs(apart, _of_both(turn.all_in, -1), self.open)
        self.blocks: list[list[Block]] = [[], []]
        for rivers in turn.blocks:
            open_, ranks = ([jnp.asarray(of_player) for of_player in both] for both in (rivers.open, rivers.ranks))
            for p in PLAYERS:
                self.blocks[p].append(Block(jnp.asarray(rivers.times), open_[p], open_[1 - p], ranks[p], ranks[1 - p]))


def _of_both(matrix: np.ndarray, sign: int = 1) -> tuple[Array, Array]:
    """By player ``[H of the other, H of the player]`` of ``[H of ip, H of oop]``; ``sign`` -1: what one wins the other
    loses.
    """
    return jnp.asarray(matrix), jnp.asarray(np.ascontiguousarray(sign * matrix.T))


def _pairs(apart: tuple[Array, Array], shown: tuple[Array, Array], open_: Any) -> tuple[Pairs, Pairs]:
    oop, ip = (Pairs(apart[p], shown[p], open_[p]) for p in PLAYERS)
    return oop, ip
