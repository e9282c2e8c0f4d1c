"""Every main program of jaxpoker: lowers them for accelerators, or tells what they take.

    .venv/bin/python scripts/programs.py                        names of all programs
    .venv/bin/python scripts/programs.py --lower leduc          lowers those with "leduc" in their name for CUDA and TPU
    .venv/bin/python scripts/programs.py --table "step"         compiles them here: memory and operations, as a table

The list is made of what there is: all games and the functions that every game has, all listed players, all algorithms
of solvers, all learners that ``jaxpoker.learners`` names. What is added there is a program here.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import tyro
from jax import export

import jaxpoker
from jaxpoker import core, equity, hands, learners, match, players, solvers
from jaxpoker.models import belief, chicagonet, qnet, sizednet
from jaxpoker.solvers import flops, subgame
from jaxpoker.solvers.flops import passes
from jaxpoker.solvers.flops.runouts import RIVERS
from jaxpoker.solvers.making import SAMPLINGS
from jaxpoker.solvers.regret import ALGORITHMS
from jaxpoker.solvers.subgame import regret_loop

Array = jax.Array

TABLES = 64
ACCELERATORS = ("cuda", "tpu")
NETWORKS = ("learner", "player")  # families whose matrix products may round as an accelerator likes
KEY = jax.ShapeDtypeStruct((2,), np.uint32)  # of ``jax.random.key_data``


class Program(NamedTuple):
    """A function of arrays, and the shapes that it is lowered for."""

    run: Callable[..., Any]
    arguments: tuple[Any, ...]


Make = Callable[[], Program]


def _key(data: Array) -> Array:
    return jax.random.wrap_key_data(data)


def _shapes(tree: Any) -> Any:
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(jnp.shape(x), jnp.asarray(x).dtype), tree)


# --- games ------------------------------------------------------------------------------------


def _games() -> dict[str, core.Game]:
    """One of each name, and hold'em for six."""
    return {
        **{name: jaxpoker.make(name) for name in jaxpoker.GAMES},
        "holdem six": jaxpoker.make("holdem", num_players=6),
    }


def _methods() -> list[str]:
    """The functions of the contract."""
    named = [name for name, value in vars(core.Game).items() if inspect.isfunction(value)]
    return [name for name in named if not name.startswith("_")]


def _of_game(game: core.Game, method: str) -> Program:
    states = jax.eval_shape(lambda: jax.vmap(game.start)(game.deal(jax.random.key(0), (TABLES,))))
    deals = jax.eval_shape(lambda: game.deal(jax.random.key(0), (TABLES,)))
    action, seat = (jax.ShapeDtypeStruct((TABLES,), np.int32) for _ in range(2))
    call = getattr(game, method)
    if method == "deal":
        return Program(lambda key: call(_key(key), (TABLES,)), (KEY,))
    if method == "init":
        return Program(lambda key: jax.vmap(call)(jax.random.split(_key(key), TABLES)), (KEY,))
    if method == "start":
        return Program(jax.vmap(call), (deals,))
    if method in ("step", "act"):
        return Program(jax.vmap(lambda state, choice: call(state, choice)), (states, action))
    if method in ("observe", "information_state"):
        return Program(jax.vmap(call), (states, seat))
    if method == "resample_hidden":
        return Program(
            lambda states, seats, key: jax.vmap(call)(states, seats, jax.random.split(_key(key), TABLES)),
            (states, seat, KEY),
        )
    if method == "with_hand":
        hand = jax.eval_shape(lambda: _hand(game))
        return Program(
            lambda states, seats, hand: jax.vmap(lambda s, p: call(s, p, hand))(states, seats), (states, seat, hand)
        )
    raise KeyError(f"no recipe for {method}, a function of every game: say in scripts/programs.py how it is called")


def _hand(game: core.Game) -> Array:
    size = {"holdem": 2, "chicago": 5}.get(game.name, 1)
    return jnp.arange(size, dtype=jnp.int32)


def _random_play(game: core.Game) -> Program:
    """Steps with automatic new games."""

    def play(states: Any, key: Array) -> Any:
        action_key, deal_key = jax.random.split(_key(key))
        return core.play_on(game, states, core.random_action(action_key, states.legal_action_mask), deal_key)

    return Program(play, (_of_game(game, "step").arguments[0], KEY))


# --- players and matches ----------------------------------------------------------------------


