"""Hold'em against PokerKit: whole random hands, every decision's options and every final stack.

With JAXPOKER_LONG=1 there are 20,000 hands each for 2, 4, 6 and 9 seats.
"""

import functools
import os
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pokerkit
import pytest

import jaxpoker
from jaxpoker import cards
from jaxpoker.games.holdem import table as holdem_table

LONG = bool(os.environ.get("JAXPOKER_LONG"))
HANDS = 5_000  # per run; two runs with different seeds for each number of players
MAX_ACTIONS = 120

AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.CARD_BURNING,
    pokerkit.Automation.RUNOUT_COUNT_SELECTION,
    pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)


def random_tables(rng: np.random.Generator, num_players: int) -> dict[str, np.ndarray]:
    """Stacks from one chip up, many of them short, with antes half of the time and every button."""
    big = rng.integers(2, 12, HANDS)
    deep = rng.integers(1, 60, (HANDS, num_players)) * big[:, None]
    short = rng.integers(1, 12, (HANDS, num_players))
    return {
        "stacks": np.where(rng.random((HANDS, num_players)) < 0.5, deep, short).astype(np.int32),
        "button": rng.integers(0, num_players, HANDS).astype(np.int32),
        # Below the big blind: with equal blinds heads-up PokerKit has the big blind act first. 0 in one hand of ten.
        "small_blind": ((rng.integers(1, 12, HANDS) % big).clip(1) * (rng.random(HANDS) > 0.1)).astype(np.int32),
        "big_blind": big.astype(np.int32),
        "ante": (rng.integers(0, 13, HANDS) * rng.integers(0, 2, HANDS)).astype(np.int32),
    }


@functools.cache
def random_play(num_players: int):
    """``run(deal key, tables, key)``: deals, states at the end and what was possible and done at each step."""
    game = jaxpoker.make("holdem", num_players=num_players)

    def choose(state, key):
        """Folds rarely, raises any legal amount, often the smallest and the largest."""
        here = game.facing(state)
        kind_key, size_key, which_key = jax.random.split(key, 3)
        kind = jax.random.uniform(kind_key)
        span = (here.max_raise_to - here.min_raise_to + 1).astype(jnp.float32)
        anywhere = here.min_raise_to + (jax.random.uniform(size_key) ** 3 * span).astype(jnp.int32)
        which = jax.random.uniform(which_key)
        size = jnp.where(which < 0.3, here.min_raise_to, jnp.where(which < 0.4, here.max_raise_to, anywhere))
        to = jnp.where(here.may_raise & (kind < 0.4), size, here.own_bet + here.to_call)
        to = jnp.where(here.may_fold & (kind > 0.9), -1, to)
        return to, here

    @jax.jit
    def run(deal_key, tables, key):
        deal = game.deal(deal_key, (HANDS,))
        first = jax.vmap(lambda d, t: game.start(d, **t))(deal, tables)

        def one(state, step_key):
            to, here = jax.vmap(choose)(state, jax.random.split(step_key, HANDS))
            return jax.vmap(game.act)(state, to), (state.current_player, state.terminated, to, here)

        return deal, *jax.lax.scan(one, first, jax.random.split(key, MAX_ACTIONS))

    return run


def replay(table: dict, hole: np.ndarray, board: np.ndarray, num_players: int):
    """A PokerKit state of the same table; its seat 0 is the seat left of the button."""
    seats = [(table["button"] + 1 + i) % num_players for i in range(num_players)]
    blinds = (int(table["small_blind"]), int(table["big_blind"]))
    state = pokerkit.NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        True,
        int(table["ante"]),
        blinds,
        blinds[1],
        tuple(int(table["stacks"][seat]) for seat in seats),
        num_players,
    )
    for seat in seats:
        state.deal_hole(cards.text(hole[seat]))
    return state, seats, iter([cards.text(board[:3]), cards.text(board[3:4]), cards.text(board[4:])])


def stacks_after_ante(tables: dict[str, np.ndarray], table: int) -> np.ndarray:
    """Chips ``[players]`` behind before the blinds are posted."""
    return np.maximum(tables["stacks"][table] - tables["ante"][table], 0)


