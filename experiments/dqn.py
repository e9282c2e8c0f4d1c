"""Learns heads-up hold'em at 100 big blinds with nine actions by Double DQN, in up to three phases.

    scripts/run dqn                                  a few minutes of phase A
    scripts/run dqn --preset full                    all three phases: half an hour and more
    scripts/run dqn --phase C --target min-raise --start runs/dqn/NAME
    scripts/run dqn --preset leduc                   Leduc poker, measured by exact best responses

Phase A plays against a mix of random, tag and lag, B against past selves, C against one opponent, --target, to learn
what beats it; B and C go on from the network of the phase before, or from that of --start. At the end the network of
each phase plays duplicate matches against rule players and the shipped blueprint, and against those before it;
network-A.npz, network-B.npz and network-C.npz are these, network.npz is the last of them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import jax
import numpy as np
import optax
from rich.console import Console

import jaxpoker
from jaxpoker import core, players, rivals, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, MARKS, Phase, TrainState
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, VALUES, SavedNetwork
from jaxpoker.runs.config import require_at_least
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.studies.dqn import plots

MIX = {"holdem": ("random", "tag", "lag"), "leduc": ("random", "equilibrium")}  # of phase A
RULES = ("random", "tag", "lag", "call", "min-raise", "check-fold")
BLUEPRINT, START = "blueprint", "start"
FINAL_STREAM = 1 << 30  # of the run's key, for the matches at the end


@dataclasses.dataclass(frozen=True)
class Config:
    """The game, whom it is played against, and how it is learned."""

    game: Literal["holdem", "leduc"] = "holdem"
    """What is learned."""
    phase: Literal["A", "B", "C", "ABC"] = "A"
    """A: against a mix of players. B: against past selves. C: against --target. ABC: one after the other."""
    start: str = ""
    """The folder of a run, or the file of a network, that phase B or C goes on from."""
    target: str = "lag"
    """Phase C: random, tag, lag, call, min-raise, check-fold or blueprint; in Leduc random or equilibrium."""
    updates: tuple[int, int, int] = (300, 300, 300)
    """Of phases A, B and C: each plays a segment of all tables and learns from the replay."""
    shares: tuple[float, ...] = (1.0, 2.0, 2.0)
    """Phase A: how often random, tag and lag are met; in Leduc random and equilibrium."""
    mix_share: float = 0.3
    """Phase B: part of the hands that are still played against the mix of phase A."""
    tables: int = 1_024
    """Side by side; the learner has one seat of each."""
    turns: int = 10
    """Of each table in an update."""
    decisions_per_step: int = 128
    """Of both seats, for each gradient step."""
    batch: int = 64
    """Transitions of a gradient step."""
    capacity: int = 100_000
    """Transitions of the replay."""
    prioritised: bool = False
    """Transitions with larger errors are drawn more often."""
    steps: int = 1
    """n of n-step transitions."""
    dueling: bool = False
    """The network has two heads, one for the state and one for the actions."""
    layer_norm: bool = False
    """Each hidden layer is normalised."""
    learning_rate: tuple[float, float] = (5e-4, 2e-5)
    """Adam's, at the beginning and at the end of a phase."""
    huber: float = 0.0
    """Border of Huber's loss, in the unit of rewards that are learned; 0: the mean square."""
    max_gradient: float = 10.0
    """Norm beyond which gradients are cut."""
    sync_every: int = 400
    """Gradient steps between copies of the network for the targets."""
    epsilon: tuple[float, float] = (1.0, 0.1)
    """Part of the actions that are random: at the beginning of the first phase, and at least."""
    later_epsilon: float = 0.3
    """... at the beginning of a phase that goes on from another."""
    epsilon_decay: float = 0.9995
    """Per gradient step."""
    discount: float = 1.0
    """From one decision to the learner's next."""
    reward_scale: float = 0.05
    """What rewards, in big blinds, are multiplied by before they are learned from."""
    snapshots: int = 8
    """Past selves that are kept in phase B."""
    evaluate_every: int = 100
    """Updates between two short evaluations."""
    evaluation_hands: int = 8_000
    """Of a short evaluation, against each rival."""
    final_hands: int = 100_000
    """At the end, of each phase's network against each rival."""
    cross_hands: int = 16_000
    """At the end, of each pair of networks."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands", "cross_hands")

    def __post_init__(self) -> None:
        require_at_least(self, decisions_per_step=1, snapshots=1, evaluate_every=1)
        require_at_least(self, evaluation_hands=1, final_hands=1, cross_hands=1)
        if self.phase in ("B", "C") and not self.start:
            raise ValueError(f"--phase {self.phase} goes on from a network: give --start runs/dqn/NAME, or --phase ABC")
        if self.phase not in ("B", "C") and self.start:
            raise ValueError(f"--phase {self.phase} begins with a new network: --start is for B and C")
        if len(self.shares) != len(MIX[self.game]):
            raise ValueError(f"--shares {self.shares}: one each for {', '.join(MIX[self.game])}")
        if not 0 <= self.mix_share < 1:
            raise ValueError(f"--mix-share {self.mix_share}: 0 to less than 1")
        if self.target not in self.targets:
            raise ValueError(f"--target {self.target!r}: {self.game} has {', '.join(self.targets)}")

    @property
    def targets(self) -> tuple[str, ...]:
        return (*RULES, BLUEPRINT) if self.game == "holdem" else MIX["leduc"]

    @property
    def network_options(self) -> dict[str, bool]:
        return {"dueling": self.dueling, "layer_norm": self.layer_norm}


LEDUC = Config(
    game="leduc",
    phase="ABC",
    shares=(1.0, 1.0),
    target="random",
    updates=(150, 300, 150),
    tables=512,
    turns=10,
    reward_scale=0.2,
    evaluate_every=25,
    mix_share=0.0,
    learning_rate=(1e-3, 5e-5),
    epsilon=(1.0, 0.1),
)
PRESETS = {
    "quick": Config(evaluation_hands=4_000, final_hands=40_000),
    "full": Config(phase="ABC", updates=(2_400, 1_200, 600), evaluate_every=200, final_hands=300_000),
    "leduc": LEDUC,
}


# --- the learner ------------------------------------------------------------------------------


def game_of(config: Config) -> core.Game:
    return jaxpoker.make(config.game)


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(DQN):
    """The learner, with the evaluation of an experiment."""

    hands: int = 8_000  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """What the network wins of rule players; in Leduc what it exactly loses, and makes of phase A's players."""
        if not isinstance(self.game, Holdem):
            return exact(self, state.learned.params)
        own = Entrant(self.player, state.learned.params)
        results = rivals.against_each(self.game, own, rivals.named(self.game, RULES[:4]), key, self.hands)
        return {f"mbb/{name}": result.mean for name, result in results.items()}


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    game = game_of(config)
    names = list(dict.fromkeys((*MIX[config.game], config.target)))
    mix = (*config.shares, *[0.0] * (len(names) - len(config.shares)))
    of_mix = config.mix_share / sum(mix) if sum(mix) else 0.0
    shares = {
        "A": (*mix, 0.0),
        "B": (*(of_mix * share for share in mix), 1 - config.mix_share),
        "C": (*(float(name == config.target) for name in names), 0.0),
    }
    network = saved_networks.value_network(config.game, **config.network_options)
    gradient_steps = config.tables * config.turns // config.decisions_per_step

    def phase(letter: str, updates: int) -> Phase:
        first_epsilon, least = config.epsilon
        first_epsilon = first_epsilon if letter == "A" else max(config.later_epsilon, least)
        rule = DoubleDQN(
            network,
            learning_rate=optax.linear_schedule(*config.learning_rate, max(updates * gradient_steps, 1)),
            huber=config.huber or None,
            max_gradient=config.max_gradient,
            sync_every=config.sync_every,
            epsilon=(first_epsilon, least),
            epsilon_decay=config.epsilon_decay,
        )
        return Phase(letter, shares[letter], updates, rule)

    updates = dict(zip("ABC", config.updates, strict=True))
    return Evaluated(
        game,
        tuple(players.entrant(name, game) for name in names),
        tuple(phase(letter, updates[letter]) for letter in config.phase),
        tables=config.tables,
        turns=config.turns,
        decisions_per_step=config.decisions_per_step,
        batch=config.batch,
        capacity=config.capacity,
        prioritised=config.prioritised,
        steps=config.steps,
        discount=config.discount,
        reward_scale=config.reward_scale,
        snapshots=config.snapshots,
        snapshot_every=max(config.updates[1] // config.snapshots, 1),
        first=started_from(config),
        mesh=mesh,
        hands=config.evaluation_hands,
    )


def started_from(config: Config) -> Any:
    """The params of ``--start``; None without it."""
    if not config.start:
        return None
    saved = saved_networks.load(Path(config.start))
    if (saved.game, saved.kind, dict(saved.options)) != (config.game, VALUES, config.network_options):
        raise runs.RunError(
            f"--start {config.start} is a network of {saved.kind} for {saved.game} with {dict(saved.options)}, "
            f"not of {VALUES} for {config.game} with {config.network_options}"
        )
    return saved.params


# --- what it is worth -------------------------------------------------------------------------


def networks_of(learner: DQN, state: TrainState) -> dict[str, Any]:
    """Params by name: what it started from, and what each phase ended with."""
    given = {} if learner.first is None else {START: learner.first}
    return given | {phase.name: learner.after_phase(state, place) for place, phase in enumerate(learner.phases)}


def phase_files(learner: DQN, state: TrainState) -> dict[str, Any]:
    """Params of the end of each phase, by the names of their files."""
    return {f"network-{phase.name}.npz": learner.after_phase(state, i) for i, phase in enumerate(learner.phases)}


def album_of(learner: DQN, state: TrainState) -> dict[str, Any]:
    """Params by name: what it started from, and what it was after each third of each phase."""
    given = {} if learner.first is None else {START: learner.first}
    names = [f"{phase.name} {mark + 1}/{MARKS}" for phase in learner.phases for mark in range(MARKS)]
    return given | {name: jax.tree.map(lambda x, i=i: x[i], state.album) for i, name in enumerate(names)}


def exact(learner: DQN, params: Any) -> dict[str, float]:
    """In a game that can be solved: exploitability, and what the network makes of each opponent, seats alike, beside
    the most that can be made of it."""
    game = exact_game.of(learner.game)
    own = strategies.of_player(game, learner.player, params)
    found = {"exploitability": float(best_response.exploitability(game, own))}
    for opponent in learner.opponents:
        other = strategies.of_player(game, opponent.player, opponent.params)
        made = sum(float(best_response.value_against(game, own, other, seat)) for seat in range(2)) / 2
        found[f"makes/{opponent.player.name}"] = made
        found[f"most/{opponent.player.name}"] = float(best_response.exploitability(game, other))
    return found


def cross_play(learner: DQN, album: Mapping[str, Any], key: jax.Array, hands: int) -> dict[str, dict[str, Estimate]]:
    """What each network wins of each earlier one, in mBB/hand."""
    found: dict[str, dict[str, Estimate]] = {}
    for i, (name, params) in enumerate(album.items()):
        earlier = list(album.items())[:i]
        found[name] = {}
        for other, other_params in earlier:
            own = Entrant(learner.player, params)
            result = rivals.against_each(learner.game, own, {other: Entrant(learner.player, other_params)}, key, hands)
            found[name][other] = result[other]
    return found


def matches(
    learner: DQN, state: TrainState, config: Config, console: Console
) -> tuple[dict[str, dict[str, Estimate]], dict[str, dict[str, Estimate]]]:
    """Every phase's network against every rival, and all networks against each other."""
    key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM)
    everybody = rivals.named(learner.game, (*RULES, BLUEPRINT))
    results: dict[str, dict[str, Estimate]] = {}
    for name, params in networks_of(learner, state).items():
        with console.status(f"the network of {name} plays {config.final_hands:,} hands against each rival"):
            own = Entrant(learner.player, params)
            results[name] = rivals.against_each(learner.game, own, everybody, key, config.final_hands)
        console.print(rivals.table(results[name], f"The network of {name}: duplicate matches at 100 big blinds"))
    with console.status("networks play each other"):
        crossed = cross_play(learner, album_of(learner, state), jax.random.fold_in(key, 1), config.cross_hands)
    return results, crossed


