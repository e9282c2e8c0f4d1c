"""The metrics of a run for TensorBoard.

    tensorboard.Mirror(Path("runs/dqn/full")).update()      # event files in runs/dqn/full/tensorboard

tensorboardX writes them (the extra ``trackers``).
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from jaxpoker.errors import RunError
from jaxpoker.runs.metrics import RESERVED, read_metrics

FOLDER = "tensorboard"  # in a run's folder


class Mirror:
    """Event files with what ``metrics.jsonl`` holds, made anew; ``update`` adds what has come since."""

    def __init__(self, run: Path, folder: Path | None = None) -> None:
        if importlib.util.find_spec("tensorboardX") is None:
            raise RunError("TensorBoard's files need tensorboardX: pip install 'jaxpoker[trackers]'")
        from tensorboardX import SummaryWriter

        read_metrics(run)  # a folder without any is said before anything is written
        self.run, self.folder, self.lines = run, folder or run / FOLDER, 0
        shutil.rmtree(self.folder, ignore_errors=True)
        self._writer = SummaryWriter(str(self.folder))

    def update(self) -> int:
        """Writes each metric of each new line as a scalar at its step and time; how many there were."""
        rows = read_metrics(self.run, say=lambda text: None)  # the last line of a run at work may not be whole yet
        written = 0
        for row in rows[self.lines :]:
            for name, value in row.items():
                if name not in RESERVED and value is not None:
                    self._writer.add_scalar(name, value, row["step"], walltime=row["seconds"])
                    written += 1
        self.lines = len(rows)
        self._writer.flush()
        return written

    def close(self) -> None:
        self._writer.close()
