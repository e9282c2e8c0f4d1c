"""Leduc poker (Southey et al., 2005) with OpenSpiel's rules.

Two players, six cards: J, Q and K in two suits. Both ante a chip and get a card. There are two rounds of betting,
seat 0 first in both, with a public card turned up in between. A raise puts in 2 chips more than the other has in
the first round and 4 in the second, and there are at most two raises a round. A call ends the round unless it is
the first action of it. At the showdown a pair with the public card wins, otherwise the higher rank, and equal
ranks split the pot.

    actions   0 fold, legal when facing a raise; 1 call (a check when there is nothing to call); 2 raise
    cards     rank * 2 + suit, ranks J Q K = 0 1 2
"""

from __future__ import annotations

import functools
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

FOLD, CALL, RAISE = 0, 1, 2
ACTIONS = ("fold", "call", "raise")
NUM_CARDS = 6
CARD_NAMES = ("Jh", "Js", "Qh", "Qs", "Kh", "Ks")
ANTE = 1
RAISE_SIZES = (2, 4)  # by round
MAX_RAISES = 2
MAX_LOSS = ANTE + MAX_RAISES * sum(RAISE_SIZES)
MAX_ROUND_ACTIONS = 4  # check, raise, raise, call

# A line is what happened in a round so far: 1 if it was opened with a check, plus 2 for each raise.
_LINES = 6  # "", check, raise, check raise, raise raise, check raise raise
_PLAYERS = 2
_CARDS = (1 << 9) - 1  # of both players and the public one
_PUBLIC = 2  # the place of the public card after the two hands
_ALL_ACTIONS = 0b111

# Where things stand in a state's table.
_LINE = 9  # three bits of the first round, then three of the second
_ROUND = 15  # one bit
_FOLDED = 1 << 16


class Deal(NamedTuple):
    cards: Array  # [] int32, the cards of seat 0, of seat 1 and the public one, packed

    @classmethod
    def of(
        cls, hands: str | Array | np.ndarray | Sequence[int], board: str | Array | np.ndarray | int | None = None
    ) -> Deal:
        """The deal of chosen cards: ``Deal.of("Kh Qs", "Js")``, or numbers ``[..., 2]`` and ``[...]``.

        Without a ``board`` the public card is the lowest of those that are left.
        """
        if isinstance(hands, str):
            hands = [packed.named(card, CARD_NAMES) for card in hands.split()]
        if isinstance(board, str):
            board = packed.named(board.strip(), CARD_NAMES)
        if np.shape(hands)[-1] != _PLAYERS:
            raise ValueError(f"{np.shape(hands)[-1]} hands: Leduc poker is for {_PLAYERS} players")
        if board is None:
            held = (np.arange(NUM_CARDS)[:, None] == np.asarray(hands)[..., None, :]).any(axis=-1)
            board = np.argmin(held, axis=-1)
        return cls(packed.chosen(np.concatenate([np.asarray(hands), np.asarray(board)[..., None]], axis=-1), NUM_CARDS))


