"""Advice in words, on four levels: what to do, equity and pot odds, what each action is worth, and why.

The text names every number that it rests on, and nothing else: ``language_model`` may reword it, and is held to them.
"""

from __future__ import annotations

from typing import Any

from jaxpoker.coach.advice import IMPLIED, Advice, Choice
from jaxpoker.coach.wording import signed
from jaxpoker.runs.summary import plain_figure

LEVELS = ("Recommended", "Equity", "Rollouts", "Reasoning")


def levels(advice: Advice) -> dict[str, list[str]]:
    """The lines of each of ``LEVELS``."""
    return dict(
        zip(LEVELS, (_recommended(advice), _equity(advice), _rollouts(advice), list(advice.notes)), strict=True)
    )


def text(advice: Advice) -> str:
    """All four levels, with the situation on top."""
    parts = [situation(advice)]
    for number, (level, lines) in enumerate(levels(advice).items(), start=1):
        parts.append("\n".join([f"{number}. {level}", *(f"   {line}" for line in lines)]))
    return "\n\n".join(parts)


def as_json(advice: Advice) -> dict[str, Any]:
    """Plain values: the record, the levels of the text, and what follows from them."""
    found: dict[str, Any] = plain_figure("advice", advice)
    derived = {
        "recommended": plain_figure("recommended", advice.recommended),
        "close": [one.action for one in advice.close],
        "ev_lost": advice.ev_lost,
        "levels": levels(advice),
        "text": text(advice),
    }
    return found | derived


def situation(advice: Advice) -> str:
    """Who holds what where, for how much."""
    here = advice.situation
    board = f" on {here.board}" if here.board else ""
    to_call = f", {here.to_call:g} BB to call" if here.to_call else ", nothing to call"
    return (
        f"{here.street.capitalize()}, {here.position}: {here.hand}{board} ({here.made}). "
        f"Pot {here.pot:g} BB{to_call}, {here.stack:g} BB behind against {here.villain_stack:g} BB."
    )


def _recommended(advice: Advice) -> list[str]:
    best = advice.recommended
    lines = [_named(best)]
    if advice.close:
        others = ", ".join(one.label for one in advice.close)
        lines.append(f"As good, as far as {advice.rollouts:,} rollouts can tell: {others}")
    taken = advice.taken
    if taken is not None:
        if taken.action == best.action or taken.behind <= 0:
            lines.append(f"You took it: {taken.label}")
        else:
            lines.append(f"You took {taken.label}: {taken.behind:.2f} ± {taken.behind_error:.2f} BB worse")
    return lines


def _named(choice: Choice) -> str:
    """ "Raise to 7.5 BB (1/2 pot)": the size by name, too, where it has one."""
    plain = choice.name in ("fold", "check/call", "all-in")
    return choice.label if plain else f"{choice.label} ({choice.name})"


def range_text(advice: Advice) -> str:
    """Which hands the opponent is taken to hold."""
    if advice.against == IMPLIED:
        return f"the hands that {advice.villain}'s actions imply ({advice.villain_hands:,.0f} of 1,326 by weight)"
    return "a random hand" if advice.against == "random" else f"the range {advice.against}"


def _equity(advice: Advice) -> list[str]:
    error = f" ± {advice.equity_error:.1%}" if advice.equity_error else ""
    lines = [f"Your equity: {advice.equity:.1%}{error} against {range_text(advice)}"]
    if advice.required_equity is None or advice.edge is None:
        return [*lines, "Pot odds: nothing to call, no equity needed to see on"]
    here = advice.situation
    sign = "+" if advice.edge >= 0 else "−"
    to_win = here.to_call / advice.required_equity - here.to_call
    return [
        *lines,
        f"Pot odds: {advice.required_equity:.1%} (calling {here.to_call:g} BB to win {to_win:g} BB needs that much)",
        f"Equity edge: {sign}{abs(advice.edge):.1%}",
    ]


def _rollouts(advice: Advice) -> list[str]:
    width = max(len(choice.label) for choice in advice.choices)
    lines = []
    for choice in advice.choices:
        mark = "  (recommended)" if choice is advice.recommended else ""
        margin = f" ± {choice.standard_error:.2f}" if choice.standard_error else ""
        lines.append(f"{choice.label:<{width}}  {signed(choice.ev)}{margin} BB{mark}")
    return [*lines, f"Means of {advice.rollouts:,} rollouts ± standard errors, in {advice.baseline}"]
