"""Spots, and an oracle that shares nothing with the solver but the strategies that it is asked about."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from treys import Evaluator

from jaxpoker import cards, ranges
from jaxpoker.solvers import subgame
from jaxpoker.solvers.subgame import menus
from jaxpoker.solvers.tree import CHANCE, END, lines

REFERENCE = Path(__file__).parent / "reference_spots.json"
EVALUATOR = Evaluator()


class Oracle:
    """Values of a solved spot by loops over all pairs of hands and all river cards, with treys' evaluator and float64.

    Chips are counted from the bets on the way, not taken from the tree's payoffs.
    """

    def __init__(self, solved: subgame.Solved) -> None:
        self.solved, self.spot, self.tree = solved, solved.spot, solved.tree
        self.hands = [np.flatnonzero(weights > 0) for weights in self.spot.ranges]  # combos of each player
        self.weights = [self.spot.ranges[p][self.hands[p]].astype(float) for p in (0, 1)]
        ours, theirs = (ranges.COMBOS[hands] for hands in self.hands)
        self.apart = (ours[:, None, :, None] != theirs[None, :, None, :]).all(axis=(2, 3))  # [hands of 0, hands of 1]
        self._won: dict[tuple[int, ...], np.ndarray] = {}

    def won(self, board: tuple[int, ...]) -> np.ndarray:
        """[hands of 0, hands of 1]: 1, 0 or -1 for player 0."""
        if board not in self._won:
            table = cards.to_treys(board)
            strength = []
            for hands in self.hands:
                of = [(*ranges.COMBOS[h].tolist(),) for h in hands]
                dead = [bool({*h} & {*board}) for h in of]
                pairs = zip(of, dead, strict=True)
                strength.append(np.array([0 if d else -EVALUATOR.evaluate(table, cards.to_treys(h)) for h, d in pairs]))
            self._won[board] = np.sign(strength[0][:, None] - strength[1][None, :])
        return self._won[board]

    def strategy(self, node: int, card: int) -> np.ndarray:
        """[actions, hands of the player]"""
        view = self.solved.node(node, card)
        return view.strategy[:, self.hands[view.player]].astype(float)

    def values(self, player: int, node: int, reach: np.ndarray, best: bool, board: tuple[int, ...]) -> np.ndarray:
        """[hands of ``player``]: chips that it makes from the spot on, summed over the other's hands with ``reach``."""
        tree, kind = self.tree, self.tree.kind[node]
        if kind == CHANCE or (kind == END and not self._folded(node) and len(board) == 4):
            total = np.zeros(len(self.hands[player]))
            follow = int(tree.children[node, 0]) if kind == CHANCE else node
            for card in set(range(52)) - {*board}:
                holds = [(ranges.COMBOS[hands] == card).any(axis=1) for hands in self.hands]
                there = np.where(holds[1 - player], 0, reach)
                total += np.where(holds[player], 0, self.values(player, follow, there, best, (*board, card)))
            return total / 44
        if kind == END:
            return self._end(player, node, reach, board)
        slots = np.flatnonzero(tree.legal(node))
        card = board[-1] if len(board) > len(self.spot.board) else -1
        follows = [int(tree.children[node, slot]) for slot in slots]
        if tree.player[node] != player:
            played = self.strategy(node, card)
            return sum(
                self.values(player, child, reach * chance, best, board)
                for child, chance in zip(follows, played, strict=True)
            )
        worth = np.stack([self.values(player, child, reach, best, board) for child in follows])
        return worth.max(axis=0) if best else (worth * self.strategy(node, card)).sum(axis=0)

    def _folded(self, node: int) -> bool:
        return int(self.tree.action[node]) == 0

    def _end(self, player: int, node: int, reach: np.ndarray, board: tuple[int, ...]) -> np.ndarray:
        put_in, folded = self._put_in(node)
        matched = min(put_in)
        pot = self.spot.pot + 2 * matched
        rake = self.spot.rake * pot
        pot -= min(rake, self.spot.rake_cap) if self.spot.rake_cap else rake
        if folded is not None:
            share = np.full(self.apart.shape, float(folded != player))
        else:
            won = self.won(board) if player == 0 else -self.won(board)
            share = (1 + won) / 2
        payoff = np.where(self.apart, share * pot - matched, 0)
        return payoff @ reach if player == 0 else payoff.T @ reach

    def _put_in(self, node: int) -> tuple[list[float], int | None]:
        """Chips of both players from the spot's street on, and who has folded."""
        total, street = [0.0, 0.0], list(self.spot.bets)
        folded = None
        path = self.tree.path(node)
        for before, after in itertools.pairwise(path):
            if self.tree.kind[before] == CHANCE:
                total, street = [t + s for t, s in zip(total, street, strict=True)], [0.0, 0.0]
                continue
            actor, slot = int(self.tree.player[before]), int(self.tree.action[after])
            if slot == 0:
                folded = actor
            else:
                street[actor] = max(street) if slot == 1 else float(self.tree.to[before, slot])
        return [t + s for t, s in zip(total, street, strict=True)], folded

    @property
    def pairs(self) -> float:
        return float(self.weights[0] @ self.apart @ self.weights[1])

    def ev(self, player: int, best: bool = False) -> float:
        """Chips of ``player`` at the root, the pot and the bets already made included."""
        found = self.values(player, 0, self.weights[1 - player], best, tuple(self.spot.board))
        return float(self.weights[player] @ found / self.pairs) + self.spot.bets[player]

    def exploitability(self) -> float:
        return sum(self.ev(p, best=True) - self.ev(p) for p in (0, 1)) / 2

    def node_ev(self, player: int, line: str, card: int = -1) -> np.ndarray:
        """[hands]: EV of each hand of ``player`` at a node, as NodeView.ev defines it."""
        node = lines.node_of(self.tree, line)
        board = (*self.spot.board, card) if card >= 0 else tuple(self.spot.board)
        reach = self.solved.node(node, card).reach[1 - player][self.hands[1 - player]].astype(float)
        rivals = self.apart @ reach if player == 0 else self.apart.T @ reach
        put_in, _ = self._put_in(node)
        found = self.values(player, node, reach, False, board)
        return found / np.where(rivals > 0, rivals, np.nan) + put_in[player]


