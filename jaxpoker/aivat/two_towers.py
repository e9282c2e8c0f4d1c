"""A value function of heads-up hold'em that is learned: what a betting makes of cards.

    v(betting, cards) = pot * sum_k c_k(betting) f_k(cards)

Two small networks, one of which sees the betting alone and the other both hands and the open cards alone. So the mean
of v over the cards of a street is pot * sum_k c_k mean f_k, and the mean of f is worked out once for a deal, whatever
is bet. It is exact over the hands before the flop (169 x 169 classes). Over a flop, a turn and a river it is the mean
over ``SAMPLES`` others that are drawn without regard to the one that came: an estimate without bias, which is all that
AIVAT needs.

    cards     class of each hand, its category on each street so far, and its share of the pot against the other
    betting   chips, street, button, whose turn, and what each seat did on each street
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import cards, equity, hands, ranges
from jaxpoker.aivat.equity_values import by_share, share_on
from jaxpoker.aivat.estimate import Values
from jaxpoker.equity.matchups import matchups
from jaxpoker.equity.showdowns import columns
from jaxpoker.errors import RunError
from jaxpoker.files import DATA, archives, write_whole
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import (
    BOARD_CARDS,
    FLOP,
    LINE_BITS,
    PREFLOP,
    RIVER,
    STREETS,
    TURN,
    Deal,
    State,
)

Array = jax.Array

MOST_BYTES = 64 * archives.MB  # of a file of towers

SHIPPED = DATA / "aivat_blueprint.npz"
SAMPLES = {FLOP: 8, TURN: 16, RIVER: 16}  # cards that might have come instead
SEATS, NUM_STREETS = 2, len(STREETS)
CATEGORIES = len(hands.CATEGORIES)
CHIP_FLOATS = 6
BETTING_FLOATS = CHIP_FLOATS + NUM_STREETS + 2 + SEATS * NUM_STREETS * (LINE_BITS + 1)
HIDDEN, TERMS = 64, 24
_SHARES = 3  # s, its distance from one half, and its square


class Towers(NamedTuple):
    """The parameters: dense layers as (weights, biases), and what a fact of the cards adds to the first layer."""

    classes: Array  # [4 streets, 2 seats, 169, hidden]
    categories: Array  # [4 streets, 2 seats, 4 streets, categories, hidden]: on a street so far
    share: Array  # [4 streets, 3, hidden]
    bias: Array  # [4 streets, hidden]
    of_cards: tuple[tuple[Array, Array], ...]
    of_betting: tuple[tuple[Array, Array], ...]


class Known(NamedTuple):
    """Of one deal."""

    shares: Array  # [4] of seat 0
    facts: Array  # [4, TERMS] of the cards that are open on each street
    mean_facts: Array  # [4, TERMS]: the mean over the cards that a street may have opened


def init(key: Array) -> Towers:
    """Towers that have learned nothing."""
    keys = iter(jax.random.split(key, 16))

    def dense(inputs: int, outputs: int, scale: float = 1.0) -> tuple[Array, Array]:
        spread = scale * np.sqrt(2 / inputs)
        return spread * jax.random.normal(next(keys), (inputs, outputs)), jnp.zeros(outputs)

    def facts(*shape: int) -> Array:
        return 0.3 * jax.random.normal(next(keys), (NUM_STREETS, *shape, HIDDEN))

    return Towers(
        facts(SEATS, ranges.NUM_CLASSES),
        facts(SEATS, NUM_STREETS, CATEGORIES),
        facts(_SHARES),
        jnp.zeros((NUM_STREETS, HIDDEN)),
        (dense(HIDDEN, HIDDEN), dense(HIDDEN, TERMS)),
        (dense(BETTING_FLOATS, HIDDEN), dense(HIDDEN, HIDDEN), dense(HIDDEN, TERMS, 0.1)),
    )


# --- the betting --------------------------------------------------------------------------------


def betting(state: State) -> Array:
    """``[BETTING_FLOATS]`` of one table: what was bet, seat 0 first."""
    blind = state.big_blind.astype(jnp.float32)
    pot, committed = state.pot / blind, state.committed / blind
    behind = jnp.stack([seat.behind for seat in state.seats]) / blind
    owed = (committed[1] - committed[0]) / pot
    chips = [jnp.log(pot), owed, jnp.abs(owed), jnp.log1p(behind.min() / pot), pot / 100, state.raises / 4]
    street = jnp.arange(NUM_STREETS) == state.street
    seats = jnp.stack([state.button == 0, state.current_player == 0])
    bits = np.arange(NUM_STREETS * LINE_BITS)
    did = [((seat.line >> bits) & 1) for seat in state.seats]
    sizes = [jnp.stack([seat.largest_raise(s) for s in range(NUM_STREETS)]) for seat in state.seats]
    parts = [jnp.stack(chips), street, seats, *did, *sizes]
    return jnp.concatenate([part.astype(jnp.float32) for part in parts])


def _through(layers: tuple[tuple[Array, Array], ...], x: Array) -> Array:
    for i, (weights, biases) in enumerate(layers):
        x = x @ weights + biases
        x = jax.nn.relu(x) if i + 1 < len(layers) else x
    return x


def meaning(towers: Towers, seen: Array) -> Array:
    """``[..., TERMS]``: c of bettings ``[..., BETTING_FLOATS]``."""
    return _through(towers.of_betting, seen)


# --- the cards ----------------------------------------------------------------------------------


class Cards(NamedTuple):
    """What the cards' tower sees of n pairs of hands on a street."""

    classes: Array  # [n, 2]
    categories: Array  # [n, 2, 4]; of streets to come anything
    share: Array  # [n] of seat 0


