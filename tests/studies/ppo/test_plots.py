"""Pictures of how a network bets."""

import numpy as np

from jaxpoker.studies.ppo import plots
from jaxpoker.studies.ppo.style import Raises, Style


def test_every_raise_is_in_one_bar():
    pots = np.array([0.1, 0.5, 1.0, 9.0, 9.0, 0.2])
    least, all_in = np.array([False] * 5 + [True]), np.array([False] * 4 + [True, False])
    raises = Raises(np.zeros(6, int), pots, least, all_in, np.ones(6, bool))
    found = dict(zip(plots.BINS, plots.shares(raises, np.ones(6, bool)), strict=True))
    expected = {"min": 1, "<¼": 1, "½": 1, "1": 1, ">5": 1, "all-in": 1}
    assert {name: round(6 * part) for name, part in found.items() if part} == expected
    assert not plots.shares(raises, np.zeros(6, bool)).any()


def test_pictures_are_drawn(tmp_path):
    raises = Raises(np.arange(4), np.ones(4), *(np.arange(4) % 2 == i for i in (0, 1, 0)))
    found = Style(np.full((4, 4), 0.25), raises)
    plots.sizes(tmp_path / "sizes.png", found)
    plots.kinds(tmp_path / "kinds.png", found)
    assert all((tmp_path / name).stat().st_size > 5_000 for name in ("sizes.png", "kinds.png"))
