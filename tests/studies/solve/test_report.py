"""The speed of a run, from its lines of metrics."""

from types import SimpleNamespace

from jaxpoker.studies.solve import report
from jaxpoker.studies.solve.config import Config


def run_of(config, *rows):
    return SimpleNamespace(config=config, metrics=lambda: list(rows))


def test_the_first_line_has_compiled_and_does_not_count():
    run = run_of(Config(game="kuhn"), {"step": 1, "seconds": 60.0}, {"step": 101, "seconds": 62.0})
    assert report.speeds(run) == {"iterations_per_s": 50}


def test_a_sampling_solver_does_not_pay_for_its_evaluations():
    rows = [
        {"step": 1, "seconds": 1.0, "boards": 32, "node_updates": 10},
        {"step": 3, "seconds": 2.0, "boards": 96, "node_updates": 10},
        {"step": 4, "seconds": 90.0, "boards": 128, "node_updates": 10, "exploitability": 5.0},
    ]
    found = report.speeds(run_of(Config().resolved(), *rows))
    assert found == {"iterations_per_s": 2, "boards_per_s": 64, "node_updates_per_s": 20}


def test_one_line_tells_no_speed():
    assert report.speeds(run_of(Config(), {"step": 1, "seconds": 3.0})) == {"iterations_per_s": None}
