"""Series: tournaments that repeat at a local time, and the points of a season."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from arena.base.errors import InvalidRequest, NotNow

EVERY: dict[str, int] = {"day": 1, "week": 7, "2 weeks": 14, "4 weeks": 28}  # days
MOST_DAYS = 2 * 366
MOST_COUNTED = 100
NOT_ZONES = {"localtime", "Factory"}  # files of some systems
# By place; later places get none. Bots that share a place get the mean of the places they take.
POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)


@dataclass(frozen=True)
class Recurrence:
    """When a tournament repeats: at intervals of `days`, at the same local time in `zone`, until
    the date `until`, which is included. The best `counted` results of a bot count; 0 means all."""

    days: int
    zone: str
    until: date
    counted: int = 0

    def dates(self, first: float, after: float) -> Iterator[float]:
        """Yields the start times at least a second after `after`, for a series that began at
        `first` (all in Unix seconds).

        A time that a clock change skips is an hour later on that day. Of a time that occurs
        twice, the first is meant. Raises NotNow if this machine lacks the zone.
        """
        begin = datetime.fromtimestamp(int(first), known_zone(self.zone)).replace(tzinfo=None)
        number = max(0, int((after - first) / 86_400 / self.days) - 1)
        while (local := begin + timedelta(days=self.days * number)).date() <= self.until:
            at = local.replace(tzinfo=known_zone(self.zone)).timestamp()
            if at >= after + 1:
                yield at
            number += 1

    def sentence(self, first: float) -> str:
        """The recurrence in words, for a series that began at `first` (Unix seconds).
        Raises NotNow if this machine lacks the zone."""
        every = next(name for name, days in EVERY.items() if days == self.days)
        begin = datetime.fromtimestamp(first, known_zone(self.zone))
        day = "" if self.days == 1 else f" on {begin:%A}"
        counts = "All results count"
        if self.counted:
            best = (
                "best result counts" if self.counted == 1 else f"best {self.counted} results count"
            )
            counts = f"Each bot's {best}"
        return f"Every {every}{day} at {begin:%H:%M} ({self.zone}), until {self.until}. {counts}."


def check_recurrence(recurrence: Recurrence, first: float) -> Recurrence:
    """Returns the recurrence of a series that begins at `first` (Unix seconds), with the proper
    name of its zone. Raises InvalidRequest."""
    if recurrence.days not in EVERY.values():
        raise InvalidRequest(
            f"A tournament cannot repeat every {recurrence.days} days. Choose one of "
            f"{', '.join(map(str, EVERY.values()))} days."
        )
    if not 0 <= recurrence.counted <= MOST_COUNTED:
        raise InvalidRequest(
            f"The number of results that count is {recurrence.counted:,}. Choose a number from 0 "
            f"(all) to {MOST_COUNTED}."
        )
    known = zone(recurrence.zone)
    begin = datetime.fromtimestamp(first, known).date()
    second, latest = (begin + timedelta(days=days) for days in (recurrence.days, MOST_DAYS))
    if not second <= recurrence.until <= latest:
        raise InvalidRequest(
            f"The series cannot end on {recurrence.until}. Choose a date from its second start, "
            f"{second}, to {latest}."
        )
    return Recurrence(recurrence.days, known.key, recurrence.until, recurrence.counted)


def read_date(text: str) -> date:
    """Parses the last day of a series, as in 2027-06-30. Raises InvalidRequest."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InvalidRequest(f'"{text[:40]}" is not a date. Write it like 2027-06-30.') from None


def zone(name: str) -> ZoneInfo:
    """The time zone with this name; case is ignored. Raises InvalidRequest."""
    known = {each.lower(): each for each in available_timezones() - NOT_ZONES}
    if not known:
        raise InvalidRequest(
            f"This system has no time zone data, so {name[:40]} is unknown. Install the package "
            "tzdata, or write the offset from UTC, as in 2026-12-01T18:00+01:00."
        )
    if name.lower() not in known:
        raise InvalidRequest(f'"{name[:40]}" is not a time zone. Write it like Europe/Berlin.')
    return ZoneInfo(known[name.lower()])


def known_zone(name: str) -> ZoneInfo:
    """The time zone of a stored series. Raises NotNow if this machine lacks it."""
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        raise NotNow(
            f"This machine does not know the time zone {name}; install the Python package tzdata."
        ) from None


def points(ranks: Sequence[int]) -> list[float]:
    """The points of lines that are sorted by these ranks; equal ranks share a place."""
    given = [*POINTS, *[0] * len(ranks)]
    shares = {
        rank: sum(given[rank - 1 : rank - 1 + ranks.count(rank)]) / ranks.count(rank)
        for rank in set(ranks)
    }
    return [shares[rank] for rank in ranks]


@dataclass(frozen=True)
class SeasonLine:
    """A bot's season: its points by tournament, and those that count."""

    bot: str
    results: Mapping[int, float]
    counted: frozenset[int]

    @property
    def total(self) -> float:
        """The points that count."""
        return sum(self.results[number] for number in self.counted)

    @property
    def best(self) -> tuple[float, ...]:
        """The points that count, best first: the key of the season."""
        return tuple(sorted((self.results[number] for number in self.counted), reverse=True))


def season(results: Mapping[int, Mapping[str, float]], counted: int) -> list[SeasonLine]:
    """The standings over the points of bots by tournament. The best `counted` results of a bot
    count (0: all). Sorted by total, then by the best results, then by name."""
    bots: dict[str, dict[int, float]] = {}
    for number, of in results.items():
        for bot, given in of.items():
            bots.setdefault(bot, {})[number] = given
    lines = [SeasonLine(bot, own, _counting(own, counted)) for bot, own in bots.items()]
    return sorted(lines, key=lambda line: (-line.total, [-each for each in line.best], line.bot))


def _counting(results: Mapping[int, float], counted: int) -> frozenset[int]:
    """The tournaments whose results count; of equal results, the earlier ones."""
    best = sorted(results, key=lambda number: (-results[number], number))
    return frozenset(best[: counted or None])
