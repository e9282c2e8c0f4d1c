"""The room with its tables: opponents made ready when somebody asks for them, and sessions, bounded in number.

A session has a name that nobody can guess. When all tables are taken, one that was left alone for ``IDLE_SECONDS``
makes room for a new one, or one at which nobody has acted within ``UNPLAYED_SECONDS``; if there is none, whoever comes
is turned away, and nobody at a table loses a game. One client, an address, sits at ``TABLES_PER_CLIENT`` at most.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.app import strategy_view
from jaxpoker.app.dealer import HERO, Dealer
from jaxpoker.app.duel import Duel, Refusal
from jaxpoker.app.opponents import SHIPPED, Opponent
from jaxpoker.coach import ROLLOUTS, Advice, Coach
from jaxpoker.games.holdem import Holdem

GAME = Holdem(menu="nine", stack=1000, small_blind=5, big_blind=10)  # 100 big blinds
TABLES = 64
TABLES_PER_CLIENT = 16
IDLE_SECONDS = 1_800.0
UNPLAYED_SECONDS = 60.0
LOOK_CLOSER = 8  # batches of rollouts when somebody wants to know better


class Ready(NamedTuple):
    """An opponent with everything compiled."""

    opponent: Opponent
    dealer: Dealer
    coach: Coach


@dataclasses.dataclass(eq=False)
class _Table:
    duel: Duel
    ready: Ready
    client: str
    since: float  # when somebody sat down
    used: float  # when somebody last asked for it


def _always() -> bool:
    return True


class Room:
    """All tables of a server."""

    def __init__(
        self,
        opponents: tuple[Opponent, ...] = SHIPPED,
        game: Holdem = GAME,
        tables: int = TABLES,
        idle_seconds: float = IDLE_SECONDS,
        num_rollouts: int = ROLLOUTS,
        seed: int | None = None,
        tables_per_client: int = TABLES_PER_CLIENT,
        unplayed_seconds: float = UNPLAYED_SECONDS,
    ) -> None:
        """``seed`` makes the same cards every time, at every table."""
        if seed is not None and not 0 <= seed < 2**32:
            raise ValueError(f"seed {seed}: the cards have seeds from 0 to {2**32 - 1:,}")
        self.game, self.tables, self.num_rollouts = game, tables, num_rollouts
        self.tables_per_client, self.idle_seconds, self.unplayed_seconds = (
            tables_per_client,
            idle_seconds,
            unplayed_seconds,
        )
        self.opponents = {opponent.name: opponent for opponent in opponents}
        self._lock, self._coaching = threading.Lock(), threading.Lock()
        self._preparing = {name: threading.Lock() for name in self.opponents}
        self._ready: dict[str, Ready] = {}
        self._tables: dict[str, _Table] = {}
        self._coming: collections.Counter[str] = collections.Counter()  # clients whose opponent is made ready
        self._seed = seed

    # --- opponents ----------------------------------------------------------------------------

    def prepare(self, name: str, say: Callable[[str], None] = lambda _: None) -> Ready:
        """The opponent, compiled; ``say`` is told what is being done. A second one who asks waits for the first."""
        if name not in self.opponents:
            raise Refusal(422, f"unknown opponent {name!r}: there are {', '.join(self.opponents)}")
        with self._preparing[name]:
            if name not in self._ready:
                opponent = self.opponents[name]
                say(f"{opponent.title}: loading")
                model = opponent.model(self.game)
                dealer = Dealer(self.game, model)
                coach = Coach(self.game, villain=model, num_rollouts=self.num_rollouts)
                say(f"{opponent.title}: compiling the table")
                dealer.warm_up()
                strategy_view.grid(Duel(dealer, jax.random.key(0)))
                say(f"{opponent.title}: compiling the coach")
                coach.warm_up()
                self._ready[name] = Ready(opponent, dealer, coach)
        return self._ready[name]

    def is_ready(self, name: str) -> bool:
        return name in self._ready

    # --- sessions -----------------------------------------------------------------------------

    def sit_down(self, opponent: str, client: str = "") -> str:
        """A new session of ``client`` against ``opponent``; its name."""
        if opponent not in self.opponents:
            raise Refusal(422, f"unknown opponent {opponent!r}: there are {', '.join(self.opponents)}")
        with self._coming_in(client):
            return self._seated(self.prepare(opponent), client)

    def _seated(self, ready: Ready, client: str) -> str:
        words = [secrets.randbits(32), secrets.randbits(32)] if self._seed is None else [0, self._seed]
        key = jax.random.wrap_key_data(jnp.asarray(np.array(words, np.uint32)))
        duel = Duel(ready.dealer, key, ("You", ready.opponent.title))
        session = secrets.token_urlsafe(32)
        now = time.monotonic()
        with self._lock:
            self._tables[session] = _Table(duel, ready, client, now, now)
        return session

    @contextlib.contextmanager
    def _coming_in(self, client: str) -> Iterator[None]:
        """A place is kept for ``client``; ``Refusal`` where there is none."""
        with self._lock:
            own = {session: table for session, table in self._tables.items() if table.client == client}
            if len(own) + self._coming[client] >= self.tables_per_client:
                self._free_one(own, f"you sit at {self.tables_per_client} tables: leave one of them first")
            if len(self._tables) + self._coming.total() >= self.tables:
                self._free_one(self._tables, f"all {self.tables} tables are taken: leave one, or come back later")
            self._coming[client] += 1
        try:
            yield
        finally:
            with self._lock:
                self._coming[client] -= 1
                self._coming += collections.Counter()  # forgets those who have come

    def _free_one(self, among: Mapping[str, _Table], if_none: str) -> None:
        """Takes away the table that was left alone for longest."""
        now = time.monotonic()

        def overdue(table: _Table) -> float:
            if not table.duel.played:
                return max(now - table.since - self.unplayed_seconds, now - table.used - self.idle_seconds)
            return now - table.used - self.idle_seconds

        oldest = max(among, key=lambda session: overdue(among[session]), default=None)
        if oldest is None or overdue(among[oldest]) < 0:
            raise Refusal(429, if_none)
        del self._tables[oldest]

    def _at(self, session: str) -> _Table:
        with self._lock:
            table = self._tables.get(session)
            if table is None:
                raise _no_session()
            table.used = time.monotonic()
            return table

    def duel(self, session: str) -> Duel:
        return self._at(session).duel

    def leave(self, session: str) -> None:
        """The session is over, and its table free."""
        with self._lock:
            if self._tables.pop(session, None) is None:
                raise _no_session()

    # --- the coach ----------------------------------------------------------------------------

    def advise(
        self, session: str, hand: int, turn: int, closer: bool = False, wanted: Callable[[], bool] = _always
    ) -> Advice:
        """On the decision that the person has to make now; ``coach.Unwanted`` once nobody waits for it."""
        table = self._at(session)
        duel = table.duel
        with duel.lock:
            duel.require_turn(hand, turn)
            state = duel.state
        key = jax.random.key(hand * 1_000 + turn)
        with self._coaching:  # one at a time: two cores are busy with one
            batches = LOOK_CLOSER if closer else 1
            return table.ready.coach.advise(state, HERO, key, batches=batches, wanted=wanted)

    def review(self, session: str, hand: int, number: int, wanted: Callable[[], bool] = _always) -> Advice:
        """On decision ``number``, from 0 on, of a hand that is over, with what the action taken has lost."""
        table = self._at(session)
        duel = table.duel
        with duel.lock:
            duel.require_hand(hand)
            if not duel.over:
                raise Refusal(409, f"hand {hand} is not over: ask the coach, or play on")
            if not 0 <= number < len(duel.decisions):
                raise Refusal(422, f"decision {number}: you had {len(duel.decisions)} in hand {hand}, from 0 on")
            state, action = duel.decisions[number]
        with self._coaching:
            key = jax.random.key(hand * 1_000 + number)
            return table.ready.coach.advise(state, HERO, key, taken=action, wanted=wanted)


def _no_session() -> Refusal:
    return Refusal(401, "no such session: it may have been left alone too long; sit down at a new table")
