"""Filters for lists of matches, and the query for match numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, exists, or_, select

from arena.base.errors import InvalidRequest
from arena.store.registry import bots
from arena.store.tables import entrants, fault_notes, match_seats, matches, players, tournaments


@dataclass(frozen=True, slots=True)
class Filter:
    """Filters for a list of matches; empty fields do not filter.

    `bot` and `opponent` are ids and include all versions. `lost`: matches that the bot did not win.
    `faults`: matches with a fault of the bot, or of any bot if none is given; `fault` is the kind
    of fault. `since` and `until` are Unix seconds, the end excluded. `margin`: matches won by at
    most that many points; 0 means shared wins.
    """

    bot: int | None = None
    tournament: int | None = None
    lost: bool = False
    faults: bool = False
    game: str | None = None
    opponent: int | None = None
    fault: str | None = None
    since: float | None = None
    until: float | None = None
    margin: int | None = None

    def of_a_bot(self, *, worst: bool = False) -> Filter:
        """Returns itself. Raises InvalidRequest if it needs a bot and has none."""
        asked = {"lost": self.lost, "opponent": self.opponent is not None, "worst": worst}
        if self.bot is None and any(asked.values()):
            first = next(name for name, wanted in asked.items() if wanted)
            raise InvalidRequest(f'"{first}" cannot be used without a bot. Name one.')
        return self


IN_TOURNAMENT = tournaments.c.id == matches.c.tournament, tournaments.c.kind == "tournament"


def checked(
    conn: Connection,
    bot: str | None,
    tournament: int | None,
    opponent: str | None = None,
    **narrow: Any,
) -> Filter:
    """A filter with these names of bots; `narrow` takes its other fields. Raises NotFound for an
    unknown bot, InvalidRequest for an invalid combination."""
    own, other = (bots.get(conn, name).id if name is not None else None for name in (bot, opponent))
    narrow["faults"] = narrow.get("faults", False) or narrow.get("fault") is not None
    return Filter(own, tournament, opponent=other, **narrow).of_a_bot()


def numbers(wanted: Filter) -> Select[int]:
    """The numbers of matches to look through, newest first. This applies the part of a filter that
    an index supports; `narrowed` applies the rest.

    Test matches and casual games are only included if their tournament is given.
    """
    query, number = _of_bot(wanted)
    if wanted.tournament is not None:
        query = query.where(matches.c.tournament == wanted.tournament)
    else:
        query = query.where(exists().where(*IN_TOURNAMENT))
    return query.order_by(number.desc())


def numbers_of_any_kind(wanted: Filter) -> Select[int] | None:
    """The same with test matches and casual games, for filters by bot: read from one index only.
    For other filters None."""
    if wanted.bot is None or wanted.tournament is not None or wanted.faults:
        return None
    number = match_seats.c.match
    return select(number).where(*_sat(wanted)).distinct().order_by(number.desc())


def in_tournament(number: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a match is neither a test nor a casual game."""
    return exists().where(matches.c.number == number, *IN_TOURNAMENT)


def _of_bot(wanted: Filter) -> tuple[Select[int], ColumnElement[int]]:
    """The query and its column; it uses the index with the fewest rows."""
    seat, note = match_seats.c, fault_notes.c
    if wanted.faults:  # rare, and all in one index
        query = select(note.match).distinct()
        query = query.join_from(fault_notes, matches, matches.c.number == note.match)
        if wanted.bot is not None:
            query = query.where(note.bot == wanted.bot)
        if wanted.lost:
            query = query.where(exists().where(seat.match == note.match, *_sat(wanted)))
        return query, note.match
    if wanted.bot is None:
        query = select(matches.c.number)
        return _of_game(wanted, query), matches.c.number
    if wanted.tournament is None:
        query = select(seat.match).where(*_sat(wanted)).distinct()
        return query.join_from(match_seats, matches), seat.match
    return _of_both(wanted, wanted.tournament), matches.c.number


def _of_game(wanted: Filter, query: Select[int]) -> Select[int]:
    """Uses the index of matches by game; within a tournament all have the same game."""
    if wanted.game is None or wanted.tournament is not None:
        return query
    return query.where(matches.c.game == wanted.game)


def _sat(wanted: Filter) -> list[ColumnElement[bool]]:
    """Conditions for the bot's seat."""
    seat = match_seats.c
    lost = or_(seat.rank > 1, seat.forfeited)
    return [seat.bot == wanted.bot, *([lost] if wanted.lost else [])]


def _of_both(wanted: Filter, tournament: int) -> Select[int]:
    """Searches the matches of a tournament, unless the bot did not enter it."""
    sat = exists().where(match_seats.c.match == matches.c.number, *_sat(wanted))
    entered = select(entrants.c.player).join(players).where(players.c.bot == wanted.bot)
    entered = entered.where(entrants.c.tournament == tournament)
    return select(matches.c.number).where(entered.exists(), sat)
