"""How fast the arena is by itself, where no bot is waited for."""

from __future__ import annotations

from dataclasses import dataclass

from arena.forecast import typical
from arena.forecast.entrants import ability
from arena.forecast.measured import Measured
from arena.forecast.seen import Seen
from arena.store.reports.runs import Run

# A run tells the arena's speed if the bots alone need at most so much of the time that it took.
WAITED = 0.6


@dataclass(frozen=True)
class Speed:
    """Matches a second of the kind asked about, in full flight; measured on so many, the last of
    which ended at `newest` (Unix seconds): of that kind, or if they are not its `own` of another.
    On none: what machines usually do."""

    per_second: float
    matches: int = 0
    newest: float = 0.0
    own: bool = True

    def seconds(self, matches: int, blocks: int) -> float:
        """What so many matches take in so many blocks, one after the other."""
        return (matches + blocks * typical.LAST) / self.per_second


def speed(told: Measured, live: Seen) -> Speed:
    """As fast as the fastest of the latest long runs that waited for no bot. Where all did it is as
    fast as any of them, at least."""
    runs = [(run, _of(run, told)) for run in told.runs]
    free = [(run, found) for run, found in runs if not _waited(run, told, live)]
    if free:
        longest = max(run.matches for run, _ in free)
        return max((found for run, found in free if 2 * run.matches >= longest), key=_per_second)
    usual = Speed(typical.DECISIONS_PER_S / told.decisions)
    return max([usual, *(found for _, found in runs)], key=_per_second)


def _per_second(one: Speed) -> float:
    return one.per_second


def _of(run: Run, told: Measured) -> Speed:
    per_second = (run.matches + typical.LAST) / run.seconds
    if (run.game, run.seats) == (told.game, told.seats):
        return Speed(per_second, run.matches, run.newest)
    per_second *= typical.decisions(run.game, run.seats) / told.decisions
    return Speed(per_second, run.matches, run.newest, own=False)


def _waited(run: Run, told: Measured, live: Seen) -> bool:
    """Whether the run went as fast as one of its bots."""
    same = (run.game, run.seats) == (told.game, told.seats)
    usual = typical.decisions(run.game, run.seats) / run.seats
    for player, sat in run.sat.items():
        can, _ = ability(told, live, player)
        if can is not None:
            asked = told.asked(player) if same else usual
            if sat * asked / can.per_second + asked * can.seconds > WAITED * run.seconds:
                return True
    return False
