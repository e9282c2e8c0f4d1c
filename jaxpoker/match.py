"""Matches: thousands of tables at once, every deal played from every seat, results with their intervals.

A deal is played as often as there are players; in rotation r player p sits in seat (p + r) mod n. Whoever gets good
cards, all get them: what is left is skill, and the interval is several times narrower than with fresh deals.

The unit of the interval is a table: the mean of a player's result over the table's hands and all rotations. Tables
are independent; hands of one table need not be, because players may remember.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import aivat, core, devices, statistics
from jaxpoker.games.counts import Counts
from jaxpoker.games.protocols import AllInGame, StackGame, StatisticsGame, WinProbabilityGame
from jaxpoker.games.session import Session
from jaxpoker.games.session import Table as SessionTable
from jaxpoker.players import Entrant, Player

Array = jax.Array

VALUES_STREAM = 2**31 - 2  # of a deal's key: what a value function draws


_FIRST_TO_ACT = ("UTG", "UTG+1", "UTG+2", "MP", "LJ", "HJ", "CO")
_EARLY = {3: (), 4: (6,), 5: (5, 6), 6: (0, 5, 6), 7: (0, 4, 5, 6), 8: (0, 1, 4, 5, 6), 9: (0, 1, 2, 4, 5, 6)}
POSITIONS = {  # by the number of players, from the button on
    2: ("BTN", "BB"),
    **{n: ("BTN", "SB", "BB", *(_FIRST_TO_ACT[i] for i in early)) for n, early in _EARLY.items()},
    10: ("BTN", "SB", "BB", *_FIRST_TO_ACT),
}


class Estimate(NamedTuple):
    """A mean with the half width of its 95% interval, from n independent samples."""

    mean: float
    ci95: float
    n: int

    def __str__(self) -> str:
        return f"{self.mean:+,.1f} ± {self.ci95:,.1f}"

    @classmethod
    def of(cls, samples: np.ndarray) -> Estimate:
        """Of independent samples ``[n]``: mean ± 1.96 standard errors."""
        samples = np.asarray(samples, np.float64)
        error = samples.std(ddof=1) / np.sqrt(len(samples)) if len(samples) > 1 else float("inf")
        return cls(float(samples.mean()), float(1.96 * error), len(samples))

    @classmethod
    def pooled(cls, parts: Sequence[Estimate]) -> Estimate:
        """Of the samples of all ``parts`` together, each of two samples or more."""
        n = sum(part.n for part in parts)
        mean = sum(part.n * part.mean for part in parts) / n
        within = sum((part.n - 1) * part.n * (part.ci95 / 1.96) ** 2 for part in parts)
        between = sum(part.n * (part.mean - mean) ** 2 for part in parts)
        return cls(mean, 1.96 * ((within + between) / (n - 1) / n) ** 0.5, n)


class Result(NamedTuple):
    """A match, player by player."""

    names: tuple[str, ...]
    mbb_per_hand: tuple[Estimate, ...]  # thousandths of a big blind (of the game's unit elsewhere) per hand
    hands: int  # hands that each player played
    decisions: int
    profiles: tuple[statistics.PlayerProfile, ...] | None  # of a game that counts statistics
    first_by_seat: tuple[Estimate, ...] = ()  # mbb_per_hand of the first player, seat by seat, if it sat in all
    by_position: tuple[tuple[Estimate, ...], ...] = ()  # per player mbb_per_hand by seats from the button on, 0 has it
    adjusted: tuple[Estimate, ...] = ()  # mbb_per_hand by AIVAT, if there were values: the same mean, less luck

    def __str__(self) -> str:
        rows = [f"{name}: {result} mBB/hand" for name, result in zip(self.names, self.mbb_per_hand, strict=True)]
        if self.adjusted:
            rows = [f"{row}; {result} by AIVAT" for row, result in zip(rows, self.adjusted, strict=True)]
        return "\n".join((*rows, f"{self.hands:,} hands each"))

    def positions_text(self) -> str:
        """Results per position as a table: a line for each player, a column for each position."""
        if not self.by_position:
            raise ValueError("results per position are of duplicate matches of three and more players with a button")
        names = POSITIONS[len(self.names)]
        widths = [max(len(name), *(len(str(row[at])) for row in self.by_position)) for at, name in enumerate(names)]
        first = max(map(len, self.names))
        lines = [" " * first + "".join(f"  {name:>{width}}" for name, width in zip(names, widths, strict=True))]
        for player, row in zip(self.names, self.by_position, strict=True):
            cells = (f"  {estimate!s:>{width}}" for estimate, width in zip(row, widths, strict=True))
            lines.append(f"{player:<{first}}" + "".join(cells))
        return "\n".join(lines)


class Running(NamedTuple):
    """A session under way and what came of it so far: one table, to be vmapped.

    In rotation r player p sits in seat (p + r) mod n.
    """

    table: SessionTable
    rotation: Array  # []
    memories: tuple[Any, ...]  # per player
    winnings: Array  # [players] float32
    counts: Any  # Counts of [players]; None where the game counts nothing
    decisions: Array  # [] int32
    by_hand: Array | None = None  # [hands, players] float32, winnings of each hand if they are wanted
    expected: Array | None = None  # [players] float32, winnings with the luck of all-ins taken out if they are wanted
    correction: Array | None = None  # [] float32, what AIVAT adds to the winnings of seat 0 if there are values

    def acting(self, num_players: int) -> Array:
        """[] int32: the player, not the seat, whose turn it is."""
        return (self.table.hand.current_player - self.rotation) % num_players


def sit_down(
    session: Session,
    players: Sequence[Player],
    params: Sequence[Any],
    table: SessionTable,
    rotation: Array,
    by_hand: bool = False,
    expected: bool = False,
) -> Running:
    """The start of a session at ``table``; ``by_hand`` and ``expected`` say what is kept besides the winnings."""
    memories = tuple(p.new_hand(p.init_memory(own)) for p, own in zip(players, params, strict=True))
    zeros = jnp.zeros(len(players), jnp.float32)
    counts = Counts(*[zeros] * len(Counts._fields)) if isinstance(session.game, StatisticsGame) else None
    each = jnp.zeros((session.num_hands(table), len(players)), jnp.float32) if by_hand else None
    begin = jnp.zeros((), jnp.int32)
    return Running(table, rotation, memories, zeros, counts, begin, each, zeros if expected else None)


def advance(
    session: Session,
    players: Sequence[Player],
    running: Running,
    choice: Array,
    memories: Sequence[Any],
    shares: Array | None = None,
) -> Running:
    """After the ``choice`` of the player whose turn it is; ``memories`` is what each would remember if it were its own.

    All that a match counts is counted here. For ``running.expected`` it needs ``equity.all_in_shares`` ``[hands, 4]``
    of the session's deals.
    """
    game, table, num_players = session.game, running.table, len(players)
    decides, acting = session.to_decide(table), running.acting(num_players)
    seat_of = (jnp.arange(num_players, dtype=jnp.int32) + running.rotation) % num_players
    turn = session.act(table, choice)
    kept = []
    for p, (player, after, before) in enumerate(zip(players, memories, running.memories, strict=True)):
        memory = core.select(decides & (acting == p), after, before)
        kept.append(core.select(turn.ended, player.new_hand(memory), memory))
    counts = running.counts
    if isinstance(game, StatisticsGame):
        acted = game.count_action(table.hand, choice)
        mine = (jnp.arange(num_players) == acting) & decides
        ended = game.count_hand(turn.hand)
        counts = jax.tree.map(
            lambda old, a, h: old + jnp.where(mine, a, 0.0) + jnp.where(turn.ended, h[seat_of], 0.0),
            counts,
            acted,
            ended,
        )
    won = jnp.where(table.over, 0.0, turn.hand.rewards[seat_of])  # a game may pay before it ends
    each = None if running.by_hand is None else running.by_hand.at[table.hand_index].add(won)
    expected = running.expected
    if expected is not None:
        assert shares is not None
        fair = without_luck(turn.hand, shares[table.hand_index, table.hand.street])
        expected = expected + jnp.where(turn.ended, fair[seat_of], 0.0)
    return Running(
        turn.table,
        running.rotation,
        tuple(kept),
        running.winnings + won,
        counts,
        running.decisions + decides,
        each,
        expected,
    )


def without_luck(hand: Any, share: Array) -> Array:
    """``[2]`` big blinds: what both seats of an ended heads-up hand get when a showdown pays by ``share``, seat 0's
    expected part of the pot on the street of the last action.

    Its mean is that of the winnings, because the cards to come do not know who is all-in. Its variance is much smaller.
    """
    matched = hand.committed.min()
    gain = ((2 * share - 1) * matched / hand.big_blind).astype(jnp.float32)
    return jnp.where(hand.showdown, jnp.stack([gain, -gain]), hand.rewards)


def play(
    game: core.Game,
    players: Sequence[Player | Entrant],
    key: Array,
    params: Sequence[Any] | None = None,
    tables: int = 1024,
    hands_per_table: int = 8,
    duplicate: bool = True,
    stacks: Sequence[int] | None = None,
    win_samples: int = 0,
    mesh: jax.sharding.Mesh | None = None,
    luck: bool = True,
    values: aivat.Values | None = None,
) -> Result:
    """Plays ``tables`` × ``hands_per_table`` deals, each from every seat when ``duplicate``; stacks are reset.

    Without ``duplicate`` player p stays in seat p. In hold'em seat 0 has the button in the first hand of a table and
    it moves on from there. An entrant brings its parameters along; ``params`` are those of plain players. ``stacks``
    are what players start each hand with instead of the game's stack. Both are in the players' order. With
    ``win_samples`` the deals carry win probabilities (``WinProbabilityGame``) for players who want them. The devices of
    a ``mesh`` share the tables. Without ``luck`` a showdown pays both players what they could expect when the last
    chips went in (``without_luck``, two players of an ``AllInGame``): the same mean, a narrower interval. With
    ``values`` the result is estimated by AIVAT, too (``jaxpoker.aivat``): chance and the actions of players who tell
    what they drew from have terms, with the values of any value function.

    >>> import jax, jaxpoker
    >>> from jaxpoker import match, players
    >>> game = jaxpoker.make("holdem")
    >>> pair = [players.make("min-raise", game), players.make("check-fold", game)]
    >>> print(match.play(game, pair, jax.random.key(0), tables=2, hands_per_table=2))
    min-raise: +750.0 ± 0.0 mBB/hand
    check-fold: -750.0 ± 0.0 mBB/hand
    8 hands each
    """
    if len(players) != game.num_players:
        raise ValueError(f"{len(players)} players for {game.name} with {game.num_players} seats")
    if tables < 2 or hands_per_table < 1:
        raise ValueError(f"tables = {tables}, hands_per_table = {hands_per_table}: at least 2 tables with a hand each")
    entrants = _entrants(players, params)
    if stacks is not None:
        _require_stacks(game, stacks)
    if win_samples and not isinstance(game, WinProbabilityGame):
        raise ValueError(f"{game.name} has no win probabilities: it is no WinProbabilityGame, as hold'em is")
    if not luck and not (isinstance(game, AllInGame) and game.num_players == 2):
        raise ValueError(
            f"all-ins of {game.name} have no worth: luck is taken out of an AllInGame for two, as hold'em is"
        )
    devices.require_even(mesh, tables)
    if values is not None:
        aivat.require(game)
        if not luck:
            raise ValueError("luck=False with values: AIVAT takes the luck of all-ins out itself, leave luck=False out")
    rotations = game.num_players if duplicate else 1
    chips = None if stacks is None else jnp.asarray(stacks, jnp.int32)
    length = (tables, hands_per_table)
    bots, knowledge = tuple(one.player for one in entrants), [one.params for one in entrants]
    how, weights = (None, None) if values is None else (values._replace(params=None), values.params)
    positions = duplicate and game.num_players > 2 and isinstance(game, StackGame)
    played = _play(
        game, bots, knowledge, key, length, rotations, chips, win_samples, mesh, luck, how, positions, weights
    )
    winnings, counts, decisions, corrections, each_hand = played
    hands = tables * hands_per_table * rotations
    per_hand = np.asarray(winnings, np.float64).sum(axis=0) / (hands_per_table * rotations)  # [tables, players]
    profiles = None
    if counts is not None:
        totals = jax.tree.map(lambda x: np.asarray(x, np.float64).sum(axis=(0, 1)), counts)
        profiles = tuple(statistics.profile(Counts(*(value[i] for value in totals))) for i in range(len(players)))
    results = tuple(Estimate.of(1000 * per_hand[:, i]) for i in range(len(players)))
    # [rotations, tables]: in rotation r the first player has seat r.
    first = np.asarray(winnings, np.float64)[..., 0] / hands_per_table
    by_seat = tuple(Estimate.of(1000 * one_seat) for one_seat in first) if duplicate else ()
    names = tuple(bot.name for bot in bots)
    adjusted: tuple[Estimate, ...] = ()
    if corrections is not None:
        sign = np.where(np.arange(rotations)[:, None] == 0, 1, -1)  # in rotation 0 the first player has seat 0
        mine = (sign * np.asarray(corrections, np.float64)).sum(axis=0) / (hands_per_table * rotations)  # [tables]
        adjusted = tuple(Estimate.of(1000 * (per_hand[:, i] + own)) for i, own in enumerate((mine, -mine)))
    by_position = () if each_hand is None else _by_position(np.asarray(each_hand, np.float64))
    return Result(names, results, hands, int(np.asarray(decisions).sum()), profiles, by_seat, by_position, adjusted)


def _by_position(winnings: np.ndarray) -> tuple[tuple[Estimate, ...], ...]:
    """Per player, and seat from the button on, of winnings ``[rotations, tables, hands, players]``.

    The button is in seat 0 in a table's first hand and moves on by a seat with each.
    """
    rotations, _, hands, players = winnings.shape
    rotation, hand = np.arange(rotations)[:, None], np.arange(hands)
    found = []
    for player in range(players):
        position = (player + rotation - hand) % players  # [rotations, hands]
        own = winnings[..., player].transpose(0, 2, 1)  # [rotations, hands, tables]
        found.append(tuple(Estimate.of(1000 * own[position == at].mean(axis=0)) for at in range(players)))
    return tuple(found)


def _entrants(players: Sequence[Player | Entrant], params: Sequence[Any] | None) -> list[Entrant]:
    """All players with their parameters, which they bring along or which ``params`` has for them."""
    given = [None] * len(players) if params is None else params
    if len(given) != len(players):
        raise ValueError(f"params of {len(given)} players for {len(players)} players: give None to those without")
    entrants = []
    for one, own in zip(players, given, strict=True):
        if not isinstance(one, Entrant):
            one = Entrant(one, own)
        elif own is not None:
            raise ValueError(f"params for {one.player.name!r}, an entrant: it brings its own, give None for it")
        entrants.append(one)
    return entrants


def _require_stacks(game: core.Game, stacks: Sequence[int]) -> None:
    if not isinstance(game, StackGame):
        raise ValueError(f"{game.name} has no stacks to set: it is no StackGame, as hold'em is")
    if len(stacks) != game.num_players or not all(1 <= chips <= game.max_stack for chips in stacks):
        raise ValueError(f"stacks = {list(stacks)}: {game.num_players} players have 1 to {game.max_stack:,} chips each")


@functools.partial(jax.jit, static_argnums=(0, 1, 4, 5, 7, 8, 9, 10, 11))
def _play(
    game: core.Game,
    players: tuple[Player, ...],
    params: list[Any],
    key: Array,
    length: tuple[int, int],
    rotations: int,
    stacks: Array | None,
    win_samples: int,
    mesh: jax.sharding.Mesh | None,
    luck: bool,
    values: aivat.Values | None,
    by_hand: bool,
    weights: Any,
) -> tuple[Array, Any, Array, Array | None, Array | None]:
    """Winnings ``[rotations, tables, players]``, counts of the same shape, decisions ``[rotations, tables]``, AIVAT's
    corrections for seat 0 ``[rotations, tables]`` and winnings of each hand ``[rotations, tables, hands, players]``.

    ``length`` is the number of tables and of hands at each; ``weights`` are the params of ``values``.
    """
    tables, hands = length
    session = Session(game)
    num_players = game.num_players
    deal_key, play_key = jax.random.split(key)
    rotation = jnp.repeat(jnp.arange(rotations, dtype=jnp.int32), tables)  # [rotations * tables]
    deals = game.deal(deal_key, length)
    if win_samples and isinstance(game, WinProbabilityGame):
        deals = game.with_win_probabilities(deals, deal_key, win_samples)
    shares = game.all_in_shares(deals) if not luck and isinstance(game, AllInGame) else None  # [tables, hands, streets]
    known: Any = ()
    if values is not None:
        values = values._replace(params=weights)
        flat = jax.tree.map(lambda x: x.reshape(tables * hands, *x.shape[2:]), deals)
        prepared = values.prepare(weights, game, flat, jax.random.fold_in(deal_key, VALUES_STREAM))
        known = jax.tree.map(lambda x: x.reshape(tables, hands, *x.shape[1:]), prepared)
    deals, shares, known = jax.tree.map(lambda x: jnp.tile(x, (rotations, *[1] * (x.ndim - 1))), (deals, shares, known))

    def first(deals: Any, rotation: Array) -> SessionTable:
        # Stacks belong to players: in rotation r seat s is player (s - r) mod n.
        owned = None if stacks is None else jnp.roll(stacks, rotation)
        return session.start(deals, stacks=owned)

    def one_table(running: Running, key: Array, shares: Array | None, known: Any) -> Running:
        acting = running.acting(num_players)
        choice, memories = jnp.zeros((), jnp.int32), []
        for p, (player, own, memory) in enumerate(zip(players, params, running.memories, strict=True)):
            wanted, after = player.act(own, memory, game, running.table.hand, key)
            choice = jnp.where(acting == p, wanted, choice)
            memories.append(after)
        after_turn = advance(session, players, running, choice, memories, shares)
        if values is None or running.correction is None:
            return after_turn
        told = [
            None if player.mixture is None else player.mixture(own, memory, game, running.table.hand, choice)
            for player, own, memory in zip(players, params, memories, strict=True)
        ]
        correction = running.correction + aivat.of_turn(
            values, known, session, running.table, choice, aivat.of_actor(told, choice, acting)
        )
        return after_turn._replace(correction=correction)

    def everyone(loop: tuple[Running, Array]) -> tuple[Running, Array]:
        running, key = loop
        key, step_key = jax.random.split(key)
        return jax.vmap(one_table)(running, jax.random.split(step_key, rotations * tables), shares, known), key

    def seated(deals: Any, known: Any, rotation: Array) -> Running:
        running = sit_down(session, players, params, first(deals, rotation), rotation, by_hand, expected=not luck)
        if values is None:
            return running
        return running._replace(correction=aivat.of_deal(values, known, session, running.table))

    begin, shares, known = devices.spread(mesh, (jax.vmap(seated)(deals, known, rotation), shares, known))
    end, _ = jax.lax.while_loop(lambda loop: ~loop[0].table.over.all(), everyone, (begin, play_key))
    ends = (end.winnings if luck else end.expected, end.counts, end.decisions, end.correction, end.by_hand)
    return jax.tree.map(lambda x: x.reshape(rotations, tables, *x.shape[1:]), devices.everywhere(mesh, ends))
