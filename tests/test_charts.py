"""Charts for the terminal: where hands lie, what a cell says with and without colours, and what is refused."""

import io
import re

import numpy as np
import pytest
from rich.color import ColorType
from rich.console import Console, RenderableType

from jaxpoker import charts, ranges


def number(name: str) -> int:
    return ranges.CLASS_NAMES.index(name)


def weights_of(**hands: float) -> np.ndarray:
    weights = np.zeros(169)
    for name, weight in hands.items():
        weights[number(name)] = weight
    return weights


def plain(chart: RenderableType, width: int = 80) -> list[str]:
    """The lines of a chart where there is no terminal, so no colours."""
    console = Console(file=io.StringIO(), width=width)
    console.print(chart)
    return console.file.getvalue().splitlines()


def cells(lines: list[str], first: int = 0) -> list[list[str]]:
    """Texts [13][13] of every second line from ``first``: names from 0, numbers from 1."""
    return [[line[6 * column : 6 * column + 5].strip() for column in range(13)] for line in lines[first:26:2]]


def backgrounds(chart: RenderableType, name: str) -> list[tuple[int, int, int]]:
    """The colours behind the five columns of the name of a hand, in a terminal with all colours."""
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor")
    row, column = divmod(number(name), 13)
    line = console.render_lines(chart)[2 * row]
    colours = [s.style and s.style.bgcolor for s in line for _ in s.text][6 * column : 6 * column + 5]
    assert all(colour and colour.type == ColorType.TRUECOLOR for colour in colours)
    return [tuple(colour.triplet) for colour in colours]


def test_hands_lie_as_in_the_usual_chart():
    names = cells(plain(charts.hand_grid(np.zeros(169))))
    assert names[0][:3] == ["AA", "AKs", "AQs"]
    assert [row[0] for row in names[:3]] == ["AA", "AKo", "AQo"]
    assert [names[i][i] for i in range(13)] == [2 * rank for rank in "AKQJT98765432"]
    assert (names[11][12], names[12][11], names[0][12], names[12][0]) == ("32s", "32o", "A2s", "A2o")
    assert [name for row in names for name in row] == list(ranges.CLASS_NAMES)


def test_a_cell_says_its_percentage_without_colours():
    lines = plain(charts.hand_grid(weights_of(AA=1, AKs=0.711, KK=0.999, T9s=0.001, AKo=0.5)))
    numbers = cells(lines, first=1)
    assert numbers[0][:3] == ["100", "71", "."]
    assert numbers[1][:2] == ["50", "99"]  # only always is 100
    assert numbers[4][5] == "1"  # and only never is a dot
    assert sum(cell == "." for row in numbers for cell in row) == 169 - 5
    assert "\x1b" not in "".join(lines)


def test_the_share_of_combos_counts_six_pairs_four_suited_and_twelve_offsuit():
    lines = plain(charts.hand_grid(weights_of(AA=1, AKs=1, AKo=0.5), "Jam", ["jam"]))
    assert lines[0] == "Jam"
    assert lines[-1].endswith(f"% jam   {(6 + 4 + 6) / 1326:.1%} of all combos")
    assert "100.0% of all combos" in plain(charts.hand_grid(np.ones(169)))[-1]
    assert charts.as_mix(ranges.preflop_table().equity).shares[0] == pytest.approx(0.5, abs=1e-12)


def test_colours_go_from_grey_to_the_actions_own():
    chart = charts.hand_grid(weights_of(AA=1, KK=0.5), actions=["call"])
    assert set(backgrounds(chart, "AA")) == {charts.CALL}
    assert set(backgrounds(chart, "72o")) == {charts.NOTHING}
    (half,) = set(backgrounds(chart, "KK"))
    for channel, low, high in zip(half, charts.NOTHING, charts.CALL, strict=True):
        assert channel == pytest.approx((low + high) / 2, abs=0.51)


