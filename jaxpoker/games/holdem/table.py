"""A hold'em table: its state, and the rules of betting and showdown; they are in words in ``games/holdem/game.py``.

How it is laid out: a state keeps one scalar per seat and field (``state.seats[i].bet``), so that a step of
many tables is plain arithmetic on one vector per seat and field, which XLA fuses into a few vectorised
loops; arrays with an axis of two to ten seats would be many times slower, and slow to compile. What a user
wants as arrays (``state.stacks``, ``state.rewards``, ``state.legal_action_mask``, ...) is computed when asked for.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp

from jaxpoker import cards
from jaxpoker.blocks import computed_once
from jaxpoker.games import bets
from jaxpoker.games.holdem import pots
from jaxpoker.games.holdem.deal import BOARD_CARDS as BOARD_CARDS
from jaxpoker.games.holdem.deal import Deal
from jaxpoker.games.seats import any_of, most, next_seat, of_seat, total

if TYPE_CHECKING:
    from jaxpoker.games.holdem.game import Holdem

Array = jax.Array

PREFLOP, FLOP, TURN, RIVER = range(4)
STREETS = bets.STREETS
MAX_PLAYERS = 10
MAX_CHIPS = 2**22 - 2  # of one stack: amounts fit the 22 bits of the log, and are exact in float32

# What a seat did on one street, seven bits of ``Seat.line``; the higher streets follow to the left.
CHECKED, CALLED, RAISED, RAISED_TWICE, RAISED_MORE, WENT_ALL_IN, ACTED = range(7)
LINE_BITS = 7
SHARE_SCALE = 1 << 13  # ``Seat.shares`` counts raises in 1/8192 of the pot, up to 4 pots
MAX_SHARE = 4

FOLD, CHECK, CALL, RAISE = range(4)  # kinds of action in the log


class Street(enum.IntEnum):
    """Streets by number, for people: they print as what they are."""

    PREFLOP = PREFLOP
    FLOP = FLOP
    TURN = TURN
    RIVER = RIVER


@flax.struct.dataclass
class Seat:
    """One seat of a table; every field a scalar, chips int32."""

    starting: Array  # chips before the ante and blinds; 0 is an empty seat
    behind: Array  # chips not put in (before pots are paid)
    bet: Array  # chips put in on this street
    folded: Array  # bool; True for an empty seat
    to_act: Array  # bool: must still act on this street
    line: Array  # what it did on each street: LINE_BITS bits each, see ``did``
    counts: Array  # postflop bets and raises in the low 16 bits, postflop calls in the high ones
    early_shares: Array  # largest raise as a part of the pot, preflop in the low 16 bits, flop in the high ones
    late_shares: Array  # the same for turn and river
    won: Array  # chips taken from the pots when the hand ended; negative for what an illegal action forfeits

    @property
    def committed(self) -> Array:
        """Chips put in during the hand."""
        return self.starting - self.behind

    def did(self, what: int, street: Array | int) -> Array:
        """Whether the seat CHECKED, CALLED, RAISED, ... on ``street``."""
        return (self.line >> (LINE_BITS * street + what)) & 1 == 1

    def largest_raise(self, street: int) -> Array:
        """Its largest raise on ``street`` as a part of the pot after calling, at most ``MAX_SHARE``."""
        shares = self.early_shares if street < TURN else self.late_shares
        return ((shares >> 16 * (street % 2)) & 0xFFFF).astype(jnp.float32) / SHARE_SCALE


@flax.struct.dataclass
class State:
    """One table."""

    current_player: Array  # [] seat to act; the last actor when the hand is over
    terminated: Array  # [] bool
    paying: Array  # [] bool, the last action ended the hand
    illegal: Array  # [] bool, ... by being illegal
    street: Array  # [] 0 preflop ... 3 river; 3 after a showdown
    last_raise: Array  # [] largest raise of this street, 0 before the first
    raises: Array  # [] bets and raises of this street; blinds don't count
    num_acted: Array  # [] actions of the hand
    button: Array  # [] seat
    small_blind: Array  # []
    big_blind: Array  # []
    ante: Array  # []
    log: Array  # [max_log] int32 packed actions, see ``log_entries``; what is behind num_acted means nothing
    seats: tuple[Seat, ...]
    deal: Deal
    game: Holdem = flax.struct.field(pytree_node=False)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from jaxpoker.games import pictures

        return pictures.svg(self)

    @property
    def public(self) -> State:
        """The betting alone: the state without cards and log."""
        return dataclasses.replace(self, deal=Deal((), (), ()), log=self.log[..., :0])

    @property
    def truncated(self) -> Array:
        """``[...]`` bool: a hand always ends by itself."""
        return jnp.zeros_like(self.terminated)

    @property
    def legal_action_mask(self) -> Array:
        """``[..., actions]`` bool."""
        _, legal = self.game.bet_menu(facing(self, self.current_player))
        return jnp.stack([entry | self.terminated for entry in legal], axis=-1)

    @property
    def rewards(self) -> Array:
        """``[..., players]`` float32: big blinds won or lost, on the action that ends the hand."""
        gains = jnp.stack([jnp.where(self.paying, seat.won - seat.committed, 0) for seat in self.seats], axis=-1)
        return gains.astype(jnp.float32) / self.big_blind[..., None].astype(jnp.float32)

    @property
    def stacks(self) -> Array:
        """``[..., players]`` chips behind; after the hand with the pots paid."""
        return jnp.stack([seat.behind + seat.won for seat in self.seats], axis=-1)

    @property
    def bets(self) -> Array:
        """``[..., players]`` chips put in on this street."""
        return jnp.stack([seat.bet for seat in self.seats], axis=-1)

    @property
    def committed(self) -> Array:
        """``[..., players]`` chips put in during the hand."""
        return jnp.stack([seat.committed for seat in self.seats], axis=-1)

    @property
    def folded(self) -> Array:
        """``[..., players]`` bool; True for empty seats."""
        return jnp.stack([seat.folded for seat in self.seats], axis=-1)

    @property
    def pot(self) -> Array:
        """``[...]`` all chips put in."""
        return total([seat.committed for seat in self.seats])

    @property
    def showdown(self) -> Array:
        """``[...]`` bool: the hand ended with two or more hands shown."""
        return self.terminated & ~self.illegal & (total([~seat.folded for seat in self.seats]) > 1)

    @property
    def hole(self) -> Array:
        """``[..., players, 2]`` cards of all seats."""
        return self.deal.hole

    @property
    def board(self) -> Array:
        """``[..., 5]`` face-up cards, ``NO_CARD`` where none."""
        shown = [self.street >= max(FLOP, i - 1) for i in range(5)]
        return jnp.stack(
            [jnp.where(up, card, cards.NO_CARD) for up, card in zip(shown, self.deal.board_cards, strict=True)], axis=-1
        )


# --- the rules --------------------------------------------------------------------------------


@jax.jit
def facing(state: State, player: Array) -> bets.Facing:
    """What ``player`` faces and may do if it is to act."""
    own_bet = of_seat(player, [seat.bet for seat in state.seats])
    stack = of_seat(player, [seat.behind for seat in state.seats])
    price = most([seat.bet for seat in state.seats])
    if state.game.casino_blind:
        price = jnp.where(state.street == PREFLOP, jnp.maximum(price, state.big_blind), price)
    gap = price - own_bet
    max_raise_to = own_bet + stack
    can_answer = [(player != i) & ~seat.folded & (seat.behind + seat.bet > price) for i, seat in enumerate(state.seats)]
    return bets.Facing(
        street=state.street,
        pot=state.pot,
        price=price,
        own_bet=own_bet,
        to_call=jnp.minimum(gap, stack),
        stack=stack,
        min_raise_to=jnp.minimum(price + jnp.maximum(state.last_raise, state.big_blind), max_raise_to),
        max_raise_to=max_raise_to,
        may_raise=(stack > gap) & (gap >= state.last_raise) & any_of(can_answer),
        may_fold=gap > 0,
        raises=state.raises,
        big_blind=state.big_blind,
    )


class Move(NamedTuple):
    """One action, worked out: what ``move`` returns and ``act`` applies. All scalars of one table."""

    to: Array  # chips, FOLD_CHIPS for a fold
    legal: Array  # bool
    folds: Array  # bool; this and what follows are False or 0 for an action that does not count
    checks: Array
    calls: Array
    raises: Array
    all_in: Array
    pays: Array  # chips that go in
    raise_by: Array  # chips above the price
    share: Array  # the raise as a part of the pot, in 1 / SHARE_SCALE


def move(state: State, here: bets.Facing, to: Array, legal: Array) -> Move:
    """The action "to ``to`` chips" at ``here``; after the end of the hand, or when not legal, nothing moves."""
    counts = ~state.terminated & legal
    raises = counts & (to > here.price)
    share = (to - here.price) / (here.pot + here.price - here.own_bet) * SHARE_SCALE
    return Move(
        to=to,
        legal=legal | state.terminated,
        folds=counts & (to < 0),
        checks=counts & (to == here.own_bet),
        calls=counts & (to > here.own_bet) & ~raises,
        raises=raises,
        all_in=counts & (to == here.max_raise_to),
        pays=jnp.where(counts & (to >= 0), to - here.own_bet, 0),
        raise_by=jnp.where(raises, to - here.price, 0),
        share=jnp.where(raises, jnp.clip(share, 1, MAX_SHARE * SHARE_SCALE - 1), 0).astype(jnp.int32),
    )


@jax.jit
def act(state: State, played: Move) -> State:
    """The state after an action; one that is not legal ends the hand, one after the end changes nothing."""
    counts = played.folds | played.checks | played.calls | played.raises
    counted = played.raises.astype(jnp.int32) + (played.calls.astype(jnp.int32) << 16)
    seats = []
    for i, seat in enumerate(state.seats):
        me = counts & (state.current_player == i)
        paid = jnp.where(me, played.pays, 0)
        share = jnp.where(me, played.share, 0)
        answers = ~seat.folded & (seat.behind > 0)
        seats.append(
            dataclasses.replace(
                seat,
                behind=seat.behind - paid,
                bet=seat.bet + paid,
                folded=seat.folded | (me & played.folds),
                to_act=jnp.where(played.raises, answers, seat.to_act) & ~me,
                line=jnp.where(me, _lined(seat.line, state.street, played), seat.line),
                counts=seat.counts + jnp.where(me & (state.street > PREFLOP), counted, 0),
                early_shares=_larger_share(seat.early_shares, share, state.street),
                late_shares=_larger_share(seat.late_shares, share, state.street - TURN),
            )
        )
    kind = jnp.where(played.folds, FOLD, jnp.where(played.checks, CHECK, jnp.where(played.calls, CALL, RAISE)))
    entry = (played.to + 1) | (state.current_player << 22) | (state.street << 26) | (kind << 28)
    slot = jnp.where(counts, state.num_acted, state.game.max_log)
    after = dataclasses.replace(
        state,
        paying=jnp.zeros_like(counts),
        illegal=state.illegal | ~played.legal,
        num_acted=state.num_acted + counts,
        last_raise=jnp.maximum(state.last_raise, played.raise_by),
        raises=state.raises + played.raises,
        log=jnp.where(jnp.arange(state.game.max_log) == slot, entry, state.log),
        seats=tuple(seats),
    )
    return move_on(after, after=state.current_player)


def _lined(line: Array, street: Array, played: Move) -> Array:
    """A seat's line with one more action on ``street``."""
    shift = LINE_BITS * street
    before = line >> shift
    again = played.raises & (before & (1 << RAISED) > 0)
    third = played.raises & (before & (1 << RAISED_TWICE) > 0)
    bits: Array | int = 1 << ACTED
    for bit, flag in (
        (CHECKED, played.checks),
        (CALLED, played.calls),
        (RAISED, played.raises),
        (RAISED_TWICE, again),
        (RAISED_MORE, third),
        (WENT_ALL_IN, played.all_in),
    ):
        bits = bits | jnp.where(flag, 1 << bit, 0)
    return line | (bits << shift)


