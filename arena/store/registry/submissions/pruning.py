"""What need not be kept for ever: trees that nobody plays, which can be built again, and uploads
that were refused."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, func, or_, select, update

from arena.store.tables import submission_files, submissions

KEPT_DAYS = 14
AT_ONCE = 20  # trees or sources in one transaction: each may be many megabytes
DAY_S = 86_400

# Where the files are: with the submission itself, or with the one that its author went back to.
FILES = func.coalesce(submissions.c.files_of, submissions.c.id)


def prune(conn: Connection, played: Collection[int], now: float) -> int:
    """Forgets the sources of submissions that were refused or withdrawn, and the trees of versions
    that are none of these players, after `KEPT_DAYS`. How many it forgot; where that is not 0 there
    may be more."""
    old = now - KEPT_DAYS * DAY_S
    return _prune_sources(conn, old) + _prune_trees(conn, played, old)


def to_build_again(conn: Connection, played: Collection[int]) -> list[int]:
    """The submissions whose trees are missing, and needed by these players."""
    query = select(submission_files.c.submission).distinct()
    query = query.join(submissions, submission_files.c.submission == FILES)
    query = query.where(submissions.c.player.in_(played), submission_files.c.tree.is_(None))
    return sorted(conn.scalars(query))


def built_again(conn: Connection, number: int, tree: bytes) -> None:
    """Keeps a tree that was missing."""
    own = submission_files.c.submission == number
    conn.execute(update(submission_files).where(own).values(tree=tree))


def _prune_sources(conn: Connection, old: float) -> int:
    over = submissions.c.state.in_(("refused", "withdrawn")) & (submissions.c.created < old)
    query = select(submission_files.c.submission)
    query = query.join(submissions, submission_files.c.submission == submissions.c.id)
    found = conn.scalars(query.where(over).limit(AT_ONCE)).all()
    conn.execute(delete(submission_files).where(submission_files.c.submission.in_(found)))
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
