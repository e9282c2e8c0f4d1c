"""Blueprints: looked up, kept in a file, and played at real tables."""

import functools
import json
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxpoker
from jaxpoker import cards, players, ranges
from jaxpoker.games.holdem.table import Street
from jaxpoker.runs import RunError
from jaxpoker.solvers import blueprint
from jaxpoker.solvers.blueprint import Blueprint, player, storage
from jaxpoker.solvers.tree import infosets, lines, replay, translation

FOLD, CALL, RAISE, ALL_IN = range(4)


@functools.partial(jax.jit, static_argnums=(0, 1))
def policies(game, bot, params, paths, deals):
    def at(path, deal):
        state = replay(game, path, deal)
        return bot.policy(params, bot.new_hand(bot.init_memory(params)), game, state)[0], state.deal.hole, state.board

    return jax.vmap(at)(paths, deals)


# --- looking up -------------------------------------------------------------------------------


def test_an_information_set_is_found_by_its_name(any_blueprint):
    key = infosets.InfoSetKey(
        player_position=1, street=Street.PREFLOP, betting_sequence="r25", card_bucket=5, spr_bucket=1
    )
    found = any_blueprint.infoset(key)
    node = lines.node_of(any_blueprint.tree, "r25")
    assert found.legal_actions == ("fold", "check/call", "all-in to 60")
    np.testing.assert_array_equal(found.average_strategy, any_blueprint.at(node)[5, [FOLD, CALL, ALL_IN]])
    with pytest.raises(ValueError, match="has buckets 0 to 5"):
        any_blueprint.infoset(key._replace(card_bucket=6))


def test_a_hand_is_looked_up_by_its_cards(any_blueprint):
    assert any_blueprint.bucket("AhKd") == 5 and any_blueprint.bucket("7d2c") == 1
    assert any_blueprint.bucket("AhKd", "AsKs2c") == 2  # two pair
    mix = any_blueprint.mix(0, "AhKd")
    assert list(mix) == ["fold", "check/call", "2.5x to 25", "all-in to 60"]
    assert sum(mix.values()) == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="a board of 3 cards: on the preflop there are 0"):
        any_blueprint.mix(0, "AhKd", "AsKs2c")


@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ("AhAh", "", "appears twice"),
        ("Ah", "", "two cards"),
        ("AhKh", "Ah7c2d", "'Ah'"),
        ("AhKh", "Qh7c", "0, 3, 4 or 5"),
        ("XhKh", "", "unknown card"),
    ],
)
def test_impossible_cards_are_refused(any_blueprint, hole, board, message):
    with pytest.raises(ValueError, match=message):
        any_blueprint.bucket(hole, board)


def test_the_grid_of_a_decision_says_what_comes_there(any_blueprint):
    """The button limps and is raised: each hand comes back as often as it limped."""
    node = lines.node_of(any_blueprint.tree, "cr25")
    mix, reach = any_blueprint.preflop_grid(node)
    aces, trash = (ranges.CLASS_NAMES.index(name) for name in ("AA", "72o"))
    np.testing.assert_array_equal(mix[aces], any_blueprint.at(node)[5])
    assert reach[aces] == pytest.approx(any_blueprint.at(0)[5, CALL])
    assert reach[trash] == pytest.approx(any_blueprint.at(0)[1, CALL])
    with pytest.raises(ValueError, match="on the flop"):
        any_blueprint.preflop_grid(lines.node_of(any_blueprint.tree, "cc/"))


def test_a_strategy_of_another_shape_is_refused(any_blueprint):
    with pytest.raises(ValueError, match="has shapes"):
        Blueprint(any_blueprint.tree, any_blueprint.abstraction, any_blueprint.strategy[::-1])


# --- files ------------------------------------------------------------------------------------


@pytest.fixture
def saved(any_blueprint, tmp_path):
    path = tmp_path / "b.zip"
    any_blueprint.save(path)
    return path


def test_a_file_keeps_probabilities_to_a_255th(any_blueprint, saved, tmp_path):
    again = blueprint.load(saved)
    for before, after in zip(any_blueprint.strategy, again.strategy, strict=True):
        np.testing.assert_allclose(after, before, atol=1.5 / 255)
        np.testing.assert_allclose(after.sum(axis=-1), 1, atol=1e-6)
    again.save(tmp_path / "twice.zip")
    assert (tmp_path / "twice.zip").read_bytes() == saved.read_bytes()
    assert again.game == any_blueprint.game


def test_parts_go_to_the_largest_remainders():
    parts = storage.in_parts(np.asarray([[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0], [1, 0, 0], [0, 0, 0]]))
    np.testing.assert_array_equal(parts, [[85, 85, 85], [128, 127, 0], [255, 0, 0], [0, 0, 0]])


