"""The commands of a schedule to its caller, who answers each check by a call of the schedule."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from arena.protocol.internal.relay_pb2 import Delivery
from workers.schedule.active import ActiveMatch


class RunOutcome(Enum):
    """How a run ended."""

    DONE = auto()  # all its batches are finished
    SUSPENDED = auto()  # its time slice is over or it was stopped; checkpoints are saved
    WAITING_FOR_PEOPLE = auto()  # suspended, and all open decisions are for people
    LEASE_LOST = auto()  # another run has taken over a batch; nothing was saved


# Checks


@dataclass(frozen=True, slots=True)
class CheckPresence:
    """Take a presence snapshot. Answer: `presence_checked`."""

    players: Sequence[int]


@dataclass(frozen=True, slots=True)
class MarkGone:
    """Mark a player as gone unless it is connected. Answer: `gone_marked` or `gone_refused`."""

    player: int


@dataclass(frozen=True, slots=True)
class CheckGateways:
    """Find out which of these gateways are alive. Answer: `gateways_checked`."""

    gateways: Set[str]


@dataclass(frozen=True, slots=True)
class RenewLeases:
    """Renew the leases of these batches, and read the tournament's state and withdrawals. Answer:
    `entrants_withdrawn`, and `leases_renewed` or `lease_lost`."""

    batches: Sequence[int]


@dataclass(frozen=True, slots=True)
class ClaimBatches:
    """Claim waiting batches with up to `room` matches, except of the `excluded` tournaments.
    Answer: `join`."""

    room: int
    excluded: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class RenewAllLeases:
    """`RenewLeases` of several tournaments."""

    batches: Mapping[int, Sequence[int]]  # by tournament


# Effects


@dataclass(frozen=True, slots=True)
class Deliver:
    """Put these deliveries into the inboxes of their gateways."""

    deliveries: Mapping[str, Sequence[Delivery]]  # by gateway


@dataclass(frozen=True, slots=True)
class BatchCheckpoint:
    """The matches in play of a batch. Encode them before the next event, which may change them."""

    batch: int
    reply_to: str
    matches: Sequence[ActiveMatch]


@dataclass(frozen=True, slots=True)
class Save:
    """Store all this in one transaction. If that fails, the caller must end the run."""

    finished: Sequence[ActiveMatch]
    completed: Sequence[int]  # batches whose matches are then all stored or cancelled
    checkpoints: Sequence[BatchCheckpoint]
    withdrawn: Sequence[int] = ()  # entrants
    cancelled: Sequence[int] = ()  # positions of matches


@dataclass(frozen=True, slots=True)
class ReleaseLease:
    """Release the lease of a finished batch."""

    batch: int


@dataclass(frozen=True, slots=True)
class AdvanceTournament:
    """Have the tournament advanced, because one of its batches is finished."""


@dataclass(frozen=True, slots=True)
class CollectReplies:
    """Wait up to `wait_s` seconds for a reply on one of these lists, then for `want` replies or
    up to `gather_s` seconds. Answer: `replies_received` for each."""

    reply_lists: Sequence[str]
    wait_s: float
    want: int
    gather_s: float


Command: TypeAlias = (
    CheckPresence
    | MarkGone
    | CheckGateways
    | RenewLeases
    | Deliver
    | Save
    | ReleaseLease
    | AdvanceTournament
    | CollectReplies
)


@dataclass(frozen=True, slots=True)
class ForTournament:
    """A command of one tournament in a shared run."""

    tournament: int
    command: Command


@dataclass(frozen=True, slots=True)
class Leave:
    """Release what a tournament still holds, because it leaves the shared run."""

    tournament: int
    outcome: RunOutcome
