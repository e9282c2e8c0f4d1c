"""jaxpoker's side of the figures on cards, games and solving."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import jax

import jaxpoker
from bench_peers.inputs import (
    FLOP,
    HALF_TRAINED,
    HANDS,
    HERO,
    LEDUC_SAMPLED_TARGET,
    LEDUC_TARGET,
    TABLES,
    order_of,
    random_hands,
)
from bench_peers.timing import Work, finished, work
from jaxpoker import cards, core, equity, hands, solvers
from jaxpoker.games.holdem import Holdem
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.exact import best_response, exact_game
from jaxpoker.solvers.exact.cfr import CFR, CFRState
from jaxpoker.solvers.making import Sampling
from jaxpoker.solvers.regret import ALGORITHMS

SAMPLES = 16_000_000


def evaluator_of_masks(calls: int = 20) -> Work:
    """Strengths of a million hands given as four rank masks, ``calls`` times."""
    evaluate = jax.jit(hands.strength_of_masks)
    columns = [jax.numpy.asarray(column) for column in random_hands(HANDS).T]
    masks = jax.jit(hands.suit_masks)(columns)
    return work(calls * HANDS, lambda: finished([evaluate(*masks) for _ in range(calls)])[-1], order_of)


def evaluator_of_ids(calls: int = 10) -> Work:
    """Strengths of a million hands given as rows of seven ids, ``calls`` times."""
    evaluate = jax.jit(hands.strength)
    rows = jax.numpy.asarray(random_hands(HANDS))
    return work(calls * HANDS, lambda: finished([evaluate(rows) for _ in range(calls)])[-1], order_of)


def sampled_equity(villain: str, board: str) -> Work:
    def run() -> float:
        return equity.equity(HERO, villain, board=board, method="sample", samples=SAMPLES)[0].equity

    return work(SAMPLES, run, float)


def exact_flop_equity() -> Work:
    """The exact equity of one hand on a flop against a random one, asked for as a user would."""

    def run() -> float:
        return equity.equity(HERO, "random", board=FLOP, method="exact")[0].equity

    return work(1, run, float)


def random_play(name: str, length: int, tables: int = TABLES, **rules: Any) -> Work:
    """``length`` steps of all tables with automatic new games, inside one jit."""
    game = jaxpoker.make(name, **rules)

    def turn(carry: Any, _: None) -> tuple[Any, jax.Array]:
        state, key = carry
        key, action_key, deal_key = jax.random.split(key, 3)
        action = core.random_action(action_key, state.legal_action_mask)
        played = core.play_on(game, state, action, deal_key)
        return (played.state, key), played.rewards[:, 0].sum()

    @jax.jit
    def play(state: Any, key: jax.Array) -> Any:
        (state, _), rewards = jax.lax.scan(turn, (state, key), None, length=length)
        return state, rewards.sum()  # the state too: what is not returned would not be computed

    key = jax.random.key(0)
    state = jax.jit(lambda k: jax.vmap(game.start)(game.deal(k, (tables,))))(key)
    return work(tables * length, lambda: finished(play(state, key)))


def dealt_cards(tables: int) -> Work:
    """Nine cards a table."""
    deal = jax.jit(lambda key: cards.deal(key, 9, (tables,)))
    key = jax.random.key(0)
    return work(tables, lambda: finished(deal(key)))


def cfr_plus(name: str, **rules: Any) -> CFR:
    return CFR(exact_game.whole(jaxpoker.make(name, **rules)), ALGORITHMS["cfr+"])


def cfr_plus_iterations(iterations: int, name: str, **rules: Any) -> Work:
    """From nothing, with a stop at the half-trained strategy, which is the answer."""
    solver = cfr_plus(name, **rules)
    nothing = solver.init()

    def run() -> CFRState:
        half_trained = solver.run(nothing, HALF_TRAINED)
        finished(solver.run(half_trained, iterations - HALF_TRAINED))
        return half_trained

    def answer(half_trained: CFRState) -> float:
        return float(best_response.exploitability(solver.game, solver.average(half_trained)))

    return work(iterations, run, answer)


def solved_leduc() -> Work:
    """From nothing to the target, with a look at the exploitability after each tenth more; the answer is the value."""
    solver = cfr_plus("leduc")

    def run() -> float:
        state, metrics = solver.update(solver.init())
        while float(metrics["exploitability"]) >= LEDUC_TARGET:
            state, metrics = solver.update(state)
        return float(metrics["value"])

    return work(1, run, float)


def sampled_walks(how: Literal["external", "outcome"], updates: int = 400) -> Work:
    """Walks of both players through Leduc, a strategy update after each batch."""
    solver = solvers.make("linear", jaxpoker.make("leduc"), sampling=how)
    nothing = solver.init(jax.random.key(0))
    return work(2 * solver.batch * updates, lambda: finished(solver.run(nothing, updates)))


def leduc_solved_by_sampling(how: Sampling, look_every: int) -> Work:
    """From nothing to the target, each time with another seed; the answer is the value."""
    game = exact_game.whole(jaxpoker.make("leduc"))
    solver: Any = solvers.make("dcfr" if how == "public" else "linear", game, sampling=how)
    seeds = itertools.count()

    def look(state: Any) -> best_response.Quality:
        return best_response.quality(game, solver.average(state))

    def run() -> float:
        state = solver.run(solver.init(jax.random.key(next(seeds))), look_every)
        while float((quality := look(state)).exploitability) >= LEDUC_SAMPLED_TARGET:
            state = solver.run(state, look_every)
        return float(quality.value)

    return work(1, run, float)


def boards_of_the_large_tree(updates: int = 2) -> Work:
    """Public chance sampling on hold'em with 100 big blinds: 42,000 decisions, 6/9/9/9 buckets."""
    game = Holdem(menu="solver", stack=1_000, small_blind=5, big_blind=10)
    solver = solvers.make("dcfr", game, cards="rank_based")
    nothing = solver.init(jax.random.key(0))
    return work(solver.batch * updates, lambda: finished(solver.run(nothing, updates)))


def boards_of_real_hands(updates: int = 2) -> Work:
    """Public chance sampling between all hands: 10,452 decisions, the buckets of the blueprint that ships."""
    after = "flop: 33%@1, 75%@1-2, a; turn: 50%@1, 100%@1-2, a; river: 50%@1, 100%@1-2, a; raises: 4"
    menu = f"preflop: 2x@1, 2.5x@1, 4.5x@1, 3.5x@2, 2.3x@3, a; {after}"
    game = Holdem(menu=menu, stack=1_000, small_blind=5, big_blind=10)
    solver = solvers.make("cfr+", game, cards=blueprint.load_shipped().abstraction, batch=16)
    state = solver.init(jax.random.key(0))

    def run() -> float:
        nonlocal state
        for _ in range(updates):
            state, found = solver.update(state)
        return float(found["boards"])

    return work(solver.batch * updates, run)


def leduc_exploitability(calls: int = 100) -> Work:
    """The exploitability of the half-trained strategy, as a number of the host, ``calls`` times."""
    solver = cfr_plus("leduc")
    strategy = finished(solver.average(solver.run(solver.init(), HALF_TRAINED)))

    def run() -> list[float]:
        return [float(best_response.exploitability(solver.game, strategy)) for _ in range(calls)]

    return work(calls, run, lambda found: found[-1])