def gains(results: Mapping[str, Mapping[str, Estimate]], target: str) -> dict[str, Estimate]:
    """How much more the network of C wins of its target than each one before it: intervals as of separate matches."""
    if "C" not in results or target not in results["C"]:
        return {}
    last = results["C"][target]
    return {
        f"C over {name}": Estimate(last.mean - one.mean, float(np.hypot(last.ci95, one.ci95)), last.n)
        for name, one in ((name, by_rival[target]) for name, by_rival in results.items() if name != "C")
    }


# --- the run ----------------------------------------------------------------------------------


def holdem_figures(run: runs.Run[Config], learner: DQN, state: TrainState, console: Console) -> dict[str, Any]:
    """Matches, their pictures, and the figures of the summary."""
    config = run.config
    plots.learning(run.plots / "learning.png", run.metrics(), config.tables * config.turns, "mbb/", "mBB/hand")
    results, crossed = matches(learner, state, config, console)
    plots.results(run.plots / "results.png", results)
    plots.cross_play(run.plots / "cross_play.png", crossed)
    figures = {
        f"mbb_per_hand_of_{name}": {f"against {rival}": result for rival, result in by_rival.items()}
        for name, by_rival in results.items()
    }
    crossing = {f"{name} against {other}": result for name, by in crossed.items() for other, result in by.items()}
    return figures | {"gain_on_target": gains(results, config.target), "cross_play": crossing}


