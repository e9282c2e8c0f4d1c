"""Names: ours, a user's own game and player, and a clear no to names that are taken or lead nowhere."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from flax import struct

import jaxpoker
from jaxpoker import core, match, players
from jaxpoker.app import opponents
from jaxpoker.games.kuhn import Kuhn
from jaxpoker.players import Entrant
from jaxpoker.registry import Entry, Registry, resolve

KEY = jax.random.key(0)
pytestmark = pytest.mark.usefixtures("forgets_names")

# --- a game and a player of somebody's own ----------------------------------------------------


class Deal(NamedTuple):
    hands: Any  # [2] int32


@struct.dataclass
class State:
    hands: Any  # [2] int32
    current_player: Any
    legal_action_mask: Any
    rewards: Any
    terminated: Any
    truncated: Any


@dataclass(frozen=True)
class Snap:
    """Both ante a chip and get a card; seat 0 gives up its ante or shows, and the higher card wins."""

    ranks: int = 5

    name: ClassVar[str] = "snap"
    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 2  # give up, show
    zero_sum: ClassVar[bool] = True
    token_sizes: ClassVar[tuple[int, int, int]] = (core.FIRST_SEAT + 2, 20, 1)

    def deal(self, key, shape=()):
        first = jax.random.randint(key, shape, 0, self.ranks)
        apart = jax.random.randint(jax.random.fold_in(key, 1), shape, 1, self.ranks)
        return Deal(jnp.stack([first, (first + apart) % self.ranks], axis=-1))

    def start(self, deal):
        no = jnp.zeros((), jnp.bool_)
        return State(deal.hands, jnp.int32(0), jnp.ones(2, jnp.bool_), jnp.zeros(2), no, no)

    def init(self, key):
        return self.start(self.deal(key))

    def step(self, state, action, key=None):
        showdown = jnp.where(state.hands[0] > state.hands[1], 1.0, -1.0)
        won = jnp.where(jnp.asarray(action) == 1, showdown, -1.0)
        won = jnp.where(state.terminated, 0.0, won)
        return state.replace(rewards=jnp.stack([won, -won]), terminated=jnp.ones((), jnp.bool_))

    def act(self, state, action):
        return self.step(state, action)

    @property
    def observation_size(self):
        return self.ranks

    def observe(self, state, player):
        return (jnp.arange(self.ranks) == state.hands[player]).astype(jnp.float32)

    def information_state(self, state, player):
        return jnp.stack([core.FIRST_SEAT + player, 1 + state.hands[player], 0, 0]).astype(jnp.int32)[None]

    def resample_hidden(self, state, player, key, weights=None):
        other = (state.hands[player] + jax.random.randint(key, (), 1, self.ranks)) % self.ranks
        return self.with_hand(state, 1 - player, other)

    def with_hand(self, state, player, hand):
        return state.replace(hands=jnp.where(jnp.arange(2) == player, hand, state.hands).astype(jnp.int32))


def shower(game):
    """Shows a card that is at least its params and gives up the others."""

    def policy(least, memory, game, state):
        shows = game.observe(state, state.current_player).argmax() >= least
        return jnp.where(shows, jnp.array([0.0, 1.0]), jnp.array([1.0, 0.0])), memory

    return Entrant(players.from_policy("shower", policy), jnp.int32(0))


def folder(game):
    return players.from_policy("folder", lambda params, memory, game, state: (jnp.array([1.0, 0.0]), memory))


def test_a_game_of_ones_own_is_made_and_listed_by_its_name():
    core.check(Snap(), KEY, tables=16)
    jaxpoker.register("snap", Snap)
    assert jaxpoker.make("snap", ranks=9) == Snap(9)
    assert jaxpoker.GAMES == ("kuhn", "leduc", "holdem", "chicago", "snap")
    with pytest.raises(ValueError, match="snap has no rule 'stack': its rules are ranks"):
        jaxpoker.make("snap", stack=3)
    with pytest.raises(ValueError, match="unknown game 'snup': games are kuhn, leduc, holdem, chicago, snap"):
        jaxpoker.make("snup")


def test_ones_own_players_meet_in_a_match_of_ones_own_game():
    jaxpoker.register("snap", Snap)
    jaxpoker.register("Shower", shower, plays=("snap",))
    jaxpoker.register("folder", folder, plays="snap")
    assert players.names("snap") == ("random", "shower", "folder")
    game = jaxpoker.make("snap")
    pair = [players.entrant("shower", game), players.make("folder", game)]
    result = match.play(game, pair, KEY, tables=64, hands_per_table=1)
    assert result.names == ("shower", "folder")
    assert 250 < result.mbb_per_hand[0].mean < 750  # an ante of every second hand
    assert players.make("shower").name == "shower"  # for its usual game
    with pytest.raises(ValueError, match="'shower' plays snap, not kuhn"):
        players.make("shower", jaxpoker.make("kuhn"))


def test_a_rule_player_of_ones_own_is_the_same_one_every_time():
    jaxpoker.register("folder", folder, plays="snap")
    assert players.make("folder", Snap()) is players.make(" FOLDER ", Snap())
    assert players.make("folder", Snap()) is not players.make("folder", Snap(7))


def test_the_page_finds_ones_own_player():
    jaxpoker.register("station", "jaxpoker.players.rules:call", plays="holdem")
    assert opponents.named("Station").name == "station"
    assert opponents.named("station").model(jaxpoker.make("holdem")).player.name == "call"


def test_a_factory_may_make_a_game_and_its_parameters_are_the_rules():
    jaxpoker.register("deep kuhn", lambda seats: Kuhn(num_players=seats))
    assert jaxpoker.make("deep kuhn", seats=4) == Kuhn(4)
    with pytest.raises(ValueError, match="deep kuhn has no rule 'players': its rules are seats"):
        jaxpoker.make("deep kuhn", players=3)
    jaxpoker.register("any kuhn", lambda **rules: Kuhn(**rules))
    assert jaxpoker.make("any kuhn", num_players=3) == Kuhn(3)


# --- the mechanism ----------------------------------------------------------------------------


def test_a_name_that_is_taken_is_refused_and_the_same_thing_twice_is_not():
    for name in ("kuhn", "snap"):
        jaxpoker.register("snap", Snap)
        with pytest.raises(ValueError, match=f"the name '{name}' is taken by another game: choose a name of your own"):
            jaxpoker.register(name, lambda: Snap())
    jaxpoker.register("folder", folder, plays="snap")
    jaxpoker.register("folder", folder, plays=["snap"])
    with pytest.raises(ValueError, match="the name 'tag' is taken by another player"):
        jaxpoker.register("TAG", folder, plays="snap")
    assert jaxpoker.make("kuhn") == Kuhn() and players.make("tag").name == "tag"


def test_a_text_is_imported_when_somebody_asks_for_it():
    jaxpoker.register("small kuhn", "jaxpoker.games.kuhn:Kuhn")
    assert jaxpoker.make("small kuhn", num_players=3) == Kuhn(3)
    jaxpoker.register("nowhere", "jaxpoker.games.nosuch:Game")
    with pytest.raises(ValueError, match=r"nothing to import at 'jaxpoker.games.nosuch:Game'"):
        jaxpoker.make("nowhere")
    with pytest.raises(ValueError, match=r"made by 'jaxpoker.games': write a callable or 'module:function'"):
        jaxpoker.register("whole module", "jaxpoker.games")


def test_a_player_plays_a_game_and_is_a_player():
    with pytest.raises(ValueError, match="player 'idle' plays no game: name one or more"):
        jaxpoker.register("idle", folder, plays=())
    jaxpoker.register("nobody", lambda game: "me", plays="kuhn")
    with pytest.raises(TypeError, match="made 'me' for kuhn: it must return a Player or an Entrant"):
        players.make("nobody")


def test_names_stand_in_the_order_in_which_they_came():
    registry = Registry("player", {"b": Entry(max, ("kuhn",)), "a": Entry("builtins:min", ("snap",), plays_any=True)})
    registry.add("0", Entry(sum, ("snap", "kuhn")))
    assert registry.names() == ("b", "a", "0")
    assert registry.names("snap") == ("a", "0") and registry.names("leduc") == ("a",)
    assert resolve(registry.get("a").make) is min and resolve(registry.get("b").make) is max
    assert registry.get("c") is None
