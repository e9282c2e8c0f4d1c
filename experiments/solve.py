"""Solves hold'em over an abstraction by MCCFR, and Kuhn poker, Leduc or heads-up push/fold exactly.

    scripts/run solve                                            hold'em, 100 big blinds, a minute or two
    scripts/run solve --game holdem --stack 20 --cards equity --iterations 500 --name short
    scripts/run solve --config experiments/configs/default.yaml
    scripts/run solve --game leduc --algorithm dcfr              exact; --sampling external samples there too
    scripts/run solve --game pushfold --stack 10 --iterations 5000

Hold'em: the run folder gets blueprint.zip, which scripts/query_strategy.py and jaxpoker.solvers.blueprint read, preflop
grids and the exploitability curve (plots/) and summary.json. The other games: the whole strategy (strategy.csv), the
exploitability curve, for push/fold the 13 x 13 ranges. Exploitability is half of NashConv, in antes (Kuhn, Leduc), big
blinds (push/fold) or thousandths of them (hold'em).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import jax
import numpy as np
from rich.console import Console

import jaxpoker
from jaxpoker import charts, core, devices, plots, ranges, runs, solvers
from jaxpoker.files import write_whole
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import MAX_CHIPS
from jaxpoker.runs.config import overlay, read_config, read_yaml, require_at_least
from jaxpoker.runs.folder import existing_run
from jaxpoker.solvers import regret, tree
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.exact import best_response, cfr, exact_game, strategy_charts
from jaxpoker.solvers.exact.exact_game import ExactGame
from jaxpoker.solvers.sampling import public_cfr, walk_cfr
from jaxpoker.solvers.tree import infosets
from jaxpoker.studies.solve import training, training_file

PUBLISHED = {"kuhn": -1 / 18, "leduc": -0.085606424078}  # values of the game for seat 0
NAME = {"kuhn": "Kuhn poker", "leduc": "Leduc", "pushfold": "Push/fold", "holdem": "Hold'em"}
UNIT = {"kuhn": "antes", "leduc": "antes", "pushfold": "BB", "holdem": "mBB/hand"}
ALL_IN = 2  # of the push/fold menu
PURE = 0.005  # hands within half a percent of always or never are shown as that
CONFIGS = Path(__file__).resolve().parent / "configs"
REPORTS = 100  # of a sampling solver's exploitability in a run
LEAST_BIG_BLIND = 10  # chips: bets of hold'em are rounded down to whole ones


@dataclasses.dataclass(frozen=True)
class Config:
    """What to solve, and how."""

    game: Literal["holdem", "kuhn", "leduc", "pushfold"] = "holdem"
    """The game; push/fold is heads-up no-limit hold'em where the small blind jams or folds."""
    iterations: int | None = None
    """Updates of both players (hold'em 100, else 10,000 when left out); may be raised when a run is resumed."""
    stack: float | None = None
    """Hold'em and push/fold: both stacks in big blinds, before blinds and antes; 100 and 10 when left out."""
    small_blind: float = 0.5
    """Hold'em and push/fold: in chips, in any unit."""
    big_blind: float = 1.0
    """... in the same chips."""
    ante: float = 0.0
    """... of each player, in the same chips."""
    menu: str = "solver"
    """Hold'em: bet sizes, such as "preflop: 2.5x, 4x, a; postflop: 33%, 75%, a; raises: 3", which is "solver"."""
    cards: Literal["rank_based", "rank_history", "equity"] = "rank_based"
    """Hold'em: the card abstraction: categories of hands, those of all streets so far, or clusters of equities."""
    buckets: tuple[int, int, int, int] | None = None
    """Hold'em: buckets preflop, on flop, turn and river; the abstraction's own when left out."""
    merged: bool = False
    """Hold'em, public sampling: decisions alike in this street's betting and in stack to pot share their strategy."""
    sampling: Literal["public", "external", "outcome"] | None = None
    """What is sampled: boards, the other's actions or whole hands. Hold'em: public when left out; Leduc: nothing."""
    batch: int | None = None
    """Boards or walks of an iteration of a sampling solver; its own when left out."""
    algorithm: Literal["cfr", "cfr+", "linear", "dcfr", "pcfr+"] | None = None
    """Vanilla CFR, CFR+, linear, discounted or predictive CFR+; CFR+, or the sampling solver's own, when left out."""
    alternating: bool = True
    """Update one player after the other; --no-alternating updates both at once (exact solvers only)."""
    alpha: float | None = None
    """Discount of positive regrets, t^alpha / (t^alpha + 1); the algorithm's own when left out."""
    beta: float | None = None
    """... of negative ones."""
    gamma: float | None = None
    """Iteration t counts t^gamma in the average strategy: 0 uniform, 1 linear, 2 quadratic averaging."""
    delay: int = 0
    """Iterations that the average strategy leaves out."""
    float64: bool = False
    """Solve in double precision (exact solvers only)."""
    log_every: int = 1
    """Hold'em: iterations between two lines of metrics."""
    evaluations: int = 3
    """Hold'em: how often the exploitability is measured during a run."""
    boards: int = 1_024
    """Hold'em: boards that a best response is fitted on, and as many others that it is measured on."""
    final_hands: int = 16_000
    """Hold'em: hands against each opponent at the end."""
    lbr_deals: int = 1_024
    """Hold'em: deals of the local best response at the end; 0 for none."""
    compare: tuple[str, ...] = ()
    """Other runs, by name, whose curves go into the pictures too."""
    seed: int = 0
    """Of everything random; exact solvers have nothing of that."""

    extendable: ClassVar[tuple[str, ...]] = ("iterations", "final_hands", "lbr_deals")

    def __post_init__(self) -> None:
        require_at_least(self, iterations=1, batch=1, log_every=1, evaluations=1, final_hands=32)
        if self.lbr_deals < 0 or self.lbr_deals == 1:
            raise ValueError(f"--lbr-deals {self.lbr_deals}: at least two, or 0 for none")
        if self.boards < 64 or self.boards % 32:
            raise ValueError(f"--boards {self.boards}: a multiple of 32, at least 64")
        if self.delay < 0 or (self.iterations is not None and self.delay >= self.iterations):
            raise ValueError(f"--delay {self.delay}: from 0 to below --iterations")
        for name in ("alpha", "beta", "gamma"):
            power = getattr(self, name)
            if power is not None and (math.isnan(power) or (name == "gamma" and not 0 <= power <= 20)):
                raise ValueError(f"--{name} {power}: gamma is from 0 to 20, alpha and beta are any number or inf")
        if self.merged and (self.game != "holdem" or self.sampling in ("external", "outcome")):
            raise ValueError("--merged: only hold'em by public sampling can share its decisions")
        if self.sampling is not None and self.game not in ("holdem", "leduc"):
            raise ValueError(
                f"--sampling {self.sampling}: {self.game} is solved exactly; hold'em and leduc are sampled"
            )

    def resolved(self) -> Config:
        """With what was left out and depends on the game; a resumed run has it in its file."""
        is_holdem = self.game == "holdem"
        sampling = self.sampling or ("public" if is_holdem else None)
        own: dict[str, Any] = {
            "iterations": 100 if is_holdem else 10_000,
            "stack": 100.0 if is_holdem else 10.0,
            "sampling": sampling,
            "algorithm": {None: "cfr+", "public": "dcfr"}.get(sampling, "linear"),
        }
        return dataclasses.replace(self, **{name: value for name, value in own.items() if getattr(self, name) is None})


