"""A gateway in a simulation, which drives the real session registry."""

from collections.abc import Callable, Iterable
from functools import partial
from math import inf

from arena.base.keepalive import (
    BOT_PING_S,
    BOT_PING_TIMEOUT_S,
    REFRESH_GATEWAY_S,
    REFRESH_PRESENCE_S,
)
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway.sessions import Login, PlayerSession, SessionRegistry, Stream
from arena.service.gateway.sessions.outputs import (
    Command,
    GiveUp,
    NoteAllowance,
    RefreshPresence,
    ReleasePresence,
)
from arena.service.live.player_presence import Presence
from tests.lab.faults.bots import SimBot
from tests.lab.faults.clock import SimClock
from tests.lab.faults.network import Link, Network
from tests.lab.faults.redis_model import RedisAway, RedisModel

RETRY_S = 0.5  # as `arena.service.gateway.outbox` and `session_io` do
# Five times a real gateway's, but too short to look like a stall. Timeouts are noticed later.
COARSE_TICK_S = 0.1


class SimConnection:
    """One stream of a bot to this gateway, with its two directions."""

    def __init__(
        self, bot: SimBot, session: PlayerSession, stream: Stream, down: Link, up: Link
    ) -> None:
        self.bot, self.session, self.stream = bot, session, stream
        self.down, self.up = down, up
        self.abandoned = False  # by the bot, while this gateway was frozen

    def cut(self) -> None:
        """Break both directions; messages in flight are lost."""
        self.down.broken = self.up.broken = True


