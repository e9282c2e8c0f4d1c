"""Evolves dual-LSTM poker players against four rule players by a genetic algorithm (TSER).

    scripts/run evolve                       a minute: fewer generations and shorter sessions
    scripts/run evolve --preset full         the published numbers, stacks carried over
    scripts/run evolve --preset paper        200 big blinds, stacks reset every hand
    scripts/run evolve --show NAME           the dashboard of a run that ended, or is at work

At the end the last population plays for the title, and the champion plays fresh duplicate deals against every opponent
of both families, tag and lag; champion.npy is its genome (jaxpoker.models.pokernet.params_of makes the params of
players.networks.pokernet() of it).
"""

from __future__ import annotations

import dataclasses
import functools
import io
import math
from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import devices, match, players, runs
from jaxpoker.files import write_whole
from jaxpoker.learners.evolution import breeding, evosax_breeding, tser
from jaxpoker.learners.evolution.learner import NETWORK, PROTOCOLS, SEATS, Evolution
from jaxpoker.learners.evolution.pokernet_gradient import PokerNetGradient
from jaxpoker.match import Estimate
from jaxpoker.models import pokernet
from jaxpoker.players.networks import pokernet as pokernet_player
from jaxpoker.players.registry import CHAMPION_FILE
from jaxpoker.runs.config import read_config, require_at_least, require_part_of_one
from jaxpoker.studies.evolve import dashboard, plots

EVERYBODY = (*players.OPPONENTS, *players.STYLES)  # whom a champion meets
UNIT = {"seed": "starting stacks", "paper": "mBB/hand"}
FINAL_STREAM = 1 << 30  # of the run's key, for the evaluation of the champion