@struct.dataclass
class State:
    """One table or, with leading axes, many: an axis that a property adds comes last."""

    table: Array  # [] int32: cards in bits 0-8, lines in 9-14, round in bit 15, folded in 16, flags of `packed` above

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from jaxpoker.games import pictures

        return pictures.svg(self)

    @property
    def round(self) -> Array:
        """[] int32, 0 before the public card and 1 after it."""
        return (self.table >> _ROUND) & 1

    def line(self, betting_round: Array | int) -> Array:
        """[] int32, what happened in a round: 1 if it was opened with a check, plus 2 for each raise."""
        return (self.table >> (_LINE + 3 * betting_round)) & 0b111

    @property
    def raises(self) -> Array:
        """[] int32, raises in this round. Whoever acts after a raise faces it."""
        return self.line(self.round) >> 1

    @property
    def folded(self) -> Array:
        """[] bool, did the current player fold?"""
        return packed.is_set(self.table, _FOLDED)

    @property
    def current_player(self) -> Array:
        line = self.line(self.round)
        return (line + (line >> 1)) & 1  # checks and raises alternate

    @property
    def legal_action_mask(self) -> Array:
        legal = (1 << CALL) | ((self.raises > 0) << FOLD) | ((self.raises < MAX_RAISES) << RAISE)
        legal = jnp.where(self.terminated, _ALL_ACTIONS, legal)
        return (legal[..., None] >> jnp.arange(len(ACTIONS), dtype=jnp.int32)) & 1 == 1

    @property
    def terminated(self) -> Array:
        return self.table >= packed.ENDED

    @property
    def truncated(self) -> Array:
        return jnp.zeros(self.table.shape, jnp.bool_)

    @property
    def stake(self) -> Array:
        """[] int32, the chips that the player who is ahead has put in: both of them after a call."""
        return ANTE + RAISE_SIZES[0] * (self.line(0) >> 1) + RAISE_SIZES[1] * (self.line(1) >> 1)

    @property
    def rewards(self) -> Array:
        """[players] float32, what the last action brought: 0 unless it ended the game."""
        ranks = [packed.card_at(self.table, place) >> 1 for place in range(3)]
        strengths = [jnp.where(rank == ranks[_PUBLIC], NUM_CARDS, rank) for rank in ranks[:_PLAYERS]]
        at_showdown = jnp.sign(strengths[0] - strengths[1]) * self.stake
        at_fold = _for_seat_0(self.current_player, self.stake - _raise_size(self.round))
        at_fault = _for_seat_0(self.current_player, MAX_LOSS)
        won = jnp.where(self.folded, at_fold, at_showdown)
        won = jnp.where(packed.is_set(self.table, packed.ILLEGAL), at_fault, won)
        won = jnp.where(packed.is_set(self.table, packed.JUST_ENDED), won, 0)
        return won[..., None] * np.array([1.0, -1.0], np.float32)


def _raise_size(betting_round: Array) -> Array:
    return jnp.where(betting_round == 0, *RAISE_SIZES)


def _for_seat_0(loser: Array, chips: Array | int) -> Array:
    """What seat 0 gets when ``loser`` pays the other ``chips``."""
    return jnp.where(loser == 0, -chips, chips)


