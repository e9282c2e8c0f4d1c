"""Blueprints."""

from __future__ import annotations

from jaxpoker.solvers.blueprint.blueprint import *  # noqa
