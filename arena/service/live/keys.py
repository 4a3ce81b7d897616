"""The names of everything the arena keeps in Redis (Celery's own queues apart)."""

from __future__ import annotations

import secrets

# Heartbeat of gateways, taken together: exists while at least one is alive.
ANY_GATEWAY = "arena:gateway"

# Sorted set: when each gateway last beat, by the clock of Redis.
GATEWAYS = "arena:gateways"

# Sorted set: when each worker that hangs last reported it.
HANGING = "arena:hanging"

# Written to find out whether Redis takes writes; expires at once.
PROBE = "arena:probe"

# Mark: a sweep was done a moment ago.
SWEPT = "arena:swept"

# Mark: a sweep is under way.
SWEEPING = "arena:sweeping"

# Mark: a process calculates the luck of matches.
CALCULATING_LUCK = "arena:luck"

# Hash: how much workers play at once, after the machine was overloaded.
OVERLOAD = "arena:overload"

# Which of the processes `arena house` has the house's bots connected.
HOUSE = "arena:house"

# Sorted set: when each `arena beat` last sent a heartbeat.
BEATS = "arena:beats"

# Sorted set: when each host last beat.
HOSTS = "arena:hosts"

# Sorted set: processes, PROCESS@HOST, by when they last reported their clock. Hash: by how many
# seconds that is ahead of the clock of Redis.
CLOCKS_REPORTED = "arena:clocks:reported"
CLOCKS = "arena:clocks"

# Batches that wait for a worker; see `ready`. Sorted sets: tournaments by virtual time, batches by
# when they came, virtual times. String: the clock of virtual time. Hash: what a batch costs.
READY = "arena:ready"
READY_SINCE = "arena:ready:since"
READY_SHARES = "arena:ready:shares"
READY_CLOCK = "arena:ready:clock"
READY_COSTS = "arena:ready:costs"

# Hash: tournaments of which nothing is played though batches wait, by when that began.
QUEUED = "arena:queued"

# Followed by a tournament's number, a sorted set: its batches that wait.
READY_BATCHES = "arena:ready:batches:"

# Followed by a tournament and a batch, "7:3": the lease, which says who plays it.
LEASE = "arena:batch:"

# Sorted set: batches that are played, by when their leases expire.
PLAYING = "arena:playing"

# Pub/sub channel: "PLAYER SESSION GATEWAY", published for each newest session of a player.
REPLACED = "arena:replaced"


def gateway(gateway_id: str) -> str:
    """Heartbeat of one gateway."""
    return f"arena:gateway:{gateway_id}"


def workers(queue: str) -> str:
    """Sorted set: when each worker that takes tasks from this queue last beat."""
    return f"arena:workers:{queue}"


def inbox(gateway_id: str) -> str:
    """List of Delivery messages for the bots of one gateway."""
    return f"arena:gateway:{gateway_id}:inbox"


def presence(player: int) -> str:
    """Where and how a player is connected."""
    return f"arena:presence:{player}"


def hosted(player: int) -> str:
    """Which host has a hosted player: its lease."""
    return f"arena:hosted:{player}"


def held(player: int) -> str:
    """Mark: a gateway that held the player's stream has not let go of it; outlives `presence`
    where that gateway fell silent."""
    return f"arena:held:{player}"


def allowance(player: int) -> str:
    """What is left of a player's grace time, who lost a stream a moment ago, and when that was."""
    return f"arena:allowance:{player}"


def paces(player: int) -> str:
    """How fast a player answered when it was last connected."""
    return f"arena:paces:{player}"


def first_forecast(tournament: int) -> str:
    """Seconds that a tournament was to take when it started."""
    return f"arena:forecast:{tournament}"


def gone(player: int) -> str:
    """Mark: the player had their grace time and did not come, and since when (Unix seconds);
    connecting removes it."""
    return f"arena:gone:{player}"


def new_reply_list() -> str:
    """A fresh name for the list on which a worker gets the replies to one batch."""
    return f"arena:replies:{secrets.token_hex(8)}"


def batch(tournament: int, number: int) -> str:
    """Lease of one batch: who plays it."""
    return f"{LEASE}{tournament}:{number}"


def failures(tournament: int, number: int) -> str:
    """How often playing a batch ended in an error, lately."""
    return f"{batch(tournament, number)}:failures"


def advancing(tournament: int) -> str:
    """Mark: a task that advances the tournament waits in the queue."""
    return f"arena:advancing:{tournament}"


def incident(tournament: int) -> str:
    """Why a tournament is stuck; expires unless it is noted again."""
    return f"arena:trouble:{tournament}"


def answered(ticket: int) -> str:
    """Mark: a person has answered this question a moment ago."""
    return f"arena:answered:{ticket}"


def left(player: int) -> str:
    """Mark: the person left this table for good."""
    return f"arena:left:{player}"


def watched(tournament: int) -> str:
    """Mark: somebody watches this tournament."""
    return f"arena:watched:{tournament}"


def on_stage(tournament: int) -> str:
    """The id of the match in play that is on show, renewed by the worker that plays it."""
    return f"arena:stage:{tournament}"


def on_show(tournament: int) -> str:
    """That match, as far as its rounds are scored: a SuspendedMatch."""
    return f"arena:show:{tournament}"


def screening(tournament: int) -> str:
    """The stored match on show, and since when."""
    return f"arena:screening:{tournament}"
