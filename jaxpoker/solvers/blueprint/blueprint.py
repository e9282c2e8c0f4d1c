"""Blueprints: a solved strategy of heads-up hold'em, to look up, to keep in a file and to play with.

    solved = blueprint.load_shipped()                      # or load(path), or Blueprint(tree, abstraction, strategy)
    solved.mix(0, "AhKh")                                  # {"fold": 0.0, "check/call": 0.2, "2.5x to 25": 0.7, ...}
    bot = blueprint.as_player(solved)                      # at any stacks and against any bet sizes
    match.play(game, [bot, players.make("call", game)], key, params=[solved.params, None])

A strategy is four arrays, one per street: ``[decisions of the street in tree order, buckets, actions]``. The player
follows the hand on the tree (``solvers/tree/translation.py``) and takes the sizes of its menu at the real table; where
the tree has no answer it checks and calls. A file holds probabilities in 255ths, one byte each, with a manifest that
says of which game and of which buckets; a street is read when somebody asks for it.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import itertools
import json
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, overload

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.errors import RunError
from jaxpoker.files import DATA, write_whole
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import State
from jaxpoker.players import Player
from jaxpoker.solvers import abstraction as card_abstractions
from jaxpoker.solvers.abstraction import OPEN_CARDS, STREETS, CardAbstraction
from jaxpoker.solvers.tree import DECISION, NONE, Tree, build, infosets, translation
from jaxpoker.solvers.tree.infosets import InfoSetKey
from jaxpoker.solvers.tree.translation import Betting, Trail

Array = jax.Array

SHIPPED = DATA / "blueprint.zip"
FORMAT = 2
MANIFEST = "manifest.json"
PARTS = 255  # of a probability in a file
CHUNK = 1_024  # decisions whose probabilities are rounded at once
RULES = ("stack", "small_blind", "big_blind", "ante", "casino_blind")


class Params(NamedTuple):
    """What the player of a blueprint plays by: arrays alone, so that another blueprint needs no new code."""

    strategy: tuple[Array, ...]  # four of [decisions, buckets, actions] uint8, in PARTS
    tables: Any  # of the card abstraction
    betting: Betting
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
        return Params(strategy, self.abstraction.tables, translation.betting(self.tree), jnp.asarray(self.row))

    # --- looking up ---------------------------------------------------------------------------

    def at(self, node: int) -> np.ndarray:
        """``[buckets, actions]`` float32: the strategy at decision ``node``."""
        if not 0 <= node < self.tree.num_nodes or self.tree.kind[node] != DECISION:
            raise ValueError(f"node {node} is no decision of this tree")
        street, row = int(self.tree.street[node]), int(self.row[node])
        if isinstance(self.strategy, StoredStrategy):
            return _probabilities(self.strategy.parts(street)[row])
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
        if len(opened) not in OPEN_CARDS:
            raise ValueError(f"a board has 0, 3, 4 or 5 open cards, not {len(opened)}: {cards.text(opened)!r}")
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
        node, bucket = infosets.find(self.tree, key)
        card_abstractions.require_bucket(self.abstraction, key.street, bucket)
        legal = np.nonzero(self.tree.legal(node))[0].tolist()
        names = tuple(self.tree.action_text(node, action) for action in legal)
        return InfoSet(key, node, names, self.at(node)[bucket, legal])

    @functools.cached_property
    def class_buckets(self) -> np.ndarray:
        """[169] the bucket before the flop of each class of hands (``ranges.CLASS_NAMES``)."""
        return card_abstractions.class_buckets(self.abstraction)

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

    def save(self, path: str | Path) -> None:
        """Writes the blueprint as one file, whole or not at all."""
        content = io.BytesIO()
        stored = [self.parts(street) for street in range(len(STREETS))]
        manifest = {
            "format": FORMAT,
            "menu": self.game.bet_menu.text,
            "rules": {name: getattr(self.game, name) for name in RULES},
            "tree": _tree_digest(self.tree),
            "abstraction": {
                "name": self.abstraction.name,
                "num_buckets": list(self.abstraction.num_buckets),
                "fingerprint": self.abstraction.fingerprint,
            },
            "checksums": [card_abstractions.digest(of_street) for of_street in stored],
        }
        streets = [(f"{street}.bin", parts.tobytes()) for street, parts in zip(STREETS, stored, strict=True)]
        with zipfile.ZipFile(content, "w") as file:
            for name, data in ((MANIFEST, json.dumps(manifest, indent=1).encode()), *streets):
                file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_LZMA)  # no time in it: same bits every time
        write_whole(Path(path), content.getvalue())


def in_parts(strategy: np.ndarray, parts: int = PARTS) -> np.ndarray:
    """Probabilities ``[decisions, ..., actions]`` as uint8 that add up to ``parts``, by largest remainders; all 0 stay
    so.
    """
    found = np.empty(strategy.shape, np.uint8)
    for first in range(0, len(strategy), CHUNK):
        some = strategy[first : first + CHUNK].astype(np.float64)
        total = some.sum(axis=-1, keepdims=True)
        exact = np.where(total > 0, some / np.where(total > 0, total, 1), 0) * parts
        whole = np.floor(exact + 1e-6)
        missing = np.where(total > 0, parts - whole.sum(axis=-1, keepdims=True), 0)
        rank = np.argsort(np.argsort(whole - exact, axis=-1, kind="stable"), axis=-1)  # 0 has the largest remainder
        found[first : first + CHUNK] = whole + (rank < missing)
    return found


def _shapes(tree: Tree, abstraction: CardAbstraction) -> list[tuple[int, int, int]]:
    decisions = np.bincount(tree.street[tree.decisions()], minlength=len(STREETS)).tolist()
    return [(n, buckets, tree.num_actions) for n, buckets in zip(decisions, abstraction.num_buckets, strict=True)]


def _tree_digest(tree: Tree) -> str:
    return card_abstractions.digest(tree.children, tree.to)


class StoredStrategy(Sequence[np.ndarray]):
    """The strategy in a file; a street is read, checked and kept when it is asked for."""

    def __init__(self, path: Path, shapes: list[tuple[int, int, int]], checksums: list[str]) -> None:
        self.path, self.shapes, self.checksums = path, shapes, checksums
        self._streets: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.shapes)

    @overload
    def __getitem__(self, street: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, street: slice) -> list[np.ndarray]: ...
    def __getitem__(self, street: int | slice) -> np.ndarray | list[np.ndarray]:
        if isinstance(street, slice):
            return [self[s] for s in range(len(self))[street]]
        return _probabilities(self.parts(range(len(self))[street]))

    def parts(self, street: int) -> np.ndarray:
        """``[decisions, buckets, actions]`` uint8."""
        if street not in self._streets:
            self._streets[street] = self._read(street)
        return self._streets[street]

    def _read(self, street: int) -> np.ndarray:
        data = _member(self.path, f"{STREETS[street]}.bin")
        decisions, buckets, actions = self.shapes[street]
        if len(data) != decisions * buckets * actions:
            raise damaged(self.path, f"its {STREETS[street]} has {len(data):,} bytes")
        parts = np.frombuffer(data, np.uint8).reshape(decisions, buckets, actions)
        if card_abstractions.digest(parts) != self.checksums[street]:
            raise damaged(self.path, f"its {STREETS[street]} is not what was saved")
        return parts


def _probabilities(parts: np.ndarray) -> np.ndarray:
    return parts.astype(np.float32) / PARTS


def damaged(path: Path, why: str) -> RunError:
    return RunError(f"{path} is damaged: {why}; make it anew, or take another copy")


def _member(path: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as file:
            return file.read(name)
    except OSError as error:
        raise RunError(f"cannot read blueprint {path}: {error.strerror}") from error
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, KeyError, EOFError, ValueError) as error:
        raise damaged(path, f"no blueprint's {name} in it") from error


def load(path: str | Path, abstraction: CardAbstraction | None = None) -> Blueprint:
    """The blueprint in a file; streets are read when they are asked for.

    ``abstraction`` is what it was solved with; ``abstraction.make`` of the name and numbers in the file when None.
    """
    path = Path(path)
    try:
        manifest = json.loads(_member(path, MANIFEST))
        if manifest["format"] != FORMAT:
            raise RunError(f"{path} has format {manifest['format']}: this version of jaxpoker reads format {FORMAT}")
        game = Holdem(menu=manifest["menu"], **{name: manifest["rules"][name] for name in RULES})
        buckets, checksums = manifest["abstraction"], [str(crc) for crc in manifest["checksums"]]
        name, numbers, fingerprint = buckets["name"], buckets["num_buckets"], buckets["fingerprint"]
        tree_digest = manifest["tree"]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path, f"its {MANIFEST} cannot be understood ({error})") from error
    if abstraction is None:
        abstraction = card_abstractions.make(name, numbers)
    if abstraction.fingerprint != fingerprint:
        raise RunError(
            f"{path} was solved with {name} buckets {fingerprint}, not with {abstraction.name} "
            f"{abstraction.fingerprint}: give the abstraction that it was solved with"
        )
    tree = build(game)
    if _tree_digest(tree) != tree_digest:
        raise RunError(f"{path} was solved on another betting tree of {game.bet_menu.text!r}: solve it anew")
    return Blueprint(tree, abstraction, StoredStrategy(path, _shapes(tree, abstraction), checksums))


@functools.cache
def load_shipped() -> Blueprint:
    """The blueprint that comes with the package: 100 big blinds, rank-based buckets that remember."""
    return load(SHIPPED)


# --- the player -------------------------------------------------------------------------------


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

    return Player(name, act, policy, lambda params: translation.unread(), lambda trail: translation.unread(), menu)


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


@functools.partial(jax.jit, static_argnums=0)
def _bucket_of_hand(abstraction: CardAbstraction, tables: Any, hole: Array, board: Array, street: Array) -> Array:
    return abstraction.of_hand(tables, hole, board, street)
