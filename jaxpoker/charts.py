"""Charts of hands for the terminal: the 13 x 13 grid that players know, as rich renderables.

    console.print(charts.hand_grid(jam, "SB jams at 10 BB"))                          # [169] frequencies
    console.print(charts.hand_grid(mix, "BTN opens", ("raise", "call", "fold")))      # [169, actions]
    console.print(charts.side_by_side(charts.hand_grid(jam), charts.hand_grid(call)))

Numbers come in the order of ``ranges.CLASS_NAMES``: AA is top left, suited hands are above the diagonal and offsuit
hands below it. ``jaxpoker.plots`` draws the same charts as pictures.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from rich.color import Color
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from jaxpoker import ranges

Colour = tuple[int, int, int]  # red, green, blue from 0 to 255

NOTHING: Colour = (48, 51, 57)  # the part of a hand that no action takes
LIGHT_TEXT: Colour = (245, 245, 245)
DARK_TEXT: Colour = (20, 20, 20)

FOLD: Colour = (92, 110, 138)
CALL: Colour = (0, 158, 115)
RAISE: Colour = (213, 94, 0)
ALL_IN: Colour = (178, 30, 95)
_OTHERS: tuple[Colour, ...] = ((0, 114, 178), (204, 121, 167), (240, 228, 66), (86, 180, 233))
_COLOUR_OF_WORD = {  # the first word that a name contains: "raise all-in" is an all-in
    "all-in": ALL_IN,
    "jam": ALL_IN,
    "push": ALL_IN,
    "shove": ALL_IN,
    "fold": FOLD,
    "call": CALL,
    "check": CALL,
    "limp": CALL,
    "raise": RAISE,
    "bet": RAISE,
    "open": RAISE,
    "played": RAISE,
}

_CELL = 5  # columns of a cell
_WIDTH = 13 * _CELL + 12  # of the grid, with one column between cells
_ROUNDING = 1e-6  # by which float32 frequencies may miss 0, 1 and their sum


class Mix(NamedTuple):
    """What is done with each hand: frequencies of actions, their names and colours."""

    frequencies: np.ndarray  # [169, actions] float64 from 0 to 1; what is missing to 1 is no action
    actions: tuple[str, ...]
    colours: tuple[Colour, ...]
    reach: np.ndarray  # [169] float64 from 0 to 1: how much of each hand comes to the decision

    @property
    def shares(self) -> np.ndarray:
        """[actions] the share that each action takes of all combos that come to the decision."""
        here = ranges.COMBOS_PER_CLASS * self.reach
        return here @ self.frequencies / max(here.sum(), _ROUNDING)

    def cell_colours(self, hand: int) -> tuple[Colour, ...]:
        """The actions' colours in a hand's cell: the less of the hand comes to the decision, the dimmer."""
        brightness = float(self.reach[hand] / max(self.reach.max(), _ROUNDING))
        return tuple(blend(NOTHING, colour, brightness) for colour in self.colours)


def as_mix(
    weights: ArrayLike, actions: Sequence[str] = (), colours: Sequence[Colour] = (), reach: ArrayLike | None = None
) -> Mix:
    """Weights [169] of one action or [169, actions] of several, checked, with names and colours for the actions.

    The 1,326 weights of a range, as ``ranges.parse`` makes them, are taken as well: a hand has the mean of its combos.
    Without ``colours`` the names choose: fold, call or check, raise or bet, and jam or all-in have their own. ``reach``
    [169] is how much of each hand comes to the decision, all of it when None.
    """
    array = np.asarray(weights)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a hand grid takes numbers, not {type(weights).__name__} of {array.dtype}")
    if array.shape == ranges.CLASS_OF_COMBO.shape:
        array = np.bincount(ranges.CLASS_OF_COMBO, array) / ranges.COMBOS_PER_CLASS
    if array.ndim not in (1, 2) or array.shape[0] != ranges.NUM_CLASSES or array.size == 0:
        raise ValueError(
            f"a hand grid has 169 weights, or [169, actions], ordered as ranges.CLASS_NAMES; got shape {array.shape}"
        )
    frequencies = array.reshape(ranges.NUM_CLASSES, -1).astype(np.float64)
    if isinstance(actions, str):
        raise TypeError(f"actions is a list of names such as ('call', 'fold'), not the text {actions!r}")
    names = tuple(actions) or (("played",) if array.ndim == 1 else tuple(map(str, range(frequencies.shape[1]))))
    if len(names) != frequencies.shape[1]:
        raise ValueError(
            f"{len(names)} actions {names} for {frequencies.shape[1]} weights per hand: give one name each"
        )
    if len(set(names)) != len(names):
        raise ValueError(f"actions {names} have a name twice: each needs its own")
    outside = ~((frequencies >= -_ROUNDING) & (frequencies <= 1 + _ROUNDING))  # NaN is outside too
    if outside.any():
        hand, action = np.argwhere(outside)[0]
        what = "the weight" if array.ndim == 1 else f"the weight of {names[action]!r}"
        raise ValueError(f"{what} of {ranges.CLASS_NAMES[hand]} is {frequencies[hand, action]}: it is from 0 to 1")
    total = frequencies.sum(axis=1)
    if (total > 1 + 10 * _ROUNDING).any():
        hand = int(total.argmax())
        raise ValueError(f"the actions of {ranges.CLASS_NAMES[hand]} add up to {total[hand]:.6g}: they are 1 at most")
    if colours and len(colours) != len(names):
        raise ValueError(f"{len(colours)} colours for {len(names)} actions: give one each")
    comes = np.ones(ranges.NUM_CLASSES) if reach is None else np.asarray(reach, np.float64)
    if comes.shape != (ranges.NUM_CLASSES,) or not ((comes >= -_ROUNDING) & (comes <= 1 + _ROUNDING)).all():
        raise ValueError(f"reach has shape {comes.shape}: it is 169 numbers from 0 to 1, ordered as ranges.CLASS_NAMES")
    return Mix(np.clip(frequencies, 0, 1), names, tuple(colours) or colours_of(names), np.clip(comes, 0, 1))


def colours_of(actions: Sequence[str]) -> tuple[Colour, ...]:
    """A colour for each action by its name; of several of one kind each is darker than the one before."""
    kinds: list[Colour] = []
    others = itertools.cycle(_OTHERS)
    for action in actions:
        plain = action.lower().replace("all in", "all-in").replace("allin", "all-in")
        known = [colour for word, colour in _COLOUR_OF_WORD.items() if word in plain]
        kinds.append(known[0] if known else next(others))
    return tuple(blend(kind, (0, 0, 0), 1 - 0.75 ** kinds[:i].count(kind)) for i, kind in enumerate(kinds))


def blend(a: Colour, b: Colour, share: float) -> Colour:
    """The colour ``share`` of the way from ``a`` to ``b``."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue


