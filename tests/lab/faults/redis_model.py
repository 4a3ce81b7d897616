"""A model of Redis for workers and gateways, with expiry of keys."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace

from arena.base.keepalive import GATEWAY_TTL_S, HELD_TTL_S, PRESENCE_TTL_S
from arena.protocol.internal.relay_pb2 import Replies
from arena.service.live.player_presence import Presence
from tests.lab.faults.clock import SimClock
from tests.lab.faults.queue_model import QueueModel
from workers.schedule.routes import PresenceSnapshot


class RedisAway(Exception):
    """Redis does not answer."""


class RedisModel:
    """Keys with a time to live, and reply lists that notify listeners. Every call raises RedisAway
    while it is unavailable."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._away_until = 0.0
        self._sessions = 0
        self.listeners: dict[str, Callable[[], object]] = {}  # by reply list
        self.empty()

    # Outages

    @property
    def works(self) -> bool:
        """Whether it is available."""
        return self._clock.now >= self._away_until

    def leave(self, seconds: float) -> None:
        """Make it unavailable for `seconds` seconds, without losing data."""
        self._away_until = max(self._away_until, self._clock.now + seconds)

    def empty(self) -> None:
        """Delete everything, as a restart without persistence does."""
        self._presences: dict[int, tuple[Presence, float]] = {}
        self._beats: dict[str, float] = {}
        self._gone: dict[int, float] = {}  # since when, by this clock
        self._allowances: dict[int, tuple[float, float]] = {}
        self._kept: dict[int, float] = {}  # until when a player is held by a gateway
        self.replies = defaultdict[str, list[Replies]](list)
        self.queue = QueueModel(self._clock)

    def reach(self) -> None:
        """Raise RedisAway while it is unavailable."""
        if not self.works:
            raise RedisAway

    # Gateways

    def beat(self, gateway_id: str) -> None:
        """Store a heartbeat."""
        self.reach()
        self._beats[gateway_id] = self._clock.now + GATEWAY_TTL_S

    def claim(self, presence: Presence) -> Presence:
        """Make this the newest session of the player; see `arena.service.live.presence.claim`."""
        self.reach()
        micros = int(self._clock.now * 1_000_000)
        self._sessions = max(self._sessions + 1, micros)
        claimed = replace(presence, session=str(self._sessions))
        self._gone.pop(presence.player, None)
        self._write(claimed)
        return claimed

    def _write(self, presence: Presence) -> None:
        self._presences[presence.player] = (presence, self._clock.now + PRESENCE_TTL_S)
        self._kept[presence.player] = self._clock.now + HELD_TTL_S

    def refresh(self, presences: Iterable[Presence]) -> list[Presence]:
        """Refresh presences. Return those that a newer session replaced."""
        self.reach()
        lost = []
        for presence in presences:
            held = self._held(presence.player)
            if held is not None and int(held.session) > int(presence.session):
                lost.append(presence)
            else:
                self._write(presence)
        return lost

    def give_up(self, presence: Presence) -> str | None:
        """Mark a player as gone, or return the newer session if there is one."""
        self.reach()
        held = self._held(presence.player)
        if held is not None and int(held.session) > int(presence.session):
            return held.session
        self._presences.pop(presence.player, None)
        self._kept.pop(presence.player, None)
        self._gone.setdefault(presence.player, self._clock.now)
        return None

    def release(self, presence: Presence) -> None:
        """Remove a session that ended."""
        self.reach()
        held = self._held(presence.player)
        if held is not None and held.session == presence.session:
            del self._presences[presence.player], self._kept[presence.player]

    def note_allowance(self, presence: Presence, left_s: float, at: float) -> None:
        """Store the rest of the grace time of a player; see `arena.service.live.presence`."""
        self.reach()
        held = self._held(presence.player)
        if held is not None and held.session == presence.session:
            self._allowances[presence.player] = (left_s, at)

    def take_allowance(self, player: int) -> float | None:
        """Remove and return the rest of the grace time."""
        self.reach()
        left, since = self._allowances.pop(player, (None, 0.0))
        away_s = max(0.0, self._clock.instant().unix - since)
        return None if left is None else max(0.0, left - away_s)

    def _held(self, player: int) -> Presence | None:
        presence, expires = self._presences.get(player, (None, 0.0))
        return presence if expires > self._clock.now else None

    def _is_kept(self, player: int) -> bool:
        return self._kept.get(player, 0.0) > self._clock.now

    # Workers

    def snapshot(self, players: Sequence[int]) -> PresenceSnapshot:
        """Return the connected players; see `workers.playing.redis_commands`."""
        self.reach()
        held = {player: self._held(player) for player in players}
        return PresenceSnapshot(
            {player: presence for player, presence in held.items() if presence is not None},
            any_gateway=bool(self.alive(self._beats)),
            given_up={one: since for one, since in self._gone.items() if one in players},
            held={player for player in players if self._is_kept(player)},
            time_us=int(self._clock.now * 1_000_000),
        )

    def mark_gone(self, player: int) -> float | None:
        """Mark a player as gone unless connected; return since when the player is gone."""
        self.reach()
        if self._held(player) is not None or self._is_kept(player):
            return None
        return self._gone.setdefault(player, self._clock.now)

    def alive(self, gateways: Iterable[str]) -> Set[str]:
        """Return the gateways whose heartbeat has not expired."""
        self.reach()
        return {one for one in gateways if self._beats.get(one, 0.0) > self._clock.now}

    def push(self, reply_to: str, replies: Replies) -> None:
        """Append to a reply list."""
        self.reach()
        self.replies[reply_to].append(replies)
        if listener := self.listeners.get(reply_to):
            listener()

    def pop(self, reply_lists: Iterable[str]) -> list[tuple[str, Replies]]:
        """Remove and return all replies of these lists, each with its list."""
        self.reach()
        return [(one, replies) for one in reply_lists for replies in self.replies.pop(one, [])]
