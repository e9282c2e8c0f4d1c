"""One player against many."""

import io

import jax
from rich.console import Console

import jaxpoker
from jaxpoker import match, players, rivals
from jaxpoker.match import Estimate
from jaxpoker.players import Entrant
from jaxpoker.solvers import regret
from jaxpoker.solvers.exact import cfr, exact_game, strategies

KUHN = jaxpoker.make("kuhn")


def test_each_match_is_the_one_that_they_would_play_alone():
    game = exact_game.whole(KUHN)
    solver = cfr.CFR(game, regret.ALGORITHMS["cfr+"])
    solved = Entrant(strategies.as_player(game), solver.average(solver.run(solver.init(), 20)))
    uniform = Entrant(strategies.as_player(game, "uniform"), game.uniform())
    key = jax.random.key(3)
    found = rivals.against_each(KUHN, solved, {"itself": solved, "uniform": uniform}, key, hands=2_000)
    assert list(found) == ["itself", "uniform"]
    alone = match.play(KUHN, [solved, uniform], key, tables=125, hands_per_table=8)
    assert found["uniform"] == alone.mbb_per_hand[0]
    assert found["uniform"].mean > 50 > abs(found["itself"].mean)


def test_few_programs_play_all_rivals_as_they_would_play_alone():
    game = jaxpoker.make("holdem", stack=20)
    alone = rivals.named(game, ("value 60% pot", "tag", "jams 20%", "lag"))
    shared = rivals.of_few_programs(alone)
    assert list(shared) == list(alone)
    assert shared["value 60% pot"].player == shared["jams 20%"].player != shared["tag"].player == shared["lag"].player
    assert shared["jams 20%"].player.act is alone["jams 20%"].player.act
    assert shared["jams 20%"].params is alone["jams 20%"].params
    states = jax.vmap(game.start)(game.deal(jax.random.key(0), (200,)))

    def chips(rival):
        memory = rival.player.init_memory(rival.params)
        ask = jax.vmap(lambda state: rival.player.act(rival.params, memory, game, state, jax.random.key(1))[0])
        return jax.jit(ask)(states).tolist()

    tag, lag = chips(alone["tag"]), chips(alone["lag"])
    assert chips(shared["tag"]) == tag != lag == chips(shared["lag"])


def test_rule_players_by_name():
    assert rivals.named(KUHN, ("random",)) == {"random": Entrant(players.make("random", KUHN))}


def test_results_are_shown_in_both_units_with_their_hands():
    console = Console(file=io.StringIO(), width=100)
    console.print(rivals.table({"call": Estimate(1_234.0, 56.0, 100)}, "A match"))
    shown = console.file.getvalue()
    assert "+1,234.0 ± 56.0" in shown and "+123.4 ± 5.6" in shown and "1,600" in shown
