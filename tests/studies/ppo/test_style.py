"""How a network bets: its decisions and raises, counted."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.models import sizednet
from jaxpoker.studies.ppo.style import KINDS, style


def test_raises_are_counted_by_street_and_size():
    game = jaxpoker.make("holdem", stack=1_000, small_blind=5, big_blind=10)
    network = sizednet.network(game)
    against = ppo.sparring(game, network, ("call",), (1.0,), 0.25)
    params = network.init(jax.random.key(0))
    found = style(network, params, against, params, jax.random.key(1), 128, 12)
    np.testing.assert_allclose(found.kinds.sum(axis=1), 1, atol=1e-6)
    assert (found.kinds[:, KINDS.index("raise")] > 0.2).all()
    raises = found.raises
    assert set(raises.street.tolist()) == {0, 1, 2, 3} and (raises.pots > 0).all()
    assert 0.02 < raises.all_in.mean() < 0.5 and 0.02 < raises.least.mean() < 0.5 and 0.3 < raises.ahead.mean() < 0.7
    first = (raises.street == 0) & raises.least & ~raises.all_in
    assert raises.pots[first].max() == pytest.approx(0.5)  # 10 more than the big blind, and there are 20 after the call
