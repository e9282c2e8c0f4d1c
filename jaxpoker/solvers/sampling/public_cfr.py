"""Monte Carlo counterfactual regret minimisation with sampled public cards, for betting trees of any size.

    cards = abstraction.make("rank_based")
    solver = mccfr.holdem(jaxpoker.make("holdem", menu="solver", stack=1_000, small_blind=5, big_blind=10), cards)
    state = solver.init(jax.random.key(0))
    state, metrics = solver.update(state)                     # one iteration, ``batch`` boards more
    solver.average(state)                                     # by street [decisions, buckets, actions]

Public chance sampling (Johanson et al., 2012): an iteration draws boards and lets all hands of both players meet on
them at once. Regrets and averages grow as in ``solvers/exact/cfr.py``, seat 0 first, by an ``Algorithm`` of that file;
an all-in before the river is worth what it is on the boards drawn. With buckets as coarse as ``rank_based`` hands
become types that are counted (``solvers/showdowns/hand_types.py``), and the tree is swept between buckets
(``solvers/sampling/bucket_game.py``) or, where buckets remember those of earlier streets, between types
(``solvers/sampling/type_game.py``); with finer ones it is swept between hands (``solvers/sampling/hand_game.py``). All
are exact sums over all pairs of hands.

As counts add up over boards, boards need not be forgotten: with ``remember`` an iteration plays on the mean of all
boards drawn so far, so that chance fades away and iterations become those of the whole abstract game. Without it, and
always between hands, it plays on its own boards alone, which is the sampling of the paper.

Same key, same bits.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from jaxpoker import devices
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.exact.cfr import ALGORITHMS, Algorithm, regret_matching
from jaxpoker.solvers.exact.exact_game import PLAYERS, PublicGame
from jaxpoker.solvers.sampling import hand_game, type_game
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandBoards, HandGame
from jaxpoker.solvers.sampling.table_rows import OwnRows, Rows, SharedRows
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.showdowns.hand_types import LIVE_HANDS, Chance, HoldemBoards, ListedBoards, Paths
from jaxpoker.solvers.tree import street_shapes
from jaxpoker.solvers.tree.street_shapes import Betting, OfShapes

Array = jax.Array
Strategy = tuple[Array, ...]  # by street [decisions of the street, buckets, actions]

MAX_TYPES = 1_024  # above, hands are swept, not types


@flax.struct.dataclass
class State:
    """Everything that an update changes; regrets and averages by player, as ``Rows`` lie ``[A, K, buckets, M]``."""

    step: Array  # [] int32, iterations done
    key: Array  # [] the seed's; each update folds its step into it
    counts: Array  # [2, types, types]: the mean of all boards so far, if they are remembered; else [0]
    boards: Array  # [] float32, drawn so far
    regrets: tuple[OfShapes, OfShapes]
    averages: tuple[OfShapes, OfShapes]  # weighted sums of strategies times own reach, in units of the last weight


@dataclasses.dataclass(frozen=True, eq=False)
class PublicCFR:
    """The solver; ``holdem`` and ``of`` make one."""

    game: BucketGame | TypeGame | HandGame
    chance: Chance
    rows: Rows  # which decisions share a row of the tables
    algorithm: Algorithm = ALGORITHMS["dcfr"]
    batch: int = 8  # boards of an iteration
    remember: bool = True
    public_game: PublicGame | None = None  # strategies are tables of this game
    mesh: jax.sharding.Mesh | None = None  # its devices share the boards; what they found is averaged

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ValueError(f"{self.batch} boards in an iteration: at least one")
        if self.algorithm.predictive or not self.algorithm.alternating:
            raise ValueError(
                f"public sampling with {self.algorithm.name}: take one that alternates and predicts nothing"
            )
        if self.remember and isinstance(self.game, HandGame):
            raise ValueError("boards are remembered as counts of types: with buckets this fine there are too many")
        devices.require_even(self.mesh, self.batch, "boards")

    # --- the learner ----------------------------------------------------------------------------

    def init(self, key: Array) -> State:
        """No regrets yet, and no board drawn."""
        return devices.begun(self.mesh, self._init, key)

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, key: Array) -> State:
        def zeros(player: int) -> OfShapes:
            return tuple(
                tuple(jnp.zeros((*legal.shape[:2], buckets, legal.shape[3])) for legal in of_street)
                for of_street, buckets in zip(self.rows.legal(player), self.game.num_buckets, strict=True)
            )

        types = self.game.paths.size[0] if self.remember and not isinstance(self.game, HandGame) else 0
        return State(
            step=jnp.zeros((), jnp.int32),
            key=key,
            counts=jnp.zeros((2, types, types)),
            boards=jnp.zeros(()),
            regrets=(zeros(0), zeros(1)),
            averages=(zeros(0), zeros(1)),
        )

    def update(self, state: State) -> tuple[State, dict[str, Array]]:
        """One iteration, and what it found. The state given is used up."""
        return self._iterate(state, self.chance.tables)

    def run(self, state: State, iterations: Array | int) -> State:
        """The state after so many iterations more, in one compiled loop: for small games."""
        return self._run(state, self.chance.tables, iterations)

    @functools.partial(jax.jit, static_argnums=0)
    def _run(self, state: State, tables: Any, iterations: Array | int) -> State:
        return jax.lax.fori_loop(0, iterations, lambda _, state: self._iterate(state, tables)[0], state)

    @functools.partial(jax.jit, static_argnums=0)
    def average(self, state: State) -> Any:
        """The average strategy, uniform where a player never goes: by street ``[decisions, buckets, actions]``, or a
        table of the ``public_game``.
        """
        return self._strategy(state.averages)

    @functools.partial(jax.jit, static_argnums=0)
    def concise(self, state: State, least_reach: Array | float, alike: Sequence[Array]) -> Any:
        """The average strategy in a form that is small in a file and nearly as good.

        Where own play brings a bucket to a decision less often than ``least_reach``, as a part of how often it does
        where it comes most often on the street, it plays what buckets that are ``alike`` (by street ``[buckets]``, a
        number below that of buckets) play there on average, and where none of them comes, what all do.
        """
        first, second = (_concise(averages, least_reach, alike) for averages in state.averages)
        return self._strategy((first, second))

    @functools.partial(jax.jit, static_argnums=0)
    def current(self, state: State) -> Any:
        """The strategy of the next iteration, likewise."""
        return self._strategy(state.regrets)

    def _strategy(self, sums: tuple[OfShapes, OfShapes]) -> Any:
        first, second = (self.rows.spread(player, self._match(player, sums[player])) for player in PLAYERS)
        strategy = self.rows.betting.strategy((first, second))
        return strategy if self.public_game is None else as_table(self.public_game, strategy)

    # --- an iteration ---------------------------------------------------------------------------

    def _iterate(self, state: State, tables: Any) -> tuple[State, dict[str, Array]]:
        """Jitted piece by piece: sweeps, which take long to compile, are shared with whoever judges a strategy."""
        cards, counts, boards, types = self._draw(tables, state.key, state.step, state.counts, state.boards)
        regrets, averages = list(state.regrets), list(state.averages)
        current = [self._played(player, regrets[player]) for player in PLAYERS]
        value = jnp.zeros(())
        for player in PLAYERS:
            swept = self._sweep(player, cards, current[player], current[1 - player])
            value = swept.value if player == 0 else value
            regrets[player], averages[player], current[player] = self._grow(
                player, regrets[player], averages[player], current[player], swept.action_values, cards, state.step + 1
            )
        after = State(state.step + 1, state.key, counts, boards, (regrets[0], regrets[1]), (averages[0], averages[1]))
        node_updates = types * (self.batch * self.rows.betting.tree.num_nodes)
        return after, {"value": value, "types": types, "boards": boards, "node_updates": node_updates}

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=4)
    def _draw(
        self, tables: Any, key: Array, step: Array, counts: Array, boards: Array
    ) -> tuple[Any, Array, Array, Array]:
        """Cards to play on, counts to remember, boards drawn so far, and types of a board."""
        drawn = self.chance.draw(tables, jax.random.fold_in(key, step), self.batch)
        boards = boards + self.batch
        if isinstance(self.game, HandGame):
            return self.chance.cards(tables, drawn), counts, boards, jnp.float32(LIVE_HANDS)
        cards, types = self._over_boards(functools.partial(self.chance.cards, tables), drawn)
        if not self.remember:
            return cards, counts, boards, types
        counts = counts + (cards - counts) * (self.batch / boards)
        return counts, counts, boards, types

    def _sweep(self, player: int, cards: Any, own: OfShapes, other: OfShapes) -> Any:
        if not isinstance(self.game, HandGame):
            return self.game.sweep(player, cards, own, other, False)
        return self._over_boards(functools.partial(self.game.sweep, player), cards, own, other)

    def _own_reach(self, player: int, cards: Any, own: OfShapes) -> OfShapes:
        if not isinstance(self.game, HandGame):
            return self.game.own_reach(player, cards, own)
        return self._over_boards(functools.partial(self.game.own_reach, player), cards, own)

    def _over_boards(self, f: Callable[..., Any], boards: Any, *others: Any) -> Any:
        """``f``, a mean over boards, each device with its part of them."""
        if self.mesh is None:
            return f(boards, *others)

        axes = self.mesh.axis_names

        def part(boards: Any, *others: Any) -> Any:
            return jax.tree.map(lambda x: jax.lax.pmean(x, axes), f(boards, *others))

        specs = (PartitionSpec(axes), *(PartitionSpec() for _ in others))
        return jax.shard_map(part, mesh=self.mesh, in_specs=specs, out_specs=PartitionSpec(), check_vma=False)(
            boards, *others
        )

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=(2, 3, 4))
    def _grow(
        self,
        player: int,
        regrets: OfShapes,
        averages: OfShapes,
        current: OfShapes,
        values: OfShapes,
        cards: Any,
        step: Array,
    ) -> tuple[OfShapes, OfShapes, OfShapes]:
        """Regrets, averages and the strategy by shapes of ``player`` after iteration ``step``."""
        t = step.astype(jnp.float32)
        reach = self.rows.collect(player, self._own_reach(player, cards, current))
        legal = OwnRows(self.rows.betting).legal(player)
        instant = _mapped(
            lambda may, value, mine: jnp.where(may, value - over_actions(value * mine), 0), legal, values, current
        )
        played = self._match(player, regrets)
        grown = _mapped(
            lambda sums, new: self.algorithm.grown(sums, new, t), regrets, self.rows.collect(player, instant)
        )
        averaged = _mapped(
            lambda sums, mine, weight: self.algorithm.averaged(sums, mine, weight, t), averages, played, reach
        )
        return grown, averaged, self.rows.spread(player, self._match(player, grown))

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _played(self, player: int, regrets: OfShapes) -> OfShapes:
        """The current strategy, by shapes."""
        return self.rows.spread(player, self._match(player, regrets))

    def _match(self, player: int, sums: OfShapes) -> OfShapes:
        return _mapped(regret_matching, sums, self.rows.legal(player))


def _mapped(f: Callable[..., Array], *tables: Any) -> OfShapes:
    """``f`` of what the ``tables`` have for each street and shape."""
    return tuple(tuple(f(*each) for each in zip(*street, strict=True)) for street in zip(*tables, strict=True))


def _concise(averages: OfShapes, least: Array | float, alike: Sequence[Array]) -> OfShapes:
    """Averages ``[A, K, buckets, M]``, those of rare buckets replaced; see ``PublicCFR.concise``."""
    kept = []
    for of_street, group in zip(averages, alike, strict=False):
        reach = [over_actions(average) for average in of_street]  # [K, buckets, M]
        most = functools.reduce(jnp.maximum, [jnp.max(each, axis=(0, 2), initial=0) for each in reach])  # [buckets]
        same = (group[:, None] == group).astype(jnp.float32)  # [buckets, buckets]
        replaced = []
        for average, comes in zip(of_street, reach, strict=True):
            of_group = jnp.einsum("gb,akbm->akgm", same, average, precision=jax.lax.Precision.HIGHEST)
            everyone = jnp.broadcast_to(average.sum(axis=2, keepdims=True), average.shape)
            usual = jnp.where(over_actions(of_group) > least * most[:, None], of_group, everyone)
            replaced.append(jnp.where(comes >= least * most[:, None], average, usual))
        kept.append(tuple(replaced))
    return tuple(kept)


# --- making one ---------------------------------------------------------------------------------


def holdem(game: Holdem, cards: CardAbstraction, rows: Sequence[np.ndarray] | None = None, **options: Any) -> PublicCFR:
    """A solver of hold'em for two with ``game``'s menu, stack and blinds and the buckets of ``cards``.

    ``rows``: by street, which row of the tables each decision has, if decisions are to share them
    (``infosets.merged_rows(tree).row_of``). Other options are fields of ``PublicCFR``.
    """
    betting = street_shapes.of(trees.build(game))
    streets = len(betting.streets)
    own = OwnRows(betting) if rows is None else SharedRows(betting, tuple(rows))
    boards = HoldemBoards(cards, streets)
    counted = game_of_types(betting, boards.paths)
    if counted is not None:
        return PublicCFR(counted, boards, own, **options)
    hands = hand_game.of(betting, cards.num_buckets[:streets])
    return PublicCFR(hands, HandBoards(cards, streets), own, **{"remember": False, **options})


def game_of_types(betting: Betting, paths: Paths) -> BucketGame | TypeGame | None:
    """The game between the types of ``paths``, in the faster of its two forms; None where there are too many."""
    if paths.size[0] > MAX_TYPES:
        return None
    return type_game.of(betting, paths) if paths.remember else BucketGame(betting, paths)


def of(game: PublicGame, **options: Any) -> PublicCFR:
    """A solver of a small game that draws its public cards; strategies are tables ``[rows, actions]`` of ``game``."""
    betting = street_shapes.of(game.tree)
    boards = ListedBoards(game.deals)
    return PublicCFR(BucketGame(betting, boards.paths), boards, OwnRows(betting), public_game=game, **options)


def as_table(game: PublicGame, strategy: Strategy) -> Array:
    """A strategy by street ``[decisions, columns, actions]`` as a table ``[rows, actions]`` of ``game``."""
    parts = []
    for player in PLAYERS:
        mine = [game.tree.player[game.tree.decisions(street=street)] == player for street in range(len(strategy))]
        rows = [table[own].reshape(-1, game.num_actions) for table, own in zip(strategy, mine, strict=True)]
        parts.append(jnp.concatenate(rows).T)
    return game.table((parts[0], parts[1]))
