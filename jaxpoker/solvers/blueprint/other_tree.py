"""A strategy of one betting tree, carried over to another: one with more sizes, or with fewer.

    strategy = other_tree.carried_over(old_tree, strategy, new_tree)     # by street [decisions, buckets, actions]

So a solver learns on a small tree first, and goes on from there when sizes are added (``sampling/warm_start.py``). A
decision of the new tree is read on the old one as a table is (``tree/translation.py``): each bet as one of the two
sizes next to it, with the pseudo-harmonic probabilities. It plays the mean of what the old tree plays at the places
where it may be. Raises of the old tree become the nearest ones that the new tree has there, so that sizes that only the
new tree has are not played yet. Where the old tree has no answer, all legal actions are played alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxpoker.games import bets
from jaxpoker.solvers.tree.public_tree import DECISION, NONE, Tree
from jaxpoker.solvers.tree.translation import pseudo_harmonic, reader

Places = dict[int, float]  # decisions of the old tree, and how likely each is


def carried_over(old: Tree, strategy: Sequence[np.ndarray], new: Tree) -> tuple[np.ndarray, ...]:
    """By street ``[new decisions, buckets, new actions]`` float32, of a ``strategy`` by street ``[old decisions,
    buckets, old actions]``.
    """
    if (old.stakes is None) != (new.stakes is None) or old.num_streets != new.num_streets:
        raise ValueError("a strategy is carried over between trees of the same game")
    sizes_before, sizes_after = np.asarray(reader(old).sizes), np.asarray(reader(new).sizes)
    following, after = old.following(), new.following()
    row = np.zeros(old.num_nodes, np.int64)  # of a decision among those of its street
    for street in range(old.num_streets):
        decisions = old.decisions(street=street)
        row[decisions] = np.arange(len(decisions))
    places: dict[int, Places] = {0: {0: 1.0}}
    found: list[list[np.ndarray]] = [[] for _ in range(new.num_streets)]
    for node in new.decisions().tolist():
        here, legal = places.pop(node, {}), new.legal(node)
        street = int(new.street[node])
        buckets = strategy[street].shape[1]
        mix = np.zeros((buckets, new.num_actions), np.float32)
        for place, likely in here.items():
            goes_to = _as_new(old.legal(place), sizes_before[place], legal, sizes_after[node])
            mix += likely * np.asarray(strategy[street][row[place]], np.float32) @ goes_to
        total = mix.sum(axis=1, keepdims=True)
        found[street].append(np.where(total > 0, mix / np.where(total > 0, total, 1), legal / legal.sum()))
        for action in np.nonzero(legal)[0].tolist():
            child = int(after[node, action])
            if new.kind[child] == DECISION:
                read = _read(here, action, sizes_after[node, action], sizes_before, following)
                fits = {at: part for at, part in read.items() if _alike(old, at, new, child)}
                whole = sum(fits.values())
                places[child] = {at: part / whole for at, part in fits.items()}
    return tuple(np.stack(of_street).astype(np.float32) for of_street in found)


def _alike(old: Tree, place: int, new: Tree, node: int) -> bool:
    """Whether the same player decides at both, on the same street."""
    return bool(
        old.kind[place] == DECISION and (old.player[place], old.street[place]) == (new.player[node], new.street[node])
    )


def _read(here: Places, action: int, size: float, sizes: np.ndarray, following: np.ndarray) -> Places:
    """Where the old tree may be after an ``action`` of the new one that raises by ``size``."""
    reached: Places = {}
    for place, likely in here.items():
        for read_as, part in _readings(action, size, sizes[place]):
            child = int(following[place, read_as])
            if child != NONE:
                reached[child] = reached.get(child, 0.0) + likely * part
    return reached


def _readings(action: int, size: float, sizes: np.ndarray) -> list[tuple[int, float]]:
    """The actions that an action is read as, with their probabilities."""
    if action < bets.FIRST_SIZE:
        return [(action, 1.0)]
    known = np.nonzero(np.isfinite(sizes))[0]
    if not len(known):
        return []
    known = known[np.argsort(sizes[known])]
    above = int(np.searchsorted(sizes[known], size))
    lower, upper = known[max(above - 1, 0)], known[min(above, len(known) - 1)]
    a, b = float(sizes[lower]), float(sizes[upper])
    if lower == upper or a == b or not a < size < b:
        return [(int(known[np.argmin(np.abs(sizes[known] - size))]), 1.0)]
    share = float(pseudo_harmonic(a, b, size))
    return [(int(lower), share), (int(upper), 1 - share)]


def _as_new(legal: np.ndarray, sizes: np.ndarray, new_legal: np.ndarray, new_sizes: np.ndarray) -> np.ndarray:
    """``[old actions, new actions]``: 1 where an action of the old tree becomes one of the new."""
    goes_to = np.zeros((len(legal), len(new_legal)), np.float32)
    for action in np.nonzero(legal)[0].tolist():
        if action < bets.FIRST_SIZE:
            become = action
        elif np.isfinite(new_sizes).any():
            become = int(np.argmin(np.abs(new_sizes - sizes[action])))
        else:
            become = bets.CALL
        if new_legal[become]:
            goes_to[action, become] = 1
    return goes_to
