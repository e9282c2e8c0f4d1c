"""The most memory that a run of an experiment takes: a process of its own, with its compiling, from start to end.

The system counts the memory of a process from before its program is loaded, when it still is a copy of the one that
started it. A small one, this file's own, therefore stands between the bench and the run.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_peers.timing import Work, work

ROOT = Path(__file__).resolve().parent.parent.parent
KILOBYTE = 1 if sys.platform == "darwin" else 1_024  # of ru_maxrss: macOS counts bytes


def most_memory(experiment: str, *arguments: str) -> Work:
    """A run of ``experiment`` with nothing compiled before; the answer is the bytes of its largest resident set."""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    command = [sys.executable, "-m", "bench_peers.memory", str(ROOT / "experiments" / f"{experiment}.py"), *arguments]

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*command, "--runs", folder],
                env={**environment, "PYTHONPATH": str(ROOT / "scripts")},
                capture_output=True,
                text=True,
            )
        if done.returncode:
            raise RuntimeError(f"{experiment} {' '.join(arguments)} failed: {done.stderr[-500:]}")
        return float(json.loads(done.stdout.splitlines()[-1]))

    return dataclasses.replace(work(1, run, float), once=True)


def main() -> int:
    """Runs the script named on the command line; the last line is the bytes that it took."""
    process = subprocess.Popen([sys.executable, *sys.argv[1:]])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps(used.ru_maxrss * KILOBYTE))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
