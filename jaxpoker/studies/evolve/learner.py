"""The population of the evolve experiment, as its settings say, and how a run trains it."""

from __future__ import annotations

import dataclasses
import functools
import math

import jax
from rich.console import Console

from jaxpoker import devices, runs
from jaxpoker.learners.evolution import breeding, evosax_breeding, tser
from jaxpoker.learners.evolution.learner import PROTOCOLS, SEATS, Evolution
from jaxpoker.learners.evolution.pokernet_gradient import PokerNetGradient
from jaxpoker.models import pokernet
from jaxpoker.studies.evolve import dashboard, plots
from jaxpoker.studies.evolve.config import Config


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evolution:
    """The evolution that ``config`` asks for; the devices of ``mesh`` share the sessions of an individual."""
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
    """TSER, or one of evosax's strategies."""
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
    config, unit = run.config, run.config.unit
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
