"""What is told before the start."""

from __future__ import annotations

import jax
import pytest

from jaxpoker.errors import RunError
from jaxpoker.solvers import flops
from jaxpoker.solvers.flops import memory
from tests.solvers.flops.small_flops import small_spot


@pytest.mark.parametrize("bits", [32, 16])
def test_the_tables_take_what_is_told(solved, bits):
    state = solved.game.start(bits)
    there = sum(leaf.nbytes for held in state.everything() for leaf in jax.tree.leaves([held.regrets, held.averages]))
    assert memory.needed(solved.game, bits).tables == there


def test_too_much_memory_is_refused_before_the_start():
    with pytest.raises(RunError, match=r"GB of memory and 0\.1 GB are there"):
        flops.solve(small_spot(), iterations=1, memory_gb=0.1)


def test_more_hands_take_longer(solved):
    wide = flops.solving.described(small_spot(oop="22+, A2s+, KTs+"))
    assert memory.seconds_of(wide.game, 32) > 1.5 * memory.seconds_of(solved.game, 32)