def _of_player(name: str, game: core.Game) -> Program:
    entrant = players.entrant(name, game)
    states = _of_game(game, "step").arguments[0]

    def act(params: Any, states: Any, key: Array) -> Any:
        memory = entrant.player.new_hand(entrant.player.init_memory(params))
        keys = jax.random.split(_key(key), TABLES)
        return jax.vmap(lambda s, k: entrant.player.act(params, memory, game, s, k))(states, keys)

    return Program(act, (_shapes(entrant.params), states, KEY))


def _match(name: str) -> Program:
    game = jaxpoker.make(name)
    bots = (players.make("random", game),) * game.num_players

    def play(key: Array) -> Any:
        none = [None] * game.num_players
        return match._play(game, bots, none, _key(key), (TABLES, 2), 1, None, 0, None, True, None, False, None)

    return Program(play, (KEY,))


# --- solvers ----------------------------------------------------------------------------------


def _updates(solver: Any) -> Program:
    """One update of a solver or a learner."""
    state = jax.eval_shape(lambda key: solver.init(_key(key)), KEY)

    def update(state: Any) -> Any:
        return solver.update(state)

    return Program(update, (_with_plain_keys(state),)) if not _has_keys(state) else _with_keys(update, state)


def _has_keys(tree: Any) -> bool:
    return any(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in jax.tree.leaves(tree))


def _with_plain_keys(tree: Any) -> Any:
    """Random keys as the numbers that they are."""

    def plain(leaf: Any) -> Any:
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        return (
            jax.ShapeDtypeStruct((*leaf.shape, 2), np.uint32)
            if is_key
            else jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
        )

    return jax.tree.map(plain, tree)


def _with_keys(update: Callable[[Any], Any], state: Any) -> Program:
    kinds = [bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)) for leaf in jax.tree.leaves(state)]

    def run(plain: Any) -> Any:
        leaves, structure = jax.tree.flatten(plain)
        wrapped = [_key(leaf) if is_key else leaf for leaf, is_key in zip(leaves, kinds, strict=True)]
        after = update(jax.tree.unflatten(structure, wrapped))
        return [
            jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x
            for x in jax.tree.leaves(after)
        ]

    return Program(run, (_with_plain_keys(state),))


def _short_holdem() -> Any:
    menu = "preflop: 2.5x, a; postflop: 75%, a; raises: 2"
    return jaxpoker.make("holdem", menu=menu, stack=40, small_blind=5, big_blind=10)


def _subgame(street: str) -> Program:
    board = {"river": "Ks7h3d9h2c", "turn": "Ks7h3d9h"}[street]
    spot = subgame.Spot(board=board, pot=100, stack=100, oop="TT+, AK", ip="99+, AQ+", menu="a")
    solved = subgame.solving.prepared(spot, ALGORITHMS["dcfr"])

    def run(dealt: Any, state: Any, iterations: Array, locks: Any) -> Any:
        return regret_loop.iterated(solved.game, solved.algorithm, dealt, state, iterations, locks)

    dealt, state, locks = _shapes((solved.dealt, solved.state, solved.locks))
    return Program(run, (dealt, state, jax.ShapeDtypeStruct((), np.int32), locks))


def _flop(bits: int) -> Program:
    """An iteration on a block of rivers after a flop."""
    spot = subgame.Spot(board="Ks7h3d", pot=100, stack=100, oop="TT+, AK", ip="99+, AQ+", menu="a")
    solved = flops.solving.described(spot, bits=bits)
    game, street = solved.game, solved.game.streets[-1]
    held = game.empty(2, RIVERS, bits)
    reach, total = (jnp.ones((len(street.starts), width)) for width in game.runouts.widths[::-1])

    def run(t: Array, reach: Array, chips: Any, apart: Array, block: Any, tables: Any, total: Array) -> Any:
        return passes.update_rivers(street, solved.algorithm, 0, False, t, reach, chips, apart, block, *tables, total)

    tables = (held.regrets[0], held.regrets[1], held.averages[1])
    arguments = (reach, game.chips[-1], game.apart[0], game.turns[0].blocks[0][0], tables, total)
    return Program(run, (jax.ShapeDtypeStruct((), np.float32), *_shapes(arguments)))


# --- learners ---------------------------------------------------------------------------------


def _evolution(kind: Any) -> Any:
    protocol = learners.PROTOCOLS["paper"]
    if kind is learners.PokerNetGradient:
        return kind(protocol, updates=2, sets=2, segments=2, win_samples=20)
    return kind(protocol, individuals=8, hands=8, win_samples=20)