def classes_of(hole: Array) -> Array:
    """``[..., 2]`` of hands ``[..., 2, 2]``."""
    return jnp.asarray(ranges.CLASS_OF_COMBO)[ranges.combo_index(hole[..., 0], hole[..., 1])]


def category_on(hole: Array, board: Array, street: int) -> Array:
    """``[..., 2]`` of hands ``[..., 2, 2]`` with the cards of ``board`` ``[..., 5]`` that are open on ``street``."""
    opened = columns(board[..., None, : BOARD_CARDS[street]])
    opened = opened + [opened[0]] * (5 - len(opened))  # the same card again changes nothing
    masks = hands.suit_masks([*columns(hole), *(jnp.broadcast_to(card, hole.shape[:-1]) for card in opened)])
    return hands.category(hands.strength_of_masks(*masks))


def facts(towers: Towers, street: int, seen: Cards) -> Array:
    """``[n, TERMS]``: f of ``seen`` on ``street``."""
    of_seats = towers.classes[street]
    x = towers.bias[street] + sum(of_seats[seat][seen.classes[:, seat]] for seat in range(SEATS))
    for seat in range(SEATS):
        for before in range(1, street + 1):
            x = x + towers.categories[street, seat, before][seen.categories[:, seat, before]]
    lead = 2 * seen.share - 1
    x = x + jnp.stack([lead, jnp.abs(lead), lead**3], axis=-1) @ towers.share[street]
    found = _through(towers.of_cards, jax.nn.relu(x))
    return found.at[:, 0].set(1.0).at[:, 1].set(lead)


def look(hole: Array, board: Array, shares: Array) -> list[Cards]:
    """What the tower sees of deals ``[n]``, street by street."""
    of_class = classes_of(hole)
    categories = jnp.stack(
        [jnp.zeros_like(of_class), *(category_on(hole, board, street) for street in (FLOP, TURN, RIVER))], axis=-1
    )
    return [Cards(of_class, categories, shares[:, street]) for street in range(NUM_STREETS)]


def _others(street: int, hole: Array, board: Array, seen: Cards, key: Array) -> Cards:
    """``[n * samples]``: the same hands, and the same board before ``street``, with other cards of this street."""
    n, samples = len(hole), SAMPLES[street]
    before = int(BOARD_CARDS[street - 1])

    def repeated(x: Array) -> Array:
        return jnp.repeat(x, samples, axis=0)

    hole, board, seen = jax.tree.map(repeated, (hole, board, seen))
    dead = [*columns(hole.reshape(-1, 4)), *columns(board[:, :before])]
    come = cards.deal_columns(key, int(BOARD_CARDS[street]) - before, (n * samples,), dead)
    board = jnp.concatenate([board[:, :before], jnp.stack(come, axis=-1)], axis=-1)
    categories = seen.categories.at[:, :, street].set(category_on(hole, board, street))
    return Cards(seen.classes, categories, equity.all_in_share(hole, board))


