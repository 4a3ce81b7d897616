"""Taking an upload, and what is said of uploads before."""

from __future__ import annotations

from threading import BoundedSemaphore

from sqlalchemy import Connection
from werkzeug.datastructures import FileStorage

from arena.base import instant
from arena.base.errors import InvalidRequest, LimitReached, NotFound, NotNow
from arena.hosting.submission.files import MB
from arena.store.registry import audit_log, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import Submission, SubmissionLimits
from dashboard.account.guard import too_large
from dashboard.account.rights import acting
from dashboard.bots.manage.own import my_bot
from dashboard.sources import sources

# Each is in memory as a whole while it is stored.
MOST_AT_ONCE = 8
FULL = "Too many uploads are in progress: try again in a moment."
NO_FILE = "No file chosen: choose a .py or .zip file."

transfers = BoundedSemaphore(MOST_AT_ONCE)


def limits() -> SubmissionLimits:
    """What an upload may be here."""
    settings = sources().settings
    return SubmissionLimits(settings.submission_mb * MB, settings.submissions_per_day)


def left_today(conn: Connection, bot: RegisteredBot) -> int:
    """How often the bot may still be submitted or rolled back within these 24 hours."""
    return submissions.left_today(conn, bot, instant.now(), limits())


def take_file(name: str, file: FileStorage | None, label: str) -> Submission:
    """Submits what was chosen in a form. Raises InvalidRequest, and as `take` does."""
    if file is None or not file.filename:
        raise InvalidRequest(NO_FILE)
    if not transfers.acquire(blocking=False):
        raise LimitReached(FULL)
    try:
        return take(name, file.stream.read(limits().bytes + 1), label)
    finally:
        transfers.release()


def take(name: str, source: bytes, label: str) -> Submission:
    """Submits a source for a bot of the account that is signed in.

    Raises NotFound for a bot that is not theirs, NotNow for one that is retired, LimitReached, and
    what else `submissions.submit` raises.
    """
    if len(source) > limits().bytes:
        raise LimitReached(too_large())
    with sources().store.write() as conn:
        bot = my_playing_bot(conn, name)
        made = submissions.submit(conn, bot, source, label, None, limits())
        audit_log.note(conn, acting(), "submitted", f"bot {bot.name}", f"submission {made.id}")
    return made


def my_playing_bot(conn: Connection, name: str) -> RegisteredBot:
    """One's own bot, for which something can be submitted. Raises NotFound, NotNow."""
    bot = my_bot(conn, name)
    if bot.retired is not None:
        raise NotNow(f"{bot.name} is retired: bring it back first.")
    return bot


def my_submission(conn: Connection, bot: RegisteredBot, number: int) -> Submission:
    """A submission of this bot; others' are as if they did not exist. Raises NotFound."""
    missing = NotFound(f"{bot.name} has no submission {number}.")
    try:
        found = submissions.get(conn, number)
    except NotFound:
        raise missing from None
    if found.bot != bot.name:
        raise missing
    return found
