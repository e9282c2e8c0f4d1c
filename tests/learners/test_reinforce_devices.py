"""An update on four devices is an update on one."""

import subprocess
import sys

PROGRAM = """
import dataclasses
import jax
import numpy as np

jax.config.update("jax_num_cpu_devices", 4)
import jaxpoker
from jaxpoker.learners.reinforce import Reinforce
from jaxpoker.models import observer

game = jaxpoker.make("leduc")
settings = dict(tables=32, turns=8, trace=0.9, clip=0.2, epochs=2, minibatches=2, snapshots=1, pool_share=0.25)
alone = Reinforce(game, observer.network(game), **settings)
mesh = jax.make_mesh((4,), ("tables",), axis_types=(jax.sharding.AxisType.Auto,))
spread = dataclasses.replace(alone, mesh=mesh)
(one, metrics), (four, others) = (learner.update(learner.init(jax.random.key(0))) for learner in (alone, spread))
assert len(four.tables.table.sharding.device_set) == 4 and len(one.tables.table.sharding.device_set) == 1
np.testing.assert_array_equal(one.tables.table, four.tables.table)  # the same games were played
for ours, theirs in zip(jax.tree.leaves(one.params), jax.tree.leaves(four.params), strict=True):
    np.testing.assert_allclose(ours, theirs, atol=1e-5)  # sums over devices round differently
for name, value in metrics.items():
    np.testing.assert_allclose(value, others[name], rtol=1e-3, atol=1e-5, err_msg=name)
try:
    dataclasses.replace(alone, mesh=jax.make_mesh((3,), ("tables",), axis_types=(jax.sharding.AxisType.Auto,)))
except ValueError as error:
    assert "32 tables over 3 devices" in str(error)
else:
    raise AssertionError("three devices took 32 tables")
"""


def test_one_device_and_four_make_the_same_update(quick_compiler):
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=quick_compiler)
    assert done.returncode == 0, done.stderr