@dataclasses.dataclass(frozen=True)
class Config:
    """The population and how it plays."""

    protocol: Literal["seed", "paper"] = "seed"
    """seed: 1,000 chips, blinds 5/10, stacks carried over until a bust-out. paper: 200 BB, reset every hand."""
    individuals: int = 50
    """Networks in the population."""
    generations: int = 250
    """Each: everybody plays every opponent from both seats, and the fittest have children; gradient: updates."""
    hands: int = 500
    """Of a session at most."""
    repeats: int = 1
    """Sets of decks against each opponent in a generation, each from both seats: more make fitness less noisy."""
    runoff: int = 10
    """Sets of decks that the last population plays at the end to find the champion."""
    fitness: Literal["ane", "fixed"] = "ane"
    """Earnings are divided by the most that anybody now makes of an opponent (ane), or a very good player (fixed)."""
    luck: bool = True
    """--no-luck: in fitness an all-in counts as what it is worth on average over the cards to come."""
    strategy: Literal["tser", "open-es", "snes", "simple-ga", "gradient"] = "tser"
    """The genetic algorithm; one of evosax's (pip install 'jaxpoker[evosax]'); a policy gradient, stacks reset."""
    survival_rate: float = 0.3
    """Part of the population that goes on to the next generation."""
    mutation_rate: tuple[float, float] = (0.25, 0.05)
    """Probability that a gene is mutated, in the first and in the last generation."""
    mutation_strength: tuple[float, float] = (0.5, 0.1)
    """Standard deviation of a mutation, in the first and in the last generation."""
    initial_spread: float = 0.5
    """Standard deviation of the first generation's genes."""
    opponent_memory: bool = True
    """--no-opponent-memory: the opponent LSTM forgets with every hand (an ablation)."""
    win_samples: int = 300
    """Deals that a win probability on flop and turn is estimated from, once per deal."""
    final_hands: int = 100_000
    """Hands of the champion against each opponent at the end, stacks reset."""
    final_sessions: int = 1_000
    """Sessions of the champion against each opponent of its protocol at the end."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("runoff", "final_hands", "final_sessions")

    def __post_init__(self) -> None:
        require_at_least(self, individuals=4, generations=1, hands=1, repeats=1, runoff=1, win_samples=1)
        require_at_least(self, final_sessions=2 * SEATS)
        require_part_of_one(self, "survival_rate")
        tser.num_survivors(self.individuals, self.survival_rate)
        if self.strategy == "open-es" and self.individuals % 2:
            raise ValueError(f"--individuals {self.individuals}: open-es draws them in pairs, take an even number")
        if self.final_hands < 2 * SEATS * self.hands:
            raise ValueError(
                f"--final-hands {self.final_hands}: at least {2 * SEATS * self.hands}, two tables of "
                f"{self.hands} hands from both seats"
            )


# Like the paper's, but for what makes their noise bearable: constant normalisers, all-ins without luck, and more decks.
PRESETS = {
    "quick": Config(generations=40, hands=200, fitness="fixed", luck=False, final_hands=20_000, final_sessions=200),
    "full": Config(fitness="fixed", luck=False, repeats=4),
    "paper": Config(protocol="paper", fitness="fixed", luck=False, repeats=2),
}


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evolution:
    protocol = PROTOCOLS[config.protocol]
    over = breeding.earnings_over(protocol.normalisers(config.hands))
    return Evolution(
        protocol,
        config.individuals,
        config.hands,
        config.repeats,
        config.win_samples,
        config.luck,
        config.opponent_memory,
        fitness=over if config.fitness == "fixed" else breeding.average_normalised_earnings,
        breeding=breeding_of(config),
        mesh=mesh,
    )


def breeding_of(config: Config) -> breeding.Breeding:
    first = functools.partial(pokernet.random_genomes, spread=config.initial_spread)
    if config.strategy in evosax_breeding.STRATEGIES:
        return evosax_breeding.breeding(config.strategy, first, config.individuals)
    schedule = tser.Schedule(config.mutation_rate, config.mutation_strength)
    return tser.breeding(first, config.generations, schedule, config.survival_rate)


def mesh_of(launch: runs.Launch[Config]) -> jax.sharding.Mesh | None:
    """Devices that share the sessions of an individual: those of a generation, of the run-off and of the evaluation."""
    config = launch.config
    sets = math.gcd(config.repeats, config.runoff, config.final_sessions // SEATS)
    sessions = dataclasses.replace(learner_of(config), repeats=sets).sessions_each
    return launch.mesh(sessions, "sessions of an individual")


def evolve(run: runs.Run[Config], learner: Evolution, console: Console, key: jax.Array) -> jax.Array:
    """All generations, with the dashboard and pictures of them; the champion ``[genes]`` of a run-off at the end."""
    config, unit = run.config, UNIT[run.config.protocol]
    history = run.metrics() if run.launch.resume else ()
    display = dashboard.EvolutionDashboard(console, unit, history=history, folder=run.folder)
    state = run.train(learner, steps=config.generations, display=display)
    plots.all_plots(run.plots, run.metrics(), unit)
    with console.status("the last population plays for the title"):
        champion, _ = dataclasses.replace(learner, repeats=config.runoff).fittest(state, key)
    return devices.fetched(champion)


def climb(run: runs.Run[Config], learner: Evolution) -> jax.Array:
    """The network ``[genes]`` that a policy gradient makes of the same features, against the same opponents."""
    gradient = PokerNetGradient(learner.protocol, run.config.generations, mesh=learner.mesh)
    state = run.train(gradient, steps=run.config.generations)
    plots.earnings(run.plots / "earnings.png", run.metrics(), "mBB/hand")
    genome: jax.Array = state.genome
    return genome


# --- the champion -----------------------------------------------------------------------------


def play_everybody(learner: Evolution, config: Config, champion: jax.Array, key: jax.Array) -> dict[str, match.Result]:
    """The champion on fresh duplicate deals with reset stacks, against each opponent of both families, tag and lag."""
    game = learner.protocol.game
    rivals = players.one_of(tuple(players.make(name, game) for name in EVERYBODY))
    pair = [pokernet_player("champion"), rivals]
    tables = config.final_hands // (SEATS * config.hands)
    results = {}
    for place, name in enumerate(EVERYBODY):
        params = [pokernet.params_of(champion), jnp.int32(place)]
        results[name] = match.play(game, pair, key, params, tables, config.hands, win_samples=config.win_samples)
    return results


@dataclasses.dataclass(frozen=True)
class Sessions:
    """Many sessions of the champion under its protocol, against one opponent."""

    earnings: Estimate  # per session, in starting stacks
    win_rate: Estimate  # of sessions that end above the start
    hands: Estimate  # until the session ends
    by_hand: np.ndarray  # [hands] mean winnings of each hand in mBB, over the sessions that got there


def play_sessions(
    learner: Evolution, config: Config, champion: jax.Array, key: jax.Array
) -> tuple[dict[str, Sessions], dict[str, Sessions]]:
    """Sessions as in training, each pair of seats with deals of its own: by the champion, and by the champion if its
    opponent LSTM forgot with every hand."""
    family, game = learner.protocol.family, learner.protocol.game
    repeats = config.final_sessions // SEATS
    end = jax.device_get(_sessions(dataclasses.replace(learner, repeats=repeats, luck=True), champion, key))
    shape = (2, len(family), repeats, SEATS)
    stacks = end.winnings[..., NETWORK].reshape(shape) * game.big_blind / game.stack
    hands = end.counts.hands[..., NETWORK].reshape(shape)
    by_hand = end.by_hand[..., NETWORK].reshape(*shape, -1)  # [2, O, repeats, seats, hands]

    def of(who: int, o: int) -> Sessions:
        played = np.arange(config.hands) < hands[who, o, ..., None]  # [repeats, seats, hands]
        times = played.sum(axis=(0, 1))
        mean = np.where(times > 0, 1000 * by_hand[who, o].sum(axis=(0, 1)) / np.maximum(times, 1), np.nan)
        return Sessions(
            Estimate.of(stacks[who, o].mean(axis=-1)),
            Estimate.of((stacks[who, o] > 0).mean(axis=-1)),
            Estimate.of(hands[who, o].mean(axis=-1)),
            mean,
        )

    with_memory, without = ({name: of(who, o) for o, name in enumerate(family)} for who in range(2))
    return with_memory, without


@functools.partial(jax.jit, static_argnums=0)
def _sessions(learner: Evolution, champion: jax.Array, key: jax.Array) -> match.Running:
    """``[2, sessions]``: with and without the memory of the opponent."""
    deal_key, play_key = jax.random.split(key)
    params = jax.tree.map(lambda x: jnp.stack([x, x]), pokernet.params_of(champion))
    remembers = jnp.array([learner.opponent_memory, False])
    end = learner.sessions(params, *learner.decks(deal_key), play_key, remembers, by_hand=True)
    return devices.everywhere(learner.mesh, end)


# --- for people -------------------------------------------------------------------------------


def table_of_matches(results: dict[str, match.Result], stack: int) -> Table:
    table = Table(title=f"The champion on fresh duplicate deals, {stack} big blinds, reset every hand", box=box.SIMPLE)
    table.add_column("opponent")
    for heading in ("mBB/hand ± 95%", "VPIP", "PFR", "AF", "WSD", "WSDW"):
        table.add_column(heading, justify="right")
    for name, result in results.items():
        assert result.profiles is not None
        own = result.profiles[0]
        rates = [f"{x:.0%}" if x is not None else "–" for x in (own.vpip, own.pfr, own.wsd, own.wsdw)]
        factor = f"{own.af:.2f}" if own.af is not None else "–"
        table.add_row(name, str(result.mbb_per_hand[0]), *rates[:2], factor, *rates[2:])
    return table


def table_of_sessions(sessions: dict[str, Sessions], hands: int) -> Table:
    table = Table(title=f"Sessions of at most {hands} hands, stacks carried over", box=box.SIMPLE)
    table.add_column("opponent")
    for heading in ("starting stacks won", "sessions won", "hands until the end"):
        table.add_column(heading, justify="right")
    for name, found in sessions.items():
        won = f"{found.win_rate.mean:.1%} ± {found.win_rate.ci95:.1%}"
        stacks = f"{found.earnings.mean:+.3f} ± {found.earnings.ci95:.3f}"
        table.add_row(name, stacks, won, f"{found.hands.mean:.0f} ± {found.hands.ci95:.0f}")
    return table


def genome_file(genome: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.save(content, genome)
    return content.getvalue()


def main() -> None:
    shown = runs.asked_for("--show", experiment="evolve", description=__doc__)
    if shown is not None:
        _, config = read_config(shown, "evolve", Config)
        dashboard.show(shown, Console(), UNIT[config.protocol])
        return
    launch = runs.parse(Config, PRESETS, experiment="evolve", description=__doc__)
    config = launch.config
    learner = learner_of(config, mesh_of(launch))
    console = Console()
    with runs.start(launch) as run:
        end_key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM)
        runoff_key, match_key, session_key = jax.random.split(end_key, 3)
        if config.strategy == "gradient":
            champion = climb(run, learner)
        else:
            champion = evolve(run, learner, console, runoff_key)
        write_whole(run.folder / CHAMPION_FILE, genome_file(np.asarray(champion)))
        with console.status("the champion plays everybody"):
            results = play_everybody(learner, config, champion, match_key)
            sessions, without = play_sessions(learner, config, champion, session_key)
        game = learner.protocol.game
        curves = {
            name: {"with opponent memory": sessions[name].by_hand, "without": without[name].by_hand}
            for name in learner.protocol.family
        }
        plots.adaptation(run.plots / "adaptation.png", curves, "mBB/hand")
        console.print(table_of_matches(results, game.stack // game.big_blind))
        if learner.protocol.carry_over:
            console.print(table_of_sessions(sessions, config.hands))
        rows = run.metrics()
        run.finish(
            mbb_per_hand={name: result.mbb_per_hand[0] for name, result in results.items()},
            session_earnings={name: found.earnings for name, found in sessions.items()},
            win_rate={name: found.win_rate for name, found in sessions.items()},
            hands_until_the_end={name: found.hands for name, found in sessions.items()},
            without_opponent_memory={name: found.earnings for name, found in without.items()},
            fitness_best=rows[-1].get("fitness_best"),
            fitness_mean=rows[-1].get("fitness_mean"),
            generations=rows[-1]["step"],
            **run.totals("hands"),
        )


if __name__ == "__main__":
    runs.main(main)
