"""Advice on a decision in heads-up hold'em: the situation, equity, pot odds and what every action is worth.

    coach = Coach(game, villain=player_model.named("blueprint", game))
    advice = coach.advise(state, hero, key)                       # or against="random", "top 20%", weights [1326]
    advice.recommended.label, advice.equity, advice.edge
    print(explanation.text(advice)); explanation.as_json(advice)

Everything hidden from the hero is drawn anew first, so that advice is a function of what the hero can know: with the
same key it is the same, whatever the opponent really holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np

from jaxpoker import cards, ranges
from jaxpoker.coach import implied_range, player_model, pot_odds, range_equity, rollouts, wording
from jaxpoker.coach.player_model import PlayerModel
from jaxpoker.games.bets import Facing
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, STREETS, State
from jaxpoker.solvers.tree.chips import SPR_EDGES
from jaxpoker.solvers.tree.infosets import POSITIONS

Array = jax.Array

ROLLOUTS = 1_000
IMPLIED = "implied"
BASELINE = "big blinds more than folding now brings; chips already in the pot are sunk"
CLOSE = 1.0  # standard errors of the difference within which an action is as good as the best


class Unwanted(Exception):
    """Nobody waits for this advice any more."""


class Situation(NamedTuple):
    """What the hero sees; amounts in big blinds."""

    street: str
    hand: str  # "KcQd"
    made: str  # "pair of kings"; before the flop the class of hands, "KQo"
    board: str  # "Kd7s2d"
    position: str  # "BTN" or "BB"
    in_position: bool  # last to act after the flop
    pot: float
    to_call: float
    stack: float  # behind
    villain_stack: float
    spr: float  # the smaller stack by the pot


class Choice(NamedTuple):
    """One action and what it is worth."""

    action: int  # id on the menu
    name: str  # "1/2 pot"
    label: str  # "Raise to 7.5 BB"
    to: int  # chips
    ev: float  # see BASELINE
    standard_error: float
    behind: float  # big blinds that it is worse than the best
    behind_error: float
    folds: float  # how often the opponent folds to it at once


class Advice(NamedTuple):
    """The coach's answer."""

    situation: Situation
    villain: str  # name of the model
    against: str  # what range the equity and the rollouts are against
    villain_hands: float  # how many of the 1,326 hands the range comes to, by weight
    villain_classes: tuple[float, ...]  # the mean weight of the hands of each of the 169 classes, ranges.CLASS_NAMES
    equity: float
    equity_error: float
    required_equity: float | None  # None where there is nothing to call
    edge: float | None  # equity beyond that
    choices: tuple[Choice, ...]  # best first
    rollouts: int  # of each action
    baseline: str
    notes: tuple[str, ...]
    taken: Choice | None  # what the hero did, in a review

    @property
    def recommended(self) -> Choice:
        return self.choices[0]

    @property
    def close(self) -> tuple[Choice, ...]:
        """Other choices that cannot be told from the best one by these rollouts."""
        return tuple(one for one in self.choices[1:] if one.behind <= CLOSE * one.behind_error)

    @property
    def ev_lost(self) -> float | None:
        """Big blinds that the action taken is behind the best."""
        return None if self.taken is None else self.taken.behind


class _Facts(NamedTuple):
    """What is read off a state at once."""

    here: Facing
    street: Array
    hole: Array  # [2] the hero's
    board: Array  # [5], NO_CARD where face down
    to: Array  # [actions] chips
    legal: Array  # [actions]
    villain_stack: Array
    pot_to_win: Array
    spr: Array
    button: Array


@functools.partial(jax.jit, static_argnums=0)
def _hidden_anew(game: Holdem, state: State, hero: Array, key: Array) -> State:
    return game.resample_hidden(state, hero, key)


