"""Other libraries' networks and learners, on the same work as ours."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

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
from bench_peers.peers import peer
from bench_peers.timing import Repeat, Work, finished, work


def torch_network_forwards(threads: int) -> Work:
    """The two LSTMs and the decision network of 50 players by batched matrix products."""
    torch = peer("torch")

    def weights(*shape: int) -> Any:
        return torch.from_numpy(network_weights(shape))

    def bias(size: int) -> Any:
        return weights(size)[:, None, :]

    layers = [(weights(8, 4 * n), weights(n, 4 * n), bias(4 * n), n) for n in (50, 10)]
    hidden, output = (weights(60, 32), bias(32)), (weights(32, 1), bias(1))
    features = torch.from_numpy(network_features())

    def run() -> Any:
        torch.set_num_threads(threads)
        with torch.inference_mode():
            states = [[torch.zeros(NETWORKS, NETWORK_TABLES, n) for _ in range(2)] for *_, n in layers]
            for _ in range(NETWORK_STEPS):
                for state, (kernel, recurrent, shift, _) in zip(states, layers, strict=True):
                    gates = torch.baddbmm(torch.baddbmm(shift, features, kernel), state[0], recurrent)
                    i, f, g, o = gates.chunk(4, -1)
                    state[1] = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
                    state[0] = torch.sigmoid(o) * torch.tanh(state[1])
                joined = torch.cat([state[0] for state in states], -1)
                decided = torch.tanh(torch.baddbmm(hidden[1], joined, hidden[0]))
                outputs = torch.tanh(torch.baddbmm(output[1], decided, output[0]))
            return outputs

    return work(NETWORKS * NETWORK_TABLES * NETWORK_STEPS, run, lambda outputs: float(outputs.sum()))


def rlcard_gradient_steps(steps: int = 50) -> Work:
    """RLCard's DQN: batches of 64 drawn from its memory, 200 floats, three layers of 256, 9 actions."""
    agent = peer("rlcard.agents").DQNAgent(num_actions=9, state_shape=[200], mlp_layers=[256] * 3, batch_size=64)
    draw = np.random.default_rng(0)
    for seen in draw.random((2_000, 200), np.float32):
        agent.feed_memory(seen, int(draw.integers(9)), float(draw.normal()), seen, list(range(9)), False)

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints every step
            for _ in range(steps):
                agent.train()

    return work(steps, run)


def evosax_generations(name: str) -> Work:
    """ask and tell of an algorithm of evosax for 50 genomes, a gene standing for fitness, inside one jit."""
    algorithms = peer("evosax.algorithms")
    algorithm = getattr(algorithms, name)(NETWORKS, np.zeros(GENES, np.float32))
    params, key = algorithm.default_params, jax.random.key(0)
    if name == "SimpleGA":  # a population, the others begin with a mean
        population = 0.5 * jax.random.normal(key, (NETWORKS, GENES))
        begin = algorithm.init(key, population, population[:, 0], params)
    else:
        begin = algorithm.init(key, np.zeros(GENES, np.float32), params)

    @jax.jit
    def run(state: Any, keys: Any) -> Any:
        def generation(state: Any, key: Any) -> Any:
            ask_key, tell_key = jax.random.split(key)
            population, state = algorithm.ask(ask_key, state, params)
            return algorithm.tell(tell_key, population, population[:, 0], state, params)[0], None

        return jax.lax.scan(generation, state, keys)[0]

    keys = jax.random.split(jax.random.key(1), GENERATIONS)
    return work(GENERATIONS, lambda: finished(run(begin, keys)))


def rlcard_decisions(decisions: int = 1_000) -> Work:
    """RLCard's DQN at its own no-limit hold'em against random play: three layers of 256, a step of 64 for each 128.

    Hands are whole, so some more decisions than asked for are made; the time is that of as many as asked for.
    """
    rlcard, agents, tools = peer("rlcard"), peer("rlcard.agents"), peer("rlcard.utils")
    env = rlcard.make("no-limit-holdem", config={"seed": 0})
    agent = agents.DQNAgent(
        num_actions=env.num_actions,
        state_shape=env.state_shape[0],
        mlp_layers=[256] * 3,
        batch_size=64,
        train_every=128,
        replay_memory_init_size=128,
    )
    env.set_agents([agent, agents.RandomAgent(num_actions=env.num_actions)])

    def play() -> int:
        made = 0
        with contextlib.redirect_stdout(io.StringIO()):  # it prints every step
            while made < decisions:
                hands = tools.reorganize(*env.run(is_training=True))
                for transition in hands[0]:
                    agent.feed(transition)
                made += sum(len(seat) for seat in hands)
        return made

    def repeat() -> Repeat:
        made = 0

        def run() -> None:
            nonlocal made
            made = play()

        measured = work(1, run).repeat()
        share = decisions / made
        return Repeat(measured.seconds * share, measured.processor_seconds * share, None)

    return Work(decisions, repeat)


def mctx_decisions(actions: int = 2, latent: int = 64) -> Work:
    """mctx alone: Gumbel MuZero with the smallest of models, one layer from a latent state to the next."""
    mctx = peer("mctx")
    params = jax.random.normal(jax.random.key(0), (latent + actions, latent)) / 8
    heads = jax.random.normal(jax.random.key(1), (latent, actions + 1)) / 8

    def expand(params: Any, key: Any, action: Any, state: Any) -> Any:
        state = jnp.tanh(jnp.concatenate([state, jax.nn.one_hot(action, actions)], axis=-1) @ params)
        said = state @ heads
        ones = jnp.ones(len(action))
        output = mctx.RecurrentFnOutput(reward=0 * ones, discount=ones, prior_logits=said[:, 1:], value=said[:, 0])
        return output, state

    @jax.jit
    def search(params: Any, key: Any, state: Any) -> Any:
        said = state @ heads
        root = mctx.RootFnOutput(prior_logits=said[:, 1:], value=said[:, 0], embedding=state)
        return mctx.gumbel_muzero_policy(params, key, root, expand, num_simulations=SIMULATIONS).action

    states = jax.random.normal(jax.random.key(2), (SEARCH_TABLES, latent))
    return work(SEARCH_TABLES, lambda: finished(search(params, jax.random.key(3), states)))


def open_spiel_searched_decisions(games: int = 200) -> Work:
    """OpenSpiel's C++ information set MCTS on Kuhn, as many simulations, leaves by a random game, no network."""
    pyspiel = peer("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    bot = pyspiel.ISMCTSBot(0, pyspiel.RandomRolloutEvaluator(1, 0), 2.0, SIMULATIONS)
    draw = np.random.default_rng(0)

    def play() -> int:
        decisions = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(int(draw.choice(state.legal_actions())))
                else:
                    state.apply_action(bot.step(state))
                    decisions += 1
        return decisions

    return work(play(), play)
