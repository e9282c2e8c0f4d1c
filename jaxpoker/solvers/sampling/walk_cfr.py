"""Monte Carlo counterfactual regret minimisation by sampled walks: external and outcome sampling.

    solver = solvers.make("linear", jaxpoker.make("leduc"), sampling="external")
    state = solver.run(solver.init(jax.random.key(0)), 1000)
    strategy = solver.average(state)                            # [information sets, actions]

One update is, for one seat after the other, a batch of walks against the same current strategies: their mean is an
unbiased estimate of the seat's instantaneous regrets, and regrets and averages grow by them (``solvers/regret.py``). A
seat's walks also say how often the other's actions lead to its decisions, which is the other's weight in its average.
With three and more seats the weight is a seat's own exact reach instead.
``sampling/external_sampling.py`` and ``sampling/outcome_sampling.py`` have the walks.

Hold'em with a card abstraction is a tree and buckets (``walk_game.between_buckets``); its strategy is a tuple over
streets of ``[decisions of the street, buckets, actions]``. Same key, same bits.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal, get_args

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.regret import ALGORITHMS, NO_LOCKS, Algorithm, Locks, matched
from jaxpoker.solvers.sampling import external_sampling, outcome_sampling
from jaxpoker.solvers.sampling.walk_game import Strategies, WalkDeals, Walked, WalkGame
from jaxpoker.solvers.tree.street_tables import StreetTables, require_shapes

Array = jax.Array
WalkSampling = Literal["external", "outcome"]


@flax.struct.dataclass
class WalkState:
    """Everything that an update changes, per seat ``[actions, slots]`` where not said otherwise."""

    step: Array  # [] int32, updates done
    key: Array  # [] the seed's; each update folds its step into it
    regrets: tuple[Array, ...]
    averages: tuple[Array, ...]  # weighted sums of strategies times reach, in units of the last weight
    locks: Locks = NO_LOCKS  # what is given and not learned


@dataclasses.dataclass(frozen=True, eq=False)
class WalkCFR:
    """See the module's docstring; ``solvers.make`` makes one."""

    game: WalkGame
    exact_game: ExactGame | None  # what the deals are of; None with a card abstraction
    sampling: WalkSampling
    algorithm: Algorithm = ALGORITHMS["linear"]
    batch: int = 512  # walks of each seat in an update
    exploration: float = 0.6  # outcome sampling: the part of the walking player's actions that is drawn evenly
    mesh: jax.sharding.Mesh | None = None  # its devices share the walks; what they found is added up

    def __post_init__(self) -> None:
        if self.sampling not in get_args(WalkSampling):
            raise ValueError(
                f"unknown sampling {self.sampling!r}: walks are {' or '.join(map(repr, get_args(WalkSampling)))}"
            )
        if self.algorithm.predictive:
            raise ValueError(f"{self.algorithm.name} forecasts from exact regrets: sampled ones are no forecast")
        if self.batch < 1:
            raise ValueError(f"a batch of {self.batch} walks: at least one")
        if self.sampling == "outcome" and not 0 < self.exploration <= 1:
            raise ValueError(f"exploration {self.exploration}: above 0, so that every action is tried, and at most 1")
        devices.require_even(self.mesh, self.batch, "walks")

    def init(self, key: Array, locks: Locks = NO_LOCKS) -> WalkState:
        """No regrets yet: all legal actions alike. ``locks`` hold the strategies of some information sets fixed."""
        return devices.begun(self.mesh, self._init, (key, locks))

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, given: tuple[Array, Locks]) -> WalkState:
        def zeros() -> tuple[Array, ...]:
            return tuple(jnp.zeros(legal.shape, jnp.float32) for legal in self.game.legal)

        key, locks = given
        if locks == NO_LOCKS:
            locks = (None,) * self.game.num_seats
        return WalkState(jnp.zeros((), jnp.int32), key, zeros(), zeros(), jax.tree.map(jnp.array, locks))

    def update(self, state: WalkState) -> tuple[WalkState, dict[str, Array]]:
        """A batch of walks for each seat; says what the game is worth to seat 0 in them, and how many there were."""
        return self._update(state, self.game.tables)

    def run(self, state: WalkState, updates: Array | int) -> WalkState:
        """The state after so many updates more; their number is data and compiles once."""
        return self._run(state, self.game.tables, updates)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _update(self, state: WalkState, tables: Any) -> tuple[WalkState, dict[str, Array]]:
        return self._iterate(state, tables)

    @functools.partial(jax.jit, static_argnums=0)
    def _run(self, state: WalkState, tables: Any, updates: Array | int) -> WalkState:
        return jax.lax.fori_loop(0, updates, lambda _, state: self._iterate(state, tables)[0], state)

    def _iterate(self, state: WalkState, tables: Any) -> tuple[WalkState, dict[str, Array]]:
        t = (state.step + 1).astype(jnp.float32)
        key = jax.random.fold_in(state.key, state.step)
        regrets, averages = list(state.regrets), list(state.averages)
        before = self._matched(state.regrets, state.locks)
        current = list(before)
        values, seats = [], range(self.game.num_seats)
        for player in seats:
            playing = tuple(current if self.algorithm.alternating else before)
            walked = self.walks(tables, player, playing, jax.random.fold_in(key, player))
            for seat in seats:
                reach = self._reach_in_average(seat, player, playing[seat], walked)
                if reach is not None:
                    averages[seat] = self.algorithm.averaged(averages[seat], playing[seat], reach, t)
            lock = state.locks[player]
            instant = walked.regrets if lock is None else jnp.where(lock.held, 0, walked.regrets)
            regrets[player] = self.algorithm.grown(regrets[player], instant, t)
            current[player] = matched(regrets[player], self.game.legal[player], lock)
            values.append(walked.value)
        after = WalkState(state.step + 1, state.key, tuple(regrets), tuple(averages), state.locks)
        others = functools.reduce(jnp.add, values[1:])
        metrics = {"value": (values[0] - others) / 2, "walks": float(len(seats)) * self.batch * t}
        return devices.placed(self.mesh, after), devices.everywhere(self.mesh, metrics)

    def _reach_in_average(self, seat: int, player: int, strategy: Array, walked: Walked) -> Array | None:
        """``[slots]``: how much ``seat``'s strategy counts in its average in the update of ``player``; None: not then.

        Between two the other's counts as often as the walks came there. With more seats that would count the other
        opponents' actions, too; a seat's own exact reach does not.
        """
        if self.game.num_seats == 2:
            return walked.reach[seat]
        if seat != player:
            return None
        assert self.exact_game is not None
        return self.exact_game.own_reach(seat, None, strategy)

    def walks(self, tables: Any, player: int, strategies: Strategies, key: Array) -> Walked:
        """What ``player`` learns from a batch of walks; ``tables`` are the game's."""
        deal_key, walk_key = jax.random.split(key)
        dealt = self.game.deal(tables, deal_key, self.batch)
        dealt = WalkDeals(devices.spread(self.mesh, dealt.columns, axis=2), devices.spread(self.mesh, dealt.outcome))
        if self.sampling == "external":
            return external_sampling.walk(self.game, player, strategies, dealt, walk_key)
        return outcome_sampling.walk(self.game, player, strategies, dealt, walk_key, self.exploration)

    def _matched(self, sums: tuple[Array, ...], locks: Locks) -> Strategies:
        return tuple(matched(*each) for each in zip(sums, self.game.legal, locks, strict=True))

    @functools.partial(jax.jit, static_argnums=0)
    def average(self, state: WalkState) -> Array | tuple[Array, ...]:
        """The average strategy, uniform where a player never goes: ``[rows, actions]`` of an exact game; with a card
        abstraction by street ``[decisions, buckets, actions]``.
        """
        strategies = self._matched(state.averages, state.locks)
        return self.exact_game.table(strategies) if self.exact_game else self.game.by_street(strategies)

    def street_tables(self, state: WalkState) -> StreetTables:
        """What ``state`` has learned, by street and in the tree's order."""
        if any(lock is not None for lock in state.locks):
            raise ValueError("tables by street do not say what is locked: leave out the locks")
        regrets, sums = (self.game.by_street(each) for each in (state.regrets, state.averages))
        return StreetTables(state.step, state.key, regrets, sums, jnp.zeros((2, 0, 0)), jnp.zeros(())).kept()

    def state_of(self, tables: StreetTables) -> WalkState:
        """The state that has learned ``tables``, on the solver's devices; the inverse of ``street_tables``."""
        require_shapes(tables, self.game.street_shapes)
        return devices.begun(self.mesh, self._state_of, tables)

    @functools.partial(jax.jit, static_argnums=0)
    def _state_of(self, tables: StreetTables) -> WalkState:
        regrets, averages = (
            tuple(self.game.of_seat(seat, by_street) for seat in range(self.game.num_seats))
            for by_street in (tables.regrets, tables.strategy_sums)
        )
        return WalkState(tables.step, tables.key, regrets, averages)

    def evaluate(self, state: WalkState, key: Array) -> dict[str, Array]:
        """Of the average strategy: value and exploitability or, for more than two, NashConv, exact; with a card
        abstraction a sampled value alone."""
        if self.exact_game is not None:
            return best_response.figures(self.exact_game, self.average(state))
        return {"value": self._sampled_value(state, self.game.tables, key)}

    @functools.partial(jax.jit, static_argnums=0)
    def _sampled_value(self, state: WalkState, tables: Any, key: Array) -> Array:
        return self.walks(tables, 0, self._matched(state.averages, state.locks), key).value
