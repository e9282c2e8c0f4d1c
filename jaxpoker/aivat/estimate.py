"""AIVAT: the result of a hand with the luck taken out that can be known (Burch, Schmid, Moravčík, Morrill and Bowling,
"AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games", 2018).

With u what seat 0 won, v any value function and h a history, both hands included,

    estimate = u + sum over deals of cards:         E[v(h c)] - v(h c)          c the cards that came
                 + sum over known players' actions:  E[v(h a)] - v(h a)          a the action that was drawn

Each term has mean zero given everything before it, because its expectation is over the very probabilities that cards
and actions are drawn with. So the mean of the estimate is that of u, whatever v is. The better v, the smaller the
variance: with exact values and both strategies known nothing is left but the value of the game.

An action has a term if the player tells what it drew from (``Player.mixture``): its probabilities after translation,
menu and rounding. Of a person, or of a player that does not tell, only the cards have terms.

    dealt(values, known, game, first)                     the first cards of a hand
    acted(values, known, game, before, after, mixture)    an action, and the cards that follow it

Both are what to add to the winnings of seat 0. They are functions of one table, vmapped by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker import core
from jaxpoker.games.protocols import StreetGame
from jaxpoker.games.session import Session, Table
from jaxpoker.players import Mixture

Array = jax.Array

NO_STREET = -1  # before any card is dealt


def nothing(params: Any, game: Any, deals: Any, key: Array) -> tuple[()]:
    """What a value function prepares that looks at states alone."""
    return ()


class Values(NamedTuple):
    """A value function, with its mean over cards to come.

    ``value(params, known, game, state, street)`` is what seat 0 may expect, in units of ``state.rewards``, of the
    betting of ``state`` when only the cards up to ``street`` are known: the street of ``state``, or the one on which
    the action was that led there. For the latter it is the mean of the former over the cards in between, given both
    hands and the open cards; or it is drawn so that it has this mean. For a hand that is over it is that of the
    rewards. ``NO_STREET`` is before the hands are dealt.

    ``prepare(params, game, deals, key)`` is what it needs to know of deals ``[n, ...]``, worked out once: ``known``
    ``[n, ...]``. It may look at all cards and draw others with ``key``, which nobody at the table knows of.
    """

    name: str
    value: Callable[[Any, Any, Any, Any, Array | int], Array]
    prepare: Callable[[Any, Any, Any, Array], Any] = nothing
    params: Any = None


def require(game: core.Game) -> None:
    """That there is an estimate for ``game``, or ``ValueError``."""
    if game.num_players != 2 or not game.zero_sum:
        raise ValueError(f"AIVAT is for two players and zero sums: {game.name} has {game.num_players} players here")
    if not isinstance(game, StreetGame):
        raise ValueError(f"AIVAT needs to know when cards are dealt: {game.name} is no StreetGame, as hold'em is")


def worth(values: Values, known: Any, game: Any, state: Any, street: Array | int) -> Array:
    """``[]``: ``values.value``, and the reward itself at the end of a hand."""
    ended = core.is_over(state) & (street == game.street(state))
    value = values.value(values.params, known, game, state, street)
    return jnp.where(ended, state.rewards[0], value).astype(jnp.float32)


def dealt(values: Values, known: Any, game: Any, first: Any) -> Array:
    """``[]`` of the hands that both seats of the ``first`` state got."""
    return worth(values, known, game, first, NO_STREET) - worth(values, known, game, first, game.street(first))


def acted(values: Values, known: Any, game: Any, before: Any, after: Any, mixture: Mixture | None = None) -> Array:
    """``[]`` of the action that led from ``before`` to ``after`` and of the cards that it opened. Without a
    ``mixture`` the action is nobody's luck.
    """
    street = game.street(before)
    reached = worth(values, known, game, after, street)
    cards = reached - worth(values, known, game, after, game.street(after))
    if mixture is None:
        return cards
    return cards + drawn(values, known, game, before, mixture)


def drawn(values: Values, known: Any, game: Any, before: Any, mixture: Mixture) -> Array:
    """``[]`` of the action that was drawn from ``mixture`` at ``before``."""
    street = game.street(before)
    each = jax.vmap(lambda choice: worth(values, known, game, game.act(before, choice), street))(mixture.choices)
    expected = jnp.where(mixture.probabilities > 0, mixture.probabilities * each, 0).sum()
    return expected - each[mixture.drawn]


# --- in a session -------------------------------------------------------------------------------


def of_deal(values: Values, known: Any, session: Session, table: Table) -> Array:
    """``[]`` of the cards of the hand that begins at ``table``; ``known`` is ``[hands, ...]`` of its deals."""
    return dealt(values, _of_hand(known, table.hand_index), session.game, table.hand)


def of_turn(values: Values, known: Any, session: Session, table: Table, choice: Array, mixture: Mixture) -> Array:
    """``[]`` of a ``choice`` at ``table``, drawn from ``mixture``, and of all cards that it opened: those of the next
    hand, too, if there is one. 0 where there was nothing to decide.
    """
    game, turn = session.game, session.act(table, choice)
    here = acted(values, _of_hand(known, table.hand_index), game, table.hand, turn.hand, mixture)
    begins = turn.ended & ~turn.table.over
    return jnp.where(session.to_decide(table), here, 0) + jnp.where(
        begins, of_deal(values, known, session, turn.table), 0
    )


def of_actor(mixtures: Sequence[Mixture | None], choice: Array, acting: Array) -> Mixture:
    """The mixture of the player who chose, number ``acting``; of one who does not tell, the choice for sure."""
    most = max([1, *(len(one.choices) for one in mixtures if one is not None)])
    first = jnp.arange(most) == 0
    sure = Mixture(jnp.full(most, choice), first.astype(jnp.float32), jnp.zeros((), jnp.int32), jnp.ones(()))
    found = sure
    for number, one in enumerate(mixtures):
        if one is not None:
            more = most - len(one.choices)
            choices = jnp.concatenate([one.choices, jnp.full(more, choice, one.choices.dtype)])
            padded = one._replace(choices=choices, probabilities=jnp.pad(one.probabilities, (0, more)))
            found = core.select(acting == number, padded, found)
    return found


def _of_hand(known: Any, index: Array) -> Any:
    return jax.tree.map(lambda x: x[index], known)
