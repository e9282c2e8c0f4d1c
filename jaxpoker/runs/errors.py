"""How a run ends early: by a mistake that its user can put right, or by a signal."""

from __future__ import annotations


class RunError(Exception):
    """Something the user can put right: the message names the thing, its value and what would be right."""


class Stopped(SystemExit):
    """The run was stopped by a signal and has saved its state; ``code`` is the exit code, 128 + the signal's number."""
