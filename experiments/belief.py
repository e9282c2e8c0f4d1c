"""Learns beliefs, a policy and a model of the opponent with a transformer, by search in its latent space.

    scripts/run belief                       Kuhn poker, a minute or two
    scripts/run belief --preset full         ... longer
    scripts/run belief --preset leduc        Leduc poker, ten minutes
    scripts/run belief --preset leduc-imitation   ... that begins with games of the solved strategy
    scripts/run belief --analyse NAME        draws the pictures of a run's beliefs anew

Presets that leave something out, on Kuhn: no-transition (loss), no-value (head), raw-policy (no search), no-magnet,
imitation (with it). At the end the averaged policy is measured by the exact best response and plays random and the
equilibrium, its range head is measured against the Bayes posterior and its latent steps against the beliefs that came.
network.npz is the network: saved_networks.load("runs/belief/NAME").
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from jaxpoker import players, rivals, runs
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.games.leduc import Leduc
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Belief, TrainState, Weights
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.players.saved_networks import BELIEF, NETWORK_FILE, SavedNetwork
from jaxpoker.runs.config import read_config, require_at_least, require_part_of_one
from jaxpoker.runs.folder import PLOTS
from jaxpoker.solvers.exact import best_response, cfr, exact_game, strategies
from jaxpoker.studies.belief import evaluation, plots
from jaxpoker.studies.belief.evaluation import RangeQuality

FINAL_STREAM = 1 << 30  # of the run's key, for the evaluation at the end
CFR_ITERATIONS = 1_000  # of the line in the picture, and of the equilibrium that it plays
OUTCOME_TABLES = 8_192  # whose games say how a belief ends


@dataclasses.dataclass(frozen=True)
class Config:
    """The game, the network, the search and how it is learned from."""

    game: Literal["kuhn", "leduc"] = "kuhn"
    """What is learned."""
    updates: int = 600
    """Each: a segment of all tables, a search at every information state, a step along the gradient."""
    tables: int = 1_024
    """Games side by side."""
    turns: int = 16
    """Of each table in a segment."""
    latent: int = 64
    """Floats of a belief."""
    heads: int = 4
    """Of the attention."""
    layers: int = 3
    """Of the transformer."""
    feed_forward: int = 256
    """Width between two layers."""
    probabilistic: bool = False
    """Latent steps are normal distributions, not points."""
    search: Literal["gumbel", "muzero", "stochastic", "rollout", "none"] = "gumbel"
    """none: targets are those of the policy gradient."""
    simulations: int = 16
    """Of a search."""
    depth: int = 2
    """Own decisions that a simulation looks ahead."""
    step: float = 10.0
    """Of mirror descent: how far values move a policy."""
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    """Adam's, of the first update and of the last."""
    trace: float = 1.0
    """λ of value targets; 1: Monte Carlo, 0: bootstrapped from the next decision."""
    policy_weight: float = 1.0
    """Of the policy loss."""
    value_weight: float = 1.0
    """Of the value loss; 0: no value head, a leaf of the search is worth 0."""
    transition_weight: float = 0.5
    """Of the transition loss."""
    range_weight: float = 0.1
    """Of the range loss."""
    magnet: tuple[float, float] = (0.5, 0.5)
    """Pull toward the averaged policy, in the first update and in the last."""
    entropy: tuple[float, float] = (0.1, 0.01)
    """Pull toward uniform play, likewise."""
    tremble: tuple[float, float] = (0.0, 0.0)
    """How often one seat at half of the tables plays any legal action, likewise."""
    reward_scale: float = 1.0
    """What rewards are multiplied by before they are learned from."""
    evenness: float = 0.5
    """Decisions at one information state count as their number to that power."""
    max_gradient: float = 1.0
    """Norm beyond which gradients are cut."""
    average_over: int = 100
    """The policy is the running mean of the parameters over so many of the last updates."""
    imitation: int = 0
    """Updates at the start that learn from games of the solved strategy."""
    evaluate_every: int = 50
    """Updates between two measurements by the exact best response."""
    final_hands: int = 100_000
    """Against each rival at the end."""
    speed_simulations: int = 50
    """Of the searches whose speed is measured at the end."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands",)

    def __post_init__(self) -> None:
        require_at_least(self, latent=1, heads=1, layers=1, feed_forward=1, imitation=0)
        require_at_least(self, evaluate_every=1, final_hands=32, speed_simulations=1)
        require_part_of_one(self, "trace")
        if self.search == "stochastic" and not self.probabilistic:
            raise ValueError("--search stochastic: needs --probabilistic, for it draws what follows an action")

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.latent, self.heads, self.layers, self.feed_forward, self.probabilistic)


QUICK = Config()
LEDUC_PRESET = Config(
    game="leduc",
    updates=600,
    tables=8_192,
    turns=8,
    layers=2,
    feed_forward=128,
    simulations=4,
    depth=1,
    magnet=(0.25, 0.25),
    entropy=(0.12, 0.06),
    tremble=(0.4, 0.2),
    reward_scale=0.25,
)
PRESETS = {
    "quick": QUICK,
    "full": dataclasses.replace(QUICK, updates=3_000),
    "leduc": LEDUC_PRESET,
    "leduc-imitation": dataclasses.replace(
        LEDUC_PRESET, updates=1_400, imitation=1_300, magnet=(1.0, 1.0), entropy=(0.005, 0.005), evenness=0.25
    ),
    "no-transition": dataclasses.replace(QUICK, transition_weight=0.0),
    "no-value": dataclasses.replace(QUICK, value_weight=0.0),
    "raw-policy": dataclasses.replace(QUICK, search="none"),
    "no-magnet": dataclasses.replace(QUICK, magnet=(0.0, 0.0)),
    "imitation": dataclasses.replace(QUICK, imitation=200),
}


def game_of(config: Config) -> Kuhn | Leduc:
    return Kuhn() if config.game == "kuhn" else Leduc()


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(Belief):
    """The learner, with the evaluation of an experiment."""

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """Exploitability and value of the averaged policy, and the exploitability of the latest one."""
        assert isinstance(self.game, Kuhn | Leduc)
        game = exact_game.of(self.game)
        average, latest = (
            evaluation.strategy(self.game, self.network, params) for params in (state.average, state.params)
        )
        quality = best_response.quality(game, average)
        return {
            "exploitability": quality.exploitability,
            "value": quality.value,
            "exploitability_latest": best_response.exploitability(game, latest),
        }


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    game = game_of(config)
    search = None
    if config.search != "none":
        search = Search(config.search, config.simulations, config.step, config.depth)
    weights = Weights(config.policy_weight, config.value_weight, config.transition_weight, config.range_weight)
    return Evaluated(
        game,
        belief.network(game, config.sizes),
        search,
        updates=config.updates,
        tables=config.tables,
        turns=config.turns,
        learning_rate=config.learning_rate,
        trace=config.trace,
        weights=weights,
        step=config.step,
        magnet=config.magnet,
        entropy=config.entropy,
        tremble=config.tremble,
        reward_scale=config.reward_scale,
        evenness=config.evenness,
        max_gradient=config.max_gradient,
        average_over=config.average_over,
        imitation=config.imitation,
        expert=np.asarray(equilibrium(game)["strategy"]) if config.imitation else None,
        mesh=mesh,
    )


def equilibrium(game: Kuhn | Leduc) -> dict[str, Any]:
    """CFR+'s averaged strategy, and its way there: step, seconds and exploitability."""
    solver = cfr.CFR(exact_game.of(game))
    solver = dataclasses.replace(solver, last=CFR_ITERATIONS)
    began, state = time.perf_counter(), solver.init()
    line: dict[str, Any] = {"step": [], "seconds": [], "exploitability": []}
    while int(state.step) < CFR_ITERATIONS:
        state, metrics = solver.update(state)
        line["exploitability"].append(float(metrics["exploitability"]))
        line["step"].append(int(state.step))
        line["seconds"].append(time.perf_counter() - began)
    return {**line, "strategy": solver.average(state)}


