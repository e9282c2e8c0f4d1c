"""Kuhn poker for two players (Kuhn, 1950) and, as OpenSpiel generalises it, for up to five.

There is one card more than players, one card each, and everyone antes a chip. In turn, starting with seat 0, a
player passes or bets one chip. Once somebody has bet, each of the others has one turn to call (bet) or to fold
(pass). The highest card wins the pot: among those who have bet, or among all when nobody has.

    actions   0 pass, 1 bet; both always legal
    cards     0 .. players, higher is better: J Q K for two players
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from jaxpoker import arguments, core
from jaxpoker.games import chance, deals, packed

Array = jax.Array

PASS, BET = 0, 1
ACTIONS = ("pass", "bet")
MAX_PLAYERS = 5
MAX_LOSS = 2  # the ante and a bet

_RANKS = "89TJQK"  # a deck of three is the last three of them, and so on

# Where things stand in a state's table.
_CARDS = (1 << 15) - 1
_TURN = 15  # four bits
_BETS = 19  # nine bits


class Deal(NamedTuple):
    cards: Array  # [] int32, the card of each seat, packed

    @classmethod
    def of(cls, hands: str | Array | np.ndarray | Sequence[int]) -> Deal:
        """The deal of chosen cards: ``Deal.of("K Q")`` seat by seat, or their numbers ``[..., players]``.

        >>> from jaxpoker.games.kuhn import Deal, Kuhn
        >>> Kuhn().text(Kuhn().start(Deal.of("K Q")))
        'K Q |  | seat 0 to act'
        """
        if isinstance(hands, str):
            named = hands.split()
            ranks = _RANKS[-(len(named) + 1) :]
            hands = [packed.named(card, ranks) for card in named]
        return cls(packed.chosen(hands, 1 + np.shape(hands)[-1]))


@struct.dataclass
class State:
    """One table or, with leading axes, many: an axis that a property adds comes last."""

    table: Array  # [] int32: cards in bits 0-14, turn in bits 15-18, bets in bits 19-27, flags of `packed` above
    num_players: int = struct.field(pytree_node=False)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from jaxpoker.games import pictures

        return pictures.svg(self)

    @property
    def turn(self) -> Array:
        """[] int32, how many actions there have been. Turn t belongs to seat t mod players."""
        return (self.table >> _TURN) & 0b1111

    @property
    def bets(self) -> Array:
        """[] int32 with bit t set if the action of turn t was a bet."""
        return (self.table >> _BETS) & 0b1_1111_1111

    @property
    def current_player(self) -> Array:
        return jnp.where(self.turn < self.num_players, self.turn, self.turn - self.num_players)

    @property
    def legal_action_mask(self) -> Array:
        return jnp.ones((*self.table.shape, len(ACTIONS)), jnp.bool_)

    @property
    def terminated(self) -> Array:
        return self.table >= packed.ENDED

    @property
    def truncated(self) -> Array:
        return jnp.zeros(self.table.shape, jnp.bool_)

    @property
    def rewards(self) -> Array:
        """[players] float32, what the last action brought: 0 unless it ended the game."""
        n = self.num_players
        everyone = (1 << n) - 1
        bettors = (self.bets | (self.bets >> n)) & everyone  # a bit per seat, whose turns are n apart
        contenders = jnp.where(bettors == 0, everyone, bettors)
        best, pot = jnp.full_like(self.table, -1), jnp.full_like(self.table, n)
        for seat in range(n):
            contends = (contenders >> seat) & 1 == 1
            best = jnp.maximum(best, jnp.where(contends, packed.card_at(self.table, seat), -1))
            pot = pot + ((bettors >> seat) & 1)

        seats = jnp.arange(n, dtype=jnp.int32)
        table, best, pot, bettors, actor = (x[..., None] for x in (self.table, best, pot, bettors, self.current_player))
        won = jnp.where(packed.card_at(table, seats) == best, pot, 0) - 1 - ((bettors >> seats) & 1)
        penalty = jnp.where(seats == actor, -MAX_LOSS, MAX_LOSS / (n - 1))
        payment = jnp.where(packed.is_set(table, packed.ILLEGAL), penalty, won)
        return jnp.where(packed.is_set(table, packed.JUST_ENDED), payment, 0).astype(jnp.float32)


@dataclass(frozen=True)
class Kuhn:
    """The rules; see the module's docstring."""

    num_players: int = 2

    name: ClassVar[str] = "kuhn"
    num_actions: ClassVar[int] = len(ACTIONS)
    zero_sum: ClassVar[bool] = True
    street_names: ClassVar[tuple[str, ...]] = ("betting",)

    def __post_init__(self) -> None:
        right = f"Kuhn poker is for 2 to {MAX_PLAYERS} players"
        object.__setattr__(self, "num_players", arguments.whole("num_players", self.num_players, 2, MAX_PLAYERS, right))

    @property
    def num_cards(self) -> int:
        return self.num_players + 1

    @property
    def num_hands(self) -> int:
        return self.num_cards

    @property
    def max_turns(self) -> int:
        """The longest game: all pass but the last, who bets, and the others answer."""
        return 2 * self.num_players - 1

    # --- the rules ------------------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Deal:
        return Deal(packed.deal(key, self.num_cards, self.num_players, shape))

    def start(self, deal: Deal) -> State:
        return State(deal.cards, self.num_players)

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def step(self, state: State, action: Array | int, key: Array | None = None) -> State:
        action, turn = arguments.whole_array("action", action, "0 is pass, 1 is bet"), state.turn + 1
        bets = state.bets | jnp.where(action == BET, 1 << state.turn, 0)
        first_bet = bets & -bets
        all_passed = (bets == 0) & (turn == self.num_players)
        all_answered = (first_bet << self.num_players) == (1 << turn)  # it would be the first bettor's turn again
        legal = (action == PASS) | (action == BET)
        played = (state.table & _CARDS) | (turn << _TURN) | (bets << _BETS)
        return State(packed.after_action(state.table, legal, all_passed | all_answered, played), self.num_players)

    def act(self, state: State, action: Array | int) -> State:
        return self.step(state, action)

    # --- what a player knows --------------------------------------------------------------------

    @property
    def observation_size(self) -> int:
        return self.num_players + self.num_cards + 2 * self.max_turns

    def observe(self, state: State, player: Array | int) -> Array:
        """OpenSpiel's information state tensor: for two players

            0-1    seat of the player, one-hot
            2-4    its card, one-hot
            5-10   (passed, bet) of each turn

        The others' cards are never shown, not even after a showdown.
        """
        turns = jnp.arange(self.max_turns, dtype=jnp.int32)
        acted = (turns < state.turn)[:, None] & (((state.bets >> turns) & 1)[:, None] == jnp.arange(2, dtype=jnp.int32))
        seat = jnp.arange(self.num_players, dtype=jnp.int32) == player
        card = jnp.arange(self.num_cards, dtype=jnp.int32) == packed.card_at(state.table, player)
        return jnp.concatenate([seat, card, acted.reshape(-1)]).astype(jnp.float32)

    @property
    def token_sizes(self) -> tuple[int, int, int]:
        return core.FIRST_SEAT + self.num_players, 1 + self.num_cards, 1 + self.num_actions

    def information_state(self, state: State, player: Array | int) -> Array:
        """The player's card, then the actions: ``[2 * players, 4]`` (see ``core.TOKEN_FIELDS``)."""
        turns = jnp.arange(self.max_turns, dtype=jnp.int32)
        bet = (state.bets >> turns) & 1
        zeros = jnp.zeros_like(turns)
        actions = jnp.stack([core.FIRST_SEAT + turns % self.num_players, zeros, 1 + bet, bet], axis=1)
        actions = jnp.where((turns < state.turn)[:, None], actions, 0)
        hand = jnp.stack([core.FIRST_SEAT + player, 1 + packed.card_at(state.table, player), zeros[0], zeros[0]])
        return jnp.concatenate([hand[None], actions])

    def hand_index(self, state: State, player: Array | int) -> Array:
        """[] int32: the card of ``player``."""
        return packed.card_at(state.table, player)

    @property
    def num_infosets(self) -> int:
        return self.num_players * self._nodes_per_bettor * self.num_cards

    @property
    def _nodes_per_bettor(self) -> int:
        return 1 << (self.num_players - 1)

    def infoset_index(self, state: State, player: Array | int) -> Array:
        """[] int32 in 0 .. num_infosets - 1: the row of ``player``, whose turn it is, in a tabular strategy.

        Row = betting * cards + card. The bettings are numbered f * 2**(players - 1) + h, where f is the turn of
        the first bet and h numbers the answers to it: 1 when there is none yet, and otherwise a leading 1 with the
        latest answer next to it and the first one last. While nobody has bet f is the present turn and h is 0.
        For two players: 0 "", 1 "bet", 2 "pass", 3 "pass bet".

        When it is not ``player``'s turn the row is that of the player to move with ``player``'s card.
        """
        first_bet = state.bets & -state.bets
        first_turn = jnp.where(first_bet == 0, state.turn, jax.lax.population_count(first_bet - 1))
        answers = jnp.where(first_bet == 0, 0, (state.bets | (1 << state.turn)) >> (first_turn + 1))
        betting = first_turn * self._nodes_per_bettor + answers
        return jnp.minimum(betting * self.num_cards + packed.card_at(state.table, player), self.num_infosets - 1)

    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """Another deal of the other players' cards. See ``core.Game``.

        ``weights`` is ``[cards]`` or ``[players, cards]``: a deal is as likely as the product of its cards' weights.
        """
        deals = np.array(list(itertools.permutations(range(self.num_cards), self.num_players)))  # [deals, players]
        own = packed.card_at(state.table, player)
        possible = (jnp.asarray(deals) == own) & (jnp.arange(self.num_players, dtype=jnp.int32) == player)
        weights = jnp.broadcast_to(1.0 if weights is None else weights, (self.num_players, self.num_cards))
        hand_weights = jnp.where(
            jnp.arange(self.num_players, dtype=jnp.int32) == player, 1.0, weights[np.arange(self.num_players), deals]
        )
        dealt = chance.choose(key, hand_weights.prod(axis=1), possible.any(axis=1))
        return State((state.table & ~_CARDS) | packed.pack(jnp.asarray(deals))[dealt], self.num_players)

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """The same table with another card of ``player``, even one that somebody else has."""
        return State(packed.with_card(state.table, player, jnp.reshape(hand, ())), self.num_players)

    def redeals(self, state: State, street: int) -> tuple[State, Array]:
        """All hands that the players may have: see ``games/protocols.py``."""
        cards = packed.pack(jnp.asarray(deals.arrangements(self.num_cards, self.num_players)))
        tables = (state.table & ~_CARDS) | cards
        return State(tables, self.num_players), jnp.full(cards.shape, 1 / len(cards))

    # --- what a solver needs --------------------------------------------------------------------

    @property
    def showdown_orders(self) -> np.ndarray:
        return deals.showdown_orders(self.num_players, ties=False)

    def showdown_states(self, state: State | None = None) -> State:
        """See ``games/protocols.py``."""
        cards = packed.pack(jnp.asarray(self.showdown_orders))
        betting = 0 if state is None else state.table & ~_CARDS
        return State(betting | cards, self.num_players)

    def all_deals(self) -> deals.Deals | deals.SeatDeals:
        return _all_deals(self)

    # --- text -----------------------------------------------------------------------------------

    def street(self, state: State) -> Array:
        """[] int32: 0, there is one round of betting."""
        return jnp.zeros_like(state.turn)

    def action_text(self, action: int, street: int = 0) -> str:
        return ACTIONS[action]

    def card_text(self, card: int) -> str:
        return _RANKS[-self.num_cards :][card]

    def text(self, state: State) -> str:
        """One table for people: ``"K Q | pass bet | seat 0 to act"``."""
        hands = [self.card_text(int(packed.card_at(state.table, seat))) for seat in range(self.num_players)]
        actions = [ACTIONS[int(state.bets) >> turn & 1] for turn in range(int(state.turn))]
        if not state.terminated:
            return f"{' '.join(hands)} | {' '.join(actions)} | seat {int(state.current_player)} to act"
        illegal = " illegal action," if packed.is_set(state.table, packed.ILLEGAL) else ""
        return f"{' '.join(hands)} | {' '.join(actions)} | over,{illegal} paid {np.asarray(state.rewards).tolist()}"

    def infoset_text(self, index: int) -> str:
        """An information set for people: ``"Q | pass bet"``."""
        if not 0 <= index < self.num_infosets:
            raise ValueError(f"{index} is not an information set: they are 0 to {self.num_infosets - 1}")
        betting, card = divmod(index, self.num_cards)
        first_turn, answers = divmod(betting, self._nodes_per_bettor)
        actions = [PASS] * first_turn
        if answers:
            actions += [BET] + [int(bit) for bit in reversed(f"{answers:b}"[1:])]
        return f"{self.card_text(card)} | {' '.join(ACTIONS[action] for action in actions)}".rstrip()


@functools.cache
def _all_deals(game: Kuhn) -> deals.Deals | deals.SeatDeals:
    cards = deals.arrangements(game.num_cards, game.num_players)
    names = [game.card_text(card) for card in range(game.num_cards)]
    dealt, chances = Deal(packed.pack(jnp.asarray(cards))), np.full(len(cards), 1 / len(cards))
    if game.num_players == 2:
        return deals.listed(dealt, chances, cards, cards, names)
    return deals.listed_for_seats(dealt, chances, cards, cards, names, game.showdown_orders)
