"""What a game is: the contract that every game here keeps, and a check that it does.

A game is a frozen dataclass of pure functions on one table; ``jax.vmap`` makes thousands of tables.
What fixes array sizes (players, bet menu, caps) is a field of the game and static under ``jit``. What may
differ from table to table (cards, stacks, blinds, button) is data in the deal and the state.

    game  = jaxpoker.make("leduc")
    deal  = game.deal(key)              # everything random
    state = game.start(deal)            # or game.init(key), which is start(deal(key))
    state = game.step(state, action)    # deterministic
    obs   = game.observe(state, player) # only what that player may know

States carry pgx's names. At a terminal state the mask is all True and a further step changes nothing and
pays nothing. An illegal action ends the game: the actor loses the most it could lose and the others
share it, so that it never pays.

The functions that a large game is made of are jitted one by one: their Python then runs once for a kind of state, not
in every program that they become a part of.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker.blocks import computed_once

Array = jax.Array

# Columns of an information state's tokens, int32 [tokens, 4]. A row of zeros is padding.
#   actor   1 the table (a public card), 2 + seat a player; 0 padding
#   card    1 + card, 0 where the token is no card
#   action  1 + action id, 0 where the token is no action
#   amount  chips that go with it
TOKEN_FIELDS = ("actor", "card", "action", "amount")
TABLE = 1
FIRST_SEAT = 2

MAX_FUSED_FIELDS = 4  # a state with more gets a block of its own for the restart, see ``blocks``


@runtime_checkable
class State(Protocol):
    """The five fields every state has, with pgx's names, for one table."""

    current_player: Array  # [] int32, whose turn it is
    legal_action_mask: Array  # [actions] bool; all True when the game is over
    rewards: Array  # [players] float32, for the last action
    terminated: Array  # [] bool
    truncated: Array  # [] bool


@runtime_checkable
class Game(Protocol):
    """Pure per-table functions; see the module's docstring. All of them may be jitted and vmapped."""

    def __hash__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def num_players(self) -> int: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def zero_sum(self) -> bool: ...
    @property
    def observation_size(self) -> int:
        """Number of floats of ``observe``."""
        ...

    @property
    def token_sizes(self) -> tuple[int, int, int]:
        """Number of different values of an information state's actor, card and action columns."""
        ...

    def deal(self, key: Array, shape: tuple[int, ...] = ()) -> Any:
        """Everything random of ``shape`` tables, from one key: leaves are ``[*shape, ...]``."""
        ...

    def start(self, deal: Any) -> Any:
        """The first state of one table."""
        ...

    def init(self, key: Array) -> Any:
        """``start(deal(key))``."""
        ...

    def step(self, state: Any, action: Array, key: Array | None = None) -> Any:
        """The state after ``action`` (an id); ``key`` is ignored, it is there for code written for pgx."""
        ...

    def act(self, state: Any, choice: Array) -> Any:
        """The state after a player's ``choice``: chips "to" in hold'em, elsewhere an action id, as in ``step``."""
        ...

    def observe(self, state: Any, player: Array | int) -> Array:
        """``[observation_size]`` float32: what ``player`` sees."""
        ...

    def information_state(self, state: Any, player: Array | int) -> Array:
        """``[tokens, 4]`` int32 (see ``TOKEN_FIELDS``): all that ``player`` has seen, in order, zero-padded.

        Perfect recall: different information sets have different tokens.
        """
        ...

    def resample_hidden(self, state: Any, player: Array | int, key: Array, weights: Array | None = None) -> Any:
        """A random world that ``player`` cannot tell from this one.

        ``weights`` gives the relative probability of each private hand of the others; uniform when None.
        """
        ...

    def with_hand(self, state: Any, player: Array | int, hand: Array) -> Any:
        """The same public state with another private hand of ``player``."""
        ...


class Step(NamedTuple):
    """What ``play_on`` returns."""

    state: Any  # [tables, ...] after the step; a new game where the old one ended
    rewards: Array  # [tables, players] of the step, the last of the old game where it ended
    over: Array  # [tables] bool, did the game end with this step?


def is_legal(mask: Array, action: Array) -> Array:
    """Whether ``action`` is one of the True entries of ``mask`` ``[actions]``; out of range it is not."""
    return jnp.any(mask & (jnp.arange(mask.shape[-1]) == action))


def is_over(state: Any) -> Array:
    return state.terminated | state.truncated


