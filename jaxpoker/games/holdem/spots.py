"""A hand of hold'em from the middle on: a board, a pot and stacks instead of the actions that led there.

    state = spot(game, board="Qh7h2c", pot=60, stacks=[970, 970], hole=["AhKh", ""])

What happened before is not known, so the log is empty; where it is, ``games.state_after`` plays it.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.games.holdem.game import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, MAX_CHIPS, Deal, Seat, State
from jaxpoker.games.seats import next_seat

Array = jax.Array


def spot(
    game: Holdem,
    board: str,
    pot: int,
    stacks: Sequence[int],
    hole: Sequence[str] | None = None,
    button: int = 0,
    key: Array | None = None,
) -> State:
    """The first state of the flop, turn or river with so many open cards: nobody has bet on it yet.

    ``stacks`` are the chips that the seats have behind, one number for each seat of ``game``; all of them have put in
    the same part of the pot. Seats that have folded have "-" as their hand. Other hands that are not named, and the
    cards to come, are drawn with ``key`` (``Deal.of``). Blinds and ante are the game's.
    """
    opened = len(cards.parse(board))
    if opened not in BOARD_CARDS[1:]:
        raise ValueError(f"board {board!r} has {opened} cards: a flop has 3, a turn 4, a river 5")
    if len(stacks) != game.num_players or not all(0 <= chips <= MAX_CHIPS for chips in stacks):
        raise ValueError(f"stacks {list(stacks)}: {game.num_players} numbers of chips, one for each seat")
    hole = [""] * game.num_players if hole is None else list(hole)
    if len(hole) != game.num_players:
        raise ValueError(
            f"{len(hole)} hands for {game.num_players} seats: '' for one to be drawn, '-' for a folded one"
        )
    folded = [hand == "-" for hand in hole]
    if sum(chips > 0 and not out for chips, out in zip(stacks, folded, strict=True)) < 2:
        raise ValueError("nobody has anything to decide: two seats or more need chips behind and a hand")
    if pot < 1 or pot % game.num_players:
        raise ValueError(f"a pot of {pot}: it is put in by {game.num_players} seats in equal parts")
    if not 0 <= button < game.num_players:
        raise ValueError(f"button {button}: seats are 0 to {game.num_players - 1}")
    zero, no = jnp.int32(0), jnp.bool_(False)
    part = pot // game.num_players
    seats = tuple(
        Seat(
            starting=jnp.int32(chips + part),
            behind=jnp.int32(chips),
            bet=zero,
            folded=jnp.bool_(out),
            to_act=jnp.bool_(not out and chips > 0),
            line=zero,
            counts=zero,
            early_shares=zero,
            late_shares=zero,
            won=zero,
        )
        for chips, out in zip(stacks, folded, strict=True)
    )
    return State(
        current_player=next_seat(jnp.int32(button), [seat.to_act for seat in seats]),
        terminated=no,
        paying=no,
        illegal=no,
        street=jnp.int32(int(np.searchsorted(BOARD_CARDS, opened))),
        last_raise=zero,
        raises=zero,
        num_acted=zero,
        button=jnp.int32(button),
        small_blind=jnp.int32(game.small_blind),
        big_blind=jnp.int32(game.big_blind),
        ante=jnp.int32(game.ante),
        log=jnp.zeros(game.max_log, jnp.int32),
        seats=seats,
        deal=Deal.of(["" if out else hand for hand, out in zip(hole, folded, strict=True)], board, key),
        game=game,
    )
