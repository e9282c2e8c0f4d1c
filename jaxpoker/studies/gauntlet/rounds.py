"""How many hands against whom: rounds of hands until each interval is as narrow as it is to be.

A round is some tables with ``rivals.HANDS_PER_TABLE`` deals each, every deal from both seats. Round r has the
same deals against each opponent. The first ``PILOT`` rounds say how much results spread. A half width falls with the
square root of the hands, so that

    rounds = rounds so far * (half width now / half width wanted)²

and a little more are played before anybody looks at the interval again; if it is still too wide, the same once more.
So the number of hands depends on the spread, never on the mean, and the interval is looked at a few times, not after
each round. A mean is biased by such a stop only as far as it goes with the spread: by the order of skewness times
standard deviation over the number of tables, which is below 1 mBB/hand for thousands of tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jaxpoker.errors import RunError
from jaxpoker.match import Estimate
from jaxpoker.rivals import HANDS_PER_TABLE

PILOT = 2
SPARE = 1.02  # rounds more than the pilot asks for: its spread is itself an estimate


class Aim(NamedTuple):
    """When it is enough."""

    half_width: float  # mBB/hand
    hands: int  # the most against one opponent
    tables: int  # of a round

    @property
    def hands_per_round(self) -> int:
        return 2 * HANDS_PER_TABLE * self.tables

    @property
    def most_rounds(self) -> int:
        return max(PILOT, math.ceil(self.hands / self.hands_per_round))


class Standing(NamedTuple):
    """What is known of one opponent."""

    rounds: int = 0
    goal: int = PILOT  # rounds after which the interval is looked at
    result: Estimate | None = None  # of all rounds

    def after(self, played: Estimate, aim: Aim) -> Standing:
        """With one round more."""
        result = played if self.result is None else Estimate.pooled([self.result, played])
        rounds, goal = self.rounds + 1, self.goal
        if rounds >= goal and result.ci95 > aim.half_width:
            wanted = math.ceil(SPARE * rounds * (result.ci95 / aim.half_width) ** 2)
            goal = min(max(wanted, rounds + 1), aim.most_rounds)
        return Standing(rounds, goal, result)

    def is_done(self, aim: Aim) -> bool:
        if self.result is None or self.rounds < PILOT:
            return False
        return self.rounds >= aim.most_rounds or (self.rounds >= self.goal and self.result.ci95 <= aim.half_width)

    def expected(self, aim: Aim) -> int:
        """Rounds that it will take in all, by the square root law."""
        if self.is_done(aim) or self.result is None:
            return max(self.rounds, PILOT if self.result is None else 0)
        by_law = math.ceil(SPARE * self.rounds * (self.result.ci95 / aim.half_width) ** 2)
        return min(max(by_law, self.goal, self.rounds + 1), aim.most_rounds)


def next_opponent(standings: Mapping[str, Standing], aim: Aim) -> str | None:
    """Whom the next round is against: of those who are not done, the one with the fewest rounds; None at the end."""
    left = [name for name, standing in standings.items() if not standing.is_done(aim)]
    return min(left, key=lambda name: standings[name].rounds) if left else None


# --- rounds as lines of metrics.jsonl ---------------------------------------------------------


def metrics_of(name: str, played: Estimate) -> dict[str, float]:
    """One round against ``name`` as metrics."""
    return {"hands": 2 * HANDS_PER_TABLE * played.n, f"mbb/{name}": played.mean, f"ci95/{name}": played.ci95}


def replayed(rows: Sequence[Mapping[str, Any]], before: Mapping[str, Standing], aim: Aim) -> dict[str, Standing]:
    """The standings that the rounds in ``rows`` make of those ``before``."""
    standings = dict(before)
    for row in rows:
        name = next((metric.partition("/")[2] for metric in row if metric.startswith("mbb/")), "")
        try:
            tables = row["hands"] // (2 * HANDS_PER_TABLE)
            played = Estimate(float(row[f"mbb/{name}"]), float(row[f"ci95/{name}"]), tables)
            standings[name] = standings[name].after(played, aim)
        except (KeyError, TypeError) as error:
            raise RunError(f"step {row['step']} of metrics.jsonl is no round of this gauntlet: {error}") from error
    return standings
