"""Any player of hold'em as a bot behind a dealer of the ACPC.

    hands = client.play(players.entrant("blueprint"), ("127.0.0.1", 18374), game)

The dealer says where the bot sits; blinds and stacks are ``game``'s, as both sides know them beforehand. The player
sees the table as it would here: its cards, the board, the betting. It plays until the dealer hangs up.
"""

from __future__ import annotations

import dataclasses
import socket
from typing import Any

import jax
import numpy as np

from jaxpoker import cards
from jaxpoker.adapters.acpc.table import VERSION, Hand, MatchState, ProtocolError, read
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.deal import Deal
from jaxpoker.games.holdem.table import State
from jaxpoker.players import Entrant

Array = jax.Array

WAIT = 60.0  # seconds for the dealer's next line


class Bot:
    """A player that answers lines of a dealer; ``play`` connects it."""

    def __init__(self, entrant: Entrant, game: Holdem, seed: int = 0) -> None:
        self.entrant, self.game = entrant, game
        # Blinds and stacks are data of the state, so the player sees them there.
        self._asked = jax.jit(self._ask)
        self._key = jax.random.key(seed)
        self._turn = 0
        self._memory = jax.jit(entrant.player.init_memory)(entrant.params)
        self._new_hand = jax.jit(entrant.player.new_hand)
        self._hand: Hand | None = None
        self._number = -1

    def _ask(
        self, params: Any, memory: Any, state: State, hole: Array, board: Array, key: Array, turn: Array
    ) -> tuple[Array, Any]:
        game = dataclasses.replace(self.game, max_log=state.game.max_log)
        state = dataclasses.replace(state, deal=Deal.of(hole, board), game=game)
        choice, memory = self.entrant.player.act(params, memory, game, state, jax.random.fold_in(key, turn))
        return game.nearest_legal(state, choice), memory

    def answer(self, line: str) -> str | None:
        """What the bot does at a line, or None when it is not its turn."""
        told = read(line)
        if len(told.hole) != self.game.num_players:
            raise ProtocolError(f"a line of {len(told.hole)} hands: the game has {self.game.num_players} players")
        hole, board = _all_cards(told)
        if self._hand is None or told.hand != self._number:
            self._hand, self._number = Hand(self.game, Deal.of(hole, board)), told.hand
            self._memory = self._new_hand(self._memory)
        self._hand.follow(told.betting)
        if self._hand.over or self._hand.now.player != told.position:
            return None
        self._turn += 1
        choice, self._memory = self._asked(
            self.entrant.params, self._memory, self._hand.state, hole, board, self._key, self._turn
        )
        return f"{line.strip()}:{_word(self._hand, int(choice))}"


def _word(hand: Hand, to: int) -> str:
    if to < 0:
        return "f"
    return "c" if to == hand.now.call_to else f"r{hand.before[hand.now.player] + to}"


def _all_cards(told: MatchState) -> tuple[np.ndarray, np.ndarray]:
    """``[players, 2]`` and ``[5]`` cards; what is hidden are others, which the player may not look at."""
    held = [cards.parse(hand) for hand in told.hole]
    board = cards.parse(told.board)
    left = iter(np.setdiff1d(np.arange(cards.NUM_CARDS), np.concatenate([*held, board])).tolist())
    hole = [hand if len(hand) else [next(left), next(left)] for hand in held]
    return np.array(hole, np.int32), np.array([*board, *(next(left) for _ in range(5 - len(board)))], np.int32)


def play(entrant: Entrant, address: tuple[str, int], game: Holdem, seed: int = 0, wait: float = WAIT) -> int:
    """Plays until the dealer hangs up; returns how many hands there were."""
    bot, hands = Bot(entrant, game, seed), set()
    with socket.create_connection(address, timeout=wait) as connection, connection.makefile("rw", newline="") as lines:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines.write(f"{VERSION}\r\n")
        lines.flush()
        for line in lines:
            if not line.strip() or line.startswith(("#", ";")):  # comments
                continue
            answer = bot.answer(line)
            hands.add(bot._number)
            if answer is not None:
                lines.write(f"{answer}\r\n")
                lines.flush()
    return len(hands)
