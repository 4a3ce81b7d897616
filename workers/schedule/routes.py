"""The gateways of players, and which players are gone, that is, absent beyond the grace time.

A disconnected hosted player is never gone, because the arena has to connect it.

Both follow from snapshots of Redis by the caller. Times are monotonic seconds by default.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf

from arena.base.keepalive import REGAINED
from arena.games.rules.rows import VERSION
from arena.service.live.player_presence import Presence

CHECK_S = 0.25  # interval between snapshots


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """The connections at one moment. Fields other than `present` only cover absent players."""

    present: Mapping[int, Presence]  # by player
    any_gateway: bool = True  # whether any gateway is alive
    # Players that used up their grace time, and since when (Unix seconds by the clock of Redis).
    given_up: Mapping[int, float] = field(default_factory=dict)
    held: Set[int] = field(default=frozenset())  # by a gateway that fell silent
    left: Set[int] = field(default=frozenset())  # people who left the game for good
    time_us: int = 0  # by the clock of Redis, like session numbers


class Routes:
    """The players of active batches and their connections."""

    def __init__(
        self,
        game: str,
        seats: int,
        grace_s: float,
        hosted: Set[int] = frozenset(),
        *,
        together: bool = False,
    ) -> None:
        """`hosted` are the players that hosts have to connect. If `together`, each has one process
        for all matches, so their number is not limited."""
        self.game, self.seats, self.grace_s = game, seats, grace_s
        self.hosted = hosted
        self._together = together
        self.players: tuple[int, ...] = ()
        self.unreachable: set[int] = set()  # the players that cannot be sent anything now
        self.most_matches: dict[int, int] = {}  # limits of concurrent matches, by player
        self.used: dict[int, float] = {}  # seconds of the grace time, by player; see `spend`
        self._reachable: dict[int, Presence] = {}
        self._elsewhere: set[int] = set()  # connected, but not for this game
        self._awaited_since: dict[int, float] = {}  # those of them for whom a match waits
        self._absent_since: dict[int, float] = {}
        self._gone_since: dict[int, float] = {}  # Unix seconds by the clock of Redis
        self._redis_began = 0.0  # its time when the monotonic clock read 0
        self._unmarked: set[int] = set()  # absent, and not marked as gone in Redis
        self._left: Set[int] = frozenset()
        self._checked = -inf

    def serve(self, players: Iterable[int]) -> None:
        """Sets the players."""
        self.players = tuple(sorted(set(players)))
        self._checked = -inf

    # Checks

    def check_due(self, now: float) -> bool:
        """Whether to take a snapshot: the last one is too old, or a player counts as gone and must
        not be charged if it has reconnected."""
        return now - self._checked >= CHECK_S or any(self._overdue(now))

    def _overdue(self, now: float) -> Iterable[int]:
        """The players that have been absent for the grace time."""
        return (p for p, since in self._absent_since.items() if now - since >= self._grace(p))

    def update(self, snapshot: PresenceSnapshot, now: float) -> None:
        """Updates all connections from a snapshot that was taken at `now`."""
        self._checked = now
        self._redis_began = snapshot.time_us / 1_000_000 - now
        present = snapshot.present
        self._reachable = {
            player: presence
            for player, presence in present.items()
            if presence.plays(self.game, self.seats)
        }
        here = [player for player in self.players if player in self._reachable]
        limits = [
            (player, self._reachable[player].max_matches)
            for player in here
            if not (self._together and player in self.hosted)
        ]
        self.most_matches = {player: limit for player, limit in limits if limit}
        missing = [player for player in self.players if player not in self._reachable]
        self.unreachable = set(missing)
        # A hosted bot only counts as missing if it is connected without offering this game.
        missing = [one for one in missing if one in present or one not in self.hosted]
        since = {player: self._absent_since.get(player, now) for player in missing}
        self._elsewhere = {player for player in missing if player in present}
        self._left = snapshot.left
        self._unmarked, self._gone_since = set(), {}
        if not snapshot.any_gateway:
            # No player can connect, so no grace time runs.
            self._absent_since = dict.fromkeys(missing, now)
            self._awaited_since.clear()
            return
        for player in self._awaited_since.keys() - self._elsewhere:
            self.spend(player, now - self._awaited_since.pop(player))
        for player in missing:
            if player in present:
                # Connected, but not for this game: missing since its session started.
                ago = (snapshot.time_us - int(present[player].session)) / 1_000_000
                since[player] = min(since[player], now - ago)
                self._gone_since[player] = int(present[player].session) / 1_000_000
            elif player in snapshot.given_up:
                since[player] = -inf  # there is no second grace time
                self._gone_since[player] = snapshot.given_up[player]
            elif player in snapshot.held:
                since[player] = now  # it may not have noticed yet that it is disconnected
            else:
                self._unmarked.add(player)
        self._absent_since = since

    def to_mark(self, now: float) -> Sequence[int]:
        """The players that must be marked as gone in Redis before they count as gone."""
        return [player for player in self._overdue(now) if player in self._unmarked]

    def marked(self, player: int, since: float) -> None:
        """The player is marked as gone since a time (Unix seconds by the clock of Redis)."""
        self._unmarked.discard(player)
        self._gone_since[player] = since

    def not_marked(self, player: int, now: float) -> None:
        """The player is not marked, because it has just connected."""
        self._unmarked.discard(player)
        self._absent_since[player] = now

    # The grace time

    def spend(self, player: int, seconds: float) -> float:
        """Takes up to `seconds` from a player's grace time. Returns how many there were. Gateways
        count the absences that they see themselves."""
        used = self.used.get(player, 0.0)
        spent = min(seconds, self.grace_s - used)
        self.used[player] = used + spent
        return spent

    def awaited(self, player: int, now: float) -> None:
        """A match waits for this player, who cannot be reached. If it is connected, but not for
        this game, its grace time runs, which no gateway knows."""
        if player in self._elsewhere:
            self._awaited_since.setdefault(player, now)

    def _grace(self, player: int) -> float:
        """The seconds that a player may be absent. Gateways count earlier absences, except of
        those that are connected."""
        used = self.used.get(player, 0.0) if player in self._elsewhere else 0.0
        return self.grace_s - used

    def answered(self, player: int, allowed: float) -> None:
        """Gives back some of the grace time, for an answer to a decision of `allowed` seconds."""
        if player in self.used:
            self.used[player] = max(0.0, self.used[player] - REGAINED * allowed)

    # Answers

    def gateway(self, player: int) -> str:
        """The player's gateway; "" if the player cannot be reached now."""
        presence = self._reachable.get(player)
        return presence.gateway if presence else ""

    def max_in_flight(self, player: int) -> int:
        """The number of decisions that the player accepts at once."""
        presence = self._reachable.get(player)
        return presence.max_in_flight if presence else 0

    def waits_for_host(self, player: int) -> bool:
        """Whether a player cannot be reached because no host has connected it."""
        lost = player in self.unreachable and player not in self._absent_since
        return lost and player in self.hosted

    def reads_packed(self, player: int) -> bool:
        """Whether a player is connected and reads packed decisions of this release."""
        presence = self._reachable.get(player)
        return presence is not None and presence.packed == VERSION

    def wants_notices(self, player: int) -> bool:
        """Whether a player is connected and wants notices."""
        presence = self._reachable.get(player)
        return presence is not None and presence.notices

    def gone(self, player: int, now: float) -> bool:
        """Whether the player has been absent for longer than the grace time."""
        since = self._absent_since.get(player)
        if since is None or player in self._unmarked:
            return False
        return now - since >= self._grace(player)

    def gone_for(self, player: int, now: float) -> float:
        """The seconds for which a player has been `gone`. Only the clock of Redis is compared with
        itself, because it may be wrong."""
        return now + self._redis_began - self._gone_since.get(player, inf)

    def has_left(self, player: int) -> bool:
        """Whether a person left the game for good."""
        return player in self._left

    def forget(self, player: int) -> None:
        """Treats a player as unreachable until the next check, because a decision came back."""
        self._reachable.pop(player, None)
        self.unreachable.add(player)
