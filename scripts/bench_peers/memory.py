"""The most memory that a run of an experiment takes: a process of its own, with its compiling, from start to end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_peers.timing import Repeat, Work

ROOT = Path(__file__).resolve().parent.parent.parent
KILOBYTE = 1 if sys.platform == "darwin" else 1_024  # of ru_maxrss: macOS counts bytes


def most_memory(experiment: str, *arguments: str) -> Work:
    """A run of ``experiment`` with nothing compiled before; the answer is the bytes of its largest resident set."""

    def repeat() -> Repeat:
        environment = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as said:
            script = ROOT / "experiments" / f"{experiment}.py"
            process = subprocess.Popen(
                [sys.executable, str(script), "--runs", folder, *arguments],
                env=environment,
                stdout=said,
                stderr=said,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                said.seek(0)
                raise RuntimeError(f"{script.name} {' '.join(arguments)} failed: {said.read()[-500:]}")
        processor = used.ru_utime + used.ru_stime
        return Repeat(time.perf_counter() - began, processor, float(used.ru_maxrss * KILOBYTE))

    return Work(1, repeat, once=True)
