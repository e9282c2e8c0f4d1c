"""Leduc poker for three to five players, as OpenSpiel generalises it; ``leduc.py`` has the game for two.

There are two cards more than twice the players, in two suits: T J Q K for three. All ante a chip and get a card. There
are two rounds of betting with a public card turned up in between; the lowest seat that is still in begins each. A raise
puts in 2 chips more than the last one in the first round and 4 in the second, at most two raises a round. At the
showdown a pair with the public card wins, otherwise the higher rank, and equal ranks split the pot.

    actions   0 fold, legal when facing a raise; 1 call (a check when there is nothing to call); 2 raise
    cards     rank * 2 + suit

What has happened in a round is one number, a place in the tables of ``leduc_rounds.py``.
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
from jaxpoker.games import chance, deals, leduc, packed
from jaxpoker.games.leduc import ACTIONS, ANTE, CALL, MAX_LOSS, MAX_RAISES, RAISE, RAISE_SIZES
from jaxpoker.games.leduc_rounds import CLOSED, NONE, TO_ACT, WON, Rounds, rounds

Array = jax.Array

MAX_PLAYERS = 5
_RANKS = "89TJQK"  # a deck of four ranks is the last four of them, and so on
_CARD_BITS = 4
_CARDS = (1 << 24) - 1  # of five players and the public one
_PLACE_BITS = 12
_PLACE = (1 << _PLACE_BITS) - 1


class Deal(NamedTuple):
    cards: Array  # [] int32, the cards of each seat and then the public one, packed

    @classmethod
    def of(cls, hands: str | Array | np.ndarray | Sequence[int], board: str | int | None = None) -> Deal:
        """The deal of chosen cards: ``Deal.of("Kh Qs Js", "Th")``, or their numbers.

        Without a ``board`` the public card is the lowest of those that are left.
        """
        names = _card_names(len(hands.split()) if isinstance(hands, str) else np.shape(hands)[-1])
        if isinstance(hands, str):
            hands = [packed.named(card, names) for card in hands.split()]
        if isinstance(board, str):
            board = packed.named(board.strip(), names)
        if board is None:
            held = (np.arange(len(names))[:, None] == np.asarray(hands)[..., None, :]).any(axis=-1)
            board = np.argmin(held, axis=-1)
        all_cards = np.concatenate([np.asarray(hands), np.asarray(board)[..., None]], axis=-1)
        return cls(packed.chosen(all_cards, len(names), _CARD_BITS))


def _card_names(players: int) -> tuple[str, ...]:
    return tuple(rank + suit for rank in _RANKS[-(players + 1) :] for suit in "hs")


@struct.dataclass
class State:
    """One table or, with leading axes, many: an axis that a property adds comes last."""

    table: Array  # [] int32: cards in bits 0-23, flags of `packed` above
    betting: Array  # [] int32: the place of the first round in bits 0-11, above it that of the second, 0 before it
    num_players: int = struct.field(pytree_node=False)

    @property
    def rounds(self) -> Rounds:
        return rounds(self.num_players, MAX_RAISES)

    @property
    def first(self) -> Array:
        """[] int32, the place of the first round."""
        return self.betting & _PLACE

    @property
    def round(self) -> Array:
        """[] int32, 0 before the public card and 1 after it."""
        return (self.betting > _PLACE).astype(jnp.int32)

    @property
    def place(self) -> Array:
        """[] int32, the place of this round; where the first one is over without a second, that of the first."""
        return jnp.where(self.round == 0, self.first, self.betting >> _PLACE_BITS)

    @property
    def current_player(self) -> Array:
        return jnp.asarray(self.rounds.player)[self.place]

    @property
    def legal_action_mask(self) -> Array:
        return jnp.asarray(self.rounds.legal)[self.place] | self.terminated[..., None]

    @property
    def terminated(self) -> Array:
        return self.table >= packed.ENDED

    @property
    def truncated(self) -> Array:
        return jnp.zeros(self.table.shape, jnp.bool_)

    @property
    def put_in(self) -> Array:
        """[players] int32, chips of each seat in the pot."""
        paid, second = jnp.asarray(self.rounds.paid), self.round[..., None]
        return ANTE + RAISE_SIZES[0] * paid[self.first] + second * RAISE_SIZES[1] * paid[self.place]

    @property
    def rewards(self) -> Array:
        """[players] float32, what the last action brought: 0 unless it ended the game."""
        n = self.num_players
        seats = jnp.arange(n, dtype=jnp.int32)
        rank = packed.card_at(self.table[..., None], jnp.arange(n + 1, dtype=jnp.int32), _CARD_BITS) // 2
        strength = jnp.where(rank[..., :n] == rank[..., n:], n + 1, rank[..., :n])
        strength = jnp.where(jnp.asarray(self.rounds.left)[self.place], strength, -1)
        wins = strength == strength.max(axis=-1, keepdims=True)
        put_in = self.put_in
        won = wins * put_in.sum(axis=-1, keepdims=True) / wins.sum(axis=-1, keepdims=True) - put_in
        at_fault = jnp.where(seats == self.current_player[..., None], -MAX_LOSS, MAX_LOSS / (n - 1))
        paid = jnp.where(packed.is_set(self.table, packed.ILLEGAL)[..., None], at_fault, won)
        return jnp.where(packed.is_set(self.table, packed.JUST_ENDED)[..., None], paid, 0).astype(jnp.float32)


def leduc_for(num_players: int = 2) -> leduc.Leduc | ManyLeduc:
    """Leduc poker: for two players the game of ``leduc.py``, for three to five the one here."""
    return leduc.Leduc() if num_players == 2 else ManyLeduc(num_players)


@dataclass(frozen=True)
class ManyLeduc:
    """The rules; see the module's docstring."""

    num_players: int = 3

    name: ClassVar[str] = "leduc"
    num_actions: ClassVar[int] = len(ACTIONS)
    street_names: ClassVar[tuple[str, ...]] = ("first round", "second round")
    zero_sum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        right = f"Leduc poker is for 2 to {MAX_PLAYERS} players"
        object.__setattr__(self, "num_players", arguments.whole("num_players", self.num_players, 3, MAX_PLAYERS, right))

    @property
    def num_cards(self) -> int:
        return 2 * (self.num_players + 1)

    @property
    def num_hands(self) -> int:
        return self.num_cards

    @property
    def rounds(self) -> Rounds:
        return rounds(self.num_players, MAX_RAISES)

    # --- the rules ------------------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Deal:
        order = jnp.argsort(jax.random.bits(key, (*shape, self.num_cards), jnp.uint32), axis=-1)
        return Deal(packed.pack(order[..., : self.num_players + 1], _CARD_BITS))

    def start(self, deal: Deal) -> State:
        return State(deal.cards, jnp.full_like(deal.cards, self.rounds.begins[-1]), self.num_players)

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def step(self, state: State, action: Array | int, key: Array | None = None) -> State:
        action = arguments.whole_array("action", action, "0 is fold, 1 call, 2 raise")
        kind, after, left = (jnp.asarray(x) for x in (self.rounds.kind, self.rounds.after, self.rounds.left))
        known = (action >= 0) & (action < len(ACTIONS))
        place = jnp.where(known, after[state.place, jnp.where(known, action, 0)], NONE)
        legal = place != NONE
        place = jnp.maximum(place, 0)
        ends = (kind[place] == WON) | ((kind[place] == CLOSED) & (state.round == 1))
        seats = (left[place] << np.arange(self.num_players)).sum(axis=-1)
        second = jnp.where(kind[place] == CLOSED, jnp.asarray(self.rounds.begins)[seats], 0)
        played = jnp.where(
            state.round == 0, place | (second << _PLACE_BITS), state.first | (place << _PLACE_BITS)
        ).astype(jnp.int32)
        betting = jnp.where(state.terminated | ~legal, state.betting, played)
        return State(packed.after_action(state.table, legal, ends, state.table), betting, self.num_players)

    def act(self, state: State, action: Array | int) -> State:
        return self.step(state, action)

    # --- what a player knows --------------------------------------------------------------------

    def _actions(self, state: State) -> Array:
        """``[2, longest]`` int32, the actions of each round in order, -1 where there is none (yet)."""
        return self._of_rounds(state, self.rounds.actions)

    def _of_rounds(self, state: State, table: np.ndarray) -> Array:
        """``[2, longest]``: rows of ``table`` ``[places, longest]``, NONE in a round that has not begun."""
        second = jnp.where(state.round == 1, jnp.asarray(table)[state.place], NONE)
        return jnp.stack([jnp.asarray(table)[state.first], second])

    @property
    def _longest(self) -> int:
        return self.rounds.actions.shape[1]

    @property
    def observation_size(self) -> int:
        return self.num_players + 2 * self.num_cards + 2 * 2 * self._longest

    def observe(self, state: State, player: Array | int) -> Array:
        """OpenSpiel's information state tensor: seat, own card and public card one-hot, the latter 0 in the first
        round, then (called, raised) of each action, up to 3 * players - 2 in either round. Other hands are never
        shown.
        """
        cards = jnp.arange(self.num_cards, dtype=jnp.int32)
        seat = jnp.arange(self.num_players, dtype=jnp.int32) == player
        hand = cards == packed.card_at(state.table, player, _CARD_BITS)
        public = (cards == packed.card_at(state.table, self.num_players, _CARD_BITS)) & (state.round == 1)
        betting = self._actions(state)[..., None] == np.array([CALL, RAISE])
        return jnp.concatenate([seat, hand, public, betting.reshape(-1)]).astype(jnp.float32)

    @property
    def token_sizes(self) -> tuple[int, int, int]:
        return core.FIRST_SEAT + self.num_players, 1 + self.num_cards, 1 + len(ACTIONS)

    def information_state(self, state: State, player: Array | int) -> Array:
        """Tokens ``[2 + 2 * longest, 4]`` (see ``core.TOKEN_FIELDS``): the player's card, the actions of the first
        round, the public card, the actions of the second; zeros where there is none. The amount of a call or a raise is
        the chips it puts in.
        """
        actions, seats = self._actions(state), self._of_rounds(state, self.rounds.seats)  # [2, longest]
        put_in = self._of_rounds(state, _raises_paid(self.rounds)) * np.asarray(RAISE_SIZES)[:, None]
        zeros = jnp.zeros_like(actions)
        rows = jnp.stack([core.FIRST_SEAT + seats, zeros, 1 + actions, put_in], axis=-1)
        rows = jnp.where((actions >= 0)[..., None], rows, 0).astype(jnp.int32)

        def of_card(seen: Array | int, place: Array | int) -> Array:
            card = 1 + packed.card_at(state.table, place, _CARD_BITS)
            return jnp.stack([jnp.asarray(seen, jnp.int32), card, jnp.int32(0), jnp.int32(0)])[None]

        public = jnp.where(state.round == 1, of_card(core.TABLE, self.num_players), 0)
        return jnp.concatenate([of_card(core.FIRST_SEAT + player, player), rows[0], public, rows[1]])

    def hand_index(self, state: State, player: Array | int) -> Array:
        """[] int32: the card of ``player``."""
        return packed.card_at(state.table, player, _CARD_BITS)

    @property
    def num_infosets(self) -> int:
        return int(_first_rows(self.num_players)[-1])

    def infoset_index(self, state: State, player: Array | int) -> Array:
        """[] int32: the row of ``player``, whose turn it is, in a tabular strategy.

            first round    decision * cards + card
            second round   first row of what the first round was + (decision * cards + card) * (cards - 1) + public card

        with decisions numbered within their round and the public card counted among those that the player does not
        hold. When it is not ``player``'s turn the row is that of the player to move with ``player``'s card.
        """
        cards = self.num_cards
        card, public = (packed.card_at(state.table, at, _CARD_BITS) for at in (player, self.num_players))
        number = jnp.asarray(self.rounds.number)
        decision = number[state.place] * cards + card
        before = jnp.asarray(_first_rows(self.num_players))[jnp.maximum(number[state.first], 0)]
        row = jnp.where(state.round == 0, decision, before + decision * (cards - 1) + public - (public > card))
        return jnp.clip(row, 0, self.num_infosets - 1)

    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """Other cards of the opponents and, while none is turned up, another public card. See ``core.Game``.

        ``weights`` is ``[cards]`` or ``[players, cards]``: a deal is as likely as the product of its hands' weights.
        With weights all deals are listed, which is done for three players only.
        """
        n, cards = self.num_players, self.num_cards
        held = packed.card_at(state.table, jnp.arange(n + 1, dtype=jnp.int32), _CARD_BITS)
        fixed = (jnp.arange(n + 1) == player) | ((jnp.arange(n + 1) == n) & (state.round == 1))
        if weights is None:
            seen = ((jnp.arange(cards)[:, None] == held) & fixed).any(axis=1)
            order = jnp.argsort(jnp.where(seen, 2.0, jax.random.uniform(key, (cards,))))
            hidden = jnp.cumsum(~fixed) - 1
            dealt = jnp.where(fixed, held, order[hidden])
        else:
            if n > 3:
                raise ValueError(f"weights of hidden cards are for three players, not for {n}")
            every = jnp.asarray(deals.arrangements(cards, n + 1))
            weights = jnp.broadcast_to(weights, (n, cards))
            likely = jnp.where(fixed[:n], 1.0, weights[jnp.arange(n), every[:, :n]]).prod(axis=1)
            dealt = every[chance.choose(key, likely, ((every == held) | ~fixed).all(axis=1))]
        return state.replace(table=(state.table & ~_CARDS) | packed.pack(dealt, _CARD_BITS))  # type: ignore[attr-defined]

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """The same table with another card of ``player``, even one that is dealt already."""
        table = packed.with_card(state.table, player, jnp.reshape(hand, ()), _CARD_BITS)
        return State(table, state.betting, self.num_players)

    def redeals(self, state: State, street: int) -> tuple[State, Array]:
        """All hands, or all public cards that may follow the hands: see ``games/protocols.py``."""
        n, cards = self.num_players, self.num_cards
        held = packed.card_at(state.table, jnp.arange(n + 1, dtype=jnp.int32), _CARD_BITS)
        if street == 0:
            hands = jnp.asarray(deals.arrangements(cards, n))
            dealt, possible = jnp.concatenate([hands, jnp.broadcast_to(held[n], (len(hands), 1))], axis=1), None
        else:
            public = jnp.arange(cards)
            dealt = jnp.concatenate([jnp.broadcast_to(held[:n], (cards, n)), public[:, None]], axis=1)
            possible = (public[:, None] != held[:n]).all(axis=1)
        tables = (state.table & ~_CARDS) | packed.pack(dealt, _CARD_BITS)
        likely = jnp.ones(len(tables)) if possible is None else possible.astype(jnp.float32)
        return State(tables, jnp.broadcast_to(state.betting, tables.shape), n), likely / likely.sum()

    # --- what a solver needs --------------------------------------------------------------------

    @property
    def showdown_orders(self) -> np.ndarray:
        return deals.showdown_orders(self.num_players)

    def showdown_states(self, state: State | None = None) -> State:
        """See ``games/protocols.py``: hands whose ranks are in each of the orders, with a public card that pairs none.

        A third hand of one rank cannot be dealt; it has the same card as another one, which changes no payoff.
        """
        orders = np.asarray(self.showdown_orders, np.int64)
        public = 2 * self.num_players  # the highest rank
        cards = packed.pack(jnp.asarray(np.concatenate([2 * orders, np.full((len(orders), 1), public)], axis=1)), 4)
        if state is None:
            return self.start(Deal(cards))
        return State((state.table & ~_CARDS) | cards, jnp.broadcast_to(state.betting, cards.shape), self.num_players)

    def board_number(self, state: State) -> Array:
        """The public card, once it is turned up."""
        return jnp.where(state.round == 0, 0, packed.card_at(state.table, self.num_players, _CARD_BITS))

    def all_deals(self) -> deals.SeatDeals:
        """Of three players; with more there are too many to be listed."""
        if self.num_players != 3:
            raise ValueError(f"the deals of leduc are listed for 2 and 3 players, not for {self.num_players}")
        return _all_deals(self)

    # --- text -----------------------------------------------------------------------------------

    def street(self, state: State) -> Array:
        """[] int32, 0 before the public card and 1 after it."""
        return state.round

    def action_text(self, action: int, street: int = 0) -> str:
        return ACTIONS[action]

    def card_text(self, card: int) -> str:
        return _card_names(self.num_players)[card]

    def text(self, state: State) -> str:
        """One table for people: ``"Kh Qs Th | call raise call fold | Js | raise | seat 1 to act"``."""
        places = range(self.num_players + 1)
        *hands, public = (self.card_text(int(packed.card_at(state.table, at, _CARD_BITS))) for at in places)
        betting, second = (
            " ".join(ACTIONS[a] for a in row if a >= 0) for row in np.asarray(self._actions(state)).tolist()
        )
        if state.round == 1:
            betting += f" | {public} | {second}"
        if not state.terminated:
            return f"{' '.join(hands)} | {betting} | seat {int(state.current_player)} to act"
        illegal = " illegal action," if packed.is_set(state.table, packed.ILLEGAL) else ""
        return f"{' '.join(hands)} | {betting} | over,{illegal} paid {np.asarray(state.rewards).tolist()}"

    def infoset_text(self, index: int) -> str:
        """An information set for people: ``"Kh | call raise call call | Js | raise"``."""
        if not 0 <= index < self.num_infosets:
            raise ValueError(f"{index} is not an information set: they are 0 to {self.num_infosets - 1}")
        table, cards = self.rounds, self.num_cards
        starts = _first_rows(self.num_players)
        whole = int(table.begins[-1])
        if index < starts[0]:
            decision, card = divmod(index, cards)
            return f"{self.card_text(card)} | {self._line(_place_of(table, whole, TO_ACT, decision))}".rstrip()
        first = int(np.searchsorted(starts, index, side="right")) - 1
        closed = _place_of(table, whole, CLOSED, first)
        begins = int(table.begins[(table.left[closed] << np.arange(self.num_players)).sum()])
        rest, public = divmod(index - int(starts[first]), cards - 1)
        decision, card = divmod(rest, cards)
        opened = self.card_text(public + (public >= card))
        line = self._line(_place_of(table, begins, TO_ACT, decision))
        return f"{self.card_text(card)} | {self._line(closed)} | {opened} | {line}".rstrip()

    def _line(self, place: int) -> str:
        return " ".join(ACTIONS[a] for a in self.rounds.actions[place] if a >= 0)


