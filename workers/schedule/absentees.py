"""The players of a tournament who are not there: whose matches wait, who forfeits, who is
withdrawn.

A hosted player who is not connected is waited for, however long, since only the arena can connect
them. With all others it is as an organiser would do it: whoever is late finds their matches still
to be played, until the start grace is over. After that they forfeit, a few at a time, and who has
forfeited so many in a row is withdrawn, so that a bot that never comes does not lose thousands of
matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.base.instant import Instant
from workers.schedule.routes import Routes


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a tournament waits for players who are gone.

    Their matches wait for `start_grace_s` seconds from when they are gone, or from when the
    tournament `began` (Unix seconds). Then they forfeit `withdraw_after` matches in a row before
    they are withdrawn; 0 for as many as there are.
    """

    began: float
    start_grace_s: float
    withdraw_after: int


class Absentees:
    """Who of the players that `routes` serves is not there, and what that costs them.

    Without `patience` only hosted players' matches wait, and nobody is withdrawn.
    """

    def __init__(self, routes: Routes, patience: Patience | None) -> None:
        self._routes, self._patience = routes, patience
        self._forfeited = Counter[int]()  # by player: matches in a row, for not being there
        self._withdrawn: set[int] = set()

    def forfeited(self, player: int) -> None:
        """The player has forfeited a match, because they were not there for any of it."""
        self._forfeited[player] += 1

    def reached(self, player: int) -> None:
        """The player was sent a decision: forfeits are counted anew."""
        self._forfeited.pop(player, None)

    def withdrawn(self, players: Iterable[int]) -> None:
        """These players are withdrawn: nobody waits for them any more."""
        self._withdrawn.update(players)

    def may_start(self, in_flight: Callable[[], Mapping[int, int]], at: Instant) -> dict[int, int]:
        """How many more matches of players who are not there may be started now: none while they
        may still come, then no more than they may forfeit. Who is not named is not limited.

        `in_flight` says, by player, how many matches under way they may still forfeit so.
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
        """The players who have forfeited so many in a row that they are to be withdrawn."""
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
        """The players who are not there, without those who are withdrawn."""
        return self._routes.unreachable - self._withdrawn

    def _waited_for(self, player: int, patience: Patience, at: Instant) -> bool:
        if not self._routes.gone(player, at.monotonic):
            return True
        gone_since = self._routes.gone_since(player)
        return at.unix < max(gone_since, patience.began) + patience.start_grace_s
