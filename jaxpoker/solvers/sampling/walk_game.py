"""A game as a sampling solver sees it: a betting tree, random deals, and where everything is.

A deal says who wins the showdown and, for each seat and street, its *column*: the board and the hand in a small game,
the bucket of a card abstraction in hold'em. A seat's information sets are its decisions times the columns of their
street, one *slot* each, decision after decision: the order of ``solvers/exact/layout.py``.

    between_cards(exact_game.whole(leduc))             # every deal with its exact probability
    between_buckets(tree.build(holdem), abstraction)   # nine cards from the deck, then buckets
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.deals import StreetDeals
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.tree import NONE, Tree

Array = jax.Array
Strategies = tuple[Array, ...]  # per seat [actions, slots]


class WalkDeals(NamedTuple):
    """``n`` deals."""

    columns: Array  # [streets, seats, n] int32: what each seat holds on each street
    outcome: Array  # [n] int32: of the showdown, a place in ``tree.orders``; for two seats in ``OUTCOMES``


class Walked(NamedTuple):
    """What a batch of walks tells the walking player, in the mean over deals."""

    regrets: Array  # [actions, slots]: its instantaneous counterfactual regrets
    reach: tuple[Array | None, ...]  # per seat but the walking one [slots]: how often walks come there
    value: Array  # []: what the game is worth to it


class Block(NamedTuple):
    """The decisions of one seat on one street, all its columns: ``[actions, slots]`` is ``[actions, n, columns]``."""

    slots: slice
    nodes: np.ndarray  # [n] in order
    columns: int


@dataclasses.dataclass(frozen=True, eq=False)
class WalkGame:
    """See the module's docstring; ``between_cards`` and ``between_buckets`` make one."""

    tree: Tree
    tables: Any  # pytree of arrays, the first argument of ``deal``
    deal: Callable[[Any, Array, int], WalkDeals]  # tables, key, how many
    blocks: tuple[tuple[Block, ...], ...]  # [seat][street]
    legal: tuple[np.ndarray, ...]  # per seat [actions, slots] bool
    first_slot: np.ndarray  # [N] int32: of a decision, among its seat's; NONE elsewhere

    @property
    def num_seats(self) -> int:
        return len(self.blocks)

    def num_slots(self, player: int) -> int:
        return self.legal[player].shape[1]

    def on_street(self, player: int, street: int, table: Array) -> Array:
        """``[actions, decisions, columns]`` of a seat's ``[actions, slots]``."""
        block = self.blocks[player][street]
        return table[:, block.slots].reshape(len(table), len(block.nodes), block.columns)

    def by_street(self, strategies: Strategies) -> tuple[Array, ...]:
        """All seats' strategies as one array ``[decisions, columns, actions]`` a street, in the tree's order."""
        streets = []
        for street, seats in enumerate(zip(*self.blocks, strict=True)):
            order = np.argsort(np.concatenate([block.nodes for block in seats]))
            of_all = [self.on_street(p, street, strategies[p]) for p in range(self.num_seats)]
            streets.append(jnp.moveaxis(jnp.concatenate(of_all, axis=1), 0, 2)[order])
        return tuple(streets)

    @property
    def street_shapes(self) -> list[tuple[int, int, int]]:
        """Decisions, columns and actions of each street, as ``by_street`` has them."""
        streets = zip(*self.blocks, strict=True)
        return [
            (sum(len(block.nodes) for block in seats), seats[0].columns, self.tree.num_actions) for seats in streets
        ]

    def of_seat(self, player: int, by_street: tuple[Array, ...]) -> Array:
        """``[actions, slots]``: a seat's part of what ``by_street`` made."""
        parts = []
        for street, (table, block) in enumerate(zip(by_street, self.blocks[player], strict=True)):
            rows = np.searchsorted(self.tree.decisions(street=street), block.nodes)
            parts.append(jnp.moveaxis(table[rows], 2, 0).reshape(self.tree.num_actions, -1))
        return jnp.concatenate(parts, axis=1)


def between_cards(game: ExactGame) -> WalkGame:
    """The game with deals drawn by their exact probabilities."""
    last = game.deals.streets[-1]
    if isinstance(last, StreetDeals):
        by_outcome = np.stack([last.win, last.tie, last.lose], axis=-1)
    else:
        by_outcome = np.moveaxis(last.chances, 0, -1)
    board, *holds, outcome = np.nonzero(by_outcome > 0)
    at_last = np.stack([board * game.num_hands + hand for hand in holds])  # [seats, deals]
    streets = range(game.tree.num_streets)
    columns = np.stack([game.deals.columns_before(len(game.deals.streets) - 1, street)[at_last] for street in streets])
    keep, alias = alias_table(by_outcome[by_outcome > 0])
    tables = jax.tree.map(jnp.asarray, (columns.astype(np.int32), outcome.astype(np.int32), keep, alias))
    return _laid_out(game.tree, tuple(game.deals.streets[street].columns for street in streets), tables, _deal_listed)


