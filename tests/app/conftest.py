"""A room with one opponent, and a real server around it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
import uvicorn

from jaxpoker.app import connections, opponents, server
from jaxpoker.app.dealer import Dealer
from jaxpoker.app.duel import Duel
from jaxpoker.app.room import GAME, Room


@pytest.fixture(scope="session")
def dealer() -> Dealer:
    """Of a game against one who always calls."""
    made = Dealer(GAME, opponents.named("calling machine").model(GAME))
    made.warm_up()
    return made


@pytest.fixture(scope="session")
def random_dealer() -> Dealer:
    """Of a game against one who does anything."""
    made = Dealer(GAME, opponents.named("random").model(GAME))
    made.warm_up()
    return made


@pytest.fixture
def duel(dealer: Dealer) -> Duel:
    return Duel(dealer, jax.random.key(1), ("You", "Calling Machine"))


@pytest.fixture(scope="session")
def any_action():
    """``any_action(duel, rng)``: one of the legal ids, folds seldom."""

    def choose(duel: Duel, rng: np.random.Generator) -> int:
        legal = np.flatnonzero(duel.look.legal)
        weights = np.where(legal == 0, 0.3, 1.0)
        return int(rng.choice(legal, p=weights / weights.sum()))

    return choose


@pytest.fixture(scope="session")
def room() -> Room:
    """As it comes, but with the same cards every time and fewer rollouts; everything is compiled."""
    made = Room(seed=11, num_rollouts=250)
    made.prepare("blueprint")
    return made


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any  # JSON, or text where it is none


class Client:
    """Requests to a server, with or without a session."""

    def __init__(self, port: int, session: str | None = None) -> None:
        self.port, self.session = port, session

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None) -> Answer:
        """``headers`` come on top of the usual ones; None leaves one out."""
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}"}
        if self.session:
            sent["Authorization"] = f"Bearer {self.session}"
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent |= {"Content-Type": "application/json", "Content-Length": str(len(data))}
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            try:
                if data:
                    connection.send(data)
            except OSError:
                pass  # the server has answered and closed
            response = connection.getresponse()
            text = response.read().decode()
            found = dict(response.getheaders())
        finally:
            connection.close()
        is_json = found.get("content-type", "").startswith("application/json")
        return Answer(response.status, found, json.loads(text) if is_json else text)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any) -> Answer:
        return self.ask("POST", path, body)

    def sit_down(self, opponent: str = "blueprint") -> Client:
        """A client with a session of its own."""
        answer = self.post("/api/session", {"opponent": opponent})
        assert answer.status == 200, answer
        return Client(self.port, answer.body["session"])


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        pass  # it runs in a thread


@pytest.fixture(scope="session")
def serving():
    """``with serving(room, **options) as client``: a server on a free port of this machine."""

    @contextlib.contextmanager
    def run(room: Room, patience: dict[str, Any] | None = None, **options: Any) -> Iterator[Client]:
        patience = patience or {}
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()  # whoever comes before the server is ready waits
            port = listening.getsockname()[1]
            app = server.app_of(room, [f"127.0.0.1:{port}", f"localhost:{port}"], **options)
            config = connections.config(app, **patience)
            running = _Server(config)
            thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
            thread.start()
            try:
                yield Client(port)
            finally:
                running.should_exit = True
                thread.join()

    return run
