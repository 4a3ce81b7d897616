"""All the desks of one gateway: who comes, who leaves, whose mail it is, whose time is up."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any

import redis
import redis.asyncio
import structlog

from arena.errors import NotNow
from arena.gateway import metrics
from arena.gateway.auth import Caller
from arena.gateway.desk import Desk
from arena.gateway.outbox import Bundle, Outbox
from arena.gateway.session import Session
from arena.live.absence import give_up
from arena.live.presence import Presence, claim, refresh, release
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Drain, Hello, Welcome

log = structlog.get_logger(__name__)

SWEEP_S = 0.02
RETRY_S = 0.5
LATE_S = 0.25  # a sweep so late means that this process stood still, not the bots

REPLACED = "Another program connected with this bot's token; there can be one at a time."
STOPPING = "This gateway is stopping; connect again in a moment."


class Floor:
    """The desks by player, at most one each."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        gateway_id: str,
        outbox: Outbox,
        grace_s: float,
        max_unread: int,
    ) -> None:
        self.gateway_id = gateway_id
        self.stopping = False
        self.desks: dict[int, Desk] = {}
        self._client = client
        self._outbox = outbox
        self._grace_s = grace_s
        self._max_unread = max_unread
        self._coming: set[int] = set()  # players whose claim is under way here
        self._giving_up: set[int] = set()  # players of whom Redis is being told that they are gone
        self._errands: set[asyncio.Task[None]] = set()

    # Bots come and go

    async def open(self, caller: Caller, hello: Hello) -> tuple[Desk, Session]:
        """Seats a bot that said a sound Hello, replacing an earlier session of the same player.

        Raises NotNow when this gateway stops or a still newer session came in between,
        redis.RedisError when Redis is away.
        """
        player = caller.bot.player
        self._coming.add(player)
        try:
            presence = await claim(self._client, self._announced(caller, hello))
        finally:
            self._coming.discard(player)
        if self.stopping:
            self._errand(release(self._client, presence))
            raise NotNow(STOPPING)
        return self._seated(presence, Session(caller.token))

    def _announced(self, caller: Caller, hello: Hello) -> Presence:
        return Presence(
            player=caller.bot.player,
            bot=caller.bot.name,
            version=caller.bot.version,
            gateway=self.gateway_id,
            session="",
            since=time.time(),
            games=tuple(hello.games),
            min_seats=hello.min_seats,
            max_seats=hello.max_seats,
            max_in_flight=hello.max_in_flight,
            sdk=hello.sdk,
            notices=hello.notices,
        )

    def _seated(self, presence: Presence, session: Session) -> tuple[Desk, Session]:
        desk = self.desks.get(presence.player)
        if desk is None:
            desk = Desk(presence, session, self._outbox, self._grace_s, self._max_unread)
            self.desks[presence.player] = desk
        elif int(desk.presence.session) > int(presence.session):
            raise NotNow(REPLACED)
        else:
            if desk.session is not None:
                desk.session.close(REPLACED, reconnect=False)
            desk.come_back(presence, session, time.monotonic())
        session.say(ArenaMessage(welcome=self._welcome(presence)))
        log.info("session opened", bot=presence.bot, session=presence.session, sdk=presence.sdk)
        return desk, session

    def _welcome(self, presence: Presence) -> Welcome:
        return Welcome(
            bot=presence.bot,
            version=presence.version,
            session=presence.session,
            max_in_flight=presence.max_in_flight,
            grace_ms=round(self._grace_s * 1000),
        )

    def leave(self, desk: Desk, session: Session) -> None:
        """A stream ended; the desk waits for the player to come back."""
        if desk.session is session:
            desk.leave(time.monotonic())
            log.info("session lost", bot=desk.presence.bot, session=desk.presence.session)
            self._errand(self._refresh([desk.described()]))

    def replaced(self, player: int, session: str) -> None:
        """The player is at another gateway now, unless its session here is as new."""
        desk = self.desks.get(player)
        if desk is None or int(desk.presence.session) >= int(session):
            return
        del self.desks[player]
        desk.bounce()
        if desk.session is not None:
            desk.session.close(REPLACED, reconnect=False)
        log.info("session replaced", bot=desk.presence.bot, session=desk.presence.session)

    async def refresh(self) -> None:
        """Keeps the presences of all desks from expiring."""
        here = [desk for player, desk in self.desks.items() if player not in self._giving_up]
        await self._refresh([desk.described() for desk in here])
        metrics.SESSIONS.set(sum(desk.session is not None for desk in self.desks.values()))
        metrics.IN_FLIGHT.set(sum(desk.in_flight for desk in self.desks.values()))

    async def _refresh(self, presences: list[Presence]) -> None:
        if self.stopping:
            return
        for lost in await refresh(self._client, presences):
            desk = self.desks.get(lost.player)
            # Its claim may just be under way here, which is not for us to settle.
            if desk and desk.presence.session == lost.session and lost.player not in self._coming:
                self.replaced(lost.player, str(int(lost.session) + 1))

    # Mail

    def deliver(self, delivery: Delivery) -> None:
        """Puts a worker's mail on the player's desk, or gives the questions back."""
        if delivery.tickets:
            self._outbox.expect(delivery.reply_to, len(delivery.tickets))
        desk = self.desks.get(delivery.player)
        if desk is not None and not self.stopping:
            desk.take_in(delivery)
            return
        bounced = [Reply(ticket=ticket, outcome=Reply.BOUNCED) for ticket in delivery.tickets]
        if bounced:
            self._outbox.add(delivery.reply_to, Bundle(others=bounced))

    # Time

    async def run_clock(self) -> None:
        """Sweeps the desks until cancelled."""
        before = time.monotonic()
        while True:
            await asyncio.sleep(SWEEP_S)
            now = time.monotonic()
            late = now - before - SWEEP_S
            before = now
            if late > LATE_S:
                self._forgive(late)
            else:
                self.sweep(now)

    def _forgive(self, late: float) -> None:
        log.warning("the gateway stood still; move clocks get the time back", seconds=late)
        for desk in self.desks.values():
            desk.forgive(late)

    def sweep(self, now: float) -> None:
        """Ends what has run out of time, and desks whose player stayed away."""
        for player, desk in self.desks.items():
            if not desk.sweep(now) and player not in self._giving_up:
                self._giving_up.add(player)
                self._errand(self._give_up(player, desk))

    async def _give_up(self, player: int, desk: Desk) -> None:
        """Ends the desk of a player who stayed away. Redis decides: by now they may be elsewhere,
        or be coming in here. Without Redis the next sweep tries again."""
        try:
            newest = await give_up(self._client, desk.presence)
        except redis.RedisError:
            await asyncio.sleep(RETRY_S)
            raise
        finally:
            self._giving_up.discard(player)
        if self.desks.get(player) is not desk or desk.session or player in self._coming:
            return
        if newest is not None:
            self.replaced(player, newest)
            return
        del self.desks[player]
        desk.disconnect()
        log.info("bot stayed away", bot=desk.presence.bot)

    # The end

    async def drain(self, within_s: float) -> None:
        """Sends everybody away: questions not yet sent go back, those sent may be answered."""
        self.stopping = True
        await self._forget_presences()
        for desk in self.desks.values():
            desk.bounce_waiting()
            if desk.session is not None:
                notice = Drain(reason=STOPPING, within_ms=round(within_s * 1000))
                desk.session.say(ArenaMessage(drain=notice))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._answered(), within_s)
        for desk in self.desks.values():
            desk.bounce()
            if desk.session is not None:
                desk.session.close(STOPPING, reconnect=True)

    async def _answered(self) -> None:
        while any(desk.open for desk in self.desks.values()):  # noqa: ASYNC110  # rare, and brief
            await asyncio.sleep(SWEEP_S)

    async def _forget_presences(self) -> None:
        try:
            for desk in self.desks.values():
                await release(self._client, desk.presence)
        except redis.RedisError as error:
            log.warning("presences are left to expire", error=str(error))

    def _errand(self, errand: Coroutine[Any, Any, None]) -> None:
        """Runs something small against Redis on the side; without Redis it is dropped."""
        task = asyncio.create_task(self._run_errand(errand))
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    @staticmethod
    async def _run_errand(errand: Coroutine[Any, Any, None]) -> None:
        try:
            await errand
        except redis.RedisError as error:
            log.warning("Redis is away", error=str(error))
