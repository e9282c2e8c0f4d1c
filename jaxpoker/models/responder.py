"""Networks that learn what beats one player: few layers over what a seat sees, the value of each action or a policy.

    what is seen -> 128 -> 128 -> one value for each action                      (values)
    what is seen -> 128 -> 128 -> logits of the actions, and beside it a critic  (policy)

In hold'em a network sees the betting, how its hand reads, and its win probability against a random hand on the street
(``see``), in steps of its own for each street: that is what decides whether a bet is for value. It does not see single
cards. The win probability comes with the deal (``game.with_win_probabilities``). In other games it sees the game's own
observation.

The critic serves to learn and for nothing else. In hold'em it sees the other's hand and the cards to come, too, as
``sizednet`` explains.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxpoker import core
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem.table import STREETS, State
from jaxpoker.games.holdem.view import CARD_FLOATS
from jaxpoker.models import sizednet
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import Output, PolicyNetwork
from jaxpoker.models.qnet import QNetwork, observed

Array = jax.Array

HIDDEN_UNITS = 128
HIDDEN_LAYERS = 2
HEAD_SCALE = 0.01  # of the policy's last weights at first: it begins without an opinion
# Borders of the steps of a win probability: closer together where value bets begin.
WIN_STEPS = (0.0, 0.15, 0.25, 0.35, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def win_steps(win: Array) -> Array:
    """``[..., steps]``: how far a win probability ``[...]`` has come in each step, 0 below it and 1 above it."""
    below, above = np.array(WIN_STEPS[:-1], np.float32), np.array(WIN_STEPS[1:], np.float32)
    return jnp.clip((win[..., None] - below) / (above - below), 0, 1)


def see(game: core.Game, state: State, seat: Array) -> Array:
    """``[floats]`` float32: what a network sees of one table of heads-up hold'em, whose deal has win probabilities.

    81 of the game's observation (chips, street, position and betting), 45 of how the hand reads (``sizednet.reading``),
    the logarithms of pot, price and stack in big blinds, and the win probability: itself, and its steps on the street.
    """
    dealt = state.deal.win_probability
    assert dealt is not None
    here = (jnp.arange(len(STREETS)) == state.street).astype(jnp.float32)
    own = (jnp.arange(game.num_players) == seat)[:, None]
    # NaN where cards were drawn anew: not for this seat on this street.
    win = jnp.where(own & (here > 0), dealt, 0).sum()
    facing = holdem_table.facing(state, seat)
    chips = jnp.stack([facing.pot, facing.to_call, facing.stack]) / facing.big_blind
    return jnp.concatenate(
        [
            game.observe(state, seat)[7 * CARD_FLOATS :],
            sizednet.reading(state, seat),
            jnp.log1p(chips.astype(jnp.float32)) / 5,
            win[None],
            (here[:, None] * win_steps(win)).reshape(-1),
        ]
    )


def _layers(sizes: tuple[int, ...], rngs: nnx.Rngs) -> nnx.List:
    return nnx.List([nnx.Linear(a, b, rngs=rngs) for a, b in itertools.pairwise(sizes)])


def _through(layers: nnx.List, x: Array) -> Array:
    for layer in layers:
        x = jax.nn.relu(layer(x))
    return x


class ValueNet(nnx.Module):
    """The value of each action."""

    def __init__(self, floats: int, num_actions: int, rngs: nnx.Rngs) -> None:
        self.hidden = _layers((floats, *[HIDDEN_UNITS] * HIDDEN_LAYERS), rngs)
        self.actions = nnx.Linear(HIDDEN_UNITS, num_actions, rngs=rngs)

    def __call__(self, seen: Array) -> Array:
        """``[..., actions]`` of what is seen ``[..., floats]``."""
        return self.actions(_through(self.hidden, seen))


class PolicyNet(nnx.Module):
    """A policy and its critic."""

    def __init__(self, floats: int, secret_floats: int, num_actions: int, rngs: nnx.Rngs) -> None:
        self.actor = _layers((floats, *[HIDDEN_UNITS] * HIDDEN_LAYERS), rngs)
        self.critic = _layers((floats + secret_floats, *[HIDDEN_UNITS] * HIDDEN_LAYERS), rngs)
        small = nnx.initializers.variance_scaling(HEAD_SCALE**2, "fan_in", "truncated_normal")
        self.policy = nnx.Linear(HIDDEN_UNITS, num_actions, kernel_init=small, rngs=rngs)
        self.value = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs)

    def __call__(self, seen: Array, secret: Array) -> Output:
        """Of what the player sees ``[n, floats]`` and the critic besides ``[n, secret floats]``."""
        judged = _through(self.critic, jnp.concatenate([seen, secret], axis=-1))
        return Output(self.policy(_through(self.actor, seen)), self.value(judged)[..., 0])


@functools.cache
def values(game: core.Game) -> QNetwork:
    """The network of action values for ``game``."""
    floats = _floats(game)
    init, of = functions_of(lambda rngs: ValueNet(floats, game.num_actions, rngs))
    is_holdem = isinstance(game, Holdem)
    looks = see if is_holdem else observed
    return QNetwork(init, lambda params, seen: of(params)(seen), looks, floats, weighs_wins=is_holdem)


@functools.cache
def policy(game: core.Game) -> PolicyNetwork:
    """The policy network for ``game``, with its critic."""
    is_holdem = isinstance(game, Holdem)
    looks = see if is_holdem else observed
    secret_floats = 0
    if is_holdem:
        one = jax.eval_shape(game.init, jax.random.key(0))
        secret_floats = jax.eval_shape(sizednet.secrets, one, one.current_player).shape[-1]
    floats = _floats(game)
    init, of = functions_of(lambda rngs: PolicyNet(floats, secret_floats, game.num_actions, rngs))

    def said(params: Any, game: core.Game, state: Any) -> Output:
        seat = state.current_player
        secret = sizednet.secrets(state, seat) if is_holdem else jnp.zeros((len(seat), 0))
        return of(params)(jax.vmap(functools.partial(looks, game))(state, seat), secret)

    return PolicyNetwork(init, said, weighs_wins=is_holdem)


def _floats(game: core.Game) -> int:
    """That a network sees of ``game``."""
    if not isinstance(game, Holdem):
        return game.observation_size
    if game.num_players != 2:
        raise ValueError(f"hold'em for {game.num_players} players: a responder plays heads-up")
    deal = jax.eval_shape(lambda key: game.deal(key, (), 1), jax.random.key(0))
    state = jax.eval_shape(game.start, deal)
    return int(jax.eval_shape(functools.partial(see, game), state, state.current_player).shape[0])
