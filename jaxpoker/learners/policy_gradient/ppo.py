"""PPO (Schulman et al., 2017): an actor and a critic, at hold'em tables with bets of any size or in self-play.

The learner is that of ``learners/policy_gradient/reinforce.py`` with PPO's clipped ratio, several epochs over each
segment and generalised advantages. What a decision is, the network says: at hold'em tables chips
(``models/raise_sizes.py``), elsewhere an action.

In hold'em it spars (``learners/experience/sparring.py``) with rule players and past selves. A hand with 100 big blinds
in the pot weighs a hundred times one that is folded, so how often each opponent is met decides what is learned: one
policy meets all of them and cannot know at first whom. What can be won of random play is ten times what can be won of a
tight player, so the latter has to be met more often for both to be beaten.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxpoker import players
from jaxpoker.games.holdem import Holdem
from jaxpoker.learners.experience.sparring import Sparring
from jaxpoker.learners.policy_gradient.reinforce import Reinforce
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.players import networks

PAST_SELF = "past self"


@dataclasses.dataclass(frozen=True, eq=False)
class PPO(Reinforce):
    """The learner, with the settings that make it PPO."""

    discount: float = 1.0
    trace: float = 0.9
    normalises: bool = True
    clip: float | None = 0.2
    epochs: int = 2
    minibatches: int = 8


def sparring(
    game: Holdem, network: PolicyNetwork, opponents: Sequence[str], shares: Sequence[float], past_share: float
) -> Sparring:
    """Tables against rule players, met by their ``shares``, and in ``past_share`` of the hands against a past self."""
    rules = [players.make(name, game) for name in opponents]
    part = (1 - past_share) / max(sum(shares), 1e-9)
    past = networks.of_chips(network, PAST_SELF)
    return Sparring(game, (*rules, past), (*(part * share for share in shares), past_share))
