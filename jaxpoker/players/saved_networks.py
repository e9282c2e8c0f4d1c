"""Networks in files, to be played with: ``network.npz`` in the folder of a run, and those that come along.

    saved = saved_networks.load("runs/reinforce/full")       # or the path of a file, or load_shipped("chicagonet")
    match.play(game, [Entrant(saved.player(), saved.params), rival], key)

A file holds the parameters by name, and a line of JSON that says which network they are of: its kind, its game and its
options.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

import jaxpoker
from jaxpoker import core
from jaxpoker.errors import RunError
from jaxpoker.files import DATA, archives, write_whole
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import belief, chicagonet, observer, qnet, responder, sizednet
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.players import networks
from jaxpoker.players.contract import Player

NETWORK_FILE = "network.npz"  # in a run's folder
SHIPPED = ("chicagonet", "qnet", "sizednet")
POLICY, VALUES, CHIPS, BELIEF, RESPONSE = "policy", "values", "chips", "belief", "response"
_ABOUT = "about"
MOST_BYTES = 128 * archives.MB  # of all parameters of a network


class Kind(NamedTuple):
    """What networks there are."""

    games: tuple[str, ...]
    network: Callable[..., Any]  # (name of the game, **options) -> something with init(key)
    player: Callable[[SavedNetwork, str], Player]  # (the network in its file, name) -> who takes its params


def policy_network(game: str, sorts_hand: bool = True) -> PolicyNetwork:
    """The network that learns a policy of the game called ``game``."""
    if game == Chicago.name:
        return chicagonet.network(sorts_hand)
    return observer.network(jaxpoker.make(game))


def value_network(game: str, dueling: bool = False, layer_norm: bool = False) -> qnet.QNetwork:
    """The network that learns what actions of the game called ``game`` are worth; hold'em's with nine of them."""
    return qnet.network(jaxpoker.make(game), dueling, layer_norm)


def belief_network(game: str, **sizes: int) -> belief.BeliefNetwork:
    """The belief transformer of the game called ``game``; ``sizes`` are those of ``models.belief.Sizes``."""
    return belief.network(jaxpoker.make(game), belief.Sizes(**sizes))  # type: ignore[arg-type]


def chip_network(game: str) -> PolicyNetwork:
    """The network that learns how many chips to raise to."""
    return sizednet.network(jaxpoker.make(game))


def _table(game: str, menu: str) -> core.Game:
    """The game called ``game``; hold'em with that ``menu``."""
    return jaxpoker.make(game, **({"menu": menu} if menu else {}))


def response_network(game: str, learner: str, menu: str = "") -> qnet.QNetwork | PolicyNetwork:
    """The network that learns, by "dqn" or "ppo", what beats somebody at the game called ``game``; ``menu`` is the text
    of its bets in hold'em."""
    if learner not in ("dqn", "ppo"):
        raise ValueError(f"learner {learner!r}: there are dqn and ppo")
    table = _table(game, menu)
    return responder.values(table) if learner == "dqn" else responder.policy(table)


KINDS = {
    POLICY: Kind(
        ("chicago", "kuhn", "leduc"), policy_network, lambda saved, name: networks.of_policy(saved.network, name)
    ),
    VALUES: Kind(
        ("holdem", "leduc"),
        value_network,
        lambda saved, name: networks.of_values(saved.network, jaxpoker.make(saved.game), name),
    ),
    CHIPS: Kind(("holdem",), chip_network, lambda saved, name: networks.of_chips(saved.network, name)),
    BELIEF: Kind(("kuhn", "leduc"), belief_network, lambda saved, name: networks.of_policy(saved.network.policy, name)),
    RESPONSE: Kind(
        ("holdem", "leduc", "kuhn"),
        response_network,
        lambda saved, name: networks.responder(saved.network, _table(saved.game, saved.options.get("menu", "")), name),
    ),
}


@dataclasses.dataclass(frozen=True)
class SavedNetwork:
    """A network and what it plays."""

    game: str  # name
    params: Any
    kind: str = POLICY
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # of the kind's network

    @property
    def network(self) -> Any:
        return KINDS[self.kind].network(self.game, **self.options)

    def player(self, name: str = "network") -> Player:
        """The player that takes ``params``; in hold'em at any stacks, with the bet menu that it learned."""
        return KINDS[self.kind].player(self, name)


