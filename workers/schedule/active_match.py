"""A match in play: its players and its open decision."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.games.match import Match
from arena.tournaments.formats import PlannedMatch
from workers.schedule.active_batch import ActiveBatch


@dataclass(slots=True, eq=False)
class ActiveMatch:
    """A match in play, or just finished. Times are Unix seconds, except `sent_at`."""

    batch: ActiveBatch
    planned: PlannedMatch
    players: tuple[int, ...]  # by seat
    match: Match
    started: float
    finished: float = 0.0
    player: int = field(init=False, default=0)  # of the open decision
    ticket: int = 0  # of the open decision
    asked_at: float = 0.0  # when the open decision arose
    gateway: str = ""  # that holds the open decision; "" if none can be reached
    sent_at: float = 0.0  # monotonic seconds
    used_s: float = 0.0  # of the time for the open decision, at earlier gateways
    reached: set[int] = field(default_factory=set)  # players that were sent a decision
    rounds_notified: int = 0

    @property
    def unreached(self) -> set[int]:
        """The players that were sent no decision yet and have not forfeited."""
        out = {self.players[fault.seat] for fault in self.match.faults if fault.forfeited}
        return {*self.players} - self.reached - out

    def next_decision(self, ticket: int, now: float) -> None:
        """Sets the next open decision, which arose at `now`."""
        self.player = self.players[self.match.game.seat]
        self.ticket, self.asked_at, self.used_s = ticket, now, 0.0

    @property
    def left_ms(self) -> int:
        """The milliseconds for the open decision, without those used at earlier gateways."""
        return self.batch.outbound.time_ms - round(1000 * self.used_s)
