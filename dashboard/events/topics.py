"""Live fragments: their topics, and how changes are detected.

A topic is a kind (`tournament`) or a kind and a key (`tournament-7`). Adding a kind takes a
function and a line in `KINDS`. The mark is a digest of the function's result. The function is
called every second while there are listeners, so it must be cheap.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from flask import Flask, render_template, request
from sqlalchemy import Connection, func, select

from arena.base import instant
from arena.base.errors import InvalidRequest, NotFound
from arena.service.live import spectators
from arena.service.live.reader import Live
from arena.store.registry import bots, names
from arena.store.tables import bots as bot_rows
from arena.store.tables import match_seats, matches, rated_games, runs, submissions, tournaments
from dashboard.events.broadcaster import Broadcaster
from dashboard.sources import Sources, sources
from dashboard.urls import LARGEST

MOST = 8  # topics of one page
# The pace of a running tournament and the ages on the home page change by themselves, so these
# pages update after this time at the latest.
PACE_S = 5.0
HOME_S = 10.0


@dataclass(frozen=True)
class LivePart:
    """A live fragment's topic and mark."""

    topic: str
    mark: str


def live_part(topic: str) -> LivePart:
    """Return the current fragment of a topic. Call it before reading the fragment's data."""
    return LivePart(topic, marks(sources(), [topic])[topic])


def page_or_part(folder: str, **context: object) -> str:
    """Render the page in a folder, or only its live fragment at an endpoint `live`."""
    part = (request.endpoint or "").endswith(".live")
    return render_template(f"{folder}/{'live' if part else 'page'}.html", **context)


@dataclass(frozen=True)
class TopicState:
    """The state of a topic: data of the database, and the players whose connections matter."""

    stored: object
    players: tuple[int, ...] | None = None
    watched: int | None = None  # the tournament whose featured match is watched


def home(conn: Connection, key: str) -> TopicState:
    stored = tournaments_(conn, key).stored, ratings(conn, key).stored, instant.now() // HOME_S
    return TopicState(stored, bots.newest_players(conn))


def tournaments_(conn: Connection, key: str) -> TopicState:
    query = select(tournaments.c.state, func.count(), func.sum(tournaments.c.played))
    rows = conn.execute(query.group_by(tournaments.c.state).order_by(tournaments.c.state))
    return TopicState([tuple(row) for row in rows])


