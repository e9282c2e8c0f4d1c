"""Learns heads-up hold'em at 100 big blinds with bets of any size, by PPO: an actor and a critic.

    scripts/run ppo                    a few minutes
    scripts/run ppo --preset full      three times as long
    scripts/run ppo --preset leduc     Leduc poker in self-play, measured by the exact best response

At every decision the network folds, calls, or raises to a number of chips between the minimum and all-in; a big blind
is 100 chips. It plays against random, tag, lag, call and past selves. At the end it plays duplicate matches against
rule players and the shipped blueprint; sizes.png shows how much it bets on each street.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Literal

import jax
import numpy as np
from rich.console import Console

import jaxpoker
from jaxpoker import core, rivals, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.learners.experience import opponent_pool
from jaxpoker.learners.policy_gradient import ppo
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.learners.policy_gradient.reinforce import TrainState
from jaxpoker.match import Estimate
from jaxpoker.models import observer, sizednet
from jaxpoker.players import Entrant, networks, saved_networks
from jaxpoker.players.saved_networks import CHIPS, NETWORK_FILE, SavedNetwork
from jaxpoker.runs.config import require_at_least, require_part_of_one
from jaxpoker.studies import gradient_plots
from jaxpoker.studies.exact_quality import exact_quality, learn_small_game
from jaxpoker.studies.gradient_settings import GradientSettings
from jaxpoker.studies.ppo import plots
from jaxpoker.studies.ppo.style import KINDS, Style
from jaxpoker.studies.ppo.style import style as style_at_tables

TABLE = {"stack": 10_000, "small_blind": 50, "big_blind": 100}  # 100 big blinds in small chips
RULES = ("random", "tag", "lag", "call", "min-raise", "check-fold")
BLUEPRINT, EARLIER = "blueprint", "earlier self"
FINAL_STREAM = 1 << 30  # of the run's key, for the matches at the end
STYLE_TABLES, STYLE_TURNS = 4_096, 24


@dataclasses.dataclass(frozen=True)
class Config(GradientSettings):
    """The game, whom it is played against, and how it is learned."""

    game: Literal["holdem", "leduc"] = "holdem"
    """What is learned: hold'em with bets of any size against others, or Leduc poker in self-play."""
    opponents: tuple[str, ...] = ("random", "tag", "lag", "call")
    """Hold'em: whom to learn against, of random, tag, lag, call, min-raise and check-fold."""
    shares: tuple[float, ...] = (0.5, 3.0, 2.0, 0.5)
    """Hold'em: how often each of them is met, relative to the others."""
    past_share: float = 0.15
    """Hold'em: part of the hands that are played against past selves."""
    updates: int = 100
    tables: int = 2_048
    turns: int = 16
    learning_rate: tuple[float, float] = (5e-4, 1e-4)
    trace: float = 0.9
    entropy_weight: tuple[float, float] = (0.02, 0.003)
    reward_scale: float = 0.05
    normalises: bool = True
    clip: float = 0.2
    """ε of the clipped ratio."""
    epochs: int = 2
    minibatches: int = 8
    learned_share: float = 0.5
    """Part of all decisions that an epoch goes over: about half of them are the learner's own against others."""
    average_over: int = 20
    evaluation_hands: int = 4_000
    """Of a short evaluation, against each of random, tag, lag and call."""
    final_hands: int = 40_000
    """At the end, against each rival."""

    extendable: ClassVar[tuple[str, ...]] = ("final_hands",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, evaluation_hands=1, final_hands=1)
        require_part_of_one(self, "past_share")
        if self.clip <= 0:
            raise ValueError(f"--clip {self.clip}: above 0, such as 0.2")
        if not self.opponents:
            raise ValueError(f"--opponents is empty: name some of {', '.join(RULES)}")
        unknown = [name for name in self.opponents if name not in RULES]
        if unknown:
            raise ValueError(f"--opponents {unknown[0]!r}: there are {', '.join(RULES)}")
        if len(self.shares) != len(self.opponents):
            raise ValueError(f"--shares {self.shares}: one each for {', '.join(self.opponents)}")


PRESETS = {
    "quick": Config(),
    "full": Config(updates=300, average_over=30, evaluate_every=50, final_hands=60_000),
    "leduc": Config(
        game="leduc",
        updates=1_000,
        learning_rate=(2e-3, 2e-4),
        trace=0.95,
        entropy_weight=(0.5, 0.2),
        reward_scale=1.0,
        normalises=False,
        minibatches=4,
        learned_share=1.0,
        average_over=500,
        evaluate_every=50,
    ),
}


