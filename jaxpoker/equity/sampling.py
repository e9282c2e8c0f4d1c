"""Sampled equity: random deals to any players."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands
from jaxpoker.cards import NUM_CARDS
from jaxpoker.equity.results import Equities, Equity, mean_and_error
from jaxpoker.equity.showdowns import CHUNK, best_of, columns, outcome, strength, unpack
from jaxpoker.equity.table import Table
from jaxpoker.ranges import COMBOS

_SAMPLES_AT_ONCE = 1 << 18


class _Draws(NamedTuple):
    """What a block of samples is drawn from; ranges are those of players with more than one hand, but not all."""

    fixed: jax.Array  # [f, 2] hands of the players who have one
    drawn: np.ndarray  # [i, samples] words of _draw_hands, of the ranges that are drawn independently
    later: jax.Array  # [r - i, 52, 52] weights of the other ranges
    board: jax.Array  # [n]
    dead: jax.Array  # [d]


class _Deals(NamedTuple):
    """Random deals, one per sample; cards that are known are scalars."""

    board: list[jax.Array]  # 5 columns [samples]
    holes: list[list[jax.Array]]  # per player both cards, columns [samples]
    weight: jax.Array  # [samples], 0 where two ranges clash


def sampled(table: Table, seed: int, samples: int) -> Equities:
    """Any players by Monte Carlo, in blocks of deals, ``samples`` or more before those that clash are thrown away."""
    kinds = tuple(
        "hand" if size == 1 else "random" if is_random else "range"
        for size, is_random in zip(table.sizes, table.is_random, strict=True)
    )
    own = [w for w, kind in zip(table.weights, kinds, strict=True) if kind == "range"]
    fixed = [COMBOS[table.combos(i)[0]] for i, kind in enumerate(kinds) if kind == "hand"]
    independent = _count_independent(own)
    largest = _SAMPLES_AT_ONCE if independent == len(own) else _SAMPLES_AT_ONCE >> 3
    block = min(largest, max(CHUNK, 1 << (samples - 1).bit_length()))
    draws = _Draws(
        fixed=jnp.asarray(fixed, jnp.int32).reshape(-1, 2),
        drawn=np.zeros((independent, block), np.int32),
        later=jnp.asarray([_square(w) for w in own[independent:]], jnp.float32).reshape(-1, NUM_CARDS, NUM_CARDS),
        board=jnp.asarray(table.board, jnp.int32),
        dead=jnp.asarray(table.dead, jnp.int32),
    )
    duel = len(kinds) == 2 and independent == len(own)
    sums = []
    for i in range(-(-samples // block)):
        rng = np.random.default_rng([seed, i])
        drawn = [_draw_hands(rng, w, block) for w in own[:independent]]
        for words in drawn[1:]:
            rng.shuffle(words)
        draws = draws._replace(drawn=np.asarray(drawn, np.int32).reshape(-1, block))
        key = jax.random.fold_in(jax.random.key(seed), i)
        sums.append(_duel(key, draws, kinds, block) if duel else _sum_shares(*_deal_words(key, draws, kinds, block)))
    total = np.sum([np.asarray(s, np.float64) for s in sums], axis=0)
    if not total[0].any():
        raise ValueError("these ranges cannot be dealt together: in every sample two players held the same card")
    return _of_duel(total) if duel else _of_shares(total.sum(axis=-1))


# --- drawing hands ----------------------------------------------------------------------------


def _square(weights: np.ndarray) -> np.ndarray:
    """Weights [1326] as a symmetric [52, 52] float32 matrix by card."""
    square = np.zeros((NUM_CARDS, NUM_CARDS), np.float32)
    square[COMBOS[:, 0], COMBOS[:, 1]] = weights
    return square + square.T


def _chance_of_no_clash(one: np.ndarray, other: np.ndarray) -> float:
    """Chance that combos drawn independently from two ranges share no card.

    Of the other range's combos, those with the first card clash, those with the second, and the same combo is both.
    """
    clash = _square(other).sum(axis=0, dtype=np.float64)[COMBOS].sum(axis=1) - other
    return 1 - float((one * clash).sum()) / float(one.sum(dtype=np.float64) * other.sum(dtype=np.float64))


def _count_independent(weights: list[np.ndarray]) -> int:
    """How many of the first ranges to draw independently: as long as at least half of the draws should be free."""
    chance = 1.0
    for i, w in enumerate(weights):
        chance *= math.prod(_chance_of_no_clash(w, earlier) for earlier in weights[:i])
        if chance < 0.5:
            return i
    return len(weights)


def _draw_hands(rng: np.random.Generator, weights: np.ndarray, samples: int) -> np.ndarray:
    """[samples] hands of a range, each a word with six bits per card, in no random order.

    The number of times that each combo comes is drawn at once, which is much faster than a lookup per sample.
    """
    probabilities = weights / weights.sum(dtype=np.float64)
    return np.repeat(COMBOS[:, 0] | COMBOS[:, 1] << 6, rng.multinomial(samples, probabilities))


def _draw_free_combo(key: jax.Array, weights: jax.Array, taken: list[jax.Array]) -> tuple[list[jax.Array], jax.Array]:
    """Both cards of one combo per sample, in proportion to weights [52, 52] (symmetric) where no card is ``taken``.

    The first card comes from the row sums over free partners, the second from its row. Also returns the mass: the
    summed weight of all combos that were free, 0 where there was none.
    """
    matmul = functools.partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)
    up_to = np.triu(np.ones((NUM_CARDS, NUM_CARDS), np.float32))
    free = functools.reduce(jnp.multiply, [card[:, None] != np.arange(NUM_CARDS) for card in taken])  # [samples, 52]
    free = free.astype(jnp.float32)

    def pick(row: jax.Array, word: jax.Array) -> tuple[jax.Array, jax.Array]:
        cumulative = matmul(row, up_to)
        total = cumulative[:, -1]
        mark = (word >> 8).astype(jnp.float32) * 2.0**-24 * total  # uniform from 0 to below the total
        return jnp.minimum((cumulative <= mark[:, None]).sum(axis=-1), NUM_CARDS - 1), total

    first_word, second_word = cards.random_words(key, 2, free.shape[:1])
    first, mass = pick(matmul(free, weights) * free, first_word)
    second, _ = pick(weights[first] * free, second_word)
    # Rounding may slip past the last free card, once in ten million draws: such a deal does not count.
    clash = functools.reduce(jnp.logical_or, [(card == first) | (card == second) for card in taken])
    return [first, second], jnp.where(clash | (weights[first, second] == 0), 0, mass / 2)


def _deal(key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int, fused: bool) -> _Deals:
    """Deals to players of ``kinds`` "hand", "range" or "random".

    The first ranges are drawn independently, and a deal with a clash among them has weight 0. The later ones are
    drawn among the cards still free, and the deal's weight is the product of the masses that they had left. So a
    deal counts, on average, as the product of the ranges' weights. Random hands and the board come last; all cards
    left are equally likely.
    """
    independent = draws.drawn.shape[0]
    deal_key, *later_keys = jax.random.split(key, 1 + draws.later.shape[0])
    weight = jnp.ones(samples)
    drawn: list[list[jax.Array]] = []
    for i in range(independent + len(later_keys)):
        taken = [card for hole in drawn for card in hole]
        if i < independent:
            hole = [draws.drawn[i] & 63, draws.drawn[i] >> 6]
            for card in taken:
                weight = jnp.where((card == hole[0]) | (card == hole[1]), 0, weight)
        else:
            hole, mass = _draw_free_combo(later_keys[i - independent], draws.later[i - independent], taken)
            weight = weight * mass
        drawn.append(hole)

    known = [*columns(draws.board), *columns(draws.dead), *columns(draws.fixed.reshape(-1))]
    taken = [*known, *(card for hole in drawn for card in hole)]
    missing = 5 - draws.board.size
    dealt = cards.deal_columns(deal_key, missing + 2 * kinds.count("random"), (samples,), taken, fused)
    hole_of = {
        "hand": iter([columns(hand) for hand in draws.fixed]),
        "range": iter(drawn),
        "random": iter([[a, b] for a, b in zip(dealt[missing::2], dealt[missing + 1 :: 2], strict=True)]),
    }
    return _Deals([*columns(draws.board), *dealt[:missing]], [next(hole_of[kind]) for kind in kinds], weight)


# --- two players whose deals all weigh the same -----------------------------------------------


@functools.partial(jax.jit, static_argnames=("kinds", "samples"))
def _duel(key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int) -> jax.Array:
    """int32 [3]: random deals of two players without a clash, and how many of them the first wins and ties."""
    deals = _deal(key, draws, kinds, samples, fused=True)
    board = hands.suit_masks(deals.board)
    first, second = (strength(board, hands.suit_masks(hole)) for hole in deals.holes)
    packed = 1 + outcome(first, second, win=1 << 10, tie=1 << 20)
    if draws.drawn.shape[0] > 1:
        packed = jnp.where(deals.weight > 0, packed, 0)
    return unpack(packed.reshape(-1, 512).sum(axis=-1, dtype=jnp.int32), 10)


def _of_duel(total: np.ndarray) -> Equities:
    """Results from the sums of ``_duel``."""
    deals, win, tie = total.tolist()
    lose = deals - win - tie
    mean, error = mean_and_error(win, tie, lose)
    both = ((mean, win), (1 - mean, lose))
    return Equities(Equity(share, won / deals, tie / deals, error, int(deals), False) for share, won in both)


# --- any players ------------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnames=("kinds", "samples"))
def _deal_words(
    key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Boards [samples] and hole cards [P, samples] as words with six bits per card, and the deals' weights."""
    deals = _deal(key, draws, kinds, samples, fused=False)

    def word(ids: list[jax.Array]) -> jax.Array:
        packed = functools.reduce(jnp.bitwise_or, [card << 6 * i for i, card in enumerate(ids)])
        return jnp.broadcast_to(packed, (samples,))

    return word(deals.board), jnp.stack([word(hole) for hole in deals.holes]), deals.weight


