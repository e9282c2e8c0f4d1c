"""A local best response with all its hands at once, against all hands of the player: one decision, and what follows.

The responder knows the player's range: how likely each hand is to have played as the player did. It decides as if
nobody bet any more after its action. With m and o what both have put in, m' what both have in after a bet and a call, e
the share of the pot that its hand has against the range over all boards to come, and fp how often the range folds,

    fold    0
    call    e 2 o - (o - m)
    bet     fp (m + o) + (1 - fp) (e' 2 m' - (m' - m)),        e' against the hands that do not fold.

Neither hand is dealt. On a line of public actions the responder has a set of hands, those with which it would have
played like that, and the player has its range. What an action leads to is then a sum over all pairs of hands. An end is
worth the mean over its pairs and over all boards to come.

Before the flop the responder does not look at suits: hands of a class (AKs) and the range are averaged over suits. So
equities by class are exact.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.bets import CALL, FOLD, BetMenu
from jaxpoker.games.protocols import RangeGame
from jaxpoker.solvers.response.range_reader import Look, Reader, choices_of
from jaxpoker.solvers.response.settings import Setting

Array = jax.Array

FIRST_BET = 2  # of the actions, after fold and call
_LEAST = 1e-30  # a weight that is none


class Match(NamedTuple):
    """Who plays what: static under ``jit``."""

    game: RangeGame
    reader: Reader  # of the player
    setting: Setting  # of the responder


class Line(NamedTuple):
    """A line of public actions: H hands."""

    state: Any  # with any cards of the two: nobody looks at them
    own: Array  # [H] float32: 1 for hands with which the responder would have played like that
    belief: Any  # of the reader


class Cards(NamedTuple):
    """What is known of the cards on a street."""

    shares: Array  # [H, H] float32: of the pot, that hand i wins from hand j; 0 where they cannot be held together
    possible: Array  # [H] float32: 1 for hands without the open cards
    in_the_end: Array  # [H] float32: ... without any card of the board


class Branches(NamedTuple):
    """What may come after a line: A actions of the one to act, whoever that is."""

    likely: Array  # [A] float32: probability of the action, given the whole board; all of them sum to 1
    ends: Array  # [A] bool: the hand is over
    worth: Array  # [A] float32: of ends, to the responder, from the start of the hand on
    pot: Array  # [A] float32
    after: Any  # [A] states
    own: Array  # [H, A] float32: the responder's hands after each
    look: Look | None  # of the player, if it is the one to act


def cards_on(game: RangeGame, deal: Any, street: int) -> Cards:
    """The cards of ``deal`` that are open on ``street``."""
    last = len(game.street_names) - 1
    possible = (game.possible_hands(deal, at).astype(jnp.float32) for at in (street, last))
    return Cards(game.pair_shares(deal, street), *possible)


def start(match: Match, params: Any, deal: Any) -> Line:
    """The line without any action."""
    return Line(match.game.start(deal), jnp.ones(match.game.num_hands), match.reader.begin(params, deal))


# --- pairs of hands ---------------------------------------------------------------------------


@functools.cache
def _held(hands: bytes, shape: tuple[int, int]) -> np.ndarray:
    cards = np.frombuffer(hands, np.int64).reshape(shape)
    held: np.ndarray = (cards[:, :, None] == np.arange(cards.max() + 1)).any(axis=1).astype(np.float32)
    return held


def with_others(game: RangeGame, weights: Array) -> Array:
    """``[H, ...]``: for each hand the sum of ``weights`` ``[H, ...]`` over hands without any of its cards."""
    hands = np.asarray(game.private_hands, np.int64)
    held = jnp.asarray(_held(hands.tobytes(), hands.shape))  # [H, cards]
    clash = held @ (held.T @ weights) - (hands.shape[1] - 1) * weights  # itself counts once for each of its cards
    return jnp.maximum(weights.sum(axis=0) - clash, 0)


def _blurred(alike: np.ndarray | None, weights: Array) -> Array:
    """``weights`` ``[H, n]``, averaged over hands that are not told apart."""
    if alike is None:
        return weights
    sizes = np.bincount(alike)
    return (jax.ops.segment_sum(weights, jnp.asarray(alike), len(sizes)) / sizes[:, None].astype(np.float32))[alike]


# --- the responder's decision -----------------------------------------------------------------


def menu_on(match: Match, street: int) -> BetMenu | None:
    """The responder's menu; None where choices are no chips."""
    return None if match.reader.menu is None else match.setting.on(street).menu(match.reader.menu)


def _may(match: Match, state: Any, street: int) -> tuple[Array, Array]:
    """Choices and whether they are allowed, ``[A]`` each."""
    rule = match.setting.on(street)
    choices, legal = choices_of(match.game, state, menu_on(match, street))
    ids = np.arange(len(choices))
    if not rule.may_fold:
        legal = legal & (ids != FOLD)
    if rule.sizes == ():
        legal = legal & (ids < FIRST_BET)
    return choices, legal


def _called(match: Match, after: Any) -> Array:
    """``[]``: what both have put in once a bet is called."""
    choices, _ = choices_of(match.game, after, match.reader.menu)
    return match.game.put_in(match.game.act(after, choices[CALL])).min()


