"""The schedule of a run, sans-IO: events in, commands out.

    schedule         `Schedule`: decides what to do next
    shared           `SharedSchedule`: the schedules of several tournaments in one run
    commands         the commands to the caller: check, claim, deliver, save, collect
    matches_in_play  the open decisions of matches, and the effect of answers and faults
    starting         starts and cancels matches
    absentees        matches of absent players wait; too many forfeits lead to withdrawal
    routes           the gateways of players, and their absence
    notices          encodes decisions and notices
    outbound         collects them into one `Delivery` per player
    active           batches and matches in play, and how planned matches become some

No module in here reads a clock, draws random numbers, or uses Redis or a database. The time is an
argument, and tickets come from an iterator. `workers.playing` does the IO, and a simulation runs
the same code with its own clock.
"""

from workers.schedule.absentees import Patience
from workers.schedule.active import MatchFactory
from workers.schedule.commands import Command, RunOutcome
from workers.schedule.schedule import ClaimedBatch, Schedule, ScheduleLimits

__all__ = [
    "ClaimedBatch",
    "Command",
    "MatchFactory",
    "Patience",
    "RunOutcome",
    "Schedule",
    "ScheduleLimits",
]