def rewritten(path, **members):
    """The file with other contents of some members."""
    with zipfile.ZipFile(path) as file:
        kept = {name: file.read(name) for name in file.namelist()} | members
    with zipfile.ZipFile(path, "w") as file:
        for name, data in kept.items():
            if data is not None:
                file.writestr(name, data)


def test_a_query_before_the_flop_reads_nothing_else(any_blueprint, saved):
    rewritten(saved, **{"river.bin": None})
    again = blueprint.load(saved)
    assert again.mix(0, "AhKd")["fold"] == pytest.approx(any_blueprint.mix(0, "AhKd")["fold"], abs=0.01)
    with pytest.raises(RunError, match=r"b\.zip is damaged"):
        again.strategy[Street.RIVER]


def test_damage_is_named(saved):
    with zipfile.ZipFile(saved) as file:
        flop = bytearray(file.read("flop.bin"))
    flop[0] ^= 1
    rewritten(saved, **{"flop.bin": bytes(flop)})
    with pytest.raises(RunError, match=r"b\.zip is damaged: its flop is not what was saved"):
        blueprint.load(saved).strategy[Street.FLOP]
    saved.write_bytes(saved.read_bytes()[:200])
    with pytest.raises(RunError, match=r"b\.zip is damaged"):
        blueprint.load(saved)
    with pytest.raises(RunError, match=r"cannot read blueprint .*nowhere\.zip"):
        blueprint.load(saved.with_name("nowhere.zip"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "format 3"),
        ({"tree": "0" * 16}, "another betting tree"),
        (
            {"abstraction": {"name": "rank_based", "num_buckets": [6, 9, 9, 9], "fingerprint": "0"}},
            "rank_based buckets 0",
        ),
        ({"menu": "33 pieces"}, "cannot be understood"),
    ],
)
def test_a_file_of_something_else_is_refused(saved, change, message):
    with zipfile.ZipFile(saved) as file:
        manifest = json.loads(file.read("manifest.json"))
    rewritten(saved, **{"manifest.json": json.dumps(manifest | change).encode()})
    with pytest.raises(RunError, match=message):
        blueprint.load(saved)


# --- the player -------------------------------------------------------------------------------


def test_on_its_own_tree_the_player_plays_its_strategy(any_blueprint):
    game, betting, bot = any_blueprint.game, any_blueprint.tree, blueprint.as_player(any_blueprint)
    nodes = betting.decisions()
    deals = game.deal(jax.random.key(0), (len(nodes),))
    played, hole, board = policies(game, bot, any_blueprint.params, jnp.asarray(betting.paths(nodes)), deals)
    for i, node in enumerate(nodes.tolist()):
        opened = [int(card) for card in board[i] if card != cards.NO_CARD]
        bucket = any_blueprint.bucket(np.asarray(hole[i, betting.player[node]]), opened)
        np.testing.assert_allclose(played[i], any_blueprint.at(node)[bucket], atol=1 / storage.PARTS)


def test_it_plays_legally_and_on_what_it_sees_at_any_table(any_blueprint):
    """Other stacks, blinds, an ante and other sizes than its tree's."""
    table = jaxpoker.make("holdem", stack=300, small_blind=1, big_blind=3, ante=1)
    assert players.check(blueprint.as_player(any_blueprint), any_blueprint.params, table, jax.random.key(1)) > 100


def test_a_blueprint_plays_heads_up(any_blueprint):
    three = jaxpoker.make("holdem", num_players=3)
    bot = blueprint.as_player(any_blueprint)

    def first(key):
        return bot.policy(any_blueprint.params, translation.unread(), three, three.init(key))

    with pytest.raises(ValueError, match="plays heads-up"):
        jax.eval_shape(first, jax.random.key(0))


legalised = jax.jit(player.legalised)
TO = np.asarray([-1, 10, 25, 100])


@pytest.mark.parametrize(
    ("wanted", "legal", "played"),
    [
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]),
        ([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1], [0, 0.3, 0.3, 0.4]),  # a fold for free is a check
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 0, 1], [0.1, 0.2, 0, 0.7]),  # too large, or too small: the nearest raise
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 0, 0], [0.1, 0.9, 0, 0]),  # no raise: a call
        ([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 1], [0.3, 0, 0, 0.7]),  # no call on the menu: a fold
        ([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]),  # nothing known: a call
    ],
)
def test_what_the_table_does_not_allow_becomes_what_it_does(wanted, legal, played):
    found = legalised(np.asarray(wanted, np.float32), TO, np.asarray(legal, bool))
    np.testing.assert_allclose(found, played, atol=1e-6)


@pytest.mark.parametrize(("size", "nearest"), [(50, 2), (80, 4)])
def test_a_raise_becomes_the_one_that_is_nearest_in_chips(size, nearest):
    chips, legal = np.asarray([-1, 10, 25, size, 100]), np.asarray([1, 1, 1, 0, 1], bool)
    found = legalised(np.asarray([0, 0, 0, 1.0, 0], np.float32), chips, legal)
    assert found[nearest] == 1
