"""Batches and matches in play: what has not started, deliveries, and open decisions."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from arena.games.match import Match, MatchSetup, Seat
from arena.tournaments.formats import FromSecret, PlannedMatch, TournamentSpec
from workers.schedule.outbound import Outbound


class ActiveBatch:
    """A batch in a run, possibly together with others."""

    def __init__(
        self, number: int, matches: Sequence[PlannedMatch], stored: Set[int], outbound: Outbound
    ) -> None:
        """`stored` are the positions of matches that are stored or cancelled."""
        self.number, self.matches, self.outbound = number, tuple(matches), outbound
        self.to_start = deque(match for match in matches if match.position not in stored)
        self.postponed: Sequence[PlannedMatch] = ()  # must not start now
        self._absent: Set[int] = frozenset()  # the entrants for which they wait
        self.running = 0  # started and unfinished matches

    @property
    def complete(self) -> bool:
        """Whether all its matches are finished."""
        return not self.to_start and not self.postponed and not self.running

    @property
    def entrants(self) -> set[int]:
        """The numbers of the entrants with a seat in it."""
        return {entrant for planned in self.matches for entrant in planned.seats}

    def postpone(self, absent: Set[int]) -> None:
        """Postpones all matches of these entrants that have not started, and no others."""
        if absent == self._absent:
            return
        self._absent = frozenset(absent)
        waiting = sorted((*self.to_start, *self.postponed), key=lambda match: match.position)
        self.postponed = [match for match in waiting if not absent.isdisjoint(match.seats)]
        self.to_start = deque(match for match in waiting if absent.isdisjoint(match.seats))

    def cancel(self, withdrawn: Set[int], matches_per_deal: int) -> list[int]:
        """Removes the matches of these entrants that have not started, and returns their positions.
        Keeps a deal if one of its matches has started or is in another batch, because otherwise it
        would never be complete."""
        waiting = (*self.to_start, *self.postponed)
        of_deal = Counter(match.deal for match in waiting)
        cancelled = {
            match.position
            for match in waiting
            if of_deal[match.deal] == matches_per_deal and not withdrawn.isdisjoint(match.seats)
        }
        self.to_start = deque(each for each in self.to_start if each.position not in cancelled)
        self.postponed = [each for each in self.postponed if each.position not in cancelled]
        return sorted(cancelled)

    def resume(self, positions: Set[int]) -> list[PlannedMatch]:
        """Moves the matches at these positions to the running ones, and returns them."""
        resumed = [match for match in self.to_start if match.position in positions]
        self.to_start = deque(match for match in self.to_start if match.position not in positions)
        self.running += len(resumed)
        return resumed


@dataclass(frozen=True, slots=True)
class MatchFactory:
    """The data from which a tournament's matches are derived."""

    spec: TournamentSpec
    players: tuple[int, ...]  # by entrant number
    bots: Mapping[int, Seat]  # by player
    source: FromSecret  # of cards and match ids
    hosted: frozenset[int] = frozenset()  # players that hosts have to connect, at the start
    group: int = 0  # of all its matches; see arena.v1.Decision

    def players_of(self, planned: PlannedMatch) -> tuple[int, ...]:
        """The players of a match, by seat."""
        return tuple([self.players[entrant] for entrant in planned.seats])

    def setup(self, planned: PlannedMatch, ruleset: str = "") -> MatchSetup:
        """The setup of a match, under the game's newest ruleset unless one is given."""
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.spec.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple([self.bots[player] for player in self.players_of(planned)]),
            options=self.spec.options,
            fault_limit=self.spec.fault_limit,
            ruleset=ruleset,
        )


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
