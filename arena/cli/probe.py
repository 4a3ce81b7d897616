"""`arena probe`: whether a process of the arena shows signs of life."""

from __future__ import annotations

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
    help="Seconds without a sign of life after which it counts as dead.",
)
def probe(file: Path | None, silent: float) -> None:
    """Say whether a gateway, worker, beat, dashboard or house is alive, by the age of its file.

    FILE is the ARENA_LIVENESS_FILE that the process was started with, and by default this
    shell's. Asks neither database nor Redis. Exit status 2 if the process is not ready or hangs.
    """
    file = file or load_settings().liveness_file
    if file is None:
        raise InvalidRequest("Which file? Name it, or set ARENA_LIVENESS_FILE.")
    say(f"Alive {check(file, silent, time.time()):.0f} s ago.")