def understand(values: dict[Any, Any], where: str) -> dict[Any, Any]:
    """A training file in sections as flat settings; others as they are."""
    return training_file.settings(values, where) if training_file.is_sectioned(values) else values


def _preset(name: str) -> Config:
    path = CONFIGS / f"{name}.yaml"
    return overlay(Config(), understand(read_yaml(path), str(path)), str(path))


PRESETS = {
    "quick": Config(),
    "full": Config(
        cards="rank_history",
        iterations=400,
        batch=64,
        evaluations=4,
        boards=4_096,
        final_hands=400_000,
        lbr_deals=16_384,
    ),
    "deep": Config(stack=200.0, log_every=10),
    "exact": Config(game="leduc", algorithm="dcfr", iterations=200_000, float64=True),
    **{name: _preset(name) for name in ("default", "production", "fast_test")},
}


def chips_of(config: Config) -> dict[str, int]:
    """Stack and blinds in whole chips: the smallest unit in which all are whole, hold'em's big blind at least 10."""
    exact = {name: Fraction(str(getattr(config, name))) for name in ("small_blind", "big_blind", "ante")}
    exact["stack"] = Fraction(str(config.stack)) * exact["big_blind"]
    unit = math.lcm(*(amount.denominator for amount in exact.values()))
    chips = {name: int(amount * unit) for name, amount in exact.items()}
    shared = math.gcd(*chips.values()) or 1
    chips = {name: amount // shared for name, amount in chips.items()}
    if config.game == "holdem" and chips["big_blind"] > 0:
        chips = {name: amount * -(-LEAST_BIG_BLIND // chips["big_blind"]) for name, amount in chips.items()}
    if max(chips.values()) > MAX_CHIPS:
        raise ValueError(
            f"--stack {config.stack} with blinds {config.small_blind}/{config.big_blind} and ante {config.ante} has "
            "too many digits: give the blinds as whole chips, such as --small-blind 1 --big-blind 3"
        )
    return chips


def game_of(config: Config) -> core.Game:
    if config.game in ("kuhn", "leduc"):
        return jaxpoker.make(config.game)
    for name in ("stack", "small_blind", "big_blind", "ante"):
        if not math.isfinite(getattr(config, name)):
            raise ValueError(
                f"--{name.replace('_', '-')} {getattr(config, name)}: give a number of big blinds or chips"
            )
    if config.big_blind <= 0:
        raise ValueError(f"--big-blind {config.big_blind}: above 0")
    menu = "push/fold" if config.game == "pushfold" else config.menu
    return jaxpoker.make("holdem", menu=menu, **chips_of(config))


def algorithm_of(config: Config) -> regret.Algorithm:
    given = {name: getattr(config, name) for name in ("alpha", "beta", "gamma")}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    assert config.algorithm is not None
    algorithm = regret.ALGORITHMS[config.algorithm]
    return dataclasses.replace(algorithm, alternating=config.alternating, delay=config.delay, **changes)


# --- for people -------------------------------------------------------------------------------


def show_push_fold(console: Console, run: runs.Run[Config], game: ExactGame, strategy: np.ndarray) -> dict[str, float]:
    """Both ranges as grids, as text and as a picture; returns how many percent of hands jam and call."""
    config = run.config
    jam, call = np.zeros(ranges.NUM_CLASSES), np.zeros(ranges.NUM_CLASSES)
    for decision, node in enumerate(game.tree.decisions().tolist()):
        hands = strategy[decision * ranges.NUM_CLASSES : (decision + 1) * ranges.NUM_CLASSES, ALL_IN]
        if game.tree.player[node] == 0:
            jam = hands
        else:
            call = hands
    share = ranges.COMBOS_PER_CLASS / ranges.NUM_COMBOS
    percents = {"jam_percent": float(100 * jam @ share), "call_percent": float(100 * call @ share)}
    ante = f", ante {config.ante:g}" if config.ante else ""
    title = f"{config.stack:g} big blinds, blinds {config.small_blind:g}/{config.big_blind:g}{ante}"
    jam, call = (np.where(hands > 1 - PURE, 1, np.where(hands < PURE, 0, hands)) for hands in (jam, call))
    sides = {
        f"The small blind jams {percents['jam_percent']:.2f}%": (jam, ["jam"]),
        f"The big blind calls {percents['call_percent']:.2f}%": (call, ["call"]),
    }
    grids = [charts.hand_grid(hands, f"{head} at {title}", names) for head, (hands, names) in sides.items()]
    console.print(charts.side_by_side(*grids))
    for head, (hands, _) in sides.items():
        if hands.any():
            console.print(f"[bold]{head}:[/] {ranges.text(hands.round(3)[ranges.CLASS_OF_COMBO])}", soft_wrap=True)
    plots.hand_grid(
        run.plots / "ranges.png",
        {head: hands for head, (hands, _) in sides.items()},
        title,
        {head: names for head, (_, names) in sides.items()},
    )
    return percents


def speeds(run: runs.Run[Config]) -> dict[str, float | None]:
    """Iterations, boards and nodes times hand types a second, without compiling and evaluating."""
    rows, sampled = run.metrics(), run.config.sampling is not None
    pairs = [(a, b) for a, b in itertools.pairwise(rows) if not (sampled and "exploitability" in b)]
    seconds = sum(b["seconds"] - a["seconds"] for a, b in pairs)
    if seconds <= 0:
        return {"iterations_per_s": None}
    found = {"iterations_per_s": sum(b["step"] - a["step"] for a, b in pairs) / seconds}
    if "boards" in rows[-1]:
        found["boards_per_s"] = sum(b["boards"] - a["boards"] for a, b in pairs) / seconds
        updates = sum((b["step"] - a["step"]) * b["node_updates"] for a, b in pairs)
        found["node_updates_per_s"] = updates / seconds
    return found


def label_of(config: Config) -> str:
    """The solver in a picture: "cfr+", "external, linear"."""
    words = [config.sampling, config.algorithm, None if config.alternating else "simultaneous"]
    return ", ".join(word for word in words if word)


def compared(launch: runs.Launch[Config]) -> dict[str, Path]:
    """The folders of the runs of ``--compare``, by label."""
    folders = [existing_run(launch.folder.parent, name, "to compare with") for name in launch.config.compare]
    return {f"{label_of(read_config(folder, 'solve', Config)[1])} ({folder.name})": folder for folder in folders}


def plot_exploitability(run: runs.Run[Config], others: dict[str, Path]) -> None:
    """Against iterations and against seconds, with other runs, whose folders are given by label."""
    lines = {label_of(run.config): run.metrics()}
    lines |= {label: runs.read_metrics(folder) for label, folder in others.items()}
    for x, label, file in (("step", "iterations", "exploitability"), ("seconds", "seconds", "exploitability_seconds")):
        series = {}
        for name, rows in lines.items():
            shown = [row for row in rows if (row.get("exploitability") or 0) > 0 and row[x] > 0]  # rounding goes below
            if shown:
                series[name] = ([row[x] for row in shown], [row["exploitability"] for row in shown])
        if series:
            plots.curves(
                run.plots / f"{file}.png",
                series,
                label,
                f"exploitability ({UNIT[run.config.game]}, half of NashConv)",
                f"{NAME[run.config.game]}: exploitability of the average strategy",
                log_x=True,
                log_y=True,
            )


# --- solving ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Measured:
    """A sampling solver of a small game as a learner that says how good its average strategy is, exactly."""

    solver: public_cfr.PublicCFR
    game: ExactGame

    def init(self, key: jax.Array) -> Any:
        return self.solver.init(key)

    def update(self, state: Any) -> tuple[Any, dict[str, Any]]:
        return self.solver.update(state)

    def average(self, state: Any) -> Any:
        return self.solver.average(state)

    def evaluate(self, state: Any, key: jax.Array) -> dict[str, Any]:
        quality = best_response.quality(self.game, self.average(state))
        return {"exploitability": quality.exploitability, "value": quality.value}


def learner_of(launch: runs.Launch[Config], game: ExactGame) -> Any:
    """Of an exact game: an exact solver, or a sampling one."""
    config = launch.config
    assert config.iterations is not None
    if config.sampling is None:
        # More devices gain nothing here: they are used if asked for, or if processes have to do the same.
        mesh = launch.mesh() if launch.devices or devices.together() else None
        number = np.float64 if config.float64 else np.float32
        return cfr.CFR(game, algorithm_of(config), number, last=config.iterations, mesh=mesh)
    if config.sampling == "public":
        return Measured(solvers.make(game=game, sampling="public", **sampled_options(launch)), game)
    return solvers.make(game=game, sampling=config.sampling, **sampled_options(launch))


def sampled_options(launch: runs.Launch[Config]) -> dict[str, Any]:
    """Of a sampling solver: the algorithm, boards or walks of an iteration, and the devices that share them."""
    config = launch.config
    boards = config.sampling == "public"
    batch = config.batch or (public_cfr.PublicCFR.batch if boards else walk_cfr.WalkCFR.batch)
    mesh = launch.mesh(batch, "boards" if boards else "walks")
    return {"algorithm": algorithm_of(config), "batch": batch, "mesh": mesh}


def solve_exact_game(launch: runs.Launch[Config], console: Console) -> None:
    config = launch.config
    if config.float64:
        jax.config.update("jax_enable_x64", True)
    game, iterations, others = exact_game.whole(game_of(config)), config.iterations or 1, compared(launch)
    learner = learner_of(launch, game)
    every = None if config.sampling is None else max(iterations // REPORTS, 1)
    with runs.start(launch) as run:
        between = max((every or 1) // 2, 1)  # a line between two measurements tells the speed without them
        state = run.train(learner, steps=iterations, evaluate_every=every, log_every=between)
        average = learner.average(state)
        quality = best_response.quality(game, average)
        strategy = np.asarray(average, np.float64)
        write_whole(run.folder / "strategy.csv", strategy_charts.as_csv(game, strategy))
        plot_exploitability(run, others)
        figures: dict[str, Any] = {}
        if config.game == "pushfold":
            figures = show_push_fold(console, run, game, strategy)
        else:
            console.print(strategy_charts.table(game, strategy))
        summary = run.finish(
            value=quality.value,
            exploitability=quality.exploitability,
            iterations=state.step,
            algorithm=config.algorithm,
            game=config.game,
            **speeds(run),
            **figures,
        )
    published = f" (published {PUBLISHED[config.game]:.9f})" if config.game in PUBLISHED else ""
    who, unit = "the small blind" if config.game == "pushfold" else "seat 0", UNIT[config.game]
    console.print(f"Value for {who} {summary['value']:+.9f} {unit}{published}")
    console.print(f"Exploitability {summary['exploitability']:.3g} {unit}, half of NashConv")
    console.print(
        f"{summary['iterations']:,} iterations of {label_of(config)} in {summary['seconds']:.1f} s with compiling"
    )


def solver_of(launch: runs.Launch[Config], game: Holdem, known: CardAbstraction) -> Any:
    """Of hold'em: a sampling solver."""
    config, options = launch.config, sampled_options(launch)
    if config.sampling == "public":
        rows = infosets.merged_rows(tree.build(game)).row_of if config.merged else None
        return solvers.make(game=game, cards=known, rows=rows, **options)
    return solvers.make(game=game, cards=known, sampling=config.sampling, **options)


def solve_holdem(launch: runs.Launch[Config], console: Console) -> None:
    config, game, others = launch.config, game_of(launch.config), compared(launch)
    assert isinstance(game, Holdem) and config.iterations is not None
    known = training.known_cards(console, config.cards, config.buckets)
    with console.status("betting tree"):
        solver = solver_of(launch, game, known)
    with runs.start(launch) as run:
        learner = training.Training(solver, known, config.boards, run.folder, config.iterations)
        every = max(config.iterations // config.evaluations, 1)
        state = run.train(learner, config.iterations, evaluate_every=every, log_every=config.log_every)
        key = jax.random.fold_in(jax.random.key(config.seed), training.REPORT)
        sizes = (config.final_hands, config.lbr_deals)
        figures = training.report(console, run.folder, learner, state, key, *sizes)
        plot_exploitability(run, others)
        run.finish(**figures, iterations=state.step, algorithm=config.algorithm, game=config.game, **speeds(run))
    console.print(f"Ask it: scripts/query_strategy.py --run {run.folder.name}", soft_wrap=True, highlight=False)


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="solve", description=__doc__, understand=understand)
    launch = dataclasses.replace(launch, config=launch.config.resolved())
    console = Console()
    if launch.config.game == "holdem":
        solve_holdem(launch, console)
    else:
        solve_exact_game(launch, console)


if __name__ == "__main__":
    runs.main(main)
