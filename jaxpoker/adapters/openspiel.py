"""Games of this package as games of OpenSpiel, for its algorithms; strategies both ways are in ``openspiel_policies``.

    leduc = openspiel.as_game(jaxpoker.make("leduc"))
    cfr.CFRSolver(leduc).evaluate_and_update_policy()                       # OpenSpiel's own
    openspiel.as_game(jaxpoker.make("holdem"), deals=1_000)                 # chance picks one of a thousand deals

A game whose cards can all be listed street by street (``protocols.RedealtGame``: Kuhn, Leduc) has them as chance nodes,
and is the whole game: exploitability is exact. Any other game begins with a chance node that picks one of ``deals``
deals drawn from ``seed``.

What is worked out of a state is kept: the whole tree of a listed game, and one path of any other.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel

from jaxpoker import core
from jaxpoker.games.protocols import ChipGame, InfosetGame, RedealtGame, StreetGame

Array = jax.Array

CHANCE, TERMINAL = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL
MAX_GAME_LENGTH = 1_000  # actions and chance nodes: no game here comes near


class Seen(NamedTuple):
    """What OpenSpiel asks of one state of the game."""

    player: Any  # []
    mask: Any  # [actions]
    over: Any  # [] bool
    rewards: Any  # [players]
    street: Any  # []
    row: Any  # []: the information set's number, where the game numbers them
    tokens: Any  # [players, tokens, 4]
    observations: Any  # [players, observation size]


class Node:
    """A state of the game, or a chance node; it never changes, so that copies of an OpenSpiel state share it."""

    def __init__(
        self, state: Any, seen: Seen, returns: np.ndarray, cards: tuple[Any, np.ndarray] | None, street: int
    ) -> None:
        self.state, self.seen = state, seen
        self.returns = returns  # [players]: so far
        self.cards = cards  # at a chance node: the states that may follow [n, ...], and their probabilities [n]
        self.street = street  # the last one whose cards are dealt
        self.children: dict[int, Node] = {}

    def __deepcopy__(self, memo: Any) -> Node:
        return self

    @property
    def player(self) -> int:
        if self.cards is not None:
            return int(CHANCE)
        return int(TERMINAL) if self.seen.over else int(self.seen.player)


class Rules:
    """The nodes of a game."""

    def __init__(self, game: core.Game, deals: int | None, seed: int) -> None:
        self.game = game
        self.listed = game if deals is None and isinstance(game, RedealtGame) else None
        if deals is None and self.listed is None:
            raise ValueError(
                f"the cards of {game.name} are not listed by redeals (games/protocols.py): say how many deals "
                "there are to be, as in as_game(game, deals=1_000)"
            )
        if deals is not None and deals < 1:
            raise ValueError(f"deals = {deals}: a game has at least one deal")
        self._step_all = jax.jit(self._stepped)
        self._look_at = jax.jit(jax.vmap(self._look))
        if self.listed is not None:
            dealt = self._cards(jax.jit(game.init)(jax.random.key(seed)), 0)
        else:
            assert deals is not None
            states = jax.jit(lambda key: jax.vmap(game.start)(game.deal(key, (deals,))))(jax.random.key(seed))
            dealt = jax.device_get(states), np.full(deals, 1 / deals)
        self.num_outcomes = len(dealt[1])
        first = _row(dealt[0], 0)
        seen = _row(jax.device_get(self._look_at(_row(dealt[0], slice(0, 1)))), 0)
        hidden = seen._replace(tokens=np.zeros_like(seen.tokens), observations=np.zeros_like(seen.observations))
        self.root = Node(first, hidden, np.zeros(game.num_players), dealt, -1)

    def _look(self, state: Any) -> Seen:
        game, seats = self.game, jnp.arange(self.game.num_players)
        player = state.current_player
        return Seen(
            player=player,
            mask=state.legal_action_mask,
            over=core.is_over(state),
            rewards=state.rewards,
            street=game.street(state) if isinstance(game, StreetGame) else jnp.int32(0),
            row=game.infoset_index(state, player) if isinstance(game, InfosetGame) else jnp.int32(0),
            tokens=jax.vmap(game.information_state, in_axes=(None, 0))(state, seats),
            observations=jax.vmap(game.observe, in_axes=(None, 0))(state, seats),
        )

    def _stepped(self, state: Any) -> tuple[Any, Seen]:
        after = jax.vmap(self.game.step, in_axes=(None, 0))(state, jnp.arange(self.game.num_actions, dtype=jnp.int32))
        return after, jax.vmap(self._look)(after)

    @functools.cached_property
    def _redeal(self) -> Callable[[Any, int], Any]:
        assert self.listed is not None
        return jax.jit(self.listed.redeals, static_argnums=1)

    def _cards(self, state: Any, street: int) -> tuple[Any, np.ndarray]:
        """All that a street may bring, and how likely it is."""
        states, chances = jax.device_get(self._redeal(state, street))
        possible = np.nonzero(chances > 0)[0]
        probabilities = chances[possible].astype(np.float64)
        return _row(states, possible), probabilities / probabilities.sum()

    def child(self, node: Node, action: int) -> Node:
        """The node after an action, or after a card at a chance node."""
        if action in node.children:
            return node.children[action]
        children: dict[int, Node] = {}
        if node.cards is not None:
            states, chances = node.cards
            which = range(len(chances)) if self.listed is not None else (action,)
            seen = jax.device_get(self._look_at(_row(states, list(which))))
            for place, outcome in enumerate(which):
                here = _row(seen, place)
                reached = node.street + 1 if self.listed is not None else int(here.street)
                children[outcome] = self._node(_row(states, outcome), here, node.returns, reached)
        else:
            states, seen = jax.device_get(self._step_all(node.state))
            for legal in np.nonzero(node.seen.mask)[0].tolist():
                here = _row(seen, legal)
                children[legal] = self._node(_row(states, legal), here, node.returns, node.street, node)
        if self.listed is not None:
            node.children = children
        return children[action]

    def _node(self, state: Any, seen: Seen, returns: np.ndarray, street: int, before: Node | None = None) -> Node:
        """A node; one of chance where the cards of a street are due."""
        if self.listed is not None and before is not None:
            due = street + 1 if not seen.over and int(seen.street) > street else self._due_at_end(state, seen, street)
            if due is not None:
                waiting = seen._replace(tokens=before.seen.tokens, observations=before.seen.observations)
                return Node(state, waiting, returns, self._cards(state, due), street)
        return Node(state, seen, returns + np.asarray(seen.rewards, np.float64), None, street)

    def _due_at_end(self, state: Any, seen: Seen, street: int) -> int | None:
        """The street whose cards decide who wins a hand that is over before they are dealt."""
        assert isinstance(self.listed, StreetGame)
        if not seen.over:
            return None
        for later in range(street + 1, len(self.listed.street_names)):
            states, _ = self._cards(state, later)
            if np.ptp(np.asarray(jax.device_get(jax.vmap(lambda s: s.rewards)(states))), axis=0).any():
                return street + 1
        return None


def _row(tree: Any, rows: Any) -> Any:
    return jax.tree.map(lambda x: x[rows], tree)


class JaxpokerGame(pyspiel.Game):
    """A game of this package; ``as_game`` makes one."""

    def __init__(self, rules: Rules, game_type: pyspiel.GameType, params: Any = None) -> None:
        game = rules.game
        worst = float(-np.min(jax.device_get(_illegal_rewards(game))))  # an illegal action costs the most there is
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=rules.num_outcomes,
            num_players=game.num_players,
            min_utility=-worst,
            max_utility=worst * (game.num_players - 1),
            utility_sum=0.0 if game.zero_sum else None,
            max_game_length=MAX_GAME_LENGTH,
        )
        super().__init__(game_type, info, params or {})
        self.rules = rules

    @property
    def game(self) -> core.Game:
        """The game as it is called here."""
        return self.rules.game

    def new_initial_state(self) -> JaxpokerState:
        return JaxpokerState(self, self.rules.root)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        if params:
            raise ValueError(f"unknown observation parameters {params}: there are none")
        return Observer(self.rules, iig_obs_type is not None and iig_obs_type.perfect_recall)


class JaxpokerState(pyspiel.State):
    """OpenSpiel's methods around a state of the game, which is ``game_state``."""

    def __init__(self, game: JaxpokerGame, node: Node) -> None:
        super().__init__(game)
        self.node = node

    @property
    def game_state(self) -> Any:
        return self.node.state

    def current_player(self) -> int:
        return self.node.player

    def _legal_actions(self, player: int) -> list[int]:
        found: list[int] = np.nonzero(self.node.seen.mask)[0].tolist()
        return found

    def chance_outcomes(self) -> list[tuple[int, float]]:
        assert self.node.cards is not None
        return list(enumerate(self.node.cards[1].tolist()))

    def _apply_action(self, action: int) -> None:
        self.node = self.get_game().rules.child(self.node, int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game().game
        if player == CHANCE:
            return f"cards {action}"
        return game.action_text(action, int(self.node.seen.street)) if isinstance(game, StreetGame) else str(action)

    def is_terminal(self) -> bool:
        return self.node.player == TERMINAL

    def returns(self) -> list[float]:
        found: list[float] = self.node.returns.tolist()
        return found

    def rewards(self) -> list[float]:
        found: list[float] = np.asarray(self.node.seen.rewards, np.float64).tolist()
        return found if self.node.cards is None else [0.0] * len(found)

    def __str__(self) -> str:
        return " ".join(str(action) for action in self.history())


class Observer:
    """What a player sees: the information state's tokens with ``perfect_recall``, else the game's ``observe``."""

    def __init__(self, rules: Rules, perfect_recall: bool) -> None:
        self.rules, self.perfect_recall = rules, perfect_recall
        seen = rules.root.seen
        shape = seen.tokens.shape[1:] if perfect_recall else seen.observations.shape[1:]
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"information_state" if perfect_recall else "observation": self.tensor.reshape(shape)}

    def _view(self, state: JaxpokerState, player: int) -> np.ndarray:
        seen = state.node.seen
        view: np.ndarray = (seen.tokens if self.perfect_recall else seen.observations)[player]
        return view

    def set_from(self, state: JaxpokerState, player: int) -> None:
        self.tensor[:] = self._view(state, player).reshape(-1)

    def string_from(self, state: JaxpokerState, player: int) -> str:
        game, node = self.rules.game, state.node
        if self.perfect_recall and node.player == player and isinstance(game, InfosetGame):
            return f"seat {player} | {game.infoset_text(int(node.seen.row))}"
        view = self._view(state, player)
        if not self.perfect_recall:
            return f"seat {player} | {' '.join(f'{x:g}' for x in view.tolist())}"
        tokens = [".".join(map(str, token)) for token in view.tolist() if any(token)]
        return f"seat {player} | {' '.join(tokens)}"


