"""Series: when a tournament of a series starts or is cancelled before, the next one opens for
sign-up, with the same terms and bots."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import structlog
from sqlalchemy import Connection, func, or_, select, update

from arena.base.errors import InvalidRequest, NotFound, NotNow
from arena.store.dialects import insert
from arena.store.tables import series, series_tournaments, tournaments
from arena.store.tournaments import creation, sign_up
from arena.store.tournaments.tournaments import (
    Tournament,
    lock_row,
    read,
    selected,
    set_priority,
)
from arena.tournaments.formats.checks import MAX_NAME
from arena.tournaments.formats.series import Recurrence, check_recurrence, known_zone
from arena.tournaments.formats.sign_up import MOST_BOTS, SignUp

log = structlog.get_logger(__name__)

HALF_DAY_S = 43_200  # changed rules of a zone move a date by less


@dataclass(frozen=True)
class Series:
    """A series that began at `begins`; `due` is the start of its latest tournament (Unix
    seconds)."""

    id: int
    name: str
    begins: float
    recurrence: Recurrence
    latest: int  # number of the latest tournament
    due: float

    def dates(self, now: float) -> list[float]:
        """The start times of tournaments that do not exist yet. Raises NotNow if this machine lacks
        the zone."""
        return list(self.recurrence.dates(self.begins, max(self.due + HALF_DAY_S, now)))


def begin(conn: Connection, first: Tournament, recurrence: Recurrence) -> int:
    """Makes a scheduled tournament the first of a new series. Returns the number of the series.
    Raises InvalidRequest."""
    if first.starts_at is None or first.sign_up is None:
        raise InvalidRequest(
            "This tournament cannot repeat. Only one that is open for sign-up can. Open the "
            "sign-up, and set a start time."
        )
    recurrence = check_recurrence(recurrence, first.starts_at)
    row = {
        "name": first.spec.name,
        "begins": first.starts_at,
        "days": recurrence.days,
        "zone": recurrence.zone,
        "until": recurrence.until.isoformat(),
        "counted": recurrence.counted,
    }
    number = int(conn.scalar(insert(conn, series).values(**row).returning(series.c.id)) or 0)
    _add(conn, number, first.id, first.starts_at)
    return number


def get_series(conn: Connection, number: int) -> Series:
    """One series. Raises NotFound."""
    row = conn.execute(select(series).where(series.c.id == number)).first()
    if row is None:
        raise NotFound(f"There is no series {number}.")
    link = series_tournaments.c
    newest = select(link.tournament, link.due).where(link.series == number)
    latest, due = conn.execute(newest.order_by(link.tournament.desc()).limit(1)).one()
    until = date.fromisoformat(row.until)
    recurrence = Recurrence(row.days, row.zone, until, row.counted)
    return Series(row.id, row.name, row.begins, recurrence, latest, due)


def number_of(conn: Connection, tournament: int) -> int | None:
    """The number of the series of a tournament, None if it does not repeat."""
    link = series_tournaments.c
    return conn.scalar(select(link.series).where(link.tournament == tournament))


def starts_of(conn: Connection, among: Collection[int]) -> dict[int, tuple[int, str, float]]:
    """By number of a tournament that repeats, its series, the commitment of the first tournament
    of the series, and its start by the calendar of the series (Unix seconds)."""
    link, every = series_tournaments.c, series_tournaments.alias().c
    first = select(func.min(every.tournament)).where(every.series == link.series)
    is_first = tournaments.c.id == first.correlate(series_tournaments).scalar_subquery()
    query = select(link.tournament, link.series, tournaments.c.commitment, link.due)
    query = query.join_from(series_tournaments, tournaments, is_first)
    rows = conn.execute(query.where(link.tournament.in_(among)))
    return {number: (of, bytes(digest or b"").hex(), due) for number, of, digest, due in rows}


def under_way(conn: Connection, most: int) -> list[Series]:
    """Up to `most` series that have a tournament open for sign-up, in the order of its start."""
    row = tournaments.c
    query = select(series_tournaments.c.series).join(tournaments)
    query = query.where(row.state == "waiting", row.max_bots.is_not(None))
    numbers = conn.scalars(query.order_by(row.starts_at, row.id).limit(most)).all()
    return [get_series(conn, number) for number in numbers]


def tournaments_of(conn: Connection, number: int) -> list[Tournament]:
    """The tournaments of a series, newest first."""
    link = series_tournaments.c
    own = select(link.tournament).where(link.series == number)
    return read(conn, selected().where(tournaments.c.id.in_(own)).order_by(tournaments.c.id.desc()))


def follow(conn: Connection, tournament: Tournament, now: float) -> None:
    """Opens the next tournament of a series, if this one is the latest and the series goes on.
    None opens if this machine lacks the zone; see `stopped`. The caller holds the lock of this
    one. If its sign-up is over, its limits are no longer known, and the defaults apply."""
    number = number_of(conn, tournament.id)
    if number is None or (own := get_series(conn, number)).latest != tournament.id:
        return
    try:
        coming = own.dates(now)
    except NotNow as error:  # this one starts or is cancelled all the same
        log.warning("series cannot go on", series=number, error=str(error))
        return
    if not coming:
        return
    end = f" {1 + _count(conn, number)}"
    name = own.name[: MAX_NAME - len(end)] + end
    spec = replace(tournament.spec, name=name, bots=(), authors=())
    following = creation.create(
        conn,
        spec,
        now,
        owner=tournament.owner,
        starts_at=coming[0],
        sign_up=tournament.sign_up or SignUp(max(MOST_BOTS, len(tournament.spec.bots))),
        follows=True,
    )
    sign_up.store(conn, following, sign_up.present(conn, tournament))
    set_priority(conn, following.id, tournament.priority)
    _add(conn, number, following.id, coming[0])


def stopped(conn: Connection, now: float) -> list[int]:
    """The latest tournaments of series whose next one did not open for lack of a zone that this
    machine knows now."""
    link, row = series_tournaments.c, tournaments.c
    latest = select(func.max(link.tournament)).group_by(link.series)
    over = or_(row.max_bots.is_(None), row.state != "waiting")
    yesterday = datetime.fromtimestamp(now, UTC).date() - timedelta(days=1)
    query = select(link.tournament, link.series).join_from(series_tournaments, tournaments)
    query = query.join(series, series.c.id == link.series).where(link.tournament.in_(latest), over)
    found = []
    query = query.where(series.c.until >= yesterday.isoformat()).order_by(link.tournament)
    for tournament, number in conn.execute(query):
        with suppress(NotNow):
            found += [tournament] if get_series(conn, number).dates(now) else []
    return found


def end(conn: Connection, number: int, now: float) -> str:
    """Ends a series: no further tournament opens. The latest one still takes place. Returns the
    name of the series. Raises NotFound, and NotNow if it is over or this machine lacks
    its zone."""
    lock_row(conn, get_series(conn, number).latest)
    own = get_series(conn, number)
    if not own.dates(now):
        raise NotNow(f"Series {number} cannot be ended. No further tournament is planned.")
    last = datetime.fromtimestamp(own.due, known_zone(own.recurrence.zone)).date()
    if replace(own, recurrence=replace(own.recurrence, until=last)).dates(now):
        last -= timedelta(days=1)  # a clock change had moved its start past midnight
    conn.execute(update(series).where(series.c.id == number).values(until=last.isoformat()))
    return own.name


def _add(conn: Connection, number: int, tournament: int, due: float) -> None:
    row = insert(conn, series_tournaments)
    conn.execute(row.values(tournament=tournament, series=number, due=due))


def _count(conn: Connection, number: int) -> int:
    link = series_tournaments.c
    return conn.scalar(select(func.count()).where(link.series == number)) or 0