def worth_of_actions(
    match: Match, params: Any, cards: Cards, street: int, line: Line, seat: Array
) -> tuple[Array, Array, Any]:
    """``[H, A]``: what each action is worth with each hand, -inf where it is not allowed; its choices, states after."""
    game, reader = match.game, match.reader
    choices, legal = _may(match, line.state, street)
    after = jax.vmap(lambda choice: game.act(line.state, choice))(choices)
    put = game.put_in(line.state)
    mine, theirs = put[seat], put[1 - seat]
    weights = jnp.where(cards.possible > 0, reader.weights(line.belief), 0)

    def staying(bet: tuple[Any, Array]) -> tuple[Array, Array]:
        """``[H]``: the range that does not fold to a bet, and whether the bet can be made."""
        state, allowed = bet

        def asked() -> tuple[Array, Array]:
            stays, readable = reader.stay(params, line.belief, state, street)
            return jnp.where(cards.possible > 0, stays, 0), readable

        return jax.lax.cond(allowed & ~state.terminated, asked, lambda: (weights, allowed))

    bets = jax.tree.map(lambda x: x[FIRST_BET:], after)
    stays, made = jnp.zeros((0, len(weights))), legal[FIRST_BET:]
    if len(choices) > FIRST_BET:
        stays, made = jax.lax.map(staying, (bets, legal[FIRST_BET:]))
    ranges = _blurred(game.alike(street), jnp.concatenate([weights[None], stays]).T)  # [H, 1 + bets]
    won, met = cards.shares @ ranges, with_others(game, ranges)
    won, met = (x / jnp.maximum(met[:, :1], _LEAST) for x in (won, met))
    matched = jnp.minimum(*game.put_in(jax.tree.map(lambda x: x[CALL], after)))
    worth = [jnp.zeros(len(won)), won[:, 0] * 2 * matched - (matched - mine)]
    matched = jax.vmap(functools.partial(_called, match))(bets) if len(choices) > FIRST_BET else jnp.zeros(0)
    called = met[:, 1:]
    on_bets = (1 - called) * (mine + theirs) + won[:, 1:] * 2 * matched - called * (matched - mine)
    allowed = jnp.concatenate([legal[:FIRST_BET], legal[FIRST_BET:] & made])
    return jnp.where(allowed, jnp.concatenate([jnp.stack(worth, axis=1), on_bets], axis=1), -jnp.inf), choices, after


# --- what may come ------------------------------------------------------------------------------


def branches_of_responder(match: Match, params: Any, cards: Cards, street: int, line: Line, seat: Array) -> Branches:
    """The responder's hands part: each takes the action that is worth most."""
    worth, _, after = worth_of_actions(match, params, cards, street, line, seat)
    own = line.own[:, None] * (worth.argmax(axis=1)[:, None] == jnp.arange(worth.shape[1]))  # [H, A]
    other = match.reader.weights(line.belief)[:, None]
    return _branches(match, cards, line.state, after, own, other, seat, None)


def branches_of_player(match: Match, params: Any, cards: Cards, street: int, line: Line, seat: Array) -> Branches:
    """The player's range parts."""
    look = match.reader.look(params, line.belief, line.state, street)
    look = look._replace(reach=jnp.where(cards.possible[:, None] > 0, look.reach, 0))
    after = jax.vmap(lambda choice: match.game.act(line.state, choice))(look.choices)
    return _branches(match, cards, line.state, after, line.own[:, None], look.reach, seat, look)


def _branches(
    match: Match, cards: Cards, state: Any, after: Any, own: Array, other: Array, seat: Array, look: Look | None
) -> Branches:
    """Of the responder's hands ``own`` ``[H, A or 1]`` and the player's ``other`` ``[H, 1 or A]`` after each action."""
    game = match.game
    other = jnp.where(cards.possible[:, None] > 0, other, 0)
    at_end = cards.in_the_end[:, None]
    met = (own * at_end * with_others(game, other * at_end)).sum(axis=0)  # [A]: pairs on the whole board
    pairs = (own * cards.possible[:, None] * with_others(game, other)).sum(axis=0)  # ... on the open cards
    share = (own * (cards.shares @ other)).sum(axis=0) / jnp.maximum(pairs, _LEAST)
    put = jax.vmap(game.put_in)(after)  # [A, 2]
    folds = jnp.arange(len(put)) == FOLD
    folded = match.game.put_in(state).min() * (-1 if look is None else 1)
    return Branches(
        likely=met / jnp.maximum(met.sum(), _LEAST),
        ends=after.terminated,
        worth=jnp.where(folds, folded, (2 * share - 1) * put.min(axis=1)),
        pot=put.sum(axis=1),
        after=after,
        own=jnp.broadcast_to(own, (len(own), len(put))),
        look=look,
    )


def taken(match: Match, line: Line, branches: Branches, action: Array) -> Line:
    """The line after ``action``."""
    belief = line.belief if branches.look is None else match.reader.follow(branches.look, action)
    return Line(jax.tree.map(lambda x: x[action], branches.after), branches.own[:, action], belief)
