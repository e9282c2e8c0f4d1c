"""Ranges: what the texts of poker players mean, and that weights survive being written and read."""

import itertools

import eval7
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxpoker import cards, ranges


def held(text: str) -> set[str]:
    """The classes that a range holds, all of their combos at weight 1."""
    weights = ranges.parse(text)
    classes = {ranges.CLASS_NAMES[c] for c in ranges.CLASS_OF_COMBO[weights > 0]}
    whole = np.isin(ranges.CLASS_OF_COMBO, [ranges.CLASS_NAMES.index(c) for c in classes])
    np.testing.assert_array_equal(weights, whole.astype(np.float32))
    return classes


# --- combos and classes -----------------------------------------------------------------------


def test_combos_are_all_pairs_of_cards_in_lexicographic_order():
    assert [tuple(combo) for combo in ranges.COMBOS.tolist()] == list(itertools.combinations(range(52), 2))


def test_combo_index_finds_the_combo_in_either_order():
    a, b = ranges.COMBOS.T
    np.testing.assert_array_equal(ranges.combo_index(a, b), np.arange(1326))
    np.testing.assert_array_equal(ranges.combo_index(b, a), np.arange(1326))
    np.testing.assert_array_equal(jax.jit(ranges.combo_index)(jnp.asarray(b), jnp.asarray(a)), np.arange(1326))
    assert ranges.combo_index(51, 50) == 1325


def test_classes_lie_as_in_the_usual_chart():
    chart = np.asarray(ranges.CLASS_NAMES).reshape(13, 13)
    assert chart[0, :3].tolist() == ["AA", "AKs", "AQs"]
    assert chart[1, :3].tolist() == ["AKo", "KK", "KQs"]
    assert chart[12, 11:].tolist() == ["32o", "22"]
    for combo, number in zip(ranges.COMBOS, ranges.CLASS_OF_COMBO, strict=True):
        ranks = sorted((cards.text(card)[0] for card in combo), key=cards.RANKS.index, reverse=True)
        suited = "" if ranks[0] == ranks[1] else "s" if combo[0] // 13 == combo[1] // 13 else "o"
        assert ranges.CLASS_NAMES[number] == "".join(ranks) + suited


def test_a_class_has_6_4_or_12_combos():
    for name, size in zip(ranges.CLASS_NAMES, ranges.COMBOS_PER_CLASS, strict=True):
        assert size == {2: 6}.get(len(name), 4 if name[-1] == "s" else 12)


# --- text to weights --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("QQ", "QQ"),
        ("TT+", "TT JJ QQ KK AA"),
        ("TT-77", "TT 99 88 77"),
        ("77-TT", "TT 99 88 77"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKs AKo"),
        ("KA", "AKs AKo"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("KTo+", "KTo KJo KQo"),
        ("AQ+", "AQs AQo AKs AKo"),
        ("T8s+", "T8s T9s"),
        ("76s+", "76s"),
        ("A2s-A5s", "A2s A3s A4s A5s"),
        ("A5s-A2s", "A2s A3s A4s A5s"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("QTo-86o", "QTo J9o T8o 97o 86o"),
        ("A10s", "ATs"),
        ("aks , qq", "AKs QQ"),
        (" 22 + ,\n A K o", "AKo 22 33 44 55 66 77 88 99 TT JJ QQ KK AA"),
        ("AhKh, AdKd, AcKc, AsKs", "AKs"),
    ],
)
def test_what_a_text_holds(text: str, classes: str):
    assert held(text) == set(classes.split())


@pytest.mark.parametrize(
    ("text", "combos"),
    [("22+", 78), ("AK", 16), ("AKs", 4), ("AKo", 12), ("AhKh", 1), ("random", 1326), ("any", 1326), ("100%", 1326)],
)
def test_number_of_combos(text: str, combos: int):
    assert ranges.parse(text).sum() == combos


@pytest.mark.parametrize(
    "text", ["22+", "TT-77", "AKs, QJo", "A2s-A5s, KTo+", "AT+", "T8s+, 98s", "AhKh, 7c2d", "QQ+, AKs, AKo, 65s"]
)
def test_same_hands_as_eval7(text: str):
    theirs = {frozenset(str(card) for card in hand) for hand, _ in eval7.HandRange(text.replace(" ", "")).hands}
    ours = {frozenset(map(cards.text, combo)) for combo in ranges.COMBOS[ranges.parse(text) > 0].tolist()}
    assert ours == theirs


def test_one_combo_has_its_weight_alone():
    weights = ranges.parse("Kd Ah : 0.25")
    assert weights[ranges.combo_index(*cards.parse("AhKd").tolist())] == 0.25
    assert np.count_nonzero(weights) == 1
    np.testing.assert_array_equal(weights, ranges.parse("A♥K♦:.25"))


def test_later_entries_override_earlier_ones():
    np.testing.assert_array_equal(ranges.parse("AK:0.5, AKs"), ranges.parse("AKs, AKo:0.5"))
    assert ranges.parse("random, AA:0").sum() == 1320
    assert ranges.parse("AKs, AhKh:0.25").sum() == 3.25


def test_top_percent_takes_the_hands_with_most_equity_and_exactly_that_share():
    equity = ranges.preflop_table().equity[ranges.CLASS_OF_COMBO]
    for percent in (0.1, 1, 5, 20, 33.3, 50, 99.9, 100):
        weights = ranges.parse(f"top {percent}%")
        assert weights.sum(dtype=np.float64) == pytest.approx(percent / 100 * 1326, abs=1e-5)
        partial = {ranges.CLASS_OF_COMBO[i] for i in np.flatnonzero((weights > 0) & (weights < 1))}
        assert len(partial) <= 1
        assert equity[weights > 0].min() >= equity[weights < 1].max(initial=0)
    np.testing.assert_array_equal(ranges.parse("20%"), ranges.parse("Top20%"))
    assert held(f"top {600 / 1326}%") == {"AA"}


@pytest.mark.parametrize(
    ("text", "what_is_right"),
    [
        ("", "write hands such as"),
        (" ", "write hands such as"),
        ("AA,,KK", "empty entry"),
        ("X2s", "ranks are 23456789TJQKA"),
        ("1h2h", "ranks are 23456789TJQKA"),
        ("22s", "write '22'"),
        ("22o+", "write '22'"),
        ("AKx", "'s' is suited"),
        ("A", "hands look like"),
        ("AhKhQh", "hands look like"),
        ("AhAh", "appears twice"),
        ("A5s-K2s", "keep the high card"),
        ("A2s-A5o", "both must be pairs, suited or offsuit"),
        ("TT-A7s", "both must be pairs, suited or offsuit"),
        ("top 120%", "at most 100"),
        ("top 0%", "above 0"),
        ("top many%", "'top 20%'"),
        ("AKs:2", "from 0 to 1"),
        ("AKs:-0.5", "from 0 to 1"),
        ("AKs:nan", "from 0 to 1"),
        ("AKs:", "from 0 to 1"),
        (":0.5", "empty entry"),
    ],
)
def test_bad_text_is_refused_with_what_would_be_right(text: str, what_is_right: str):
    with pytest.raises(ValueError) as error:
        ranges.parse(text)
    assert what_is_right in str(error.value)


def test_only_text_is_parsed_and_only_weights_are_written():
    with pytest.raises(TypeError, match="written as text"):
        ranges.parse(22)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="array of numbers"):
        ranges.text(np.asarray(["AA"] * 1326))
    with pytest.raises(ValueError, match="1326 weights"):
        ranges.text(np.ones(169))
    with pytest.raises(ValueError, match="from 0 to 1"):
        ranges.text(np.full(1326, 1.5))


