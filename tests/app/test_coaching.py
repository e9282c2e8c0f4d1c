"""The line before the coach: bounded, one at a time, and nobody in it who has left."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jaxpoker.app.coaching import Coaching
from jaxpoker.app.duel import Refusal


async def never() -> None:
    await asyncio.Event().wait()


def test_questions_are_answered_one_after_the_other_and_the_line_is_bounded():
    coaching, going_on, at_once, most = Coaching(most_waiting=3), threading.Event(), [0], [0]

    def question(wanted):
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        going_on.wait()
        at_once[0] -= 1
        return "advice"

    async def ask() -> list[object]:
        asked = [asyncio.ensure_future(coaching.answer(str(i), question, never)) for i in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="3 questions wait for the coach") as full:
            await coaching.answer("late", question, never)
        with pytest.raises(Refusal, match="busy with your last question"):
            await coaching.answer("0", question, never)
        assert full.value.status == 429
        going_on.set()
        return await asyncio.gather(*asked)

    assert asyncio.run(ask()) == ["advice"] * 3
    assert most == [1] and not coaching._line


def test_who_leaves_gives_up_the_place_and_stops_the_coach():
    coaching, begun, noticed, answered = Coaching(), threading.Event(), threading.Event(), []

    def long(wanted):
        begun.set()
        while wanted():
            pass
        noticed.set()

    def short(wanted):
        answered.append("short")
        return "advice"

    async def ask() -> None:
        leave_first, leave_second = asyncio.Event(), asyncio.Event()
        first = asyncio.ensure_future(coaching.answer("a", long, leave_first.wait))
        second = asyncio.ensure_future(coaching.answer("b", short, leave_second.wait))
        third = asyncio.ensure_future(coaching.answer("c", short, never))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        leave_second.set()
        with pytest.raises(Refusal):
            await second
        leave_first.set()
        with pytest.raises(Refusal):
            await first
        assert await third == "advice"

    asyncio.run(ask())
    assert noticed.is_set() and answered == ["short"]  # the second one was never asked


def test_an_error_of_the_coach_is_the_askers():
    def broken(wanted):
        raise Refusal(409, "hand 1 is over")

    coaching = Coaching()
    with pytest.raises(Refusal, match="hand 1 is over"):
        asyncio.run(coaching.answer("a", broken, never))
    assert not coaching._line


def test_who_gets_no_turn_in_time_is_told_so():
    coaching, begun, going_on = Coaching(most_seconds=0.1), threading.Event(), threading.Event()

    def long(wanted):
        begun.set()
        going_on.wait()
        return "advice"

    async def ask() -> None:
        first = asyncio.ensure_future(coaching.answer("a", long, never))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        with pytest.raises(Refusal, match="had no time for 0\\.1 seconds") as late:
            await coaching.answer("b", lambda wanted: "advice", never)
        assert late.value.status == 429
        going_on.set()
        assert await first == "advice"  # whose turn has come is waited for

    asyncio.run(ask())
