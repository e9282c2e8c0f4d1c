"""No-limit Texas hold'em for 2 to 10 players, in integer chips.

One engine for all hold'em games: its primitive is ``act(state, to)``, "raise **to**" in chips (fold is
negative, check and call are the chips already in plus what calling costs); ``step(state, action)`` goes
through a bet menu (``games/bets.py``). Stacks, blinds, ante and button are data, so no new stack size ever
recompiles.

Rules, as in PokerKit (a test plays thousands of hands against it):

- Every seat posts the ante, then the blinds: the first seat left of the button the small one, the next the
  big one; heads-up the button posts the small blind. A short stack posts what it has. Seats that start
  with no chips are empty.
- Before the flop the seat left of the big blind acts first (heads-up the button), later the first seat left
  of the button. It is so, too, when the ante took the last chips of the big blind and the small blind is 0, so that
  nobody has posted a blind: the seat of the small blind acts last, as it does in all other hands. PokerKit, which
  goes by the largest blind that was posted, has it act first then.
- The price to call is the largest bet on the street. ``casino_blind=True``: behind a short big blind it is at
  least the full big blind.
- A raise is at least as large as the largest bet or raise of the street, and at least a big blind; all-in
  may be less. A player may raise again only when calling costs at least the last full raise: one short
  all-in does not reopen the betting, several that add up to a full raise do, and another short one after them does
  not close it again. (In PokerKit it does: it begins to count anew.)
- Side pots by the chips each seat has in; uncalled chips go back; the odd chips of a split pot go to the
  first winner left of the button.

The whole board is dealt at the start and each seat's showdown strength with it, so that no step evaluates
a hand. ``observe`` shows only what the player may know.
"""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxpoker import arguments, cards, equity, ranges
from jaxpoker.blocks import computed_once
from jaxpoker.equity.by_hand import possible_hands
from jaxpoker.equity.by_pair import share_by_pair
from jaxpoker.games import bets, chance, deals
from jaxpoker.games.counts import Counts
from jaxpoker.games.holdem import counts as holdem_counts
from jaxpoker.games.holdem import stakes as money
from jaxpoker.games.holdem import table as holdem_table
from jaxpoker.games.holdem import view as holdem_view
from jaxpoker.games.holdem.table import BOARD_CARDS, MAX_CHIPS, MAX_PLAYERS, STREETS, Deal, Seat, State
from jaxpoker.games.protocols import Stakes
from jaxpoker.games.seats import any_of, most, next_seat, total

Array = jax.Array

MAX_LOG = 4_096
CHIPS = "a player goes to a number of chips"
ACTIONS = "an action is an id of the menu"

WIN_STREAM = 2**31 - 1  # of a deal's key, far from the words that the cards come from


