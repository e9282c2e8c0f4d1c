"""How a run ends early by a signal."""

from __future__ import annotations


class Stopped(SystemExit):
    """The run was stopped by a signal and has saved its state; ``code`` is the exit code, 128 + the signal's number."""
