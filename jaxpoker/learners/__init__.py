"""Learners: ``init(key)``, ``update(state)``, ``evaluate(state, key)``; ``jaxpoker.runs`` drives them.

    game = jaxpoker.make("kuhn")
    learner = learners.PPO(game, observer.network(game), tables=256, turns=8)
    state = learner.init(jax.random.key(0))
    state, metrics = learner.update(state)

``README.md`` beside this file says which family is where. A learner is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxpoker.learners.belief.latent_search import Search
    from jaxpoker.learners.belief.learner import Belief
    from jaxpoker.learners.evolution.learner import PROTOCOLS, Evolution
    from jaxpoker.learners.evolution.pokernet_gradient import PokerNetGradient
    from jaxpoker.learners.experience.sparring import Sparring
    from jaxpoker.learners.policy_gradient.ppo import PPO
    from jaxpoker.learners.policy_gradient.reinforce import Reinforce
    from jaxpoker.learners.q_learning.double_dqn import DoubleDQN
    from jaxpoker.learners.q_learning.dqn import DQN, Phase

__all__ = [
    "DQN",
    "PPO",
    "PROTOCOLS",
    "Belief",
    "DoubleDQN",
    "Evolution",
    "Phase",
    "PokerNetGradient",
    "Reinforce",
    "Search",
    "Sparring",
]

_MODULES = {
    "Belief": "belief.learner",
    "DQN": "q_learning.dqn",
    "DoubleDQN": "q_learning.double_dqn",
    "Evolution": "evolution.learner",
    "PPO": "policy_gradient.ppo",
    "PROTOCOLS": "evolution.learner",
    "Phase": "q_learning.dqn",
    "PokerNetGradient": "evolution.pokernet_gradient",
    "Reinforce": "policy_gradient.reinforce",
    "Search": "belief.latent_search",
    "Sparring": "experience.sparring",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"jaxpoker.learners.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'jaxpoker.learners' has no attribute {name!r}: it has {', '.join(__all__)}")
