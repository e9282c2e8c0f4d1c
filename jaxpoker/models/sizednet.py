"""SizedNet: an actor that chooses how many chips to raise to, and a critic, for heads-up hold'em.

    actor    what the player sees -> 256 -> 256 -> logits of fold, call and raise, middle and width of raises
    critic   what the critic sees -> 256 -> 256 -> value of the seat to act

What the player sees is the game's observation and how its hand reads (45 floats, see ``reading``).

The critic serves to learn and for nothing else: it says how good a table was before a decision, so that what came of
the decision can be told from luck. A baseline may know all that does not depend on the decision, and so this one
sees the other's hand, the cards to come and who would win the showdown, too. The actor never does, and nobody plays
by the critic.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxpoker import cards, hands, ranges
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import PREFLOP, RIVER, State
from jaxpoker.games.seats import of_seat
from jaxpoker.models import raise_sizes
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.models.raise_sizes import KINDS, SMALLEST_WIDTH, Sized

Array = jax.Array

HIDDEN_UNITS = 256
HIDDEN_LAYERS = 2
CATEGORIES, RANKS = len(hands.CATEGORIES), cards.NUM_RANKS
READING_FLOATS = 2 * CATEGORIES + 2 * RANKS + 1
FIRST_WIDTH = 0.2  # of raises, before anything is learned; their middle is 1/2
HEAD_SCALE = 0.01  # of the actor's last weights at first: it begins without an opinion


def _bits(mask: Array, count: int) -> Array:
    """``[..., count]`` float32: the lowest bits of ``mask`` ``[...]``."""
    return ((mask[..., None] >> np.arange(count, dtype=np.int32)) & 1).astype(jnp.float32)


@jax.jit
def reading(state: State, player: Array) -> Array:
    """``[..., 45]`` float32: what hand ``player`` holds, of tables ``[...]``.

    Nine for the category and 26 for the ranks of its best hand with the open cards (see ``hands``), nine for the
    category of the board alone, all 0 before the flop; and what part of the pot its two cards would win, on average,
    against any others.
    """
    hole = [of_seat(player, list(state.deal.hole_cards[i::2])) for i in range(2)]
    flop = state.deal.board_cards[:3]
    later = [jnp.where(state.street > i, card, flop[0]) for i, card in enumerate(state.deal.board_cards[3:], 1)]
    own, board = (hands.strength_of_masks(*hands.suit_masks([*held, *flop, *later])) for held in (hole, []))
    made = [
        jax.nn.one_hot(hands.category(own), CATEGORIES),
        _bits(own, 2 * RANKS),
        jax.nn.one_hot(hands.category(board), CATEGORIES),
    ]
    seen = jnp.where((state.street > PREFLOP)[..., None], jnp.concatenate(made, axis=-1), 0.0)
    equity = np.asarray(ranges.preflop_table().equity, np.float32)[ranges.CLASS_OF_COMBO]
    return jnp.concatenate([seen, jnp.asarray(equity)[ranges.combo_index(*hole)][..., None]], axis=-1)


@jax.jit
def secrets(state: State, player: Array) -> Array:
    """``[..., 135]`` float32: what a critic sees beside that of tables ``[...]``: how the other's hand reads and how
    both will on the river, and whether ``player`` would win or tie the showdown."""
    other, end = 1 - player, dataclasses.replace(state, street=jnp.full_like(state.street, RIVER))
    own, others = (of_seat(seat, list(state.deal.strengths)) for seat in (player, other))
    result = jnp.stack([own > others, own == others], axis=-1).astype(jnp.float32)
    return jnp.concatenate(
        [reading(state, other), reading(end, player)[..., :-1], reading(end, other)[..., :-1], result], axis=-1
    )


class SizedNet(nnx.Module):
    """The network."""

    def __init__(self, actor_floats: int, critic_floats: int, rngs: nnx.Rngs) -> None:
        self.actor = self._layers(actor_floats, rngs)
        self.critic = self._layers(critic_floats, rngs)
        small = nnx.initializers.variance_scaling(HEAD_SCALE**2, "fan_in", "truncated_normal")
        self.policy = nnx.Linear(HIDDEN_UNITS, len(KINDS) + 2, kernel_init=small, rngs=rngs)
        self.value = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs)

    @staticmethod
    def _layers(floats: int, rngs: nnx.Rngs) -> nnx.List:
        sizes = [floats, *[HIDDEN_UNITS] * HIDDEN_LAYERS]
        return nnx.List([nnx.Linear(a, b, rngs=rngs) for a, b in itertools.pairwise(sizes)])

    def __call__(self, seen: Array, secret: Array) -> Sized:
        """Of what the player sees ``[n, floats]`` and the critic besides ``[n, floats]``."""
        acting, judging = seen, jnp.concatenate([seen, secret], axis=-1)
        for layer in self.actor:
            acting = jax.nn.relu(layer(acting))
        for layer in self.critic:
            judging = jax.nn.relu(layer(judging))
        policy = self.policy(acting)
        middle = 0.5 + policy[:, -2]
        width = SMALLEST_WIDTH + FIRST_WIDTH * jnp.exp(policy[:, -1])
        return Sized(policy[:, : len(KINDS)], middle, width, self.value(judging)[:, 0])


@functools.cache
def network(game: Holdem) -> PolicyNetwork:
    """The network for ``game``, heads-up hold'em whose menu does not matter."""
    if game.num_players != 2:
        raise ValueError(f"hold'em for {game.num_players} players: a sized network plays heads-up")
    one = jax.eval_shape(game.init, jax.random.key(0))
    secret_floats = jax.eval_shape(secrets, one, one.current_player).shape[-1]
    actor_floats = game.observation_size + READING_FLOATS
    init, of = functions_of(lambda rngs: SizedNet(actor_floats, actor_floats + secret_floats, rngs))

    def said(params: Any, game: Holdem, state: State) -> Sized:
        seat = state.current_player
        seen = jnp.concatenate([jax.vmap(game.observe)(state, seat), reading(state, seat)], axis=-1)
        return of(params)(seen, secrets(state, seat))

    return PolicyNetwork(init, said, drawn=raise_sizes.drawn, odds=raise_sizes.odds, chips=True)