def mean_before_the_flop(towers: Towers) -> Array:
    """``[TERMS]``: the mean of f over all pairs of hands, each class as often as it is dealt."""
    table = matchups()
    first, second = (each.reshape(-1) for each in np.meshgrid(*[np.arange(ranges.NUM_CLASSES)] * 2, indexing="ij"))
    weights = jnp.asarray((table.combos / table.combos.sum()).reshape(-1, 1), jnp.float32)
    classes = jnp.asarray(np.stack([first, second], axis=1))
    none = jnp.zeros((len(first), SEATS, NUM_STREETS), jnp.int32)
    share = jnp.asarray(table.equity.reshape(-1), jnp.float32)
    weighted = weights * facts(towers, PREFLOP, Cards(classes, none, share))
    return weighted.reshape(ranges.NUM_CLASSES, ranges.NUM_CLASSES, -1).sum(axis=1).sum(axis=0)  # few digits get lost


def prepare(towers: Towers, game: Holdem, deals: Deal, key: Array) -> Known:
    """``[n]`` of deals ``[n]``."""
    hole, board = deals.hole, deals.board
    shares = equity.all_in_shares(hole, board)
    seen = look(hole, board, shares)
    now = [facts(towers, street, of_street) for street, of_street in enumerate(seen)]
    means = [jnp.broadcast_to(mean_before_the_flop(towers), now[0].shape)]
    for street in (FLOP, TURN, RIVER):
        others = facts(towers, street, _others(street, hole, board, seen[street], jax.random.fold_in(key, street)))
        sampled = others.reshape(len(hole), SAMPLES[street], -1).mean(axis=1)
        # The share is a martingale, of which the mean is known.
        lead = 2 * shares[:, street - 1] - 1
        means.append(sampled.at[:, 1].set(lead))
    return Known(shares, jnp.stack(now, axis=1), jnp.stack(means, axis=1))


def value(towers: Towers, known: Known, game: Holdem, state: State, street: Array | int) -> Array:
    """``[]`` big blinds: see ``estimate.Values``."""
    here = state.street
    of_cards = jnp.where(street == here, known.facts[here], known.mean_facts[here])
    found = meaning(towers, betting(state)) @ of_cards * (state.pot / state.big_blind)
    return jnp.where(state.terminated, by_share(state, share_on(known.shares, street)), found)


def by_towers(towers: Towers, name: str = "two towers") -> Values:
    """The ``Values`` of these parameters."""
    return Values(name, value, prepare, towers)


# --- files --------------------------------------------------------------------------------------


def of_blueprint() -> Values:
    """The values of the blueprint that comes with the package against itself, at 100 big blinds."""
    return by_towers(load(SHIPPED), "blueprint")


def save(path: Path, towers: Towers) -> None:
    """Writes ``towers`` as one file, in half precision."""
    arrays = {f"array{i}": np.asarray(x, np.float16) for i, x in enumerate(jax.tree.leaves(towers))}
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    write_whole(path, content.getvalue())


def load(path: Path) -> Towers:
    """The towers in a file."""
    like = jax.eval_shape(init, jax.random.key(0))
    shapes, form = jax.tree.flatten(like)
    try:
        with archives.Archive(path, MOST_BYTES) as stored:
            arrays = [stored.array(f"array{i}").astype(np.float32) for i in range(len(shapes))]
    except (OSError, ValueError) as error:
        raise RunError(f"{path} has no values of two towers: {error}") from error
    if [x.shape for x in arrays] != [x.shape for x in shapes]:
        raise RunError(f"{path} has towers of other sizes: fit them anew")
    towers: Towers = jax.tree.unflatten(form, [jnp.asarray(x) for x in arrays])
    return towers
