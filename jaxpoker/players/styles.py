"""Two styles of hold'em: tight-aggressive (TAG) and loose-aggressive (LAG), by hand alone, without win probabilities.

Before the flop a hand is as good as its place in the order of exact equity against one random hand; hands of one class
stand in the order of ``ranges.COMBOS``, so that the top 20% are 265 of 1,326, not one more or less. With raises those
of the street, blinds not counted:

    hand           unraised                       raised once      raised more often
    "always"       raises                         raises           raises
    "raises"       raises                         raises           calls
    "plays"        raises "lightly", else calls   calls            checks or folds
    any other      checks or folds                checks or folds  checks or folds

After it a hand has **hit** if one of its cards pairs the board, if it is a pair above all of the board, if it makes a
straight or better that is not the board's, or, with cards to come, if it is a strong draw: four to a flush, or two
ranks that would make a straight, an own card needed in both. It is **strong** if it has hit and is two pair or better,
of a better kind than the board.

    hand      nothing to call        facing a bet
    strong    bets                   raises
    hit       bets                   raises "presses" of the time, else calls
    missed    bets "bluffs" of it    raises "bluff_raises" of the time, else folds

All parts are for one opponent. Against m opponents who have not folded, a part p of all hands shrinks to

    1 - (1 - p) ** (1 / sqrt(m)),

so that the same hand is played on the button and not under the gun; "always" stays. After the flop a hand that has hit
without being strong bets 1 / m of the time and calls 1 / sqrt(m) of it, and bluffs are taken to the power of m.

An all-in that costs much more than there is to win narrows the parts down towards "always". How far they stay what
they were is (12 big blinds + the rest of the pot) / cost, at most 1, with the cost of the call times the opponents who
are in for it, and the rest of the pot what this leaves of it. So all-ins of 12 big blinds, and those after raises, are
called as any raise is; an open all-in of 100 is called with the top 5% by the TAG and the top 17% by the LAG. After the
flop only a strong hand calls an all-in of more than twice the pot.

A raise is by the size that a style draws; the TAG's is half the pot after the flop unless it is strong, else the pot.
One below the minimum is the minimum, one above the stack all-in, and where nobody may raise it is a call.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, hands, ranges
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import PREFLOP, RIVER, State
from jaxpoker.games.seats import of_seat
from jaxpoker.players.contract import Player

Array = jax.Array

FREE_CALL = 12  # big blinds of an all-in that are called as a raise is
HALF_POT, POT = map(bets.parse_size, ("1/2", "pot"))


@functools.cache
def standing() -> np.ndarray:
    """[1326] float32: the part of all hands that are as good or better, 1 / 1326 for the best one."""
    order = np.argsort(-ranges.preflop_table().equity[ranges.CLASS_OF_COMBO], kind="stable")
    part = np.empty(ranges.NUM_COMBOS, np.float32)
    part[order] = np.arange(1, ranges.NUM_COMBOS + 1) / ranges.NUM_COMBOS
    return part


@dataclasses.dataclass(frozen=True)
class Style:
    """Parts of all hands, and probabilities; see the module's docstring."""

    always: float  # the top part of hands that raises whatever came before
    raises: float
    plays: float
    lightly: float = 0.0
    presses: float = 0.0
    bluffs: float = 0.0
    bluff_raises: float = 0.0
    sizes: tuple[bets.Size, ...] = ()  # drawn from, each as likely; by the hand when empty


TIGHT_AGGRESSIVE = Style(always=0.03, raises=0.10, plays=0.20)
LOOSE_AGGRESSIVE = Style(
    always=0.10,
    raises=0.30,
    plays=0.60,
    lightly=0.5,
    presses=0.3,
    bluffs=0.6,
    bluff_raises=0.2,
    sizes=tuple(map(bets.parse_size, ("1/3", "2/3", "pot", "200%"))),
)


class Fit(NamedTuple):
    """How a hand fits the board; scalars of one table, without meaning before the flop."""

    hit: Array  # bool
    strong: Array  # bool


@jax.jit
def fit(hole: list[Array], board: list[Array], to_come: Array) -> Fit:
    """Of two ``hole`` cards and a ``board`` of five, ``NO_CARD`` where none is face up, with cards ``to_come``."""
    first = jnp.maximum(board[0], 0)
    open_cards = [jnp.where(card == cards.NO_CARD, first, card) for card in board]  # a card twice in a mask is once
    own_masks, board_masks = hands.suit_masks(hole), hands.suit_masks(open_cards)
    all_masks = hands.suit_masks([*hole, *open_cards])
    kind, board_kind = (hands.category(hands.strength_of_masks(*masks)) for masks in (all_masks, board_masks))
    own_ranks, board_ranks = (m[0] | m[1] | m[2] | m[3] for m in (own_masks, board_masks))
    ranks = own_ranks | board_ranks
    pairs_board = (own_ranks & board_ranks) != 0
    overpair = (jax.lax.population_count(own_ranks) == 1) & (own_ranks > board_ranks)
    better = kind > board_kind

    flush_draw = jnp.zeros_like(better)
    for own, suited in zip(own_masks, all_masks, strict=True):
        flush_draw = flush_draw | ((jax.lax.population_count(suited) == 4) & (own != 0))
    another = 1 << np.arange(cards.NUM_RANKS, dtype=np.int32)
    made, boards_own = (hands.straight_tops(held[..., None] | another) != 0 for held in (ranks, board_ranks))
    draw = to_come & (flush_draw | ((made & ~boards_own).sum(axis=-1) >= 2))

    hit = pairs_board | overpair | (better & (kind >= hands.STRAIGHT)) | draw
    return Fit(hit, hit & better & (kind >= hands.TWO_PAIR))


