"""Blueprints: a solved strategy of heads-up hold'em, to look up, to keep in a file and to play with.

    solved = blueprint.load_shipped()                      # or load(path), or Blueprint(tree, abstraction, strategy)
    solved.mix(0, "AhKh")                                  # {"fold": 0.0, "check/call": 0.2, "2.5x to 25": 0.7, ...}
    bot = blueprint.entrant(solved)                        # at any stacks and against any bet sizes
    match.play(game, [bot, players.make("call", game)], key)

A strategy is four arrays, one per street: ``[decisions of the street in tree order, buckets, actions]``. A file
(``blueprint/storage.py``) has a manifest that says which game and which buckets it is for. A street is read when
somebody asks for it. ``blueprint/player.py`` plays it.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.errors import RunError
from jaxpoker.files import DATA
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers import abstraction as abstractions
from jaxpoker.solvers.abstraction import OPEN_CARDS, CardAbstraction
from jaxpoker.solvers.abstraction.contract import digest, require_bucket
from jaxpoker.solvers.blueprint import storage
from jaxpoker.solvers.blueprint.storage import (
    MANIFEST,
    StoredStrategy,
    damaged,
    in_parts,
    probabilities,
)
from jaxpoker.solvers.tree import DECISION, NONE, Tree, build, tree_file
from jaxpoker.solvers.tree.building import MAX_NODES
from jaxpoker.solvers.tree.infosets import InfoSetKey, find
from jaxpoker.solvers.tree.translation import TreeReader, reader

Array = jax.Array

SHIPPED = DATA / "blueprint.zip"
RULES = ("stack", "small_blind", "big_blind", "ante", "casino_blind")


class Params(NamedTuple):
    """What the player of a blueprint plays by: arrays alone, so that another blueprint needs no new code."""

    strategy: tuple[Array, ...]  # four of [decisions, buckets, actions] uint8, in PARTS
    tables: Any  # of the card abstraction
    betting: TreeReader
    row: Array  # [N] int32: a decision's place among those of its street


class InfoSet(NamedTuple):
    """An information set of a blueprint."""

    key: InfoSetKey
    node: int
    legal_actions: tuple[str, ...]
    average_strategy: np.ndarray  # [legal actions] float32


@dataclasses.dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy of the hold'em of ``tree``, with the buckets of ``abstraction``."""

    tree: Tree
    abstraction: CardAbstraction
    strategy: Sequence[np.ndarray]  # four of [decisions, buckets, actions] float32

    def __post_init__(self) -> None:
        if not isinstance(self.tree.game, Holdem):
            raise ValueError(f"a blueprint is of hold'em, not of {self.tree.game.name}")
        if isinstance(self.strategy, StoredStrategy):
            return
        shapes = [np.shape(of_street) for of_street in self.strategy]
        if shapes != self.shapes:
            raise ValueError(f"strategy has shapes {shapes}: this tree with {self.abstraction.name} has {self.shapes}")

    @property
    def game(self) -> Holdem:
        game = self.tree.game
        assert isinstance(game, Holdem)
        return game

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """Decisions, buckets and actions of each street."""
        return _shapes(self.tree, self.abstraction)

    @functools.cached_property
    def row(self) -> np.ndarray:
        """[N] int32: a decision's place among those of its street; NONE at other nodes."""
        row = np.full(self.tree.num_nodes, NONE, np.int32)
        for street in range(len(STREETS)):
            nodes = self.tree.decisions(street=street)
            row[nodes] = np.arange(len(nodes))
        return row

    @functools.cached_property
    def params(self) -> Params:
        """The parameters of ``as_player(self)``."""
        strategy = tuple(jnp.asarray(self.parts(street)) for street in range(len(STREETS)))
        return Params(strategy, self.abstraction.tables, reader(self.tree), jnp.asarray(self.row))

    # --- looking up ---------------------------------------------------------------------------

    def at(self, node: int) -> np.ndarray:
        """``[buckets, actions]`` float32: the strategy at decision ``node``."""
        if not 0 <= node < self.tree.num_nodes or self.tree.kind[node] != DECISION:
            raise ValueError(f"node {node} is no decision of this tree")
        street, row = int(self.tree.street[node]), int(self.row[node])
        if isinstance(self.strategy, StoredStrategy):
            return probabilities(self.strategy.parts(street)[row])
        of_node: np.ndarray = self.strategy[street][row]
        return of_node

    def parts(self, street: int) -> np.ndarray:
        """``[decisions, buckets, actions]`` uint8: the strategy on a street, in ``PARTS``."""
        if isinstance(self.strategy, StoredStrategy):
            return self.strategy.parts(street)
        return in_parts(np.asarray(self.strategy[street]))

    def bucket(self, hole: str | Sequence[int], board: str | Sequence[int] = "") -> int:
        """The bucket of two ``hole`` cards with the ``board`` of 0, 3, 4 or 5 open cards."""
        own, opened = (cards.parse(c) if isinstance(c, str) else np.asarray(c, np.int32) for c in (hole, board))
        if len(own) != 2:
            raise ValueError(f"a hand has two cards, not {len(own)}: {cards.text(own)!r}")
        cards.require_board(len(opened), cards.text(opened))
        cards.require_distinct(hand=own, board=opened)
        street = OPEN_CARDS.index(len(opened))
        whole = np.full(5, cards.NO_CARD, np.int32)
        whole[: len(opened)] = opened
        return int(_bucket_of_hand(self.abstraction, self.abstraction.tables, own, whole, street))

    def mix(self, node: int, hole: str | Sequence[int], board: str | Sequence[int] = "") -> dict[str, float]:
        """The probability of each legal action at ``node`` with a hand, by the action's name."""
        of_node, bucket, street = self.at(node), self.bucket(hole, board), int(self.tree.street[node])
        opened = len(cards.parse(board) if isinstance(board, str) else board)
        if opened != OPEN_CARDS[street]:
            raise ValueError(f"a board of {opened} cards: on the {STREETS[street]} there are {OPEN_CARDS[street]}")
        mix = of_node[bucket]
        legal = np.nonzero(self.tree.legal(node))[0].tolist()
        return {self.tree.action_text(node, action): float(mix[action]) for action in legal}

    def infoset(self, key: InfoSetKey) -> InfoSet:
        """What is played at an information set by name (see ``solvers/tree/infosets.py``)."""
        node, bucket = find(self.tree, key)
        require_bucket(self.abstraction, key.street, bucket)
        legal = np.nonzero(self.tree.legal(node))[0].tolist()
        names = tuple(self.tree.action_text(node, action) for action in legal)
        return InfoSet(key, node, names, self.at(node)[bucket, legal])

    @functools.cached_property
    def class_buckets(self) -> np.ndarray:
        """[169] the bucket before the flop of each class of hands (``ranges.CLASS_NAMES``)."""
        return abstractions.class_buckets(self.abstraction)

    def preflop_grid(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """What a preflop decision does with each class of hands ``[169, actions]``, and how often its player, by its
        own actions before, comes there with it ``[169]``.
        """
        if self.tree.street[node] != 0:
            raise ValueError(f"node {node} is on the {STREETS[int(self.tree.street[node])]}: a grid is for preflop")
        reach = np.ones(ranges.NUM_CLASSES)
        path = self.tree.path(node)
        for here, after in itertools.pairwise(path):
            if self.tree.player[here] == self.tree.player[node]:
                reach = reach * self.at(here)[self.class_buckets, self.tree.action[after]]
        return self.at(node)[self.class_buckets], reach

    # --- files --------------------------------------------------------------------------------

    def save(self, path: str | Path, complete: bool = False) -> None:
        """Writes the blueprint as one file, whole or not at all.

        A ``complete`` file brings its tree and its buckets along: some MB more, and others need not make them anew,
        which takes seconds for a tree and minutes for ``equity`` buckets.
        """
        storage.write(
            Path(path),
            solved_for(self.tree, self.abstraction),
            [self.parts(street) for street in range(len(STREETS))],
            self._along() if complete else {},
        )

    def _along(self) -> dict[str, bytes]:
        buckets = abstractions.packed(self.abstraction)
        along = {storage.TREE: tree_file.packed(self.tree)}
        return along if buckets is None else {storage.CARDS: buckets, **along}


def solved_for(tree: Tree, abstraction: CardAbstraction) -> dict[str, Any]:
    """What a file says of the game and the buckets that it is for."""
    game = tree.game
    assert isinstance(game, Holdem)
    return {
        "menu": game.bet_menu.text,
        "rules": {name: getattr(game, name) for name in RULES},
        "tree": _tree_digest(tree),
        "abstraction": {
            "name": abstraction.name,
            "num_buckets": list(abstraction.num_buckets),
            "fingerprint": abstraction.fingerprint,
        },
    }


def _shapes(tree: Tree, abstraction: CardAbstraction) -> list[tuple[int, int, int]]:
    decisions = np.bincount(tree.street[tree.decisions()], minlength=len(STREETS)).tolist()
    return [(n, buckets, tree.num_actions) for n, buckets in zip(decisions, abstraction.num_buckets, strict=True)]


def _tree_digest(tree: Tree) -> str:
    return digest(tree.children, tree.to)


def load(path: str | Path, abstraction: CardAbstraction | None = None) -> Blueprint:
    """The blueprint in a file; streets are read when they are asked for.

    ``abstraction`` is what it was solved with; ``abstraction.make`` of the name and numbers in the file when None.
    """
    path = Path(path)
    said = storage.manifest(path)
    try:
        game = Holdem(menu=said.menu, **{name: said.rules[name] for name in RULES})
    except (ValueError, KeyError) as error:
        raise damaged(path, f"its {MANIFEST} cannot be understood ({error})") from error
    max_nodes = _most_nodes(path, game, said.num_buckets)
    along = storage.brought_along(path)
    if {name: digest(content) for name, content in along.items()} != said.along:
        raise damaged(path, "its tree or its buckets are not what was saved")
    if abstraction is None:
        abstraction = _cards(path, said.abstraction, said.num_buckets, along)
    if abstraction.fingerprint != said.fingerprint:
        raise RunError(
            f"{path} was solved with {said.abstraction} buckets {said.fingerprint}, not with {abstraction.name} "
            f"{abstraction.fingerprint}: give the abstraction that it was solved with"
        )
    tree = _tree(path, game, along, max_nodes)
    if _tree_digest(tree) != said.tree:
        raise RunError(f"{path} was solved on another betting tree of {game.bet_menu.text!r}: solve it anew")
    return Blueprint(tree, abstraction, StoredStrategy(path, _shapes(tree, abstraction), said.checksums))


def _most_nodes(path: Path, game: Holdem, num_buckets: Sequence[int]) -> int:
    """How many nodes the file's tree can have, by the sizes of its streets: each decision has a row in them."""
    decisions, sizes = 0, storage.sizes(path)
    for street, buckets in zip(STREETS, num_buckets, strict=True):
        size = sizes.get(f"{street}.bin")
        if size is None:  # it is missed when it is asked for
            return MAX_NODES
        rows, rest = divmod(size, buckets * game.num_actions)
        if rest:
            raise damaged(
                path, f"its {street} has {size:,} bytes, for {buckets} buckets and {game.num_actions} actions"
            )
        decisions += rows
    return min(MAX_NODES, 1 + decisions * (game.num_actions + 1))  # after an action: an end, or chance and a decision


def _cards(path: Path, name: str, num_buckets: Sequence[int], along: dict[str, bytes]) -> CardAbstraction:
    """The card abstraction that the file brings along, or else the one of that name and numbers."""
    try:
        if storage.CARDS not in along:
            return abstractions.make(name, num_buckets)
        return abstractions.unpacked(name, num_buckets, along[storage.CARDS])
    except ValueError as error:
        raise damaged(path, f"its {storage.CARDS}: {error}") from error


def _tree(path: Path, game: Holdem, along: dict[str, bytes], max_nodes: int) -> Tree:
    """The betting tree that the file brings along, or else the one of its game."""
    if storage.TREE not in along:
        try:
            return build(game, max_nodes=max_nodes)
        except ValueError as error:
            raise damaged(path, f"its streets do not fit its menu ({error})") from error
    try:
        return tree_file.unpacked(game, along[storage.TREE], max_nodes)
    except ValueError as error:
        raise damaged(path, f"its {storage.TREE}: {error}") from error


@functools.cache
def load_shipped() -> Blueprint:
    """The blueprint that comes with the package: 100 big blinds, 169 hands before the flop, then ``equity`` buckets."""
    return load(SHIPPED)


@functools.partial(jax.jit, static_argnums=0)
def _bucket_of_hand(abstraction: CardAbstraction, tables: Any, hole: Array, board: Array, street: Array) -> Array:
    return abstraction.of_hand(tables, hole, board, street)
