"""The state of a game, as its player may see it.

It comes from the database alone: the worker's checkpoint while the player thinks, or the stored
match. So a page can be reloaded, opened twice, or used after a restart of the arena.
"""

import zlib
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import NotFound
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import replay
from arena.protocol.internal.checkpoint_pb2 import Checkpoint, SuspendedMatch
from arena.service.live.people import Question
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import batches, daily, guests, tournaments
from arena.store.tournaments.daily import DailyAttempt
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret
from dashboard.play.guests import Visitor
from dashboard.sources import sources

BATCH = 0  # the only one


@dataclass(frozen=True)
class TableState:
    """A game of the visitor. Sequences are by seat."""

    tournament: Tournament
    players: tuple[RegisteredBot, ...]
    seat: int  # the player's
    mark: str  # changes with each checkpoint and when the match is stored
    aside: SuspendedMatch | None
    reply_to: str
    over: bool  # the match is stored
    source: FromSecret  # of the cards
    people: dict[str, str]  # shown names by guest
    daily: DailyAttempt | None = None  # the attempt at a daily deal that the game is, if any

    @property
    def me(self) -> RegisteredBot:
        return self.players[self.seat]

    @property
    def names(self) -> list[str]:
        """Names by seat; the player is "you"."""
        shown = self.people
        return ["you" if bot == self.me else shown.get(bot.name, bot.name) for bot in self.players]

    @property
    def with_friends(self) -> bool:
        return len(self.people) > 1

    @property
    def closed(self) -> bool:
        return self.tournament.state == "cancelled"

    @property
    def match_id(self) -> str:
        return self.source.match_id(0)

    @property
    def question(self) -> Question | None:
        """The open question to any seat; None before the first checkpoint."""
        if self.aside is None:
            return None
        return Question(
            self.tournament.id, BATCH, self.aside.ticket, self.reply_to, self.aside.asked
        )

    def question_age_s(self) -> float:
        return max(0.0, instant.now() - self.aside.asked) if self.aside else 0.0

    def match(self, conn: Connection) -> Match | None:
        """The match so far; None before the cards are dealt."""
        if self.over:
            stored = matches.get_match(conn, self.match_id)
            reasons = {note.number: note.reason for note in stored.notes}
            return replay(stored.setup, stored.log, reasons)
        if self.aside is None:
            return None
        return replay(self._setup(self.aside.ruleset), self.aside.log, self.aside.reasons)

    def _setup(self, ruleset: str) -> MatchSetup:
        spec = self.tournament.spec
        return MatchSetup(
            id=self.match_id,
            game=spec.game,
            seed=self.source.deal_seed(0),
            seats=tuple([Seat(bot.name, bot.version) for bot in self.players]),
            options=spec.options,
            fault_limit=spec.fault_limit,
            ruleset=ruleset,
        )


class NotYours(Exception):
    """The game belongs to another player. `match` is its id once it is over, "" before."""

    def __init__(self, match: str) -> None:
        super().__init__()
        self.match = match


def look(conn: Connection, number: int, who: Visitor) -> TableState:
    """The visitor's game with this number. Raises NotFound, NotYours."""
    found = _table(conn, number)
    mine = [seat for seat, bot in enumerate(found.players) if who.is_player(bot)]
    if not mine:
        raise NotYours(found.match_id if found.over else "")
    return replace(found, seat=mine[0])


def watched(conn: Connection, number: int) -> tuple[Tournament, Match | None]:
    """A game in play up to now, with the shown names of its people. Spectators may see only its
    scored rounds. Raises NotFound, and NotYours once the match is over."""
    found = _table(conn, number)
    if found.over:
        raise NotYours(found.match_id)
    match = found.match(conn)
    if match is not None:
        named = [replace(s, bot=found.people.get(s.bot, s.bot)) for s in match.setup.seats]
        match.setup = replace(match.setup, seats=tuple(named))
    return found.tournament, match


def _table(conn: Connection, number: int) -> TableState:
    """A game, from the first seat. Raises NotFound."""
    tournament = tournaments.get(conn, number)
    if tournament.kind != "table":
        raise NotFound(f"There is no game {number}.")
    known = bots.by_players(conn, tournament.players)
    players = tuple([known[player] for player in tournament.players])
    over = tournament.played > 0
    source = tournaments.source(conn, number)
    blob = None if over else _put_aside(conn, number)
    saved = Checkpoint.FromString(blob) if blob else Checkpoint()
    return TableState(
        tournament,
        players,
        0,
        f"{tournament.state}{tournament.played}{zlib.crc32(blob or tournament.note.encode()):x}",
        saved.matches[0] if saved.matches else None,
        saved.reply_to,
        over,
        source,
        guests.shown_people(tournament.spec),
        daily.of_table(conn, number),
    )


def _put_aside(conn: Connection, number: int) -> bytes | None:
    try:
        return batches.get_batch(conn, number, BATCH).checkpoint
    except NotFound:  # nothing is planned yet
        return None


def is_dealt(number: int) -> bool:
    with sources().read() as conn:
        return tournaments.get(conn, number).played > 0 or _put_aside(conn, number) is not None
