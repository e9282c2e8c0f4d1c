"""What players do with many keys, and whether they do it as often as they should."""

import math

import jax
import numpy as np
import pytest

from jaxpoker import players


@pytest.fixture(scope="session")
def chips_of():
    """``chips_of(game, names, draws)``: a function of a name and a state, [draws] what that player goes to."""

    def of(game, names, draws):
        acts = {name: players.make(name, game).act for name in names}
        keys = jax.random.split(jax.random.key(0), draws)

        @jax.jit
        def all_chips(state):
            return jax.vmap(lambda key: {name: act(None, (), game, state, key)[0] for name, act in acts.items()})(keys)

        return lambda name, state: np.asarray(all_chips(state)[name])

    return of


@pytest.fixture(scope="session")
def require_shares():
    """``require_shares(drawn, {chips: probability})``: only these, each as often as it should, within 4.5 sigma."""

    def require(drawn, shares):
        assert set(drawn.tolist()) == {to for to, share in shares.items() if share > 0}
        assert math.isclose(sum(shares.values()), 1)
        for to, share in shares.items():
            assert abs((drawn == to).mean() - share) <= 4.5 * math.sqrt(share * (1 - share) / len(drawn)), f"to {to}"

    return require