def _larger_share(shares: Array, share: Array, half: Array) -> Array:
    """``shares`` with ``share`` in its low (half 0) or high (half 1) 16 bits if that is larger."""
    low, high = shares & 0xFFFF, shares >> 16
    low = jnp.where(half == 0, jnp.maximum(low, share), low)
    high = jnp.where(half == 1, jnp.maximum(high, share), high)
    return low | (high << 16)


class Progress(NamedTuple):
    """Where the hand stands after an action. All scalars of one table."""

    ends: Array  # bool: the hand ends now
    over: Array  # bool: now or before
    next_street: Array  # bool: the street ends and the hand goes on
    showdown: Array  # bool: the hand ends with two or more hands in
    turn: Array  # seat to act


@computed_once
def progress(
    folded: list[Array],
    behind: list[Array],
    to_act: list[Array],
    over: Array,
    illegal: Array,
    street: Array,
    button: Array,
    after: Array,
) -> Progress:
    """Ends the street or the hand when nobody is left to act; else the next seat left of ``after`` is to act."""
    live = [~out for out in folded]
    with_chips = [up & (chips > 0) for up, chips in zip(live, behind, strict=True)]
    alone = total(live) <= 1
    street_over = alone | ~any_of(to_act)
    ends = street_over & (alone | (street == RIVER) | (total(with_chips) <= 1))
    ends = (ends | illegal) & ~over
    over = ends | over
    next_street = street_over & ~over
    acts = [jnp.where(next_street, opens, still) for opens, still in zip(with_chips, to_act, strict=True)]
    turn = next_seat(jnp.where(next_street, button, after), acts)
    return Progress(ends, over, next_street, ends & ~alone & ~illegal, jnp.where(over, after, turn))


