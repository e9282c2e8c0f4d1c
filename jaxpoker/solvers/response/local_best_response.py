"""What an opponent who knows a blueprint wins from it with real cards: local best response (Lisý & Bowling, 2017).

    local_best_response.measure(solved, jax.random.key(0))          # mBB/hand ± 95%

The responder sees its cards and the board, and knows the blueprint's range: how likely each of the 1,326 hands is to
have played as the blueprint did. It decides as if nobody bet any more after its action. With m and o what both have
put in, m' what a bet makes of m, e the share of the pot that its hand has against the range over all boards to come,
and fp how often the range folds to the bet,

    fold    0
    call    e 2 o - (o - m)
    bet     fp (m + o) + (1 - fp) (e' 2 m' - (m' - m)),        e' against the hands that do not fold.

Bets are those of the tree. This is not a best response, but anybody who knew the blueprint could play it. So what it
wins is a lower bound of the exploitability in the real game, with real cards.

The blueprint's hand is never dealt. Its actions are drawn with the probabilities that its whole range gives them, and
an end pays the mean over the range and over all boards to come. The mean of the result is the same, with less variance.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.equity.by_hand import possible_hands, share_by_hand
from jaxpoker.games.bets import FIRST_SIZE, FOLD
from jaxpoker.games.holdem.table import RIVER
from jaxpoker.match import Estimate
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.abstraction import OPEN_CARDS, CardAbstraction
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import DECISION, END
from jaxpoker.solvers.tree.chips import chips_at

Array = jax.Array

DEALS = 4_096
BLOCK = 64  # deals that are played at once
_AT_ONCE = 8  # of their flops, with 1,081 boards each
_LEAST = 1e-30  # a weight that is none


class _Nodes(NamedTuple):
    """A tree as arrays on the device; N nodes, A actions."""

    player: Array  # [N] int8
    street: Array  # [N] int8
    ends: Array  # [N] bool
    folded: Array  # [N] bool
    following: Array  # [N, A] int32
    legal: Array  # [N, A] bool
    put_in: Array  # [N, 2] float32: big blinds that each seat has put in
    pays: Array  # [N] float32: what seat 0 gets at an end, if it wins
    row: Array  # [N] int32: of bucket 0 in the strategy's rows


class _Deal(NamedTuple):
    """What the responder's hand is up against, street by street."""

    buckets: Array  # [4, 1326] int32
    share: Array  # [4, 1326] float32: of the pot, against each hand, in the mean over all boards to come
    possible: Array  # [4, 1326] float32: 1 for hands without the responder's cards and the open ones


def measure(solved: Blueprint, key: Array, deals: int = DEALS) -> Estimate:
    """What the responder wins from a blueprint, in mBB/hand; every deal is played from both seats."""
    if deals < 2:
        raise ValueError(f"{deals} deals: an interval needs at least two")
    deal_key, play_key = jax.random.split(key)
    return Estimate.of(winnings(solved, cards.deal(deal_key, 7, (deals,)), play_key).mean(axis=1) * 1_000)


def winnings(solved: Blueprint, dealt: Array, key: Array) -> np.ndarray:
    """``[n, 2]``: big blinds that the responder wins in each seat with ``dealt`` ``[n, 7]``, its hand and the board."""
    nodes = _nodes(solved)
    rows = jnp.concatenate([jnp.asarray(table).reshape(-1, solved.tree.num_actions) for table in solved.strategy])
    n = len(dealt)
    padded = jnp.concatenate([dealt, jnp.broadcast_to(dealt[:1], (-n % BLOCK, 7))]).reshape(-1, BLOCK, 7)
    known: Any = solved.abstraction
    found = [
        _block(known, known.tables, nodes, rows, block, jax.random.fold_in(key, i)) for i, block in enumerate(padded)
    ]
    return np.concatenate(found)[:n].astype(np.float64)


def _nodes(solved: Blueprint) -> _Nodes:
    tree, chips = solved.tree, chips_at(solved.tree)
    sizes = np.array([decisions * buckets for decisions, buckets, _ in solved.shapes])
    first = np.cumsum(sizes) - sizes  # [4] rows of earlier streets
    earlier = (chips.pot - chips.bets.sum(axis=1))[:, None] / 2
    following = tree.following()
    rows = first[tree.street] + np.maximum(solved.row, 0) * np.array(solved.abstraction.num_buckets)[tree.street]
    return _Nodes(
        player=jnp.asarray(tree.player),
        street=jnp.asarray(tree.street),
        ends=jnp.asarray(tree.kind == END),
        folded=jnp.asarray(tree.is_fold(np.arange(tree.num_nodes))),
        following=jnp.asarray(np.maximum(following, 0)),
        legal=jnp.asarray((tree.kind == DECISION)[:, None] & (following >= 0)),
        put_in=jnp.asarray((earlier + chips.bets) / solved.game.big_blind, jnp.float32),
        pays=jnp.asarray(tree.payoffs_of(0)[:, 0]),
        row=jnp.asarray(rows, jnp.int32),
    )


