"""One table as elements of an SVG: seats around an oval, cards, chips. Nothing is loaded from elsewhere."""

from __future__ import annotations

import math
from html import escape

from jaxpoker.games.pictures.view import FACE_DOWN, SeatView, TableView

WIDTH, HEIGHT = 440, 300  # of one table
_CARD_WIDTH, _CARD_HEIGHT = 26, 36
_SUITS = {"c": ("♣", "#2e7d32"), "d": ("♦", "#1565c0"), "h": ("♥", "#c62828"), "s": ("♠", "#212121")}
_FONT = "font-family='ui-sans-serif, system-ui, Helvetica, Arial, sans-serif'"


def text(x: float, y: float, words: str, size: int = 12, colour: str = "#ffffff", weight: str = "normal") -> str:
    """Words around a point."""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' font-weight='{weight}' "
        f"text-anchor='middle' {_FONT}>{escape(words)}</text>"
    )


def card(x: float, y: float, name: str) -> str:
    """A card with its upper left corner at a point; face down when it has no name."""
    shape = f"x='{x:.1f}' y='{y:.1f}' width='{_CARD_WIDTH}' height='{_CARD_HEIGHT}' rx='4'"
    if name == FACE_DOWN:
        return f"<rect {shape} fill='#37474f' stroke='#eceff1' stroke-width='2'/>"
    symbol, colour = _SUITS.get(name[1:], ("", "#212121"))
    rank = "10" if name[0] == "T" else name[0]
    middle = x + _CARD_WIDTH / 2
    face = text(middle, y + (16 if symbol else 24), rank, 15, colour, "bold")
    suit = text(middle, y + 32, symbol, 15, colour) if symbol else ""
    return f"<rect {shape} fill='#fafafa' stroke='#9e9e9e'/>{face}{suit}"


def _row(x: float, y: float, names: tuple[str, ...]) -> str:
    """Cards side by side around a point, closer together when they are many."""
    step = _CARD_WIDTH + 2 if len(names) <= 2 else 20 if len(names) > 3 else _CARD_WIDTH + 2
    left = x - (step * (len(names) - 1) + _CARD_WIDTH) / 2
    return "".join(card(left + step * place, y, name) for place, name in enumerate(names))


def _seat(x: float, y: float, view: SeatView, towards: tuple[float, float]) -> str:
    """A seat around a point; what it has bet stands towards the middle."""
    parts = []
    fill, edge = ("#fff8e1", "#ffb300") if view.acts else ("#eceff1", "#b0bec5")
    parts.append(_row(x, y - 44, view.cards))
    parts.append(
        f"<rect x='{x - 48:.1f}' y='{y - 6:.1f}' width='96' height='32' rx='8' fill='{fill}' stroke='{edge}'/>"
    )
    second = " ".join(part for part in (view.chips, view.note) if part)
    parts.append(text(x, y + (8 if second else 14), view.name, 11, "#263238", "bold"))
    if second:
        parts.append(text(x, y + 21, second, 11, "#455a64"))
    if view.button:
        parts.append(f"<circle cx='{x + 48:.1f}' cy='{y - 6:.1f}' r='8' fill='#ffffff' stroke='#455a64'/>")
        parts.append(text(x + 48, y - 2, "D", 10, "#263238", "bold"))
    drawn = f"<g opacity='{0.45 if view.out else 1}'>{''.join(parts)}</g>"
    if view.bet:
        at_x, at_y = x + (towards[0] - x) * 0.42, y + (towards[1] - y) * 0.42
        drawn += f"<circle cx='{at_x:.1f}' cy='{at_y:.1f}' r='5' fill='#ffb300' stroke='#ffffff'/>"
        drawn += text(at_x, at_y + 17, view.bet, 11)
    return drawn


def table(view: TableView) -> str:
    """The elements of one table, WIDTH × HEIGHT."""
    middle = WIDTH / 2, HEIGHT / 2
    parts = [
        f"<rect width='{WIDTH}' height='{HEIGHT}' rx='12' fill='#263238'/>",
        f"<ellipse cx='{middle[0]}' cy='{middle[1]}' rx='{WIDTH * 0.4:.0f}' ry='{HEIGHT * 0.33:.0f}' "
        "fill='#1b5e20' stroke='#4e342e' stroke-width='8'/>",
        _row(middle[0], middle[1] - 26, view.board),
    ]
    if view.pot:
        parts.append(text(middle[0], middle[1] + 26, f"pot {view.pot}", 12, weight="bold"))
    if view.caption:
        parts.append(text(middle[0], middle[1] + 42, view.caption, 11, "#c8e6c9"))
    for place, seat in enumerate(view.seats):
        angle = math.pi / 2 + 2 * math.pi * place / len(view.seats)  # seat 0 at the bottom, then clockwise
        x, y = middle[0] + WIDTH * 0.36 * math.cos(angle), middle[1] + 6 + HEIGHT * 0.34 * math.sin(angle)
        parts.append(_seat(x, y, seat, middle))
    return "".join(parts)
