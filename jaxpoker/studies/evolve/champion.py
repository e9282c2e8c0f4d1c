"""The champion of an evolution: matches against everybody, sessions as in training, and its file."""

from __future__ import annotations

import dataclasses
import functools
import io
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import devices, match, players
from jaxpoker.errors import RunError
from jaxpoker.files import write_whole
from jaxpoker.learners.evolution.learner import NETWORK, SEATS, Evolution
from jaxpoker.match import Estimate
from jaxpoker.models import pokernet
from jaxpoker.players.networks import pokernet as pokernet_player

EVERYBODY = (*players.OPPONENTS, *players.STYLES)  # whom a champion meets


@dataclasses.dataclass(frozen=True)
class Sessions:
    """Many sessions of the champion under its protocol, against one opponent."""

    earnings: Estimate  # per session, in starting stacks
    win_rate: Estimate  # of sessions that end above the start
    hands: Estimate  # until the session ends
    by_hand: np.ndarray  # [hands] mean winnings of each hand in mBB, over the sessions that got there


def play_everybody(learner: Evolution, champion: jax.Array, key: jax.Array, hands: int) -> dict[str, match.Result]:
    """The champion on fresh duplicate deals with reset stacks, against each opponent of both families, tag and lag."""
    game = learner.protocol.game
    rivals = players.one_of(tuple(players.make(name, game) for name in EVERYBODY))
    pair = [pokernet_player("champion"), rivals]
    tables = hands // (SEATS * learner.hands)
    results = {}
    for place, name in enumerate(EVERYBODY):
        params = [pokernet.params_of(champion), jnp.int32(place)]
        results[name] = match.play(game, pair, key, params, tables, learner.hands, win_samples=learner.win_samples)
    return results


def play_sessions(
    learner: Evolution, champion: jax.Array, key: jax.Array, sessions: int
) -> tuple[dict[str, Sessions], dict[str, Sessions]]:
    """Sessions as in training, each pair of seats with deals of its own: by the champion, and by the champion if its
    opponent LSTM forgot with every hand."""
    family, game = learner.protocol.family, learner.protocol.game
    repeats = sessions // SEATS
    end = jax.device_get(_sessions(dataclasses.replace(learner, repeats=repeats, luck=True), champion, key))
    shape = (2, len(family), repeats, SEATS)
    stacks = end.winnings[..., NETWORK].reshape(shape) * game.big_blind / game.stack
    hands = end.counts.hands[..., NETWORK].reshape(shape)
    by_hand = end.by_hand[..., NETWORK].reshape(*shape, -1)  # [2, O, repeats, seats, hands]

    def of(who: int, o: int) -> Sessions:
        played = np.arange(learner.hands) < hands[who, o, ..., None]  # [repeats, seats, hands]
        times = played.sum(axis=(0, 1))
        mean = np.where(times > 0, 1000 * by_hand[who, o].sum(axis=(0, 1)) / np.maximum(times, 1), np.nan)
        return Sessions(
            Estimate.of(stacks[who, o].mean(axis=-1)),
            Estimate.of((stacks[who, o] > 0).mean(axis=-1)),
            Estimate.of(hands[who, o].mean(axis=-1)),
            mean,
        )

    with_memory, without = ({name: of(who, o) for o, name in enumerate(family)} for who in range(2))
    return with_memory, without


@functools.partial(jax.jit, static_argnums=0)
def _sessions(learner: Evolution, champion: jax.Array, key: jax.Array) -> match.Running:
    """``[2, sessions]``: with and without the memory of the opponent."""
    deal_key, play_key = jax.random.split(key)
    params = jax.tree.map(lambda x: jnp.stack([x, x]), pokernet.params_of(champion))
    remembers = jnp.array([learner.opponent_memory, False])
    end = learner.sessions(params, *learner.decks(deal_key), play_key, remembers, by_hand=True)
    return devices.everywhere(learner.mesh, end)


def save(path: Path, genome: jax.Array) -> None:
    """A genome ``[genes]`` as a .npy file."""
    genes = np.asarray(genome)
    if not np.isfinite(genes).all():
        raise RunError(f"cannot save the champion {path}: its genome has numbers that are not finite")
    content = io.BytesIO()
    np.save(content, genes)
    write_whole(path, content.getvalue())
