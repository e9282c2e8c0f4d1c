"""Every history of a small game, walked in OpenSpiel and here side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

from jaxpoker.games import packed


class Walk(NamedTuple):
    """One row per deal and history of actions."""

    states: Any  # [rows, ...] our states
    theirs: list[Any]  # OpenSpiel's states; at a chance node the one after it
    histories: int  # how many different histories OpenSpiel has


def _first(count: int, tree: Any) -> Any:
    return jax.tree.map(lambda x: x[:count], tree)


def _walk(game: Any, their_game: Any, deals: list[tuple[int, ...]], step: Callable[..., Any]) -> Walk:
    bits = 4 if game.num_cards > 6 else packed.CARD_BITS  # Leduc for three and more has them wider
    level = game.start(type(jax.eval_shape(game.deal, jax.random.key(0)))(packed.pack(np.array(deals), bits)))
    rows = []
    for deal in deals:
        their_state = their_game.new_initial_state()
        for card in deal[: game.num_players]:
            their_state.apply_action(card)
        rows.append((deal, their_state))

    levels, theirs, histories = [], [], set()
    while rows:
        levels.append(level)
        theirs += [their_state for _, their_state in rows]
        parents, actions, children = [], [], []
        for parent, (deal, their_state) in enumerate(rows):
            history = tuple(their_state.history())
            histories |= {history[:length] for length in range(len(history) + 1)}
            for action in [] if their_state.is_terminal() else their_state.legal_actions():
                child = their_state.child(action)
                if child.is_chance_node():  # the public card
                    child.apply_action(deal[-1])
                parents.append(parent)
                actions.append(action)
                children.append((deal, child))
        rows = children
        if rows:
            size = 1 << (len(rows) - 1).bit_length()  # few different shapes to compile for
            parents, actions = (np.pad(x, (0, size - len(rows))) for x in (parents, actions))
            level = step(jax.tree.map(lambda x, at=parents: x[at], level), jnp.array(actions))
            level = _first(len(rows), level)
    return Walk(jax.tree.map(lambda *x: jnp.concatenate(x), *levels), theirs, len(histories))


@pytest.fixture(scope="session")
def walk_with_openspiel() -> Callable[[Any, str, int], Walk]:
    """``walk(game, OpenSpiel's name of it, cards dealt per table)``, of all deals or of those that are given."""
    steps: dict[Any, Callable[..., Any]] = {}

    def walk(game: Any, name: str, cards_dealt: int, deals: list[tuple[int, ...]] | None = None) -> Walk:
        every = deals or list(itertools.permutations(range(game.num_cards), cards_dealt))
        step = steps.setdefault(game, jax.jit(jax.vmap(game.step)))
        return _walk(game, pyspiel.load_game(name), every, step)

    return walk


@pytest.fixture(scope="session")
def require_same_partition() -> Callable[[list[Any], list[Any]], int]:
    """Requires that two lists of labels split their rows in the same way, and returns into how many classes."""

    def same_partition(ours: list[Any], theirs: list[Any]) -> int:
        pairs = set(zip(ours, theirs, strict=True))
        assert len(pairs) == len(set(ours)) == len(set(theirs))
        return len(pairs)

    return same_partition
