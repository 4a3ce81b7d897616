"""Submissions: uploads of bots that the arena hosts.

    waiting -> building -> validating -> accepted, a version of the bot now
       │          └────────────┴───────> refused, with a reason
       └─> withdrawn, by a newer upload

`building` has the steps of a host, `built` what hosts play."""

import hashlib
import secrets
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, func, insert, literal, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound, NotNow
from arena.hosting.submission.files import MB, size_text
from arena.hosting.submission.manifest import from_json
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.names import check_version
from arena.store.tables import accounts, bots, players, submission_files, submissions

State = Literal["waiting", "building", "validating", "accepted", "refused", "withdrawn"]
OVER: tuple[State, ...] = ("accepted", "refused", "withdrawn")
HELD: tuple[State, ...] = ("building", "validating")  # by a host
KEPT_DAYS = 14  # refused and withdrawn uploads, and build artifacts
LISTED = 100  # of a bot, per page
DAY_S = 86_400
KEY_BYTES = 32
AGAIN = "-again"
LONGEST_LABEL = 40
BOTS_AT_THE_LIMIT = 5  # an account may upload as often as this many bots at their daily limit

# The author of a bot as a number: its account, or the bot itself (negative) if it has no account.
AUTHOR = func.coalesce(bots.c.owner, -bots.c.id)
# The submission that has the files: the submission itself, or the one that was rolled back to.
FILES = func.coalesce(submissions.c.files_of, submissions.c.id)


@dataclass(frozen=True, slots=True)
class Submission:
    """An upload for a bot, without its files. Times are Unix seconds."""

    id: int
    bot: str  # its name
    author: int  # see AUTHOR
    version: str  # the bot's version it became; empty before
    player: int | None  # the number of that version
    files_of: int | None  # the submission this one was rolled back to, which has the files
    label: str  # asked for with the upload, or empty
    created: float
    state: State
    attempts: int  # number of build attempts
    host: str  # the current or last host
    lease_until: float | None
    size: int  # of the source, in bytes
    sha256: bytes  # of the source
    manifest: str  # JSON; empty before it is accepted
    reason: str  # of a refusal, or why it cannot be built again; empty otherwise
    log: str  # empty in lists


def get(conn: Connection, number: int) -> Submission:
    """A submission. Raises NotFound."""
    row = conn.execute(_all().where(submissions.c.id == number)).first()
    if row is None:
        raise not_found(number)
    return Submission(*row)


def of_bot(conn: Connection, bot: int, limit: int = LISTED, before: int = 0) -> list[Submission]:
    """Up to `limit` submissions of a bot without their logs, newest first: those older than the
    submission `before`."""
    query = _all(literal("")).where(submissions.c.bot == bot)
    if before:
        query = query.where(submissions.c.id < before)
    rows = conn.execute(query.order_by(submissions.c.id.desc()).limit(limit))
    return [Submission(*row) for row in rows]


def not_found(number: int) -> NotFound:
    """The error for a submission that does not exist or belongs to another author."""
    return NotFound(f"There is no submission {number}. `arena bot submissions` lists yours.")


def has_source(conn: Connection, number: int) -> bool:
    """Whether the uploaded source is still stored."""
    return conn.scalar(_files(number, submission_files.c.submission)) is not None


def source(conn: Connection, number: int) -> bytes:
    """The uploaded source. Raises NotFound, even if it was stored earlier."""
    found = conn.scalar(_files(number, submission_files.c.source))
    if found is None:
        get(conn, number)
        raise _not_stored(number)
    return bytes(found)


def _files(number: int, column: ColumnElement[Any]) -> Select[Any]:
    own = submission_files.c.submission == FILES
    query = select(column).join_from(submissions, submission_files, own)
    return query.where(submissions.c.id == number)


def _not_stored(number: int) -> NotFound:
    return NotFound(
        f"The upload of submission {number} is no longer stored. Only the newest accepted uploads "
        f"of a bot are kept, and others for {KEPT_DAYS} days. Submit it again."
    )