def test_a_mix_fills_a_cell_in_proportion():
    mix = np.zeros((169, 3))
    mix[:, 2] = 1
    mix[number("AA")] = 0.4, 0.4, 0.2
    mix[number("KK")] = 0.5, 0, 0.5
    mix[number("QQ")] = 0.2, 0, 0
    mix[number("32o")] = 0
    chart = charts.hand_grid(mix, actions=["raise", "call", "fold"])
    raise_, call, fold = charts.RAISE, charts.CALL, charts.FOLD
    assert backgrounds(chart, "AA") == [raise_, raise_, call, call, fold]
    assert backgrounds(chart, "QQ") == [raise_] + [charts.NOTHING] * 4
    assert backgrounds(chart, "72o") == [fold] * 5
    kings = backgrounds(chart, "KK")
    assert kings[:2] + kings[3:] == [raise_, raise_, fold, fold]
    assert kings[2] == pytest.approx(np.add(raise_, fold) / 2, abs=0.51)

    lines = plain(chart)
    numbers = cells(lines, first=1)
    assert (numbers[0][0], numbers[1][1], numbers[2][2], numbers[0][1]) == ("R40", "R50", "R20", "F100")
    assert numbers[12][11] == "."
    shares = [(2.4 + 3 + 1.2) / 1326, 2.4 / 1326, (1.2 + 3 + 1326 - 6 * 3 - 12) / 1326]
    legend = [f"R  raise ({shares[0]:.1%})", f"C  call ({shares[1]:.1%})", f"F  fold ({shares[2]:.1%})"]
    assert re.split(r" {3,}", lines[-2].strip()) == legend


def test_hands_that_seldom_come_to_a_decision_are_dim_and_count_little():
    """All aces and half the kings come, and raise; queens never do, whatever they would play."""
    comes = weights_of(AA=1, KK=0.5)
    chart = charts.hand_grid(weights_of(AA=1, KK=1, QQ=1), actions=["raise"], reach=comes)
    assert backgrounds(chart, "AA") == [charts.RAISE] * 5
    assert backgrounds(chart, "KK") == [charts.blend(charts.NOTHING, charts.RAISE, 0.5)] * 5
    assert backgrounds(chart, "QQ") == [charts.NOTHING] * 5
    lines = plain(chart)
    assert cells(lines, first=1)[2][2] == "."
    assert "100.0% of combos that come here" in lines[-1]
    half = charts.as_mix(weights_of(KK=1), reach=comes)
    assert half.shares[0] == pytest.approx(3 / 9)
    with pytest.raises(ValueError, match="169 numbers from 0 to 1"):
        charts.as_mix(weights_of(AA=1), reach=2 * comes)


def test_actions_with_the_same_first_letter_and_kind_are_told_apart():
    names = ["raise 2.5", "raise 5", "re-raise", "all-in", "call", "check", "fold"]
    mix = np.eye(7)[np.arange(169) % 7]
    lines = plain(charts.hand_grid(mix, actions=names))
    letters = [re.match(r"\D", cell)[0] for cell in cells(lines, first=1)[0][:7]]
    assert len(set(letters)) == 7
    assert (letters[0], letters[4], letters[6]) == ("R", "C", "F")
    legend = "\n".join(lines[27:])
    assert all(f"{letter}  {name} (" in legend for letter, name in zip(letters, names, strict=True))
    assert len(set(charts.colours_of(names))) == 7
    assert len(charts.colours_of(["raise"] * 99)) == 99
    assert charts.colours_of(["BB calls", "jams 10", "Folds"]) == (charts.CALL, charts.ALL_IN, charts.FOLD)


def test_charts_are_at_most_80_columns_wide_and_two_stand_side_by_side_in_160():
    one = charts.hand_grid(np.full((169, 8), 0.125), "title", [f"action number {i}" for i in range(8)])
    assert max(map(len, plain(one, width=200))) <= 80
    two = charts.side_by_side(charts.hand_grid(np.ones(169), "SB"), charts.hand_grid(np.zeros(169), "BB"))
    wide, narrow = plain(two, width=160), plain(two, width=80)
    assert wide[0].split() == ["SB", "BB"]
    assert wide[1].split().count("AKs") == 2
    assert narrow[0].split() == ["SB"]
    assert len(narrow) == 2 * len(wide)


