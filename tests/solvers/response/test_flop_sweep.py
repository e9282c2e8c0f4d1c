"""A best response with real cards on one flop: against a recursion over the tree with hands compared by eval7, against
the same boards without exchanges of suits, and types of hands against hands one by one."""

import functools
import itertools

import eval7
import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.ranges import COMBOS
from jaxpoker.solvers import abstraction, tree
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.response import flop_sweep, public_cards, river_hands
from jaxpoker.solvers.tree import CHANCE, DECISION

pytestmark = [pytest.mark.optimised, pytest.mark.thorough]

of_board = jax.jit(lambda known, tables, board: known.of_board(tables, board), static_argnums=0)
SHARED = (COMBOS[:, None, :, None] == COMBOS[None, :, None, :]).any(axis=(2, 3))
LEFT = {3: 45, 4: 44}  # cards that two hands and so many open ones leave


@functools.cache
def random_blueprint(menu="preflop: a; postflop: 50%, a; raises: 1", stack=120, known="rank_based"):
    game = jaxpoker.make("holdem", menu=menu, stack=stack, small_blind=5, big_blind=10)
    betting, buckets = tree.build(game), abstraction.make(known)
    rng = np.random.default_rng(0)
    strategy = []
    for street, number in enumerate(buckets.num_buckets):
        nodes = betting.decisions(street=street)
        weights = rng.exponential(size=(len(nodes), number, betting.num_actions)) * betting.legal(nodes)[:, None]
        strategy.append((weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32))
    return Blueprint(betting, buckets, tuple(strategy))


def some_runouts(flop, turns, rivers):
    """So many turns and rivers after each, all suits kept apart."""
    found = public_cards.after(flop)
    free = [card for card in range(52) if card not in flop]
    picked = np.random.default_rng(1).permutation(free)[: turns + rivers]
    own, after = picked[:turns], picked[turns:]
    return found._replace(
        num_orders=np.int32(1),
        orders=np.zeros(24, np.int32),
        turns=np.resize(own, 49).astype(np.int32),
        turn_times=np.ones(49, np.float32),
        num_turns=np.int32(turns),
        turn_orders=np.zeros((49, 24), np.int32),
        num_turn_orders=np.ones(49, np.int32),
        rivers=np.tile(np.resize(after, 48), (49, 1)).astype(np.int32),
        river_times=np.ones((49, 48), np.float32),
        num_rivers=np.where(np.arange(49) < turns, rivers, 0).astype(np.int32),
    )


# --- a recursion over the tree ------------------------------------------------------------------


@functools.cache
def signs(board):
    """[1326, 1326]: who wins between two hands that share no card."""
    names = [eval7.Card(cards.text([card])) for card in range(52)]
    table = [names[card] for card in board]
    of_hand = np.array(
        [0 if set(hand) & set(board) else eval7.evaluate([names[c] for c in hand] + table) for hand in COMBOS.tolist()]
    )
    return np.where(SHARED, 0, np.sign(of_hand[:, None] - of_hand[None]).astype(float))


def without(card):
    return (card != COMBOS).all(axis=1).astype(float)


@functools.cache
def buckets_of(known, board):
    return np.asarray(of_board(known, known.tables, np.array(board, np.int32)))


class Recursion:
    """What the responder's hands are worth, node by node and card by card."""

    def __init__(self, blueprint, seat, runouts):
        self.blueprint, self.seat = blueprint, seat
        self.turns = runouts.turns[: runouts.num_turns].tolist()
        self.rivers = runouts.rivers[0, : runouts.num_rivers[0]].tolist()

    def buckets(self, board, street):
        others = [card for card in range(52) if card not in board]
        return buckets_of(self.blueprint.abstraction, tuple([*board, *others][:5]))[street]

    def dealt(self, board, reach, f):
        cards_to_come = {3: self.turns, 4: self.rivers}[len(board)]
        parts = [without(c) * f((*board, c), reach * without(c)) for c in cards_to_come]
        return sum(parts) / LEFT[len(board)]

    def shown_down(self, board, reach):
        if len(board) < 5:
            return self.dealt(board, reach, self.shown_down)
        return signs(board) @ reach

    def values(self, node, board, reach):
        betting = self.blueprint.tree
        if betting.kind[node] == CHANCE:
            child = int(betting.children[node, 0])
            return self.dealt(board, reach, lambda cards, left: self.values(child, cards, left))
        if betting.kind[node] == DECISION:
            actions = np.nonzero(betting.legal(node))[0].tolist()
            following = [int(betting.children[node, a]) for a in actions]
            if betting.player[node] == self.seat:
                return np.max([self.values(child, board, reach) for child in following], axis=0)
            played = self.blueprint.at(node)[self.buckets(board, int(betting.street[node]))]
            pairs = zip(actions, following, strict=True)
            return sum(self.values(child, board, reach * played[:, a]) for a, child in pairs)
        pays = betting.payoffs_of(self.seat)[node, 2 * self.seat]  # when the responder wins
        return pays * (~SHARED @ reach if betting.is_fold(node) else self.shown_down(board, reach))