class SimGateway:
    """One gateway process."""

    def __init__(
        self,
        name: str,
        clock: SimClock,
        redis: RedisModel,
        network: Network,
        *,
        grace_s: float = 10.0,
        max_unread: int = 1_000_000,
    ) -> None:
        self.name, self.alive = name, True
        self._frozen_until = 0.0
        self.registry = SessionRegistry(name, grace_s, max_unread)
        self._clock, self._redis, self._network = clock, redis, network
        self._connections: dict[Stream, SimConnection] = {}
        self._release_at = inf
        self._pushing_again = False
        clock.every(REFRESH_GATEWAY_S, self._beat, self._lives)
        clock.every(REFRESH_PRESENCE_S, self._refresh, self._lives)
        clock.every(COARSE_TICK_S, self._tick, self._lives)

    def _lives(self) -> bool:
        return self.alive

    # Bots

    def connect(self, bot: SimBot, games: Iterable[str], max_in_flight: int) -> None:
        """Open a stream of a bot. Without Redis it is refused."""
        if not self._redis.works:
            return
        presence = Presence(
            player=bot.player,
            bot=bot.name,
            version="1",
            gateway=self.name,
            session="",
            since=self._clock.instant().unix,
            games=tuple(games),
            min_seats=2,
            max_seats=6,
            max_in_flight=max_in_flight,
            packed=bot.packed,
            hosted=bot.hosted,
            sdk="simulated",
        )
        known = bot.player in self.registry.sessions
        claimed = self._redis.claim(presence)
        left = None if known else self._redis.take_allowance(bot.player)
        session, stream = self.registry.connected(
            claimed, Login(claimed.player, bot.name), self._clock.instant(), left
        )
        links = [Link(self._clock, self._network) for _ in range(2)]
        self._connections[stream] = SimConnection(bot, session, stream, *links)
        self._flush()

    def connected(self, player: int) -> bool:
        """Whether the player has a stream here, from the view of the bot."""
        return self.alive and any(
            connection.bot.player == player and not connection.abandoned
            for connection in self._connections.values()
        )

    def cut(self, player: int) -> None:
        """Break the stream of a player. The gateway notices."""
        for stream, connection in list(self._connections.items()):
            if connection.bot.player == player:
                self._hang_up(stream)

    def _hang_up(self, stream: Stream) -> None:
        connection = self._connections.pop(stream)
        connection.cut()
        self.registry.disconnected(connection.session, stream, self._clock.instant())
        self._flush()

    def freeze(self, seconds: float) -> None:
        """Pause the process. Bots notice by their pings and leave. Messages that arrive meanwhile
        are read afterwards."""
        self._frozen_until = self._clock.now + seconds
        noticed = BOT_PING_S + BOT_PING_TIMEOUT_S
        for connection in self._connections.values():
            self._clock.call_after(noticed, partial(self._abandon, connection))

    def _abandon(self, connection: SimConnection) -> None:
        if self.works or connection.stream not in self._connections:
            return
        connection.abandoned = True
        connection.cut()
        self._awake(lambda: self._closed(connection.stream))

    @property
    def works(self) -> bool:
        """Whether the process is alive and not frozen."""
        return self.alive and self._clock.now >= self._frozen_until

    def _awake(self, action: Callable[[], object]) -> None:
        """Run the action now, or after the pause."""
        if self._clock.now < self._frozen_until:
            self._clock.call_at(self._frozen_until, action)
        elif self.alive:
            action()

    def crash(self) -> None:
        """End the process without notice."""
        self.alive = False
        for connection in self._connections.values():
            connection.cut()

    def _write(self, connection: SimConnection) -> None:
        """Write all pending messages of a stream."""
        session, stream = connection.session, connection.stream
        while (message := session.next_message(stream, self._clock.now)) is not None:
            read = pb.ArenaMessage.FromString(message)
            connection.down.send(read, lambda read: self._read(connection, read))
        if stream.closed:
            self._clock.call_after(0.0, lambda: self._closed(stream))

    def _closed(self, stream: Stream) -> None:
        if stream in self._connections and self.alive:
            self._hang_up(stream)

    def _read(self, connection: SimConnection, message: pb.ArenaMessage) -> None:
        """Let the bot read a message, think and answer."""
        bot = connection.bot
        if answer := bot.answers(message):
            self._clock.call_after(
                bot.think_s,
                lambda: connection.up.send(answer, lambda said: self._answered(connection, said)),
            )

    def _answered(self, connection: SimConnection, message: pb.BotMessage) -> None:
        def read() -> None:
            connection.session.answer(connection.stream, message.choices, self._clock.now)
            self._flush()

        self._awake(read)

    # Workers

    def deliver(self, deliveries: Iterable[Delivery]) -> None:
        """Read deliveries of a worker."""
        letter = tuple(deliveries)

        def read() -> None:
            for delivery in letter:
                self.registry.delivered(delivery, self._clock.now)
            self._flush()

        self._awake(read)

    # Time

    def _beat(self) -> None:
        if self.works and self._redis.works:
            self._redis.beat(self.name)
            self.registry.beaten(self._clock.now)

    def _refresh(self) -> None:
        if self.works and self._redis.works:
            lost = self._redis.refresh(self.registry.presences())
            self.registry.refresh_lost(lost, self._clock.now)
            self._flush()

    def _tick(self) -> None:
        if self.works:
            self.registry.tick(self._clock.now)
            self._flush()

    # Effects of events

    def _flush(self) -> None:
        outputs = self.registry.outputs
        while outputs.woken:
            # In the order of opening, because the order of sets is not reproducible.
            woken = [one for one in self._connections if one in outputs.woken]
            outputs.woken.clear()
            for stream in woken:
                self._write(self._connections[stream])
        commands, outputs.commands = outputs.commands, []
        for command in commands:
            self._try(command)
        self._push()

    def _try(self, command: Command) -> None:
        """Run a command. Without Redis it is dropped, except that giving up a player is retried."""
        try:
            self._carry_out(command)
        except RedisAway:
            if isinstance(command, GiveUp):
                session = command.session
                self._clock.call_after(
                    RETRY_S, lambda: self._awake(lambda: self.registry.give_up_failed(session))
                )

    def _carry_out(self, command: Command) -> None:
        now = self._clock.now
        match command:
            case RefreshPresence(presence):
                self.registry.refresh_lost(self._redis.refresh([presence]), now)
            case ReleasePresence(presence):
                self._redis.release(presence)
            case NoteAllowance(presence, left_s, at):
                self._redis.note_allowance(presence, left_s, at)
            case GiveUp(session):
                self.registry.given_up(session, self._redis.give_up(session.presence), now)

    def _push(self) -> None:
        """Send replies to Redis. While it is unavailable they wait here."""
        buffer = self.registry.outputs.replies
        if not self._redis.works:
            if not self._pushing_again:
                self._pushing_again = True
                self._clock.call_after(RETRY_S, lambda: self._awake(self._push_again))
            return
        for reply_to, bundle in buffer.take_ready():
            replies = Replies.FromString(bundle.encoded())
            self._network.send((reply_to, replies), lambda one: self._pushed(*one))
        due = buffer.next_due()
        if due is not None and due < self._release_at:
            self._release_at = due
            self._clock.call_at(due, self._release_due)

    def _push_again(self) -> None:
        self._pushing_again = False
        self._push()

    def _pushed(self, reply_to: str, replies: Replies) -> None:
        if self._redis.works:
            self._redis.push(reply_to, replies)
        else:  # not confirmed: send it again
            self._clock.call_after(RETRY_S, lambda: self._pushed(reply_to, replies))

    def _release_due(self) -> None:
        def push() -> None:
            self._release_at = inf
            self.registry.outputs.replies.release_due(self._clock.now)
            self._push()

        self._awake(push)
