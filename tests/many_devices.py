"""Every learner and solver in its smallest size, for the tests of many devices and of several processes.

python tests/many_devices.py                 all of them, on one device and on four: what differs, as JSON
python tests/many_devices.py FILE NAME ...   some of them, as one of several processes: the first writes what came of it
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import jaxpoker
from jaxpoker import devices, match, players, solvers
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Belief
from jaxpoker.learners.evolution import tser
from jaxpoker.learners.evolution.learner import Evolution, Protocol
from jaxpoker.learners.evolution.pokernet_gradient import PokerNetGradient
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.learners.policy_gradient.reinforce import Reinforce
from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
from jaxpoker.learners.q_learning.dqn import DQN, Phase
from jaxpoker.models import belief, observer, pokernet
from jaxpoker.players import Entrant, saved_networks
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.exact import cfr, exact_game
from jaxpoker.solvers.sampling import public_cfr
from jaxpoker.solvers.sampling.boards import HandBoards
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.table_rows import OwnRows
from jaxpoker.solvers.tree import street_shapes

DEVICES = 4
Mesh = jax.sharding.Mesh | None

KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")
PUSH_FOLD = jaxpoker.make("holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2)
SESSIONS = Protocol(Holdem(stack=100, small_blind=5, big_blind=10, max_log=1), True, ("call", "min-raise"), (1, 1))


def evolution(mesh: Mesh) -> Evolution:
    """Sixteen networks with eight sessions each: enough that the last tables move together."""
    breeding = tser.breeding(pokernet.random_genomes, generations=4)
    return Evolution(SESSIONS, individuals=16, hands=3, repeats=2, win_samples=2, breeding=breeding, mesh=mesh)


def gradient(mesh: Mesh) -> PokerNetGradient:
    return PokerNetGradient(SESSIONS, sets=1, copies=2, hands=2, decisions_per_hand=3, win_samples=2, mesh=mesh)


def reinforce(mesh: Mesh) -> Reinforce:
    """Against past selves at a quarter of the tables."""
    return Reinforce(
        KUHN, observer.network(KUHN), tables=32, turns=4, trace=0.9, snapshots=1, pool_share=0.25, mesh=mesh
    )


def ppo(mesh: Mesh) -> PPO:
    """Minibatches of half of the decisions."""
    return PPO(KUHN, observer.network(KUHN), tables=32, turns=4, minibatches=2, learned_share=0.5, mesh=mesh)


def dqn(mesh: Mesh) -> DQN:
    rule = DoubleDQN(saved_networks.value_network("leduc"))
    phases = (Phase("A", (1.0, 1.0), 2, rule),)
    opponents = (Entrant(players.make("random", LEDUC)),)
    options: dict[str, Any] = {"tables": 32, "turns": 4, "decisions_per_step": 32, "batch": 16, "capacity": 256}
    return DQN(LEDUC, opponents, phases, prioritised=True, steps=2, mesh=mesh, **options)


def beliefs(mesh: Mesh) -> Belief:
    network = belief.network(KUHN, belief.Sizes(latent=16, heads=2, layers=1, feed_forward=16))
    return Belief(KUHN, network, Search(simulations=2, depth=1), tables=32, turns=4, magnet=(0.5, 0.5), mesh=mesh)


def between_hands(mesh: Mesh) -> public_cfr.PublicCFR:
    """Push or fold, swept between hands instead of types."""
    cards, betting = abstraction.make("rank_based"), street_shapes.shaped(exact_game.whole(PUSH_FOLD).tree)
    swept = HandGame(betting, cards.num_buckets[:1], mesh)
    return public_cfr.PublicCFR(swept, HandBoards(cards, 1, mesh), OwnRows(betting), batch=8, remember=False)


LEARNERS: dict[str, Callable[[Mesh], Any]] = {
    "evolution": evolution,
    "policy gradient": gradient,
    "REINFORCE": reinforce,
    "PPO": ppo,
    "Double DQN": dqn,
    "beliefs": beliefs,
    "exact CFR": lambda mesh: cfr.CFR(exact_game.whole(KUHN), mesh=mesh),
    "external sampling": lambda mesh: solvers.make(
        "linear", exact_game.whole(KUHN), sampling="external", batch=32, mesh=mesh
    ),
    "outcome sampling": lambda mesh: solvers.make(
        "linear", exact_game.whole(KUHN), sampling="outcome", batch=32, mesh=mesh
    ),
    "hold'em by types": lambda mesh: solvers.make("dcfr", PUSH_FOLD, cards=abstraction.make("rank_based"), mesh=mesh),
    "hold'em by hands": between_hands,
}


def learned(name: str, mesh: Mesh, updates: int = 2) -> tuple[Any, Any]:
    """State and metrics after the updates."""
    learner = LEARNERS[name](mesh)
    state, metrics = learner.init(jax.random.key(0)), {}
    for _ in range(updates):
        state, metrics = learner.update(state)
    return state, metrics


def leaves(tree: Any) -> dict[str, np.ndarray]:
    """By path, with the random bits of keys."""
    named = jax.tree_util.tree_leaves_with_path(tree)
    is_key = [jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) for _, leaf in named]
    data = [jax.random.key_data(leaf) if key else leaf for (_, leaf), key in zip(named, is_key, strict=True)]
    return {jax.tree_util.keystr(path): devices.whole(x) for (path, _), x in zip(named, data, strict=True)}


def compared(name: str, mesh: Mesh) -> dict[str, Any]:
    """One device and a mesh: the leaves whose bits differ, the largest differences, and what is spread."""
    alone, together = learned(name, None), learned(name, mesh)
    ours, theirs = leaves(alone), leaves(together)
    differences = {
        path: float(np.max(np.abs(x.astype(np.float64) - theirs[path]) / (1 + np.abs(x)), initial=0))
        for path, x in ours.items()
        if not np.array_equal(x, theirs[path], equal_nan=x.dtype.kind == "f")
    }
    state, _ = together
    parts = [
        (jax.tree_util.keystr(path, simple=True, separator="."), leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(state)
    ]
    spread = {path for path, leaf in parts if leaf.addressable_shards[0].data.size < leaf.size}
    held_by = {len(leaf.sharding.device_set) for _, leaf in parts}
    return {"differences": differences, "spread": sorted(spread), "devices": sorted(held_by)}


def played(mesh: Mesh) -> str:
    bots = [players.make("random", KUHN)] * 2
    return repr(match.play(KUHN, bots, jax.random.key(1), tables=32, hands_per_table=2, mesh=mesh))


def compare_devices() -> None:
    jax.config.update("jax_num_cpu_devices", DEVICES)
    mesh = devices.mesh()
    for name in LEARNERS:
        try:
            found = compared(name, mesh)
        except Exception:
            found = {"error": traceback.format_exc()}
        print(json.dumps({"name": name, **found}), flush=True)
    print(json.dumps({"name": "match", "results": [played(None), played(mesh)]}))


def work_together(file: str, names: list[str]) -> None:
    devices.join()
    mesh = devices.mesh()
    assert mesh is not None and mesh.size == jax.device_count() > jax.local_device_count()
    found = {f"{name}/{path}": x for name in names for path, x in leaves(learned(name, mesh)).items()}
    if devices.is_first():
        np.savez(file, **found)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        compare_devices()
    else:
        work_together(sys.argv[1], sys.argv[2:])
