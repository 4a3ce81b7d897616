"""Submitting: a new source, or a rollback to one that was accepted before."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from itertools import count

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotNow
from arena.hosting.submission.files import MB, size_text
from arena.hosting.submission.manifest import from_json
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.names import check_version
from arena.store.registry.submissions.model import HELD, Submission, get, not_found
from arena.store.registry.submissions.played import has_source, not_stored
from arena.store.tables import accounts, bots, players, submission_files, submissions

DAY_S = 86_400
KEY_BYTES = 32
AGAIN = "-again"
LONGEST_LABEL = 40
BOTS_AT_THE_LIMIT = 5  # an account may upload as often as this many bots at their daily limit


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
    _lock(conn, bot)
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
    accepted, LimitReached.
    """
    now = instant.now() if now is None else now
    earlier = get(conn, number)
    if earlier.bot != bot.name:
        raise not_found(number)
    if earlier.state != "accepted":
        raise NotNow(
            f"Cannot roll back to submission {number}. It is {earlier.state}, not accepted. "
            "Choose an accepted one."
        )
    if not has_source(conn, number):
        raise not_stored(number)
    origin = get(conn, earlier.files_of) if earlier.files_of else earlier
    _lock(conn, bot)
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
    _check_label(conn, bot, label)


def left_today(conn: Connection, bot: RegisteredBot, now: float, limits: SubmissionLimits) -> int:
    """Uploads and rollbacks that the limits of 24 hours still allow for a bot."""
    left = limits.per_day - _of_last_day(conn, submissions.c.bot == bot.id, now)
    return max(0, min(left, limits.of_an_account - _of_account(conn, bot, now)))


def _of_account(conn: Connection, bot: RegisteredBot, now: float) -> int:
    """Uploads and rollbacks of all bots of a bot's account in 24 hours; 0 without an account."""
    if bot.owner is None:
        return 0
    own = submissions.c.bot.in_(select(bots.c.id).where(bots.c.owner == bot.owner))
    return _of_last_day(conn, own, now)


def _of_last_day(conn: Connection, which: ColumnElement[bool], now: float) -> int:
    recent = which & (submissions.c.created > now - DAY_S)
    return conn.scalar(select(func.count()).where(recent)) or 0


def _lock(conn: Connection, bot: RegisteredBot) -> None:
    """Makes uploads of one account wait for each other, so that all are counted."""
    conn.execute(select(accounts.c.id).where(accounts.c.id == bot.owner).with_for_update())
    conn.execute(select(bots.c.id).where(bots.c.id == bot.id).with_for_update())


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


def _check_label(conn: Connection, bot: RegisteredBot, label: str) -> None:
    if label and _has_version(conn, bot, check_version(label)):
        raise AlreadyExists(f"{bot.name} already has a version {label}. Choose another version.")


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
