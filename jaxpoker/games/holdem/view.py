"""What a hold'em player sees: the float observation and the token sequence.

The observation is 200 floats heads-up, from the hero's point of view whatever its seat:

    34  hole cards, 2 x (13 ranks + 4 suits)
    85  board, 5 x (13 + 4), zeros where no card is face up
    10  chips: pot, to call, hero's and villain's stack, SPR / 20, last bet / pot / 4, hero's and villain's bets
        on this street, pot odds, effective stack
     4  street
     2  on the button; last to act after the flop among those still in
    65  history: per street, hero first, 8 floats a seat: checked, called, raised once, twice, three or more times,
        all-in, largest raise / pot / 4, acted; then the number of actions in the hand / 20

Chips are divided by the largest starting stack (the pot by that times the players); ratios are capped at 1.
With 3 to 10 players every other seat has its block in the history, clockwise from the hero, "villain" is the
largest live opponent, and 6 floats a seat come before the history: stack, bet, chips in, folded, on the
button, all-in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from jaxpoker import cards, core
from jaxpoker.games.holdem import table
from jaxpoker.games.seats import order_from

if TYPE_CHECKING:
    from jaxpoker.games.holdem.table import State

Array = jax.Array

CARD_FLOATS = 17
SEAT_FLOATS = 6
HISTORY_FLOATS = 8
FIXED_FLOATS = 7 * CARD_FLOATS + 10 + 4 + 2 + 1


def observation_size(num_players: int) -> int:
    seat_floats = 4 * HISTORY_FLOATS + (SEAT_FLOATS if num_players > 2 else 0)
    return FIXED_FLOATS + num_players * seat_floats


def token_sizes(num_players: int) -> tuple[int, int, int]:
    return core.FIRST_SEAT + num_players, 1 + cards.NUM_CARDS, 1 + len(("fold", "check", "call", "raise"))


def _card_floats(card: Array) -> Array:
    """13 ranks and 4 suits, one-hot; zeros for ``NO_CARD``."""
    rank = jnp.where(card < 0, -1, card % 13)
    suit = jnp.where(card < 0, -1, card // 13)
    return jnp.concatenate([rank == jnp.arange(13, dtype=jnp.int32), suit == jnp.arange(4, dtype=jnp.int32)]).astype(
        jnp.float32
    )


@jax.jit
def observe(state: State, player: Array | int) -> Array:
    """``[observation_size]`` float32 that ``player`` sees."""
    num_players = len(state.seats)
    player = jnp.asarray(player, jnp.int32)
    clockwise = (player + jnp.arange(num_players, dtype=jnp.int32)) % num_players  # hero first

    def by_seat(values: list[Array]) -> Array:
        return jnp.stack(values)[clockwise].astype(jnp.float32)

    here = table.facing(state, player)
    starting = by_seat([seat.starting for seat in state.seats])
    unit = starting.max()
    stack = by_seat([seat.behind for seat in state.seats])
    bet = by_seat([seat.bet for seat in state.seats])
    live = by_seat([~seat.folded for seat in state.seats])
    villain_stack = (stack * live)[1:].max()
    pot = here.pot.astype(jnp.float32)
    to_call = here.to_call.astype(jnp.float32)
    effective = jnp.minimum(stack[0], villain_stack)
    chips = jnp.stack(
        [
            pot / (num_players * unit),
            to_call / unit,
            stack[0] / unit,
            villain_stack / unit,
            jnp.minimum(effective / jnp.maximum(pot, 1) / 20, 1),
            jnp.minimum(state.last_raise / jnp.maximum(pot, 1) / 4, 1),
            bet[0] / unit,
            bet[1:].max() / unit,
            to_call / jnp.maximum(pot + to_call, 1),
            effective / unit,
        ]
    )
    order = jnp.stack(order_from(state.button, num_players))[clockwise]
    last_to_act = order[0] >= jnp.where(live > 0, order, -1).max()
    position = jnp.stack([player == state.button, last_to_act])
    blocks = [
        _card_floats(state.deal.hole[player, 0]),
        _card_floats(state.deal.hole[player, 1]),
        *(_card_floats(state.board[i]) for i in range(5)),
        chips,
        state.street == jnp.arange(4, dtype=jnp.int32),
        position,
    ]
    if num_players > 2:
        on_button = by_seat([state.button == i for i in range(num_players)])
        all_in = live * (stack == 0)
        committed = by_seat([seat.committed for seat in state.seats])
        facts = [stack / unit, bet / unit, committed / unit, 1 - live, on_button, all_in]
        blocks.append(jnp.stack(facts, axis=-1).reshape(-1))
    blocks.append(_history(state)[:, clockwise].reshape(-1))
    blocks.append((state.num_acted / 20)[None])
    return jnp.concatenate([block.astype(jnp.float32) for block in blocks])


def _history(state: State) -> Array:
    """``[4, players, 8]`` float32, what each seat did on each street."""
    streets = []
    for street in range(4):
        seats = []
        for seat in state.seats:
            checked, called, once, twice, more, all_in, acted = (
                seat.did(what, street)
                for what in (
                    table.CHECKED,
                    table.CALLED,
                    table.RAISED,
                    table.RAISED_TWICE,
                    table.RAISED_MORE,
                    table.WENT_ALL_IN,
                    table.ACTED,
                )
            )
            largest = seat.largest_raise(street) / table.MAX_SHARE
            flags = [checked, called, once & ~twice, twice & ~more, more, all_in, largest, acted]
            seats.append(jnp.stack([flag.astype(jnp.float32) for flag in flags]))
        streets.append(jnp.stack(seats))
    return jnp.stack(streets)


@jax.jit
def tokens(state: State, player: Array | int) -> Array:
    """``[tokens, 4]`` int32 (``core.TOKEN_FIELDS``): starting stacks, blinds, ante, button, own cards, then events.

    Events are the actions (1 + FOLD, CHECK, CALL or RAISE; amount = chips "to") and the board cards where they fell.
    """
    zero = jnp.zeros((), jnp.int32)
    player = jnp.asarray(player, jnp.int32)

    def token(actor: Array | int, card: Array | int = 0, action: Array | int = 0, amount: Array | int = 0) -> Array:
        return jnp.stack([zero + actor, zero + card, zero + action, zero + amount])

    header = [token(core.FIRST_SEAT + i, amount=seat.starting) for i, seat in enumerate(state.seats)]
    header += [token(core.TABLE, amount=chips) for chips in (state.small_blind, state.big_blind, state.ante)]
    header.append(token(core.FIRST_SEAT + state.button))
    header += [token(core.FIRST_SEAT + player, card=1 + state.deal.hole[player, i]) for i in range(2)]

    max_log = state.log.shape[-1]
    seat, street, kind, to = table.log_entries(state)
    happened = jnp.arange(max_log, dtype=jnp.int32) < state.num_acted
    actions = jnp.stack([core.FIRST_SEAT + seat, 0 * seat, 1 + kind, jnp.maximum(to, 0)], axis=-1)
    action_rows = jnp.arange(max_log, dtype=jnp.int32) + jnp.asarray(table.BOARD_CARDS)[street]
    board = state.board
    dealt_on = jnp.asarray([1, 1, 1, 2, 3])
    before = (happened & (street < dealt_on[:, None])).sum(axis=-1, dtype=jnp.int32)  # [5] actions before each card
    board_tokens = jnp.stack([jnp.full(5, core.TABLE), 1 + board, jnp.zeros(5), jnp.zeros(5)], axis=-1)
    num_events = max_log + 5
    events = jnp.zeros((num_events, 4), jnp.int32)
    events = events.at[jnp.where(happened, action_rows, num_events)].set(actions, mode="drop")
    board_rows = jnp.where(board == cards.NO_CARD, num_events, before + jnp.arange(5, dtype=jnp.int32))
    events = events.at[board_rows].set(board_tokens.astype(jnp.int32), mode="drop")
    return jnp.concatenate([jnp.stack(header), events])
