"""Settings of the dqn experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.runs.config import require_at_least, require_learning_rate
from jaxpoker.studies.holdem_rivals import BLUEPRINT, RULES

MIX = {"holdem": ("random", "tag", "lag"), "leduc": ("random", "equilibrium")}  # of phase A


@dataclasses.dataclass(frozen=True)
class Config:
    """The game, whom it is played against, and how it is learned."""

    game: Literal["holdem", "leduc"] = "holdem"
    """What is learned."""
    phase: Literal["A", "B", "C", "ABC"] = "A"
    """A: against a mix of players. B: against past selves. C: against --target. ABC: one after the other."""
    start: str = ""
    """The folder of a run, or the file of a network, that phase B or C goes on from."""
    target: str = "lag"
    """Phase C: random, tag, lag, call, min-raise, check-fold or blueprint; in Leduc random or equilibrium."""
    updates: tuple[int, int, int] = (300, 300, 300)
    """Of phases A, B and C: each plays a segment of all tables and learns from the replay."""
    shares: tuple[float, ...] = (1.0, 2.0, 2.0)
    """Phase A: how often random, tag and lag are met; in Leduc random and equilibrium."""
    mix_share: float = 0.3
    """Phase B: part of the hands that are still played against the mix of phase A."""
    tables: int = 1_024
    """Side by side; the learner has one seat of each."""
    turns: int = 10
    """Of each table in an update."""
    decisions_per_step: int = 128
    """Of both seats, for each gradient step."""
    batch: int = 64
    """Transitions of a gradient step."""
    capacity: int = 100_000
    """Transitions of the replay."""
    prioritised: bool = False
    """Transitions with larger errors are drawn more often."""
    steps: int = 1
    """n of n-step transitions."""
    dueling: bool = False
    """The network has two heads, one for the state and one for the actions."""
    layer_norm: bool = False
    """Each hidden layer is normalised."""
    learning_rate: tuple[float, float] = (5e-4, 2e-5)
    """Adam's, at the beginning and at the end of a phase."""
    huber: float = 0.0
    """Border of Huber's loss, in the unit of rewards that are learned; 0: the mean square."""
    max_gradient: float = 10.0
    """Norm beyond which gradients are cut."""
    sync_every: int = 400
    """Gradient steps between copies of the network for the targets."""
    epsilon: tuple[float, float] = (1.0, 0.1)
    """Part of the actions that are random: at the beginning of the first phase, and at least."""
    later_epsilon: float = 0.3
    """... at the beginning of a phase that goes on from another."""
    epsilon_decay: float = 0.9995
    """Per gradient step."""
    discount: float = 1.0
    """From one decision to the learner's next."""
    reward_scale: float = 0.05
    """What rewards, in big blinds, are multiplied by before they are learned from."""
    snapshots: int = 8
    """Past selves that are kept in phase B."""
    evaluate_every: int = 100
    """Updates between two short evaluations."""
    evaluation_hands: int = 8_000
    """Of a short evaluation, against each rival."""
    final_hands: int = 100_000
    """At the end, of each phase's network against each rival."""
    cross_hands: int = 16_000
    """At the end, of each pair of networks."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands", "cross_hands")

    def __post_init__(self) -> None:
        require_at_least(self, decisions_per_step=1, snapshots=1, evaluate_every=1)
        require_learning_rate(self)
        require_at_least(self, evaluation_hands=1, final_hands=1, cross_hands=1)
        if self.phase in ("B", "C") and not self.start:
            raise ValueError(f"--phase {self.phase} goes on from a network: give --start runs/dqn/NAME, or --phase ABC")
        if self.phase not in ("B", "C") and self.start:
            raise ValueError(f"--phase {self.phase} begins with a new network: --start is for B and C")
        if len(self.shares) != len(MIX[self.game]):
            raise ValueError(f"--shares {self.shares}: one each for {', '.join(MIX[self.game])}")
        if not 0 <= self.mix_share < 1:
            raise ValueError(f"--mix-share {self.mix_share}: 0 to less than 1")
        if self.target not in self.targets:
            raise ValueError(f"--target {self.target!r}: {self.game} has {', '.join(self.targets)}")

    @property
    def targets(self) -> tuple[str, ...]:
        return (*RULES, BLUEPRINT) if self.game == "holdem" else MIX["leduc"]

    @property
    def network_options(self) -> dict[str, bool]:
        return {"dueling": self.dueling, "layer_norm": self.layer_norm}
