"""A run that trains a blueprint: the solver as a learner, and the strategies that it leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from jaxpoker import devices, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.players.registry import BLUEPRINT_FILE
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.abstraction import CardAbstraction, rebucketing
from jaxpoker.solvers.abstraction.rank_history import RankHistory
from jaxpoker.solvers.blueprint import Blueprint, other_tree
from jaxpoker.solvers.blueprint.storage import in_parts
from jaxpoker.solvers.response import abstract_response
from jaxpoker.solvers.response.abstract_response import Exploitability
from jaxpoker.solvers.sampling import abstract_games, warm_start
from jaxpoker.solvers.sampling.boards import Chance, HoldemBoards
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.tree import Tree, street_shapes
from jaxpoker.studies.solve import solvers
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import game_of

Array = jax.Array
Begin = Callable[[Array], Any]  # the first state of a run, by the key of its seed

EARLIER_FILE = "earlier.zip"  # in a run's folder, beside the BLUEPRINT_FILE
FEW_PARTS = 51  # of a probability, where buckets remember or numbers are many: a third less to keep
MANY = 30_000_000  # probabilities of a strategy
LEAST_REACH = 2e-3  # of a bucket at a decision, by own play, for a file to know what it does there


def known_cards(console: Console, name: str, num_buckets: Sequence[int] | None) -> CardAbstraction:
    """The card abstraction of that name; says how far it is, as equity buckets take minutes the first time."""
    told = ""
    if num_buckets is not None and (name, tuple(num_buckets)) == _shipped_cards():
        return blueprints.load_shipped().abstraction
    with console.status("buckets") as status:

        def progress(what: str, share: float) -> None:
            nonlocal told
            if console.is_terminal:
                status.update(f"{what} {share:.0%}")
            elif what != told:
                console.print(what)
            told = what

        return abstraction.make(name, num_buckets, **({"progress": progress} if name == "equity" else {}))


def _shipped_cards() -> tuple[str, tuple[int, ...]]:
    """Name and numbers of the buckets that come with the package, and need not be made."""
    shipped = blueprints.load_shipped().abstraction
    return shipped.name, tuple(shipped.num_buckets)


class Prepared(NamedTuple):
    """What a run of hold'em trains."""

    game: Holdem
    cards: CardAbstraction
    solver: Any
    begin: Begin | None  # the first state, of a run that goes on from a strategy


def prepared(console: Console, launch: runs.Launch[Config]) -> Prepared:
    """Game, cards and solver that the settings name, or those of the strategy that a run starts from."""
    config = launch.config
    assert config.start is not None
    begun = solvers.started_from(config.start)
    if begun is None:
        game = game_of(config)
        assert isinstance(game, Holdem) and config.cards is not None
        known = known_cards(console, config.cards, config.buckets)
        with console.status("betting tree"):
            return Prepared(game, known, solvers.of_holdem(launch, game, known), None)
    known, betting = begun.abstraction, begun.tree
    if config.buckets not in (None, tuple(known.num_buckets)):
        known = known_cards(console, begun.abstraction.name, config.buckets)
    if config.menu is not None:
        with console.status("betting tree"):
            betting = tree.build(dataclasses.replace(begun.game, menu=config.menu))
    solver = solvers.of_blueprint(launch, begun, betting, known)
    game = betting.game
    assert isinstance(game, Holdem)
    if launch.resume:  # its checkpoint has it all
        return Prepared(game, known, solver, None)

    def begin(key: Array) -> Any:
        strategy: Sequence[Any] = [begun.parts(street) for street in range(begun.tree.num_streets)]
        if known is not begun.abstraction:
            with console.status("the strategy, carried over to other buckets"):
                strategy = rebucketing.carried_over(strategy, rebucketing.shares(begun.abstraction, known, key))
        if betting is not begun.tree:
            with console.status("the strategy, carried over to other bet sizes"):
                strategy = other_tree.carried_over(begun.tree, strategy, betting)
        state = warm_start.from_strategy(solver, key, tuple(map(jnp.asarray, strategy)))
        devices.give_back_memory()
        return state

    return Prepared(game, known, solver, begin)


