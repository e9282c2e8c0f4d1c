"""Showdowns on arrays: hands as four rank masks, who wins, and how often.

XLA fuses the deal and the evaluation into a sum over it, and repeats both for every further sum. So counts of
several outcomes are packed into one int32, added, and unpacked.
"""

from __future__ import annotations

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import hands
from jaxpoker.cards import NUM_CARDS

CHUNK = 2048  # boards or samples in one sum of counts packed by 16 bits: a board counts 24 times at most

Masks = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # clubs, diamonds, hearts, spades


def columns(ids: jax.Array) -> list[jax.Array]:
    """Ids [..., n] as n arrays [...]."""
    return [ids[..., i] for i in range(ids.shape[-1])]


def undealt(known: jax.Array) -> jax.Array:
    """[52 - n]: the cards left when ``known`` [n] are out of the deck, in order."""
    deck = jnp.arange(NUM_CARDS - known.size)
    for card in jnp.sort(known):
        deck = deck + (deck >= card)  # numbers shifted up past each known card
    return deck


def subsets(deck: jax.Array, size: int) -> Masks:
    """Masks [C(n, size), ...] of all sets of ``size`` cards of a ``deck`` [n, ...]; of no cards there is one, []."""
    places = np.asarray(list(itertools.combinations(range(len(deck)), size)), np.int32)  # [sets, size]
    return hands.suit_masks([deck[places[:, i]] for i in range(size)])


def four(rows: jax.Array) -> Masks:
    """The rows of an array [4, ...]."""
    return rows[0], rows[1], rows[2], rows[3]


def join(a: Masks, b: Masks) -> Masks:
    return a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]


def overlap(a: Masks, b: Masks) -> jax.Array:
    """Whether two sets of cards have one in common."""
    return ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3])) != 0


def strength(board: Masks, hole: Masks) -> jax.Array:
    """Strength of hole cards on a board of five."""
    return hands.strength_of_masks(*join(board, hole))


def outcome(ours: jax.Array, theirs: jax.Array, win: jax.Array | int, tie: jax.Array | int) -> jax.Array:
    """``win`` where our strength is the higher, ``tie`` where both are equal, else 0."""
    return jnp.where(ours > theirs, win, jnp.where(ours == theirs, tie, 0))


def best_of(strengths: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The best of P strengths [P, ...], and how many players share it."""
    rows = list(strengths)
    best = functools.reduce(jnp.maximum, rows)
    return best, functools.reduce(jnp.add, [(row == best).astype(jnp.int32) for row in rows])


def unpack(packed: jax.Array, bits: int) -> jax.Array:
    """[32 // bits, ...] counts that were packed into one int32, ``bits`` each, added over the last axis."""
    fields = [packed >> shift & ((1 << bits) - 1) for shift in range(0, 32 - bits + 1, bits)]
    return jnp.stack([field.sum(axis=-1, dtype=jnp.int32) for field in fields])
