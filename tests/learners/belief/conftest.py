"""A learner that several files of tests look at: the same program, compiled once."""

import pytest

import jaxpoker
from jaxpoker.learners.belief.latent_search import Search
from jaxpoker.learners.belief.learner import Belief
from jaxpoker.models import belief
from jaxpoker.models.belief import Sizes


@pytest.fixture(scope="session")
def kuhn_learner():
    """Of beliefs about Kuhn poker, with a small network and a search."""
    game = jaxpoker.make("kuhn")
    return Belief(
        game,
        belief.network(game, Sizes(latent=16, heads=2, layers=1, feed_forward=32)),
        Search(simulations=4, depth=2, step=10.0),
        updates=150,
        tables=256,
        turns=8,
        learning_rate=(3e-3, 1e-3),
        magnet=(0.3, 0.3),
        entropy=(0.1, 0.05),
        average_over=20,
    )
