"""Deletes files of submissions: build artifacts that are not played, which can be built again,
uploads that were not accepted, and old accepted uploads."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, func, or_, select, update

from arena.store.registry.submissions.model import AUTHOR
from arena.store.tables import bots, entrants, submission_files, submissions, tournaments

KEPT_DAYS = 14
AT_ONCE = 20  # build artifacts or sources per transaction: each may have many megabytes
DAY_S = 86_400

# The submission that has the files: the submission itself, or the one that was rolled back to.
FILES = func.coalesce(submissions.c.files_of, submissions.c.id)


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


def built_again(conn: Connection, number: int, tree: bytes) -> None:
    """Stores a build artifact that was missing."""
    own = submission_files.c.submission == number
    conn.execute(update(submission_files).where(own).values(tree=tree))


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
