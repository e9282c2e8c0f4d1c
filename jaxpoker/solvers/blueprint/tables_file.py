"""A solver's tables as an HDF5 file, for other programs and for runs to start from (the extra ``hdf5``).

    tables_file.save("run.h5", solver.street_tables(state), tree, abstraction, {"algorithm": "dcfr"})
    found = tables_file.load("run.h5")                    # in float32, as they were: nothing is rounded
    found.blueprint().mix(0, "AhKh")                      # the average strategy
    state = solver.state_of(found.tables)                 # goes on from there

What is in it, and nothing is pickled:

    attributes      format, menu, stack, small_blind, big_blind, ante, casino_blind, tree (a digest), abstraction,
                    num_buckets [4], fingerprint (of the buckets), step, boards, and text such as algorithm
    key             [...] uint32, the key of the random draws; its attribute "implementation" says of what kind
    counts          [2, types, types] float32: the mean of all boards drawn, where a solver remembers them
    preflop, flop, turn, river
      regrets         [decisions, buckets, actions] float32, decisions in the order of the tree
      strategy_sums   [decisions, buckets, actions] float32: strategies times own reach; their proportions are the
                      average strategy
      weights         [decisions, buckets] float32: how often own cards and own play came there, in iterations
      legal           [decisions, actions] bool
      lines           [decisions] text: the betting that leads there, as ``tree/lines.py`` writes it
      seats           [decisions] int8: who decides

Arrays carry checksums, those of the compression. A street that nobody bets on has no decisions.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxpoker.errors import RunError
from jaxpoker.files import replacing
from jaxpoker.games.holdem import Holdem
from jaxpoker.games.holdem.table import STREETS
from jaxpoker.solvers import abstraction as abstractions
from jaxpoker.solvers.abstraction import CardAbstraction
from jaxpoker.solvers.blueprint.blueprint import RULES, Blueprint, solved_for
from jaxpoker.solvers.blueprint.storage import damaged
from jaxpoker.solvers.tree import Tree, build, lines
from jaxpoker.solvers.tree.street_tables import StreetTables

FORMAT = 1
SUFFIXES = (".h5", ".hdf5")
DENSE = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


@dataclasses.dataclass(frozen=True, eq=False)
class TablesFile:
    """What is in a file."""

    path: Path
    tables: StreetTables
    tree: Tree
    abstraction: CardAbstraction
    about: Mapping[str, str]  # what else was said when it was saved, such as the algorithm

    def blueprint(self) -> Blueprint:
        """The average strategy."""
        unused = self.abstraction.num_buckets[self.tree.num_streets :]
        nothing = [np.zeros((0, buckets, self.tree.num_actions), np.float32) for buckets in unused]
        return Blueprint(self.tree, self.abstraction, (*self.tables.strategy(self.tree), *nothing))


def require_extra() -> None:
    """Raises ``RunError`` where h5py is not installed."""
    if importlib.util.find_spec("h5py") is None:
        raise RunError("HDF5 files need h5py: pip install 'jaxpoker[hdf5]'")


def is_tables_file(path: str | Path) -> bool:
    """Whether its name says that it is one of these."""
    return Path(path).suffix.lower() in SUFFIXES


def save(
    path: str | Path, tables: StreetTables, tree: Tree, abstraction: CardAbstraction, about: Mapping[str, str]
) -> None:
    """Writes the tables of a solver of ``tree`` over ``abstraction`` as one file, whole or not at all.

    ``about``: what else the file is to say of them, by name.
    """
    require_extra()
    import h5py

    said = solved_for(tree, abstraction)
    with replacing(Path(path)) as unfinished, h5py.File(unfinished, "w") as file:
        file.attrs["format"] = FORMAT
        file.attrs["menu"], file.attrs["tree"] = said["menu"], said["tree"]
        file.attrs.update(said["rules"])
        file.attrs["abstraction"] = said["abstraction"]["name"]
        file.attrs["num_buckets"] = said["abstraction"]["num_buckets"]
        file.attrs["fingerprint"] = said["abstraction"]["fingerprint"]
        file.attrs["step"], file.attrs["boards"] = int(tables.step), float(tables.boards)
        file.create_group("about").attrs.update(about)
        key = file.create_dataset("key", data=np.asarray(jax.random.key_data(tables.key)), fletcher32=True, chunks=True)
        key.attrs["implementation"] = str(jax.random.key_impl(tables.key))
        _write(file, "counts", np.asarray(tables.counts))
        for street, weights in enumerate(tables.weights()):
            nodes, group = tree.decisions(street=street), file.create_group(STREETS[street])
            _write(group, "regrets", np.asarray(tables.regrets[street]))
            _write(group, "strategy_sums", np.asarray(tables.strategy_sums[street]))
            _write(group, "weights", weights.astype(np.float32))
            _write(group, "legal", tree.legal(nodes))
            _write(group, "seats", tree.player[nodes].astype(np.int8))
            text = [lines.sequence_of(tree, node) for node in nodes.tolist()]
            group.create_dataset("lines", data=text, dtype=h5py.string_dtype())


def _write(group: Any, name: str, array: np.ndarray) -> None:
    group.create_dataset(name, data=array, **(DENSE if array.size else {}))  # nothing to compress in nothing


def load(path: str | Path, abstraction: CardAbstraction | None = None, tree: Tree | None = None) -> TablesFile:
    """What is in a file; ``RunError`` where it is damaged or no such file.

    ``abstraction`` and ``tree`` are what it is for, made anew when None. Others than those in the file are refused.
    """
    path = Path(path)
    with _opened(path) as file:
        if file.attrs["format"] != FORMAT:
            raise RunError(f"{path} has format {file.attrs['format']}: this version of jaxpoker reads format {FORMAT}")
        menu, rules = str(file.attrs["menu"]), {name: file.attrs[name].item() for name in RULES}
        num_buckets = [int(number) for number in file.attrs["num_buckets"]]
        name, fingerprint = str(file.attrs["abstraction"]), str(file.attrs["fingerprint"])
        if tree is None:
            tree = build(Holdem(menu=menu, **rules))
        if abstraction is None:
            abstraction = abstractions.make(name, num_buckets)
        there = {
            "menu": menu,
            "rules": rules,
            "tree": str(file.attrs["tree"]),
            "abstraction": {"name": name, "num_buckets": num_buckets, "fingerprint": fingerprint},
        }
        _require_same(path, there, solved_for(tree, abstraction))
        tables = _tables(path, file, tree, abstraction)
        about = {name: str(value) for name, value in file["about"].attrs.items()}
    return TablesFile(path, tables, tree, abstraction, about)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The file; what goes wrong while it is read says that it is damaged."""
    require_extra()
    import h5py

    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    if not h5py.is_hdf5(path):
        raise RunError(f"{path} is no HDF5 file: name one that scripts/run solve --export made")
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise damaged(path, f"its tables cannot be read ({' '.join(str(error).split())})") from error


