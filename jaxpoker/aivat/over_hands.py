"""AIVAT's imaginary observations: the mean of the estimate over all hands that a known player might have held.

Given the other's hand, the open cards and all actions, the known player holds hand w with probability

    P(w) ~ prior(w) * product over its decisions of P(what it did | w)

and the estimate is the sum of P(w) times the estimate (``aivat/estimate.py``) of the hand as it would have been with w.
It is a conditional mean of an estimate without bias, so it has no bias, and less variance. And it does not depend on
the hand that the known player did hold: who is told the estimate learns nothing of a folded hand.

What the player did by chance besides, how it read a bet that is not on its tree, counts as given.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.aivat.estimate import Values, acted, dealt
from jaxpoker.players import Entrant, Mixture, Player

Array = jax.Array


class Turn(NamedTuple):
    """An action of a hand that is over."""

    before: Any  # the state in which it was taken
    choice: Any  # [] as game.act takes it
    memory: Any = None  # that the known player's ``act`` left; of the other's actions it does not matter


class _Imagined(NamedTuple):
    """H hands of the known player."""

    likelihood: Array  # [H] of what the player did
    estimate: Array  # [H] of seat 0, its winnings included as soon as the hand is over


def averaged(
    values: Values,
    known: Any,
    game: Any,
    entrant: Entrant,
    seat: int,
    hands: Array,
    prior: Array,
    turns: Sequence[Turn],
) -> float:
    """What seat 0 won of a hand, by AIVAT, in the mean over what ``entrant`` in ``seat`` might have held.

    ``hands`` ``[H, ...]`` are hands as ``game.with_hand`` takes them, ``prior`` ``[H]`` how likely each is to be dealt
    given the other hand and the open cards, 0 for those that clash, and ``known`` ``[H, ...]`` what ``values`` knows of
    the deal with each.
    """
    if entrant.player.mixture is None:
        raise ValueError(f"player {entrant.player.name!r} does not tell what it draws its actions from")
    how, weights = values._replace(params=None), values.params
    imagined = _first(how, game, weights, known, seat, hands, turns[0].before)
    for turn in turns:
        player = entrant.player if int(turn.before.current_player) == seat else None
        own = (entrant.params, turn.memory) if player is not None else (None, None)
        imagined = _after(how, game, player, weights, known, seat, hands, turn.before, turn.choice, own, imagined)
    chances = jnp.asarray(prior) * imagined.likelihood
    return float((chances * imagined.estimate).sum() / chances.sum())


@functools.partial(jax.jit, static_argnums=(0, 1))
def _first(how: Values, game: Any, weights: Any, known: Any, seat: Array, hands: Array, first: Any) -> _Imagined:
    values = how._replace(params=weights)

    def of(hand: Array, known: Any) -> Array:
        return dealt(values, known, game, game.with_hand(first, seat, hand))

    estimate = jax.vmap(of)(hands, known)
    return _Imagined(jnp.ones_like(estimate), estimate)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _after(
    how: Values,
    game: Any,
    player: Player | None,
    weights: Any,
    known: Any,
    seat: Array,
    hands: Array,
    before: Any,
    choice: Array,
    own: tuple[Any, Any],
    imagined: _Imagined,
) -> _Imagined:
    """After the action ``choice`` of ``player``, or of the other player when None."""
    values = how._replace(params=weights)

    def of(hand: Array, known: Any) -> tuple[Array, Array]:
        held = game.with_hand(before, seat, hand)
        reached = game.act(held, choice)
        mixture: Mixture | None = None
        if player is not None:
            assert player.mixture is not None
            mixture = player.mixture(*own, game, held, choice)
        found = acted(values, known, game, held, reached, mixture) + reached.rewards[0]
        return found, jnp.ones(()) if mixture is None else mixture.likelihood

    more, likely = jax.vmap(of)(hands, known)
    return _Imagined(imagined.likelihood * likely, imagined.estimate + more)
