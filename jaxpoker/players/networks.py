"""Network players: a network's parameters are the player's ``params``."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games.bets import FOLD_CHIPS
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import State
from jaxpoker.games.protocols import ChipGame
from jaxpoker.models import chicagonet as chicago_net
from jaxpoker.models import pokernet as net
from jaxpoker.models.policy import PolicyNetwork, masked
from jaxpoker.models.qnet import QNetwork, greedy
from jaxpoker.players.contract import Mixture, Player, from_policy, on_menu
from jaxpoker.players.knowledge import win_probability, with_win_probability

Array = jax.Array


@functools.cache
def pokernet(name: str = "pokernet") -> Player:
    """The two-LSTM player of heads-up hold'em; its params are ``models.pokernet.params_of(genome)``.

    The game LSTM forgets when a hand begins, the opponent LSTM only when ``init_memory`` is called: for each opponent.
    """

    def act(params: Any, memory: net.Memory, game: Holdem, state: State, key: Array) -> tuple[Array, net.Memory]:
        seen = net.features(game, state, win_probability(state, state.current_player, key))
        output, memory = net.apply(params, seen, memory)
        return net.chips_to(game, game.facing(state), output), memory

    return Player(name, act, None, lambda params: net.empty_memory(), net.new_hand, weighs_wins=True)


@functools.cache
def of_policy(network: PolicyNetwork, name: str = "network", greedy: bool = False) -> Player:
    """The player of a policy network, whose ``params`` it takes.

    It samples from the softmax of its legal logits, or with ``greedy`` takes the likeliest action.
    """

    def policy(params: Any, memory: Any, game: core.Game, state: Any) -> tuple[Array, Any]:
        table = network.look(with_win_probability(state) if network.weighs_wins else state)
        (logits,) = network.said(params, game, jax.tree.map(lambda x: x[None], table)).logits
        logits = masked(logits, table.legal_action_mask)
        chosen = jax.nn.softmax(logits)
        if greedy:
            chosen = jax.nn.one_hot(jnp.argmax(logits), game.num_actions)
        actions = jax.vmap(network.answer, in_axes=(None, 0))(state, jnp.arange(game.num_actions, dtype=jnp.int32))
        # Answers to what is not legal may name an action twice: they add nothing.
        return jnp.zeros(game.num_actions).at[actions].add(chosen), memory

    return from_policy(name, policy)


@functools.cache
def of_chips(network: PolicyNetwork, name: str = "network") -> Player:
    """The player of a network whose policy is over chips, whose ``params`` it takes: it draws how many to go to."""

    def act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
        table = jax.tree.map(lambda x: x[None], network.look(state))
        (to,) = network.drawn(network.said(params, game, table), table, key)
        return network.answer(state, to), memory

    def mixture(params: Any, memory: Any, game: Holdem, state: State, choice: Array) -> Mixture:
        """Of fold, check or call, and raise; a raise of the pot stands for all sizes."""
        here = game.facing(state)
        call = here.own_bet + here.to_call
        pot = game.nearest_legal(state, here.price + here.pot + here.price - here.own_bet)
        chips = jnp.stack([jnp.int32(FOLD_CHIPS), call, jnp.maximum(pot, here.min_raise_to)])
        tables = jax.tree.map(lambda x: x[None], network.look(state))
        output = network.said(params, game, tables)

        def likely(to: Array) -> Array:
            (log_probability,) = network.odds(output, tables, jnp.asarray(to)[None]).log_probability
            return jnp.exp(log_probability)

        folds = jnp.where(here.may_fold, likely(chips[0]), 0)
        calls = likely(chips[1])
        raises = jnp.where(here.may_raise, jnp.maximum(1 - folds - calls, 0), 0)
        kind = jnp.where(choice < 0, 0, jnp.where(choice > here.price, 2, 1))
        return Mixture(chips, jnp.stack([folds, calls, raises]), kind, likely(choice))

    return Player(name, act, mixture=mixture)


@functools.cache
def of_values(network: QNetwork, game: core.Game, name: str = "qnet") -> Player:
    """The player of a network of action values, whose ``params`` it takes: always the legal action of the largest.

    Where choices are chips it has the actions of the menu of ``game``, at whatever table it sits.
    """

    def policy(params: Any, memory: Any, game: core.Game, state: Any) -> tuple[Array, Any]:
        table = with_win_probability(state) if network.weighs_wins else state
        values = network.values(params, network.see(game, table, state.current_player))
        return jax.nn.one_hot(greedy(values, state.legal_action_mask), game.num_actions), memory

    player = from_policy(name, policy)._replace(weighs_wins=network.weighs_wins)
    return on_menu(player, game.bet_menu) if isinstance(game, ChipGame) else player


@functools.cache
def responder(network: QNetwork | PolicyNetwork, game: core.Game, name: str = "response") -> Player:
    """The player of a network that has learned what beats somebody: always its best action, of ``game``'s menu."""
    if isinstance(network, QNetwork):
        return of_values(network, game, name)
    player = of_policy(network, name, greedy=True)._replace(weighs_wins=network.weighs_wins)
    return on_menu(player, game.bet_menu) if isinstance(game, ChipGame) else player


def chicagonet(name: str = "chicagonet", greedy: bool = False, sorts_hand: bool = True) -> Player:
    """The network of Chicago for 2 to 6 players; its params are those of ``models.chicagonet``."""
    return of_policy(chicago_net.network(sorts_hand), name, greedy)
