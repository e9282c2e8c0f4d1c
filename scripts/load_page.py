"""Many people at the page at once: how long answers take, whether chips are lost, and how much memory grows.

    .venv/bin/python scripts/load_page.py                                    64 players, 20 who ask the coach, 3 minutes
    .venv/bin/python scripts/load_page.py --players 8 --asking 2 --seconds 20

The server is a process of its own, started as jaxpoker-play starts it. Players come from several addresses of this
machine (127.0.0.2 and on), think for --thinking seconds in the mean before each action, and play hand after hand. Those
who ask are players, too: they ask for advice on every decision, every fourth time to look closer, and every eighth time
they hang up before the answer.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tyro

PER_ADDRESS = 8  # players
START_CHIPS = 100.0  # big blinds of each seat
BARS = {"act p99 ms": 500.0, "memory growth MB": 100.0}


@dataclass(frozen=True)
class Options:
    """Who comes, and for how long."""

    players: int = 64
    """At once."""
    asking: int = 20
    """Of the players: they ask the coach."""
    seconds: float = 180.0
    """Of play, after everybody sits."""
    thinking: float = 1.0
    """Mean seconds before an action; 0: each acts as soon as it can."""
    opponent: str = "blueprint"
    """Whom all play against."""
    seed: int = 0
    """Of the players' actions."""


@dataclass
class Told:
    """What the players have seen."""

    seconds: dict[str, list[float]] = field(default_factory=dict)  # of answers, by request
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    hands: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, path: str, status: int, seconds: float) -> None:
        with self.lock:
            self.seconds.setdefault(path, []).append(seconds)
            self.statuses[f"{path} {status}"] += 1


class Player:
    """One browser."""

    def __init__(self, port: int, number: int, told: Told, seed: int) -> None:
        self.port, self.number, self.told = port, number, told
        self.address = f"127.0.0.{2 + number // PER_ADDRESS}"
        self.session: str | None = None
        self.chance = random.Random(seed * 1_000 + number)
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, kind: str | None = None) -> Any:
        headers = {"Host": f"127.0.0.1:{self.port}"}
        if self.session:
            headers["Authorization"] = f"Bearer {self.session}"
        data = None if body is None else json.dumps(body)
        if data is not None:
            headers["Content-Type"] = "application/json"
        for again in (False, True):  # a connection that was idle for long may be closed by now
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=120, source_address=(self.address, 0)
                )
            started = time.perf_counter()
            try:
                self._connection.request(method, path, data, headers)
                answer = self._connection.getresponse()
                text = answer.read()
            except (ConnectionError, http.client.HTTPException):
                self.close()
                if again:
                    raise
                continue
            self.told.add(kind or path, answer.status, time.perf_counter() - started)
            found = json.loads(text)
            return found if answer.status == 200 else None
        return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def sit_down(self, opponent: str) -> Any:
        found = self.ask("POST", "/api/session", {"opponent": opponent})
        if found is None:
            self.told.wrong.append(f"player {self.number} got no table")
            return None
        self.session = found["session"]
        return found["table"]

    def play(self, view: Any, until: float, thinking: float, asks: bool) -> None:
        asked = 0
        while view is not None and time.monotonic() < until:
            if thinking:
                time.sleep(self.chance.expovariate(1 / thinking))
            if view["over"]:
                self.count(view)
                view = self.ask("POST", "/api/next", {"hand": view["hand"]})
                continue
            here = {"hand": view["hand"], "turn": view["turn"]}
            if asks:
                asked += 1
                self.ask_coach({**here, "closer": asked % 4 == 0}, hangs_up=asked % 8 == 7)
            legal = [action["id"] for action in view["actions"] if action["legal"]]
            action = self.chance.choice([a for a in legal if a > 0] if len(legal) > 1 else legal)
            view = self.ask("POST", "/api/act", {**here, "action": action})
            if view is None:
                self.told.wrong.append(f"player {self.number}: an action was refused")
        self.close()

    def ask_coach(self, body: dict[str, Any], hangs_up: bool) -> None:
        if not hangs_up:
            self.ask("POST", "/api/advice", body)
            return
        data = json.dumps(body).encode()
        with contextlib.closing(
            socket.create_connection(("127.0.0.1", self.port), source_address=(self.address, 0))
        ) as wire:
            head = f"POST /api/advice HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            wire.sendall(
                f"{head}Authorization: Bearer {self.session}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
            )
            time.sleep(0.2)

    def count(self, view: dict[str, Any]) -> None:
        stacks = sum(seat["stack"] for seat in view["seats"].values())
        with self.told.lock:
            self.told.hands += 1
            if abs(stacks - 2 * START_CHIPS) > 1e-6:
                self.told.wrong.append(f"player {self.number}, hand {view['hand']}: {stacks} big blinds at the table")


