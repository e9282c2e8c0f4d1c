"""One way to make every solver: the algorithm by name, the game, and what is sampled.

    solvers.make("cfr+", jaxpoker.make("leduc"))                         exact: every deal in every iteration
    solvers.make("linear", jaxpoker.make("leduc"), sampling="external")  walks
    solvers.make("dcfr", holdem, cards="rank_based")                     hold'em over a card abstraction, by boards
    solvers.make("linear", holdem, cards="equity", sampling="outcome")   ... by walks

Every solver has ``init(key) -> state``, ``update(state) -> (state, metrics)``, ``run(state, iterations) -> state`` and
``average(state) -> strategy``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, overload

import jax
import numpy as np

from jaxpoker import core
from jaxpoker.games.deals import Deals
from jaxpoker.games.protocols import ChipGame
from jaxpoker.solvers import abstraction as abstractions
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.regret import ALGORITHMS, Algorithm
from jaxpoker.solvers.sampling import abstract_games, walk_game
from jaxpoker.solvers.sampling.boards import ListedBoards
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.sampling.table_rows import OwnRows, SharedRows
from jaxpoker.solvers.sampling.walk_cfr import WalkCFR
from jaxpoker.solvers.tree.street_shapes import shaped

Array = jax.Array
Sampling = Literal["public", "external", "outcome"]
SAMPLINGS = ("public", "external", "outcome")


class Solver(Protocol):
    """What all solvers have in common; states and strategies are their own."""

    def init(self, key: Array) -> Any: ...
    def update(self, state: Any) -> tuple[Any, dict[str, Array]]: ...
    def run(self, state: Any, iterations: Array | int) -> Any: ...
    def average(self, state: Any) -> Any: ...


@overload
def make(
    algorithm: str | Algorithm, game: core.Game | ExactGame, sampling: None = None, cards: None = None, **options: Any
) -> CFR: ...
@overload
def make(
    algorithm: str | Algorithm,
    game: core.Game | ExactGame,
    sampling: Literal["external", "outcome"],
    cards: str | CardAbstraction | None = None,
    **options: Any,
) -> WalkCFR: ...
@overload
def make(
    algorithm: str | Algorithm,
    game: core.Game | ExactGame,
    sampling: Literal["public"],
    cards: str | CardAbstraction | None = None,
    rows: Sequence[np.ndarray] | None = None,
    **options: Any,
) -> PublicCFR: ...
@overload
def make(
    algorithm: str | Algorithm,
    game: core.Game | ExactGame,
    sampling: None = None,
    *,
    cards: str | CardAbstraction,
    rows: Sequence[np.ndarray] | None = None,
    **options: Any,
) -> PublicCFR: ...
@overload
def make(
    algorithm: str | Algorithm,
    game: core.Game | ExactGame,
    sampling: Sampling | None,
    cards: str | CardAbstraction | None = None,
    rows: Sequence[np.ndarray] | None = None,
    **options: Any,
) -> CFR | PublicCFR | WalkCFR: ...
def make(
    algorithm: str | Algorithm,
    game: core.Game | ExactGame,
    sampling: Sampling | None = None,
    cards: str | CardAbstraction | None = None,
    rows: Sequence[np.ndarray] | None = None,
    **options: Any,
) -> CFR | PublicCFR | WalkCFR:
    """A solver of a game: for two players or, without ``cards``, for more.

    Args:
      algorithm: a name of ``ALGORITHMS`` ("cfr", "cfr+", "linear", "dcfr", "pcfr+"), or an ``Algorithm``.
      game: what is solved.
      sampling: "public" draws boards, "external" and "outcome" draw walks. When None, boards are drawn if there are
        ``cards``, and nothing if there are none.
      cards: of hold'em after the flop a card abstraction or its name. The strategy is then by street ``[decisions,
        buckets, actions]``, else a table ``[information sets, actions]``.
      rows: which row of the tables each decision has, by street, if decisions are to share them
        (``infosets.merged_rows(tree).row_of``). Only with ``cards`` and public sampling.
      options: fields of the solver's class: ``CFR``, ``PublicCFR`` or ``WalkCFR``; of hold'em by boards also
        ``play_cost``.
    """
    if isinstance(algorithm, str):
        if algorithm not in ALGORITHMS:
            raise ValueError(f"unknown algorithm {algorithm!r}: choose one of {', '.join(ALGORITHMS)}")
        algorithm = ALGORITHMS[algorithm]
    if sampling is not None and sampling not in SAMPLINGS:
        raise ValueError(f"unknown sampling {sampling!r}: choose one of {', '.join(SAMPLINGS)}, or None")
    if rows is not None and (cards is None or sampling not in (None, "public")):
        raise ValueError("rows are shared by public sampling over a card abstraction: give it cards")
    if cards is None:
        known = game if isinstance(game, ExactGame) else exact_game.whole(game)
        return _between_cards(algorithm, known, sampling, options)
    if isinstance(game, ExactGame) or not isinstance(game, ChipGame):
        name = game.game.name if isinstance(game, ExactGame) else game.name
        raise ValueError(f"card abstractions are for hold'em, not for {name}: leave out cards")
    buckets = abstractions.make(cards) if isinstance(cards, str) else cards
    tree = trees.build(game)
    if sampling in ("external", "outcome"):
        return WalkCFR(walk_game.between_buckets(tree, buckets), None, sampling, algorithm, **options)
    charged = {name: options.pop(name) for name in ("mesh", "play_cost") if name in options}
    swept, boards = abstract_games.of_abstraction(tree, buckets, **charged)
    own = OwnRows(swept.betting) if rows is None else SharedRows(swept.betting, tuple(rows))
    return PublicCFR(swept, boards, own, algorithm, **{"remember": boards.num_types > 0, **options})


def _between_cards(
    algorithm: Algorithm, game: ExactGame, sampling: Sampling | None, options: dict[str, Any]
) -> CFR | PublicCFR | WalkCFR:
    """Solvers whose strategies are tables of ``game``."""
    if sampling is None:
        return CFR(game, algorithm, **options)
    if sampling != "external":
        game.require_two_players(f"{sampling} sampling")
    if sampling == "public":
        betting = shaped(game.tree)
        assert isinstance(game.deals, Deals)
        boards = ListedBoards(game.deals, options.pop("mesh", None))
        swept = BucketGame(betting, boards.paths)
        return PublicCFR(swept, boards, OwnRows(betting), algorithm, exact_game=game, **options)
    return WalkCFR(walk_game.between_cards(game), game, sampling, algorithm, **options)
