"""`arena status`: the arena's status in the terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click

from arena.cli.db import data_option
from arena.cli.screen import print_table, say
from arena.cli.where import Where, open_local_store, settings_of
from arena.errors import Unavailable
from arena.health.facts import Health
from arena.health.state import arena_state
from arena.health.words import numbers
from arena.live.connect import impatient
from arena.live.reader import LiveReader
from arena.store.writable import verdict

WATCH_S = 2.0
WELL = "Nothing is wrong."


@click.command()
@data_option
@click.option("--json", "json_", is_flag=True, help="Print JSON, as /api/health has it.")
@click.option("--watch", is_flag=True, help="Again every two seconds, until Ctrl-C.")
@click.pass_context
def status(ctx: click.Context, data: Path | None, json_: bool, watch: bool) -> None:
    """Show the arena's status: what is wrong and what to do, then the numbers.

    The dashboard shows the same on /status. It is read from the database and Redis of the arena
    that runs in the folder --data, else from ARENA_DATABASE_URL and ARENA_REDIS_URL. Exit status 1
    if something is wrong.
    """
    while True:
        seen = _look(data)
        _show(seen, json_, clear=watch and sys.stdout.isatty())
        if not watch:
            ctx.exit(1 if seen.problems else 0)
        time.sleep(WATCH_S)


@dataclass(frozen=True)
class StatusReport:
    """What is wrong, and the numbers unless the database could not be read."""

    problems: Sequence[str]
    health: Health | None
    now: float


def _look(data: Path | None) -> StatusReport:
    """Finds the arena anew each time: it may have been started or stopped meanwhile."""
    now = time.time()
    settings, uses_redis = settings_of(data)
    client = impatient(settings.redis_url) if uses_redis else None
    try:
        with open_local_store(Where(data)) as store:
            arena = arena_state(store, LiveReader(client), verdict(store), now)
        return StatusReport(arena.problems, arena.health, now)
    except Unavailable as error:
        return StatusReport([str(error)], None, now)
    finally:
        if client is not None:
            client.close()


def _show(seen: StatusReport, json_: bool, *, clear: bool) -> None:
    if json_:
        names = [field.name for field in fields(Health)]
        facts = asdict(seen.health) if seen.health else dict.fromkeys(names)
        say(json.dumps({**facts, "problems": list(seen.problems)}, ensure_ascii=False))
        return
    if clear:
        click.clear()
    for sentence in seen.problems or [WELL]:
        say(sentence)
    if seen.health:
        say()
        print_table(("what", "now"), numbers(seen.health, seen.now), left=("what", "now"))
