"""Settings of the evolve experiment: flags, fields of config.yaml, and their help texts."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

from jaxpoker.learners.evolution import tser
from jaxpoker.learners.evolution.learner import SEATS
from jaxpoker.runs.config import require_at_least, require_part_of_one

UNIT = {"seed": "starting stacks", "paper": "mBB/hand"}


@dataclasses.dataclass(frozen=True)
class Config:
    """The population and how it plays."""

    protocol: Literal["seed", "paper"] = "seed"
    """seed: 1,000 chips, blinds 5/10, stacks carried over until a bust-out. paper: 200 BB, reset every hand."""
    individuals: int = 50
    """Networks in the population."""
    generations: int = 250
    """Each: everybody plays every opponent from both seats, and the fittest have children; gradient: updates."""
    hands: int = 500
    """Of a session at most."""
    repeats: int = 1
    """Sets of decks against each opponent in a generation, each from both seats: more make fitness less noisy."""
    runoff: int = 10
    """Sets of decks that the last population plays at the end to find the champion."""
    fitness: Literal["ane", "fixed"] = "ane"
    """Earnings are divided by the most that anybody now makes of an opponent (ane), or a very good player (fixed)."""
    luck: bool = True
    """--no-luck: in fitness an all-in counts as what it is worth on average over the cards to come."""
    strategy: Literal["tser", "open-es", "snes", "simple-ga", "gradient"] = "tser"
    """The genetic algorithm; one of evosax's (pip install 'jaxpoker[evosax]'); a policy gradient, stacks reset."""
    survival_rate: float = 0.3
    """Part of the population that goes on to the next generation."""
    mutation_rate: tuple[float, float] = (0.25, 0.05)
    """Probability that a gene is mutated, in the first and in the last generation."""
    mutation_strength: tuple[float, float] = (0.5, 0.1)
    """Standard deviation of a mutation, in the first and in the last generation."""
    initial_spread: float = 0.5
    """Standard deviation of the first generation's genes."""
    opponent_memory: bool = True
    """--no-opponent-memory: the opponent LSTM forgets with every hand (an ablation)."""
    win_samples: int = 300
    """Deals that a win probability on flop and turn is estimated from, once per deal."""
    final_hands: int = 100_000
    """Hands of the champion against each opponent at the end, stacks reset."""
    final_sessions: int = 1_000
    """Sessions of the champion against each opponent of its protocol at the end."""
    seed: int = 0
    """Of everything random."""

    extendable: ClassVar[tuple[str, ...]] = ("runoff", "final_hands", "final_sessions")

    def __post_init__(self) -> None:
        require_at_least(self, individuals=4, generations=1, hands=1, repeats=1, runoff=1, win_samples=1)
        require_at_least(self, final_sessions=2 * SEATS)
        require_part_of_one(self, "survival_rate")
        tser.num_survivors(self.individuals, self.survival_rate)
        if self.strategy == "open-es" and self.individuals % 2:
            raise ValueError(f"--individuals {self.individuals}: open-es draws them in pairs, take an even number")
        if self.final_hands < 2 * SEATS * self.hands:
            raise ValueError(
                f"--final-hands {self.final_hands}: at least {2 * SEATS * self.hands}, two tables of "
                f"{self.hands} hands from both seats"
            )

    @property
    def unit(self) -> str:
        """What earnings are shown in."""
        return UNIT[self.protocol]