def text_colour(background: Colour) -> Colour:
    """Light or dark, whichever reads better on the background (by its perceived brightness)."""
    red, green, blue = background
    return DARK_TEXT if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else LIGHT_TEXT


def percent(frequency: float) -> str:
    """Whole percents of a frequency: "1" to "99", and only always is "100" and never "."."""
    if frequency < _ROUNDING:
        return "."
    return str(100 if frequency > 1 - _ROUNDING else min(max(round(100 * frequency), 1), 99))


def bar(probability: float, width: int = 6) -> Text:
    """``███▎   55.2%``"""
    eighths = round(8 * width * probability)
    blocks = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
    return Text.assemble((f"{blocks:<{width}}", "green"), f" {probability:6.1%}")


# --- the grid ---------------------------------------------------------------------------------


def hand_grid(
    weights: ArrayLike,
    title: str = "",
    actions: Sequence[str] = (),
    colours: Sequence[Colour] = (),
    reach: ArrayLike | None = None,
) -> RenderableType:
    """The 13 x 13 chart of 169 frequencies, or of a mix [169, actions], 77 columns wide.

    With one action a cell's colour goes from dark grey (never) to the action's (always) and the number is the
    percentage, "." for never. With more actions a cell is filled in proportion, and the number is the percentage of
    the most frequent one, after the letter that the legend gives it. Below stands the share of all combos. With
    ``reach`` [169] hands are dimmer the less of them comes to the decision, and shares are of those that do.
    """
    mix = as_mix(weights, actions, colours, reach)
    letters = _letters(mix.actions)
    lines = [_line(Text(title, style="bold"))] if title else []
    for row in range(13):
        classes = range(13 * row, 13 * row + 13)
        names = [f" {ranges.CLASS_NAMES[number]:<4}" for number in classes]
        shown = [mix.frequencies[number] * (mix.reach[number] > _ROUNDING) for number in classes]
        numbers = [f"{_number(frequencies, letters):>4} " for frequencies in shown]
        backgrounds = [_backgrounds(mix.frequencies[number], mix.cell_colours(number)) for number in classes]
        darker = [[blend(colour, (0, 0, 0), 0.2) for colour in cell] for cell in backgrounds]  # sets rows apart
        lines += [_cells(names, backgrounds), _cells(numbers, darker)]
    lines += _legend(mix, letters)
    return Group(*lines)


