"""Hands of hold'em as data: files in the PHH format to arrays of deals and choices, arrays to states, states to files.

    hands = histories.from_phh("hands.phhs")                # thousands at once
    states = histories.replay(hands)                        # how they ended [hands, ...]
    states = histories.replay(hands, decisions=3)           # after three actions: play on from there
    spots = histories.every_decision(hands)                 # all decisions [decisions, hands, ...], for imitation
    print(histories.to_phh(states))

PHH (Kim, "Recording and describing poker hands", 2024) is read and written by PokerKit, which plays every hand and so
checks it; ``pip install 'jaxpoker[histories]'`` brings it. Player p1 sits left of the button and is seat 0; the last
player has the button. Amounts are whole chips: a file in dollars and cents is read with ``chips_per_unit=100``.

Cards that a file does not have (``????``, a board that was not dealt out) are drawn from ``key``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, core
from jaxpoker.errors import RunError
from jaxpoker.games import bets
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem.game import Holdem
from jaxpoker.games.holdem.table import BOARD_CARDS, MAX_CHIPS, MAX_PLAYERS, Deal, State

if TYPE_CHECKING:
    import pokerkit

Array = jax.Array

NO_CHOICE = np.iinfo(np.int32).min  # pads the choices of short hands
LENGTH_STEP = 16  # the number of choices is rounded up to a multiple, so that few programs are compiled
UNKNOWN = "????"
VARIANT = "NT"  # no-limit Texas hold'em


@flax.struct.dataclass
class Hands:
    """Hands as arrays; a seat without chips is empty."""

    deals: Deal  # [hands, ...]
    stacks: Array  # [hands, players] chips before blinds
    button: Array  # [hands]
    small_blind: Array  # [hands]
    big_blind: Array  # [hands]
    ante: Array  # [hands]
    choices: Array  # [hands, length] chips "to", as ``game.act`` takes them; NO_CHOICE behind the last one
    known: Array  # [hands, players] bool: the file has the seat's cards
    game: Holdem = flax.struct.field(pytree_node=False)

    def __len__(self) -> int:
        return len(self.button)


class HistoryError(RunError):
    """A hand that cannot be read: which one, the line of the file, and why."""


class _Read(NamedTuple):
    """One hand of a file, in its players' order."""

    hole: list[list[int]]  # by player, [] where unknown
    board: list[int]
    stacks: list[int]
    blinds: tuple[int, int]
    ante: int
    choices: list[int]


# --- reading ----------------------------------------------------------------------------------


