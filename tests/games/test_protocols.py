"""What games say besides their rules: who has which protocol, and a game of one's own that is served alike."""

import dataclasses
from typing import Any, ClassVar

import jax
import numpy as np
import pytest

import jaxpoker
from jaxpoker import match, players
from jaxpoker.games import bets, protocols
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.session import Session
from jaxpoker.models import belief

KEY = jax.random.key(0)
KUHN, LEDUC, HOLDEM = jaxpoker.make("kuhn"), jaxpoker.make("leduc"), jaxpoker.make("holdem", stack=20)
CHICAGO = jaxpoker.make("chicago")
EVERYONE = {KUHN, LEDUC, HOLDEM, CHICAGO}


@dataclasses.dataclass(frozen=True)
class Borrowed:
    """A game of one's own: no hold'em, but with all of its methods."""

    table: Holdem

    name: ClassVar[str] = "borrowed"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)


OWN = Borrowed(HOLDEM)


@pytest.mark.parametrize(
    ("protocol", "games"),
    [
        (protocols.ChipGame, {HOLDEM}),
        (protocols.StackGame, {HOLDEM}),
        (protocols.WinProbabilityGame, {HOLDEM}),
        (protocols.AllInGame, {HOLDEM}),
        (protocols.StatisticsGame, {HOLDEM}),
        (protocols.StreetGame, {KUHN, LEDUC, HOLDEM}),
        (protocols.PrivateHandGame, {KUHN, LEDUC, HOLDEM}),
        (protocols.InfosetGame, {KUHN, LEDUC}),
    ],
)
def test_who_has_which(protocol, games):
    assert {game for game in EVERYONE if isinstance(game, protocol)} == games
    assert isinstance(OWN, protocol) == (HOLDEM in games)


# --- a game of one's own ----------------------------------------------------------------------


def test_its_match_has_stacks_statistics_and_win_probabilities_as_hold_em_has():
    def played(game):
        pair = [players.make("random", game), players.make("smart", HOLDEM)]
        return match.play(game, pair, KEY, tables=4, hands_per_table=2, stacks=[15, 30], win_samples=8)

    own, theirs = played(OWN), played(HOLDEM)
    assert own == theirs and own.profiles is not None
    assert own.profiles[0].hands == 16


def test_its_stacks_are_carried_over_until_one_seat_has_them_all():
    session = Session(OWN, carry_over=True)
    deals = jax.jit(OWN.deal, static_argnums=1)(KEY, (30,))
    table, act = jax.jit(session.start)(deals), jax.jit(session.act)
    hands = 0
    while not table.over:
        table, hand, ended = act(table, OWN.nearest_legal(table.hand, OWN.stack * 2))  # all-in at every decision
        hands += int(ended)
    assert hands < 30 and sorted(hand.stacks.tolist()) == [0, 40]


def test_its_random_player_chooses_chips_of_its_menu():
    assert players.check(players.make("random", OWN), None, OWN, KEY, tables=8) > 8


def test_a_player_with_another_menu_sees_the_table_under_it():
    menu = bets.parse("3bb, a")
    state = OWN.init(KEY)
    game, under = OWN.with_menu(state, menu)
    assert game.num_actions == menu.num_actions and under.legal_action_mask.tolist() == [True] * 4
    assert state.legal_action_mask.shape == (HOLDEM.num_actions,)


# --- names, hands and information sets --------------------------------------------------------


def test_actions_are_told_by_street():
    assert (KUHN.street_names, LEDUC.street_names) == (("betting",), ("first round", "second round"))
    assert HOLDEM.street_names == ("preflop", "flop", "turn", "river")
    assert [KUHN.action_text(action) for action in range(2)] == ["pass", "bet"]
    assert [LEDUC.action_text(action, 1) for action in range(3)] == ["fold", "call", "raise"]
    solver = jaxpoker.make("holdem", menu="solver")
    assert [solver.action_text(2, street) for street in (0, 1)] == ["2.5x", "33% pot"]


@pytest.mark.parametrize(("game", "actions", "streets"), [(KUHN, [0, 1], [0] * 3), (LEDUC, [1, 1, 2], [0, 0, 1, 1])])
def test_a_state_knows_its_street(game, actions, streets):
    states = [game.init(KEY)]
    for action in actions:
        states.append(game.step(states[-1], action))
    assert [int(game.street(state)) for state in states] == streets


@pytest.mark.parametrize("game", [KUHN, LEDUC, HOLDEM], ids=lambda game: game.name)
def test_a_hand_is_told_by_its_number(game):
    """All hands that are dealt have numbers below ``num_hands``; another hand has another number."""
    states = jax.jit(jax.vmap(game.start))(game.deal(KEY, (256,)))
    both = [np.asarray(jax.jit(jax.vmap(game.hand_index, (0, None)))(states, seat)) for seat in range(2)]
    assert min(x.min() for x in both) >= 0 and max(x.max() for x in both) < game.num_hands == belief.num_hands(game)
    assert (both[0] != both[1]).all() and len(set(both[0].tolist())) > game.num_hands // 10


def test_what_needs_a_protocol_says_which():
    with pytest.raises(ValueError, match="kuhn has no win probabilities: it is no WinProbabilityGame"):
        match.play(KUHN, [players.make("random", KUHN)] * 2, KEY, win_samples=1)
    with pytest.raises(ValueError, match="beliefs are about an opponent's hand, and chicago numbers none"):
        belief.num_hands(CHICAGO)
