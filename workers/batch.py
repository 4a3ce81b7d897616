"""Plays batches, all their matches advancing together.

Each pass sends every bot one message with all that is due to it, then gathers replies: to all that
bots hold, or what comes within twelve milliseconds. Answering each reply as it comes would let the
messages shrink to one decision each, at a twentieth of the speed. For the same reason a run takes
the next batch along when all matches of its own have begun: otherwise messages would get smaller
and smaller towards the end of each batch.

For people nobody waits: when all that is open is theirs, the matches are put aside, where the
dashboard reads the question; the answer has the batch taken up again.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import redis

from arena import record
from arena.live import keys, mailbox, people, presence
from arena.live.people import PAGE
from arena.match import Fault, FaultKind, Match, MatchSetup, Seat
from arena.pairing import PlannedMatch
from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.store import Store, batches, matches, parked, results, tournaments
from arena.store.batches import Batch
from arena.store.bots import Bot
from arena.store.results import MatchResult
from arena.store.tournaments import Tournament
from workers import parking
from workers.in_play import BatchInPlay
from workers.lease import REFRESH_S, Lease
from workers.mail import Mail, send
from workers.routes import Routes
from workers.table import Table
from workers.tickets import tickets

# Looked up once: on a message class an enum's name costs a search.
ANSWER, TIMEOUT, DISCONNECT, ERROR = (
    Reply.ANSWER,
    Reply.TIMEOUT,
    Reply.DISCONNECT,
    Reply.ERROR,
)

GATHER_S = 0.012
TAKE_ALONG_S = 0.25  # how often a further batch is looked for
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
    advance: Callable[[int], object]  # has a tournament of which a batch ended taken forward
    moved: Callable[[], object] = lambda: None  # is told in every pass


class BatchRun:
    """One run of a batch and of those it takes along: until nothing of them is left to play, its
    time is up, or it is stopped."""

    def __init__(
        self, room: Room, tournament: Tournament, batch: Batch, bots: dict[int, Bot], lease: Lease
    ) -> None:
        self.room, self.tournament, self.bots = room, tournament, bots
        with room.store.read() as conn:
            self.source = tournaments.source(conn, tournament.id)
        spec = tournament.spec
        self.routes = Routes(room.client, spec.game, spec.seats, room.grace_s)
        self.batches: list[BatchInPlay] = []
        self.to_ask: deque[Table] = deque()  # whose question is not sent yet
        self.open: dict[int, Table] = {}  # by ticket: whose question a gateway has
        self.ended: list[MatchResult] = []
        self.tickets = tickets()
        self.saved = self.renewed = self.checked = self.shown = time.monotonic()
        # When a further batch was last looked for; idle workers have the first choice.
        self.looked = self.saved
        self.unseen = False  # whether a table moved since people were last shown it
        self.lease = lease
        self.claims = [lease]  # to the batches in play, and to one being taken along
        self.alone = lease.has_failed()  # its error shall not become that of other batches
        self._take_on(batch, lease)

    # Batches

    def _take_on(self, batch: Batch, lease: Lease) -> BatchInPlay:
        """Plays a batch from now on, beginning with what was put aside of it."""
        aside = parked.decode(batch.parked) if batch.parked else None
        with self.room.store.read() as conn:
            stored = matches.done_positions(
                conn, self.tournament.id, batch.first, len(batch.matches)
            )
        reply_to = aside.reply_to if aside else keys.new_reply_list()
        mail = Mail(self.routes, reply_to, self.tournament.spec.move_ms)
        added = BatchInPlay(batch, lease, mail, stored)
        self.batches.append(added)
        entrants = {entrant for batch in self.batches for entrant in batch.entrants}
        self.routes.serve(self.tournament.players[entrant] for entrant in entrants)
        if aside:
            self._take_up(added, aside)
        return added

    def _take_up(self, batch: BatchInPlay, found: parked.Parked) -> None:
        """Goes on with matches that were put aside."""
        aside = {match.position: match for match in found.matches}
        tables = []
        for planned in batch.take_out(set(aside)):
            was = aside[planned.position]
            match = record.replay(self._setup(planned, was.ruleset), was.log, was.reasons)
            table = Table(
                batch, planned, self._players(planned), match, was.started, was.ticket, was.asked
            )
            table.rounds_told = len(match.game.rounds) - 1
            table.met = set(table.players)
            tables.append(table)
        batch.tables = len(tables)
        self.open |= {table.ticket: table for table in tables}
        # Their questions may have been answered meanwhile.
        for replies in mailbox.collect(self.room.client, [batch.mail.reply_to], 0, 1, 0):
            self.take(replies)
        self.to_ask.extend(table for table in tables if self.open.pop(table.ticket, None))

    def _take_along(self, now: float) -> BatchInPlay | None:
        """The tournament's next batch whose task waits in the queue, if there is one."""
        if self.alone or self.tournament.kind != "tournament" or now - self.looked < TAKE_ALONG_S:
            return None
        self.looked = now
        with self.room.store.read() as conn:
            numbers = batches.open_numbers(conn, self.tournament.id)
        for number in numbers:
            claim = self.lease.beside(number)
            if any(number == batch.number for batch in self.batches) or not claim.take_queued():
                continue
            self.claims.append(claim)
            with self.room.store.read() as conn:
                batch = batches.get_batch(conn, self.tournament.id, number)
            if not batch.done:
                return self._take_on(batch, claim)
            self._give_up(claim)
        return None

    # The passes

    def play(self) -> bool:
        """Plays; returns whether all is done. Otherwise the rest has been put aside."""
        deadline = time.monotonic() + self.room.slice_s
        while any(not batch.complete for batch in self.batches):
            now = time.monotonic()
            enough = now >= deadline or self.room.stopping() or self._only_people_think()
            if enough or not self._wanted(now):
                self._save(aside=True)
                return False
            self._pass(now)
        self._save()
        return True

    def release(self) -> None:
        """Gives up the claim to what was not played to its end."""
        while self.claims:
            self._give_up(self.claims[-1])

    def _give_up(self, claim: Lease) -> None:
        self.claims.remove(claim)
        claim.release()

    def _only_people_think(self) -> bool:
        """Whether every open question is one to a person."""
        if self.to_ask or not self.open or any(batch.to_start for batch in self.batches):
            return False
        return all(table.gateway == PAGE for table in self.open.values())

    def waits_for_people(self) -> bool:
        """Whether what was put aside waits for people; the lease is given up then.

        False also if somebody has answered by now.
        """
        if not self._only_people_think():
            return False
        (batch,) = self.batches
        return batch.lease.wait_for_person(batch.mail.reply_to)

    def _pass(self, now: float) -> None:
        self.room.moved()
        self.routes.refresh(now)
        self._look_after_open(now)
        self._fill(now)
        self._send(now)
        # While the bots think.
        if self.ended and (len(self.ended) >= SAVE_MATCHES or now - self.saved >= SAVE_S):
            self._save()
        if self.unseen and now - self.shown >= SHOW_S:
            self._show()
        if not self.batches:
            return
        want = self._being_thought_about()
        wait = 0.0 if self._only_people_think() else IDLE_S if self.open else REFRESH_S / 20
        lists = [batch.mail.reply_to for batch in self.batches]
        for replies in mailbox.collect(self.room.client, lists, wait, want, GATHER_S):
            self.take(replies)

    def _fill(self, now: float) -> None:
        """Begins as many matches as there is room for."""
        while len(self.to_ask) + len(self.open) < self.room.window:
            batch = next((one for one in self.batches if one.to_start), None)
            if batch is None:
                if self._take_along(now) is None:
                    return
                continue
            self._start(batch, batch.to_start.popleft())

    def _being_thought_about(self) -> int:
        """Open questions that bots hold by now; the others wait in a gateway for their turn."""
        asked = Counter([table.player for table in self.open.values()])
        return sum(min(count, self.routes.in_flight(player)) for player, count in asked.items())

    def _start(self, batch: BatchInPlay, planned: PlannedMatch) -> None:
        match = Match(self._setup(planned))
        table = Table(batch, planned, self._players(planned), match, time.time())
        batch.tables += 1
        table.tell_start()
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
        self._deliver()

    def _deliver(self) -> None:
        send(self.room.client, [batch.mail for batch in self.batches])

    def _ask(self, table: Table, now: float) -> None:
        table.ask()
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

    def take(self, replies: Replies) -> None:
        """Carries replies into their matches; one that came twice or too late is let pass."""
        answers = zip(replies.tickets, replies.indices, replies.latencies_us, strict=True)
        for ticket, index, latency_us in answers:
            if table := self.open.pop(ticket, None):
                self._moved(table, table.match.answer(index, latency_us))
        for reply in replies.others:
            if table := self.open.pop(reply.ticket, None):
                self._take_other(table, reply)

    def _take_other(self, table: Table, reply: Reply) -> None:
        if reply.outcome == ANSWER:
            self._moved(table, table.match.answer(reply.action, reply.latency_us))
        elif reply.outcome == TIMEOUT:
            self._time_out(table)
        elif reply.outcome == ERROR:
            self._fail(table, "error", reply.error, reply.latency_us)
        elif reply.outcome == DISCONNECT:
            # This question's bot was away for too long. Whether it still is, Redis knows.
            self.routes.forget(table.player)
            self._miss(table)
        else:
            self.routes.forget(table.player)
            self.to_ask.append(table)

    def _fail(self, table: Table, kind: FaultKind, reason: str, latency_us: int = 0) -> None:
        self._moved(table, table.match.fail(kind, reason, latency_us))

    def _moved(self, table: Table, fault: Fault | None) -> None:
        """A match went on: tells what happened, and lines up its next question or its result."""
        if fault is not None:
            table.tell_fault(fault)
        table.tell_progress()
        self.unseen = self.tournament.kind == "table"
        if table.match.finished:
            table.batch.tables -= 1
            self.ended.append(table.result(self.tournament.id, time.time()))
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
        """Whether to go on: the tournament runs, and no other run has taken a batch over."""
        if now - self.renewed < REFRESH_S:
            return True
        self.renewed = now
        if not all(batch.lease.renew() for batch in self.batches):
            raise Overtaken
        with self.room.store.read() as conn:
            return tournaments.get(conn, self.tournament.id).state == "running"

    # Keeping

    def _save(self, aside: bool = False) -> None:
        """Results, ratings, and what becomes of the batches, in one transaction; with `aside`
        also the matches in play."""
        self._deliver()  # who waits for the news need not wait for the database
        complete = [batch for batch in self.batches if batch.complete]
        changed = self._changed() if aside else {}
        self.saved = time.monotonic()
        if not self.ended and not complete and not changed:
            return
        with self.room.store.write() as conn:
            results.save_results(conn, self.ended)
            for batch in complete:
                batches.finish_batch(conn, self.tournament.id, batch.number)
            for batch, blob in changed.items():
                batches.park(conn, self.tournament.id, batch.number, blob)
        self.ended = []
        for batch, blob in changed.items():
            batch.parked = blob
        for batch in complete:
            self._end(batch)

    def _changed(self) -> dict[BatchInPlay, bytes | None]:
        """What is to be kept of matches in play, where it is not what is kept. Those not begun
        need no keeping."""
        tables = defaultdict[BatchInPlay, list[Table]](list)
        for table in chain(self.to_ask, self.open.values()):
            tables[table.batch].append(table)
        playing = [batch for batch in self.batches if not batch.complete]
        packed = {
            batch: parking.pack(batch.mail.reply_to, tables[batch]) if batch.tables else None
            for batch in playing
        }
        return {batch: blob for batch, blob in packed.items() if blob != batch.parked}

    def _end(self, batch: BatchInPlay) -> None:
        self.batches.remove(batch)
        self._give_up(batch.lease)
        self.room.advance(self.tournament.id)

    def _show(self) -> None:
        """Lets people see where their table is, though the match goes on."""
        self.unseen, self.shown = False, time.monotonic()
        self._save(aside=True)

    # Setting up

    def _players(self, planned: PlannedMatch) -> tuple[int, ...]:
        return tuple([self.tournament.players[entrant] for entrant in planned.seats])

    def _setup(self, planned: PlannedMatch, ruleset: str = "") -> MatchSetup:
        spec = self.tournament.spec
        bots = [self.bots[player] for player in self._players(planned)]
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=spec.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple([Seat(bot.name, bot.version) for bot in bots]),
            options=spec.options,
            fault_limit=spec.fault_limit,
            ruleset=ruleset,
        )
