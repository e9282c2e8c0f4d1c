"""A table of Chicago: its state, and what an action does to it. The rules are in ``games/chicago/game.py``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, core
from jaxpoker.blocks import computed_once
from jaxpoker.cards import NO_CARD
from jaxpoker.games.chicago import hands as chicago_hands
from jaxpoker.games.chicago.deal import HAND, Deal
from jaxpoker.games.chicago.hands import NUM_COMPONENTS, STRAIGHT_FLUSH, Worth, suit_of
from jaxpoker.games.chicago.reveals import announcement

if TYPE_CHECKING:
    from jaxpoker.games.chicago.game import Chicago

Array = jax.Array

DRAW_0, DRAW_1, TRICKS = range(3)  # phases of a round
LAST_TRICK_POINTS = 5

NUM_DRAWS = 64  # actions 0-63 draw: bits 0-4 discard that card of the hand, bit 5 turns the card shown down
NUM_ACTIONS = NUM_DRAWS + HAND  # 64 + i plays card i of the hand
TURN_DOWN = 1 << HAND
NOT_YET = -1  # a draw that is to come
NOBODY = -1  # the winner of a game that has none

_DISCARDS = np.asarray([bin(action % TURN_DOWN).count("1") for action in range(NUM_DRAWS)], np.int32)
_TURNS_DOWN = np.arange(NUM_DRAWS) >= TURN_DOWN


@flax.struct.dataclass
class State:
    """One table or, with leading axes, many. Cards are int8, and ``NO_CARD`` where there is none."""

    terminated: Array  # [] bool
    truncated: Array  # [] bool
    illegal: Array  # [] bool, the game ended by an illegal action
    rewards: Array  # [seats] float32, for the last action
    winner: Array  # [] int32, seat or NOBODY
    players: Array  # [] int32, who sit in seats 0, 1, ...; the other seats are empty
    round: Array  # [] int32, from 1 on
    start: Array  # [] int32, seat that draws first and leads the first trick
    phase: Array  # [] int32, DRAW_0, DRAW_1 or TRICKS
    trick: Array  # [] int32, 0-4
    leader: Array  # [] int32, seat that opens this phase or trick
    acted: Array  # [] int32, how many seats have acted in this phase or trick
    scores: Array  # [seats] int32
    last_scores: Array  # [seats] int32, at the end of the round before
    deck: Array  # [52] int8, of this round
    dealt: Array  # [] int32, how many cards of it are out
    hands: Array  # [seats, 5] int8, NO_CARD at the end
    first_hands: Array  # [seats, 5] int8, the hands after draw 0, which are announced; NO_CARD before
    worths: Worth  # [seats] each: of the hand after the seat's last draw; -1 before
    draws: Array  # [2, seats] int8, the action of each draw, NOT_YET before
    shown: Array  # [seats] int8, the card drawn face up
    announced: Array  # [seats] bool
    reveals: Array  # [10] int32, see ``chicago_reveals``
    table: Array  # [5, seats] int8, the card played to each trick
    key: Array  # [2] uint32, of the next round's deck; hidden
    game: Chicago = flax.struct.field(pytree_node=False)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from jaxpoker.games import pictures

        return pictures.svg(self)

    @property
    def current_player(self) -> Array:
        """[] int32: the seat to act; the last actor when the game is over."""
        return _around(self.leader + self.acted, self.players)

    @property
    def seats(self) -> Array:
        """[seats] int32: 0, 1, ..."""
        return jnp.arange(self.scores.shape[-1], dtype=jnp.int32)

    @property
    def active(self) -> Array:
        """[seats] bool: somebody sits there."""
        return self.seats < self.players[..., None]

    @property
    def passed(self) -> Array:
        """[seats] bool: said nothing when all had to speak."""
        return (self.phase > DRAW_0)[..., None] & self.active & ~self.announced

    @property
    def deciding(self) -> Array:
        """[seats] bool: has seen the card it drew, and not yet said whether it keeps it."""
        return (self.phase == DRAW_1)[..., None] & (self.hands[..., HAND - 1] < 0) & self.active

    @property
    def led(self) -> Array:
        """[] int32: the card led to this trick; NO_CARD in draws and when none is, or all have played."""
        now = jnp.take_along_axis(self.table, self.trick[..., None, None].astype(jnp.int32), axis=-2)[..., 0, :]
        card = jnp.take_along_axis(now, self.leader[..., None], axis=-1)[..., 0]
        complete = ((now >= 0) | ~self.active).all(axis=-1)
        return jnp.where((self.phase == TRICKS) & ~complete, card, NO_CARD).astype(jnp.int32)

    @property
    def legal_action_mask(self) -> Array:
        """[69] bool."""
        draws, plays = _legal_draws(self), _legal_plays(self)
        drawing = (self.phase < TRICKS)[..., None]
        mask = jnp.concatenate([draws & drawing, plays & ~drawing], axis=-1)
        return mask | core.is_over(self)[..., None]


def _around(seat: Array, players: Array) -> Array:
    """A seat counted past the last one: clockwise the first follows."""
    return jnp.where(seat >= players, seat - players, seat)


def order_from(first: Array, state: State) -> Array:
    """[seats] int32: each seat's place clockwise, 0 for ``first``; what empty seats get means nothing."""
    return jnp.where(state.seats >= first, state.seats - first, state.seats - first + state.players)


