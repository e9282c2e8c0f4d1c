"""Mistakes that a user can put right."""

from __future__ import annotations


class RunError(Exception):
    """Something the user can put right: the message names the thing, its value and what would be right."""
