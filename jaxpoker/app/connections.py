"""How the page's server treats connections: who says nothing, or says it slowly, is not waited for.

A request's head has ``HEAD_SECONDS`` to come, from the connection on or from its first byte. Of connections that wait
for one, ``MOST_WAITING`` stay open: another one closes the oldest, so that nobody is locked out by a thousand silent
ones. Bodies have their time in ``guard``; between requests uvicorn waits for some seconds.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
MOST_WAITING = 256
MOST_HEAD = 16_384  # bytes

_LOG = logging.getLogger("uvicorn.error.page")  # what goes wrong here; not what clients do wrong
_LOG.setLevel(logging.ERROR)


def config(app: ASGIApp, head_seconds: float = HEAD_SECONDS, most_waiting: int = MOST_WAITING) -> uvicorn.Config:
    """Of a server of ``app``."""
    waiting: dict[_Impatient, None] = {}  # connections without a whole head, the oldest first

    class Protocol(_Impatient):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.set_patience(waiting, head_seconds, most_waiting)

    return uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEAD,
    )


class _Impatient(H11Protocol):
    """A connection that is closed when it keeps the server waiting."""

    def set_patience(self, waiting: dict[_Impatient, None], head_seconds: float, most_waiting: int) -> None:
        self.logger = _LOG
        self._waiting, self._head_seconds, self._most_waiting = waiting, head_seconds, most_waiting
        self._clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait_for_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._clock is not None or self.transport.is_closing():
            return
        self._clock = self.loop.call_later(self._head_seconds, self.transport.abort)
        self._waiting[self] = None
        if len(self._waiting) > self._most_waiting:
            next(iter(self._waiting)).give_up()

    def _stop_waiting(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        self._waiting.pop(self, None)

    def give_up(self) -> None:
        """Closes it: others wait, too."""
        self._stop_waiting()
        self.transport.abort()
