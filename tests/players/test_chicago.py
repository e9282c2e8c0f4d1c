"""Players of Chicago: what the regular keeps, discards and plays, and how much better than random that is."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, match, players
from jaxpoker.games.chicago import Chicago
from jaxpoker.games.chicago.table import TURN_DOWN, Deal
from jaxpoker.models import chicagonet
from jaxpoker.players import networks

GAME = Chicago(num_players=2, target=10, reward="win")
REGULAR = players.make("regular", GAME)
ACT = jax.jit(lambda state: REGULAR.act(None, (), GAME, state, jax.random.key(0))[0])
STEP = jax.jit(GAME.step)
SEES_FIRST = dataclasses.replace(GAME, see_then_decide=True)
SEE = jax.jit(SEES_FIRST.step)
DECIDE = jax.jit(lambda state: REGULAR.act(None, (), SEES_FIRST, state, jax.random.key(0))[0])


def started(text, game=GAME):
    first = cards.parse(text)
    deck = np.concatenate([first, np.setdiff1d(np.arange(52), first)]).astype(np.int8)
    return game.start(Deal(jnp.asarray(deck), jnp.zeros(2, jnp.uint32)))


@pytest.mark.parametrize(
    ("hand", "keeps"),
    [
        ("2c2d7h9sKc", "2c2d"),
        ("2c2d7h7sKc", "2c2d7h7s"),
        ("2c2d2hKsKc", "2c2d2hKsKc"),
        ("2c2d2h9sKc", "2c2d2h"),
        ("2c5c9cJcKc", "2c5c9cJcKc"),
        ("5c6d7h8s9c", "5c6d7h8s9c"),
        ("2c5c9cKcKd", "KcKd"),
        ("2c5c9cKcAd", "2c5c9cKc"),  # four to a flush
        ("Kc5d6h7s8c", "5d6h7s8c"),  # four to a straight
        ("2c3d4h5sKc", "2c3d4h5s"),  # an ace or a six
        ("TcJdQhKs3c", "TcJdQhKs"),  # a nine or an ace
        ("JcQdKhAs3c", "JcQdKhAs"),  # a ten alone: four high cards
        ("2c4d7hJsAc", "JsAc"),
        ("2c4d7h9sTc", ""),
    ],
)
def test_the_regular_keeps_made_hands_and_draws_to_the_best_one(hand, keeps):
    action = int(ACT(started(hand)))
    kept = [card for i, card in enumerate(cards.parse(hand)) if not action >> i & 1]
    assert cards.text(kept) == cards.text(cards.parse(keeps) if keeps else [])


def test_the_regular_plays_low_and_then_for_the_lead_to_the_last_trick():
    state = started("AsKs2s3d4d  QsJs5c6c7c")
    for action in (0, 0, 0, 0):
        state = STEP(state, action)
    led = []
    for _ in range(10):
        action = int(ACT(state))
        led.append(cards.text(state.hands[state.current_player, action - 64]))
        state = STEP(state, action)
    assert led == ["2s", "Js", "5c", "3d", "6c", "4d", "Qs", "Ks", "As", "7c"]


@pytest.mark.parametrize(
    ("shown", "keeps"),
    [
        ("2h", True),  # three of a kind, which was a pair
        ("7c", True),  # two pair
        ("Kd", True),  # high
        ("Td", False),
        ("3s", False),
    ],
)
def test_the_regular_keeps_a_shown_card_that_makes_a_hand_or_is_high(shown, keeps):
    state = started("2c2d7h9s4c  AsKsQhJd5h" + shown, SEES_FIRST)
    for action in (0, 0, 1 << 3):  # all stand pat; then the nine goes, and the card is shown
        state = SEE(state, action)
    assert cards.text(state.shown[0]) == shown and bool(state.deciding[0])
    assert int(DECIDE(state)) == (0 if keeps else TURN_DOWN)


@pytest.mark.thorough
def test_the_regular_beats_random_players():
    result = match.play(GAME, [REGULAR, players.make("random", GAME)], jax.random.key(0), tables=64, hands_per_table=1)
    ours, theirs = result.mbb_per_hand
    assert ours.mean - ours.ci95 > 650  # of a thousand, in games this short; 987 when the target is 50
    assert ours.mean + theirs.mean == pytest.approx(1000, abs=1)  # somebody wins every game


@pytest.mark.thorough
def test_chicago_players_act_legally_and_on_what_they_see():
    network = (networks.chicagonet(), chicagonet.init(jax.random.key(0)))
    for game, player, params in ((GAME, REGULAR, None), (SEES_FIRST, REGULAR, None), (GAME, *network)):
        assert players.check(player, params, game, jax.random.key(1), tables=16) > 500


def test_the_greedy_network_takes_its_likeliest_action():
    params = chicagonet.init(jax.random.key(2))
    state = GAME.init(jax.random.key(3))
    sampled, greedy = networks.chicagonet(), networks.chicagonet("greedy", greedy=True)

    @jax.jit
    def both(params, state):
        return sampled.policy(params, (), GAME, state)[0], greedy.act(params, (), GAME, state, jax.random.key(0))[0]

    probabilities, action = both(params, state)
    assert action == jnp.argmax(probabilities)


def test_players_of_other_games_are_refused():
    with pytest.raises(ValueError, match="player 'regular' plays chicago, not kuhn: kuhn has random"):
        players.make("regular", jaxpoker.make("kuhn"))
    with pytest.raises(ValueError, match="player 'call' plays holdem, not chicago: chicago has random, regular"):
        players.make("call", GAME)