@dataclass(frozen=True, slots=True)
class SubmissionLimits:
    """The size of an upload, and the uploads and rollbacks of a bot in 24 hours."""

    bytes: int = 8 * MB
    per_day: int = 20

    @property
    def of_an_account(self) -> int:
        """Maximum uploads and rollbacks in 24 hours of all bots of an account."""
        return BOTS_AT_THE_LIMIT * self.per_day

    def check_size(self, size: int) -> None:
        """Raises LimitReached if the upload is too large."""
        if size > self.bytes:
            raise LimitReached(
                f"The upload is larger than {size_text(self.bytes)}, the maximum. List files that "
                "the bot does not need in .botignore."
            )


def submit(
    conn: Connection,
    bot: RegisteredBot,
    source: bytes,
    label: str = "",
    now: float | None = None,
    limits: SubmissionLimits = SubmissionLimits(),
) -> Submission:
    """Adds a submission, which waits for a host, and withdraws one of the bot that still waits.

    The source is not checked here. `label` names the version; if it is empty, the manifest names
    it, or it is the next number. Raises InvalidRequest, AlreadyExists for a label that is taken,
    NotNow while a host builds an earlier upload, LimitReached.
    """
    now = instant.now() if now is None else now
    if not source:
        raise InvalidRequest("The upload is empty. Submit a folder, a .py file or a .zip file.")
    limits.check_size(len(source))
    lock(conn, bot)
    check(conn, bot, label, now, limits)
    waits = (submissions.c.bot == bot.id) & (submissions.c.state == "waiting")
    conn.execute(update(submissions).where(waits).values(state="withdrawn"))
    made = _add(
        conn,
        bot,
        now,
        label=label,
        state="waiting",
        size=len(source),
        sha256=hashlib.sha256(source).digest(),
        key=secrets.token_bytes(KEY_BYTES),
    )
    conn.execute(insert(submission_files).values(submission=made, source=source))
    return get(conn, made)


def rollback(
    conn: Connection,
    bot: RegisteredBot,
    number: int,
    now: float | None = None,
    limits: SubmissionLimits = SubmissionLimits(),
) -> Submission:
    """Makes an earlier accepted submission the bot's newest version at once, without building it.

    This adds a version, e.g. "2-again", and a submission with the files and the key of the earlier
    one. Raises NotFound for one that is unknown or no longer stored, NotNow for one that was not
    accepted or cannot be built again, LimitReached.
    """
    now = instant.now() if now is None else now
    earlier = get(conn, number)
    if earlier.bot != bot.name:
        raise not_found(number)
    cannot = f"Cannot roll back to submission {number}."
    if earlier.state != "accepted":
        raise NotNow(f"{cannot} It is {earlier.state}, not accepted. Choose an accepted one.")
    if earlier.reason:
        raise NotNow(f"{cannot} {earlier.reason}")
    if not has_source(conn, number):
        raise _not_stored(number)
    origin = get(conn, earlier.files_of) if earlier.files_of else earlier
    lock(conn, bot)
    _check_bot(conn, bot, now, limits)
    label = _label_again(conn, bot, origin.version)
    kept = select(submissions.c.manifest, submissions.c.hello, submissions.c.key)
    row = conn.execute(kept.where(submissions.c.id == origin.id)).one()
    program = from_json(row.manifest).is_program
    version = registry.new_version(conn, bot.name, label, now, hosted=True, program=program)
    fields = {"state": "accepted", "size": origin.size, "sha256": origin.sha256, **row._mapping}
    made = _add(conn, bot, now, player=version.player, files_of=origin.id, label=label, **fields)
    return get(conn, made)


def check(
    conn: Connection, bot: RegisteredBot, label: str, now: float, limits: SubmissionLimits
) -> None:
    """Raises the errors that `submit` would raise for this bot, whatever the source."""
    _check_bot(conn, bot, now, limits)
    if label and _has_version(conn, bot, check_version(label)):
        raise AlreadyExists(f"{bot.name} already has a version {label}. Choose another version.")