class Training:
    """A sampling solver of hold'em as a learner (``jaxpoker.runs``).

    Each evaluation measures the average strategy against best responses. The last one of the first half of a run is
    kept, so that the end can play against what it was, if ``keeps_earlier``. ``begin`` makes the first state of a run
    that does not start with nothing.
    """

    def __init__(
        self,
        solver: Any,
        cards: CardAbstraction,
        boards: int,
        folder: Path,
        iterations: int,
        keeps_earlier: bool = True,
        begin: Begin | None = None,
    ) -> None:
        self.solver, self.cards, self.boards = solver, cards, boards
        self.folder, self.iterations = folder, iterations
        self.keeps_earlier, self.begin = keeps_earlier, begin
        self.has_compiled = False
        self.tree: Tree = solver.game.tree
        self.measured_on = _measured_on(solver, cards)

    def init(self, key: Array) -> Any:
        return self.solver.init(key) if self.begin is None else self.begin(key)

    def update(self, state: Any) -> tuple[Any, Mapping[str, Any]]:
        after, metrics = self.solver.update(state)
        if not self.has_compiled:
            self.has_compiled = True
            devices.give_back_memory()
        return after, metrics

    def evaluate(self, state: Any, key: Array) -> Mapping[str, Any]:
        if self.keeps_earlier and 2 * int(state.step) <= self.iterations:
            self.blueprint(self.to_keep(state)).save(self.folder / EARLIER_FILE)
        found = self.exploitability(self.solver.average(state), key)
        if found is None:
            return {}
        return {
            "exploitability": found.exploitability.mean,
            "exploitability_ci95": found.exploitability.ci95,
            "exploitability_fitted": found.fitted,
        }

    def save(self, state: Any) -> None:
        """The average strategy as the run's ``BLUEPRINT_FILE``; buckets that take minutes to make come along."""
        kept = self.blueprint(self.to_keep(state))
        kept.save(self.folder / BLUEPRINT_FILE, complete=self.cards.name == "equity")

    def to_keep(self, state: Any) -> Sequence[Any]:
        """The average strategy as it goes into a file: concise, where buckets remember; coarse, where it is large."""
        if isinstance(self.solver, PublicCFR) and isinstance(self.cards, RankHistory):
            alike = [jnp.asarray(self.cards.alike(street)) for street in range(self.tree.num_streets)]
            kept = self.solver.concise(state, LEAST_REACH, alike)
            return [_coarse(of_street) for of_street in kept]
        found = self.solver.average(state)
        is_large = sum(of_street.size for of_street in found) > MANY
        return [_coarse(of_street) for of_street in found] if is_large else found

    def exploitability(self, strategy: Sequence[Any], key: Array) -> Exploitability | None:
        """In the abstract game, mBB/hand; None where the buckets are too fine to say."""
        if self.measured_on is None:
            return None
        chance, game = self.measured_on
        by_street = tuple(jnp.asarray(of_street) for of_street in strategy[: self.tree.num_streets])
        return abstract_response.exploitability(game, chance, by_street, key, self.boards)

    def blueprint(self, strategy: Sequence[Any]) -> Blueprint:
        """Of a strategy by street; a street that nobody bets on has no decisions."""
        buckets = self.cards.num_buckets[len(strategy) :]
        unused = [np.zeros((0, number, self.tree.num_actions), np.float32) for number in buckets]
        return Blueprint(self.tree, self.cards, (*map(np.asarray, strategy), *unused))


def _coarse(of_street: Any) -> np.ndarray:
    """Probabilities rounded to ``FEW_PARTS``."""
    return in_parts(np.asarray(of_street), FEW_PARTS) / np.float32(FEW_PARTS)


def _measured_on(solver: Any, cards: CardAbstraction) -> tuple[Chance, Any] | None:
    """Boards and the abstract game to measure strategies on; None where the buckets are too fine for it."""
    if isinstance(solver, PublicCFR):
        return (solver.chance, solver.game) if solver.chance.num_types else None
    tree: Tree = solver.game.tree
    chance = HoldemBoards(cards, tree.num_streets)
    game = abstract_games.between_types(street_shapes.shaped(tree), chance.paths)
    return None if game is None else (chance, game)
