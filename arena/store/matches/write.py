"""Finished matches as rows of the database."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import repeat

from sqlalchemy import Connection, bindparam, insert, select, update

from arena.store.bulk import Row, write_rows
from arena.store.matches.model import MatchResult, Rated
from arena.store.tables import fault_notes, match_seats, matches, players

# The columns of new rows; a match is given its number by the database.
MATCH = tuple(column.name for column in matches.c if column is not matches.c.number)
SEAT = tuple(match_seats.c.keys())
NOTE = tuple(fault_notes.c.keys())

INSERT_MATCH, INSERT_SEAT, INSERT_NOTE = map(insert, (matches, match_seats, fault_notes))
# Made once: a list that is given when it is carried out costs less than one that is part of it.
NUMBERS = select(matches.c.id, matches.c.number).where(
    matches.c.id.in_(bindparam("ids", expanding=True))
)
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
    rows = [_match_row(r, rated.get(r.position)) for r in results]
    write_rows(conn, INSERT_MATCH, MATCH, rows)
    numbers = numbers_of(conn, [result.id for result in results])
    bots = _bots(conn, {player for result in results for player in result.players})
    seats = [
        row for r in results for row in _seat_rows(r, numbers[r.id], bots, rated.get(r.position))
    ]
    write_rows(conn, INSERT_SEAT, SEAT, seats)
    notes = [row for r in results for row in _note_rows(r, numbers[r.id], bots)]
    write_rows(conn, INSERT_NOTE, NOTE, notes)


def numbers_of(conn: Connection, ids: Collection[str]) -> dict[str, int]:
    """The numbers of those of these matches that are stored, by id."""
    return dict(conn.execute(NUMBERS, {"ids": list(ids)}).all())


def _bots(conn: Connection, ids: set[int]) -> dict[int, int]:
    """For each player its bot."""
    query = select(players.c.id, players.c.bot).where(players.c.id.in_(ids))
    return dict(conn.execute(query).all())


def _match_row(result: MatchResult, rated: Rated | None) -> Row:
    """The columns of MATCH."""
    return (
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


@lru_cache(64)  # all matches of a tournament have the same
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
            note.reason,
            note.instead,
        )
        for index, note in enumerate(result.notes)
    ]


def mark_rated(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Notes on matches that had waited, by number, that they are rated now."""
    rows = [(number, line.sequence) for number, line in rated.items()]
    write_rows(conn, RATE_MATCH, ("key", "sequence"), rows)
    mark_seats(conn, rated)


def mark_seats(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Stores with the seats of matches, by number, what the matches did to the ratings."""
    rows = [
        (number, seat, before, change)
        for number, line in rated.items()
        for seat, (before, change) in enumerate(zip(line.before, line.change, strict=True))
    ]
    write_rows(conn, RATE_SEAT, ("key", "place", "before", "change"), rows)
