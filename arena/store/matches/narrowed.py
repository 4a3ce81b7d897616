"""Lists of matches that no index has in one piece.

`wanted.numbers` walks along the index that leaves least to look at: those of a bot, of a
tournament, of a game, or all. Whatever else a list is narrowed to (an opponent, a kind of fault, a
close finish, ...) is asked of each match on the way. There may be a million that do not fit, so a
page looks through AMONG matches at most, and then says where to go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import CTE, ColumnElement, Connection, Select, Subquery, exists, func, select, true

from arena.store.matches import dated
from arena.store.matches.match_filter import CheckedFilter, numbers
from arena.store.tables import fault_notes, match_seats, matches

AMONG = 4000  # matches that are looked through for one page
FEW = 400  # of them at first: these are often enough
GROWTH = 3  # so many times as many in the next step, and so on


def page(
    conn: Connection, wanted: CheckedFilter, before: int | None, limit: int
) -> tuple[list[int], int | None]:
    """The numbers of at most `limit` matches, newest first, and before which number the next page
    begins; None where there is nothing more to look through.

    A page that has fewer, or none, and yet a next one has looked through AMONG of them.
    """
    walk = _within(conn, wanted, numbers(wanted, before))
    if not _conditions(wanted, matches.c.number):
        found = list(conn.scalars(walk.limit(limit + 1)))
        return found[:limit], found[limit - 1] if len(found) > limit else None
    found = []
    for most in _steps():
        seen = _within(conn, wanted, numbers(wanted, before)).limit(most).cte("seen")
        rows = conn.execute(_looked_through(wanted, seen, limit + 1 - len(found))).all()
        found += [number for number, _, _ in rows if number is not None]
        if len(found) > limit:
            return found[:limit], found[limit - 1]
        _, count, last = rows[0]
        if count < most:
            return found, None
        before = last if count else before
    return found, before


def _steps() -> Iterator[int]:
    """How many matches to look through at a time, AMONG of them in all."""
    left, most = AMONG, FEW
    while left > 0:
        yield min(most, left)
        left, most = left - most, GROWTH * most


def _looked_through(wanted: CheckedFilter, seen: CTE, most: int) -> Select[Any]:
    """Rows with each of `most` of the seen that fit, newest first, how many were seen, and the last
    of them; one row without a match where none fits. So that they are walked through once."""
    fits = _fitting(wanted, seen).limit(most).subquery("fits")
    all_ = select(func.count(), func.min(seen.c[0])).select_from(seen).subquery("all_")
    query = select(fits.c[0], *all_.c).join_from(all_, fits, true(), isouter=True)
    return query.order_by(fits.c[0].desc())


def among(conn: Connection, wanted: CheckedFilter, most: int) -> Select[int]:
    """Those that fit of the latest `most`, newest first."""
    walk = _within(conn, wanted, numbers(wanted)).limit(most)
    return _fitting(wanted, walk.subquery("seen"))


def _within(conn: Connection, wanted: CheckedFilter, walk: Select[int]) -> Select[int]:
    """Begins and ends the walk about where its days do."""
    number = next(iter(walk.selected_columns))
    if wanted.since is not None:
        walk = walk.where(number >= dated.number_at(conn, wanted.since - dated.LATE_S))
    if wanted.until is not None:
        walk = walk.where(number < dated.number_at(conn, wanted.until + dated.LATE_S))
    return walk


def _fitting(wanted: CheckedFilter, seen: CTE | Subquery) -> Select[int]:
    number = seen.c[0]
    query = select(number).where(*_conditions(wanted, number))
    if {wanted.since, wanted.until, wanted.game} != {None}:
        query = query.join_from(seen, matches, matches.c.number == number)
    return query.order_by(number.desc())


def _conditions(wanted: CheckedFilter, number: ColumnElement[int]) -> list[ColumnElement[bool]]:
    """What is asked of each match on the way."""
    seat, note, found = match_seats.c, fault_notes.c, list[ColumnElement[bool]]()
    if wanted.opponent is not None:
        found.append(exists().where(seat.match == number, seat.bot == wanted.opponent))
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
    """Whether somebody who did not forfeit came so close to a winner."""
    first, second = match_seats.alias("first"), match_seats.alias("second")
    return exists().where(
        first.c.match == number,
        first.c.rank == 1,
        ~first.c.forfeited,
        second.c.match == number,
        second.c.seat != first.c.seat,
        ~second.c.forfeited,
        second.c.points - first.c.points <= margin,
    )
