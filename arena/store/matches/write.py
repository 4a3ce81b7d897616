"""Finished matches as rows of the database."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, insert, select, update

from arena.store.matches.model import MatchResult, Rated
from arena.store.tables import fault_notes, match_seats, matches, players


def insert_matches(
    conn: Connection, fresh: Mapping[int, MatchResult], rated: Mapping[int, Rated]
) -> None:
    """Stores matches with their seats and faults."""
    results = [fresh[position] for position in sorted(fresh)]
    conn.execute(insert(matches), [_match_row(r, rated.get(r.position)) for r in results])
    ids = [result.id for result in results]
    numbers: dict[str, int] = dict(
        conn.execute(select(matches.c.id, matches.c.number).where(matches.c.id.in_(ids))).all()
    )
    bots = _bots(conn, {player for result in results for player in result.players})
    seats = [
        row for r in results for row in _seat_rows(r, numbers[r.id], bots, rated.get(r.position))
    ]
    conn.execute(insert(match_seats), seats)
    notes = [row for r in results for row in _note_rows(r, numbers[r.id], bots)]
    if notes:
        conn.execute(insert(fault_notes), notes)


def _bots(conn: Connection, ids: set[int]) -> dict[int, int]:
    """For each player its bot."""
    query = select(players.c.id, players.c.bot).where(players.c.id.in_(ids))
    return dict(conn.execute(query).all())


def _match_row(result: MatchResult, rated: Rated | None) -> dict[str, object]:
    return {
        "id": result.id,
        "tournament": result.tournament,
        "batch": result.batch,
        "position": result.position,
        "deal": result.deal,
        "game": result.game,
        "ruleset": result.ruleset,
        "options": json.dumps(dict(result.options), sort_keys=True),
        "seats": len(result.players),
        "seed": result.seed,
        "log": result.log,
        "started": result.started,
        "finished": result.finished,
        "rated_seq": rated.sequence if rated else None,
    }


def _seat_rows(
    result: MatchResult, number: int, bots: Mapping[int, int], rated: Rated | None
) -> list[dict[str, object]]:
    return [
        {
            "match": number,
            "seat": seat,
            "player": player,
            "bot": bots[player],
            "points": result.points[seat],
            "rank": result.ranks[seat],
            "faults": result.faults[seat],
            "forfeited": result.forfeited[seat],
            "elo_before": rated.before[seat] if rated else None,
            "elo_change": rated.change[seat] if rated else None,
        }
        for seat, player in enumerate(result.players)
    ]


def _note_rows(
    result: MatchResult, number: int, bots: Mapping[int, int]
) -> list[dict[str, object]]:
    return [
        {
            "match": number,
            "note": index,
            "seat": note.seat,
            "bot": bots[result.players[note.seat]],
            "number": note.number,
            "kind": note.kind,
            "reason": note.reason,
            "instead": note.instead,
        }
        for index, note in enumerate(result.notes)
    ]


def mark_rated(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Notes on matches that had waited, by number, that they are rated now."""
    if not rated:
        return
    conn.execute(
        update(matches)
        .where(matches.c.number == bindparam("key"))
        .values(rated_seq=bindparam("sequence")),
        [{"key": number, "sequence": line.sequence} for number, line in rated.items()],
    )
    mark_seats(conn, rated)


def mark_seats(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Stores with the seats of matches, by number, what the matches did to the ratings."""
    if not rated:
        return
    conn.execute(
        update(match_seats)
        .where(match_seats.c.match == bindparam("key"), match_seats.c.seat == bindparam("place"))
        .values(elo_before=bindparam("before"), elo_change=bindparam("change")),
        [
            {"key": number, "place": seat, "before": before, "change": change}
            for number, line in rated.items()
            for seat, (before, change) in enumerate(zip(line.before, line.change, strict=True))
        ],
    )
