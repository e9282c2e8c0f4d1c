"""Equity: the share of the pot that a hand or range wins on average when all cards are dealt out.

    equity("AhKh", "QQ+, AK", board="Qh7h2c")       # one Equity per player
    against_random(hole, board)                     # exact, jittable, batched: flop, turn, river and preflop
    sample_against_random(key, hole, board, 1000)   # Monte Carlo, jittable, batched, any board
    win_probabilities(key, hole, board, 1000)       # [..., 4]: preflop, flop, turn, river

equity = win + tie / k, where k players share the pot. Card removal is exact: a deal of hands h1, h2, ... counts
with the product of their weights when no card is used twice, and the board avoids all of them. Two players, or
any number of players with one hand each, are enumerated when that is cheap; the rest is sampled.

Random words come from Threefry-2x32-20 (Salmon et al., 2011), JAX's own generator, but written out. JAX rolls it
into a loop on the CPU, which keeps XLA from fusing it with the deal and the evaluation.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import random as prng

from jaxpoker import cards, hands, ranges
from jaxpoker.cards import NO_CARD, NUM_CARDS
from jaxpoker.ranges import COMBOS

MAX_PLAYERS = 10
EXACT_LIMIT = 3_000_000_000  # comparisons of two hands that method="auto" spends on an exact answer: a second or two

_SAMPLES_PER_BLOCK = 1 << 18
_CHUNK = 2048  # boards or samples in one sum of packed counts, see _unpack: a board counts 24 times at most

Masks = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # clubs, diamonds, hearts, spades


class Equity(NamedTuple):
    """One player's result. Probabilities are of the whole, and ``lose`` is what is left."""

    equity: float  # win + the share of ties
    win: float  # wins alone
    tie: float  # shares the pot
    standard_error: float  # of equity; 0 when exact
    deals: int  # deals counted: combinations of hands and boards, or samples
    exact: bool
    counts: tuple[int, int, int] | None = None  # exact deals won, tied, lost, where all weights are 0 or 1

    @property
    def lose(self) -> float:
        return 1 - self.win - self.tie

    def __str__(self) -> str:
        margin = "exact" if self.exact else f"± {self.standard_error:.2%}"
        kind = "combinations" if self.exact else "samples"
        return f"{self.equity:.2%} (win {self.win:.2%}, tie {self.tie:.2%}), {margin}, {self.deals:,} {kind}"


class Equities(tuple[Equity, ...]):
    """One ``Equity`` per player, in order; its text is one line per player."""

    def __str__(self) -> str:
        return "\n".join(str(player) for player in self)


class Estimate(NamedTuple):
    """A mean and its standard error, arrays of one shape."""

    mean: jax.Array
    standard_error: jax.Array


# --- random words -----------------------------------------------------------------------------


def _threefry(key: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The Threefry-2x32-20 block (x, y) enciphered under ``key`` uint32 [2]: two random words."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    x, y = x + keys[0], y + keys[1]
    for i in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[i % 2]:
            x = x + y
            y = ((y << turn) | (y >> (32 - turn))) ^ x
        x = x + keys[(i + 1) % 3]
        y = y + keys[(i + 2) % 3] + np.uint32(i + 1)
    return x, y


def _threefry_bits(key: jax.Array, bit_width: int, shape: tuple[int, ...]) -> jax.Array:
    """uint32 words of ``shape``; row r of the first axis is half r % 2 of the blocks (position, r // 2)."""
    if bit_width != 32:
        raise ValueError(f"the fused generator makes 32-bit words, not {bit_width}-bit")
    position = jnp.arange(math.prod(shape[1:]), dtype=jnp.uint32).reshape(shape[1:])
    rows: list[jax.Array] = []
    for block in range(-(-shape[0] // 2)):
        rows += _threefry(key, position, jnp.full_like(position, block))
    return jnp.stack(rows[: shape[0]])


_FUSED_THREEFRY = prng.define_prng_impl(
    key_shape=(2,),
    seed=prng.threefry_prng_impl.seed,
    split=prng.threefry_prng_impl.split,
    random_bits=_threefry_bits,
    fold_in=prng.threefry_prng_impl.fold_in,
    name="jaxpoker_fused_threefry",
    tag="jft",
)


def _fused(key: jax.Array) -> jax.Array:
    """A key of the fused generator drawn from any key: ``bits`` of it must have two axes or more."""
    return jax.random.wrap_key_data(jax.random.bits(key, (2,), jnp.uint32), impl=_FUSED_THREEFRY)


# --- arrays: against one random hand ----------------------------------------------------------


def _four(rows: jax.Array) -> Masks:
    """The rows of an array [4, ...]."""
    return rows[0], rows[1], rows[2], rows[3]


def _join(a: Masks, b: Masks) -> Masks:
    return a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]


def _overlap(a: Masks, b: Masks) -> jax.Array:
    """Whether two sets of cards have one in common."""
    return ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3])) != 0


