"""Where a local best response may bet, and with what."""

import pytest

from jaxpoker.games import bets
from jaxpoker.solvers.response import settings


def test_there_are_56_different_sizes_from_the_minimum_to_all_in():
    assert len(settings.SIZES) == len(set(settings.SIZES)) == 56
    factors = [float(size.factor) for size in settings.POT_SIZES]
    assert factors == sorted(factors) and factors[0] == 0.1 and factors[20] == 1 and factors[-1] == 44.67
    assert {size.unit for size in settings.SIZES} == {"min", "pot", "all-in"}


def test_settings_say_street_by_street_what_may_be_done():
    menu = bets.MENUS["nine"]
    tree, none, late, everything = settings.SETTINGS.values()
    assert [setting.name for setting in settings.SETTINGS.values()] == ["tree", "fold-call", "late", "any"]
    assert all(tree.on(street).menu(menu) == menu and tree.on(street).may_fold for street in range(4))
    assert all(none.on(street).menu(menu).num_actions == 2 and none.on(street).may_fold for street in range(4))
    assert [late.on(street).menu(menu).num_actions for street in range(4)] == [2, 2, 58, 58]
    assert [late.on(street).may_fold for street in range(4)] == [False, False, True, True]
    assert all(everything.on(street).menu(menu).num_actions == 58 for street in range(4))
    assert [setting.leaves_menu for setting in settings.SETTINGS.values()] == [False, False, True, True]


def test_an_unknown_setting_is_refused():
    with pytest.raises(ValueError, match=r"unknown setting 'early' .*: there are tree, fold-call, late, any"):
        settings.of_name("early")
