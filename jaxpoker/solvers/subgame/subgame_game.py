"""A spot as a solver sees it: sweeps over the buffers of its template, every hand of both ranges at once.

It keeps the contract of ``solvers/sweep.py``. A table of a player is one array ``[actions, boards, blocks, n, hands]``
for each buffer of its decisions, all else is ``[boards, blocks, n, hands]``: n nodes of a buffer, hands in the places
of ``hand_places.py``. One sweep for a player goes down with the *other's* reach, that is how likely its cards and
actions are, to the ends; there hands are compared by products (``showdowns/strength_blocks.py``); and back up with
values.

    value of an end for hand i = payoff of a fold x rivals(i),  or half the final pot x showdowns(i)

of the other's reach. Values are counterfactual: sums over the other's hands, to be divided by the rivals at the root.
A river card is dealt with probability 1 / (52 - 4 - 4) to a pair of hands that do not hold it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.cards import NUM_CARDS
from jaxpoker.games import bets
from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.regret import Lock
from jaxpoker.solvers.showdowns import strength_blocks
from jaxpoker.solvers.showdowns.strength_blocks import Blocks
from jaxpoker.solvers.subgame.hand_places import Deal, Places, Street
from jaxpoker.solvers.subgame.menus import LAST_STREET
from jaxpoker.solvers.subgame.spot import Spot
from jaxpoker.solvers.subgame.template import DEALS, DECISIONS, FOLDS, SHOWDOWNS, Buffer, Piece, Template
from jaxpoker.solvers.sweep import Response, Swept
from jaxpoker.solvers.tree import END, NONE, Tree

Array = jax.Array
Tables = tuple[Array, ...]  # by buffer of a player's decisions
Worth = Callable[[int, Array], Array]  # (number among the player's buffers, values of actions) -> values of decisions

DEALT_TO_A_PAIR = NUM_CARDS - 4 - 4  # river cards that two hands and a turn leave


class Chips(NamedTuple):
    """What the ends of a spot pay, in chips less half of the pot, and which actions it has."""

    folds: tuple[np.ndarray, ...]  # by buffer of folds [2, n]: to each player
    half_pots: np.ndarray  # [n] of showdowns: half of what the winner takes
    taken: np.ndarray  # [n] half of the rake, of showdowns
    legal: tuple[np.ndarray, ...]  # by buffer of decisions [actions, n] bool


class SpotData(NamedTuple):
    """A spot as arrays, for one program of all spots of a template."""

    chips: Chips
    weights: np.ndarray  # [2, 1, N, 1, L] float32: the ranges, each divided by its largest weight
    streets: tuple[Street, ...]
    deal: Deal | None


class Dealt(NamedTuple):
    """``SpotData`` made ready for sweeps."""

    chips: Chips
    weights: Array
    blocks: tuple[Blocks, ...]  # by street, from the spot's on
    deal: Deal | None
    pairs: Array  # [] weight of all pairs of hands


@dataclasses.dataclass(frozen=True)
class SubgameGame:
    """The game of all spots of a template; ``masked`` where some of them lack some of its actions."""

    template: Template
    masked: bool = False
    raked: bool = False

    # --- data -----------------------------------------------------------------------------------

    def data(self, spot: Spot, tree: Tree, places: Places) -> SpotData:
        """The arrays of a spot; NumPy."""
        found = self.template.nodes_of(tree)
        buffers = self.template.buffers
        folds, half, taken, legal = [], np.zeros(0), np.zeros(0), []
        for buffer in buffers:
            nodes = np.array([found.get(node, NONE) for node in buffer.nodes])
            payoffs = np.where((nodes >= 0)[:, None, None], tree.payoffs[nodes], 0)  # [n, outcomes, seats]
            if buffer.kind == FOLDS:
                folds.append(payoffs[:, 0].T.astype(np.float32))
            elif buffer.kind == SHOWDOWNS:
                half, taken = (payoffs[:, 0, 0] - payoffs[:, 2, 0]) / 2, -(payoffs[:, 0, 0] + payoffs[:, 2, 0]) / 2
            elif buffer.kind == DECISIONS:
                legal.append(self._legal_of(buffer, nodes, tree))
        combo = places.streets[0].combo
        weights = np.where(combo >= 0, spot.ranges[:, combo], 0)[:, :, :, None]  # [2, 1, N, 1, L]
        weights = weights / weights.max(axis=(1, 2, 3, 4), keepdims=True)
        chips = Chips(tuple(folds), half.astype(np.float32), taken.astype(np.float32), tuple(legal))
        return SpotData(chips, weights.astype(np.float32), places.streets, places.deal)

    def _legal_of(self, buffer: Buffer, nodes: np.ndarray, tree: Tree) -> np.ndarray:
        legal = np.ones((buffer.actions, len(nodes)), bool)
        for place, (ours, theirs) in enumerate(zip(buffer.nodes, nodes, strict=True)):
            if theirs != NONE:  # what nobody comes to may do anything
                slots = np.array(self.template.slots[ours])
                is_all_in = tree.kind[theirs] == END
                legal[:, place] = slots == bets.CALL if is_all_in else tree.children[theirs, slots] >= 0
        return legal

    def prepared(self, data: SpotData) -> Dealt:
        """What sweeps need; jittable."""
        blocks = tuple(strength_blocks.of(s.cards, s.strength, NUM_CARDS - s.boards.shape[-1]) for s in data.streets)
        ours, theirs = jnp.asarray(data.weights)
        pairs = (ours * strength_blocks.rivals(blocks[0], theirs)).sum()
        return Dealt(data.chips, jnp.asarray(data.weights), blocks, data.deal, pairs)

    def zeros(self, player: int, data: SpotData | Dealt) -> Tables:
        """A table of ``player`` that is 0 everywhere."""
        return tuple(
            jnp.zeros((buffer.actions, *self.places_of(buffer, data)), jnp.float32)
            for buffer in (self.template.buffers[i] for i in self.template.of_player(player))
        )

    def places_of(self, buffer: Buffer, data: SpotData | Dealt) -> tuple[int, int, int, int]:
        """``[boards, blocks, n, hands]`` of a buffer's arrays."""
        at = buffer.street - self.template.first_street
        if isinstance(data, Dealt):
            boards, blocks, length, _ = data.blocks[at].cards_in.shape
        else:
            boards, blocks, length = data.streets[at].combo.shape
        return boards, blocks, len(buffer.nodes), length

    # --- the contract of solvers/sweep.py -------------------------------------------------------

    def legal(self, player: int, dealt: Dealt | None = None) -> tuple[np.ndarray | Array, ...]:
        """By buffer ``[actions, 1, 1, n, 1]`` bool."""
        decisions = self.template.of_kind(DECISIONS)
        if not self.masked:
            own = [self.template.buffers[i] for i in self.template.of_player(player)]
            return tuple(np.ones((b.actions, 1, 1, len(b.nodes), 1), bool) for b in own)
        assert dealt is not None, "which actions are legal is in the data of a spot"
        of_buffer = dict(zip(decisions, dealt.chips.legal, strict=True))
        return tuple(jnp.asarray(of_buffer[i])[:, None, None, :, None] for i in self.template.of_player(player))

    def values(self, player: int, dealt: Dealt, own: Tables, other: Tables) -> Swept:
        """What each action of ``player`` is worth against ``other``, and the whole to it in chips less half the pot."""
        root, of_actions, _ = self._up(player, dealt, self.reach(1 - player, dealt, other), _mean_under(own))
        return Swept(self._whole(player, dealt, root), of_actions)

    def own_reach(self, player: int, dealt: Dealt, own: Tables) -> Tables:
        """By buffer of the player: how likely its cards and its own actions are."""
        reach = self.reach(player, dealt, own)
        return tuple(reach[i] for i in self.template.of_player(player))

    def respond(self, player: int, dealt: Dealt, other: Tables, lock: Lock | None = None) -> Response:
        """The best response of ``player`` to ``other``; what a ``lock`` of the player holds, it plays."""
        legal = self.legal(player, dealt)

        def best(i: int, values: Array) -> Array:
            highest = _highest(values, legal[i])[0]
            if lock is None:
                return highest
            return jnp.where(lock.held[i], over_actions(lock.strategy[i] * values), highest)

        root, of_actions, _ = self._up(player, dealt, self.reach(1 - player, dealt, other), best)
        chosen = tuple(_highest(values, is_legal)[1] for values, is_legal in zip(of_actions, legal, strict=True))
        return Response(self._whole(player, dealt, root), chosen if lock is None else lock.applied(chosen))

    def node_values(self, player: int, dealt: Dealt, own: Tables, other: Tables) -> tuple[Array, ...]:
        """By buffer of decisions: what being there is worth to each hand of ``player``; counterfactual."""
        _, _, values = self._up(player, dealt, self.reach(1 - player, dealt, other), _mean_under(own))
        return tuple(values[i] for i in self.template.of_kind(DECISIONS))

    def _whole(self, player: int, dealt: Dealt, root: Array) -> Array:
        return (dealt.weights[player] * root).sum() / dealt.pairs

    # --- sweeps ---------------------------------------------------------------------------------

    def reach(self, player: int, dealt: Dealt, strategy: Tables) -> list[Array]:
        """By buffer: how likely ``player``'s cards and its own actions are; of deals on the street after them."""
        number = {buffer: i for i, buffer in enumerate(self.template.of_player(player))}
        at: list[Array] = []
        after: dict[int, Array] = {}  # by buffer of the player [actions, ...]

        def piece(p: Piece) -> Array:
            if p.buffer == NONE:
                return dealt.weights[player]
            source = after[p.buffer][p.action] if p.buffer in after and p.action != NONE else at[p.buffer]
            return _cut(source, p)

        for i, buffer in enumerate(self.template.buffers):
            here = _joined([piece(p) for p in buffer.pieces])
            if buffer.kind == DEALS:
                here = _dealt_on(dealt.deal, here)
            at.append(here)
            if i in number:
                after[i] = strategy[number[i]] * here
        return at

    def _up(self, player: int, dealt: Dealt, reach: Sequence[Array], worth: Worth) -> tuple[Array, Tables, list[Array]]:
        """Values at the root, of the player's actions by buffer, and at all buffers, when the other comes to each with
        ``reach``.
        """
        buffers, first = self.template.buffers, self.template.first_street
        number = {buffer: i for i, buffer in enumerate(self.template.of_player(player))}
        folds = dict(zip(self.template.of_kind(FOLDS), dealt.chips.folds, strict=True))
        values: list[Any] = [None] * len(buffers)
        of_actions: list[Any] = [None] * len(number)
        for i in reversed(range(len(buffers))):
            buffer = buffers[i]
            blocks = dealt.blocks[buffer.street - first]
            if buffer.kind == FOLDS:
                values[i] = folds[i][player][:, None] * strength_blocks.rivals(blocks, reach[i])
            elif buffer.kind == SHOWDOWNS:
                values[i] = dealt.chips.half_pots[:, None] * strength_blocks.showdowns(blocks, reach[i])
                if self.raked:
                    values[i] = values[i] - dealt.chips.taken[:, None] * strength_blocks.rivals(blocks, reach[i])
            else:
                found = [_joined([_cut(values[p.buffer], p) for p in pieces]) for pieces in buffer.values]
                if buffer.kind == DEALS:
                    values[i] = _back(dealt.deal, found[0])
                elif i in number:
                    of_actions[number[i]] = jnp.stack(found)
                    values[i] = worth(number[i], of_actions[number[i]])
                else:
                    values[i] = functools.reduce(jnp.add, found)
        return values[0], tuple(of_actions), values

    def rivals(self, dealt: Dealt, street: int, reach: Array) -> Array:
        """The weight of ``reach`` that shares no card with each hand."""
        return strength_blocks.rivals(dealt.blocks[street - self.template.first_street], reach)

    def showdowns(self, dealt: Dealt, street: int, reach: Array) -> Array:
        """What each hand wins at showdown, less what it loses, against ``reach``; of a turn the mean of all rivers."""
        if street == LAST_STREET:
            return strength_blocks.showdowns(dealt.blocks[-1], reach)
        return _back(dealt.deal, strength_blocks.showdowns(dealt.blocks[-1], _dealt_on(dealt.deal, reach)))


