"""Values of histories with both hands known: their mean over the deals is that of the sweep."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker.games import packed
from jaxpoker.games.leduc import CALL, RAISE, State
from jaxpoker.solvers.exact import exact_game, joint_values

LEDUC = jaxpoker.make("leduc")


@pytest.fixture(scope="module")
def leduc():
    return exact_game.whole(LEDUC)


def always(leduc, action):
    """The strategy table of one who takes ``action`` wherever it is legal, and calls elsewhere."""
    legal = leduc.legal_rows()
    return jnp.asarray(np.where(legal[:, [action]], np.eye(3)[action], np.eye(3)[CALL]) * legal, jnp.float32)


@pytest.mark.parametrize("actions", [(CALL, CALL), (RAISE, CALL), (RAISE, RAISE)])
def test_the_mean_of_the_first_decision_is_the_value_of_the_game(leduc, actions):
    tables = [always(leduc, action) for action in actions]
    by_row = joint_values.by_row(leduc, *tables)
    first = by_row[:6]  # rows of seat 0's first decision: its card
    apart = ~np.eye(6, dtype=bool)
    parts = [leduc.part(seat, table) for seat, table in enumerate(tables)]
    assert first[apart].mean() == pytest.approx(float(leduc.values(0, None, *parts).value), abs=1e-6)


def test_two_callers_win_an_ante_by_their_cards(leduc):
    """King against jack before the public card: it wins but for a jack that comes, 1 of 4."""
    by_row = joint_values.by_row(leduc, always(leduc, CALL), always(leduc, CALL))
    values = joint_values.aivat_values(leduc, always(leduc, CALL), always(leduc, CALL))
    assert by_row[4, 0] == pytest.approx((3 - 1) / 4)
    state = State(packed.pack(jnp.asarray([4, 0, 2])))
    assert float(values.value(values.params, (), LEDUC, state, 0)) == pytest.approx(0.5)
    assert float(values.value(values.params, (), LEDUC, state, -1)) == pytest.approx(0, abs=1e-6)
