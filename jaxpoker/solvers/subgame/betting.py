"""The betting tree of a spot: what both players may do from its street to the river, in chips.

    tree = betting.tree(spot)                      # a jaxpoker.solvers.tree.Tree: level order, lines, text
    print(tree.text())

Actions have numbers ("slots") that mean the same at every decision of a street: 0 fold, 1 check or call, 2 and on the
sizes of the menu in its order. A slot that would repeat the chips of another is not legal.

Payoffs are chips won less chips put in from the spot's street on, less half of the pot: without rake they sum to
zero, and a showdown pays half of the final pot one way or the other. An end on the turn that is no fold is an all-in:
the river is dealt and shown down.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from jaxpoker.games import bets
from jaxpoker.games.deals import showdown_orders
from jaxpoker.games.protocols import Stakes
from jaxpoker.solvers.subgame.menus import LAST_STREET, STREETS, Facing, Menu
from jaxpoker.solvers.subgame.spot import IP, OOP, Spot
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree
from jaxpoker.solvers.tree.chips import chips_at

MAX_NODES = 200_000
SEATS = 2


@dataclasses.dataclass(frozen=True)
class SpotGame:
    """What a ``Tree`` asks of its game: names."""

    num_actions: int
    name: str = "spot"
    num_players: int = SEATS
    zero_sum: bool = True
    street_names: tuple[str, ...] = STREETS

    @property
    def bet_menu(self) -> bets.BetMenu:
        """Sizes without names of their own: lines are written in chips."""
        sizes = tuple(bets.Size("pot") for _ in range(self.num_actions - bets.FIRST_SIZE))
        return bets.menu(sizes, sizes)

    def street(self, state: object) -> int:
        raise NotImplementedError("a spot is solved, not played")

    def action_text(self, action: int, street: int = 0) -> str:
        return ("fold", "check/call", "bet/raise")[min(action, bets.FIRST_SIZE)]


class _State(NamedTuple):
    """Where the betting stands: chips of the street so far and before it, who acts."""

    street: int
    player: int
    bets: tuple[float, float]
    before: float  # that each player put in on earlier streets of the tree
    raises: int  # bets and raises on this street
    called: bool  # oop called the last bet of the street before


class _After(NamedTuple):
    """What an action leads to."""

    kind: int
    state: _State
    payoffs: np.ndarray | None = None  # [outcomes, seats] of an end


@dataclasses.dataclass(frozen=True)
class _Rules:
    """The betting of one spot."""

    pot: float
    depth: float  # the most that a player can put in from the root's street on
    menu: Menu
    rake: float
    rake_cap: float

    def raises(self, at: _State) -> dict[int, float]:
        """Chips "to" by slot."""
        own, price = at.bets[at.player], max(at.bets)
        most = self.depth - at.before
        if at.raises >= self.menu.max_raises or price >= most:
            return {}
        least = min(max(2 * price - own, 1.0), most)
        pot = self.pot + 2 * at.before + sum(at.bets)
        facing = Facing(pot, price, own, least, most, LAST_STREET - at.street + 1)
        donk = at.called and at.player == OOP and at.raises == 0
        found = self.menu.raises(at.street, at.player, facing, donk)
        return {bets.FIRST_SIZE + place: to for place, to in found.items()}

    def choices(self, at: _State) -> dict[int, float]:
        """All actions: chips "to" by slot."""
        own, price = at.bets[at.player], max(at.bets)
        fold = {bets.FOLD: float(bets.FOLD_CHIPS)} if price > own else {}
        return {**fold, bets.CALL: price, **self.raises(at)}

    def after(self, at: _State, slot: int, to: float) -> _After:
        price, own = max(at.bets), at.bets[at.player]
        if slot == bets.FOLD:
            return _After(END, at, self._folded(at))
        new = (to, at.bets[IP]) if at.player == OOP else (at.bets[OOP], to)
        if slot != bets.CALL:
            return _After(DECISION, at._replace(player=1 - at.player, bets=new, raises=at.raises + 1))
        if price == own and at.player == OOP:  # the first check
            return _After(DECISION, at._replace(player=IP))
        closed = at._replace(bets=new, player=OOP)
        if at.street == LAST_STREET or at.before + price >= self.depth:
            return _After(END, closed, self._shown_down(at.before + price))
        called = price > own and at.player == OOP
        return _After(CHANCE, _State(at.street + 1, OOP, (0.0, 0.0), at.before + price, 0, called))

    def _taken(self, pot: float) -> float:
        rake = self.rake * pot
        return min(rake, self.rake_cap) if self.rake_cap else rake

    def _folded(self, at: _State) -> np.ndarray:
        """``at.player`` folds; a bet that nobody called goes back."""
        lost = at.before + at.bets[at.player]
        won = self.pot + lost - self._taken(self.pot + 2 * lost)
        pays = [won, won]
        pays[at.player] = -lost
        return np.tile(np.array(pays) - self.pot / 2, (3, 1))

    def _shown_down(self, each: float) -> np.ndarray:
        left = self.pot - self._taken(self.pot + 2 * each)
        win, tie, lose = left + each, left / 2, -each
        return np.array([[win, lose], [tie, tie], [lose, win]]) - self.pot / 2


def tree(spot: Spot, max_nodes: int = MAX_NODES) -> Tree:
    """The tree of ``spot``; refused with ``ValueError`` when it has too many nodes."""
    stacks = spot.stacks
    depth = min(bet + stack for bet, stack in zip(spot.bets, stacks, strict=True))
    rules = _Rules(spot.pot, depth, spot.menu, spot.rake, spot.rake_cap)
    made = sum(bet > 0 for bet in spot.bets)  # a raise over a bet is two
    if max(spot.bets) > depth:
        raise ValueError(f"a bet of {max(spot.bets):g} is more than the {depth:g} that the other can call")
    root = _State(spot.street, spot.to_act or 0, spot.bets, 0.0, made, False)
    longest = max((of.longest for both in spot.menu.choices for of in both), default=0)
    actions = bets.FIRST_SIZE + longest + 1
    grown = _grown(rules, root, actions, max_nodes)
    even = np.array([spot.pot - spot.pot // 2, spot.pot // 2])
    stakes = Stakes(np.array(stacks) + spot.bets + even, even, np.array(spot.bets))
    return Tree(
        SpotGame(actions, zero_sum=not spot.rake),  # type: ignore[arg-type]
        **grown,
        orders=showdown_orders(SEATS),
        stakes=Stakes(*(_whole(chips) for chips in stakes)),
    )


def put_in(tree: Tree, node: int) -> np.ndarray:
    """``[2]``: what each player has put in at ``node`` from the root's street on."""
    chips = chips_at(tree)
    return (chips.before[node] - chips.before[0] + chips.bets[node]).astype(np.float64)


