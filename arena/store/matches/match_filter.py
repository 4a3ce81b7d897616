"""Which matches a list is to have, as a query for their numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sqlalchemy import ColumnElement, Connection, Select, exists, or_, select

from arena.base.errors import InvalidRequest
from arena.store.registry import bots
from arena.store.tables import entrants, fault_notes, match_seats, matches, players, tournaments


@dataclass(frozen=True, slots=True)
class Filter:
    """What a list of matches can be narrowed to; what is empty narrows nothing.

    `bot` and `opponent` are names, and stand for all their versions. `lost`: those that the bot did
    not win. `faults`: those in which the bot had a fault, or anybody if no bot is named; `fault`
    is the kind of it. `since` and `until` are Unix seconds, the end excluded. `margin`: those
    that were won by at most so many points; 0 are shared victories.
    """

    bot: str | None = None
    tournament: int | None = None
    lost: bool = False
    faults: bool = False
    game: str | None = None
    opponent: str | None = None
    fault: str | None = None
    since: float | None = None
    until: float | None = None
    margin: int | None = None


@dataclass(frozen=True, slots=True)
class CheckedFilter:
    """A filter as the database knows it: bots by their ids."""

    bot: int | None
    tournament: int | None
    lost: bool
    faults: bool
    game: str | None = None
    opponent: int | None = None
    fault: str | None = None
    since: float | None = None
    until: float | None = None
    margin: int | None = None

    @classmethod
    def checked(cls, conn: Connection, asked: Filter) -> CheckedFilter:
        """Raises NotFound for a bot that does not exist, InvalidRequest for what makes no sense."""
        bot, opponent = (
            bots.get(conn, name).id if name is not None else None
            for name in (asked.bot, asked.opponent)
        )
        faults = asked.faults or asked.fault is not None
        own = {"bot": bot, "opponent": opponent, "faults": faults}
        return cls(**{**{name: getattr(asked, name) for name in FIELDS}, **own}).of_a_bot()

    def of_a_bot(self, *, worst: bool = False) -> CheckedFilter:
        """Itself. Raises InvalidRequest where it lacks the bot that it is about."""
        asked = {"lost": self.lost, "opponent": self.opponent is not None, "worst": worst}
        if self.bot is None and any(asked.values()):
            first = next(name for name, wanted in asked.items() if wanted)
            raise InvalidRequest(f'"{first}" is about one bot: say which one.')
        return self


FIELDS = tuple(each.name for each in fields(Filter))


def numbers(wanted: CheckedFilter, before: int | None = None) -> Select[int]:
    """Numbers of matches to look through, newest first; only those `before` a number, if there is
    one. For what of a filter is looked at here, and what then, see `narrowed`.

    Those of test matches and of tables with a human only for their tournament.
    """
    query, number = _of_bot(wanted)
    if wanted.tournament is not None:
        query = query.where(matches.c.tournament == wanted.tournament)
    else:
        rated = tournaments.c.id == matches.c.tournament, tournaments.c.kind == "tournament"
        query = query.where(exists().where(*rated))
    if before is not None:
        query = query.where(number < before)
    return query.order_by(number.desc())


def _of_bot(wanted: CheckedFilter) -> tuple[Select[int], ColumnElement[int]]:
    """The query, and its column; it walks through whatever there is least of."""
    seat, note = match_seats.c, fault_notes.c
    if wanted.faults:  # few: one index has them all
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


def _of_game(wanted: CheckedFilter, query: Select[int]) -> Select[int]:
    """One index has the matches of each game; those of a tournament have one game anyway."""
    if wanted.game is None or wanted.tournament is not None:
        return query
    return query.where(matches.c.game == wanted.game)


def _sat(wanted: CheckedFilter) -> list[ColumnElement[bool]]:
    """What holds for the bot's seat."""
    seat = match_seats.c
    lost = or_(seat.rank > 1, seat.forfeited)
    return [seat.bot == wanted.bot, *([lost] if wanted.lost else [])]


def _of_both(wanted: CheckedFilter, tournament: int) -> Select[int]:
    """A walk through a tournament's matches; it is not begun for a bot that did not enter."""
    sat = exists().where(match_seats.c.match == matches.c.number, *_sat(wanted))
    entered = select(entrants.c.player).join(players).where(players.c.bot == wanted.bot)
    entered = entered.where(entrants.c.tournament == tournament)
    return select(matches.c.number).where(entered.exists(), sat)
