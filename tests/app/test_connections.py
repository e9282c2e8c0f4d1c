"""Connections that keep the server waiting, and what is written to its log about clients."""

from __future__ import annotations

import json
import logging
import os
import socket
import time

import pytest

HEAD = "POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"


def connected(port: int) -> socket.socket:
    wire = socket.create_connection(("127.0.0.1", port))
    wire.settimeout(60)
    return wire


def is_closed(wire: socket.socket) -> bool:
    """Waits until the other side closes."""
    try:
        return wire.recv(1_000) == b""
    except ConnectionError:
        return True


def test_a_connection_that_says_nothing_or_half_a_head_is_closed(room, serving):
    with serving(room, patience={"head_seconds": 0.3}) as client:
        silent, half, between = (connected(client.port) for _ in range(3))
        half.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        between.sendall(f"GET /api/opponents HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n".encode())
        assert between.recv(12) == b"HTTP/1.1 200"
        between.recv(100_000)
        between.sendall(b"GET /")
        for wire in (silent, half, between):
            assert is_closed(wire)
        assert client.get("/api/opponents").status == 200


def test_a_head_that_comes_byte_by_byte_has_no_more_time(room, serving):
    with serving(room, patience={"head_seconds": 0.5}) as client:
        wire, started = connected(client.port), time.monotonic()
        try:
            while time.monotonic() - started < 60:
                wire.sendall(b"x")
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - started < 50


def test_of_many_silent_connections_the_oldest_give_way(room, serving):
    with serving(room, patience={"most_waiting": 8}) as client:
        silent = [connected(client.port) for _ in range(40)]
        assert client.get("/api/opponents").status == 200
        assert all(is_closed(wire) for wire in silent[:30])
        for wire in silent:
            wire.close()


def test_a_body_has_some_seconds_to_come(room, serving):
    with serving(room, body_seconds=0.3) as client:
        wire = connected(client.port)
        wire.sendall((HEAD.format(port=client.port) + "Content-Length: 40\r\n\r\n{").encode())
        assert wire.recv(12) == b"HTTP/1.1 408"


@pytest.fixture
def log():
    """What the server writes to its log."""
    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "asyncio", "starlette")]
    for logger in loggers:
        logger.addHandler(handler)
    yield lines
    for logger in loggers:
        logger.removeHandler(handler)


def test_the_log_stays_clean_when_clients_vanish_or_send_nonsense(room, serving, log):
    with serving(room) as client:
        seated = client.sit_down()
        head = HEAD.format(port=client.port)
        for said in (
            head + "Content-Length: 40\r\n\r\n{",  # and leaves in the middle of a body
            head + "Content-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 1",
            "no HTTP at all\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET /%ff%00/%zz HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        ):
            wire = connected(client.port)
            wire.sendall(said.encode())
            wire.close()
        for path in ("/", "/api/opponents", "/api/table"):  # a body that nobody expects
            answer = seated.ask("GET", path, b"x" * 3_000)
            assert answer.status == 200
        wire = connected(client.port)  # who asks the coach and leaves
        body = json.dumps({"hand": 1, "turn": 0, "closer": True})
        wire.sendall(
            f"POST /api/advice HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {seated.session}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        time.sleep(0.3)
        wire.close()
        seated.post("/api/leave", {})
    assert not log


# --- runs -------------------------------------------------------------------------------------

LINE = '{"step": 1, "seconds": 1.0, "loss": %s}\n'


@pytest.fixture(scope="module")
def hostile_runs(tmp_path_factory):
    runs = tmp_path_factory.mktemp("runs") / "runs"
    for name, text in {
        "nan": LINE % "NaN",
        "infinity": LINE % "Infinity",
        "huge": LINE % ("9" * 5_000),
        "huge-float": LINE % "1e999",
        "deep": LINE % ("[" * 100_000),
        "binary": "\x00\x01\n",
        "good": LINE % "0.5",
    }.items():
        (runs / "solve" / name).mkdir(parents=True)
        (runs / "solve" / name / "metrics.jsonl").write_text(text)
    secret = runs.parent / "secret"
    secret.mkdir()
    (secret / "metrics.jsonl").write_text("a secret of this machine\n")
    (runs / "solve" / "linked").symlink_to(secret)
    (runs / "linked").symlink_to(runs.parent)
    (runs / "solve" / "file-linked").mkdir()
    (runs / "solve" / "file-linked" / "metrics.jsonl").symlink_to(secret / "metrics.jsonl")
    (runs / "solve" / "pipe").mkdir()
    os.mkfifo(runs / "solve" / "pipe" / "metrics.jsonl")
    os.makedirs(os.fsencode(runs / "solve") + b"/not-\xff-text")
    with open(os.fsencode(runs / "solve") + b"/not-\xff-text/metrics.jsonl", "w") as file:
        file.write(LINE % "1")
    return runs


def test_hostile_runs_are_refused_and_never_an_error_of_the_server(room, serving, hostile_runs, log):
    with serving(room, runs=hostile_runs) as client:
        seated = client.sit_down()
        listed = seated.get("/api/runs")
        names = {run["name"] for run in listed.body}
        assert listed.status == 200 and {"solve/good", "solve/nan"} <= names
        assert not names & {"solve/linked", "solve/file-linked", "solve/pipe", "linked/secret"} and len(names) == 7
        statuses = {}
        for name in (
            *sorted(names),
            "solve/pipe",
            "solve/linked",
            "solve/file-linked",
            "linked/secret",
            "%ff",
            "a" * 9_000,
        ):
            answer = seated.get(f"/api/metrics?run={name}")
            statuses[name] = answer.status
            assert "secret" not in json.dumps(answer.body) or name == "linked/secret"
        assert statuses.pop("solve/good") == 200 and set(statuses.values()) <= {404, 422, 400}, statuses
        seated.post("/api/leave", {})
    assert not log


@pytest.mark.parametrize("number", ["9" * 5_000, "-1", "1.5", "x", "0", "%00", "１"])
def test_a_hand_that_there_is_none_of_is_not_found(room, serving, number):
    with serving(room) as client:
        seated = client.sit_down()
        path = "/api/hands/" + "".join(c if c.isascii() else "%EF%BC%91" for c in number) + ".phh"
        assert seated.get(path).status == 404
        seated.post("/api/leave", {})
