"""All sessions of one gateway: connections, deliveries and clocks."""

from collections.abc import Iterable, Mapping
from math import inf

import structlog

from arena.base.errors import NotNow
from arena.base.instant import Instant
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Drain, Welcome
from arena.service.gateway.sessions.hosted_session import HostedSession
from arena.service.gateway.sessions.outputs import (
    Bundle,
    GiveUp,
    NoteAllowance,
    Outputs,
    RefreshPresence,
    ReleasePresence,
)
from arena.service.gateway.sessions.overload import HOLD_S, WINDOW_S, Late, Overload
from arena.service.gateway.sessions.player_session import PlayerSession
from arena.service.gateway.sessions.stalls import Interval, StallDetector
from arena.service.gateway.sessions.stream import Login, Stream
from arena.service.live.player_presence import Presence

log = structlog.get_logger(__name__)

REPLACED = "Another program connected as this version of the bot. Only one can be connected."
STOPPING = "This gateway is stopping. Connect again in a moment."


class Replaced(NotNow):
    """A newer session of the same bot was opened meanwhile: this one must not reconnect."""


class SessionRegistry:
    """The sessions by player, at most one each. `outputs` collects the results of events."""

    def __init__(self, gateway_id: str, grace_s: float, max_unread: int) -> None:
        self.gateway_id = gateway_id
        self.draining = False
        self.sessions: dict[int, PlayerSession] = {}
        self.outputs = Outputs()
        self._grace_s = grace_s
        self._max_unread = max_unread
        self._claiming: set[int] = set()  # players whose claim is in progress here
        self._giving_up: set[int] = set()  # players that are being marked as gone in Redis
        self._stalls = StallDetector()
        self._overload = Overload()

    # Bots connect and leave

    def claim_started(self, player: int) -> None:
        """A bot sent a valid Hello: its new session is being claimed in Redis."""
        self._claiming.add(player)

    def claim_ended(self, player: int) -> None:
        """The claim succeeded or failed."""
        self._claiming.discard(player)

    def connected(
        self, presence: Presence, login: Login, at: Instant, allowance_s: float | None = None
    ) -> tuple[PlayerSession, Stream]:
        """Open a stream for a claimed session, replacing an earlier one of the same player.

        `allowance_s` is the remaining grace time of a player from another gateway. Raises NotNow if
        this gateway drains, and Replaced if a newer session was opened meanwhile.
        """
        if self.draining:
            self.outputs.commands.append(ReleasePresence(presence))
            raise NotNow(STOPPING)
        stream = Stream(login, self.outputs)
        session = self.sessions.get(presence.player)
        if session is not None and session.presence.hosted != presence.hosted:
            self.replaced(presence.player, presence.session, at.monotonic)
            session = self.sessions.get(presence.player)
        if session is None:
            kind = HostedSession if presence.hosted else PlayerSession
            session = kind(
                presence, stream, self.outputs, self._grace_s, self._max_unread, allowance_s
            )
            self.sessions[presence.player] = session
        elif int(session.presence.session) > int(presence.session):
            raise Replaced(REPLACED)
        else:
            if session.stream is not None:
                session.stream.close(REPLACED, reconnect=False)
            session.reconnected(presence, stream, at)
        if session.allowance.left < self._grace_s:  # for a gateway to which it may move
            self.outputs.commands.append(NoteAllowance(presence, session.allowance.left, inf))
        stream.send(ArenaMessage(welcome=self._welcome(presence)))
        log.info("session opened", bot=presence.bot, session=presence.session, sdk=presence.sdk)
        return session, stream

    def _welcome(self, presence: Presence) -> Welcome:
        return Welcome(
            bot=presence.bot,
            version=presence.version,
            session=presence.session,
            max_in_flight=presence.max_in_flight,
            grace_ms=round(self._grace_s * 1000),
        )

    def disconnected(self, session: PlayerSession, stream: Stream, at: Instant) -> None:
        """A stream ended; its session waits for the bot to reconnect."""
        if session.stream is stream:
            session.disconnected(at)
            presence = session.current_presence()
            log.info("session lost", bot=presence.bot, session=presence.session)
            noted = NoteAllowance(presence, session.allowance.left, at.unix)
            self.outputs.commands += [RefreshPresence(presence), noted]

    def replaced(self, player: int, newest: str, now: float) -> None:
        """The player's newest session is at another gateway, unless the one here is as new."""
        session = self.sessions.get(player)
        if session is None or int(session.presence.session) >= int(newest):
            return
        del self.sessions[player]
        if self.draining:  # it had to move
            session.bounce(now)
        else:
            session.moved(now, self._stalls.sound_until(now))
        if session.stream is not None:
            session.stream.close(REPLACED, reconnect=False)
        log.info("session replaced", bot=session.presence.bot, session=session.presence.session)

    # Logins

    def logins(self) -> list[Login]:
        """Return the logins of all open streams."""
        return [stream.login for stream in self._open_streams()]

    def revoked(self, reasons: Mapping[Login, str]) -> None:
        """Close the streams whose logins are no longer valid."""
        for stream in self._open_streams():
            if stream.login in reasons:
                stream.close(reasons[stream.login], reconnect=False)

    def banned(self, limited_as: str, reason: str) -> None:
        """Close the streams of a banned caller, as counted by limits."""
        for stream in self._open_streams():
            if stream.login.limited_as == limited_as:
                stream.close(reason, reconnect=True)

    def _open_streams(self) -> list[Stream]:
        sessions = self.sessions.values()
        return [session.stream for session in sessions if session.stream is not None]

    # Presence

    def presences(
        self, players: Iterable[int] | None = None, now: float | None = None
    ) -> list[Presence]:
        """Return the presences of these players (default: all) that must not expire."""
        if self.draining:
            return []
        return [
            self.sessions[player].current_presence(now)
            for player in (self.sessions if players is None else players)
            if player in self.sessions and player not in self._giving_up
        ]

    def refresh_lost(self, lost: Iterable[Presence], now: float) -> None:
        """Newer sessions of these players were found in Redis."""
        for presence in lost:
            player, session = presence.player, self.sessions.get(presence.player)
            here = session is not None and session.presence.session == presence.session
            if here and player not in self._claiming:  # a claim here handles this itself
                self.replaced(player, str(int(presence.session) + 1), now)

    def given_up(self, session: PlayerSession, newest: str | None, now: float) -> None:
        """The player was marked as gone in Redis, unless there is a `newest` session."""
        player = session.presence.player
        self._giving_up.discard(player)
        here = self.sessions.get(player) is session and session.stream is None
        if not here or player in self._claiming:
            return
        if newest is not None:
            self.replaced(player, newest, now)
            return
        del self.sessions[player]
        session.given_up(now)
        log.info("bot stayed away", bot=session.presence.bot)

    def give_up_failed(self, session: PlayerSession) -> None:
        """Redis is unavailable: the next tick tries again."""
        self._giving_up.discard(session.presence.player)

    # Deliveries

    def delivered(self, delivery: Delivery, now: float) -> None:
        """Queue a worker's delivery for its player, or give the decisions back."""
        tickets = (*delivery.tickets, *delivery.packed_tickets)
        if tickets:
            self.outputs.replies.expect(delivery.reply_to, len(tickets))
        session = self.sessions.get(delivery.player)
        if session is not None and not self.draining:
            session.enqueue(delivery)
            return
        bounced = [Reply(ticket=ticket, outcome=Reply.BOUNCED) for ticket in tickets]
        if bounced:
            self.outputs.replies.add(delivery.reply_to, Bundle(others=bounced), now)

    # Time

    def echoed(self, sent: float) -> None:
        """An echo came back that was sent at this moment."""
        self._stalls.echoed(sent)

    @property
    def idle(self) -> bool:
        """Whether nothing can run out of time: ticks may pause."""
        return all(session.idle for session in self.sessions.values())

    def resumed(self, now: float) -> None:
        """Ticks go on after a pause."""
        self._stalls.resumed(now)

    def beaten(self, now: float) -> None:
        """Redis has taken a heartbeat. After a long silence clocks get the time back."""
        if (silence := self._stalls.beaten(now)) and not self.idle:
            self._forgive(silence, absences=False)  # `tick` holds these

    def machine_is_busy(self, now: float) -> None:
        """The machine was measured to be busy: if most bots run out of time, that is why."""
        self._overload.machine_is_busy(now)

    def tick(self, now: float) -> None:
        """End what has run out of time, and sessions whose player stayed away. After a stall clocks
        get the time back instead. To be called every `TICK_S` seconds unless `idle`."""
        stalls, judged, closed = self._stalls.tick(now)
        for stall in stalls:
            self._forgive(stall, absences=True)
        if judged is None:
            return
        if closed:
            for session in self.sessions.values():
                session.hold_absence(*closed)
        judged = self._overload_judged(judged, now)
        for player, session in self.sessions.items():
            if not session.tick(now, judged) and player not in self._giving_up:
                self._giving_up.add(player)
                self.outputs.commands.append(GiveUp(session))

    def _overload_judged(self, judged: float, now: float) -> float:
        """Return until when decisions whose time was up may end, on a machine that may be
        overloaded. If it is, clocks get the time back."""
        late = self._overload.judge(self.sessions, judged, now)
        self.outputs.late_by = judged if late is Late.FEW else -inf
        if late is Late.MOST:
            if not self.outputs.overloaded:
                log.warning("most bots are late on a busy machine; clocks get the time back")
            self.outputs.overloaded = True
            self._give_back(Interval(now - WINDOW_S, now), absences=False)
        return judged if late is Late.NOBODY else min(judged, now - HOLD_S)

    def _forgive(self, stall: Interval, *, absences: bool) -> None:
        if seconds := self._give_back(stall, absences=absences):
            log.warning("move clocks get back the time of a stall", seconds=seconds)

    def _give_back(self, stall: Interval, *, absences: bool) -> float:
        """Give time back to clocks, and with `absences` to absent bots. Return how many seconds."""
        new = self._stalls.new_part(stall)
        if new is None:
            return 0.0
        for session in self.sessions.values():
            session.forgive(*new)
            if absences:
                session.hold_absence(*new)
        return new.until - new.since

    # The end

    def start_draining(self) -> list[Presence]:
        """Refuse new sessions. Return the presences to remove."""
        self.draining = True
        return [session.presence for session in self.sessions.values()]

    def announce_drain(self, within_s: float, now: float) -> None:
        """Give back unsent decisions. Sent ones may still be answered for a while."""
        notice = ArenaMessage(drain=Drain(reason=STOPPING, within_ms=round(within_s * 1000)))
        for session in self.sessions.values():
            session.bounce_unsent(now)
            if session.stream is not None:
                session.stream.send(notice)

    def open_decisions(self) -> int:
        return sum(session.open for session in self.sessions.values())

    def close_all(self, now: float) -> None:
        for session in self.sessions.values():
            session.bounce(now)
            if session.stream is not None:
                session.stream.close(STOPPING, reconnect=True)
