"""Whom a response is learned against: a player of the registry, what a run left, or a strategy of a small game.

Kuhn poker and Leduc have strategies of their own beside the registry's, whose best response is known exactly:

    call        always checks and calls
    noisy       the equilibrium, but every second action, on average, is any legal one
    scattered   at each information set probabilities of its own, drawn once and for all

and any that is in a ``strategy.csv``, as a solve run leaves it.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxpoker
from jaxpoker import core, players
from jaxpoker.errors import RunError
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.players import Entrant
from jaxpoker.players.registry import BLUEPRINT_FILE
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.solvers.exact.exact_game import ExactGame

STRATEGY_FILE = "strategy.csv"  # in the folder of a solve run
NOISE = 0.5  # part of the actions of "noisy" that are random
SCATTER_SEED = 21
STACK, SMALL_BLIND, BIG_BLIND = 100, 50, 100  # of hold'em, where the target has no game of its own; stack in big blinds


class Target(NamedTuple):
    """Whom to beat, and where."""

    game: core.Game  # with the response's menu
    entrant: Entrant
    name: str


def target_of(game: str, to: str, stack: float = 0.0, menu: str = "nine") -> Target:
    """Who is called ``to`` at the game called ``game``; hold'em has that ``menu``, and stacks of so many big blinds,
    or the target's own when 0."""
    if game == Holdem.name:
        at_holdem = _holdem(to, stack, menu)
        return Target(at_holdem, players.entrant(to, at_holdem), _short(to))
    table = jaxpoker.make(game)
    return Target(table, _small(table, to), _short(to))


def _short(to: str) -> str:
    """A path's last part."""
    path = Path(to)
    return (
        (path.parent.name if path.name == STRATEGY_FILE and path.parent.name else path.name)
        if os.path.exists(path)
        else to
    )


def _holdem(to: str, stack: float, menu: str) -> Holdem:
    """The game of a blueprint where the target is one, with the response's menu."""
    solved = None
    if to.strip().lower() == "blueprint":
        solved = blueprints.load_shipped().game
    elif os.path.exists(to) and players.registry.file_of(Path(to)).suffix == Path(BLUEPRINT_FILE).suffix:
        solved = blueprints.load(players.registry.file_of(Path(to))).game
    rules: dict[str, Any] = {"stack": STACK * BIG_BLIND, "small_blind": SMALL_BLIND, "big_blind": BIG_BLIND}
    if solved is not None:
        rules = {name: getattr(solved, name) for name in ("stack", "small_blind", "big_blind", "ante")}
    if stack:
        rules["stack"] = round(stack * rules["big_blind"])
    if rules["stack"] < 2 * rules["big_blind"]:
        raise ValueError(f"--stack {stack:g}: at least 2 big blinds, or 0 for the target's own")
    return Holdem(menu=bets.parse(menu), **rules)


# --- small games --------------------------------------------------------------------------------


def _small(table: core.Game, to: str) -> Entrant:
    solved = exact_game.whole(table)
    path = Path(to)
    file = path / STRATEGY_FILE if path.is_dir() else path
    if to in FIXED:
        return Entrant(strategies.as_player(solved, to), FIXED[to](solved))
    if file.name.endswith(".csv") and file.is_file():
        return Entrant(strategies.as_player(solved, _short(to)), read_strategy(solved, file))
    if not os.path.exists(path) and to.strip().lower() not in players.names(table.name):
        known = ", ".join((*players.names(table.name), *FIXED))
        raise ValueError(f"--to {to!r}: {table.name} has {known}; or name the folder of a run or a {STRATEGY_FILE}")
    return players.entrant(to, table)


def _call(game: ExactGame) -> Any:
    """In Kuhn a call is the action that is called bet."""
    calls = [game.row_text(row).endswith("bet") if game.game.name == "kuhn" else True for row in range(game.num_rows)]
    return jax.nn.one_hot(jnp.asarray(calls, jnp.int32), game.num_actions)


def _noisy(game: ExactGame) -> Any:
    own = strategies.of_player(game, *players.entrant("equilibrium", game.game))
    legal = game.legal_rows()
    return (1 - NOISE) * own + NOISE * jnp.asarray(legal / legal.sum(axis=1, keepdims=True), jnp.float32)


def _scattered(game: ExactGame) -> Any:
    legal = jnp.asarray(game.legal_rows(), jnp.float32)
    drawn = legal * jax.random.exponential(jax.random.key(SCATTER_SEED), legal.shape)
    return drawn / drawn.sum(axis=1, keepdims=True)


FIXED = {"call": _call, "noisy": _noisy, "scattered": _scattered}


def read_strategy(game: ExactGame, file: Path) -> Any:
    """``[rows, actions]``: the strategy in a file as ``strategy_charts.as_csv`` writes it."""
    try:
        with file.open(newline="", encoding="utf-8") as opened:
            _, *rows = csv.reader(opened)
        given = {row[0]: [float(cell or 0) for cell in row[1:]] for row in rows if row}
        table = np.array([given[game.row_text(row)] for row in range(game.num_rows)])
        table = table / table.sum(axis=1, keepdims=True)  # six digits
        best_response.require_strategy(game, table)
    except (OSError, ValueError, KeyError, UnicodeDecodeError) as error:
        raise RunError(
            f"{file} is no strategy of {game.game.name}, or damaged ({error}): a solve run writes it"
        ) from error
    return jnp.asarray(table, jnp.float32)
