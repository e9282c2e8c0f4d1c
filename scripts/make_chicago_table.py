#!/usr/bin/env python3
"""Writes docs/chicago_observation.md: where each block of Chicago's observation begins, from the code that makes it."""

from __future__ import annotations

from pathlib import Path

from jaxpoker.games.chicago import view as chicago_view

PAGE = Path(__file__).resolve().parent.parent / "docs" / "chicago_observation.md"


def page() -> str:
    """The page as text."""
    lines = [
        "# What a player of Chicago sees",
        "",
        f"{chicago_view.OBSERVATION_SIZE:,} floats for any number of players, block after block, row-major. Seats are",
        "absolute, empty seats and absent cards zeros; a slot of 52 is a card, one-hot, by its id. Made by",
        "`scripts/make_chicago_table.py` from `jaxpoker.games.chicago.view.BLOCKS`.",
        "",
        "| first | floats | block | shape | meaning |",
        "|--:|--:|---|---|---|",
    ]
    for block in chicago_view.BLOCKS:
        shape = " × ".join(str(size) for size in block.shape)
        lines.append(
            f"| {chicago_view.OFFSETS[block.name]:,} | {block.size:,} | {block.name} | {shape} | {block.meaning} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
