"""Translation: which node of a betting tree with few sizes a real hand of no-limit hold'em stands at.

A bet that is not on the tree is read as one of the two sizes next to it, by the pseudo-harmonic mapping (Ganzfried and
Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces", 2013). With bets as parts of the pot
after calling, x between the sizes A and B is read as A with probability

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x))

and as B otherwise: a player cannot be exploited by bets just off its sizes. What else may happen at a table:

- A bet exactly on a size is that size, and one above the largest is the largest.
- A check or a call counts as a bet of 0, so a small bet may be read as a check, and a small raise as a call. Where the
  street is over in the tree with it, the reader owes a call at the table: it calls, and both go on from there. Without
  this a raise of a third of the pot would win as many folds as the tree's smallest raise, of the whole pot, and a small
  raise where the tree has all-in alone would be an all-in.
- More raises than the tree has: the reader goes back to its own last decision, where it faced the bet before its
  raise, and answers from there once more. (If it faced none there, the tree has no answer.)
- Chips that the other player cannot match do not count: 1,000 behind against a stack of 200 are 200.
- A bet and a call that are all-in in the tree but not at the table: the tree has no answer for the rest of the hand.

A hand is followed by reading its log, each action once; ``Trail`` is where the reader is. What was read stays read, so
one bet is never two sizes within a hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import CALL, FOLD, RAISE, State, log_entries
from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.public_tree import DECISION, NONE, Tree

Array = jax.Array

EVEN = 0.5  # the luck of a reader without a key: it takes the likelier size


class TreeReader(NamedTuple):
    """A betting tree as somebody needs it who follows a real hand on it: N nodes, A actions."""

    following: Array  # [N, A] int32: the decision or end that an action leads to, chance nodes skipped; NONE if illegal
    sizes: Array  # [N, A] float32: what a raise may be read as, as parts of the pot after calling; inf elsewhere
    player: Array  # [N] int32: who decides; NONE at an end
    street: Array  # [N] int32
    back: Array  # [N] int32: the decision to go back to when a raise is one too many; NONE if there is none


class Trail(NamedTuple):
    """How far a hand has been read. Chips are those of the table, seats too."""

    node: Array  # [] int32: of the tree; NONE when it has no answer
    read: Array  # [] int32: actions of the hand
    planned: Array  # [] int32: the action id that the reader chose itself and has not read yet, or NONE
    street: Array  # [] int32
    before: Array  # [2] int32: chips that each seat put in before this street
    bets: Array  # [2] int32: ... on this street
    owes_call: Array  # [] bool: the last bet was read as a call that ended the street; the table waits for the answer


def pot_fraction(to: Any, price: Any, own_bet: Any, pot: Any) -> Any:
    """The raise to ``to`` as a part of the pot after calling, as in bet menus; ``pot`` has all bets in it."""
    return (to - price) / (pot + price - own_bet)


def pseudo_harmonic(a: Any, b: Any, x: Any) -> Any:
    """The probability that a bet x, with a <= x <= b and a < b, is read as a."""
    return (b - x) * (1 + a) / ((b - a) * (1 + x))


def neighbours(sizes: Array, x: Array) -> tuple[Array, Array, Array]:
    """``[]`` each: which of ``sizes`` ``[A]`` (inf where there is none) are next to the bet ``x``, below and above, and
    the probability that it is read as the one below. A bet outside of all sizes has the same one twice.
    """
    below = jnp.where(sizes <= x, sizes, -jnp.inf)
    above = jnp.where(sizes >= x, sizes, jnp.inf)
    lower, upper = jnp.argmax(below), jnp.argmin(above)
    a, b = below[lower], above[upper]
    between = jnp.isfinite(a) & jnp.isfinite(b) & (a < b)
    low, high = jnp.where(between, a, 0), jnp.where(between, b, 1)
    share = pseudo_harmonic(low, high, jnp.where(between, x, 0))
    only = jnp.where(jnp.isfinite(a), lower, upper)
    lower, upper = (jnp.where(between, size, only).astype(jnp.int32) for size in (lower, upper))
    return lower, upper, jnp.where(between, share, 1)


def translate(sizes: Array, x: Array, luck: Array | float) -> Array:
    """[] int32: which of ``sizes`` ``[A]`` (inf where there is none) the bet ``x`` is read as; NONE without any.

    ``luck`` is uniform on [0, 1).
    """
    lower, upper, share = neighbours(sizes, x)
    return jnp.where(jnp.isfinite(sizes).any(), jnp.where(luck < share, lower, upper), NONE).astype(jnp.int32)


# --- the tree ---------------------------------------------------------------------------------


def reader(tree: Tree) -> TreeReader:
    """What it takes to follow hands on ``tree``, a betting tree of hold'em for two."""
    tree.require_two_players("reading real bets on a tree")
    chips = chips_at(tree)
    price, pot = chips.price[:, None], chips.pot[:, None]
    own_bet = np.where(tree.player == 1, chips.bets[:, 1], chips.bets[:, 0])[:, None]
    fractions = pot_fraction(*(part.astype(np.float32) for part in (tree.to, price, own_bet, pot)))
    decides = (tree.kind == DECISION)[:, None]
    is_raise = (np.arange(tree.num_actions) >= bets.FIRST_SIZE) & (tree.children >= 0) & (tree.to > price) & decides
    sizes = np.where(is_raise, fractions, np.inf).astype(np.float32)
    sizes[is_raise.any(axis=1) & (tree.children[:, bets.CALL] >= 0), bets.CALL] = 0
    parent = np.maximum(tree.parent, 0)
    answered = (tree.parent >= 0) & (tree.kind[parent] == DECISION) & (tree.children[parent, bets.FOLD] >= 0)
    back = np.where(answered & (tree.kind == DECISION), tree.parent, NONE)
    arrays = (tree.following(), sizes, tree.player, tree.street, back)
    return TreeReader(*(jnp.asarray(a, jnp.float32 if a is sizes else jnp.int32) for a in arrays))


