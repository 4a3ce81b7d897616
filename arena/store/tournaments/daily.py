"""Daily deals: one per game and UTC day, with the same cards, bots and seat for all players.

An attempt is a casual game whose cards come from the deal's secret. An account has one attempt at
a deal, and results of accounts are ranked. The commitment of a deal is public before its first
attempt, normally from the day before.

A deal is *sealed* until its day is over and its attempts have ended, at the latest a day later.
Until then its matches are locked. Then it is *opened*: its secret is published.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from secrets import token_bytes
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, exists, or_, select, update

from arena.base.errors import AlreadyExists, NotFound, NotNow
from arena.store.dialects import insert
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import daily_attempts, daily_deals, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY, State, Tournament
from arena.tournaments.formats import FromSecret
from arena.tournaments.formats.secret import SECRET_BYTES, commitment

DAY_S = 86_400
EPOCH = date(1970, 1, 1)
# After the end of the day, so that an attempt that is being started is seen.
OPENS_AFTER_S = 60


@dataclass(frozen=True)
class Deal:
    """A daily deal. `secret` (hexadecimal) is empty until the deal is opened."""

    id: int
    game: str
    day: int
    commitment: str
    opened: float | None
    secret: str

    @property
    def date(self) -> date:
        return date_of(self.day)


@dataclass(frozen=True)
class DailyAttempt:
    """The attempt of a person at a deal. The deal is sealed while `opened` is None."""

    tournament: int
    state: State
    deal: int
    game: str
    day: int
    opened: float | None

    @property
    def date(self) -> date:
        return date_of(self.day)


def day_of(now: float) -> int:
    """The UTC day of a time in Unix seconds."""
    return int(now // DAY_S)


def date_of(day: int) -> date:
    return EPOCH + timedelta(days=day)


def day_from(text: str) -> int:
    """The day of a date as in 2026-11-28. Raises NotFound."""
    try:
        return (datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date() - EPOCH).days
    except ValueError:
        raise NotFound(f'"{text[:20]}" is not a date. Write it like 2026-11-28.') from None


def sealed(tournament: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether the tournament of the enclosing query is an attempt at a sealed deal."""
    deal = daily_deals.c.id == daily_attempts.c.deal
    here = daily_attempts.c.tournament == tournament
    return exists().where(here, deal, daily_deals.c.opened.is_(None))


def why_sealed(of: Tournament | None) -> str:
    """Explains until when a match of a tournament is sealed. Of casual games, only attempts at
    daily deals ever are."""
    attempt = of is not None and of.kind == "table"
    event = "its daily deal is opened" if attempt else "every match of its deal is played"
    return f"This match is sealed until {event}."


# Creating and opening deals


def missing(conn: Connection, games: Iterable[str], now: float) -> list[tuple[str, int]]:
    """Deals of today and tomorrow that do not exist yet, as game and day."""
    today, row = day_of(now), daily_deals.c
    query = select(row.game, row.day).where(row.day.in_([today, today + 1]))
    there = {(game, day) for game, day in conn.execute(query)}
    wanted = [(game, day) for day in (today, today + 1) for game in games]
    return [each for each in wanted if each not in there]


def add(conn: Connection, deals: Collection[tuple[str, int]]) -> None:
    """Creates deals, each from a new secret."""
    for game, day in deals:
        secret = token_bytes(SECRET_BYTES)
        row = {"game": game, "day": day, "secret": secret, "commitment": commitment(secret)}
        conn.execute(insert(conn, daily_deals).values(**row).on_conflict_do_nothing())


def due(conn: Connection, now: float) -> list[int]:
    """The sealed deals that can be opened."""
    row, over = daily_deals.c, day_of(now - OPENS_AFTER_S)
    playing = exists().where(
        daily_attempts.c.deal == row.id,
        tournaments.c.id == daily_attempts.c.tournament,
        tournaments.c.state.in_(UNDER_WAY),
    )
    done = or_(row.day < over - 1, ~playing)
    query = select(row.id).where(row.opened.is_(None), row.day < over, done)
    return list(conn.scalars(query.order_by(row.id)))


