"""Card abstractions: what every one of them keeps."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxpoker import cards, ranges
from jaxpoker.games.holdem.table import FLOP, PREFLOP, RIVER, TURN
from jaxpoker.solvers import abstraction
from jaxpoker.solvers.abstraction import OPEN_CARDS, rank_based

RANK_BASED = abstraction.make("rank_based")
HANDS, BOARDS = 2048, 256  # that are looked up at once


class Compiled:
    """An abstraction, its functions for many hands, and random hands on boards that it has buckets for."""

    def __init__(self, cards_of, flops=()):
        self.cards, self.num_buckets, self.tables = cards_of, cards_of.num_buckets, cards_of.tables
        self.of_hands = jax.jit(jax.vmap(cards_of.of_hand, (None, 0, 0, 0)))
        self.of_boards = jax.jit(jax.vmap(cards_of.of_board, (None, 0)))
        self.flops = np.array([cards.parse(flop) for flop in flops])

    @functools.cached_property
    def boards(self):
        return np.asarray(self.cards.sample_boards(self.tables, jax.random.key(8), 20_000))

    def hands(self, seed):
        """Hole cards ``[n, 2]``, boards ``[n, 5]`` and streets ``[n]``; the flop is one of the few in any suits."""
        rng = np.random.default_rng(seed)
        dealt = np.array(cards.deal(jax.random.key(seed), 7, (HANDS,)))
        if self.flops.size:
            flop = self.flops[rng.integers(len(self.flops), size=HANDS)]
            suits = rng.permuted(np.tile(np.arange(4), (HANDS, 1)), axis=1)
            flop = rng.permuted(np.take_along_axis(suits, flop // 13, axis=1) * 13 + flop % 13, axis=1)
            rest = cards.deal(jax.random.key(seed), 4, (HANDS,), dead=flop)
            dealt = np.concatenate([rest[:, :2], flop, rest[:, 2:]], axis=1)
        return dealt[:, :2], dealt[:, 2:], np.arange(HANDS) % 4


RANKS = Compiled(RANK_BASED)


def test_impossible_buckets_say_what_there_is():
    with pytest.raises(ValueError, match="bucket 9: rank_based has buckets 0 to 8 on the flop"):
        RANK_BASED.text(FLOP, 9)
    with pytest.raises(ValueError, match="street 4: streets are 0 preflop"):
        RANK_BASED.text(4, 0)


@pytest.fixture(scope="module", params=["rank_based", "equity"])
def compiled(request):
    if request.param == "rank_based":
        return RANKS
    return Compiled(request.getfixturevalue("few_flops"), ["Ts9h8h", "AsKs2s"])


@pytest.mark.thorough
def test_a_hand_has_the_bucket_that_it_has_among_all_hands_of_its_board(compiled):
    hole, board, street = compiled.hands(3)
    combo = ranges.combo_index(hole[:, 0], hole[:, 1])
    buckets = compiled.of_hands(compiled.tables, hole, board, street)
    for block in np.split(np.arange(HANDS), HANDS // BOARDS):
        among_all = np.asarray(compiled.of_boards(compiled.tables, board[block]))
        of_combo = among_all[np.arange(len(block)), street[block], combo[block]]
        np.testing.assert_array_equal(buckets[block], of_combo)
    assert all(len(np.unique(np.asarray(buckets)[street == s])) > 4 for s in range(4))


def test_cards_to_come_are_not_read(compiled):
    hole, board, street = compiled.hands(4)
    hidden = np.arange(5) >= np.asarray(OPEN_CARDS)[street][:, None]
    np.testing.assert_array_equal(
        compiled.of_hands(compiled.tables, hole, np.where(hidden, cards.NO_CARD, board), street),
        compiled.of_hands(compiled.tables, hole, board, street),
    )


def test_earlier_streets_of_a_board_do_not_depend_on_later_cards(compiled):
    _, board, _ = compiled.hands(5)
    here, there = board[:BOARDS], board[:BOARDS, [0, 1, 2, 4, 3]]
    buckets, swapped = (compiled.of_boards(compiled.tables, each) for each in (here, there))
    np.testing.assert_array_equal(buckets[:, :TURN], swapped[:, :TURN])
    np.testing.assert_array_equal(buckets[:, RIVER], swapped[:, RIVER])
    assert (buckets[:, TURN] != swapped[:, TURN]).any()


def test_renaming_suits_changes_no_bucket(compiled):
    hole, board, street = compiled.hands(6)
    order = np.array([2, 0, 3, 1])

    def renamed(ids):
        return order[ids // 13] * 13 + ids % 13

    np.testing.assert_array_equal(
        compiled.of_hands(compiled.tables, renamed(hole)[:, ::-1], renamed(board), street),
        compiled.of_hands(compiled.tables, hole, board, street),
    )


def test_every_bucket_is_in_range_even_for_combos_that_the_board_blocks(compiled):
    buckets = np.asarray(compiled.of_boards(compiled.tables, compiled.boards[:BOARDS]))
    assert buckets.dtype == np.int32 and buckets.shape == (BOARDS, 4, ranges.NUM_COMBOS)
    assert (buckets >= 0).all() and (buckets < np.array(compiled.num_buckets)[:, None]).all()


def test_boards_are_dealt_uniformly(compiled):
    assert all(len(set(board)) == 5 for board in compiled.boards[:500].tolist())
    counts = np.stack([np.bincount(column, minlength=52) for column in compiled.boards.T])
    assert (np.abs(counts - 20_000 / 52) < 5 * np.sqrt(20_000 / 52)).all()


# --- the conformance check --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rank_based", "rank_history", "equity"])
def test_every_abstraction_passes_the_check(name, request):
    known = request.getfixturevalue("few_flops") if name == "equity" else abstraction.make(name)
    assert abstraction.check(known, jax.random.key(0), boards=8) == 8 * 4 * 2


@dataclasses.dataclass(frozen=True)
class Broken(rank_based.RankBased):
    """Rank-based buckets with one fault."""

    fault: str = ""

    def of_board(self, tables, board):
        found = super().of_board(tables, board)
        if self.fault == "looks ahead":
            return found.at[TURN].set(jnp.where(board[4] % 2 == 0, found[TURN], 8 - found[TURN]))
        if self.fault == "a bucket too many":
            return found.at[RIVER, 17].set(9)
        return found.astype(jnp.float32) if self.fault == "float" else found

    def of_hand(self, tables, hole, board, street):
        found = super().of_hand(tables, hole, board, street)
        if self.fault == "order counts":
            return jnp.where((hole[0] > hole[1]) & (street == PREFLOP), 0, found)
        return jnp.where(street == FLOP, 0, found) if self.fault == "of_hand differs" else found

    def sample_boards(self, tables, key, n):
        dealt = super().sample_boards(tables, key, n)
        return dealt.at[:, 4].set(dealt[:, 0]) if self.fault == "a card twice" else dealt

    def __eq__(self, other):
        return self is other if self.fault == "never equal" else isinstance(other, Broken) and self.fault == other.fault

    def __hash__(self):
        return hash(self.fault)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("looks ahead", "buckets of the turn do not depend on later cards"),
        ("a bucket too many", "buckets are 0 to num_buckets - 1"),
        ("float", "of_board is int32"),
        ("order counts", "of_hand is of_board on the preflop"),
        ("of_hand differs", "of_hand is of_board on the flop"),
        ("a card twice", "the cards of a board differ"),
        ("never equal", "abstractions with one fingerprint are equal"),
    ],
)
def test_the_check_names_what_is_broken(fault, message):
    with pytest.raises(AssertionError, match=message):
        abstraction.check(Broken(fault=fault), jax.random.key(0), boards=8)


def test_the_check_asks_for_all_of_the_contract():
    with pytest.raises(AssertionError, match="all that CardAbstraction names"):
        abstraction.check(object(), jax.random.key(0))
