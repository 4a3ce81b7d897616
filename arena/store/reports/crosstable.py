"""The crosstable of a tournament: each bot's results against each other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, permutations

import numpy as np
from sqlalchemy import Connection, Row, and_, case, func, or_, select

from arena.store.matches.archived import seats_of, tournament_blocks
from arena.store.tables import match_seats, matches
from arena.store.tournaments.tournaments import Tournament, get
from arena.tournaments.ratings.deal_sums import FORFEITED

Sums = tuple[int, int, int]  # matches, halves won, points minus the opponent's


@dataclass(frozen=True, slots=True)
class Meeting:
    """A bot's results against one opponent.

    `score` is the mean over their common matches of 1 for a better place, 1/2 for an equal one.
    `point_difference` is the mean of its points minus the opponent's; below 0 is better.
    """

    bot: str
    opponent: str
    matches: int
    score: float
    point_difference: float


def crosstable(conn: Connection, tournament: int) -> list[Meeting]:
    """All pairs that met, from both sides, with their names in the tournament. Raises NotFound, and
    Unavailable if an archive is missing.

    Reads all matches of the tournament, which takes about twenty seconds for a million with four
    seats.
    """
    found = get(conn, tournament)
    rows: dict[tuple[int, int], Sums] = {}
    for one, two, *sums in chain(_stored(conn, tournament), _archived(conn, found)):
        count, won, points = rows.get((one, two), (0, 0, 0))
        rows[one, two] = count + int(sums[0]), won + int(sums[1]), points + int(sums[2])
    names = dict(zip(found.players, found.spec.bots, strict=True))
    meetings: list[Meeting] = []
    for (one, two), (count, won, points) in rows.items():
        score, difference = won / (2 * count), points / count
        meetings.append(Meeting(names[one], names[two], count, score, difference))
        meetings.append(Meeting(names[two], names[one], count, 1.0 - score, 0.0 - difference))
    return sorted(meetings, key=lambda line: (line.bot.lower(), line.opponent.lower()))


def _stored(conn: Connection, tournament: int) -> Iterable[Row[int, int, int, int, int]]:
    """The matches in the database by pair of players, the lower number first: the number of
    matches, the halves won by the first, and its points minus the other's."""
    mine, other = match_seats.alias(), match_seats.alias()
    better = or_(
        mine.c.forfeited < other.c.forfeited,
        and_(mine.c.forfeited == other.c.forfeited, mine.c.points < other.c.points),
    )
    equal = and_(mine.c.forfeited == other.c.forfeited, mine.c.points == other.c.points)
    halves = case((better, 2), (equal, 1), else_=0)
    return conn.execute(
        select(mine.c.player, other.c.player, func.count())
        .add_columns(func.sum(halves), func.sum(mine.c.points - other.c.points))
        .select_from(matches)
        .join(mine, mine.c.match == matches.c.number)
        .join(other, and_(other.c.match == matches.c.number, other.c.player > mine.c.player))
        .where(matches.c.tournament == tournament)
        .group_by(mine.c.player, other.c.player)
    ).all()


def _archived(conn: Connection, found: Tournament) -> Iterator[tuple[int, int, int, int, int]]:
    """The same for archived matches."""
    players = np.unique(found.players)
    met, halves, points = np.zeros((3, len(players), len(players)), np.int64)
    for *_, block, own in tournament_blocks(conn, found.id):
        seats = int(block.array("matches", "seats")[own][0])  # as in all its matches
        chosen = seats_of(block, own)
        player, point, forfeited = (
            block.array("match_seats", name)[chosen].reshape(-1, seats)
            for name in ("player", "points", "forfeited")
        )
        place, entrant = point + FORFEITED * forfeited, np.searchsorted(players, player)
        for a, b in permutations(range(seats), 2):
            ours = entrant[:, a] < entrant[:, b]
            pair = entrant[ours, a], entrant[ours, b]
            np.add.at(met, pair, 1)
            np.add.at(halves, pair, 1 + np.sign(place[ours, b] - place[ours, a]))
            np.add.at(points, pair, point[ours, a] - point[ours, b])
    one, two = np.nonzero(met)
    sums = met[one, two], halves[one, two], points[one, two]
    yield from zip(*(each.tolist() for each in (players[one], players[two], *sums)), strict=True)
