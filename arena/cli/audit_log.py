"""`arena audit-log`: list the actions of organisers and operators."""

import re
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from arena.base import instant
from arena.cli.screen import limit_option, note, print_table, when
from arena.cli.where import data_option, open_local_store
from arena.kit.output import json_text
from arena.store.registry import audit_log as log
from arena.store.registry.names import printable

COLUMNS = ("when", "who", "from", "did", "to", "details")
UNITS_S = {"m": 60, "h": 3600, "d": 86400}


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return Unix seconds for a time or an age: 2026-03-01, 2026-03-01T22:00, 30m, 12h, 7d."""
    if text is None:
        return None
    if ago := re.fullmatch(r"(\d{1,6})([mhd])", text):
        return instant.now() - int(ago[1]) * UNITS_S[ago[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(
            f"{text!r} is not a time. Write 2026-03-01, 2026-03-01T22:00, 12h or 7d."
        ) from None


@click.command("audit-log")
@click.option("--since", callback=_moment, help="Start time or age: 2026-03-01, 12h, 7d, ...")
@click.option("--who", default="", help="Account or system user that acted.")
@limit_option("entries", 50, most=10_000)
@click.option("--json", "json_", is_flag=True, help="JSON output, one entry per line.")
@data_option
def audit_log(since: float | None, who: str, limit: int, json_: bool, data: Path | None) -> None:
    """List the actions of organisers and operators, newest first.

    The log covers tournaments, bots, tokens, accounts, anchors, recomputed ratings and upgrades.
    Each entry names the user and the origin: local command line, Control API or dashboard. Actions
    of users on their own bots are not logged. The newest 100,000 entries are kept.

    \b
    Examples:
      arena audit-log --since 12h
      arena audit-log --who ada --limit 200
    """
    with open_local_store(data) as store, store.read() as conn:
        entries = log.entries(conn, limit, since=since, who=who)
    if json_:
        for entry in entries:
            print(json_text(asdict(entry)))
    elif not entries:
        note("No entries.")
    else:
        rows = [
            (when(e.time), e.who, e.source, e.action, e.subject, printable(e.details))
            for e in entries
        ]
        print_table(COLUMNS, rows, left=COLUMNS)
