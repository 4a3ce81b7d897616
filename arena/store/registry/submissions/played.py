"""Accepted submissions, as hosts play them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from arena.base.errors import NotFound, NotNow
from arena.hosting.submission import manifest
from arena.hosting.submission.manifest import Manifest
from arena.store.registry.submissions.model import get
from arena.store.registry.submissions.pruning import FILES, KEPT_DAYS
from arena.store.tables import submission_files, submissions


@dataclass(frozen=True, slots=True)
class Hosted:
    """Everything that a host needs to play a version."""

    submission: int
    tree: bytes  # the build artifact, a stream of `arena.hosting.submission.artifact`
    manifest: Manifest
    hello: bytes  # the arena.v1.Hello that the bot announced
    key: bytes  # 32 bytes, the source of the bot's random numbers


def tree_of(conn: Connection, player: int) -> Hosted:
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
            f"Submission {number} has to be built again. It was not played for a long time. Wait "
            "for the build."
        )
    return Hosted(number, bytes(tree), manifest.from_json(text), bytes(hello), bytes(key))


def has_source(conn: Connection, number: int) -> bool:
    """Whether the uploaded source is still stored."""
    query = select(submission_files.c.submission)
    query = query.join(submissions, submission_files.c.submission == FILES)
    return conn.scalar(query.where(submissions.c.id == number)) is not None


def source(conn: Connection, number: int) -> bytes:
    """The uploaded source. Raises NotFound, even if it was stored earlier."""
    query = (
        select(submission_files.c.source)
        .join_from(submissions, submission_files, submission_files.c.submission == FILES)
        .where(submissions.c.id == number)
    )
    found = conn.scalar(query)
    if found is None:
        get(conn, number)
        raise not_stored(number)
    return bytes(found)


def not_stored(number: int) -> NotFound:
    """The error for a submission whose files were pruned."""
    return NotFound(
        f"The upload of submission {number} is no longer stored. Only the newest accepted uploads "
        f"of a bot are kept, and others for {KEPT_DAYS} days. Submit it again."
    )