@functools.partial(jax.jit, static_argnums=0)
def _facts(game: Holdem, state: State, hero: Array) -> _Facts:
    to, legal = rollouts.legal_choices(game, state)
    win, spr = pot_odds.pot_to_win(state, hero), pot_odds.stack_to_pot(state, hero)
    seen = (state.street, state.deal.hole[hero], state.board)
    return _Facts(game.facing(state), *seen, to, legal, state.stacks[1 - hero], win, spr, state.button)


class Coach:
    """One who knows a game, and how the opponent plays; the hero is expected to play on as ``hero`` does."""

    def __init__(
        self,
        game: Holdem,
        villain: PlayerModel | None = None,
        hero: PlayerModel | None = None,
        num_rollouts: int = ROLLOUTS,
    ) -> None:
        if game.num_players != 2:
            raise ValueError(f"the coach knows heads-up hold'em: this one has {game.num_players} players")
        if num_rollouts < 2:
            raise ValueError(f"{num_rollouts} rollouts: a standard error needs at least two")
        self.game, self.num_rollouts = game, num_rollouts
        self.hero = hero or player_model.named("blueprint", game)
        self.villain = villain or player_model.named("blueprint", game)

    def villain_range(self, state: State, hero: int, key: Array, against: str | np.ndarray = IMPLIED) -> Array:
        """``[1326]`` weights of the opponent's hands."""
        if isinstance(against, str) and against == IMPLIED:
            return implied_range.implied_by_actions(self.villain, self.game, state, hero, key)
        return implied_range.possible(ranges.as_weights(against), state, hero)

    def advise(
        self,
        state: State,
        hero: int,
        key: Array,
        against: str | np.ndarray = IMPLIED,
        taken: int | None = None,
        batches: int = 1,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Advice:
        """On the decision of ``hero``, who is to act; ``taken`` is the action id that it took, in a review.

        ``batches`` times ``num_rollouts`` worlds are tried. Before each batch ``wanted`` is asked, and ``Unwanted``
        raised when it says no.
        """
        if bool(state.terminated) or int(state.current_player) != hero:
            raise ValueError(f"seat {hero} is not to act: there is no decision to advise on")
        hide_key, range_key, roll_key = jax.random.split(key, 3)
        state = _hidden_anew(self.game, state, hero, hide_key)
        weights = self.villain_range(state, hero, range_key, against)
        held = np.asarray(weights, np.float64)
        if not np.isfinite(held).all():
            raise ValueError(f"no hand of {against!r} is left: the cards that you see block them all")
        facts = _facts(self.game, state, hero)
        known: _Facts = jax.device_get(facts)
        equity = range_equity.against_weights(known.hole, known.board[: BOARD_CARDS[known.street]], weights)
        models = (self.game, self.hero, self.villain)
        gains = []
        for _ in range(batches):
            if not wanted():
                raise Unwanted
            roll_key, batch_key = jax.random.split(roll_key)
            tried = rollouts.gains(*models, state, hero, facts.to, weights, batch_key, self.num_rollouts)
            gains.append(jax.block_until_ready(tried))
        choices = self._choices(known, rollouts.values(gains))
        own = None if taken is None else _taken(known, choices, taken)
        mean, error = (float(number) for number in jax.device_get(equity))
        required = None
        if known.here.to_call > 0:
            required = float(pot_odds.required_equity(int(known.pot_to_win), int(known.here.to_call)))
        situation = _situation(known, hero)
        return Advice(
            situation=situation,
            villain=self.villain.name,
            against=against if isinstance(against, str) else "a range of its own",
            villain_hands=float(held.sum()),
            villain_classes=tuple((np.bincount(ranges.CLASS_OF_COMBO, held) / ranges.COMBOS_PER_CLASS).tolist()),
            equity=mean,
            equity_error=error,
            required_equity=required,
            edge=None if required is None else mean - required,
            choices=choices,
            rollouts=batches * self.num_rollouts,
            baseline=BASELINE,
            notes=_notes(situation, known, choices[0], mean, required, self.villain),
            taken=own,
        )

    def _choices(self, facts: _Facts, values: rollouts.Values) -> tuple[Choice, ...]:
        """Legal actions, best first; of two that come to the same chips, one."""
        found: dict[int, Choice] = {}
        for action in np.flatnonzero(facts.legal).tolist():
            to = int(facts.to[action])
            numbers = (float(of_action[action]) for of_action in values)
            name, label = self.game.bet_menu.action_name(action, int(facts.street)), wording.label_at(facts.here, to)
            found.setdefault(to, Choice(action, name, label, to, *numbers))
        return tuple(sorted(found.values(), key=lambda choice: -choice.ev))

    def warm_up(self) -> None:
        """Compiles all that advice needs: a hand is checked down, with advice on every street."""
        key, game = jax.random.key(0), self.game
        state = jax.jit(game.init)(key)
        while not bool(state.terminated):
            hero = int(state.current_player)
            self.advise(state, hero, key)
            state = implied_range.after(game, state, int(_facts(game, state, hero).here.price))


def _taken(facts: _Facts, choices: tuple[Choice, ...], action: int) -> Choice:
    if not 0 <= action < len(facts.legal) or not facts.legal[action]:
        raise ValueError(f"action {action} was not legal here: legal are {np.flatnonzero(facts.legal).tolist()}")
    return next(choice for choice in choices if choice.to == int(facts.to[action]))


def _situation(facts: _Facts, hero: int) -> Situation:
    here, big_blind = facts.here, int(facts.here.big_blind)
    own, board = np.asarray(facts.hole), np.asarray(facts.board)
    on_button = int(facts.button) == hero
    return Situation(
        street=STREETS[int(facts.street)],
        hand=cards.text(own),
        made=wording.made_hand(own, board),
        board=cards.text(board),
        position=POSITIONS[0 if on_button else 1],
        in_position=on_button,
        pot=int(here.pot) / big_blind,
        to_call=int(here.to_call) / big_blind,
        stack=int(here.stack) / big_blind,
        villain_stack=int(facts.villain_stack) / big_blind,
        spr=float(facts.spr),
    )


def spr_note(situation: Situation) -> str:
    """What the stack-to-pot ratio means."""
    shallow, deep = SPR_EDGES
    spr = f"{situation.spr:.1f}"
    if situation.spr < shallow:
        return f"Low SPR ({spr}): a bet or two commit your stack, so decide now whether you go all the way."
    if situation.spr < deep:
        return f"Medium SPR ({spr}): two or three bets to all-in; strong pairs can play for stacks."
    return f"High SPR ({spr}): one pair rarely wins a whole stack; position and draws to the nuts gain."


def _notes(
    situation: Situation, facts: _Facts, best: Choice, equity: float, required: float | None, villain: PlayerModel
) -> tuple[str, ...]:
    """The strategic part, in sentences that name their numbers."""
    notes = [spr_note(situation)]
    if situation.in_position:
        notes.append("You have position: you act last after the flop and can control the size of the pot.")
    else:
        notes.append("You are out of position: the opponent acts after you, so keep the pot small with middling hands.")
    if required is not None:
        verdict = "pays by itself" if equity >= required else "does not pay by itself"
        notes.append(f"Calling {verdict}: you need {required:.1%} and have {equity:.1%}, before any further betting.")
    if best.to > int(facts.here.price):
        called = min(best.to, int(facts.here.price + facts.villain_stack))  # the opponent cannot match more
        risk = called - int(facts.here.own_bet)
        breaks_even = risk / (risk + int(facts.here.pot))
        notes.append(
            f"{villain.name} folds {best.folds:.0%} of its range to this at once; "
            f"as a pure bluff it breaks even at {breaks_even:.0%}."
        )
    if villain.profile:
        notes.append(f"Against {villain.name}: {villain.profile}")
    return tuple(notes)
