"""jaxpoker's side of the figures on networks and learners."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

import jaxpoker
from bench_peers.inputs import (
    GENERATIONS,
    GENES,
    NETWORK_STEPS,
    NETWORK_TABLES,
    NETWORKS,
    SEARCH_TABLES,
    SIMULATIONS,
    network_features,
    network_weights,
)
from bench_peers.timing import Work, finished, work
from jaxpoker import players
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.belief.latent_search import Search, searching
from jaxpoker.learners.evolution import tser
from jaxpoker.learners.evolution.learner import PROTOCOLS, Evolution
from jaxpoker.learners.experience import trajectories
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.learners.policy_gradient.reinforce import Reinforce
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, Phase
from jaxpoker.models import belief, chicagonet, pokernet, qnet, sizednet

# --- evolution --------------------------------------------------------------------------------


def network_forwards() -> Work:
    """Decisions of 50 PokerNets at 64 tables each, one after the other; the answer is the sum of the last outputs."""
    layers = {
        "game": {"kernel": (8, 200), "recurrent": (50, 200), "bias": (200,)},
        "opponent": {"kernel": (8, 40), "recurrent": (10, 40), "bias": (40,)},
        "hidden": {"kernel": (60, 32), "bias": (32,)},
        "output": {"kernel": (32, 1), "bias": (1,)},
    }
    weights = jax.tree.map(network_weights, layers, is_leaf=lambda x: isinstance(x, tuple))
    like = jax.eval_shape(jax.vmap(pokernet.params_of), jnp.zeros((NETWORKS, pokernet.GENOME_SIZE)))
    params = jax.tree.unflatten(jax.tree.structure(like), jax.tree.leaves(weights))
    features = jnp.asarray(network_features())
    memory = jax.tree.map(lambda x: jnp.zeros((NETWORKS, NETWORK_TABLES, *x.shape)), pokernet.empty_memory())
    outputs = jnp.zeros((NETWORKS, NETWORK_TABLES))

    @jax.jit
    def run(params: Any, features: Any, begin: Any) -> Any:
        def decide(_: Any, loop: Any) -> Any:
            return jax.vmap(pokernet.apply)(params, features, loop[1])

        return jax.lax.fori_loop(0, NETWORK_STEPS, decide, begin)[0]

    decisions = NETWORKS * NETWORK_TABLES * NETWORK_STEPS
    return work(decisions, lambda: finished(run(params, features, (outputs, memory))), lambda x: float(x.sum()))


def bred_generations() -> Work:
    """Selection, crossover and mutation of 50 genomes, nobody plays: a gene stands for fitness."""

    @jax.jit
    def run(population: Any, keys: Any) -> Any:
        def generation(population: Any, key: Any) -> Any:
            rate, strength = tser.PUBLISHED.at(jnp.zeros(()), GENERATIONS)
            return tser.next_generation(key, population, population[:, 0], rate, strength).population, None

        return jax.lax.scan(generation, population, keys)[0]

    population = pokernet.random_genomes(jax.random.key(0), NETWORKS)
    assert population.shape == (NETWORKS, GENES)
    keys = jax.random.split(jax.random.key(1), GENERATIONS)
    return work(GENERATIONS, lambda: finished(run(population, keys)))


def evolved_generation(protocol: str) -> Work:
    """The first generation of the published size; units are hands actually played."""
    learner = Evolution(PROTOCOLS[protocol])
    begin = learner.init(jax.random.key(0))
    run = jax.jit(lambda state: learner.play(state.population, *jax.random.split(state.key)))
    return work(float(run(begin).hands.sum()), lambda: finished(run(begin)))


def whole_generation() -> Work:
    """A generation of the preset "full": every player's sessions with four sets of decks, then breeding."""
    learner = Evolution(PROTOCOLS["seed"], repeats=4, luck=False)
    return updates_of(learner, 1, 1)


# --- learners ---------------------------------------------------------------------------------


def updates_of(learner: Any, updates: int, amount: float) -> Work:
    """So many updates, which come to ``amount`` units."""
    state, _ = learner.update(learner.init(jax.random.key(0)))

    def run() -> Any:
        nonlocal state  # an update takes its state's memory: the next run goes on
        for _ in range(updates):
            state, _ = learner.update(state)
        return finished(state)

    return work(amount, run)


def reinforce(num_players: int, updates: int = 2) -> Work:
    """Updates of ChicagoNet that plays itself at 512 tables: what is learned from is counted, one epoch of it."""
    learner = Reinforce(Chicago(num_players), chicagonet.network(), tables=512, turns=64, minibatches=8)
    _, metrics = learner.update(learner.init(jax.random.key(0)))
    return updates_of(learner, updates, updates * int(metrics["decisions"]))


def dqn(tables: int = 1_024) -> DQN:
    """Hold'em's network of nine values, against random, tag and lag, a gradient step of 64 for 128 decisions."""
    game = jaxpoker.make("holdem", menu="nine")
    opponents = tuple(players.entrant(name, game) for name in ("random", "tag", "lag"))
    phase = Phase("A", (1.0, 1.0, 1.0, 0.0), 1_000, DoubleDQN(qnet.network(game), huber=None))
    return DQN(game, opponents, (phase,), tables=tables, turns=10)


def dqn_decisions(updates: int = 4) -> Work:
    """Updates of Double DQN, tables and gradient steps: decisions of both seats are counted."""
    learner = dqn()
    return updates_of(learner, updates, updates * learner.tables * learner.turns)


def dqn_gradient_steps(calls: int = 4) -> Work:
    """Batches of 64 drawn from a replay, and Double DQN's gradient steps on them."""
    learner = dqn()
    state, _ = learner.update(learner.init(jax.random.key(0)))
    rule = learner.phases[0].rule

    @jax.jit
    def steps(learned: Any, key: Any) -> Any:
        return learner._learn(rule, learned, state.replay, key)[0]

    def run() -> Any:
        learned = state.learned
        for call in range(calls):
            learned = steps(learned, jax.random.key(call))
        return finished(learned.params)

    return work(calls * learner.gradient_steps, run)


def ppo_decisions(updates: int = 2) -> Work:
    """Updates of PPO over chips against rule players and past selves: decisions of both seats are counted."""
    game = Holdem(stack=10_000, small_blind=50, big_blind=100)
    network = sizednet.network(game)
    against = ppo.sparring(game, network, ("random", "tag", "lag", "call"), (0.5, 3.0, 2.0, 0.5), 0.15)
    learner = ppo.PPO(
        game, network, tables=2_048, turns=16, learned_share=0.5, snapshots=4, snapshot_every=25, sparring=against
    )
    return updates_of(learner, updates, updates * learner.tables * learner.turns)


def searched_decisions(turns: int = 8) -> Work:
    """Kuhn against itself with a search of its own at every decision, in the belief transformer's latent space."""
    game = jaxpoker.make("kuhn")
    network = belief.network(game)
    params = network.init(jax.random.key(0))
    search = Search("gumbel", SIMULATIONS, 10.0, 2)

    @jax.jit
    def play(params: Any, key: Any) -> Any:
        begin = jax.vmap(game.start)(game.deal(key, (SEARCH_TABLES,)))
        return trajectories.collect(game, network.policy, searching(network, search, params, game), begin, key, turns)[
            0
        ]

    return work(SEARCH_TABLES * turns, lambda: finished(play(params, jax.random.key(1))))
