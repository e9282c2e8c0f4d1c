"""The learner of responses: what validation keeps, and how much of a best response it finds."""

import jax
import pytest

from jaxpoker.studies.respond import evaluation
from jaxpoker.studies.respond.config import Config
from jaxpoker.studies.respond.learner import learner_of
from jaxpoker.studies.respond.targets import target_of


def learned(config):
    target = target_of(config.game, config.to)
    learner = learner_of(config, target)
    state, rows = learner.init(jax.random.key(config.seed)), []
    for _ in range(config.updates):
        state, metrics = learner.update(state)
        rows.append(metrics)
    return learner, state, rows


def test_the_network_of_the_best_validation_is_kept():
    config = Config(game="kuhn", to="noisy", learner="dqn", tables=64, updates=12, validate_every=3, falls_over=10)
    learner, state, rows = learned(config)
    found = {step: row["part"] for step, row in enumerate(rows, 1) if "part" in row}
    assert list(found) == [1, 3, 6, 9, 12]
    best = max(found, key=found.get)  # the first of equals
    assert int(state.best_step) == best and float(state.best_result) == pytest.approx(found[best])
    assert rows[-1]["best"] == pytest.approx(found[best])
    assert learner.validated(state.best)["part"] == pytest.approx(found[best])


@pytest.mark.thorough
@pytest.mark.optimised
def test_on_leduc_it_makes_95_percent_of_what_a_best_response_makes():
    """After some ten seconds; docs/guides/response.md has four strategies and longer runs."""
    config = Config(
        game="leduc", to="random", learner="dqn", tables=256, updates=300, validate_every=100, falls_over=300
    )
    learner, state, _ = learned(config)
    gain = evaluation.exact_gain(learner.target, learner.player, state.best)
    assert 0.95 <= gain.part <= 1 + 1e-5
