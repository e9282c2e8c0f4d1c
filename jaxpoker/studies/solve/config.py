"""Settings of the solve experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, ClassVar, Literal

from jaxpoker.runs.config import require_at_least


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
    lbr_deals: int = 24
    """Hold'em: deals of the local best response at the end; 0 for none."""
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
    changeable: ClassVar[tuple[str, ...]] = ("checkpoint_every", "export", "continue_from")  # a resume starts from no file

    def __post_init__(self) -> None:
        require_at_least(self, iterations=1, batch=1, log_every=1, evaluations=1, final_hands=32, checkpoint_every=1)
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
