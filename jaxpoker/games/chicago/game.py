"""Chicago, the Swedish game of five-card draw and tricks, for 2 to 6 players.

A game is many rounds. The round's start seat is 0 in round 1 and moves on by one seat a round.

1. A fresh deck, five cards each.
2. Draw 0, clockwise from the start seat: discard any cards, new ones come from the deck. Kept cards close up in
   order, new ones go to the end of the hand.
3. A straight flush wins the whole game at once; of several the best.
4. Announcement (``games/chicago/reveals.py``): the best hand scores its points, 1 for a pair, 2 two pair, 3 trips,
   4 straight, 5 flush, 6 full house, 7 quads.
5. Draw 1, like draw 0; but who discards one card gets the new one face up. It may be turned down for the next one,
   unseen: as part of the same action, or with ``see_then_decide`` once it has been seen.
6. A straight flush wins, as in 3.
7. The best hand scores its points; nothing is revealed.
8. Five tricks; the start seat leads the first. Follow suit if you can; the highest card of the suit led takes the
   trick and leads the next. The last trick scores 5.
9. The circle: who had reached the target in an earlier round wins the game by taking the last trick.

    actions   0-63    draw: bits 0-4 discard that card of the hand, bit 5 turns the card shown down
              64-68   play that card of the hand

Ties are broken by suits, so that there is always one best hand (``games/chicago/hands.py``). Each scoring event
pays its points / target to the scorer, and winning the game ``winner_bonus``.

``num_players`` is how many seats there are; ``start(deal, players=n)`` leaves the last ones empty, so that a batch of a
game for six may mix tables of two to six. The observation is the same 4,087 floats for all.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxpoker import arguments, cards
from jaxpoker.games.chicago import table as chicago_table
from jaxpoker.games.chicago import text as chicago_text
from jaxpoker.games.chicago import tokens as chicago_tokens
from jaxpoker.games.chicago import view as chicago_view
from jaxpoker.games.chicago import worlds as chicago_worlds
from jaxpoker.games.chicago.table import Deal, State
from jaxpoker.games.chicago.view import MAX_PLAYERS

Array = jax.Array

REWARDS = ("points", "win")
MAX_TARGET = 1_000_000  # points
MAX_ROUNDS = 1_000_000
MAX_BONUS = 1e6


@dataclasses.dataclass(frozen=True)
class Chicago:
    """``jaxpoker.make("chicago", num_players=4, target=50, max_rounds=300, winner_bonus=0.25)``.

    ``max_rounds`` truncates a game that has no winner by then. ``reward`` is "points", as in the module's docstring,
    or "win": 1 for the winner of the game and nothing else, so that a match's mean result is the rate of wins.
    """

    num_players: int = 4
    target: int = 50
    max_rounds: int = 300
    winner_bonus: float = 0.25
    see_then_decide: bool = False
    reward: str = "points"

    name: ClassVar[str] = "chicago"
    num_actions: ClassVar[int] = chicago_table.NUM_ACTIONS
    zero_sum: ClassVar[bool] = False
    observation_size: ClassVar[int] = chicago_view.OBSERVATION_SIZE

    def __post_init__(self) -> None:
        seats = f"Chicago is for 2 to {MAX_PLAYERS} players"
        points, rounds = (f"it is 1 or more, at most {most:,}" for most in (MAX_TARGET, MAX_ROUNDS))
        kept: dict[str, int | float] = {
            "num_players": arguments.whole("num_players", self.num_players, 2, MAX_PLAYERS, seats),
            "target": arguments.whole("target", self.target, 1, MAX_TARGET, points),
            "max_rounds": arguments.whole("max_rounds", self.max_rounds, 1, MAX_ROUNDS, rounds),
            "winner_bonus": arguments.number("winner_bonus", self.winner_bonus, 0, MAX_BONUS, "it is 0 or more"),
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        arguments.flag("see_then_decide", self.see_then_decide)
        if self.reward not in REWARDS:
            raise ValueError(f"reward = {self.reward!r}: rewards are {' and '.join(REWARDS)}")

    @property
    def win_worth(self) -> float:
        """What reaching the target and winning pays, and what an illegal action costs."""
        return 1.0 if self.reward == "win" else 1.0 + self.winner_bonus

    # --- the rules ------------------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Deal:
        return Deal(cards.shuffle(key, shape).astype(jnp.int8), chicago_table.next_key(key, shape))

    def start(self, deal: Deal, players: Array | int | None = None) -> State:
        """The first state of a game for ``players``, 2 to ``num_players``, which it is when None.

        Another number raises ``ValueError``; where it is not known yet, under ``jit`` or ``vmap``, the game is over at
        once: ``illegal``, and nobody scores.
        """
        right = f"at a table of {self.num_players} seats sit 2 to {self.num_players}"
        given = arguments.whole_array("players", self.num_players if players is None else players, right)
        sits = (given >= 2) & (given <= self.num_players)
        known = arguments.known(sits)
        if known is not None and not known.all():
            raise ValueError(f"players = {players}: {right}")
        zeros, zero = jnp.zeros(self.num_players, jnp.int32), jnp.zeros((), jnp.int32)
        full = jnp.where(sits, given, self.num_players)
        state = chicago_table.deal_round(self, deal, full, zero + 1, zero, zeros, zeros.astype(jnp.float32))
        return dataclasses.replace(state, terminated=state.terminated | ~sits, illegal=state.illegal | ~sits)

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def step(self, state: State, action: Array | int, key: Array | None = None) -> State:
        return chicago_table.act(state, arguments.whole_array("action", action, "an action is 0 to 68"))

    def act(self, state: State, action: Array | int) -> State:
        return self.step(state, action)

    # --- what a player knows --------------------------------------------------------------------

    def observe(self, state: State, player: Array | int) -> Array:
        """``[4087]`` float32, whatever the number of players: see ``games/chicago/view.py``."""
        return chicago_view.observe(state, player)

    @property
    def token_sizes(self) -> tuple[int, int, int]:
        return chicago_tokens.token_sizes(self.num_players)

    def information_state(self, state: State, player: Array | int) -> Array:
        """``[tokens, 4]`` int32, all of this round that ``player`` has seen: see ``games/chicago/tokens.py``."""
        return chicago_tokens.tokens(state, player)

    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """The cards that ``player`` has not seen change places; later rounds get other decks.

        Whoever could not follow suit is dealt no card of it while there are others. What announcements and reveals say
        about hands is not used. ``weights`` ``[52]`` or ``[players, 52]`` is how likely each card is to be in an
        opponent's hand; hands are drawn card by card, the seats that are short of most suits first.
        """
        return chicago_worlds.resample_hidden(state, jnp.asarray(player, jnp.int32), key, weights)

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """The same public state where ``player`` holds ``hand`` ``[5]``, with NO_CARD at the end for cards played.

        What it did before stays as it was; the caller sees that no card is twice.
        """
        return chicago_worlds.with_hand(state, jnp.asarray(player, jnp.int32), jnp.asarray(hand, jnp.int8))

    # --- text -----------------------------------------------------------------------------------

    def action_text(self, state: State, action: int) -> str:
        """An action of the player to act for people: ``"discard 7♣ 2♦"``, ``"play A♥"``."""
        return chicago_text.action_text(state, action)

    def text(self, state: State, player: int | None = None) -> str:
        """One table for people: all that there is, or what ``player`` sees."""
        return chicago_text.table(state, player)