@jax.jit
def leaders(state: State) -> Array:
    """[5] int32: the seat that leads each trick; what stands for tricks to come means nothing."""
    led_by = [state.start]
    for trick in range(HAND - 1):
        led_by.append(_taker(state.table[trick], led_by[-1]))
    return jnp.stack(led_by)


def _taker(in_trick: Array, leader: Array) -> Array:
    """[] int32: the seat of the highest card of the suit that ``leader`` led, of the cards ``[seats]`` of a trick."""
    in_trick = in_trick.astype(jnp.int32)
    led = suit_of(in_trick[leader])
    return jnp.argmax(jnp.where(suit_of(in_trick) == led, in_trick, NO_CARD)).astype(jnp.int32)


def dealt_hand(state: State, player: Array | int) -> Array:
    """[5] int8: the cards that ``player`` was dealt in this round."""
    return jax.lax.dynamic_slice_in_dim(state.deck, HAND * jnp.asarray(player, jnp.int32), HAND)


def _acting_hand(state: State) -> Array:
    """[5] int8."""
    return jnp.take_along_axis(state.hands, state.current_player[..., None, None], axis=-2)[..., 0, :]


@jax.jit
def _legal_draws(state: State) -> Array:
    """[64] bool: enough cards are left; turning down goes with one discard in draw 1, and takes two cards."""
    left = (cards.NUM_CARDS - state.dealt)[..., None]
    second = (state.phase == DRAW_1)[..., None]
    plain = ~_TURNS_DOWN & (left >= _DISCARDS)
    if not state.game.see_then_decide:
        return plain | (second & _TURNS_DOWN & (_DISCARDS == 1) & (left >= 2))
    deciding = second & (_acting_hand(state)[..., HAND - 1 :] < 0)
    stands_pat = _DISCARDS == 0
    return jnp.where(deciding, stands_pat & (~_TURNS_DOWN | (left >= 1)), plain)


@jax.jit
def _legal_plays(state: State) -> Array:
    """[5] bool: a card of the suit led if there is one in the hand, else any."""
    hand, led = _acting_hand(state), suit_of(state.led)[..., None]
    follows = (hand >= 0) & (suit_of(hand) == led)
    must_follow = (led >= 0) & follows.any(axis=-1, keepdims=True)
    return jnp.where(must_follow, follows, hand >= 0)


def deal_round(
    game: Chicago, deal: Deal, players: Array, round_: Array, start: Array, scores: Array, rewards: Array
) -> State:
    """The first state of a round, with a fresh deck."""
    seats = game.num_players
    zero = jnp.zeros((), jnp.int32)
    no = jnp.zeros((), jnp.bool_)
    nobody = jnp.full(seats, NO_CARD, jnp.int8)
    no_hands = jnp.full((seats, HAND), NO_CARD, jnp.int8)
    active = jnp.arange(seats, dtype=jnp.int32) < players
    no_worth = jnp.full(seats, -1, jnp.int32)
    return State(
        terminated=no,
        truncated=no,
        illegal=no,
        rewards=rewards,
        winner=zero + NOBODY,
        players=players,
        round=round_,
        start=start,
        phase=zero + DRAW_0,
        trick=zero,
        leader=start,
        acted=zero,
        scores=scores,
        last_scores=scores,
        deck=deal.deck,
        dealt=HAND * players,
        hands=jnp.where(active[:, None], deal.deck[: HAND * seats].reshape(seats, HAND), no_hands),
        first_hands=no_hands,
        worths=Worth(no_worth, no_worth),
        draws=jnp.full((2, seats), NOT_YET, jnp.int8),
        shown=nobody,
        announced=jnp.zeros(seats, jnp.bool_),
        reveals=jnp.zeros(NUM_COMPONENTS, jnp.int32),
        table=jnp.full((HAND, seats), NO_CARD, jnp.int8),
        key=deal.key,
        game=game,
    )


