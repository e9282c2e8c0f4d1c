"""Fits the two towers to how two players play: hands between them, and what each state of them came to.

    towers = fitting.fit(game, pair, key, hands=400_000)
    match.play(game, pair, another_key, values=two_towers.by_towers(towers))

The hands of a fit must not be those of the match that it serves: values are fixed before a hand is dealt. Every state
is told what the hand came to, an all-in by its worth over all boards, and the towers learn the mean of that by least
squares. Each state is learned from both seats.
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
from jaxpoker.aivat.equity_values import by_share
from jaxpoker.aivat.two_towers import Cards, Towers
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS, State
from jaxpoker.players import Entrant, Player

Array = jax.Array

TABLES = 16_384  # that are played at once
TURNS = 14  # of a hand that are learned from; hardly any has more
BATCH = 4_096
RATE = 3e-3
UNIT = 20.0  # big blinds: results are learned in such units


class Seen(NamedTuple):
    """States of hands and what they came to: n states."""

    betting: tuple[np.ndarray, np.ndarray]  # [n, floats], seat 0 first and seat 1 first
    pot: np.ndarray  # [n] big blinds
    street: np.ndarray  # [n]
    cards: Cards  # [n]
    result: np.ndarray  # [n] big blinds of seat 0


class Batch(NamedTuple):
    """States of one street, looked at one way."""

    betting: Array  # [b, floats]
    pot: Array  # [b]
    cards: Cards  # [b]
    result: Array  # [b]


def fit(
    game: Holdem,
    pair: Sequence[Entrant],
    key: Array,
    hands: int = 400_000,
    steps: int = 4_000,
    tell: Callable[[int, float], None] = lambda step, loss: None,
) -> Towers:
    """Towers of what ``pair`` makes of ``game``, from so many ``hands`` and gradient ``steps``; ``tell`` is told the
    mean square of what is not explained, as a part of all.
    """
    init_key, play_key, learn_key = jax.random.split(key, 3)
    bots, params = tuple(one.player for one in pair), [one.params for one in pair]
    rounds = max(1, round(hands / TABLES))
    parts = [_states(*_played(game, bots, params, jax.random.fold_in(play_key, i))) for i in range(rounds)]
    seen: Seen = jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)
    places = [np.nonzero(seen.street == street)[0] for street in range(len(STREETS))]
    weights = np.array([len(of_street) for of_street in places]) / len(seen.street)
    towers = two_towers.init(init_key)
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
    return optax.adam(optax.cosine_decay_schedule(RATE, steps, 0.02))


@functools.partial(jax.jit, static_argnums=(3, 4, 5), donate_argnums=(0, 1))
def _step(
    towers: Towers, state: Any, batch: Batch, street: int, other_way: bool, steps: int
) -> tuple[Towers, Any, Array]:
    loss, gradient = jax.value_and_grad(_loss)(towers, batch, street, other_way)
    updates, state = _optimiser(steps).update(gradient, state)
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


@functools.partial(jax.jit, static_argnums=(0, 1))
def _played(game: Holdem, players: tuple[Player, ...], params: list[Any], key: Array) -> tuple[Any, ...]:
    """``TABLES`` hands; the players take turns on the button and on both seats. States ``[TURNS, tables]``, what the
    cards look like on each street ``[tables, 4]`` and results ``[tables]``.
    """
    deal_key, play_key = jax.random.split(key)
    deals = game.deal(deal_key, (TABLES,))
    shares = equity.all_in_shares(deals.hole, deals.board)
    tables = jnp.arange(TABLES)
    first = jax.vmap(lambda deal, table: game.start(deal, button=table % 2))(deals, tables)
    memories = tuple(
        jax.vmap(lambda _, player=player, own=own: player.new_hand(player.init_memory(own)))(tables)
        for player, own in zip(players, params, strict=True)
    )

    def one(state: State, memories: tuple[Any, ...], table: Array, key: Array) -> tuple[State, tuple[Any, ...]]:
        acting = (state.current_player + table // 2) % 2  # the player, not the seat
        choice, kept = jnp.zeros((), jnp.int32), []
        for number, (player, own, memory) in enumerate(zip(players, params, memories, strict=True)):
            wanted, after = player.act(own, memory, game, state, key)
            choice = jnp.where(acting == number, wanted, choice)
            kept.append(core.select((acting == number) & ~state.terminated, after, memory))
        return core.select(state.terminated, state, game.act(state, choice)), tuple(kept)

    def told(state: State) -> tuple[Any, ...]:
        return (
            (two_towers.betting(state), two_towers.betting(_other_way(state))),
            state.pot / state.big_blind,
            state.street,
            ~state.terminated,
        )

    def turn(loop: tuple[State, Any, Array], key: Array) -> tuple[Any, tuple[Any, ...]]:
        state, memories, last_street = loop
        after, memories = jax.vmap(one)(state, memories, tables, jax.random.split(key, TABLES))
        last_street = jnp.where(state.terminated, last_street, state.street)
        return (after, memories, last_street), jax.vmap(told)(state)

    begin = (first, memories, first.street)
    (end, _, last_street), states = jax.lax.scan(turn, begin, jax.random.split(play_key, TURNS))
    share = jnp.take_along_axis(shares, last_street[:, None], axis=1)[:, 0]
    result = jax.vmap(by_share)(end, share)
    seen = two_towers.look(deals.hole, deals.board, shares)
    *facts, live = states
    return *facts, live & end.terminated, jax.tree.map(lambda *streets: jnp.stack(streets, axis=1), *seen), result


def _states(betting: Any, pot: Array, street: Array, live: Array, cards: Cards, result: Array) -> Seen:
    """The states that there are."""
    turn, table = np.nonzero(np.asarray(live))

    def at(of_turns: Array) -> np.ndarray:
        return np.asarray(of_turns)[turn, table]

    streets = at(street)
    seen = Cards(*(np.asarray(field)[table, streets] for field in cards))
    ways = tuple(at(way).astype(np.float16) for way in betting)
    return Seen(ways, at(pot), streets, seen, np.asarray(result)[table])  # type: ignore[arg-type]


def _other_way(state: State) -> State:
    """The same betting with the seats exchanged."""
    return state.replace(  # type: ignore[attr-defined]
        seats=state.seats[::-1], button=1 - state.button, current_player=1 - state.current_player
    )