def tournament(conn: Connection, key: str) -> TopicState:
    columns = tournaments.c
    selected = columns.state, columns.note, columns.played, columns.planned, columns.spec
    row = conn.execute(select(*selected).where(columns.id == int(key))).first()
    if row is None:
        return TopicState(None)
    return TopicState((*row, instant.now() // PACE_S if row.state == "running" else 0))


def watch(conn: Connection, key: str) -> TopicState:
    """A tournament's featured match, which is in Redis; this also registers a spectator."""
    state = conn.scalar(select(tournaments.c.state).where(tournaments.c.id == int(key)))
    newest = select(func.max(matches.c.number)).where(matches.c.tournament == int(key))
    return TopicState((state, conn.scalar(newest) is None), watched=int(key))


def everybody(conn: Connection, key: str) -> TopicState:
    return TopicState(tournaments_(conn, key).stored, bots.newest_players(conn))


def bot(conn: Connection, key: str) -> TopicState:
    try:
        newest = bots.public(conn, key)
    except NotFound:
        return TopicState(None)
    latest_match = select(func.max(match_seats.c.match)).where(match_seats.c.bot == newest.id)
    row = conn.execute(select(bot_rows).where(bot_rows.c.id == newest.id)).one()
    return TopicState((newest.player, tuple(row), conn.scalar(latest_match)), (newest.player,))


def ratings(conn: Connection, key: str) -> TopicState:
    return TopicState([tuple(row) for row in conn.execute(select(rated_games))])


def outage(conn: Connection, key: str) -> TopicState:
    return TopicState((), ())


def submissions_(conn: Connection, key: str) -> TopicState:
    """The state of a bot's newest submission; earlier ones no longer change.

    Its random key is included, so that the mark reveals nothing to others. A log at its maximum
    length no longer grows, but the lease is still renewed.
    """
    row = submissions.c
    newest = (
        select(row.id, row.state, row.attempts, row.lease_until, func.length(row.log), row.key)
        .join(bot_rows, bot_rows.c.id == row.bot)
        .where(bot_rows.c.name_key == key.lower())
        .order_by(row.id.desc())
        .limit(1)
    )
    return TopicState([tuple(each) for each in conn.execute(newest)])


def runs_(conn: Connection, key: str) -> TopicState:
    """A bot's newest run, with a random key as for submissions."""
    bot = select(bot_rows.c.id).where(bot_rows.c.name_key == key.lower()).scalar_subquery()
    row = submissions.c
    hidden = select(row.key).where(row.bot == bot).order_by(row.id.desc()).limit(1)
    return TopicState(
        (conn.scalar(select(func.max(runs.c.id)).where(runs.c.bot == bot)), conn.scalar(hidden))
    )


Look = Callable[[Connection, str], TopicState]
KINDS: dict[str, Look] = {
    "home": home,
    "tournaments": tournaments_,
    "tournament": tournament,
    "watch": watch,
    "bots": everybody,
    "bot": bot,
    "ratings": ratings,
    "submissions": submissions_,
    "runs": runs_,
    "outage": outage,
}


def _is_number(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) <= 10 and int(key) <= LARGEST


def _is_name(key: str) -> bool:
    return names.NAME.fullmatch(key) is not None


# Checks of keys, by kind.
KEYS: dict[str, Callable[[str], bool]] = {
    "tournament": _is_number,
    "watch": _is_number,
    "bot": _is_name,
    "submissions": _is_name,
    "runs": _is_name,
}


def check(topics: Iterable[str]) -> tuple[str, ...]:
    """Return the topics without duplicates. Raises InvalidRequest for unknown or too many ones."""
    wanted = tuple(dict.fromkeys(topics))
    for topic in wanted:
        kind, _, key = topic.partition("-")
        fits = KEYS[kind](key) if kind in KEYS else not key
        if kind not in KINDS or not fits:
            known = ", ".join(f"{kind}-..." if kind in KEYS else kind for kind in KINDS)
            raise InvalidRequest(f'There is no topic "{topic[:60]}". Topics: {known}.')
    if not 1 <= len(wanted) <= MOST:
        raise InvalidRequest(f"Listen to 1 to {MOST} topics, as in ?topic=home&topic=ratings.")
    return wanted


def marks(sources: Sources, topics: Iterable[str]) -> dict[str, str]:
    """Return the current marks of these topics. Raises Unavailable without a database."""
    by_topic: dict[str, TopicState] = {}
    with sources.read() as conn:
        for topic in topics:
            kind, _, key = topic.partition("-")
            by_topic[topic] = KINDS[kind](conn, key)
    # Redis is read once for all topics, after the database connection is returned.
    live = sources.live({player for facts in by_topic.values() for player in facts.players or ()})
    shows = _on_show(sources, [f.watched for f in by_topic.values() if f.watched is not None])
    for topic, f in by_topic.items():
        if f.watched is not None:
            by_topic[topic] = replace(f, stored=(f.stored, shows.get(f.watched)))
    return {topic: digest(f, live) for topic, f in by_topic.items()}


def _on_show(sources: Sources, watched: Sequence[int]) -> Mapping[int, object]:
    """Return the featured matches by tournament from Redis, and register spectators."""
    if not watched:
        return {}
    found = sources.reader.answer(partial(spectators.marks, tournaments=watched)) or []
    return {number: found[at :: len(watched)] for at, number in enumerate(watched)}


def digest(facts: TopicState, live: Live) -> str:
    """Return the mark of these facts; `live` has the connections of their players."""
    content = facts.stored
    if facts.players is not None:
        here = [
            (player, it.session, it.away_since, it.in_flight, f"{it.latency_ms or 0:.3g}")
            for player in facts.players
            if (it := live.connected.get(player))
        ]
        content = facts.stored, live.known, live.gateway, here
    return hashlib.blake2b(repr(content).encode(), digest_size=8).hexdigest()


def register(app: Flask) -> None:
    extension = app.extensions["arena"]
    assert isinstance(extension, Sources)
    app.extensions["events"] = Broadcaster(lambda wanted: marks(extension, wanted))


def broadcaster(app: Flask) -> Broadcaster:
    extension = app.extensions["events"]
    assert isinstance(extension, Broadcaster)
    return extension
