"""What the editor can have in it: programs of a single file."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.hosting.submission.unpack import is_archive
from arena.kit.new.languages import LANGUAGES
from arena.store.registry import submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import Submission
from dashboard.sdk.place import first_files

LONGEST = 128 * 1024  # bytes; what is longer is uploaded as a file
LOOKED_AT = 10  # submissions, for the newest that is a single file


def program(conn: Connection, item: Submission) -> str | None:
    """The text of a submission, if it is a single file that is not too long for the editor, and is
    still kept."""
    if item.size > LONGEST or not submissions.has_source(conn, item.id):
        return None
    source = submissions.source(conn, item.id)
    try:
        return None if is_archive(source) else source.decode()
    except UnicodeDecodeError:
        return None


def newest(conn: Connection, bot: RegisteredBot) -> tuple[int, str] | None:
    """The newest submission of a bot that the editor can have in it, and its text."""
    for item in submissions.of_bot(conn, bot.id, LOOKED_AT):
        text = program(conn, item)
        if text is not None:
            return item.id, text
    return None


def first() -> str:
    """The bot that `arena new` writes."""
    python = LANGUAGES["python"]
    return first_files(python)[python.main]
