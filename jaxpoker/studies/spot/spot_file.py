"""Files of one spot, as other solvers' users keep them, and the flat settings that they come to.

    {"board": ["Ks", "7h", "3d", "9h"], "pot": 100, "stack": 400, "oop": "22+, ...", "ip": "...",
     "menu": {"turn": {"oop": {"bet": "66%", "raise": "60%"}, "ip": {...}}, "river": {...}}, "donk": {"river": "50%"}}

``Spot.from_json`` says which fields there are. A file with flat settings, such as a run's config.yaml, is left alone.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxpoker import cards, ranges
from jaxpoker.errors import RunError
from jaxpoker.players.registry import file_of
from jaxpoker.solvers import blueprint as blueprints
from jaxpoker.solvers.spots import from_blueprint
from jaxpoker.solvers.subgame import Spot, menus
from jaxpoker.solvers.subgame.menus import SEATS
from jaxpoker.studies import menu_settings
from jaxpoker.studies.spot.config import Config

_SOLVING = (
    "target",
    "iterations",
    "seconds",
    "algorithm",
    "bits",
    "symmetric",
    "memory_limit",
)  # may stand beside a spot


def understand(values: dict[Any, Any], where: str) -> dict[Any, Any]:
    """The settings of a spot's file; flat settings as they are."""
    if not is_spot(values):
        several = [name for name, value in values.items() if isinstance(value, Mapping) and "board" in value]
        if several:
            raise RunError(
                f"{where} has several spots ({', '.join(map(str, several))}): write one to a file of its own"
            )
        return values
    try:
        spot = Spot.from_json({name: value for name, value in values.items() if name not in _SOLVING})
    except (ValueError, TypeError) as error:
        raise RunError(f"{where}: {error}") from error
    found: dict[Any, Any] = {
        **{name: values[name] for name in _SOLVING if name in values},
        "board": cards.text(spot.board),
        "pot": spot.pot,
        "stack": None,
        "stacks": list(spot.stacks),
        "rake": spot.rake,
        "rake_cap": spot.rake_cap,
        "bets": list(spot.bets),
        "to_act": None if values.get("to_act") is None else SEATS[spot.to_act],
        "menu": json.dumps(menus.as_json(spot.menu)),
        "max_raises": None if spot.menu.max_raises == menus.NO_CAP else int(spot.menu.max_raises),
        **{name: float(getattr(spot.menu, name)) for name in menu_settings.OPTIONS},
    }
    for seat in SEATS:
        given = values[seat]
        found[seat] = given if isinstance(given, str) else ranges.text(getattr(spot, seat))
    return found


def is_spot(values: Mapping[Any, Any]) -> bool:
    """Whether a file is a spot's: it names a board or a range, and has a field or a form that flat settings lack."""
    names = {field.name for field in dataclasses.fields(Config)}
    nested = any(isinstance(values.get(name), dict | list) for name in ("menu", "board", "oop", "ip"))
    return not {"board", "oop", "ip"}.isdisjoint(values) and (nested or not names.issuperset(values))


def spot_of(config: Config) -> Spot:
    """The spot that the settings name; ``ValueError`` says what is wrong with it."""
    menu = menu_settings.menu_of(config)
    rake = {"rake": config.rake, "rake_cap": config.rake_cap}
    if config.from_blueprint is not None:
        return from_blueprint(_blueprint(config.blueprint), config.from_blueprint, config.board, menu, **rake)
    return Spot(
        board=config.board,
        pot=config.pot,  # type: ignore[arg-type]  # resolved() has seen that it is there
        stack=config.stack,
        stacks=config.stacks,
        oop=config.oop,
        ip=config.ip,
        menu=menu,
        bets=config.bets,
        to_act=None if config.to_act is None else SEATS.index(config.to_act),
        **rake,
    )


def _blueprint(path: str | None) -> blueprints.Blueprint:
    if path is None:
        if not blueprints.SHIPPED.is_file():
            raise RunError("no blueprint comes with this copy of jaxpoker: name one with --blueprint")
        return blueprints.load_shipped()
    return blueprints.load(file_of(Path(path)))
