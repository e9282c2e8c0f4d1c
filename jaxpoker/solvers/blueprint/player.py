"""The player of a blueprint: it follows the hand on the tree and takes the sizes of its menu at the real table.

Bets that are not on the tree are read as sizes that are (``tree/translation.py``); where the tree has no answer it
checks and calls.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import State
from jaxpoker.players import Entrant, Mixture, Player
from jaxpoker.solvers.blueprint.blueprint import Blueprint, Params, load, load_shipped
from jaxpoker.solvers.blueprint.storage import PARTS
from jaxpoker.solvers.tree import translation
from jaxpoker.solvers.tree.translation import Trail

Array = jax.Array


def entrant(blueprint: Blueprint, name: str = "blueprint") -> Entrant:
    """The player of ``blueprint`` with its params."""
    return Entrant(as_player(blueprint, name), blueprint.params)


def shipped(game: core.Game) -> Entrant:
    """The player of the blueprint that comes with the package; it plays hold'em at any stacks and bet sizes."""
    return entrant(load_shipped())


def in_file(path: Path) -> Entrant:
    """The player of the blueprint in a file."""
    return entrant(load(path))


def as_player(blueprint: Blueprint, name: str = "blueprint") -> Player:
    """The player of heads-up hold'em whose params are ``blueprint.params``.

    It plays at any stacks, blinds and bet sizes; its own sizes are those of its menu. Its memory is how far it has
    followed the hand: ``act`` reads bets that are not on the tree by chance, once each, so that a bet is the same
    size for the rest of the hand; ``policy``, which has no key, reads them as the likelier size.
    """
    known: Any = blueprint.abstraction
    return _player(known, blueprint.game.bet_menu, name)


@functools.lru_cache(maxsize=64)
def _player(abstraction: Any, menu: bets.BetMenu, name: str) -> Player:
    def decide(params: Params, trail: Trail, game: Holdem, state: State, key: Array | None) -> tuple[Array, Trail]:
        """Probabilities ``[actions]`` over the menu, and the trail up to here."""
        if game.num_players != 2:
            raise ValueError(f"a blueprint plays heads-up: this hold'em has {game.num_players} players")
        trail = translation.read_on(params.betting, state, trail, key)
        node = jnp.maximum(trail.node, 0)
        seat = state.current_player
        bucket = abstraction.of_hand(params.tables, state.deal.hole[seat], state.board, state.street)
        row = jnp.maximum(params.row[node], 0)
        streets = [of_street for of_street in params.strategy if len(of_street)]
        rows = [of_street[jnp.minimum(row, len(of_street) - 1), bucket] for of_street in streets]
        wanted = jnp.stack(rows)[jnp.minimum(state.street, len(rows) - 1)] / jnp.float32(PARTS)
        answers = translation.has_answer(params.betting, state, trail)
        calls = (jnp.arange(menu.num_actions) == bets.CALL).astype(jnp.float32)
        return legalised(jnp.where(answers, wanted, calls), *game.choices(state)), trail

    def on_own_menu(game: Holdem, state: State) -> tuple[Holdem, State]:
        game = dataclasses.replace(game, menu=menu)
        return game, dataclasses.replace(state, game=game)

    def policy(params: Params, trail: Trail, game: Holdem, state: State) -> tuple[Array, Trail]:
        return decide(params, trail, *on_own_menu(game, state), None)

    def act(params: Params, trail: Trail, game: Holdem, state: State, key: Array) -> tuple[Array, Trail]:
        game, state = on_own_menu(game, state)
        read_key, choice_key = jax.random.split(key)
        probabilities, trail = decide(params, trail, game, state, read_key)
        action = jax.random.categorical(choice_key, jnp.log(probabilities)).astype(jnp.int32)
        return game.choices(state)[0][action], trail._replace(planned=action)

    def mixture(params: Params, trail: Trail, game: Holdem, state: State, choice: Array) -> Mixture:
        """Given how it read the bets of this hand; the trail that ``act`` left has read them all."""
        game, state = on_own_menu(game, state)
        probabilities, _ = decide(params, trail, game, state, None)
        return Mixture(game.choices(state)[0], probabilities, trail.planned, probabilities[trail.planned])

    def fresh(_: Any) -> Trail:
        return translation.unread()

    return Player(name, act, policy, fresh, fresh, menu, mixture=mixture)


def legalised(wanted: Array, to: Array, legal: Array) -> Array:
    """Probabilities ``[actions]`` of legal actions alone, which is where those of the others go.

    A raise that the table does not allow becomes the legal one that is nearest in chips ``to`` ``[actions]``, or a
    call; a fold for free becomes a check, and a call that the menu lacks a fold.
    """
    ids = jnp.arange(len(wanted))
    raises = legal & (ids >= bets.FIRST_SIZE)
    apart = jnp.where(raises[None, :], jnp.abs(to[:, None] - to[None, :]).astype(jnp.float32), jnp.inf)  # [A, A]
    passive = jnp.where(legal[bets.CALL], bets.CALL, jnp.where(legal[bets.FOLD], bets.FOLD, jnp.argmax(legal)))
    nearest = jnp.where(raises.any() & (ids >= bets.FIRST_SIZE), jnp.argmin(apart, axis=-1), passive)
    goes_to = jnp.where(legal, ids, nearest)
    moved = jnp.where(goes_to[:, None] == ids[None, :], wanted[:, None], 0).sum(axis=0)
    total = moved.sum()
    return jnp.where(total > 0, moved / jnp.where(total > 0, total, 1), ids == passive)
