"""Series of tournaments: the calls and messages of the Control API."""

from __future__ import annotations

from arena.base import instant
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.store_service import StoreService
from arena.store.reports.standings import season_of
from arena.store.tournaments import series
from arena.tournaments.formats.series import Recurrence, SeasonLine, read_date


class SeriesService(StoreService):
    """Methods of the Control API about series."""

    def get_series(self, request: pb.SeriesId) -> pb.Series:
        """A series with the standings of the season. Raises NotFound."""
        with self._store.read() as conn:
            own = series.get_series(conn, request.id)
            played = series.tournaments_of(conn, own.id)
            standings = season_of(conn, played, own.recurrence.counted)
        return pb.Series(
            id=own.id,
            name=own.name,
            recurrence=recurrence_message(own.recurrence),
            sentence=own.recurrence.sentence(own.begins),
            tournaments=[each.id for each in played],
            starts=own.dates(instant.now()),
            standings=map(_line, standings),
        )

    def end_series(self, request: pb.SeriesId) -> pb.Series:
        """Ends a series. Raises NotFound, and NotNow if it is over."""
        with self._store.write() as conn:
            name = series.end(conn, request.id, instant.now())
            self._note(conn, "ended", f"series {request.id}", name)
        return self.get_series(request)


def read_recurrence(message: pb.TournamentSpec) -> Recurrence | None:
    """The requested recurrence, None if the tournament does not repeat. Raises InvalidRequest if
    the last day is not a date."""
    if not message.HasField("recurrence"):
        return None
    requested = message.recurrence
    until = read_date(requested.until)
    return Recurrence(requested.days, requested.zone or "UTC", until, requested.counted)


def recurrence_message(item: Recurrence) -> pb.Recurrence:
    """When a series repeats, as a message."""
    return pb.Recurrence(
        days=item.days, zone=item.zone, until=item.until.isoformat(), counted=item.counted
    )


def _line(line: SeasonLine) -> pb.SeasonLine:
    return pb.SeasonLine(
        bot=line.bot, points=line.total, results=line.results, counted=sorted(line.counted)
    )
