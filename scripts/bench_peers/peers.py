"""The libraries a user might take instead, each through its public interface, on the same work as ours."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import json
import os
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from bench_peers.inputs import (
    CARD_NAMES,
    FLOP,
    HALF_TRAINED,
    HANDS_COMPARED,
    HERO,
    LEDUC_TARGET,
    TABLES,
    names_in,
    order_of,
    random_hands,
)
from bench_peers.timing import PeerMissing, Repeat, Work, finished, work

ROOT = Path(__file__).resolve().parent.parent.parent

HANDS_IN_LISTS = 200_000  # per repeat of peers that take one hand at a call
SAMPLES = 4_000_000


def peer(module: str) -> Any:
    """The module of an installed peer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # eval7 uses pyparsing's old names
            return importlib.import_module(module)
    except ImportError as error:
        if module == "pokers" and sys.version_info >= (3, 13):
            raise PeerMissing("pokers has no wheels for Python 3.13 and newer") from error
        if module in ("torch", "rlcard", "rlcard.agents"):
            raise PeerMissing(
                f"{module} is not installed: scripts/setup_venv torch (on Linux that brings gigabytes of CUDA "
                "libraries, unless a build for the CPU is in .venv already)"
            ) from error
        raise PeerMissing(f"{module} is not installed: scripts/bench.py --install") from error


# --- evaluators -------------------------------------------------------------------------------


def one_hand_at_a_call(evaluate: Callable[[Any], int], cards: list[Any], hands: int = HANDS_IN_LISTS) -> Work:
    """An evaluator of lists of the library's own cards, where higher is better."""
    lists = [[cards[card] for card in hand] for hand in random_hands(hands).tolist()]

    return work(hands, lambda: [evaluate(hand) for hand in lists], lambda strengths: order_of(np.asarray(strengths)))


def pkrbot_evaluator() -> Work:
    pkrbot = peer("pkrbot")
    return one_hand_at_a_call(pkrbot.evaluate, [pkrbot.Card(name) for name in CARD_NAMES])


def eval7_evaluator() -> Work:
    eval7 = peer("eval7")
    return one_hand_at_a_call(eval7.evaluate, [eval7.Card(name) for name in CARD_NAMES])


def treys_evaluator() -> Work:
    treys = peer("treys")
    evaluator = treys.Evaluator()
    cards = [treys.Card.new(name) for name in CARD_NAMES]
    return one_hand_at_a_call(lambda hand: -evaluator.evaluate(hand[:2], hand[2:]), cards, HANDS_COMPARED)


# --- sval, in an environment of its own ---------------------------------------------------------

SVAL_REQUIREMENTS = ("setuptools<81", "sval==0.1.2", "numba==0.68.1", "numpy==2.4.6", "treys==0.1.8")


def sval_python() -> Path:
    """The Python of ``.venv-sval``, which is created when it is not there or was not finished."""
    environment = ROOT / ".venv-sval"
    python, stamp = environment / "bin" / "python", environment / "installed"
    requirements = "\n".join(SVAL_REQUIREMENTS)
    if not stamp.exists() or stamp.read_text() != requirements:
        print("setting up .venv-sval for the peer sval, about half a minute, this once ...", file=sys.stderr)
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(environment)],
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *SVAL_REQUIREMENTS],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise PeerMissing(f"sval could not be installed in .venv-sval: {done.stderr.strip()[-300:]}")
        stamp.write_text(requirements)
    return python