def _dqn() -> Any:
    game = jaxpoker.make("holdem")
    rule = learners.DoubleDQN(qnet.network(game))
    opponents = tuple(players.entrant(name, game) for name in ("random", "tag"))
    phase = learners.Phase("A", (1.0, 1.0, 0.0), 2, rule)
    learner = learners.DQN(game, opponents, (phase,), tables=64, turns=2, capacity=1_024)
    return _First(learner)


@dataclass(frozen=True)
class _First:
    """Double DQN's first update: which phase it is in is asked on the host."""

    learner: Any

    def init(self, key: Array) -> Any:
        return self.learner.init(key)

    def update(self, state: Any) -> Any:
        return self.learner._update(0, state, jnp.int32(0), self.learner._given_params)


def _ppo() -> Any:
    game = jaxpoker.make("holdem")
    return learners.PPO(game, sizednet.network(game), tables=64, turns=4, minibatches=2)


def _reinforce() -> Any:
    game = jaxpoker.make("chicago", num_players=2)
    return learners.Reinforce(game, chicagonet.network(), tables=8, turns=4, minibatches=2)


def _belief() -> Any:
    game = jaxpoker.make("kuhn")
    network = belief.network(game, belief.Sizes(latent=16, heads=2, layers=1, feed_forward=32))
    search = learners.Search(simulations=4, depth=2, step=10.0)
    return learners.Belief(game, network, search, updates=2, tables=32, turns=4)


_LEARNERS: dict[str, Callable[[], Any]] = {
    "Belief": _belief,
    "DQN": _dqn,
    "Evolution": lambda: _evolution(learners.Evolution),
    "PPO": _ppo,
    "PokerNetGradient": lambda: _evolution(learners.PokerNetGradient),
    "Reinforce": _reinforce,
}


def _learner_names() -> list[str]:
    """Those of ``jaxpoker.learners`` that have ``init`` and ``update`` of their own state."""
    kinds = {name: getattr(learners, name) for name in learners.__all__}
    alone = [name for name, kind in kinds.items() if hasattr(kind, "init") and hasattr(kind, "update")]
    return sorted(name for name in alone if list(inspect.signature(kinds[name].update).parameters) == ["self", "state"])


def _of_learner(name: str) -> Program:
    if name not in _LEARNERS:
        raise KeyError(f"no recipe for {name}, which jaxpoker.learners names: make a small one in scripts/programs.py")
    return _updates(_LEARNERS[name]())


# --- cards, equity, search --------------------------------------------------------------------


def _cards() -> dict[str, Make]:
    hole, board = (jax.ShapeDtypeStruct((TABLES, n), np.int32) for n in (2, 5))
    flop = jax.ShapeDtypeStruct((TABLES, 3), np.int32)
    columns = [jax.ShapeDtypeStruct((TABLES,), np.int32)] * 7
    both = jax.ShapeDtypeStruct((TABLES, 2, 2), np.int32)
    masks = [jax.ShapeDtypeStruct((TABLES,), np.int32)] * 4
    return {
        "evaluator: ids": lambda: Program(hands.strength, (jax.ShapeDtypeStruct((TABLES, 7), np.int32),)),
        "evaluator: masks": lambda: Program(hands.strength_of_masks, tuple(masks)),
        "evaluator: suit masks": lambda: Program(lambda *each: hands.suit_masks(list(each)), tuple(columns)),
        "equity: sampled": lambda: Program(
            lambda key, h, b: equity.sample_against_random(_key(key), h, b, 1_000), (KEY, hole, board)
        ),
        "equity: by street": lambda: Program(
            lambda key, h, b: equity.win_probabilities(_key(key), h, b, 100), (KEY, hole, board)
        ),
        "equity: exact river": lambda: Program(equity.against_random, (hole, board)),
        "equity: exact flop": lambda: Program(equity.against_random, (hole, flop)),
        "equity: all-ins": lambda: Program(equity.all_in_shares, (both, board)),
    }


def _search() -> Program:
    import mctx

    from jaxpoker.adapters import mctx as adapter

    game = jaxpoker.make("leduc")

    def think(states: Any, key: Array) -> Any:
        root_key, search_key = jax.random.split(_key(key))
        start = adapter.root(game, states, root_key)
        found = mctx.gumbel_muzero_policy(
            None, search_key, start, adapter.recurrent_fn(game), 8, invalid_actions=adapter.invalid_actions(start)
        )
        return found.action_weights

    return Program(think, (_of_game(game, "step").arguments[0], KEY))


# --- all of them ------------------------------------------------------------------------------


