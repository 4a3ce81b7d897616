"""Accepting uploads, and their limits."""

from threading import BoundedSemaphore

from sqlalchemy import Connection
from werkzeug.datastructures import FileStorage

from arena.base import instant
from arena.base.errors import InvalidRequest, LimitReached, NotFound, NotNow
from arena.hosting.submission.files import MB
from arena.store.registry import audit_log, names, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import Submission, SubmissionLimits
from dashboard.account.guard import too_large
from dashboard.account.rights import acting
from dashboard.bots.manage.own import my_bot
from dashboard.sources import sources

# Uploads are held in memory while they are stored.
MOST_AT_ONCE = 8
FULL = "Too many uploads are in progress. Try again in a moment."
NO_FILE = "No file selected. Choose a .py or .zip file."

transfers = BoundedSemaphore(MOST_AT_ONCE)


def limits() -> SubmissionLimits:
    settings = sources().settings
    return SubmissionLimits(settings.submission_mb * MB, settings.submissions_per_day)


def left_today(conn: Connection, bot: RegisteredBot) -> int:
    """Return the number of submissions and rollbacks left in the current 24 hours."""
    return submissions.left_today(conn, bot, instant.now(), limits())


def check_label(label: str) -> None:
    """Raise InvalidRequest for an invalid version name, which may be empty."""
    if label:
        names.check_version(label)


def take_file(name: str, file: FileStorage | None, label: str) -> Submission:
    """Submit a file from a form. Raises InvalidRequest, and the errors of `take`."""
    if file is None or not file.filename:
        raise InvalidRequest(NO_FILE)
    if not transfers.acquire(blocking=False):
        raise LimitReached(FULL)
    try:
        return take(name, file.stream.read(limits().bytes + 1), label)
    finally:
        transfers.release()


def take(name: str, source: bytes, label: str) -> Submission:
    """Submit a source for a bot of the signed-in account. Raises NotFound for other users' bots,
    NotNow for a retired bot, LimitReached, and the errors of `submissions.submit`."""
    if len(source) > limits().bytes:
        raise LimitReached(too_large())
    with sources().store.write() as conn:
        bot = my_playing_bot(conn, name)
        made = submissions.submit(conn, bot, source, label, None, limits())
        audit_log.note(conn, acting(), "submitted", f"bot {bot.name}", f"submission {made.id}")
    return made


def my_playing_bot(conn: Connection, name: str) -> RegisteredBot:
    """Return an own bot that is not retired. Raises NotFound, NotNow."""
    bot = my_bot(conn, name)
    if bot.retired is not None:
        raise NotNow(f"{bot.name} is retired. Reinstate it first.")
    return bot


def my_submission(conn: Connection, bot: RegisteredBot, number: int) -> Submission:
    """Return a submission of this bot. Raises NotFound, including for other bots' submissions."""
    missing = NotFound(f"{bot.name} has no submission {number}.")
    try:
        found = submissions.get(conn, number)
    except NotFound:
        raise missing from None
    if found.bot != bot.name:
        raise missing
    return found