# --- reading a hand ---------------------------------------------------------------------------


def unread() -> Trail:
    """The trail at the start of a hand."""
    zero, none = jnp.zeros((), jnp.int32), jnp.full((), NONE, jnp.int32)
    return Trail(zero, zero, none, zero, jnp.zeros(2, jnp.int32), jnp.zeros(2, jnp.int32), jnp.zeros((), bool))


def read_on(tree: TreeReader, state: State, trail: Trail, key: Array | None) -> Trail:
    """``trail`` after all actions of ``state`` that it has not seen; without ``key`` as the likelier sizes.

    Actions beyond the game's ``max_log`` are not there to read: the tree has no answer then.
    """

    def luck(at: Array) -> Array | float:
        return EVEN if key is None else jax.random.uniform(jax.random.fold_in(key, at))

    return _read(tree, state, trail, luck)[0]


def readings(tree: TreeReader, state: State, trail: Trail) -> tuple[Trail, Array]:
    """The two trails ``[2]`` that ``read_on`` may come to by its luck, and the probability ``[2]`` of each.

    It is for a reader who has read up to its own last decision: since then the other has bet once at the most, and one
    bet is all that may be read in two ways.
    """
    lower, share = _read(tree, state, trail, lambda at: 0.0)
    upper, _ = _read(tree, state, trail, lambda at: 1.0)
    return jax.tree.map(lambda *both: jnp.stack(both), lower, upper), jnp.stack([share, 1 - share])


