"""Learns Chicago for 2 to 6 players by policy gradient, all seats by one network that plays itself.

    scripts/run reinforce                    a few minutes: heads-up
    scripts/run reinforce --preset full      half an hour: 2 to 6 players, past selves among the opponents
    scripts/run reinforce --preset kuhn      the same learner on Kuhn poker, measured by the exact best response
    scripts/run reinforce --preset leduc     ... and on Leduc poker

At the end the network plays matches of duplicate deals against random, against the rule player and against what it was
half-way; network.npz is the network, to play with: python scripts/play_chicago.py --opponent runs/reinforce/NAME
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import jaxpoker
from jaxpoker import core, players, runs
from jaxpoker.games.chicago import Chicago
from jaxpoker.learners.experience import opponent_pool
from jaxpoker.learners.policy_gradient.reinforce import Reinforce, TrainState
from jaxpoker.players import saved_networks
from jaxpoker.players.saved_networks import NETWORK_FILE, SavedNetwork
from jaxpoker.runs.config import require_at_least, require_part_of_one
from jaxpoker.studies import gradient_plots
from jaxpoker.studies.exact_quality import exact_quality, learn_small_game
from jaxpoker.studies.gradient_settings import GradientSettings
from jaxpoker.studies.reinforce import chicago_evaluation, plots
from jaxpoker.studies.reinforce.chicago_evaluation import Style, WinRate

RIVALS = ("random", "regular")
EARLIER = "earlier self"
FINAL_STREAM = 1 << 30  # of the run's key, for the evaluation at the end


@dataclasses.dataclass(frozen=True)
class Config(GradientSettings):
    """The game, how much of it is played, and how it is learned from."""

    game: Literal["chicago", "kuhn", "leduc"] = "chicago"
    """What is learned."""
    sizes: tuple[int, ...] = (2,)
    """Chicago: players at the first table, at the second and so on, and again from the first."""
    target: int = 50
    """Chicago: points that open the circle in training; matches are of the usual game, to 50."""
    winner_bonus: float = 0.25
    """Chicago: what winning a game pays, beside the points / target."""
    sorts_hand: bool = True
    """--no-sorts-hand: the network sees the cards of a Chicago hand as they lie, not in order of rank."""
    discount: float = 0.99
    """From one decision of a seat to its next."""
    pool_share: float = 0.0
    """Part of the tables where past selves are the opponents."""
    evaluation_deals: int = 100
    """Of a short evaluation, against each rival from both seats."""
    final_deals: int = 500
    """At the end heads-up, against each rival from both seats; with more players as many games."""

    extendable: ClassVar[tuple[str, ...]] = ("final_deals",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, evaluation_deals=2, final_deals=2)
        require_part_of_one(self, "pool_share", "discount")
        if not self.sizes:
            raise ValueError("--sizes is empty: say how many play, 2 to 6, as in --sizes 2 4")


# What Chicago's presets have in common: PPO's clipping and generalised advantages waste less of what was played.
CHICAGO = Config(
    learning_rate=(1e-3, 1e-4),
    trace=0.9,
    reward_scale=10.0,
    normalises=True,
    clip=0.2,
    epochs=2,
    minibatches=8,
    average_over=20,
)
SMALL = Config(
    tables=512,
    turns=16,
    updates=1_600,
    learning_rate=(1e-3, 1e-4),
    discount=1.0,
    entropy_weight=(0.5, 0.05),
    average_over=400,
    evaluate_every=100,
)
PRESETS = {
    "quick": dataclasses.replace(CHICAGO, updates=150, evaluate_every=25, final_deals=250),
    "full": dataclasses.replace(
        CHICAGO,
        sizes=(2, 4, 2, 3, 2, 4, 5, 6),
        updates=400,
        tables=768,
        entropy_weight=(0.01, 0.002),
        pool_share=0.2,
        snapshots=8,
    ),
    "kuhn": dataclasses.replace(SMALL, game="kuhn"),
    "leduc": dataclasses.replace(SMALL, game="leduc", updates=3_000, tables=1_024),
}


def game_of(config: Config) -> core.Game:
    if config.game == "chicago":
        return Chicago(max(config.sizes), target=config.target, winner_bonus=config.winner_bonus)
    return jaxpoker.make(config.game)


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluated(Reinforce):
    """The learner, with the evaluation of an experiment."""

    deals: int = 100  # of a short evaluation

    def evaluate(self, state: TrainState, key: jax.Array) -> dict[str, Any]:
        """Games won heads-up against each rival; of games that can be solved the exploitability."""
        if not isinstance(self.game, Chicago):
            return exact_quality(self, state)
        rates = {rival: games_won(self, state.average, rival, None, 2, key, self.deals) for rival in RIVALS}
        return {f"win_rate/{rival}": rate.all_seats.mean for rival, rate in rates.items()}


def learner_of(config: Config, mesh: jax.sharding.Mesh | None = None) -> Evaluated:
    game = game_of(config)
    return Evaluated(
        game,
        saved_networks.policy_network(config.game, config.sorts_hand),
        **config.of_learner,
        sizes=config.sizes if isinstance(game, Chicago) else (),
        discount=config.discount,
        pool_share=config.pool_share,
        mesh=mesh,
        deals=config.evaluation_deals,
    )


# --- what it is worth -------------------------------------------------------------------------


def games_won(
    learner: Reinforce, params: Any, rival: str, rival_params: Any, num_players: int, key: jax.Array, deals: int
) -> WinRate:
    """Of the network, against a rule player or, by the parameters of one, a network."""
    game = Chicago(num_players, reward="win")
    own = players.networks.of_policy(learner.network)
    other = players.networks.of_policy(learner.network, rival) if rival == EARLIER else players.make(rival, game)
    return chicago_evaluation.win_rate(own, params, other, rival_params, num_players, key, deals)


def evaluate_chicago(
    learner: Reinforce, state: TrainState, config: Config, console: Console
) -> tuple[dict[int, dict[str, WinRate]], dict[int, Style]]:
    """By number of players: games won against each rival, and how the network plays itself.

    Its earlier self is asked heads-up only: with more players that would be a network in every seat.
    """
    assert state.pool is not None
    earlier = opponent_pool.oldest(state.pool)
    key = jax.random.fold_in(jax.random.key(config.seed), FINAL_STREAM)
    rates: dict[int, dict[str, WinRate]] = {}
    styles = {}
    for size in sorted(set(config.sizes)):
        size_key, deals = jax.random.fold_in(key, size), max(2 * config.final_deals // size, 2)
        with console.status(f"the network plays games for {size}"):
            rates[size] = {
                rival: games_won(learner, state.average, rival, None, size, size_key, deals) for rival in RIVALS
            }
            if size == 2:
                rates[size][EARLIER] = games_won(learner, state.average, EARLIER, earlier, size, size_key, deals)
            styles[size] = chicago_evaluation.style(
                learner.network, state.average, size, size_key, deals, config.discount, config.reward_scale
            )
    return rates, styles


# --- for people -------------------------------------------------------------------------------


def table_of_wins(rates: Mapping[int, Mapping[str, WinRate]]) -> Table:
    table = Table(title="Games won, with 95% intervals", box=box.SIMPLE)
    for heading in ("players", "against", "all seats", "seat by seat", "alike would win"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for size, by_rival in rates.items():
        for rival, rate in by_rival.items():
            won = f"{rate.all_seats.mean:.1%} ± {rate.all_seats.ci95:.1%}"
            seats = "  ".join(f"{seat.mean:.0%}" for seat in rate.by_seat)
            table.add_row(str(size), rival, won, seats, f"{1 / size:.1%}")
    return table


def learn_chicago(run: runs.Run[Config], learner: Evaluated, console: Console) -> dict[str, Any]:
    """Trains, evaluates and draws; the figures of the summary."""
    config = run.config
    state = run.train(learner, steps=config.updates, evaluate_every=config.evaluate_every)
    params = jax.device_get(state.average)
    options = {"sorts_hand": config.sorts_hand}
    saved_networks.save(run.folder / NETWORK_FILE, SavedNetwork(config.game, params, options=options))
    rates, styles = evaluate_chicago(learner, state, config, console)
    measures = {f"win_rate/{rival}": f"games won heads-up against {rival}" for rival in RIVALS}
    gradient_plots.learning(run.plots / "learning.png", run.metrics(), measures, {"half": 0.5})
    plots.win_rates(run.plots / "win_rates.png", rates)
    plots.style(run.plots / "style.png", styles)
    plots.discards(run.plots / "discards.png", styles)
    plots.calibration(run.plots / "calibration.png", styles)
    console.print(table_of_wins(rates))
    sizes = [f"{size} players" for size in rates]

    def by_size(values: Any) -> dict[str, Any]:
        return dict(zip(sizes, values, strict=True))

    return {
        "win_rate": {
            f"{rival}, {size} players": rate.all_seats
            for size, by_rival in rates.items()
            for rival, rate in by_rival.items()
        },
        "win_rate_by_seat": {
            f"{rival}, {size} players, seat {seat}": estimate
            for size, by_rival in rates.items()
            for rival, rate in by_rival.items()
            for seat, estimate in enumerate(rate.by_seat)
        },
        "rounds": by_size(style.rounds for style in styles.values()),
        **{
            f"points_{source.replace(' ', '_')}": by_size(style.points[source] for style in styles.values())
            for source in chicago_evaluation.SOURCES
        },
        **{
            f"discards_in_draw_{draw}": by_size(float(style.discards[draw] @ np.arange(6)) for style in styles.values())
            for draw in range(2)
        },
        "turned_down": by_size(style.turned_down for style in styles.values()),
        "games_unfinished": by_size(style.unfinished for style in styles.values()),
        "calibration_error": by_size(
            float(np.abs(style.calibration.value - style.calibration.paid).mean()) for style in styles.values()
        ),
    }


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="reinforce", description=__doc__)
    learner = learner_of(launch.config, launch.mesh(launch.config.tables))
    console = Console()
    with runs.start(launch) as run:
        learn = learn_chicago if launch.config.game == "chicago" else learn_small_game
        figures = learn(run, learner, console)
        rows = run.metrics()
        gradient_plots.losses(run.plots / "updates.png", rows)
        run.finish(**figures, updates=rows[-1]["step"], **run.totals("decisions", "games"))


if __name__ == "__main__":
    runs.main(main)
