"""One idiom to make a solver."""

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import solvers
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.sampling.hand_game import HandGame
from jaxpoker.solvers.sampling.public_cfr import PublicCFR
from jaxpoker.solvers.sampling.type_game import TypeGame
from jaxpoker.solvers.sampling.walk_cfr import WalkCFR

PUSH_FOLD = jaxpoker.make("holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2)


@pytest.mark.parametrize(
    ("sampling", "cards", "kind"),
    [
        (None, None, CFR),
        ("public", None, PublicCFR),
        ("external", None, WalkCFR),
        ("outcome", "rank_based", WalkCFR),
        (None, "rank_based", PublicCFR),
        ("public", "rank_based", PublicCFR),
    ],
)
def test_what_is_sampled_says_which_solver_it_is(sampling, cards, kind):
    solver = solvers.make("linear", PUSH_FOLD, sampling, cards)
    assert type(solver) is kind and solver.algorithm is ALGORITHMS["linear"]


@pytest.mark.thorough
def test_every_solver_starts_updates_and_averages_alike():
    for sampling in (None, "public", "external", "outcome"):
        solver = solvers.make("linear", jaxpoker.make("kuhn"), sampling)
        state, metrics = solver.update(solver.init(jax.random.key(0)))
        assert np.isfinite(float(metrics["value"]))
        table = np.asarray(solver.average(solver.run(state, 10)))
        np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-5)


def test_buckets_that_remember_are_swept_between_types_and_many_between_hands(classes):
    assert isinstance(solvers.make("dcfr", PUSH_FOLD, cards="rank_history").game, TypeGame)
    between_hands = solvers.make("dcfr", PUSH_FOLD, cards=_Everything())
    assert isinstance(between_hands.game, HandGame) and not between_hands.remember


class _Everything:
    """Every hand is a bucket of its own."""

    name, num_buckets, tables = "everything", (1326, 1, 1, 1), ()

    def of_board(self, tables, board):
        return jax.numpy.zeros((4, 1326), jax.numpy.int32).at[0].set(np.arange(1326))

    def of_hand(self, tables, hole, board, street):
        return jax.numpy.where(street == 0, jaxpoker.ranges.combo_index(hole[0], hole[1]), 0)

    def sample_boards(self, tables, key, n):
        return jaxpoker.cards.deal(key, 5, (n,))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: solvers.make("cfr++", PUSH_FOLD), "unknown algorithm 'cfr\\+\\+': choose one of cfr, cfr\\+, linear"),
        (lambda: solvers.make("cfr", PUSH_FOLD, sampling="chance"), "unknown sampling 'chance'"),
        (lambda: solvers.make("cfr", jaxpoker.make("leduc"), cards="equity"), "for hold'em, not for leduc"),
        (lambda: solvers.make("cfr", PUSH_FOLD, rows=[np.zeros(2)]), "rows are shared by public sampling"),
        (lambda: solvers.make("cfr", PUSH_FOLD, cards="suits"), "unknown card abstraction 'suits'"),
        (lambda: solvers.make("pcfr+", PUSH_FOLD, sampling="public"), "predicts nothing"),
    ],
)
def test_what_cannot_be_made_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
