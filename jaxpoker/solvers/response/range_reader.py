"""How a responder reads a player: for every hand that the player may hold, the probability of all that it has played.

    reader = range_reader.of_player(player, game)          # any player with a policy
    reader = range_reader.of_blueprint(solved)             # a blueprint, by its buckets, with its luck in reading bets

A reader has a belief: a weight for each hand, and what the player remembers with each. ``of_player`` asks the policy
once for each hand, with a memory for each, so that recurrent players are read as well. It measures what the policy
says; a blueprint's policy takes bets off its tree as the likelier size.

``of_blueprint`` is faster, and measures the blueprint as it acts. It reads a bet off the tree as the size below or
above by chance, once, and knows itself which; the responder does not. So the belief is a weight for each hand and each
place in the tree where the blueprint may think it is, ``places`` at the most. A bet that would make more of them is not
``readable``, and the responder does not make it. All probabilities are then exact. (Two sizes of a blueprint's menu
that come to the same chips at the table count as two actions: the responder would know which of them it was.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.games import bets
from jaxpoker.games.protocols import ChipGame, RangeGame
from jaxpoker.players.contract import Player, require_policy
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.blueprint.player import legalised
from jaxpoker.solvers.blueprint.storage import PARTS
from jaxpoker.solvers.tree import translation
from jaxpoker.solvers.tree.translation import Trail

Array = jax.Array

PLACES = 8  # of a blueprint in its tree, at the most
_LEAST = 1e-30  # a weight that is none


class Look(NamedTuple):
    """What the player does at a decision: H hands, B actions of its menu."""

    reach: Array  # [H, B] float32: weight of each hand times the probability of each action
    choices: Array  # [B] int32: what ``game.act`` takes
    readable: Array  # [] bool: the player's next belief has a place for all that it may think
    after: Any  # what ``follow`` needs


class Reader(NamedTuple):
    """Pure functions of one table; hashable, static under ``jit``."""

    name: str
    menu: bets.BetMenu | None  # of the player; None where choices are no chips
    begin: Callable[[Any, Any], Any]  # params, deal -> belief
    weights: Callable[[Any], Array]  # belief -> [H] float32
    look: Callable[[Any, Any, Any, int], Look]  # params, belief, state, street -> what it does
    stay: Callable[
        [Any, Any, Any, int], tuple[Array, Array]
    ]  # ... -> weights of hands that do not fold, is it readable
    follow: Callable[[Look, Array], Any]  # what it does, action -> belief


def choices_of(game: Any, state: Any, menu: bets.BetMenu | None) -> tuple[Array, Array]:
    """``[A]`` each: what ``game.act`` takes for the actions of ``menu``, action ids for None, and which are legal."""
    if menu is None:
        return jnp.arange(game.num_actions, dtype=jnp.int32), state.legal_action_mask
    with_menu, same_state = game.with_menu(state, menu)
    choices: tuple[Array, Array] = with_menu.choices(same_state)
    return choices


# --- any player with a policy -----------------------------------------------------------------


class HandBelief(NamedTuple):
    """A player with a memory for each hand."""

    weight: Array  # [H] float32
    memory: Any  # [H, ...]


def of_player(player: Player, game: RangeGame) -> Reader:
    """The reader of ``player`` at tables of ``game``; its params are those of the player."""
    policy = require_policy(player)
    menu = (player.menu or game.bet_menu) if isinstance(game, ChipGame) else None
    hands = game.private_hands

    def begin(params: Any, deal: Any) -> HandBelief:
        memory = player.new_hand(player.init_memory(params))
        each = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(hands), *jnp.shape(x))), memory)
        return HandBelief(jnp.ones(len(hands)), each)

    def look(params: Any, belief: HandBelief, state: Any, street: int) -> Look:
        def with_hand(hand: Array, memory: Any) -> tuple[Array, Any]:
            return policy(params, memory, game, game.with_hand(state, state.current_player, hand))

        mix, memory = jax.vmap(with_hand)(jnp.asarray(hands), belief.memory)  # [H, B]
        choices, legal = choices_of(game, state, menu)
        # Two sizes of a menu may come to the same chips: nobody at the table can tell them apart.
        same = (choices[:, None] == choices) & legal[:, None] & legal
        first = jnp.where(legal, jnp.argmax(same, axis=1), jnp.arange(len(choices)))
        merged = mix @ (first[:, None] == jnp.arange(len(choices)))
        reach = jnp.where(belief.weight[:, None] > 0, belief.weight[:, None] * merged, 0)
        return Look(reach, choices, jnp.ones((), bool), memory)

    def stay(params: Any, belief: HandBelief, state: Any, street: int) -> tuple[Array, Array]:
        looked = look(params, belief, state, street)
        return belief.weight - looked.reach[:, bets.FOLD], looked.readable

    def follow(look: Look, action: Array) -> HandBelief:
        weight = look.reach[:, action]
        return HandBelief(weight / jnp.maximum(weight.max(), _LEAST), look.after)

    return Reader(player.name, menu, begin, lambda belief: belief.weight, look, stay, follow)


# --- a blueprint --------------------------------------------------------------------------------


class PlaceBelief(NamedTuple):
    """A blueprint that may think of the same hand as being at W places of its tree."""

    weight: Array  # [W, H] float32: of each place with each hand
    trail: Trail  # [W]
    buckets: Array  # [4, H] int32, by street


def of_blueprint(solved: Blueprint, name: str = "blueprint", places: int = PLACES) -> Reader:
    """The reader of a blueprint; its params are ``solved.params``. With one place all bets must be on its tree."""
    known: Any = solved.abstraction
    game = solved.game
    menu = game.bet_menu
    hands = len(game.private_hands)

    def begin(params: Any, deal: Any) -> PlaceBelief:
        trail = jax.tree.map(lambda x: jnp.broadcast_to(x, (places, *x.shape)), translation.unread())
        weight = jnp.zeros((places, hands)).at[0].set(1)
        return PlaceBelief(weight, trail, known.of_board(params.tables, deal.board))

    def read(params: Any, belief: PlaceBelief, state: Any) -> tuple[Array, Trail, Array]:
        """The weights and trails of the places after all that was bet, and whether there is room for all of them."""
        both, likely = jax.vmap(lambda trail: translation.readings(params.betting, state, trail))(belief.trail)
        trail = jax.tree.map(lambda x: x.reshape(2 * places, *x.shape[2:]), both)
        weight = (belief.weight[:, None] * likely[:, :, None]).reshape(2 * places, hands)
        there = weight.max(axis=1) > 0
        same = (trail.node[:, None] == trail.node) & (trail.owes_call[:, None] == trail.owes_call) & there
        weight = jax.ops.segment_sum(weight, jnp.argmax(same, axis=1), 2 * places)  # one place for each node
        there = weight.max(axis=1) > 0
        kept = jnp.argsort(~there, stable=True)[:places]
        return weight[kept], jax.tree.map(lambda x: x[kept], trail), there.sum() <= places

    def mix(params: Any, weight: Array, trail: Trail, state: Any, street: int) -> tuple[Array, Array]:
        """``[W, buckets, B]``: what it does at each place where it may think it is, and ``[B]`` the choices.

        Most of the places are mostly free: a loop that leaves them out is faster than all of them at once.
        """
        choices, legal = choices_of(game, state, menu)
        calls = (jnp.arange(menu.num_actions) == bets.CALL).astype(jnp.float32)
        strategy = params.strategy[street]

        def at(trail: Trail) -> Array:
            row = jnp.clip(params.row[jnp.maximum(trail.node, 0)], 0, max(len(strategy) - 1, 0))
            wanted = strategy[row] / jnp.float32(PARTS) if len(strategy) else calls[None]
            wanted = jnp.where(translation.has_answer(params.betting, state, trail), wanted, calls)
            return jax.vmap(legalised, in_axes=(0, None, None))(wanted, choices, legal)

        def if_there(place: tuple[Array, Trail]) -> Array:
            return jax.lax.cond(place[0], at, lambda trail: jnp.zeros_like(at(trail)), place[1])

        return jax.lax.map(if_there, (weight.max(axis=1) > 0, trail)), choices

    def of_hands(of_bucket: Array, belief: PlaceBelief, street: int) -> Array:
        """``[W, H, ...]``: figures ``[W, buckets, ...]`` of each hand's bucket; a street without decisions has one."""
        return of_bucket[:, belief.buckets[street] if of_bucket.shape[1] > 1 else jnp.zeros(hands, jnp.int32)]

    def look(params: Any, belief: PlaceBelief, state: Any, street: int) -> Look:
        weight, trail, readable = read(params, belief, state)
        of_bucket, choices = mix(params, weight, trail, state, street)
        by_place = weight[:, :, None] * of_hands(of_bucket, belief, street)  # [W, H, B]
        return Look(by_place.sum(axis=0), choices, readable, (by_place, trail, belief.buckets))

    def stay(params: Any, belief: PlaceBelief, state: Any, street: int) -> tuple[Array, Array]:
        weight, trail, readable = read(params, belief, state)
        of_bucket, _ = mix(params, weight, trail, state, street)
        return (weight * of_hands(1 - of_bucket[..., bets.FOLD], belief, street)).sum(axis=0), readable

    def follow(look: Look, action: Array) -> PlaceBelief:
        by_place, trail, buckets = look.after
        weight = by_place[:, :, action]
        planned = jnp.broadcast_to(action.astype(jnp.int32), (places,))
        return PlaceBelief(weight / jnp.maximum(weight.max(), _LEAST), trail._replace(planned=planned), buckets)

    return Reader(name, menu, begin, lambda belief: belief.weight.sum(axis=0), look, stay, follow)