def game_of(config: Config) -> core.Game:
    return jaxpoker.make("holdem", **TABLE) if config.game == "holdem" else jaxpoker.make(config.game)


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(PPO):
    """The learner, with the evaluation of an experiment."""

    hands: int = 4_000  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """What the averaged network wins of rule players; in Leduc what it exactly loses."""
        if not isinstance(self.game, Holdem):
            return exact_quality(self, state)
        own = Entrant(networks.of_chips(self.network), state.average)
        results = rivals.against_each(self.game, own, rivals.named(self.game, RULES[:4]), key, self.hands)
        return {f"mbb/{name}": result.mean for name, result in results.items()}


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    game = game_of(config)
    against = None
    if isinstance(game, Holdem):
        network = sizednet.network(game)
        against = ppo.sparring(game, network, config.opponents, config.shares, config.past_share)
    else:
        network = observer.network(game)
    return Evaluated(
        game,
        network,
        **config.of_learner,
        learned_share=config.learned_share,
        sparring=against,
        mesh=mesh,
        hands=config.evaluation_hands,
    )


# --- what it is worth -------------------------------------------------------------------------


def matches(learner: PPO, state: TrainState, config: Config, console: Console) -> dict[str, Estimate]:
    """What the averaged network wins of each rival, in mBB/hand."""
    assert state.pool is not None
    key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM)
    player = networks.of_chips(learner.network)
    everybody = rivals.named(learner.game, (*RULES, BLUEPRINT))
    everybody[EARLIER] = Entrant(player, opponent_pool.oldest(state.pool))
    with console.status(f"the network plays {config.final_hands:,} hands against each rival"):
        results = rivals.against_each(learner.game, Entrant(player, state.average), everybody, key, config.final_hands)
    console.print(rivals.table(results, "Duplicate matches at 100 big blinds"))
    return results


def style_of(learner: PPO, state: TrainState, config: Config) -> Style:
    """How the averaged network plays against random, tag, lag and call, as often each."""
    assert isinstance(learner.game, Holdem)
    against = ppo.sparring(learner.game, learner.network, RULES[:4], (1.0,) * 4, 0.0)
    key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM + 1)
    return style_at_tables(learner.network, state.average, against, state.average, key, STYLE_TABLES, STYLE_TURNS)


# --- the run ----------------------------------------------------------------------------------


def learn_holdem(run: runs.Run[Config], learner: Evaluated, console: Console) -> dict[str, Any]:
    """Trains, evaluates and draws; the figures of the summary."""
    config = run.config
    state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
    saved = SavedNetwork(config.game, jax.device_get(state.average), CHIPS)
    saved_networks.save(run.folder / NETWORK_FILE, saved, np.float32)
    measures = {f"mbb/{name}": f"against {name}" for name in RULES[:4]}
    gradient_plots.learning(run.plots / "learning.png", run.metrics(), measures, {"": 0.0}, "mBB/hand")
    style = style_of(learner, state, config)
    plots.sizes(run.plots / "sizes.png", style)
    plots.kinds(run.plots / "kinds.png", style)
    results = matches(learner, state, config, console)
    plots.results(run.plots / "results.png", results, (*config.opponents, EARLIER))
    raises = style.raises
    by_street = {
        "median_raise_in_pots": lambda here: float(np.median(raises.pots[here])) if here.any() else None,
        "raises_to_the_minimum": lambda here: float(raises.least[here].mean()) if here.any() else None,
        "raises_all_in": lambda here: float(raises.all_in[here].mean()) if here.any() else None,
    }
    return {
        "mbb_per_hand": results,
        **{f"part_{kind}": dict(zip(STREETS, style.kinds[:, i].tolist(), strict=True)) for i, kind in enumerate(KINDS)},
        **{
            name: {street: of(raises.street == i) for i, street in enumerate(STREETS)} for name, of in by_street.items()
        },
    }


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="ppo", description=__doc__)
    learner = learner_of(launch.config, launch.mesh(launch.config.tables))
    console = Console()
    with runs.start(launch) as run:
        learn = learn_holdem if launch.config.game == "holdem" else learn_small_game
        figures = learn(run, learner, console)
        rows = run.metrics()
        gradient_plots.losses(run.plots / "updates.png", rows)
        run.finish(**figures, updates=rows[-1]["step"], **run.totals("decisions", "games"))


if __name__ == "__main__":
    runs.main(main)
