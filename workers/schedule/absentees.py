"""The absent players of a tournament: their matches wait or are forfeited, or they are withdrawn.

A tournament waits for disconnected hosted players without limit, because only the arena can connect
them. The matches of all others wait until the start grace is over. Then they forfeit, a few at a
time, and are withdrawn after too many forfeits in a row. So a bot that never connects does not
forfeit thousands of matches.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.base.instant import Instant
from workers.schedule.routes import Routes


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a tournament waits for gone players."""

    began: float  # when the tournament started (Unix seconds)
    start_grace_s: float  # from `began`, or from when a player was gone
    withdraw_after: int  # matches in a row that a player forfeits before withdrawal; 0 for never


class Absentees:
    """The absent ones among the players of `routes`. Without `patience`, only matches of hosted
    players wait, and no player is withdrawn."""

    def __init__(self, routes: Routes, patience: Patience | None) -> None:
        self._routes, self._patience = routes, patience
        self._forfeited = Counter[int]()  # matches in a row due to absence, by player
        self._withdrawn: set[int] = set()

    def forfeited(self, player: int) -> None:
        """Counts a match that the player forfeited, because it was absent for all of it."""
        self._forfeited[player] += 1

    def reached(self, player: int) -> None:
        """Resets the player's forfeits, because it was sent a decision."""
        self._forfeited.pop(player, None)

    def withdrawn(self, players: Iterable[int]) -> None:
        """Stops waiting for these players, because they are withdrawn."""
        self._withdrawn.update(players)

    def may_start(self, in_flight: Callable[[], Mapping[int, int]], at: Instant) -> dict[int, int]:
        """Limits for the number of matches of absent players that may start now: 0 during their
        grace time, then the remaining forfeits before withdrawal. Other players have no limit.

        `in_flight` returns, by player, the number of started matches that may end in such a
        forfeit.
        """
        patience, absent = self._patience, self._absent()
        if patience is None:
            return {player: 0 for player in absent if self._routes.waits_for_host(player)}
        late = {player: self._waited_for(player, patience, at) for player in absent}
        limits = {player: 0 for player, waited_for in late.items() if waited_for}
        if patience.withdraw_after and len(limits) < len(late):
            started = in_flight()
            for player in late.keys() - limits.keys():
                forfeits = self._forfeited[player] + started.get(player, 0)
                limits[player] = max(0, patience.withdraw_after - forfeits)
        return limits

    def to_withdraw(self, at: Instant) -> Sequence[int]:
        """The players to withdraw, because they have forfeited too many matches in a row."""
        patience = self._patience
        if patience is None or not patience.withdraw_after:
            return ()
        absent = self._absent()
        return [
            player
            for player, matches in self._forfeited.items()
            if matches >= patience.withdraw_after
            and player in absent
            and not self._waited_for(player, patience, at)
        ]

    def _absent(self) -> set[int]:
        """The absent players that are not withdrawn."""
        return self._routes.unreachable - self._withdrawn

    def _waited_for(self, player: int, patience: Patience, at: Instant) -> bool:
        if not self._routes.gone(player, at.monotonic):
            return True
        gone_for = self._routes.gone_for(player, at.monotonic)
        return min(gone_for, at.unix - patience.began) < patience.start_grace_s
