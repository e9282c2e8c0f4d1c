"""The local best response against one that is written a second time: plain loops, chips by hand, strengths of eval7."""

import functools
import math
from fractions import Fraction

import eval7
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games.holdem.table import Deal
from jaxpoker.players import Entrant, from_policy, on_menu
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers.response import local_best_response, range_play
from jaxpoker.solvers.response.settings import SETTINGS, Setting, StreetRule

pytestmark = [pytest.mark.optimised, pytest.mark.thorough]

STACK, BIG_BLIND = 20, 2
MENU = "50%, a; raises: 2"
MAX_RAISES = 2  # of the player's menu
FOLD, CALL = range(2)
SEATS = (0, 1)  # seat 0 has the button
TURN, RIVER = 2, 3
BOARDS = ("AhKd7c2h9d", "8s8d5h5c2s", "QsJsTs4d4h", "7h6h5h4c2d", "AsKhQd9c3h")


# --- a player with a policy and a memory, in JAX and in NumPy ----------------------------------------


def weights_of(low, high, memory, street, legal, xp):
    """``[actions]``: check or call until the turn; then anything, by the cards and by what it did before."""
    mood = (7 * low + 13 * high + 5 * street + 3 * memory) % 11 / 11
    early = xp.stack([0 * mood, 0 * mood + 1, 0 * mood, 0 * mood])
    late = xp.stack([0.1 + mood, 0 * mood + 0.7, 1.1 - mood, 0.3 * mood * mood])
    wanted = xp.where(street < TURN, early, late) * legal.reshape(-1, *[1] * mood.ndim)
    return wanted / wanted.sum(axis=0)


def remembered(low, memory):
    return (memory + low + 1) % 7


@functools.cache
def moody():
    def policy(params, memory, game, state):
        hand = state.deal.hole[state.current_player]
        low, high = hand.min(), hand.max()
        mix = weights_of(low, high, memory, state.street, state.legal_action_mask, jnp)
        return mix, remembered(low, memory)

    return on_menu(from_policy("moody", policy, lambda params: jnp.int32(0), lambda memory: jnp.int32(0)))


# --- the table by hand -------------------------------------------------------------------------------


class Table:
    """A turn or river: chips that both have put in before and on this street; ``acted`` since the last raise."""

    def __init__(self, street, before, bets=(0, 0), last_raise=0, raises=0, acted=0, turn=1):
        self.street, self.before, self.bets = street, before, tuple(bets)
        self.last_raise, self.raises, self.acted, self.turn = last_raise, raises, acted, turn

    def put(self, seat):
        return self.before + self.bets[seat]

    def raise_range(self):
        """The smallest and the largest raise "to" of the one to act; None where it may not raise."""
        own, other = self.bets[self.turn], self.bets[1 - self.turn]
        most = STACK - self.before
        gap = max(self.bets) - own
        if most <= max(self.bets) or gap < self.last_raise or most <= other:
            return None
        return min(max(self.bets) + max(self.last_raise, BIG_BLIND), most), most

    def size(self, fraction):
        """Call, then a fraction of the pot, rounded down."""
        price, own = max(self.bets), self.bets[self.turn]
        return price + math.floor(fraction * (2 * self.before + sum(self.bets) + price - own))

    def legal_to(self, unit, factor):
        """Chips of a size of a menu, or None where it is not legal."""
        limits = self.raise_range()
        if limits is None:
            return None
        least, most = limits
        if unit in ("min", "all-in"):
            to = least if unit == "min" else most
            return None if unit == "min" and to >= most else to
        to = self.size(factor)
        return to if least <= to < most else None

    def after(self, to):
        """The next table, "fold", or ("showdown", chips of each); ``to`` is chips, None a fold."""
        if to is None:
            return "fold"
        bets = list(self.bets)
        raised = to > max(self.bets)
        bets[self.turn] = to
        by = to - max(self.bets) if raised else 0
        acted = 1 if raised else self.acted + 1
        if acted < 2:
            return Table(
                self.street, self.before, bets, max(self.last_raise, by), self.raises + raised, acted, 1 - self.turn
            )
        if self.street == RIVER or self.before + bets[0] == STACK:
            return ("showdown", self.before + bets[0])
        return Table(RIVER, self.before + bets[0])