def _unpack(packed: jax.Array, bits: int) -> jax.Array:
    """[32 // bits, ...] counts that were packed into one int32, ``bits`` each, added over the last axis.

    One sum instead of several: XLA would repeat the whole deal and evaluation for each.
    """
    fields = [packed >> shift & ((1 << bits) - 1) for shift in range(0, 32 - bits + 1, bits)]
    return jnp.stack([field.sum(axis=-1, dtype=jnp.int32) for field in fields])


def _columns(ids: jax.Array) -> list[jax.Array]:
    """Ids [..., n] as n arrays [...]."""
    return [ids[..., i] for i in range(ids.shape[-1])]


def _require_cards(hole: jax.Array, board: jax.Array, board_sizes: tuple[int, ...]) -> None:
    if hole.ndim == 0 or hole.shape[-1] != 2:
        raise ValueError(f"hole cards are [..., 2] ids; got shape {hole.shape}")
    if board.ndim == 0 or board.shape[-1] not in board_sizes:
        raise ValueError(f"a board here is [..., n] ids with n in {board_sizes}; got shape {board.shape}")


def _against_random_hand(hole: jax.Array, board: jax.Array) -> jax.Array:
    """Exact equity of one hand [2] on one board [3], [4] or [5], by all runouts and all hands."""
    known = jnp.sort(jnp.concatenate([hole, board]))
    left = NUM_CARDS - known.size
    deck = jnp.arange(left)  # the cards left: numbers shifted up past each known card
    for i in range(known.size):
        deck = deck + (deck >= known[i])
    missing = 5 - board.size
    first, second = np.triu_indices(left, k=1)
    villain = hands.suit_masks([deck[first], deck[second]])  # [v]
    hero = hands.suit_masks(_columns(hole))
    runout_ids = np.asarray(list(itertools.combinations(range(left), missing)), np.int32)
    runout = hands.suit_masks([deck[runout_ids[:, i]][:, None] for i in range(missing)])  # [r, 1]
    full_board = _join(hands.suit_masks(_columns(board)), runout)
    ours = hands.strength_of_masks(*_join(full_board, hero))  # [r, 1]
    theirs = hands.strength_of_masks(*_join(full_board, villain))  # [r, v]
    half_wins = jnp.where(ours > theirs, 2, jnp.where(ours == theirs, 1, 0))
    if missing:
        half_wins = jnp.where(_overlap(runout, villain), 0, half_wins)
    deals = math.comb(left, missing) * math.comb(left - missing, 2)
    return half_wins.sum(dtype=jnp.int32).astype(jnp.float32) / (2 * deals)


def preflop_against_random(hole: jax.Array | np.ndarray) -> jax.Array:
    """Exact equity [...] of hole cards [..., 2] before the flop against one random hand, from the shipped table."""
    hole = jnp.asarray(hole, jnp.int32)
    of_combo = ranges.preflop_table().equity.astype(np.float32)[ranges.CLASS_OF_COMBO]
    return jnp.asarray(of_combo)[ranges.combo_index(hole[..., 0], hole[..., 1])]


