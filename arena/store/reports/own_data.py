"""All stored data of an account, for download."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select

from arena.base.errors import Unavailable
from arena.store.matches import archived, bot_notes
from arena.store.registry import bots, identities, profiles, sessions
from arena.store.registry.accounts import Account
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.mail import addresses
from arena.store.registry.webhooks import deliveries, hooks
from arena.store.registry.webhooks.hooks import Webhook
from arena.store.reviews import puzzles
from arena.store.tables import bots as bot_rows
from arena.store.tables import (
    entrants,
    match_seats,
    matches,
    players,
    ratings,
    submissions,
    tournaments,
)
from arena.store.tournaments import discussion
from arena.store.tournaments.tournaments import decode_spec

MOST_TABLES = 10_000  # newest first


def own_data(conn: Connection, account: Account) -> dict[str, Any]:
    """By file name, the contents as JSON. Includes no password, token or digest."""
    return {
        "account": _account(conn, account),
        "bots": [_bot(conn, each) for each in bots.owned_by(conn, account.id)],
        "tournaments": list(_tournaments(conn, account.id)),
        "tables": list(_tables(conn, account.id)),
        "posts": [
            {"tournament": tournament, "time": moment(time), "text": text}
            for tournament, time, text in discussion.of_account(conn, account.id)
        ],
        "puzzles": [
            {**each, "time": moment(each["time"])} for each in puzzles.of_account(conn, account.id)
        ],
    }


def _account(conn: Connection, account: Account) -> dict[str, Any]:
    email = addresses.of_account(conn, account.id)
    author = profiles.of_author(conn, account.id)
    return {
        "name": account.name,
        "organiser": account.organiser,
        "created": moment(account.created),
        "email": email.address if email else None,
        "notices": {"finished": email.finished, "offline": email.offline} if email else None,
        "shown_in_rankings": account.listed,
        "public_page": {"about": author.about, "link": author.link} if author else None,
        "sign_ins": [
            {"provider": each.provider, "name": each.label}
            for each in identities.of_account(conn, account.id)
        ],
        "signed_in": [
            {"browser": each.browser, "since": moment(each.created), "seen": moment(each.seen)}
            for each in sessions.of_account(conn, account.id)
        ],
        "webhooks": [_webhook(conn, each) for each in hooks.of_account(conn, account.id)],
    }


def _webhook(conn: Connection, hook: Webhook) -> dict[str, Any]:
    return {
        "url": hook.url,
        "finished": hook.finished,
        "offline": hook.offline,
        "created": moment(hook.created),
        "enabled": hook.enabled,
        "note": hook.note,
        "deliveries": [
            {
                "event": each.event,
                "type": each.kind,
                "created": moment(each.created),
                "attempts": each.attempts,
                "status": each.status,
                "error": each.error,
                "body": each.body,
            }
            for each in deliveries.of_webhook(conn, hook.id)
        ],
    }


def _bot(conn: Connection, bot: RegisteredBot) -> dict[str, Any]:
    said = profiles.of_bot(conn, bot.id)
    return {
        "name": bot.name,
        "created": moment(bot.created),
        "retired": moment(bot.retired),
        "description": said.description,
        "link": said.link,
        "language": said.language,
        "versions": [
            {"version": each.version, "hosted": each.hosted} for each in bots.versions(conn, bot.id)
        ],
        "ratings": list(_ratings(conn, bot.id)),
        "uploads": list(_uploads(conn, bot)),
        "matches": f"/matches?bot={bot.name}",
        "notes_public": bot_notes.are_public(conn, bot.id),
        "notes": [
            {"match": match, "seat": seat, "time": moment(created), "texts": texts}
            for match, seat, created, texts in bot_notes.of_bot(conn, bot.id)
        ],
    }


def _ratings(conn: Connection, bot: int) -> Iterator[dict[str, Any]]:
    row = ratings.c
    query = (
        select(players.c.version, row.game, row.elo, row.matches, row.wins, row.points, row.faults)
        .join_from(ratings, players, players.c.id == row.player)
        .where(players.c.bot == bot, row.seats == 0)
        .order_by(row.game, players.c.id)
    )
    return (dict(found._mapping) for found in conn.execute(query))


def _uploads(conn: Connection, bot: RegisteredBot) -> Iterator[dict[str, Any]]:
    row = submissions.c
    query = select(row.id, row.label, row.created, row.state, row.size, row.sha256)
    for found in conn.execute(query.where(row.bot == bot.id).order_by(row.id)):
        yield {
            "label": found.label,
            "created": moment(found.created),
            "state": found.state,
            "size": found.size,
            "sha256": bytes(found.sha256).hex(),
            "source": f"/my/bots/{bot.name}/submissions/{found.id}/source",
        }


def _tournaments(conn: Connection, account: int) -> Iterator[dict[str, Any]]:
    row = tournaments.c
    query = select(row.id, row.spec, row.kind, row.state, row.created)
    query = query.where(row.owner == account, row.kind != "table").order_by(row.id)
    for found in conn.execute(query):
        yield {
            "number": found.id,
            "name": decode_spec(found.spec).name,
            "kind": found.kind,
            "state": found.state,
            "created": moment(found.created),
        }


def _tables(conn: Connection, account: int) -> Iterator[dict[str, Any]]:
    """The casual games of the person, and a sentence for each archive that is missing."""
    seat, row = match_seats.c, matches.c
    query = (
        select(tournaments.c.id, row.id.label("match"), row.game, row.finished)
        .add_columns(seat.seat, seat.points, seat.rank)
        .join_from(tournaments, entrants, entrants.c.tournament == tournaments.c.id)
        .join(players, players.c.id == entrants.c.player)
        .join(bot_rows, bot_rows.c.id == players.c.bot)
        .join(matches, row.tournament == tournaments.c.id)
        .join(match_seats, (seat.match == row.number) & (seat.player == players.c.id))
        .where(bot_rows.c.owner == account, bot_rows.c.kind == "guest")
        .where(tournaments.c.kind == "table")
        .order_by(tournaments.c.id.desc())
        .limit(MOST_TABLES)
    )
    rows = conn.execute(query).all()
    for found in rows:
        place = found.seat, found.points, found.rank
        yield _table(found.match, found.game, found.finished, *place)
    guests = select(bot_rows.c.id, bot_rows.c.name)
    guests = guests.where(bot_rows.c.owner == account, bot_rows.c.kind == "guest")
    names = dict(conn.execute(guests).all())
    older = archived.of_guests(conn, list(names), friends=True)
    missing = set[str]()
    for number in older[: max(MOST_TABLES - len(rows), 0)]:
        try:
            for each in archived.of_tournament(conn, number):
                for at, seat_row in enumerate(each.seats):
                    if seat_row.bot in names.values():
                        place = at, seat_row.points, seat_row.rank
                        yield _table(each.id, each.game, each.finished, *place)
        except Unavailable as error:
            missing.add(error.public)
    yield from ({"missing": sentence} for sentence in sorted(missing))


def _table(
    match: str, game: str, finished: float, seat: int, points: int, rank: int
) -> dict[str, Any]:
    return {
        "match": match,
        "game": game,
        "finished": moment(finished),
        "seat": seat,
        "points": points,
        "rank": rank,
        "record": f"/api/matches/{match}",
    }


def moment(seconds: float | None) -> str | None:
    """A time in ISO 8601, UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
