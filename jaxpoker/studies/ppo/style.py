"""How a network bets: what it decides on each street, and how large its raises are."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.games.seats import of_seat
from jaxpoker.learners.experience import trajectories
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.studies.holdem_rivals import MET_OFTEN

Array = jax.Array

KINDS = ("fold", "check", "call", "raise")
TABLES, TURNS = 4_096, 24  # against rule players


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


def against_rules(game: Holdem, network: PolicyNetwork, params: Any, key: Array) -> Style:
    """Of a network with ``params`` against random, tag, lag and call, as often each."""
    against = ppo.sparring(game, network, MET_OFTEN, (1.0,) * len(MET_OFTEN), 0.0)
    return style(network, params, against, params, key, TABLES, TURNS)


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
