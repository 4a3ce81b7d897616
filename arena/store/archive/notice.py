"""Texts about archived matches that a list does not contain."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.store.archive import catalogue

WHERE = "archived and not listed here. The page of each match still works."


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
