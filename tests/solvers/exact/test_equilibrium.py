"""Equilibria of small games as players."""

import jax
import pytest

from jaxpoker import players
from jaxpoker.solvers.exact import best_response, equilibrium


def test_kuhns_equilibrium_has_the_known_value_and_plays_by_the_contract(kuhn):
    found = equilibrium.entrant(kuhn.game, name="solved")
    quality = best_response.quality(kuhn, found.params)
    assert float(quality.exploitability) < 1e-3
    assert float(quality.value) == pytest.approx(-1 / 18, abs=1e-3)
    assert found.player.name == "solved"
    assert players.check(found.player, found.params, kuhn.game, jax.random.key(0)) > 50


def test_more_iterations_come_closer(leduc):
    few, many = (best_response.exploitability(leduc, equilibrium.entrant(leduc.game, n).params) for n in (20, 200))
    assert float(many) < float(few) / 5 and float(many) < 0.02