def _whole(chips: np.ndarray) -> np.ndarray:
    """Whole numbers as integers."""
    return chips.astype(np.int32) if (chips == np.round(chips)).all() else chips


def _grown(rules: _Rules, root: _State, actions: int, max_nodes: int) -> dict[str, np.ndarray]:
    """The arrays of a ``Tree``: all nodes by (street, turn), as its docstring says."""
    rows: dict[str, list] = {name: [] for name in ("kind", "player", "street", "turn", "parent", "action", "payoffs")}
    to_of: list[np.ndarray] = []

    def add(kind: int, street: int, turn: int, parent: int, action: int, after: _After | None = None) -> int:
        number = len(to_of)
        if number >= max_nodes:
            raise ValueError(f"the tree has more than {max_nodes:,} nodes: take fewer bet sizes or a cap on raises")
        payoffs = np.zeros((3, SEATS)) if after is None or after.payoffs is None else after.payoffs
        player = after.state.player if after is not None and kind == DECISION else NONE
        for name, value in zip(rows, (kind, player, street, turn, parent, action, payoffs), strict=True):
            rows[name].append(value)
        to_of.append(np.zeros(actions))
        return number

    openings = [(_After(DECISION, root), NONE)]  # first states of a street, and the chance nodes before them
    street = root.street
    while openings:
        level = [(after, parent, NONE) for after, parent in openings]
        openings, turn = [], 0
        while level:
            decisions = [(after, add(DECISION, street, turn, parent, slot, after)) for after, parent, slot in level]
            after_level: dict[int, list[tuple[_After, int, int]]] = {DECISION: [], END: [], CHANCE: []}
            turn += 1
            for after, node in decisions:
                for slot, to in rules.choices(after.state).items():
                    to_of[node][slot] = to
                    follows = rules.after(after.state, slot, to)
                    after_level[follows.kind].append((follows, node, slot))
            for follows, node, slot in after_level[END]:
                add(END, street, turn, node, slot, follows)
            for follows, node, slot in after_level[CHANCE]:
                openings.append((follows._replace(kind=DECISION), add(CHANCE, street, turn, node, slot)))
            level = after_level[DECISION]
        street += 1
    return _arrays(rows, to_of, actions)


def _arrays(rows: dict[str, list], to_of: list[np.ndarray], actions: int) -> dict[str, np.ndarray]:
    types: dict[str, Any] = {
        "kind": np.int8,
        "player": np.int8,
        "street": np.int8,
        "turn": np.int16,
        "parent": np.int32,
    }
    types |= {"action": np.int16, "payoffs": np.float32}
    made = {name: np.asarray(values, types[name]) for name, values in rows.items()}
    children = np.full((len(to_of), actions), NONE, np.int32)
    for node, (parent, action) in enumerate(zip(made["parent"], made["action"], strict=True)):
        if parent != NONE:
            children[parent, max(action, 0)] = node
    return {**made, "children": children, "to": _whole(np.stack(to_of))}
