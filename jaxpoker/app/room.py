"""The room with its tables: opponents made ready when somebody asks for them, and sessions, bounded in number.

A session has a name that nobody can guess. When all tables are taken, one that was left alone for ``IDLE_SECONDS``
makes room for a new one; if there is none, whoever comes is turned away, and nobody at a table loses a game.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxpoker.app import strategy_view
from jaxpoker.app.dealer import HERO, Dealer
from jaxpoker.app.duel import Duel, Refusal
from jaxpoker.app.opponents import SHIPPED, Opponent
from jaxpoker.coach import ROLLOUTS, Advice, Coach
from jaxpoker.games.holdem import Holdem

GAME = Holdem(menu="nine", stack=1000, small_blind=5, big_blind=10)  # 100 big blinds
TABLES = 64
IDLE_SECONDS = 1_800.0
LOOK_CLOSER = 8  # batches of rollouts when somebody wants to know better


class Ready(NamedTuple):
    """An opponent with everything compiled."""

    opponent: Opponent
    dealer: Dealer
    coach: Coach


class _Table(NamedTuple):
    duel: Duel
    ready: Ready


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
    ) -> None:
        """``seed`` makes the same cards every time, at every table."""
        if seed is not None and not 0 <= seed < 2**32:
            raise ValueError(f"seed {seed}: the cards have seeds from 0 to {2**32 - 1:,}")
        self.game, self.tables, self.idle_seconds, self.num_rollouts = game, tables, idle_seconds, num_rollouts
        self.opponents = {opponent.name: opponent for opponent in opponents}
        self._lock, self._coaching = threading.Lock(), threading.Lock()
        self._preparing = {name: threading.Lock() for name in self.opponents}
        self._ready: dict[str, Ready] = {}
        self._tables: dict[str, _Table] = {}
        self._used: dict[str, float] = {}
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

    def sit_down(self, opponent: str) -> str:
        """A new session against ``opponent``; its name."""
        if opponent not in self.opponents:
            raise Refusal(422, f"unknown opponent {opponent!r}: there are {', '.join(self.opponents)}")
        self._require_place()
        ready = self.prepare(opponent)
        words = [secrets.randbits(32), secrets.randbits(32)] if self._seed is None else [0, self._seed]
        key = jax.random.wrap_key_data(jnp.asarray(words, jnp.uint32))
        duel = Duel(ready.dealer, key, ("You", ready.opponent.title))
        session = secrets.token_urlsafe(32)
        with self._lock:
            self._make_place()
            self._tables[session], self._used[session] = _Table(duel, ready), time.monotonic()
        return session

    def _require_place(self) -> None:
        with self._lock:
            self._make_place()

    def _make_place(self) -> None:
        """Frees a table that was left alone when all are taken."""
        if len(self._tables) < self.tables:
            return
        oldest = min(self._used, key=lambda session: self._used[session])
        if time.monotonic() - self._used[oldest] < self.idle_seconds:
            raise Refusal(429, f"all {self.tables} tables are taken: leave one, or come back later")
        self._forget(oldest)

    def _forget(self, session: str) -> None:
        del self._tables[session], self._used[session]

    def _at(self, session: str) -> _Table:
        with self._lock:
            if session not in self._tables:
                raise Refusal(401, "no such session: it may have been left alone too long; sit down at a new table")
            self._used[session] = time.monotonic()
            return self._tables[session]

    def duel(self, session: str) -> Duel:
        return self._at(session).duel

    def leave(self, session: str) -> None:
        """The session is over, and its table free."""
        self._at(session)
        with self._lock:
            self._forget(session)

    # --- the coach ----------------------------------------------------------------------------

    def advise(self, session: str, hand: int, turn: int, closer: bool = False) -> Advice:
        """On the decision that the person has to make now."""
        duel, ready = self._at(session)
        with duel.lock:
            duel.require_turn(hand, turn)
            state = duel.state
        key = jax.random.key(hand * 1_000 + turn)
        with self._coaching:  # one at a time: two cores are busy with one
            return ready.coach.advise(state, HERO, key, batches=LOOK_CLOSER if closer else 1)

    def review(self, session: str, hand: int, number: int) -> Advice:
        """On decision ``number``, from 0 on, of a hand that is over, with what the action taken has lost."""
        duel, ready = self._at(session)
        with duel.lock:
            duel.require_hand(hand)
            if not duel.over:
                raise Refusal(409, f"hand {hand} is not over: ask the coach, or play on")
            if not 0 <= number < len(duel.decisions):
                raise Refusal(422, f"decision {number}: you had {len(duel.decisions)} in hand {hand}, from 0 on")
            state, action = duel.decisions[number]
        with self._coaching:
            return ready.coach.advise(state, HERO, jax.random.key(hand * 1_000 + number), taken=action)
