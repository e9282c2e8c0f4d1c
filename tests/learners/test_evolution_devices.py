"""A generation on four devices is a generation on one."""

import subprocess
import sys

PROGRAM = """
import dataclasses
import jax
import numpy as np

jax.config.update("jax_num_cpu_devices", 4)
from jaxpoker.learners import tser
from jaxpoker.learners.evolution import PROTOCOLS, Evolution
from jaxpoker.models import pokernet

breeding = tser.breeding(pokernet.random_genomes, generations=4, survival_rate=0.5)
alone = Evolution(PROTOCOLS["seed"], individuals=6, hands=12, win_samples=20, breeding=breeding)
mesh = jax.make_mesh((4,), ("tables",), axis_types=(jax.sharding.AxisType.Auto,))
spread = dataclasses.replace(alone, mesh=mesh)
(one, metrics), (four, others) = (learner.update(learner.init(jax.random.key(0))) for learner in (alone, spread))
assert len(four.population.sharding.device_set) == 4 and len(one.population.sharding.device_set) == 1
np.testing.assert_array_equal(one.population, four.population)
for name, value in metrics.items():
    np.testing.assert_allclose(value, others[name], rtol=1e-5, err_msg=name)
try:
    dataclasses.replace(alone, mesh=jax.make_mesh((3,), ("tables",), axis_types=(jax.sharding.AxisType.Auto,)))
except ValueError as error:
    assert "8 sessions of an individual over 3 devices" in str(error)
else:
    raise AssertionError("three devices took eight sessions")
"""


def test_one_device_and_four_make_the_same_generation(quick_compiler):
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=quick_compiler)
    assert done.returncode == 0, done.stderr
