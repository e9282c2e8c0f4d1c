"""Fits the two towers to how two players play: hands between them, and what each state of them came to.

    towers = fitting.fit(game, pair, key, hands=400_000)
    match.play(game, pair, another_key, values=two_towers.by_towers(towers))

The hands of a fit must not be those of the match that it serves: values are fixed before a hand is dealt. Every state
is told what the hand came to, and the towers learn the mean of that by least squares. Each state is learned from both
seats. What a hand came to from a state on is itself estimated by AIVAT, with the values of the stage before, and with
those of equity at first: the mean is the same, and every stage learns from less noise than the one before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxpoker import core, equity
from jaxpoker.aivat import two_towers
from jaxpoker.aivat.equity_values import by_equity
from jaxpoker.aivat.estimate import Values, acted, of_actor
from jaxpoker.aivat.two_towers import Cards, Towers
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS, State
from jaxpoker.players import Entrant, Player

Array = jax.Array

TABLES = 16_384  # that are played at once
TURNS = 14  # of a hand that are learned from; hardly any has more
BATCH = 4_096
RATE, DECAY = 2e-3, 1e-3
UNIT = 20.0  # big blinds: results are learned in such units


class Seen(NamedTuple):
    """States of hands and what they came to: n states."""

    betting: tuple[np.ndarray, np.ndarray]  # [n, floats], seat 0 first and seat 1 first
    pot: np.ndarray  # [n] big blinds
    street: np.ndarray  # [n]
    cards: Cards  # [n]
    result: np.ndarray  # [n] big blinds of seat 0, by AIVAT from this state on


class Batch(NamedTuple):
    """States of one street, looked at one way."""

    betting: Any  # [b, floats]
    pot: Any  # [b]
    cards: Cards  # [b]
    result: Any  # [b]


def fit(
    game: Holdem,
    pair: Sequence[Entrant],
    key: Array,
    hands: int = 200_000,
    steps: int = 4_000,
    stages: int = 3,
    tell: Callable[[int, int, float], None] = lambda stage, step, loss: None,
) -> Towers:
    """Towers of what ``pair`` makes of ``game``, from so many ``hands`` and gradient ``steps`` in each of ``stages``;
    ``tell`` is told the mean square of what is not explained.
    """
    towers, values = two_towers.init(key), by_equity()
    for stage in range(stages):
        stage_key = jax.random.fold_in(key, stage)
        towers = _stage(game, pair, values, towers, stage_key, hands, steps, functools.partial(tell, stage))
        values = two_towers.by_towers(towers)
    return towers


def _stage(
    game: Holdem,
    pair: Sequence[Entrant],
    values: Values,
    towers: Towers,
    key: Array,
    hands: int,
    steps: int,
    tell: Callable[[int, float], None],
) -> Towers:
    """``towers`` after more learning, from hands whose luck is told by ``values``."""
    play_key, learn_key = jax.random.split(key)
    bots, params = tuple(one.player for one in pair), [one.params for one in pair]
    how, known = values._replace(params=None), values.params
    rounds = max(1, round(hands / TABLES))
    parts = [_states(*_played(game, bots, how, params, known, jax.random.fold_in(play_key, i))) for i in range(rounds)]
    seen: Seen = jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)
    places = [np.nonzero(seen.street == street)[0] for street in range(len(STREETS))]
    weights = np.array([len(of_street) for of_street in places]) / len(seen.street)
    state = _optimiser(steps).init(towers)
    rng = np.random.default_rng(np.asarray(jax.random.key_data(learn_key)))
    for step in range(steps):
        street = int(rng.choice(len(STREETS), p=weights))
        at = places[street][rng.integers(len(places[street]), size=BATCH)]
        way = int(rng.integers(2))
        batch = Batch(seen.betting[way][at], seen.pot[at], Cards(*(x[at] for x in seen.cards)), seen.result[at])
        towers, state, loss = _step(towers, state, batch, street, way == 1, steps)
        if step % 200 == 0:
            tell(step, float(loss))
    return towers


@functools.cache
def _optimiser(steps: int) -> optax.GradientTransformation:
    return optax.adamw(optax.cosine_decay_schedule(RATE, steps, 0.02), weight_decay=DECAY)


@functools.partial(jax.jit, static_argnums=(3, 4, 5), donate_argnums=(0, 1))
def _step(
    towers: Towers, state: Any, batch: Batch, street: int, other_way: bool, steps: int
) -> tuple[Towers, Any, Array]:
    loss, gradient = jax.value_and_grad(_loss)(towers, batch, street, other_way)
    updates, state = _optimiser(steps).update(gradient, state, towers)
    return optax.apply_updates(towers, updates), state, loss


def _loss(towers: Towers, batch: Batch, street: int, other_way: bool) -> Array:
    """The mean square of what is not explained of results on ``street``, big pots and small ones alike in chips."""
    cards, sign = batch.cards, 1
    if other_way:
        cards, sign = Cards(cards.classes[:, ::-1], cards.categories[:, ::-1], 1 - cards.share), -1
    facts = two_towers.facts(towers, street, cards)
    value = (two_towers.meaning(towers, batch.betting) * facts).sum(axis=-1) * batch.pot
    return ((value - sign * batch.result) ** 2).mean() / UNIT**2


# --- hands --------------------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _played(
    game: Holdem, players: tuple[Player, ...], how: Values, params: list[Any], weights: Any, key: Array
) -> tuple[Any, ...]:
    """``TABLES`` hands; the players take turns on the button and on both seats. States ``[TURNS, tables]`` with what
    came of them, and what the cards look like on each street ``[tables, 4]``.
    """
    values = how._replace(params=weights)
    deal_key, play_key = jax.random.split(key)
    deals = game.deal(deal_key, (TABLES,))
    known = values.prepare(weights, game, deals, play_key)
    tables = jnp.arange(TABLES)
    first = jax.vmap(lambda deal, table: game.start(deal, button=table % 2))(deals, tables)
    memories = tuple(
        jax.vmap(lambda _, player=player, own=own: player.new_hand(player.init_memory(own)))(tables)
        for player, own in zip(players, params, strict=True)
    )

    def one(
        state: State, memories: tuple[Any, ...], known: Any, table: Array, key: Array
    ) -> tuple[State, tuple[Any, ...], Array]:
        acting = (state.current_player + table // 2) % 2  # the player, not the seat
        choice, asked = jnp.zeros((), jnp.int32), []
        for number, (player, own, memory) in enumerate(zip(players, params, memories, strict=True)):
            wanted, after = player.act(own, memory, game, state, key)
            choice = jnp.where(acting == number, wanted, choice)
            asked.append(after)
        told = [
            None if player.mixture is None else player.mixture(own, memory, game, state, choice)
            for player, own, memory in zip(players, params, asked, strict=True)
        ]
        reached = game.act(state, choice)
        gain = acted(values, known, game, state, reached, of_actor(told, choice, acting)) + reached.rewards[0]
        kept = tuple(
            core.select((acting == number) & ~state.terminated, after, memory)
            for number, (after, memory) in enumerate(zip(asked, memories, strict=True))
        )
        return core.select(state.terminated, state, reached), kept, jnp.where(state.terminated, 0, gain)

    def turn(loop: tuple[State, Any], key: Array) -> tuple[Any, tuple[Any, ...]]:
        state, memories = loop
        after, memories, gain = jax.vmap(one)(state, memories, known, tables, jax.random.split(key, TABLES))
        betting = (jax.vmap(two_towers.betting)(state), jax.vmap(lambda s: two_towers.betting(_other_way(s)))(state))
        return (after, memories), (betting, state.pot / state.big_blind, state.street, ~state.terminated, gain)

    (end, _), states = jax.lax.scan(turn, (first, memories), jax.random.split(play_key, TURNS))
    *facts, live, gains = states
    to_come = jnp.cumsum(gains[::-1], axis=0)[::-1]  # from each state on
    shares = equity.all_in_shares(deals.hole, deals.board)
    seen = two_towers.look(deals.hole, deals.board, shares)
    by_street = jax.tree.map(lambda *streets: jnp.stack(streets, axis=1), *seen)
    return *facts, live & end.terminated, to_come, by_street


def _states(betting: Any, pot: Array, street: Array, live: Array, result: Array, cards: Cards) -> Seen:
    """The states that there are."""
    turn, table = np.nonzero(np.asarray(live))

    def at(of_turns: Array) -> np.ndarray:
        return np.asarray(of_turns)[turn, table]

    streets = at(street)
    seen = Cards(*(np.asarray(field)[table, streets] for field in cards))
    ways = tuple(at(way).astype(np.float16) for way in betting)
    return Seen(ways, at(pot), streets, seen, at(result))  # type: ignore[arg-type]


def _other_way(state: State) -> State:
    """The same betting with the seats exchanged."""
    return state.replace(  # type: ignore[attr-defined]
        seats=state.seats[::-1], button=1 - state.button, current_player=1 - state.current_player
    )
