"""The IO around a gateway's sessions: claims in Redis, timers, and the tasks that write streams.

`arena.service.gateway.sessions` decides. After each event its outputs are flushed: woken streams
are written, replies pushed, claims made.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any

import redis
import redis.asyncio
import structlog

from arena.base import instant, tracing
from arena.base.instant import read_clock
from arena.protocol.internal.relay_pb2 import Delivery
from arena.protocol.v1.play_pb2 import Choices, Hello
from arena.service.gateway import machine_load, metrics
from arena.service.gateway.auth import CallingBot
from arena.service.gateway.outbox import ANSWERED, DELIVERED, Outbox
from arena.service.gateway.sessions import Login, PlayerSession, SessionRegistry, Stream
from arena.service.gateway.sessions.outputs import (
    Command,
    GiveUp,
    NoteAllowance,
    RefreshPresence,
    ReleasePresence,
)
from arena.service.gateway.sessions.stalls import TICK_S
from arena.service.gateway.stream_writer import StreamWriter
from arena.service.live import overload, paces
from arena.service.live.player_presence import Presence
from arena.service.live.presence import (
    claim,
    give_up,
    note_allowance,
    recall_allowance,
    refresh,
    release,
)

log = structlog.get_logger(__name__)

RETRY_S = 0.5
WATCH_S = 1.0  # without an event, before ticks pause
IDLE_S = 0.8  # between two echoes or heartbeats while ticks pause
MEASURE_S = 1.0  # between two measurements of the machine's load
REFRESHED_TOGETHER = 256  # presences


class SessionIO:
    """Connects a session registry to Redis, the clock and gRPC streams."""

    def __init__(
        self, client: redis.asyncio.Redis, registry: SessionRegistry, outbox: Outbox
    ) -> None:
        """`outbox` pushes the replies of the registry's outputs."""
        self.registry = registry
        self._client = client
        self._outbox = outbox
        self._writers: dict[Stream, StreamWriter] = {}
        self._side_tasks: set[asyncio.Task[None]] = set()
        self._event = asyncio.Event()  # something may run out of time
        self.ticking = asyncio.Event()  # not while nothing can

    def flush(self) -> None:
        """Carry out the outputs of the events so far."""
        outputs = self.registry.outputs
        if outputs.woken or outputs.commands:
            self._event.set()
        while outputs.woken:
            if writer := self._writers.get(outputs.woken.pop()):
                writer.wake()
        if outputs.commands:
            commands, outputs.commands = outputs.commands, []
            for command in commands:
                self._on_the_side(self._carry_out(command))
        self._outbox.flush()
        metrics.count(outputs)

    # Bots connect and leave

    async def open(self, caller: CallingBot, hello: Hello) -> tuple[PlayerSession, Stream]:
        """Open a session for a bot with a valid Hello. Raises NotNow if this gateway drains,
        Replaced if a newer session was opened meanwhile, and redis.RedisError."""
        player = caller.bot.player
        wanted = caller.announced(hello, self.registry.gateway_id, instant.now())
        self.registry.claim_started(player)
        known = player in self.registry.sessions
        try:
            before, left = None, None
            if not known:  # before the claim: decisions that come after it would bounce
                before, left = await asyncio.gather(
                    paces.recall(self._client, player),
                    recall_allowance(self._client, player, instant.now()),
                )
            presence = await claim(self._client, wanted)
        finally:
            self.registry.claim_ended(player)
        try:
            session, stream = self.registry.connected(presence, caller.login, read_clock(), left)
            self._writers[stream] = StreamWriter(session, stream)
            if before is not None:
                session.meter.recall(before.by_game)
        finally:
            self.flush()
        return session, stream

    def tasks(
        self, stream: Stream, write: Callable[[bytes], Awaitable[None]]
    ) -> tuple[Coroutine[Any, Any, None], ...]:
        """Return the tasks of an open stream. It ends with the first of them."""
        writer = self._writers[stream]
        return writer.run(write, self.flush), writer.overdue()

    def answered(
        self,
        session: PlayerSession,
        stream: Stream,
        choices: Choices,
        *,
        explained: bool = True,
    ) -> None:
        """Take answers on this stream; choices that answer nothing are reported if `explained`."""
        if trace := tracing.tracer():
            trace.mark(choices.tickets, ANSWERED)
            trace.mark([choice.ticket for choice in choices.choices], ANSWERED)
        session.answer(stream, choices, time.monotonic(), explained=explained)
        self.flush()

    def contract_broken(self, session: PlayerSession, sentence: str) -> None:
        """The bot violated the protocol."""
        session.contract_broken(sentence, time.monotonic())
        self.flush()

    def disconnected(self, session: PlayerSession, stream: Stream) -> None:
        self._writers.pop(stream, None)
        self.registry.disconnected(session, stream, read_clock())
        self.flush()
        self._on_the_side(self._store_paces([session]))

    def replaced(self, player: int, newest: str) -> None:
        """The player has a newer session at another gateway."""
        self.registry.replaced(player, newest, time.monotonic())
        self.flush()

    def revoked(self, reasons: Mapping[Login, str]) -> None:
        """These logins are no longer valid."""
        self.registry.revoked(reasons)
        self.flush()

    def banned(self, limited_as: str, reason: str) -> None:
        """This caller, as counted by limits, is banned."""
        self.registry.banned(limited_as, reason)
        self.flush()

    def delivered(self, delivery: Delivery) -> None:
        if trace := tracing.tracer():
            trace.mark(delivery.tickets, DELIVERED)
            trace.mark(delivery.packed_tickets, DELIVERED)
        self.registry.delivered(delivery, time.monotonic())
        self.flush()

    # Redis

    async def refresh(self) -> None:
        """Keep the presences of all sessions from expiring. Raises RedisError."""
        # In parts: thousands at once would block the loop and Redis.
        players = list(self.registry.sessions)
        for first in range(0, len(players), REFRESHED_TOGETHER):
            together = players[first : first + REFRESHED_TOGETHER]
            await self._refresh(self.registry.presences(together, time.monotonic()))
        sessions = self.registry.sessions.values()
        await self._store_paces(list(sessions))
        metrics.SESSIONS.set(sum(session.stream is not None for session in sessions))
        metrics.IN_FLIGHT.set(sum(session.in_flight for session in sessions))

    async def _store_paces(self, sessions: Iterable[PlayerSession]) -> None:
        """Store new measurements of sessions, for forecasts."""
        fresh = [session for session in sessions if session.meter.fresh]
        by_player = {session.presence.player: session.paces() for session in fresh}
        await paces.note(self._client, by_player)
        for session in fresh:
            session.meter.fresh = False

    async def _refresh(self, presences: list[Presence]) -> None:
        lost = await refresh(self._client, presences)
        self.registry.refresh_lost(lost, time.monotonic())
        self.flush()

    async def _carry_out(self, command: Command) -> None:
        match command:
            case RefreshPresence(presence):
                if not self.registry.draining:
                    await self._refresh([presence])
            case ReleasePresence(presence):
                await release(self._client, presence)
            case NoteAllowance(presence, left_s, at):
                await note_allowance(self._client, presence, left_s, at)
            case GiveUp(session):
                await self._give_up(session)

    async def _give_up(self, session: PlayerSession) -> None:
        """Give up a session, unless Redis has a newer one of the player."""
        try:
            newest = await give_up(self._client, session.presence)
        except redis.RedisError:
            await asyncio.sleep(RETRY_S)
            self.registry.give_up_failed(session)
            raise
        self.registry.given_up(session, newest, time.monotonic())
        self.flush()

    def _on_the_side(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a small step in a separate task. Errors of Redis are logged."""
        task = asyncio.create_task(self._logged(work))
        self._side_tasks.add(task)
        task.add_done_callback(self._side_tasks.discard)

    @staticmethod
    async def _logged(work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except redis.RedisError as error:
            log.warning("Redis is unavailable", error=str(error))

    # Time

    async def run_clock(self) -> None:
        """Tick until cancelled, except while nothing can run out of time."""
        while True:
            self.registry.resumed(time.monotonic())
            self.ticking.set()
            while self._event.is_set() or not self.registry.idle:
                self._event.clear()
                await self._tick(WATCH_S)
            self.ticking.clear()
            await self._event.wait()

    async def _tick(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK_S)):
            self.registry.tick(time.monotonic())
            self.flush()
            await asyncio.sleep(TICK_S)

    async def sleep(self, seconds: float) -> None:
        """Sleep this long. While ticks pause, sleep for `IDLE_S` or until they go on."""
        if self.ticking.is_set():
            await asyncio.sleep(seconds)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(IDLE_S):
                await self.ticking.wait()

    async def watch_machine(self) -> None:
        """Measure the machine's load until cancelled. If it makes bots late, let workers play fewer
        matches at once."""
        while True:
            if machine_load.busy():
                self.registry.machine_is_busy(time.monotonic())
            if self.registry.outputs.overloaded:
                self.registry.outputs.overloaded = False
                self._on_the_side(self._note_overload())
            await asyncio.sleep(MEASURE_S)

    async def _note_overload(self) -> None:
        if await overload.note(self._client):
            log.warning("the machine is overloaded; workers play fewer matches at once")

    async def drain(self, within_s: float) -> None:
        """Drain: give back unsent decisions, wait for answers to the others, and close all
        streams."""
        await self._release(self.registry.start_draining())
        self.registry.announce_drain(within_s, time.monotonic())
        self.flush()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._all_answered(), within_s)
        self.registry.close_all(time.monotonic())
        self.flush()

    async def _all_answered(self) -> None:
        while self.registry.open_decisions():  # noqa: ASYNC110  # rare, and brief
            await asyncio.sleep(TICK_S)

    async def _release(self, presences: Iterable[Presence]) -> None:
        try:
            await self._store_paces(list(self.registry.sessions.values()))
            for presence in presences:
                await release(self._client, presence)
        except redis.RedisError as error:
            log.warning("presences are left to expire", error=str(error))
