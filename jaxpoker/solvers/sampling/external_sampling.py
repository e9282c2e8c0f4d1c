"""External sampling (Lanctot et al., 2009), many deals side by side.

A walk samples the deal and the other's actions with their own probabilities, and tries all actions of the walking
player. At a decision of that player which the walk comes to, action a is worth u(a), what the walk brings after it;
the decision is worth the mean of u under the player's strategy, and the sampled counterfactual regret is

    r(a) = u(a) - sum over b of strategy(b) u(b),

whose mean is the exact one, because walks come there as often as chance and the other do. Where a walk comes to a
decision of the other, the other's average strategy grows: as often as its own actions lead there.

The walks of all deals are one dense sweep with a vector over deals at every node. What cards say becomes vectors over
deals, and regrets of deals become sums over cards, by products with one-hot matrices: no scatters, and an order of
summation that is always the same. The price is a tree of which every node is visited, so this is for small ones: a
deal of Leduc takes half a microsecond, one of a hold'em tree with 42,000 decisions some four milliseconds.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.blocks import kept
from jaxpoker.solvers.sampling.walk_game import Strategies, WalkDeals, Walked, WalkGame, draw
from jaxpoker.solvers.tree import END, OUTCOMES

Array = jax.Array


class WalkLevel(NamedTuple):
    """All decisions of one turn of one street, which belong to one player."""

    street: int
    turn: int
    player: int
    rows: slice  # of the player's decisions of the street
    parents: np.ndarray  # [n] int32 into the flows of the street before (first turn) or of the turn before
    ends: np.ndarray  # [e, 3] float32: what seat 0 gets at the ends that follow, by OUTCOMES
    after: np.ndarray  # [A, n] int32 into nothing, the next turn, the next street's first turn and the ends


@functools.lru_cache(maxsize=64)
def levels_of(game: WalkGame) -> tuple[WalkLevel, ...]:
    """The levels of a tree, first street first, first turn first."""
    tree, following = game.tree, game.tree.following()
    decisions = tree.decisions()
    keys = sorted({(int(tree.street[n]), int(tree.turn[n])) for n in decisions})
    nodes = {key: decisions[(tree.street[decisions] == key[0]) & (tree.turn[decisions] == key[1])] for key in keys}
    none = np.zeros(0, np.int64)
    levels = []
    for street, turn in keys:
        here = nodes[street, turn]
        player = int(tree.player[here[0]])
        mine = game.blocks[player][street].nodes
        first = int(np.searchsorted(mine, here[0]))
        flows = [nodes[key] for key in keys if (key[0] == street - 1 if turn == 0 else key == (street, turn - 1))]
        children = following[here].T  # [A, n]
        ends = np.unique(children[(children >= 0) & (tree.kind[children] == END)])
        after = np.concatenate([nodes.get((street, turn + 1), none), nodes.get((street + 1, 0), none), ends])
        place = np.zeros(tree.num_nodes, np.int32)
        place[after] = 1 + np.arange(len(after))
        levels.append(
            WalkLevel(
                street,
                turn,
                player,
                slice(first, first + len(here)),
                _places(following, flows, here),
                tree.payoffs_of(0)[ends],
                np.where(children >= 0, place[children], 0),
            )
        )
    return tuple(levels)


def _places(following: np.ndarray, flows: list[np.ndarray], nodes: np.ndarray) -> np.ndarray:
    """Where each of ``nodes`` follows in the flows ``[A * n]`` of decisions, one after the other."""
    if not flows:
        return np.zeros(len(nodes), np.int32)
    order = np.concatenate([following[these].T.reshape(-1) for these in flows])
    place = np.zeros(len(following), np.int32)
    place[order[order >= 0]] = np.nonzero(order >= 0)[0]
    return place[nodes]


def walk(game: WalkGame, player: int, strategies: Strategies, dealt: WalkDeals, key: Array) -> Walked:
    """What ``player`` learns from one walk per deal.

    Decisions of one level share the word that the other's action is drawn by: a game passes one of them at the most.
    """
    levels = levels_of(game)
    n, dtype = len(dealt.outcome), strategies[0].dtype
    held = [  # [street][seat]: [columns, n] one-hot
        [jax.nn.one_hot(own, game.blocks[p][s].columns, axis=0, dtype=dtype) for p, own in enumerate(seats)]
        for s, seats in enumerate(dealt.columns)
    ]
    of_deal = [  # [street][seat]: [A, decisions, n] the strategy with the cards of each deal
        [_exactly("adc,cn->adn", game.on_street(p, s, strategies[p]), own) for p, own in enumerate(seats)]
        for s, seats in enumerate(held)
    ]
    taken: list[Array] = []  # per level [A, decisions, n]: how much of the decision's value comes by each action
    reached: list[Array] = []  # per level [decisions, n]: whether the walk comes there
    flows: list[Array] = []  # per level of the street so far [A * decisions, n]: whether it goes on by each action
    words = cards.random_words(key, sum(level.player != player for level in levels), (n,))
    numbers = iter(kept(words) if words else words)
    for level in levels:
        if level.turn:
            here = flows[-1][level.parents]
        else:
            here = jnp.concatenate(flows)[level.parents] if flows else jnp.ones((1, n), dtype)
            flows = []
        strategy = of_deal[level.street][level.player][:, level.rows]
        own = level.player == player
        taken.append(strategy if own else draw(strategy, next(numbers)))
        reached.append(here)
        flow = jnp.broadcast_to(here, strategy.shape) if own else here * taken[-1]
        flows.append(flow.reshape(-1, n))

    regrets, value = _regrets(levels, player, taken, reached, dealt.outcome)
    visits = [here[None] if level.player != player else None for level, here in zip(levels, reached, strict=True)]
    return Walked(
        _by_slot(levels, regrets, [seats[player] for seats in held], game.tree.num_actions) / n,
        _by_slot(levels, visits, [seats[1 - player] for seats in held], 1)[0] / n,
        value.mean(),
    )


def _regrets(
    levels: tuple[WalkLevel, ...], player: int, taken: list[Array], reached: list[Array], outcome: Array
) -> tuple[list[Array | None], Array]:
    """Per level of ``player`` the regrets ``[A, decisions, n]``, and the value ``[n]`` of the game."""
    dtype = taken[0].dtype
    showdown = jax.nn.one_hot(outcome, len(OUTCOMES), axis=0, dtype=dtype) * (1 if player == 0 else -1)  # [3, n]
    nothing = jnp.zeros((1, len(outcome)), dtype)
    next_turn = next_street = nothing[:0]
    regrets: list[Array | None] = [None] * len(levels)
    for i in reversed(range(len(levels))):
        level = levels[i]
        if i + 1 < len(levels) and levels[i + 1].street != level.street:
            next_turn, next_street = nothing[:0], next_turn
        ends = _exactly("eo,on->en", jnp.asarray(level.ends, dtype), showdown)
        worth = jnp.concatenate([nothing, next_turn, next_street, ends])[level.after]  # [A, decisions, n]
        next_turn = (taken[i] * worth).sum(axis=0)
        if level.player == player:
            regrets[i] = jnp.where((level.after > 0)[..., None], worth - next_turn, 0) * reached[i]
    return regrets, next_turn[0]


def _by_slot(levels: tuple[WalkLevel, ...], values: list[Array | None], held: list[Array], rows: int) -> Array:
    """``[rows, slots]``: sums over the deals with each column of values ``[rows, decisions, n]``, level by level."""
    sums = [jnp.zeros((rows, 0), held[0].dtype)]
    for street, held_here in enumerate(held):
        here = zip(levels, values, strict=True)
        parts = [value for level, value in here if level.street == street and value is not None]
        if parts:
            sums.append(_exactly("adn,cn->adc", jnp.concatenate(parts, axis=1), held_here).reshape(rows, -1))
    return jnp.concatenate(sums, axis=1)


def _exactly(product: str, one: Array, other: Array) -> Array:
    """A matrix product that accelerators do not round to fewer bits."""
    return jnp.einsum(product, one, other, precision=jax.lax.Precision.HIGHEST)