class Company(NamedTuple):
    """Who is in the hand with the player to act; scalars of one table."""

    opponents: Array  # float32, 1 or more: others who have not folded
    back: Array  # float32, from 0 to 1: how far the parts of hands are those against a raise, not against an all-in
    overbet: Array  # bool: an all-in of more than twice the pot


def company(state: State, facing: bets.Facing) -> Company:
    """What the others have put in and have left; see the module's docstring."""
    seats = jnp.arange(len(state.seats), dtype=jnp.int32)
    live = jnp.stack([~own.folded for own in state.seats]) & (seats != state.current_player)
    behind = jnp.stack([own.behind for own in state.seats])
    bet = jnp.stack([own.bet for own in state.seats])
    callers = live & (bet >= facing.price)
    all_in = (facing.to_call > 0) & ((facing.to_call >= facing.stack) | (callers & (behind == 0)).any())
    cost = facing.to_call * jnp.maximum(callers.sum(), 1)
    before = jnp.maximum(facing.pot - cost, 0).astype(jnp.float32)
    back = jnp.minimum((FREE_CALL * facing.big_blind + before) / jnp.maximum(cost, 1), 1.0)
    return Company(
        jnp.maximum(live.sum(), 1).astype(jnp.float32),
        jnp.where(all_in, back, 1.0),
        all_in & (facing.to_call > 2 * jnp.maximum(before, facing.big_blind)),
    )


def _player(name: str, style: Style) -> Player:
    def act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
        seat, facing = state.current_player, game.facing(state)
        others = company(state, facing)
        alone = others.opponents == 1
        root = jnp.sqrt(others.opponents)
        luck, size_luck = jax.random.uniform(key, (2,))
        hole = [of_seat(seat, list(state.deal.hole_cards[i::2])) for i in range(2)]
        place = jnp.asarray(standing())[ranges.combo_index(hole[0], hole[1])]

        def within(part: float) -> Array:
            many = jnp.maximum(1 - (1 - part) ** (1 / root), style.always)
            usual = jnp.where(alone, part, many)
            narrow = style.always + (usual - style.always) * others.back
            return place <= jnp.where(others.back < 1, narrow, usual)

        always, raising, playing = (within(part) for part in (style.always, style.raises, style.plays))
        lightly = playing & (facing.raises == 0) & (luck < style.lightly)
        raises_before = always | (raising & (facing.raises <= 1)) | lightly
        stays_before = raising | (playing & (facing.raises <= 1))

        hit, strong = fit(hole, list(state.board), state.street < RIVER)
        free = facing.to_call == 0
        hit = hit & (strong | ~others.overbet)
        bets_hit = jnp.where(strong, 1.0, 1 / others.opponents)
        often = jnp.where(
            free,
            jnp.where(hit, bets_hit, style.bluffs**others.opponents),
            jnp.select([strong, hit], [1.0, style.presses / others.opponents], style.bluff_raises**others.opponents),
        )
        follows = strong | (jax.random.uniform(jax.random.fold_in(key, 1)) < 1 / root)

        before = state.street == PREFLOP
        raises = jnp.where(before, raises_before, luck < often)
        stays = jnp.where(before, stays_before, hit & (alone | free | follows))
        if style.sizes:
            sizes = jnp.stack([size.raise_to(facing) for size in style.sizes])
            raise_to = sizes[(size_luck * len(style.sizes)).astype(jnp.int32)]
        else:
            raise_to = jnp.where(before | strong, POT.raise_to(facing), HALF_POT.raise_to(facing))
        to = jnp.select([raises, stays], [jnp.maximum(raise_to, facing.min_raise_to), facing.price], bets.FOLD_CHIPS)
        return game.nearest_legal(state, to), memory

    return Player(name, act)


def tag(game: Holdem) -> Player:
    """Tight-aggressive: plays a fifth of its hands, bets what hit the board and never bluffs."""
    return _player("tag", TIGHT_AGGRESSIVE)


def lag(game: Holdem) -> Player:
    """Loose-aggressive: plays three fifths of its hands and bluffs too much, a third of the pot to twice the pot."""
    return _player("lag", LOOSE_AGGRESSIVE)
