"""The schedule of a run, sans-IO: events in, commands out.

    schedule    `Schedule`: what is to be done next
    matches_in_play    which match waits for what, and how answers and faults take it on
    commands    what it asks its caller to do: check, claim, deliver, save, collect
    starting    which matches are started, and which are cancelled
    absentees   whose matches wait because they are not there, and who is withdrawn
    routes      which gateway reaches a player, and who has been gone too long
    notices     encodes decisions and notices of matches
    outbound    gathers them into one `Delivery` per player
    active_batch, active_match    what is being played
    match_factory                 from a planned match to a `Match`

Nothing in here reads a clock, draws random numbers, or talks to Redis or a database: the time is
an argument, tickets come from an iterator. `workers.playing.batch` is the loop around it that does
the IO; a simulation drives the same code with a clock of its own.
"""

from workers.schedule.absentees import Patience
from workers.schedule.commands import Command, RunOutcome
from workers.schedule.match_factory import MatchFactory
from workers.schedule.schedule import ClaimedBatch, Limits, Schedule

__all__ = [
    "ClaimedBatch",
    "Command",
    "Limits",
    "MatchFactory",
    "Patience",
    "RunOutcome",
    "Schedule",
]
