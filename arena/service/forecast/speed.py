"""How fast the arena is by itself, where no bot is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.service.forecast import typical
from arena.service.forecast.entrants import Entrant, ability
from arena.service.forecast.measured import Measured
from arena.service.forecast.seen import LivePace
from arena.store.reports.runs import Run

# A run tells the arena's speed if the bots alone need at most so much of the time that it took.
WAITED = 0.6
# A run is of the same bots if they had this share of its seats, and of the forecast ones.
SAME = 0.9
# Its measured rate is used if it has ENOUGH matches, or this SHARE of the forecast ones.
ENOUGH, SHARE = 100, 0.25
SLOWER = 2.0  # times as long as the arena by itself takes: something was waited for


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


def speed(measured: Measured, live: LivePace) -> Speed:
    """As fast as the fastest of the latest long runs that waited for no bot. Where all did it is as
    fast as any of them, at least."""
    speeds = [(run, _of(run, measured)) for run in measured.runs]
    free = [(run, its) for run, its in speeds if not _waited(run, measured, live)]
    if free:
        longest = max(run.matches for run, _ in free)
        return max((its for run, its in free if 2 * run.matches >= longest), key=_per_second)
    usual = Speed(typical.DECISIONS_PER_S / measured.decisions)
    return max([usual, *(its for _, its in speeds)], key=_per_second)


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """What the same bots did in their latest run of such matches: matches, and how many of them a
    second; the last ended at `newest` (Unix seconds). The run `waited` for bots or a busy machine,
    or went as fast as the arena does."""

    matches: int
    per_second: float
    newest: float
    waited: bool

    def seconds(self, matches: int, blocks: int) -> float:
        """The duration of `matches` matches. If it waited, the end of a block took no longer."""
        if self.waited:
            return matches / self.per_second
        return Speed(self.per_second).seconds(matches, blocks) / (1 + typical.LAST / self.matches)


def of_same_bots(
    measured: Measured, live: LivePace, field: Sequence[Entrant], matches: int
) -> MeasuredRate | None:
    """The rate of these bots in their latest run, if that is long enough for `matches` matches."""
    for run in measured.runs:
        if run.matches >= min(ENOUGH, SHARE * matches) and _same(run, measured, field):
            rate = run.matches / run.seconds
            free_s = speed(measured, live).seconds(run.matches, 1)
            waited = _waited(run, measured, live) or run.seconds > SLOWER * free_s
            return MeasuredRate(run.matches, rate, run.newest, waited)
    return None


def _same(run: Run, measured: Measured, field: Sequence[Entrant]) -> bool:
    """Whether a run was one of such matches among these bots."""
    kind = (measured.game, measured.seats, measured.options)
    if (run.game, run.seats, run.options) != kind:
        return False
    wanted = {one.player: one.matches for one in field}
    here = sum(count for player, count in wanted.items() if run.sat.get(player))
    there = sum(count for player, count in run.sat.items() if player in wanted)
    return here >= SAME * sum(wanted.values()) and there >= SAME * sum(run.sat.values())


def _per_second(one: Speed) -> float:
    return one.per_second


def _of(run: Run, measured: Measured) -> Speed:
    per_second = (run.matches + typical.LAST) / run.seconds
    if (run.game, run.seats) == (measured.game, measured.seats):
        return Speed(per_second, run.matches, run.newest)
    per_second *= typical.decisions(run.game, run.seats) / measured.decisions
    return Speed(per_second, run.matches, run.newest, own=False)


def _waited(run: Run, measured: Measured, live: LivePace) -> bool:
    """Whether the run went as fast as one of its bots."""
    same = (run.game, run.seats) == (measured.game, measured.seats)
    usual = typical.decisions(run.game, run.seats) / run.seats
    for player, sat in run.sat.items():
        can, _ = ability(measured, live, player)
        if can is not None:
            questions = measured.decisions_of(player) if same else usual
            if sat * questions / can.per_second + questions * can.seconds > WAITED * run.seconds:
                return True
    return False
