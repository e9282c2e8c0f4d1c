"""Questions to the coach: one is answered at a time, the next ones wait in a short line, and who leaves is forgotten.

An answer takes a processor for half a second and more. So it has a thread of its own: nobody else on the page waits for
it. The line has ``MOST_WAITING`` places and a session one of them; who finds none is told at once, and who gets no turn
within ``MOST_SECONDS`` then.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from jaxpoker.app.duel import Refusal

Found = TypeVar("Found")
Wanted = Callable[[], bool]  # whether anybody still waits for the answer
Leaves = Callable[[], Coroutine[Any, Any, object]]  # done when the one who asked has gone

MOST_WAITING = 24
MOST_SECONDS = 60.0  # that anybody waits for a turn
NICENESS = 3


def _be_modest() -> None:
    """This thread lets the others of the page go first; Linux alone has priorities of threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class Coaching:
    """The line before one coach."""

    def __init__(self, most_waiting: int = MOST_WAITING, most_seconds: float = MOST_SECONDS) -> None:
        self.most_waiting, self.most_seconds = most_waiting, most_seconds
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="coach", initializer=_be_modest)
        self._lock = threading.Lock()
        self._line: set[str] = set()  # sessions that wait for an answer or get it

    async def answer(self, session: str, question: Callable[[Wanted], Found], leaves: Leaves) -> Found:
        """What ``question`` finds, asked when its turn comes; ``Refusal`` when the line is full.

        When ``leaves()`` is done first, the question gives up its place, or is told that nobody wants its answer.
        """
        self._join(session)
        left = threading.Event()
        waiting = self._thread.submit(question, lambda: not left.is_set())
        waiting.add_done_callback(lambda _: self._leave(session))
        answer = asyncio.wrap_future(waiting)
        leaving = asyncio.create_task(leaves())
        try:
            either = (answer, leaving)
            found, _ = await asyncio.wait(either, timeout=self.most_seconds, return_when=asyncio.FIRST_COMPLETED)
            if not found and waiting.cancel():  # its turn has not come
                raise Refusal(429, f"the coach had no time for {self.most_seconds:g} seconds: ask again in a moment")
            if not found:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise Refusal(499, "you have left")
            return answer.result()
        finally:
            left.set()
            waiting.cancel()
            answer.cancel()
            leaving.cancel()

    def _join(self, session: str) -> None:
        with self._lock:
            if session in self._line:
                raise Refusal(429, "the coach is still busy with your last question: wait for the answer")
            if len(self._line) >= self.most_waiting:
                raise Refusal(429, f"{self.most_waiting} questions wait for the coach: ask again in a moment")
            self._line.add(session)

    def _leave(self, session: str) -> None:
        with self._lock:
            self._line.discard(session)
