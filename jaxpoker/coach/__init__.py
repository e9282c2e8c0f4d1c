"""The coach: equity, pot odds and rollouts of a decision in heads-up hold'em, as a record, as text and as JSON.

    game = jaxpoker.make("holdem", menu="nine", stack=1000, small_blind=5, big_blind=10)
    coach = Coach(game)                                    # thinks that everybody plays as the shipped blueprint
    advice = coach.advise(state, hero, jax.random.key(0))
    print(text(advice))

It knows what the hero can know, and no more.
"""

from __future__ import annotations

from jaxpoker.coach.advice import IMPLIED, ROLLOUTS, Advice, Choice, Coach, Situation
from jaxpoker.coach.explanation import as_json, levels, text
from jaxpoker.coach.player_model import PlayerModel, named
from jaxpoker.coach.pot_odds import required_equity

__all__ = [
    "IMPLIED",
    "ROLLOUTS",
    "Advice",
    "Choice",
    "Coach",
    "PlayerModel",
    "Situation",
    "as_json",
    "levels",
    "named",
    "required_equity",
    "text",
]
