"""Betting trees as the content of a file: building one takes seconds, reading one a moment.

content = tree_file.packed(tree)
tree_file.unpacked(tree.game, content)                  # the same tree
"""

from __future__ import annotations

import dataclasses
import io
import zipfile
import zlib

import numpy as np

from jaxpoker import core
from jaxpoker.games.protocols import Stakes
from jaxpoker.solvers.tree.public_tree import Tree

_STAKES = "stakes_"  # before the names of what is in ``Stakes``
_ARRAYS = tuple(field.name for field in dataclasses.fields(Tree) if field.name not in ("game", "stakes"))
_OF_STAKES = Stakes._fields


def packed(tree: Tree) -> bytes:
    """All arrays of the tree."""
    arrays = {name: getattr(tree, name) for name in _ARRAYS}
    if tree.stakes is not None:
        arrays |= {_STAKES + name: np.asarray(getattr(tree.stakes, name)) for name in _OF_STAKES}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def unpacked(game: core.Game, content: bytes) -> Tree:
    """The tree of ``game`` that ``packed`` made ``content`` of; ``ValueError`` if it is damaged."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in _ARRAYS}
            stakes = {name: file[_STAKES + name] for name in _OF_STAKES if _STAKES + name in file.files}
        return Tree(game, **arrays, stakes=Stakes(**stakes) if stakes else None)
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise ValueError(f"no betting tree: {error}") from error
