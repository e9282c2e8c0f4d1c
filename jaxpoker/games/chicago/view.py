"""What a player of Chicago sees, as 4,087 floats that are the same for 2 to 6 players.

``BLOCKS`` is the layout, block after block and row-major; seats are absolute, and empty seats are zeros. A slot of 52
is a card, one-hot, by its id. Of the others' discards only the number is known: their slot holds a thermometer of it
in its first five entries. ``seen`` gathers what the floats say as small arrays. From those come ``observe``, all
floats, and ``entries``, the places and values of those that are not zero, for networks whose first layer sums rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards
from jaxpoker.cards import NO_CARD
from jaxpoker.games.chicago import hands as chicago_hands
from jaxpoker.games.chicago import reveals as chicago_reveals
from jaxpoker.games.chicago.hands import NUM_COMPONENTS, suit_of
from jaxpoker.games.chicago.table import HAND, TURN_DOWN, dealt_hand

if TYPE_CHECKING:
    from jaxpoker.games.chicago.table import State

Array = jax.Array

MAX_PLAYERS = 6
MAX_EVENTS = 64
_CARDS = cards.NUM_CARDS
_POINTS = 8  # 0-7


class Block(NamedTuple):
    """A part of the observation."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)


BLOCKS = (
    Block("hand", (HAND, _CARDS), "cards of the hand in order"),
    Block("phase", (3,), "draw 0, draw 1, tricks"),
    Block("led", (5,), "suit led: none, clubs, diamonds, hearts, spades"),
    Block("trick", (HAND,), "number of the trick; 0 in draws"),
    Block("scores", (MAX_PLAYERS,), "score / target"),
    Block("active", (MAX_PLAYERS,), "1 for a player, 2 for the one in the start seat"),
    Block("self", (MAX_PLAYERS,), "own seat"),
    Block("last scores", (MAX_PLAYERS,), "score / target at the end of the round before"),
    Block("table", (HAND, MAX_PLAYERS, _CARDS), "card that each seat played to each trick"),
    Block("discards", (2, MAX_PLAYERS, _CARDS), "of each draw: own discards, and a thermometer of the others' number"),
    Block("shown", (MAX_PLAYERS, _CARDS + 3), "card drawn face up, then: shown, kept, turned down"),
    Block("announcement", (MAX_PLAYERS, _POINTS + 2), "own points if announced, then: announced, passed"),
    Block(
        "reveals",
        (MAX_EVENTS, MAX_PLAYERS + NUM_COMPONENTS + 3),
        "events of the tie-break: seat, component, then: shown, passed, value / 14; neither flag is higher",
    ),
)
_ENDS = np.cumsum([block.size for block in BLOCKS])
OFFSETS = {block.name: int(end) - block.size for block, end in zip(BLOCKS, _ENDS, strict=True)}
OBSERVATION_SIZE = int(_ENDS[-1])
assert OBSERVATION_SIZE == 4_087

(
    HAND_AT,
    PHASE_AT,
    LED_AT,
    TRICK_AT,
    SCORES_AT,
    ACTIVE_AT,
    SELF_AT,
    LAST_SCORES_AT,
    TABLE_AT,
    DISCARDS_AT,
    SHOWN_AT,
    ANNOUNCEMENT_AT,
    REVEALS_AT,
) = OFFSETS.values()


class Seen(NamedTuple):
    """What a player sees, before it is spread out over floats. Seats are six; cards NO_CARD where there is none."""

    hand: Array  # [5] cards
    phase: Array  # []
    led: Array  # [] 0 none, 1 + suit
    trick: Array  # []
    scores: Array  # [6] float32
    active: Array  # [6] float32
    player: Array  # []
    last_scores: Array  # [6] float32
    table: Array  # [5, 6] cards
    own_discards: Array  # [2, 5] cards
    discard_counts: Array  # [2, 6]
    shown: Array  # [6] cards
    kept: Array  # [6] bool
    turned_down: Array  # [6] bool
    points: Array  # [] own points if announced, else -1
    announced: Array  # [6] bool
    passed: Array  # [6] bool
    speaker: Array  # [64] seat, -1 where there is no event
    component: Array  # [64] 0-9, -1 where there is no event
    says: Array  # [64] SILENT, the value shown, HIGHER or PASS


def discarded_cards(state: State, player: Array | int) -> Array:
    """[2, 5] cards that ``player`` discarded in each draw, at their places in the hand, else NO_CARD."""
    before = jnp.stack([dealt_hand(state, player), state.first_hands[player]]).astype(jnp.int32)  # [2, 5]
    masks = jnp.maximum(state.draws[:, player], 0).astype(jnp.int32)
    return jnp.where((masks[:, None] >> np.arange(HAND, dtype=np.int32)) & 1 == 1, before, NO_CARD)