def against_random(hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray) -> jax.Array:
    """Exact equity [...] of hole cards [..., 2] on boards [..., n], n = 0, 3, 4 or 5, against one random hand.

    That is P(win) + P(tie) / 2 over all hands and runouts: 990 on the river, 45,540 on the turn, 1,070,190 on the
    flop; before the flop it is looked up. Jittable; leading axes of hole and board are broadcast.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (0, 3, 4, 5))
    shape = jnp.broadcast_shapes(hole.shape[:-1], board.shape[:-1])
    if board.shape[-1] == 0:
        return jnp.broadcast_to(preflop_against_random(hole), shape)
    hole = jnp.broadcast_to(hole, (*shape, 2)).reshape(-1, 2)
    board = jnp.broadcast_to(board, (*shape, board.shape[-1])).reshape(-1, board.shape[-1])
    deals_per_hand = {3: 1081 * 1081, 4: 46 * 1035, 5: 990}[board.shape[-1]]
    at_once = max(1, (1 << 20) // deals_per_hand)
    equities = jax.lax.map(lambda one: _against_random_hand(*one), (hole, board), batch_size=at_once)
    return equities.reshape(shape)


def _half_wins(
    key: jax.Array, hole: list[jax.Array], board: list[jax.Array], missing: int, shape: tuple[int, ...]
) -> jax.Array:
    """2 for a win, 1 for a tie, 0 for a loss in one random deal per entry of ``shape``.

    ``board`` columns may hold ``NO_CARD``, of which ``missing`` at most are dealt.
    """
    dealt = cards.deal_columns(key, 2 + missing, shape, [*hole, *board])
    runout = dealt[2:]
    if len(board) + missing > 5:  # padded: each gap in the board takes the dealt card of its own place
        full = [jnp.where(card == NO_CARD, new, card) for card, new in zip(board, runout, strict=True)]
    else:
        full = [*board, *runout]
    masks = hands.suit_masks(full)
    ours = hands.strength_of_masks(*_join(masks, hands.suit_masks(hole)))
    theirs = hands.strength_of_masks(*_join(masks, hands.suit_masks(dealt[:2])))
    return jnp.where(ours > theirs, 2, jnp.where(ours == theirs, 1, 0))


def _sample(key: jax.Array, hole: jax.Array, board: jax.Array, missing: int, samples: int) -> Estimate:
    """``sample_against_random`` with ``missing`` board cards dealt to every hand."""
    if samples < 1:
        raise ValueError(f"cannot estimate from {samples} samples: take 1 or more")
    shape = jnp.broadcast_shapes(hole.shape[:-1], board.shape[:-1])
    hole_columns = [column[..., None] for column in _columns(hole)]
    board_columns = [column[..., None] for column in _columns(board)]
    key = _fused(key)
    at_once = min(samples, max(1, _SAMPLES_PER_BLOCK // max(1, math.prod(shape))))

    def sums(key: jax.Array, count: int) -> jax.Array:
        """[2, *shape]: wins and ties."""
        outcome = _half_wins(key, hole_columns, board_columns, missing, (*shape, count))
        packed = jnp.where(outcome == 2, 1, jnp.where(outcome == 1, 1 << 16, 0))
        whole = count - count % _CHUNK
        chunks = packed[..., :whole].reshape(*shape, -1, _CHUNK).sum(axis=-1, dtype=jnp.int32)
        rest = packed[..., whole:].sum(axis=-1, dtype=jnp.int32)
        return _unpack(jnp.concatenate([chunks, rest[..., None]], axis=-1), 16)

    blocks, rest = divmod(samples, at_once)
    total = jax.lax.fori_loop(
        0,
        blocks,
        lambda i, total: total + sums(jax.random.fold_in(key, i), at_once),
        jnp.zeros((2, *shape), jnp.int32),
    )
    if rest:
        total = total + sums(jax.random.fold_in(key, blocks), rest)
    win, tie = total[0] / samples, total[1] / samples
    mean = win + tie / 2
    return Estimate(mean, jnp.sqrt(jnp.maximum(win + tie / 4 - mean**2, 0) / samples))


def sample_against_random(
    key: jax.Array, hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray, samples: int
) -> Estimate:
    """Monte Carlo equity [...] of hole cards [..., 2] against one random hand, and its standard error.

    ``board`` is [..., 5] ids, ``NO_CARD`` where a card is still to come. Jittable with static ``samples``; one key
    serves the whole batch.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (5,))
    return _sample(key, hole, board, 5, samples)


def win_probabilities(
    key: jax.Array, hole: jax.Array | np.ndarray, board: jax.Array | np.ndarray, samples: int
) -> jax.Array:
    """[..., 4]: equity of hole cards [..., 2] against one random hand preflop, on the flop, turn and river.

    ``board`` is the whole board [..., 5]; on each street only the cards open by then count. Preflop and river are
    exact, flop and turn come from ``samples`` deals each. Jittable with static ``samples``.
    """
    hole, board = jnp.asarray(hole, jnp.int32), jnp.asarray(board, jnp.int32)
    _require_cards(hole, board, (5,))
    flop_key, turn_key = jax.random.split(key)
    flop = _sample(flop_key, hole, board[..., :3], 2, samples).mean
    turn = _sample(turn_key, hole, board[..., :4], 1, samples).mean
    preflop = jnp.broadcast_to(preflop_against_random(hole), flop.shape)
    return jnp.stack([preflop, flop, turn, against_random(hole, board)], axis=-1)


# --- exact: every runout ----------------------------------------------------------------------


@functools.cache
def _all_boards(size: int) -> np.ndarray:
    """All C(52, size) sets of cards as 52-bit masks, uint64; bit i is card i.

    In the order of their highest cards, so that the sets of cards below c are the first C(c, size).
    """
    if size == 0:
        return np.zeros(1, np.uint64)
    lower = _all_boards(size - 1)
    with_highest = [lower[: math.comb(c, size - 1)] | np.uint64(1 << c) for c in range(NUM_CARDS)]
    return np.concatenate(with_highest)


