"""The discussion of a tournament: posts of accounts, and announcements of organisers.

Texts are untrusted plain text. Authors delete their posts, and organisers delete any.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select

from arena.base.errors import InvalidRequest, LimitReached, NotFound
from arena.base.text import plural
from arena.store.dialects import insert
from arena.store.registry.accounts import Account
from arena.store.tables import accounts, posts
from arena.store.tournaments import tournaments

LONGEST = 1_000  # characters
MOST_LINES = 20
MOST = 500  # posts of a tournament
MOST_A_DAY = 20  # posts of an account; organisers have no limit
DAY_S = 86_400


@dataclass(frozen=True)
class Post:
    """A post, written at `time` (Unix seconds). Organisers can make it an announcement."""

    id: int
    tournament: int
    account: int
    author: str
    time: float
    text: str
    announcement: bool


def write(
    conn: Connection,
    tournament: int,
    account: Account,
    text: str,
    now: float,
    *,
    announcement: bool = False,
) -> None:
    """Adds a post. Raises InvalidRequest for an empty or long text, LimitReached, and NotFound
    for test matches and casual games."""
    if tournaments.get(conn, tournament).kind != "tournament":
        raise NotFound(f"There is no tournament {tournament}.")
    said = _checked(text)
    if not account.organiser:
        _check_room(conn, tournament, account, now)
    row = {"tournament": tournament, "account": account.id, "time": now, "text": said}
    conn.execute(insert(conn, posts).values(**row, announcement=announcement))


def read(
    conn: Connection, tournament: int, most: int, before: int | None = None, *, only: bool = False
) -> list[Post]:
    """The newest posts of a tournament, newest first: those older than `before`, if given, and
    with `only` just the announcements."""
    row = posts.c
    query = select(row.id, row.tournament, row.account, accounts.c.name.label("author"))
    query = (
        query.add_columns(row.time, row.text, row.announcement)
        .join(accounts)
        .where(row.tournament == tournament)
    )
    if before is not None:
        query = query.where(row.id < before)
    if only:
        query = query.where(row.announcement)
    return [
        Post(**found._mapping) for found in conn.execute(query.order_by(row.id.desc()).limit(most))
    ]


def count(conn: Connection, tournament: int) -> int:
    query = select(func.count()).where(posts.c.tournament == tournament)
    return conn.scalar(query) or 0


def get(conn: Connection, tournament: int, number: int) -> Post:
    """One post. Raises NotFound."""
    found = read(conn, tournament, 1, number + 1)
    if not found or found[0].id != number:
        raise NotFound(f"There is no post {number} about tournament {tournament}.")
    return found[0]


def remove(conn: Connection, post: Post) -> None:
    conn.execute(delete(posts).where(posts.c.id == post.id))


def of_account(conn: Connection, account: int) -> list[tuple[int, float, str]]:
    """The posts of an account: tournament, time and text."""
    row = posts.c
    query = select(row.tournament, row.time, row.text).where(row.account == account)
    return [tuple(found) for found in conn.execute(query.order_by(row.id))]


def _checked(text: str) -> str:
    """The text without surrounding space, empty lines in a row, and invisible characters."""
    lines = ["".join(c if c.isprintable() else " " for c in line) for line in text.splitlines()]
    lines = [" ".join(line.split()) for line in lines]
    kept = [line for n, line in enumerate(lines) if line or (n and lines[n - 1])]
    said = "\n".join(kept).strip("\n")
    if not said:
        raise InvalidRequest("The post is empty. Write something.")
    if len(said) > LONGEST or said.count("\n") >= MOST_LINES:
        raise InvalidRequest(
            f"The post is too long. It has {len(said):,} characters in "
            f"{plural(said.count(chr(10)) + 1, 'line')}; {LONGEST:,} in {MOST_LINES} lines are "
            "allowed."
        )
    return said


def _check_room(conn: Connection, tournament: int, account: Account, now: float) -> None:
    if count(conn, tournament) >= MOST:
        raise LimitReached(
            f"You cannot post here. The discussion has {MOST} posts, the maximum. An organiser can "
            "delete some."
        )
    recent = select(func.count()).where(posts.c.account == account.id, posts.c.time > now - DAY_S)
    if (conn.scalar(recent) or 0) >= MOST_A_DAY:
        raise LimitReached(
            f"You cannot post now. You have written {MOST_A_DAY} posts in 24 hours, the maximum. "
            "Try again tomorrow."
        )