def programs() -> dict[str, Make]:
    """Each by its name, ``family: what``; made when it is asked for."""
    found: dict[str, Make] = dict(_cards())
    for name, game in _games().items():
        for method in _methods():
            found[f"game: {name} {method}"] = functools.partial(_of_game, game, method)
        found[f"game: {name} play_on"] = functools.partial(_random_play, game)
    for game_name in jaxpoker.GAMES:
        for player in players.names(game_name):
            found[f"player: {player} in {game_name}"] = functools.partial(_of_player, player, jaxpoker.make(game_name))
        found[f"match: {game_name}"] = functools.partial(_match, game_name)
    for algorithm in ALGORITHMS:
        for sampling in (None, *SAMPLINGS) if not ALGORITHMS[algorithm].predictive else (None,):
            found[f"solver: leduc {algorithm} {sampling or 'exact'}"] = functools.partial(_leduc, algorithm, sampling)
    for sampling in SAMPLINGS:
        found[f"solver: holdem dcfr {sampling}, buckets"] = functools.partial(_holdem, sampling)
    for street in ("river", "turn"):
        found[f"solver: subgame {street}"] = functools.partial(_subgame, street)
    for bits in (32, 16):
        found[f"solver: flop, {bits} bits"] = functools.partial(_flop, bits)
    for name in _learner_names():
        found[f"learner: {name}"] = functools.partial(_of_learner, name)
    found["search: mctx"] = _search
    return found


def _leduc(algorithm: str, sampling: Any) -> Program:
    return _updates(solvers.make(algorithm, jaxpoker.make("leduc"), sampling=sampling))


def _holdem(sampling: Any) -> Program:
    algorithm = "dcfr" if sampling == "public" else "linear"
    return _updates(solvers.make(algorithm, _short_holdem(), sampling=sampling, cards="rank_based"))


def lowered(make: Make, platforms: tuple[str, ...] = ACCELERATORS) -> str:
    """The program for these platforms as StableHLO; an error says what cannot be lowered."""
    program = make()
    return export.export(jax.jit(program.run), platforms=platforms)(*program.arguments).mlir_module()


def rounding(module: str) -> list[str]:
    """Matrix products of floats in a lowered program that an accelerator may round to bfloat16 or the like."""
    products = [line.strip() for line in module.splitlines() if "stablehlo.dot_general" in line]
    floats = [line for line in products if re.search(r"tensor<[\dx]*f32>", line)]
    return [line for line in floats if "HIGHEST" not in line]


class Cost(NamedTuple):
    """What XLA says of a program compiled here."""

    operations: float  # of floating point, as it counts them
    moved: float  # bytes read and written
    arguments: int  # bytes
    results: int
    between: int  # bytes of what is kept in between


def cost(make: Make) -> Cost:
    program = make()
    compiled = jax.jit(program.run).lower(*program.arguments).compile()
    counted: Any = compiled.cost_analysis() or {}
    memory: Any = compiled.memory_analysis()
    return Cost(
        counted.get("flops", 0.0),
        counted.get("bytes accessed", 0.0),
        memory.argument_size_in_bytes,
        memory.output_size_in_bytes,
        memory.temp_size_in_bytes,
    )


def _rows(names: list[str], found: dict[str, Make]) -> Iterator[str]:
    yield "| program | operations | bytes moved | arguments | results | in between |"
    yield "|---|--:|--:|--:|--:|--:|"
    for name in names:
        took = cost(found[name])
        yield f"| {name} | " + " | ".join(f"{value:,.0f}" for value in took) + " |"


@dataclass(frozen=True)
class Arguments:
    """Every main program of jaxpoker. Without flags their names."""

    lower: str | None = None
    """Lowers those with this in their name for CUDA and TPU; "" is all."""
    table: str | None = None
    """Compiles those with this in their name, and prints what they take."""


def main(arguments: Arguments) -> int:
    """Exit code 1 when a program cannot be lowered, 2 when there is none of that name."""
    found = programs()
    wanted = arguments.lower if arguments.lower is not None else arguments.table
    names = [name for name in found if wanted is None or wanted in name]
    if not names:
        print(f"error: no program with {wanted!r} in its name; without flags all are listed", file=sys.stderr)
        return 2
    if wanted is None:
        print("\n".join(names))
        return 0
    if arguments.lower is None:
        for row in _rows(names, found):
            print(row, flush=True)
        return 0
    failed = 0
    for name in names:
        try:
            module = lowered(found[name])
            print(f"{name}: {len(module):,} characters, {len(rounding(module))} products that may round", flush=True)
        except Exception as error:  # whatever a lowering rule raises
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments, description=__doc__)))
