"""Search with mctx on the true states of the small games."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from jaxpoker.adapters.mctx import invalid_actions, random_rollout, recurrent_fn, root
from jaxpoker.games import kuhn, leduc, packed
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.kuhn import BET, PASS, Kuhn
from jaxpoker.games.leduc import CALL, FOLD, RAISE, Leduc


@cache
def stepper(game):
    return jax.jit(game.step)


@partial(jax.jit, static_argnums=(0, 2))
def started(game, deals, deal_type):
    return jax.vmap(game.start)(deal_type(packed.pack(deals)))


def states_after(game, deals, actions, deal_type):
    states = started(game, np.array(deals, np.int32), deal_type)
    for action in actions:
        states = stepper(game)(states, action)
    return states


def indifferent(params, state, key):
    """An evaluation that costs nothing, where it is not the point."""
    return jnp.zeros(state.legal_action_mask.shape[-1]), jnp.float32(0)


@partial(jax.jit, static_argnums=0)
def search(game, states, key):
    root_key, search_key = jax.random.split(key)
    start = root(game, states, root_key)
    found = mctx.gumbel_muzero_policy(
        None,
        search_key,
        start,
        recurrent_fn(game),
        num_simulations=64,
        invalid_actions=invalid_actions(start),
        gumbel_scale=0.0,
    )
    return start, found


EXPAND = jax.jit(recurrent_fn(Leduc()))


def minimax(game, state):
    """What the player to move gets when both sides see all cards, by brute force; and the same per action."""
    values = []
    for action in np.flatnonzero(state.legal_action_mask):
        after = stepper(game)(state, int(action))
        value = float(after.rewards[state.current_player])
        if not after.terminated:
            same = after.current_player == state.current_player
            value += (1 if same else -1) * minimax(game, after)[0]
        values.append((value, int(action)))
    return max(values)[0], {action: value for value, action in values}


ENDGAMES = {
    "Kuhn, first to act": (Kuhn(), kuhn.Deal, 2, []),
    "Kuhn, facing a bet": (Kuhn(), kuhn.Deal, 2, [BET]),
    "Kuhn, check-raised": (Kuhn(), kuhn.Deal, 2, [PASS, BET]),
    "Leduc, second round, facing a raise": (Leduc(), leduc.Deal, 3, [CALL, CALL, RAISE]),
    "Leduc, second round, facing a reraise": (Leduc(), leduc.Deal, 3, [RAISE, CALL, CALL, RAISE, RAISE]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("spot", ENDGAMES)
def test_finds_a_minimax_move_of_the_sampled_world(spot):
    game, deal_type, cards, actions = ENDGAMES[spot]
    rng = np.random.default_rng(0)
    deals = [rng.permutation(game.num_cards)[:cards] for _ in range(16)]
    start, found = search(game, states_after(game, deals, actions, deal_type), jax.random.key(0))
    for row, action in enumerate(np.asarray(found.action)):
        world = jax.tree.map(lambda x, row=row: x[row], start.embedding)
        value, by_action = minimax(game, world)
        assert by_action[int(action)] == pytest.approx(value), game.text(world)


def test_with_the_best_card_it_never_folds():
    states = states_after(Kuhn(), [[0, 2], [1, 2]] * 8, [BET], kuhn.Deal)
    assert (np.asarray(search(Kuhn(), states, jax.random.key(1))[1].action) == BET).all()
    states = states_after(Leduc(), [[0, 4, 5], [2, 5, 4]] * 8, [CALL, CALL, RAISE], leduc.Deal)  # a pair of kings
    assert (np.asarray(search(Leduc(), states, jax.random.key(1))[1].action) == RAISE).all()


def test_no_illegal_action_is_ever_visited():
    game = Leduc()
    deals = [np.random.default_rng(i).permutation(6)[:3] for i in range(16)]
    for policy_key, actions in enumerate(([], [RAISE], [CALL, RAISE, RAISE])):
        _, found = search(game, states_after(game, deals, actions, leduc.Deal), jax.random.key(policy_key))
        tree = found.search_tree
        masks = np.asarray(tree.embeddings.legal_action_mask)  # [batch, nodes, actions]
        visits = np.asarray(tree.children_visits)
        assert visits.sum() > 16 * 64 and not visits[~masks].any()


def test_the_search_plays_a_world_that_may_be_another_but_looks_the_same():
    game = Leduc()
    states = states_after(game, [[4, 2, 1]] * 200, [RAISE, CALL, CALL], leduc.Deal)  # seat 1 to move with Qh
    worlds = jax.jit(lambda states: root(game, states, jax.random.key(0), evaluate=indifferent))
    start = worlds(states)
    assert (np.asarray(packed.card_at(start.embedding.table, 1)) == 2).all()
    assert set(np.unique(packed.card_at(start.embedding.table, 0))) == {0, 3, 4, 5}  # all that seat 1 does not see
    other = jax.jit(jax.vmap(game.with_hand, in_axes=(0, None, None)))(states, 0, 0)
    jax.tree.map(np.testing.assert_array_equal, start, worlds(other))


def test_weights_say_which_world():
    states = states_after(Leduc(), [[4, 2, 1]] * 8, [RAISE, CALL, CALL], leduc.Deal)
    weights = np.tile(np.float32([0, 0, 0, 0, 0, 1]), (8, 1))
    worlds = jax.jit(lambda states, weights: root(Leduc(), states, jax.random.key(0), None, indifferent, weights))
    start = worlds(states, weights)
    assert (np.asarray(packed.card_at(start.embedding.table, 0)) == 5).all()


@pytest.mark.parametrize(
    ("before", "action", "discount", "reward"),
    [
        ([], CALL, -1, 0),  # the other moves
        ([CALL], RAISE, -1, 0),
        ([CALL], CALL, -1, 0),  # seat 1 closes the round, seat 0 opens the next
        ([RAISE], CALL, -1, 0),
        ([CALL, RAISE], CALL, 1, 0),  # seat 0 closes the round and opens the next
        ([RAISE, RAISE], CALL, 1, 0),
        ([RAISE], FOLD, 0, -1),  # the end, and the actor's reward
        ([CALL, RAISE], FOLD, 0, -1),
        ([CALL, CALL, CALL], CALL, 0, -1),  # the queen of seat 1 loses to the king
        ([CALL, CALL, CALL, RAISE], CALL, 0, 5),
        ([RAISE, FOLD], CALL, 0, 0),  # over already
    ],
)
def test_discounts_and_rewards(before, action, discount, reward):
    states = states_after(Leduc(), [[4, 2, 1]], before, leduc.Deal)
    out, after = EXPAND(None, jax.random.key(0), jnp.array([action]), states)
    assert (out.discount.tolist(), out.reward.tolist()) == ([discount], [reward])
    if discount == 0:
        assert out.value.tolist() == [0]
    assert np.isfinite(out.prior_logits).all()
    mask = np.asarray(after.legal_action_mask)
    assert (np.asarray(out.prior_logits)[mask] == 0).all() and (np.asarray(out.prior_logits)[~mask] < -1e30).all()


def test_random_rollouts_estimate_the_value_for_the_player_to_move():
    game = Kuhn()
    evaluate = jax.jit(jax.vmap(random_rollout(game), in_axes=(None, None, 0)))
    keys = jax.random.split(jax.random.key(0), 4000)
    # A queen that faces a king's bet loses 1 or 2. After a king's pass it loses 1 if it passes too, and if it bets
    # it wins 1 or loses 2.
    for actions, value in (([BET], -3 / 2), ([PASS], -1 / 2 * 1 + 1 / 4 * 1 - 1 / 4 * 2)):
        state = jax.tree.map(lambda x: x[0], states_after(game, [[2, 1]], actions, kuhn.Deal))
        logits, values = evaluate(None, state, keys)
        assert abs(float(values.mean()) - value) < 4 * 1.1 / np.sqrt(4000)
        assert not np.asarray(logits).any()


def test_a_learned_evaluation_is_used():
    def evaluate(params, state, key):
        return jnp.array([0.0, params]), jnp.float32(0.25)

    states = states_after(Kuhn(), [[2, 1]], [], kuhn.Deal)
    start = jax.jit(lambda states, params: root(Kuhn(), states, jax.random.key(0), params, evaluate))(states, 3.0)
    assert start.prior_logits.tolist() == [[0, 3]] and start.value.tolist() == [0.25]
    out, _ = jax.jit(recurrent_fn(Kuhn(), evaluate))(2.0, jax.random.key(0), np.array([BET]), states)
    assert out.prior_logits.tolist() == [[0, 2]] and out.value.tolist() == [0.25]


def test_games_of_three_and_games_without_a_loser_are_refused_by_name():
    with pytest.raises(ValueError, match="zero-sum games of 2 players, and kuhn has 3"):
        recurrent_fn(Kuhn(3))
    with pytest.raises(ValueError, match="zero-sum games of 2 players, and chicago is not zero-sum"):
        recurrent_fn(Chicago(2))
