"""Games of Chicago that a network wins, against rule players and its earlier self, for every number of players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import jax
from rich import box
from rich.console import Console
from rich.table import Table

from jaxpoker import players
from jaxpoker.games.chicago import Chicago
from jaxpoker.learners.experience import opponent_pool
from jaxpoker.learners.policy_gradient.reinforce import Reinforce, TrainState
from jaxpoker.studies.reinforce import chicago_evaluation
from jaxpoker.studies.reinforce.chicago_evaluation import Style, WinRate

RIVALS = ("random", "regular")
EARLIER = "earlier self"


def games_won(
    learner: Reinforce, params: Any, rival: str, rival_params: Any, num_players: int, key: jax.Array, deals: int
) -> WinRate:
    """Of the network, against a rule player or, by the parameters of one, a network."""
    game = Chicago(num_players, reward="win")
    own = players.networks.of_policy(learner.network)
    other = players.networks.of_policy(learner.network, rival) if rival == EARLIER else players.make(rival, game)
    return chicago_evaluation.win_rate(own, params, other, rival_params, num_players, key, deals)


def by_size(
    learner: Reinforce, state: TrainState, sizes: Iterable[int], key: jax.Array, games: int, console: Console
) -> tuple[dict[int, dict[str, WinRate]], dict[int, Style]]:
    """By number of players, ``sizes``: games won against each rival, and how the network plays itself.

    Its earlier self is asked heads-up only: with more players that would be a network in every seat.
    """
    assert state.pool is not None
    earlier = opponent_pool.oldest(state.pool)
    rates: dict[int, dict[str, WinRate]] = {}
    styles = {}
    for size in sorted(set(sizes)):
        size_key, deals = jax.random.fold_in(key, size), max(games // size, 2)
        with console.status(f"the network plays games for {size}"):
            rates[size] = {
                rival: games_won(learner, state.average, rival, None, size, size_key, deals) for rival in RIVALS
            }
            if size == 2:
                rates[size][EARLIER] = games_won(learner, state.average, EARLIER, earlier, size, size_key, deals)
            styles[size] = chicago_evaluation.style(
                learner.network, state.average, size, size_key, deals, learner.discount, learner.reward_scale
            )
    return rates, styles


def table_of_wins(rates: Mapping[int, Mapping[str, WinRate]]) -> Table:
    """Games won, by number of players and by rival."""
    table = Table(title="Games won, with 95% intervals", box=box.SIMPLE)
    for heading in ("players", "against", "all seats", "seat by seat", "alike would win"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for size, by_rival in rates.items():
        for rival, rate in by_rival.items():
            won = f"{rate.all_seats.mean:.1%} ± {rate.all_seats.ci95:.1%}"
            seats = "  ".join(f"{seat.mean:.0%}" for seat in rate.by_seat)
            table.add_row(str(size), rival, won, seats, f"{1 / size:.1%}")
    return table
