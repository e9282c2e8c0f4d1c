"""Policy networks in files, to be played with: ``network.npz`` in the folder of a run, and one that comes along.

    saved = saved_networks.load("runs/reinforce/full")       # or the path of a file, or load_shipped()
    match.play(game, [saved.player(), rival], key, params=[saved.params, None])

A file holds the parameters by name, and a line of JSON that says which network they are of.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

import jaxpoker
from jaxpoker.games.chicago import Chicago
from jaxpoker.models import chicagonet, observer
from jaxpoker.models.policy import PolicyNetwork
from jaxpoker.players import networks
from jaxpoker.players.contract import Player
from jaxpoker.runs.errors import RunError
from jaxpoker.runs.folder import write_whole

NETWORK_FILE = "network.npz"  # in a run's folder
SHIPPED = Path(__file__).resolve().parent.parent / "data" / "chicagonet.npz"
_ABOUT = "about"
_GAMES = ("chicago", "kuhn", "leduc")


@dataclasses.dataclass(frozen=True)
class SavedNetwork:
    """A network and what it plays."""

    game: str  # name
    params: Any
    sorts_hand: bool = True  # Chicago: it looks at the hand in order

    @property
    def network(self) -> PolicyNetwork:
        return network_of(self.game, self.sorts_hand)

    def player(self, name: str = "network", greedy: bool = False) -> Player:
        """The player that takes ``params``."""
        return networks.of_policy(self.network, name, greedy)


def network_of(game: str, sorts_hand: bool = True) -> PolicyNetwork:
    """The network that learns the game called ``game``."""
    if game == Chicago.name:
        return chicagonet.network(sorts_hand)
    return observer.network(jaxpoker.make(game))


def save(path: Path, saved: SavedNetwork, dtype: Any = np.float16) -> None:
    """Writes a file; numbers are kept as ``dtype``."""
    arrays: dict[str, Any] = {name: np.asarray(leaf, dtype) for name, leaf in _by_name(saved.params).items()}
    arrays[_ABOUT] = np.asarray(json.dumps({"game": saved.game, "sorts_hand": saved.sorts_hand}))
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_whole(path, content.getvalue())


def load(path: str | Path) -> SavedNetwork:
    """The network in a file, or in the folder of a run."""
    path = Path(path)
    file = path / NETWORK_FILE if path.is_dir() else path
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(str(arrays.pop(_ABOUT)))
        game, sorts_hand = about["game"], about["sorts_hand"]
    except FileNotFoundError as error:
        raise RunError(
            f"no network in {path}: give a {NETWORK_FILE}, or the folder of a reinforce run that has ended"
        ) from error
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise RunError(f"{file} is no network, or damaged ({error}): a reinforce run writes {NETWORK_FILE}") from error
    if game not in _GAMES:
        raise RunError(f"{file} plays {game!r}: networks play {', '.join(_GAMES)}")
    template = jax.eval_shape(network_of(game, sorts_hand).init, jax.random.key(0))
    shapes = {name: leaf.shape for name, leaf in _by_name(template).items()}
    found = {name: array.shape for name, array in arrays.items()}
    if shapes != found:
        raise RunError(f"{file} does not fit the network of {game}: it has {found}, not {shapes}")
    values = [jnp.asarray(arrays[name], jnp.float32) for name in shapes]
    return SavedNetwork(game, jax.tree.unflatten(jax.tree.structure(template), values), sorts_hand)


def load_shipped() -> SavedNetwork:
    """The network of Chicago that comes along."""
    return load(SHIPPED)


def _by_name(params: Any) -> dict[str, Any]:
    """Leaves by names like "first/kernel", in the order of ``jax.tree.leaves``."""
    pure = nnx.to_pure_dict(params)
    return {"/".join(str(key.key) for key in path): leaf for path, leaf in jax.tree.leaves_with_path(pure)}