# --- one action -------------------------------------------------------------------------------


class Move(NamedTuple):
    """One action, worked out."""

    counts: Array  # [] bool: it is legal, and the game was not over
    hand: Array  # [5] int8, the actor's hand after it
    worths: Worth  # [seats] with that hand's, if this was a draw
    drawn: Array  # [] int32, cards that leave the deck
    shown: Array  # [] int8, the card that the actor has face up
    sees_first: Array  # [] bool: the actor is shown a card, and decides about it next
    card: Array  # [] int8, the card played to the trick


@computed_once
def move(state: State, action: Array) -> Move:
    """What ``action`` does to the hand of the player to act."""
    seat, hand = state.current_player, _acting_hand(state)
    drawing = state.phase < TRICKS
    deciding = drawing & (hand[HAND - 1] < 0)
    gone = jnp.where(drawing, action, jnp.left_shift(1, jnp.clip(action - NUM_DRAWS, 0, HAND - 1)))
    stays = [(hand[i] >= 0) & ((gone >> i) & 1 == 0) for i in range(HAND)]
    closed_up, count = [jnp.full_like(hand[0], NO_CARD)] * HAND, jnp.zeros((), jnp.int32)
    for i in range(HAND):
        for place in range(i + 1):
            closed_up[place] = jnp.where(stays[i] & (count == place), hand[i], closed_up[place])
        count = count + stays[i]

    alone = (state.phase == DRAW_1) & (count == HAND - 1) & ~deciding  # one card is discarded, so the next is shown
    turns_down = (action & TURN_DOWN) > 0
    sees_first = alone & state.game.see_then_decide
    skipped = (turns_down & alone).astype(jnp.int32)  # the card turned down
    places = jnp.arange(HAND, dtype=jnp.int32)
    shown = jnp.where(alone, state.deck[jnp.minimum(state.dealt, cards.NUM_CARDS - 1)], state.shown[seat])
    fills = state.deck[jnp.clip(state.dealt + skipped + places - count, 0, cards.NUM_CARDS - 1)]  # [5]
    fills = jnp.where(deciding & ~turns_down, shown, fills)
    fills = jnp.where(drawing & ~sees_first, fills, NO_CARD)
    new_hand = jnp.where(places < count, jnp.stack(closed_up), fills)

    drawn = jnp.where(deciding, turns_down.astype(jnp.int32), HAND - count + skipped)
    counts = core.is_legal(state.legal_action_mask, action) & ~core.is_over(state)
    worth = chicago_hands.worth([new_hand[i].astype(jnp.int32) for i in range(HAND)])
    has_drawn = counts & drawing & ~sees_first & (state.seats == seat)
    return Move(
        counts=counts,
        hand=new_hand,
        worths=jax.tree.map(lambda new, old: jnp.where(has_drawn, new, old), worth, state.worths),
        drawn=jnp.where(drawing, drawn, 0),
        shown=shown,
        sees_first=sees_first,
        card=hand[jnp.clip(action - NUM_DRAWS, 0, HAND - 1)],
    )


@jax.jit
def act(state: State, action: Array) -> State:
    """The state after ``action``; one that is not legal ends the game, one after the end changes nothing."""
    played = move(state, action)
    after, round_over = _settle(state, action, played, *_spoken(state, played.worths))
    return _next_round(after, round_over)


