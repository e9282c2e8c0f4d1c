"""Outcome sampling: walks whose regrets are the exact ones in the mean."""

import dataclasses

import jax
import numpy as np
import pytest


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["leduc", "push/fold"])
def test_regrets_reach_and_value_are_exact_in_the_mean(require_exact_in_the_mean, name):
    require_exact_in_the_mean(name, "outcome")


@pytest.mark.thorough
def test_four_streets_of_holdem_are_walked_as_a_recursion_walks_them(require_walks_of_a_recursion):
    require_walks_of_a_recursion("outcome")


def test_a_walk_teaches_the_decisions_of_one_line_alone(solver_of, leduc):
    """One game of Leduc has at most four decisions of a player; external sampling would try all actions of its own."""
    learned = {}
    for how in ("outcome", "external"):
        solver = dataclasses.replace(solver_of("leduc", how), batch=1)
        even = tuple(jax.numpy.asarray(leduc.part(player, jax.numpy.asarray(leduc.uniform()))) for player in (0, 1))
        walk = jax.jit(lambda key, solver=solver, even=even: solver.walks(solver.game.tables, 0, even, key).regrets)
        slots = [int((np.asarray(walk(key)) != 0).any(axis=0).sum()) for key in jax.random.split(jax.random.key(0), 20)]
        learned[how] = max(slots)
    assert 1 <= learned["outcome"] <= 4 < learned["external"]
