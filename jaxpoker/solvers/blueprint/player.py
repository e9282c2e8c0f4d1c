"""Blueprints as those who sit down at a table: the one that comes along, and the one that a run left in a file."""

from __future__ import annotations

from pathlib import Path

from jaxpoker import core
from jaxpoker.players.contract import Entrant
from jaxpoker.solvers.blueprint.blueprint import Blueprint, as_player, load, load_shipped


def shipped(game: core.Game) -> Entrant:
    """The solved strategy that comes along; it plays hold'em at any stacks and against any bet sizes."""
    return _entrant(load_shipped())


def in_file(path: Path) -> Entrant:
    """The solved strategy in a file."""
    return _entrant(load(path))


def _entrant(solved: Blueprint) -> Entrant:
    return Entrant(as_player(solved), solved.params)