def leduc_figures(run: runs.Run[Config], learner: DQN, state: TrainState, console: Console) -> dict[str, Any]:
    """By exact best responses: pictures, and the figures of the summary."""
    per_update, name = run.config.tables * run.config.turns, "exploitability"
    plots.learning(run.plots / "learning.png", run.metrics(), per_update, name, "antes per game")
    title = "What it makes of its opponents"
    plots.learning(run.plots / "exploitation.png", run.metrics(), per_update, "makes/", "antes per game", title)
    found = {name: exact(learner, params) for name, params in networks_of(learner, state).items()}
    for name, figures in found.items():
        shown = ", ".join(f"{what.replace('/', ' of ')} {figure:+.3f}" for what, figure in figures.items())
        console.print(f"the network of {name}: {shown}")
    names = next(iter(found.values()))
    return {what.replace("/", "_of_"): {name: figures[what] for name, figures in found.items()} for what in names}


def learn(run: runs.Run[Config], learner: Evaluated, console: Console) -> dict[str, Any]:
    """Trains, evaluates and draws; the figures of the summary."""
    config = run.config
    state = run.train(learner, steps=learner.updates, evaluate_every=config.evaluate_every)
    for file, params in {NETWORK_FILE: state.learned.params, **phase_files(learner, state)}.items():
        saved = SavedNetwork(config.game, jax.device_get(params), VALUES, config.network_options)
        saved_networks.save(run.folder / file, saved, np.float32)
    rows = run.metrics()
    plots.updates(run.plots / "updates.png", rows)
    names = (learner.streets, learner.actions)
    plots.actions(run.plots / "actions.png", rows, *names, config.tables * config.turns)
    figures_of = holdem_figures if isinstance(learner.game, Holdem) else leduc_figures
    return figures_of(run, learner, state, console)


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="dqn", description=__doc__)
    shared = math.gcd(launch.config.tables, launch.config.capacity)
    learner = learner_of(launch.config, launch.mesh(shared, "tables and transitions"))
    console = Console()
    with runs.start(launch) as run:
        figures = learn(run, learner, console)
        rows = run.metrics()
        run.finish(
            **figures,
            updates=rows[-1]["step"],
            gradient_steps=rows[-1]["step"] * learner.gradient_steps,
            **run.totals("decisions"),
        )


if __name__ == "__main__":
    runs.main(main)
