"""What ``jaxpoker.learners`` exports, and what importing it costs."""

import os
import subprocess
import sys

import pytest

from jaxpoker import learners


@pytest.mark.parametrize("name", learners.__all__)
def test_an_export_is_the_thing_of_that_name(name):
    thing = getattr(learners, name)
    assert getattr(thing, "__name__", name) == name


def test_an_unknown_learner_is_named_with_those_there_are():
    with pytest.raises(AttributeError, match="no attribute 'Sarsa': it has DQN, PPO"):
        _ = learners.Sarsa


def test_a_learner_is_imported_when_it_is_asked_for(repository):
    code = (
        "import sys; from jaxpoker import learners\n"
        "before = {'mctx', 'optax'} & set(sys.modules)\n"
        "learners.Search; print(before, 'mctx' in sys.modules, 'jaxpoker.learners.q_learning.dqn' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(repository), "JAX_PLATFORMS": "no_such_platform"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "set() True False"
