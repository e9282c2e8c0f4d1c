"""Strategies and players of this package as policies of OpenSpiel, and back.

    theirs = pyspiel.load_game("leduc_poker")                   # C++, or openspiel.as_game(game)
    policy = as_policy(game, strategy, theirs)                  # exploitability.exploitability(theirs, policy)
    table = of_policy(game, solver.average_policy(), theirs)    # solvers.exploitability(solver.game, table)

A strategy is a table ``[information sets, actions]`` in the order of ``game.infoset_index``; of an Entrant or a Player
such a table is made. OpenSpiel's own games that are the same game card by card and action by action are
``kuhn_poker``, ``leduc_poker`` and ``python_kuhn_poker``. Where information sets have no numbers (hold'em) use
``PlayerPolicy``, which asks the player at every state.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python import rl_environment

from jaxpoker import core, players, solvers
from jaxpoker.adapters.openspiel import JaxpokerGame, as_game
from jaxpoker.games import kuhn, leduc
from jaxpoker.games.protocols import ChipGame, DealtGame, InfosetGame
from jaxpoker.solvers.exact import exact_game

Array = jax.Array
Strategy = Array | np.ndarray | players.Entrant | players.Player

SAME_GAME = {"kuhn_poker": kuhn.Kuhn, "python_kuhn_poker": kuhn.Kuhn, "leduc_poker": leduc.Leduc}  # as ours
LONGEST = 16  # actions of a game of Kuhn or Leduc


def as_policy(game: core.Game, strategy: Strategy, theirs: pyspiel.Game | None = None) -> policies.TabularPolicy:
    """The policy of ``strategy`` in ``theirs``, which is ``as_game(game)`` when None.

    ``policies.python_policy_to_pyspiel_policy`` makes it one for C++.
    """
    table = _table(game, strategy)
    even, rows = _infosets(game, str(theirs or as_game(game)))
    made = copy.copy(even)
    made.action_probability_array = np.where(even.legal_actions_mask, table[rows], 0).astype(np.float64)
    return made


def of_policy(game: core.Game, policy: Any, theirs: pyspiel.Game | None = None) -> np.ndarray:
    """The table ``[information sets, actions]``, float64, of a policy for ``theirs``, Python's or C++'s.

    Rows that the game never comes to are 0.
    """
    table = np.zeros((_numbered(game).num_infosets, game.num_actions))
    even, rows = _infosets(game, str(theirs or as_game(game)))
    for row, state in zip(rows.tolist(), even.states, strict=True):
        for action, probability in dict(policy.action_probabilities(state)).items():
            table[row, action] = probability
    return table


class PlayerPolicy(policies.Policy):
    """A player, asked at each state of ``as_game(game, ...)``: for games whose information sets have no numbers."""

    def __init__(self, theirs: JaxpokerGame, entrant: players.Entrant) -> None:
        super().__init__(theirs, list(range(theirs.num_players())))
        asked = players.require_policy(entrant.player)
        if jax.tree.leaves(entrant.player.init_memory(entrant.params)):
            raise ValueError(f"player {entrant.player.name!r} remembers earlier decisions, which a policy cannot")

        @jax.jit
        def probabilities(params: Any, state: Any) -> Array:
            return asked(params, entrant.player.init_memory(params), theirs.game, state)[0]

        self._probabilities, self._params = probabilities, entrant.params

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """``{action: probability}`` of the legal actions."""
        found = np.asarray(self._probabilities(self._params, state.game_state), np.float64)
        return {action: float(found[action]) for action in state.legal_actions()}


def agents_as_player(agents: Sequence[Any], name: str = "openspiel") -> players.Player:
    """The player of OpenSpiel's learning agents (``rl_agent.AbstractAgent``), one for each seat, for evaluation.

    They are shown what ``as_game`` shows: ``information_state`` as one row of numbers, and the legal actions.
    """

    def ask(decision: players.Decision) -> int:
        legal = np.nonzero(decision.legal)[0].tolist()
        seats = range(len(agents))
        numbers = decision.information_state.reshape(-1).astype(np.float32).tolist()
        observations = {
            "info_state": [numbers for _ in seats],
            "legal_actions": [legal if seat == decision.seat else [] for seat in seats],
            "current_player": decision.seat,
            "serialized_state": [],
        }
        step = rl_environment.TimeStep(observations, None, None, rl_environment.StepType.MID)
        action = int(agents[decision.seat].step(step, is_evaluation=True).action)
        if isinstance(decision.game, ChipGame):
            raise ValueError(f"agents of OpenSpiel choose action ids, and {decision.game.name} has chips")
        return action

    return players.from_function(ask, name)


def _table(game: core.Game, strategy: Strategy) -> np.ndarray:
    """``[information sets, actions]`` float64."""
    if isinstance(strategy, players.Player):
        strategy = players.Entrant(strategy)
    if isinstance(strategy, players.Entrant):
        if not isinstance(game, DealtGame):
            raise ValueError(f"a player of {game.name} has no table, as its deals are not listed: use PlayerPolicy")
        strategy = solvers.of_player(exact_game.whole(game), strategy.player, strategy.params)
    table = np.asarray(strategy, np.float64)
    shape = (_numbered(game).num_infosets, game.num_actions)
    if table.shape != shape:
        raise ValueError(f"a strategy of {game.name} is {list(shape)}, not {list(table.shape)}")
    return table


def _numbered(game: core.Game) -> InfosetGame:
    if not isinstance(game, InfosetGame):
        raise ValueError(f"{game.name} has no infoset_index (games/protocols.py), so no table: use PlayerPolicy")
    return game


@functools.lru_cache(maxsize=64)
def _infosets(game: core.Game, called: str) -> tuple[policies.TabularPolicy, np.ndarray]:
    """OpenSpiel's uniform policy of what it calls so, and the row ``[n]`` of each of its information sets."""
    numbered, theirs = _numbered(game), pyspiel.load_game(called)
    name = theirs.get_type().short_name
    if not isinstance(theirs, JaxpokerGame) and SAME_GAME.get(name) is not type(game):
        known = ", ".join(known for known, ours in SAME_GAME.items() if ours is type(game))
        raise ValueError(f"{theirs} is not {game.name}: it is {known or 'no game of OpenSpiel'}, or as_game(game)")
    if isinstance(theirs, JaxpokerGame) and theirs.game != game:
        raise ValueError(f"{theirs} is {theirs.game}, not {game}")
    if theirs.num_players() != game.num_players:
        raise ValueError(f"{theirs} is for {theirs.num_players()} players, {game.name} here for {game.num_players}")
    even = policies.TabularPolicy(theirs)
    if isinstance(theirs, JaxpokerGame):
        return even, np.array([int(state.node.seen.row) for state in even.states])
    dealt, paths, seats = (np.array(column) for column in zip(*(_played(game, s) for s in even.states), strict=True))
    deal = leduc.Deal.of(dealt[:, :2], dealt[:, 2]) if isinstance(game, leduc.Leduc) else kuhn.Deal.of(dealt)

    @jax.jit
    @jax.vmap
    def row(path: Array, deal: Any, seat: Array) -> Array:
        return numbered.infoset_index(solvers.tree.replay(game, path, deal), seat)

    return even, np.asarray(row(jnp.asarray(paths), deal, jnp.asarray(seats)))


def _played(game: core.Game, state: Any) -> tuple[list[int], list[int], int]:
    """What happened on the way to a state of OpenSpiel's Kuhn or Leduc: cards, actions padded with -1, whose turn."""
    cards = [step.action for step in state.full_history() if step.player < 0]
    actions = [step.action for step in state.full_history() if step.player >= 0]
    if isinstance(game, leduc.Leduc) and len(cards) == 2:  # the public card is not known yet, and does not matter
        cards = [*cards, next(card for card in range(leduc.NUM_CARDS) if card not in cards)]
    return cards, actions + [-1] * (LONGEST - len(actions)), state.current_player()
