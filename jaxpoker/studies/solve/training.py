"""A run that trains a blueprint: the solver as a learner, and what there is to say of it at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from jaxpoker import rivals
from jaxpoker.match import Estimate
from jaxpoker.players.registry import BLUEPRINT_FILE
from jaxpoker.runs.folder import PLOTS
from jaxpoker.solvers import abstraction
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.abstraction import CardAbstraction, bucket_plots
from jaxpoker.solvers.abstraction.rank_history import RankHistory
from jaxpoker.solvers.blueprint import Blueprint, charts, litmus
from jaxpoker.solvers.blueprint.storage import in_parts
from jaxpoker.solvers.response import abstract_response, local_best_response, strength
from jaxpoker.solvers.response.abstract_response import Exploitability
from jaxpoker.solvers.sampling import abstract_games
from jaxpoker.solvers.sampling.boards import Chance, HoldemBoards
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.tree import Tree, street_shapes

Array = jax.Array

EARLIER_FILE = "earlier.zip"  # in a run's folder, beside the BLUEPRINT_FILE
FEW_PARTS = 51  # of a probability, where buckets are many
LEAST_REACH = 2e-3  # of a bucket at a decision, by own play, for a file to know what it does there
REPORT = 0x7265706F  # folded into the seed's key for the stream of the matches


def known_cards(console: Console, name: str, num_buckets: Sequence[int] | None) -> CardAbstraction:
    """The card abstraction of that name; says how far it is, as equity buckets take minutes the first time."""
    told = ""
    with console.status("buckets") as status:

        def progress(what: str, share: float) -> None:
            nonlocal told
            if console.is_terminal:
                status.update(f"{what} {share:.0%}")
            elif what != told:
                console.print(what)
            told = what

        return abstraction.make(name, num_buckets, **({"progress": progress} if name == "equity" else {}))


class Training:
    """A sampling solver of hold'em as a learner (``jaxpoker.runs``).

    Each evaluation measures the average strategy against best responses. The last one of the first half of a run is
    kept, so that the end can play against what it was.
    """

    def __init__(
        self, solver: Any, cards: CardAbstraction, boards: int, folder: Path, iterations: int, first: Any = None
    ) -> None:
        """``first``: the state that a run begins with, if not the solver's own."""
        self.solver, self.cards, self.boards, self.first = solver, cards, boards, first
        self.folder, self.iterations = folder, iterations
        self.tree: Tree = solver.game.tree
        self.measured_on = _measured_on(solver, cards)

    def init(self, key: Array) -> Any:
        return self.solver.init(key) if self.first is None else self.first

    def update(self, state: Any) -> tuple[Any, Mapping[str, Any]]:
        after, metrics = self.solver.update(state)
        return after, metrics

    def evaluate(self, state: Any, key: Array) -> Mapping[str, Any]:
        if 2 * int(state.step) <= self.iterations:
            self.blueprint(self.to_keep(state)).save(self.folder / EARLIER_FILE)
        found = self.exploitability(self.solver.average(state), key)
        if found is None:
            return {}
        return {
            "exploitability": found.exploitability.mean,
            "exploitability_ci95": found.exploitability.ci95,
            "exploitability_fitted": found.fitted,
        }

    def to_keep(self, state: Any) -> Sequence[Any]:
        """The average strategy as it goes into a file: concise, where buckets are many."""
        found: Sequence[Any]
        if isinstance(self.solver, PublicCFR) and isinstance(self.cards, RankHistory):
            alike = [jnp.asarray(self.cards.alike(street)) for street in range(self.tree.num_streets)]
            kept = self.solver.concise(state, LEAST_REACH, alike)
            found = [in_parts(np.asarray(of_street), FEW_PARTS) / np.float32(FEW_PARTS) for of_street in kept]
        else:
            found = self.solver.average(state)
        return found

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


def _measured_on(solver: Any, cards: CardAbstraction) -> tuple[Chance, Any] | None:
    """Boards and the abstract game to measure strategies on; None where the buckets are too fine for it."""
    if isinstance(solver, PublicCFR):
        return (solver.chance, solver.game) if solver.chance.num_types else None
    tree: Tree = solver.game.tree
    chance = HoldemBoards(cards, tree.num_streets)
    game = abstract_games.between_types(street_shapes.shaped(tree), chance.paths)
    return None if game is None else (chance, game)


def report(
    console: Console, folder: Path, training: Training, state: Any, key: Array, hands: int, lbr_deals: int
) -> dict[str, Any]:
    """Saves the blueprint and shows how good it is and what it does; returns the figures of the summary.

    ``hands``: against each opponent; ``lbr_deals``: of the local best response, none for 0.
    """
    training.blueprint(training.to_keep(state)).save(folder / BLUEPRINT_FILE)
    solved = blueprints.load(folder / BLUEPRINT_FILE, training.cards)  # to the 255th, as others will have it
    big_blinds = f"{solved.game.stack / solved.game.big_blind:g} big blinds"
    nodes = charts.opening_nodes(solved.tree)
    console.print(charts.grid(solved, nodes[0]))
    charts.save_grids(folder / PLOTS / "preflop.png", solved, nodes, f"Hold'em, {big_blinds}")
    bucket_plots.buckets(folder / PLOTS / "buckets.png", training.cards)
    response_key, match_key, local_key = jax.random.split(key, 3)
    with console.status("best responses"):
        found = training.exploitability(solved.strategy, response_key)
    with console.status("duplicate matches"):
        results = _matches(solved, folder, match_key, hands)
    console.print(rivals.table(results, f"Duplicate matches at {big_blinds}"))
    tests = litmus.tests(solved)
    for test in tests:
        mark = "[green]pass[/]" if test.passed else "[red]fail[/]"
        console.print(f"{mark}  {test.claim}: {test.found}", highlight=False, soft_wrap=True)
    figures: dict[str, Any] = {}
    if found is not None:
        console.print(f"Exploitability in the abstract game, at least: {found}", highlight=False, soft_wrap=True)
        console.print(f"Value for the button {found.value} mBB/hand", highlight=False)
        figures |= {
            "exploitability": found.exploitability,
            "exploitability_fitted": found.fitted,
            "value": found.value,
        }
    if lbr_deals:
        with console.status("local best response"):
            wins = local_best_response.measure(solved, local_key, lbr_deals)
        console.print(
            f"A local best response with real cards wins {wins} mBB/hand ({lbr_deals:,} deals from both seats): "
            "exploitability in the real game is at least that",
            highlight=False,
            soft_wrap=True,
        )
        figures["local_best_response"] = wins
    return {**figures, "mbb_per_hand": results, "litmus": {test.claim: test.passed for test in tests}}


def _matches(solved: Blueprint, folder: Path, key: Array, hands: int) -> dict[str, Estimate]:
    """Against rule players, what the run had half way, and the push/fold equilibrium where stacks are that short."""
    everybody_key, short_key = jax.random.split(key)
    before = folder / EARLIER_FILE
    earlier = blueprints.load(before, solved.abstraction) if before.is_file() else None
    results = strength.against_everybody(solved, earlier, everybody_key, hands)
    push_fold = strength.against_push_fold(solved, short_key, hands)
    if push_fold is not None:
        results["push/fold equilibrium"] = push_fold
    return results