@dataclass(frozen=True)
class Leduc:
    """The rules; see the module's docstring."""

    name: ClassVar[str] = "leduc"
    num_players: ClassVar[int] = _PLAYERS
    num_actions: ClassVar[int] = len(ACTIONS)
    num_cards: ClassVar[int] = NUM_CARDS
    num_hands: ClassVar[int] = NUM_CARDS
    street_names: ClassVar[tuple[str, ...]] = ("first round", "second round")
    zero_sum: ClassVar[bool] = True

    # --- the rules ------------------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Deal:
        return Deal(packed.deal(key, NUM_CARDS, 3, shape))

    def start(self, deal: Deal) -> State:
        return State(deal.cards)

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def step(self, state: State, action: Array | int, key: Array | None = None) -> State:
        action = arguments.whole_array("action", action, "0 is fold, 1 call, 2 raise")
        line = state.line(state.round)
        raises, opens = line >> 1, line == 0
        legal = jnp.where(action == FOLD, raises > 0, jnp.where(action == RAISE, raises < MAX_RAISES, action == CALL))
        checks, calls = (action == CALL) & opens, (action == CALL) & ~opens
        ends = (action == FOLD) | (calls & (state.round == 1))

        chalked = jnp.where(checks, 1, jnp.where(action == RAISE, 2, 0)) << (_LINE + 3 * state.round)
        played = state.table + chalked
        played = jnp.where(calls, played | (1 << _ROUND), jnp.where(action == FOLD, played | _FOLDED, played))
        return State(packed.after_action(state.table, legal, ends, played))

    def act(self, state: State, action: Array | int) -> State:
        return self.step(state, action)

    # --- what a player knows --------------------------------------------------------------------

    def _actions(self, state: State) -> Array:
        """``[2, 4]`` int32, the actions of each round in order, -1 where there is none (yet)."""
        rounds, turns = jnp.arange(2, dtype=jnp.int32)[:, None], jnp.arange(MAX_ROUND_ACTIONS, dtype=jnp.int32)
        line = state.line(rounds)
        checks, raises = line & 1, line >> 1
        illegal = packed.is_set(state.table, packed.ILLEGAL)
        called = (rounds < state.round) | (state.terminated & ~state.folded & ~illegal)
        last = jnp.where(called, CALL, jnp.where(state.folded & (rounds == state.round), FOLD, -1))
        return jnp.select([turns < checks, turns < checks + raises, turns == checks + raises], [CALL, RAISE, last], -1)

    observation_size: ClassVar[int] = 2 + 2 * NUM_CARDS + 2 * MAX_ROUND_ACTIONS * 2

    def observe(self, state: State, player: Array | int) -> Array:
        """OpenSpiel's information state tensor:

            0-1     seat of the player, one-hot
            2-7     its card, one-hot
            8-13    the public card, one-hot; 0 in the first round
            14-29   (called, raised) of each action: up to four in the first round, then up to four in the second

        The other's card is never shown, not even after a showdown.
        """
        cards = jnp.arange(NUM_CARDS, dtype=jnp.int32)
        seat = jnp.arange(_PLAYERS, dtype=jnp.int32) == player
        hand = cards == packed.card_at(state.table, player)
        public = (cards == packed.card_at(state.table, _PUBLIC)) & (state.round == 1)
        betting = self._actions(state)[..., None] == np.array([CALL, RAISE])
        return jnp.concatenate([seat, hand, public, betting.reshape(-1)]).astype(jnp.float32)

    token_sizes: ClassVar[tuple[int, int, int]] = (core.FIRST_SEAT + _PLAYERS, 1 + NUM_CARDS, 1 + len(ACTIONS))

    def information_state(self, state: State, player: Array | int) -> Array:
        """Tokens ``[10, 4]`` (see ``core.TOKEN_FIELDS``): the player's card, the actions of the first round, the
        public card, the actions of the second. The amount of a call or a raise is the chips it puts in.
        """
        actions = self._actions(state)  # [2, 4]
        turns = jnp.arange(MAX_ROUND_ACTIONS, dtype=jnp.int32)
        raises_before = jnp.cumsum(actions == RAISE, axis=1, dtype=jnp.int32) - (actions == RAISE)
        to_call = jnp.where(raises_before > 0, 1, 0)
        units = jnp.select([actions == CALL, actions == RAISE], [to_call, to_call + 1], 0)
        seat = jnp.broadcast_to(core.FIRST_SEAT + turns % _PLAYERS, actions.shape)
        chips = units * np.asarray(RAISE_SIZES, np.int32)[:, None]
        rows = jnp.stack([seat, jnp.zeros_like(actions), 1 + actions, chips], axis=-1).astype(jnp.int32)
        rows = jnp.where((actions >= 0)[..., None], rows, 0)  # [2, 4, 4]

        hand, public = (
            jnp.zeros((1, 4), jnp.int32).at[0, :2].set(jnp.stack([actor, 1 + packed.card_at(state.table, place)]))
            for actor, place in ((jnp.asarray(core.FIRST_SEAT + player), player), (jnp.asarray(core.TABLE), _PUBLIC))
        )
        second = jnp.where(state.round == 1, jnp.concatenate([public, rows[1]]), 0)  # [5, 4]
        num_first = (actions[0] >= 0).sum(dtype=jnp.int32)
        after_first = (jnp.arange(MAX_ROUND_ACTIONS + 1, dtype=jnp.int32) + num_first)[:, None]
        places = jnp.arange(2 * MAX_ROUND_ACTIONS + 1, dtype=jnp.int32)
        follow = (after_first == places).astype(jnp.int32).T @ second
        return jnp.concatenate([hand, jnp.concatenate([rows[0], jnp.zeros_like(second)]) + follow])

    def hand_index(self, state: State, player: Array | int) -> Array:
        """[] int32: the card of ``player``."""
        return packed.card_at(state.table, player)

    num_infosets: ClassVar[int] = _LINES * NUM_CARDS + (_LINES - 1) * _LINES * NUM_CARDS * (NUM_CARDS - 1)

    def infoset_index(self, state: State, player: Array | int) -> Array:
        """[] int32 in 0 .. 935: the row of ``player``, whose turn it is, in a tabular strategy.

            first round    line * 6 + card                                                               0 .. 35
            second round   36 + ((first line - 1) * 6 + line) * 30 + card * 5 + public card             36 .. 935

        with lines 0 "", 1 "check", 2 "raise", 3 "check raise", 4 "raise raise", 5 "check raise raise" (the call that
        ends the first round is left out) and the public card counted among the five that the player does not hold.

        When it is not ``player``'s turn the row is that of the player to move with ``player``'s card.
        """
        card, public = packed.card_at(state.table, player), packed.card_at(state.table, _PUBLIC)
        first, second = state.line(0), state.line(1)
        public = public - (public > card)
        after_public = ((first - 1) * _LINES + second) * (NUM_CARDS * (NUM_CARDS - 1)) + card * (NUM_CARDS - 1) + public
        return jnp.where(state.round == 0, first * NUM_CARDS + card, _LINES * NUM_CARDS + after_public)

    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """Another card of the opponent and, while none is turned up, another public card. See ``core.Game``.

        ``weights`` ``[6]`` is how likely the opponent is to hold each card; the public card is uniform after that.
        """
        opponent_key, public_key = jax.random.split(key)
        cards = jnp.arange(NUM_CARDS, dtype=jnp.int32)
        own, public = packed.card_at(state.table, player), packed.card_at(state.table, _PUBLIC)
        turned_up = state.round == 1
        unseen = (cards != own) & ~(turned_up & (cards == public))
        opponent = chance.choose(opponent_key, jnp.ones(NUM_CARDS) if weights is None else weights, unseen)
        in_deck = unseen & (cards != opponent)
        public = jnp.where(turned_up, public, chance.choose(public_key, jnp.ones(NUM_CARDS), in_deck))
        table = packed.with_card(state.table, 1 - player, opponent)
        return State(packed.with_card(table, _PUBLIC, public))

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """The same table with another card of ``player``, even one that is dealt already."""
        return State(packed.with_card(state.table, player, jnp.reshape(hand, ())))

    def redeals(self, state: State, street: int) -> tuple[State, Array]:
        """All hands, or all public cards that may follow the hands: see ``games/protocols.py``."""
        cards = jnp.arange(NUM_CARDS, dtype=jnp.int32)
        if street == 0:
            own, others = (each.reshape(-1) for each in jnp.meshgrid(cards, cards, indexing="ij"))
            dealt, possible = packed.with_card(packed.with_card(state.table, 0, own), 1, others), own != others
        else:
            held = [packed.card_at(state.table, seat) for seat in range(_PLAYERS)]
            dealt, possible = packed.with_card(state.table, _PUBLIC, cards), (cards != held[0]) & (cards != held[1])
        return State(dealt), possible / possible.sum()

    # --- what a solver needs --------------------------------------------------------------------

    @property
    def showdown_orders(self) -> np.ndarray:
        return deals.showdown_orders(_PLAYERS)

    def showdown_states(self, state: State | None = None) -> State:
        """K J, J J and J K with a queen turned up; see ``games/protocols.py``."""
        cards = packed.pack(jnp.asarray([[4, 0, 2], [0, 1, 2], [0, 4, 2]]))
        return State(cards if state is None else (state.table & ~_CARDS) | cards)

    def board_number(self, state: State) -> Array:
        """The public card, once it is turned up."""
        return jnp.where(state.round == 0, 0, packed.card_at(state.table, _PUBLIC))

    def all_deals(self) -> deals.Deals:
        return _all_deals()

    @property
    def private_hands(self) -> np.ndarray:
        return np.arange(NUM_CARDS)[:, None]

    def put_in(self, state: State) -> Array:
        """``[players]`` float32: chips; who faces a raise, or has folded to one, has put in less."""
        faces = (state.raises > 0) & (state.folded | ~state.terminated)
        owes = jnp.where(faces, _raise_size(state.round), 0)
        is_behind = jnp.arange(_PLAYERS, dtype=jnp.int32) == state.current_player
        return (state.stake - jnp.where(is_behind, owes, 0)).astype(jnp.float32)

    def with_later_cards(self, deal: Deal, street: int, key: Array) -> Deal:
        """``deal`` with another public card where none is turned up on ``street``."""
        public = jax.random.randint(key, (), 0, NUM_CARDS, jnp.int32)
        return deal if street else Deal(packed.with_card(deal.cards, _PUBLIC, public))

    def possible_hands(self, deal: Deal, street: int) -> Array:
        """``[6]`` bool: cards that are not turned up on ``street``."""
        return (jnp.arange(NUM_CARDS, dtype=jnp.int32) != packed.card_at(deal.cards, _PUBLIC)) | (street == 0)

    def pair_shares(self, deal: Deal, street: int) -> Array:
        """``[6, 6]`` float32: what each card wins from each other one; see ``games/protocols.py``."""
        known = _all_deals().streets[street]
        shares = np.where(known.prior > 0, (known.win + known.tie / 2) / np.where(known.prior > 0, known.prior, 1), 0)
        return jnp.asarray(shares, jnp.float32)[packed.card_at(deal.cards, _PUBLIC) if street else 0]

    def alike(self, street: int) -> None:
        """All cards are told apart."""
        return None

    # --- text -----------------------------------------------------------------------------------

    def street(self, state: State) -> Array:
        """[] int32, 0 before the public card and 1 after it."""
        return state.round

    def action_text(self, action: int, street: int = 0) -> str:
        return ACTIONS[action]

    def card_text(self, card: int) -> str:
        return CARD_NAMES[card]

    def text(self, state: State) -> str:
        """One table for people: ``"Kh Qs | call raise call | Js | raise | seat 1 to act"``."""
        hands = " ".join(self.card_text(int(packed.card_at(state.table, seat))) for seat in range(_PLAYERS))
        rounds = [" ".join(ACTIONS[a] for a in row if a >= 0) for row in np.asarray(self._actions(state)).tolist()]
        betting = rounds[0]
        if state.round == 1:
            betting += f" | {self.card_text(int(packed.card_at(state.table, _PUBLIC)))} | {rounds[1]}"
        if not state.terminated:
            return f"{hands} | {betting} | seat {int(state.current_player)} to act"
        illegal = " illegal action," if packed.is_set(state.table, packed.ILLEGAL) else ""
        return f"{hands} | {betting} | over,{illegal} paid {np.asarray(state.rewards).tolist()}"

    def infoset_text(self, index: int) -> str:
        """An information set for people: ``"Kh | call raise call | Js | raise"``."""
        if not 0 <= index < self.num_infosets:
            raise ValueError(f"{index} is not an information set: they are 0 to {self.num_infosets - 1}")

        def line_text(line: int) -> str:
            return " ".join(["call"] * (line & 1) + ["raise"] * (line >> 1))

        if index < _LINES * NUM_CARDS:
            line, card = divmod(index, NUM_CARDS)
            return f"{self.card_text(card)} | {line_text(line)}".rstrip()
        index, public = divmod(index - _LINES * NUM_CARDS, NUM_CARDS - 1)
        index, card = divmod(index, NUM_CARDS)
        first, second = divmod(index, _LINES)
        public += public >= card
        return (
            f"{self.card_text(card)} | {line_text(first + 1)} call | {self.card_text(public)} | {line_text(second)}"
        ).rstrip()


@functools.cache
def _all_deals() -> deals.Deals:
    cards = deals.arrangements(NUM_CARDS, _PLAYERS + 1)
    rank, names = cards // 2, [Leduc().card_text(card) for card in range(NUM_CARDS)]
    strengths = np.where(rank[:, :_PLAYERS] == rank[:, _PUBLIC:], NUM_CARDS, rank[:, :_PLAYERS])
    chances = np.full(len(cards), 1 / len(cards))
    with jax.ensure_compile_time_eval():  # it is kept, also when a function that is being traced asks first
        dealt = Deal(packed.pack(jnp.asarray(cards)))
        return deals.listed(dealt, chances, cards[:, :_PLAYERS], strengths, names, [(cards[:, _PUBLIC], names)])