@jax.jit
def move_on(state: State, after: Array) -> State:
    """The state once it is settled who acts next, on which street, or who wins what."""
    folded, behind = [seat.folded for seat in state.seats], [seat.behind for seat in state.seats]
    now = progress(
        folded,
        behind,
        [seat.to_act for seat in state.seats],
        state.terminated,
        state.illegal,
        state.street,
        state.button,
        after,
    )
    won = pots.winnings([seat.committed for seat in state.seats], folded, list(state.deal.strengths), state.button)
    forfeits = pots.forfeited([seat.starting for seat in state.seats], behind, after)
    seats = tuple(
        dataclasses.replace(
            seat,
            bet=jnp.where(now.next_street, 0, seat.bet),
            to_act=jnp.where(now.next_street, ~seat.folded & (seat.behind > 0), seat.to_act) & ~now.over,
            won=jnp.where(now.ends, jnp.where(state.illegal, forfeits[i], won[i]), seat.won),
        )
        for i, seat in enumerate(state.seats)
    )
    return dataclasses.replace(
        state,
        current_player=now.turn,
        terminated=now.over,
        paying=now.ends,
        street=jnp.where(now.showdown, RIVER, state.street + now.next_street),
        last_raise=jnp.where(now.next_street, 0, state.last_raise),
        raises=jnp.where(now.next_street, 0, state.raises),
        seats=seats,
    )


def log_entries(state: State) -> tuple[Array, Array, Array, Array]:
    """The hand's actions, ``[max_log]`` each: seat, street, kind (FOLD, CHECK, CALL, RAISE), chips "to"."""
    return (state.log >> 22) & 0xF, (state.log >> 26) & 0x3, (state.log >> 28) & 0x3, (state.log & 0x3FFFFF) - 1
