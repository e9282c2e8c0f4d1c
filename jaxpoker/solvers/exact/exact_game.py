"""A game as an exact solver sees it: a betting tree, all deals, and tables of where everything is.

    leduc = exact_game.whole(jaxpoker.make("leduc"))
    after_a_king = leduc.below(node, board=4, ranges=(first, second))       # the subgame after a betting and a board

A strategy is a table ``[rows, actions]`` for all players, a row being an information set in the game's own order
(``game.infoset_index``, as in Kuhn and Leduc), or else decision * columns + column: in hold'em before the flop
decision * 169 + class of hand. A solver keeps one player's part of it as ``[actions, slots]`` (``exact/layout.py``). A
subgame of a game has the rows of the game.

It keeps the contract of ``solvers/sweep.py``. ``_reach_ends`` says how likely a player's own actions are to lead to
each end of the game: a product along the path. ``_sweep`` goes backwards level by level, from these to the values of
all information sets of the other player. ``choose`` says how the value of a decision follows from those of its actions:
it is their mean under a strategy, or the best of them.

    value of an end for hand i of the sweeping player = sum over hands j of the other: payoff[i, j] prior[i, j] reach[j]

With three and more seats j stands for the hands of all others, and reach[j] is the product of theirs; where two-seat
games take the other's strategy, these take a tuple of all seats' strategies, of which the own one is not read.

As prior and reach are weights, the values are counterfactual: sums over deals, to be added up and never divided.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import core
from jaxpoker.games.deals import Deals, SeatDeals
from jaxpoker.games.protocols import BoardGame, DealtGame, InfosetGame
from jaxpoker.solvers import tree as trees
from jaxpoker.solvers.exact import layout
from jaxpoker.solvers.exact.layout import EndGroup, Gather, Side, Source
from jaxpoker.solvers.regret import Lock, Locks, uniform
from jaxpoker.solvers.sweep import PLAYERS, Others, Response, Swept
from jaxpoker.solvers.tree import CHANCE, DECISION, END, NONE, Tree

Array = jax.Array
Worth = Callable[[Array, slice], Array]  # values [actions, slots] of the actions at some slots -> [slots]
DecisionRows = dict[int, np.ndarray]  # by decision [columns]: rows of a table; NONE for hands that cannot be held
Ranges = Sequence[np.ndarray]  # two of [hands]: how likely each player is to hold each hand, up to a factor


@dataclasses.dataclass(frozen=True, eq=False)
class ExactGame:
    """See the module's docstring; ``whole``, ``from_state`` and ``below`` make one."""

    game: core.Game
    tree: Tree
    deals: Deals | SeatDeals
    num_rows: int
    row_text: Callable[[int], str]
    groups: tuple[EndGroup, ...]
    sides: tuple[Side, ...]

    @property
    def num_actions(self) -> int:
        return self.tree.num_actions

    @property
    def num_hands(self) -> int:
        return len(self.deals.hands)

    @property
    def num_seats(self) -> int:
        return len(self.sides)

    def require_two_players(self, what: str) -> None:
        """``ValueError`` for a game of more seats."""
        self.tree.require_two_players(what)

    # --- strategies -----------------------------------------------------------------------------

    def uniform(self) -> np.ndarray:
        """``[rows, actions]`` float32: all legal actions equally likely."""
        return uniform(self.legal_rows().T).T.astype(np.float32)

    def legal_rows(self) -> np.ndarray:
        """``[rows, actions]`` bool; a row that this game never comes to has no legal action."""
        legal = np.zeros((self.num_rows, self.num_actions), bool)
        for side in self.sides:
            real = side.row_of_slot != NONE
            legal[side.row_of_slot[real]] = side.legal[:, real].T
        return legal

    def part(self, player: int, table: Array) -> Array:
        """A player's part ``[actions, slots]`` of a strategy table ``[rows, actions]``."""
        side = self.sides[player]
        even = side.legal / side.legal.sum(axis=0)
        ruled_out = side.row_of_slot == NONE
        return jnp.where(ruled_out, jnp.asarray(even, table.dtype), table[np.maximum(side.row_of_slot, 0)].T)

    def table(self, strategies: tuple[Array, ...]) -> Array:
        """The strategy table ``[rows, actions]`` of all players' ``[actions, slots]``."""
        table = jnp.zeros((self.num_rows, self.num_actions), strategies[0].dtype)
        for side, strategy in zip(self.sides, strategies, strict=True):
            real = np.nonzero(side.row_of_slot != NONE)[0]
            table = table.at[side.row_of_slot[real]].set(strategy[:, real].T)
        return table

    def locks(self, held: np.ndarray, table: Array) -> Locks:
        """Locks of the rows that are ``held`` ``[rows]`` bool, at what ``table`` ``[rows, actions]`` plays there."""
        held, table = np.asarray(held, bool), jnp.asarray(table)
        if held.shape != (self.num_rows,) or table.shape != (self.num_rows, self.num_actions):
            raise ValueError(
                f"a lock of {self.game.name} is [{self.num_rows}] rows and a table [{self.num_rows}, "
                f"{self.num_actions}], not {list(held.shape)} and {list(table.shape)}"
            )

        def of(player: int) -> Lock | None:
            rows = self.sides[player].row_of_slot
            slots = held[rows] & (rows != NONE)
            return Lock(jnp.asarray(slots), self.part(player, table)) if slots.any() else None

        return tuple(of(player) for player in range(self.num_seats))

    # --- the contract of solvers/sweep.py -------------------------------------------------------

    def legal(self, player: int) -> np.ndarray:
        """``[actions, slots]`` bool."""
        return self.sides[player].legal

    def values(self, player: int, dealt: None, own: Array, other: Others) -> Swept:
        """What each action of ``player`` is worth ``[actions, slots]`` and the whole game ``[]``."""
        values, whole = self._sweep(player, self._reach_of_others(player, other), _mean_under(own))
        return Swept(whole, values)

    def own_reach(self, player: int, dealt: None, own: Array) -> Array:
        """``[slots]``: how likely the player's own actions are to lead to each of its information sets."""
        return _path_product(own, self.sides[player].own_path)

    def respond(self, player: int, dealt: None, other: Others) -> Response:
        """The best response of ``player``: its value and its pure strategy ``[actions, slots]``."""
        legal = self.sides[player].legal
        values, whole = self._sweep(player, self._reach_of_others(player, other), _best_of(legal))
        choice = jnp.argmax(jnp.where(legal, values, -jnp.inf), axis=0)  # [slots]
        return Response(whole, (choice == np.arange(self.num_actions)[:, None]).astype(values.dtype))

    def _reach_of_others(self, player: int, other: Others) -> list[Array]:
        """Per group of ends ``[t, boards, hands of the others, as one axis]``: how likely the actions of all others
        are to lead there.
        """
        others = [seat for seat in range(self.num_seats) if seat != player]
        strategies = dict(zip(others, [other], strict=True)) if isinstance(other, jax.Array) else other
        groups = []
        for g, group in enumerate(self.groups):
            boards = group.payoffs[player][0].of_hands.shape[0]
            together: Array | None = None
            for seat in others:
                reach = _path_product(strategies[seat], self.sides[seat].end_paths[g])
                reach = reach.reshape(len(group.ends), boards, self.num_hands)
                if together is not None:
                    reach = (together[..., None] * reach[:, :, None]).reshape(*reach.shape[:2], -1)
                together = reach
            assert together is not None
            groups.append(together)
        return groups

    def _sweep(self, player: int, reach: list[Array], choose: Worth) -> tuple[Array, Array]:
        """What each action of ``player`` is worth ``[actions, slots]`` and the whole game ``[]``, when the others'
        actions lead to the ends as ``_reach_of_others`` says. Values of actions that are not legal are 0.
        """
        side = self.sides[player]
        values: dict[Source, Array] = {}  # [rows, columns] each
        for g, (group, weights) in enumerate(zip(self.groups, reach, strict=True)):
            values[END, g] = _end_values(group, player, weights)
        of_actions = [jnp.zeros((self.num_actions, 0), reach[0].dtype)]
        for street in reversed(range(self.tree.first_street, self.tree.num_streets)):
            for level in side.levels:
                if level.street == street:
                    worth = _gather(level.gathers, values)  # [actions, n, columns]
                    of_actions.append(worth.reshape(len(worth), -1))
                    chosen = choose(of_actions[-1], level.slots)
                    values[DECISION, street, level.turn] = chosen.reshape(worth.shape[1:])
            if street > self.tree.first_street:
                values[CHANCE, street - 1] = self._over_boards(street, _gather(side.chance[street - 1], values))
        return jnp.concatenate(of_actions[::-1], axis=1), _gather(side.root, values).sum()

    def _over_boards(self, street: int, values: Array) -> Array:
        """Values ``[n, columns]`` where ``street`` begins, summed over the boards that continue each one before."""
        from_board, before = self.deals.streets[street].from_board, len(self.deals.streets[street - 1].boards)
        by_board = values.reshape(-1, len(from_board), self.num_hands)
        sums = [by_board[:, from_board == board].sum(axis=1) for board in range(before)]
        return jnp.concatenate(sums, axis=1)

    # --- subgames -------------------------------------------------------------------------------

    def below(self, node: int, board: int = 0, ranges: Ranges | None = None) -> ExactGame:
        """The subgame from decision ``node`` on with the street's board number ``board`` open, when both players come
        there with hands in proportion to ``ranges`` (two of ``[hands]``; all alike when None).

        Its rows are the rows of this game, so that what it solves can be put into this game's table.
        """
        self.require_two_players("a subgame with ranges")
        assert isinstance(self.deals, Deals)
        tree, nodes = trees.below(self.tree, node)
        first = tree.first_street
        deals = self.deals.given(first, board, ranges)
        rows: DecisionRows = {}
        for player in PLAYERS:
            side, slot = self.sides[player], 0
            own = {}
            for at in side.nodes.tolist():
                width = self.deals.streets[int(self.tree.street[at])].columns
                own[at] = side.row_of_slot[slot : slot + width]
                slot += width
            for place in tree.decisions(player).tolist():
                kept = self._columns_from(first, board, int(tree.street[place]))
                rows[place] = own[int(nodes[place])][kept]
        return _assembled(self.game, tree, deals, rows, self.num_rows, self.row_text)

    def _columns_from(self, first: int, board: int, street: int) -> np.ndarray:
        """The columns of ``street`` whose board continues ``board`` of street ``first``."""
        at_first = self.deals.columns_before(street, first) // self.num_hands
        return np.flatnonzero(at_first == board)