def preflop_reach(blueprint, seat, node):
    """[1326]: how likely the other's own actions before the flop are to lead to ``node``."""
    betting, reach = blueprint.tree, np.ones(1326)
    path = betting.path(node)
    buckets = np.asarray(blueprint.abstraction.of_board(blueprint.abstraction.tables, np.arange(5)))[0]
    for here, after in itertools.pairwise(path):
        if betting.kind[here] == DECISION and betting.player[here] != seat:
            reach = reach * blueprint.at(here)[buckets, betting.action[after]]
    return reach


@pytest.mark.parametrize("types", [river_hands.TYPES, ()])
def test_values_are_those_of_a_recursion_over_the_tree(types, monkeypatch):
    monkeypatch.setattr(river_hands, "TYPES", types)
    blueprint = random_blueprint()
    runouts = some_runouts(cards.parse("Ks7s3d").tolist(), 2, 2)
    hands = river_hands.prepared(blueprint.abstraction, runouts)
    assert (hands.rivers.example.shape[1] > 0) == bool(types)
    sweep, tables = flop_sweep.of(blueprint)
    found = np.asarray(sweep.values(tables, hands))
    starts = [n for n in blueprint.tree.decisions(street=1) if blueprint.tree.turn[n] == 0]
    assert found.shape == (1326, 2 * len(starts))
    flop = tuple(runouts.flop.tolist())
    live = ~np.isin(COMBOS, flop).any(axis=1)
    for seat in range(2):
        slow = Recursion(blueprint, seat, runouts)
        for number, start in enumerate(starts):
            expected = live * slow.values(int(start), flop, live * preflop_reach(blueprint, seat, int(start)))
            assert np.abs(expected).max() > 0.1
            np.testing.assert_allclose(found[:, seat * len(starts) + number], expected, rtol=2e-5, atol=2e-4)


def test_exchanged_suits_change_nothing():
    """As8s3s leaves three suits alike: the turn 2c stands for 2d and 2h. With 2s, and all rivers of each."""
    blueprint = random_blueprint("preflop: a; postflop: a; raises: 1")
    short = public_cards.after(cards.parse("As8s3s"))
    turns = [t for t in range(23) if cards.text([short.turns[t]]) in ("2s", "2c")]
    number = [int(short.num_rivers[t]) for t in turns]
    picked = [*turns, *[turns[0]] * 47]
    short = short._replace(
        turns=short.turns[picked],
        turn_times=short.turn_times[picked],
        num_turns=np.int32(2),
        turn_orders=short.turn_orders[picked],
        num_turn_orders=short.num_turn_orders[picked],
        rivers=short.rivers[picked],
        river_times=short.river_times[picked],
        num_rivers=np.array([*number, *[0] * 47], np.int32),
    )
    every = [int(cards.parse(card)[0]) for card in ("2s", "2c", "2d", "2h")]
    rivers = np.zeros((49, 48), np.int32)
    for t, turn in enumerate(every):
        rivers[t] = [card for card in range(52) if card not in (*short.flop.tolist(), turn)]
    long = some_runouts(short.flop.tolist(), 4, 40)._replace(
        turns=np.resize(every, 49).astype(np.int32),
        rivers=rivers,
        num_rivers=np.where(np.arange(49) < 4, 48, 0).astype(np.int32),
    )
    sweep, tables = flop_sweep.of(blueprint)
    found, expected = (
        np.asarray(sweep.values(tables, river_hands.prepared(blueprint.abstraction, each))) for each in (short, long)
    )
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_a_tree_with_too_many_ends_is_refused():
    blueprint = random_blueprint("preflop: 2x, a; postflop: 33%, 75%, a; raises: 3", stack=1000)
    with pytest.raises(ValueError, match="ends on the river: exact responses are for up to"):
        flop_sweep.require_small(blueprint)