# --- the responder, in the words of the paper ----------------------------------------------------------


@functools.cache
def seven_card_strengths(board):
    """``[1326]`` of eval7 on five cards; -1 for hands that the board blocks."""
    dealt = [eval7.Card(c) for c in (board[i : i + 2] for i in range(0, 10, 2))]
    names = [cards.text([card]) for card in range(52)]
    deck = [eval7.Card(name) for name in names]
    return np.array(
        [-1 if deck[a] in dealt or deck[b] in dealt else eval7.evaluate([*dealt, deck[a], deck[b]]) for a, b in COMBOS]
    )


@functools.cache
def share_of(hand, board):
    """``[1326]``: of the pot, that ``hand`` wins from each hand on a board of four or five cards."""
    if len(board) == 8:
        total, times = np.zeros(1326), np.zeros(1326)
        for card in range(52):
            name = cards.text([card])
            if card in hand or name in (board[i : i + 2] for i in range(0, 8, 2)):
                continue
            free = (card != COMBOS).all(axis=1)
            total += np.where(free, share_of(hand, board + name), 0)
            times += free
        return total / np.maximum(times, 1)
    strengths = seven_card_strengths(board)
    mine = strengths[np.nonzero((np.sort(hand) == COMBOS).all(axis=1))[0][0]]
    return np.where(mine > strengths, 1.0, np.where(mine == strengths, 0.5, 0.0))


class Slow:
    """What the responder wins with one hand on one board, over all hands and actions of the player."""

    def __init__(self, hand, board, seat, sizes):
        self.hand, self.board, self.seat, self.sizes = tuple(hand), board, seat, sizes
        self.low, self.high = COMBOS.min(axis=1), COMBOS.max(axis=1)

    def free(self, street):
        known = [*self.hand, *cards.parse(self.open(street))]
        return ~np.isin(COMBOS, known).any(axis=1)

    def open(self, street):
        return self.board[:8] if street == TURN else self.board

    def plays(self, table, memory):
        """``[4, 1326]`` probabilities of the player, and chips of its four actions."""
        half = table.legal_to("pot", Fraction(1, 2)) if table.raises < MAX_RAISES else None
        jam = table.legal_to("all-in", None) if table.raises < MAX_RAISES else None
        may_fold = max(table.bets) > table.bets[table.turn]
        legal = np.array([may_fold, True, half is not None, jam is not None])
        mix = weights_of(self.low, self.high, memory, table.street, legal, np)
        return mix, (None, max(table.bets), half, jam)

    def wins(self, weights, street):
        return np.average(share_of(self.hand, self.open(street)), weights=weights * self.free(street))

    def choose(self, table, reach, memory):
        mine, other = table.put(self.seat), table.put(1 - self.seat)
        best, choice = -np.inf, None
        weights = reach * self.free(table.street)
        options = [("fold", None)] if other > mine else []
        options.append(("call", max(table.bets)))
        chips = [table.legal_to(size.unit, size.factor) for size in self.sizes]
        options += [("bet", to) for to in chips if to is not None]
        for kind, to in options:
            if kind == "fold":
                worth = 0.0
            elif kind == "call":
                share = self.wins(reach, table.street)
                worth = share * (mine + other) - (1 - share) * (other - mine)
            else:
                mix, _ = self.plays(table.after(to), memory)
                folds = np.average(mix[FOLD], weights=weights)
                share = self.wins(reach * (1 - mix[FOLD]), table.street)
                asked = table.before + to - mine
                more = table.before + to - other
                worth = folds * (mine + other) + (1 - folds) * (share * (mine + other + more) - (1 - share) * asked)
            if worth > best + 1e-7:
                best, choice = worth, to
        return choice

    def value(self, table, reach, memory):
        if table.turn == self.seat:
            return self.outcome(table, self.choose(table, reach, memory), reach, memory)
        mix, chips = self.plays(table, memory)
        likely = np.average(mix, axis=1, weights=reach * self.free(RIVER))
        after = remembered(self.low, memory)
        return sum(
            likely[action] * self.outcome(table, chips[action], reach * mix[action], after)
            for action in range(4)
            if likely[action] > 0
        )

    def outcome(self, table, to, reach, memory):
        after = table.after(to)
        if after == "fold":
            lost = table.put(table.turn)
            return -lost if table.turn == self.seat else lost
        if isinstance(after, tuple):
            return after[1] * (2 * self.wins(reach, table.street) - 1)
        return self.value(after, reach, memory)

    def result(self):
        """In big blinds: both have checked to the turn, where the player has decided once or twice with each hand."""
        memory = np.zeros(1326, int)
        for _ in range(2):  # before the flop and on it
            memory = remembered(self.low, memory)
        return self.value(Table(TURN, BIG_BLIND), np.ones(1326), memory) / BIG_BLIND


