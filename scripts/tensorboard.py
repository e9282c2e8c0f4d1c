#!/usr/bin/env python3
"""Makes TensorBoard's files of the metrics of runs.

    python scripts/tensorboard.py runs/dqn/NAME runs/ppo/NAME
    python scripts/tensorboard.py runs/dqn/NAME --follow        goes on with a run at work until you stop it

Then: tensorboard --logdir runs. A run's files are in the folder tensorboard of its own.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

FOLLOW_SECONDS = 2.0


@dataclass(frozen=True)
class Options:
    """Which runs."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER ...")]
    """Folders of runs."""
    follow: bool = False
    """Go on until stopped."""


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(tyro.conf.FlagCreatePairsOff[Options], args=arguments, description=__doc__)
    from jaxpoker.runs import RunError
    from jaxpoker.runs.tensorboard import Mirror

    try:
        if not options.runs:
            raise RunError("name the folder of a run, as in: scripts/tensorboard.py runs/dqn/NAME")
        mirrors = [Mirror(run) for run in options.runs]
        for mirror in mirrors:
            print(f"{mirror.update():,} values of {mirror.lines:,} lines in {mirror.folder}")
        while options.follow:
            time.sleep(FOLLOW_SECONDS)
            for mirror in mirrors:
                mirror.update()
    except RunError as error:
        print(f"scripts/tensorboard.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
