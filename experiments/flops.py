"""Solves one spot on many flops and shows what changes from flop to flop: an aggregate report.

    scripts/run flops                                            narrow ranges on 4 flops, a few minutes
    scripts/run flops --flops 25 --oop "22+, A2s+" --ip "22+, ATo+" --pot 20 --stack 80 --menu "33%, 75%" --name N
    scripts/run flops --flops "Td9d6h, QsJh2h" --keep river      these; --keep leaves a file of each flop
    scripts/run flops --flops all --shard 1/4 --name Q1          a quarter; then --parts Q1 Q2 Q3 Q4 adds up
    scripts/run flops --resume --name N                          goes on; Ctrl-C ends after the flop at work

--flops 25 to 200 is a sample that stands for all flops: each texture has its share. The run folder gets tables
(flops.csv, turns.csv), pictures by texture, by flop and by turn card (plots/), the facts of all flops (facts.npz), and
summary.json: weighted means of EV, equity and how often each action is taken.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console

from jaxpoker import cards, runs
from jaxpoker.dashboard import duration, print_line
from jaxpoker.runs.folder import existing_run
from jaxpoker.studies.flops import facts, plots, report
from jaxpoker.studies.flops.chosen import Chosen, chosen, spot_on
from jaxpoker.studies.flops.config import NARROW, Config
from jaxpoker.studies.flops.facts import Facts
from jaxpoker.studies.flops.flop_by_flop import FlopByFlop

FACTS_FILE = "facts.npz"
PRESETS = {
    "quick": Config(flops="4", oop=NARROW[0], ip=NARROW[1], stack=40.0, menu="75%", target=1.0),
    "full": Config(oop=NARROW[0], ip=NARROW[1]),
}


def main() -> None:
    launch = runs.parse(Config, PRESETS, experiment="flops", description=__doc__)
    config, console = launch.config, Console()
    wanted = chosen(config)
    layout, whose = facts.layout_of(spot_on(config, wanted.boards[0])), facts.fingerprint(config.solving)
    known: dict[str, Facts] = {}
    for name in config.parts:
        folder = existing_run(launch.runs / "flops", name, "with flops (it must have ended)", FACTS_FILE)
        known |= facts.load(folder / FACTS_FILE, whose)
    which, many = config.part
    missing = np.array([b for b in wanted.boards if cards.text(b) not in known][which::many]).reshape(-1, 3)
    learner = FlopByFlop(config, missing, layout, launch.folder)
    if len(missing):
        gigabytes, seconds = learner.cost()
        print_line(
            console,
            f"{len(missing)} flops: about {gigabytes:.1f} GB of memory for a flop, and on one core {seconds:.1f} s an "
            f"iteration, {duration(60 * seconds)} for 60 of them on a flop",
        )
    with runs.start(launch) as run:
        learner.folder = run.folder
        if len(missing):
            state = run.train(learner, steps=len(missing))
            known |= {cards.text(board): Facts(*(x[at] for x in state.facts)) for at, board in enumerate(missing)}
        there = [at for at, board in enumerate(wanted.boards) if cards.text(board) in known]
        done = Chosen(wanted.boards[there], wanted.weights[there])
        found = Facts(*(np.stack(x) for x in zip(*(known[cards.text(board)] for board in done.boards), strict=True)))
        facts.save(run.folder / FACTS_FILE, whose, done.boards, found)
        if len(there) < len(wanted.boards):
            run.finish(flops=len(there), of_flops=len(wanted.boards))
            print_line(console, f"{len(there)} of {len(wanted.boards)} flops; add the shards up with --parts")
            return
        report.say(console, done, found, layout)
        report.write_csv(run.folder, done, found, layout)
        plots.draw(run.plots, done, found, layout)
        spent = sum(row["processor_seconds"] for row in run.metrics())
        run.finish(**report.figures(done, found, layout), processor_seconds=round(spent, 1))


if __name__ == "__main__":
    runs.main(main)
