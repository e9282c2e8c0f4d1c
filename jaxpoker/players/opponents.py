"""The rule-based opponents of the neuroevolution experiment: two families of four, and one that is held out.

The paper family is Li & Miikkulainen's, "Evolving Adaptive LSTM Poker Players for Effective Opponent Exploitation"
(2017). All play heads-up hold'em in chips "to" and always legally: what they want goes through ``game.nearest_legal``,
so that a free fold is a check, a raise below the minimum a call and one above the stack an all-in. Win probabilities
are those of ``knowledge.win_probability``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import ranges
from jaxpoker.games import bets
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import MAX_CHIPS, PREFLOP, State
from jaxpoker.games.seats import of_seat, total
from jaxpoker.players import rules
from jaxpoker.players.contract import Player, one_of, regardless_of_cards
from jaxpoker.players.knowledge import win_probability

Array = jax.Array

FAMILIES = {
    "seed": ("check-fold", "call", "raise", "smart"),
    "paper": ("scared limper", "calling machine", "hothead maniac", "candid statistician"),
}
ACTIONS_PER_PLAYER = 50  # of the random switcher

HALF_POT, THREE_QUARTERS_POT, POT = map(bets.parse_size, ("1/2", "3/4", "pot"))
NO_LIMIT = 2 * MAX_CHIPS


# --- the seed family --------------------------------------------------------------------------

# Sklansky and Malmuth's groups 1 to 8 of starting hands; all others are group 9.
SKLANSKY_MALMUTH = (
    "AA, KK, QQ, JJ, AKs",
    "TT, AQs, AJs, KQs, AKo",
    "99, JTs, QJs, KJs, ATs, AQo",
    "T9s, KQo, 88, QTs, 98s, J9s, AJo, KTs",
    "77, 87s, Q9s, T8s, KJo, QJo, JTo, 76s, 97s, A9s-A2s, 65s",
    "66, ATo, 55, 86s, KTo, QTo, 54s, K9s, J8s, 75s",
    "44, J9o, 64s, T9o, 53s, 33, 98o, 43s, 22, K8s-K2s, T7s, Q8s",
    "87o, A9o, Q9o, 76o, 42s, 32s, 96s, 85s, J8o, J7s, 65o, 54o, 74s, K9o, T8o",
)


def _group_of_class() -> np.ndarray:
    group = np.full(ranges.NUM_CLASSES, len(SKLANSKY_MALMUTH) + 1, np.int32)
    for number, hands in enumerate(SKLANSKY_MALMUTH, start=1):
        group[ranges.CLASS_OF_COMBO[ranges.parse(hands) > 0]] = number
    return group


GROUP_OF_CLASS = _group_of_class()  # [169] 1 to 9, in the order of ranges.CLASS_NAMES
_GROUP_OF_COMBO = GROUP_OF_CLASS[ranges.CLASS_OF_COMBO]  # [1326]


def min_raise(game: Holdem) -> Player:
    """``rules.min_raise`` by the name of its family: raises the minimum until it is all-in, never folds."""
    return rules.min_raise(game)._replace(name="raise")


class _Plan(NamedTuple):
    """How far the smart player goes with a hand. All scalars of one table."""

    limit: Array  # chips it puts in at the most, of the whole hand, blinds and ante included; 0: it checks or folds
    raises: Array  # probability that it raises
    all_in: Array  # probability that a raise is all-in


def _plan(state: State, seat: Array, starting: Array, key: Array) -> _Plan:
    """By the group of the hand before the flop, by win probability after it; ``starting`` is the seat's."""
    first, second = (of_seat(seat, list(state.deal.hole_cards[i::2])) for i in range(2))
    group = jnp.asarray(_GROUP_OF_COMBO)[ranges.combo_index(first, second)]
    wins = win_probability(state, seat, key)
    before, big_blind = state.street == PREFLOP, state.big_blind
    best, good, fair, poor = (before & (group <= last) for last in (2, 4, 6, 8))
    ahead, even = (~before & (wins > least) for least in (0.8, 0.4))
    cases = [best, good, fair, poor, ahead, even]
    return _Plan(
        limit=jnp.select(cases, [NO_LIMIT, NO_LIMIT, 4 * big_blind, big_blind, NO_LIMIT, starting // 3], 0),
        raises=jnp.select(cases, [0.5, 0.5, 0.2, 0.0, 0.5, 0.2], 0.0),
        all_in=jnp.select(cases, [0.2, 0.1, 0.0, 0.0, 0.5, 0.0], 0.0),
    )


def _smart_act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
    """One uniform number decides all: jam below raises × all_in, raise below raises, and its place between is U."""
    seat, facing = state.current_player, game.facing(state)
    starting = of_seat(seat, [s.starting for s in state.seats])
    plan = _plan(state, seat, starting, key)
    room = plan.limit - (starting - facing.stack)  # chips it would still put in
    luck, jams = jax.random.uniform(key), plan.raises * plan.all_in
    extra = (luck - jams) / jnp.maximum(plan.raises - jams, 0.1)  # uniform on [0, 1) where it raises without jamming
    full_raise_to = facing.price + jnp.maximum(state.last_raise, facing.big_blind)  # min_raise_to may be a short all-in
    size = jnp.minimum((full_raise_to * (1 + extra)).astype(jnp.int32), facing.own_bet + room)
    size = size - jax.lax.rem(size, facing.big_blind)
    to = jnp.select(
        [facing.to_call > room, luck < jams, luck < plan.raises],
        [bets.FOLD_CHIPS, facing.max_raise_to, size],
        facing.price,
    )
    return game.nearest_legal(state, to), memory


def smart(game: Holdem) -> Player:
    """Plays by starting hand before the flop and by win probability after it, and bets by chance.

    =============  =========================================  =======  ================
    hand           puts in up to, over the whole hand         raises   then goes all-in
    =============  =========================================  =======  ================
    group 9        nothing more
    group 7, 8     1 big blind
    group 5, 6     4 big blinds                               .2
    group 3, 4     any amount                                 .5       .1
    group 1, 2     any amount                                 .5       .2
    wins > .8      any amount                                 .5       .5
    wins > .4      a third of its stack before the hand       .2
    else           nothing more
    =============  =========================================  =======  ================

    It checks or calls where it does not raise, and checks or folds where calling would pass the limit. A raise is to
    (price + smallest full raise) × (1 + U), U uniform on [0, 1), at most to its limit, and floored to a multiple of
    the big blind: a call where that falls below the minimum, all-in where it is above the stack.
    """
    return Player("smart", _smart_act, weighs_wins=True)


# --- the paper family -------------------------------------------------------------------------


def scared_limper(game: Holdem) -> Player:
    """Calls the big blind, checks when that is free, and folds to any bet or raise."""

    def act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
        facing = game.facing(state)
        return game.nearest_legal(state, jnp.where(facing.raises == 0, facing.price, bets.FOLD_CHIPS)), memory

    return regardless_of_cards(Player("scared limper", act))


def calling_machine(game: Holdem) -> Player:
    """``rules.call`` by the name of its family: checks, calls, calls all-in."""
    return rules.call(game)._replace(name="calling machine")


def hothead_maniac(game: Holdem) -> Player:
    """Calls and raises by the pot at every decision; all-in when short, a call where it may not raise."""

    def act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
        return game.nearest_legal(state, POT.raise_to(game.facing(state))), memory

    return regardless_of_cards(Player("hothead maniac", act))


def _candid_act(params: Any, memory: Any, game: Holdem, state: State, key: Array) -> tuple[Array, Any]:
    seat, facing = state.current_player, game.facing(state)
    wins, luck = win_probability(state, seat, key), jax.random.uniform(key)
    half, three_quarters, pot_raise = (size.raise_to(facing) for size in (HALF_POT, THREE_QUARTERS_POT, POT))
    bet = jnp.select([wins < 0.625, wins < 0.75, wins < 0.875], [facing.price, half, three_quarters], pot_raise)

    in_after_call = of_seat(seat, [s.committed for s in state.seats]) + facing.to_call
    pot = total([jnp.minimum(s.committed, in_after_call) for s in state.seats])  # what it can win
    odds = facing.to_call / (pot + facing.to_call)
    fair = (pot + facing.to_call) / (2 * pot)
    folds = (wins < fair) & (luck * (fair - odds) >= wins - odds)
    raises = luck * (1 - fair) < wins - fair
    answer = jnp.select([folds, raises], [bets.FOLD_CHIPS, pot_raise], facing.price)
    return game.nearest_legal(state, jnp.where(facing.to_call > 0, answer, bet)), memory


def candid_statistician(game: Holdem) -> Player:
    """Bets what its hand is worth. With s its win probability:

    Nothing to call: checks if s < .625, bets (as big blind: raises by) half the pot if s < .75, three quarters of it
    if s < .875, else the pot.

    Facing a bet, the big blind too: with odds = call / (pot + call) and f = (pot + call) / (2 pot), it folds if
    s < odds; if s < f it calls with probability (s - odds) / (f - odds), else folds; if s >= f it raises by the pot
    with probability (s - f) / (1 - f), else calls. The pot has the bet in it, but no chips that a short stack
    cannot win.
    """
    return Player("candid statistician", _candid_act, weighs_wins=True)


# --- held out ---------------------------------------------------------------------------------


class Switch(NamedTuple):
    """The random switcher's memory, for the whole session."""

    actions: Array  # [] its own so far
    player: Array  # [] whom it plays like: a place in FAMILIES["paper"]


def random_switcher(game: Holdem) -> Player:
    """Plays like one of the paper family, drawn anew every ``ACTIONS_PER_PLAYER`` of its own actions."""
    family = tuple(make(game) for make in (scared_limper, calling_machine, hothead_maniac, candid_statistician))
    any_of_them = one_of(family)

    def init_memory(params: Any) -> Switch:
        return Switch(jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32))

    def act(params: Any, memory: Switch, game: Holdem, state: State, key: Array) -> tuple[Array, Switch]:
        switch_key, act_key = jax.random.split(key)
        drawn = (jax.random.uniform(switch_key) * len(family)).astype(jnp.int32)
        player = jnp.where(memory.actions % ACTIONS_PER_PLAYER == 0, drawn, memory.player)
        choice, _ = any_of_them.act(player, any_of_them.init_memory(player), game, state, act_key)
        return choice, Switch(memory.actions + 1, player)

    return Player("random switcher", act, init_memory=init_memory, weighs_wins=True)