# --- making one ---------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def whole(game: core.Game) -> ExactGame:
    """The whole of a game whose deals are known: Kuhn, Leduc, one of your own (``games/protocols.py``), or
    hold'em with a menu whose betting ends before the flop. Others are refused.
    """
    deals, tree = _deals_of(game), trees.build(game)
    _require_dealt(game, tree, deals)
    return _assembled(game, tree, deals, *_numbered(game, tree, deals))


def from_state(game: core.Game, state: Any, ranges: Ranges | None = None) -> ExactGame:
    """The game from the public ``state`` of a table on, when both players hold hands in proportion to ``ranges`` (two
    of ``[hands]``; all alike when None). Its rows are decision * columns + column.
    """
    tree = trees.build(game, state)
    tree.require_two_players("a subgame with ranges")
    deals = _deals_of(game)
    assert isinstance(deals, Deals)
    _require_dealt(game, tree, deals)
    board = int(game.board_number(state)) if isinstance(game, BoardGame) else 0
    deals = deals.given(tree.first_street, board, ranges)
    return _assembled(game, tree, deals, *_by_decision(tree, deals))


def _deals_of(game: core.Game) -> Deals | SeatDeals:
    if not isinstance(game, DealtGame):
        raise ValueError(f"exact solving of {game.name} needs its deals: give it all_deals (games/protocols.py)")
    return game.all_deals()


