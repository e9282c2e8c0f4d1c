"""One session of a gauntlet: rounds of hands, each written down at once, until all intervals are narrow, or Ctrl-C.

Round r against an opponent depends on the seed, r and the two players alone. Results are those of the rounds that
``metrics.jsonl`` has. So a run that was stopped, or killed, goes on where it was and ends with the same bits.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import NamedTuple

import jax
from rich.console import Console

from jaxpoker import match, runs
from jaxpoker.dashboard import Pace
from jaxpoker.games.holdem import Holdem
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.players.knowledge import WIN_SAMPLES
from jaxpoker.rivals import HANDS_PER_TABLE
from jaxpoker.runs.teller import Teller
from jaxpoker.studies.gauntlet import rounds
from jaxpoker.studies.gauntlet.config import Config
from jaxpoker.studies.gauntlet.entrants import Opponent
from jaxpoker.studies.gauntlet.rounds import Aim, Standing


class Played(NamedTuple):
    """What came of all sessions so far."""

    standings: dict[str, Standing]
    processor_seconds: float  # of this session
    stopped_by: int | None  # the signal that ended it early


def play(
    run: runs.Run[Config], player: Entrant, game: Holdem, opponents: Mapping[str, Opponent], console: Console
) -> Played:
    """Plays on from the rounds that the run has; ``run.seconds`` is the time of all sessions."""
    aim = Aim(run.config.half_width, run.config.hands, run.config.tables)
    rows = run.metrics()
    standings = rounds.replayed(rows, {name: Standing() for name in opponents}, aim)
    mesh = run.launch.mesh(aim.tables)
    key = jax.random.key(run.config.seed)
    before, step = (rows[-1]["seconds"], rows[-1]["step"]) if rows else (0.0, 0)
    began, processor = time.perf_counter(), time.process_time()
    pace = Pace(0)
    with contextlib.closing(Teller(console, run.folder, rows)) as teller, runs.signals_caught() as caught:
        while not caught and (name := rounds.next_opponent(standings, aim)) is not None:
            round_key = jax.random.fold_in(key, standings[name].rounds)
            played = _round(game, [player, opponents[name].entrant], round_key, aim.tables, mesh)
            step += 1
            run.seconds = before + time.perf_counter() - began
            row = teller.write(step, run.seconds, rounds.metrics_of(name, played))
            standings = rounds.replayed([row], standings, aim)
            teller.tell(_progress(name, standings, aim, pace, run.seconds))
    run.seconds = before + time.perf_counter() - began
    return Played(standings, time.process_time() - processor, caught[0] if caught else None)


def _round(game: Holdem, pair: list[Entrant], key: jax.Array, tables: int, mesh: jax.sharding.Mesh | None) -> Estimate:
    """What the first of a pair wins in one round, in mBB/hand, all-ins at their worth."""
    result = match.play(
        game,
        pair,
        key,
        tables=tables,
        hands_per_table=HANDS_PER_TABLE,
        win_samples=WIN_SAMPLES,
        mesh=mesh,
        luck=False,
    )
    return result.mbb_per_hand[0]


def _progress(name: str, standings: Mapping[str, Standing], aim: Aim, pace: Pace, seconds: float) -> str:
    """How far all is after a round against ``name``."""
    played = sum(standing.rounds for standing in standings.values())
    pace.steps = sum(standing.expected(aim) for standing in standings.values())
    pace.at(played, seconds)
    done = sum(standing.is_done(aim) for standing in standings.values())
    known = {other: standing.result for other, standing in standings.items() if standing.result is not None}
    worst = min(known, key=lambda other: known[other].mean)
    millions = [count * aim.hands_per_round / 1e6 for count in (played, pace.steps)]
    return (
        f"{millions[0]:.2f} of {millions[1]:.2f} M hands  {pace}  {done} of {len(standings)} done  "
        f"worst {worst} {known[worst]}  now {name} {known[name]}"
    )
