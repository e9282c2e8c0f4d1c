"""What is kept and told of many flops; the flops here are made up, not solved."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from rich.console import Console

from jaxpoker import cards
from jaxpoker.errors import RunError
from jaxpoker.solvers.flops import textures
from jaxpoker.studies.flops import facts, plots, report
from jaxpoker.studies.flops.chosen import chosen, spot_on
from jaxpoker.studies.flops.config import Config
from jaxpoker.studies.flops.facts import Facts
from jaxpoker.studies.flops.flop_by_flop import FlopByFlop

SMALL = Config(flops="AhKh2h, Ts9d6c, KsKd2c", oop="AA, 76s", ip="88, QJs", pot=10.0, stack=30.0, menu="50%")


@pytest.fixture(scope="module")
def layout():
    return facts.layout_of(spot_on(SMALL, cards.parse("AhKh2h")))


@pytest.fixture(scope="module")
def made_up(layout):
    """EV of oop 10, 20 and 60% of the pot; it bets 0.1, 0.2 and 0.6 of its hands, after every turn half of them."""
    wanted = chosen(SMALL)
    found = layout.empty(3)
    for flop, share in enumerate((0.1, 0.2, 0.6)):
        found.quality[flop] = (100 * share, 100 - 100 * share, 0.4, 50)
        found.decisions[flop, :, 0] = 1
        found.decisions[flop, 0, 5:7] = (1 - share, share)
        found.turns[flop, :, [c for c in range(52) if c not in wanted.boards[flop]], 0] = 1
        found.turns[flop, ..., 6] = 0.5
    return wanted, found


def test_all_flops_a_sample_and_a_list():
    everything = chosen(Config(flops="all"))
    assert len(everything.boards) == 1_755 and everything.weights.sum() == pytest.approx(1)
    assert len(chosen(Config(flops="40")).boards) == 40
    assert [cards.text(board) for board in chosen(SMALL).boards] == ["AhKh2h", "Ts9d6c", "KsKd2c"]


@pytest.mark.parametrize("flops", ["", "AhKh", "AhKhAh", "0", "2000", "AhKh2h, x"])
def test_flops_that_cannot_be_are_refused(flops):
    with pytest.raises(ValueError):
        chosen(Config(flops=flops))


@pytest.mark.parametrize("wrong", [{"shard": "3/2"}, {"target": 0.0}, {"at_once": 0}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match=f"--{next(iter(wrong)).replace('_', '-')}"):
        Config(**wrong)


def test_the_axes_have_names(layout):
    assert layout.decisions[:2] == ("", "check") and layout.players[:2] == ("oop", "ip")
    assert layout.actions[0] == ("check", "bet 5") and layout.dealt[0] == "check, check"
    assert layout.turn_actions[0][0] == ("check", "bet 5")


def test_means_by_texture_are_weighted(made_up, layout):
    wanted, found = made_up
    weighted = wanted._replace(weights=np.array([0.5, 0.25, 0.25]))
    groups = report.by_texture(weighted, report.figures_of_flops(found, layout))
    by_name = {group.name: group for group in groups}
    assert by_name["all flops"].figures["OOP bet 5"] == pytest.approx(100 * (0.5 * 0.1 + 0.25 * 0.2 + 0.25 * 0.6))
    assert by_name["rainbow"].figures["EV OOP"] == pytest.approx(40) and by_name["rainbow"].share == 0.5
    assert by_name["monotone"].figures["EV OOP"] == pytest.approx(10)
    assert by_name["paired"].flops == 1 and "trips" not in by_name


def test_turn_cards_by_kind(made_up, layout):
    wanted, found = made_up
    rows = report.by_turn_card(wanted, found, layout)
    first = [row for row in rows if row.line == "check, check"]
    assert sum(row.share for row in first) == pytest.approx(1)
    pairs = next(row for row in first if row.kind == textures.PAIRS)
    assert pairs.share == pytest.approx((9 + 9 + 5) / 147)  # of three flops with 49 turn cards each
    assert pairs.figures["OOP bet 5"] == pytest.approx(50)


def test_tables_and_files_have_all_of_it(made_up, layout, tmp_path):
    wanted, found = made_up
    console = Console(record=True, width=160)
    report.say(console, wanted, found, layout)
    shown = console.export_text()
    assert "all flops" in shown and "Turn cards after check, check" in shown and "0.400% of the pot" in shown
    report.write_csv(tmp_path, wanted, found, layout)
    rows = list(csv.DictReader((tmp_path / report.FLOPS_CSV).open()))
    assert [row["flop"] for row in rows] == ["AhKh2h", "Ts9d6c", "KsKd2c"]
    assert float(rows[2]["oop: bet 5"]) == pytest.approx(0.6) and rows[0]["suits"] == "monotone"
    turns = list(csv.DictReader((tmp_path / report.TURNS_CSV).open()))
    assert len(turns) == 3 * 49 * len(layout.dealt)
    assert report.figures(wanted, found, layout)["means"]["EV OOP"] == pytest.approx(30)


def test_pictures(made_up, layout, tmp_path):
    plots.draw(tmp_path, *made_up, layout)
    for name in ("textures", "flops", "turn_cards"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_facts_come_back_from_a_file_and_only_for_the_same_settings(made_up, layout, tmp_path):
    wanted, found = made_up
    whose = facts.fingerprint(SMALL.solving)
    facts.save(tmp_path / "facts.npz", whose, wanted.boards, found)
    loaded = facts.load(tmp_path / "facts.npz", whose)
    assert list(loaded) == ["AhKh2h", "Ts9d6c", "KsKd2c"]
    np.testing.assert_array_equal(loaded["KsKd2c"].turns, found.turns[2])
    with pytest.raises(RunError, match="another spot"):
        facts.load(tmp_path / "facts.npz", facts.fingerprint(Config(target=0.1).solving))
    (tmp_path / "facts.npz").write_bytes(b"no archive")
    with pytest.raises(RunError, match="damaged"):
        facts.load(tmp_path / "facts.npz", whose)


def test_what_changes_no_flop_changes_no_fingerprint():
    same = Config(flops="all", seed=4, at_once=2, keep="turn")
    assert facts.fingerprint(same.solving) == facts.fingerprint(Config().solving)


def test_flops_that_are_solved_at_once_must_fit_together(layout, tmp_path):
    config = Config(**{**SMALL.solving, "at_once": 3, "memory_limit": 1.5})
    learner = FlopByFlop(config, chosen(SMALL).boards, layout, tmp_path)
    with pytest.raises(RunError, match=r"3 flops at once take .* --bits 16"):
        learner.cost()


def test_a_flop_that_is_done_is_known_by_its_iterations(layout):
    empty = layout.empty(2)
    assert not empty.done.any()
    assert Facts(empty.quality + 1, empty.decisions, empty.turns).done.all()
