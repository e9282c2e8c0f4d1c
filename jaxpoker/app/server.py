"""The web app: one page, and the requests that it makes.

    GET    /                        the page; its parts are in /static/
    GET    /api/opponents           who can be played against
    POST   /api/session             {"opponent"}: sits down; answers with the session's name and the table
    GET    /api/table               the table as the person sees it
    POST   /api/act                 {"hand", "turn", "action"}
    POST   /api/next                {"hand"}
    POST   /api/leave               {}
    POST   /api/advice              {"hand", "turn", "closer"?}
    POST   /api/review              {"hand", "decision"}
    GET    /api/strategy            the blueprint's grid of the person's decision before the flop
    GET    /api/hands.phhs          all finished hands; /api/hands/7.phh one of them
    GET    /api/runs, /api/metrics?run=solve/blueprint

Everything below /api/table needs the session's name, in the header ``Authorization: Bearer ...``. An error is
``{"error": "..."}`` with a fitting status. ``guard`` stands before all of it.
"""

from __future__ import annotations

import functools
import inspect
import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from jaxpoker.app import hand_history, run_view, strategy_view, views
from jaxpoker.app.coaching import Coaching, Wanted
from jaxpoker.app.duel import Refusal
from jaxpoker.app.guard import BODY_SECONDS, Guard, refusal
from jaxpoker.app.room import Room
from jaxpoker.coach import Advice, as_json
from jaxpoker.coach.advice import Unwanted
from jaxpoker.coach.language_model import LanguageModel, reword

STATIC = Path(__file__).resolve().parent / "static"
PLAYING_AT_ONCE, SITTING_DOWN_AT_ONCE = 6, 4  # requests in threads: more would only wait for each other
GONE = 499  # the status of an answer that nobody gets
ASKING_AT_ONCE = 2  # requests that wait for a language model

Answer = Callable[[Request, dict[str, Any]], Any]


