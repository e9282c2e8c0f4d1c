"""External sampling: walks whose regrets are the exact ones in the mean."""

import pytest


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["leduc", "push/fold"])
def test_regrets_reach_and_value_are_exact_in_the_mean(require_exact_in_the_mean, name):
    require_exact_in_the_mean(name, "external")


@pytest.mark.thorough
def test_four_streets_of_holdem_are_walked_as_a_recursion_walks_them(require_walks_of_a_recursion):
    require_walks_of_a_recursion("external")
