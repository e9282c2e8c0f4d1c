"""The game that a run solves: its name and unit, and its stakes in whole chips."""

from __future__ import annotations

import math
from fractions import Fraction

import jaxpoker
from jaxpoker import core
from jaxpoker.games.holdem.table import MAX_CHIPS
from jaxpoker.studies.solve.config import Config

PUBLISHED = {"kuhn": -1 / 18, "leduc": -0.085606424078}  # values of the game for seat 0
NAME = {"kuhn": "Kuhn poker", "leduc": "Leduc", "pushfold": "Push/fold", "holdem": "Hold'em"}
UNIT = {"kuhn": "antes", "leduc": "antes", "pushfold": "BB", "holdem": "mBB/hand"}
LEAST_BIG_BLIND = 10  # chips: bets of hold'em are rounded down to whole ones


def chips_of(config: Config) -> dict[str, int]:
    """Stack and blinds in whole chips: the smallest unit in which all are whole, hold'em's big blind at least 10."""
    exact = {name: Fraction(str(getattr(config, name))) for name in ("small_blind", "big_blind", "ante")}
    exact["stack"] = Fraction(str(config.stack)) * exact["big_blind"]
    unit = math.lcm(*(amount.denominator for amount in exact.values()))
    chips = {name: int(amount * unit) for name, amount in exact.items()}
    shared = math.gcd(*chips.values()) or 1
    chips = {name: amount // shared for name, amount in chips.items()}
    if config.game == "holdem" and chips["big_blind"] > 0:
        chips = {name: amount * -(-LEAST_BIG_BLIND // chips["big_blind"]) for name, amount in chips.items()}
    if max(chips.values()) > MAX_CHIPS:
        raise ValueError(
            f"--stack {config.stack} with blinds {config.small_blind}/{config.big_blind} and ante {config.ante} has "
            "too many digits: give the blinds as whole chips, such as --small-blind 1 --big-blind 3"
        )
    return chips


def game_of(config: Config) -> core.Game:
    """The game that ``config`` names, with its stakes and bet menu."""
    if config.game in ("kuhn", "leduc"):
        return jaxpoker.make(config.game, num_players=config.num_players)
    for name in ("stack", "small_blind", "big_blind", "ante"):
        if not math.isfinite(getattr(config, name)):
            raise ValueError(
                f"--{name.replace('_', '-')} {getattr(config, name)}: give a number of big blinds or chips"
            )
    if config.big_blind <= 0:
        raise ValueError(f"--big-blind {config.big_blind}: above 0")
    menu = "push/fold" if config.game == "pushfold" else config.menu
    return jaxpoker.make("holdem", menu=menu, **chips_of(config))


def stakes_of(config: Config) -> str:
    """The stakes in words: "10 big blinds, blinds 0.5/1"."""
    ante = f", ante {config.ante:g}" if config.ante else ""
    return f"{config.stack:g} big blinds, blinds {config.small_blind:g}/{config.big_blind:g}{ante}"
