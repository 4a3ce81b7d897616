"""`arena status`: show the arena's status in the terminal."""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import click

from arena.base import instant
from arena.base.errors import NotFound
from arena.cli.screen import print_table, say
from arena.cli.where import data_option, explain_missing, settings_of
from arena.service.health.sentences import inner_numbers, numbers, problems
from arena.service.health.state import ArenaState, look

WATCH_S = 2.0
WELL = "Nothing is wrong."


@click.command()
@data_option
@click.option("--json", "json_", is_flag=True, help="JSON output, as on /api/health.")
@click.option("--watch", is_flag=True, help="Update every two seconds, until Ctrl-C.")
@click.pass_context
def status(ctx: click.Context, data: Path | None, json_: bool, watch: bool) -> None:
    """Show the arena's status and problems.

    The dashboard shows the same on /status. Reads the database and Redis of the arena that runs in
    the folder --data, else ARENA_DATABASE_URL and ARENA_REDIS_URL. Exit status 1 if there is a
    problem.
    """
    while True:
        seen = _look(data)
        _show(seen, json_, clear=watch and sys.stdout.isatty())
        if not watch:
            ctx.exit(1 if seen.wrong else 0)
        time.sleep(WATCH_S)


def _look(data: Path | None) -> ArenaState:
    """Find the arena again each time, because it may have started or stopped meanwhile."""
    settings, runs = settings_of(data)
    with explain_missing(settings):
        found = look(settings, runs=runs)
        if isinstance(found.error, NotFound):
            raise found.error
        return found


def _show(seen: ArenaState, json_: bool, *, clear: bool) -> None:
    sentences = problems(seen.wrong)
    if json_:
        say(json.dumps({**asdict(seen.health), "problems": sentences}, ensure_ascii=False))
        return
    if clear:
        click.clear()
    for sentence in sentences or [WELL]:
        say(sentence)
    say()
    lines = [*numbers(seen.health, instant.now()), *inner_numbers(seen.health)]
    print_table(("what", "now"), lines, left=("what", "now"))
