"""External sampling (Lanctot et al., 2009), many deals side by side.

A walk samples the deal and the others' actions with their own probabilities, and tries all actions of the walking
player. At a decision of that player which the walk comes to, action a is worth u(a), what the walk brings after it;
the decision is worth the mean of u under the player's strategy, and the sampled counterfactual regret is

    r(a) = u(a) - sum over b of strategy(b) u(b),

whose mean is the exact one, because walks come there as often as chance and the others do. Where a walk comes to a
decision of another seat, that seat's average strategy grows. Between two that is as often as its own actions lead
there; with more seats the other opponents' actions are in it, too, and ``walk_cfr.py`` takes exact weights.

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
from jaxpoker.solvers.tree import END

Array = jax.Array


class WalkLevel(NamedTuple):
    """All decisions of one player on one turn of one street; between two there is one player a turn."""

    street: int
    turn: int
    player: int
    first_of_turn: bool
    rows: slice  # of the player's decisions of the street
    parents: np.ndarray  # [n] int32 into the flows of the street before (first turn) or of the turn before
    ends: np.ndarray  # [e, outcomes, seats] float32: what the seats get at the ends that follow
    after: np.ndarray  # [A, n] int32 into nothing, the next turn, the next street's first turn and the ends


@functools.lru_cache(maxsize=64)
def levels_of(game: WalkGame) -> tuple[WalkLevel, ...]:
    """The levels of a tree, first street first, first turn first."""
    tree, following = game.tree, game.tree.following()
    decisions = tree.decisions()
    keys = sorted({(int(tree.street[n]), int(tree.turn[n]), int(tree.player[n])) for n in decisions})
    place_of = np.stack([tree.street, tree.turn, tree.player], axis=1)[decisions]
    by_seat = {key: decisions[(place_of == key).all(axis=1)] for key in keys}
    turns = sorted({key[:2] for key in keys})
    nodes = {turn: np.concatenate([by_seat[key] for key in keys if key[:2] == turn]) for turn in turns}
    none = np.zeros(0, np.int64)
    levels: list[WalkLevel] = []
    for street, turn, player in keys:
        here = by_seat[street, turn, player]
        mine = game.blocks[player][street].nodes
        first = int(np.searchsorted(mine, here[0]))
        flows = [by_seat[key] for key in keys if (key[0] == street - 1 if turn == 0 else key[:2] == (street, turn - 1))]
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
                not levels or (levels[-1].street, levels[-1].turn) != (street, turn),
                slice(first, first + len(here)),
                _places(following, flows, here),
                tree.payoffs[ends],
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

    Decisions of one level share the word that an action is drawn by: a game passes one of them at the most.
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
    into: list[Array] = []  # those that lead to the levels of this turn
    words = cards.random_words(key, sum(level.player != player for level in levels), (n,))
    numbers = iter(kept(words) if words else words)
    turn_before = 0  # the first of ``flows`` that is of the turn before
    for level in levels:
        if level.first_of_turn:
            into, turn_before = (flows[turn_before:], len(flows)) if level.turn else (flows, 0)
            flows = flows if level.turn else []
        here = jnp.concatenate(into)[level.parents] if into else jnp.ones((1, n), dtype)
        strategy = of_deal[level.street][level.player][:, level.rows]
        own = level.player == player
        taken.append(strategy if own else draw(strategy, next(numbers)))
        reached.append(here)
        flow = jnp.broadcast_to(here, strategy.shape) if own else here * taken[-1]
        flows.append(flow.reshape(-1, n))

    regrets, value = _regrets(levels, player, taken, reached, dealt.outcome)
    visits = [
        None
        if seat == player
        else _by_slot(
            levels,
            [here[None] if level.player == seat else None for level, here in zip(levels, reached, strict=True)],
            [seats[seat] for seats in held],
            1,
        )[0]
        / n
        for seat in range(game.num_seats)
    ]
    return Walked(
        _by_slot(levels, regrets, [seats[player] for seats in held], game.tree.num_actions) / n,
        tuple(visits),
        value.mean(),
    )


def _regrets(
    levels: tuple[WalkLevel, ...], player: int, taken: list[Array], reached: list[Array], outcome: Array
) -> tuple[list[Array | None], Array]:
    """Per level of ``player`` the regrets ``[A, decisions, n]``, and the value ``[n]`` of the game."""
    dtype = taken[0].dtype
    outcomes = levels[0].ends.shape[1]
    showdown = jax.nn.one_hot(outcome, outcomes, axis=0, dtype=dtype)  # [outcomes, n]
    nothing = jnp.zeros((1, len(outcome)), dtype)
    next_turn = next_street = nothing[:0]
    this_turn: list[Array] = []  # values of this turn's levels, the last one first
    regrets: list[Array | None] = [None] * len(levels)
    for i in reversed(range(len(levels))):
        level = levels[i]
        ends = _exactly("eo,on->en", jnp.asarray(level.ends[..., player], dtype), showdown)
        worth = jnp.concatenate([nothing, next_turn, next_street, ends])[level.after]  # [A, decisions, n]
        value = (taken[i] * worth).sum(axis=0)
        if level.player == player:
            regrets[i] = jnp.where((level.after > 0)[..., None], worth - value, 0) * reached[i]
        this_turn.append(value)
        if level.first_of_turn:
            whole = jnp.concatenate(this_turn[::-1])
            next_turn, next_street = (whole, next_street) if level.turn else (nothing[:0], whole)
            this_turn = []
    return regrets, next_street[0]


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
