"""Push/fold for two to six seats as a solver sees it: the contract of ``solvers/sweep.py``.

Each seat acts once. A history is which of the seats before are in, bit s for seat s; an information set of a seat is a
history and one of the 169 classes of hands. An end is which of all seats are in. With R the chance that the others act
as an end says, and u what a seat wins there,

    value of being in = sum over ends e with that history of R(e) u(e).

A seat counts the cards of its own hand against the hands of each other seat, folded or not, and not those that two
others take from each other (all-ins of four and more are real deals, which count them all). Between two all of it is
exact. Seats that have folded win no chips any more, but with prizes it matters to them who wins: there, their own cards
are not counted.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import equity, ranges
from jaxpoker.solvers.push_fold import pool as pools
from jaxpoker.solvers.push_fold import three_way
from jaxpoker.solvers.push_fold.stakes import Stakes
from jaxpoker.solvers.sweep import Others, Response, Swept

Array = jax.Array
Strategies = tuple[Array, ...]  # per seat [2, histories * 169]

FOLD, IN = 0, 1
CLASSES = ranges.NUM_CLASSES
SHARE = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS  # [169]
DEALS = 60_000


class End(NamedTuple):
    """Which seats are in, and what that comes to."""

    players: int  # bits
    seats: tuple[int, ...]  # those that are in
    # What each seat wins, where one or two are in: [seats] or [seats, 169, 169], the lower seat's hand first; else [0].
    won: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class JamGame:
    """See the module's docstring; ``make`` makes one."""

    stakes: Stakes
    ends: tuple[End, ...]
    given: np.ndarray  # [169, 169] float32: how likely the other's class is, given the own one
    three: three_way.ThreeWay | None
    of_orders: dict[tuple[int, int], np.ndarray]  # by end and seat that is in [6]: what it wins by ``three_way.ORDERS``
    pool: pools.Pool | None  # for ends of four and more, and for seats that have folded where three are in
    pooled: dict[int, np.ndarray]  # by end [D, seats] float32: what each seat wins
    name: str = "push/fold"

    @property
    def num_seats(self) -> int:
        return self.stakes.num_seats

    @property
    def num_actions(self) -> int:
        return 2

    @property
    def num_rows(self) -> int:
        return ((1 << self.num_seats) - 1) * CLASSES

    @property
    def game(self) -> JamGame:
        """What errors name."""
        return self

    def first_row(self, seat: int) -> int:
        """The first row of a seat in a strategy table: histories in order, and in each the classes of hands."""
        return ((1 << seat) - 1) * CLASSES

    def row_text(self, row: int) -> str:
        """``"AKs | BTN after UTG in"``."""
        history, number = divmod(row, CLASSES)
        seat = (history + 1).bit_length() - 1
        return f"{ranges.CLASS_NAMES[number]} | {self.history_text(seat, history + 1 - (1 << seat))}"

    def history_text(self, seat: int, before: int) -> str:
        names = self.stakes.names
        came = [names[s] for s in range(seat) if before >> s & 1]
        return f"{names[seat]} after {' and '.join(came)} in" if came else f"{names[seat]} after folds"

    def require_two_players(self, what: str) -> None:
        if self.num_seats != 2:
            raise ValueError(f"{what} is for two players, not for push/fold with {self.num_seats}")

    # --- strategies -----------------------------------------------------------------------------

    def legal(self, player: int) -> np.ndarray:
        """``[2, slots]`` bool."""
        may_fold = np.array([self.stakes.may_fold(player, before) for before in range(1 << player)])
        return np.stack([np.repeat(may_fold, CLASSES), np.ones(CLASSES << player, bool)])

    def legal_rows(self) -> np.ndarray:
        return np.concatenate([self.legal(seat) for seat in range(self.num_seats)], axis=1).T

    def uniform(self) -> np.ndarray:
        legal = self.legal_rows().astype(np.float32)
        even: np.ndarray = legal / legal.sum(axis=1, keepdims=True)
        return even

    def part(self, player: int, table: Array) -> Array:
        first = self.first_row(player)
        return table[first : first + (CLASSES << player)].T

    def table(self, strategies: Strategies) -> Array:
        return jnp.concatenate(strategies, axis=1).T

    # --- the contract of solvers/sweep.py -------------------------------------------------------

    def values(self, player: int, dealt: None, own: Array, other: Others) -> Swept:
        found = self._action_values(player, self._everybody(player, own, other))
        return Swept((found * own).sum(), found)

    def own_reach(self, player: int, dealt: None, own: Array) -> Array:
        """``[slots]``: 1, a seat has not acted before."""
        return jnp.ones(own.shape[1], own.dtype)

    def respond(self, player: int, dealt: None, other: Others) -> Response:
        legal = self.legal(player)
        found = self._action_values(player, self._everybody(player, jnp.asarray(legal, jnp.float32), other))
        best = jnp.argmax(jnp.where(legal, found, -jnp.inf), axis=0)
        strategy = (best == np.arange(2)[:, None]).astype(found.dtype)
        return Response((found * strategy).sum(), strategy)

    def _everybody(self, player: int, own: Array, other: Others) -> Strategies:
        if isinstance(other, jax.Array):
            return (own, other) if player == 0 else (other, own)
        return tuple(own if seat == player else part for seat, part in enumerate(other))

    def _action_values(self, player: int, strategies: Strategies) -> Array:
        """``[2, slots]``: counterfactual values of folding and of being in, by history and class."""
        dtype, histories = strategies[0].dtype, np.arange(1 << player)
        share, given = jnp.asarray(SHARE, dtype), jnp.asarray(self.given, dtype)
        acts = [s.reshape(-1, CLASSES) for s in strategies]  # by seat [2 * histories, 169]
        seen = [each @ given.T for each in acts]  # how likely, to own class i

        ends = [end for end in self.ends if end.players >> player & 1]
        won = self._won(player, ends, acts, seen)  # [e, 169]
        before = np.array([end.players & ((1 << player) - 1) for end in ends])
        stays = jnp.asarray(before == histories[:, None], dtype) @ won * share  # [histories, 169]

        came = jnp.ones((len(histories), CLASSES), dtype)  # by own class, how likely the seats before act so
        for seat in range(player):
            came = came * seen[seat][_rows(seat, histories)]
        folds = came * share * self._won_without(player, acts, share)[:, None]
        return jnp.stack([folds.reshape(-1), stays.reshape(-1)])

    def _won(self, player: int, ends: list[End], acts: list[Array], seen: list[Array]) -> Array:
        """``[e, 169]``: what ``ends`` bring to ``player``, who is in, times how likely the others get there."""
        n, dtype = self.num_seats, acts[0].dtype
        given = jnp.asarray(self.given, dtype)
        players = np.array([end.players for end in ends])
        size = np.array([len(end.seats) for end in ends])
        folded = jnp.ones((len(ends), CLASSES), dtype)
        for seat in range(n):
            out = (players >> seat & 1 == 0) & (size < 4)
            folded = folded * jnp.where(out[:, None], seen[seat][_rows(seat, players)], 1)
        won = jnp.zeros((len(ends), CLASSES), dtype)
        for at in np.flatnonzero(size == 1):
            won = won.at[at].set(float(ends[at].won[player]))
        if (two := np.flatnonzero(size == 2)).size:
            each = [(end, next(seat for seat in end.seats if seat != player)) for end in (ends[at] for at in two)]
            matrices = np.stack([end.won[player] if player < other else end.won[player].T for end, other in each])
            theirs = jnp.stack([acts[other][_rows(other, end.players)] for end, other in each])
            chances = jnp.asarray(self.given * matrices, dtype)
            won = won.at[two].set(jnp.einsum("eij,ej->ei", chances, theirs))
        if (three := np.flatnonzero(size == 3)).size:
            assert self.three is not None
            others = [(ends[at], [seat for seat in ends[at].seats if seat != player]) for at in three]
            one, other = (
                given * jnp.stack([acts[pair[at]][_rows(pair[at], end.players)] for end, pair in others])[:, None]
                for at in range(2)
            )
            worth = np.stack([self.of_orders[end.players, player] for end, _ in others])
            won = won.at[three].set(three_way.expected(self.three, one, other, worth))
        if (more := np.flatnonzero(size > 3)).size:
            assert self.pool is not None
            own = self.pool.classes[player]
            counts = np.maximum(np.bincount(own, minlength=CLASSES), 1)
            chosen = [ends[at] for at in more]
            likely = self._likely(player, chosen, acts) * self._pooled(player, chosen)
            sums = jnp.zeros((CLASSES, len(more)), dtype).at[jnp.asarray(own)].add(likely.T)
            won = won.at[more].set(sums.T / counts.astype(np.float32))
        return won * folded

    def _won_without(self, player: int, acts: list[Array], share: Array) -> Array:
        """``[histories]``: what ``player`` wins when it folds after each history; it does not look at its cards."""
        dtype, histories = acts[0].dtype, np.arange(1 << player)
        if not self.stakes.payouts:
            return jnp.full(len(histories), -self.stakes.posted[player], dtype)
        ends = [end for end in self.ends if not end.players >> player & 1]
        players, size = np.array([end.players for end in ends]), np.array([len(end.seats) for end in ends])
        reached = jnp.ones(len(ends), dtype)
        for seat in range(self.num_seats):
            if seat != player:
                reached = reached * (acts[seat] @ share)[_rows(seat, players)]
        worth = jnp.asarray([float(end.won[player]) if len(end.seats) == 1 else 0.0 for end in ends], dtype)
        if (two := np.flatnonzero(size == 2)).size:
            one, other = (
                jnp.stack([acts[ends[at].seats[w]][_rows(ends[at].seats[w], ends[at].players)] for at in two])
                for w in range(2)
            )
            prior = self.given * SHARE[:, None]
            pays = jnp.asarray(prior * np.stack([ends[at].won[player] for at in two]), dtype)
            total = ((one @ jnp.asarray(prior, dtype)) * other).sum(axis=1)
            paid = (jnp.einsum("ei,eij->ej", one, pays) * other).sum(axis=1)
            worth = worth.at[two].set(paid / jnp.where(total > 0, total, 1))
        if (more := np.flatnonzero(size > 2)).size:
            chosen = [ends[at] for at in more]
            likely = self._likely(player, chosen, acts)
            total, paid = likely.sum(axis=1), (likely * self._pooled(player, chosen)).sum(axis=1)
            worth = worth.at[more].set(paid / jnp.where(total > 0, total, 1))
        of_history = jnp.asarray((players & ((1 << player) - 1)) == histories[:, None], dtype)
        total = of_history @ reached
        return of_history @ (reached * worth) / jnp.where(total > 0, total, 1)

    def _likely(self, player: int, ends: list[End], acts: list[Array]) -> Array:
        """``[e, D]``: how likely all seats but ``player`` act as ``ends`` say, with the hands of the pool's deals."""
        assert self.pool is not None
        players = np.array([end.players for end in ends])
        others = [seat for seat in range(self.num_seats) if seat != player]
        each = [acts[seat][_rows(seat, players)][:, jnp.asarray(self.pool.classes[seat])] for seat in others]
        return functools.reduce(jnp.multiply, each)

    def _pooled(self, player: int, ends: list[End]) -> Array:
        """``[e, D]``: what ``player`` wins at ``ends`` in the pool's deals."""
        return jnp.asarray(np.stack([self.pooled[end.players][:, player] for end in ends]))