def _read(tree: TreeReader, state: State, trail: Trail, luck: Callable[[Array], Any]) -> tuple[Trail, Array]:
    """``trail`` after all actions that it has not seen, and how likely the bets were to be read as lower sizes."""
    seat, street, kind, to = log_entries(state)
    starting = jnp.stack([s.starting for s in state.seats])
    trail = core.select(trail.read == 0, _posted(state, starting)._replace(planned=trail.planned), trail)

    def one(so_far: tuple[Trail, Array]) -> tuple[Trail, Array]:
        trail, lower = so_far
        at = trail.read
        who = (seat[at] - state.button) % 2
        is_new = street[at] != trail.street
        before = trail.before + jnp.where(is_new, trail.bets, 0)
        on_street = jnp.where(is_new, 0, trail.bets)
        price, own_bet = on_street.max(), on_street[seat[at]]
        matched = jnp.minimum(to[at], (starting - before).min())
        chips = (matched, price, own_bet, (before + on_street).sum())
        fraction = pot_fraction(*(part.astype(jnp.float32) for part in chips))
        node = jnp.maximum(trail.node, 0)
        in_place = (trail.node >= 0) & (tree.player[node] == who) & (tree.street[node] == street[at])
        sized = translate(tree.sizes[node], fraction, luck(at))
        read_as = jnp.where(kind[at] == RAISE, sized, jnp.where(kind[at] == FOLD, bets.FOLD, bets.CALL))
        action = jnp.where(trail.planned >= 0, trail.planned, read_as)
        reached = jnp.where(action >= 0, tree.following[node, jnp.maximum(action, 0)], tree.back[node])
        by_luck = in_place & (kind[at] == RAISE) & (trail.planned < 0)
        reached = jnp.where(in_place, reached, NONE)
        is_over = (tree.player[jnp.maximum(reached, 0)] == NONE) | (tree.street[jnp.maximum(reached, 0)] != street[at])
        pays_up = trail.owes_call & (kind[at] == CALL)
        after = Trail(
            node=jnp.where(pays_up, trail.node, reached),
            read=at + 1,
            planned=jnp.full_like(trail.planned, NONE),
            street=street[at],
            before=before,
            bets=on_street.at[seat[at]].max(to[at]),
            owes_call=by_luck & (action == bets.CALL) & is_over,
        )
        return after, lower * jnp.where(by_luck, neighbours(tree.sizes[node], fraction)[2], 1)

    logged = jnp.minimum(state.num_acted, state.game.max_log)
    trail, lower = jax.lax.while_loop(lambda at: at[0].read < logged, one, (trail, jnp.ones(())))
    return trail._replace(node=jnp.where(state.num_acted > logged, NONE, trail.node)), lower


def _posted(state: State, starting: Array) -> Trail:
    """The trail after antes and blinds; heads-up the button posts the small one."""
    ante = jnp.minimum(starting, state.ante)
    blind = jnp.where(jnp.arange(2) == state.button, state.small_blind, state.big_blind)
    return unread()._replace(before=ante, bets=jnp.minimum(starting - ante, blind))


def has_answer(tree: TreeReader, state: State, trail: Trail) -> Array:
    """[] bool: whether the trail stands at a decision of the player to act, on the table's street; not where it owes a
    call."""
    node = jnp.maximum(trail.node, 0)
    who = (state.current_player - state.button) % 2
    return (trail.node >= 0) & (tree.player[node] == who) & (tree.street[node] == state.street)


# --- the nearest size -------------------------------------------------------------------------


def nearest_node(tree: Tree, state: Any) -> Array:
    """``[]`` int32: the node of a hold'em ``tree`` that the actions of ``state`` lead to, each as the nearest size."""
    game = tree.game
    assert isinstance(game, Holdem)
    following = jnp.asarray(tree.following())  # [N, A]
    sizes = jnp.asarray(tree.to / game.big_blind, jnp.float32)  # [N, A] big blinds
    _, _, kind, to = log_entries(state)
    raised_to = to / state.big_blind.astype(jnp.float32)
    is_fold = np.arange(tree.num_actions) == 0

    def take(turn: Array, node: Array) -> Array:
        fits = (following[node] >= 0) & (is_fold == (kind[turn] == FOLD))
        distance = jnp.where(fits, jnp.abs(sizes[node] - raised_to[turn]), jnp.inf)
        child = following[node, jnp.argmin(distance)]
        return jnp.where((turn < state.num_acted) & fits.any(), child, node)

    return jax.lax.fori_loop(0, min(tree.longest_game, len(raised_to)), take, jnp.zeros((), jnp.int32))