def discard_counts(state: State) -> Array:
    """[2, seats] how many cards each seat discarded in each draw."""
    return jax.lax.population_count(jnp.maximum(state.draws, 0).astype(jnp.int32) & (TURN_DOWN - 1))


@jax.jit
def seen(state: State, player: Array | int) -> Seen:
    """What ``player`` sees of one table."""
    seats, target = len(state.seats), np.float32(state.game.target)
    player = jnp.asarray(player, jnp.int32)
    six = np.arange(MAX_PLAYERS, dtype=np.int32)

    def by_seat(values: Array, empty: int = 0) -> Array:
        """``[..., seats]`` to ``[..., 6]``."""
        widths = [(0, 0)] * (values.ndim - 1) + [(0, MAX_PLAYERS - seats)]
        return jnp.pad(values, widths, constant_values=empty)

    shown = by_seat(state.shown, NO_CARD).astype(jnp.int32)
    deciding = by_seat(state.deciding)
    turned_down = (shown >= 0) & (by_seat(jnp.maximum(state.draws[1], 0)) >= TURN_DOWN)
    own_worth = chicago_hands.worth([state.first_hands[player, i].astype(jnp.int32) for i in range(HAND)])
    return Seen(
        hand=state.hands[player].astype(jnp.int32),
        phase=state.phase,
        led=1 + suit_of(state.led),
        trick=state.trick,
        scores=by_seat(state.scores).astype(jnp.float32) / target,
        active=by_seat(state.active) * jnp.where(six == state.start, 2.0, 1.0).astype(jnp.float32),
        player=player,
        last_scores=by_seat(state.last_scores).astype(jnp.float32) / target,
        table=by_seat(state.table, NO_CARD).astype(jnp.int32),
        own_discards=discarded_cards(state, player),
        discard_counts=by_seat(discard_counts(state)),
        shown=shown,
        kept=(shown >= 0) & ~turned_down & ~deciding,
        turned_down=turned_down,
        points=jnp.where(state.announced[player], own_worth.kind, -1),
        announced=by_seat(state.announced),
        passed=by_seat(state.passed),
        **_events(state)._asdict(),
    )


class Events(NamedTuple):
    """The reveals in order; see ``Seen``."""

    speaker: Array  # [64]
    component: Array  # [64]
    says: Array  # [64]


