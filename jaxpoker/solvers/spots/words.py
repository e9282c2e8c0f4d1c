"""Lines of a solved spot in words: "check, bet 66, call; 7h; check".

    node = words.find(solved, "check, bet 66, call; 7h; check")        # a NodeView
    words.action_names(solved.tree, number)                            # ("check", "bet 66", "all-in 400")

Actions are divided by commas or semicolons, and the card that is dealt stands between them. "" is the first decision.

    fold  check  call        the number of chips after "call" may be left out
    bet 66, raise 210        chips: a raise is "to" so many on this street; "raise to 210" is the same
    bet 66%                  of the pot, as in a menu
    all-in                   its chips may be left out
    7h                       the next card

The letters of ``tree/lines.py`` are read as well: "cr66c; 7h; c".
"""

from __future__ import annotations

import re

import numpy as np

from jaxpoker import cards
from jaxpoker.games import bets
from jaxpoker.solvers.flops import SolvedFlop
from jaxpoker.solvers.subgame.solved import NodeView, Solved
from jaxpoker.solvers.tree import CHANCE, DECISION, Tree
from jaxpoker.solvers.tree.chips import chips_at

AnySolved = Solved | SolvedFlop

_LETTERS = re.compile(r"(?:[fca]|r\d+(?:\.\d+)?)+")
_LETTER = re.compile(r"[fca]|r\d+(?:\.\d+)?")
_CARD = re.compile(r"(?:[2-9tjqka]|10)[cdhs♣♦♥♠]")
_ALL_IN = ("all-in", "allin", "all in", "a")
_AMOUNT = re.compile(r"(?:bet|raise to|raise|all-in|allin|all in|r)\s*(?P<number>\d+(?:\.\d+)?)(?P<share>%?)")


def action_names(tree: Tree, node: int) -> tuple[str, ...]:
    """The legal actions of a decision in words, in the tree's order: "fold", "call 66", "raise 210", "all-in 400"."""
    return tuple(_name(tree, node, int(slot)) for slot in np.flatnonzero(tree.legal(node)))


def _name(tree: Tree, node: int, slot: int) -> str:
    if slot == bets.FOLD:
        return "fold"
    chips, to = chips_at(tree), float(tree.to[node, slot])
    price, own = float(chips.price[node]), float(chips.bets[node, tree.player[node]])
    if slot == bets.CALL:
        return "check" if price == own else f"call {price - own:g}"
    if to >= price + float(chips.behind[node]):
        return f"all-in {to:g}"
    return f"{'raise' if price else 'bet'} {to:g}"


def line_of(tree: Tree, node: int) -> str:
    """The betting that leads to a decision in words, streets divided by semicolons: "check, bet 66, call 66; check"."""
    streets: list[list[str]] = [[]]
    for step in tree.path(node)[1:]:
        parent = int(tree.parent[step])
        if tree.kind[parent] == CHANCE:
            streets.append([])
        else:
            streets[-1].append(_name(tree, parent, int(tree.action[step])))
    return "; ".join(", ".join(street) for street in streets).strip()


def find(solved: AnySolved, line: str = "") -> NodeView:
    """The decision after a line; ``ValueError`` names the first word that cannot be, and what can."""
    node, dealt = place_of(solved, line)
    return solved.node(node, dealt)


def place_of(solved: AnySolved, line: str) -> tuple[int, str]:
    """The number of the decision after a line, and the cards that were dealt on the way."""
    tree, node, dealt = solved.tree, 0, ""
    for word in _words(line):
        if tree.kind[node] == CHANCE:
            if not _CARD.fullmatch(word):
                raise ValueError(f"{word!r} in line {line!r}: a card is dealt there, such as '; 7h'")
            dealt += cards.text(cards.parse(word))
            node = int(tree.children[node, 0])
        elif tree.kind[node] == DECISION:
            node = int(tree.children[node, _slot_of(tree, node, word, line)])
        else:
            raise ValueError(f"{word!r} in line {line!r}: the hand is over before it")
    if tree.kind[node] == CHANCE:
        raise ValueError(f"after {line!r} a card is dealt: name it, as in {line.rstrip(' ;') + '; 7h'!r}")
    if tree.kind[node] != DECISION:
        raise ValueError(f"after {line!r} the hand is over: nobody acts any more")
    return node, dealt


def _words(line: str) -> list[str]:
    found: list[str] = []
    for part in re.split(r"[,;/]", line.lower()):
        word = " ".join(part.split())
        if _LETTERS.fullmatch(word):
            found += _LETTER.findall(word)
        elif word:
            found.append(word)
    return found


def _slot_of(tree: Tree, node: int, word: str, line: str) -> int:
    """The legal action that a word says."""
    slots, names = np.flatnonzero(tree.legal(node)).tolist(), action_names(tree, node)
    for slot, name in zip(slots, names, strict=True):
        kind = name.split()[0]
        short = {"fold": ("f",), "check": ("c",), "call": ("c",), "all-in": _ALL_IN}.get(kind, ())
        if word in (name, *short) or (word == kind and (kind == "call" or len(_of_kind(names, kind)) == 1)):
            return int(slot)
    amount = _AMOUNT.fullmatch(word)
    raises = {slot: float(tree.to[node, slot]) for slot in slots if slot >= bets.FIRST_SIZE}
    if amount and raises:
        chips = float(amount["number"])
        if amount["share"]:
            at = chips_at(tree)
            price, own = float(at.price[node]), float(at.bets[node, tree.player[node]])
            pot = _pot(tree, node) + price - own
            chips = price + chips / 100 * pot
        closest = min(raises, key=lambda slot: abs(raises[slot] - chips))
        if abs(raises[closest] - chips) <= (0.5 if amount["share"] else 1e-6):
            return int(closest)
    card = "; a card is dealt after the betting alone" if _CARD.fullmatch(word) else ""
    raise ValueError(f"{word!r} in line {line!r} cannot be there: legal are {', '.join(names)}{card}")


def _of_kind(names: tuple[str, ...], kind: str) -> list[str]:
    return [name for name in names if name.split()[0] == kind]


def _pot(tree: Tree, node: int) -> float:
    return float(chips_at(tree).pot[node])
