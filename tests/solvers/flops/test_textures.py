"""Kinds of flops and cards, and samples."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.solvers.flops import textures


@pytest.mark.parametrize(
    ("flop", "wanted"),
    [
        ("AhKh2h", ("monotone", "unpaired", "two in a row", "ace high")),
        ("Td9d6h", ("two-tone", "unpaired", "straight possible", "ten high or lower")),
        ("KsKd2c", ("rainbow", "paired", "disconnected", "king high")),
        ("7s7d7c", ("rainbow", "trips", "disconnected", "ten high or lower")),
        ("Ah2c4d", ("rainbow", "unpaired", "straight possible", "ace high")),
        ("Qs8h3d", ("rainbow", "unpaired", "disconnected", "queen high")),
    ],
)
def test_textures_as_players_name_them(flop, wanted):
    assert tuple(textures.of_flop(cards.parse(flop)).values()) == wanted


@pytest.mark.parametrize(
    ("board", "card", "wanted"),
    [
        ("Ks7h3h", "3d", textures.PAIRS),
        ("Ks7h3h", "2h", textures.THIRD),
        ("Kh7h3h", "2h", textures.FOURTH),
        ("Ks7h3d", "5c", textures.STRAIGHT),
        ("Ks7h3d", "Ac", textures.OVERCARD),
        ("Ks7h2d", "Jc", textures.BLANK),
    ],
)
def test_what_a_card_changes(board, card, wanted):
    assert textures.of_card(cards.parse(board), int(cards.parse(card)[0])) == wanted


def test_shares_of_all_flops_are_those_that_are_known():
    """Of 22,100 flops 5.2% are of one suit, 39.8% of three, 16.9% have a pair and 0.24% are trips."""
    flops, counts = textures.classes(), collections.Counter()
    for flop, times in zip(flops.cards, flops.times, strict=True):
        found = textures.of_flop(flop)
        counts[found["suits"]] += int(times)
        counts[found["pairing"]] += int(times)
    assert counts["monotone"] == 1_144 and counts["rainbow"] == 8_788
    assert counts["paired"] == 3_744 and counts["trips"] == 52


@pytest.mark.parametrize("number", [25, 200])
def test_a_sample_has_the_textures_of_all_flops(number):
    flops, drawn = textures.classes(), textures.sample(number, seed=3)
    assert len(drawn) == number
    for kind, names in textures.TEXTURES.items():
        for name in names:
            there = np.array([textures.of_flop(flop)[kind] == name for flop in flops.cards])
            share, whole = there[drawn].mean(), flops.times[there].sum() / flops.times.sum()
            assert abs(share - whole) < (0.5 if kind == "high card" else 0.3) * number**-0.5 + 1 / number
    assert (textures.sample(number, seed=4) != drawn).any()


def test_a_flop_is_found_among_the_classes():
    for flop in ("Td9d6h", "2c2d2h", "AsKsQs"):
        number = textures.number_of(cards.parse(flop))
        found = textures.classes().cards[number]
        assert sorted(found % 13) == sorted(cards.parse(flop) % 13)
