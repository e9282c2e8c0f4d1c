"""The randomness of the end of a run."""

import jax
import numpy as np

from jaxpoker.studies.final_key import final_key


def test_the_end_of_a_run_has_streams_that_no_update_has():
    ends = [final_key(7), final_key(7, further=1), final_key(8)]
    updates = [jax.random.fold_in(jax.random.key(7), step) for step in (0, 1, 1_000_000)]
    bits = {tuple(np.asarray(jax.random.key_data(key)).tolist()) for key in (*ends, *updates)}
    assert len(bits) == 6
    again = jax.random.fold_in(jax.random.key(7), 1 << 30)  # as runs have always had it
    np.testing.assert_array_equal(jax.random.key_data(ends[0]), jax.random.key_data(again))
