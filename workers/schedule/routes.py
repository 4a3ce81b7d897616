"""Which gateway reaches a player, and who has been gone for longer than the grace time.

A hosted player who is not connected is never gone: it is the arena that lacks a host.

Judged from snapshots of Redis that the caller takes; times are monotonic seconds unless said
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf

from arena.games.rules.rows import VERSION
from arena.service.live.player_presence import Presence

CHECK_S = 0.25  # how often presence is checked


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """Who is connected at one moment, as Redis has it.

    Only what concerns players who are missing needs to be filled in beside `present`.
    """

    present: Mapping[int, Presence]  # by player
    any_gateway: bool = True  # whether any gateway is alive
    # Had their grace time and did not come: since when (Unix seconds).
    given_up: Mapping[int, float] = field(default_factory=dict)
    held: Set[int] = field(default=frozenset())  # by a gateway that fell silent
    left: Set[int] = field(default=frozenset())  # people who left the table for good
    time_us: int = 0  # by the clock of Redis, from which session numbers come


class Routes:
    """The players of active batches and how they are reached."""

    def __init__(
        self,
        game: str,
        seats: int,
        grace_s: float,
        hosted: Set[int] = frozenset(),
        *,
        together: bool = False,
    ) -> None:
        """`hosted` are the players whom the arena's hosts are to connect; `together`: one process
        of theirs has all matches, so that it does not matter how many these are."""
        self.game, self.seats, self.grace_s = game, seats, grace_s
        self.hosted = hosted
        self._together = together
        self.players: tuple[int, ...] = ()
        self.unreachable: set[int] = set()  # those of them to whom nothing can be sent now
        self.most_matches: dict[int, int] = {}  # that are under way with those who limit that
        self._reachable: dict[int, Presence] = {}
        self._absent_since: dict[int, float] = {}
        self._gone_since: dict[int, float] = {}  # Unix seconds
        self._unmarked: set[int] = set()  # absent, and not marked as gone in Redis
        self._left: Set[int] = frozenset()
        self._checked = -inf

    def serve(self, players: Iterable[int]) -> None:
        """Serves these players from now on."""
        self.players = tuple(sorted(set(players)))
        self._checked = -inf

    # Checks

    def check_due(self, now: float) -> bool:
        """Whether to take a snapshot: the last one is too old, or somebody counts as gone, who
        must not be charged once they are back."""
        return now - self._checked >= CHECK_S or any(self._overdue(now))

    def _overdue(self, now: float) -> Iterable[int]:
        """The players who are absent for longer than the grace time."""
        return (p for p, since in self._absent_since.items() if now - since >= self.grace_s)

    def update(self, snapshot: PresenceSnapshot, now: float) -> None:
        """Judges a snapshot that was taken at `now`."""
        self._checked = now
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
        # One that is connected has said that it does not play this: then that is its own doing.
        missing = [one for one in missing if one in present or one not in self.hosted]
        since = {player: self._absent_since.get(player, now) for player in missing}
        self._left = snapshot.left
        self._unmarked, self._gone_since = set(), {}
        if not snapshot.any_gateway:
            # Nobody could connect, so nobody's grace time runs.
            self._absent_since = dict.fromkeys(missing, now)
            return
        for player in missing:
            if player in present:
                # Connected, but not for this game: missing since they announced that.
                ago = (snapshot.time_us - int(present[player].session)) / 1_000_000
                since[player] = min(since[player], now - ago)
                self._gone_since[player] = int(present[player].session) / 1_000_000
            elif player in snapshot.given_up:
                since[player] = -inf  # nobody gets a second grace time
                self._gone_since[player] = snapshot.given_up[player]
            elif player in snapshot.held:
                since[player] = now  # they could not notice yet that they are not connected
            else:
                self._unmarked.add(player)
        self._absent_since = since

    def to_mark(self, now: float) -> Sequence[int]:
        """The players who are to be marked as gone in Redis before they count as gone."""
        return [player for player in self._overdue(now) if player in self._unmarked]

    def marked(self, player: int, since: float) -> None:
        """The player is marked as gone since a moment (Unix seconds)."""
        self._unmarked.discard(player)
        self._gone_since[player] = since

    def not_marked(self, player: int, now: float) -> None:
        """The player is not marked: they connected this very moment."""
        self._unmarked.discard(player)
        self._absent_since[player] = now

    # Answers

    def gateway(self, player: int) -> str:
        """The gateway to send to, or "" if the player cannot be reached now."""
        presence = self._reachable.get(player)
        return presence.gateway if presence else ""

    def max_in_flight(self, player: int) -> int:
        """How many decisions at a time the player takes."""
        presence = self._reachable.get(player)
        return presence.max_in_flight if presence else 0

    def waits_for_host(self, player: int) -> bool:
        """Whether a player cannot be reached because no host has connected them."""
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
        return since is not None and now - since >= self.grace_s and player not in self._unmarked

    def gone_since(self, player: int) -> float:
        """Since when a player is `gone` (Unix seconds)."""
        return self._gone_since.get(player, inf)

    def has_left(self, player: int) -> bool:
        """Whether a person left the table for good."""
        return player in self._left

    def forget(self, player: int) -> None:
        """A decision came back: nothing is sent to the player before the next check."""
        self._reachable.pop(player, None)
        self.unreachable.add(player)
