"""Plays one batch of matches, all of them advancing together.

Each pass sends every bot one message with all that is due to it, then gathers replies: to all that
bots hold, or what comes within twelve milliseconds. Answering each reply as it comes would let the
messages shrink to one decision each, at a twentieth of the speed.

For people nobody waits: when all that is open is theirs, the matches are put aside, where the
dashboard reads the question; the answer has the batch taken up again.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import redis

from arena import record
from arena.live import keys, mailbox, people, presence
from arena.live.people import PAGE
from arena.match import Fault, FaultKind, Match, MatchSetup, Seat
from arena.pairing import PlannedMatch, deal_seed, match_id
from arena.protocol.internal.relay_pb2 import Reply
from arena.store import Store, batches, matches, parked, results, tournaments
from arena.store.batches import Batch
from arena.store.bots import Bot
from arena.store.results import MatchResult
from arena.store.tournaments import Tournament
from workers import parking
from workers.lease import REFRESH_S, Lease
from workers.mail import Mail
from workers.routes import Routes
from workers.table import Table

# Looked up once: on a message class an enum's name costs a search.
ANSWER, TIMEOUT, DISCONNECT, ERROR = (
    Reply.ANSWER,
    Reply.TIMEOUT,
    Reply.DISCONNECT,
    Reply.ERROR,
)

GATHER_S = 0.012
IDLE_S = 0.1  # how long to wait for a reply before looking around
SAVE_S = 1.5  # results are stored at least so often; each time costs several milliseconds
SAVE_MATCHES = 100
LOOK_S = 1.0  # how often gateways are looked after
ASK_AGAIN_S = 30.0  # a question may have died with a Redis; gateways ignore what they hold
SHOW_S = 0.4  # how soon people see what happens while they wait for a slow bot


class Overtaken(Exception):
    """Another run has taken this batch over; nothing more may be done for it."""


@dataclass(frozen=True)
class Room:
    """What a batch is played with."""

    store: Store
    client: redis.Redis
    window: int  # matches in flight together
    slice_s: float  # seconds until the rest is put aside
    grace_s: float
    stopping: Callable[[], bool]  # whether this process is about to end


class BatchRun:
    """One run of a batch: until it is done, its time is up, or it is stopped."""

    def __init__(
        self, room: Room, tournament: Tournament, batch: Batch, bots: dict[int, Bot], lease: Lease
    ) -> None:
        self.room, self.tournament, self.batch, self.bots = room, tournament, batch, bots
        self.lease = lease
        aside = parked.decode(batch.parked) if batch.parked else None
        spec = tournament.spec
        seated = {tournament.players[e] for planned in batch.matches for e in planned.seats}
        self.routes = Routes(room.client, seated, spec.game, spec.seats, room.grace_s)
        self.mail = Mail(
            room.client, self.routes, aside.reply_to if aside else keys.new_reply_list()
        )
        self.to_start = self._not_stored()
        self.to_ask: deque[Table] = deque()  # whose question is not sent yet
        self.open: dict[int, Table] = {}  # by ticket: whose question a gateway has
        self.ended: list[MatchResult] = []
        self.tickets = iter(range(secrets.randbits(63), 1 << 64))
        self.saved = self.renewed = self.checked = self.shown = time.monotonic()
        self.unseen = False  # whether a table moved since people were last shown it
        if aside:
            self._take_up(aside)

    def _not_stored(self) -> deque[PlannedMatch]:
        """The matches that an earlier run of this batch has not finished."""
        planned = self.batch.matches
        with self.room.store.read() as conn:
            done = matches.done_positions(conn, self.tournament.id, self.batch.first, len(planned))
        return deque(match for match in planned if match.position not in done)

    def _take_up(self, found: parked.Parked) -> None:
        """Goes on with matches that were put aside."""
        aside = {match.position: match for match in found.matches}
        for planned in [match for match in self.to_start if match.position in aside]:
            self.to_start.remove(planned)
            was = aside[planned.position]
            match = record.replay(self._setup(planned, was.ruleset), was.log, was.reasons)
            table = Table(
                planned, self._players(planned), match, was.started, was.ticket, was.asked
            )
            table.rounds_told = len(match.game.rounds) - 1
            table.met = set(table.players)
            self.open[table.ticket] = table
        # Their questions may have been answered meanwhile.
        for reply in mailbox.collect(self.room.client, self.mail.reply_to, 0, 1, 0):
            self.take(reply)
        self.to_ask.extend(self.open.values())
        self.open = {}

    # The passes

    def play(self) -> bool:
        """Plays; returns whether the batch is done. Otherwise the rest has been put aside."""
        deadline = time.monotonic() + self.room.slice_s
        while self.to_start or self.to_ask or self.open:
            now = time.monotonic()
            enough = now >= deadline or self.room.stopping() or self._only_people_think()
            if enough or not self._wanted(now):
                self._put_aside()
                return False
            self._pass(now)
        self.mail.send()  # of matches ended
        self._save(done=True)
        return True

    def _only_people_think(self) -> bool:
        """Whether every open question is one to a person."""
        if self.to_start or self.to_ask or not self.open:
            return False
        return all(table.gateway == PAGE for table in self.open.values())

    def waits_for_people(self) -> bool:
        """Whether what was put aside waits for people; the lease is given up then.

        False also if somebody has answered by now.
        """
        return self._only_people_think() and self.lease.wait_for_person(self.mail.reply_to)

    def _pass(self, now: float) -> None:
        self.routes.refresh(now)
        self._look_after_open(now)
        while self.to_start and len(self.to_ask) + len(self.open) < self.room.window:
            self._start(self.to_start.popleft())
        self._send(now)
        want = self._being_thought_about()
        wait = 0.0 if self._only_people_think() else IDLE_S if self.open else REFRESH_S / 20
        for reply in mailbox.collect(self.room.client, self.mail.reply_to, wait, want, GATHER_S):
            self.take(reply)
        if self.ended and (
            len(self.ended) >= SAVE_MATCHES or time.monotonic() - self.saved >= SAVE_S
        ):
            self._save()
        if self.unseen and time.monotonic() - self.shown >= SHOW_S:
            self._show()

    def _being_thought_about(self) -> int:
        """Open questions that bots hold by now; the others wait in a gateway for their turn."""
        asked = Counter([table.player for table in self.open.values()])
        return sum(min(count, self.routes.in_flight(player)) for player, count in asked.items())

    def _start(self, planned: PlannedMatch) -> None:
        table = Table(planned, self._players(planned), Match(self._setup(planned)), time.time())
        table.tell_start(self.mail)
        self._moved(table, None)

    def _send(self, now: float) -> None:
        """Asks the players who are there; who has been gone for too long is at fault."""
        waiting = []
        while self.to_ask:
            table = self.to_ask.popleft()
            player = table.player
            table.gateway = self.routes.gateway(player)
            if table.gateway == PAGE and self._overdue(table):
                self._time_out(table)
            elif table.gateway:
                self._ask(table, now)
            elif self.routes.gone(player, now):
                self._miss(table)
            else:
                waiting.append(table)
        self.to_ask.extend(waiting)
        self.mail.send()

    def _ask(self, table: Table, now: float) -> None:
        table.ask(self.mail, self.tournament.spec.move_ms)
        table.sent_at = now
        self.open[table.ticket] = table

    def _overdue(self, table: Table) -> bool:
        """Whether a person has had his time; nobody else keeps his clock."""
        return time.time() - table.asked >= self.tournament.spec.move_ms / 1000

    def _time_out(self, table: Table) -> None:
        allowed = self.tournament.spec.move_ms
        self._fail(table, "timeout", f"No answer within {allowed} ms.", 1000 * allowed)

    def _miss(self, table: Table) -> None:
        """Charges a disconnect; who has not been there for any of the match, or got up from the
        table, forfeits it."""
        spec, player = self.tournament.spec, table.player
        left = people.has_left(self.room.client, player)
        never = player not in table.met
        reason = (
            f"{self.bots[player].name} left the table."
            if left
            else (
                f"{self.bots[player].name} was not connected as a player of {spec.game} at "
                f"{spec.seats} seats for longer than the grace time of {self.room.grace_s:g} s."
            )
        )
        self._moved(table, table.match.fail("disconnect", reason, forfeit=never or left))

    # Replies

    def take(self, reply: Reply) -> None:
        """Carries a reply into its match; one that came twice or too late is let pass."""
        table = self.open.pop(reply.ticket, None)
        if table is None:
            return
        if reply.outcome == ANSWER:
            answer = reply.index if reply.WhichOneof("answer") == "index" else reply.action
            self._moved(table, table.match.answer(answer, reply.latency_us))
        elif reply.outcome == TIMEOUT:
            self._time_out(table)
        elif reply.outcome == ERROR:
            self._fail(table, "error", reply.error, reply.latency_us)
        elif reply.outcome == DISCONNECT:
            self.routes.given_up(table.player)
            self._miss(table)
        else:
            self.routes.forget(table.player)
            self.to_ask.append(table)

    def _fail(self, table: Table, kind: FaultKind, reason: str, latency_us: int = 0) -> None:
        self._moved(table, table.match.fail(kind, reason, latency_us))

    def _moved(self, table: Table, fault: Fault | None) -> None:
        """A match went on: tells what happened, and lines up its next question or its result."""
        if fault is not None:
            table.tell_fault(self.mail, fault)
        table.tell_progress(self.mail)
        self.unseen = self.tournament.kind == "table"
        if table.match.finished:
            self.ended.append(table.result(self.tournament.id, self.batch.number, time.time()))
        else:
            table.look_who_is_asked()
            table.ticket, table.asked = next(self.tickets), time.time()
            self.to_ask.append(table)

    # Looking around

    def _look_after_open(self, now: float) -> None:
        """Takes questions back from gateways that died, and repeats very old ones."""
        if now - self.checked < LOOK_S:
            return
        self.checked = now
        asked = {table.gateway for table in self.open.values()}
        dead = asked - presence.gateways_alive(self.room.client, asked)
        for table in list(self.open.values()):
            if table.gateway in dead:
                del self.open[table.ticket]
                self.routes.forget(table.player)
                self.to_ask.append(table)
            elif now - table.sent_at >= ASK_AGAIN_S:
                self._ask(table, now)

    def _wanted(self, now: float) -> bool:
        """Whether to go on: the tournament runs, and no other run has taken the batch over."""
        if now - self.renewed < REFRESH_S:
            return True
        self.renewed = now
        if not self.lease.renew():
            raise Overtaken
        with self.room.store.read() as conn:
            return tournaments.get(conn, self.tournament.id).state == "running"

    # Keeping

    def _save(self, done: bool = False, aside: bytes | None = None) -> None:
        """Results, ratings, and what becomes of the batch, in one transaction."""
        with self.room.store.write() as conn:
            results.save_results(conn, self.ended)
            if done:
                batches.finish_batch(conn, self.tournament.id, self.batch.number)
            elif aside is not None:
                batches.park(conn, self.tournament.id, self.batch.number, aside)
        self.ended = []
        self.saved = time.monotonic()

    def _put_aside(self) -> None:
        """Keeps the matches in play for a later run. Those not begun need no keeping."""
        self.mail.send()
        aside = parking.pack(self.mail.reply_to, self._tables())
        if self.ended or aside != self.batch.parked:
            self._save(aside=aside)

    def _show(self) -> None:
        """Lets people see where their table is, though the match goes on."""
        self.unseen, self.shown = False, time.monotonic()
        self._save(aside=parking.pack(self.mail.reply_to, self._tables()))

    def _tables(self) -> Iterator[Table]:
        yield from self.to_ask
        yield from self.open.values()

    # Setting up

    def _players(self, planned: PlannedMatch) -> tuple[int, ...]:
        return tuple([self.tournament.players[entrant] for entrant in planned.seats])

    def _setup(self, planned: PlannedMatch, ruleset: str = "") -> MatchSetup:
        spec = self.tournament.spec
        bots = [self.bots[player] for player in self._players(planned)]
        return MatchSetup(
            id=match_id(spec.seed, self.tournament.id, planned.position),
            game=spec.game,
            seed=deal_seed(spec.seed, planned.deal),
            seats=tuple([Seat(bot.name, bot.version) for bot in bots]),
            options=spec.options,
            fault_limit=spec.fault_limit,
            ruleset=ruleset,
        )
