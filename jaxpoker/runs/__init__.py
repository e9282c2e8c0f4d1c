"""Runs: one host loop for every learner and solver, and the folder that keeps what it did.

    launch = runs.parse(Config, PRESETS, experiment="solve", description=__doc__)
    with runs.start(launch) as run:
        state = run.train(learner, steps=launch.config.iterations)
        run.finish(exploitability=...)

A run lives in ``runs/<experiment>/<name>/``: ``config.yaml`` (every setting), ``metrics.jsonl`` (one line per update,
which dashboards and plots read), ``checkpoints/``, ``plots/`` and, at the end, ``summary.json``. A run that was
stopped or killed goes on with ``--resume`` and ends with the very bits it would have ended with.
"""

from jaxpoker.errors import RunError
from jaxpoker.runs.command import Launch, asked_for, main, parse
from jaxpoker.runs.loop import Learner, Run, signals_caught, start
from jaxpoker.runs.metrics import read_metrics
from jaxpoker.runs.stopped import Stopped

__all__ = [
    "Launch",
    "Learner",
    "Run",
    "RunError",
    "Stopped",
    "asked_for",
    "main",
    "parse",
    "read_metrics",
    "signals_caught",
    "start",
]
