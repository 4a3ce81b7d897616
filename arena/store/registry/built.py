"""What hosts play: the build artifacts of accepted submissions, and of programs that come with the
arena. Files that are not played are deleted: build artifacts, which can be built again, uploads
that were not accepted, and old accepted uploads."""

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from arena.base import instant
from arena.base.errors import NotFound, NotNow
from arena.base.text import plain
from arena.hosting.submission import manifest
from arena.hosting.submission.manifest import Manifest
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.building import LONGEST_REASON, MOST_STORED, make_room
from arena.store.registry.submissions import AUTHOR, DAY_S, FILES, KEPT_DAYS, KEY_BYTES, get, lock
from arena.store.tables import bots, entrants, submission_files, submissions, tournaments

AT_ONCE = 20  # build artifacts or sources per transaction: each may have many megabytes
FAILED_REBUILDS = 5  # after which the arena no longer hosts a version,
FAILING_S = 6 * 3_600.0  # but not sooner than this after the first: the index may be down
FORGOTTEN_S = DAY_S  # after `FAILING_S`: if it is still hosted, they no longer count
GIVEN_UP = "Its build was removed to save space, and building it again fails."


@dataclass(frozen=True, slots=True)
class HostedVersion:
    """Everything that a host needs to play a version."""

    submission: int
    tree: bytes  # the build artifact, a stream of `arena.hosting.submission.artifact`
    manifest: Manifest
    hello: bytes  # the arena.v1.Hello that the bot announced
    key: bytes  # 32 bytes, the source of the bot's random numbers


def tree_of(conn: Connection, player: int) -> HostedVersion:
    """The program of a version. Raises NotFound if it is not hosted, NotNow while its build
    artifact is missing."""
    query = (
        select(submissions.c.id, submission_files.c.tree, submissions.c.manifest)
        .add_columns(submissions.c.hello, submissions.c.key)
        .join_from(submissions, submission_files, submission_files.c.submission == FILES)
        .where(submissions.c.player == player)
    )
    row = conn.execute(query).first()
    if row is None:
        raise NotFound(f"Player {player} is not hosted. There is no submission for it.")
    number, tree, text, hello, key = row
    if tree is None:
        raise NotNow(
            f"Submission {number} has to be built again. Its build was removed to save space. "
            "Wait for the new one."
        )
    return HostedVersion(number, bytes(tree), manifest.from_json(text), bytes(hello), bytes(key))


def supply(
    conn: Connection,
    bot: RegisteredBot,
    source: bytes,
    tree: bytes,
    manifest: Manifest,
    hello: bytes,
    now: float | None = None,
) -> None:
    """Makes hosts play this version of a bot with a program of the arena, without building or
    validating it. The version and its key stay the same."""
    program = {
        "size": len(source),
        "sha256": hashlib.sha256(source).digest(),
        "manifest": manifest.to_json(),
        "hello": hello,
        "reason": "",
        "lease_until": None,
    }
    supplied = submissions.c.player == bot.player
    number = conn.scalar(select(submissions.c.id).where(supplied))
    if number is None:
        row = {"bot": bot.id, "player": bot.player, "account": bot.owner, "attempts": 0}
        texts = {"state": "accepted", "label": bot.version, "host": "", "log": ""}
        made = insert(submissions).values(
            **{**row, **texts, **program},
            created=instant.now() if now is None else now,
            key=secrets.token_bytes(KEY_BYTES),
        )
        number = conn.scalar(made.returning(submissions.c.id))
    else:
        conn.execute(update(submissions).where(supplied).values(**program))
        conn.execute(delete(submission_files).where(submission_files.c.submission == number))
    conn.execute(insert(submission_files).values(submission=number, source=source, tree=tree))
    registry.set_hosted(conn, bot.player, hosted=True)


def prune(conn: Connection, played: Collection[int], now: float, kept: int) -> int:
    """Deletes files and returns the number of submissions concerned; repeat until it is 0.

    Refused and withdrawn uploads go after `KEPT_DAYS`, as do the build artifacts of versions that
    are not `played`. Of each bot's accepted uploads the `kept` newest stay, as do those of versions
    that are `played` or may play in an unfinished tournament. Ratings and replays need no files.
    """
    old = now - KEPT_DAYS * DAY_S
    pruned = _prune_sources(conn, old) + _prune_trees(conn, played, old)
    return pruned + _prune_accepted(conn, played, kept)


