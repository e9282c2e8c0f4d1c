"""A game that this file alone knows: solved, played in a match, and its exploitability measured.

The half street with n cards: both ante a chip; seat 0 checks, which is a showdown, or bets a chip; seat 1 folds or
calls. Nothing here is imported from a game of the package.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from scipy.optimize import linprog

import jaxpoker
from jaxpoker import core, match, players, solvers
from jaxpoker.games import deals
from jaxpoker.solvers import tree
from jaxpoker.solvers.exact import best_response, strategies

Array = jax.Array


class Deal(NamedTuple):
    hands: Array  # [2] int32


@struct.dataclass
class State:
    hands: Array  # [2] int32
    turn: Array  # [] int32: 1 once seat 0 has bet
    current_player: Array
    legal_action_mask: Array
    rewards: Array
    terminated: Array
    truncated: Array


@dataclass(frozen=True)
class HalfStreet:
    ranks: int = 10

    name: ClassVar[str] = "half street"
    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 2
    zero_sum: ClassVar[bool] = True

    def deal(self, key, shape=()):
        first = jax.random.randint(key, shape, 0, self.ranks)
        apart = jax.random.randint(jax.random.fold_in(key, 1), shape, 1, self.ranks)
        return Deal(jnp.stack([first, (first + apart) % self.ranks], axis=-1))

    def start(self, deal):
        no = jnp.zeros((), jnp.bool_)
        zero = jnp.zeros((), jnp.int32)
        return State(deal.hands, zero, zero, jnp.ones(2, jnp.bool_), jnp.zeros(2, jnp.float32), no, no)

    def init(self, key):
        return self.start(self.deal(key))

    def step(self, state, action, key=None):
        action = jnp.asarray(action)
        bets, second = action == 1, state.turn == 1
        legal = core.is_legal(state.legal_action_mask, action)
        showdown = jnp.where(state.hands[0] > state.hands[1], 1.0, -1.0)
        paid = jnp.where(second, jnp.where(bets, 2 * showdown, 1.0), showdown)
        paid = jnp.where(legal, paid, jnp.where(second, 2.0, -2.0))
        over = ~legal | ~bets | second
        after = state.replace(
            turn=state.turn + 1,
            current_player=jnp.where(over, state.current_player, 1),
            rewards=jnp.where(over, jnp.stack([paid, -paid]), 0.0).astype(jnp.float32),
            terminated=over,
        )
        return core.select(state.terminated, state.replace(rewards=jnp.zeros(2, jnp.float32)), after)

    def act(self, state, action):
        return self.step(state, action)

    @property
    def observation_size(self):
        return 2 + self.ranks

    def observe(self, state, player):
        card = jnp.arange(self.ranks) == state.hands[player]
        was_bet = (state.current_player == 1).astype(jnp.float32)
        return jnp.concatenate([jnp.stack([jnp.float32(player), was_bet]), card.astype(jnp.float32)])

    @property
    def token_sizes(self):
        return core.FIRST_SEAT + 2, 1 + self.ranks, 1 + self.num_actions

    def information_state(self, state, player):
        own = jnp.stack([core.FIRST_SEAT + player, 1 + state.hands[player], 0, 0])
        bet = jnp.asarray([core.FIRST_SEAT, 0, 2, 1])
        return jnp.stack([own, jnp.where(state.current_player == 1, bet, 0)]).astype(jnp.int32)

    def resample_hidden(self, state, player, key, weights=None):
        weights = jnp.ones(self.ranks) if weights is None else weights
        weights = jnp.where(jnp.arange(self.ranks) == state.hands[player], 0.0, weights)
        return self.with_hand(state, 1 - player, jax.random.categorical(key, jnp.log(weights)).astype(jnp.int32))

    def with_hand(self, state, player, hand):
        hands = jnp.where(jnp.arange(2) == player, jnp.reshape(hand, ()), state.hands)
        return state.replace(hands=hands.astype(jnp.int32))

    # --- what a solver needs: three methods, and two more to play what it found

    @property
    def showdown_orders(self):
        return deals.showdown_orders(2, ties=False)

    def showdown_states(self, state=None):
        first = jax.vmap(self.start)(Deal(jnp.asarray(self.showdown_orders, jnp.int32)))
        return first if state is None else jax.vmap(lambda hands: state.replace(hands=hands))(first.hands)

    def all_deals(self):
        pairs = deals.arrangements(self.ranks, 2)
        chances = np.full(len(pairs), 1 / len(pairs))
        return deals.listed(Deal(jnp.asarray(pairs)), chances, pairs, pairs, [f"card {i}" for i in range(self.ranks)])


@dataclass(frozen=True)
class NumberedHalfStreet(HalfStreet):
    @property
    def num_infosets(self):
        return 2 * self.ranks

    def infoset_index(self, state, player):
        return state.current_player * self.ranks + state.hands[player]

    def infoset_text(self, index):
        return f"seat {index // self.ranks} with card {index % self.ranks}"

    street_names: ClassVar[tuple[str, ...]] = ("betting",)

    def street(self, state):
        return jnp.zeros((), jnp.int32)

    def action_text(self, action, street=0):
        return ("check or fold", "bet or call")[action]


def value_by_linear_program(ranks: int) -> float:
    """Of the game for seat 0: the most it can be sure of, with p(i) the probability that it bets card i."""
    pairs = [(i, j) for i in range(ranks) for j in range(ranks) if i != j]
    chance = 1 / len(pairs)
    sign = {pair: 1 if pair[0] > pair[1] else -1 for pair in pairs}
    # Maximise checked part + sum over j of w(j), w(j) <= what folding j and what calling with j lets seat 0 have.
    checked = [-chance * sum(sign[i, j] for j in range(ranks) if j != i) for i in range(ranks)]
    constraints, bounds = [], []
    for j in range(ranks):
        for pays in (lambda i, j: 1, lambda i, j: 2 * sign[i, j]):
            row = np.zeros(2 * ranks)
            row[ranks + j] = 1
            for i in range(ranks):
                if i != j:
                    row[i] -= chance * pays(i, j)
            constraints.append(row)
            bounds.append(0)
    objective = -np.concatenate([checked, np.ones(ranks)])
    found = linprog(objective, constraints, bounds, bounds=[(0, 1)] * ranks + [(None, None)] * ranks)
    return -found.fun - sum(checked)


@pytest.fixture(scope="module")
def solved():
    solver = solvers.make("cfr+", NumberedHalfStreet())
    return solver.game, solver.average(solver.run(solver.init(), 3_000))


def test_it_keeps_the_contract_of_games():
    core.check(NumberedHalfStreet(), jax.random.key(0), tables=32)


def test_its_tree_has_two_decisions():
    built = tree.build(NumberedHalfStreet())
    assert [line.strip() for line in built.text().splitlines()] == [
        "half street: 2 decisions, 0 chance nodes, 3 ends, 1 street",
        "seat 0 to act",
        "check or fold: showdown, seat 0 gets +1 or -1",
        "bet or call: seat 1 to act",
        "check or fold: end, seat 0 gets +1",
        "bet or call: showdown, seat 0 gets +2 or -2",
    ]


def test_it_is_solved_to_the_value_of_a_linear_program(solved):
    game, strategy = solved
    quality = best_response.quality(game, strategy)
    assert float(quality.exploitability) < 2e-3
    assert float(quality.value) == pytest.approx(value_by_linear_program(10), abs=2e-3)
    bets = np.asarray(strategy)[:10, 1]
    assert bets[9] > 0.99 and bets[0] > 0.3 and bets[5] < 0.01  # value bets, bluffs, and checks in between


def test_what_was_solved_plays_in_a_match_and_beats_a_random_player(solved):
    game, strategy = solved
    bot = strategies.as_player(game, "solved")
    players.check(bot, strategy, game.game, jax.random.key(1))
    result = match.play(game.game, [bot, players.make("random", game.game)], jax.random.key(2), params=[strategy, None])
    assert result.mbb_per_hand[0].mean > result.mbb_per_hand[0].ci95


def test_any_player_of_it_has_an_exact_exploitability(solved):
    game, _ = solved
    table = strategies.of_player(game, players.make("random", game.game))
    assert float(best_response.exploitability(game, table)) == pytest.approx(
        float(best_response.exploitability(game, game.uniform())), abs=1e-6
    )


@pytest.mark.parametrize("sampling", ["public", "external"])
def test_it_is_solved_by_sampling_too(solved, sampling):
    game, _ = solved
    solver = solvers.make("dcfr" if sampling == "public" else "linear", game, sampling=sampling)
    table = solver.average(solver.run(solver.init(jax.random.key(0)), 1_000))
    assert float(best_response.exploitability(game, table)) < 0.02


def test_without_numbers_of_its_own_it_is_solved_but_not_played(solved):
    solver = solvers.make("cfr+", HalfStreet())
    table = solver.average(solver.run(solver.init(), 3_000))
    np.testing.assert_allclose(table, solved[1], atol=0.05)  # decision after decision, card after card
    assert solver.game.row_text(13) == "card 3 | action 1"
    with pytest.raises(ValueError, match="half street by its infoset_index, which it lacks"):
        strategies.as_player(solver.game)


def test_a_game_that_says_nothing_to_solvers_is_refused_by_name():
    with pytest.raises(ValueError, match="of chicago needs its deals"):
        solvers.make("cfr+", jaxpoker.make("chicago", num_players=2))
