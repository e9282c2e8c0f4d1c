"""The belief transformer: what a player has seen, as tokens, becomes a latent belief, and heads read it.

A token (``core.TOKEN_FIELDS``) is embedded field by field, in spaces of their own: who, which card, which action, how
much. The four are concatenated and a sine/cosine code of the position is added. Blocks of causal attention follow,

    x <- LayerNorm(x + Attention(x)),    x <- LayerNorm(x + W ReLU(V x)),

in which a token attends to itself and to what came before it. The belief is what the last token that is no padding has
become: so one pass over a hand gives the beliefs at all of its decisions, and what comes later changes none of them.

    attention row of token t in one head = softmax over s <= t of q(t) . k(s) / sqrt(width of a head)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxpoker import arguments, core
from jaxpoker.games.protocols import PrivateHandGame
from jaxpoker.models.belief_heads import Head, Transition
from jaxpoker.models.modules import functions_of
from jaxpoker.models.policy import Output, PolicyNetwork

Array = jax.Array

MAX_LAYERS, MAX_WIDTH = 24, 4_096
LONGEST_WAVE = 10_000.0  # of the position code, in tokens / 2π
_UNSEEN = -1e30  # score of a token that comes later


@dataclass(frozen=True)
class Sizes:
    """Of the network; all are free, but the latent divides by four and by the heads."""

    latent: int = 64
    heads: int = 4
    layers: int = 3
    feed_forward: int = 256
    probabilistic: bool = False  # transitions are normal distributions, not points

    def __post_init__(self) -> None:
        for name in ("latent", "heads", "layers", "feed_forward"):
            most = MAX_LAYERS if name == "layers" else MAX_WIDTH
            arguments.whole(name, getattr(self, name), 1, most, f"it is 1 or more, at most {most:,}")
        arguments.flag("probabilistic", self.probabilistic)
        if self.latent % 4 or self.latent % self.heads:
            raise ValueError(f"latent = {self.latent}: a multiple of 4 and of the {self.heads} heads")


class Encoded(NamedTuple):
    """What became of tokens."""

    tokens: Array  # [..., tokens, latent] after the last block
    belief: Array  # [..., latent] of the last one that is no padding
    attention: Array  # [layers, ..., heads, tokens, tokens] rows sum to 1


class Embedding(nnx.Module):
    """Fields of a token, each in a space of its own, and its position."""

    def __init__(self, token_sizes: tuple[int, int, int], latent: int, rngs: nnx.Rngs) -> None:
        width = latent // len(core.TOKEN_FIELDS)
        actors, cards, actions = token_sizes
        self.actor = nnx.Embed(actors, width, embedding_init=nnx.initializers.normal(1.0), rngs=rngs)
        self.card = nnx.Embed(cards, width, embedding_init=nnx.initializers.normal(1.0), rngs=rngs)
        self.action = nnx.Embed(actions, width, embedding_init=nnx.initializers.normal(1.0), rngs=rngs)
        self.amount = nnx.Linear(1, width, rngs=rngs)

    def __call__(self, tokens: Array) -> Array:
        """``[..., tokens, latent]`` of ``[..., tokens, 4]``; chips go in as log(1 + chips)."""
        actor, card, action, amount = (tokens[..., field] for field in range(len(core.TOKEN_FIELDS)))
        chips = jnp.log1p(amount.astype(jnp.float32))[..., None]
        spaces = [self.actor(actor), self.card(card), self.action(action), self.amount(chips)]
        embedded = jnp.concatenate(spaces, axis=-1)
        return embedded + position_code(embedded.shape[-2], embedded.shape[-1])


class Block(nnx.Module):
    """Causal attention and a feed-forward layer."""

    def __init__(self, sizes: Sizes, rngs: nnx.Rngs) -> None:
        self.heads = sizes.heads
        self.asks = nnx.Linear(sizes.latent, 3 * sizes.latent, rngs=rngs)  # queries, keys and values
        self.gathers = nnx.Linear(sizes.latent, sizes.latent, rngs=rngs)
        self.after_attention = nnx.LayerNorm(sizes.latent, rngs=rngs)
        self.widens = nnx.Linear(sizes.latent, sizes.feed_forward, rngs=rngs)
        self.narrows = nnx.Linear(sizes.feed_forward, sizes.latent, rngs=rngs)
        self.after_feed_forward = nnx.LayerNorm(sizes.latent, rngs=rngs)

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """``[..., tokens, latent]``, and the attention ``[..., heads, tokens, tokens]``."""
        length = x.shape[-2]
        queries, keys, values = jnp.split(self.asks(x).reshape(*x.shape[:-1], self.heads, -1), 3, axis=-1)
        scores = jnp.einsum("...thd,...shd->...hts", queries, keys) / np.sqrt(queries.shape[-1])
        attention = jax.nn.softmax(jnp.where(np.tri(length, dtype=bool), scores, _UNSEEN))
        gathered = jnp.einsum("...hts,...shd->...thd", attention, values).reshape(x.shape)
        x = self.after_attention(x + self.gathers(gathered))
        return self.after_feed_forward(x + self.narrows(jax.nn.relu(self.widens(x)))), attention


class BeliefNet(nnx.Module):
    """The transformer and its heads."""

    def __init__(
        self, token_sizes: tuple[int, int, int], num_actions: int, num_hands: int, sizes: Sizes, rngs: nnx.Rngs
    ) -> None:
        latent = sizes.latent
        self.embedding = Embedding(token_sizes, latent, rngs)
        self.blocks = nnx.List([Block(sizes, rngs) for _ in range(sizes.layers)])
        self.value_head = Head(latent, latent, 1, rngs)
        self.policy = Head(latent, latent, num_actions, rngs)
        self.legal = Head(latent, latent, num_actions, rngs)
        self.range = Head(latent, latent, num_hands, rngs)
        self.transition = Transition(latent, num_actions, sizes.probabilistic, rngs)

    def encode(self, tokens: Array) -> Encoded:
        """Of information states ``[..., tokens, 4]``."""
        x = self.embedding(tokens)
        attention = []
        for block in self.blocks:
            x, rows = block(x)
            attention.append(rows)
        last = jnp.maximum(length_of(tokens) - 1, 0)[..., None, None]
        belief = jnp.take_along_axis(x, last, axis=-2)[..., 0, :]
        return Encoded(x, belief, jnp.stack(attention))

    def beliefs(self, tokens: Array) -> Array:
        """``[..., latent]``."""
        return self.encode(tokens).belief

    def value(self, z: Array) -> Array:
        """``[...]``."""
        return self.value_head(z)[..., 0]


class BeliefNetwork(NamedTuple):
    """Pure functions, as learners and players take them."""

    sizes: Sizes
    init: Callable[[Array], Any]  # key -> params of a network that has learned nothing
    of: Callable[[Any], BeliefNet]  # params -> the network
    policy: PolicyNetwork  # what plays: the policy and value heads on the belief of the seat to act


def position_code(length: int, width: int) -> np.ndarray:
    """``[length, width]`` float32: sin and cos of position / 10000^(2i / width) (Vaswani et al., 2017)."""
    angle = np.arange(length)[:, None] / LONGEST_WAVE ** (np.arange(0, width, 2) / width)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(length, width).astype(np.float32)


def length_of(tokens: Array) -> Array:
    """``[...]`` int32: how many of ``tokens`` ``[..., tokens, 4]`` are no padding."""
    return (tokens[..., 0] > 0).sum(axis=-1, dtype=jnp.int32)


def tokens_of(game: core.Game, state: Any) -> Array:
    """``[n, tokens, 4]``: what the seats to act have seen at tables ``[n]``."""
    return jax.vmap(game.information_state)(state, state.current_player)


# --- hands of the opponent ----------------------------------------------------------------------


def num_hands(game: core.Game) -> int:
    """How many private hands there are: cards in Kuhn and Leduc, 1,326 combos in hold'em."""
    return _with_hands(game).num_hands


def hand_of(game: core.Game, state: Any, seat: Array | int) -> Array:
    """``[]`` int32 below ``num_hands``: what ``seat`` holds, at one table."""
    return _with_hands(game).hand_index(state, seat)


def _with_hands(game: core.Game) -> PrivateHandGame:
    if not isinstance(game, PrivateHandGame):
        raise ValueError(
            f"beliefs are about an opponent's hand, and {game.name} numbers none: it is no PrivateHandGame"
        )
    return game


# --- the network of a game ----------------------------------------------------------------------


@functools.cache
def network(game: core.Game, sizes: Sizes = Sizes()) -> BeliefNetwork:  # noqa: B008  # frozen
    """The network for ``game``, a game of two."""
    if game.num_players != 2:
        raise ValueError(f"beliefs are about one opponent, and this {game.name} has {game.num_players} players")
    hands = num_hands(game)
    init, of = functions_of(lambda rngs: BeliefNet(game.token_sizes, game.num_actions, hands, sizes, rngs))

    def said(params: Any, game: core.Game, state: Any) -> Output:
        net = of(params)
        z = net.beliefs(tokens_of(game, state))
        return Output(net.policy(z), net.value(z))

    return BeliefNetwork(sizes, init, of, PolicyNetwork(init, said))