@pytest.fixture(scope="session")
def oracle() -> Callable[[subgame.Solved], Oracle]:
    return Oracle


@pytest.fixture(scope="session")
def reference() -> dict:
    """Spots with what an independent solver (b-inary's postflop-solver, Rust) found for them."""
    return json.loads(REFERENCE.read_text())


@pytest.fixture(scope="session")
def menu_of() -> Callable[..., menus.Menu]:
    """``menu_of("66%", "60%", max_raises=2)``: the same bets and raises for both players on all streets."""

    def make(bet: str, raise_: str = "", **options: float) -> menus.Menu:
        player = {"bet": bet, "raise": raise_}
        street = {"oop": player, "ip": player}
        return menus.parse({"turn": street, "river": street}, **options)

    return make


@pytest.fixture(scope="session")
def river_spot(menu_of) -> subgame.Spot:
    """Weights, ties, blockers: every rule of a river in a few hands."""
    return subgame.Spot(
        board="Ks 7h 3d 9h 2c",
        pot=100,
        stack=260,
        oop="AA:0.5, KQs, K7s:0.25, 99, 66, A5s, 54s:0.75, QJs",
        ip="AK:0.3, KJs, 77, 88, A4s, 65s, JTs, T8s:0.6",
        menu=menu_of("50%, 120%", "70%"),
    )


@pytest.fixture(scope="session")
def solved_river(river_spot) -> subgame.Solved:
    return subgame.solve(river_spot, iterations=30)


@pytest.fixture(scope="session")
def turn_spot(menu_of) -> subgame.Spot:
    """Clubs and spades can be exchanged on this board."""
    return subgame.Spot(
        board="Kh 7h 3d 9h", pot=100, stack=180, oop="KQs, 99, A5s:0.5", ip="AK:0.3, 88, JTs", menu=menu_of("75%", "a")
    )


@pytest.fixture(scope="session")
def solved_turn(turn_spot) -> subgame.Solved:
    return subgame.solve(turn_spot, iterations=12)
