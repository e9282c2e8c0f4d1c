"""What a network of Chicago is worth: games won, seat by seat, and how it plays when it plays itself.

Games won are counted in matches of duplicate deals, every deal from every seat (``jaxpoker.match``): of n players that
are alike each wins 1/n. How it plays is counted over first games at many tables, all of them from their beginning to
their end, so that no game is left out for being long:

    rounds        of a game
    points        of a player in a round, by source: announced (after draw 0), hand (after draw 1), last trick
    discards      part of the draws with 0, 1, ... 5 cards, draw by draw
    turned down   part of the single cards of draw 1 that were turned down unseen
    calibration   the value that the network gave a decision, and what its seat was then paid, discounted
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import match
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago.table import DRAW_0, DRAW_1, HAND, TRICKS, TURN_DOWN
from jaxpoker.learners.experience import trajectories
from jaxpoker.match import Estimate
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.players import Player

Array = jax.Array

SOURCES = ("announced", "hand", "last trick")  # of points, by phase
TURNS_PER_PLAYER = 350  # in which practically all first games end
CALIBRATION_BINS = 10


class WinRate(NamedTuple):
    """Games won, as parts of 1."""

    all_seats: Estimate
    by_seat: tuple[Estimate, ...]


def win_rate(
    player: Player, params: Any, rival: Player, rival_params: Any, players: int, key: Array, deals: int
) -> WinRate:
    """Of ``player`` in games for so many ``players``, all others being ``rival``."""
    game = Chicago(players, reward="win")
    seats = [player, *[rival] * (players - 1)]
    found = match.play(game, seats, key, [params, *[rival_params] * (players - 1)], deals, hands_per_table=1)

    def part(mbb: Estimate) -> Estimate:
        return Estimate(mbb.mean / 1000, mbb.ci95 / 1000, mbb.n)

    return WinRate(part(found.mbb_per_hand[0]), tuple(part(seat) for seat in found.first_by_seat))


class Calibration(NamedTuple):
    """Decisions in bins of equal number, by the value that they were given."""

    value: np.ndarray  # [bins] mean value
    paid: np.ndarray  # [bins] mean discounted sum of rewards
    error: np.ndarray  # [bins] half width of its 95% interval; decisions of one game are taken as one


class Style(NamedTuple):
    """How a network plays itself; see the module's docstring."""

    rounds: Estimate
    points: dict[str, Estimate]  # by source
    discards: np.ndarray  # [2 draws, 0-5 cards] parts of 1
    turned_down: float
    calibration: Calibration
    unfinished: float  # part of the games that did not end in time


class _FirstGames(NamedTuple):
    """Sums over the first game of every table."""

    rounds: Array  # [N]
    ended: Array  # [N] bool
    points: Array  # [N, 3] by source, of all seats
    discards: Array  # [2, 6]
    turned_down: Array  # []
    singles: Array  # []
    value: Array  # [T, N]
    returns: Array  # [T, N]
    counts: Array  # [T, N] bool: a decision of the first game


def style(
    network: PolicyNetwork, params: Any, players: int, key: Array, tables: int, discount: float, reward_scale: float
) -> Style:
    """Of games for so many ``players``; ``discount`` and ``reward_scale`` are those that values were learned with."""
    game = Chicago(players)
    found = jax.device_get(_first_games(game, network, params, key, tables, discount, reward_scale))
    per_round = found.points / (players * np.maximum(found.rounds, 1))[:, None]
    return Style(
        Estimate.of(found.rounds),
        {source: Estimate.of(per_round[:, i]) for i, source in enumerate(SOURCES)},
        found.discards / np.maximum(found.discards.sum(axis=1, keepdims=True), 1),
        float(found.turned_down / max(found.singles, 1)),
        calibration(found.value, found.returns, found.counts & found.ended),
        float(1 - found.ended.mean()),
    )


@functools.partial(jax.jit, static_argnums=(0, 1, 4, 5, 6))
def _first_games(
    game: Chicago, network: PolicyNetwork, params: Any, key: Array, tables: int, discount: float, reward_scale: float
) -> _FirstGames:
    deal_key, play_key = jax.random.split(key)
    decide = trajectories.by_network(network, params, game)
    begin = jax.vmap(game.start)(game.deal(deal_key, (tables,)))
    end, played = trajectories.collect(game, network, decide, begin, play_key, TURNS_PER_PLAYER * game.num_players)
    scaled = played._replace(rewards=reward_scale * played.rewards)
    returns = trajectories.advantages(scaled, end, jnp.zeros(tables), discount, 1.0).returns

    first = jnp.cumsum(played.over, axis=0) - played.over == 0  # [T, N]: nothing has ended before
    last = first & played.over
    phase, action = played.state.phase, played.decision.action
    wins = played.rewards > 0  # [T, N, seats]; at the end it is the winner alone who is paid
    points = game.target * (played.rewards - jnp.where(last[..., None] & wins, game.winner_bonus, 0.0)).sum(axis=-1)
    by_source = jnp.stack(
        [jnp.where(first & (phase == p), points, 0).sum(axis=0) for p in (DRAW_0, DRAW_1, TRICKS)], -1
    )
    count = jax.lax.population_count(action & (TURN_DOWN - 1))
    is_draw = [first & (phase == draw) for draw in (DRAW_0, DRAW_1)]
    discards = jnp.stack([jnp.stack([(draw & (count == n)).sum() for n in range(HAND + 1)]) for draw in is_draw])
    singles = is_draw[DRAW_1] & (count == 1)
    return _FirstGames(
        rounds=jnp.where(first, played.state.round, 0).max(axis=0),
        ended=last.any(axis=0),
        points=by_source,
        discards=discards,
        turned_down=(singles & (action >= TURN_DOWN)).sum(),
        singles=singles.sum(),
        value=played.decision.value / reward_scale,
        returns=returns / reward_scale,
        counts=first,
    )


def calibration(value: np.ndarray, returns: np.ndarray, counts: np.ndarray) -> Calibration:
    """Values and returns ``[T, N]`` of decisions in bins, where ``counts``; a column is one game."""
    game = np.broadcast_to(np.arange(value.shape[1]), value.shape)[counts]
    value, returns = value[counts], returns[counts]
    rows = []
    for part in np.array_split(np.argsort(value, kind="stable"), CALIBRATION_BINS):
        times = np.bincount(game[part])
        sums = np.bincount(game[part], returns[part] - returns[part].mean())[times > 0]  # of each game
        error = 1.96 * np.sqrt((sums**2).sum()) / len(part)
        rows.append((value[part].mean(), returns[part].mean(), error))
    return Calibration(*np.array(rows).T)
