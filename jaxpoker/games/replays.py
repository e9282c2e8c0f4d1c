"""A game from a chosen deal and chosen actions on: any spot, written down.

    leduc = jaxpoker.make("leduc")
    state = state_after(leduc, Deal.of("Kh Qs", "Js"), "raise, call, call")
    state = state_after(holdem, Deal.of(["AhKh", "QsQd"], "Qh7h2c"), [5, 15, 15, "check/call", "1/2 pot"])

It runs at once, on the host, and refuses what is not legal with what would be. Within compiled code, or for many hands,
use ``core.Game.act``, or ``holdem.replay``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.protocols import ChipGame, StreetGame

Array = jax.Array


def state_after(game: core.Game, deal: Any, choices: str | Sequence[int | str] = (), **start: Any) -> Any:
    """The state of ``deal`` after ``choices``, each a number as ``game.act`` takes it or an action's name.

    Text is names with commas between them. ``start`` is what ``game.start`` takes besides a deal: stacks, button, ...
    """
    named = [name.strip() for name in choices.split(",") if name.strip()] if isinstance(choices, str) else choices
    state = game.start(deal, **start)
    for number, choice in enumerate(named, start=1):
        if bool(core.is_over(state)):
            raise ValueError(f"choice {number}, {choice!r}: the game is over before it")
        after = (
            _step(game, state, _number(game, state, choice)) if isinstance(choice, str) else _act(game, state, choice)
        )
        legal = np.asarray(state.legal_action_mask)
        illegal = after.illegal if isinstance(game, ChipGame) else not _is_legal(legal, choice, game, state)
        if bool(illegal):
            raise ValueError(f"choice {number}, {choice!r}, is not legal: {_what_is_legal(game, state)}")
        state = after
    return state


def _is_legal(legal: np.ndarray, choice: int | str, game: core.Game, state: Any) -> bool:
    action = _number(game, state, choice) if isinstance(choice, str) else int(choice)
    return 0 <= action < len(legal) and bool(legal[action])


def _names(game: core.Game, state: Any) -> list[str]:
    if not isinstance(game, StreetGame):
        raise ValueError(f"the actions of {game.name} have no names: choices are numbers, 0 to {game.num_actions - 1}")
    street = int(game.street(state))
    return [game.action_text(action, street) for action in range(game.num_actions)]


def _number(game: core.Game, state: Any, name: str) -> int:
    names = _names(game, state)
    if name not in names:
        raise ValueError(f"unknown action {name!r}: {_what_is_legal(game, state)}")
    return names.index(name)


def _what_is_legal(game: core.Game, state: Any) -> str:
    legal = np.nonzero(np.asarray(state.legal_action_mask))[0].tolist()
    known = [_names(game, state)[action] for action in legal] if isinstance(game, StreetGame) else map(str, legal)
    text = f"seat {int(state.current_player)} may " + ", ".join(known)
    if isinstance(game, ChipGame):
        here = game.facing(state)
        if bool(here.may_raise):
            text += f"; or bet or raise to any chips from {int(here.min_raise_to)} to {int(here.max_raise_to)}"
    return text


@functools.partial(jax.jit, static_argnums=0)
def _step(game: core.Game, state: Any, action: Array | int) -> Any:
    return game.step(state, jnp.asarray(action, jnp.int32))


@functools.partial(jax.jit, static_argnums=0)
def _act(game: core.Game, state: Any, choice: Array | int) -> Any:
    return game.act(state, jnp.asarray(choice, jnp.int32))
