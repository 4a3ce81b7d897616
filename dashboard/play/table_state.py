"""Where a table is, as the person who sits there may see it.

It is read off the database alone: what the worker put aside while the person thinks, or the
match that was stored. So a page can be opened anew, twice, or after the arena was started again.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import NotFound
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import replay
from arena.protocol.internal.checkpoint_pb2 import Checkpoint, SuspendedMatch
from arena.service.live.people import Question
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret
from dashboard.play.guests import Visitor

BATCH = 0  # a table has one


@dataclass(frozen=True)
class TableState:
    """A table of the visitor's. Sequences are by seat."""

    tournament: Tournament
    players: tuple[RegisteredBot, ...]
    seat: int  # the person's
    mark: str  # changes whenever something was put aside or stored
    aside: SuspendedMatch | None
    reply_to: str
    over: bool  # the match is stored
    source: FromSecret  # of its cards

    @property
    def me(self) -> RegisteredBot:
        """The person."""
        return self.players[self.seat]

    @property
    def names(self) -> list[str]:
        """Who sits where; the person is "you"."""
        return ["you" if bot == self.me else bot.name for bot in self.players]

    @property
    def closed(self) -> bool:
        """Whether somebody put an end to the table."""
        return self.tournament.state == "cancelled"

    @property
    def match_id(self) -> str:
        """The match at the table."""
        return self.source.match_id(0)

    @property
    def question(self) -> Question | None:
        """The open question, whoever is asked; None where nothing is known of the match yet."""
        if self.aside is None:
            return None
        return Question(
            self.tournament.id, BATCH, self.aside.ticket, self.reply_to, self.aside.asked
        )

    def question_age_s(self) -> float:
        """Seconds since the open question was asked."""
        return max(0.0, instant.now() - self.aside.asked) if self.aside else 0.0

    def match(self, conn: Connection) -> Match | None:
        """The match as far as it is known; None before the cards are dealt."""
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
    """Somebody else sits at the table; `match` can be watched once it is over, "" before."""

    def __init__(self, match: str) -> None:
        super().__init__()
        self.match = match


def look(conn: Connection, number: int, who: Visitor) -> TableState:
    """The table with this number. Raises NotFound, NotYours."""
    tournament = tournaments.get(conn, number)
    if tournament.kind != "table":
        raise NotFound(f"There is no table {number}.")
    known = bots.by_players(conn, tournament.players)
    players = tuple([known[player] for player in tournament.players])
    mine = [seat for seat, bot in enumerate(players) if who.is_player(bot)]
    over = tournament.played > 0
    source = tournaments.source(conn, number)
    if not mine:
        raise NotYours(source.match_id(0) if over else "")
    blob = None if over else _put_aside(conn, number)
    saved = Checkpoint.FromString(blob) if blob else Checkpoint()
    return TableState(
        tournament,
        players,
        mine[0],
        f"{tournament.state}{tournament.played}{zlib.crc32(blob or tournament.note.encode()):x}",
        saved.matches[0] if saved.matches else None,
        saved.reply_to,
        over,
        source,
    )


def _put_aside(conn: Connection, number: int) -> bytes | None:
    try:
        return batches.get_batch(conn, number, BATCH).checkpoint
    except NotFound:  # nothing is planned yet
        return None


def is_dealt(conn: Connection, number: int) -> bool:
    """Whether there is anything of the match to be seen."""
    return tournaments.get(conn, number).played > 0 or _put_aside(conn, number) is not None