def test_text_is_legible_on_every_colour():
    """The contrast ratio of WCAG 2, by which 3 is the least for what people must make out; black on white is 21."""

    def luminance(colour: tuple[int, int, int]) -> float:
        c = np.asarray(colour) / 255
        return float(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])

    names = ["fold", "call", "raise", "all-in", "a", "b", "c", "d"]
    for colour in (charts.NOTHING, *charts.colours_of(names)):
        dark, light = sorted(luminance(c) for c in (colour, charts.text_colour(colour)))
        assert (light + 0.05) / (dark + 0.05) > 3, colour


def test_terminals_with_16_colours_still_tell_hands_apart():
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    console.print(charts.hand_grid(weights_of(AA=1), actions=["call"]))
    codes = {hand: code for code, hand in re.findall(r"\x1b\[([\d;]*)m (AA|AKs|AQs)", console.file.getvalue())}
    assert codes["AA"] != codes["AKs"] == codes["AQs"]
    assert all(int(code) < 108 for code in ";".join(codes.values()).split(";"))  # no 38;2;r;g;b


@pytest.mark.parametrize(
    ("weights", "actions", "error", "message"),
    [
        (np.ones(1325), (), ValueError, r"169 weights.*got shape \(1325,\)"),
        (np.ones((13, 13)), (), ValueError, r"169 weights.*got shape \(13, 13\)"),
        (np.ones((169, 0)), (), ValueError, r"got shape \(169, 0\)"),
        (np.full(169, "x"), (), TypeError, "takes numbers, not ndarray"),
        (weights_of(AKs=1.5), (), ValueError, "the weight of AKs is 1.5: it is from 0 to 1"),
        (weights_of(AKs=-0.5), (), ValueError, "the weight of AKs is -0.5: it is from 0 to 1"),
        (weights_of(QQ=np.nan), (), ValueError, "the weight of QQ is nan: it is from 0 to 1"),
        (np.full((169, 2), 0.75), ("call", "fold"), ValueError, "actions of AA add up to 1.5: they are 1 at most"),
        (np.full((169, 2), 2), ("call", "fold"), ValueError, "the weight of 'call' of AA is 2.0"),
        (np.ones((169, 2)) / 2, ("call",), ValueError, r"1 actions \('call',\) for 2 weights per hand"),
        (np.ones((169, 2)) / 2, ("call", "call"), ValueError, "have a name twice"),
        (np.ones(169), "call", TypeError, "a list of names .* not the text 'call'"),
    ],
)
def test_what_is_no_chart_is_refused(weights: np.ndarray, actions: tuple[str, ...], error: type, message: str):
    with pytest.raises(error, match=message):
        charts.hand_grid(weights, actions=actions)


def test_colours_are_one_per_action():
    with pytest.raises(ValueError, match="1 colours for 2 actions"):
        charts.hand_grid(np.ones((169, 2)) / 2, actions=["call", "fold"], colours=[(1, 2, 3)])
    assert set(backgrounds(charts.hand_grid(np.ones(169), colours=[(1, 2, 3)]), "AA")) == {(1, 2, 3)}


def test_rounding_of_float32_is_no_error():
    thirds = np.full((169, 3), np.float32(1 / 3)) * np.float32(1.000001)
    assert charts.as_mix(thirds).frequencies.max() <= 1
    assert charts.as_mix(np.full(169, np.float32(1.0000001))).frequencies.max() == 1


def test_a_range_is_drawn_as_the_mean_of_each_hands_combos():
    weights = ranges.parse("AA, KsKh, AKs:0.5")
    mix = charts.as_mix(weights)
    of = dict(zip(ranges.CLASS_NAMES, mix.frequencies[:, 0], strict=True))
    assert (of["AA"], of["KK"], of["AKs"], of["AKo"]) == pytest.approx((1, 1 / 6, 0.5, 0))
