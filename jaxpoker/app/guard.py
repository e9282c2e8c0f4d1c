"""What is let in: requests from the page itself, small, and in JSON.

The server is for one person on one machine. Another page in the same browser must not play, read or guess at it:

- ``Host`` must be a name of this server, or somebody pointed a name of theirs at this machine (DNS rebinding): 421.
- ``Origin``, and ``Sec-Fetch-Site``, where a browser sends them, must be this page: 403.
- A request that changes something is JSON by its content type, which no form of another page can send: 415.
- Bodies have a few kilobytes at most, whatever their headers say: 413. They have some seconds to come: 408.

Answers say that nothing may be embedded, guessed or loaded from elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 4_096
BODY_SECONDS = 10.0
CHANGES = ("POST", "PUT", "PATCH", "DELETE")
SAFE = ("GET", "HEAD")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class _TooLarge(Exception):
    pass


class _TooSlow(Exception):
    pass


class Guard:
    """The layer before all routes of the app."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], body_seconds: float = BODY_SECONDS) -> None:
        """``hosts`` are the values of ``Host`` that are this server, with ports: "127.0.0.1:8765"."""
        self.app, self.body_seconds = app, body_seconds
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here
        refused = self._refusal(scope["method"], Headers(scope=scope))
        received, more = 0, True
        latest = asyncio.get_running_loop().time() + self.body_seconds

        async def bounded() -> Message:
            nonlocal received, more
            if not more:  # that the client leaves is all that can come: whoever asks waits for that
                return await receive()
            try:
                async with asyncio.timeout_at(latest):
                    message = await receive()
            except TimeoutError:
                raise _TooSlow from None
            more = message.get("more_body", False)
            received += len(message.get("body", b""))
            if received > MOST_BODY:
                raise _TooLarge
            return message

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if refused is not None:
            await refused(scope, receive, guarded)
            return
        try:
            await self.app(scope, bounded, guarded)
        except _TooLarge:
            await _too_large()(scope, receive, guarded)
        except _TooSlow:
            await _closing(refusal(408, f"a request has {self.body_seconds:g} seconds to come"))(
                scope, receive, guarded
            )

    def _refusal(self, method: str, headers: Headers) -> JSONResponse | None:
        """The answer to a request that is not let in; None for one that is."""
        if headers.get("host", "").lower() not in self.hosts or len(headers.getlist("host")) != 1:
            return refusal(421, "this server does not go by that name: open the address that it printed")
        origin = headers.get("origin")
        if origin is not None and origin.lower().removeprefix("http://") not in self.hosts:
            return refusal(403, "another page may not ask for that")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return refusal(403, "another page may not ask for that")
        if method in CHANGES:
            if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                return refusal(415, "send JSON, with the content type application/json")
            length = headers.get("content-length", "0")
            if not length.isdecimal() or len(length) > 9 or int(length) > MOST_BODY:
                return _too_large()
        elif method not in SAFE:
            return refusal(405, f"{method} is not understood here")
        return None


def refusal(status: int, message: str) -> JSONResponse:
    """A clear no, with the headers that ``Guard`` gives to all other answers: it may come from outside of it."""
    return JSONResponse({"error": message}, status, SECURITY_HEADERS)


def _too_large() -> JSONResponse:
    return _closing(refusal(413, f"a request has at most {MOST_BODY:,} bytes"))


def _closing(response: JSONResponse) -> JSONResponse:
    """The last answer of a connection: the rest of the body is not read."""
    response.headers["Connection"] = "close"
    return response
