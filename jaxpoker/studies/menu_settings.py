"""The bet sizes of experiments that solve spots: flat settings, and the menu that they come to."""

from __future__ import annotations

import json
from typing import Any, Protocol

from jaxpoker.solvers.subgame import menus
from jaxpoker.solvers.subgame.menus import Menu

OPTIONS = ("add_all_in", "force_all_in", "all_in_share", "merge")


class Sizes(Protocol):
    """Settings that have a menu."""

    @property
    def menu(self) -> str: ...

    @property
    def max_raises(self) -> int | None: ...


def menu_of(config: Sizes) -> Menu:
    """The menu of its text, which is sizes or JSON."""
    menu: Any = config.menu
    if menu.lstrip().startswith("{"):
        try:
            menu = json.loads(menu)
        except ValueError as error:
            raise ValueError(f"--menu is not JSON: {error}") from error
    options: dict[str, Any] = {name: getattr(config, name) for name in OPTIONS}
    if config.max_raises is not None:
        options["max_raises"] = config.max_raises
    return menus.parse(menu, **options)
