"""Who did how against whom in a tournament."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, case, func, or_, select

from arena.store.tables import match_seats, matches
from arena.store.tournaments.tournaments import get


@dataclass(frozen=True, slots=True)
class Meeting:
    """How a bot did against one other.

    `score` is the mean over the matches that both sat in of 1 for a better place, 1/2 for an
    equal one; `point_difference` the mean of its points less the other's, so that below 0 is
    better.
    """

    bot: str
    opponent: str
    matches: int
    score: float
    point_difference: float


def crosstable(conn: Connection, tournament: int) -> list[Meeting]:
    """Every pair that met, from either side, by what the tournament calls them. Raises NotFound.

    Reads all matches of the tournament: some twenty seconds for a million at four seats.
    """
    found = get(conn, tournament)
    mine, other = match_seats.alias(), match_seats.alias()
    better = or_(
        mine.c.forfeited < other.c.forfeited,
        and_(mine.c.forfeited == other.c.forfeited, mine.c.points < other.c.points),
    )
    equal = and_(mine.c.forfeited == other.c.forfeited, mine.c.points == other.c.points)
    halves = case((better, 2), (equal, 1), else_=0)
    rows = conn.execute(
        select(mine.c.player, other.c.player, func.count())
        .add_columns(func.sum(halves), func.sum(mine.c.points - other.c.points))
        .select_from(matches)
        .join(mine, mine.c.match == matches.c.number)
        .join(other, and_(other.c.match == matches.c.number, other.c.player > mine.c.player))
        .where(matches.c.tournament == tournament)
        .group_by(mine.c.player, other.c.player)
    ).all()
    names = dict(zip(found.players, found.spec.bots, strict=True))
    meetings: list[Meeting] = []
    for one, two, count, won, points in rows:
        score, difference = int(won) / (2 * count), int(points) / count
        meetings.append(Meeting(names[one], names[two], count, score, difference))
        meetings.append(Meeting(names[two], names[one], count, 1.0 - score, 0.0 - difference))
    return sorted(meetings, key=lambda line: (line.bot.lower(), line.opponent.lower()))
