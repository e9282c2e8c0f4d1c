"""Players: one interface for rule bots, networks, solved tables and search; ``make`` and ``entrant`` by their names."""

from __future__ import annotations

from jaxpoker.players import networks, rules, saved_networks
from jaxpoker.players.contract import (
    Entrant,
    Mixture,
    Player,
    check,
    from_policy,
    on_menu,
    one_of,
    require_policy,
    within_menu,
)
from jaxpoker.players.exploiters import GALLERY
from jaxpoker.players.functions import Decision, from_function
from jaxpoker.players.knowledge import win_probability
from jaxpoker.players.opponents import FAMILIES
from jaxpoker.players.registry import entrant, in_file, make, names

__all__ = [
    "EXPLOITERS",
    "FAMILIES",
    "OPPONENTS",
    "SIMPLE",
    "STYLES",
    "Decision",
    "Entrant",
    "Mixture",
    "Player",
    "check",
    "entrant",
    "from_function",
    "from_policy",
    "in_file",
    "make",
    "names",
    "networks",
    "on_menu",
    "one_of",
    "require_policy",
    "rules",
    "saved_networks",
    "win_probability",
    "within_menu",
]

SIMPLE = ("random", "call", "check-fold", "min-raise")
OPPONENTS = (*FAMILIES["seed"], *FAMILIES["paper"], "random switcher")  # those of the neuroevolution experiment
STYLES = ("tag", "lag")  # by hand alone, tight and loose
EXPLOITERS = tuple(GALLERY)  # each looks for one kind of mistake; ``names`` does not list them
