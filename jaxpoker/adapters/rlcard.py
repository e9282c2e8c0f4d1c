"""Agents of RLCard as players of Leduc and of hold'em.

    agent = rlcard.models.load("leduc-holdem-cfr").agents[0]                # anything with eval_step(state)
    player = as_player(agent, "RLCard's CFR")
    match.play(jaxpoker.make("leduc"), [player, players.make("random", leduc)], key)

An agent is shown the state that RLCard would make of the same table: its cards, its 36 or 54 numbers, its names of
actions. RLCard's rules differ from ours, so that chips may be numbers that it has not met: its Leduc has blinds of 1
and 2 instead of antes. A raise of half the pot or the pot, which RLCard counts with the call in it, becomes the nearest
legal one. An agent that says what is not legal calls or checks.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rlcard.games.nolimitholdem.game import Stage
from rlcard.games.nolimitholdem.round import Action

from jaxpoker import cards, players
from jaxpoker.games import leduc
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.leduc import Leduc
from jaxpoker.players.functions import Decision

Array = jax.Array

LEDUC_ACTIONS = ("call", "raise", "fold", "check")  # RLCard's numbers


def as_player(agent: Any, name: str = "rlcard") -> players.Player:
    """The player who does what ``agent.eval_step`` says, in Leduc or in hold'em."""
    if not hasattr(agent, "eval_step"):
        raise TypeError(f"an agent of RLCard has eval_step(state), which {agent!r} lacks")

    def ask(decision: Decision) -> int:
        if isinstance(decision.game, Leduc):
            return _in_leduc(agent, decision)
        if isinstance(decision.game, Holdem):
            return _in_holdem(agent, decision)
        raise ValueError(f"agents of RLCard play leduc and holdem here, not {decision.game.name}")

    return players.from_function(ask, name, see=_chips)


def _chips(game: Any, state: Any, player: Array) -> tuple[Array, Array, Array]:
    """What each seat has put in and has left ``[players]``, and the street ``[]``."""
    if isinstance(game, Leduc):
        put_in = game.put_in(state)
        return put_in.astype(jnp.int32), jnp.zeros_like(put_in), state.round
    if isinstance(game, Holdem):
        return state.committed, state.stacks, state.street
    return (jnp.zeros(game.num_players),) * 2 + (jnp.int32(0),)


def _in_leduc(agent: Any, decision: Decision) -> int:
    put_in, _, street = decision.more
    own, others = int(put_in[decision.seat]), int(put_in[1 - decision.seat])
    facing = bool(decision.legal[leduc.FOLD])
    names = [name for name, legal in (("call", facing), ("raise", decision.legal[leduc.RAISE])) if legal]
    names += ["fold"] if facing else ["check"]
    hand = _leduc_card(int(np.argmax(decision.observation[2:8])))
    public = _leduc_card(int(np.argmax(decision.observation[8:14]))) if street else None
    numbers = np.zeros(36)
    numbers["JQK".index(hand[1])] = 1
    if public:
        numbers["JQK".index(public[1]) + 3] = 1
    numbers[min(own, 14) + 6] = numbers[min(others, 14) + 21] = 1
    chips = [own, others] if decision.seat == 0 else [others, own]
    raw = {"hand": hand, "public_card": public, "all_chips": chips, "my_chips": own, "legal_actions": names}
    raw["current_player"] = decision.seat
    said, _ = agent.eval_step(_state(numbers, raw, names, [LEDUC_ACTIONS.index(name) for name in names]))
    name = said if isinstance(said, str) else LEDUC_ACTIONS[said]
    choice = {"call": leduc.CALL, "check": leduc.CALL, "raise": leduc.RAISE, "fold": leduc.FOLD}[name]
    return choice if decision.is_legal(choice) else leduc.CALL


def _leduc_card(card: int) -> str:
    """ "SK", suit first."""
    name = leduc.CARD_NAMES[card]
    return name[1].upper() + name[0]


def _in_holdem(agent: Any, decision: Decision) -> int:
    put_in, left, street = decision.more
    facing = decision.facing
    assert facing is not None
    pot = int(facing.pot)
    to = {
        Action.FOLD: decision.fold,
        Action.CHECK_CALL: decision.call_to,
        Action.RAISE_HALF_POT: int(facing.own_bet) + pot // 2,
        Action.RAISE_POT: int(facing.own_bet) + pot,
        Action.ALL_IN: int(facing.max_raise_to),
    }
    raises = [action for action in (Action.RAISE_HALF_POT, Action.RAISE_POT) if to[action] > decision.call_to]
    legal = [Action.FOLD, Action.CHECK_CALL, *(raises if facing.may_raise else [])]
    legal += [Action.ALL_IN] if facing.may_raise else []
    hand, board = (_holdem_cards(text) for text in (decision.hole, decision.board))
    numbers = np.zeros(54)
    numbers[[_holdem_place(card) for card in [*board, *hand]]] = 1
    numbers[52], numbers[53] = int(put_in[decision.seat]), int(put_in.max())
    raw = {
        "hand": hand,
        "public_cards": board,
        "all_chips": put_in.tolist(),
        "my_chips": int(put_in[decision.seat]),
        "legal_actions": legal,
        "stakes": left.tolist(),
        "current_player": decision.seat,
        "pot": pot,
        "stage": Stage(int(street)),
    }
    said, _ = agent.eval_step(_state(numbers, raw, legal, [action.value for action in legal]))
    action = said if isinstance(said, Action) else Action(said)
    if action in raises:
        return min(max(to[action], decision.min_raise_to), decision.max_raise_to)
    return to[action] if decision.is_legal(to[action]) else decision.call_to


def _holdem_cards(text: str) -> list[str]:
    """ "SA" and so on, suit first."""
    return [text[at + 1].upper() + text[at] for at in range(0, len(text), 2)]


def _holdem_place(card: str) -> int:
    """Of a card in RLCard's 52 numbers: spades, hearts, diamonds, clubs, each from the ace and the two up."""
    return "SHDC".index(card[0]) * cards.NUM_RANKS + "A23456789TJQK".index(card[1])


def _state(numbers: np.ndarray, raw: dict[str, Any], names: list[Any], ids: list[int]) -> dict[str, Any]:
    legal = OrderedDict((action, None) for action in ids)
    return {"obs": numbers, "legal_actions": legal, "raw_obs": raw, "raw_legal_actions": names, "action_record": []}
