"""The networks, one module each: ``models.qnet.network(game)`` is what learners and players take of one."""

from __future__ import annotations

from jaxpoker.models import belief, chicagonet, observer, pokernet, qnet, responder, sizednet
from jaxpoker.models.belief import BeliefNet, BeliefNetwork
from jaxpoker.models.chicagonet import ChicagoNet
from jaxpoker.models.observer import Observer
from jaxpoker.models.pokernet import PokerNet
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.models.qnet import QNet, QNetwork
from jaxpoker.models.sizednet import SizedNet

__all__ = [
    "BeliefNet",
    "BeliefNetwork",
    "ChicagoNet",
    "Observer",
    "PokerNet",
    "PolicyNetwork",
    "QNet",
    "QNetwork",
    "SizedNet",
    "belief",
    "chicagonet",
    "observer",
    "pokernet",
    "qnet",
    "responder",
    "sizednet",
]
