"""What the shipped blueprint does before the flop where a hand stands: the 13 x 13 grid of that decision."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxpoker import charts, core, ranges
from jaxpoker.app.dealer import HERO
from jaxpoker.app.duel import Duel
from jaxpoker.coach.wording import action_label
from jaxpoker.games import bets
from jaxpoker.games.holdem.table import PREFLOP, State
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.blueprint import Blueprint
from jaxpoker.solvers.tree import translation
from jaxpoker.solvers.tree.chips import chips_at
from jaxpoker.solvers.tree.infosets import POSITIONS
from jaxpoker.solvers.tree.translation import TreeReader

Array = jax.Array


@jax.jit
def _read(tree: TreeReader, state: State) -> tuple[Array, Array]:
    """The node that the blueprint reads a hand as, and whether it has an answer there."""
    trail = translation.read_on(tree, state, translation.unread(), None)
    (both, _) = translation.readings(tree, state, translation.unread())
    raised = jax.tree.map(lambda x: x[1], both)  # a small raise that it would call whatever it has is shown as a raise
    trail = core.select(trail.owes_call, raised, trail)
    return trail.node, translation.has_answer(tree, state, trail)


def _label(solved: Blueprint, node: int, action: int) -> str:
    """An action of the tree as the buttons say it: "Raise to 2.5 BB"."""
    tree = solved.tree
    chips, seat = chips_at(tree), int(tree.player[node])
    price, own_bet = int(chips.price[node]), int(chips.bets[node, seat])
    to = bets.FOLD_CHIPS if action == bets.FOLD else int(tree.to[node, action])
    return action_label(to, price, own_bet, price + int(chips.behind[node]), solved.game.big_blind)


def _betting(solved: Blueprint, node: int) -> str:
    """The actions that lead to a decision before the flop: "BTN: Raise to 2.5 BB, BB: Call 1.5 BB"."""
    tree = solved.tree
    steps = [(int(tree.parent[step]), int(tree.action[step])) for step in tree.path(node)[1:]]
    said = [f"{POSITIONS[int(tree.player[parent])]}: {_label(solved, parent, action)}" for parent, action in steps]
    return ", ".join(said) or "First to act"


def preflop_state(duel: Duel) -> State | None:
    """The person's last decision before the flop, made or to be made; None where there was none."""
    before = [decision.state for decision in duel.decisions if int(decision.state.street) == PREFLOP]
    waiting = not duel.over and int(duel.look.street) == PREFLOP
    return duel.state if waiting else before[-1] if before else None


def grid(duel: Duel) -> dict[str, Any] | None:
    """The grid of the person's decision before the flop; None where the blueprint has no answer."""
    state = preflop_state(duel)
    if state is None:
        return None
    solved = blueprint.load_shipped()
    node, answers = (x.item() for x in jax.device_get(_read(solved.params.betting, state)))
    if not answers:
        return None
    tree = solved.tree
    mix, reach = solved.preflop_grid(node)
    legal = np.nonzero(tree.legal(node))[0].tolist()
    labels = [_label(solved, node, action) for action in legal]
    shown = charts.as_mix(mix[:, legal], labels, reach=reach)
    hole = np.asarray(state.deal.hole[HERO]).tolist()
    return {
        "situation": _betting(solved, node),
        "position": POSITIONS[int(tree.player[node])],
        "hand": ranges.CLASS_NAMES[ranges.CLASS_OF_COMBO[ranges.combo_index(hole[0], hole[1])]],
        "actions": [
            {"label": label, "colour": "#{:02x}{:02x}{:02x}".format(*colour), "share": float(share)}
            for label, colour, share in zip(shown.actions, shown.colours, shown.shares, strict=True)
        ],
        "classes": list(ranges.CLASS_NAMES),
        "mix": np.round(shown.frequencies, 4).tolist(),
        "reach": np.round(shown.reach, 4).tolist(),
    }
