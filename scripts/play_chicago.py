#!/usr/bin/env python3
"""A game of Chicago in the terminal, against a trained network or rule players.

python scripts/play_chicago.py
python scripts/play_chicago.py --players 2 --target 20 --see-then-decide
python scripts/play_chicago.py --opponent regular --seed 7
python scripts/play_chicago.py --opponent runs/reinforce/NAME
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tyro
from rich.console import Console

if TYPE_CHECKING:
    from jaxpoker.games.chicago import Chicago
    from jaxpoker.players import Player

HAND = 5
HELP = """  Draws: name the cards to discard by their numbers, as in 1 3 5; an empty line stands pat.
  In draw 1 a single new card comes face up. Add the letter x to turn it down unseen for the next one, as in 4 x.
  With --see-then-decide you are asked once you have seen it: k keeps it, x turns it down.
  Tricks: name the card to play by its number.
  ? shows this text, l all that is legal, q leaves the game."""


@dataclass(frozen=True)
class Options:
    """You play seat 0 of a game of Chicago."""

    players: int = 4
    """How many play, 2 to 6."""
    target: int = 50
    """Points that open the circle."""
    opponent: str = "chicagonet"
    """Who plays the other seats: chicagonet (the network that comes along), regular, random, or the folder of a
    reinforce run, whose network it is then."""
    see_then_decide: bool = False
    """A card drawn face up may be turned down once you have seen it."""
    seed: int | None = None
    """Of the cards; another game every time when left out."""


class Leaves(Exception):
    """The player has had enough."""


def read_draw(line: str, legal: set[int]) -> int:
    """The draw that ``line`` means, or ``ValueError`` with what would be right."""
    words = line.replace(",", " ").lower().split()
    turns_down = "x" in words
    action = 0
    for word in words:
        if word == "x":
            continue
        if not word.isdecimal() or not 1 <= int(word) <= HAND:
            raise ValueError(f"{word!r} is no card of yours: they are 1 to {HAND}, as in 1 3 5")
        action |= 1 << (int(word) - 1)
    if turns_down and action.bit_count() != 1:
        raise ValueError("x turns down the one card that comes face up: it goes with a single discard, in draw 1")
    action += (1 << HAND) * turns_down
    if action not in legal:
        most = max(option.bit_count() for option in legal if option < 1 << HAND)
        if turns_down:
            when = "in draw 1 only, while the deck has two left; with --see-then-decide once you have seen it"
            raise ValueError(f"a card is turned down {when}")
        raise ValueError(f"the deck has only {most} left: discard no more than that")
    return action


def read_decision(line: str, legal: set[int]) -> int:
    """Keep or turn down."""
    answers = {"k": 0, "keep": 0, "x": 1 << HAND}
    word = line.strip().lower()
    if word not in answers:
        raise ValueError(f"{line.strip()!r}: k keeps the card, x turns it down")
    if answers[word] not in legal:
        raise ValueError("the deck is empty: the card stays, say k")
    return answers[word]


def read_play(line: str, legal: set[int], hand: list[str]) -> int:
    """The card to play."""
    word, first = line.strip(), 64
    if not word.isdecimal() or not 1 <= int(word) <= len(hand):
        raise ValueError(f"{word!r} is no card of yours: they are 1 to {len(hand)}")
    action = first + int(word) - 1
    if action not in legal:
        allowed = ", ".join(f"{option - first + 1} ({hand[option - first]})" for option in sorted(legal))
        raise ValueError(f"{hand[int(word) - 1]} does not follow suit: play {allowed}")
    return action


class Terminal:
    """One person at one table; ``rival`` with its ``params`` has all the other seats."""

    def __init__(
        self, game: Chicago, rival: Player, params: Any, seed: int, console: Console, read: Callable[[str], str]
    ) -> None:
        import jax

        self.game, self.console, self.read = game, console, read
        self.step = jax.jit(game.step)
        self.to_act = jax.jit(lambda state: (state.current_player, state.legal_action_mask))
        self.rival_act = jax.jit(lambda state, key: rival.act(params, rival.init_memory(params), game, state, key)[0])
        self.key, start_key = jax.random.split(jax.random.key(seed))
        self.state = jax.jit(game.init)(start_key)

    def play(self) -> None:
        """The game to its end."""
        import jax
        import numpy as np

        from jaxpoker import core
        from jaxpoker.games.chicago.text import action_text, hidden_action_text

        self.console.print(HELP, highlight=False)
        while not core.is_over(self.state):
            before = self.state
            seat, mask = jax.device_get(self.to_act(before))
            if seat == 0:
                action = self.ask(set(np.flatnonzero(mask).tolist()))
            else:
                self.key, act_key = jax.random.split(self.key)
                action = int(self.rival_act(before, act_key))
            self.state = self.step(before, action)
            said = action_text(before, action) if seat == 0 else hidden_action_text(before, action)
            self.console.print(f"  {'you' if seat == 0 else f'seat {seat}'}: {said}", highlight=False)
            self.report(before)
        winner = int(self.state.winner)
        self.console.print(self.game.text(self.state), highlight=False)
        self.console.print(
            "[bold]you win[/bold]" if winner == 0 else f"seat {winner} wins" if winner > 0 else "nobody wins"
        )

    def report(self, before: Any) -> None:
        """Points that the last action brought, and the beginning of a round."""
        for seat in range(self.game.num_players):
            gained = int(self.state.scores[seat]) - int(before.scores[seat])
            if gained:
                who = "you score" if seat == 0 else f"seat {seat} scores"
                self.console.print(f"  [bold]{who} {gained}[/bold]")
        if int(self.state.round) > int(before.round):
            self.console.rule(f"round {int(self.state.round)}")

    def ask(self, legal: set[int]) -> int:
        """The action of the person at the table, asked until it is legal."""
        from jaxpoker.games.chicago.table import TRICKS
        from jaxpoker.games.chicago.text import card_text

        state = self.state
        hand = [card_text(int(card)) for card in state.hands[0] if card >= 0]
        self.console.print(self.game.text(state, 0), highlight=False)
        cards = "  ".join(f"{number}: {card}" for number, card in enumerate(hand, start=1))
        deciding = bool(state.deciding[0])
        prompt = "keep (k) or turn down (x)" if deciding else "play" if int(state.phase) == TRICKS else "discard"
        while True:
            self.console.print(f"  {cards}", style="bold", highlight=False)
            line = self.read(f"{prompt}> ")
            word = line.strip().lower()
            if word == "q":
                raise Leaves
            if word == "?":
                self.console.print(HELP, highlight=False)
            elif word == "l":
                for action in sorted(legal):
                    self.console.print(f"  {self.game.action_text(state, action)}", highlight=False)
            else:
                try:
                    if deciding:
                        return read_decision(line, legal)
                    return read_play(line, legal, hand) if int(state.phase) == TRICKS else read_draw(line, legal)
                except ValueError as error:
                    self.console.print(f"  {error}", style="yellow", highlight=False)


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(Options, args=arguments, description=__doc__)
    console = Console()
    try:
        from jaxpoker import players
        from jaxpoker.games.chicago import Chicago
        from jaxpoker.runs import RunError

        game = Chicago(options.players, target=options.target, see_then_decide=options.see_then_decide)
        rival, params = players.entrant(options.opponent, game)
        seed = secrets.randbits(31) if options.seed is None else options.seed
        if not -(2**63) <= seed < 2**63:
            raise ValueError(f"seed {seed} is too large: seeds have 64 bits")
        Terminal(game, rival, params, seed, console, input).play()
    except (ValueError, RunError) as error:
        print(f"scripts/play_chicago.py: {error}", file=sys.stderr)
        return 2
    except (Leaves, EOFError, KeyboardInterrupt):
        console.print("\ngoodbye")
    return 0


if __name__ == "__main__":
    sys.exit(main())
