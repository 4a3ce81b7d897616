"""Writes finished matches to the database."""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import repeat

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, insert, select, update

from arena.base import instant
from arena.base.text import plain
from arena.store.dialects import Row, write_rows
from arena.store.matches import months
from arena.store.matches.model import MatchResult, Rated
from arena.store.matches.months import reserve_numbers
from arena.store.tables import fault_notes, match_seats, matches, players

# The columns of new rows.
MATCH = tuple(matches.c.keys())
SEAT = tuple(match_seats.c.keys())
NOTE = tuple(fault_notes.c.keys())

INSERT_MATCH, INSERT_SEAT, INSERT_NOTE = map(insert, (matches, match_seats, fault_notes))
# Built once: a list bound at execution costs less than one in the statement, and an array, which
# only PostgreSQL supports, costs less than a list.
NUMBERS = select(matches.c.id, matches.c.number)
IN_LIST = NUMBERS.where(matches.c.id.in_(bindparam("ids", expanding=True)))
IN_ARRAY = NUMBERS.where(matches.c.id == any_(bindparam("ids", type_=ARRAY(Text))))
RATE_MATCH = (
    update(matches)
    .where(matches.c.number == bindparam("key"))
    .values(rated_seq=bindparam("sequence"))
)
RATE_SEAT = (
    update(match_seats)
    .where(match_seats.c.match == bindparam("key"), match_seats.c.seat == bindparam("place"))
    .values(elo_before=bindparam("before"), elo_change=bindparam("change"))
)


def insert_matches(
    conn: Connection, fresh: Mapping[int, MatchResult], rated: Mapping[int, Rated]
) -> None:
    """Stores matches with their seats and faults."""
    results = [fresh[position] for position in sorted(fresh)]
    reserved = reserve_numbers(conn, len(results), _month(results))
    numbers = {r.id: number for r, number in zip(results, reserved, strict=True)}
    rows = [_match_row(r, numbers[r.id], rated.get(r.position)) for r in results]
    write_rows(conn, INSERT_MATCH, MATCH, rows)
    bots = _bots(conn, {player for result in results for player in result.players})
    seats = [
        row for r in results for row in _seat_rows(r, numbers[r.id], bots, rated.get(r.position))
    ]
    write_rows(conn, INSERT_SEAT, SEAT, seats)
    notes = [row for r in results for row in _note_rows(r, numbers[r.id], bots)]
    write_rows(conn, INSERT_NOTE, NOTE, notes)


def numbers_of(conn: Connection, ids: Collection[str]) -> dict[str, int]:
    """By id, the numbers of the stored ones of these matches."""
    query = IN_LIST if conn.dialect.name == "sqlite" else IN_ARRAY
    return dict(conn.execute(query, {"ids": list(ids)}).all())


def _month(results: Sequence[MatchResult]) -> int:
    """The month of the newest match; a clock that is ahead must not start a month early."""
    return months.at(min(max(result.finished for result in results), instant.now()))


def _bots(conn: Connection, ids: set[int]) -> dict[int, int]:
    query = select(players.c.id, players.c.bot).where(players.c.id.in_(ids))
    return dict(conn.execute(query).all())


def _match_row(result: MatchResult, number: int, rated: Rated | None) -> Row:
    """The columns of MATCH."""
    return (
        number,
        result.id,
        result.tournament,
        result.batch,
        result.position,
        result.deal,
        result.game,
        result.ruleset,
        _options(tuple(result.options.items())),
        len(result.players),
        result.seed,
        result.log,
        result.started,
        result.finished,
        rated.sequence if rated else None,
    )


@lru_cache(64)  # the same for all matches of a tournament
def _options(options: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(options), sort_keys=True)


def _seat_rows(
    result: MatchResult, number: int, bots: Mapping[int, int], rated: Rated | None
) -> list[Row]:
    """The columns of SEAT, seat by seat."""
    count = len(result.players)
    return list(
        zip(
            repeat(number, count),
            range(count),
            result.players,
            [bots[player] for player in result.players],
            result.points,
            result.ranks,
            result.faults,
            result.forfeited,
            rated.before if rated else repeat(None, count),
            rated.change if rated else repeat(None, count),
            strict=True,
        )
    )


def _note_rows(result: MatchResult, number: int, bots: Mapping[int, int]) -> list[Row]:
    """The columns of NOTE, fault by fault."""
    return [
        (
            number,
            index,
            note.seat,
            bots[result.players[note.seat]],
            note.number,
            note.kind,
            plain(note.reason),  # may be a bot's text
            note.instead,
        )
        for index, note in enumerate(result.notes)
    ]


def mark_rated(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Stores that waiting matches, by number, are rated now."""
    rows = [(number, line.sequence) for number, line in rated.items()]
    write_rows(conn, RATE_MATCH, ("key", "sequence"), rows)
    mark_seats(conn, rated)


def mark_seats(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Stores the Elo of matches, by number, with their seats."""
    rows = [
        (number, seat, before, change)
        for number, line in rated.items()
        for seat, (before, change) in enumerate(zip(line.before, line.change, strict=True))
    ]
    write_rows(conn, RATE_SEAT, ("key", "place", "before", "change"), rows)
