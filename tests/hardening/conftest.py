"""What fuzzers share: how long they run, what counts as an error of the project, and how texts are spoiled.

They take some seconds each. JAXPOKER_LONG=1 scripts/test --no-checks tests/hardening runs them for many minutes.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import jaxpoker
from jaxpoker.app.duel import Refusal
from jaxpoker.errors import RunError

LONG = bool(os.environ.get("JAXPOKER_LONG"))
LONGEST = 5.0  # seconds that any input may take
OURS = (Path(jaxpoker.__file__).resolve().parent, Path(jaxpoker.__file__).resolve().parent.parent / "scripts")

LETTERS = "0123456789AKQJTakqjtcdhs+-:,;/.%@x_ []()'\"\\\n\t\x00²½٣é♠—€\ud800\U0001f0a1" + "bfrpotmin"
WORDS = (
    *(
        "AhKh",
        "QQ+",
        "A2s+",
        "random",
        "top 20%",
        "33%",
        "2.5x",
        "all-in",
        "preflop:",
        "raises: 3",
        "r25c/c",
        "r12",
        "fold",
    ),
    *(
        "9" * 400,
        "1e999",
        "nan",
        "inf",
        "-1",
        "0/0",
        "1/0",
        "[" * 2_000,
        "{" * 2_000,
        "a" * 5_000,
        "10",
        "♠",
        "null",
        "..",
        "/",
    ),
)


class TooLong(BaseException):
    """Not an ``Exception``: nothing that is tested may catch it."""


def is_ours(error: BaseException) -> bool:
    """A sentence of the project: ``RunError``, ``Refusal``, or an error that one of its own lines raises."""
    if isinstance(error, RunError | Refusal):
        return True
    if not isinstance(error, ValueError | TypeError):
        return False
    frame = traceback.extract_tb(error.__traceback__)[-1]
    at = Path(frame.filename).resolve()
    return (frame.line or "").startswith("raise ") and any(at.is_relative_to(folder) for folder in OURS)


@contextlib.contextmanager
def bounded(seconds: float = 4 * LONGEST) -> Iterator[None]:
    """``TooLong`` where it takes longer, on systems with alarms: a hang is found, a busy machine is not."""

    def ring(number: int, frame: object) -> None:
        raise TooLong

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def spoiled(text: str, chance: random.Random) -> str:
    """``text`` with some letters changed, parts cut out, doubled or moved, or words put in."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        kind = chance.randrange(6)
        if kind == 0:
            text = text[:at] + chance.choice(LETTERS) + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[to:]
        elif kind == 2:
            text = text[:at] + chance.choice(WORDS) + text[at:]
        elif kind == 3:
            text = text[:to] + text[at:to] * chance.choice((1, 2, 20)) + text[to:]
        elif kind == 4:
            text = text[:at] + text[at:to][::-1] + text[to:]
        else:
            text = text.swapcase() if chance.random() < 0.5 else text[::-1]
    return text[:20_000]


Reader = Callable[[object], object]


@pytest.fixture(scope="session")
def fuzz() -> Callable[[Reader, Iterator[object]], tuple[int, int, float]]:
    """``fuzz(read, inputs)``: how many there were, how many were refused, and the longest time.

    It fails where something else than an error of the project comes out.
    """

    def run(read: Reader, inputs: Iterator[object]) -> tuple[int, int, float]:
        count = refused = 0
        longest = 0.0
        for given in inputs:
            count += 1
            began = time.process_time()
            try:
                with bounded():
                    read(given)
            except TooLong:
                pytest.fail(f"took longer than {4 * LONGEST:g} s: {given!r:.300}")
            except Exception as error:
                if not is_ours(error):
                    raise AssertionError(f"a raw {type(error).__name__} ({error!s:.200}) for {given!r:.300}") from error
                refused += 1
            longest = max(longest, time.process_time() - began)
        return count, refused, longest

    return run
