"""What a player is, and that ``check`` finds those who cheat."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import players
from jaxpoker.games import bets
from jaxpoker.games.kuhn import BET, PASS
from jaxpoker.games.leduc import CALL, FOLD, RAISE
from jaxpoker.players import Player

HOLDEM = jaxpoker.make("holdem")
KUHN, LEDUC = jaxpoker.make("kuhn"), jaxpoker.make("leduc")


def check(player, game, **kwargs):
    return players.check(player, None, game, jax.random.key(0), **kwargs)


# --- the check --------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "num_players"), [("random", 2), ("call", 3), ("check-fold", 2), ("min-raise", 3)])
def test_every_rule_player_passes_in_holdem(name, num_players):
    game = jaxpoker.make("holdem", num_players=num_players)
    assert check(players.make(name, game), game, tables=32) >= 32


@pytest.mark.parametrize("game", [KUHN, LEDUC, jaxpoker.make("kuhn", num_players=3)], ids=["kuhn", "leduc", "kuhn3"])
def test_random_passes_in_small_games(game):
    assert check(players.make("random", game), game) >= 128


def kuhn_player(choose, **kwargs):
    """A Kuhn player: ``choose(own card, opponent's card, memory)`` is the action and the memory after it."""

    def act(params, memory, game, state, key):
        own, other = ((state.table >> (3 * seat)) & 7 for seat in (state.current_player, 1 - state.current_player))
        return choose(own, other, memory)

    return Player("test", act, **kwargs)


def test_looking_at_ones_own_card_is_fine():
    assert check(kuhn_player(lambda own, other, memory: (jnp.where(own == 2, BET, PASS), memory)), KUHN) > 0


def test_looking_at_the_opponents_card_is_found_out():
    cheat = kuhn_player(lambda own, other, memory: (jnp.where(own > other, BET, PASS), memory))
    with pytest.raises(AssertionError, match="player 'test' acts on what it cannot see"):
        check(cheat, KUHN)


def test_remembering_the_opponents_card_is_found_out():
    """Even if it is never used."""
    spy = kuhn_player(lambda own, other, memory: (PASS, other), init_memory=lambda params: jnp.int32(0))
    with pytest.raises(AssertionError, match="player 'test' acts on what it cannot see"):
        check(spy, KUHN)
    honest = kuhn_player(lambda own, other, memory: (PASS, own), init_memory=lambda params: jnp.int32(0))
    assert check(honest, KUHN) > 0


def test_looking_at_the_opponents_hand_or_the_next_board_card_is_found_out_in_holdem():
    def fold_to_better(params, memory, game, state, key):
        hole = state.deal.hole[1 - state.current_player]
        return game.nearest_legal(state, jnp.where(hole.max() % 13 > 9, -1, game.facing(state).price)), memory

    def fold_before_an_ace(params, memory, game, state, key):
        sees_ace = (state.deal.board % 13 == 12).any()
        return game.nearest_legal(state, jnp.where(sees_ace, -1, game.facing(state).price)), memory

    for act in (fold_to_better, fold_before_an_ace):
        with pytest.raises(AssertionError, match="player 'cheat' acts on what it cannot see"):
            check(Player("cheat", act), HOLDEM, tables=32)


def test_each_seat_remembers_for_itself():
    """In Kuhn one player's second decision comes after the other's first: it must not find it in its memory."""

    def act(params, memory, game, state, key):
        own = (state.table >> (3 * state.current_player)) & 7
        met_another = (memory >= 0) & (memory != own)
        return jnp.where(met_another, 99, jnp.where(state.turn == 1, BET, PASS)), own

    assert check(Player("forgetful", act, init_memory=lambda params: jnp.int32(-1)), KUHN) > 128


@pytest.mark.parametrize(
    ("game", "choice"), [(KUHN, 2), (KUHN, -1), (LEDUC, FOLD), (LEDUC, 3)], ids=["kuhn 2", "kuhn -1", "fold", "leduc 3"]
)
def test_illegal_actions_are_found_out_in_small_games(game, choice):
    fixed = Player("test", lambda params, memory, game, state, key: (jnp.int32(choice), memory))
    with pytest.raises(AssertionError, match=f"player 'test' in seat 0 chose {choice}: not legal"):
        check(fixed, game)


def test_a_third_raise_is_found_out_in_leduc():
    fixed = Player("maniac", lambda params, memory, game, state, key: (jnp.int32(RAISE), memory))
    with pytest.raises(AssertionError, match="player 'maniac' in seat 0 chose 2: not legal"):
        check(fixed, LEDUC)
    fixed = Player("caller", lambda params, memory, game, state, key: (jnp.int32(CALL), memory))
    assert check(fixed, LEDUC, tables=8) == 8 * 4


def test_illegal_chips_are_found_out_in_holdem():
    def act(params, memory, game, state, key):
        return jnp.where(state.street == 0, game.facing(state).price, 1), memory  # bets half a big blind

    with pytest.raises(AssertionError, match="player 'short' in seat 1 chose 1: not legal"):
        check(Player("short", act), HOLDEM, tables=8)


def test_a_hand_that_does_not_end_is_reported():
    with pytest.raises(AssertionError, match="hands of 'call' against itself do not end within 3 actions"):
        check(players.make("call", HOLDEM), HOLDEM, tables=8, max_steps=3)


# --- action ids and chips ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def first_in():
    """Heads-up, blinds 1/2, 200 chips; the button is to act."""
    return jax.jit(HOLDEM.init)(jax.random.key(0))


BY_ID = Player("by id", lambda action, memory, game, state, key: (action, memory))  # its params are what it does
ON_GAMES_MENU, ON_OWN_MENU = players.on_menu(BY_ID), players.on_menu(BY_ID, bets.parse("3bb, a"))


@functools.partial(jax.jit, static_argnums=0)
def chips_of(player, actions, state):
    """What ``player`` goes to with each of those ids, and whether that is illegal."""
    to = jax.vmap(lambda action: player.act(action, (), HOLDEM, state, jax.random.key(0))[0])(actions)
    return to, jax.vmap(HOLDEM.act, in_axes=(None, 0))(state, to).illegal


def test_ids_become_the_chips_of_the_games_menu(first_in):
    to, illegal = chips_of(ON_GAMES_MENU, jnp.array([bets.FOLD, bets.CALL, 7, 8]), first_in)
    assert to.tolist() == [-1, 2, 6, 200]  # the seventh is a pot-size raise
    assert not illegal.any()


def test_ids_become_the_chips_of_a_menu_of_their_own(first_in):
    assert chips_of(ON_OWN_MENU, jnp.arange(4), first_in)[0].tolist() == [-1, 2, 6, 200]


def test_an_illegal_id_becomes_illegal_chips(first_in):
    """A quarter of the pot is below the minimum; the menu of nine has no tenth entry."""
    assert chips_of(ON_GAMES_MENU, jnp.array([3, 9, -1, bets.CALL]), first_in)[1].tolist() == [True, True, True, False]


def test_a_player_sees_the_game_under_its_own_menu(first_in):
    """Uniform over push/fold: fold or all-in, half of the time each, although the game has nine actions."""

    def policy(params, memory, game, state):
        mask = state.legal_action_mask.astype(jnp.float32)
        assert mask.shape == (game.num_actions,) == (3,)
        return mask / mask.sum(), memory

    player = players.on_menu(players.from_policy("pusher", policy), bets.parse("push/fold"))
    keys = jax.random.split(jax.random.key(1), 400)

    @jax.jit
    def asked(state):
        act = jax.vmap(lambda key: player.act(None, (), HOLDEM, state, key)[0])
        return player.policy(None, (), HOLDEM, state)[0], act(keys)

    probabilities, chips = map(np.asarray, asked(first_in))
    np.testing.assert_array_equal(probabilities, [0.5, 0, 0.5])
    assert set(chips.tolist()) == {-1, 200}
    assert 140 < (chips == 200).sum() < 260


def test_who_chooses_chips_can_be_held_to_the_menu_of_the_game(first_in):
    """First in, then as big blind facing all-in: chips wanted, and what they become on either menu."""
    jammed = jax.jit(HOLDEM.act)(first_in, 200)
    become = [
        ("push/fold", first_in, {-1: -1, 2: -1, 4: 200, 150: 200, 200: 200}),  # a limp is not on the menu
        ("push/fold", jammed, {-1: -1, 200: 200}),
        ("3bb, 8bb, a", first_in, {-1: -1, 2: 2, 4: 6, 7: 6, 12: 16, 150: 200}),
        ("3bb, 8bb, a", jammed, {-1: -1, 200: 200}),
    ]
    wants = Player("wants", lambda params, memory, game, state, key: (params, memory))
    held = players.within_menu(wants)
    assert held is players.within_menu(wants)
    for menu, state, chips in become:
        game, there = HOLDEM.with_menu(state, bets.parse(menu))
        found = [int(held.act(jnp.int32(to), (), game, there, None)[0]) for to in chips]
        assert found == list(chips.values()), menu
    open_raise = HOLDEM.with_menu(jax.jit(HOLDEM.act)(first_in, 6), bets.parse("3bb; raises: 1"))
    assert int(held.act(jnp.int32(18), (), *open_raise, None)[0]) == 6, "a raise where the menu has none is a call"


def test_a_policy_is_sampled():
    skewed = players.from_policy("skewed", lambda params, memory, game, state: (params, memory))
    params = jnp.array([0.2, 0.0, 0.8])
    act = jax.jit(jax.vmap(lambda key: skewed.act(params, (), LEDUC, None, key)[0]))
    actions = np.asarray(act(jax.random.split(jax.random.key(2), 4000)))
    np.testing.assert_allclose(np.bincount(actions, minlength=3) / 4000, params, atol=0.03)


def test_a_player_of_chips_has_no_policy_to_ask_for():
    player = players.make("min-raise", HOLDEM)
    with pytest.raises(ValueError, match="player 'min-raise' chooses chip amounts and has no policy over action ids"):
        players.require_policy(player)
    with pytest.raises(ValueError, match="player 'by id' chooses chip amounts"):
        players.require_policy(ON_GAMES_MENU)
    call = players.make("call", HOLDEM)
    assert players.require_policy(call) is call.policy


def test_unknown_players_and_games_are_refused_by_name():
    with pytest.raises(ValueError, match="unknown player 'shark': players are random, call, check-fold, min-raise"):
        players.make("shark", HOLDEM)
    with pytest.raises(ValueError, match="player 'call' plays holdem, not kuhn: kuhn has random, equilibrium"):
        players.make("call", KUHN)


def test_a_player_is_made_once_per_game():
    assert players.make("call", HOLDEM) is players.make("call", jaxpoker.make("holdem", menu="nine"))
    assert players.make("call", HOLDEM) is not players.make("call", jaxpoker.make("holdem", menu="push/fold"))
