"""What an opponent who knows a player wins from it with real cards: local best response (Lisý & Bowling, 2017).

    local_best_response.measure(solved, jax.random.key(0))                    # a blueprint, mBB/hand ± 95%
    match, params = local_best_response.of_entrant(players.entrant("dqn"), game, settings.of_name("late"))
    local_best_response.winnings(match, params, jax.random.split(key, 64))    # [64, 2] big blinds, seat by seat
    local_best_response.exact(match, params)                                  # all deals of a small game

The rule is in ``range_play.py``, where it may bet and with what in ``settings.py``, how players are read in
``range_reader.py``. This is not a best response, but anybody who knew the player could play it. So what it wins is a
lower bound of the exploitability in the real game.

Less luck, and the same mean. On a deal all pairs of hands are played at once. Lines are drawn: at every decision the
actions that end the hand count with their probability, and one of the others is drawn and goes on. It is drawn in
proportion to its probability times the pot, and weighted by what makes up for that: large pots are where the luck is.
Walks of a deal have the flop in common, and turns and rivers of their own. A deal is one independent sample.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.protocols import DealtGame, RangeGame
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import range_play, range_reader
from jaxpoker.solvers.response.range_play import Branches, Cards, Line, Match
from jaxpoker.solvers.response.settings import SETTINGS, Setting
from jaxpoker.solvers.sweep import PLAYERS

Array = jax.Array

DEALS = 64
WALKS = 16  # of a deal in each seat
SHARED = 2  # streets whose cards all walks of a deal have in common
_AT_ONCE = 8  # deals of one call, so that a run can be stopped between two
_LEAST = 1e-30  # a weight that is none


def of_blueprint(solved: Blueprint, setting: Setting) -> tuple[Match, Any]:
    """The match with a blueprint in its own game, and its params."""
    places = range_reader.PLACES if setting.leaves_menu else 1
    return Match(solved.game, _reader_of_blueprint(solved, places), setting), solved.params


@functools.lru_cache(maxsize=8)
def _reader_of_blueprint(solved: Blueprint, places: int) -> range_reader.Reader:
    """The same one every time, so that nothing compiles twice."""
    return range_reader.of_blueprint(solved, places=places)


def of_entrant(entrant: Entrant, game: Any, setting: Setting) -> tuple[Match, Any]:
    """The match with any player that has a policy, and its params."""
    if not isinstance(game, RangeGame) or game.num_players != len(PLAYERS):
        raise ValueError(f"a local best response plays hold'em or Leduc for two, not {game.name}")
    return Match(game, _reader_of_player(entrant.player, game), setting), entrant.params


@functools.lru_cache(maxsize=8)
def _reader_of_player(player: Any, game: Any) -> range_reader.Reader:
    return range_reader.of_player(player, game)


def measure(solved: Blueprint, key: Array, deals: int = DEALS, setting: str = "tree", walks: int = WALKS) -> Estimate:
    """What the responder wins from a blueprint, in mBB/hand; every deal is played from both seats."""
    if deals < 2:
        raise ValueError(f"{deals} deals: an interval needs at least two")
    match, params = of_blueprint(solved, SETTINGS[setting])
    keys = jax.random.split(key, deals)
    found = [winnings(match, params, keys[at : at + _AT_ONCE], walks) for at in range(0, deals, _AT_ONCE)]
    return Estimate.of(np.concatenate(found).mean(axis=1) * 1_000)


def winnings(match: Match, params: Any, keys: Array, walks: int = WALKS) -> np.ndarray:
    """``[n, 2]``: what the responder wins in each seat on a deal of each key ``[n]``, in the unit of the game."""
    return np.asarray(_winnings(match, params, keys, walks), np.float64)


@functools.partial(jax.jit, static_argnums=(0, 3))
def _winnings(match: Match, params: Any, keys: Array, walks: int) -> Array:
    game = match.game

    def of_deal(key: Array) -> Array:
        deal_key, walk_key = jax.random.split(key)
        deal = game.deal(deal_key)
        shared = [game.pair_shares(deal, street) for street in range(SHARED)]
        seats, each = jnp.tile(jnp.asarray(PLAYERS), walks), jax.random.split(walk_key, len(PLAYERS) * walks)
        won = jax.lax.map(lambda walk: _walk(match, params, deal, shared, *walk), (seats, each))
        return won.reshape(walks, len(PLAYERS)).mean(axis=0)

    return jax.lax.map(of_deal, keys)


# --- a line that is drawn -----------------------------------------------------------------------


class _Walk(NamedTuple):
    line: Line
    won: Array  # [] float32: what ends beside the line were worth, each with its probability
    weight: Array  # [] float32: the probability of the line over that of drawing it; 0 when nothing is left
    key: Array


def _walk(match: Match, params: Any, deal: Any, shared: list[Array], seat: Array, key: Array) -> Array:
    """What the responder wins in ``seat``, with cards of its own after the shared streets."""
    game, streets = match.game, len(match.game.street_names)
    later_key, key = jax.random.split(key)
    deal = game.with_later_cards(deal, SHARED - 1, later_key)
    in_the_end = game.possible_hands(deal, streets - 1).astype(jnp.float32)

    def go(street: int, walk: _Walk) -> _Walk:
        shares = shared[street] if street < SHARED else game.pair_shares(deal, street)
        possible = game.possible_hands(deal, street).astype(jnp.float32)
        step = functools.partial(_step, match, params, Cards(shares, possible, in_the_end), street, seat)
        return jax.lax.while_loop(lambda walk: (walk.weight > 0) & (game.street(walk.line.state) == street), step, walk)

    walk = _Walk(range_play.start(match, params, deal), jnp.zeros(()), jnp.ones(()), key)
    for street in range(streets):
        walk = jax.lax.cond(walk.weight > 0, functools.partial(go, street), lambda walk: walk, walk)
    return walk.won


def _step(match: Match, params: Any, cards: Cards, street: int, seat: Array, walk: _Walk) -> _Walk:
    """One decision: ends count, and one of the other actions is drawn."""
    key, draw_key = jax.random.split(walk.key)

    def drawn(branches: Branches) -> _Walk:
        ended = jnp.where(branches.ends, branches.likely * branches.worth, 0).sum()
        likely = jnp.where(branches.ends, 0, branches.likely)
        chances = likely * branches.pot
        action = jax.random.categorical(draw_key, jnp.log(chances))
        weight = likely[action] * chances.sum() / jnp.maximum(chances[action], _LEAST)
        line = range_play.taken(match, walk.line, branches, action)
        return _Walk(line, walk.won + walk.weight * ended, walk.weight * weight, key)

    known = (match, params, cards, street, walk.line, seat)
    return jax.lax.cond(
        walk.line.state.current_player == seat,
        lambda: drawn(range_play.branches_of_responder(*known)),
        lambda: drawn(range_play.branches_of_player(*known)),
    )


# --- all lines ----------------------------------------------------------------------------------


def exact(match: Match, params: Any) -> np.ndarray:
    """``[2]``: what the responder wins in each seat of a game whose deals can be listed, without any luck."""
    game = match.game
    if not isinstance(game, DealtGame) or len(game.all_deals().streets) != len(game.street_names):
        raise ValueError(f"the deals of {game.name} cannot be listed: draw some with winnings")
    deals = game.all_deals()
    dealt, columns = deals.examples[0]
    boards, first = np.unique(columns // game.num_hands, return_index=True)
    likely = deals.streets[-1].prior.sum(axis=(1, 2))[boards]
    each = [jax.tree.map(lambda x, at=at: x[at], dealt) for at in first]
    won = [[on_deal(match, params, deal, seat) for seat in PLAYERS] for deal in each]
    return np.average(won, axis=0, weights=likely)


def on_deal(match: Match, params: Any, deal: Any, seat: int, own: Array | None = None) -> float:
    """What the responder wins in ``seat`` in the mean over all hands, or those with weights ``own`` ``[H]``, over those
    of the player and over all that both do, with the board of ``deal``.

    It goes through all lines one by one: for small trees.
    """
    known = functools.cache(lambda street: _cards(match.game, deal, street))

    def value(line: Line) -> float:
        street = int(match.game.street(line.state))
        acts = _responder if int(line.state.current_player) == seat else _player
        branches = acts(match, params, known(street), street, line, jnp.int32(seat))
        likely, ends, worth = (np.asarray(x, np.float64) for x in (branches.likely, branches.ends, branches.worth))
        total = (likely * worth)[ends > 0].sum()
        for action in np.nonzero((ends == 0) & (likely > 0))[0]:
            total += likely[action] * value(_taken(match, line, branches, jnp.int32(action)))
        return float(total)

    line = range_play.start(match, params, deal)
    return value(line if own is None else line._replace(own=jnp.asarray(own, jnp.float32)))


_cards = functools.partial(jax.jit, static_argnums=(0, 2))(range_play.cards_on)
_responder = functools.partial(jax.jit, static_argnums=(0, 3))(range_play.branches_of_responder)
_player = functools.partial(jax.jit, static_argnums=(0, 3))(range_play.branches_of_player)
_taken = functools.partial(jax.jit, static_argnums=0)(range_play.taken)
