"""`arena probe`: check whether a process of the arena is alive."""

import time
from pathlib import Path

import click

from arena.base.errors import InvalidRequest
from arena.base.liveness import SILENT_S, check
from arena.cli.screen import say
from arena.service.bootstrap import load_settings


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--silent",
    default=SILENT_S,
    show_default=True,
    type=click.FloatRange(1),
    help="Seconds without a liveness signal after which the process counts as dead.",
)
def probe(file: Path | None, silent: float) -> None:
    """Check whether a process of the arena is alive.

    Reads the age of the liveness signal in FILE, the ARENA_LIVENESS_FILE of the process (default:
    this shell's). Does not use the database or Redis.
    Exit status 2 if the process is not ready or hangs.
    """
    file = file or load_settings().liveness_file
    if file is None:
        raise InvalidRequest("No liveness file. Name it, or set ARENA_LIVENESS_FILE.")
    say(f"Alive {check(file, silent, time.time()):.0f} s ago.")
