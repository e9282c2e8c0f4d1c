"""Solves hold'em over an abstraction by MCCFR, and Kuhn poker, Leduc or heads-up push/fold exactly.

    scripts/run solve                                            hold'em, 100 big blinds, two to three minutes
    scripts/run solve --preset bb20                              ... 20 big blinds, solved anew; bb50, bb100, bb200
    scripts/run solve --game holdem --stack 20 --cards equity --iterations 500 --name short
    scripts/run solve --start runs/solve/short/blueprint.zip --iterations 500
    scripts/run solve --start runs/solve/short/blueprint.zip --buckets 169 500 500 1000 --counts-as 400 --iterations 900
    scripts/run solve --start shipped --menu "preflop: 2x@1, 3x@2, 2.3x@3, a; postflop: 50%, 150%@1, a; raises: 4"
    scripts/run solve --config experiments/configs/default.yaml
    scripts/run solve --start nothing --export run.h5            all tables as HDF5, for other programs
    scripts/run solve --iterations 400 --continue-from run.h5    ... and for a run that goes on from them
    scripts/run solve --game leduc --algorithm dcfr              exact; --sampling external samples there too
    scripts/run solve --game leduc --players 3                   three seats: NashConv says how far from equilibrium
    scripts/run solve --game pushfold --stack 10 --iterations 5000
    scripts/run solve --game pushfold --players 6 --stacks 20 15 10 10 8 5 --payouts 50 30 20

The first goes on from the strategy that comes with the package; bb20 to bb200 begin with nothing and take 40 minutes at
most on two quiet cores. Hold'em: the run folder gets blueprint.zip, which scripts/query_strategy.py and
jaxpoker.solvers.blueprint read, pictures of the opening and of the buckets (plots/), and summary.json with what it wins
of others (thousandths of a big blind a hand) and which facts of poker hold. The other games: the whole strategy
(strategy.csv), how far it is from an equilibrium (exploitability: half of NashConv, in antes or big blinds), for
push/fold the 13 x 13 ranges.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax
from rich.console import Console

from jaxpoker import runs
from jaxpoker.runs.config import overlay, read_yaml
from jaxpoker.solvers.exact import exact_game
from jaxpoker.studies.solve import blueprint_report, exchange, jams, plots, report, solvers, training, training_file
from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.game import game_of

CONFIGS = Path(__file__).resolve().parent / "configs"
REPORTS = 100  # of a sampling solver's exploitability in a run


def _preset(name: str) -> Config:
    """The settings in a training file of ours."""
    path = CONFIGS / f"{name}.yaml"
    return overlay(Config(), training_file.understand(read_yaml(path), str(path)), str(path))


AFTER_THE_FLOP = "flop: 33%@1, 75%@1-2, a; turn: 50%@1, 100%@1-2, a; river: 50%@1, 100%@1-2, a"
FINE = Config(
    cards="equity",
    buckets=(169, 200, 200, 200),
    algorithm="cfr+",  # of all, it loses least to real cards: docs/maths/sampling.md
    gamma=2.0,
    batch=16,
    shares=(1.0, 1.0, 0.3, 0.12),  # a third of the time
    play_cost=0.05,
    evaluations=2,
    opponents="all",
    log_every=10,
)
# Bet sizes that suit the depth. Iterations are for 40 minutes at most on two quiet cores.
BB20 = dataclasses.replace(
    FINE, stack=20.0, iterations=5_000, menu=f"preflop: 2x@1, 2.5x@2, a; {AFTER_THE_FLOP}; raises: 3"
)
BB50 = dataclasses.replace(
    FINE, stack=50.0, iterations=4_000, menu=f"preflop: 2.3x@1, 3x@2, 2.3x@3, a; {AFTER_THE_FLOP}; raises: 4"
)
BB100 = dataclasses.replace(
    FINE,
    stack=100.0,
    iterations=1_800,
    menu="preflop: 2.5x@1, 5x@1, 3.5x@2, 7x@2, 2.3x@3, a; flop: 33%@1, 75%@1-2, a; "
    "turn: 50%@1, 100%@1-2, 200%@1, a; river: 50%@1, 100%@1-2, 200%@1, a; raises: 4",  # that of what ships
)
BB200 = dataclasses.replace(
    FINE, stack=200.0, iterations=2_500, menu=f"preflop: 2.5x@1, 3.5x@2, 2.5x@3, 2.3x@4, a; {AFTER_THE_FLOP}; raises: 5"
)
PRESETS = {
    "quick": Config(),
    "full": dataclasses.replace(BB100, final_hands=100_000, lbr_deals=512),
    "bb20": BB20,
    "bb50": BB50,
    "bb100": BB100,
    "bb200": BB200,
    "exact": Config(game="leduc", algorithm="dcfr", iterations=200_000, float64=True),
    **{name: _preset(name) for name in ("default", "production", "fast_test")},
}


def solve_small_game(launch: runs.Launch[Config], console: Console) -> None:
    """Kuhn poker, Leduc and push/fold: exactly, or by sampling with an exact evaluation."""
    config = launch.config
    if config.float64:
        jax.config.update("jax_enable_x64", True)
    game = jams.game_of(config) if config.jams else exact_game.whole(game_of(config))
    iterations, others = config.iterations or 1, plots.compared(launch)
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
    """Hold'em over an abstraction of its cards, by sampling; from nothing, or from a strategy that is there."""
    config, others = launch.config, plots.compared(launch)
    assert config.iterations is not None
    exchange.require_places(launch)
    game, known, solver, begin = training.prepared(console, launch)
    begin = exchange.beginning(launch, solver, known) or begin
    with runs.start(launch, keep_every=config.checkpoint_every) as run:
        keeps_earlier = config.opponents == "all"
        learner = training.Training(solver, known, config.boards, run.folder, config.iterations, keeps_earlier, begin)
        every = max(config.iterations // config.evaluations, 1)
        display = blueprint_report.Progress(console)
        state = run.train(learner, config.iterations, every, config.log_every, display)
        learner.save(state)
        exchange.export(console, launch, solver, known, state)
        iterations = int(state.step)
        del state  # the matches need its memory
        key = jax.random.fold_in(jax.random.key(config.seed), blueprint_report.REPORT)
        figures = blueprint_report.report(console, run.folder, learner, key, config)
        plots.exploitability(run, others)
        run.finish(
            **figures,
            iterations=iterations,
            algorithm=config.algorithm,
            game=config.game,
            bet_sizes=game.bet_menu.text,
            **report.speeds(run),
        )
    blueprint_report.say_next_steps(console, run.folder.name, config)


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="solve", description=__doc__, understand=training_file.understand)
    launch = dataclasses.replace(launch, config=launch.config.resolved())
    solve = solve_holdem if launch.config.game == "holdem" else solve_small_game
    solve(launch, Console())


if __name__ == "__main__":
    runs.main(main)
