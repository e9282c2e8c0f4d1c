"""Network players: a network's parameters are the player's ``params``."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker.games import chicago_table
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem_table import State
from jaxpoker.models import chicagonet as chicago_net
from jaxpoker.models import pokernet as net
from jaxpoker.players.contract import Player, from_policy
from jaxpoker.players.knowledge import win_probability

Array = jax.Array


@functools.cache
def pokernet(name: str = "pokernet") -> Player:
    """The two-LSTM player of heads-up hold'em; its params are ``models.pokernet.params_of(genome)``.

    The game LSTM forgets when a hand begins, the opponent LSTM only when ``init_memory`` is called: for each opponent.
    """

    def act(params: Any, memory: net.Memory, game: Holdem, state: State, key: Array) -> tuple[Array, net.Memory]:
        seen = net.features(game, state, win_probability(state, state.current_player, key))
        output, memory = net.apply(params, seen, memory)
        return net.chips_to(game, game.spot(state), output), memory

    return Player(name, act, None, lambda params: net.empty_memory(), net.new_hand)


@functools.cache
def chicagonet(name: str = "chicagonet", greedy: bool = False) -> Player:
    """The network of Chicago for 2 to 6 players; its params are those of ``models.chicagonet``.

    It samples from the softmax of its legal logits, or with ``greedy`` takes the likeliest action.
    """

    def policy(params: Any, memory: Any, game: Chicago, state: chicago_table.State) -> tuple[Array, Any]:
        said = chicago_net.apply(params, game.observe(state, state.current_player))
        logits = chicago_net.masked(said.logits, state.legal_action_mask)
        if greedy:
            return jax.nn.one_hot(jnp.argmax(logits), game.num_actions), memory
        return jax.nn.softmax(logits), memory

    return from_policy(name, policy)
