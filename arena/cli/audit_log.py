"""`arena audit-log`: what organisers and administrators did."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime

import click

from arena.base import instant
from arena.cli.screen import note, print_table, when
from arena.cli.where import Where, arena_options, open_local_store
from arena.kit.output import json_text
from arena.store.registry import audit_log as log
from arena.store.registry.names import printable

COLUMNS = ("when", "who", "from", "did", "to", "details")
UNITS_S = {"m": 60, "h": 3600, "d": 86400}
MOST = 10_000


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A time, or how long ago, in Unix seconds: 2026-03-01, 2026-03-01T22:00, 30m, 12h, 7d."""
    if text is None:
        return None
    if ago := re.fullmatch(r"(\d{1,6})([mhd])", text):
        return instant.now() - int(ago[1]) * UNITS_S[ago[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(
            f"{text!r} is no time: write 2026-03-01, 2026-03-01T22:00, 12h or 7d."
        ) from None


@click.command("audit-log")
@click.option("--since", callback=_moment, help="Since 2026-03-01, 12h, 7d, ...")
@click.option("--who", default="", help="Only what this account or user did.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MOST))
@click.option("--json", "json_", is_flag=True, help="Print JSON, an entry to a line.")
@arena_options
def audit_log(since: float | None, who: str, limit: int, json_: bool, where: Where) -> None:
    """List what organisers and administrators did, newest first.

    Tournaments made, stopped, resumed and entered, bots registered and retired, new tokens,
    accounts, anchors, rebuilds and upgrades: by whom, and whether on the command line of the
    arena's machine, over the Control service or on the dashboard. What people do with bots of
    their own is not in it. The newest 100,000 entries are kept.

    \b
    Examples:
      arena audit-log --since 12h
      arena audit-log --who ada --limit 200
    """
    with open_local_store(where) as store, store.read() as conn:
        entries = log.entries(conn, limit, since=since, who=who)
    if json_:
        for entry in entries:
            print(json_text(asdict(entry)))
    elif not entries:
        note("Nothing was noted.")
    else:
        rows = [
            (when(e.time), e.who, e.source, e.action, e.subject, printable(e.details))
            for e in entries
        ]
        print_table(COLUMNS, rows, left=COLUMNS)
