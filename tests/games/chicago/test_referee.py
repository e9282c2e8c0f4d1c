"""Whole random games of Chicago, judged by a referee that was written from the rules alone."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import core

pytestmark = pytest.mark.thorough

REFEREE = Path(__file__).parent / "referee.py"
STEPS = 128  # recorded at a time

# Rounds and decisions of a game of uniform random play, from 2,000 games each.
ROUNDS = {2: 14.4, 3: 18.7, 4: 22.7, 5: 26.1, 6: 29.4}
DECISIONS = {2: 201, 3: 394, 4: 634, 5: 915, 6: 1233}


@functools.partial(jax.jit, static_argnums=0)
def record_steps(game, state, key):
    """``STEPS`` random actions at each table: what there was before each, and what came of it."""

    def one(carry, _):
        state, key = carry
        key, action_key = jax.random.split(key)
        mask = state.legal_action_mask
        action = core.random_action(action_key, mask)
        after = jax.vmap(game.step)(state, action)
        bits = jnp.pad(mask, ((0, 0), (0, 96 - mask.shape[1]))).reshape(-1, 3, 32).astype(jnp.uint32)
        row = {
            "over": core.is_over(state),
            "mask": (bits << jnp.arange(32, dtype=jnp.uint32)).sum(axis=-1, dtype=jnp.uint32),
            "actor": state.current_player.astype(jnp.int8),
            "action": action.astype(jnp.int8),
            "deck": state.deck,
            "scores": after.scores.astype(jnp.int16),
            "rewards": after.rewards,
            "reveals": after.reveals,
            "announced": after.announced,
            "passed": after.passed,
            "round": after.round.astype(jnp.int16),
            "winner": after.winner.astype(jnp.int8),
            "terminated": after.terminated,
            "truncated": after.truncated,
        }
        return (after, key), row

    return jax.lax.scan(one, (state, key), None, length=STEPS)


@functools.partial(jax.jit, static_argnums=0)
def first_states(game, key, players):
    return jax.vmap(game.start)(game.deal(key, players.shape), players)


def record(game, players, key):
    """Random games at tables of ``players`` ``[games]``, played to their ends: arrays [steps, games, ...]."""
    deal_key, key = jax.random.split(key)
    state = first_states(game, deal_key, players)
    rows = []
    while not np.asarray(core.is_over(state)).all():
        (state, key), row = record_steps(game, state, key)
        rows.append(jax.tree.map(np.asarray, row))
    games = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    games["length"] = (~games.pop("over")).sum(axis=0)
    rules = {
        "target": game.target,
        "max_rounds": game.max_rounds,
        "bonus": game.winner_bonus,
        "see_then_decide": game.see_then_decide,
    }
    return {**games, "players": players, **{f"rule_{name}": np.asarray(rule) for name, rule in rules.items()}}


def start_referee(games, path):
    np.savez(path, **games)
    command = [sys.executable, str(REFEREE), str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def verdict(referee):
    """``[games, 4]``: players, decisions, rounds, won by a straight flush."""
    out, errors = referee.communicate()
    assert referee.returncode == 0, errors
    return np.asarray(json.loads(out))


def require_statistics(games, players):
    """Rounds and decisions a game within four standard errors of ``ROUNDS`` and ``DECISIONS``, which have their own."""
    for column, expected in ((2, ROUNDS[players]), (1, DECISIONS[players])):
        mean, error = games[:, column].mean(), games[:, column].std() * np.sqrt(1 / len(games) + 1 / 2000)
        assert abs(mean - expected) < 4 * error + 0.05, f"{players} players: {mean} ± {error}, not {expected}"


ALL_SIZES = np.repeat(np.arange(2, 7, dtype=np.int32), 30)


@pytest.fixture(scope="module")
def recorded():
    """Thirty games of each size, in one batch."""
    return record(jaxpoker.make("chicago", num_players=6), ALL_SIZES, jax.random.key(0))


def test_a_batch_of_all_sizes_is_played_by_the_rules(recorded, tmp_path):
    games = verdict(start_referee(recorded, tmp_path / "games.npz"))
    assert games[:, 0].tolist() == ALL_SIZES.tolist()
    for n in range(2, 7):
        require_statistics(games[games[:, 0] == n], n)


def test_other_rules_are_kept_as_well(tmp_path):
    """Cards are seen before they are turned down, games are short, and those without a winner are truncated."""
    game = jaxpoker.make("chicago", num_players=6, see_then_decide=True, target=15, max_rounds=9, winner_bonus=1.0)
    recorded = record(game, ALL_SIZES, jax.random.key(1))
    games = verdict(start_referee(recorded, tmp_path / "games.npz"))
    assert (games[:, 1] > 7 * games[:, 0] * games[:, 2]).mean() > 0.9  # some draws take two decisions
    assert 0.1 < recorded["truncated"][-1].mean() < 0.9


@pytest.mark.parametrize("field", ["mask", "scores", "rewards", "reveals", "announced", "winner", "deck"])
def test_the_referee_notices_what_is_wrong(recorded, tmp_path, field):
    one_game = {name: rows[:, :1].copy() if rows.ndim > 1 else rows[:1] for name, rows in recorded.items() if rows.ndim}
    one_game |= {name: rule for name, rule in recorded.items() if not rule.ndim}
    if field == "deck":
        one_game["deck"] = one_game["deck"][..., ::-1]
    else:
        wrong = one_game[field][one_game["length"][0] // 2]
        wrong[...] = ~wrong if wrong.dtype == bool else wrong + 1
    referee = start_referee(one_game, tmp_path / "game.npz")
    assert "the referee disagrees: game 0" in referee.communicate()[1]
    assert referee.returncode == 1


@pytest.mark.slow
@pytest.mark.optimised
@pytest.mark.parametrize("players", range(2, 7))
def test_two_thousand_games_are_played_by_the_rules(tmp_path, players):
    game = jaxpoker.make("chicago", num_players=players)
    batches, running = 4, []
    for batch in range(batches):
        recorded = record(game, np.full(2000 // batches, players, np.int32), jax.random.key(10 + batch))
        running.append(start_referee(recorded, tmp_path / f"{batch}.npz"))
    games = np.concatenate([verdict(referee) for referee in running])
    require_statistics(games, players)
    assert games[:, 3].mean() < 0.015