def _joined(parts: list[Array]) -> Array:
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=2)


def _cut(source: Array, piece: Piece) -> Array:
    """Nodes of a buffer ``[B, N, n, L]``."""
    whole = (piece.start, piece.stop) == (0, source.shape[2])
    return source if whole else source[:, :, piece.start : piece.stop]


def _dealt_on(deal: Deal | None, reach: Array) -> Array:
    """Reach ``[1, N, n, L]`` on the turn as ``[R, N', n, L]`` on each river, with the chance of its card."""
    assert deal is not None
    flat = jnp.swapaxes(reach[0], 1, 2).reshape(-1, reach.shape[2]) / DEALT_TO_A_PAIR  # [F, n]
    padded = jnp.concatenate([flat, jnp.zeros_like(flat[:1])])
    return jnp.swapaxes(padded[deal.after], 2, 3)


def _back(deal: Deal | None, values: Array) -> Array:
    """Values ``[R, N', n, L]`` on each river, summed to ``[1, N, n, L]`` on the turn."""
    assert deal is not None
    rivers, _, n, length = values.shape
    flat = jnp.swapaxes(values, 2, 3).reshape(rivers, -1, n)
    padded = jnp.concatenate([flat, jnp.zeros_like(flat[:, :1])], axis=1) * deal.times[:, None, None]
    on_turn = jnp.take_along_axis(padded, deal.before[:, :, None], axis=1).sum(axis=0)  # [F, n]
    if len(deal.exchanged) > 1:
        padded = jnp.concatenate([on_turn, jnp.zeros_like(on_turn[:1])])
        on_turn = padded[deal.exchanged].sum(axis=0) / len(deal.exchanged)
    return jnp.swapaxes(on_turn.reshape(-1, length, n), 1, 2)[None]


def _mean_under(strategy: Tables) -> Worth:
    """A decision is worth the mean of its actions under ``strategy``."""
    return lambda i, values: over_actions(strategy[i] * values)


def _highest(values: Array, legal: np.ndarray | Array) -> tuple[Array, Array]:
    """The value of the best legal action, and 1 at the first such action."""
    allowed = jnp.where(legal, values, -jnp.inf)
    best = allowed.max(axis=0)
    first = jnp.argmax(allowed, axis=0)
    chosen = first == jnp.arange(len(values)).reshape(-1, *[1] * first.ndim)
    return best, chosen.astype(values.dtype)
