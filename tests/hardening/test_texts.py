"""Texts that a person might type, spoiled at random: each is understood, or refused in a sentence of ours."""

from __future__ import annotations

import json
import random

import pytest
import yaml

import jaxpoker
from jaxpoker import cards, equity, ranges
from jaxpoker.app import opponents
from jaxpoker.files import archives
from jaxpoker.games import bets
from jaxpoker.players import registry
from jaxpoker.runs import config as configs
from jaxpoker.runs import folder
from jaxpoker.solvers import subgame, tree
from jaxpoker.solvers.subgame import menus
from jaxpoker.solvers.tree import lines
from jaxpoker.studies.solve import training_file
from jaxpoker.studies.solve.config import Config
from tests.hardening.conftest import LONG, LONGEST, spoiled

TEXTS = 12_000 if LONG else 1_500  # of each kind
SPOT = {"board": "Ks7h3d9h2c", "pot": 100, "stack": 100, "oop": "KK, 54s", "ip": "AKo, QQ", "menu": "100%"}
TRAINING = {"game": {"stack": 100, "small_blind": 0.5, "big_blind": 1}, "actions": {"preflop": [2.5, "all_in"]}}
RULES = ("num_players", "menu", "stack", "small_blind", "big_blind", "ante", "casino_blind", "max_log", "target")
VALUES = (
    0,
    1,
    2,
    -1,
    2.5,
    1e9,
    10**30,
    float("nan"),
    float("inf"),
    None,
    True,
    "",
    "a",
    "33%, a",
    [],
    {},
    (1, 2),
    b"x",
    1j,
)

_TREE = None


def betting() -> tree.Tree:
    global _TREE
    if _TREE is None:
        _TREE = tree.build(jaxpoker.make("holdem", menu="33%, a", stack=20))
    return _TREE


def overlaid(text: object) -> object:
    values = yaml.load(str(text), configs._Loader) if len(str(text)) < 2_000 else {}
    return configs.overlay(Config(), values if isinstance(values, dict) else {}, "a text")


KINDS = {
    "cards": (cards.parse, ["AhKd", "Qh 7h, 2c", "10s, A♥", "As"]),
    "ranges": (ranges.as_weights, ["QQ+, AK", "22+:0.5, A2s+", "top 15.5%",
                                  "[25]AKs, QQ[/25]", "random", "AhKh, T9s-54s"]),
    "menus": (bets.parse, ["33%, 75%, a", "preflop: 2.5x@1, 4x@2+, a; postflop: 1/3, 3bb, min; raises: 3", "nine"]),
    "lines": (lambda text: lines.node_of(betting(), text), ["cr7c/cc/c", "r33%c/ca", "f", "r3#1"]),
    "menus of spots": (menus.parse, ["33%, 75%, a", "50% / 3x", "2e, 120", "bet: 33%; raise: a"]),
    "spots": (lambda text: subgame.Spot.from_json(archives.parsed(text)), [json.dumps(SPOT)]),
    "JSON": (archives.parsed, [json.dumps(SPOT), "[1, 2.5, null]"]),
    "names of runs": (folder.check_name, ["quick-20261116-044900", "a.b+c=d,@"]),
    "opponents": (opponents.named, ["blueprint", "candid statistician", "runs/evolve/full"]),
    "players": (registry.entrant, ["tag", "random", "runs/solve/x"]),
    "games": (jaxpoker.make, ["holdem", "kuhn"]),
    "training files": (
        lambda text: training_file.settings(archives.parsed(text), "a file"),
        [json.dumps(TRAINING)],
    ),
}  # fmt: skip


def spoiled_texts(seeds: list[str], number: int):
    chance = random.Random(f"{seeds} {number}")
    for _ in range(number):
        yield spoiled(chance.choice(seeds), chance)


@pytest.mark.parametrize("kind", KINDS)
def test_spoiled_texts_are_understood_or_refused_in_a_sentence(kind, fuzz, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    read, seeds = KINDS[kind]
    for seed in seeds:
        assert not kind.startswith(("cards", "ranges")) or read(seed) is not None
    count, refused, longest = fuzz(read, spoiled_texts(seeds, TEXTS))
    assert count == TEXTS and refused > TEXTS / 20 and longest < LONGEST


def test_spoiled_settings_are_understood_or_refused_in_a_sentence(fuzz, tmp_path):
    chance = random.Random(5)
    path, text = tmp_path / "config.yaml", yaml.safe_dump(configs.plain(Config()))

    def read(text: object) -> object:
        path.write_text(str(text), encoding="utf-8", errors="replace")
        return configs.overlay(Config(), configs.read_yaml(path), "a file")

    count, refused, longest = fuzz(read, (spoiled(text, chance) for _ in range(TEXTS // 4)))
    assert count == TEXTS // 4 and refused > 0 and longest < LONGEST


@pytest.mark.parametrize("name", jaxpoker.GAMES)
def test_any_rules_make_a_game_or_are_refused_in_a_sentence(name, fuzz):
    chance = random.Random(name)

    def rules():
        for _ in range(TEXTS // 2):
            yield {chance.choice(RULES): chance.choice(VALUES) for _ in range(chance.randrange(1, 4))}

    count, refused, longest = fuzz(lambda given: jaxpoker.make(name, **given), rules())
    assert refused > count / 4 and longest < LONGEST


def test_any_call_of_equity_is_answered_or_refused_in_a_sentence(fuzz):
    chance = random.Random(1)

    def calls():
        for _ in range(TEXTS // 10):
            text = [spoiled(word, chance) for word in ("AhKh", "QQ+", "2c7d9h")]
            yield text, chance.choice(("auto", "sample", "exact")), chance.choice((1, 100, 0, -1, True, 1.5))

    def read(given: object) -> object:
        (one, other, board), method, samples = given
        return equity.equity(one, other, board=board, method="sample" if method == "exact" else method, samples=samples)

    _, refused, _ = fuzz(read, calls())
    assert refused > 0