def save(path: Path, saved: SavedNetwork, dtype: Any = np.float16) -> None:
    """Writes a file; numbers are kept as ``dtype``, which has to hold them."""
    with np.errstate(over="ignore"):
        arrays: dict[str, Any] = {name: np.asarray(leaf, dtype) for name, leaf in _by_name(saved.params).items()}
    for name, array in arrays.items():
        if not are_finite_floats(array):
            raise RunError(
                f"cannot save the network {path}: its {name!r} has numbers that are not finite in {array.dtype}: "
                "train anew with a lower learning rate"
            )
    arrays[_ABOUT] = np.asarray(json.dumps({"game": saved.game, "kind": saved.kind, **saved.options}))
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_whole(path, content.getvalue())


def load(path: str | Path) -> SavedNetwork:
    """The network in a file, or in the folder of a run."""
    path = Path(path)
    file = path / NETWORK_FILE if path.is_dir() else path
    try:
        with archives.Archive(file, MOST_BYTES) as stored:
            return _loaded(file, stored)
    except FileNotFoundError as error:
        raise RunError(
            f"no network in {path}: give a {NETWORK_FILE}, or the folder of a run that has ended and made one"
        ) from error
    except OSError as error:
        raise RunError(f"cannot read the network {file}: {error.strerror or error}") from error
    except archives.Damaged as error:
        raise RunError(f"{file} is no network, or damaged ({error}): runs write {NETWORK_FILE}") from error


def _loaded(file: Path, stored: archives.Archive) -> SavedNetwork:
    """What ``save`` wrote. What it says of itself comes first, then the shapes, and the numbers last."""
    found = {name: shape for name, (shape, _) in stored.shapes().items()}
    if found.pop(_ABOUT, None) != ():
        raise archives.Damaged(f"it has no {_ABOUT!r}")
    options = archives.parsed(str(stored.array(_ABOUT)))
    if not isinstance(options, dict) or not {"game"} <= set(options):
        raise archives.Damaged("it does not say its game")
    game, kind = options.pop("game"), options.pop("kind", POLICY)
    if not isinstance(kind, str) or kind not in KINDS:
        raise RunError(f"{file} is a network of kind {kind!r}: there are {', '.join(KINDS)}")
    if game not in KINDS[kind].games:
        raise RunError(f"{file} plays {game!r}: networks of kind {kind!r} play {', '.join(KINDS[kind].games)}")
    try:
        network = KINDS[kind].network(game, **options)
    except (TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{file} has options {options} that a network of kind {kind!r} has not ({error})") from error
    template = jax.eval_shape(network.init, jax.random.key(0))
    shapes = {name: leaf.shape for name, leaf in _by_name(template).items()}
    if shapes != found:
        raise RunError(f"{file} does not fit the network of {game}: it has {found}, not {shapes}")
    values = []
    for name in shapes:
        array = stored.array(name)
        if not are_finite_floats(array):
            raise RunError(
                f"{file} has parameters {name!r} that are no finite floats ({array.dtype}): the run that made it went "
                "astray; train anew with a lower learning rate, or take an earlier checkpoint"
            )
        values.append(jnp.asarray(array, jnp.float32))
    return SavedNetwork(game, jax.tree.unflatten(jax.tree.structure(template), values), kind, options)


def are_finite_floats(array: np.ndarray) -> bool:
    """Whether all of an array are numbers of a network: floats that float32 can hold."""
    return array.dtype.kind == "f" and bool((np.abs(array) <= np.finfo(np.float32).max).all())


def load_shipped(name: str) -> SavedNetwork:
    """A network that comes along: "chicagonet" plays Chicago, "qnet" and "sizednet" heads-up hold'em."""
    if name not in SHIPPED:
        raise ValueError(f"no network {name!r} comes along: there are {', '.join(SHIPPED)}")
    return load(DATA / f"{name}.npz")


def _by_name(params: Any) -> dict[str, Any]:
    """Leaves by names like "first/kernel", in the order of ``jax.tree.leaves``."""
    pure = nnx.to_pure_dict(params)
    return {"/".join(str(key.key) for key in path): leaf for path, leaf in jax.tree.leaves_with_path(pure)}