def sval(name: str) -> Work:
    """A work of ``sval_worker``, repeated on request so that it takes turns with ours."""
    process = subprocess.Popen(
        [str(sval_python()), "-W", "ignore", "-m", "bench_peers.sval_worker", name],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    requests, answers, errors = process.stdin, process.stdout, process.stderr

    def answer() -> dict[str, Any]:
        line = answers.readline()
        if not line:
            raise PeerMissing(f"sval's worker failed: {errors.read().strip()[-300:]}")
        return dict(json.loads(line))

    def repeat() -> Repeat:
        requests.write("repeat\n")
        requests.flush()
        return Repeat(*answer()["repeat"])

    def close() -> None:
        requests.close()
        process.wait()

    return Work(answer()["amount"], repeat, close)


# --- equities ---------------------------------------------------------------------------------


def eval7_range(text: str) -> Any:
    """The range as eval7 writes it; "random" is every pair of cards."""
    eval7 = peer("eval7")
    if text != "random":
        return eval7.HandRange(text)
    hands = eval7.HandRange("AA")
    hands.hands = [(pair, 1.0) for pair in itertools.combinations(map(eval7.Card, CARD_NAMES), 2)]
    return hands


def eval7_sampled(villain: str, board: str) -> Work:
    eval7 = peer("eval7")
    hero, public = ([eval7.Card(name) for name in names_in(cards)] for cards in (HERO, board))
    hands = eval7_range(villain)
    return work(SAMPLES, lambda: eval7.py_hand_vs_range_monte_carlo(hero, hands, public, SAMPLES), float)


def eval7_exact_flop() -> Work:
    """eval7 is exact on rivers only, so this asks it for each run-out; each has 990 hands against it."""
    eval7 = peer("eval7")
    hero, flop = ([eval7.Card(name) for name in names_in(cards)] for cards in (HERO, FLOP))
    hands = eval7_range("random")
    rest = [card for card in map(eval7.Card, CARD_NAMES) if card not in hero + flop]
    runouts = [list(pair) for pair in itertools.combinations(rest, 2)]

    return work(1, lambda: [eval7.py_hand_vs_range_exact(hero, hands, flop + runout) for runout in runouts], np.mean)


# --- games ------------------------------------------------------------------------------------


def pgx_random_play(name: str, length: int) -> Work:
    """``length`` steps of all tables with automatic new games, inside one jit."""
    pgx = peer("pgx")
    experimental = peer("pgx.experimental")
    env = pgx.make(name)
    step = jax.vmap(experimental.auto_reset(env.step, env.init))

    def turn(carry: Any, _: None) -> tuple[Any, jax.Array]:
        state, key = carry
        key, action_key, deal_key = jax.random.split(key, 3)
        action = experimental.act_randomly(action_key, state.legal_action_mask)
        state = step(state, action, jax.random.split(deal_key, TABLES))
        return (state, key), state.rewards[:, 0].sum()

    @jax.jit
    def play(state: Any, key: jax.Array) -> Any:
        (state, _), rewards = jax.lax.scan(turn, (state, key), None, length=length)
        return state, rewards.sum()  # the state too: what is not returned would not be computed

    key = jax.random.key(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, TABLES))
    return work(TABLES * length, lambda: finished(play(state, key)))


@contextlib.contextmanager
def standard_output_to_null() -> Iterator[None]:
    """Also for compiled code, which writes to the file descriptor."""
    sys.stdout.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def pokers_random_play(num_players: int, hands: int = 4_000) -> Work:
    """``hands`` hands of no-limit hold'em with 100 big blinds; pokers prints each showdown, which goes nowhere.

    pokers 0.1.2 offers raises to players without chips for one; those are replaced by another legal action.
    """
    pokers = peer("pokers")
    raising = pokers.ActionEnum.Raise

    def play() -> int:
        rng = random.Random(0)
        actions = 0
        for hand in range(hands):
            state = pokers.State.from_seed(
                n_players=num_players, button=hand % num_players, sb=1.0, bb=2.0, stake=200.0, seed=hand
            )
            while not state.final_state:
                kind, amount = rng.choice(state.legal_actions), 0.0
                if kind == raising:
                    actor = state.players_state[state.current_player]
                    room = int(actor.stake - (state.min_bet - actor.bet_chips))
                    if room >= 1:
                        amount = float(rng.randint(1, room))
                    else:
                        kind = rng.choice([other for other in state.legal_actions if other != raising])
                state = state.apply_action(pokers.Action(kind, amount))
                actions += 1
        return actions

    def run() -> None:
        with standard_output_to_null():
            play()

    with standard_output_to_null():
        actions = play()
    return work(actions, run)


def open_spiel_random_play(name: str, games: int = 5_000) -> Work:
    """Games of OpenSpiel's C++ states, driven from Python."""
    pyspiel = peer("pyspiel")
    game = pyspiel.load_game(name)

    def play() -> int:
        rng = random.Random(0)
        decisions = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                decisions += not state.is_chance_node()
                state.apply_action(rng.choice(state.legal_actions()))
        return decisions

    return work(play(), play)


# --- solving ----------------------------------------------------------------------------------


class OpenSpielSolver(NamedTuple):
    """One of OpenSpiel's implementations of CFR+ for Leduc: alternating updates, linear averaging."""

    start: Callable[[], Any]  # a solver that has done nothing yet
    iterate: Callable[[Any, int], Any]
    average: Callable[[Any], Any]  # its average strategy as a policy of the C++ library


