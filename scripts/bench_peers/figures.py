"""All figures: what is measured, against whom, and the bar that each has to reach."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench_peers import answers, first_time, memory, ours, ours_learning, peers, peers_learning
from bench_peers.inputs import FLOP, LEDUC_SAMPLED_TARGET, LEDUC_TARGET, SIMULATIONS, VILLAIN_RANGE
from bench_peers.timing import Work

Prepare = Callable[[], Work]

CALLS, BYTES = "calls", "bytes"  # units of figures that are a time, or an amount of memory, and not a speed
GIGABYTE = 1e9


@dataclass(frozen=True)
class Peer:
    """Someone else's way to do a figure's work."""

    name: str
    prepare: Prepare
    at_least: float | None = None  # ours / peer in units a second; None: for comparison only
    package: str | None = None  # whose version to report, when it is not the name


@dataclass(frozen=True)
class Figure:
    """One row or more of the table: our work, the peers, and bars that need no peer."""

    name: str
    unit: str
    prepare: Prepare
    peers: tuple[Peer, ...] = ()
    at_least_per_s: float | None = None
    at_most_s: float | None = None  # for one unit
    at_most_bytes: float | None = None
    by_median: bool = False  # not by the best repeat: each has a seed of its own
    tolerance: float = 0.0  # by which answers may differ


def play(name: str, length: int, **rules: Any) -> Prepare:
    return functools.partial(ours.random_play, name, length, **rules)


def open_spiel(part: str, prepare: Prepare, at_least: float | None = None) -> Peer:
    return Peer(f"OpenSpiel ({part})", prepare, at_least, package="open_spiel")


def torch(name: str, threads: int) -> Peer:
    prepare = functools.partial(peers_learning.torch_network_forwards, threads)
    return Peer(f"torch, {name}", prepare, at_least=1, package="torch")


def evosax(algorithm: str) -> Peer:
    prepare = functools.partial(peers_learning.evosax_generations, algorithm)
    return Peer(f"evosax {algorithm}", prepare, package="evosax")


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
IMPORT_JAX = Peer("import jax", functools.partial(peers.process_start, "import jax"), package="jax")

CARDS = (
    Figure(
        "seven-card hands, from suit masks",
        "hands",
        ours.evaluator_of_masks,
        (Peer("sval", functools.partial(peers.sval, "masks"), at_least=2),),
    ),
    Figure(
        "seven-card hands, from card ids",
        "hands",
        ours.evaluator_of_ids,
        (
            Peer("pkrbot", peers.pkrbot_evaluator, at_least=15),
            Peer("eval7", peers.eval7_evaluator, at_least=15),
            Peer("treys", peers.treys_evaluator, at_least=15),
        ),
    ),
    Figure(
        "equity against a random hand",
        "samples",
        functools.partial(ours.sampled_equity, "random", ""),
        (Peer("eval7", functools.partial(peers.eval7_sampled, "random", ""), at_least=2),),
        tolerance=2e-3,
    ),
    Figure(
        "equity against a range on a flop",
        "samples",
        functools.partial(ours.sampled_equity, VILLAIN_RANGE, FLOP),
        (Peer("eval7", functools.partial(peers.eval7_sampled, VILLAIN_RANGE, FLOP), at_least=2),),
        tolerance=2e-3,
    ),
    Figure(
        "exact equity on a flop against a random hand",
        CALLS,
        ours.exact_flop_equity,
        (
            Peer("sval", functools.partial(peers.sval, "exact flop")),
            Peer("eval7", peers.eval7_exact_flop),
        ),
        at_most_s=0.050,
        tolerance=1e-6,
    ),
    Figure(
        "nine cards dealt",
        "tables",
        functools.partial(ours.dealt_cards, 1 << 20),
        (Peer("jax.random.permutation", functools.partial(peers.permuted_decks, 1 << 14), package="jax"),),
    ),
)

GAMES = (
    Figure(
        "random play at 8,192 tables: Kuhn",
        "steps",
        play("kuhn", 1_000),
        (
            Peer("pgx", functools.partial(peers.pgx_random_play, "kuhn_poker", 200), at_least=2),
            open_spiel("C++", functools.partial(peers.open_spiel_random_play, "kuhn_poker")),
        ),
    ),
    Figure(
        "random play at 8,192 tables: Leduc",
        "steps",
        play("leduc", 400),
        (
            Peer("pgx", functools.partial(peers.pgx_random_play, "leduc_holdem", 100), at_least=4),
            open_spiel("C++", functools.partial(peers.open_spiel_random_play, "leduc_poker")),
        ),
    ),
    Figure(
        "random play at 8,192 tables: hold'em, two players",
        "steps",
        play("holdem", 200, num_players=2),
        (Peer("pokers", functools.partial(peers.pokers_random_play, 2), at_least=10),),
    ),
    Figure(
        "random play at 8,192 tables: hold'em, six players",
        "steps",
        play("holdem", 60, num_players=6),
        (Peer("pokers", functools.partial(peers.pokers_random_play, 6)),),
        at_least_per_s=1e6,
    ),
    Figure(
        "random play at 1,024 tables: Chicago, four players",
        "steps",
        play("chicago", 100, tables=1_024, num_players=4),
        at_least_per_s=200_000,
    ),
)

SOLVING = (
    Figure(
        "Leduc by CFR+",
        "iterations",
        functools.partial(ours.cfr_plus_iterations, 4_000, "leduc"),
        (
            open_spiel("JAX", functools.partial(peers.open_spiel_iterations, peers.open_spiel_jax), at_least=15),
            open_spiel("C++", functools.partial(peers.open_spiel_iterations, peers.open_spiel_cpp)),
        ),
        tolerance=1e-5,
    ),
    Figure(
        f"Leduc from nothing to exploitability {LEDUC_TARGET}",
        CALLS,
        ours.solved_leduc,
        (
            open_spiel("JAX", functools.partial(peers.open_spiel_solved, peers.open_spiel_jax)),
            open_spiel("C++", functools.partial(peers.open_spiel_solved, peers.open_spiel_cpp, once=True)),
        ),
        at_most_s=0.1,
        tolerance=4 * LEDUC_TARGET,  # each value is within NashConv, twice the target, of the game's
    ),
    Figure(
        "exploitability of a Leduc strategy",
        "strategies",
        ours.leduc_exploitability,
        (open_spiel("C++", peers.open_spiel_nash_conv),),
        at_least_per_s=100,
        tolerance=1e-5,
    ),
    Figure(
        "push/fold with 10 big blinds by CFR+",
        "iterations",
        functools.partial(
            ours.cfr_plus_iterations, 2_000, "holdem", menu="push/fold", stack=20, small_blind=1, big_blind=2
        ),
    ),
    Figure(
        "Leduc by external sampling",
        "walks",
        functools.partial(ours.sampled_walks, "external"),
        (open_spiel("C++", functools.partial(peers.open_spiel_walks, "external", 20_000)),),
    ),
    Figure(
        "Leduc by outcome sampling",
        "walks",
        functools.partial(ours.sampled_walks, "outcome"),
        (open_spiel("C++", functools.partial(peers.open_spiel_walks, "outcome", 80_000)),),
    ),
    Figure(
        f"Leduc by external sampling to exploitability {LEDUC_SAMPLED_TARGET}, median",
        CALLS,
        functools.partial(ours.leduc_solved_by_sampling, "external", 100),
        at_most_s=10.0,
        by_median=True,
    ),
    Figure(
        f"Leduc by public chance sampling to exploitability {LEDUC_SAMPLED_TARGET}, median",
        CALLS,
        functools.partial(ours.leduc_solved_by_sampling, "public", 10),
        at_most_s=10.0,
        by_median=True,
    ),
    Figure(
        "hold'em with 100 big blinds, 42,044 decisions, 6/9/9/9 buckets",
        "boards",
        ours.boards_of_the_large_tree,
        at_least_per_s=8,
    ),
    Figure(
        "all hands of hold'em boards, 10,452 decisions, 500 and 1,000 buckets",
        "boards",
        ours.boards_of_real_hands,
        at_least_per_s=5,
    ),
)

LEARNING = (
    Figure(
        "decisions of 50 PokerNets at 64 tables each",
        "decisions",
        ours_learning.network_forwards,
        (torch("one thread", 1), torch("a thread per core", CORES)),
        tolerance=1e-2,
    ),
    Figure(
        "breeding of 50 PokerNets",
        "generations",
        ours_learning.bred_generations,
        (evosax("SimpleGA"), evosax("SNES"), evosax("Open_ES")),
    ),
    Figure(
        "evolution with stacks carried over",
        "hands",
        functools.partial(ours_learning.evolved_generation, "seed"),
        at_least_per_s=40_000,
    ),
    Figure(
        "evolution with stacks reset",
        "hands",
        functools.partial(ours_learning.evolved_generation, "paper"),
        at_least_per_s=40_000,
    ),
    Figure(
        "a generation of the preset full, 250 of which may take 20 minutes",
        CALLS,
        ours_learning.whole_generation,
        at_most_s=4.8,
    ),
    Figure(
        "REINFORCE on Chicago for two, learned from",
        "decisions",
        functools.partial(ours_learning.reinforce, 2),
        at_least_per_s=12_000,
    ),
    Figure(
        "REINFORCE on Chicago for four, learned from",
        "decisions",
        functools.partial(ours_learning.reinforce, 4),
        at_least_per_s=12_000,
    ),
    Figure(
        "Double DQN on hold'em, a gradient step of 64 for each 128 decisions",
        "decisions",
        ours_learning.dqn_decisions,
        (Peer("RLCard's DQN", peers_learning.rlcard_decisions, package="rlcard"),),
        at_least_per_s=50_000,
    ),
    Figure(
        "gradient steps of 64, 200 to three times 256 to 9",
        "steps",
        ours_learning.dqn_gradient_steps,
        (Peer("RLCard's DQN", peers_learning.rlcard_gradient_steps, package="rlcard"),),
    ),
    Figure("PPO over chips on hold'em, two epochs", "decisions", ours_learning.ppo_decisions),
    Figure(
        f"Kuhn with a search of {SIMULATIONS} simulations in latent space at each decision",
        "decisions",
        ours_learning.searched_decisions,
        (
            Peer("mctx alone, smallest model", peers_learning.mctx_decisions, package="mctx"),
            open_spiel("C++ IS-MCTS, no network", peers_learning.open_spiel_searched_decisions),
        ),
        at_least_per_s=4_500,
    ),
)

ANSWERS = (
    Figure("a look into the shipped blueprint", CALLS, answers.query, at_most_s=0.050),
    Figure(
        "full advice of the coach, 1,000 rollouts of each action, blueprint",
        CALLS,
        functools.partial(answers.advice, "blueprint"),
        at_most_s=0.300,
    ),
    Figure("... with the network of Double DQN", CALLS, functools.partial(answers.advice, "dqn")),
    Figure("the page's slowest answer to an action in ten hands", CALLS, answers.page_actions, at_most_s=0.100),
    Figure(
        "import jaxpoker",
        CALLS,
        functools.partial(peers.process_start, "import jaxpoker"),
        (dataclasses.replace(IMPORT_JAX, at_least=1 / 1.5),),
    ),
    Figure(
        "import jaxpoker and make hold'em",
        CALLS,
        functools.partial(peers.process_start, "import jaxpoker; jaxpoker.make('holdem')"),
        (IMPORT_JAX,),
    ),
)

_FIRST = "in a new process, compiling included: "
FIRST_TIME = (
    Figure(f"{_FIRST}step of hold'em for two", CALLS, functools.partial(first_time.step, 2)),
    Figure(f"{_FIRST}step of hold'em for six", CALLS, functools.partial(first_time.step, 6)),
    Figure(f"{_FIRST}rollout of Leduc", CALLS, functools.partial(first_time.rollout, "leduc")),
    Figure(f"{_FIRST}rollout of hold'em for two", CALLS, functools.partial(first_time.rollout, "holdem")),
    Figure(
        f"{_FIRST}rollout of hold'em for six",
        CALLS,
        functools.partial(first_time.rollout, "holdem", ", num_players=6"),
    ),
    Figure(f"{_FIRST}match of hold'em", CALLS, first_time.a_match),
    Figure(f"{_FIRST}mctx on hold'em, as in the guide", CALLS, first_time.search, at_most_s=60),
    *(
        Figure(f"{_FIRST}update of {name}", CALLS, functools.partial(first_time.update, name))
        for name in ("PPO", "DQN", "Reinforce", "Belief", "Evolution")
    ),
)

MEMORY = (
    Figure(
        "memory of scripts/run evolve --preset full",
        BYTES,
        functools.partial(
            memory.most_memory,
            *("evolve", "--preset", "full", "--generations", "1"),
            *("--final-hands", "2000", "--final-sessions", "100"),
        ),
        at_most_bytes=2 * GIGABYTE,
    ),
    Figure(
        "memory of scripts/run reinforce --preset full",
        BYTES,
        functools.partial(memory.most_memory, "reinforce", "--preset", "full", "--updates", "2", "--final-deals", "32"),
        at_most_bytes=4 * GIGABYTE,
    ),
    Figure(
        "memory of scripts/run solve, 100 big blinds, 6/9/9/9 buckets",
        BYTES,
        functools.partial(memory.most_memory, "solve", "--iterations", "4"),
        at_most_bytes=1 * GIGABYTE,
    ),
)

FIGURES = (*CARDS, *GAMES, *SOLVING, *LEARNING, *ANSWERS, *FIRST_TIME, *MEMORY)
