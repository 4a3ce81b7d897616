"""Single-file programs for the editor."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.hosting.submission.unpack import is_archive
from arena.kit.new.languages import LANGUAGES
from arena.store.registry import submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import Submission
from dashboard.sdk.place import first_files

LONGEST = 128 * 1024  # bytes; longer programs are uploaded as files
LOOKED_AT = 10  # submissions searched for a single file


def program(conn: Connection, item: Submission) -> str | None:
    """Return the text of a submission, None if it does not fit the editor or is not stored."""
    if item.size > LONGEST or not submissions.has_source(conn, item.id):
        return None
    source = submissions.source(conn, item.id)
    try:
        return None if is_archive(source) else source.decode()
    except UnicodeDecodeError:
        return None


def newest(conn: Connection, bot: RegisteredBot) -> tuple[int, str] | None:
    """Return the newest submission that fits the editor, and its text."""
    for item in submissions.of_bot(conn, bot.id, LOOKED_AT):
        text = program(conn, item)
        if text is not None:
            return item.id, text
    return None


def first() -> str:
    """Return the starter bot of `arena new`."""
    python = LANGUAGES["python"]
    return first_files(python)[python.main]
