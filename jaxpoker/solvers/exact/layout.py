"""Where everything of an exact game is: the index tables that sweeps over its tree read.

A player's information sets are its decisions times the columns (boards times hands) of their street, one *slot* each,
decision after decision. Values are kept in one array ``[rows, columns]`` for each group of ends, for the chance nodes
of each street and for each level of the player's own decisions; decisions of other players need none, because their
strategies are in the weights of the ends already.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np

from jaxpoker.games.deals import Deals, SeatDeals
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

Source = tuple[int, ...]  # an array of values in a sweep: (END, group), (CHANCE, street) or (DECISION, street, turn)


class Payoff(NamedTuple):
    """What ends pay one seat: a factor each, times the same for all of them."""

    factor: np.ndarray  # [t] float64
    of_hands: np.ndarray  # [boards, own hand, hands of the others, as one axis] float64: prior times payoff


class EndGroup(NamedTuple):
    """Ends of one street that pay alike but for a factor: all folds, say, or all showdowns between the same seats."""

    street: int
    ends: np.ndarray  # [t] nodes
    payoffs: tuple[tuple[Payoff, ...], ...]  # per seat: they add up


class Gather(NamedTuple):
    """Rows of an array of values that belong to each action of each decision of a level."""

    source: Source
    rows: np.ndarray  # [j, actions, n] or, after a chance node or at the root, [j, n] int32; one past the end: nothing


class DecisionLevel(NamedTuple):
    """All decisions of one player on one turn of one street."""

    street: int
    turn: int
    nodes: np.ndarray  # [n]
    slots: slice
    gathers: tuple[Gather, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Side:
    """The tables of one player."""

    player: int
    nodes: np.ndarray  # [n] its decisions, in order
    num_slots: int
    legal: np.ndarray  # [actions, slots] bool
    row_of_slot: np.ndarray  # [slots] int32 into a strategy table; NONE for a hand that the board rules out
    own_path: np.ndarray  # [k, slots] int32: own actions before each slot, into the flat strategy and a final 1
    end_paths: tuple[np.ndarray, ...]  # per group of ends [k, t, columns] int32, likewise
    levels: tuple[DecisionLevel, ...]  # last street first, last turn first
    chance: dict[int, tuple[Gather, ...]]  # per street that a chance node ends: what follows, rows [j, n]
    root: tuple[Gather, ...]  # the player's first decisions and the ends before them, rows [j, 1]


def end_groups(tree: Tree, deals: Deals | SeatDeals) -> list[EndGroup]:
    """The ends of each street, grouped by what they pay."""
    if isinstance(deals, SeatDeals):
        return _end_groups_of_seats(tree, deals)
    groups = []
    for s, street in enumerate(deals.streets[: tree.num_streets]):
        ends = tree.ends(s)
        pays_seat_0 = tree.payoffs_of(0)[ends]  # [t, outcomes]
        factor = np.abs(pays_seat_0).max(axis=1).astype(np.float64)
        factor = np.where(factor > 0, factor, 1.0) * np.where(pays_seat_0[:, 0] < 0, -1, 1)
        shape = np.round(pays_seat_0 / factor[:, None], 7) + 0.0
        for pays in np.unique(shape, axis=0):
            mine = (shape == pays).all(axis=1)
            payoff = pays[0] * street.win + pays[1] * street.tie + pays[2] * street.lose
            seats = (payoff, -payoff.swapaxes(1, 2))
            groups.append(EndGroup(s, ends[mine], tuple((Payoff(factor[mine], each),) for each in seats)))
    return groups


def _end_groups_of_seats(tree: Tree, deals: SeatDeals) -> list[EndGroup]:
    """Likewise for any number of seats. What an end pays a seat is the least of it, whoever wins, and from there on up
    to the most; ends whose seats all rise alike are a group.
    """
    groups = []
    for s, street in enumerate(deals.streets[: tree.num_streets]):
        ends = tree.ends(s)
        pays = tree.payoffs[ends].astype(np.float64)  # [t, outcomes, seats]
        possible = street.chances.reshape(len(street.chances), -1).any(axis=1)
        pays[:, ~possible] = pays[:, possible][:, :1]  # nobody is paid there
        least, rise = pays.min(axis=1), np.ptp(pays, axis=1)  # [t, seats]
        shape = np.round((pays - least[:, None]) / np.where(rise > 0, rise, 1)[:, None], 7) + 0.0
        kinds, kind = np.unique(shape.reshape(len(ends), -1), axis=0, return_inverse=True)
        for which, rises in enumerate(kinds.reshape(len(kinds), *shape.shape[1:])):
            mine = kind.reshape(-1) == which
            payoffs = []
            for seat in range(tree.num_seats):
                parts = [Payoff(least[mine, seat], _own_hand_first(street.prior, seat))]
                if rises[:, seat].any():
                    risen = np.tensordot(rises[:, seat], street.chances, axes=1)
                    parts.append(Payoff(rise[mine, seat], _own_hand_first(risen, seat)))
                payoffs.append(tuple(parts))
            groups.append(EndGroup(s, ends[mine], tuple(payoffs)))
    return groups


def _own_hand_first(chances: np.ndarray, seat: int) -> np.ndarray:
    """``[boards, own hand, hands of the others in order]`` of chances ``[boards, hand of seat 0, of seat 1, ...]``."""
    boards, hands = chances.shape[:2]
    return np.moveaxis(chances, 1 + seat, 1).reshape(boards, hands, -1)


def side_of(
    player: int, tree: Tree, deals: Deals | SeatDeals, groups: tuple[EndGroup, ...], rows: dict[int, np.ndarray]
) -> Side:
    nodes = tree.decisions(player)
    widths = np.array([deals.streets[s].columns for s in tree.street[nodes]], np.int32)
    first_slot = np.cumsum(widths) - widths
    num_slots = int(widths.sum())
    slots = {int(n): slice(int(at), int(at + width)) for n, at, width in zip(nodes, first_slot, widths, strict=True)}
    nothing = tree.num_actions * num_slots  # the index of the final 1

    def path(node: int) -> list[np.ndarray]:
        """Own actions before ``node``, each as indices [columns] into the flat strategy."""
        return [
            tree.action[child] * num_slots
            + slots[at].start
            + deals.columns_before(int(tree.street[node]), int(tree.street[at]))
            for at, child in itertools.pairwise(tree.path(node))
            if tree.player[at] == player
        ]

    def paths(ends: np.ndarray, columns: int) -> np.ndarray:
        each = [path(int(end)) for end in ends]
        table = np.full((max(map(len, each)), len(ends), columns), nothing, np.int32)
        for e, steps in enumerate(each):
            for k, step in enumerate(steps):
                table[k, e] = step
        return table

    own = [path(int(node)) for node in nodes]
    own_path = np.full((max(map(len, own), default=0), num_slots), nothing, np.int32)
    for node, steps in zip(nodes.tolist(), own, strict=True):
        for k, step in enumerate(steps):
            own_path[k, slots[node]] = step

    legal = np.zeros((tree.num_actions, num_slots), bool)
    row_of_slot = np.full(num_slots, NONE, np.int32)
    for node in nodes.tolist():
        legal[:, slots[node]] = tree.legal(node)[:, None]
        row_of_slot[slots[node]] = rows[node]

    places = _places(player, tree, groups)
    keys = sorted({(int(tree.street[n]), int(tree.turn[n])) for n in nodes}, reverse=True)
    levels = []
    for street, turn in keys:
        here = nodes[(tree.street[nodes] == street) & (tree.turn[nodes] == turn)]
        following = [_following(player, tree, int(child)) for child in tree.children[here].T.reshape(-1)]
        span = slice(slots[int(here[0])].start, slots[int(here[-1])].stop)
        levels.append(DecisionLevel(street, turn, here, span, _gathers(following, places, tree.num_actions, len(here))))
    chance = {}
    for street in range(tree.first_street, tree.num_streets - 1):
        starts = tree.children[(tree.kind == CHANCE) & (tree.street == street), 0]
        chance[street] = _gathers([_following(player, tree, int(n)) for n in starts], places, len(starts))
    return Side(
        player=player,
        nodes=nodes,
        num_slots=num_slots,
        legal=legal,
        row_of_slot=row_of_slot,
        own_path=own_path,
        end_paths=tuple(paths(group.ends, deals.streets[group.street].columns) for group in groups),
        levels=tuple(levels),
        chance=chance,
        root=_gathers([_following(player, tree, 0)], places, 1),
    )


def _places(player: int, tree: Tree, groups: tuple[EndGroup, ...]) -> dict[Source, dict[int, int]]:
    """Where a sweep keeps the value of each node: for each of its arrays, the row of each node in it."""
    sources: dict[Source, np.ndarray] = {(END, g): group.ends for g, group in enumerate(groups)}
    for street in range(tree.num_streets):
        on_street = tree.street == street
        sources[CHANCE, street] = np.nonzero((tree.kind == CHANCE) & on_street)[0]
        mine = tree.decisions(player, street)
        for turn in np.unique(tree.turn[mine]).tolist():
            sources[DECISION, street, turn] = mine[tree.turn[mine] == turn]
    return {source: {node: row for row, node in enumerate(nodes.tolist())} for source, nodes in sources.items()}


def _following(player: int, tree: Tree, node: int) -> list[int]:
    """The first nodes from ``node`` on, itself included, that are no decision of another player."""
    if node == NONE:
        return []
    if tree.kind[node] != DECISION or tree.player[node] == player:
        return [node]
    return [found for child in tree.children[node] for found in _following(player, tree, int(child))]


def _gathers(following: list[list[int]], places: dict[Source, dict[int, int]], *shape: int) -> tuple[Gather, ...]:
    """How to add up the values of each of the lists of nodes in ``following``; there are as many as ``shape`` says."""
    gathers = []
    for source, row_of in places.items():
        found = [[row_of[node] for node in nodes if node in row_of] for nodes in following]
        rows = np.full((max(map(len, found)), len(following)), len(row_of), np.int32)
        for i, these in enumerate(found):
            rows[: len(these), i] = these
        if rows.size:
            gathers.append(Gather(source, rows.reshape(-1, *shape)))
    return tuple(gathers)