@dataclasses.dataclass(frozen=True)
class Holdem:
    """``jaxpoker.make("holdem", num_players=2, menu="nine", stack=200, small_blind=1, big_blind=2, ante=0)``.

    ``stack``, blinds and ``ante`` are what ``init`` and ``start`` use unless ``start`` is told otherwise.
    ``max_log`` is how many actions of a hand ``information_state`` remembers.
    """

    num_players: int = 2
    menu: bets.BetMenu | str = "nine"
    stack: int = 200
    small_blind: int = 1
    big_blind: int = 2
    ante: int = 0
    casino_blind: bool = False
    max_log: int = 48

    name = "holdem"
    zero_sum = True
    max_stack = MAX_CHIPS
    street_names = STREETS
    num_hands = ranges.NUM_COMBOS

    def __post_init__(self) -> None:
        stakes = money.whole_chips(
            {name: getattr(self, name) for name in ("stack", "small_blind", "big_blind", "ante")}
        )
        money.require(**stakes)
        players, log = f"hold'em is for 2 to {MAX_PLAYERS} players", f"the log holds 1 to {MAX_LOG:,} actions"
        kept: dict[str, int | bets.BetMenu] = {
            **stakes,
            "num_players": arguments.whole("num_players", self.num_players, 2, MAX_PLAYERS, players),
            "max_log": arguments.whole("max_log", self.max_log, 1, MAX_LOG, log),
        }
        arguments.flag("casino_blind", self.casino_blind)
        if isinstance(self.menu, str):
            kept["menu"] = bets.parse(self.menu)
        elif not isinstance(self.menu, bets.BetMenu):
            raise ValueError(f"menu = {self.menu!r}: a menu is a text such as '33%, 75%, a', or a BetMenu")
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def bet_menu(self) -> bets.BetMenu:
        assert isinstance(self.menu, bets.BetMenu)
        return self.menu

    @property
    def num_actions(self) -> int:
        return self.bet_menu.num_actions

    # --- the start of a hand ------------------------------------------------------------------

    def deal(self, key: Array, shape: tuple[int, ...] = (), win_samples: int = 0) -> Deal:
        """Hole cards, board and showdown strengths of ``shape`` tables from one key.

        With ``win_samples`` each seat's win probability on each street comes along, from that many samples where it
        is not exact: worked out once per deal, for all who play it.
        """
        dealt = cards.deal_columns(key, 2 * self.num_players + 5, shape)
        deal = Deal.of_columns(dealt[5:], dealt[:5])
        return self.with_win_probabilities(deal, key, win_samples) if win_samples else deal

    def with_win_probabilities(self, deals: Deal, key: Array, samples: int) -> Deal:
        """``deals`` with each seat's win probability on each street, drawn from a stream of its own of ``key``."""
        win_key = jax.random.fold_in(key, WIN_STREAM)
        equities = equity.win_probabilities(win_key, deals.hole, deals.board[..., None, :], samples)
        return dataclasses.replace(deals, win_probability=equities)

    def all_in_shares(self, deals: Deal) -> Array:
        """``[..., 4]``: seat 0's expected part of the pot when both seats of ``deals`` are all-in on each street."""
        if self.num_players != 2:
            raise ValueError(f"all-ins have a worth for 2 players, not for {self.num_players}")
        return equity.all_in_shares(deals.hole, deals.board)

    def start(
        self,
        deal: Deal,
        stacks: Array | None = None,
        button: Array | int = 0,
        small_blind: Array | int | None = None,
        big_blind: Array | int | None = None,
        ante: Array | int | None = None,
    ) -> State:
        """Antes and blinds are posted; the first player is to act. ``stacks`` is ``[players]``, 0 an empty seat.

        Chips that no table can have raise ``ValueError``. Where they are not known yet, under ``jit`` or ``vmap``, such
        a table begins with a hand that is over: ``illegal``, nobody has chips, and nobody wins or loses any.
        """
        given = money.Stakes(
            self.stack if stacks is None else stacks,
            button,
            self.small_blind if small_blind is None else small_blind,
            self.big_blind if big_blind is None else big_blind,
            self.ante if ante is None else ante,
        )
        return self._start(deal, money.checked(given, self.num_players))

    @functools.partial(jax.jit, static_argnums=0)
    def _start(self, deal: Deal, given: money.Stakes) -> State:
        """``start`` with stakes that are whole numbers."""
        zero = jnp.zeros_like(deal.board_cards[0])
        no = jnp.zeros_like(zero, jnp.bool_)
        all_stacks = jnp.broadcast_to(given.stacks, (self.num_players,))
        starting = [zero + all_stacks[i] for i in range(self.num_players)]
        button, small, big, ante = (zero + chips for chips in given[1:])
        wrong = money.wrong(starting, button, small, big, ante)
        starting = [jnp.where(wrong, 0, chips) for chips in starting]
        button, small, ante = (jnp.where(wrong, 0, chips) for chips in (button, small, ante))
        big = jnp.where(wrong, 1, big)
        dealt_in = [chips > 0 for chips in starting]
        heads_up = total(dealt_in) == 2
        at_button = next_seat(jnp.where(button == 0, self.num_players, button) - 1, dealt_in)  # or left of an empty one
        button = jnp.where(heads_up, at_button, button)
        small_seat = jnp.where(heads_up, button, next_seat(button, dealt_in))
        big_seat = next_seat(small_seat, dealt_in)
        behind, posted = [], []
        for i, chips in enumerate(starting):
            after_ante = chips - jnp.minimum(chips, ante)
            blind = jnp.where(small_seat == i, small, 0) + jnp.where(big_seat == i, big, 0)
            posted.append(jnp.minimum(after_ante, blind))
            behind.append(after_ante - posted[i])
        # A seat acts if it has chips that another seat can still match; not if it alone does and owes nothing.
        whole = [a + b for a, b in zip(behind, posted, strict=True)]
        price = most(posted)
        acts = []
        for i in range(self.num_players):
            others_most = most(whole[:i] + whole[i + 1 :])
            acts.append((behind[i] > 0) & (others_most > posted[i]))
        owes = any_of([act & (bet < price) for act, bet in zip(acts, posted, strict=True)])
        betting = owes | (total(acts) > 1)
        seats = tuple(
            Seat(starting[i], behind[i], posted[i], ~dealt_in[i], acts[i] & betting, zero, zero, zero, zero, zero)
            for i in range(self.num_players)
        )
        state = State(
            current_player=zero,
            terminated=no,
            paying=no,
            illegal=no,
            street=zero,
            last_raise=zero,
            raises=zero,
            num_acted=zero,
            button=button,
            small_blind=small,
            big_blind=big,
            ante=ante,
            log=jnp.zeros((*zero.shape, self.max_log), jnp.int32),
            seats=seats,
            deal=deal,
            game=self,
        )
        state = holdem_table.move_on(state, after=big_seat)
        return dataclasses.replace(state, illegal=wrong, paying=state.paying & ~wrong)

    def init(self, key: Array) -> State:
        return self.start(self.deal(key))

    def next_hand(self, last: State, deal: Deal, carry_over: bool) -> tuple[State, Array]:
        """The hand after ``last``, and ``[]`` bool: one seat has all the chips, so that there is none.

        The button moves on to the next seat with chips. Stacks are carried over or reset; blinds and ante stay.
        """
        stacks = last.stacks if carry_over else jnp.stack([seat.starting for seat in last.seats])
        with_chips = [stacks[i] > 0 for i in range(self.num_players)]
        bust = jnp.stack(with_chips).sum() <= 1
        button = next_seat(last.button, with_chips)
        return self._start(deal, money.Stakes(stacks, button, last.small_blind, last.big_blind, last.ante)), bust

    # --- acting -------------------------------------------------------------------------------

    def facing(self, state: State) -> bets.Facing:
        """What the player to act faces and may do."""
        return holdem_table.facing(state, state.current_player)

    def choices(self, state: State) -> tuple[Array, Array]:
        """Chips "to" per action id ``[actions]`` and which are legal ``[actions]`` for the player to act."""
        to, legal = self.bet_menu(self.facing(state))
        return jnp.stack(to, axis=-1), jnp.stack(legal, axis=-1)

    def with_menu(self, state: State, menu: bets.BetMenu) -> tuple[Holdem, State]:
        """The game with another menu, and the same state of that game, ``legal_action_mask`` included."""
        game = dataclasses.replace(self, menu=menu)
        return game, dataclasses.replace(state, game=game)

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        """The state after the player to act takes menu entry ``action``."""
        return holdem_table.act(state, _menu_move(state.public, arguments.whole_array("action", action, ACTIONS)))

    def act(self, state: State, to: Array) -> State:
        """The state after the player to act raises, bets, calls or checks **to** ``to`` chips; folds if negative.

        Legal are: a negative number facing a bet; the calling amount (the price, or all-in when that is less);
        any raise from the minimum to all-in. Anything else is an illegal action.
        """
        return holdem_table.act(state, _chip_move(state.public, arguments.whole_array("to", to, CHIPS)))

    def nearest_legal(self, state: State, to: Array) -> Array:
        """The legal "to" closest to what is wanted: free folds become checks, raises below the minimum calls."""
        here = self.facing(state)
        to = arguments.whole_array("to", to, CHIPS)
        raises = here.may_raise & (to >= here.min_raise_to)
        kept = jnp.where(raises, jnp.minimum(to, here.max_raise_to), here.own_bet + here.to_call)
        return jnp.where((to < 0) & here.may_fold, bets.FOLD_CHIPS, kept)

    # --- what a solver needs ------------------------------------------------------------------

    @property
    def showdown_orders(self) -> np.ndarray:
        return deals.showdown_orders(self.num_players)

    def showdown_states(self, state: State | None = None) -> State:
        """States of ``without_stakes()`` that keep no log; see ``games/protocols.py``."""
        strengths = tuple(jnp.asarray(self.showdown_orders.T, jnp.int32))
        zero = jnp.zeros_like(strengths[0])
        dealt = Deal((zero,) * (2 * self.num_players), (zero,) * int(BOARD_CARDS[-1]), strengths)
        game = self.without_stakes()
        if state is None:
            stakes = (self.stack, self.small_blind, self.big_blind, self.ante)
            return _first_states(game, dealt, *(jnp.int32(chips) for chips in stakes))
        alike = dataclasses.replace(state.public, log=jnp.zeros((game.max_log,), jnp.int32), game=game)
        states: State = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(zero), *jnp.shape(x))), alike)
        return dataclasses.replace(states, deal=dealt)

    def without_stakes(self) -> Holdem:
        """The game without its stack and blinds, which are data: games that differ by them compile once."""
        return Holdem(self.num_players, self.menu, casino_blind=self.casino_blind, max_log=1)

    def stakes(self, state: State) -> Stakes:
        """The chips of one state."""
        starting = np.array([seat.starting for seat in state.seats], np.int32)
        bets_now = np.array([seat.bet for seat in state.seats], np.int32)
        behind = np.array([seat.behind for seat in state.seats], np.int32)
        return Stakes(starting, starting - behind - bets_now, bets_now)

    @property
    def private_hands(self) -> np.ndarray:
        return ranges.COMBOS

    def put_in(self, state: State) -> Array:
        """``[players]`` float32: big blinds that each seat has put in."""
        return state.committed.astype(jnp.float32) / state.big_blind.astype(jnp.float32)

    def with_later_cards(self, deal: Deal, street: int, key: Array) -> Deal:
        """``deal`` with the board after ``street`` drawn anew; a hand may have one of its cards then."""
        opened = deal.board[: BOARD_CARDS[street]]
        if opened.size == deal.board.size:
            return deal
        later = cards.deal(key, deal.board.size - opened.size, dead=opened)
        return Deal.of(deal.hole, jnp.concatenate([opened, later]))

    def possible_hands(self, deal: Deal, street: int) -> Array:
        """``[1326]`` bool: hands without the cards that are open on ``street``."""
        return possible_hands(deal.board[: BOARD_CARDS[street]])

    def pair_shares(self, deal: Deal, street: int) -> Array:
        """``[1326, 1326]`` float32: what each hand wins from each other one; see ``games/protocols.py``."""
        return share_by_pair(deal.board[: BOARD_CARDS[street]])

    def alike(self, street: int) -> np.ndarray | None:
        """Before the flop hands of one class, as AKs, are not told apart."""
        return ranges.CLASS_OF_COMBO if street == holdem_table.PREFLOP else None

    def all_deals(self) -> deals.Deals:
        """Of two players before the flop, in 169 classes of hands: for menus whose betting ends there."""
        if self.num_players != 2:
            raise ValueError(f"the deals of hold'em are listed for 2 players, not for {self.num_players}")
        return _preflop_deals()

    # --- what people call it, and what is counted ---------------------------------------------

    def street(self, state: State) -> Array:
        """``[]`` int32: 0 preflop ... 3 river."""
        return state.street

    def action_text(self, action: int, street: int = 0) -> str:
        """What an action id is called on a street: "fold", "check/call", "1/2 pot", "all-in"."""
        return self.bet_menu.action_name(action, street)

    def count_action(self, state: State, to: Array) -> Counts:
        """``[]`` counts of the player to act going "to"."""
        return holdem_counts.of_action(self.facing(state), to)

    def count_hand(self, state: State) -> Counts:
        """``[players]`` counts of a hand that has ended; the actions' are left at zero."""
        return holdem_counts.of_hand(state)

    # --- what a player knows ------------------------------------------------------------------

    @property
    def observation_size(self) -> int:
        return holdem_view.observation_size(self.num_players)

    @property
    def token_sizes(self) -> tuple[int, int, int]:
        return holdem_view.token_sizes(self.num_players)

    def observe(self, state: State, player: Array | int) -> Array:
        """``[observation_size]`` float32, 200 heads-up: see ``games/holdem/view.py``."""
        return holdem_view.observe(state, player)

    def information_state(self, state: State, player: Array | int) -> Array:
        """``[tokens, 4]`` int32: stacks, blinds, own cards, then actions and board in order."""
        return holdem_view.tokens(state, player)

    @functools.partial(jax.jit, static_argnums=0)
    def resample_hidden(self, state: State, player: Array | int, key: Array, weights: Array | None = None) -> State:
        """The others' hands and the cards to come drawn anew from what ``player`` does not see.

        ``weights`` ``[1326]`` or ``[players, 1326]`` (order of ``ranges.COMBOS``) weighs the others' hands. With two
        players that is exact Bayes; with more, hands are drawn seat by seat, each without the cards before it. Where no
        hand that is left has any weight all of them are equally likely.
        """
        hole, board = state.deal.hole, state.board  # [players, 2], [5] with NO_CARD where face down
        own = hole[player]
        hole_key, board_key = jax.random.split(key)
        if weights is None:
            dead = jnp.concatenate([own, board])
            others = cards.deal(hole_key, 2 * self.num_players, dead=dead).reshape(self.num_players, 2)
        else:
            others = self._weighted_hands(hole_key, player, own, board, weights)
        is_player = (jnp.arange(self.num_players) == player)[:, None]
        hole = jnp.where(is_player, own, others)
        runout = cards.deal(board_key, 5, dead=jnp.concatenate([hole.reshape(-1), board]))
        deal = Deal.of(hole, jnp.where(board == cards.NO_CARD, runout, board))
        open_streets = jnp.arange(4) <= state.street
        return dataclasses.replace(state, deal=_with_known_wins(deal, state.deal, is_player & open_streets))

    def _weighted_hands(self, key: Array, player: Array | int, own: Array, board: Array, weights: Array) -> Array:
        """``[players, 2]`` hands drawn seat by seat by weight, without the dead cards."""
        weights = jnp.broadcast_to(weights, (self.num_players, len(ranges.COMBOS)))
        first, second = jnp.asarray(ranges.COMBOS[:, 0]), jnp.asarray(ranges.COMBOS[:, 1])
        used = (jnp.arange(cards.NUM_CARDS) == jnp.concatenate([own, board])[:, None]).any(axis=0)  # [52]
        drawn = []
        for seat, seat_key in enumerate(jax.random.split(key, self.num_players)):
            combo = chance.choose(seat_key, weights[seat], ~used[first] & ~used[second])
            hand = jnp.stack([first[combo], second[combo]])
            drawn.append(hand)
            taken = (jnp.arange(cards.NUM_CARDS) == hand[:, None]).any(axis=0)
            used = used | (taken & (seat != player))
        return jnp.stack(drawn)

    def hand_index(self, state: State, player: Array | int) -> Array:
        """``[]`` int32 in 0 .. 1325: the combo that ``player`` holds, in the order of ``ranges.COMBOS``."""
        hole = state.deal.hole[player]
        return jnp.asarray(ranges.combo_index(hole[0], hole[1]), jnp.int32)

    def with_hand(self, state: State, player: Array | int, hand: Array) -> State:
        """The same public state where ``player`` holds ``hand`` ``[2]``; the caller sees that no card is twice."""
        is_player = (jnp.arange(self.num_players) == player)[:, None]
        hole = jnp.where(is_player, jnp.asarray(hand, jnp.int32), state.deal.hole)
        return dataclasses.replace(
            state, deal=_with_known_wins(Deal.of(hole, state.deal.board), state.deal, ~is_player)
        )


