"""What hosts play: the files of accepted submissions, and what belongs to them."""

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
    """All that a host needs to play a version."""

    submission: int
    tree: bytes  # a stream of `arena.hosting.submission.artifact`
    manifest: Manifest
    hello: bytes  # the arena.v1.Hello that the bot announced
    key: bytes  # 32 bytes, from which the bot's random numbers follow


def tree_of(conn: Connection, player: int) -> Hosted:
    """What the hosts play as this version. Raises NotFound if nothing was submitted for it, NotNow
    while its tree is missing."""
    query = (
        select(submissions.c.id, submission_files.c.tree, submissions.c.manifest)
        .add_columns(submissions.c.hello, submissions.c.key)
        .join_from(submissions, submission_files, submission_files.c.submission == FILES)
        .where(submissions.c.player == player)
    )
    row = conn.execute(query).first()
    if row is None:
        raise NotFound(f"Nothing was submitted that could be played as player {player}.")
    number, tree, text, hello, key = row
    if tree is None:
        raise NotNow(f"Submission {number} was not played for long, and is built again.")
    return Hosted(number, bytes(tree), manifest.from_json(text), bytes(hello), bytes(key))


def has_source(conn: Connection, number: int) -> bool:
    """Whether what was uploaded is still kept."""
    query = select(submission_files.c.submission)
    query = query.join(submissions, submission_files.c.submission == FILES)
    return conn.scalar(query.where(submissions.c.id == number)) is not None


def source(conn: Connection, number: int) -> bytes:
    """What was uploaded, as it was. Raises NotFound, also if it is not kept any more."""
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
    """The files of a submission were removed."""
    return NotFound(
        f"The upload of submission {number} is no longer stored. Of each bot the newest accepted "
        f"uploads are kept, and others for {KEPT_DAYS} days. Submit it again."
    )
