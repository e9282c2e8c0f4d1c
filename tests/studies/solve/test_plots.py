"""How a run is called in a picture."""

import pytest

from jaxpoker.studies.solve.config import Config
from jaxpoker.studies.solve.plots import label_of


@pytest.mark.parametrize(
    ("config", "label"),
    [
        (Config(game="leduc"), "cfr+"),
        (Config(game="leduc", sampling="external"), "external, linear"),
        (Config(game="leduc", algorithm="dcfr", alternating=False), "dcfr, simultaneous"),
        (Config(), "public, cfr+"),
        (Config(stack=20.0), "public, dcfr"),
    ],
)
def test_a_run_is_called_by_its_sampling_and_its_algorithm(config, label):
    assert label_of(config.resolved()) == label
