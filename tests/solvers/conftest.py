"""Games and strategies that several files solve; OpenSpiel's Kuhn and Leduc next to ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

import jaxpoker
from jaxpoker import ranges
from jaxpoker.games import packed
from jaxpoker.solvers.abstraction import equity_buckets
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.tree import replay


@dataclasses.dataclass(frozen=True)
class Both:
    """A game here and there."""

    ours: ExactGame
    theirs: Any
    row_of: dict[str, int]  # OpenSpiel's information states to rows of a strategy table
    legal_of: dict[str, list[int]]

    def policy(self, table: np.ndarray) -> Any:
        """OpenSpiel's form of a strategy table."""
        return pyspiel.TabularPolicy(
            {name: [(a, float(table[row, a])) for a in self.legal_of[name]] for name, row in self.row_of.items()}
        )

    def table(self, policy: Any) -> np.ndarray:
        """Our form of a tabular policy of OpenSpiel."""
        table = np.zeros((self.ours.num_rows, self.ours.num_actions))
        for name, entries in policy.policy_table().items():
            for action, probability in entries:
                table[self.row_of[name], action] = probability
        return table


def decisions(state: Any, cards: list[int], actions: list[int]) -> Iterator[tuple[Any, list[int], list[int]]]:
    """Every history of OpenSpiel's at which a player decides, with its cards and actions."""
    if state.is_terminal():
        return
    if state.is_chance_node():
        for card, _ in state.chance_outcomes():
            yield from decisions(state.child(card), [*cards, card], actions)
        return
    yield state, cards, actions
    for action in state.legal_actions():
        yield from decisions(state.child(action), cards, [*actions, action])


@pytest.fixture(scope="session", params=["kuhn", "leduc"])
def with_openspiel(request) -> Both:
    name = request.param
    ours = exact_game.whole(jaxpoker.make(name))
    theirs = pyspiel.load_game(f"{name}_poker")
    examples, legal = {}, {}
    for state, cards, actions in decisions(theirs.new_initial_state(), [], []):
        known = state.information_state_string()
        if known not in examples:
            public = next(card for card in range(6) if card not in cards[:2])
            dealt = cards if len(cards) == 3 or name == "kuhn" else [*cards, public]
            examples[known] = (dealt, actions + [-1] * (7 - len(actions)), state.current_player())
            legal[known] = state.legal_actions()
    dealt, paths, players = (jnp.array(column) for column in zip(*examples.values(), strict=True))
    game = ours.game
    deal = type(game.deal(jax.random.key(0)))

    @jax.jit
    @jax.vmap
    def index(cards, path, player):
        return game.infoset_index(replay(game, path, deal(packed.pack(cards))), player)

    rows = np.asarray(index(dealt, paths, players)).tolist()
    return Both(ours, theirs, dict(zip(examples, rows, strict=True)), legal)


@pytest.fixture(scope="session")
def kuhn() -> ExactGame:
    return exact_game.whole(jaxpoker.make("kuhn"))


@pytest.fixture(scope="session")
def leduc() -> ExactGame:
    return exact_game.whole(jaxpoker.make("leduc"))


@pytest.fixture(scope="session")
def push_fold() -> ExactGame:
    """Ten big blinds."""
    return exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2))


@dataclasses.dataclass(frozen=True)
class Classes:
    """Buckets that lose nothing before the flop: the 169 classes of hands."""

    name = "classes"
    num_buckets = (169, 1, 1, 1)
    tables = ()

    def of_board(self, tables, board):
        return jnp.zeros((4, 1326), jnp.int32).at[0].set(ranges.CLASS_OF_COMBO)

    def of_hand(self, tables, hole, board, street):
        return jnp.asarray(ranges.CLASS_OF_COMBO)[ranges.combo_index(hole[0], hole[1])]

    def sample_boards(self, tables, key, n):
        return jaxpoker.cards.deal(key, 5, (n,))


@pytest.fixture(scope="session")
def classes() -> Classes:
    return Classes()


@pytest.fixture
def double():
    """Everything in float64."""
    with jax.enable_x64(True):
        yield


def random_strategy(game: ExactGame, seed: int) -> np.ndarray:
    """Any strategy: exponential weights, some of them large, on the legal actions."""
    weights = np.random.default_rng(seed).exponential(size=(game.num_rows, game.num_actions)) ** 3 * game.legal_rows()
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture(scope="session")
def any_strategy():
    return random_strategy


@pytest.fixture(scope="session")
def few_flops() -> equity_buckets.EquityBuckets:
    """Equity buckets for boards that begin with Ts9h8h, AsKs2s or what suits make of them."""
    return equity_buckets.make((20, 12, 12, 16), samples=4_000, cache=None, flops=(463, 1744))
