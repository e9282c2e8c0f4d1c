"""What a phase of the dqn experiment gained."""

import pytest

from jaxpoker.match import Estimate
from jaxpoker.studies.dqn import evaluation

RESULTS = {
    "A": {"lag": Estimate(100.0, 3.0, 50), "tag": Estimate(10.0, 1.0, 50)},
    "B": {"lag": Estimate(120.0, 12.0, 50), "tag": Estimate(0.0, 1.0, 50)},
    "C": {"lag": Estimate(400.0, 4.0, 50), "tag": Estimate(-90.0, 1.0, 50)},
}


def test_a_gain_on_the_target_has_the_interval_of_two_separate_matches():
    found = evaluation.gains(RESULTS, "lag")
    assert list(found) == ["C over A", "C over B"]
    assert found["C over A"].mean == 300 and found["C over A"].ci95 == pytest.approx(5)
    assert found["C over B"].mean == 280 and found["C over B"].ci95 == pytest.approx(160**0.5)


def test_without_phase_c_or_its_target_there_is_no_gain():
    assert evaluation.gains({"A": RESULTS["A"]}, "lag") == {}
    assert evaluation.gains(RESULTS, "blueprint") == {}