def select(where: Array, if_true: Any, if_false: Any) -> Any:
    """``jnp.where`` on whole pytrees of one table."""
    return jax.tree.map(lambda a, b: jnp.where(where, a, b), if_true, if_false)


def play_on(
    game: Game,
    state: Any,
    action: Array,
    key: Array,
    start: Callable[[Any], Any] | None = None,
    step: Callable[[Any, Array], Any] | None = None,
) -> Step:
    """A step of a batch of tables ``[n, ...]``; those whose game it ends go on with a new deal from ``key``.

    ``start`` makes first states of a batch of deals; ``game.start`` of each when None. ``step`` is what an action does
    at one table: ``game.step`` when None, or ``game.act`` for what players choose.
    """
    after = jax.vmap(step or game.step)(state, action)

    def restart(after: Any, key: Array) -> Step:
        over = is_over(after)
        fresh = (start or jax.vmap(game.start))(game.deal(key, over.shape))
        return Step(jax.vmap(select)(over, fresh, after), after.rewards, over)

    few_fields = len(jax.tree.leaves(after)) <= MAX_FUSED_FIELDS
    return restart(after, key) if few_fields else computed_once(restart)(after, key)


def random_action(key: Array, mask: Array) -> Array:
    """Uniform legal actions of ``mask`` ``[..., actions]``: int32 ``[...]``, all from one key.

    One uniform number per table picks the n-th legal action.
    """
    bits = jax.random.bits(key, mask.shape[:-1], jnp.uint32) >> 16
    legal = [mask[..., a].astype(jnp.int32) for a in range(mask.shape[-1])]  # sums over few actions are slow

    return _nth_legal(bits, legal)


@computed_once
def _nth_legal(bits: Array, legal: list[Array]) -> Array:
    """The legal action that ``bits``, uniform on 0 .. 2**16 - 1, picks; ``legal`` has a 0 or 1 for each action."""
    count = functools.reduce(jnp.add, legal)
    nth = ((bits * count.astype(jnp.uint32)) >> 16).astype(jnp.int32)  # 0 .. count - 1
    actions = jnp.zeros_like(nth)
    for is_legal in legal:
        nth = nth - is_legal
        actions = actions + (nth >= 0)
    return actions


# --- the conformance check --------------------------------------------------------------------


def _require(holds: Any, what: str) -> None:
    if not np.all(np.asarray(holds)):
        raise AssertionError(what)


def _same(a: Any, b: Any) -> bool:
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return all(np.array_equal(np.asarray(x), np.asarray(y)) for x, y in pairs)


def _rows(tree: Any, rows: np.ndarray) -> Any:
    return jax.tree.map(lambda x: np.asarray(x)[rows], tree)


class _Public(NamedTuple):
    """A batch of states as NumPy arrays, without its cards."""

    current_player: np.ndarray
    legal_action_mask: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


@jax.jit
def _fields(state: Any) -> tuple[_Public, Array]:
    public = _Public(state.current_player, state.legal_action_mask, state.terminated, state.truncated)
    return public, state.rewards


def _read(state: Any) -> tuple[_Public, np.ndarray]:
    return jax.tree.map(np.asarray, _fields(state))


