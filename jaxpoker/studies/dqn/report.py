"""What a run of the dqn experiment leaves: its networks, its pictures, and the figures of the summary."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.q_learning.dqn import DQN, TrainState
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, VALUES, SavedNetwork
from jaxpoker.studies.dqn import evaluation, plots
from jaxpoker.studies.dqn.config import Config
from jaxpoker.studies.final_key import final_key


def save_networks(run: runs.Run[Config], learner: DQN, state: TrainState) -> None:
    """network.npz, and the network at the end of each phase in a file of its own."""
    config = run.config
    phases = {f"network-{phase.name}.npz": learner.after_phase(state, i) for i, phase in enumerate(learner.phases)}
    for file, params in {NETWORK_FILE: state.learned.params, **phases}.items():
        saved = SavedNetwork(config.game, jax.device_get(params), VALUES, config.network_options)
        saved_networks.save(run.folder / file, saved, np.float32)


def figures_of(run: runs.Run[Config], learner: DQN, state: TrainState, console: Console) -> dict[str, Any]:
    """Evaluates and draws; the figures of the summary."""
    config, rows = run.config, run.metrics()
    plots.updates(run.plots / "updates.png", rows)
    names = (learner.streets, learner.actions)
    plots.actions(run.plots / "actions.png", rows, *names, config.tables * config.turns)
    by_game = holdem_figures if isinstance(learner.game, Holdem) else leduc_figures
    return by_game(run, learner, state, console)


def holdem_figures(run: runs.Run[Config], learner: DQN, state: TrainState, console: Console) -> dict[str, Any]:
    """Matches, their pictures, and the figures of the summary."""
    config = run.config
    plots.learning(run.plots / "learning.png", run.metrics(), config.tables * config.turns, "mbb/", "mBB/hand")
    key = final_key(config.seed)
    results = evaluation.matches(learner, evaluation.networks_of(learner, state), key, config.final_hands, console)
    with console.status("networks play each other"):
        album, cross_key = evaluation.album_of(learner, state), jax.random.fold_in(key, 1)
        crossed = evaluation.cross_play(learner, album, cross_key, config.cross_hands)
    plots.results(run.plots / "results.png", results)
    plots.cross_play(run.plots / "cross_play.png", crossed)
    figures = {
        f"mbb_per_hand_of_{name}": {f"against {rival}": result for rival, result in by_rival.items()}
        for name, by_rival in results.items()
    }
    crossing = {f"{name} against {other}": result for name, by in crossed.items() for other, result in by.items()}
    return figures | {"gain_on_target": evaluation.gains(results, config.target), "cross_play": crossing}


def leduc_figures(run: runs.Run[Config], learner: DQN, state: TrainState, console: Console) -> dict[str, Any]:
    """By exact best responses: pictures, and the figures of the summary."""
    per_update, name = run.config.tables * run.config.turns, "exploitability"
    plots.learning(run.plots / "learning.png", run.metrics(), per_update, name, "antes per game")
    title = "What it makes of its opponents"
    plots.learning(run.plots / "exploitation.png", run.metrics(), per_update, "makes/", "antes per game", title)
    found = {name: evaluation.exact(learner, params) for name, params in evaluation.networks_of(learner, state).items()}
    for name, figures in found.items():
        shown = ", ".join(f"{what.replace('/', ' of ')} {figure:+.3f}" for what, figure in figures.items())
        console.print(f"the network of {name}: {shown}")
    names = next(iter(found.values()))
    return {what.replace("/", "_of_"): {name: figures[what] for name, figures in found.items()} for what in names}