def open_deals(conn: Connection, deals: Collection[int], now: float) -> None:
    """Publishes the secrets of these deals."""
    row = daily_deals.c
    conn.execute(
        update(daily_deals).where(row.id.in_(deals), row.opened.is_(None)).values(opened=now)
    )


# Reading deals


def get(conn: Connection, game: str, day: int) -> Deal | None:
    """The deal of a game and day, or None."""
    return _deal(conn, _deals().where(daily_deals.c.game == game, daily_deals.c.day == day))


def latest_before(conn: Connection, game: str, day: int) -> Deal | None:
    """The newest deal of a game before a day, or None."""
    row = daily_deals.c
    query = _deals().where(row.game == game, row.day < day)
    return _deal(conn, query.order_by(row.day.desc()).limit(1))


def newest_open(conn: Connection, game: str) -> Deal | None:
    """The newest opened deal of a game, or None."""
    row = daily_deals.c
    query = _deals().where(row.game == game, row.opened.is_not(None))
    return _deal(conn, query.order_by(row.day.desc()).limit(1))


def seat_of(conn: Connection, deal: Deal, seats: int) -> int:
    """The seat of the player, derived from the deal's secret."""
    secret = conn.scalar(select(daily_deals.c.secret).where(daily_deals.c.id == deal.id))
    return FromSecret(bytes(secret or b""), deal.id).schedule_seed % seats


def _deals() -> Select[Any]:
    row = daily_deals.c
    opened = case((row.opened.is_not(None), row.secret), else_=None).label("secret")
    return select(row.id, row.game, row.day, row.commitment, row.opened, opened)


def _deal(conn: Connection, query: Select[Any]) -> Deal | None:
    found = conn.execute(query).first()
    if found is None:
        return None
    shown = bytes(found.commitment).hex(), found.opened, bytes(found.secret or b"").hex()
    return Deal(found.id, found.game, found.day, *shown)


# Attempts


def enter(
    conn: Connection,
    deal: Deal,
    tournament: int,
    guest: RegisteredBot,
    account: int | None,
    now: float,
) -> None:
    """Makes a new casual game the attempt of a guest. Accounts play the deal of today, others only
    opened ones. Raises AlreadyExists if there is an attempt, and NotNow for other deals."""
    query = select(daily_deals.c.opened).where(daily_deals.c.id == deal.id)
    opened = conn.scalar(query.with_for_update(read=True)) is not None
    if not (opened if account is None else deal.day == day_of(now) and not opened):
        raise NotNow(f"The deal of {deal.date} cannot be played now. Reload the page.")
    row = {"deal": deal.id, "guest": guest.id, "account": account, "player": guest.player}
    made = insert(conn, daily_attempts).values(**row, tournament=tournament)
    done = made.on_conflict_do_nothing().returning(daily_attempts.c.deal)
    if conn.scalar(done) is None:
        raise AlreadyExists(f"You have already played the deal of {deal.date}.")


def attempt(
    conn: Connection, deal: int, account: int | None, guest: int | None
) -> DailyAttempt | None:
    """The attempt of an account, or of a guest without one, at a deal."""
    row = daily_attempts.c
    mine = row.account == account if account is not None else row.guest == guest
    return _attempt(conn, row.deal == deal, mine)


def of_table(conn: Connection, tournament: int) -> DailyAttempt | None:
    """The attempt that a casual game is, if any."""
    return _attempt(conn, daily_attempts.c.tournament == tournament)


def sealed_attempts(conn: Connection) -> dict[int, date]:
    """The attempts at sealed deals: the day of the deal by tournament."""
    query = select(daily_attempts.c.tournament, daily_deals.c.day)
    query = query.join_from(daily_attempts, daily_deals).where(daily_deals.c.opened.is_(None))
    return {tournament: date_of(day) for tournament, day in conn.execute(query)}


def _attempt(conn: Connection, *which: ColumnElement[bool]) -> DailyAttempt | None:
    row, deal = daily_attempts.c, daily_deals.c
    query = select(row.tournament, tournaments.c.state, row.deal, deal.game, deal.day, deal.opened)
    query = query.join_from(daily_attempts, daily_deals).join(tournaments)
    found = conn.execute(query.where(*which)).first()
    return None if found is None else DailyAttempt(*found)