@functools.partial(jax.jit, static_argnums=0)
def _illegal_rewards(game: core.Game) -> Array:
    return game.step(game.init(jax.random.key(0)), jnp.int32(game.num_actions)).rewards


@functools.lru_cache(maxsize=64)
def as_game(game: core.Game, deals: int | None = None, seed: int = 0) -> JaxpokerGame:
    """``game`` for OpenSpiel, registered there under its short name; the same one every time.

    ``deals`` is how many deals chance picks from; None is all of them, in games that list their cards.
    """
    rules = Rules(game, deals, seed)
    at_end = isinstance(game, RedealtGame | ChipGame)  # chips change hands when a hand is over
    told = hashlib.sha256(repr((game, deals, seed)).encode()).hexdigest()[:8]
    game_type = pyspiel.GameType(
        short_name=f"jaxpoker_{game.name.replace(' ', '_')}_{told}",
        long_name=f"{game.name} of jaxpoker",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if game.zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL if at_end else pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
    )
    made = JaxpokerGame(rules, game_type)

    def create(params: Any) -> JaxpokerGame:
        return as_game(game, deals, seed)

    # OpenSpiel lets go of it after Python has ended, which must not be the end of it.
    create.keeps_itself = create  # type: ignore[attr-defined]
    pyspiel.register_game(game_type, create)
    return made


def decisions(game: pyspiel.Game) -> Iterator[pyspiel.State]:
    """One state of OpenSpiel for each information set of ``game``, which is walked from end to end."""
    found: set[str] = set()
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            name = state.information_state_string()
            if name not in found:
                found.add(name)
                yield state
        waiting += [state.child(action) for action in state.legal_actions()]