LATE = SETTINGS["late"]
QUIET = Setting("quiet", (StreetRule(False, ()), StreetRule(False, ()), StreetRule(sizes=())), "never bets")


@pytest.mark.parametrize(("setting", "hands"), [(LATE, 20), (QUIET, 30)])
def test_it_wins_what_the_slow_one_wins_hand_by_hand(setting, hands):
    """50 hands, on five boards, in both seats; the player has a memory of its own for each hand that it may hold."""
    game = jaxpoker.make("holdem", menu=MENU, stack=STACK, small_blind=1, big_blind=BIG_BLIND)
    match, params = local_best_response.of_entrant(Entrant(moody()), game, setting)
    rng = np.random.default_rng(len(setting.text))
    for number in range(hands):
        board, seat = BOARDS[number % len(BOARDS)], number % 2
        on_board = cards.parse(board)
        hand = np.sort(rng.choice(np.setdiff1d(np.arange(52), on_board), 2, replace=False))
        own = (hand == COMBOS).all(axis=1).astype(np.float32)
        deal = Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(on_board))
        found = local_best_response.on_deal(match, params, deal, seat, own)
        sizes = setting.on(RIVER).sizes
        expected = Slow(hand.tolist(), board, seat, sizes).result()
        assert found == pytest.approx(expected, abs=2e-4), (setting.name, board, cards.text(hand), seat)


def test_hands_with_a_card_in_common_do_not_meet():
    game = jaxpoker.make("holdem")
    weights = np.random.default_rng(0).random((1326, 3)).astype(np.float32)
    found = np.asarray(range_play.with_others(game, jnp.asarray(weights)))
    apart = ~(COMBOS[:, None, :, None] == COMBOS[None, :, None, :]).any(axis=(2, 3))
    np.testing.assert_allclose(found, apart @ weights, rtol=1e-4)
    small = np.asarray(range_play.with_others(jaxpoker.make("leduc"), jnp.ones((6, 1))))
    assert (small == 5).all()


def test_a_street_without_bets_is_always_called_where_it_may_not_fold():
    game = jaxpoker.make("holdem", menu=MENU, stack=STACK, small_blind=1, big_blind=BIG_BLIND)
    match, params = local_best_response.of_entrant(Entrant(moody()), game, LATE)
    deal = Deal.of(jnp.asarray([[0, 1], [2, 3]]), jnp.asarray(cards.parse(BOARDS[0])))
    line = range_play.start(match, params, deal)
    known = jax.jit(range_play.cards_on, static_argnums=(0, 2))(game, deal, 0)
    worth, choices, _ = range_play.worth_of_actions(match, params, known, 0, line, jnp.int32(0))
    assert worth.shape == (1326, 2) and choices.tolist() == [-1, 2]
    assert not np.isfinite(worth[:, FOLD]).any() and (np.asarray(worth).argmax(axis=1) == CALL).all()
