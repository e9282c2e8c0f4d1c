"""Who gets a table, and who loses one."""

from __future__ import annotations

import threading

import jax
import numpy as np
import pytest

from jaxpoker.app import views
from jaxpoker.app.duel import Refusal
from jaxpoker.app.room import Room


@pytest.fixture
def small(room, monkeypatch):
    """``small(**rules)``: a room with the opponents of ``room``, who are ready."""

    def make(**rules) -> Room:
        made = Room((room.opponents["blueprint"],), **rules)
        monkeypatch.setattr(made, "prepare", room.prepare)
        return made

    return make


@pytest.fixture
def clock(monkeypatch):
    """``clock(seconds)`` lets time pass."""
    now = [1_000.0]
    monkeypatch.setattr("jaxpoker.app.room.time.monotonic", lambda: now[0])

    def passes(seconds: float) -> None:
        now[0] += seconds

    return passes


def play(room: Room, session: str) -> None:
    duel = room.duel(session)
    duel.act(1, int(duel.look.turn), 1)


def test_one_client_does_not_lock_out_the_others(small):
    room = small(tables=8, tables_per_client=3)
    for _ in range(3):
        room.sit_down("blueprint", "greedy")
    with pytest.raises(Refusal, match="you sit at 3 tables: leave one of them first") as refusal:
        room.sit_down("blueprint", "greedy")
    assert refusal.value.status == 429
    for client in "abcde":
        assert room.duel(room.sit_down("blueprint", client)).hand == 1
    with pytest.raises(Refusal, match="all 8 tables are taken"):
        room.sit_down("blueprint", "f")


def test_a_table_where_nobody_has_acted_is_free_after_a_minute_and_others_after_half_an_hour(small, clock):
    room = small(tables=2)
    played, idle = room.sit_down("blueprint", "a"), room.sit_down("blueprint", "b")
    play(room, played)
    clock(50)
    room.duel(idle)  # to look is not to play
    with pytest.raises(Refusal):
        room.sit_down("blueprint", "c")
    clock(11)
    third = room.sit_down("blueprint", "c")
    assert room.duel(played)
    with pytest.raises(Refusal, match="left alone too long"):
        room.duel(idle)
    play(room, third)
    clock(1_790)
    with pytest.raises(Refusal):
        room.sit_down("blueprint", "d")
    clock(11)
    room.sit_down("blueprint", "d")


def test_places_are_kept_while_an_opponent_is_made_ready(small, monkeypatch, room):
    one = small(tables=2, tables_per_client=2)
    going_on = threading.Event()

    def slowly(name):
        going_on.wait()
        return room.prepare(name)

    monkeypatch.setattr(one, "prepare", slowly)
    sitting = [threading.Thread(target=one.sit_down, args=("blueprint", "a")) for _ in range(2)]
    for each in sitting:
        each.start()
    while sum(one._coming.values()) < 2:
        pass
    with pytest.raises(Refusal):
        one.sit_down("blueprint", "b")
    going_on.set()
    for each in sitting:
        each.join()
    assert len(one._tables) == 2 and not one._coming


def test_who_leaves_twice_at_once_has_left_once(small):
    """Twelve at a time leave the same table; one of them has, and the others are told so."""
    room = small(tables=64, tables_per_client=64)
    found: list[str] = []

    def leave(session: str, start: threading.Barrier) -> None:
        start.wait()
        try:
            room.leave(session)
            found.append("left")
        except Refusal as refusal:
            found.append(str(refusal.status))

    for _ in range(25):
        session, start = room.sit_down("blueprint"), threading.Barrier(12)
        leaving = [threading.Thread(target=leave, args=(session, start)) for _ in range(12)]
        for each in leaving:
            each.start()
        for each in leaving:
            each.join()
    assert sorted(found) == ["401"] * 11 * 25 + ["left"] * 25


def test_once_an_opponent_is_ready_nothing_compiles_any_more(room, any_action, caplog):
    """A table that compiles in the middle of a hand keeps everybody waiting for seconds."""
    duel, rng = room.duel(room.sit_down("blueprint")), np.random.default_rng(2)
    with jax.log_compiles(), caplog.at_level("WARNING"):
        for hand in range(1, 16):
            while not duel.over:
                duel.act(hand, int(duel.look.turn), any_action(duel, rng))
            views.table(duel)
            duel.next_hand(hand)
        session = room.sit_down("blueprint")
        room.advise(session, 1, int(room.duel(session).look.turn), closer=True)
        room.leave(session)
    compiled = [record.getMessage()[:80] for record in caplog.records if "Compiling" in record.getMessage()]
    assert not compiled
