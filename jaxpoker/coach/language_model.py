"""The coach's text reworded by a language model, if there is one: any server that speaks OpenAI's chat completions.

    model = LanguageModel("http://localhost:11434/v1", "llama3", key=None)
    said = reword(advice, model)
    said.text, said.by_model, said.why_not

It is off unless somebody names a server. The template text (``explanation.text``) is always there; the model is given
nothing but it and may only say it in other words. A reply is refused, and the template stays, when it

- has a number, in digits, that is not among the text's (with its sign, where the reply writes one);
- does not name the recommended action;
- is empty, too long, malformed or late, or the server answers with an error.

Redirects are not followed and proxies not used, so that the key goes to the server that was named and nowhere else. No
message says the key.
"""

from __future__ import annotations

import dataclasses
import http.client
import json
import re
import time
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from jaxpoker.coach.advice import Advice
from jaxpoker.coach.explanation import text

SECONDS = 20.0  # for the whole answer
MOST_BYTES = 64 * 1024  # of the server's answer
MOST_CHARACTERS = 2_000  # of the model's text
MOST_TOKENS = 400

INSTRUCTIONS = (
    "You are a poker coach. Reword the analysis below for somebody who is learning, in at most 120 plain words. "
    "Name the recommended action exactly as it is written. Use only numbers that stand in the analysis; "
    "do not round them, combine them or add others."
)

_NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[+\-−–])?(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)|(?<=\w)(?P<inside>\d+(?:\.\d+)?)"
)


@dataclasses.dataclass(frozen=True)
class LanguageModel:
    """A server and the name of a model there."""

    base_url: str  # "http://localhost:11434/v1"; /chat/completions is added
    model: str
    key: str | None = dataclasses.field(default=None, repr=False)
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.username or parts.password:
            raise ValueError("the language model's address has a password in it: give the key by itself")
        if parts.scheme not in ("http", "https") or not parts.hostname or not _has_port(parts):
            raise ValueError(f"language model at {self.base_url!r}: give an address such as http://localhost:11434/v1")
        if not self.model:
            raise ValueError("the language model has no name: say which one the server is to use")
        if self.seconds <= 0:
            raise ValueError(f"seconds = {self.seconds}: the language model needs some time to answer")


def _has_port(parts: SplitResult) -> bool:
    """Whether the port, where one is written, is one."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


class Wording(NamedTuple):
    """The text to show."""

    text: str
    by_model: bool
    why_not: str = ""  # why the model's text was not taken


class Refused(Exception):
    """The model's answer is not taken; the message says why."""


def reword(advice: Advice, model: LanguageModel) -> Wording:
    """The model's text, or the template's where that cannot be had or trusted."""
    template = text(advice)
    try:
        said = _ask(model, template)
        require_facts(said, template, advice.recommended.label)
    except Refused as refusal:
        return Wording(template, False, str(refusal))
    return Wording(said, True)


# --- what a reply may say ---------------------------------------------------------------------


class _Number(NamedTuple):
    size: Decimal
    sign: str  # "+", "-" or "" where none is written


def _numbers(said: str) -> list[_Number]:
    """All numbers in digits: "+1.50", "1,000", the 7 of "7s"."""
    found = []
    for match in _NUMBER.finditer(said):
        sign = {"+": "+", None: ""}.get(match["sign"], "-")
        found.append(_Number(Decimal((match["digits"] or match["inside"]).replace(",", "")), sign))
    return found


def require_facts(said: str, facts: str, action: str) -> None:
    """Raises ``Refused`` unless ``said`` names the ``action`` and has no number that is not in ``facts``."""
    if not said.strip():
        raise Refused("the reply is empty")
    if len(said) > MOST_CHARACTERS:
        raise Refused(f"the reply has {len(said):,} characters: {MOST_CHARACTERS:,} are allowed")
    known = _numbers(facts)
    sizes = {number.size for number in known}
    signed = set(known)
    for number in _numbers(said):
        if number.size not in sizes or (number.sign and number not in signed):
            raise Refused(f"the reply has a number that is not among the facts: {number.sign}{number.size}")
    if " ".join(action.lower().split()) not in " ".join(said.lower().split()):
        raise Refused(f"the reply does not name the recommended action, {action!r}")


# --- the server -------------------------------------------------------------------------------


def _ask(model: LanguageModel, template: str) -> str:
    """The model's text."""
    asked = {
        "model": model.model,
        "messages": [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": template}],
        "temperature": 0,
        "max_tokens": MOST_TOKENS,
    }
    received = _post(model, json.dumps(asked).encode())
    try:
        answer: Any = json.loads(received)
        said = answer["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise Refused("the server's answer is no chat completion") from error
    if not isinstance(said, str):
        raise Refused("the server's answer has no text in it")
    return said.strip()


def _post(model: LanguageModel, body: bytes) -> bytes:
    """The body of the server's answer."""
    parts = urlsplit(model.base_url)
    secure = parts.scheme == "https"
    make: Any = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if model.key:
        headers["Authorization"] = f"Bearer {model.key}"
    until = time.monotonic() + model.seconds
    server = make(parts.hostname, parts.port, timeout=model.seconds)
    try:
        server.request("POST", f"{parts.path.rstrip('/')}/chat/completions", body, headers)
        response = server.getresponse()
        if response.status != http.client.OK:
            raise Refused(f"the server answers {response.status}")
        received = bytearray()
        while part := response.read1(MOST_BYTES):
            received += part
            if len(received) > MOST_BYTES:
                raise Refused(f"the server's answer has more than {MOST_BYTES:,} bytes")
            if time.monotonic() > until:
                raise TimeoutError
    except TimeoutError as error:
        raise Refused(f"the server took more than {model.seconds:g} seconds") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Refused(f"the server cannot be asked ({type(error).__name__})") from error
    finally:
        server.close()
    return bytes(received)
