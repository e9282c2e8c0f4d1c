"""The information state of Chicago: all that a player has seen in this round, as tokens in order.

    the table       amount = number of the round
    each player     amount = score, and again with the score at the end of the round before
    the start seat
    own cards       the five that were dealt; after draw 0 the whole hand; after draw 1 what is left of the hand
    draws           amount = 1 + number of discards; own ones with their action
    face-up cards   the card, and SHOWN, KEPT or TURNED_DOWN as its action
    announcement    ANNOUNCES or PASSES
    reveals         FIRST_COMPONENT + component as the action, amount = what was said (``chicago_reveals``)
    tricks          the card played

Cards of earlier rounds are back in the deck: of those rounds the scores are what is left. Where in the hand a card lay
that has been played is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, core
from jaxpoker.games.chicago import reveals as chicago_reveals
from jaxpoker.games.chicago.hands import NUM_COMPONENTS
from jaxpoker.games.chicago.table import HAND, NUM_ACTIONS, TURN_DOWN, dealt_hand, leaders, order_from
from jaxpoker.games.chicago.view import discard_counts

if TYPE_CHECKING:
    from jaxpoker.games.chicago.table import State

Array = jax.Array

# Codes of the action column past the actions of the game.
SHOWN, KEPT, TURNED_DOWN, ANNOUNCES, PASSES, FIRST_COMPONENT = range(1 + NUM_ACTIONS, 7 + NUM_ACTIONS)
NUM_CODES = FIRST_COMPONENT + NUM_COMPONENTS


def token_sizes(num_players: int) -> tuple[int, int, int]:
    return core.FIRST_SEAT + num_players, 1 + cards.NUM_CARDS, NUM_CODES


def tokens(state: State, player: Array | int) -> Array:
    """``[tokens, 4]`` int32 (``core.TOKEN_FIELDS``) that ``player`` has seen, zero-padded."""
    seats, player = state.seats, jnp.asarray(player, jnp.int32)
    num_seats = len(seats)
    order = order_from(state.start, state)  # [seats] place in the order of drawing and speaking
    own = seats == player
    rows: list[Array] = []  # [n, 4] each
    times: list[Array] = []  # [n] each, when the token was seen; negative if it was not

    def add(time: Any, holds: Any, actor: Any, card: Any, action: Any, amount: Any) -> None:
        """Tokens of one shape, ``[n]`` or ``[]``, where ``holds``."""
        fields = jnp.broadcast_arrays(*(jnp.asarray(x, jnp.int32) for x in (time, holds, actor, card, action, amount)))
        time, holds, *columns = (field.reshape(-1) for field in fields)
        rows.append(jnp.stack(columns, axis=-1))
        times.append(jnp.where(holds == 1, time, -1))

    seat_actor = core.FIRST_SEAT + seats
    add(0, True, jnp.asarray(core.TABLE), 0, 0, state.round)
    add(1 + seats, state.active, seat_actor, 0, 0, state.scores)
    add(11 + seats, state.active, seat_actor, 0, 0, state.last_scores)
    add(20, True, core.FIRST_SEAT + state.start, 0, 0, 0)
    places = np.arange(HAND, dtype=np.int32)
    dealt = dealt_hand(state, player).astype(jnp.int32)
    add(30 + places, True, core.FIRST_SEAT + player, 1 + dealt, 0, 0)

    # Each draw has ten moments for each seat: the draw, a face-up card, and the hand that the seat then holds.
    hands = (state.first_hands[player], state.hands[player])
    counts = discard_counts(state)
    deciding = state.deciding
    for draw, (start, hand) in enumerate(zip((100, 1000), hands, strict=True)):
        time = start + 10 * order
        has_drawn = state.draws[draw] >= 0
        action = jnp.where(own, 1 + jnp.maximum(state.draws[draw], 0), 0)
        add(time, has_drawn, seat_actor, 0, action, 1 + counts[draw])
        if draw == 1:
            turned_down = state.draws[1] >= TURN_DOWN
            code = jnp.where(deciding, SHOWN, jnp.where(turned_down, TURNED_DOWN, KEPT))
            add(time + 1, state.shown >= 0, seat_actor, 1 + state.shown.astype(jnp.int32), code, 0)
        held = has_drawn[player] & (hand >= 0)
        add(time[player] + 2 + places, held, core.FIRST_SEAT + player, 1 + hand.astype(jnp.int32), 0, 0)

    add(200 + order, state.announced | state.passed, seat_actor, 0, jnp.where(state.announced, ANNOUNCES, PASSES), 0)
    said = chicago_reveals.said(state.reveals, num_seats)[:, jnp.minimum(order, num_seats - 1)]  # [10, seats]
    component = np.arange(NUM_COMPONENTS, dtype=np.int32)[:, None]
    spoken = (said != chicago_reveals.SILENT) & state.active
    add(300 + 10 * component + order, spoken, seat_actor, 0, FIRST_COMPONENT + component, said)

    turns = jax.vmap(order_from, in_axes=(0, None))(leaders(state), state)  # [5, seats]
    table = state.table.astype(jnp.int32)
    add(2000 + 10 * places[:, None] + turns, table >= 0, seat_actor, 1 + table, 0, 0)

    moment = jnp.concatenate(times)
    in_order = jnp.argsort(jnp.where(moment < 0, 10_000, moment))
    seen = moment[in_order] >= 0
    return jnp.where(seen[:, None], jnp.concatenate(rows)[in_order], 0)