def between_buckets(tree: Tree, abstraction: CardAbstraction) -> WalkGame:
    """Hold'em for two with cards from the deck, which a seat sees as the buckets of ``abstraction``."""
    game = tree.game
    if not isinstance(game, Holdem):
        raise ValueError(f"card abstractions are for hold'em, not for {game.name}: take between_cards")

    def deal(tables: Any, key: Array, n: int) -> WalkDeals:
        dealt = game.deal(key, (n,))
        of_seats = jax.vmap(abstraction.of_hand, (None, 0, None, None))
        of_deals = jax.vmap(of_seats, (None, 0, 0, None), out_axes=1)
        of_streets = jax.vmap(of_deals, (None, None, None, 0))
        held = of_streets(tables, dealt.hole, dealt.board, jnp.arange(tree.num_streets))  # [streets, 2, n]
        one, other = dealt.strengths
        return WalkDeals(held, 1 - jnp.sign(one - other).astype(jnp.int32))

    return _laid_out(tree, abstraction.num_buckets[: tree.num_streets], abstraction.tables, deal)


def draw(probabilities: Array, word: Array) -> Array:
    """``[A, ...]`` one-hot: the action that a random word ``[...]`` uint32 falls on; never one of probability 0."""
    uniform = (word >> 9).astype(probabilities.dtype) * 2.0**-23  # 0 to below 1
    cumulative = jnp.cumsum(probabilities, axis=0)
    below = uniform * cumulative[-1] < cumulative
    first = below & ~jnp.concatenate([jnp.zeros_like(below[:1]), below[:-1]])
    return first.astype(probabilities.dtype)


def alias_table(chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's table of a distribution ``[n]``: draw a place evenly, stay with ``keep`` ``[n]``, else go to ``alias``.

    With one comparison a draw it is exact where a sum of many small probabilities in float32 is not.
    """
    n = len(chances)
    share = chances / chances.sum() * n
    keep, alias = np.ones(n, np.float32), np.arange(n, dtype=np.int32)
    small, large = list(np.nonzero(share < 1)[0]), list(np.nonzero(share >= 1)[0])
    while small and large:
        poor, rich = small.pop(), large[-1]
        keep[poor], alias[poor] = share[poor], rich
        share[rich] -= 1 - share[poor]
        if share[rich] < 1:
            small.append(large.pop())
    return keep, alias


def _deal_listed(tables: Any, key: Array, n: int) -> WalkDeals:
    """Deals of a list: columns ``[streets, seats, deals]``, outcomes ``[deals]`` and the alias table of their chances.

    Places of the table are taken at even distances from a random start, with some play: each deal has its chance, and
    together they cover the list evenly, which leaves less to luck than independent draws.
    """
    columns, outcome, keep, alias = tables
    size = len(outcome)
    start_key, play_key, keep_key = jax.random.split(key, 3)
    evenly = (np.arange(n) * size // n).astype(np.int32)
    play = jax.random.randint(play_key, (n,), 0, max(size // n, 1))
    place = (jax.random.randint(start_key, (), 0, size) + evenly + play) % size
    drawn = jnp.where(jax.random.uniform(keep_key, (n,)) < keep[place], place, alias[place])
    return WalkDeals(columns[:, :, drawn], outcome[drawn])


def _laid_out(
    tree: Tree, columns: tuple[int, ...], tables: Any, deal: Callable[[Any, Array, int], WalkDeals]
) -> WalkGame:
    first_slot = np.full(tree.num_nodes, NONE, np.int32)
    blocks, legal = [], []
    for player in range(tree.num_seats):
        total, rows = 0, []
        for street, width in enumerate(columns):
            nodes = tree.decisions(player, street)
            first_slot[nodes] = total + width * np.arange(len(nodes))
            rows.append(Block(slice(total, total + width * len(nodes)), nodes, width))
            total += width * len(nodes)
        blocks.append(tuple(rows))
        mine = tree.decisions(player)
        widths = np.asarray(columns)[tree.street[mine]]
        legal.append(np.repeat(tree.legal(mine).T, widths, axis=1))
    return WalkGame(tree, tables, deal, tuple(blocks), tuple(legal), first_slot)
