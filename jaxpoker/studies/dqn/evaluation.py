"""What the networks of a run are worth: by exact best responses in Leduc, by duplicate matches in hold'em."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import rivals
from jaxpoker.learners.q_learning.dqn import DQN, MARKS, TrainState
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.studies import holdem_rivals

START = "start"  # the network that a run goes on from


def networks_of(learner: DQN, state: TrainState) -> dict[str, Any]:
    """Params by name: what it started from, and what each phase ended with."""
    given = {} if learner.first is None else {START: learner.first}
    return given | {phase.name: learner.after_phase(state, place) for place, phase in enumerate(learner.phases)}


def album_of(learner: DQN, state: TrainState) -> dict[str, Any]:
    """Params by name: what it started from, and what it was after each third of each phase."""
    given = {} if learner.first is None else {START: learner.first}
    names = [f"{phase.name} {mark + 1}/{MARKS}" for phase in learner.phases for mark in range(MARKS)]
    return given | {name: jax.tree.map(lambda x, i=i: x[i], state.album) for i, name in enumerate(names)}


def exact(learner: DQN, params: Any) -> dict[str, float]:
    """In a game that can be solved: exploitability, and what the network makes of each opponent, seats alike, beside
    the most that can be made of it."""
    game = exact_game.whole(learner.game)
    own = strategies.of_player(game, learner.player, params)
    found = {"exploitability": float(best_response.exploitability(game, own))}
    for opponent in learner.opponents:
        other = strategies.of_player(game, opponent.player, opponent.params)
        made = sum(float(best_response.value_against(game, own, other, seat)) for seat in range(2)) / 2
        found[f"makes/{opponent.player.name}"] = made
        found[f"most/{opponent.player.name}"] = float(best_response.exploitability(game, other))
    return found


def matches(
    learner: DQN, networks: Mapping[str, Any], key: jax.Array, hands: int, console: Console
) -> dict[str, dict[str, Estimate]]:
    """What each of ``networks`` wins of every rival, in mBB/hand."""
    everybody = holdem_rivals.everybody(learner.game)
    results: dict[str, dict[str, Estimate]] = {}
    for name, params in networks.items():
        with console.status(f"the network of {name} plays {hands:,} hands against each rival"):
            own = Entrant(learner.player, params)
            results[name] = rivals.against_each(learner.game, own, everybody, key, hands)
        console.print(rivals.table(results[name], f"The network of {name}: duplicate matches at 100 big blinds"))
    return results


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


def gains(results: Mapping[str, Mapping[str, Estimate]], target: str) -> dict[str, Estimate]:
    """How much more the network of C wins of its target than each one before it: intervals as of separate matches."""
    if "C" not in results or target not in results["C"]:
        return {}
    last = results["C"][target]
    return {
        f"C over {name}": Estimate(last.mean - one.mean, float(np.hypot(last.ci95, one.ci95)), last.n)
        for name, one in ((name, by_rival[target]) for name, by_rival in results.items() if name != "C")
    }