# --- weights to text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AA,KK,QQ", "QQ+"),
        ("AA-22", "22+"),
        ("TT,99,88, 22", "TT-88, 22"),
        ("ATo,AJo,AQo,AKo", "ATo+"),
        ("A5s,A4s,A3s,A2s:0.5", "A3s-A5s, A2s:0.5"),
        ("AKs,AKo,AQs,AQo", "AQ+"),
        ("AKs,AKo,AQs", "AQs+, AKo"),
        ("KhAh", "AhKh"),
        ("random, AA:0, 32o:0", "KK-22, A2+, K2+, Q2+, J2+, T2+, 92+, 82+, 72+, 62+, 52+, 42+, 32s"),
        ("random", "random"),
        ("any:0", "random:0"),
        ("any:0.1", "random:0.1"),
    ],
)
def test_canonical_text(text: str, canonical: str):
    assert ranges.text(ranges.parse(text)) == canonical


combo_weights = st.dictionaries(st.integers(0, 1325), st.floats(0, 1, width=32), max_size=12)
class_weights = st.dictionaries(st.integers(0, 168), st.sampled_from([0.1, 0.25, 0.5, 1.0]), max_size=60)


@pytest.mark.thorough
@given(class_weights, combo_weights)
def test_text_reads_back_as_the_same_weights(by_class: dict[int, float], by_combo: dict[int, float]):
    weights = np.zeros(1326, np.float32)
    for number, weight in by_class.items():
        weights[np.equal(ranges.CLASS_OF_COMBO, number)] = weight
    for number, weight in by_combo.items():
        weights[number] = weight
    np.testing.assert_array_equal(ranges.parse(ranges.text(weights)), weights)


# --- the shipped table ------------------------------------------------------------------------


def test_preflop_table_has_the_published_equities():
    equity = dict(zip(ranges.CLASS_NAMES, ranges.preflop_table().equity, strict=True))
    assert equity["AA"] == pytest.approx(0.852037, abs=5e-7)
    assert equity["AKs"] == pytest.approx(0.67044632, abs=5e-9)
    assert equity["72o"] == pytest.approx(0.3458, abs=5e-5)
    assert equity["32o"] == pytest.approx(0.3230, abs=5e-5)
    assert min(equity, key=lambda name: equity[name]) == "32o"


def test_every_hand_of_the_table_counts_all_deals_and_all_hands_together_break_even():
    win, tie, lose = ranges.preflop_table()
    assert set((win + tie + lose).tolist()) == {1225 * 1_712_304}
    assert int((ranges.COMBOS_PER_CLASS * (win - lose)).sum()) == 0


def test_ranges_as_other_programs_write_them():
    """PioSOLVER: a weight after a colon; GTO+: percentages in brackets around several hands."""
    pio = ranges.parse("AA:0.25,22,A8s,AhKh:0.5")
    assert pio.sum() == pytest.approx(0.25 * 6 + 6 + 4 + 0.5)
    gto = ranges.parse("[25.0]AA, A8s[/25.0], 22, [50]AhKh[/50]")
    np.testing.assert_array_equal(gto, ranges.parse("AA:0.25, A8s:0.25, 22, AhKh:0.5"))
    for wrong in ("[250]AA[/250]", "[1.2.3]AA[/1]", "[50]AA"):
        with pytest.raises(ValueError):
            ranges.parse(wrong)
