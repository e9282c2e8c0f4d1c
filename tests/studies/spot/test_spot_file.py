"""Files of a spot, and the settings that they come to."""

import numpy as np
import pytest

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.runs.config import overlay
from jaxpoker.solvers.subgame import Spot
from jaxpoker.studies.spot import spot_file
from jaxpoker.studies.spot.config import Config

SIZES = {"bet": "60%,e,a", "raise": "2.5x"}
FILE = {
    "board": ["Td", "9d", "6h", "Qc"],
    "pot": 200,
    "stack": 900,
    "oop": "22+,AKs:0.5",
    "ip": "random",
    "menu": {"turn": {"oop": SIZES, "ip": SIZES}, "river": {"oop": SIZES, "ip": SIZES}},
    "donk": {"river": "50%"},
    "add_allin_threshold": 1.5,
    "merging_threshold": 0.1,
    "rake": 0.05,
    "rake_cap": 3,
    "bets": [0, 100],
    "note": "from elsewhere",
}


def test_a_file_comes_to_the_settings_of_the_same_spot():
    read = spot_file.spot_of(overlay(Config(), spot_file.understand(dict(FILE), "file"), "file").resolved())
    same = Spot.from_json(FILE)
    assert (read.board, read.pot, read.stacks, read.bets, read.to_act) == (
        *(same.board, same.pot, same.stacks, same.bets, same.to_act),
    )
    assert read.menu == same.menu and (read.rake, read.rake_cap) == (0.05, 3)
    np.testing.assert_array_equal(read.ranges, same.ranges)


def test_what_was_set_before_does_not_stay_beside_a_spot():
    before = Config(stack=5.0, rake=0.1, board="2c3c4c5c")
    settings = overlay(before, spot_file.understand({**FILE, "rake": 0, "target": 0.5}, "file"), "file")
    assert (settings.stack, settings.rake, settings.board, settings.target) == (None, 0.0, "Td9d6hQc", 0.5)


def test_flat_settings_are_left_alone():
    flat = {"board": "Ks7h3d9h", "pot": 10, "target": 0.2}
    assert spot_file.understand(dict(flat), "file") == flat


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "file: unknown field 'colour'"),
        ({"pot": "NaN"}, "file: pot='NaN': a number"),
        ({"board": ["Td", "Td", "6h", "Qc"]}, "appears twice"),
        ({"menu": {"turn": {"both": {}}}}, "'oop' and 'ip'"),
    ],
)
def test_mistakes_name_the_file_and_the_field(change, message):
    with pytest.raises(RunError, match=message):
        spot_file.understand({**FILE, **change}, "file")


def test_a_file_of_several_spots_is_told_apart():
    with pytest.raises(RunError, match=r"several spots \(one, two\)"):
        spot_file.understand({"one": FILE, "two": FILE}, "file")


def test_half_a_spot_is_refused_and_none_is_an_example():
    assert len(spot_file.spot_of(Config().resolved()).board) == 4
    whole = {"board": "Ks7h3d9h", "pot": 10.0, "stack": 20.0, "oop": "22+", "ip": "AA"}
    assert cards.text(spot_file.spot_of(Config(**whole).resolved()).board) == "Ks7h3d9h"
    for name in whole:
        with pytest.raises(ValueError, match=f"--{name} is missing"):
            Config(**{key: value for key, value in whole.items() if key != name}).resolved()


def test_a_line_of_a_blueprint_says_the_rest():
    with pytest.raises(ValueError, match="--pot: the line of --from-blueprint says it already"):
        Config(from_blueprint="r25c/cc/", board="Ks7h3d9h", pot=3.0).resolved()
    with pytest.raises(ValueError, match="give the open cards too"):
        Config(from_blueprint="r25c/cc/").resolved()
