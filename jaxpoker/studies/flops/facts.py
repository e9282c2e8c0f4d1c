"""What is kept of each solved flop, as arrays of one shape for all flops: they share one betting tree.

layout = facts.layout_of(spot)
found = facts.of(solved, layout)          # Facts of one flop, without the axis F
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxpoker import cards
from jaxpoker.cards import NUM_CARDS
from jaxpoker.errors import RunError
from jaxpoker.files import archives, write_whole
from jaxpoker.games import bets
from jaxpoker.solvers.flops import SolvedFlop, card_reports
from jaxpoker.solvers.flops.solved import FLOP
from jaxpoker.solvers.spots import words
from jaxpoker.solvers.subgame import Spot, betting
from jaxpoker.solvers.subgame.menus import SEATS
from jaxpoker.solvers.tree import CHANCE, DECISION, Tree, lines

MOST_BYTES = 256 * archives.MB  # of a file of facts


class Facts(NamedTuple):
    """Of F flops; EVs in % of the pot that the street begins with, shares from 0 to 1, 0 where there is nothing."""

    quality: np.ndarray  # [F, 4] float32: EV of oop and ip, exploitability, iterations
    decisions: np.ndarray  # [F, K, 5 + A] float32: how often it comes to be, EVs, equities, and how often each action
    turns: np.ndarray  # [F, L, 52, 5 + 2 A] float32: likelihood, EVs, equities, actions of oop, of ip after a check

    @property
    def done(self) -> np.ndarray:
        """``[F]`` bool: flops that are solved."""
        return np.asarray(self.quality[:, 3] > 0)


class Layout(NamedTuple):
    """What the axes of ``Facts`` are."""

    decisions: tuple[str, ...]  # [K] lines of the flop, in words: "", "check", "bet 10", ...
    players: tuple[str, ...]  # [K] who acts
    actions: tuple[tuple[str, ...], ...]  # [K] names of actions
    dealt: tuple[str, ...]  # [L] lines after which a turn card comes, in words
    turn_actions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # [L] of oop, and of ip after a check

    @property
    def most(self) -> int:
        """A: the most actions of a decision."""
        of_turns = [len(names) for both in self.turn_actions for names in both]
        return max(max(map(len, self.actions)), *of_turns, 1)

    def empty(self, flops: int) -> Facts:
        """Of flops that are not solved."""
        wide = self.most
        return Facts(
            np.zeros((flops, 4), np.float32),
            np.zeros((flops, len(self.decisions), 5 + wide), np.float32),
            np.zeros((flops, len(self.dealt), NUM_CARDS, 5 + 2 * wide), np.float32),
        )


def layout_of(spot: Spot) -> Layout:
    """Of a spot on any flop."""
    tree = betting.tree(spot)
    nodes = tree.decisions(street=FLOP).tolist()
    after = [int(tree.children[node, 0]) for node in _deals(tree)]
    return Layout(
        tuple(words.line_of(tree, node) for node in nodes),
        tuple(SEATS[int(tree.player[node])] for node in nodes),
        tuple(words.action_names(tree, node) for node in nodes),
        tuple(words.line_of(tree, node).rstrip("; ") for node in after),
        tuple((words.action_names(tree, node), _after_check(tree, node)) for node in after),
    )


def _deals(tree: Tree) -> list[int]:
    deals: list[int] = np.flatnonzero((tree.kind == CHANCE) & (tree.street == FLOP)).tolist()
    return deals


def _after_check(tree: Tree, node: int) -> tuple[str, ...]:
    child = int(tree.children[node, bets.CALL])
    return words.action_names(tree, child) if tree.kind[child] == DECISION else ()


def of(solved: SolvedFlop, layout: Layout) -> Facts:
    """Facts of one flop, without the axis F."""
    wide, percent = layout.most, 100 / solved.spot.pot
    found = Facts(*(x[0] for x in layout.empty(1)))
    found.quality[:] = (*(percent * x for x in solved.ev), solved.exploitability_percent, solved.iterations)
    for place, row in enumerate(card_reports.flop_rows(solved)):
        found.decisions[place, :5] = (row.share, *(percent * x for x in row.ev), *row.equity)
        found.decisions[place, 5 : 5 + len(row.frequencies)] = row.frequencies
    by_line = card_reports.all_turn_rows(solved)
    for place, node in enumerate(_deals(solved.tree)):
        line = lines.sequence_of(solved.tree, int(solved.tree.children[node, 0]))
        for card in by_line[line]:
            into = found.turns[place, card.card]
            into[:5] = (card.times, *(100 * x / card.pot for x in card.ev), *card.equity)
            into[5 : 5 + len(card.oop)] = card.oop
            into[5 + wide : 5 + wide + len(card.ip)] = card.ip
    for array in found:
        np.nan_to_num(array, copy=False)
    return found


# --- files --------------------------------------------------------------------------------------


def fingerprint(said: Mapping[str, Any]) -> str:
    """Whose facts they are: of all settings that change them."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def save(path: Path, whose: str, boards: np.ndarray, facts: Facts) -> None:
    """Writes the facts of solved flops ``boards`` ``[F, 3]``."""
    content = io.BytesIO()
    done = facts.done
    arrays = {name: array[done] for name, array in facts._asdict().items()}
    np.savez_compressed(content, boards=boards[done], whose=np.array(whose), **arrays)
    write_whole(path, content.getvalue())


def load(path: Path, whose: str) -> dict[str, Facts]:
    """By flop as text; a file of another spot, or a damaged one, is refused."""
    try:
        with archives.Archive(path, MOST_BYTES) as file:
            arrays = file.arrays()
        facts = Facts(*(arrays[name] for name in Facts._fields))
        found = {cards.text(board): Facts(*(x[at] for x in facts)) for at, board in enumerate(arrays["boards"])}
    except (OSError, archives.Damaged, KeyError, IndexError, ValueError) as error:
        raise RunError(f"{path} is damaged ({error}): let its run finish again, or take another copy") from error
    if str(arrays["whose"]) != whose:
        raise RunError(f"{path} has flops of another spot or another target: name runs with the same settings")
    return found