def left_today(conn: Connection, bot: RegisteredBot, now: float, limits: SubmissionLimits) -> int:
    """Uploads and rollbacks that the limits of 24 hours still allow for a bot."""
    left = limits.per_day - _of_last_day(conn, submissions.c.bot == bot.id, now)
    return max(0, min(left, limits.of_an_account - _of_account(conn, bot, now)))


def _all(log: ColumnElement[str] = submissions.c.log) -> Select[Any]:
    row, version = submissions.c, func.coalesce(players.c.version, "")
    return (
        select(row.id, bots.c.name, AUTHOR, version, row.player, row.files_of, row.label)
        .add_columns(row.created, row.state, row.attempts, row.host, row.lease_until, row.size)
        .add_columns(row.sha256, row.manifest, row.reason, log)
        .join_from(submissions, bots, bots.c.id == row.bot)
        .outerjoin(players, players.c.id == row.player)
    )


def _of_account(conn: Connection, bot: RegisteredBot, now: float) -> int:
    """Uploads and rollbacks of all bots of a bot's account in 24 hours; 0 without an account."""
    if bot.owner is None:
        return 0
    own = submissions.c.bot.in_(select(bots.c.id).where(bots.c.owner == bot.owner))
    return _of_last_day(conn, own, now)


def _of_last_day(conn: Connection, which: ColumnElement[bool], now: float) -> int:
    recent = which & (submissions.c.created > now - DAY_S)
    return conn.scalar(select(func.count()).where(recent)) or 0


def lock(conn: Connection, bot: RegisteredBot) -> None:
    """Makes changes to the uploads of one account wait for each other, so that all are counted."""
    # Rows that refer to these can still be added: the account's owner may sign in meanwhile.
    for row, number in ((accounts.c, bot.owner), (bots.c, bot.id)):
        conn.execute(select(row.id).where(row.id == number).with_for_update(key_share=True))


def _add(conn: Connection, bot: RegisteredBot, now: float, **values: object) -> int:
    row = {"bot": bot.id, "account": bot.owner, "created": now, "attempts": 0, "host": ""}
    texts = {"manifest": "", "reason": "", "log": "", "hello": b""}
    made = insert(submissions).values(**row, **{**texts, **values}).returning(submissions.c.id)
    return int(conn.execute(made).scalar_one())


def _check_bot(conn: Connection, bot: RegisteredBot, now: float, limits: SubmissionLimits) -> None:
    """Raises NotNow, LimitReached."""
    own = submissions.c.bot == bot.id
    held = select(submissions.c.id).where(own, submissions.c.state.in_(HELD))
    if (busy := conn.scalar(held)) is not None:
        raise NotNow(
            f"{bot.name} cannot be submitted now. Its submission {busy} is being built. Wait until "
            "that is finished."
        )
    if _of_last_day(conn, own, now) >= limits.per_day:
        raise LimitReached(
            f"{bot.name} has had {limits.per_day} submissions in 24 hours, the maximum. Try the "
            "bot on your machine (`arena check`, `arena play`), and submit it again later."
        )
    if _of_account(conn, bot, now) >= limits.of_an_account:
        raise LimitReached(
            f"The bots of {bot.name}'s owner have had {limits.of_an_account} submissions in 24 "
            "hours, the maximum. Try them on your machine (`arena check`, `arena play`), and "
            "submit again later."
        )


def _label_again(conn: Connection, bot: RegisteredBot, label: str) -> str:
    """E.g. "2-again", "2-again2"; empty for the next number, if it would be too long."""
    for number in count(1):
        again = f"{label}{AGAIN}{number if number > 1 else ''}"
        if len(again) > LONGEST_LABEL:
            break
        if not _has_version(conn, bot, again):
            return again
    return ""


def _has_version(conn: Connection, bot: RegisteredBot, label: str) -> bool:
    same = (players.c.bot == bot.id) & (players.c.version == label)
    return conn.scalar(select(players.c.id).where(same)) is not None