@jax.jit
def _sum_shares(boards: jax.Array, holes: jax.Array, weight: jax.Array) -> jax.Array:
    """float32 [3 + 5 P, chunks]: sums over the deals of ``_deal_words``.

    These are deals with a weight, w and w^2, then for each player w win, w tie, w share, w^2 share, w^2 share^2.
    It is apart from the dealing because XLA would repeat the deal in every sum.
    """

    def strength_of(hole: jax.Array) -> jax.Array:
        return hands.strength_of_columns([hole & 63, hole >> 6, *(boards >> 6 * i & 63 for i in range(5))])

    def chunk_sums(terms: list[jax.Array]) -> jax.Array:
        return jnp.stack([term.reshape(-1, CHUNK).sum(axis=-1) for term in terms])

    strengths = jax.lax.map(strength_of, holes)
    best, sharing = best_of(strengths)

    def of_player(strength: jax.Array) -> jax.Array:  # [5, chunks]
        share = jnp.where(strength == best, 1 / sharing, 0)
        win, tie = share == 1, (share > 0) & (share < 1)
        return chunk_sums([weight * win, weight * tie, weight * share, weight**2 * share, weight**2 * share**2])

    of_players = jax.lax.map(of_player, strengths)
    of_deals = chunk_sums([(weight > 0).astype(jnp.float32), weight, weight**2])
    return jnp.concatenate([of_deals, of_players.reshape(-1, of_deals.shape[-1])])


def _of_shares(total: np.ndarray) -> Equities:
    """Results from the sums of ``_sum_shares``."""
    deals, weight, weight2, *moments = total.tolist()
    results = []
    for i in range(0, len(moments), 5):
        win, tie, share, share_w2, share2_w2 = moments[i : i + 5]
        # A ratio of sums: its variance is sum w^2 (share - mean)^2 / (sum w)^2.
        mean = share / weight
        error = math.sqrt(max(share2_w2 - 2 * mean * share_w2 + mean**2 * weight2, 0)) / weight
        results.append(Equity(mean, win / weight, tie / weight, error, int(deals), False))
    return Equities(results)
