"""The contents of each picture as data, which is the key of the cache."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.text import plural
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.leaderboard import Rating
from arena.store.reports.standings import Standing
from arena.store.tournaments.tournaments import Tournament
from dashboard.authors.view import LeaderboardPlace
from dashboard.layout.numbers import count, elo, format_title, game, percent

MOST = 6  # lines of a table


@dataclass(frozen=True)
class ResultLine:
    """A line of a table: a bot, and a text on the right."""

    rank: str
    bot: str
    figure: str
    leads: bool


@dataclass(frozen=True)
class Portrait:
    """A bot with its main figures and their labels."""

    bot: str
    below: str
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ResultTable:
    """A result as a table of bots."""

    title: str
    below: str
    lines: tuple[ResultLine, ...]
    more: str


@dataclass(frozen=True)
class Welcome:
    """The arena itself."""

    title: str
    below: tuple[str, ...]


Picture = Portrait | ResultTable | Welcome

WELCOME = Welcome(
    "lama-arena",
    ("Bots play the L.A.M.A. card games.", "Write a bot, play against the bots, or watch."),
)


def of_bot(bot: RegisteredBot, places: Sequence[LeaderboardPlace]) -> Portrait:
    if not places:
        return Portrait(bot.name, f"version {bot.version}", (("no rated matches yet", "so far"),))
    best = places[0]
    figures = ((f"#{best.line.rank}", f"of {best.of} in {game(best.game)}"), _rating(best.line))
    played = (count(best.line.matches), "matches rated")
    return Portrait(bot.name, f"version {bot.version}", (*figures, played))


def of_match(match: MatchRow, tournament: str) -> ResultTable:
    """Return the picture of a match's result. Points of a locked match are public."""
    seats = sorted(match.seats, key=lambda seat: (seat.forfeited, seat.rank))
    lines = tuple(map(_seat, seats[:MOST]))
    return ResultTable(
        _title(seats), " · ".join(filter(None, (game(match.game), tournament))), lines, ""
    )


def of_tournament(tournament: Tournament, standings: Sequence[Standing]) -> ResultTable:
    spec = tournament.spec
    so_far = f"{plural(tournament.played, 'match', 'matches')} so far"
    words = {"waiting": "not started", "running": so_far}
    state = words.get(tournament.state, tournament.state)
    below = f"{game(spec.game)} · {format_title(spec.format)} · {state}"
    lines = tuple(_standing(line, tournament) for line in standings[:MOST])
    further = len(standings) - len(lines)
    return ResultTable(spec.name, below, lines, f"and {further} more" if further > 0 else "")


def _title(seats: Sequence[SeatRow]) -> str:
    winners = [seat.bot for seat in seats if seat.rank == 1 and not seat.forfeited]
    if len(winners) > 1:
        return f"{' and '.join(winners[:2])} share it" if len(winners) == 2 else "A shared win"
    return f"{winners[0]} won" if winners else "No player won"


def _seat(seat: SeatRow) -> ResultLine:
    if seat.forfeited:
        return ResultLine("-", seat.bot, "forfeited", leads=False)
    return ResultLine(str(seat.rank), seat.bot, plural(seat.points, "point"), seat.rank == 1)


def _rating(line: Rating) -> tuple[str, str]:
    if line.rating is None or line.plus_minus is None:
        return elo(line.elo), "live Elo"
    return f"{elo(line.rating)} ± {line.plus_minus:.0f}", "rating ± 95%"


def _standing(line: Standing, tournament: Tournament) -> ResultLine:
    if not line.matches:
        return ResultLine("", line.called, "", leads=False)
    won = tournament.state == "finished" and line.rank == 1
    return ResultLine(str(line.rank), line.called, percent(line.score), won)