@pytest.fixture
def quick_pokerkit(monkeypatch):
    """PokerKit that remembers the hands that it has worked out, and what each is worth: the same answers, sooner."""
    hand = pokerkit.StandardHighHand
    best_of, entry_of = hand.from_game.__func__.__get__(hand), hand.entry.fget
    remembered = functools.lru_cache(maxsize=4096)(best_of)
    monkeypatch.setattr(
        hand, "from_game", lambda hole, board=(): remembered(tuple(pokerkit.Card.clean(hole)), tuple(board))
    )
    entry = functools.cached_property(entry_of)
    entry.__set_name__(hand, "entry")
    monkeypatch.setattr(hand, "entry", entry)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_pokerkit")
@pytest.mark.parametrize("seed", range(4 if LONG else 2))
@pytest.mark.parametrize("num_players", [2, 4, 6, 9] if LONG else [2, 3, 6])
def test_ten_thousand_random_hands_agree_with_pokerkit(num_players, seed):
    run, tables = random_play(num_players), random_tables(np.random.default_rng(seed), num_players)
    played = run(jax.random.key(seed), tables, jax.random.key(seed + 1))
    assert run._cache_size() == 1  # stacks, blinds, ante and button are data
    deal, final, (actor, over, chosen, spots) = jax.tree.map(np.asarray, played)
    assert final.terminated.all()
    hole, boards, stacks = np.asarray(deal.hole), np.asarray(deal.board), np.asarray(final.stacks)
    showdown, committed, folded = (np.asarray(x) for x in (final.showdown, final.committed, final.folded))
    showdowns = side_pots = others_first = counted_anew = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in range(HANDS):
            peer, seats, runout = replay({k: v[t] for k, v in tables.items()}, hole[t], boards[t], num_players)
            first = None if peer.actor_index is None else seats[peer.actor_index]
            if first is not None and not any(peer.bets) and first != actor[0, t]:
                # Nobody could post a blind: PokerKit begins left of the button, we left of the big blind.
                able = [seat for seat in seats if stacks_after_ante(tables, t)[seat] > 0]
                assert tables["small_blind"][t] == 0 and first == able[0] and actor[0, t] != able[0]
                others_first += 1
                continue
            step = 0
            while peer.status:
                if peer.can_deal_board():
                    peer.deal_board(next(runout))
                    continue
                where = f"table {t}, action {step}"
                assert not over[step, t], where
                assert seats[peer.actor_index] == actor[step, t], where
                here = {name: value[step, t] for name, value in spots._asdict().items()}
                assert peer.checking_or_calling_amount == here["to_call"], where
                assert peer.can_fold() == here["may_fold"], where
                smallest = peer.min_completion_betting_or_raising_to_amount
                if here["may_raise"] and smallest is None:
                    # Short all-ins that made up a full raise, and one more since, with which PokerKit counts anew.
                    short = sum(peer.consecutive_short_all_in_amounts)
                    assert 0 < short < peer.completion_betting_or_raising_amount <= here["to_call"], where
                    counted_anew += 1
                    break
                assert (smallest is not None) == here["may_raise"], where
                if smallest is not None:
                    assert smallest == here["min_raise_to"], where
                    assert peer.max_completion_betting_or_raising_to_amount == here["max_raise_to"], where
                to = chosen[step, t]
                if to < 0:
                    peer.fold()
                elif to > here["price"]:
                    peer.complete_bet_or_raise_to(int(to))
                else:
                    peer.check_or_call()
                step += 1
            if peer.status:
                continue
            assert over[step, t], f"table {t} goes on after action {step}"
            assert [peer.stacks[seats.index(s)] for s in range(num_players)] == stacks[t].tolist(), f"table {t}"
            showdowns += showdown[t]
            side_pots += len(set(committed[t][~folded[t]])) > 1
    assert showdowns > HANDS / 5 and side_pots > HANDS / 50
    assert counted_anew < HANDS / 1_000
    assert others_first < HANDS / 50 and (others_first > 0) == (num_players > 2)
    assert stacks.max() < holdem_table.MAX_CHIPS