def _raises_paid(table: Rounds) -> np.ndarray:
    """``[places, longest]`` int32: how many raises each action of a place has paid for."""
    paid = np.zeros_like(table.actions)
    for at, (line, seats) in enumerate(zip(table.actions.tolist(), table.seats.tolist(), strict=True)):
        has_paid, made = dict.fromkeys(seats, 0), 0
        for turn, (action, seat) in enumerate(zip(line, seats, strict=True)):
            if action in (CALL, RAISE):
                made += action == RAISE
                paid[at, turn] = made - has_paid[seat]
                has_paid[seat] = made
    return paid


def _first_in(table: Rounds, begins: int) -> tuple[int, int]:
    """The places of the rounds that begin at ``begins``: from it to before the next beginning."""
    later = table.begins[table.begins > begins]
    return begins, int(later.min()) if len(later) else len(table.kind)


def _place_of(table: Rounds, begins: int, kind: int, number: int) -> int:
    """The place of one kind with that number among those of its beginning."""
    first, last = _first_in(table, begins)
    return first + int(np.flatnonzero((table.kind[first:last] == kind) & (table.number[first:last] == number))[0])


@functools.cache
def _first_rows(players: int) -> np.ndarray:
    """``[ways that the first round closes + 1]`` int64: the first row of the second round after each, and the end."""
    table, cards = rounds(players, MAX_RAISES), 2 * (players + 1)
    first, last = _first_in(table, int(table.begins[-1]))
    rows = [int((table.kind[first:last] == TO_ACT).sum()) * cards]
    for closed in np.flatnonzero(table.kind[first:last] == CLOSED) + first:
        begins = int(table.begins[(table.left[closed] << np.arange(players)).sum()])
        here, there = _first_in(table, begins)
        rows.append(rows[-1] + int((table.kind[here:there] == TO_ACT).sum()) * cards * (cards - 1))
    return np.array(rows)


@functools.cache
def _all_deals(game: ManyLeduc) -> deals.SeatDeals:
    n = game.num_players
    cards = deals.arrangements(game.num_cards, n + 1)
    rank, names = cards // 2, [game.card_text(card) for card in range(game.num_cards)]
    strengths = np.where(rank[:, :n] == rank[:, n:], game.num_cards, rank[:, :n])
    with jax.ensure_compile_time_eval():  # it is kept, also when a function that is being traced asks first
        dealt = Deal(packed.pack(jnp.asarray(cards), _CARD_BITS))
        chances = np.full(len(cards), 1 / len(cards))
        return deals.listed_for_seats(
            dealt, chances, cards[:, :n], strengths, names, game.showdown_orders, [(cards[:, n], names)]
        )
