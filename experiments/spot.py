"""Solves a flop, a turn or a river of hold'em exactly: two ranges, a board, a pot and bet sizes.

    scripts/run spot                                             an example of a turn, a minute or two
    scripts/run spot --config one_spot.json --target 0.3 --name N
    scripts/run spot --board Ks7h3d9h2c --pot 100 --stack 400 --oop "TT-22, A2s+" --ip "22+, ATo+" --menu "33%, 75%, a"
    scripts/run spot --from-blueprint "r25c/cr33%c/" --board Ks7h3d9h --menu "66%, a"
    scripts/run spot --config flop.json --bits 16 --target 0.5   a flop: says first what memory and time it takes
    scripts/run spot --resume --name N --target 0.1              goes on; Ctrl-C keeps what there is

one_spot.json has board, pot, stack, oop, ip and menu. The run folder gets solved.spot (of a flop solved.flop), which
scripts/query_strategy.py and jaxpoker.solvers.spots read, the first decision's grid and the exploitability curve
(plots/), and summary.json: EV in chips with the pot, exploitability in % of the pot, and how often each first action is
taken.
"""

from __future__ import annotations

import dataclasses
import signal

from rich.console import Console

from jaxpoker import runs
from jaxpoker.dashboard import print_line
from jaxpoker.studies.spot import plots, report, session, spot_file
from jaxpoker.studies.spot.config import Config

PRESETS = {
    "quick": Config(),
    "full": Config(target=0.1, menu="33%, 75%, 150%, a"),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="spot", description=__doc__, understand=spot_file.understand)
    launch = dataclasses.replace(launch, config=launch.config.resolved())
    console = Console()
    start = session.begun(launch, console)
    with runs.start(launch) as run:
        solved = session.solve(run, start, console)
        memory_gb = report.most_memory_gb()
        report.say(console, solved)
        plots.draw(run, solved)
        run.finish(**report.figures(solved, memory_gb))
        if solved.interrupted:
            print_line(console, f"stopped at iteration {solved.iterations}; go on with: {run.launch.resume_command}")
            raise runs.Stopped(128 + signal.SIGINT)
    print_line(console, f'Ask it: scripts/query_strategy.py --run {run.folder.name} --line "check"')


if __name__ == "__main__":
    runs.main(main)