def _with_known_wins(deal: Deal, before: Deal, known: Array) -> Deal:
    """``deal`` with the win probabilities of ``before`` where ``known`` ``[players, 4]``, NaN where cards changed."""
    if before.win_probability is None:
        return deal
    return dataclasses.replace(deal, win_probability=jnp.where(known, before.win_probability, jnp.nan))


@computed_once
def _menu_move(state: State, action: Array) -> holdem_table.Move:
    here = holdem_table.facing(state, state.current_player)
    to, legal = jnp.zeros_like(here.price), jnp.zeros_like(here.may_raise)
    for i, (entry_to, entry_legal) in enumerate(zip(*state.game.bet_menu(here), strict=True)):
        to = jnp.where(action == i, entry_to, to)
        legal = legal | ((action == i) & entry_legal)
    return holdem_table.move(state, here, to, legal)


@computed_once
def _chip_move(state: State, to: Array) -> holdem_table.Move:
    here = holdem_table.facing(state, state.current_player)
    to = jnp.maximum(to, bets.FOLD_CHIPS)
    to = jnp.where(to == here.price, here.own_bet + here.to_call, to)
    raising = here.may_raise & (to >= here.min_raise_to) & (to <= here.max_raise_to)
    legal = jnp.where(to < 0, here.may_fold, (to == here.own_bet + here.to_call) | raising)
    return holdem_table.move(state, here, to, legal)