def to_build_again(conn: Connection, played: Collection[int]) -> dict[int, int]:
    """The submissions whose missing build artifacts these players need, oldest first, with their
    authors."""
    query = (
        select(submission_files.c.submission, AUTHOR)
        .distinct()
        .join_from(submission_files, submissions, submission_files.c.submission == FILES)
        .join(bots, bots.c.id == submissions.c.bot)
        .where(submissions.c.player.in_(played), submission_files.c.tree.is_(None))
        .order_by(submission_files.c.submission)
    )
    return dict(conn.execute(query).all())


def built_again(conn: Connection, number: int, tree: bytes, most_stored: int = MOST_STORED) -> None:
    """Stores a build artifact that was missing, so that hosts play its versions again. Raises
    LimitReached as `make_room` does."""
    bot = registry.get(conn, get(conn, number).bot)
    lock(conn, bot)
    make_room(conn, bot, len(tree), most_stored)
    own = submission_files.c.submission == number
    conn.execute(update(submission_files).where(own).values(tree=tree))
    conn.execute(
        update(submissions).where(_has_files_of(number)).values(reason="", lease_until=None)
    )


def not_built_again(
    conn: Connection, number: int, error: str, now: float, *, for_good: bool = False
) -> None:
    """Counts a failed rebuild of a missing build artifact; `error` is a sentence for the author.
    Its versions are `given_up` if it fails `for_good`, or after `FAILED_REBUILDS` in at least
    `FAILING_S`."""
    row, own = submissions.c, submissions.c.id == number
    query = select(row.attempts, row.lease_until, row.reason).where(own).with_for_update()
    attempts, until, reason = conn.execute(query).one()
    if until is None or (not reason and now > until + FORGOTTEN_S):
        attempts, until = 0, now + FAILING_S
    attempts += 1
    conn.execute(update(submissions).where(own).values(attempts=attempts, lease_until=until))
    if for_good or (attempts >= FAILED_REBUILDS and now >= until):
        reason = plain(f"{GIVEN_UP} {error}")[:LONGEST_REASON]
        conn.execute(update(submissions).where(_has_files_of(number)).values(reason=reason))


def given_up(conn: Connection, player_ids: Collection[int]) -> dict[int, str]:
    """The players among these that hosts cannot play, because their missing build artifacts cannot
    be built again, with the reasons."""
    query = select(submissions.c.player, submissions.c.reason)
    query = query.where(submissions.c.player.in_(player_ids), submissions.c.reason != "")
    return dict(conn.execute(query).all())


def _has_files_of(number: int) -> ColumnElement[bool]:
    return (submissions.c.id == number) | (submissions.c.files_of == number)


def _prune_sources(conn: Connection, old: float) -> int:
    over = submissions.c.state.in_(("refused", "withdrawn")) & (submissions.c.created < old)
    query = select(submission_files.c.submission)
    query = query.join(submissions, submission_files.c.submission == submissions.c.id)
    found = conn.scalars(query.where(over).limit(AT_ONCE)).all()
    conn.execute(delete(submission_files).where(submission_files.c.submission.in_(found)))
    return len(found)


def _prune_accepted(conn: Connection, played: Collection[int], kept: int) -> int:
    row, used = submissions.c, func.max(submissions.c.id)
    place = func.row_number().over(partition_by=row.bot, order_by=used.desc()).label("place")
    files = select(FILES.label("number"), place).where(row.state == "accepted")
    ranked = files.group_by(FILES, row.bot).subquery()
    # A cancelled tournament can be resumed; test matches and casual games cannot.
    resumable = (tournaments.c.state == "cancelled") & (tournaments.c.kind == "tournament")
    entered = select(entrants.c.player).join_from(entrants, tournaments)
    entered = entered.where(tournaments.c.state.in_(("waiting", "running")) | resumable)
    needed = select(FILES).where(row.player.in_(played) | row.player.in_(entered))
    own = submission_files.c.submission
    query = select(own).join(ranked, ranked.c.number == own)
    query = query.where(ranked.c.place > kept, own.not_in(needed)).limit(AT_ONCE)
    found = conn.scalars(query).all()
    conn.execute(delete(submission_files).where(own.in_(found)))
    return len(found)


def _prune_trees(conn: Connection, played: Collection[int], old: float) -> int:
    needed = select(FILES).where(
        submissions.c.player.is_not(None),
        or_(submissions.c.player.in_(played), submissions.c.created >= old),
    )
    own = submission_files.c.submission
    query = select(own).where(submission_files.c.tree.is_not(None), own.not_in(needed))
    found = conn.scalars(query.limit(AT_ONCE)).all()
    conn.execute(update(submission_files).where(own.in_(found)).values(tree=None))
    return len(found)
