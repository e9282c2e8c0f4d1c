"""Node locks: decisions whose strategy is given and held fixed while all others are solved around them.

    locks = [NodeLock("c", {"c": 0.7, "r66": 0.3})]                     # ip bets 30% of all its hands after a check
    locks = [NodeLock("cc/", {"c": 1}, card="7h", hands="22+, AK")]     # oop checks these hands when the river is a 7h

A lock is plain data: the betting line (``tree/lines.py``), what is played there as the probability of each action, for
which hands, and after which river card, all of them if none is named. ``strategy`` may also be an array ``[actions,
1326]`` with a column for every hand. Where two locks hold the same hand, the later one counts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.ranges import NUM_COMBOS
from jaxpoker.solvers.regret import NO_LOCKS, Lock, Locks
from jaxpoker.solvers.subgame.hand_places import Places
from jaxpoker.solvers.subgame.template import Template
from jaxpoker.solvers.sweep import PLAYERS
from jaxpoker.solvers.tree import DECISION, Tree, lines


@dataclasses.dataclass(frozen=True, eq=False)
class NodeLock:
    """What is played at one decision; see the module's docstring."""

    line: str
    strategy: Mapping[str, float] | np.ndarray  # by action of the line, or [actions, 1326]
    hands: Any = None  # a range as text or weights: where it is above 0 the lock holds; None is every hand
    card: str = ""  # of the river

    def as_json(self) -> dict[str, Any]:
        """Plain data, which ``from_json`` reads."""
        strategy = dict(self.strategy) if isinstance(self.strategy, Mapping) else np.asarray(self.strategy).tolist()
        held = {} if self.hands is None else {"hands": ranges.text(ranges.as_weights(self.hands))}
        return {"line": self.line, "strategy": strategy, **held, **({"card": self.card} if self.card else {})}

    @classmethod
    def from_json(cls, lock: Mapping[str, Any]) -> NodeLock:
        unknown = set(lock) - {f.name for f in dataclasses.fields(cls)}
        if unknown or not {"line", "strategy"} <= set(lock):
            raise ValueError(f"a lock has 'line' and 'strategy', and may have 'hands' and 'card'; not {sorted(lock)}")
        return cls(**{**lock, "strategy": _as_strategy(lock["strategy"])})

    def probabilities(self, tree: Tree, node: int) -> np.ndarray:
        """``[actions, 1326]`` float32: by the legal actions of ``node``."""
        legal = np.flatnonzero(tree.legal(node))
        tokens = [lines.action_token(tree, node, int(slot)) for slot in legal]
        if isinstance(self.strategy, Mapping):
            unknown = set(self.strategy) - set(tokens)
            if unknown:
                raise ValueError(f"lock of {self.line!r}: no action {sorted(unknown)[0]!r}: there are {tokens}")
            column = np.array([self.strategy.get(token, 0.0) for token in tokens], np.float64)
            table = np.repeat(column[:, None], NUM_COMBOS, axis=1)
        else:
            table = np.asarray(self.strategy, np.float64)
        if table.shape != (len(tokens), NUM_COMBOS):
            raise ValueError(f"lock of {self.line!r}: a strategy is [{len(tokens)}, 1326], not {list(table.shape)}")
        total = table.sum(axis=0)
        if not np.isfinite(table).all() or (table < 0).any() or (np.abs(total - 1) > 1e-3).any():
            raise ValueError(f"lock of {self.line!r}: probabilities are 0 or more and sum to 1")
        return (table / total).astype(np.float32)


def _as_strategy(said: Any) -> Mapping[str, float] | np.ndarray:
    return dict(said) if isinstance(said, Mapping) else np.asarray(said, np.float32)


def tables(locks: Sequence[NodeLock], tree: Tree, template: Template, places: Places) -> Locks:
    """The locks of both players as arrays of the solver."""
    if not locks:
        return NO_LOCKS
    place_of = {theirs: place for place, theirs in template.nodes_of(tree).items()}
    held: dict[int, np.ndarray] = {}
    played: dict[int, np.ndarray] = {}
    for i, buffer in enumerate(template.buffers):
        if buffer.actions:
            combo = places.streets[buffer.street - template.first_street].combo
            shape = (*combo.shape[:2], len(buffer.nodes), combo.shape[2])
            held[i] = np.zeros(shape, bool)
            played[i] = np.full((buffer.actions, *shape), 1 / buffer.actions, np.float32)
    for lock in locks:
        node = lines.node_of(tree, lock.line)
        assert tree.kind[node] == DECISION
        i, at = template.place[place_of[node]]
        street = places.streets[template.buffers[i].street - template.first_street]
        boards = _boards(lock, street.boards, template.buffers[i].street > template.first_street)
        chosen = np.ones(NUM_COMBOS, bool) if lock.hands is None else ranges.as_weights(lock.hands) > 0
        hands = np.where(street.combo[boards] >= 0, chosen[street.combo[boards]], False)  # [b, N, L]
        slots = [template.slots[place_of[node]].index(slot) for slot in np.flatnonzero(tree.legal(node))]
        table = np.zeros((template.buffers[i].actions, NUM_COMBOS), np.float32)
        table[slots] = lock.probabilities(tree, node)
        of_node, held_there = played[i][..., at, :], held[i][..., at, :]  # views
        of_node[:, boards] = np.where(hands, table[:, street.combo[boards]], of_node[:, boards])
        held_there[boards] |= hands
    oop, ip = (_lock(template.of_player(p), held, played) for p in PLAYERS)
    return oop, ip


def _boards(lock: NodeLock, boards: np.ndarray, dealt: bool) -> np.ndarray:
    """Which boards ``[B, cards]`` a lock is for."""
    if not lock.card:
        return np.arange(len(boards))
    card = cards.parse(lock.card)
    found = np.flatnonzero(boards[:, -1] == card[0]) if dealt and len(card) == 1 else np.zeros(0, int)
    if not len(found):
        raise ValueError(f"lock of {lock.line!r}: no river card {lock.card!r} follows here")
    return found


def _lock(buffers: tuple[int, ...], held: dict[int, np.ndarray], played: dict[int, np.ndarray]) -> Lock | None:
    if not any(held[i].any() for i in buffers):
        return None
    return Lock(
        tuple(jnp.asarray(held[i]) for i in buffers),
        tuple(jnp.asarray(played[i]) for i in buffers),
    )