def check(game: Game, key: Array, tables: int = 128, max_steps: int = 2_000) -> dict[str, float]:
    """Plays random games and raises ``AssertionError`` where ``game`` breaks the contract.

    Returns what it saw: steps, games, and mean reward per seat.
    """
    seats = range(game.num_players)
    start, step, observe, information_state, resample = (
        jax.jit(jax.vmap(game.start)),
        jax.jit(jax.vmap(game.step)),
        jax.jit(jax.vmap(game.observe, in_axes=(0, None))),
        jax.jit(jax.vmap(game.information_state, in_axes=(0, None))),
        jax.jit(jax.vmap(game.resample_hidden, in_axes=(0, None, 0))),
    )
    choose = jax.jit(random_action)
    _require(hash(game) == hash(game) and game == game, "a game is hashable and equal to itself")

    key, deal_key = jax.random.split(key)
    keys = jax.random.split(deal_key, 4)
    one_by_one = jax.jit(jax.vmap(lambda k: (game.init(k), game.start(game.deal(k)))))
    _require(_same(*one_by_one(keys)), "init(key) is start(deal(key))")

    state = start(jax.jit(game.deal, static_argnums=1)(deal_key, (tables,)))
    _require(isinstance(state, State), "a state has current_player, legal_action_mask, rewards, terminated, truncated")
    public, rewards = _read(state)
    _require(public.legal_action_mask.shape == (tables, game.num_actions), "legal_action_mask is [actions]")
    _require(public.legal_action_mask.dtype == np.bool_, "legal_action_mask is bool")
    _require(rewards.shape == (tables, game.num_players), "rewards is [players]")
    _require(rewards.dtype == np.float32, "rewards is float32")
    _require(public.current_player.dtype == np.int32, "current_player is int32")
    _require(not rewards.any(), "a game starts with no rewards")
    structure = jax.tree.map(lambda x: (x.shape, x.dtype), state)

    steps, total = 0, np.zeros((tables, game.num_players))
    hidden_moved = False
    for move in range(max_steps):
        public, _ = _read(state)
        over, mask = public.terminated | public.truncated, public.legal_action_mask
        _require(mask[over].all(), "at a terminal state every action is legal")
        _require(mask.any(axis=1), "a live state has a legal action")
        _require((public.current_player >= 0) & (public.current_player < game.num_players), "current_player is a seat")
        if move < 12 or over.all():
            for seat in seats:
                key, hidden_key = jax.random.split(key)
                other = resample(state, seat, jax.random.split(hidden_key, tables))
                hidden_moved |= not _same(other, state)
                seen, tokens = observe(state, seat), information_state(state, seat)
                _require(seen.shape == (tables, game.observation_size), "observe is [observation_size]")
                _require(seen.dtype == jnp.float32 and tokens.dtype == jnp.int32, "observe is float32, tokens int32")
                _require(np.isfinite(np.asarray(seen)), "observations are finite")
                _require(_same(seen, observe(other, seat)), f"seat {seat}'s observation moves with what it cannot see")
                _require(
                    _same(tokens, information_state(other, seat)),
                    f"seat {seat}'s information state moves with what it cannot see",
                )
                to_act = over | (public.current_player == seat)
                for field, before, resampled in zip(_Public._fields, public, _read(other)[0], strict=True):
                    # What is legal may follow from the actor's cards (follow suit): only the actor must know it.
                    known = to_act if field == "legal_action_mask" else slice(None)
                    _require(before[known] == resampled[known], f"resample_hidden leaves {field} alone")
                for column, size in enumerate(game.token_sizes):
                    _require(np.asarray(tokens)[..., column] < size, f"token column {column} is below {size}")
        if over.all():
            break

        key, action_key = jax.random.split(key)
        action = choose(action_key, mask)
        _check_illegal(game, step, state, public)
        after = step(state, action)
        _require(jax.tree.map(lambda x: (x.shape, x.dtype), after) == structure, "a step keeps shapes and dtypes")
        public_after, rewards = _read(after)
        if game.zero_sum:
            _require(np.abs(rewards.sum(axis=1)) <= 1e-4 * (1 + np.abs(rewards).max()), "rewards sum to zero")
        if over.any():
            _require(rewards[over] == 0, "a step at a terminal state pays nothing")
            _require(
                _same(_rows(public, over), _rows(public_after, over)), "a step at a terminal state changes nothing"
            )
            for seat in seats:
                views = (_rows(observe(s, seat), over) for s in (state, after))
                _require(_same(*views), "a step at a terminal state changes no observation")
            again = step(after, action)  # the first step may clear the rewards that were paid
            _require(_same(_rows(after, over), _rows(again, over)), "two steps at a terminal state are as good as one")
        total += rewards
        steps += int((~over).sum())
        state = after
    else:
        raise AssertionError(f"random play did not end within {max_steps} steps")
    _require(hidden_moved, "resample_hidden never changed anything")
    return {"steps": float(steps), "games": float(tables), **{f"seat {i}": float(total[:, i].mean()) for i in seats}}


def _check_illegal(game: Game, step: Any, state: Any, public: _Public) -> None:
    """Every kind of illegal action ends a live game, and the actor alone pays."""
    mask, live = public.legal_action_mask, ~(public.terminated | public.truncated)
    first_illegal = np.where(mask.all(axis=1), game.num_actions, np.argmin(mask, axis=1))
    for action in (first_illegal, np.full(len(mask), -1), np.full(len(mask), game.num_actions)):
        after, rewards = _read(step(state, jnp.asarray(action, jnp.int32)))
        own = np.take_along_axis(rewards, public.current_player[:, None], axis=1)
        _require(after.terminated[live], "an illegal action ends the game")
        _require(own[live] < 0, "an illegal action costs the actor")
        others_gain = (rewards[live] >= 0).sum(axis=1) == game.num_players - 1
        _require(others_gain, "an illegal action costs nobody but the actor")
