"""Bet sizes as text."""

from __future__ import annotations

import pytest

from jaxpoker.solvers.subgame import menus


def test_sizes_are_written_as_they_are_read():
    sizes = menus.parse_sizes("33.5%, 2.5x, 150, e, 2e, a")
    assert menus.parse_sizes(menus.sizes_text(sizes)) == sizes


@pytest.mark.parametrize("text", ["fifty", "-5%", "50%%", "bet", "0x"])
def test_sizes_that_are_none_are_refused_by_name(text):
    with pytest.raises(ValueError, match="size"):
        menus.parse_sizes(f"50%, {text}")
