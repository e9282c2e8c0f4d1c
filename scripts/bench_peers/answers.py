"""What a person waits for: an answer of a solved strategy, of the coach and of the page."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from typing import Any

import jax
import uvicorn

from bench_peers.timing import Repeat, Work, work
from jaxpoker.app import server
from jaxpoker.app.room import GAME, Room
from jaxpoker.coach import Coach, player_model
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.tree import lines

SPOT = ("AhKh", "Qh7h2c9h3s", "r25c/cc/cc/")  # a hand, its board, the betting so far
CALL = 1  # of the nine actions; a check where there is nothing to call


def query() -> Work:
    """The mixed strategy of a hand on the river, looked up by cards and betting in the loaded blueprint."""
    solved = blueprint.load_shipped()
    hole, board, betting = SPOT
    return work(1, lambda: solved.mix(lines.node_of(solved.tree, betting), hole, board))


def advice(bot: str) -> Work:
    """Full advice on a decision on the flop: equity, and 1,000 rollouts of every action, ``bot`` on both sides."""
    model = player_model.named(bot, GAME)
    coach = Coach(GAME, villain=model, hero=model)
    state = GAME.init(jax.random.key(0))
    step = jax.jit(GAME.step)
    for _ in range(2):  # a limped pot
        state = step(state, CALL)
    hero = int(state.current_player)
    return work(1, lambda: coach.advise(state, hero, jax.random.key(1)))


def page_actions(hands: int = 10) -> Work:
    """The slowest answer of the page to an action of a person, over HTTP, in so many hands against the blueprint."""
    room = Room(seed=0)
    room.prepare("blueprint")
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = server.app_of(room, [f"127.0.0.1:{port}"])
    running = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_keep_alive=3600))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def post(path: str, session: str = "", **body: Any) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {session}"}
        connection.request("POST", f"/api/{path}", json.dumps(body), headers)
        answer = connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"the page answered {answer.status} to {path}: {found}")
        return found

    sat_down = post("session", opponent="blueprint")
    session, table = sat_down["session"], sat_down["table"]

    def repeat() -> Repeat:
        nonlocal table
        waited, processor = [], time.process_time()
        for _ in range(hands):
            while not table["over"]:
                began = time.perf_counter()
                table = post("act", session, hand=table["hand"], turn=table["turn"], action=CALL)
                waited.append(time.perf_counter() - began)
            table = post("next", session, hand=table["hand"])
        return Repeat(max(waited), time.process_time() - processor, None)

    def close() -> None:
        running.should_exit = True
        connection.close()
        thread.join()
        listening.close()

    return Work(1, repeat, close)