def side_by_side(*grids: RenderableType) -> Columns:
    """Charts next to each other where the terminal is wide enough (two need 157 columns), else one below the other."""
    return Columns(grids, padding=(0, 3))


def _line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "crop"
    return text


def _letters(actions: tuple[str, ...]) -> tuple[str, ...]:
    """A letter for each action, its first that is still free: raise R, re-raise E; then digits. None for one action."""
    if len(actions) == 1:
        return ("",)
    taken: list[str] = []
    for action in actions:
        free = [c for c in action.upper() + "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c.isalnum() and c not in taken]
        taken.append(free[0] if free else "?")
    return tuple(taken)


def _number(frequencies: np.ndarray, letters: tuple[str, ...]) -> str:
    """The percentage of the most frequent action after its letter: "71", "R71"; "." where there is none."""
    most = int(frequencies.argmax())
    shown = percent(frequencies[most])
    return shown if shown == "." else letters[most] + shown


def _backgrounds(frequencies: np.ndarray, colours: tuple[Colour, ...]) -> list[Colour]:
    """The colours of the columns of a cell.

    One action: all the same, from ``NOTHING`` to the action's colour. Several: each action fills its share of the
    cell from the left, and a column in which one ends and the next begins is a blend of both.
    """
    if len(colours) == 1:
        return [blend(NOTHING, colours[0], float(frequencies[0]))] * _CELL
    ends = np.minimum(np.cumsum([*frequencies, 1]), 1) * _CELL  # [actions + 1], the last part is nothing
    starts = np.concatenate([[0], ends[:-1]])
    palette = np.asarray([*colours, NOTHING])
    left = np.arange(_CELL)[:, None]
    covered = np.clip(np.minimum(ends, left + 1) - np.maximum(starts, left), 0, 1)  # [columns, actions + 1]
    red, green, blue = np.rint(covered @ palette).astype(int).T.tolist()
    return list(zip(red, green, blue, strict=True))


def _style(background: Colour) -> Style:
    return Style(color=Color.from_rgb(*text_colour(background)), bgcolor=Color.from_rgb(*background))


def _cells(texts: list[str], backgrounds: list[list[Colour]]) -> Text:
    """One line of a row of cells, each with its colours."""
    line = Text()
    for i, (text, colours) in enumerate(zip(texts, backgrounds, strict=True)):
        line.append(" " if i else "")
        for colour, run in itertools.groupby(zip(colours, text, strict=True), key=lambda column: column[0]):
            line.append("".join(character for _, character in run), _style(colour))
    return _line(line)


def _legend(mix: Mix, letters: tuple[str, ...]) -> list[Text]:
    """What the colours, letters and numbers mean, and the share of combos."""
    line = Text()
    if len(mix.actions) == 1:
        for frequency in (0, 0.25, 0.5, 0.75, 1):
            line.append(f"{percent(frequency):>4} ", _style(blend(NOTHING, mix.colours[0], frequency)))
        line.append(f" % {mix.actions[0]}   {mix.shares[0]:.1%} of {_whose(mix)}")
        return [Text(), _line(line)]
    lines = [Text(), line]
    for action, letter, colour, share in zip(mix.actions, letters, mix.colours, mix.shares, strict=True):
        entry = Text.assemble((f" {letter} ", _style(colour)), f" {action} ({share:.1%})  ")
        if lines[-1] and len(lines[-1]) + len(entry) > _WIDTH:
            lines.append(Text())
        lines[-1].append_text(entry)
    lines.append(Text(f"% of {_whose(mix)}; in a cell the most frequent action and its percentage"))
    return [_line(text) for text in lines]


def _whose(mix: Mix) -> str:
    return "all combos" if (mix.reach == 1).all() else "combos that come here (dim: few do)"
