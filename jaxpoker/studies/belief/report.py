"""What a run of the belief experiment leaves: its network, its pictures, and the figures of the summary."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from jaxpoker import players, rivals, runs
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import TrainState
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.players.saved_networks import BELIEF, NETWORK_FILE, SavedNetwork
from jaxpoker.runs.config import read_config
from jaxpoker.runs.folder import PLOTS
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.studies.belief import evaluation, plots
from jaxpoker.studies.belief.config import Config
from jaxpoker.studies.belief.equilibrium import Solved, equilibrium
from jaxpoker.studies.belief.evaluation import RangeQuality
from jaxpoker.studies.belief.learner import Evaluated, game_of, learner_of
from jaxpoker.studies.final_key import FINAL_STREAM, final_key

OUTCOME_TABLES = 8_192  # whose games say how a belief ends


def save_network(run: runs.Run[Config], state: TrainState) -> None:
    """network.npz: the averaged parameters."""
    config = run.config
    saved = SavedNetwork(config.game, jax.device_get(state.average), BELIEF, dataclasses.asdict(config.sizes))
    saved_networks.save(run.folder / NETWORK_FILE, saved, np.float32)


def figures_of(run: runs.Run[Config], learner: Evaluated, state: TrainState, console: Console) -> dict[str, Any]:
    """Measures and draws; the figures of the summary."""
    config, game = run.config, game_of(run.config)
    with console.status("the network is measured"):
        solved, hands = equilibrium(game), evaluation.range_quality(game, learner.network, state.average)
        figures = measures(dataclasses.replace(learner, mesh=None), state, config, solved, hands)
    rows = run.metrics()
    lines = {"uniform": figures["exploitability_uniform"]}
    plots.exploitability(run.plots / "exploitability.png", rows, lines, solved, "step")
    plots.exploitability(run.plots / "exploitability_seconds.png", rows, lines, solved, "seconds")
    plots.losses(run.plots / "losses.png", rows)
    plots.ranges(run.plots / "ranges.png", hands)
    plots.step_errors(run.plots / "latent_steps.png", list(figures["latent_step_error"].values()))
    with console.status("pictures of beliefs are drawn"):
        draw_beliefs(config, jax.tree.map(jnp.asarray, jax.device_get(state.average)), run.plots)
    console.print(
        f"exploitability {figures['exploitability']:.4f} of the averaged policy "
        f"(uniform {figures['exploitability_uniform']:.3f}), value {figures['value']:+.4f}; the range head is "
        f"{figures['range_times_closer_than_prior']:.1f} times closer to the Bayes posterior than the prior",
        soft_wrap=True,
    )
    return figures


def measures(
    learner: Evaluated, state: TrainState, config: Config, solved: Solved, hands: RangeQuality
) -> dict[str, Any]:
    """The figures of the summary: the averaged parameters are what is measured."""
    game, network = game_of(config), learner.network
    public = exact_game.whole(game)
    key = final_key(config.seed)
    table = evaluation.strategy(game, network, state.average)
    search = Search("gumbel", config.speed_simulations, config.step, config.depth)
    searched = evaluation.searched_strategy(game, network, search, state.average, key)
    solved_player = strategies.as_player(public)
    everybody = {
        "random": Entrant(players.make("random", game)),
        "equilibrium": Entrant(solved_player, solved.strategy),
    }
    won = rivals.against_each(game, Entrant(solved_player, table), everybody, key, config.final_hands)
    errors = evaluation.step_errors(learner, dataclasses.replace(state, params=state.average), key)
    speed = evaluation.searched_decisions_per_second(game, network, search, state.average)
    return {
        **learner.evaluate(state, key),
        "exploitability_after_search": float(best_response.exploitability(public, searched)),
        "exploitability_uniform": float(best_response.exploitability(public, public.uniform())),
        "value_of_the_game": float(best_response.value(public, solved.strategy)),
        "mbb_per_hand": won,
        "range_cross_entropy": hands.cross_entropy,
        "range_bayes_entropy": hands.bayes_entropy,
        "range_divergence_from_bayes": hands.divergence,
        "prior_divergence_from_bayes": hands.prior_divergence,
        "range_times_closer_than_prior": hands.factor,
        "range_calibration_error": hands.calibration_error,
        "latent_step_error": {f"{k + 1} ahead": error for k, error in enumerate(errors)},
        "searched_decisions_per_s": speed,
    }


def draw_beliefs(config: Config, params: Any, folder: Path) -> None:
    """The pictures of a network's beliefs."""
    game = game_of(config)
    learner = learner_of(dataclasses.replace(config, imitation=0, tables=OUTCOME_TABLES))

    @jax.jit
    def outcomes(params: Any, key: jax.Array) -> jax.Array:
        """``[R]``: what the games of the network then brought, by information set."""
        state = dataclasses.replace(learner.init(key), params=params)
        tables, played = learner.play(state, jax.random.fold_in(key, FINAL_STREAM))
        rows, index = learner.rows_of(played.state)
        z = rows.beliefs(learner.network.of(params))
        return learner.batch_of(state, tables, played, rows, index, z)[0].returns

    brought = np.asarray(outcomes(params, jax.random.key(config.seed)))
    seen = plots.scene(game, learner.network, params, brought)
    plots.beliefs(folder, game, learner.network, params, seen, config.reward_scale)


def analyse(run: Path) -> None:
    """Draws the pictures of a run's beliefs anew."""
    _, config = read_config(run, "belief", Config)
    draw_beliefs(config, saved_networks.load(run).params, run / PLOTS)
    Console().print(f"Drawn into {run / PLOTS}", soft_wrap=True, highlight=False)
