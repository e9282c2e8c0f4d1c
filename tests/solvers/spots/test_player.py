"""A solved spot plays itself."""

import jax
import pytest

import jaxpoker
from jaxpoker import match, players
from jaxpoker.solvers.spots import player, table

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("name", ["river", "turn"])
def test_it_acts_legally_and_on_what_it_sees(name, request):
    solved = request.getfixturevalue(name)
    bot = player.entrant(solved)
    assert players.check(bot.player, bot.params, table.table_of(solved), jax.random.key(0), tables=32) > 32


@pytest.mark.parametrize("name", ["river", "turn"])
def test_against_itself_it_wins_its_ev(name, request):
    solved = request.getfixturevalue(name)
    bot, game = player.entrant(solved), table.table_of(solved)
    result = match.play(game, [bot, bot], jax.random.key(1), tables=512, hands_per_table=16, duplicate=False)
    expected = 1000 * (solved.ev[0] / solved.spot.pot - 0.5)  # thousandths of the pot
    assert result.mbb_per_hand[0].mean == pytest.approx(expected, abs=2 * result.mbb_per_hand[0].ci95)
    assert result.mbb_per_hand[0].ci95 < 60


def test_nobody_wins_much_of_it_in_both_seats(river):
    game = table.table_of(river)
    pair = [player.entrant(river), players.make("random", game)]
    result = match.play(game, pair, jax.random.key(2), tables=512, hands_per_table=4)
    assert result.mbb_per_hand[0].mean > 2 * result.mbb_per_hand[0].ci95


def test_other_games_are_refused(river):
    bot, game = player.entrant(river), jaxpoker.make("kuhn")
    with pytest.raises(ValueError, match="a solved spot plays at its own table, not at kuhn"):
        match.play(game, [bot, bot], jax.random.key(3), tables=2, hands_per_table=1)
