"""Lists of matches with filters that no single index supports.

`match_filter.numbers` uses the index with the fewest rows: by bot, tournament or game, or all
matches. The other filters (opponent, kind of fault, close finish, ...) are checked for each match.
A million matches may fail them, so a page looks through at most AMONG matches and then returns
where to continue.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Row,
    Select,
    Subquery,
    bindparam,
    exists,
    func,
    select,
    true,
)

from arena.store.matches import months
from arena.store.matches.match_filter import (
    Filter,
    in_tournament,
    numbers,
    numbers_of_any_kind,
)
from arena.store.tables import fault_notes, match_seats, matches
from arena.tournaments.ratings.elo import surplus

AMONG = 4000  # matches to look through for one page
WORST_AMONG = 2000  # latest matches of a bot to compare
FEW = 100  # size of the first step, which is often enough
GROWTH = 3  # factor between the sizes of two steps
BEFORE_ALL = 2**62  # no match has a number this high
FIRST, SECOND = match_seats.alias("first"), match_seats.alias("second")
LATE_S = 3600.0  # workers store matches within seconds unless the database is unavailable

Line = Row[int, int, int, bool, float]  # match, bot, points, forfeited, Elo before

_NEXT = (
    select(matches.c.number, matches.c.finished)
    .where(matches.c.number >= bindparam("lowest"), matches.c.number < bindparam("end"))
    .order_by(matches.c.number)
    .limit(1)
)
_LAST = (
    select(matches.c.number)
    .where(matches.c.number < bindparam("end"))
    .order_by(matches.c.number.desc())
    .limit(1)
)


def page(
    conn: Connection, wanted: Filter, before: int | None, limit: int
) -> tuple[list[int], int | None]:
    """The numbers of up to `limit` matches, newest first, and the number before which the next page
    starts; None on the last page.

    A page with fewer matches, or none, and a next page has looked through AMONG matches.
    """
    start = {"before": BEFORE_ALL if before is None else before}
    if not _conditions(wanted, matches.c.number):
        found = list(conn.scalars(_walk(conn, wanted, numbers(wanted)).limit(limit + 1), start))
        return found[:limit], found[limit - 1] if len(found) > limit else None
    found = []
    of_any_kind = numbers_of_any_kind(wanted)
    walk = _walk(conn, wanted, numbers(wanted) if of_any_kind is None else of_any_kind)
    seen = walk.limit(bindparam("most")).cte("seen")
    fitting = _fitting(wanted, seen)
    if of_any_kind is not None:  # last, because it reads two more tables
        fitting = fitting.where(in_tournament(seen.c[0]))
    query = _looked_through(fitting, seen)
    for most in _steps():
        rows = conn.execute(query, {**start, "most": most, "missing": limit + 1 - len(found)}).all()
        found += [number for number, _, _ in rows if number is not None]
        if len(found) > limit:
            return found[:limit], found[limit - 1]
        _, count, last = rows[0]
        if count < most:
            return found, None
        start["before"] = last
    return found, start["before"]


def _walk(conn: Connection, wanted: Filter, walk: Select[int]) -> Select[int]:
    """Limits the query to the numbers before "before"."""
    return _within(conn, wanted, walk).where(walk.selected_columns[0] < bindparam("before"))


def _steps() -> Iterator[int]:
    """Numbers of matches to look through in each step, AMONG in total."""
    left, most = AMONG, FEW
    while left > 0:
        yield min(most, left)
        left, most = left - most, GROWTH * most


def _looked_through(fitting: Select[int], seen: CTE) -> Select[Any]:
    """Rows with up to "missing" of the seen matches that fit, newest first, the number of seen
    matches and the last of them; one row without a match if none fits. One query, to read them
    once."""
    fits = fitting.limit(bindparam("missing")).subquery("fits")
    all_ = select(func.count(), func.min(seen.c[0])).select_from(seen).subquery("all_")
    query = select(fits.c[0], *all_.c).join_from(all_, fits, true(), isouter=True)
    return query.order_by(fits.c[0].desc())


def _within(conn: Connection, wanted: Filter, walk: Select[int]) -> Select[int]:
    """Limits the query to about the time span of the filter."""
    number = walk.selected_columns[0]
    if wanted.since is not None:
        walk = walk.where(number >= number_at(conn, wanted.since - LATE_S))
    if wanted.until is not None:
        walk = walk.where(number < number_at(conn, wanted.until + LATE_S))
    return walk


def _fitting(wanted: Filter, seen: CTE | Subquery) -> Select[int]:
    number = seen.c[0]
    query = select(number).where(*_conditions(wanted, number))
    if {wanted.since, wanted.until, wanted.game} != {None}:
        query = query.join_from(seen, matches, matches.c.number == number)
    return query.order_by(number.desc())


def _conditions(wanted: Filter, number: ColumnElement[int]) -> list[ColumnElement[bool]]:
    """The conditions to check for each match."""
    seat, note, found = match_seats.c, fault_notes.c, list[ColumnElement[bool]]()
    if wanted.opponent is not None:
        # As a range, because with "=" SQLite takes the primary key and reads all seats of a match.
        same = seat.match.between(number, number)
        found.append(exists().where(seat.bot == wanted.opponent, same))
    if wanted.fault is not None:
        of_kind = [note.match == number, note.kind == wanted.fault]
        of_bot = [note.bot == wanted.bot] if wanted.bot is not None else []
        found.append(exists().where(*of_kind, *of_bot))
    if wanted.margin is not None:
        found.append(_close(number, wanted.margin))
    if wanted.since is not None:
        found.append(matches.c.finished >= wanted.since)
    if wanted.until is not None:
        found.append(matches.c.finished < wanted.until)
    if wanted.game is not None and (wanted.bot is not None or wanted.faults or wanted.tournament):
        found.append(matches.c.game == wanted.game)
    return found


def _close(number: ColumnElement[int], margin: int) -> ColumnElement[bool]:
    """Whether a seat that did not forfeit came within `margin` points of a winner."""
    first, second = FIRST.c, SECOND.c
    return exists().where(
        first.match == number,
        first.rank == 1,
        ~first.forfeited,
        second.match == number,
        second.seat != first.seat,
        ~second.forfeited,
        second.points - first.points <= margin,
    )


def number_at(conn: Connection, moment: float) -> int:
    """A number that separates the matches that ended before a moment (Unix seconds) from later
    ones, found by bisection, without an index of times: numbers follow the order of storing, and
    matches are stored soon after they end. One that was stored late has a higher number than its
    time suggests, so callers extend their range by LATE_S and then compare the times."""
    end = months.first(months.at(moment) + 1)
    while (last := conn.scalar(_LAST, {"end": end})) is not None:
        start = months.first(months.of(last))
        found = _bisect(conn, start, last + 1, moment)
        if found > start:
            return found
        end = start  # all of this month are later: search the months before
    return end


def _bisect(conn: Connection, lowest: int, end: int, moment: float) -> int:
    while lowest < end:
        middle = (lowest + end) // 2
        row = conn.execute(_NEXT, {"lowest": middle, "end": end}).first()
        if row is None or row.finished >= moment:
            end = middle
        else:
            lowest = row.number + 1
    return lowest


def worst_numbers(conn: Connection, wanted: Filter) -> list[int]:
    """The numbers of the bot's rated matches among the latest wanted ones, worst first: by score
    less expected score, then by points behind the winner, then newest first.

    The expected score follows from the live Elo before the match, which is stored with each seat.
    No index has this order. Raises InvalidRequest without a bot.
    """
    wanted.of_a_bot(worst=True)
    walk = _within(conn, wanted, numbers(wanted)).limit(WORST_AMONG)
    latest = _fitting(wanted, walk.subquery("seen")).subquery()
    seat = match_seats.c
    rows = conn.execute(
        select(seat.match, seat.bot, seat.points, seat.forfeited, seat.elo_before)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .where(seat.elo_before.is_not(None))
        .order_by(seat.match.desc(), seat.seat)
    ).all()
    found = [
        (*_outcome(list(seats), wanted.bot), -number, number)
        for number, seats in groupby(rows, key=itemgetter(0))
    ]
    return [number for *_, number in sorted(found)]


def _outcome(seats: Sequence[Line], bot: int | None) -> tuple[float, int]:
    """The bot's result in a match, worse results being lower: score less expected score, and the
    winner's points less its own."""
    points, forfeited = [row[2] for row in seats], [row[3] for row in seats]
    ratings = [row[4] for row in seats]
    own = next(place for place, row in enumerate(seats) if row[1] == bot)
    _, best = min(zip(forfeited, points, strict=True))
    return surplus(own, ratings, points, forfeited), best - points[own]