def _require_dealt(game: core.Game, tree: Tree, deals: Deals | SeatDeals) -> None:
    if not game.zero_sum:
        tree.require_two_players("exact solving")
    if tree.num_streets > len(deals.streets):
        raise ValueError(
            f"exact solving of {game.name} needs a menu whose betting ends before the flop, such as 'push/fold': "
            "this one goes on to later streets"
        )
    if tree.kind[0] == END:
        raise ValueError(f"nobody has a decision in this {game.name}: blinds and antes put the first player all-in")


def _assembled(
    game: core.Game,
    tree: Tree,
    deals: Deals | SeatDeals,
    rows: DecisionRows,
    num_rows: int,
    row_text: Callable[[int], str],
) -> ExactGame:
    groups = tuple(layout.end_groups(tree, deals))
    sides = tuple(layout.side_of(player, tree, deals, groups, rows) for player in range(tree.num_seats))
    return ExactGame(game, tree, deals, num_rows, row_text, groups, sides)


def _numbered(game: core.Game, tree: Tree, deals: Deals | SeatDeals) -> tuple[DecisionRows, int, Callable[[int], str]]:
    """Rows of each decision, how many there are, and their names, as the game numbers them if it does."""
    if not isinstance(game, InfosetGame):
        return _by_decision(tree, deals)
    rows = {}
    for player in range(tree.num_seats):
        examples, column = deals.examples[player]
        nodes = tree.decisions(player)
        index = np.asarray(_infosets(game, jnp.asarray(tree.paths(nodes)), examples, player))  # [n, examples]
        for node, found in zip(nodes.tolist(), index, strict=True):
            street = int(tree.street[node])
            rows[node] = np.full(deals.streets[street].columns, NONE)
            rows[node][deals.columns_before(len(deals.streets) - 1, street)[column]] = found
    return rows, game.num_infosets, game.infoset_text