@functools.partial(jax.jit, static_argnums=0)
def _block(known: CardAbstraction, tables: Any, nodes: _Nodes, rows: Array, dealt: Array, key: Array) -> Array:
    """``[deals, 2]``: what the responder wins in each seat."""
    deals = jax.lax.map(lambda seven: _deal(known, tables, seven[:2], seven[2:]), dealt, batch_size=_AT_ONCE)
    play = functools.partial(_play, nodes, rows, max(known.num_buckets))
    in_seats = jax.vmap(play, in_axes=(None, 0, 0))
    keys = jax.random.split(key, (len(dealt), len(PLAYERS)))
    return jax.vmap(in_seats, in_axes=(0, None, 0))(deals, jnp.asarray(PLAYERS), keys)


# --- cards --------------------------------------------------------------------------------------


def _deal(known: CardAbstraction, tables: Any, hole: Array, board: Array) -> _Deal:
    share = [share_by_hand(hole, board[:opened]) for opened in OPEN_CARDS]
    possible = [possible_hands(jnp.concatenate([hole, board[:opened]])) for opened in OPEN_CARDS]
    return _Deal(known.of_board(tables, board), jnp.stack(share), jnp.stack(possible).astype(jnp.float32))


# --- play ---------------------------------------------------------------------------------------


def _play(nodes: _Nodes, rows: Array, most_buckets: int, deal: _Deal, seat: Array, key: Array) -> Array:
    """Big blinds that the responder wins in ``seat``."""
    first_rows = jnp.arange(most_buckets)

    def strategy_at(node: Array) -> Array:
        """``[buckets, A]``: what the blueprint does; of buckets that the street does not have, anything."""
        return rows[jnp.minimum(nodes.row[node] + first_rows, len(rows) - 1)]

    def by_bucket(street: Array, *weights: Array) -> Array:
        """``[len(weights), buckets]``: weights ``[1326]`` summed over the hands of each bucket."""
        of_hands = jnp.stack(weights, axis=1)  # [1326, n]
        return jax.ops.segment_sum(of_hands, deal.buckets[street], most_buckets).T

    def respond(node: Array, believed: Array, won: Array) -> Array:
        """The action, given the range and how much of it the hand has, ``[buckets]`` each."""
        mine, other = nodes.put_in[node, seat], nodes.put_in[node, 1 - seat]
        total = jnp.maximum(believed.sum(), _LEAST)
        worth = [jnp.zeros(()), won.sum() / total * 2 * other - (other - mine)]
        for action in range(FIRST_SIZE, nodes.legal.shape[1]):
            after = nodes.following[node, action]
            answers = ~nodes.ends[after]  # else the all-in is a call
            stays = jnp.where(answers, 1 - strategy_at(after)[:, FOLD], 1)
            called = (believed * stays).sum() / total
            bet = nodes.put_in[after, seat]
            worth.append((1 - called) * (mine + other) + (won * stays).sum() / total * 2 * bet - called * (bet - mine))
        return jnp.where(nodes.legal[node], jnp.stack(worth), -jnp.inf).argmax()

    def step(at: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        node, weights, key = at
        street = nodes.street[node]
        believed, held = weights * deal.possible[street], weights * deal.possible[RIVER]
        range_here, won, may_hold = by_bucket(street, believed, believed * deal.share[street], held)
        probabilities = strategy_at(node)
        likely = jnp.where(nodes.legal[node], may_hold @ probabilities, 0)
        key, draw_key = jax.random.split(key)
        ours = nodes.player[node] == seat
        drawn = jax.random.categorical(draw_key, jnp.log(likely))
        action = jnp.where(ours, respond(node, range_here, won), drawn)
        seen = weights * jnp.where(ours, 1, probabilities[:, action][deal.buckets[street]])
        return nodes.following[node, action], seen / jnp.maximum(seen.max(), _LEAST), key

    start = (jnp.zeros((), jnp.int32), jnp.ones(NUM_COMBOS), key)
    end, weights, _ = jax.lax.while_loop(lambda at: ~nodes.ends[at[0]], step, start)
    street = nodes.street[end]
    believed = weights * deal.possible[street]
    share = (believed * deal.share[street]).sum() / jnp.maximum(believed.sum(), _LEAST)
    sign = jnp.where(seat == 0, 1, -1)
    return nodes.pays[end] * jnp.where(nodes.folded[end], sign, 2 * share - 1)
