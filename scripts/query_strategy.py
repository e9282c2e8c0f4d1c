#!/usr/bin/env python3
"""Says what a solved strategy of hold'em does: a blueprint's, or that of a spot.

python scripts/query_strategy.py                              examples from the blueprint that comes with jaxpoker
python scripts/query_strategy.py --run NAME                   ... from a run of scripts/run solve --game holdem
python scripts/query_strategy.py --run NAME --checkpoint 100  ... from what that run had after 100 iterations
python scripts/query_strategy.py --run run.h5                 ... from a file of scripts/run solve --export
python scripts/query_strategy.py --custom --card1 Ah --card2 Kh --position BTN --street preflop --sequence ""
python scripts/query_strategy.py --card1 Ah --card2 Kh --board Qh7h2c --sequence "r25c/c"
python scripts/query_strategy.py --grid --sequence r25        a 13 x 13 grid of a preflop decision
python scripts/query_strategy.py --sequence r25 --csv bb.csv  the whole strategy of a decision

python scripts/query_strategy.py --run NAME --line "check, bet 66, call; 7h; check"    a run of scripts/run spot
python scripts/query_strategy.py --run NAME --line "check" --hand AKs --ranges        EV hand by hand, both ranges
python scripts/query_strategy.py --run NAME --line "check, check" --cards             what each turn card changes
python scripts/query_strategy.py --library "srp 9dThJs" --line "check"                a flop that ships

"Reached" is how often chance and both players' play come to a decision; "times seen", which checkpoints and HDF5 files
know, is how often own cards and own play came there while the strategy was learned, in iterations.

A betting sequence has a letter for each action, streets divided by bars: f fold, c check or call, r25 raise to 25
chips, a all-in. "" is the first decision of the hand, "r25c/" the first after the flop. A line of a spot is in words,
with the card that is dealt between two semicolons.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import tyro
from rich.console import Console

if TYPE_CHECKING:
    from jaxpoker.solvers.blueprint import Blueprint
    from jaxpoker.solvers.blueprint.reach import Reached
    from jaxpoker.studies.solve.kept import Kept

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_BUCKETS = 5  # of a decision


@dataclass(frozen=True)
class Options:
    """What to look up; when nothing is said, examples are shown."""

    run: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """A run of scripts/run solve --game holdem or of scripts/run spot, by its name; or the path of its file."""
    checkpoint: Annotated[str | None, tyro.conf.arg(metavar="STEP")] = None
    """Ask that checkpoint of the run instead of its end; the answer to a step that is not there says which are."""
    runs: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("runs")
    """The folder that holds all runs."""
    custom: bool = False
    """Look up one situation: the cards below at the decision after --sequence."""
    card1: str = ""
    """The first card of the hand, as in Ah."""
    card2: str = ""
    """The second."""
    board: str = ""
    """The open cards, as in Qh7h2c."""
    position: Literal["BTN", "BB"] | None = None
    """Who is to act; checked against the sequence, which says it as well."""
    street: Literal["preflop", "flop", "turn", "river"] | None = None
    """Likewise."""
    sequence: str | None = None
    """The betting so far, such as "r25c/c"."""
    line: str | None = None
    """Spots: the betting and the cards dealt so far, such as "check, bet 66, call; 7h; check"."""
    hand: str = ""
    """Spots: show these hands one by one, as in AhKh or "AKs, QQ+"."""
    ranges: bool = False
    """Spots: show what both players hold."""
    cards: bool = False
    """Flops: tell what each kind of card changes that may come after --line; with --csv card by card."""
    library: Annotated[str | None, tyro.conf.arg(metavar="'POT FLOP'")] = None
    """A flop that ships instead of a run, such as "srp Kh7s2c"; a wrong one says which there are."""
    grid: bool = False
    """Show the 13 x 13 grid of a preflop decision; spots always do."""
    png: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Save that grid as a picture."""
    csv: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Save the whole strategy of the decision; "-" prints it."""
    json: bool = False
    """Print plain values instead: of the hand, or of the whole decision without one."""


class Asked(NamedTuple):
    """What answers: a blueprint and, of a checkpoint or an HDF5 file, how often its decisions were come to."""

    blueprint: Blueprint
    kept: Kept | None = None


def asked_of(options: Options) -> Asked:
    """The checkpoint, the HDF5 file or the blueprint that was named."""
    from jaxpoker.runs.folder import existing_run
    from jaxpoker.solvers.blueprint import tables_file

    if options.checkpoint is not None:
        if options.run is None or os.path.isfile(options.run):
            raise ValueError(f"--checkpoint {options.checkpoint} is of a run: name it with --run NAME")
        from jaxpoker.studies.solve import kept

        found = kept.checkpoint(existing_run(options.runs / "solve", options.run, "to ask"), options.checkpoint)
        return Asked(found.blueprint, found)
    if options.run is not None and tables_file.is_tables_file(options.run):
        from jaxpoker.studies.solve import kept

        found = kept.tables(Path(options.run))
        return Asked(found.blueprint, found)
    return Asked(blueprint_of(options))


def blueprint_of(options: Options) -> Blueprint:
    """The blueprint that was named."""
    from jaxpoker.players.registry import BLUEPRINT_FILE
    from jaxpoker.runs import RunError
    from jaxpoker.solvers import blueprint

    if options.run is None:
        if not blueprint.SHIPPED.is_file():
            raise RunError("no blueprint comes with this copy of jaxpoker: name a run with --run")
        return blueprint.load_shipped()
    if os.path.isfile(options.run):
        return blueprint.load(options.run)
    parent = options.runs / "solve"
    path = parent / options.run / BLUEPRINT_FILE
    if not os.path.isfile(path):
        if os.path.isdir(path.parent):
            raise RunError(
                f"run {path.parent} has no {BLUEPRINT_FILE}: scripts/run solve --game holdem writes it at its end; "
                "--checkpoint STEP asks what the run has so far"
            )
        there = sorted(found.parent.name for found in parent.glob(f"*/{BLUEPRINT_FILE}"))
        known = f"the runs there are {', '.join(there)}" if there else f"there is none in {parent}"
        raise RunError(f"no run {options.run!r}: {known}")
    return blueprint.load(path)


def decision_of(solved: Blueprint, options: Options) -> int:
    """The node after ``--sequence``, which has to agree with all else that was said."""
    from jaxpoker import cards
    from jaxpoker.games.holdem.table import STREETS
    from jaxpoker.solvers.abstraction import OPEN_CARDS
    from jaxpoker.solvers.tree import infosets, lines

    node = lines.node_of(solved.tree, options.sequence or "")
    street, position = STREETS[solved.tree.street[node]], infosets.POSITIONS[solved.tree.player[node]]
    after = f"after {options.sequence!r}" if options.sequence else "at the start of a hand"
    if options.position not in (None, position):
        raise ValueError(f"{after} it is {position} who acts, not {options.position}")
    if options.street not in (None, street):
        raise ValueError(f"{after} the hand is on the {street}, not on the {options.street}")
    opened, needed = len(cards.parse(options.board)), OPEN_CARDS[STREETS.index(street)]
    if (options.board or options.card1 or options.card2) and opened != needed:
        raise ValueError(f"--board {options.board!r} has {opened} cards: on the {street} ({after}) there are {needed}")
    return node


def percent(part: float) -> str:
    return f"{100 * part:.3g}%"


def reached_text(reached: Reached, board: str = "") -> str:
    """How often a decision is reached."""
    error = f" ± {percent(reached.ci95)}" if reached.ci95 else ""
    return f"Reached: {percent(reached.hands)}{error} of hands{' on this board' if board else ''}"


def seen_text(asked: Asked, node: int, bucket: int) -> list[str]:
    """How often a bucket came to a decision while the strategy was learned, where that is known."""
    if asked.kept is None:
        return []
    return [f"Times seen: {asked.kept.times_seen(node, bucket):.3g} of {asked.kept.iterations:.3g} weighted iterations"]


def show_hand(asked: Asked, node: int, options: Options) -> None:
    from jaxpoker import cards
    from jaxpoker.games.holdem.table import STREETS
    from jaxpoker.solvers.blueprint import charts, reach
    from jaxpoker.solvers.tree import infosets

    solved = asked.blueprint
    for name in ("card1", "card2"):
        if not getattr(options, name):
            raise ValueError(f"--{name} is missing: a hand has two cards, as in --card1 Ah --card2 Kh")
    hole = cards.parse(options.card1 + options.card2)
    bucket = solved.bucket(hole.tolist(), options.board)
    reached = reach.of(solved, node, options.board)
    with_hand = reached.with_hand(hole.tolist())
    if not options.json:
        facts = [
            f"{reached_text(reached, options.board)}, {percent(with_hand)} with this hand",
            *seen_text(asked, node, bucket),
        ]
        said = f"{cards.text(hole)} on {cards.text(cards.parse(options.board))}" if options.board else cards.text(hole)
        print(charts.card(solved, node, bucket, said, facts))
        return
    labels, mix = charts.legal_mix(solved, node, bucket)
    key = infosets.key_of(solved.tree, node, bucket)._asdict() | {"street": STREETS[solved.tree.street[node]]}
    found: dict[str, Any] = {
        "hand": cards.text(hole),
        "board": options.board,
        "infoset": key,
        "strategy": dict(zip(labels, mix, strict=True)),
        "reached": {"hands": reached.hands, "this_hand": with_hand},
    }
    if asked.kept is not None:
        found["times_seen"] = {"iterations": asked.kept.times_seen(node, bucket), "of": asked.kept.iterations}
    print(json.dumps(found, indent=2))


def show_examples(asked: Asked) -> None:
    """The strongest buckets that are held at the decisions before the flop that matter most."""
    from jaxpoker import ranges
    from jaxpoker.solvers.blueprint import charts, reach

    solved, number = asked.blueprint, 0
    bucket_of_combo = solved.class_buckets[ranges.CLASS_OF_COMBO]
    for node in charts.opening_nodes(solved.tree):
        reached = reach.of(solved, node)
        for bucket in sorted(set(solved.class_buckets.tolist()), reverse=True)[:EXAMPLE_BUCKETS]:
            number += 1
            held = reached.among(bucket_of_combo == bucket)
            facts = [f"{reached_text(reached)}, {percent(held)} with these cards", *seen_text(asked, node, bucket)]
            head, *rest = charts.card(solved, node, bucket, facts=facts).splitlines()
            print("\n".join([f"{number}. {head}", *(f"   {line}".rstrip() for line in rest), ""]))


def answer(options: Options, console: Console) -> None:
    from jaxpoker.studies.spot import answers

    about_spot = options.line is not None or bool(options.hand) or options.ranges or options.cards
    plain = (options.csv, options.png, options.json, options.cards)
    question = answers.Question(options.line or "", options.hand, options.ranges, *plain)
    if options.library is not None:
        answers.answer_about(answers.from_library(options.library), question, console)
        return
    file = answers.file_of(options.run, options.runs, about_spot) if options.checkpoint is None else None
    if file is not None:
        answers.answer(file, question, console)
        return
    asked = asked_of(options)
    solved = asked.blueprint
    place = options.sequence is not None or options.position or options.street or options.board
    hand = options.custom or options.card1 or options.card2
    if not (place or hand or options.grid or options.png or options.csv or options.json):
        show_examples(asked)
        return
    from jaxpoker.files import write_whole
    from jaxpoker.solvers.blueprint import charts, reach

    node = decision_of(solved, options)
    if options.csv is not None:
        text = charts.as_csv(solved, node)
        if str(options.csv) == "-":
            print(text, end="")
        else:
            write_whole(options.csv, text)
    if options.png is not None:
        charts.save_grids(options.png, solved, [node])
    if options.grid:
        console.print(charts.grid(solved, node))
    if hand:
        show_hand(asked, node, options)
    elif options.json:
        reached = reach.of(solved, node, options.board)
        parts = {"hands": reached.hands, "ci95": reached.ci95}
        print(json.dumps(charts.as_json(solved, node) | {"reached": parts}, indent=2))
    elif not (options.grid or options.png or options.csv):
        console.print(charts.table(solved, node))
        console.print(reached_text(reach.of(solved, node, options.board), options.board), highlight=False)


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(tyro.conf.FlagCreatePairsOff[Options], args=arguments, description=__doc__)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))  # the second query starts quicker
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")
    from jaxpoker.runs import RunError

    try:
        answer(options, Console())
    except (ValueError, RunError, OSError, ModuleNotFoundError) as error:
        print(f"scripts/query_strategy.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped")
