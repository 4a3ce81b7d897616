"""Searches bots, authors, tournaments and matches by a part of the name or number.

It takes milliseconds for any number of matches, because these are searched by the start of their
ids, with an index. Only the newest tournaments are searched by name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, select

from arena.store.tables import accounts, author_profiles, bots, matches, tournaments
from arena.store.tournaments.lists import names, newest_names

MOST = 20  # of each kind
NEWEST = 2_000  # tournaments searched by name
FEWEST_OF_ID = 4  # characters of a match id; shorter ones are too common
LOOKED_AT = 10 * MOST  # matches, some of which are private
AFTER_ALL = "~"  # sorts after all characters of ids

Kind = Literal["bot", "author", "tournament", "match"]


@dataclass(frozen=True)
class Hit:
    """A search result: its name, the key for its URL, and what distinguishes it from others (the
    state, the tournament, an author's description)."""

    kind: Kind
    name: str
    key: str
    about: str


def search(conn: Connection, wanted: str) -> list[Hit]:
    """The hits, best first within each kind; empty for an empty text."""
    text = wanted.strip()
    if not text:
        return []
    named = [*_bots(conn, text), *_authors(conn, text)]
    return [*named, *_tournaments(conn, text), *_matches(conn, text)]


def _bots(conn: Connection, text: str) -> Iterator[Hit]:
    row, key = bots.c, text.lower()
    fits = row.name_key.contains(key, autoescape=True)
    query = select(row.name, row.kind, row.retired).where(fits, row.kind != "guest")
    first = row.name_key.startswith(key, autoescape=True).desc()
    for name, kind, retired in conn.execute(query.order_by(first, row.name_key).limit(MOST)):
        about = "retired" if retired is not None else "house bot" if kind == "house" else ""
        yield Hit("bot", name, name, about)


def _authors(conn: Connection, text: str) -> Iterator[Hit]:
    """Authors with a public page; others are not revealed."""
    row, key = accounts.c, text.lower()
    query = select(row.name, author_profiles.c.about).join_from(accounts, author_profiles)
    first = row.name_key.startswith(key, autoescape=True).desc()
    fits = query.where(row.name_key.contains(key, autoescape=True))
    for name, about in conn.execute(fits.order_by(first, row.name_key).limit(MOST)):
        yield Hit("author", name, name, about)


def _tournaments(conn: Connection, text: str) -> Iterator[Hit]:
    by_name = newest_names(conn, NEWEST)
    numbers = [number for number, name in by_name.items() if text.lower() in name.lower()][:MOST]
    number = text.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 10 and int(number) not in numbers:
        numbers.insert(0, int(number))
    states = _states(conn, numbers)
    called = by_name | names(conn, [each for each in states if each not in by_name])
    for each in numbers:
        if each in states:
            yield Hit("tournament", called[each], str(each), states[each])


def _states(conn: Connection, numbers: Sequence[int]) -> dict[int, str]:
    row = tournaments.c
    query = select(row.id, row.state).where(row.kind == "tournament", row.id.in_(numbers))
    return dict(conn.execute(query).all())


def _matches(conn: Connection, text: str) -> Iterator[Hit]:
    """Matches of tournaments; test matches and casual games are private."""
    if len(text) < FEWEST_OF_ID:
        return
    row = matches.c
    ids = select(row.id, row.tournament).where(row.id.between(text, text + AFTER_ALL))
    # The limit makes SQLite use the ids; it would read the tournaments' matches otherwise.
    first = ids.order_by(row.id).limit(LOOKED_AT).subquery()
    query = select(first).join(tournaments, tournaments.c.id == first.c.tournament)
    query = query.where(tournaments.c.kind == "tournament").order_by(first.c.id)
    found = conn.execute(query.limit(MOST)).all()
    of = names(conn, {tournament for _, tournament in found})
    # Databases sort by their own collations, so the range may contain others.
    for match, tournament in found:
        if match.startswith(text):
            yield Hit("match", match, match, of[tournament])