def app_of(
    room: Room,
    hosts: Iterable[str],
    runs: Path = Path("runs"),
    model: LanguageModel | None = None,
    body_seconds: float = BODY_SECONDS,
) -> Starlette:
    """The app; ``hosts`` are the names and ports that it goes by."""
    asking = threading.BoundedSemaphore(ASKING_AT_ONCE)
    playing, sitting_down = CapacityLimiter(PLAYING_AT_ONCE), CapacityLimiter(SITTING_DOWN_AT_ONCE)
    coaching = Coaching()

    def opponents(request: Request, body: dict[str, Any]) -> Any:
        return [
            {"name": one.name, "title": one.title, "about": one.about, "ready": room.is_ready(one.name)}
            for one in room.opponents.values()
        ]

    def sit_down(request: Request, body: dict[str, Any]) -> Any:
        client = request.client.host if request.client else ""
        session = room.sit_down(_field(body, "opponent", str), client)
        return {"session": session, "table": views.table(room.duel(session))}

    def table(request: Request, body: dict[str, Any]) -> Any:
        return _table(room, _session(request))

    def act(request: Request, body: dict[str, Any]) -> Any:
        duel = room.duel(_session(request))
        with duel.lock:
            duel.act(*(_field(body, name, int) for name in ("hand", "turn", "action")))
            return views.table(duel)

    def next_hand(request: Request, body: dict[str, Any]) -> Any:
        duel = room.duel(_session(request))
        with duel.lock:
            duel.next_hand(_field(body, "hand", int))
            return views.table(duel)

    def leave(request: Request, body: dict[str, Any]) -> Any:
        room.leave(_session(request))
        return {}

    def explained(advice: Advice) -> dict[str, Any]:
        found = as_json(advice)
        if model is not None and asking.acquire(blocking=False):
            try:
                said = reword(advice, model)
            finally:
                asking.release()
            found["reworded"] = said.text if said.by_model else None
            found["why_not"] = said.why_not
        return found

    async def advice(request: Request, body: dict[str, Any]) -> Any:
        closer = _field(body, "closer", bool) if "closer" in body else False
        hand, turn = (_field(body, name, int) for name in ("hand", "turn"))
        session = _session(request)

        def question(wanted: Wanted) -> Advice:
            return room.advise(session, hand, turn, closer, wanted)

        room.duel(session).require_turn(hand, turn)  # a question that makes no sense need not wait
        return await run_in_threadpool(
            explained, await coaching.answer(session, question, functools.partial(_left, request))
        )

    async def review(request: Request, body: dict[str, Any]) -> Any:
        hand, number = (_field(body, name, int) for name in ("hand", "decision"))
        session = _session(request)

        def question(wanted: Wanted) -> Advice:
            return room.review(session, hand, number, wanted)

        room.duel(session).require_hand(hand)
        return as_json(await coaching.answer(session, question, functools.partial(_left, request)))

    def strategy(request: Request, body: dict[str, Any]) -> Any:
        duel = room.duel(_session(request))
        with duel.lock:
            return strategy_view.grid(duel)

    def hands(request: Request, body: dict[str, Any]) -> Response:
        duel = room.duel(_session(request))
        with duel.lock:
            records = list(duel.history)
        return _download(hand_history.phhs(records), "jaxpoker.phhs")

    def hand(request: Request, body: dict[str, Any]) -> Response:
        duel, number = room.duel(_session(request)), request.path_params["number"]
        with duel.lock:
            found = [record for record in duel.history if str(record.number) == number]
        if not found:
            raise Refusal(404, f"hand {number[:9]} is not among the finished ones")
        return _download(hand_history.phh(found[0]), f"jaxpoker-{number}.phh")

    def all_runs(request: Request, body: dict[str, Any]) -> Any:
        room.duel(_session(request))
        return run_view.runs(runs)

    def metrics(request: Request, body: dict[str, Any]) -> Any:
        room.duel(_session(request))
        return run_view.metrics(runs, request.query_params.get("run", ""))

    routes = [
        Route("/", lambda _: FileResponse(STATIC / "index.html"), methods=["GET"]),
        Mount("/static", StaticFiles(directory=STATIC)),
        *(
            Route(f"/api/{path}", _endpoint(answer, playing), methods=["GET"])
            for path, answer in {
                "opponents": opponents,
                "table": table,
                "strategy": strategy,
                "hands.phhs": hands,
                "hands/{number}.phh": hand,
                "runs": all_runs,
                "metrics": metrics,
            }.items()
        ),
        *(
            Route(f"/api/{path}", _endpoint(answer, sitting_down if path == "session" else playing), methods=["POST"])
            for path, answer in {
                "session": sit_down,  # may wait for an opponent that is made ready
                "act": act,
                "next": next_hand,
                "leave": leave,
                "advice": advice,
                "review": review,
            }.items()
        ),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=tuple(hosts), body_seconds=body_seconds)],
        exception_handlers={404: lambda _, e: refusal(404, "there is nothing here"), 405: _wrong_method, 500: _failed},
    )


def _endpoint(answer: Answer, limiter: CapacityLimiter) -> Callable[[Request], Any]:
    """``answer`` in one of the threads of ``limiter`` unless it waits by itself, with the body as a dictionary."""

    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request) if request.method == "POST" else {}
            if inspect.iscoroutinefunction(answer):
                found = await answer(request, body)
            else:
                found = await to_thread.run_sync(answer, request, body, limiter=limiter)
        except Refusal as no:
            return refusal(no.status, str(no))
        except (ClientDisconnect, Unwanted):
            return refusal(GONE, "you have left")
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "the request's body is no JSON") from error
    if not isinstance(body, dict):
        raise Refusal(400, "the request's body is no JSON object")
    return body


async def _left(request: Request) -> None:
    """Returns when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _field(body: dict[str, Any], name: str, kind: type) -> Any:
    """A field of a request, of exactly that type: true is no number, and numbers have 32 bits."""
    value = body.get(name)
    if type(value) is not kind or (isinstance(value, int) and abs(value) >= 2**31):
        raise Refusal(422, f"{name!r} is missing, or no {kind.__name__}")
    return value


def _session(request: Request) -> str:
    scheme, _, session = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not session:
        raise Refusal(401, "no session named: sit down at a table first")
    return session


def _table(room: Room, session: str) -> dict[str, Any]:
    duel = room.duel(session)
    with duel.lock:
        return views.table(duel)


def _download(text: str, name: str) -> Response:
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _wrong_method(request: Request, error: Exception) -> Response:
    return refusal(405, f"{request.method} is not understood here")


def _failed(request: Request, error: Exception) -> Response:
    return refusal(500, "something went wrong here; your game is as it was before")
