"""Settings of the respond experiment."""

import pytest

from jaxpoker.studies.respond.config import Config


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"menu": "lots"}, "unknown bet size 'lots'"),
        ({"menu": "push/fold"}, "--menu 'push/fold': one with which the response may check and call"),
        ({"tables": 33}, "--tables 33: an even number"),
        ({"learning_rate": (0.0, 0.1)}, r"--learning-rate \(0.0, 0.1\): both above 0"),
        ({"to": " "}, "--to is empty: name a player, such as blueprint"),
        ({"validate_every": 0}, "--validate-every 0: at least 1"),
        ({"minutes": float("nan")}, "--minutes nan: more than 0"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Config(**settings)
