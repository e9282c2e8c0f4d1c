"""Settings of the solve experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, ClassVar, Literal

from jaxpoker.runs.config import require_at_least

SHIPPED, NOTHING = "shipped", "nothing"  # of --start, beside files
STARTED_ITERATIONS, COUNTS_AS = 40, 2_000  # of a run from a strategy that is there, when left out


@dataclasses.dataclass(frozen=True)
class Config:
    """What to solve, and how."""

    game: Literal["holdem", "kuhn", "leduc", "pushfold"] = "holdem"
    """The game; push/fold is no-limit hold'em where everybody jams or folds, with --players 2 to 6."""
    players: int | None = None
    """Kuhn 2 to 5, Leduc 2 or 3, push/fold 2 to 6 (as many as --stacks); 2 when left out."""
    stacks: tuple[float, ...] = ()
    """Push/fold: the stacks in big blinds in the order in which players act, the big blind's last; all --stack when
    left out."""
    payouts: tuple[float, ...] = ()
    """Push/fold: prizes of a tournament, the first place's first; stacks are then worth what ICM says."""
    deals: int = 60_000
    """Push/fold of more than two: random deals that show what all-ins of four and more are worth."""
    three_way_boards: int = 4_096
    """Push/fold of more than two: random boards that show what all-ins of three are worth."""
    iterations: int | None = None
    """Updates of both players (hold'em 100, else 10,000 when left out); may be raised when a run is resumed."""
    stack: float | None = None
    """Hold'em and push/fold: both stacks in big blinds, before blinds and antes; 100 and 10 when left out."""
    small_blind: float = 0.5
    """Hold'em and push/fold: the small blind, in chips of any worth."""
    big_blind: float = 1.0
    """Hold'em and push/fold: the big blind, in the same chips as --small-blind."""
    ante: float = 0.0
    """Hold'em and push/fold: the ante of each player, in the same chips as --small-blind."""
    menu: str | None = None
    """Hold'em: bet sizes, such as "preflop: 2.5x, 4x, a; postflop: 33%, 75%, a; raises: 3", which is "solver"."""
    cards: Literal["rank_based", "rank_history", "equity"] | None = None
    """Hold'em: which hands are played alike: those of one category (rank_based), of one category on each street so far
    (rank_history), or of about the same chances to win (equity)."""
    buckets: tuple[int, int, int, int] | None = None
    """Hold'em: groups of hands that are played alike, preflop, on flop, turn and river; for --cards equity."""
    start: str | None = None
    """Hold'em: go on from a strategy: "shipped", the one that comes with the package, the FILE of another, or
    "nothing". When left out: "shipped", unless stack, blinds, bet sizes, cards or sampling are given. With --buckets
    the strategy is carried over to other buckets, such as finer ones, and with --menu to other bet sizes."""
    counts_as: int | None = None
    """Hold'em: how many iterations a strategy to start from counts as; the fewer, the sooner what is new outweighs it.
    2,000 when left out."""
    merged: bool = False
    """Hold'em, public sampling: decisions alike in this street's betting and in stack to pot share their strategy."""
    sampling: Literal["public", "external", "outcome"] | None = None
    """What is sampled: boards, the other's actions or whole hands. Hold'em: public when left out; Leduc: nothing."""
    batch: int | None = None
    """Boards or walks of an iteration of a sampling solver; its own when left out."""
    algorithm: Literal["cfr", "cfr+", "linear", "dcfr", "pcfr+"] | None = None
    """Vanilla CFR, CFR+, linear, discounted or predictive CFR+; CFR+, or the sampling solver's own, when left out."""
    preflop: Literal["cfr", "cfr+", "linear", "dcfr"] | None = None
    """Hold'em by boards: the algorithm of decisions before the flop, if it is not that of all; "linear" folds more of
    the hands that are a little too weak."""
    play_cost: float = 0.0
    """Hold'em by boards: big blinds that the button is charged, while solving, for each hand that it does not fold at
    once. A little makes it fold hands that are not worth more than that."""
    shares: tuple[float, float, float, float] | None = None
    """Hold'em by boards: the parts of a street's situations, preflop, on flop, turn and river, that an iteration goes
    through, mostly likely ones. For --cards equity and cfr+; 1 1 0.3 0.12 takes a third of the time. All when left
    out."""
    alternating: bool = True
    """Update one player after the other; --no-alternating updates both at once (exact solvers only)."""
    alpha: float | None = None
    """Discount of positive regrets, t^alpha / (t^alpha + 1); the algorithm's own when left out."""
    beta: float | None = None
    """Discount of negative regrets, t^beta / (t^beta + 1); the algorithm's own when left out."""
    gamma: float | None = None
    """Iteration t counts t^gamma in the average strategy: 0 uniform, 1 linear, 2 quadratic averaging."""
    delay: int = 0
    """Iterations that the average strategy leaves out."""
    float64: bool = False
    """Solve in double precision (exact solvers only)."""
    log_every: int = 1
    """Hold'em: iterations between two lines of metrics."""
    evaluations: int = 3
    """Hold'em: how often a run measures how much a perfect opponent would win (--cards rank_based and rank_history)."""
    boards: int = 1_024
    """Hold'em: boards that this opponent learns from, and as many others that it is measured on."""
    opponents: Literal["few", "all"] = "few"
    """Hold'em: play against five rule players at the end, or against all and what the run had half way."""
    final_hands: int = 16_000
    """Hold'em: hands against each opponent at the end."""
    lbr_deals: int = 0
    """Hold'em: deals against an opponent who knows the strategy and looks one bet ahead, at the end; 0 for none."""
    details: bool = False
    """Hold'em: show each poker fact with its figures, not only those that do not hold."""
    checkpoint_every: int | None = None
    """Iterations between two checkpoints that all stay, beside the newest; scripts/query_strategy.py reads them."""
    export: Path | None = None
    """Hold'em: an HDF5 file to write regrets, strategy sums and betting to at the end (the extra hdf5)."""
    continue_from: Path | None = None
    """Hold'em: such a file, of the same game and cards, that a new run goes on from."""
    compare: tuple[str, ...] = ()
    """Other runs, by name, whose curves go into the pictures too."""
    seed: int = 0
    """Of everything random; exact solvers have nothing of that."""

    extendable: ClassVar[tuple[str, ...]] = ("iterations", "final_hands", "lbr_deals")
    # ... when a run is resumed, which starts from no file
    changeable: ClassVar[tuple[str, ...]] = ("details", "checkpoint_every", "export", "continue_from")

    def __post_init__(self) -> None:
        require_at_least(self, deals=1_000, three_way_boards=64)
        self._require_players()
        require_at_least(self, iterations=1, batch=1, log_every=1, evaluations=1, final_hands=32)
        require_at_least(self, checkpoint_every=1, counts_as=1)
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
        for name, file in (("export", self.export), ("continue-from", self.continue_from)):
            if file is not None and self.game != "holdem":
                raise ValueError(f"--{name} {file}: only hold'em has tables in a file, not {self.game}")
        if self.preflop is not None and (self.game != "holdem" or self.sampling in ("external", "outcome")):
            raise ValueError(f"--preflop {self.preflop}: only hold'em by public sampling has two algorithms")
        if self.merged and (self.game != "holdem" or self.sampling in ("external", "outcome")):
            raise ValueError("--merged: only hold'em by public sampling can share its decisions")
        by_boards = self.game == "holdem" and self.sampling in (None, "public")
        if not 0 <= self.play_cost < 1 or (self.play_cost and not by_boards):
            raise ValueError(
                f"--play-cost {self.play_cost}: from 0 to below 1 big blind, of hold'em by public sampling"
            )
        if self.shares is not None and not (by_boards and all(0 < share <= 1 for share in self.shares)):
            raise ValueError(
                f"--shares {' '.join(map(str, self.shares))}: four parts above 0 and at most 1, of hold'em by public "
                "sampling"
            )
        if self.sampling is not None and self.game not in ("holdem", "leduc"):
            raise ValueError(
                f"--sampling {self.sampling}: {self.game} is solved exactly; hold'em and leduc are sampled"
            )

    def _require_players(self) -> None:
        most = {"kuhn": 5, "leduc": 3, "pushfold": 6, "holdem": 2}[self.game]
        if self.players is not None and not 2 <= self.players <= most:
            raise ValueError(f"--players {self.players}: {self.game} is solved for 2 to {most}")
        for name, given in (("stacks", self.stacks), ("payouts", self.payouts)):
            if given and self.game != "pushfold":
                raise ValueError(f"--{name}: only push/fold has them, not {self.game}")
        if self.stacks and self.players not in (None, len(self.stacks)):
            raise ValueError(f"--players {self.players} with {len(self.stacks)} --stacks: give one stack a player")
        if self.stacks and self.stack is not None:
            raise ValueError(f"--stack {self.stack:g} with --stacks: give one of them")
        if self.game == "pushfold" and not 2 <= len(self.stacks or (1, 1)) <= most:
            raise ValueError(f"--stacks of {len(self.stacks)} players: push/fold is for 2 to {most}")

    @property
    def num_players(self) -> int:
        return self.players or len(self.stacks) or 2

    @property
    def jams(self) -> bool:
        """Whether this is push/fold for more than two, or with stacks or prizes."""
        return self.game == "pushfold" and (self.num_players > 2 or bool(self.stacks) or bool(self.payouts))

    @property
    def leaves_the_game_open(self) -> bool:
        """Whether nothing is said of the game, beside bet sizes, that is not true of any strategy to start from."""
        stakes = (self.stack, self.small_blind, self.big_blind, self.ante)
        return (
            self.game == "holdem"
            and stakes == (None, Config.small_blind, Config.big_blind, Config.ante)
            and self.cards is None
            and self.sampling in (None, "public")
            and not self.merged
        )

    def resolved(self) -> Config:
        """With what was left out and depends on the game; a resumed run has it in its file."""
        is_holdem = self.game == "holdem"
        sampling = self.sampling or ("public" if is_holdem else None)
        goes_on = self.leaves_the_game_open and self.menu is None and self.buckets is None and not self.continue_from
        start = self.start or (SHIPPED if goes_on else NOTHING)
        if start != NOTHING:
            if self.continue_from:
                raise ValueError(f"--start {start} and --continue-from {self.continue_from}: a run has one beginning")
            if not self.leaves_the_game_open:
                raise ValueError(
                    f"--start {start}: game, stakes and cards are those of that strategy, and boards are "
                    "drawn: leave out flags that say something else, or say --start nothing"
                )
            return dataclasses.replace(
                self,
                start=start,
                sampling=sampling,
                iterations=self.iterations or STARTED_ITERATIONS,
                algorithm=self.algorithm or "cfr+",
                counts_as=self.counts_as or COUNTS_AS,
            )
        if self.counts_as is not None:
            raise ValueError(f"--counts-as {self.counts_as}: name the strategy that counts so much, with --start")
        own: dict[str, Any] = {
            "start": start,
            "iterations": 100 if is_holdem else 200 if self.jams else 10_000,
            "stack": None if self.stacks else 100.0 if is_holdem else 10.0,
            "menu": "solver",
            "cards": "rank_based",
            "sampling": sampling,
            "algorithm": "dcfr" if self.jams else {None: "cfr+", "public": "dcfr"}.get(sampling, "linear"),
        }
        return dataclasses.replace(self, **{name: value for name, value in own.items() if getattr(self, name) is None})