# --- what it is worth -------------------------------------------------------------------------


def figures_of(
    learner: Evaluated, state: TrainState, config: Config, solved: dict[str, Any], hands: RangeQuality
) -> dict[str, Any]:
    """The figures of the summary: the averaged parameters are what is measured."""
    game, network = game_of(config), learner.network
    public = exact_game.of(game)
    key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM)
    table = evaluation.strategy(game, network, state.average)
    search = Search("gumbel", config.speed_simulations, config.step, config.depth)
    searched = evaluation.searched_strategy(game, network, search, state.average, key)
    solved_player = strategies.as_player(public)
    everybody = {
        "random": Entrant(players.make("random", game)),
        "equilibrium": Entrant(solved_player, solved["strategy"]),
    }
    won = rivals.against_each(game, Entrant(solved_player, table), everybody, key, config.final_hands)
    errors = evaluation.step_errors(learner, dataclasses.replace(state, params=state.average), key)
    speed = evaluation.searched_decisions_per_second(game, network, search, state.average)
    return {
        **learner.evaluate(state, key),
        "exploitability_after_search": float(best_response.exploitability(public, searched)),
        "exploitability_uniform": float(best_response.exploitability(public, public.uniform())),
        "value_of_the_game": float(best_response.value(public, solved["strategy"])),
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


def draw_geometry(config: Config, params: Any, folder: Path) -> None:
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
    draw_geometry(config, saved_networks.load(run).params, run / PLOTS)
    Console().print(f"Drawn into {run / PLOTS}", soft_wrap=True, highlight=False)


def main() -> None:
    analysed = runs.asked_for("--analyse", experiment="belief", description=__doc__, file=NETWORK_FILE)
    if analysed is not None:
        analyse(analysed)
        return
    launch = runs.parse(Config, PRESETS, experiment="belief", description=__doc__)
    config, game = launch.config, game_of(launch.config)
    learner = learner_of(config, launch.mesh(config.tables))
    console = Console()
    with runs.start(launch) as run:
        state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
        params = jax.device_get(state.average)
        saved = SavedNetwork(config.game, params, BELIEF, dataclasses.asdict(config.sizes))
        saved_networks.save(run.folder / NETWORK_FILE, saved, np.float32)
        with console.status("the network is measured"):
            solved, hands = equilibrium(game), evaluation.range_quality(game, learner.network, state.average)
            figures = figures_of(dataclasses.replace(learner, mesh=None), state, config, solved, hands)
        rows = run.metrics()
        lines = {"uniform": figures["exploitability_uniform"]}
        for name, against in {"exploitability": "step", "exploitability_seconds": "seconds"}.items():
            plots.exploitability(run.plots / f"{name}.png", rows, lines, solved, against)
        plots.losses(run.plots / "losses.png", rows)
        plots.ranges(run.plots / "ranges.png", hands)
        plots.step_errors(run.plots / "latent_steps.png", list(figures["latent_step_error"].values()))
        with console.status("pictures of beliefs are drawn"):
            draw_geometry(config, jax.tree.map(jnp.asarray, params), run.plots)
        console.print(
            f"exploitability {figures['exploitability']:.4f} of the averaged policy "
            f"(uniform {figures['exploitability_uniform']:.3f}), value {figures['value']:+.4f}; the range head is "
            f"{figures['range_times_closer_than_prior']:.1f} times closer to the Bayes posterior than the prior",
            soft_wrap=True,
        )
        run.finish(**figures, updates=rows[-1]["step"], **run.totals("decisions"))


if __name__ == "__main__":
    runs.main(main)
