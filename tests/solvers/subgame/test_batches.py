"""Many spots at once, templates that they share, and what is compiled for them."""

from __future__ import annotations

import json
import subprocess
import sys

import jax
import numpy as np
import pytest

from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import betting, template
from jaxpoker.solvers.subgame.menus import Menu

BOARDS = ("Ks 7h 3d 9h 2c", "Ts 8d 8c 4h 2h", "As Ks Qs 5d 5c", "6c 5c 4c 3c 2d", "Qd Qc 9s 9d 2c")


def river_spots(menu: Menu, stacks: tuple[float, ...] = (300, 320, 340, 360, 380)) -> list[subgame.Spot]:
    """Boards, ranges, pots and stacks differ."""
    rng = np.random.default_rng(3)
    return [
        subgame.Spot(board, 90 + number, *rng.random((2, 1326)), menu, stack=stack)
        for number, (board, stack) in enumerate(zip(BOARDS, stacks, strict=True))
    ]


@pytest.fixture
def compilations():
    """A list that has an entry for every program that is compiled."""
    found: list[str] = []
    heard = True

    def listen(event: str, duration: float, **_: object) -> None:
        if heard and event.endswith("backend_compile_duration"):
            found.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield found
    heard = False


def test_many_spots_are_solved_as_each_alone(menu_of):
    """Their trees differ: with the shorter stacks the second raise is all-in. What is missing is masked."""
    spots = river_spots(menu_of("75%", "100%", max_raises=3), stacks=(60, 250, 600, 900, 2000))
    shapes = {template.shape_of(betting.tree(spot)) for spot in spots}
    assert len(shapes) > 2
    batch = subgame.solve_many(spots, iterations=8)
    assert len(batch) == 5
    for number, spot in enumerate(spots):
        alone = subgame.solve(spot, iterations=8)
        assert batch.ev[number] == pytest.approx(alone.ev, abs=2e-2)
        assert batch.exploitability_percent[number] == pytest.approx(alone.exploitability_percent, abs=2e-2)
        ours, theirs = batch[number].at("c"), alone.at("c")
        assert ours.actions == theirs.actions
        assert ours.frequencies == pytest.approx(theirs.frequencies, abs=2e-3)


def test_nothing_is_compiled_for_a_new_board_range_pot_or_stack(menu_of, compilations):
    first, *others = river_spots(menu_of("60%, 130%", "100%", max_raises=2))
    subgame.solve(first, iterations=11)
    assert compilations
    compilations.clear()
    for spot in others:
        assert subgame.solve(spot, iterations=23).iterations == 23
    assert not compilations
    subgame.solve_many([first, *others[:2]], iterations=2)
    compilations.clear()
    again = [others[1], first, others[0]]
    assert len(subgame.solve_many(again, iterations=3)) == 3
    assert not compilations


def test_progress_is_told(menu_of):
    told: list[tuple[int, int]] = []
    subgame.solve_many(river_spots(menu_of("60%"))[:3], iterations=1, progress=lambda *done: told.append(done))
    assert told == [(3, 3)]


@pytest.mark.parametrize(("spots", "iterations"), [([], 1), (None, 0)])
def test_nothing_to_do_is_refused(river_spot, spots, iterations):
    with pytest.raises(ValueError):
        subgame.solve_many([river_spot] if spots is None else spots, iterations=iterations)


DEVICES = """
import json, sys
import jax
jax.config.update("jax_num_cpu_devices", 4)
import numpy as np
from jaxpoker import devices
from jaxpoker.solvers import subgame

rng = np.random.default_rng(5)
boards = [rng.choice(52, 5, replace=False).tolist() for _ in range(6)]
spots = [subgame.Spot(b, 100, *rng.random((2, 1326)), "75%, a", stack=300) for b in boards]
one, four = (subgame.solve_many(spots, iterations=4, mesh=mesh) for mesh in (None, devices.mesh(4)))
print(json.dumps([[x.ev.tolist(), x.exploitability_percent.tolist()] for x in (one, four)]))
"""


def test_four_devices_find_what_one_does():
    done = subprocess.run([sys.executable, "-c", DEVICES], capture_output=True, text=True, check=True)
    (ev, percent), (ev_of_four, percent_of_four) = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(ev_of_four, ev, atol=1e-2)
    np.testing.assert_allclose(percent_of_four, percent, atol=1e-2)
