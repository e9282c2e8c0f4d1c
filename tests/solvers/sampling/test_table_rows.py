"""Rows of a solver's tables: each decision has its own, or decisions that look alike share one."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxpoker.solvers.sampling.table_rows import SharedRows
from jaxpoker.solvers.tree import infosets


@pytest.mark.thorough
def test_a_row_for_each_decision_is_the_same_shared_or_not(short_holdem, updated):
    alone = short_holdem
    decisions = [np.arange(len(alone.rows.betting.tree.decisions(street=street))) for street in range(4)]
    shared = dataclasses.replace(alone, rows=SharedRows(alone.rows.betting, tuple(decisions)))
    one, other = (solver.average(updated(solver, 3)[0]) for solver in (alone, shared))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.thorough
def test_merged_decisions_share_their_regrets_and_their_strategy(short_holdem, updated):
    alone = short_holdem
    merged = infosets.merged_rows(alone.rows.betting.tree)
    shared = dataclasses.replace(alone, rows=SharedRows(alone.rows.betting, merged.row_of))
    assert merged.num_rows[3] < len(merged.row_of[3]) / 2
    together, apart = (updated(solver, 1)[0].regrets[0] for solver in (shared, alone))  # both from uniform play
    for a, b in zip(jax.tree.leaves(together), jax.tree.leaves(shared.rows.collect(0, apart)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    state, _ = updated(shared, 3)
    for rows, strategy in zip(merged.row_of, shared.average(state), strict=True):
        first = np.unique(rows, return_index=True)[1]
        np.testing.assert_array_equal(strategy, np.asarray(strategy)[first[rows]])
    assert np.ptp(np.asarray(shared.average(state)[1]), axis=0).max() > 0.01


def test_rows_that_cannot_be_shared_are_refused(short_holdem):
    betting = short_holdem.rows.betting
    rows = [np.arange(len(betting.tree.decisions(street=street))) for street in range(4)]
    with pytest.raises(ValueError, match="rows of 3 streets: betting goes over 4"):
        SharedRows(betting, tuple(rows[:3]))
    with pytest.raises(ValueError, match="of another player or with other legal actions"):
        SharedRows(betting, (rows[0] * 0, *rows[1:]))
    with pytest.raises(ValueError, match="rows for the"):
        SharedRows(betting, (rows[0][:-1], *rows[1:]))
