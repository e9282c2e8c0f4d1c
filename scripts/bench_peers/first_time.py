"""What a newcomer waits for: the first call of something in a new process, with its import, its tracing, its compiling.

Each is a statement that a new process runs with no compiled functions kept.
"""

from __future__ import annotations

import dataclasses

from bench_peers import peers
from bench_peers.timing import Work

_BEGIN = """
import jax, jax.numpy as jnp
jax.config.update("jax_enable_compilation_cache", False)
import jaxpoker
from jaxpoker import core, learners, match, players
"""

_STEP = """
game = jaxpoker.make("holdem", num_players={players})
states = jax.jit(lambda key: jax.vmap(game.start)(game.deal(key, (64,))))(jax.random.key(0))
jax.block_until_ready(jax.jit(jax.vmap(game.step))(states, jnp.ones(64, jnp.int32)))
"""

_ROLLOUT = """
game = jaxpoker.make({name!r}{rules})
def turn(states, key):
    action_key, deal_key = jax.random.split(key)
    step = core.play_on(game, states, core.random_action(action_key, states.legal_action_mask), deal_key)
    return step.state, step.rewards
def play(key):
    return jax.lax.scan(turn, jax.vmap(game.start)(game.deal(key, (64,))), jax.random.split(key, 16))
jax.block_until_ready(jax.jit(play)(jax.random.key(0)))
"""

_MATCH = """
game = jaxpoker.make("holdem")
match.play(game, [players.make("random", game), players.make("call", game)], jax.random.key(0), tables=64)
"""

_SEARCH = """
import mctx
from jaxpoker.adapters import mctx as search
game = jaxpoker.make("holdem")
def think(state, key):
    root_key, search_key = jax.random.split(key)
    worlds = jax.tree.map(lambda x: jnp.repeat(x[None], 32, axis=0), state)
    start = search.root(game, worlds, root_key)
    found = mctx.gumbel_muzero_policy(
        None, search_key, start, search.recurrent_fn(game), 8, invalid_actions=search.invalid_actions(start)
    )
    return found.action_weights.mean(axis=0)
jax.block_until_ready(jax.jit(think)(jax.jit(game.init)(jax.random.key(2)), jax.random.key(3)))
"""

_UPDATE = """
import sys; sys.path.insert(0, {scripts!r})
import programs
learner = programs._LEARNERS[{name!r}]()
jax.block_until_ready(jax.jit(learner.update)(learner.init(jax.random.key(0))))
"""


def first(statement: str) -> Work:
    """Once: nothing is kept, so that every time is the first one."""
    return dataclasses.replace(peers.process_start(_BEGIN + statement), once=True)


def step(num_players: int) -> Work:
    return first(_STEP.format(players=num_players))


def rollout(name: str, rules: str = "") -> Work:
    return first(_ROLLOUT.format(name=name, rules=rules))


def a_match() -> Work:
    return first(_MATCH)


def search() -> Work:
    """mctx on hold'em, as the guide has it on Kuhn."""
    return first(_SEARCH)


def update(learner: str) -> Work:
    """The small learner of ``scripts/programs.py``."""
    return first(_UPDATE.format(scripts=str(peers.ROOT / "scripts"), name=learner))
