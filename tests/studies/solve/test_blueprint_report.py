"""What a solved blueprint says on the screen: one page, words that a newcomer can read."""

import io

from rich.console import Console

from jaxpoker.match import Estimate
from jaxpoker.solvers.blueprint.litmus import Litmus
from jaxpoker.studies.solve import blueprint_report
from jaxpoker.studies.solve.config import Config

INNER_WORDS = ("types", "node_updates", "exploitability_fitted")


def said(act):
    console = Console(file=io.StringIO(), width=110)
    act(console)
    return console.file.getvalue()


def test_progress_says_how_many_boards_were_drawn_and_no_more():
    def run(console):
        display = blueprint_report.Progress(console)
        display.start("solve/quick", 0, 60)
        display.show(1, {"value": 0.5, "types": 1081, "boards": 8.0, "node_updates": 1e9}, 3.0)
        display.stop()

    shown = said(run)
    assert "boards 8" in shown and "1/60" in shown and "ETA" in shown
    assert not any(word in shown for word in INNER_WORDS)


def test_few_opponents_are_one_sentence_with_its_unit():
    results = {name: Estimate(123.4, 56.7, 1000) for name in blueprint_report.OPPONENT}
    shown = said(lambda console: blueprint_report._say_results(console, results, "100 big blinds", Config()))
    assert "thousandths of a big blind a hand" in shown and "+123 ± 57 of tight-aggressive" in shown
    assert shown.count("\n") == 2


def test_facts_that_hold_are_counted_and_others_are_told():
    tests = [Litmus(f"claim {i}", i > 7, f"figure {i}") for i in range(20)]
    shown = said(lambda console: blueprint_report._say_litmus(console, tests, details=False))
    assert "12 of 20 poker facts hold" in shown and "does not hold: claim 0: figure 0" in shown
    assert "claim 19" not in shown and "and 3 more, in summary.json" in shown
    details = said(lambda console: blueprint_report._say_litmus(console, tests, details=True))
    assert all(f"claim {i}: figure {i}" in details for i in range(20))


def test_better_presets_are_named_where_the_run_was_a_first_look():
    first = said(lambda console: blueprint_report.say_next_steps(console, "quick-1", Config().resolved()))
    assert "scripts/query_strategy.py --run quick-1" in first and "--preset bb20" in first
    own = said(lambda console: blueprint_report.say_next_steps(console, "mine", Config(stack=20.0).resolved()))
    assert "--preset" not in own