@functools.partial(jax.jit, static_argnums=0)
def _first_states(game: Holdem, dealt: Deal, stack: Array, small: Array, big: Array, ante: Array) -> State:
    stacks = jnp.stack([stack] * game.num_players)
    return jax.vmap(lambda deal: game.start(deal, stacks, 0, small, big, ante))(dealt)


@functools.cache
def _preflop_deals() -> deals.Deals:
    table = equity.matchups()
    pairs = table.combos.sum()  # 1,326 * 1,225
    boards = table.win + table.tie + table.lose  # [169, 169] of each pair of classes
    prior = table.combos / pairs
    win, tie = (prior * count / boards for count in (table.win, table.tie))
    street = deals.StreetDeals(("",), np.zeros(1, np.int32), prior[None], win[None], tie[None])
    hole = ranges.COMBOS  # [1326, 2], and two cards more that are not among them
    others = np.array([sorted({0, 1, 2, 3} - set(pair))[:2] for pair in hole.tolist()])
    board = np.array(
        [sorted(set(range(9)) - {*a, *b})[:5] for a, b in zip(hole.tolist(), others.tolist(), strict=True)]
    )
    examples = tuple(
        (Deal.of(jnp.asarray(np.stack(pair, axis=1)), jnp.asarray(board)), ranges.CLASS_OF_COMBO)
        for pair in ((hole, others), (others, hole))
    )
    return deals.Deals(ranges.CLASS_NAMES, (street,), examples)