def _require_same(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """What a file is for is what it is to be used for."""
    if there["menu"] != here["menu"]:
        raise RunError(f"{path} is for the menu {there['menu']!r}, not {here['menu']!r}: take the menu of the file")
    for name, amount in there["rules"].items():
        if amount != here["rules"][name]:
            raise RunError(
                f"{path} is for a {name} of {amount} chips, not {here['rules'][name]}: take that of the file"
            )
    if there["abstraction"] != here["abstraction"]:
        one, other = ("{name} {num_buckets} {fingerprint}".format(**each["abstraction"]) for each in (there, here))
        raise RunError(f"{path} is for the buckets {one}, not {other}: take the card abstraction of the file")
    if there["tree"] != here["tree"]:
        raise RunError(f"{path} is of another betting tree of {there['menu']!r}: make it anew")


def _tables(path: Path, file: Any, tree: Tree, abstraction: CardAbstraction) -> StreetTables:
    regrets: list[Any] = []
    sums: list[Any] = []
    for street in range(tree.num_streets):
        group, decisions = file[STREETS[street]], len(tree.decisions(street=street))
        shape = (decisions, abstraction.num_buckets[street], tree.num_actions)
        for found, name in ((regrets, "regrets"), (sums, "strategy_sums")):
            array = group[name][...]
            if array.shape != shape or array.dtype != np.float32:
                raise damaged(path, f"its {name} of the {STREETS[street]} are {array.dtype}{list(array.shape)}")
            found.append(array)
    key = jax.random.wrap_key_data(file["key"][...], impl=str(file["key"].attrs["implementation"]))
    step: Any = np.asarray(file.attrs["step"], np.int32)
    boards: Any = np.asarray(file.attrs["boards"], np.float32)
    return StreetTables(step, key, tuple(regrets), tuple(sums), file["counts"][...], boards)
