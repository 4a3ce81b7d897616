"""The number of matches a bot has finished, and how many of them are rated."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from arena.base.text import plural
from arena.store.reports.leaderboard import OVERALL
from arena.store.tables import entrants, match_seats, matches, players, ratings, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY


@dataclass(frozen=True)
class MatchCounts:
    """Numbers of matches of a bot, over all versions and games.

    `finished` are in tournaments. `rated` of them count in live Elo, and `elo_pending` wait for
    earlier matches of tournaments under way. `unrated` are tests and games against people.
    """

    finished: int
    rated: int
    elo_pending: int
    unrated: int

    @property
    def elo_stopped(self) -> int:
        """Finished matches of cancelled tournaments whose earlier matches were not played."""
        return self.finished - self.rated - self.elo_pending


def match_counts(conn: Connection, bot: int) -> MatchCounts:
    """Return the counts of a bot, all as of the same moment."""
    row, seat, of_bot = tournaments.c, match_seats, players.c.bot == bot
    in_tournaments = case((row.kind == "tournament", entrants.c.matches), else_=0)
    rated = select(func.sum(ratings.c.matches)).join_from(ratings, players)
    pending = (
        select(func.count())
        .join_from(entrants, players)
        .join(tournaments, row.id == entrants.c.tournament)
        .join(matches, (matches.c.tournament == row.id) & (matches.c.position >= row.rated))
        .join(seat, (seat.c.match == matches.c.number) & (seat.c.player == players.c.id))
        .where(of_bot, row.kind == "tournament", row.state.in_(UNDER_WAY))
    )
    query = (
        select(func.sum(in_tournaments), func.sum(entrants.c.matches))
        .add_columns(rated.where(of_bot, ratings.c.seats == OVERALL).scalar_subquery())
        .add_columns(pending.scalar_subquery())
        .join_from(entrants, players)
        .join(tournaments, row.id == entrants.c.tournament)
        .where(of_bot)
    )
    finished, every, counted, waiting = (int(n or 0) for n in conn.execute(query).one())
    return MatchCounts(finished, counted, waiting, every - finished)


def words(counts: MatchCounts) -> list[str]:
    """Return sentences about the counts; none before the first match."""
    said = list[str]()
    if counts.finished:
        finished = plural(counts.finished, "match", "matches")
        said += [f"{finished} finished in tournaments, in all versions and games.", *_rated(counts)]
    if counts.unrated:
        more = "more " if said else ""
        found = plural(counts.unrated, f"{more}match", f"{more}matches")
        were = "was a test or a game" if counts.unrated == 1 else "were tests or games"
        said.append(f"{found} {were} against people, and not rated.")
    return said


def _rated(counts: MatchCounts) -> list[str]:
    rated, pending, stopped = counts.rated, counts.elo_pending, counts.elo_stopped
    if rated == counts.finished:
        return ["All of them are rated."] if rated > 1 else ["It is rated."]
    if pending == counts.finished:
        return ["They are not rated yet, because earlier matches of the schedule are unfinished."]
    said = list[str]()
    if rated:
        said.append(f"{rated:,} of them {'is' if rated == 1 else 'are'} rated so far.")
    if stopped:
        said.append(f"{stopped:,} of them will only be rated if a cancelled tournament is resumed.")
    if pending:
        rest = f"The other {pending:,} wait" if pending > 1 else "The other one waits"
        said.append(f"{rest} for earlier matches of the schedule.")
    return said
