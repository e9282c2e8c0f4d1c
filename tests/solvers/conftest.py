"""Games and strategies that several files solve; OpenSpiel's Kuhn and Leduc next to ours."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies

import jaxpoker
from jaxpoker import ranges, solvers
from jaxpoker.adapters import openspiel_policies
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.abstraction import bucket_profiles, equity_buckets
from jaxpoker.solvers.abstraction import equity_distributions as distributions
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.sampling import public_cfr


@dataclasses.dataclass(frozen=True)
class Both:
    """A game here and there."""

    ours: ExactGame
    theirs: Any

    def policy(self, table: np.ndarray) -> Any:
        """OpenSpiel's form of a strategy table, in C++."""
        known = openspiel_policies.as_policy(self.ours.game, table, self.theirs)
        return policies.python_policy_to_pyspiel_policy(known)

    def table(self, policy: Any) -> np.ndarray:
        """Our form of a policy of OpenSpiel."""
        return openspiel_policies.of_policy(self.ours.game, policy, self.theirs)


@pytest.fixture(scope="session", params=["kuhn", "leduc"])
def with_openspiel(request) -> Both:
    return Both(exact_game.whole(jaxpoker.make(request.param)), pyspiel.load_game(f"{request.param}_poker"))


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


@pytest.fixture(scope="session")
def counted():
    """Counts of one flop, AsKs2s, and its turns, as they are computed for all; for tests marked ``optimised``."""
    flops = distributions.next_boards(3, np.array([1744]))
    turns = distributions.next_boards(4, np.unique(flops.next_class))
    river_classes = np.unique(turns.next_class)
    bins = distributions.river_bins(river_classes)
    of_turns = distributions.turn_counts(turns, river_classes, bins, distributions.no_progress)
    of_flops = distributions.flop_counts(flops, turns.classes, of_turns, distributions.no_progress)
    return (flops, of_flops), (turns, of_turns)


@pytest.fixture(scope="session")
def rank_based_profiles():
    """Of the rank-based buckets, on 200 boards."""
    return bucket_profiles.sampled(abstraction.make("rank_based"), 200)


@pytest.fixture(scope="session")
def any_blueprint() -> Blueprint:
    """Six big blinds and rank-based buckets; every decision and bucket has a strategy of its own."""
    rng = np.random.default_rng(0)
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    betting = tree.build(jaxpoker.make("holdem", menu=menu, stack=60, small_blind=5, big_blind=10))
    known = abstraction.make("rank_based")
    strategy = []
    for street, buckets in enumerate(known.num_buckets):
        nodes = betting.decisions(street=street)
        weights = rng.exponential(size=(len(nodes), buckets, betting.num_actions)) * betting.legal(nodes)[:, None, :]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, known, tuple(strategy))


@pytest.fixture(scope="session")
def short_holdem() -> public_cfr.PublicCFR:
    """Public sampling of four streets at four big blinds, with rank-based buckets."""
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    game = jaxpoker.make("holdem", menu=menu, stack=40, small_blind=5, big_blind=10)
    return solvers.make("dcfr", game, cards=abstraction.make("rank_based"))


@pytest.fixture(scope="session")
def updated():
    """``updated(solver, iterations, seed)``: the state after so many updates, and the metrics of the last."""

    def run(solver, iterations, seed=0):
        state = solver.init(jax.random.key(seed))
        for _ in range(iterations):
            state, metrics = solver.update(state)
        return state, metrics

    return run


@pytest.fixture(scope="session")
def two_boards(repository: Path) -> ModuleType:
    """tests/solvers/two_boards.py."""
    spec = importlib.util.spec_from_file_location("two_boards", repository / "tests" / "solvers" / "two_boards.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
