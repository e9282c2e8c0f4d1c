"""The table of a spot: a game of its own, so that a solved spot can be played, by itself or against others.

    game = SpotTable(solved.spot, solved.tree)
    match.play(game, [player.entrant(solved), players.make("random", game)], key)

Both hands are dealt from the ranges, with card removal, and the river card where the spot is a turn. Actions are the
tree's. Rewards are in pots: what a seat wins less what it puts in, less half of the pot. A match therefore tells
thousandths of the pot where it says mBB.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from jaxpoker import core, hands, ranges
from jaxpoker.cards import NUM_CARDS
from jaxpoker.solvers.subgame import Solved, Spot
from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.tree import END, Tree

Array = jax.Array

SEATS = 2
OWN_CARDS = 2
WIN, TIE, LOSE = range(3)  # outcomes of a showdown for seat 0, rows of the tree's payoffs


class Deal(NamedTuple):
    hands: Array  # [2] int32: the combo of each seat
    river: Array  # [] int32: the last card of the board, dealt or to come


@struct.dataclass
class State:
    """One table."""

    deal: Deal
    node: Array  # [] int32, of the tree
    current_player: Array  # [] int32
    legal_action_mask: Array  # [actions] bool
    rewards: Array  # [2] float32
    terminated: Array  # [] bool
    truncated: Array  # [] bool


@dataclasses.dataclass(frozen=True, eq=False)
class SpotTable:
    """See the module's docstring."""

    spot: Spot
    tree: Tree

    name: ClassVar[str] = "spot"
    num_players: ClassVar[int] = SEATS
    observation_size: ClassVar[int] = 3

    @property
    def num_actions(self) -> int:
        return self.tree.num_actions

    @property
    def zero_sum(self) -> bool:
        return not self.spot.rake

    @functools.cached_property
    def token_sizes(self) -> tuple[int, int, int]:
        return core.FIRST_SEAT + SEATS, 1 + NUM_CARDS, 1 + self.num_actions

    # --- deals ----------------------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Deal:
        keys = jax.random.split(key, int(np.prod(shape, dtype=int)))
        dealt = jax.lax.map(self._deal, keys, batch_size=256)
        return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), dealt)

    def _deal(self, key: Array) -> Deal:
        first, second, third = jax.random.split(key, 3)
        oop = jax.random.categorical(first, jnp.log(jnp.asarray(self._first_weights, jnp.float32)))
        ip = jax.random.categorical(second, jnp.log(self.spot.ip * _apart(oop)))
        pair = jnp.stack([oop, ip]).astype(jnp.int32)
        return Deal(pair, self._river(third, pair))

    @functools.cached_property
    def _first_weights(self) -> np.ndarray:
        """``[1326]``: oop's weights times those of ip's hands that share no card with each."""
        holds = (ranges.COMBOS[:, :, None] == np.arange(NUM_CARDS)).any(axis=1).astype(float)  # [1326, 52]
        weights = self.spot.ranges.astype(float)
        rivals = weights[1].sum() - holds @ (weights[1] @ holds) + weights[1]
        return weights[0] * np.maximum(rivals, 0)

    def _river(self, key: Array, pair: Array) -> Array:
        """The last card of the board, or one that neither the board nor the hands have."""
        if self.spot.street == LAST_STREET:
            return jnp.asarray(self.spot.board[-1], jnp.int32)
        used = jnp.concatenate([jnp.asarray(ranges.COMBOS)[pair].reshape(-1), jnp.asarray(self.spot.board)])
        free = ~(jnp.arange(NUM_CARDS)[:, None] == used).any(axis=1)
        return jax.random.categorical(key, jnp.where(free, 0.0, -jnp.inf)).astype(jnp.int32)

    # --- play -----------------------------------------------------------------------------------

    def start(self, deal: Deal) -> State:
        no = jnp.zeros((), jnp.bool_)
        return self._at(deal, jnp.zeros((), jnp.int32), no, jnp.zeros(SEATS, jnp.float32))

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def _at(self, deal: Deal, node: Array, over: Array, rewards: Array) -> State:
        seat = jnp.maximum(jnp.asarray(self.tree.player, jnp.int32)[node], 0)
        legal = (jnp.asarray(self.tree.children)[node] >= 0) | over
        return State(deal, node, seat, legal, rewards, over, jnp.zeros((), jnp.bool_))

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        legal = core.is_legal(state.legal_action_mask, action)
        after = jnp.asarray(self.tree.following())[state.node, jnp.clip(action, 0, self.num_actions - 1)]
        node = jnp.where(legal & ~state.terminated, after, state.node)
        ends = (jnp.asarray(self.tree.kind)[node] == END) | ~legal
        most = min(bet + stack for bet, stack in zip(self.spot.bets, self.spot.stacks, strict=True)) + self.spot.pot / 2
        fine = jnp.where(jnp.arange(SEATS) == state.current_player, -most, most).astype(jnp.float32)
        paid = jnp.where(legal, jnp.asarray(self.tree.payoffs)[node, self._outcome(state.deal)], fine)
        rewards = jnp.where(ends & ~state.terminated, paid / self.spot.pot, 0).astype(jnp.float32)
        return self._at(state.deal, node, ends | state.terminated, rewards)

    def act(self, state: State, choice: Array) -> State:
        return self.step(state, choice)

    def _outcome(self, deal: Deal) -> Array:
        board = jnp.concatenate([jnp.asarray(self.spot.board[:4], jnp.int32), deal.river[None]])
        seven = jnp.concatenate([jnp.asarray(ranges.COMBOS)[deal.hands], jnp.tile(board, (SEATS, 1))], axis=1)
        oop, ip = hands.strength(seven)
        return jnp.where(oop > ip, WIN, jnp.where(oop == ip, TIE, LOSE))

    # --- what players see -------------------------------------------------------------------------

    def river_card(self, state: State) -> Array:
        """``[]`` int32: the last card of the board; -1 while it is to come."""
        opened = jnp.asarray(self.tree.street)[state.node] == LAST_STREET
        return jnp.where(opened, state.deal.river, -1)

    def observe(self, state: State, player: Array | int) -> Array:
        """Own combo, river card and node, by their numbers."""
        return jnp.stack([state.deal.hands[player], self.river_card(state), state.node]).astype(jnp.float32)

    def information_state(self, state: State, player: Array | int) -> Array:
        own = jnp.asarray(ranges.COMBOS)[state.deal.hands[player]]
        zero, seat = jnp.zeros((), jnp.int32), jnp.asarray(player, jnp.int32) + core.FIRST_SEAT
        held = [jnp.stack([seat, 1 + own[i], zero, zero]) for i in range(OWN_CARDS)]
        river = self.river_card(state)
        opened = jnp.stack([jnp.where(river >= 0, core.TABLE, 0), 1 + river, zero, zero])
        return jnp.concatenate([jnp.stack([*held, opened]), jnp.asarray(self._actions)[state.node]]).astype(jnp.int32)

    @functools.cached_property
    def _actions(self) -> np.ndarray:
        """``[nodes, longest line, 4]``: the actions that lead to each node, as tokens."""
        tokens = np.zeros((self.tree.num_nodes, self.tree.longest_game + self.tree.num_streets, 4), np.int32)
        for node in range(1, self.tree.num_nodes):
            parent, action = int(self.tree.parent[node]), int(self.tree.action[node])
            tokens[node] = tokens[parent]
            if action >= 0:
                place = int((tokens[parent, :, 0] > 0).sum())
                to = max(int(self.tree.to[parent, action]), 0)
                tokens[node, place] = (core.FIRST_SEAT + int(self.tree.player[parent]), 0, 1 + action, to)
        return tokens

    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """Another hand of the other player by its range times ``weights`` ``[1326]``, and another card to come."""
        hand_key, river_key = jax.random.split(key)
        own, other = state.deal.hands[player], 1 - jnp.asarray(player)
        river = self.river_card(state)
        clear = ~(jnp.asarray(ranges.COMBOS) == river).any(axis=1)
        likely = jnp.asarray(self.spot.ranges)[other] * _apart(own) * clear * (1 if weights is None else weights)
        hand = jax.random.categorical(hand_key, jnp.log(likely)).astype(jnp.int32)
        pair = state.deal.hands.at[other].set(hand)
        return state.replace(deal=Deal(pair, jnp.where(river >= 0, river, self._river(river_key, pair))))  # type: ignore[attr-defined]

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """``hand`` is a combo's number ``[]`` int32."""
        changed = state.deal._replace(hands=state.deal.hands.at[player].set(hand))
        return state.replace(deal=changed)  # type: ignore[attr-defined]


def _apart(combo: Array) -> Array:
    """``[1326]`` bool: the hands that share no card with ``combo``."""
    combos = jnp.asarray(ranges.COMBOS)
    return ~(combos[:, :, None] == combos[combo][None, None]).any(axis=(1, 2))


def table_of(solved: Solved) -> SpotTable:
    """The table of a solved turn or river."""
    if solved.spot.street < LAST_STREET - 1:
        raise ValueError(f"{solved.spot.text}: turns and rivers have tables, flops have none")
    return SpotTable(solved.spot, solved.tree)
