"""Solves hold'em over an abstraction by MCCFR, and Kuhn poker, Leduc or heads-up push/fold exactly.

    scripts/run solve                                            hold'em, 100 big blinds, a minute or two
    scripts/run solve --game holdem --stack 20 --cards equity --iterations 500 --name short
    scripts/run solve --config experiments/configs/default.yaml
    scripts/run solve --iterations 200 --export run.h5           all tables as HDF5, for other programs
    scripts/run solve --iterations 400 --continue-from run.h5       ... and for a run that goes on from them
    scripts/run solve --game leduc --algorithm dcfr              exact; --sampling external samples there too
    scripts/run solve --game pushfold --stack 10 --iterations 5000

Hold'em: the run folder gets blueprint.zip, which scripts/query_strategy.py and jaxpoker.solvers.blueprint read, preflop
grids and the exploitability curve (plots/) and summary.json. The other games: the whole strategy (strategy.csv), the
exploitability curve, for push/fold the 13 x 13 ranges. Exploitability is half of NashConv, in antes (Kuhn, Leduc), big
blinds (push/fold) or thousandths of them (hold'em).
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax
from rich.console import Console

from jaxpoker import runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.runs.config import overlay, read_yaml
from jaxpoker.solvers.exact import exact_game
from jaxpoker.studies.solve import exchange, plots, report, solvers, training, training_file
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import game_of

CONFIGS = Path(__file__).resolve().parent / "configs"
REPORTS = 100  # of a sampling solver's exploitability in a run


def _preset(name: str) -> Config:
    """The settings in a training file of ours."""
    path = CONFIGS / f"{name}.yaml"
    return overlay(Config(), training_file.understand(read_yaml(path), str(path)), str(path))


PRESETS = {
    "quick": Config(),
    "full": Config(
        cards="rank_history",
        iterations=400,
        batch=64,
        evaluations=4,
        boards=4_096,
        final_hands=400_000,
        lbr_deals=512,
    ),
    "deep": Config(stack=200.0, log_every=10),
    "exact": Config(game="leduc", algorithm="dcfr", iterations=200_000, float64=True),
    **{name: _preset(name) for name in ("default", "production", "fast_test")},
}


def solve_small_game(launch: runs.Launch[Config], console: Console) -> None:
    """Kuhn poker, Leduc and push/fold: exactly, or by sampling with an exact evaluation."""
    config = launch.config
    if config.float64:
        jax.config.update("jax_enable_x64", True)
    game, iterations, others = exact_game.whole(game_of(config)), config.iterations or 1, plots.compared(launch)
    learner = solvers.of_small_game(launch, game)
    every = None if config.sampling is None else max(iterations // REPORTS, 1)
    with runs.start(launch, keep_every=config.checkpoint_every) as run:
        between = max((every or 1) // 2, 1)  # a line between two measurements tells the speed without them
        state = run.train(learner, steps=iterations, evaluate_every=every, log_every=between)
        figures = report.small_game_figures(run, game, learner.average(state), state.step, console)
        plots.exploitability(run, others)
        summary = run.finish(**figures)
    report.say_small_game(console, config, summary)


def solve_holdem(launch: runs.Launch[Config], console: Console) -> None:
    """Hold'em over an abstraction of its cards, by sampling."""
    config, game, others = launch.config, game_of(launch.config), plots.compared(launch)
    assert isinstance(game, Holdem) and config.iterations is not None
    exchange.require_places(launch)
    known = training.known_cards(console, config.cards, config.buckets)
    with console.status("betting tree"):
        solver = solvers.of_holdem(launch, game, known)
    first = exchange.first_state(launch, solver, known)
    with runs.start(launch, keep_every=config.checkpoint_every) as run:
        learner = training.Training(solver, known, config.boards, run.folder, config.iterations, first)
        every = max(config.iterations // config.evaluations, 1)
        state = run.train(learner, config.iterations, evaluate_every=every, log_every=config.log_every)
        exchange.export(console, launch, solver, known, state)
        key = jax.random.fold_in(jax.random.key(config.seed), training.REPORT)
        sizes = (config.final_hands, config.lbr_deals)
        figures = training.report(console, run.folder, learner, state, key, *sizes)
        plots.exploitability(run, others)
        run.finish(**figures, iterations=state.step, algorithm=config.algorithm, game=config.game, **report.speeds(run))
    console.print(f"Ask it: scripts/query_strategy.py --run {run.folder.name}", soft_wrap=True, highlight=False)


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="solve", description=__doc__, understand=training_file.understand)
    launch = dataclasses.replace(launch, config=launch.config.resolved())
    solve = solve_holdem if launch.config.game == "holdem" else solve_small_game
    solve(launch, Console())


if __name__ == "__main__":
    runs.main(main)
