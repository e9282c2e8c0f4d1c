"""Training files of a hold'em solver in sections, and the flat settings that they come to.

    game:                starting_stack (chips), small_blind, big_blind
    action_abstraction:  preflop.raises, multiples of the bet faced; postflop.bets, parts of the pot; "all-in"
    card_abstraction:    type (rank_based or equity_bucketing), num_buckets (preflop, flop, turn, river)
    storage:             backend, which is memory: the device's. Tables on disk are refused, and so are their settings
                         cache_size and flush_frequency
    training:            num_iterations, log_frequency, checkpoint_frequency (these checkpoints all stay);
                         checkpoint_dir is refused, as checkpoints are in the run's own folder (--runs)

A starting stack is in chips, as the engine has it: 200 chips at blinds of 1/2 are 100 big blinds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from jaxpoker.errors import RunError
from jaxpoker.games.holdem.table import STREETS

SECTIONS = {
    "game": ("starting_stack", "small_blind", "big_blind"),
    "action_abstraction": ("preflop", "postflop"),
    "card_abstraction": ("type", "num_buckets"),
    "storage": ("backend", "cache_size", "flush_frequency"),
    "training": ("num_iterations", "checkpoint_frequency", "log_frequency", "checkpoint_dir"),
}
CARDS = {"rank_based": "rank_based", "equity_bucketing": "equity", "equity": "equity"}
MAX_RAISES = 3  # a street, where a file does not say
MEMORY = "memory"  # the only storage.backend
FREQUENCIES = {"num_iterations": "iterations", "log_frequency": "log_every", "checkpoint_frequency": "checkpoint_every"}
ALL_IN = ("all-in", "allin", "all_in")


def is_sectioned(values: Mapping[Any, Any]) -> bool:
    """Whether a YAML file is one of these: one of its sections is a mapping."""
    return any(isinstance(values.get(section), Mapping) for section in SECTIONS)


def understand(values: dict[Any, Any], where: str) -> dict[Any, Any]:
    """A training file in sections as flat settings; others as they are."""
    return settings(values, where) if is_sectioned(values) else values


def settings(values: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """The flat settings that a file's sections come to; ``RunError`` for what has no place among them."""
    _require_known(values, SECTIONS, where, "sections")
    for section, known in SECTIONS.items():
        _require_known(_mapping(values, section, where), known, f"{where}: {section}", "fields")
    game, actions, cards, training = (
        _mapping(values, name, where) for name in ("game", "action_abstraction", "card_abstraction", "training")
    )
    found: dict[str, Any] = {"game": "holdem", **_stakes(game, where)}
    if actions:
        found["menu"] = _menu(actions, where)
    if "type" in cards:
        if not isinstance(cards["type"], str) or cards["type"] not in CARDS:
            raise RunError(f"{where}: card_abstraction.type {cards['type']!r}: types are {', '.join(CARDS)}")
        found["cards"] = CARDS[cards["type"]]
    if "num_buckets" in cards:
        buckets = _mapping(cards, "num_buckets", f"{where}: card_abstraction")
        _require_known(buckets, STREETS, f"{where}: card_abstraction.num_buckets", "streets")
        missing = [street for street in STREETS if street not in buckets]
        if missing:
            raise RunError(f"{where}: card_abstraction.num_buckets lacks {missing[0]!r}: name all four streets")
        found["buckets"] = [buckets[street] for street in STREETS]
    _require_memory(_mapping(values, "storage", where), where)
    if "checkpoint_dir" in training:
        raise RunError(
            f"{where}: training.checkpoint_dir {training['checkpoint_dir']!r}: checkpoints are in the run's own "
            "folder; leave it out, and say where runs are with --runs FOLDER"
        )
    return found | {ours: training[theirs] for theirs, ours in FREQUENCIES.items() if theirs in training}


def _require_memory(storage: Mapping[str, Any], where: str) -> None:
    """Nothing is asked of storage that this solver does not do."""
    backend = storage.get("backend", MEMORY)
    if backend != MEMORY:
        raise RunError(
            f"{where}: storage.backend {backend!r}: tables are trained in memory; write backend: {MEMORY} "
            "(checkpoints are on disk in any case, and --export FILE.h5 writes the tables as HDF5)"
        )
    for name in ("cache_size", "flush_frequency"):
        if name in storage:
            raise RunError(f"{where}: storage.{name} {storage[name]!r} is of tables on disk: leave it out")


def _stakes(game: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Blinds in chips and the stack in big blinds."""
    if not game:
        return {}
    chips = {name: game.get(name, default) for name, default in (("small_blind", 1), ("big_blind", 2))}
    chips["starting_stack"] = game.get("starting_stack", 200)
    for name, amount in chips.items():
        is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
        if not is_number or not 0 <= amount < math.inf or (name == "big_blind" and amount == 0):
            raise RunError(f"{where}: game.{name} {amount!r} is no number of chips")
    stack = Fraction(str(chips["starting_stack"])) / Fraction(str(chips["big_blind"]))
    return {"stack": float(stack), "small_blind": float(chips["small_blind"]), "big_blind": float(chips["big_blind"])}


def _menu(actions: Mapping[str, Any], where: str) -> str:
    """A bet menu's text of the lists of sizes."""
    lists = {}
    for street, word in (("preflop", "raises"), ("postflop", "bets")):
        section = _mapping(actions, street, f"{where}: action_abstraction")
        _require_known(section, (word,), f"{where}: action_abstraction.{street}", "fields")
        sizes = section.get(word)
        if not isinstance(sizes, list) or not sizes:
            raise RunError(
                f"{where}: action_abstraction.{street}.{word} {sizes!r}: write a list such as [0.33, 'all-in']"
            )
        lists[street] = ", ".join(_size(size, street, f"{where}: action_abstraction.{street}.{word}") for size in sizes)
    return f"preflop: {lists['preflop']}; postflop: {lists['postflop']}; raises: {MAX_RAISES}"


def _size(size: Any, street: str, where: str) -> str:
    if isinstance(size, str) and size.lower() in ALL_IN:
        return "a"
    if isinstance(size, bool) or not isinstance(size, int | float) or not math.isfinite(size):
        raise RunError(f"{where}: {size!r} is no size: a number or 'all-in'")
    exact = Fraction(str(size))
    return f"{float(exact):g}x" if street == "preflop" else f"{float(exact * 100):g}%"


def _mapping(values: Mapping[Any, Any], name: str, where: str) -> Mapping[str, Any]:
    found = values.get(name) or {}
    if not isinstance(found, Mapping):
        raise RunError(f"{where}: {name} is {found!r}, not a section with fields")
    return found


def _require_known(values: Mapping[Any, Any], known: Any, where: str, what: str) -> None:
    unknown = [name for name in values if name not in known]
    if unknown:
        raise RunError(f"{where}: {unknown[0]!r} has no place in this solver: {what} are {', '.join(known)}")
