"""The number of matches a bot has finished, and how many of them are rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from arena.base.text import plural
from arena.store.reports.leaderboard import OVERALL
from arena.store.tables import entrants, players, tournaments
from dashboard.bots.profile.queries import VersionRating


@dataclass(frozen=True)
class MatchCounts:
    """Numbers of matches of a bot, over all versions and games.

    `finished` are in tournaments, `rated` of them count in live Elo. `unrated` are tests and games
    against people.
    """

    finished: int
    rated: int
    unrated: int

    @property
    def elo_pending(self) -> int:
        """Finished matches that are not rated yet, because earlier ones are not finished."""
        return max(self.finished - self.rated, 0)


def match_counts(conn: Connection, bot: int, lines: Sequence[VersionRating]) -> MatchCounts:
    """Return the counts of a bot; `lines` are its versions' lines in leaderboards."""
    in_tournaments = case((tournaments.c.kind == "tournament", entrants.c.matches), else_=0)
    query = (
        select(func.sum(in_tournaments), func.sum(entrants.c.matches))
        .join_from(entrants, players)
        .join(tournaments, tournaments.c.id == entrants.c.tournament)
        .where(players.c.bot == bot)
    )
    finished, every = (int(count or 0) for count in conn.execute(query).one())
    rated = sum(line.matches for line in lines if line.seats == OVERALL)
    return MatchCounts(finished, rated, every - finished)


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
    pending = counts.elo_pending
    if not pending:
        return ["All of them are rated."] if counts.finished > 1 else ["It is rated."]
    if not counts.rated:
        return ["They are not rated yet, because earlier matches of the schedule are unfinished."]
    are = "is" if counts.rated == 1 else "are"
    rest = f"The other {pending:,} wait" if pending > 1 else "The other one waits"
    return [
        f"{counts.rated:,} of them {are} rated so far.",
        f"{rest} for earlier matches of the schedule.",
    ]
