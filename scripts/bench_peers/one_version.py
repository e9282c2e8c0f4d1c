"""One version's works, in a process of its own: ``bench_peers.two_versions`` starts two of these and asks by turns.

    python -P one_version.py              prints the names of the figures that are a time or a speed
    python -P one_version.py FIGURE       prepares our work of that figure and does it once, then does it N times for
                                          each line N that comes in, and says how long that took

PYTHONPATH says whose figures: they come from the ``bench_peers`` found there, which may be of an older version than
this file. So this file uses no more of it than ``figures.FIGURES`` with ``name``, ``unit`` and ``prepare``.
Answers are lines of JSON.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> int:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a work prints is no answer

    def say(**answer: object) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    from bench_peers.figures import BYTES, FIGURES

    figures = {figure.name: figure for figure in FIGURES if figure.unit != BYTES}
    if len(sys.argv) == 1:
        say(names=list(figures))
        return 0
    work = figures[sys.argv[1]].prepare()
    try:
        work.repeat()  # compiles
        for line in sys.stdin:
            repeats = [work.repeat() for _ in range(int(line))]
            seconds, processor_seconds = (sum(one) for one in list(zip(*repeats, strict=True))[:2])
            say(amount=work.amount * len(repeats), seconds=seconds, processor_seconds=processor_seconds)
    finally:
        work.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
