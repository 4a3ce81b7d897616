"""The speed of the arena itself, without waiting for bots."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.service.forecast import typical
from arena.service.forecast.entrants import Entrant, ability
from arena.service.forecast.measured import LivePace, Measured
from arena.store.reports.runs import MatchRun

# A run shows the arena's speed if each bot needed at most this share of its time.
WAITED = 0.6
# A run is by the same bots if they had this share of its seats, and of the forecast ones.
SAME = 0.9
# Its rate is used if it has ENOUGH matches, or this SHARE of the forecast ones.
ENOUGH, SHARE = 100, 0.25
SLOWER = 2.0  # a run that took this many times the arena's own time had to wait


@dataclass(frozen=True)
class Speed:
    """The speed of the arena with many matches in flight."""

    per_second: float  # matches of the requested kind
    matches: int = 0  # on which it was measured; 0 for a typical value
    newest: float = 0.0  # when the last of them ended (Unix seconds)
    own: bool = True  # whether these were of the requested kind

    def seconds(self, matches: int, blocks: int) -> float:
        """The duration of a number of matches in consecutive blocks."""
        return (matches + blocks * typical.LAST) / self.per_second


def speed(measured: Measured, live: LivePace) -> Speed:
    """The speed of the fastest of the latest long runs that did not wait for bots. If all waited,
    the highest of their speeds and the typical one."""
    speeds = [(run, _of(run, measured)) for run in measured.runs]
    free = [(run, its) for run, its in speeds if not _waited(run, measured, live)]
    if free:
        longest = max(run.matches for run, _ in free)
        return max((its for run, its in free if 2 * run.matches >= longest), key=_per_second)
    usual = Speed(typical.DECISIONS_PER_S / measured.decisions)
    return max([usual, *(its for _, its in speeds)], key=_per_second)


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """The rate of the same bots in their latest run of such matches."""

    matches: int
    per_second: float
    newest: float  # when the last match ended (Unix seconds)
    waited: bool  # whether the run waited for bots or a busy machine

    def seconds(self, matches: int, blocks: int) -> float:
        """The duration of a number of matches. If it waited, the ends of blocks take no extra
        time."""
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


def _same(run: MatchRun, measured: Measured, field: Sequence[Entrant]) -> bool:
    kind = (measured.game, measured.seats, measured.options)
    if (run.game, run.seats, run.options) != kind:
        return False
    wanted = {one.player: one.matches for one in field}
    here = sum(count for player, count in wanted.items() if run.sat.get(player))
    there = sum(count for player, count in run.sat.items() if player in wanted)
    return here >= SAME * sum(wanted.values()) and there >= SAME * sum(run.sat.values())


def _per_second(one: Speed) -> float:
    return one.per_second


def _of(run: MatchRun, measured: Measured) -> Speed:
    per_second = (run.matches + typical.LAST) / run.seconds
    if (run.game, run.seats) == (measured.game, measured.seats):
        return Speed(per_second, run.matches, run.newest)
    per_second *= typical.decisions(run.game, run.seats) / measured.decisions
    return Speed(per_second, run.matches, run.newest, own=False)


def _waited(run: MatchRun, measured: Measured, live: LivePace) -> bool:
    """Whether a bot limited the speed of the run."""
    same = (run.game, run.seats) == (measured.game, measured.seats)
    usual = typical.decisions(run.game, run.seats) / run.seats
    for player, sat in run.sat.items():
        can, _ = ability(measured, live, player)
        if can is not None:
            questions = measured.decisions_of(player) if same else usual
            if sat * questions / can.per_second + questions * can.seconds > WAITED * run.seconds:
                return True
    return False
