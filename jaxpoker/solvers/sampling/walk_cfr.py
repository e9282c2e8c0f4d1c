"""Monte Carlo counterfactual regret minimisation by sampled walks: external and outcome sampling.

    solver = sampling.make("external", public_game.of(jaxpoker.make("leduc")))
    state = solver.run(solver.init(jax.random.key(0)), 1000)
    strategy = solver.average(state)                            # [information sets, actions]

One update is, for one seat after the other, a batch of walks against the same current strategies: their mean is an
unbiased estimate of the seat's instantaneous regrets in ``solvers/exact/cfr.py``, and regrets and averages grow by them
as an ``Algorithm`` of that file says. A seat's walks also say how often the other's actions lead to its decisions,
which is the other's weight in its average. ``solvers/sampling/external_sampling.py`` and
``solvers/sampling/outcome_sampling.py`` have the walks.

Hold'em with a card abstraction is a tree and buckets: ``sampling.make("external", (tree, abstraction))``; its strategy
is a tuple over streets of ``[decisions of the street, buckets, actions]``. Same key, same bits.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal, get_args

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker import devices
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact import best_response
from jaxpoker.solvers.exact.cfr import ALGORITHMS, Algorithm, regret_matching
from jaxpoker.solvers.exact.exact_game import PLAYERS, PublicGame
from jaxpoker.solvers.sampling import external_sampling, outcome_sampling, walk_game
from jaxpoker.solvers.sampling.walk_game import Dealt, SampledGame, Strategies, Walked
from jaxpoker.solvers.tree import Tree

Array = jax.Array
Sampling = Literal["external", "outcome"]


@flax.struct.dataclass
class State:
    """Everything that an update changes, per seat ``[actions, slots]`` where not said otherwise."""

    step: Array  # [] int32, updates done
    key: Array  # [] the seed's; each update folds its step into it
    regrets: tuple[Array, Array]
    averages: tuple[Array, Array]  # weighted sums of strategies times reach, in units of the last weight


@dataclasses.dataclass(frozen=True, eq=False)
class SampledCFR:
    """See the module's docstring; ``make`` makes one."""

    game: SampledGame
    public_game: PublicGame | None  # what the deals are of; None with a card abstraction
    sampling: Sampling
    algorithm: Algorithm = ALGORITHMS["linear"]
    batch: int = 512  # walks of each seat in an update
    exploration: float = 0.6  # outcome sampling: the part of the walking player's actions that is drawn evenly
    mesh: jax.sharding.Mesh | None = None  # its devices share the walks; what they found is added up

    def __post_init__(self) -> None:
        if self.sampling not in get_args(Sampling):
            raise ValueError(
                f"unknown sampling {self.sampling!r}: walks are {' or '.join(map(repr, get_args(Sampling)))}"
            )
        if self.algorithm.predictive:
            raise ValueError(f"{self.algorithm.name} forecasts from exact regrets: sampled ones are no forecast")
        if self.batch < 1:
            raise ValueError(f"a batch of {self.batch} walks: at least one")
        if self.sampling == "outcome" and not 0 < self.exploration <= 1:
            raise ValueError(f"exploration {self.exploration}: above 0, so that every action is tried, and at most 1")
        devices.require_even(self.mesh, self.batch, "walks")

    def init(self, key: Array) -> State:
        """No regrets yet: all legal actions alike."""
        return devices.begun(self.mesh, self._init, key)

    @functools.partial(jax.jit, static_argnums=0)
    def _init(self, key: Array) -> State:
        def zeros() -> tuple[Array, Array]:
            first, second = (jnp.zeros(legal.shape, jnp.float32) for legal in self.game.legal)
            return first, second

        return State(jnp.zeros((), jnp.int32), key, zeros(), zeros())

    def update(self, state: State) -> tuple[State, dict[str, Array]]:
        """A batch of walks for each seat; says what the game is worth to seat 0 in them, and how many there were."""
        return self._update(state, self.game.tables)

    def run(self, state: State, updates: Array | int) -> State:
        """The state after so many updates more; their number is data and compiles once."""
        return self._run(state, self.game.tables, updates)

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _update(self, state: State, tables: Any) -> tuple[State, dict[str, Array]]:
        return self._iterate(state, tables)

    @functools.partial(jax.jit, static_argnums=0)
    def _run(self, state: State, tables: Any, updates: Array | int) -> State:
        return jax.lax.fori_loop(0, updates, lambda _, state: self._iterate(state, tables)[0], state)

    def _iterate(self, state: State, tables: Any) -> tuple[State, dict[str, Array]]:
        t = (state.step + 1).astype(jnp.float32)
        key = jax.random.fold_in(state.key, state.step)
        regrets, averages = list(state.regrets), list(state.averages)
        before = self._matched(state.regrets)
        current = list(before)
        values = []
        for player in PLAYERS:
            other = 1 - player
            one, two = current if self.algorithm.alternating else before
            walked = self.walks(tables, player, (one, two), jax.random.fold_in(key, player))
            averages[other] = self.algorithm.averaged(averages[other], (one, two)[other], walked.reach, t)
            regrets[player] = self.algorithm.grown(regrets[player], walked.regrets, t)
            current[player] = regret_matching(regrets[player], self.game.legal[player])
            values.append(walked.value)
        after = State(state.step + 1, state.key, (regrets[0], regrets[1]), (averages[0], averages[1]))
        metrics = {"value": (values[0] - values[1]) / 2, "walks": 2.0 * self.batch * t}
        return devices.placed(self.mesh, after), devices.everywhere(self.mesh, metrics)

    def walks(self, tables: Any, player: int, strategies: Strategies, key: Array) -> Walked:
        """What ``player`` learns from a batch of walks; ``tables`` are the game's."""
        deal_key, walk_key = jax.random.split(key)
        dealt = self.game.deal(tables, deal_key, self.batch)
        dealt = Dealt(devices.spread(self.mesh, dealt.columns, axis=2), devices.spread(self.mesh, dealt.outcome))
        if self.sampling == "external":
            return external_sampling.walk(self.game, player, strategies, dealt, walk_key)
        return outcome_sampling.walk(self.game, player, strategies, dealt, walk_key, self.exploration)

    def _matched(self, sums: tuple[Array, Array]) -> Strategies:
        first, second = (regret_matching(own, legal) for own, legal in zip(sums, self.game.legal, strict=True))
        return first, second

    @functools.partial(jax.jit, static_argnums=0)
    def average(self, state: State) -> Array | tuple[Array, ...]:
        """The average strategy, uniform where a player never goes: ``[rows, actions]`` of a public game; with a card
        abstraction by street ``[decisions, buckets, actions]``.
        """
        strategies = self._matched(state.averages)
        return self.public_game.table(strategies) if self.public_game else self.game.by_street(strategies)

    def evaluate(self, state: State, key: Array) -> dict[str, Array]:
        """Of the average strategy: value and exploitability, exact; with a card abstraction a sampled value alone."""
        if self.public_game is not None:
            quality = best_response.quality(self.public_game, self.average(state))
            return {"exploitability": quality.exploitability, "value": quality.value}
        return {"value": self._sampled_value(state, self.game.tables, key)}

    @functools.partial(jax.jit, static_argnums=0)
    def _sampled_value(self, state: State, tables: Any, key: Array) -> Array:
        return self.walks(tables, 0, self._matched(state.averages), key).value


def make(sampling: Sampling, game: PublicGame | tuple[Tree, CardAbstraction], **options: Any) -> SampledCFR:
    """A solver by the name of its sampling; ``options`` are the further fields of ``SampledCFR``."""
    if isinstance(game, PublicGame):
        return SampledCFR(walk_game.of(game), game, sampling, **options)
    return SampledCFR(walk_game.of_cards(*game), None, sampling, **options)
