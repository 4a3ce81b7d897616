"""A person's record: their finished games against bots, results by bot, and a rating by game."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from arena.store.matches import matches
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import people
from arena.store.reviews import reading
from arena.store.reviews.reading import BotMatch
from arena.tournaments.ratings.performance import Performance
from arena.value.review.model import accuracy
from arena.value.review.values import reviewer

LATEST = 200  # games that the record is about


@dataclass(frozen=True)
class PlayedGame:
    """A finished game."""

    match: MatchRow
    own: SeatRow
    accuracy: float | None  # None until it is reviewed

    @property
    def opponents(self) -> list[SeatRow]:
        return [seat for seat in self.match.ranked if seat is not self.own]

    @property
    def won(self) -> bool:
        return self.own.rank == 1 and not self.own.forfeited


@dataclass
class Opposition:
    """Results against one bot, over all games: ranked above it, level with it, below it."""

    bot: str
    better: int = 0
    level: int = 0
    worse: int = 0

    @property
    def met(self) -> int:
        return self.better + self.level + self.worse

    @property
    def score(self) -> float:
        """Score against the bot from 0 to 1; being level counts a half."""
        return (self.better + self.level / 2) / self.met


@dataclass(frozen=True)
class Record:
    """A person's record. `ratings` and `reviewed` are by game."""

    games: Sequence[PlayedGame] = ()
    against: Sequence[Opposition] = ()
    ratings: dict[str, Performance] = field(default_factory=dict)
    reviewed: dict[str, Sequence[BotMatch]] = field(default_factory=dict)

    @property
    def won(self) -> int:
        return sum(game.won for game in self.games)


def record(conn: Connection, guests: Sequence[RegisteredBot]) -> Record:
    ids = {guest.id for guest in guests}
    names = {guest.name for guest in guests}
    rows = matches.of_people(conn, list(ids), LATEST)
    reviewed = defaultdict[str, list[BotMatch]](list)
    for game in dict.fromkeys(row.game for row in rows):
        for guest in ids:
            reviewed[game] += reading.of_bot(conn, guest, game, reviewer().name)
        reviewed[game].sort(key=lambda one: -one.finished)
    judged = {
        one.match: accuracy(one.lost, one.stake) for found in reviewed.values() for one in found
    }
    games = [
        PlayedGame(row, next(seat for seat in row.seats if seat.bot in names), judged.get(row.id))
        for row in rows
    ]
    return Record(
        games,
        _against(games),
        _ratings(conn, games),
        {game: found for game, found in reviewed.items() if found},
    )


def _against(games: Sequence[PlayedGame]) -> list[Opposition]:
    found: dict[str, Opposition] = {}
    for game in games:
        for seat in game.opponents:
            line = found.setdefault(seat.bot, Opposition(seat.bot))
            line.better += game.own.rank < seat.rank
            line.level += game.own.rank == seat.rank
            line.worse += game.own.rank > seat.rank
    return sorted(found.values(), key=lambda line: (-line.met, line.bot))


def _ratings(conn: Connection, games: Sequence[PlayedGame]) -> dict[str, Performance]:
    """Performance ratings by game, from results against bots rated in that game."""
    found = {}
    for name in dict.fromkeys(game.match.game for game in games):
        played = [(game.match, game.own) for game in games if game.match.game == name]
        if performed := people.performance_in(conn, name, played):
            found[name] = performed
    return found
