"""Hold'em against the machine: heads-up with a coach, in the browser or in the terminal; up to ten in the terminal.

    jaxpoker-play                                  opens the page in your browser
    jaxpoker-play --opponent lag --port 9000
    jaxpoker-play --opponent runs/evolve/NAME      an evolved champion; or a run of solve, dqn or ppo
    jaxpoker-play --terminal                       the same game without a browser
    jaxpoker-play --terminal --players 6 --opponent "tag,lag,calling machine"
    jaxpoker-play --llm-url http://localhost:11434/v1 --llm-model llama3

A language model, if you name one, rewords the coach's text; its key comes from the variable JAXPOKER_LLM_KEY.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.console import Console

from jaxpoker.files import user_cache

if TYPE_CHECKING:
    from jaxpoker.app.room import Room
    from jaxpoker.coach.language_model import LanguageModel

COMMAND = "jaxpoker-play"
MOST_PLAYERS = 10
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("", "0.0.0.0", "::")  # addresses to listen on that no page can be opened at


@dataclass(frozen=True)
class Options:
    """You play 100 big blinds deep; stacks are reset for every hand."""

    opponent: str = "blueprint"
    """Whom you play first: blueprint, dqn, ppo, tag, lag, smart, "candid statistician", "hothead maniac",
    "calling machine", "scared limper" or random; or the folder of a solve, evolve, dqn or ppo run. With --players
    names with commas, from the first on again when there are fewer than seats; "tag,lag" when left out."""
    players: int = 2
    """Seats, yours too: three to ten in the terminal, against tag, lag, calling machine, scared limper, hothead maniac
    and random."""
    port: int = 8765
    """Of the page's address; 0 takes any that is free."""
    host: str = "127.0.0.1"
    """Who may connect: this machine alone, unless you name another address of it."""
    no_browser: bool = False
    """Do not open a browser."""
    terminal: bool = False
    """Play in the terminal instead."""
    runs: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("runs")
    """The folder with the runs whose metrics the page shows."""
    seed: int | None = None
    """Of the cards; others every time when left out."""
    rollouts: int = 1_000
    """Of each action, when the coach is asked."""
    llm_url: str = ""
    """Base URL of an OpenAI-compatible server that rewords the coach's text; off when left out."""
    llm_model: str = ""
    """The name of the model there."""


def room_of(options: Options) -> Room:
    """The room with all opponents, the one that was asked for first."""
    from jaxpoker.app import opponents
    from jaxpoker.app.room import Room

    first = opponents.named(options.opponent)
    others = tuple(one for one in opponents.SHIPPED if one.name != first.name)
    return Room((first, *others), num_rollouts=options.rollouts, seed=options.seed)


def play_ring(options: Options, console: Console) -> None:
    """A table of three to ten in the terminal, until the person leaves."""
    if not 2 <= options.players <= MOST_PLAYERS:
        raise ValueError(f"--players {options.players}: a table has 2 to {MOST_PLAYERS}")
    if not options.terminal:
        raise ValueError(f"--players {options.players}: tables of more than two are in the terminal, add --terminal")
    from jaxpoker.app.ring import session, terminal

    opponents = "tag,lag" if options.opponent == Options.opponent else options.opponent
    dealers = session.dealers_of(opponents, options.players)
    seed = int.from_bytes(os.urandom(4)) if options.seed is None else options.seed
    with console.status("Warming up, a minute the first time ..."):
        table = session.Ring(dealers, seed)
    terminal.play(table, console, input)


def model_of(options: Options) -> LanguageModel | None:
    from jaxpoker.coach.language_model import LanguageModel

    if not options.llm_url and not options.llm_model:
        return None
    return LanguageModel(options.llm_url, options.llm_model, os.environ.get("JAXPOKER_LLM_KEY"))


def warm_up(room: Room, console: Console) -> str:
    """Compiles what the first opponent needs; its name."""
    first = next(iter(room.opponents))
    started = time.monotonic()
    with console.status("Warming up ...") as status:
        room.prepare(first, lambda what: status.update(f"Warming up, a minute the first time. {what} ..."))
    console.print(f"Ready in {time.monotonic() - started:.0f} s.", highlight=False)
    return first


def serve(options: Options, room: Room, model: LanguageModel | None, console: Console) -> None:
    import uvicorn

    from jaxpoker.app import connections
    from jaxpoker.app.server import app_of

    if options.host in EVERYWHERE:
        raise ValueError(f"--host {options.host!r} is every address: name the one that others are to open")
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((options.host, options.port))
            listening.listen()  # who comes early waits for the server
        except (OSError, OverflowError) as error:
            raise ValueError(
                f"cannot listen on {options.host} port {options.port} ({error}): choose another --port, or 0"
            ) from error
        port = listening.getsockname()[1]
        shown = f"[{options.host}]" if family == socket.AF_INET6 else options.host
        hosts = [f"{name}:{port}" for name in (*LOOPBACK, shown)]
        warm_up(room, console)
        address = f"http://{shown}:{port}/"
        console.print(f"Play at [bold]{address}[/bold]   (Ctrl-C ends)", highlight=False)
        if shown not in LOOPBACK:
            console.print("Others who can reach this address can play, too: there is no password.", style="yellow")
        app = app_of(room, hosts, options.runs, model)
        server = uvicorn.Server(connections.config(app))
        if not options.no_browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server.run(sockets=[listening])


def main(arguments: list[str] | None = None) -> int:
    options = tyro.cli(tyro.conf.FlagCreatePairsOff[Options], prog=COMMAND, args=arguments, description=__doc__)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(user_cache() / "jax"))  # the second start is quicker
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")
    console = Console()
    try:
        from jaxpoker.runs import RunError

        if options.players != 2:
            play_ring(options, console)
        room, model = room_of(options), model_of(options)
        if options.terminal:
            from jaxpoker.app.terminal import Terminal

            Terminal(room, warm_up(room, console), console, input, model).play()
        else:
            serve(options, room, model, console)
    except (ValueError, RunError) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        print(
            f"{COMMAND}: {error.name} is missing: pip install 'jaxpoker[ui]' (in a checkout: scripts/setup_venv ui), "
            "or play with --terminal",
            file=sys.stderr,
        )
        return 2
    except (EOFError, KeyboardInterrupt):
        console.print("\ngoodbye")
    return 0


if __name__ == "__main__":
    sys.exit(main())