def from_phh(
    source: str | Path | Iterable[pokerkit.HandHistory],
    *,
    num_players: int | None = None,
    chips_per_unit: int = 1,
    key: Array | None = None,
) -> Hands:
    """The hands of a ``.phh`` or ``.phhs`` file, of its text, or of PokerKit's own objects.

    ``num_players`` is how many seats the tables have, by default those of the fullest one; the others are empty.
    """
    read = [_hand(history, where, chips_per_unit) for history, where in _histories(source)]
    if not read:
        raise HistoryError("no hand in it")
    most = max(len(hand.stacks) for hand in read)
    seats = most if num_players is None else num_players
    if seats < most:
        raise HistoryError(f"a hand has {most} players: a table with {seats} seats is too small")
    length = -(-max(1, *(len(hand.choices) for hand in read)) // LENGTH_STEP) * LENGTH_STEP
    rng = np.random.default_rng(np.asarray(jax.random.key_data(jax.random.key(0) if key is None else key)).tolist())
    hole, board = np.zeros((len(read), seats, 2), np.int32), np.zeros((len(read), 5), np.int32)
    stacks, known = np.zeros((len(read), seats), np.int32), np.zeros((len(read), seats), bool)
    choices = np.full((len(read), length), NO_CHOICE, np.int32)
    for n, hand in enumerate(read):
        hole[n], board[n] = _all_cards(hand, seats, rng)
        stacks[n, : len(hand.stacks)] = hand.stacks
        known[n, : len(hand.hole)] = [bool(held) for held in hand.hole]
        choices[n, : len(hand.choices)] = hand.choices
    small, big = np.array([hand.blinds for hand in read], np.int32).T
    return Hands(
        deals=Deal.of(hole, board),
        stacks=jnp.asarray(stacks),
        button=jnp.array([len(hand.stacks) - 1 for hand in read], jnp.int32),
        small_blind=jnp.asarray(small),
        big_blind=jnp.asarray(big),
        ante=jnp.array([hand.ante for hand in read], jnp.int32),
        choices=jnp.asarray(choices),
        known=jnp.asarray(known),
        game=Holdem(num_players=seats, max_log=max(Holdem.max_log, length)),
    )


def require_pokerkit() -> Any:
    """The module, or what to install."""
    try:
        import pokerkit
    except ImportError as error:
        raise RunError("hand histories need PokerKit: pip install 'jaxpoker[histories]'") from error
    return pokerkit


class _Where:
    """Where in a text its hands and their actions are."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        headers = [match.start() for match in re.finditer(r"^\[(?!\[)[^\],]+\]\s*$", text, re.MULTILINE)]
        self.starts = headers or [0]

    def line(self, hand: int, actions: Sequence[str] = ()) -> str:
        """``file, line 7 (hand 2)``: of the last of ``actions``, or of the hand."""
        at = self.starts[min(hand, len(self.starts) - 1)]
        if actions:
            at = max(self.text.find("actions", at), at)
        for action in actions:
            found = self.text.find(action, at)
            at = found + len(action) if found >= 0 else at
        return f"{self.name}, line {self.text.count(chr(10), 0, at) + 1} (hand {hand + 1})"


def _histories(source: Any) -> Iterator[tuple[Any, Any]]:
    """PokerKit's objects, each with a function that says where an action stands."""
    kit = require_pokerkit()
    if not isinstance(source, str | Path):
        for number, history in enumerate(source):
            yield history, lambda actions, n=number: f"hand {n + 1}"
        return
    is_text = isinstance(source, str) and ("\n" in source or "=" in source)
    name = "text" if is_text else str(source)
    try:
        text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryError(f"cannot read {name}: {error}") from error
    where = _Where(name, text)
    many = bool(re.search(r"^\[(?!\[)[^\],]+\]\s*$", text, re.MULTILINE))
    number = 0
    try:
        for history in kit.HandHistory.loads_all(text) if many else [kit.HandHistory.loads(text)]:
            yield history, lambda actions, n=number: where.line(n, actions)
            number += 1
    except HistoryError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        # What is no TOML is found before the first hand, and tells its line itself.
        at = name if "line" in str(error) else where.line(number)
        raise HistoryError(f"{at}: no hand in the PHH format: {error}") from error


def _hand(history: Any, where: Any, scale: int) -> _Read:
    def refuse(why: str, actions: Sequence[str] = ()) -> HistoryError:
        return HistoryError(f"{where(actions)}: {why}")

    def chips(amount: Any) -> int:
        scaled = float(amount) * scale
        if not 0 <= scaled <= MAX_CHIPS:
            raise refuse(f"{amount} chips: amounts are 0 to {MAX_CHIPS / scale:,.0f}")
        if abs(scaled - round(scaled)) > 1e-6:
            raise refuse(f"{amount} is no whole number of chips: say chips_per_unit=100 for cents, as an example")
        return round(scaled)

    def refuse_twice(dealt: list[int], actions: Sequence[str]) -> None:
        twice = [card for card in dealt if dealt.count(card) > 1]
        if twice:
            raise refuse(f"card {cards.text(twice[0])} is dealt twice", actions)

    if history.variant != VARIANT:
        raise refuse(f"variant {history.variant!r}: only no-limit hold'em, {VARIANT!r}, is played here")
    players = len(history.starting_stacks)
    if not 2 <= players <= MAX_PLAYERS:
        raise refuse(f"{players} players: hold'em is for 2 to {MAX_PLAYERS}")
    blinds = [chips(amount) for amount in history.blinds_or_straddles or [0, 0]]
    antes = [chips(amount) for amount in history.antes or [0] * players]
    if any(blinds[2:]) or len(set(antes)) > 1:
        raise refuse("straddles, and antes that differ from seat to seat, are not played here")
    if history.min_bet is None or chips(history.min_bet) != blinds[1] or blinds[0] > blinds[1]:
        raise refuse(f"blinds {blinds[0]}/{blinds[1]} and bets from {history.min_bet}: the smallest bet is a big blind")
    if antes[0] and not history.ante_trimming_status and chips(min(history.starting_stacks)) <= antes[0]:
        raise refuse("an ante that is all-in wins that much of each seat here: ante_trimming_status = true")
    try:
        played = history.create_state()
    except (ValueError, TypeError) as error:
        raise refuse(f"no such table: {error}") from error
    choices, done = [], []
    for action in history.actions:
        done.append(action)
        acts = played.actor_index
        to = None if acts is None else min(max(played.bets), played.bets[acts] + played.stacks[acts])
        try:
            if played.can_burn_card():
                played.burn_card(UNKNOWN[:2])
            require_pokerkit().parse_action(played, action, history.parse_value)
        except (ValueError, IndexError) as error:
            raise refuse(f"action {len(done)}, {action!r}, cannot be: {error}", done) from error
        words = action.split("#")[0].split()
        if words[1:2] == ["cbr"]:
            choices.append(chips(words[2]))
        elif words[1:2] in (["f"], ["cc"]):
            choices.append(bets.FOLD_CHIPS if words[1] == "f" else chips(to))
    hole = [[_card(repr(card)) for card in held] for held in _dealt(history, players)]
    board = [_card(repr(card)) for row in played.board_cards for card in row]
    refuse_twice([card for held in [*hole, board] for card in held], done)
    return _Read(hole, board, [chips(s) for s in history.starting_stacks], (blinds[0], blinds[1]), antes[0], choices)


def _card(text: str) -> int:
    return int(cards.parse(text)[0])


def _dealt(history: Any, players: int) -> list[list[Any]]:
    """The cards that the file says each player has: when dealt, or when shown."""
    held: list[list[Any]] = [[] for _ in range(players)]
    for action in history.actions:
        words = action.split("#")[0].split()
        player, text = (words[2], words[3]) if words[:2] == ["d", "dh"] else (words[0], "")
        if words[1:2] == ["sm"] and len(words) > 2 and words[2] != "-":
            text = words[2]
        if text and "?" not in text and len(text) == 4:
            held[int(player[1:]) - 1] = list(require_pokerkit().Card.parse(text))
    return held


def _all_cards(hand: _Read, seats: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """``[players, 2]`` and ``[5]`` cards, those that are not known drawn from what is left."""
    dealt = {card for held in hand.hole for card in held} | set(hand.board)
    left = iter(rng.permutation([card for card in range(cards.NUM_CARDS) if card not in dealt]).tolist())
    hole = [hand.hole[p] if p < len(hand.hole) and hand.hole[p] else [next(left), next(left)] for p in range(seats)]
    return np.array(hole), np.array(hand.board + [next(left) for _ in range(5 - len(hand.board))])


# --- replaying --------------------------------------------------------------------------------


def first_states(hands: Hands) -> State:
    """``[hands, ...]``: blinds are posted, nobody has acted."""
    start = functools.partial(hands.game.start)
    states: State = jax.vmap(start)(
        hands.deals, hands.stacks, hands.button, hands.small_blind, hands.big_blind, hands.ante
    )
    return states


@jax.jit
def replay(hands: Hands, decisions: Array | int | None = None) -> State:
    """``[hands, ...]``: the states after so many actions of each hand (one number, or ``[hands]``); all when None."""
    most = jnp.broadcast_to(hands.choices.shape[1] if decisions is None else decisions, hands.button.shape)

    def play(states: State, turn: tuple[Array, Array]) -> tuple[State, None]:
        number, choices = turn
        after = jax.vmap(hands.game.act)(states, choices)
        return jax.vmap(core.select)((choices != NO_CHOICE) & (number < most), after, states), None

    turns = (jnp.arange(hands.choices.shape[1]), hands.choices.T)
    return jax.lax.scan(play, first_states(hands), turns)[0]


@jax.jit
def every_decision(hands: Hands) -> tuple[State, Array]:
    """The states ``[length, hands, ...]`` before each of ``hands.choices.T``, and where there is one: bool."""

    def play(states: State, choices: Array) -> tuple[State, State]:
        after = jax.vmap(hands.game.act)(states, choices)
        return jax.vmap(core.select)(choices != NO_CHOICE, after, states), states

    _, states = jax.lax.scan(play, first_states(hands), hands.choices.T)
    return states, hands.choices.T != NO_CHOICE


# --- writing ----------------------------------------------------------------------------------


def to_histories(
    states: State, known: Array | np.ndarray | None = None, **fields: Sequence[Any]
) -> list[pokerkit.HandHistory]:
    """States ``[hands, ...]``, or one, as objects of PokerKit, as far as each hand has got.

    Cards of seats that are not ``known`` ``[hands, players]`` are ``????`` unless they are shown. ``fields`` are more
    fields of PHH, a list with a value for each hand: ``players=[["Ann", "Bob"], ...]``.
    """
    kit = require_pokerkit()
    if not np.ndim(states.terminated):
        states = jax.tree.map(lambda x: jnp.asarray(x)[None], states)
        known = None if known is None else np.asarray(known)[None]
    count, players = len(np.asarray(states.terminated)), states.game.num_players
    known = np.ones((count, players), bool) if known is None else np.asarray(known)
    host: State = jax.device_get(states)
    log = [np.asarray(column) for column in holdem_table.log_entries(host)]
    starting = np.stack([seat.starting for seat in host.seats], axis=-1)
    hole, board = np.asarray(host.hole), np.asarray(host.deal.board)
    open_cards = BOARD_CARDS[np.asarray(host.street)]
    if (np.asarray(host.num_acted) > states.game.max_log).any():
        raise ValueError(f"a hand of more than {states.game.max_log} actions: make the game with a larger max_log")
    if np.asarray(host.illegal).any():
        raise ValueError(
            f"hand {int(np.argmax(host.illegal)) + 1} ended with an illegal action, which PHH does not have"
        )
    written = []
    for n in range(count):
        order = [s for s in np.roll(np.arange(players), -int(host.button[n]) - 1).tolist() if starting[n, s]]
        blinds = [int(host.small_blind[n]), int(host.big_blind[n]), *[0] * (len(order) - 2)]
        game = kit.NoLimitTexasHoldem(
            tuple(a for a in kit.HandHistory.automations if a != kit.Automation.CARD_BURNING),
            True,
            (int(host.ante[n]),) * len(order),
            tuple(blinds),
            blinds[1],
        )
        played = game(tuple(int(starting[n, seat]) for seat in order), len(order))
        for seat in order:
            played.deal_hole(cards.text(hole[n, seat]) if known[n, seat] else UNKNOWN)
        actions = [(int(kind), int(to)) for _, _, kind, to in zip(*(x[n] for x in log), strict=True)]
        _play(kit, played, actions[: int(host.num_acted[n])], board[n], int(open_cards[n]), hole[n], order)
        given = {name: values[n] for name, values in fields.items()}
        settings = {
            "ante_trimming_status": True,
            "antes": list(game.raw_antes),
            "blinds_or_straddles": blinds,
            "min_bet": blinds[1],
        }
        written.append(kit.HandHistory.from_game_state(game, played, **settings, **given))
    return written


def _play(
    kit: Any,
    played: Any,
    actions: list[tuple[int, int]],
    board: np.ndarray,
    open_cards: int,
    hole: np.ndarray,
    order: list[int],
) -> None:
    """Plays a hand in PokerKit: kinds and chips "to" of the log, then all cards and hands that are open."""
    at = 0
    waiting = iter(actions)
    while played.status:
        if played.can_burn_card():
            played.burn_card(UNKNOWN[:2])
        elif played.can_deal_board():
            due = played.board_dealing_count
            if at + due > open_cards:
                return
            played.deal_board(cards.text(board[at : at + due]))
            at += due
        elif played.can_show_or_muck_hole_cards():
            played.show_or_muck_hole_cards(cards.text(hole[order[played.showdown_index]]))
        else:
            kind, to = next(waiting, (None, 0))
            if kind is None:
                return
            if kind == holdem_table.FOLD:
                played.fold()
            elif kind == holdem_table.RAISE:
                played.complete_bet_or_raise_to(to)
            else:
                played.check_or_call()


def to_phh(states: State, known: Array | np.ndarray | None = None, **fields: Sequence[Any]) -> str:
    """The text of a ``.phhs`` file, or of a ``.phh`` file for a single state; see ``to_histories``."""
    written = to_histories(states, known, **fields)
    many: str = require_pokerkit().HandHistory.dumps_all(written) if np.ndim(states.terminated) else written[0].dumps()
    return many + "\n"