def _mask(ids: Iterable[int]) -> int:
    """52-bit mask of a few cards."""
    return sum(1 << int(card) for card in ids)


@functools.cache
def _combo_masks() -> np.ndarray:
    """[1326] 52-bit masks, uint64."""
    return np.asarray([_mask(combo) for combo in COMBOS], np.uint64)


def _suits_of_mask(masks: np.ndarray) -> np.ndarray:
    """uint64 [...] 52-bit masks as [4, ...] int16 rank masks of clubs, diamonds, hearts, spades."""
    return np.stack([masks >> np.uint64(13 * suit) & np.uint64(0x1FFF) for suit in range(4)]).astype(np.int16)


def _rename_suits(masks: np.ndarray, suits: tuple[int, ...]) -> np.ndarray:
    """52-bit masks with suit s turned into ``suits[s]``."""
    renamed = np.zeros_like(masks)
    for suit, new in enumerate(suits):
        renamed |= (masks >> np.uint64(13 * suit) & np.uint64(0x1FFF)) << np.uint64(13 * new)
    return renamed


ALL_SUIT_ORDERS = tuple(itertools.permutations(range(4)))


@functools.lru_cache(maxsize=8)
def canonical_boards(size: int, symmetries: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """One board (a uint64 52-bit mask) of each class of boards that renaming suits turns into each other.

    ``symmetries`` is a group of suit orders; the second array says how many boards each class has. All 24 orders
    leave 1,755 flops and 134,459 five-card boards.
    """
    boards = _all_boards(size)
    for suits in symmetries:
        boards = boards[boards >= _rename_suits(boards, suits)]
    unmoved = sum((boards == _rename_suits(boards, suits)).astype(np.int16) for suits in symmetries)
    return boards, (len(symmetries) // np.asarray(unmoved)).astype(np.int16)


@functools.cache
def _renamed_combos(suits: tuple[int, ...]) -> np.ndarray:
    """[1326] the combo that each combo becomes when suit s turns into ``suits[s]``."""
    ids = np.asarray(suits)[COMBOS // 13] * 13 + COMBOS % 13
    return ranges.combo_index(ids[:, 0], ids[:, 1])


def _symmetries(weights: list[np.ndarray], known: list[int]) -> tuple[tuple[int, ...], ...]:
    """The suit orders that change neither the players' weights [1326] nor the sets of known cards (52-bit masks)."""
    sets = np.asarray(known, np.uint64)
    return tuple(
        suits
        for suits in ALL_SUIT_ORDERS
        if np.array_equal(_rename_suits(sets, suits), sets)
        and all(np.array_equal(w, w[_renamed_combos(suits)]) for w in weights)
    )


@functools.lru_cache(maxsize=8)
def _runout_chunks(missing: int, symmetries: tuple[tuple[int, ...], ...], gone: int) -> np.ndarray:
    """Runouts of ``missing`` cards as [chunks, 5, boards]: four rank masks and how often each counts.

    Boards that touch ``gone`` are left out where that is cheap, that is with two cards or less to come.
    """
    boards, times = canonical_boards(missing, symmetries)
    if gone:
        live = (boards & np.uint64(gone)) == 0
        boards, times = boards[live], times[live]
    length = _CHUNK if missing > 2 else -(-boards.size // 128) * 128
    chunks = np.zeros((5, -(-boards.size // length) * length), np.int16)
    chunks[:4, : boards.size] = _suits_of_mask(boards)
    chunks[4, : boards.size] = times
    return np.ascontiguousarray(chunks.reshape(5, -1, length).transpose(1, 0, 2))


def _runouts_of(chunks: jax.Array) -> tuple[Masks, jax.Array]:
    """Rank masks [chunks, boards] of a part of ``_runout_chunks``, and how often each board counts."""
    rows = jnp.moveaxis(chunks, 1, 0).astype(jnp.int32)
    return _four(rows), rows[4]


@jax.jit
def _compare_pairs(
    hero: jax.Array, villain: jax.Array, board: jax.Array, gone: jax.Array, chunks: jax.Array
) -> jax.Array:
    """[2, H, V] int32: on how many boards each hero hand beats and ties each villain hand.

    hero [4, H], villain [4, V], board [4] (the known part) and gone [4] (cards that cannot come) are rank masks
    and chunks is a part of ``_runout_chunks``. A board that blocks either hand counts for neither.
    """
    runout, times = _runouts_of(chunks)
    full_board = _join(runout, _four(board))

    def strengths(hand: jax.Array, blockers: jax.Array, blocked: int) -> jax.Array:  # [hands, chunks, boards]
        of_hand = _four(hand[:, :, None, None])
        hit = _overlap(runout, _join(of_hand, _four(blockers)))
        return jnp.where(hit, blocked, hands.strength_of_masks(*_join(full_board, of_hand)))

    ours = strengths(hero, gone, -1)
    theirs = strengths(villain, jnp.zeros_like(gone), np.iinfo(np.int32).max)

    def against_all(one: jax.Array) -> jax.Array:  # [chunks, boards] -> [2, V]
        packed = jnp.where(one > theirs, times, jnp.where(one == theirs, times << 16, 0))
        return _unpack(packed.sum(axis=-1, dtype=jnp.int32), 16)

    if hero.shape[-1] == 1:
        return against_all(ours[0])[:, None]
    return jnp.moveaxis(jax.lax.map(against_all, ours), 0, 1)


def _padded_size(count: int) -> int:
    """Few different sizes, so that ``_compare_pairs`` is compiled for few shapes."""
    for size in (1, 8, 16, 32, 64):
        if count <= size:
            return size
    return -(-count // 128) * 128


def _hand_masks(combos: np.ndarray) -> np.ndarray:
    """[4, padded] int32 rank masks of combos (numbers), zero where padded."""
    masks = np.zeros((4, _padded_size(combos.size)), np.int32)
    masks[:, : combos.size] = _suits_of_mask(_combo_masks()[combos])
    return masks


class _Table(NamedTuple):
    """What the players know: weights without blocked combos, and the cards on the table."""

    weights: list[np.ndarray]  # per player [1326]
    board: list[int]
    dead: list[int]

    @property
    def missing(self) -> int:
        return 5 - len(self.board)

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        if self.missing < 3:
            return ((0, 1, 2, 3),)
        return _symmetries(self.weights, [_mask(self.board), _mask(self.dead)])

    def combos(self, player: int) -> np.ndarray:
        """Numbers of the combos that the player may hold."""
        return np.flatnonzero(self.weights[player])

    def runouts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``_runout_chunks``, and rank masks [4] of the board and of the cards that cannot come.

        Those are the board, the dead cards and the hands of players who have only one.
        """
        hands_held = [self.combos(i) for i in range(len(self.weights))]
        only = [card for held in hands_held if held.size == 1 for card in COMBOS[held[0]].tolist()]
        board, gone = _mask(self.board), _mask({*self.board, *self.dead, *only})
        chunks = _runout_chunks(self.missing, self.symmetries, gone if self.missing < 3 else 0)
        masks = _suits_of_mask(np.asarray([board, gone], np.uint64)).astype(np.int32)
        return chunks, masks[:, 0], masks[:, 1]


def _exact_cost(table: _Table) -> float:
    """Comparisons of two hands that the enumeration takes; an evaluation costs about eight."""
    boards = math.comb(NUM_CARDS - len(table.board), table.missing) / len(table.symmetries)
    sizes = [_padded_size(table.combos(i).size) for i in range(len(table.weights))]
    return boards * (math.prod(sizes) + 8 * sum(sizes))


def _exact_pair(table: _Table) -> Equities:
    """Two players: every pair of hands on every runout."""
    small, large = sorted((0, 1), key=lambda i: table.combos(i).size)
    a, b = table.combos(small), table.combos(large)
    chunks, board, gone = table.runouts()
    masks = _hand_masks(a), _hand_masks(b)
    step = max(1, (1 << 20) // ((masks[0].shape[1] + masks[1].shape[1]) * chunks.shape[2]))
    counts = np.zeros((2, a.size, b.size), np.int64)
    for start in range(0, len(chunks), step):
        part = chunks[start : start + step]
        if start and len(part) < step:
            part = np.concatenate([part, np.zeros((step - len(part), *part.shape[1:]), np.int16)])
        counts += np.asarray(_compare_pairs(*masks, board, gone, part))[:, : a.size, : b.size]

    disjoint = ~(COMBOS[a][:, None, :, None] == COMBOS[b][None, :, None, :]).any(axis=(2, 3))
    runouts = math.comb(NUM_CARDS - len(table.board) - len(table.dead) - 4, table.missing)
    pair_weights = np.outer(table.weights[small][a].astype(np.float64), table.weights[large][b]) * disjoint
    win, tie = (float((pair_weights * count).sum()) for count in counts)
    total = float(pair_weights.sum()) * runouts
    if not total:
        raise ValueError("these ranges cannot be dealt together: each hand of one clashes with each of the other")
    deals = int(np.count_nonzero(pair_weights)) * runouts
    whole = bool(np.all((pair_weights == 0) | (pair_weights == 1)))
    return _two_players(win, tie, total, deals, whole, swap=small != 0)


def _two_players(win: float, tie: float, total: float, deals: int, whole: bool, swap: bool = False) -> Equities:
    """Exact results from weighted counts of the first (``swap``: the second) of two players."""
    lose = total - win - tie
    outcomes = [(win, tie, lose), (lose, tie, win)]
    return Equities(
        Equity((w + t / 2) / total, w / total, t / total, 0.0, deals, True, (int(w), int(t), int(x)) if whole else None)
        for w, t, x in (outcomes[::-1] if swap else outcomes)
    )


def _from_preflop_table(weights: np.ndarray, swap: bool) -> Equities:
    """Any range against one random hand before the flop."""
    counts = ranges.preflop_table()
    of_combo = [c[ranges.CLASS_OF_COMBO] for c in counts]
    win, tie, lose = (float((weights.astype(np.float64) * c).sum()) for c in of_combo)
    deals_per_hand = int(counts.win[0] + counts.tie[0] + counts.lose[0])
    whole = bool(np.all((weights == 0) | (weights == 1)))
    return _two_players(win, tie, win + tie + lose, int(np.count_nonzero(weights)) * deals_per_hand, whole, swap)


def _best_of(strengths: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The best of P strengths [P, ...], and how many players share it."""
    rows = list(strengths)
    best = functools.reduce(jnp.maximum, rows)
    return best, functools.reduce(jnp.add, [(row == best).astype(jnp.int32) for row in rows])


@jax.jit
def _compare_all(hand: jax.Array, board: jax.Array, gone: jax.Array, chunks: jax.Array) -> jax.Array:
    """[P, P + 1] int32: on how many boards each of P hands (rank masks [P, 4]) is among k best hands, k = 0..P."""
    runout, times = _runouts_of(chunks)
    times = jnp.where(_overlap(runout, _four(gone)), 0, times)
    full_board = _join(runout, _four(board))
    # lax.map over players: XLA would fuse, and so repeat, the evaluation of all hands into each sum.
    strengths = jax.lax.map(lambda one: hands.strength_of_masks(*_join(full_board, _four(one))), hand)
    best, sharing = _best_of(strengths)

    def counts(strength: jax.Array) -> jax.Array:
        shared_by = jnp.where(strength == best, sharing, 0)
        return jnp.stack([jnp.where(shared_by == k, times, 0).sum() for k in range(hand.shape[0] + 1)])

    return jax.lax.map(counts, strengths)


def _exact_hands(table: _Table) -> Equities:
    """Any number of players with one hand each: every runout."""
    combos = np.concatenate([table.combos(i) for i in range(len(table.weights))])
    chunks, board, gone = table.runouts()
    masks = _suits_of_mask(_combo_masks()[combos]).T.astype(np.int32)
    step = 64
    counts = np.zeros((combos.size, combos.size + 1), np.int64)
    for start in range(0, len(chunks), step):
        counts += np.asarray(_compare_all(masks, board, gone, chunks[start : start + step]))
    deals = int(counts[0].sum())
    results = []
    for player in counts:
        shares = sum(int(count) / k for k, count in enumerate(player) if k)
        won, tied, lost = int(player[1]), int(player[2:].sum()), int(player[0])
        results.append(Equity(shares / deals, won / deals, tied / deals, 0.0, deals, True, (won, tied, lost)))
    return Equities(results)


# --- Monte Carlo: any players -----------------------------------------------------------------


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
    uniform = jax.random.uniform(key, (2, free.shape[0]))

    def pick(row: jax.Array, u: jax.Array) -> tuple[jax.Array, jax.Array]:
        cumulative = matmul(row, up_to)
        total = cumulative[:, -1]
        return jnp.minimum((cumulative <= (u * total)[:, None]).sum(axis=-1), NUM_CARDS - 1), total

    first, mass = pick(matmul(free, weights) * free, uniform[0])
    second, _ = pick(weights[first] * free, uniform[1])
    # Rounding may slip past the last free card, once in ten million draws: such a deal does not count.
    clash = functools.reduce(jnp.logical_or, [(card == first) | (card == second) for card in taken])
    return [first, second], jnp.where(clash | (weights[first, second] == 0), 0, mass / 2)


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


def _deal(key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int) -> _Deals:
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
            hole, mass = _draw_free_combo(_fused(later_keys[i - independent]), draws.later[i - independent], taken)
            weight = weight * mass
        drawn.append(hole)

    known = [*_columns(draws.board), *_columns(draws.dead), *_columns(draws.fixed.reshape(-1))]
    taken = [*known, *(card for hole in drawn for card in hole)]
    missing = 5 - draws.board.size
    dealt = cards.deal_columns(_fused(deal_key), missing + 2 * kinds.count("random"), (samples,), taken)
    hole_of = {
        "hand": iter([_columns(hand) for hand in draws.fixed]),
        "range": iter(drawn),
        "random": iter([[a, b] for a, b in zip(dealt[missing::2], dealt[missing + 1 :: 2], strict=True)]),
    }
    return _Deals([*_columns(draws.board), *dealt[:missing]], [next(hole_of[kind]) for kind in kinds], weight)


@functools.partial(jax.jit, static_argnames=("kinds", "samples"))
def _duel(key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int) -> jax.Array:
    """int32 [3]: random deals of two players without a clash, and how many of them the first wins and ties."""
    deals = _deal(key, draws, kinds, samples)
    board = hands.suit_masks(deals.board)
    first, second = (hands.strength_of_masks(*_join(board, hands.suit_masks(hole))) for hole in deals.holes)
    packed = 1 + jnp.where(first > second, 1 << 10, jnp.where(first == second, 1 << 20, 0))
    if draws.drawn.shape[0] > 1:
        packed = jnp.where(deals.weight > 0, packed, 0)
    return _unpack(packed.reshape(-1, 512).sum(axis=-1, dtype=jnp.int32), 10)


@functools.partial(jax.jit, static_argnames=("kinds", "samples"))
def _deal_words(
    key: jax.Array, draws: _Draws, kinds: tuple[str, ...], samples: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Boards [samples] and hole cards [P, samples] as words with six bits per card, and the deals' weights."""
    deals = _deal(key, draws, kinds, samples)

    def word(columns: list[jax.Array]) -> jax.Array:
        packed = functools.reduce(jnp.bitwise_or, [card << 6 * i for i, card in enumerate(columns)])
        return jnp.broadcast_to(packed, (samples,))

    return word(deals.board), jnp.stack([word(hole) for hole in deals.holes]), deals.weight


@jax.jit
def _sum_shares(boards: jax.Array, holes: jax.Array, weight: jax.Array) -> jax.Array:
    """float32 [3 + 5 P, chunks]: sums over the deals of ``_deal_words``.

    These are deals with a weight, w and w^2, then for each player w win, w tie, w share, w^2 share, w^2 share^2.
    It is apart from the dealing because XLA would repeat the deal in every sum.
    """

    def strength(hole: jax.Array) -> jax.Array:
        return hands.strength_of_columns([hole & 63, hole >> 6, *(boards >> 6 * i & 63 for i in range(5))])

    def chunk_sums(columns: list[jax.Array]) -> jax.Array:
        return jnp.stack([column.reshape(-1, _CHUNK).sum(axis=-1) for column in columns])

    strengths = jax.lax.map(strength, holes)
    best, sharing = _best_of(strengths)

    def of_player(strength: jax.Array) -> jax.Array:  # [5, chunks]
        share = jnp.where(strength == best, 1 / sharing, 0)
        win, tie = share == 1, (share > 0) & (share < 1)
        return chunk_sums([weight * win, weight * tie, weight * share, weight**2 * share, weight**2 * share**2])

    of_players = jax.lax.map(of_player, strengths)
    of_deals = chunk_sums([(weight > 0).astype(jnp.float32), weight, weight**2])
    return jnp.concatenate([of_deals, of_players.reshape(-1, of_deals.shape[-1])])


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


def _sampled(table: _Table, is_random: list[bool], seed: int, samples: int) -> Equities:
    """Any players by Monte Carlo, in blocks of deals, ``samples`` or more before those that clash are thrown away."""
    sizes = [table.combos(i).size for i in range(len(table.weights))]
    kinds = tuple("hand" if n == 1 else "random" if r else "range" for n, r in zip(sizes, is_random, strict=True))
    own = [w for w, kind in zip(table.weights, kinds, strict=True) if kind == "range"]
    fixed = [COMBOS[table.combos(i)[0]] for i, kind in enumerate(kinds) if kind == "hand"]
    independent = _count_independent(own)
    largest = _SAMPLES_PER_BLOCK if independent == len(own) else _SAMPLES_PER_BLOCK >> 3
    block = min(largest, max(_CHUNK, 1 << (samples - 1).bit_length()))
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
    deals = int(total[0].sum())
    if not deals:
        raise ValueError("these ranges cannot be dealt together: in every sample two players held the same card")
    if duel:
        win, tie = (float(x) / deals for x in total[1:])
        mean = win + tie / 2
        error = math.sqrt(max(win + tie / 4 - mean**2, 0) / deals)
        both = ((mean, win), (1 - mean, 1 - win - tie))
        return Equities(Equity(share, won, tie, error, deals, False) for share, won in both)
    weight, weight2, *moments = total[1:].sum(axis=-1).tolist()
    results = []
    for i in range(0, len(moments), 5):
        win, tie, share, share_w2, share2_w2 = moments[i : i + 5]
        # A ratio of sums: its variance is sum w^2 (share - mean)^2 / (sum w)^2.
        mean = share / weight
        error = math.sqrt(max(share2_w2 - 2 * mean * share_w2 + mean**2 * weight2, 0)) / weight
        results.append(Equity(mean, win / weight, tie / weight, error, deals, False))
    return Equities(results)


# --- for people -------------------------------------------------------------------------------


def _set_table(players: Sequence[str | np.ndarray], board: list[int], dead: list[int]) -> _Table:
    """The players' weights without the combos that known cards block: board, dead cards and others' only hands."""
    known = set(board) | set(dead)
    weights = []
    for number, player in enumerate(players, 1):
        named = ranges.parse(player) if isinstance(player, str) else ranges.as_weights(player)
        free = np.where(np.isin(COMBOS, list(known)).any(axis=1), 0, named)
        if not free.any():
            shown = player if isinstance(player, str) else f"the range of player {number}"
            why = f"{cards.text(sorted(known))} on the board or dead" if named.any() else "all its weights are 0"
            raise ValueError(f"no hand of {shown!r} is left: {why}")
        weights.append(free)
    settled: set[int] = set()
    while fresh := [i for i, w in enumerate(weights) if np.count_nonzero(w) == 1 and i not in settled]:
        one = fresh[0]
        settled.add(one)
        only = COMBOS[np.flatnonzero(weights[one])[0]]
        blocked = np.isin(COMBOS, only).any(axis=1)
        for i, w in enumerate(weights):
            if i != one:
                weights[i] = np.where(blocked, 0, w)
                if not weights[i].any():
                    raise ValueError(
                        f"players {one + 1} and {i + 1} cannot both be dealt in: {cards.text(only)} is taken"
                    )
    return _Table(weights, board, dead)


def equity(
    *players: str | np.ndarray,
    board: str = "",
    dead: str = "",
    method: str = "auto",
    samples: int = 1_000_000,
    seed: int = 0,
) -> Equities:
    """Equity of each of 2 to 10 players, given as ranges (text, see ``jaxpoker.ranges``, or 1,326 weights).

    ``board`` has 0 to 5 cards, ``dead`` cards are out of the deck. ``method`` is

    - "exact": all deals are counted: two players, or more when each has one hand;
    - "sample": about ``samples`` random deals, with a standard error;
    - "auto": exact where that takes no more than ``EXACT_LIMIT`` comparisons, a second or two. That is everything
      for two players from the flop on; before it a hand against a hand or 128 combos, and small ranges such
      as "QQ+, AK" against "22+, A2s+, KTs+". A range against "random" before the flop is looked up. Three or more
      single hands are always exact. The rest is sampled.

    >>> hero, villain = equity("AhKh", "QQ+, AK", board="Qh7h2c")
    """
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ValueError(f"equity is for 2 to {MAX_PLAYERS} players, not {len(players)}")
    if method not in ("auto", "exact", "sample"):
        raise ValueError(f"unknown method {method!r}: choose 'auto', 'exact' or 'sample'")
    if isinstance(samples, bool) or not isinstance(samples, int):
        raise TypeError(f"samples is a whole number, not {type(samples).__name__} {samples!r}")
    if samples < 1:
        raise ValueError(f"cannot estimate from {samples} samples: take 1 or more")
    if seed < 0:
        raise ValueError(f"the seed is 0 or more, not {seed}")
    on_board, out = cards.parse(board).tolist(), cards.parse(dead).tolist()
    if len(on_board) > 5:
        raise ValueError(f"the board {board!r} has {len(on_board)} cards: it has 5 at most")
    cards.require_distinct(board=on_board, dead=out)
    if NUM_CARDS - len(out) - 5 < 2 * len(players):
        raise ValueError(f"{len(out)} dead cards leave too few for {len(players)} players and a board")
    table = _set_table(players, on_board, out)
    uniform = [ranges.parse(p) if isinstance(p, str) else ranges.as_weights(p) for p in players]
    is_random = [bool(np.all(w == w[0])) for w in uniform]

    if method != "sample":
        if len(players) == 2:
            if not on_board and not out and any(is_random):
                return _from_preflop_table(uniform[0 if is_random[1] else 1], swap=not is_random[1])
            if method == "exact" or _exact_cost(table) <= EXACT_LIMIT:
                return _exact_pair(table)
        elif all(np.count_nonzero(w) == 1 for w in table.weights):
            return _exact_hands(table)
        elif method == "exact":
            raise ValueError("with three players or more only single hands such as 'AhKh' are counted exactly")
    return _sampled(table, is_random, seed, samples)