@contextlib.contextmanager
def server(opponent: str) -> Iterator[tuple[subprocess.Popen[str], int, list[str]]]:
    """The page's server: its process, its port, and the lines of its log so far."""
    command = [sys.executable, "-m", "jaxpoker.app.play", "--no-browser", "--port", "0", "--opponent", opponent]
    root = Path(__file__).resolve().parent.parent
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(root), "COLUMNS": "200"}
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=root
    )
    assert running.stdout is not None
    log: list[str] = []
    try:
        for line in running.stdout:
            if "Play at" in line:
                port = int(line.split("http://")[1].split("/")[0].rpartition(":")[2])
                break
            log.append(line)
        else:
            raise RuntimeError("the server ended: " + "".join(log))
        log.clear()
        threading.Thread(target=lambda: log.extend(running.stdout or ()), daemon=True).start()
        yield running, port, log
    finally:
        running.terminate()
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def measure(options: Options) -> dict[str, Any]:
    """All figures of one load."""
    told = Told()
    with server(options.opponent) as (running, port, log):
        players = [Player(port, number, told, options.seed) for number in range(options.players)]
        views = [player.sit_down(options.opponent) for player in players]
        for player in players[:2]:  # what compiles at the first advice
            player.ask("POST", "/api/advice", {"hand": 1, "turn": 0}, kind="warming up")
        settle = threading.Event()
        before: dict[str, float] = {}

        def look() -> None:
            """Memory once all has been used for some seconds."""
            settle.wait(min(20.0, options.seconds / 4))
            before.update(memory=megabytes(running.pid))

        started, processor = time.monotonic(), processor_seconds(running.pid)
        threads = [
            threading.Thread(
                target=player.play, args=(view, started + options.seconds, options.thinking, number < options.asking)
            )
            for number, (player, view) in enumerate(zip(players, views, strict=True))
        ]
        looking = threading.Thread(target=look)
        for thread in (*threads, looking):
            thread.start()
        for thread in (*threads, looking):
            thread.join()
        spent, took = processor_seconds(running.pid) - processor, time.monotonic() - started
        growth = megabytes(running.pid) - before["memory"]
    acts = told.seconds.get("/api/act", [0.0])
    failures = sum(number for status, number in told.statuses.items() if status.split()[-1].startswith("5"))
    return {
        "players": options.players,
        "asking": options.asking,
        "thinking s": options.thinking,
        "seconds": round(took, 1),
        "hands": told.hands,
        "actions": len(acts),
        "act p50 ms": round(1e3 * quantile(acts, 0.5), 1),
        "act p99 ms": round(1e3 * quantile(acts, 0.99), 1),
        "act max ms": round(1e3 * max(acts), 1),
        "next p99 ms": round(1e3 * quantile(told.seconds.get("/api/next", [0.0]), 0.99), 1),
        "advice p50 s": round(quantile(told.seconds.get("/api/advice", [0.0]), 0.5), 2),
        "processor seconds of the server": round(spent, 1),
        "load of the machine": round(os.getloadavg()[0], 1),
        "memory growth MB": round(growth, 1),
        "5xx": failures,
        "wrong": told.wrong[:5],
        "log": log[:5],
        "statuses": dict(sorted(told.statuses.items())),
    }


def main() -> int:
    found = measure(tyro.cli(Options, description=__doc__))
    for name, value in found.items():
        print(f"{name:34} {value}")
    missed = [name for name, bar in BARS.items() if found[name] > bar]
    broken = found["5xx"] or found["wrong"] or found["log"]
    print(f"bars missed: {', '.join(missed) or 'none'}; broken: {'yes' if broken else 'no'}")
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
