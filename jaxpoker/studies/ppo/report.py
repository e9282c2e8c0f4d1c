"""What a run of the ppo experiment leaves: matches, how the network bets, pictures, and the figures of the summary."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from rich.console import Console

from jaxpoker import rivals, runs
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.learners.experience import opponent_pool
from jaxpoker.learners.policy_gradient.ppo import PPO
from jaxpoker.learners.policy_gradient.reinforce import TrainState
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant, networks, saved_networks
from jaxpoker.players.saved_networks import CHIPS, NETWORK_FILE, SavedNetwork
from jaxpoker.studies import gradient_plots, holdem_rivals
from jaxpoker.studies.final_key import final_key
from jaxpoker.studies.holdem_rivals import MET_OFTEN
from jaxpoker.studies.ppo import plots, style
from jaxpoker.studies.ppo.config import Config
from jaxpoker.studies.ppo.style import KINDS

EARLIER = "earlier self"


def holdem_figures(run: runs.Run[Config], learner: PPO, state: TrainState, console: Console) -> dict[str, Any]:
    """Saves the network, evaluates and draws; the figures of the summary."""
    config = run.config
    saved = SavedNetwork(config.game, jax.device_get(state.average), CHIPS)
    saved_networks.save(run.folder / NETWORK_FILE, saved, np.float32)
    measures = {f"mbb/{name}": f"against {name}" for name in MET_OFTEN}
    gradient_plots.learning(run.plots / "learning.png", run.metrics(), measures, {"": 0.0}, "mBB/hand")
    assert isinstance(learner.game, Holdem)
    found = style.against_rules(learner.game, learner.network, state.average, final_key(config.seed, further=1))
    plots.sizes(run.plots / "sizes.png", found)
    plots.kinds(run.plots / "kinds.png", found)
    results = matches(learner, state, final_key(config.seed), config.final_hands, console)
    plots.results(run.plots / "results.png", results, (*config.opponents, EARLIER))
    raises = found.raises
    by_street = {
        "median_raise_in_pots": lambda here: float(np.median(raises.pots[here])) if here.any() else None,
        "raises_to_the_minimum": lambda here: float(raises.least[here].mean()) if here.any() else None,
        "raises_all_in": lambda here: float(raises.all_in[here].mean()) if here.any() else None,
    }
    return {
        "mbb_per_hand": results,
        **{f"part_{kind}": dict(zip(STREETS, found.kinds[:, i].tolist(), strict=True)) for i, kind in enumerate(KINDS)},
        **{
            name: {street: of(raises.street == i) for i, street in enumerate(STREETS)} for name, of in by_street.items()
        },
    }


def matches(learner: PPO, state: TrainState, key: jax.Array, hands: int, console: Console) -> dict[str, Estimate]:
    """What the averaged network wins of each rival, in mBB/hand."""
    assert state.pool is not None
    player = networks.of_chips(learner.network)
    everybody = holdem_rivals.everybody(learner.game)
    everybody[EARLIER] = Entrant(player, opponent_pool.oldest(state.pool))
    with console.status(f"the network plays {hands:,} hands against each rival"):
        results = rivals.against_each(learner.game, Entrant(player, state.average), everybody, key, hands)
    console.print(rivals.table(results, "Duplicate matches at 100 big blinds"))
    return results