@computed_once
def _settle(state: State, action: Array, played: Move, announces: Array, reveals: Array) -> tuple[State, Array]:
    """The state after an action, and whether a round is over and another one follows.

    ``announces`` ``[seats]`` and ``reveals`` ``[10]`` are what is said if draw 0 is over.
    """
    game, seats, seat = state.game, state.seats, state.current_player
    draws = played.counts & (state.phase < TRICKS)
    plays = played.counts & (state.phase == TRICKS)
    mine = played.counts & (seats == seat)  # [seats]
    i_draw = mine & draws

    done = played.counts & ~played.sees_first
    all_acted = done & (state.acted + 1 == state.players)

    # The end of a draw: a straight flush wins the game, else the best hand scores; after the first one all have spoken.
    draw_over = draws & all_acted
    best = chicago_hands.best(played.worths)  # [seats]
    most = played.worths.kind.max()
    straight_flush = draw_over & (most == STRAIGHT_FLUSH)
    spoken = draw_over & (state.phase == DRAW_0) & ~straight_flush

    # The end of a trick: the highest card of the suit led takes it.
    now = (np.arange(HAND)[:, None] == state.trick) & (plays & (seats == seat))  # [5, seats]
    table = jnp.where(now, played.card, state.table)
    taker = _taker(table[state.trick], state.leader)
    trick_over = plays & all_acted
    last_trick = trick_over & (state.trick == HAND - 1)

    points = jnp.where(draw_over & ~straight_flush & best, most, 0)
    points = points + jnp.where(last_trick & (seats == taker), LAST_TRICK_POINTS, 0)
    in_circle = state.last_scores >= game.target
    wins = (straight_flush & best) | (last_trick & in_circle & (seats == taker))  # [seats]
    won = wins.any()
    illegal = ~core.is_over(state) & ~played.counts
    truncated = last_trick & ~won & (state.round >= game.max_rounds)
    ends = won | truncated | illegal

    gains = points.astype(jnp.float32) / game.target + jnp.where(wins, game.winner_bonus, 0.0)
    if game.reward == "win":
        gains = wins.astype(jnp.float32)
    stake = game.win_worth
    forfeit = jnp.where(seats == seat, -stake, stake / (state.players - 1)) * state.active
    opens_next = (draw_over | trick_over) & ~ends
    after = dataclasses.replace(
        state,
        terminated=state.terminated | won | illegal,
        truncated=state.truncated | truncated,
        illegal=state.illegal | illegal,
        rewards=jnp.where(illegal, forfeit, gains).astype(jnp.float32),
        winner=jnp.where(won, jnp.argmax(wins).astype(jnp.int32), state.winner),
        phase=state.phase + (draw_over & ~ends),
        trick=state.trick + (trick_over & ~last_trick),
        leader=jnp.where(opens_next, jnp.where(plays, taker, state.start), state.leader),
        acted=jnp.where(opens_next, 0, state.acted + (done & ~ends)),
        scores=state.scores + points,
        dealt=state.dealt + jnp.where(draws, played.drawn, 0),
        hands=jnp.where(mine[:, None], played.hand, state.hands),
        first_hands=jnp.where((i_draw & (state.phase == DRAW_0))[:, None], played.hand, state.first_hands),
        worths=played.worths,
        draws=_with_draw(state, i_draw, action),
        shown=jnp.where(i_draw, played.shown, state.shown),
        announced=jnp.where(spoken, announces, state.announced),
        reveals=jnp.where(spoken, reveals, state.reveals),
        table=table,
    )
    return after, last_trick & ~ends


def _with_draw(state: State, i_draw: Array, action: Array) -> Array:
    """[2, seats] int8: the draws with ``action``; what is decided about a card that was shown joins its discard."""
    before = jnp.maximum(state.draws, 0)
    now = i_draw & (np.arange(2)[:, None] == state.phase)
    return jnp.where(now, (before | action).astype(jnp.int8), state.draws)


@computed_once
def _spoken(state: State, worths: Worth) -> tuple[Array, Array]:
    """Who announces ``[seats]`` and the reveals ``[10]`` if the hands are ``worths``."""
    seats = state.seats
    speakers = _around(state.start + seats, state.players)  # [seats] in the order of speaking
    in_order = [
        Worth(*(jnp.where(place < state.players, half[speakers[place]], -1) for half in worths))
        for place in range(len(seats))
    ]
    said = announcement(in_order)
    order = jnp.minimum(order_from(state.start, state), len(seats) - 1)
    announces = jnp.stack(said.announces)[order] & state.active
    return announces, jnp.stack(said.reveals)


@computed_once
def _next_round(state: State, round_over: Array) -> State:
    """The next round where one follows."""
    key = jax.random.wrap_key_data(state.key, impl="threefry2x32")  # whatever kind of key the game began with
    deal = Deal(cards.shuffle(key).astype(jnp.int8), next_key(key))
    start = _around(state.start + 1, state.players)
    fresh = deal_round(state.game, deal, state.players, state.round + 1, start, state.scores, state.rewards)
    return core.select(round_over, fresh, state)


def next_key(key: Array, shape: tuple[int, ...] = ()) -> Array:
    """``[*shape, 2]`` uint32: keys that have nothing to do with the decks that ``cards.shuffle(key, shape)`` makes."""
    return jnp.stack(cards.random_words(key, 4, shape)[2:], axis=-1)
