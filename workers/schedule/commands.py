"""What a schedule asks its caller to do. Each check is answered by a call of the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from arena.protocol.internal.relay_pb2 import Delivery
from workers.schedule.active_match import ActiveMatch


class RunOutcome(Enum):
    """How a run ended."""

    DONE = auto()  # all its batches are finished
    SUSPENDED = auto()  # the time slice is over, or it was stopped; checkpoints are saved
    WAITING_FOR_PEOPLE = auto()  # the same, and only people are asked
    LEASE_LOST = auto()  # another run has taken a batch over; nothing was saved


# Checks


@dataclass(frozen=True, slots=True)
class CheckPresence:
    """Take a presence snapshot: `presence_checked`."""

    players: Sequence[int]


@dataclass(frozen=True, slots=True)
class MarkGone:
    """Mark a player as gone unless they are connected: `gone_marked` or `gone_refused`."""

    player: int


@dataclass(frozen=True, slots=True)
class CheckGateways:
    """Find out which of these gateways are alive: `gateways_checked`."""

    gateways: Set[str]


@dataclass(frozen=True, slots=True)
class RenewLeases:
    """Renew the leases of these batches, and see whether the tournament still runs and who is
    withdrawn from it: `entrants_withdrawn`, and `leases_renewed` or `lease_lost`."""

    batches: Sequence[int]


@dataclass(frozen=True, slots=True)
class ClaimBatches:
    """Claim batches that wait for a worker, of up to `room` matches, none of the `excluded`
    tournaments: those that were claimed `join`."""

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
    """The matches of a batch that are in progress. Their state is that of this moment: it is to
    be encoded before the next event."""

    batch: int
    reply_to: str
    matches: Sequence[ActiveMatch]


@dataclass(frozen=True, slots=True)
class Save:
    """Store all this in one transaction. The schedule counts on it: a caller that fails to store
    it must not go on."""

    finished: Sequence[ActiveMatch]
    completed: Sequence[int]  # batches of which all matches are stored or cancelled then
    checkpoints: Sequence[BatchCheckpoint]
    withdrawn: Sequence[int] = ()  # entrants who are withdrawn from the tournament
    cancelled: Sequence[int] = ()  # positions of matches that are never played


@dataclass(frozen=True, slots=True)
class ReleaseLease:
    """Release the lease of a batch that is done."""

    batch: int


@dataclass(frozen=True, slots=True)
class AdvanceTournament:
    """Have the tournament advanced: one of its batches is done."""


@dataclass(frozen=True, slots=True)
class CollectReplies:
    """Wait up to `wait_s` seconds for a reply on one of these lists, then for `want` replies or
    up to `gather_s`: `replies_received` for whatever comes."""

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
    """What one of the tournaments in a run wants to be done."""

    tournament: int
    command: Command


@dataclass(frozen=True, slots=True)
class Leave:
    """A tournament leaves the run: what it still holds is to be released."""

    tournament: int
    outcome: RunOutcome
