"""Which matches a list is to have, as a query for their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, exists, or_, select

from arena.errors import InvalidRequest
from arena.store.registry import bots
from arena.store.tables import entrants, fault_notes, match_seats, matches, players, tournaments


@dataclass(frozen=True, slots=True)
class Wanted:
    """Matches of a bot (its id), of a tournament, of both or of neither; of the bot's those that
    it did not win (`lost`), and those in which it had a fault (`faults`)."""

    bot: int | None
    tournament: int | None
    lost: bool
    faults: bool

    @classmethod
    def checked(
        cls, conn: Connection, bot: str | None, tournament: int | None, *, lost: bool, faults: bool
    ) -> Wanted:
        """`bot` by its name. Raises NotFound if there is none."""
        found = bots.get(conn, bot).id if bot is not None else None
        return cls(found, tournament, lost, faults).of_a_bot()

    def of_a_bot(self, *, worst: bool = False) -> Wanted:
        """Itself. Raises InvalidRequest where it lacks the bot that it is about."""
        asked = {"lost": self.lost, "faults": self.faults, "worst": worst}
        if self.bot is None and any(asked.values()):
            first = next(name for name, wanted in asked.items() if wanted)
            raise InvalidRequest(f'"{first}" is about one bot: say which one.')
        return self


def numbers(wanted: Wanted, before: int | None = None) -> Select[int]:
    """Numbers of the matches, newest first; only those `before` a number, if there is one.

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


def _of_bot(wanted: Wanted) -> tuple[Select[int], ColumnElement[int]]:
    """The query, and its column; it walks through whatever there is least of."""
    seat, note = match_seats.c, fault_notes.c
    if wanted.bot is None:
        return select(matches.c.number), matches.c.number
    if wanted.faults:  # few: one index has them all
        query = select(note.match).where(note.bot == wanted.bot).distinct()
        query = query.join_from(fault_notes, matches, matches.c.number == note.match)
        if wanted.lost:
            query = query.where(exists().where(seat.match == note.match, *_sat(wanted)))
        return query, note.match
    if wanted.tournament is None:
        query = select(seat.match).where(*_sat(wanted)).distinct()
        return query.join_from(match_seats, matches), seat.match
    return _of_both(wanted, wanted.tournament), matches.c.number


def _sat(wanted: Wanted) -> list[ColumnElement[bool]]:
    """What holds for the bot's seat."""
    seat = match_seats.c
    lost = or_(seat.rank > 1, seat.forfeited)
    return [seat.bot == wanted.bot, *([lost] if wanted.lost else [])]


def _of_both(wanted: Wanted, tournament: int) -> Select[int]:
    """A walk through a tournament's matches; it is not begun for a bot that did not enter."""
    sat = exists().where(match_seats.c.match == matches.c.number, *_sat(wanted))
    entered = select(entrants.c.player).join(players).where(players.c.bot == wanted.bot)
    entered = entered.where(entrants.c.tournament == tournament)
    return select(matches.c.number).where(entered.exists(), sat)
