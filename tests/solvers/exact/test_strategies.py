"""Tables as players and players as tables: round trips, memory, networks, and matches that pay what is exact."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxpoker
from jaxpoker import match, players, ranges
from jaxpoker.players import Player, from_policy
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.exact import best_response, exact_game, strategies
from jaxpoker.solvers.exact.cfr import CFR
from jaxpoker.solvers.exact.layout import NONE
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.tree import translation

PUSH_FOLD = jaxpoker.make("holdem", menu="push/fold", stack=20)
GAMES = {"kuhn": jaxpoker.make("kuhn"), "leduc": jaxpoker.make("leduc"), "push/fold": PUSH_FOLD}


@pytest.fixture(params=GAMES)
def game(request):
    return exact_game.whole(GAMES[request.param])


def solved(game, iterations=400):
    solver = CFR(game, ALGORITHMS["dcfr"])
    return solver.average(solver.run(solver.init(), iterations))


def first_seat_of(game, mine, other):
    """The table in which seat 0 plays ``mine`` and seat 1 ``other``."""
    rows = game.sides[0].row_of_slot
    return jnp.asarray(other).at[rows[rows != NONE]].set(jnp.asarray(mine)[rows[rows != NONE]])


@pytest.mark.thorough
def test_a_table_plays_what_it_says(game, any_strategy):
    table = jnp.asarray(any_strategy(game, 2), jnp.float32)
    again = strategies.of_player(game, strategies.as_player(game), table)
    np.testing.assert_allclose(again, table, atol=1e-6)


def test_a_push_fold_player_answers_a_limp_legally():
    """A limp is not on its tree. Where the table says fold, which is not legal when checking is free, it still acts."""
    game = exact_game.whole(PUSH_FOLD)
    full = jaxpoker.make("holdem", menu="nine", stack=20)
    player, table = strategies.as_player(game), solved(game)

    def after_limp(key):
        state = full.act(full.init(key), jnp.int32(2))
        choice, _ = player.act(table, (), full, state, key)
        return state.current_player, choice, full.act(state, choice).illegal

    acting, choice, illegal = jax.jit(jax.vmap(after_limp))(jax.random.split(jax.random.key(4), 128))
    assert (np.asarray(acting) == 1).all()
    assert not np.asarray(illegal).any()
    assert (np.asarray(choice) == 20).any()


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_random_player_is_uniform(name):
    game = exact_game.whole(GAMES[name])
    table = strategies.of_player(game, players.make("random", game.game))
    np.testing.assert_allclose(table, game.uniform(), atol=1e-7)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_solved_player_keeps_the_contract(name):
    game = exact_game.whole(GAMES[name])
    assert players.check(strategies.as_player(game), solved(game), game.game, jax.random.key(0)) > 50


def test_a_push_fold_player_sits_down_at_a_no_limit_table():
    """Off its tree it acts legally all the same, and never on what it cannot see."""
    game = exact_game.whole(PUSH_FOLD)
    full = jaxpoker.make("holdem", menu="nine", stack=20)
    assert players.check(strategies.as_player(game), solved(game), full, jax.random.key(2)) > 50


@pytest.mark.thorough
def test_a_match_pays_what_the_tree_says(game):
    """The solved player against the random one, in both seats."""
    table, even = solved(game), jnp.asarray(game.uniform())
    pair = [strategies.as_player(game), players.make("random", game.game)]
    won = match.play(game.game, pair, jax.random.key(1), [table, None], tables=4096).mbb_per_hand[0]
    as_first = best_response.value(game, first_seat_of(game, table, even))
    as_second = -best_response.value(game, first_seat_of(game, even, table))
    exact = 1000 * float(as_first + as_second) / 2
    assert abs(won.mean - exact) < 2 * won.ci95
    assert won.mean - won.ci95 > 0


def test_push_fold_plays_by_big_blinds_not_by_chips():
    """The same 10 big blinds in other chips: the strategy still finds its place."""
    game = exact_game.whole(PUSH_FOLD)
    table = solved(game)
    finer = exact_game.whole(jaxpoker.make("holdem", menu="push/fold", stack=1000, small_blind=50, big_blind=100))
    np.testing.assert_allclose(strategies.of_player(finer, strategies.as_player(game), table), table, atol=1e-6)


@pytest.mark.thorough
def test_bets_in_other_chips_lead_to_the_same_node():
    """Random hands with 20 big blinds of 2 and of 20 chips: sizes are the same but for rounding."""
    tree = trees.build(jaxpoker.make("holdem", menu="solver", stack=40))
    finer = jaxpoker.make("holdem", menu="solver", stack=400, small_blind=10, big_blind=20)
    find = jax.jit(jax.vmap(lambda state: translation.nearest_node(tree, state)))
    step, hands = jax.jit(jax.vmap(finer.step)), 256
    state = jax.jit(lambda key: jax.vmap(finer.start)(finer.deal(key, (hands,))))(jax.random.key(0))
    nodes, rng, met = np.zeros(hands, int), np.random.default_rng(1), set()
    for _ in range(6):
        live = ~np.asarray(state.terminated) & (tree.kind[nodes] == trees.DECISION)
        np.testing.assert_array_equal(np.asarray(find(state))[live], nodes[live])
        met |= set(nodes[live])
        both = tree.legal(nodes) & np.asarray(state.legal_action_mask)
        action = np.argmax(both * rng.random(both.shape), axis=1)
        state = step(state, jnp.asarray(action))
        nodes = np.where(live, tree.children[nodes, action], nodes)
        nodes = np.where(tree.kind[nodes] == trees.CHANCE, tree.children[nodes, 0], nodes)
    assert len(met) > 100


def counting(name="counting"):
    """Bets or raises (the last legal action) more seldom the more often it has acted in this hand."""

    def policy(params, count, game, state):
        mask = state.legal_action_mask.astype(jnp.float32)
        last = jnp.arange(len(mask)) == len(mask) - 1 - jnp.argmax(mask[::-1])
        often = params ** (count + 1.0)
        rest = mask * ~last
        return jnp.where(last, often, (1 - often) * rest / jnp.maximum(rest.sum(), 1)), count + 1

    return from_policy(name, policy, init_memory=lambda params: jnp.int32(5), new_hand=lambda memory: jnp.int32(0))


def test_a_player_with_a_memory_has_seen_its_own_earlier_decisions(leduc):
    table = np.asarray(strategies.of_player(leduc, counting(), jnp.float32(0.5)))
    seen = {}
    for row in range(leduc.num_rows):
        betting = leduc.row_text(row).split("|")[1::2]  # "Kh | call raise call | Js | raise"
        rounds = [words.split() for words in betting]
        seat = len(rounds[-1]) % 2
        own = sum(len(words[seat::2]) for words in rounds)
        last = np.nonzero(leduc.legal_rows()[row])[0][-1]
        assert table[row, last] == pytest.approx(0.5 ** (own + 1)), leduc.row_text(row)
        seen[own] = True
    assert sorted(seen) == [0, 1, 2, 3]


def test_a_network_is_as_exploitable_as_the_table_of_its_answers(leduc):
    model = nnx.Linear(leduc.game.observation_size, leduc.num_actions, rngs=nnx.Rngs(0))
    graph, params = nnx.split(model)

    def policy(params, memory, game, state):
        logits = nnx.merge(graph, params)(game.observe(state, state.current_player))
        return jax.nn.softmax(jnp.where(state.legal_action_mask, 3 * logits, -jnp.inf)), memory

    table = np.asarray(strategies.of_player(leduc, from_policy("network", policy), params))
    exploitability = float(best_response.exploitability(leduc, table))
    assert 0.5 < exploitability < 6

    # Leduc's observation is the information set, so its 30 floats can be written down from the row's text.
    weights, bias = np.asarray(model.kernel[...]), np.asarray(model.bias[...])
    cards, actions = {leduc.game.card_text(card): card for card in range(6)}, {"call": 0, "raise": 1}
    for row in range(0, leduc.num_rows, 5):
        parts = [part.strip() for part in leduc.row_text(row).split("|")]
        rounds = [parts[1].split(), parts[3].split()] if len(parts) == 4 else [parts[1].split()]
        floats = np.zeros(30)
        floats[len(rounds[-1]) % 2] = floats[2 + cards[parts[0]]] = 1
        if len(parts) == 4:
            floats[8 + cards[parts[2]]] = 1
        for betting_round, words in enumerate(rounds):
            for turn, word in enumerate(words):
                floats[14 + 8 * betting_round + 2 * turn + actions[word]] = 1
        logits = 3 * (floats @ weights + bias)
        odds = np.where(leduc.legal_rows()[row], np.exp(logits), 0)
        np.testing.assert_allclose(table[row], odds / odds.sum(), rtol=1e-4)


def test_hands_of_a_class_count_by_the_mean_over_its_combos():
    """A player that jams hands with the ace of spades only: one of four AKs, three of six AA."""
    game = exact_game.whole(PUSH_FOLD)
    ace_of_spades = 51

    def policy(params, memory, game, state):
        jams = (state.deal.hole[state.current_player] == ace_of_spades).any()
        return jnp.where(jams, jnp.array([0.0, 0.0, 1.0]), jnp.array([1.0, 0.0, 0.0])), memory

    table = np.asarray(strategies.of_player(game, players.on_menu(from_policy("spades", policy))))
    for name, often in (("AKs", 1 / 4), ("AA", 1 / 2), ("AKo", 1 / 4), ("KK", 0)):
        assert table[ranges.CLASS_NAMES.index(name), 2] == pytest.approx(often)


def test_players_without_a_policy_are_refused_by_name(leduc):
    silent = Player("chips only", lambda params, memory, game, state, key: (jnp.int32(1), memory))
    with pytest.raises(ValueError, match="'chips only' chooses chip amounts"):
        strategies.of_player(leduc, silent)


def test_players_of_another_menu_are_refused_by_name(leduc):
    nine = from_policy("nine actions", lambda params, memory, game, state: (jnp.full(9, 1 / 9), memory))
    with pytest.raises(ValueError, match="'nine actions' has 9 actions on its menu, leduc has 3"):
        strategies.of_player(leduc, nine)