def _by_decision(tree: Tree, deals: Deals | SeatDeals) -> tuple[DecisionRows, int, Callable[[int], str]]:
    """Likewise, decision after decision with all columns of their streets."""
    decisions, hands = tree.decisions(), len(deals.hands)
    widths = np.array([deals.streets[street].columns for street in tree.street[decisions]])
    first = np.cumsum(widths) - widths

    def name(row: int) -> str:
        decision = int(np.searchsorted(first, row, side="right")) - 1
        node = int(decisions[decision])
        board, hand = divmod(row - int(first[decision]), hands)
        opened = deals.streets[int(tree.street[node])].boards[board]
        cards = f"{deals.hands[hand]} | {opened}" if opened else deals.hands[hand]
        return f"{cards} | {tree.line_text(node)}".rstrip()

    rows = {int(node): at + np.arange(width) for node, at, width in zip(decisions, first, widths, strict=True)}
    return rows, int(widths.sum()), name


@functools.partial(jax.jit, static_argnums=(0, 3))
def _infosets(game: Any, paths: Array, deals: Any, player: int) -> Array:
    """``[n, examples]``: the game's number of each information set, at the end of ``paths`` ``[n, length]``."""

    def at(path: Array, deal: Any) -> Array:
        return game.infoset_index(trees.replay(game, path, deal), player)

    return jax.vmap(jax.vmap(at, in_axes=(None, 0)), in_axes=(0, None))(paths, deals)


# --- sums ---------------------------------------------------------------------------------------


def _mean_under(strategy: Array) -> Worth:
    """A decision is worth the mean of its actions under ``strategy`` ``[actions, slots]``."""
    return lambda values, slots: (values * strategy[:, slots]).sum(axis=0)


def _best_of(legal: np.ndarray) -> Worth:
    """A decision is worth its best action among the ``legal`` ``[actions, slots]``."""
    return lambda values, slots: jnp.where(legal[:, slots], values, -jnp.inf).max(axis=0)


def _path_product(strategy: Array, path: np.ndarray) -> Array:
    """Products of the strategy's entries along paths ``[k, ...]``; index actions * slots stands for 1."""
    flat = jnp.concatenate([strategy.reshape(-1), jnp.ones(1, strategy.dtype)])
    return flat[path].prod(axis=0)


def _end_values(group: EndGroup, player: int, reach: Array) -> Array:
    """``[t, columns]``: what the ends are worth to ``player``'s hands when the others get there with ``reach`` ``[t,
    boards, hands of the others]``.
    """
    precision = jax.lax.Precision.HIGHEST  # accelerators would round to fewer bits
    total: Array | float = 0.0
    for factor, of_hands in group.payoffs[player]:
        worth = jnp.einsum("tbj,bij->tbi", reach, jnp.asarray(of_hands, reach.dtype), precision=precision)
        total = total + worth * jnp.asarray(factor, reach.dtype)[:, None, None]
    assert isinstance(total, jax.Array)
    return total.reshape(len(total), -1)


def _gather(gathers: tuple[Gather, ...], values: dict[Source, Array]) -> Array:
    """Sums of the rows that belong together: ``[..., columns]``."""
    total: Array | float = 0.0
    for source, rows in gathers:
        found = values[source]
        found = jnp.concatenate([found, jnp.zeros((1, found.shape[1]), found.dtype)])
        for these in rows:
            total = total + found[these]
    assert isinstance(total, jax.Array)
    return total
