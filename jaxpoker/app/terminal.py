"""The same game in the terminal: the table in a few lines, actions by number, the coach in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from jaxpoker.app import views
from jaxpoker.app.duel import Refusal
from jaxpoker.app.room import Room
from jaxpoker.coach import text
from jaxpoker.coach.language_model import LanguageModel, reword
from jaxpoker.errors import RunError

HELP = """  A number takes that action; f folds, c checks or calls, a goes all-in.
  h asks the coach, r reviews the hand when it is over, n (or an empty line) deals the next one.
  p prints the last hand in the Poker Hand History format, ? shows this text, q leaves."""
LETTERS = {"f": 0, "c": 1, "a": 8}
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "bold"}


class Leaves(EOFError):
    """The person has had enough."""


def card_text(cards: list[str] | None) -> str:
    """ "[red]A♥[/red] ..."; two question marks for hidden cards."""
    if cards is None:
        return "? ?"
    return " ".join(f"[{COLOURS[card[1]]}]{card[0]}{SUITS[card[1]]}[/]" for card in cards)


def read_action(word: str, actions: list[dict[str, Any]]) -> int:
    """The action id that ``word`` means, or ``ValueError`` with what would be right."""
    legal = [action for action in actions if action["legal"]]
    action = LETTERS.get(word, int(word) - 1 if word.isdecimal() else None)
    if action is None or action not in [one["id"] for one in legal]:
        choices = ", ".join(f"{one['id'] + 1} ({one['label']})" for one in legal)
        raise ValueError(f"{word!r} is no action here: there are {choices}; ? is for help")
    return action


class Terminal:
    """One person at one table of ``room``, against ``opponent``; ``model`` rewords the coach's advice."""

    def __init__(
        self,
        room: Room,
        opponent: str,
        console: Console,
        read: Callable[[str], str],
        model: LanguageModel | None = None,
    ) -> None:
        self.room, self.console, self.read, self.model = room, console, read, model
        self.session = room.sit_down(opponent)
        self.duel = room.duel(self.session)
        self._told = (0, 0)  # hand, events

    def say(self, line: str) -> None:
        self.console.print(line, highlight=False)

    def play(self) -> None:
        """Hands until the person leaves."""
        self.say(HELP)
        while True:
            view = views.table(self.duel)
            self.tell(view)
            try:
                self.over(view) if view["over"] else self.decide(view)
            except (Refusal, ValueError) as error:
                self.console.print(f"  {error}", style="yellow", highlight=False, markup=False)

    def tell(self, view: dict[str, Any]) -> None:
        """What happened since the last time."""
        hand, events = self._told
        if view["hand"] != hand:
            self.console.rule()
            events = 0
        for event in view["events"][events:]:
            who = {"you": "You: ", "bot": f"{view['opponent']}: ", "table": ""}[event["who"]]
            self.say(f"  {who}{event['text']}")
        self._told = (view["hand"], len(view["events"]))

    def ask(self, prompt: str) -> str:
        word = self.read(prompt).strip().lower()
        if word == "q":
            raise Leaves
        if word == "?":
            self.say(HELP)
        elif word == "p":
            from jaxpoker.app.hand_history import phh

            try:
                text = phh(self.duel.history[-1]) if self.duel.history else "no hand is over yet"
            except RunError as error:  # PokerKit is not there
                text = str(error)
            self.console.print(text, markup=False)
        return word

    def decide(self, view: dict[str, Any]) -> None:
        """One decision, or a question before it."""
        you, bot = view["seats"]["you"], view["seats"]["bot"]
        made = f" ({you['made']})" if you["made"] else ""
        board = f"   board {card_text(view['board'])}" if view["board"] else ""
        self.say(f"\n  [bold]You[/bold] {card_text(you['cards'])}{made}{board}   pot {view['pot']:g} BB")
        self.say(f"  You {you['stack']:g} BB, {bot['name']} {bot['stack']:g} BB behind")
        legal = [action for action in view["actions"] if action["legal"]]
        self.say("  " + "   ".join(f"[bold]{action['id'] + 1}[/bold] {action['label']}" for action in legal))
        word = self.ask("> ")
        if word == "h":
            advice = self.room.advise(self.session, view["hand"], view["turn"])
            self.console.print(f"\n{text(advice)}", highlight=False, markup=False)
            if self.model is not None:
                said = reword(advice, self.model)
                words = said.text if said.by_model else f"The language model's words are not shown: {said.why_not}."
                self.console.print(f"\n{words}", highlight=False, markup=False)
        elif word not in ("?", "p"):
            self.duel.act(view["hand"], view["turn"], read_action(word, view["actions"]))

    def over(self, view: dict[str, Any]) -> None:
        """After a hand: the score, and what to do next."""
        score = view["score"]
        margin = "" if score["adjusted_error"] is None else f" ± {score['adjusted_error']:.1f}"
        hands = "1 hand" if score["hands"] == 1 else f"{score['hands']} hands"
        aside = "" if score["adjusted"] is None else f"; luck-adjusted {score['adjusted']:+.1f}{margin} BB"
        self.say(f"  {hands}: {score['won']:+.1f} BB{aside}")
        word = self.ask("next hand> ")
        if word == "r":
            for number in range(len(self.duel.decisions)):
                advice = self.room.review(self.session, view["hand"], number)
                self.console.print(f"\n{text(advice)}", highlight=False, markup=False)
        elif word in ("", "n"):
            self.duel.next_hand(view["hand"])
        elif word not in ("?", "p"):
            raise ValueError(f"{word!r} is not understood: n deals the next hand, r reviews this one, q leaves")
