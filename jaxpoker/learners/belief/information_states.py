"""The information states that a learner asks its network about, each of them once.

What a network says follows from the information state alone. Where a game has few of them (12 in Kuhn, 936 in Leduc),
all are asked about at once, and every decision of thousands of hands looks its answer up: the losses are the same
sums, in another order. Where there are too many, each decision is a row of its own.

A causal network reads a sequence once for all that it begins with. Rows are therefore told by the longest sequences: a
row is the first tokens of one of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.protocols import InfosetGame
from jaxpoker.models.belief import BeliefNet, length_of, tokens_of
from jaxpoker.models.policy import masked
from jaxpoker.solvers.exact import exact_game
from jaxpoker.solvers.tree import replay

Array = jax.Array


@flax.struct.dataclass
class Rows:
    """R information states in S sequences."""

    tokens: Array  # [S, tokens, 4]
    sequence: Array  # [R] int32: the sequence that begins with each
    last: Array  # [R] int32: the place of its last token there
    legal: Array  # [R, actions] bool

    def beliefs(self, net: BeliefNet) -> Array:
        """``[R, latent]``."""
        return net.encode(self.tokens).tokens[self.sequence, self.last]

    def policy(self, net: BeliefNet) -> Array:
        """``[R, actions]``: a strategy table where the rows are all information sets."""
        return jax.nn.softmax(masked(net.policy(self.beliefs(net)), self.legal))


def is_small(game: core.Game) -> bool:
    """Whether all information sets of ``game`` can be rows; theirs is then ``game.infoset_index``."""
    return isinstance(game, InfosetGame) and game.num_players == 2


def of_decisions(game: core.Game, state: Any) -> Rows:
    """Each decision of tables ``[n]`` as a row."""
    tokens = tokens_of(game, state)
    last = jnp.maximum(length_of(tokens) - 1, 0)
    return Rows(tokens, jnp.arange(len(tokens), dtype=jnp.int32), last, state.legal_action_mask)


@functools.cache
def every_row(game: InfosetGame) -> Rows:
    """All information sets, in the order of ``game.infoset_index``, as NumPy arrays."""
    states = example_states(game)
    with jax.ensure_compile_time_eval():  # whoever asks may be traced
        table = jax.tree.map(jnp.asarray, states)
        tokens = np.asarray(jax.jit(tokens_of, static_argnums=0)(game, table))
        legal = np.asarray(table.legal_action_mask)
    length = (tokens[..., 0] > 0).sum(axis=1)
    tokens = tokens[:, : length.max()]
    beginnings = {tuple(row[:n].reshape(-1).tolist()): i for i, (row, n) in enumerate(zip(tokens, length, strict=True))}
    told_by = np.arange(len(tokens))
    for row in np.argsort(-length, kind="stable").tolist():  # the longest first: a row tells all that it begins with
        for n in range(1, int(length[row])):
            shorter = beginnings.get(tuple(tokens[row, :n].reshape(-1).tolist()))
            if shorter is not None:
                told_by[shorter] = told_by[row]
    longest, sequence = np.unique(told_by, return_inverse=True)
    arrays: tuple[Any, ...] = (tokens[longest], sequence.astype(np.int32), (length - 1).astype(np.int32), legal)
    return Rows(*arrays)


@functools.cache
def example_states(game: InfosetGame) -> Any:
    """A state ``[R, ...]`` of each information set, as NumPy arrays; it is its player's turn."""
    with jax.ensure_compile_time_eval():
        states, index = at_decisions(game, lambda state, seat: (state, game.infoset_index(state, seat)))
    rows, first = np.unique(index, return_index=True)
    assert np.array_equal(rows, np.arange(game.num_infosets))
    return jax.tree.map(lambda x: x[first], states)


def at_decisions(game: InfosetGame, look: Callable[[Any, Array], Any]) -> Any:
    """What ``look`` (state, seat to act) -> tree says at every decision with every hand: NumPy ``[n, ...]``."""
    public = exact_game.whole(game)
    nodes = public.tree.decisions()
    paths, seats = jnp.asarray(public.tree.paths(nodes)), jnp.asarray(public.tree.player[nodes], jnp.int32)
    deals = jax.tree.map(lambda *both: jnp.stack(both), *(examples for examples, _ in public.deals.examples))

    def at(path: Array, seat: Array) -> Any:
        own = jax.tree.map(lambda x: x[seat], deals)
        return jax.vmap(lambda deal: look(replay(game, path, deal), seat))(own)

    found = jax.jit(jax.vmap(at))(paths, seats)
    return jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), found)
