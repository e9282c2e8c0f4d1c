"""Rewording by a language model: a stub server in every mood, and the template text that survives each."""

from __future__ import annotations

import http.server
import json
import threading
import time

import pytest

from jaxpoker.coach import language_model, text
from jaxpoker.coach.advice import BASELINE, Advice, Choice, Situation
from jaxpoker.coach.language_model import LanguageModel, Refused, require_facts, reword

KEY = "sk-do-not-tell"
ADVICE = Advice(
    situation=Situation("flop", "KcQd", "pair of kings", "Kd7s2d", "BTN", True, 12.0, 6.0, 88.0, 92.0, 7.3),
    villain="blueprint",
    against="implied",
    villain_hands=412.0,
    villain_classes=(1.0,) * 169,
    equity=0.68,
    equity_error=0.0,
    required_equity=1 / 3,
    edge=0.68 - 1 / 3,
    choices=(
        Choice(5, "1/2 pot", "Raise to 15 BB", 150, 0.5, 0.1, 0.0, 0.0, 0.31),
        Choice(1, "check/call", "Call 6 BB", 60, -1.25, 0.1, 1.75, 0.1, 0.0),
    ),
    rollouts=1_000,
    baseline=BASELINE,
    notes=("Medium SPR (7.3): two or three bets to all-in.",),
    taken=None,
)
GOOD = "Raise to 15 BB. You have 68.0% where 33.3% are enough, and it is worth +0.50 BB over 1,000 rollouts."


class Stub(http.server.ThreadingHTTPServer):
    """Answers with ``status`` and ``body``, ``pause`` seconds between its parts; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.parts, self.pause = 200, [b""], 0.0
        self.requests: list[tuple[str, dict[str, str], dict]] = []
        self.headers: dict[str, str] = {}

    def say(self, content: object) -> None:
        self.parts = [json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for part in self.server.parts:
                self.wfile.write(part)
                self.wfile.flush()
                time.sleep(self.server.pause)
        except OSError:
            pass  # the other side has had enough

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stub():
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def model_at(stub: Stub, seconds: float = 5.0) -> LanguageModel:
    return LanguageModel(f"http://127.0.0.1:{stub.server_port}/v1/", "stub", KEY, seconds)


def test_a_good_reply_is_taken(stub):
    stub.say(GOOD)
    assert reword(ADVICE, model_at(stub)) == (GOOD, True, "")
    ((path, headers, body),) = stub.requests
    assert path == "/v1/chat/completions" and headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "stub" and body["messages"][-1]["content"] == text(ADVICE)


@pytest.mark.parametrize(
    "content, why",
    [
        ("Raise to 15 BB. You win 71% of the time.", "not among the facts: 71"),
        ("Raise to 15 BB, worth +1.25 BB.", r"not among the facts: \+1.25"),  # the call loses as much
        ("Raise to 15 BB, about 33%.", "not among the facts: 33"),  # 33.3%
        ("Call 6 BB, you have the odds.", "does not name the recommended action"),
        ("", "empty"),
        (GOOD + " well played" * 200, "2,000 are allowed"),
        (None, "no text"),
        (["Raise to 15 BB"], "no text"),
    ],
)
def test_what_the_facts_do_not_say_is_refused(stub, content, why):
    stub.say(content)
    with pytest.raises(Refused, match=why):
        language_model.require_facts(language_model._ask(model_at(stub), text(ADVICE)), text(ADVICE), "Raise to 15 BB")
    said = reword(ADVICE, model_at(stub))
    assert (said.text, said.by_model) == (text(ADVICE), False) and said.why_not


@pytest.mark.parametrize("status", [500, 401, 404, 302])
def test_an_error_of_the_server_leaves_the_template(stub, status):
    stub.say(GOOD)
    stub.status, stub.headers = status, {"Location": f"http://127.0.0.1:{stub.server_port}/elsewhere"}
    said = reword(ADVICE, model_at(stub))
    assert said == (text(ADVICE), False, f"the server answers {status}")
    assert len(stub.requests) == 1  # nobody follows a redirect with the key


@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b'{"choices": []}', b'{"choices": [{"text": "x"}]}', b"\xff"]
)
def test_a_malformed_answer_leaves_the_template(stub, body):
    stub.parts = [body]
    assert reword(ADVICE, model_at(stub)) == (text(ADVICE), False, "the server's answer is no chat completion")


def test_a_slow_server_is_not_waited_for(stub):
    stub.say(GOOD)
    stub.parts, stub.pause = [stub.parts[0][:20]] + [b" "] * 40, 0.1  # a byte now and then, four seconds in all
    said = reword(ADVICE, model_at(stub, seconds=0.5))
    assert said == (text(ADVICE), False, "the server took more than 0.5 seconds")


def test_an_answer_without_end_is_cut(stub):
    stub.parts = [b"x" * 32_768] * 40
    assert "more than 65,536 bytes" in reword(ADVICE, model_at(stub)).why_not


@pytest.mark.parametrize("key", [KEY, "sk-pâté-☃"])  # no header can carry the second
def test_nobody_there_leaves_the_template(key):
    nobody = LanguageModel("http://127.0.0.1:1/v1", "stub", key)
    said = reword(ADVICE, nobody)
    assert said.text == text(ADVICE) and "cannot be asked" in said.why_not


def test_the_key_is_never_said(stub):
    stub.status = 401
    assert KEY not in repr(model_at(stub)) + str(model_at(stub)) + reword(ADVICE, model_at(stub)).why_not


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434",
        "ftp://x/v1",
        "file:///etc/passwd",
        "http://host:99999/v1",
        "http://host:port/v1",
        "http://me:secret@host/v1",
        "ftp://me:secret@host/v1",
    ],
)
def test_an_address_is_an_http_address_without_a_password(url):
    with pytest.raises(ValueError) as refusal:
        LanguageModel(url, "stub")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("said", [GOOD, "Raise to 15 BB: the K♦7♠2♦ board and a call of −1.25 BB.", "raise to  15 bb"])
def test_the_facts_may_be_said_in_any_words(said):
    require_facts(said, text(ADVICE), "Raise to 15 BB")