def _events(state: State) -> Events:
    seats = len(state.seats)
    said = chicago_reveals.said(state.reveals, seats).reshape(-1)  # [10 * seats], those that are silent too
    count = len(said)
    speaks = said != chicago_reveals.SILENT
    before = jnp.tril(jnp.ones((count, count), jnp.float32), -1) @ speaks.astype(jnp.float32)  # events before each
    event = (before == np.arange(count)[:, None]) & speaks  # [events, said] one-hot
    which = jnp.where(event.any(axis=1), jnp.argmax(event, axis=1), -1).astype(jnp.int32)
    place = jnp.where(which >= 0, which % seats, 0)
    speaker = state.start + place
    speaker = jnp.where(speaker >= state.players, speaker - state.players, speaker)
    silent = which < 0
    events = Events(
        jnp.where(silent, -1, speaker),
        jnp.where(silent, -1, which // seats),
        jnp.where(silent, chicago_reveals.SILENT, said[which]),
    )
    return Events(
        *(
            jnp.pad(values, (0, MAX_EVENTS - count), constant_values=empty)
            for values, empty in zip(events, (-1, -1, chicago_reveals.SILENT), strict=True)
        )
    )


def _one_hot(index: Array, size: int) -> Array:
    """``[..., size]`` float32; zeros for an index that is negative."""
    return (index[..., None] == np.arange(size, dtype=np.int32)).astype(jnp.float32)


@jax.jit
def observe(state: State, player: Array | int) -> Array:
    """``[4087]`` float32 that ``player`` sees; see ``BLOCKS``."""
    view = seen(state, player)
    has_shown = view.shown >= 0
    shows = (view.says > chicago_reveals.SILENT) & (view.says < chicago_reveals.HIGHER)
    is_self = _one_hot(view.player, MAX_PLAYERS)
    own_discards = _one_hot(view.own_discards, _CARDS).sum(axis=1)  # [2, 52]
    thermometer = (np.arange(_CARDS) < view.discard_counts[..., None]).astype(jnp.float32)  # [2, 6, 52]
    shown_flags = jnp.stack([has_shown, view.kept, view.turned_down], axis=-1).astype(jnp.float32)
    spoken_flags = jnp.stack([view.announced, view.passed], axis=-1).astype(jnp.float32)
    values = jnp.where(shows, view.says, 0) / np.float32(14)
    event_flags = jnp.stack([shows, view.says == chicago_reveals.PASS, values], axis=-1).astype(jnp.float32)
    blocks = [
        _one_hot(view.hand, _CARDS),
        _one_hot(view.phase, 3),
        _one_hot(view.led, 5),
        _one_hot(view.trick, HAND),
        view.scores,
        view.active,
        is_self,
        view.last_scores,
        _one_hot(view.table, _CARDS),
        jnp.where(is_self[:, None] > 0, own_discards[:, None], thermometer),
        jnp.concatenate([_one_hot(view.shown, _CARDS), shown_flags], axis=-1),
        jnp.concatenate([is_self[:, None] * _one_hot(view.points, _POINTS), spoken_flags], axis=-1),
        jnp.concatenate(
            [_one_hot(view.speaker, MAX_PLAYERS), _one_hot(view.component, NUM_COMPONENTS), event_flags], axis=-1
        ),
    ]
    return jnp.concatenate([block.reshape(-1) for block in blocks])


class Entries(NamedTuple):
    """The floats of an observation that are not zero. Past its end, at ``OBSERVATION_SIZE``, are entries of value 0."""

    place: Array  # [entries] int32, all different but for those past the end
    value: Array  # [entries] float32


@jax.jit
def entries(state: State, player: Array | int) -> Entries:
    """The same as ``observe``, as a list of ``num_entries`` floats."""
    view = seen(state, player)
    seats = len(state.seats)
    six = np.arange(MAX_PLAYERS, dtype=np.int32)
    places, values = [], []

    def add(start: int, index: Any, holds: Array, value: Array | float = 1.0) -> None:
        """Floats at ``start + index``, arrays of any one shape, where ``holds``."""
        places.append(jnp.where(holds, start + index, OBSERVATION_SIZE).reshape(-1).astype(jnp.int32))
        values.append(jnp.where(holds, value, 0.0).reshape(-1).astype(jnp.float32))

    def add_slots(start: int, width: int, index: Array) -> None:
        """A 1 at ``index`` of each slot of ``width`` floats, where it is not negative."""
        slots = width * np.arange(math.prod(index.shape), dtype=np.int32).reshape(index.shape)
        add(start, slots + index, index >= 0)

    # Seats that the table has not are empty: no entries are kept for them.
    add_slots(HAND_AT, _CARDS, view.hand)
    for start, index in ((PHASE_AT, view.phase), (LED_AT, view.led), (TRICK_AT, view.trick), (SELF_AT, view.player)):
        add(start, index, index >= 0)
    for start, floats in ((SCORES_AT, view.scores), (ACTIVE_AT, view.active), (LAST_SCORES_AT, view.last_scores)):
        add(start, six[:seats], floats[:seats] != 0, floats[:seats])
    trick_slots = (MAX_PLAYERS * np.arange(HAND)[:, None] + six[:seats]).astype(np.int32)  # [5, seats]
    add(TABLE_AT, _CARDS * trick_slots + view.table[:, :seats], view.table[:, :seats] >= 0)
    five = np.arange(HAND, dtype=np.int32)
    others = (five < view.discard_counts[:, :seats, None]) & (six[:seats, None] != view.player)
    add(DISCARDS_AT, _CARDS * trick_slots[:2, :, None] + five, others)
    own_slots = MAX_PLAYERS * np.arange(2, dtype=np.int32)[:, None] + view.player
    add(DISCARDS_AT, _CARDS * own_slots + view.own_discards, view.own_discards >= 0)
    flags = jnp.where(view.kept, 1, jnp.where(view.turned_down, 2, -1))[:seats]
    width = _CARDS + 3
    add_slots(SHOWN_AT, width, view.shown[:seats])
    add(SHOWN_AT, width * six[:seats] + _CARDS, view.shown[:seats] >= 0)
    add(SHOWN_AT, width * six[:seats] + _CARDS + flags, flags >= 0)
    width = _POINTS + 2
    add(ANNOUNCEMENT_AT, width * view.player + view.points, view.points >= 0)
    spoken = jnp.where(view.announced, _POINTS, jnp.where(view.passed, _POINTS + 1, -1))[:seats]
    add_slots(ANNOUNCEMENT_AT, width, spoken)
    width = MAX_PLAYERS + NUM_COMPONENTS + 3
    flags_at = MAX_PLAYERS + NUM_COMPONENTS
    says = view.says[: NUM_COMPONENTS * seats]
    slots = width * np.arange(len(says), dtype=np.int32)
    speaks, shows = says != chicago_reveals.SILENT, (says > chicago_reveals.SILENT) & (says < chicago_reveals.HIGHER)
    add(REVEALS_AT, slots + view.speaker[: len(says)], speaks)
    add(REVEALS_AT, slots + MAX_PLAYERS + view.component[: len(says)], speaks)
    add(REVEALS_AT, slots + flags_at + jnp.where(shows, 0, 1), speaks & (says != chicago_reveals.HIGHER))
    add(REVEALS_AT, slots + flags_at + 2, shows, says / np.float32(14))
    return Entries(jnp.concatenate(places), jnp.concatenate(values))
