"""Monte Carlo counterfactual regret minimisation with sampled public cards, for betting trees of any size.

    game = jaxpoker.make("holdem", menu="solver", stack=1_000, small_blind=5, big_blind=10)
    solver = solvers.make("dcfr", game, cards="rank_based")
    state = solver.init(jax.random.key(0))
    state, metrics = solver.update(state)                     # one iteration, ``batch`` boards more
    solver.average(state)                                     # by street [decisions, buckets, actions]

Public chance sampling (Johanson et al., 2012): an iteration draws boards and lets all hands of both players meet on
them at once. Regrets and averages grow as ``solvers/regret.py`` says, seat 0 first; an all-in before the river is
worth what it is on the boards drawn. With few buckets, such as ``rank_based``, hands become types that are counted
(``showdowns/type_counts.py``). The tree is then swept between buckets (``sampling/bucket_game.py``) or, with perfect
recall, between types (``sampling/type_game.py``). With more buckets it is swept between hands
(``sampling/hand_game.py``). All are exact sums over all pairs of hands, and keep the contract of ``solvers/sweep.py``.

Counts of types can be added up over boards, so boards need not be thrown away. With ``remember`` an iteration plays on
the mean of all boards drawn so far: the noise of sampling goes away, and iterations become those of the whole abstract
game. Without it, and always between hands, it plays on its own boards alone, which is the sampling of the paper. Then
both players learn from each other's strategy of before. If seat 1 met the new strategy of seat 0, it would meet one
that has seen these boards already: whatever goes on after the flop would look worse to seat 1 than it is, and it would
fold too much.

The decisions of the first street may have an algorithm of their own. A floor on regrets keeps alive what is a little
worse than the best action, as long as the luck of the boards drawn is larger than the difference: a button that ought
to fold 32o plays it half of the time. Without a floor that luck averages out; ``docs/maths/sampling.md`` measures both.

With ``shares`` an iteration between hands sweeps some starts of each street only, mostly those where players often
come (``tree/drawn_starts.py``). What is not swept keeps its regrets. A start's regrets are then sums over the
iterations that went there, which play does not notice: a strategy does not depend on the unit of its regrets. How
likely starts are is measured anew now and then, on the average strategy.

``sampling/warm_start.py`` begins with a strategy that is there already. Same key, same bits.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.action_sums import over_actions
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.regret import ALGORITHMS, NO_LOCKS, Algorithm, Lock, Locks, instant_regrets, matched
from jaxpoker.solvers.sampling.boards import Chance
from jaxpoker.solvers.sampling.bucket_game import BucketGame
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.table_rows import OwnRows, Rows
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.sweep import PLAYERS, Swept
from jaxpoker.solvers.tree import drawn_starts
from jaxpoker.solvers.tree.drawn_starts import Starts
from jaxpoker.solvers.tree.street_shapes import OfShapes
from jaxpoker.solvers.tree.street_tables import StreetTables, require_shapes

Array = jax.Array
Strategy = tuple[Array, ...]  # by street [decisions of the street, buckets, actions]

MEASURE_EVERY = 64  # iterations between two looks at how likely starts are
MEASURED_ON = 4  # boards
EXPLORED = 0.02  # of the mean weight of a start, which each start has besides
STARTS, LIKELY = 0x73746172, 0x6C696B65  # folded into the key for the draws of starts, and of boards to measure on


@flax.struct.dataclass
class PublicState:
    """Everything that an update changes; regrets and averages by player, as ``Rows`` lie ``[A, K, buckets, M]``."""

    step: Array  # [] int32, iterations done
    key: Array  # [] the seed's; each update folds its step into it
    counts: Array  # [2, types, types]: the mean of all boards so far, if they are remembered; else [0]
    boards: Array  # [] float32, drawn so far
    regrets: tuple[OfShapes, OfShapes]
    averages: tuple[OfShapes, OfShapes]  # weighted sums of strategies times own reach, in units of ``last_weights``
    locks: Locks = NO_LOCKS  # what is given and not learned
    likely: tuple[Array, ...] = ()  # by street [starts]: what they are drawn by, shape after shape; if they are drawn


@dataclasses.dataclass(frozen=True, eq=False)
class PublicCFR:
    """The solver; ``solvers.make`` makes one."""

    game: BucketGame | TypeGame | HandGame  # or what else keeps the contract of ``solvers/sweep.py`` by shapes
    chance: Chance
    rows: Rows  # which decisions share a row of the tables
    algorithm: Algorithm = ALGORITHMS["dcfr"]
    first_street: Algorithm | None = None  # of the first street's decisions, if it is not that of the others
    batch: int = 8  # boards of an iteration
    remember: bool = True
    exact_game: ExactGame | None = None  # strategies are tables of this game
    before: int = 0  # iterations that the state begins with, as ``sampling/warm_start.py`` makes one
    shares: tuple[float, ...] | None = None  # by street: the part of the starts that an iteration sweeps; None for all

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ValueError(f"{self.batch} boards in an iteration: at least one")
        for each in self.algorithms:
            if each.predictive or not each.alternating:
                raise ValueError(f"public sampling with {each.name}: take one that alternates and predicts nothing")
        if self.remember and not self.chance.num_types:
            raise ValueError("boards are remembered as counts of types: with buckets this fine there are too many")
        devices.require_even(self.mesh, self.batch, "boards")
        if self.shares is not None:
            self._require_drawable(self.shares)

    def _require_drawable(self, shares: tuple[float, ...]) -> None:
        """Raises ``ValueError`` where starts cannot be drawn."""
        if len(shares) != len(self.rows.betting.streets) or not all(0 < share <= 1 for share in shares):
            raise ValueError(
                f"parts of the starts {shares}: one above 0 and at most 1 for each of the "
                f"{len(self.rows.betting.streets)} streets"
            )
        if not isinstance(self.game, HandGame) or not isinstance(self.rows, OwnRows):
            raise ValueError("some starts are swept only between hands, where each decision has a row of its own")
        for each in self.algorithms:
            if each.discounts:
                raise ValueError(f"some starts are swept with cfr or cfr+: {each.name} discounts all regrets each time")

    @property
    def mesh(self) -> jax.sharding.Mesh | None:
        """Its devices share the boards; what they found is averaged."""
        return self.chance.mesh

    # --- the learner ----------------------------------------------------------------------------

    def init(self, key: Array, locks: Locks = NO_LOCKS) -> PublicState:
        """No regrets yet, and no board drawn. ``locks`` hold the strategies of some information sets fixed."""
        if any(lock is not None for lock in locks) and not isinstance(self.rows, OwnRows):
            raise ValueError("decisions that share their rows cannot be locked: leave out either")
        return devices.begun(self.mesh, self._init, (key, locks))

    def locks(self, held: Strategy, strategy: Strategy) -> Locks:
        """Locks of the buckets that are ``held``, by street ``[decisions, buckets]`` bool, at what ``strategy``, by
        street ``[decisions, buckets, actions]``, plays there.
        """
        betting = self.rows.betting

        def of(player: int) -> Lock:
            every = betting.placed(player, tuple(jnp.asarray(street)[..., None] for street in held))
            held_there = jax.tree.map(lambda shape: shape[0] > 0, every)
            return Lock(held_there, betting.by_shapes(player, tuple(map(jnp.asarray, strategy))))

        return of(0), of(1)

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, given: tuple[Array, Locks]) -> PublicState:
        def zeros(player: int) -> OfShapes:
            return tuple(
                tuple(jnp.zeros((*legal.shape[:2], buckets, legal.shape[3])) for legal in of_street)
                for of_street, buckets in zip(self.rows.legal(player), self.game.num_buckets, strict=True)
            )

        key, locks = given
        types = self.chance.num_types if self.remember else 0
        return PublicState(
            step=jnp.zeros((), jnp.int32),
            key=key,
            counts=jnp.zeros((2, types, types)),
            boards=jnp.zeros(()),
            regrets=(zeros(0), zeros(1)),
            averages=(zeros(0), zeros(1)),
            locks=jax.tree.map(jnp.array, locks),
            likely=self._even(),
        )

    def _even(self) -> tuple[Array, ...]:
        """All starts are alike, before they are measured for the first time."""
        if self.shares is None:
            return ()
        return tuple(jnp.ones(sum(shape.num_starts for shape in shapes)) for shapes in self.rows.betting.streets)

    def update(self, state: PublicState) -> tuple[PublicState, dict[str, Array]]:
        """One iteration, and what it found. The state given is used up."""
        return self._iterate(state, self.chance.tables)

    def run(self, state: PublicState, iterations: Array | int) -> PublicState:
        """The state after so many iterations more, in one compiled loop: for small games."""
        return self._run(state, self.chance.tables, iterations)

    @functools.partial(jax.jit, static_argnums=0)
    def _run(self, state: PublicState, tables: Any, iterations: Array | int) -> PublicState:
        return jax.lax.fori_loop(0, iterations, lambda _, state: self._iterate(state, tables)[0], state)

    @functools.partial(jax.jit, static_argnums=0)
    def average(self, state: PublicState) -> Any:
        """The average strategy, uniform where a player never goes: by street ``[decisions, buckets, actions]``, or a
        table of the ``exact_game``.
        """
        return self._strategy(state.averages, state.locks)

    @functools.partial(jax.jit, static_argnums=0)
    def concise(self, state: PublicState, least_reach: Array | float, alike: Sequence[Array]) -> Any:
        """The average strategy in a form that is small in a file and nearly as good.

        Where own play brings a bucket to a decision less often than ``least_reach``, as a part of how often it does
        where it comes most often on the street, it plays what buckets that are ``alike`` (by street ``[buckets]``, a
        number below that of buckets) play there on average, and where none of them comes, what all do.
        """
        first, second = (_concise(averages, least_reach, alike) for averages in state.averages)
        return self._strategy((first, second), state.locks)

    @functools.partial(jax.jit, static_argnums=0)
    def current(self, state: PublicState) -> Any:
        """The strategy of the next iteration, likewise."""
        return self._strategy(state.regrets, state.locks)

    def _strategy(self, sums: tuple[OfShapes, OfShapes], locks: Locks) -> Any:
        first, second = (self._played(player, sums[player], locks[player]) for player in PLAYERS)
        strategy = self.rows.betting.strategy((first, second))
        return strategy if self.exact_game is None else as_table(self.exact_game, strategy)

    # --- tables by street -----------------------------------------------------------------------

    def last_weights(self, step: int) -> list[float]:
        """By street: the unit of the sums of averages after ``step`` iterations, in weights of the last one.

        Where some starts are drawn the unit stays the same, so that sums elsewhere need not be touched.
        """
        drawn = self.shares is not None
        return [each.unit(step + self.before) if drawn else 1.0 for each in self.algorithms]

    def street_tables(self, state: PublicState) -> StreetTables:
        """What ``state`` has learned, in the tree's order; decisions that share a row have the same."""
        if state.locks != NO_LOCKS:
            raise ValueError("tables by street do not say what is locked: leave out the locks")
        spread = [
            [self._spread(player, sums[player]) for player in PLAYERS] for sums in (state.regrets, state.averages)
        ]
        regrets, sums = (self.rows.betting.strategy((first, second)) for first, second in spread)
        counts = state.counts if self.remember else jnp.zeros((2, 0, 0))
        return StreetTables(state.step, state.key, regrets, sums, counts, state.boards).kept()

    def state_of(self, tables: StreetTables) -> PublicState:
        """The state that has learned ``tables``, on the solver's devices; the inverse of ``street_tables``."""
        tree = self.rows.betting.tree
        decisions = [len(tree.decisions(street=street)) for street in range(len(self.rows.betting.streets))]
        require_shapes(
            tables,
            [(n, buckets, tree.num_actions) for n, buckets in zip(decisions, self.game.num_buckets, strict=False)],
        )
        types = self.chance.num_types if self.remember else 0
        if tables.counts.shape != (2, types, types):
            raise ValueError(f"boards are counted as {tables.counts.shape}: this solver counts {(2, types, types)}")
        own = tables._replace(counts=jnp.array(tables.counts))  # a copy: an update is given its memory
        return devices.begun(self.mesh, self._state_of, own)

    @functools.partial(jax.jit, static_argnums=0)
    def _state_of(self, tables: StreetTables) -> PublicState:
        regrets, averages = (
            (self.rows.taken(0, by_street), self.rows.taken(1, by_street))
            for by_street in (tables.regrets, tables.strategy_sums)
        )
        return PublicState(
            tables.step, tables.key, tables.counts, tables.boards, regrets, averages, likely=self._even()
        )

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _spread(self, player: int, tables: OfShapes) -> OfShapes:
        return jax.tree.map(
            lambda table, legal: jnp.where(legal, table, 0),
            self.rows.spread(player, tables),
            self.rows.betting.legal(player),
        )

    # --- an iteration ---------------------------------------------------------------------------

    def _iterate(self, state: PublicState, tables: Any) -> tuple[PublicState, dict[str, Array]]:
        """Jitted piece by piece: sweeps, which take long to compile, are shared with whoever judges a strategy."""
        dealt, counts, boards, types = self._draw(tables, state.key, state.step, state.counts, state.boards)
        regrets, averages, likely = list(state.regrets), list(state.averages), state.likely
        starts = None
        if self.shares is not None:
            likely, starts = self._draw_starts(tables, state)
        swept_only = () if starts is None else (starts,)
        current = [self._played(player, regrets[player], state.locks[player], starts) for player in PLAYERS]

        def sweep(player: int) -> Swept:
            found: Swept = self.game.values(player, dealt, current[player], current[1 - player], *swept_only)
            return found

        first = sweep(0)
        swept = (first, None if self.remember else sweep(1))
        for player in PLAYERS:
            found = swept[player] or sweep(player)
            regrets[player], averages[player], current[player] = self._grow(
                player,
                (regrets[player], averages[player], current[player]),
                found.action_values,
                dealt,
                state.step + 1 + self.before,
                state.locks[player],
                starts,
            )
        pairs = ((regrets[0], regrets[1]), (averages[0], averages[1]))
        after = PublicState(state.step + 1, state.key, counts, boards, *pairs, state.locks, likely)
        node_updates = types * (self.batch * self.rows.betting.tree.num_nodes)
        return after, {"value": first.value, "types": types, "boards": boards, "node_updates": node_updates}

    @functools.partial(jax.jit, static_argnums=0)
    def _draw_starts(self, tables: Any, state: PublicState) -> tuple[tuple[Array, ...], Starts]:
        """What starts are drawn by, measured anew every so many iterations, and those drawn."""
        assert self.shares is not None
        key = jax.random.fold_in(state.key, state.step)
        likely = jax.lax.cond(
            state.step % MEASURE_EVERY == 0,
            lambda: self._likely(tables, jax.random.fold_in(key, LIKELY), state.averages, state.locks),
            lambda: state.likely,
        )
        starts = drawn_starts.draw(self.rows.betting, likely, self.shares, jax.random.fold_in(key, STARTS))
        return likely, starts

    def _likely(self, tables: Any, key: Array, averages: tuple[OfShapes, OfShapes], locks: Locks) -> tuple[Array, ...]:
        """By street ``[starts]``: pot * (how likely both players come there) ** 0.75, and a little for each.

        Regrets upstream need the value of a start even where own play leads there seldom; the power is between that
        need and the noise of what happens.
        """
        assert isinstance(self.game, HandGame)
        dealt, _ = self.chance.dealt(tables, self.chance.draw(tables, key, MEASURED_ON))
        reach = [
            self.game.reach_starts(player, dealt, self._played(player, averages[player], locks[player]))
            for player in PLAYERS
        ]
        found = []
        for pots, first, second in zip(self.rows.betting.pots(), *reach, strict=True):
            weight = pots * (first * second) ** 0.75
            found.append(weight + EXPLORED * weight.mean() + 1e-20)
        return tuple(found)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=4)
    def _draw(
        self, tables: Any, key: Array, step: Array, counts: Array, boards: Array
    ) -> tuple[Any, Array, Array, Array]:
        """What is dealt, counts to remember, boards drawn so far, and types of a board."""
        drawn = self.chance.draw(tables, jax.random.fold_in(key, step), self.batch)
        boards = boards + self.batch
        dealt, types = self.chance.dealt(tables, drawn)
        if not self.remember:
            return dealt, counts, boards, types
        counts = counts + (dealt - counts) * (self.batch / boards)
        return counts, counts, boards, types

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
    def _grow(
        self,
        player: int,
        learned: tuple[OfShapes, OfShapes, OfShapes],
        values: OfShapes,
        dealt: Any,
        step: Array,
        lock: Lock | None,
        starts: Starts | None,
    ) -> tuple[OfShapes, OfShapes, OfShapes]:
        """Regrets, averages and the strategy by shapes of ``player``, all three as ``learned``, after ``step``; the
        strategy and ``values`` are those of the ``starts`` that were swept.
        """
        all_regrets, all_averages, current = learned
        t = step.astype(jnp.float32)
        streets = list(enumerate(self.algorithms))
        if starts is None:
            regrets, averages = all_regrets, all_averages
            reach = self.rows.collect(player, self.game.own_reach(player, dealt, current))
        else:
            lock = _of_starts(lock, starts)
            regrets, averages = drawn_starts.taken(all_regrets, starts), drawn_starts.taken(all_averages, starts)
            assert isinstance(self.game, HandGame)
            reach = _counted(self.game.own_reach(player, dealt, current, starts), starts)
        instant = instant_regrets(values, current, drawn_starts.taken(self.game.legal(player), starts), lock)
        played = matched(regrets, drawn_starts.taken(self.rows.legal(player), starts), lock)
        found = self.rows.collect(player, instant)
        grown = tuple(each.grown(regrets[i], found[i], t) for i, each in streets)
        if starts is None:
            averaged = tuple(each.averaged(averages[i], played[i], reach[i], t) for i, each in streets)
            return grown, averaged, self._played(player, grown, lock)
        added = tuple(each.summed(averages[i], played[i], reach[i], t) for i, each in streets)
        following = matched(grown, drawn_starts.taken(self.rows.legal(player), starts), lock)
        return drawn_starts.put(all_regrets, grown, starts), drawn_starts.put(all_averages, added, starts), following

    @property
    def algorithms(self) -> list[Algorithm]:
        """Of each street."""
        later = len(self.rows.betting.streets) - 1
        return [self.first_street or self.algorithm] + [self.algorithm] * later

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def _played(self, player: int, sums: OfShapes, lock: Lock | None, starts: Starts | None = None) -> OfShapes:
        """The strategy, by shapes, in proportion to regrets or averages; of some ``starts`` where they are drawn."""
        legal = drawn_starts.taken(self.rows.legal(player), starts)
        return self.rows.spread(player, matched(drawn_starts.taken(sums, starts), legal, _of_starts(lock, starts)))


def _of_starts(lock: Lock | None, starts: Starts | None) -> Lock | None:
    return lock and Lock(*(drawn_starts.taken(part, starts) for part in lock))


def _counted(reach: OfShapes, starts: Starts) -> OfShapes:
    """Reach ``[K, buckets, m]`` of the starts drawn, times what a visit counts."""
    found = []
    for shapes, here in zip(reach, starts, strict=True):
        assert here.counts is not None
        of_shapes = zip(shapes, drawn_starts.by_shape(here.counts, here), strict=True)
        found.append(tuple(of_shape * count for of_shape, count in of_shapes))
    return tuple(found)


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


def as_table(game: ExactGame, strategy: Strategy) -> Array:
    """A strategy by street ``[decisions, columns, actions]`` as a table ``[rows, actions]`` of ``game``."""
    parts = []
    for player in PLAYERS:
        mine = [game.tree.player[game.tree.decisions(street=street)] == player for street in range(len(strategy))]
        rows = [table[own].reshape(-1, game.num_actions) for table, own in zip(strategy, mine, strict=True)]
        parts.append(jnp.concatenate(rows).T)
    return game.table((parts[0], parts[1]))
