"""The steps of a host that builds submissions, and the limit of their stored build artifacts.

A host holds a submission by a lease, and cannot change it after the lease has ended.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select, update

from arena.base.errors import LimitReached, NotNow
from arena.base.text import plain
from arena.hosting.submission.files import BUILT, size_text
from arena.hosting.submission.manifest import Manifest
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import AUTHOR, FILES, HELD, Submission, get, lock
from arena.store.tables import bots, entrants, players, submission_files, submissions, tournaments

MOST_ATTEMPTS = 3
LONGEST_LOG = 64_000  # characters; only the end of a longer log is kept
LONGEST_REASON = 2_000
CUT = "[earlier lines were removed]\n"
GIVEN_UP = (
    f"The build did not finish in {MOST_ATTEMPTS} attempts. Submit it again. If that fails, too, "
    "tell the arena's operator."
)
BUILDS_STORED = 16  # of an author, if each has the largest size
MOST_STORED = BUILDS_STORED * BUILT.total_bytes
NEWEST = select(func.max(players.c.id)).group_by(players.c.bot)  # the newest version of each bot
OPEN = select(submissions.c.id).where(submissions.c.state.in_(("waiting", *HELD))).limit(1)


def is_open(conn: Connection) -> bool:
    """Whether a submission waits or is being built."""
    return conn.scalar(OPEN) is not None


def claim(
    conn: Connection,
    host: str,
    now: float,
    lease_s: float,
    in_turn: Callable[[Iterable[int]], Iterable[int]] = lambda authors: authors,
) -> Submission | None:
    """Claims a waiting submission for a host until the lease ends, or returns None.

    `in_turn` gets the authors with waiting submissions, the one that has waited longest first, and
    returns those to serve, in order. The oldest submission of the first one is claimed.

    Submissions whose lease has ended wait again, for up to three attempts. `host` is any text that
    identifies one process.
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
    """Renews a lease; False if the host no longer holds the submission."""
    return _change(conn, _held(number, host), lease_until=now + lease_s) == 1


def note(conn: Connection, number: int, host: str, text: str) -> None:
    """Adds to the log for the author; add many lines at a time, because the whole log is stored
    again. Raises NotNow if the host no longer holds the submission."""
    log = get(conn, number).log + plain(text)
    if len(log) > LONGEST_LOG:
        log = CUT + log[-(LONGEST_LOG - len(CUT)) :]
    _change_held(conn, number, host, log=log)


def validating(conn: Connection, number: int, host: str) -> None:
    """Marks a submission as built; validation is next. Raises NotNow if the host no longer holds
    it."""
    _change_held(conn, number, host, state="validating")


def accept(
    conn: Connection,
    number: int,
    host: str,
    tree: bytes,
    manifest: Manifest,
    hello: bytes,
    now: float | None = None,
    most_stored: int = MOST_STORED,
) -> RegisteredBot:
    """Makes the submission the newest version of its bot, to be played by hosts.

    `tree` is the build artifact, a stream of `arena.hosting.submission.artifact`. `hello` is the
    arena.v1.Hello that the bot announced. The version is named by the upload, else the manifest,
    else it is the next number. `most_stored` is the limit of `make_room`. Raises NotNow if the host
    no longer holds the submission. Raises AlreadyExists or LimitReached if there cannot be such a
    version; refuse the submission then.
    """
    found = get(conn, number)
    lock(conn, registry.get(conn, found.bot))
    label = found.label or manifest.version
    _change_held(conn, number, host, state="accepted", lease_until=None)
    version = registry.new_version(
        conn, found.bot, label, now, hosted=True, program=manifest.is_program
    )
    values = {"player": version.player, "manifest": manifest.to_json(), "hello": hello}
    _change(conn, submissions.c.id == number, **values)
    make_room(conn, version, len(tree), most_stored)
    files = update(submission_files).where(submission_files.c.submission == number)
    conn.execute(files.values(tree=tree))
    return version


def refuse(conn: Connection, number: int, host: str, reason: str) -> None:
    """Refuses a submission; `reason` is a sentence for its author. Raises NotNow if the host no
    longer holds it."""
    said = plain(reason)[:LONGEST_REASON]
    _change_held(conn, number, host, state="refused", reason=said, lease_until=None)


def give_back(conn: Connection, host: str, number: int | None = None) -> int:
    """Returns a submission that a host holds to the queue, or all of them, without counting an
    attempt. Returns how many."""
    own = submissions.c.state.in_(HELD) & (submissions.c.host == host)
    if number is not None:
        own &= submissions.c.id == number
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
    """Whether this submission still waits and no other host is claiming it."""
    waits = (submissions.c.id == number) & (submissions.c.state == "waiting")
    query = select(submissions.c.id).where(waits)
    return conn.scalar(query.with_for_update(skip_locked=True)) is not None


def _end_leases(conn: Connection, now: float) -> None:
    over = submissions.c.state.in_(HELD) & (submissions.c.lease_until < now)
    # Two hosts that do this at the same time do not wait for each other.
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
        raise NotNow(
            f"Submission {number} cannot be changed. This host no longer holds it. Drop it."
        )


def _change(conn: Connection, which: ColumnElement[bool], **values: Any) -> int:
    return conn.execute(update(submissions).where(which).values(**values)).rowcount


def is_played(player: ColumnElement[int], newest: Select[int]) -> ColumnElement[bool]:
    """Whether hosts play a version: it is one of the `newest`, or an entrant of a tournament under
    way."""
    playing = select(entrants.c.player).join(tournaments, tournaments.c.id == entrants.c.tournament)
    playing = playing.where(tournaments.c.state.in_(("waiting", "running")))
    return or_(player.in_(newest), player.in_(playing))


def make_room(conn: Connection, bot: RegisteredBot, size: int, most: int) -> None:
    """Makes room for a build artifact of `size` bytes within the `most` bytes that all bots of an
    author may have stored together.

    Artifacts that hosts do not need are removed, the oldest first. They can be built again. Raises
    LimitReached if the others are too large. The caller holds `submissions.lock`.
    """
    own = bots.c.id == bot.id if bot.owner is None else bots.c.owner == bot.owner
    number, tree = submission_files.c.submission, submission_files.c.tree
    stored = select(number, func.length(tree)).join_from(submission_files, submissions)
    stored = stored.join(bots, bots.c.id == submissions.c.bot).where(own, tree.is_not(None))
    sizes = dict(conn.execute(stored.order_by(number)).all())
    left = most - size - sum(sizes.values())
    if left >= 0:
        return
    newest = NEWEST.join(bots, bots.c.id == players.c.bot).where(own, bots.c.retired.is_(None))
    played = is_played(submissions.c.player, newest)
    needed = set(conn.scalars(select(FILES).where(played, FILES.in_(sizes))))
    removed = list[int]()
    for each in sizes:
        if left < 0 and each not in needed:
            removed.append(each)
            left += sizes[each]
    if left < 0:
        raise LimitReached(
            f"The builds of {bot.name}'s author that hosts play would be larger than"
            f" {size_text(most)} together, the maximum. Retire a bot, or submit a smaller one."
        )
    conn.execute(update(submission_files).where(number.in_(removed)).values(tree=None))