@functools.cache
def open_spiel_jax() -> OpenSpielSolver:
    """The tables of the tree and the compiled step are made once: starting again clears what has been learned."""
    jax_cfr, policy = peer("open_spiel.python.jax.cfr.jax_cfr"), peer("open_spiel.python.policy")
    game = peer("pyspiel").load_game("leduc_poker")
    solver = jax_cfr.JaxCFR(game, regret_matching_plus=True, alternating_updates=True, linear_averaging=True)
    regrets, averages = solver.regrets, solver.averages

    def start() -> Any:
        solver.regrets, solver.averages, solver.timestep = regrets, averages, 1
        return solver

    def iterate(solver: Any, iterations: int) -> Any:
        solver.multiple_steps(iterations)
        return finished(solver.averages)

    return OpenSpielSolver(start, iterate, lambda s: policy.python_policy_to_pyspiel_policy(s.average_policy()))


def open_spiel_cpp() -> OpenSpielSolver:
    pyspiel = peer("pyspiel")
    game = pyspiel.load_game("leduc_poker")

    def iterate(solver: Any, iterations: int) -> None:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()

    return OpenSpielSolver(lambda: pyspiel.CFRPlusSolver(game), iterate, lambda s: s.tabular_average_policy())


def open_spiel_exploitability(policy: Any) -> float:
    """Of a strategy for Leduc, exact: half of NashConv."""
    pyspiel = peer("pyspiel")
    return float(pyspiel.nash_conv(pyspiel.load_game("leduc_poker"), policy)) / 2


def open_spiel_iterations(implementation: Callable[[], OpenSpielSolver]) -> Work:
    """From nothing to the half-trained strategy, which is the answer."""
    cfr_plus = implementation()

    def run() -> Any:
        solver = cfr_plus.start()
        cfr_plus.iterate(solver, HALF_TRAINED)
        return solver

    return work(HALF_TRAINED, run, lambda solver: open_spiel_exploitability(cfr_plus.average(solver)))


def open_spiel_solved(
    implementation: Callable[[], OpenSpielSolver], once: bool = False, first_look: int = 400, then_every: int = 20
) -> Work:
    """From nothing to the target; the answer is the value.

    Only the iterations are timed, not the looks at the exploitability, while ours pays for its own. The first look is
    shortly before it gets there: CFR+ needs some 450 iterations.
    """
    pyspiel = peer("pyspiel")
    cfr_plus = implementation()

    def value(policy: Any) -> float:
        root = pyspiel.load_game("leduc_poker").new_initial_state()
        return float(pyspiel.expected_returns(root, [policy, policy], -1, True)[0])

    def repeat() -> Repeat:
        solver = cfr_plus.start()
        laps = [work(1, functools.partial(cfr_plus.iterate, solver, first_look)).repeat()]
        while open_spiel_exploitability(cfr_plus.average(solver)) >= LEDUC_TARGET:
            laps.append(work(1, functools.partial(cfr_plus.iterate, solver, then_every)).repeat())
        seconds, processor_seconds = sum(lap.seconds for lap in laps), sum(lap.processor_seconds for lap in laps)
        return Repeat(seconds, processor_seconds, value(cfr_plus.average(solver)))

    return Work(1, repeat, once=once)


def open_spiel_walks(sampling: str, iterations: int) -> Work:
    """Walks of the C++ library through Leduc: one of each player in an iteration, which updates the strategy."""
    pyspiel = peer("pyspiel")
    game = pyspiel.load_game("leduc_poker")
    solvers = {"external": pyspiel.ExternalSamplingMCCFRSolver, "outcome": pyspiel.OutcomeSamplingMCCFRSolver}

    def run() -> None:
        solver = solvers[sampling](game, seed=0)
        for _ in range(iterations):
            solver.run_iteration()

    return work(2 * iterations, run)


def open_spiel_nash_conv(calls: int = 3) -> Work:
    """The exploitability of the half-trained strategy by the C++ library, ``calls`` times."""
    cfr_plus = open_spiel_cpp()
    solver = cfr_plus.start()
    cfr_plus.iterate(solver, HALF_TRAINED)
    policy = cfr_plus.average(solver)
    return work(calls, lambda: [open_spiel_exploitability(policy) for _ in range(calls)], lambda found: found[-1])


# --- starting ---------------------------------------------------------------------------------


def process_start(statement: str) -> Work:
    """A new process that runs ``statement``."""

    def repeat() -> Repeat:
        wall, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-c", statement], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        seconds, after = time.perf_counter() - wall, os.times()
        children = (after.children_user - before.children_user) + (after.children_system - before.children_system)
        return Repeat(seconds, children, None)

    return Work(1, repeat)


def permuted_decks(decks: int) -> Work:
    """Nine cards a table the usual way: the head of ``jax.random.permutation``."""
    deal = jax.jit(jax.vmap(lambda key: jax.random.permutation(key, 52)[:9]))
    keys = jax.random.split(jax.random.key(0), decks)
    return work(decks, lambda: finished(deal(keys)))