def _rows(seat: int, players: int | np.ndarray) -> Any:
    """The row of ``[2 * histories, 169]`` that has what ``seat`` does on the way to the ends where ``players`` (bits)
    are in.
    """
    before = players & ((1 << seat) - 1)
    return (players >> seat & 1) * (1 << seat) + before


def make(
    stacks: tuple[float, ...],
    small_blind: float = 0.5,
    ante: float = 0.0,
    payouts: tuple[float, ...] = (),
    seed: int = 0,
    boards: int = three_way.BOARDS,
    deals: int = DEALS,
) -> JamGame:
    """Push/fold with stacks in big blinds, in the order in which the seats act; ``seed`` is of what is sampled."""
    stakes = Stakes(tuple(map(float, stacks)), small_blind, ante, tuple(map(float, payouts)))
    n, counts = stakes.num_seats, equity.matchups()
    given = (counts.combos / counts.combos.sum(axis=1, keepdims=True)).astype(np.float64)
    known = three_way.sampled(seed, boards) if n > 2 else None
    pool = pools.dealt(n, deals, seed) if n > 3 else None
    ends, of_orders = [], {}
    several: list[int] = []  # players of the ends that need the pool
    for players in range(1, 1 << n):
        seats = tuple(seat for seat in range(n) if players >> seat & 1)
        if any(not players >> seat & 1 and not stakes.may_fold(seat, players & ((1 << seat) - 1)) for seat in range(n)):
            continue
        won = np.zeros(0)
        if len(seats) == 1:
            won = _finish(stakes, players, seats, [(0,)])[0]
        elif len(seats) == 2:
            of_order = _finish(stakes, players, seats, [(1, 0), (0, 0), (0, 1)])  # [3, seats]
            chances = np.stack([counts.win, counts.tie, counts.lose]) / (counts.win + counts.tie + counts.lose)
            won = np.tensordot(of_order.T, chances, axes=1)  # [seats, 169, 169]
        elif len(seats) == 3:
            for seat in seats:
                one, two = (other for other in seats if other != seat)
                orders = [dict(zip((seat, one, two), places, strict=True)) for places in three_way.ORDERS]
                of_order = _finish(stakes, players, seats, [tuple(order[s] for s in seats) for order in orders])
                of_orders[players, seat] = of_order[:, seat]
        if len(seats) > 3 or (len(seats) == 3 and stakes.payouts and n > 3):
            several.append(players)
        ends.append(End(players, seats, won))
    pooled: dict[int, np.ndarray] = {}
    if several:
        assert pool is not None
        chips = np.concatenate([stakes.after(players, pool.strengths) for players in several])
        each = np.split(stakes.worth(chips).astype(np.float32), len(several))
        pooled = dict(zip(several, each, strict=True))
    return JamGame(stakes, tuple(ends), given, known, of_orders, pool, pooled)


def _finish(stakes: Stakes, players: int, seats: tuple[int, ...], orders: list[tuple[int, ...]]) -> np.ndarray:
    """``[orders, all seats]``: what each seat wins when those that are in finish in each of the ``orders``."""
    strengths = np.zeros((len(orders), stakes.num_seats), np.int64)
    strengths[:, list(seats)] = orders
    return stakes.worth(stakes.after(players, strengths))
