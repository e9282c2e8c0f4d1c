"""PPO (Schulman et al., 2017): an actor and a critic, at hold'em tables with bets of any size or in self-play.

The learner is that of ``learners/reinforce.py`` with PPO's clipped ratio, several epochs over each segment and
generalised advantages. What a decision is, the network says: at hold'em tables chips (``models/raise_sizes.py``),
elsewhere an action.

In hold'em it spars (``learners/sparring.py``) with rule players and past selves. A hand with 100 big blinds in the pot
weighs a hundred times one that is folded, so how often each opponent is met decides what is learned: one policy meets
all of them and cannot know at first whom. What can be won of random play is ten times what can be won of a tight
player, so the latter has to be met more often for both to be beaten.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import players
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.games.seats import of_seat
from jaxpoker.learners import trajectories
from jaxpoker.learners.reinforce import Reinforce
from jaxpoker.learners.sparring import Sparring
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.players import networks

Array = jax.Array

PAST_SELF = "past self"
KINDS = ("fold", "check", "call", "raise")


@dataclasses.dataclass(frozen=True, eq=False)
class PPO(Reinforce):
    """The learner, with the settings that make it PPO."""

    discount: float = 1.0
    trace: float = 0.9
    normalises: bool = True
    clip: float | None = 0.2
    epochs: int = 2
    minibatches: int = 8


def sparring(
    game: Holdem, network: PolicyNetwork, opponents: Sequence[str], shares: Sequence[float], past_share: float
) -> Sparring:
    """Tables against rule players, met by their ``shares``, and in ``past_share`` of the hands against a past self."""
    rules = [players.make(name, game) for name in opponents]
    part = (1 - past_share) / max(sum(shares), 1e-9)
    past = networks.of_chips(network, PAST_SELF)
    return Sparring(game, (*rules, past), (*(part * share for share in shares), past_share))


# --- how it bets ------------------------------------------------------------------------------


class Raises(NamedTuple):
    """Bets and raises that were made: ``[n]`` each."""

    street: np.ndarray  # 0 preflop ... 3 river
    pots: np.ndarray  # chips above the call, in pots after calling
    least: np.ndarray  # bool: to the minimum
    all_in: np.ndarray  # bool
    ahead: np.ndarray  # bool: it would have won or split the showdown


class Style(NamedTuple):
    """How a network plays."""

    kinds: np.ndarray  # [streets, kinds] parts of its decisions on a street
    raises: Raises


def style(
    network: PolicyNetwork, params: Any, against: Sparring, past: Any, key: Array, tables: int, turns: int
) -> Style:
    """Of a network with ``params`` at so many ``tables`` ``against`` others, of whom the past self has ``past``."""
    seen = jax.device_get(_decisions(network, params, against, past, key, tables, turns))
    own, kind, street = seen["own"], seen["kind"], seen["street"]
    counts = np.zeros((len(STREETS), len(KINDS)))
    np.add.at(counts, (street[own], kind[own]), 1)
    raised = own & (kind == KINDS.index("raise"))
    raises = Raises(*(seen[name][raised] for name in Raises._fields))
    return Style(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), raises)


@functools.partial(jax.jit, static_argnums=(0, 2, 5, 6))
def _decisions(
    network: PolicyNetwork, params: Any, against: Sparring, past: Any, key: Array, tables: int, turns: int
) -> dict[str, Array]:
    """``[turns * tables]`` each: what was decided, by whomever."""
    begin_key, play_key = jax.random.split(key)
    opponents = (*[None] * (len(against.opponents) - 1), past)
    decide = trajectories.by_network(network, params, against.game)
    begin = against.begin(begin_key, tables, opponents)
    _, played = trajectories.collect_sparring(against, network, decide, begin, opponents, play_key, turns)
    state, to = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (played.state, played.decision.action))
    spot = holdem_table.facing(state, state.current_player)
    mine, others = (
        of_seat(seat, list(state.deal.strengths)) for seat in (state.current_player, 1 - state.current_player)
    )
    raises, pays = to > spot.price, to > spot.own_bet
    kind = jnp.where(to < 0, 0, jnp.where(raises, 3, jnp.where(pays, 2, 1)))
    return {
        "own": played.decision.learns.reshape(-1),
        "kind": kind,
        "street": state.street,
        "pots": (to - spot.price) / (spot.pot + spot.to_call),
        "least": to == spot.min_raise_to,
        "all_in": to == spot.max_raise_to,
        "ahead": mine >= others,
    }
