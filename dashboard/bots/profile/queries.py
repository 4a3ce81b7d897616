"""Queries for a bot's page: ratings and opponents, numbers of matches, and latest results."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import NamedTuple

from sqlalchemy import Connection, Row, bindparam, case, func, select

from arena.base.text import plural
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.store.matches import matches as stored
from arena.store.matches.match_filter import Filter, numbers
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import OVERALL, Rating
from arena.store.tables import entrants, match_seats, matches, players, ratings, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY
from arena.tournaments.ratings.pairs import Pair

_line = ratings.c
# The condition names all columns of the key, so that only matching rows are read.
LINES = select(_line.player, _line.game, _line.seats, _line.matches).where(
    _line.game.in_(GAMES),
    _line.player.in_(bindparam("players", expanding=True)),
    _line.seats.in_((OVERALL, *range(FEWEST_SEATS, MOST_SEATS + 1))),
)
RIVALS = 5
AMONG = 100  # the latest tournament matches, rated or not
BEST = 5  # wins


@dataclass(frozen=True)
class VersionRating:
    """A version's line in a leaderboard, with its number of matches there."""

    player: int
    game: str
    seats: int
    matches: int


class OpponentMet(NamedTuple):
    """An opponent of a bot, and their results against each other."""

    line: Rating
    pair: Pair


def places(conn: Connection, bot: RegisteredBot) -> list[tuple[str, int, int, Rating]]:
    """Return a bot's lines in all leaderboards: game, seats, number of lines, and its own line. For
    a retired bot, these are the lines of its newest version in the tables of all versions."""
    retired = bot.retired is not None
    rows = []
    for game in leaderboard.games(conn):
        for seats in (OVERALL, *leaderboard.seat_counts(conn, game)):
            table = leaderboard.table(conn, game, seats, all_versions=retired)
            own = [line for line in table if line.bot == bot.name and line.latest]
            rows += [(game, seats, len(table), line) for line in own]
    return rows


def lines_of(conn: Connection, players: Sequence[int]) -> list[VersionRating]:
    return [VersionRating(*row) for row in conn.execute(LINES, {"players": list(players)})]


def rated(
    conn: Connection, games: Iterable[str], players: Collection[int]
) -> dict[tuple[str, int], Rating]:
    """Return the lines of these players over all numbers of seats, by game and player."""
    return {
        (game, player): line
        for game in games
        for player, line in leaderboard.by_player(conn, game).items()
        if player in players
    }


def opponents(
    conn: Connection, game: str, seats: int, player: int, lines: Mapping[int, Rating]
) -> list[OpponentMet]:
    """Return a player's opponents in complete deals, in the order of `lines`."""
    others = [other for other in lines if other != player]
    pairs = leaderboard.pairs_of(conn, game, seats, player, others)
    return [OpponentMet(lines[pair.other], pair) for pair in pairs]


def rivals(met: Sequence[OpponentMet]) -> list[OpponentMet]:
    return sorted(met, key=lambda each: abs(each.pair.difference))[:RIVALS]


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


def counts_in_words(counts: MatchCounts) -> list[str]:
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


Seat = Row[int, int, int, bool, float, int]  # number of the match, bot, rank, forfeited, Elo, seat


class BestWin(NamedTuple):
    """A win, and the strongest opponent beaten in it, by live Elo before the match."""

    match: MatchRow
    opponent: SeatRow


class Lately(NamedTuple):
    """Results of the latest `matches`: the number won, the current streak and the best wins, one
    for each of the strongest opponents beaten."""

    matches: int
    won: int
    streak: int
    best: list[BestWin]


def lately(conn: Connection, bot: int) -> Lately:
    """Return the results of a bot's latest tournament matches, over all versions."""
    tables = [list(seats) for _, seats in groupby(_seats(conn, bot), key=lambda seat: seat[0])]
    wins = [
        any(seat[1] == bot and seat[2] == 1 and not seat[3] for seat in seats) for seats in tables
    ]
    beaten = [_best(seats, bot) for seats, won in zip(tables, wins, strict=True) if won]
    streak = len(list(takewhile(bool, wins)))
    return Lately(len(tables), sum(wins), streak, _best_wins(conn, [b for b in beaten if b]))


def _seats(conn: Connection, bot: int) -> Sequence[Seat]:
    latest = numbers(Filter(bot)).limit(AMONG).subquery()
    seat = match_seats.c
    return conn.execute(
        select(seat.match, seat.bot, seat.rank, seat.forfeited, seat.elo_before, seat.seat)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .order_by(seat.match.desc(), seat.seat)
    ).all()


def _best(seats: Sequence[Seat], bot: int) -> Seat | None:
    others = [seat for seat in seats if seat[1] != bot and seat[2] > 1 and seat[4] is not None]
    return max(others, key=lambda seat: seat[4], default=None)


def _best_wins(conn: Connection, beaten: Sequence[Seat]) -> list[BestWin]:
    """The win against each of the strongest opponents, when it was strongest."""
    once = {seat[1]: seat for seat in sorted(beaten, key=lambda seat: seat[4])}
    best = sorted(once.values(), key=lambda seat: -seat[4])[:BEST]
    rows = stored.rows_of(conn, [seat[0] for seat in best])
    return [BestWin(row, row.seats[seat[5]]) for row, seat in zip(rows, best, strict=True)]
