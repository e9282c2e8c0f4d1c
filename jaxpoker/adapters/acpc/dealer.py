"""A dealer of the ACPC: bots connect to it, each to a port of its own, and it deals them hands.

    with Dealer(game) as dealer:                         # on loopback; dealer.ports says where
        won = dealer.play(deals)                         # [hands, players] chips

Every hand begins with the same stacks, and the positions move on by one from hand to hand. ``deals`` are by position.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import Any, TextIO

import jax
import numpy as np

from jaxpoker.adapters.acpc.table import VERSION, Hand, ProtocolError
from jaxpoker.errors import RunError
from jaxpoker.games.holdem import Holdem

WAIT = 60.0  # seconds for a bot to connect, or to answer
LONGEST_LINE = 4_096


class Dealer:
    """Listens on one port for each player; port 0 is any that is free."""

    def __init__(self, game: Holdem, ports: tuple[int, ...] = (), host: str = "127.0.0.1", wait: float = WAIT) -> None:
        if ports and len(ports) != game.num_players:
            raise ValueError(f"{len(ports)} ports for {game.num_players} players: one each")
        self.game, self.wait = game, wait
        self._open = ExitStack()
        self._sockets: list[socket.socket] = []
        for port in ports or (0,) * game.num_players:
            try:
                listening = socket.create_server((host, port))
            except OSError as error:
                self._open.close()
                raise RunError(f"cannot listen on {host} port {port}: {error}") from error
            listening.settimeout(wait)
            self._sockets.append(self._open.enter_context(listening))
        self._bots: list[TextIO] = []

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(listening.getsockname()[1] for listening in self._sockets)

    def __enter__(self) -> Dealer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up."""
        self._open.close()

    def _connect(self) -> None:
        for player, listening in enumerate(self._sockets[len(self._bots) :], start=len(self._bots)):
            try:
                connection, _ = listening.accept()
            except TimeoutError as error:
                raise RunError(f"player {player} did not connect to port {self.ports[player]}") from error
            connection.settimeout(self.wait)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.enter_context(connection)
            bot = self._open.enter_context(connection.makefile("rw", newline=""))
            said = self._hear(bot, player)
            if said != VERSION:
                raise ProtocolError(f"player {player} said {said!r}: a bot begins with {VERSION}")
            self._bots.append(bot)

    def _hear(self, bot: TextIO, player: int) -> str:
        try:
            line = bot.readline(LONGEST_LINE)
        except TimeoutError as error:
            raise RunError(f"player {player} did not answer within {self.wait:g} s") from error
        except OSError as error:
            raise RunError(f"player {player} is gone: {error}") from error
        if not line.endswith("\n"):
            raise RunError(f"player {player} hung up")
        return line.strip()

    def _tell(self, bot: TextIO, player: int, line: str) -> None:
        try:
            bot.write(f"{line}\r\n")
            bot.flush()
        except OSError as error:
            raise RunError(f"player {player} is gone: {error}") from error

    def play(self, deals: Any, first: int = 0) -> np.ndarray:
        """``[hands, players]``: the chips that each player won of each of ``deals`` ``[hands, ...]``.

        In hand n player p sits in position (p + n) mod players; hands are numbered from ``first`` on.
        """
        self._connect()
        deals = jax.device_get(deals)
        holes, boards = np.stack(deals.hole_cards, -1), np.stack(deals.board_cards, -1)
        players, count = self.game.num_players, len(boards)
        won = np.zeros((count, players), np.int64)
        for number in range(count):
            deal = jax.tree.map(lambda x, n=number: x[n], deals)
            seats = [(player + number) % players for player in range(players)]
            stacks = self._hand(deal, holes[number].reshape(players, 2), boards[number], seats, first + number)
            won[number] = [stacks[seat] - self.game.stack for seat in seats]
        return won

    def _hand(self, deal: Any, hole: np.ndarray, board: np.ndarray, seats: list[int], number: int) -> list[int]:
        hand = Hand(self.game, deal)
        while True:
            told = [hand.line(seat, number, hole, board) for seat in seats]
            for player, (bot, line) in enumerate(zip(self._bots, told, strict=True)):
                self._tell(bot, player, line)
            if hand.over:
                return list(hand.stacks)
            player = seats.index(hand.now.player)
            said = self._hear(self._bots[player], player)
            line, _, word = said.rpartition(":")
            if line != told[player]:
                raise ProtocolError(f"player {player} answered {said!r} to {told[player]!r}")
            try:
                hand.act(hand.to_of(word))
            except ProtocolError as error:
                raise ProtocolError(f"player {player} answered {said!r}: {error}") from error
