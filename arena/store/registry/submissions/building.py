"""What hosts do with submissions. A host has one by a lease; who lost it changes nothing more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update

from arena.base.errors import NotNow
from arena.hosting.submission.manifest import Manifest
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.plain import plain
from arena.store.registry.submissions.model import AUTHOR, HELD, Submission, get
from arena.store.tables import bots, submission_files, submissions

MOST_ATTEMPTS = 3
LONGEST_LOG = 64_000  # characters; of a longer one the end is kept
LONGEST_REASON = 2_000
CUT = "[earlier lines are left out]\n"
GIVEN_UP = (
    f"{MOST_ATTEMPTS} times a host began to build it and did not end: submit it again, and if that "
    "helps nothing, tell the arena's operator."
)


def claim(
    conn: Connection,
    host: str,
    now: float,
    lease_s: float,
    in_turn: Callable[[Iterable[int]], Iterable[int]] = lambda authors: authors,
) -> Submission | None:
    """Claims a waiting submission for this host, until the lease ends; None if there is none.

    `in_turn` gets the authors with waiting submissions, the one that has waited longest first, and
    returns them in the order in which they are served. Authors it leaves out are not served. Of one
    author the oldest submission is claimed.

    Submissions whose host let the lease end wait again, at most three times in all. `host` is any
    text that names one process.
    """
    _end_leases(conn, now)
    oldest = _oldest_by_author(conn)
    for author in in_turn(oldest):
        if _lock_waiting(conn, oldest[author]):
            break
    else:
        return None
    number = oldest[author]
    values = {"host": host, "lease_until": now + lease_s, "attempts": submissions.c.attempts + 1}
    _change(conn, submissions.c.id == number, state="building", **values)
    return get(conn, number)


def renew(conn: Connection, number: int, host: str, now: float, lease_s: float) -> bool:
    """Keeps it for another lease; False if it is not this host's any more."""
    return _change(conn, _held(number, host), lease_until=now + lease_s) == 1


def note(conn: Connection, number: int, host: str, text: str) -> None:
    """Adds to the log that the author reads: many lines at a time, as all of it is stored anew.
    Raises NotNow if it is not this host's any more."""
    log = get(conn, number).log + plain(text)
    if len(log) > LONGEST_LOG:
        log = CUT + log[-(LONGEST_LOG - len(CUT)) :]
    _change_held(conn, number, host, log=log)


def validating(conn: Connection, number: int, host: str) -> None:
    """It is built; what it can is tried next. Raises NotNow if it is not this host's any more."""
    _change_held(conn, number, host, state="validating")


def accept(
    conn: Connection,
    number: int,
    host: str,
    tree: bytes,
    manifest: Manifest,
    hello: bytes,
    now: float | None = None,
) -> RegisteredBot:
    """It becomes the newest version of its bot, which hosts play from now on.

    `tree` is a stream of `arena.hosting.submission.artifact`, `hello` the arena.v1.Hello of the
    bot. The version is called what the upload says, else the manifest, else the next number.
    Raises NotNow if it is not this host's any more; AlreadyExists if there is such a version,
    LimitReached if there are too many: it is to be refused with that sentence then.
    """
    found = get(conn, number)
    label = found.label or manifest.version
    _change_held(conn, number, host, state="accepted", lease_until=None)
    version = registry.new_version(
        conn, found.bot, label, now, hosted=True, program=manifest.is_program
    )
    values = {"player": version.player, "manifest": manifest.to_json(), "hello": hello}
    _change(conn, submissions.c.id == number, **values)
    files = update(submission_files).where(submission_files.c.submission == number)
    conn.execute(files.values(tree=tree))
    return version


def refuse(conn: Connection, number: int, host: str, reason: str) -> None:
    """It cannot be a version; `reason` is a sentence for its author. Raises NotNow if it is not
    this host's any more."""
    said = plain(reason)[:LONGEST_REASON]
    _change_held(conn, number, host, state="refused", reason=said, lease_until=None)


def give_back(conn: Connection, host: str) -> int:
    """Lets all that this host has wait for another, as the host ends in good order: that is no
    attempt. Says how many there were."""
    own = submissions.c.state.in_(HELD) & (submissions.c.host == host)
    attempts = submissions.c.attempts - 1
    return _change(conn, own, state="waiting", host="", lease_until=None, attempts=attempts)


def _oldest_by_author(conn: Connection) -> dict[int, int]:
    """The oldest waiting submission of each author, oldest first."""
    number = func.min(submissions.c.id)
    query = (
        select(AUTHOR, number)
        .join_from(submissions, bots, bots.c.id == submissions.c.bot)
        .where(submissions.c.state == "waiting", bots.c.retired.is_(None))
        .group_by(AUTHOR)
        .order_by(number)
    )
    return dict(conn.execute(query).all())


def _lock_waiting(conn: Connection, number: int) -> bool:
    """Whether this submission still waits, and no other host is claiming it."""
    waits = (submissions.c.id == number) & (submissions.c.state == "waiting")
    query = select(submissions.c.id).where(waits)
    return conn.scalar(query.with_for_update(skip_locked=True)) is not None


def _end_leases(conn: Connection, now: float) -> None:
    over = submissions.c.state.in_(HELD) & (submissions.c.lease_until < now)
    # Each is some host's to end: two at once do not wait for each other.
    mine = select(submissions.c.id).where(over).with_for_update(skip_locked=True)
    ended = submissions.c.id.in_(conn.scalars(mine).all())
    last = submissions.c.attempts >= MOST_ATTEMPTS
    _change(conn, ended & last, state="refused", reason=GIVEN_UP, lease_until=None)
    _change(conn, ended & ~last, state="waiting", host="", lease_until=None)


def _held(number: int, host: str) -> ColumnElement[bool]:
    held = (submissions.c.id == number) & submissions.c.state.in_(HELD)
    return held & (submissions.c.host == host)


def _change_held(conn: Connection, number: int, host: str, **values: Any) -> None:
    if not _change(conn, _held(number, host), **values):
        raise NotNow(f"Submission {number} is not with this host any more: leave it alone.")


def _change(conn: Connection, which: ColumnElement[bool], **values: Any) -> int:
    return conn.execute(update(submissions).where(which).values(**values)).rowcount
