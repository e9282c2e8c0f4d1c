"""PokerNet: two LSTMs and a decision network (Li & Miikkulainen, 2017), small enough to evolve.

    game LSTM      8 -> 50   what happened in this hand; forgets when a hand begins
    opponent LSTM  8 -> 10   what happened since this opponent sat down
    decision      60 -> 32 -> 1, tanh both: o in [-1, 1], the part of the starting stack it is willing to put in

Both LSTMs step at the player's own decisions only. A genome is all 14,545 parameters in one vector.

The eight features of a decision, each from 0 to 1 (chips are divided by the starting stack):

    0-3   preflop, flop, turn, river, one-hot
    4     win probability against one random hand, half of the ties counted
    5     own chips committed in this hand
    6     the opponent's chips committed in this hand
    7     pot odds, call / (call + pot)
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.flatten_util import ravel_pytree

from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import State
from jaxpoker.games.seats import of_seat

Array = jax.Array

NUM_FEATURES = 8
GAME_UNITS = 50
OPPONENT_UNITS = 10
HIDDEN_UNITS = 32
GENOME_SIZE = 14_545


class Memory(NamedTuple):
    """Hidden and cell states of both LSTMs."""

    game_hidden: Array  # [50]
    game_cell: Array  # [50]
    opponent_hidden: Array  # [10]
    opponent_cell: Array  # [10]


class Lstm(nnx.Module):
    """A standard LSTM with one bias: [i f g o] = x W + h R + b, c = σ(i) tanh(g) + σ(f) c, h = σ(o) tanh(c).

    σ(z) = (1 + tanh(z / 2)) / 2, so that one tanh serves all four gates.
    """

    def __init__(self, inputs: int, units: int, rngs: nnx.Rngs) -> None:
        glorot = nnx.initializers.glorot_uniform()
        self.kernel = nnx.Param(glorot(rngs.params(), (inputs, 4 * units)))  # W
        self.recurrent = nnx.Param(glorot(rngs.params(), (units, 4 * units)))  # R
        self.bias = nnx.Param(jnp.zeros(4 * units))

    def __call__(self, x: Array, hidden: Array, cell: Array) -> tuple[Array, Array]:
        gates = x @ self.kernel[...] + hidden @ self.recurrent[...] + self.bias[...]
        halves = np.repeat(np.array([0.5, 0.5, 1.0, 0.5], np.float32), gates.shape[-1] // 4)
        i, f, g, o = jnp.split(jnp.tanh(gates * halves), 4, axis=-1)
        cell = 0.5 * ((1 + i) * g + (1 + f) * cell)
        return 0.5 * (1 + o) * jnp.tanh(cell), cell


class PokerNet(nnx.Module):
    """The network; one call is one decision."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.game = Lstm(NUM_FEATURES, GAME_UNITS, rngs)
        self.opponent = Lstm(NUM_FEATURES, OPPONENT_UNITS, rngs)
        self.hidden = nnx.Linear(GAME_UNITS + OPPONENT_UNITS, HIDDEN_UNITS, rngs=rngs)
        self.output = nnx.Linear(HIDDEN_UNITS, 1, rngs=rngs)

    def __call__(self, features: Array, memory: Memory) -> tuple[Array, Memory]:
        """``o`` ``[...]`` in [-1, 1] for ``features`` ``[..., 8]``, and the memory after them."""
        game = self.game(features, memory.game_hidden, memory.game_cell)
        opponent = self.opponent(features, memory.opponent_hidden, memory.opponent_cell)
        hidden = jnp.tanh(self.hidden(jnp.concatenate([game[0], opponent[0]], axis=-1)))
        return jnp.tanh(self.output(hidden))[..., 0], Memory(*game, *opponent)


class _Structure(NamedTuple):
    graph: Any  # nnx.GraphDef
    from_genome: Any  # [14545] -> nnx.State


@functools.cache
def _structure() -> _Structure:
    graph, shapes = nnx.split(nnx.eval_shape(lambda: PokerNet(nnx.Rngs(0))))
    with jax.ensure_compile_time_eval():
        genome, from_genome = ravel_pytree(jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), shapes))
    assert genome.size == GENOME_SIZE
    return _Structure(graph, from_genome)


def genome_of(net: PokerNet) -> Array:
    """``[14545]`` float32: all parameters of ``net``."""
    return ravel_pytree(nnx.split(net)[1])[0]


def params_of(genome: Array) -> Any:
    """The parameters in a genome ``[14545]``, as ``apply`` takes them."""
    return _structure().from_genome(genome)


def random_genomes(key: Array, count: int, spread: float = 0.5) -> Array:
    """``[count, 14545]``: every gene from a normal distribution around 0 with standard deviation ``spread``."""
    return spread * jax.random.normal(key, (count, GENOME_SIZE))


def apply(params: Any, features: Array, memory: Memory) -> tuple[Array, Memory]:
    """``PokerNet.__call__`` with ``params``."""
    net: PokerNet = nnx.merge(_structure().graph, params)
    return net(features, memory)


def empty_memory() -> Memory:
    """When a new opponent sits down."""
    return Memory(*(jnp.zeros(units) for units in (GAME_UNITS, GAME_UNITS, OPPONENT_UNITS, OPPONENT_UNITS)))


def new_hand(memory: Memory) -> Memory:
    """When a hand begins: the game LSTM forgets."""
    return memory._replace(game_hidden=jnp.zeros_like(memory.game_hidden), game_cell=jnp.zeros_like(memory.game_cell))


# --- features and decisions -------------------------------------------------------------------


def features(game: Holdem, state: State, win_probability: Array) -> Array:
    """``[8]`` float32 of the player to act; see the module's docstring."""
    if game.num_players != 2:
        raise ValueError(f"PokerNet plays one opponent, not {game.num_players - 1}: hold'em with num_players=2")
    here = game.facing(state)
    seat = state.current_player
    committed = [chair.committed for chair in state.seats]
    own, other = of_seat(seat, committed), of_seat(1 - seat, committed)
    pot_odds = here.to_call / jnp.maximum(here.to_call + here.pot, 1)
    streets = [(state.street == street).astype(jnp.float32) for street in range(4)]
    chips = [jnp.minimum(wager / game.stack, 1.0) for wager in (own, other)]
    return jnp.stack([*streets, win_probability, *chips, pot_odds]).astype(jnp.float32)


def chips_to(game: Holdem, here: bets.Facing, output: Array) -> Array:
    """The chips "to" that the network's ``output`` o means, always legal.

    Algorithm 1 of the paper:

        o < 0                        check if that is free, else fold
        o < call / starting stack    call
        otherwise                    raise by floor(o * starting stack / big blind) big blinds; all-in if the stack does
                                     not reach beyond that, and a call if it is below the minimum raise
    """
    big_blind = here.big_blind
    willing = output * game.stack  # chips; o * stack < call is exact where o < call / stack is not
    raise_by = jnp.floor(willing / big_blind).astype(jnp.int32) * big_blind
    raise_to = here.price + raise_by
    call_to = here.own_bet + here.to_call
    to = jnp.where(raise_to < here.min_raise_to, call_to, jnp.minimum(raise_to, here.max_raise_to))
    to = jnp.where(here.may_raise, to, call_to)
    to = jnp.where(willing < here.to_call, call_to, to)
    return jnp.where(output < 0, jnp.where(here.may_fold, bets.FOLD_CHIPS, call_to), to)
