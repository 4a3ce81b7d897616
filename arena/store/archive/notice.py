"""What to say of matches that a list lacks, as they are archived."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.store.archive import catalogue

WHERE = "archived and not listed here: each is still shown under its own address."


def older(conn: Connection, bot: int | None = None, tournament: int | None = None) -> str:
    """A sentence about the archived matches of a bot, a tournament or all; "" if there are none."""
    if bot is not None and not catalogue.has_bot(conn, bot):
        return ""
    count = catalogue.count(conn, tournament)
    if not count:
        return ""
    if bot is not None:
        return f"Older matches are {WHERE}"
    return f"{count:,} older {'match is' if count == 1 else 'matches are'} {WHERE}"
