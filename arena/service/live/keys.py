"""The names of all keys in Redis, except Celery's queues."""

from __future__ import annotations

import secrets

# Joint heartbeat of all gateways: exists while at least one is alive.
ANY_GATEWAY = "arena:gateway"

# Sorted set: the time of each gateway's last heartbeat, by the clock of Redis.
GATEWAYS = "arena:gateways"

# Sorted set: the time of each hanging worker's last report.
HANGING = "arena:hanging"

# Written to test whether Redis accepts writes; expires at once.
PROBE = "arena:probe"

# Mark: a sweep was completed recently.
SWEPT = "arena:swept"

# Mark: a sweep was started within the last half second.
SWEEP_BEGAN = "arena:sweep-began"

# Lock: a sweep is running.
SWEEPING = "arena:sweeping"

# Lock: a process calculates the luck of matches.
CALCULATING_LUCK = "arena:luck"

# Hash: the share of matches that workers play at once after an overload.
OVERLOAD = "arena:overload"

# Lease: the `arena house` process that connects the house bots.
HOUSE = "arena:house"

# Sorted set: the time of each beat's last heartbeat.
BEATS = "arena:beats"

# Sorted set: the time of each host's last heartbeat.
HOSTS = "arena:hosts"

# Sorted set: the time of the last clock report of each process, PROCESS@HOST. Hash: the seconds by
# which its clock is ahead of the clock of Redis.
CLOCKS_REPORTED = "arena:clocks:reported"
CLOCKS = "arena:clocks"

# Batches that wait for a worker; see `ready`. Sorted sets: tournaments by virtual time, batches by
# arrival time, virtual times. String: the clock of virtual time. Hash: the cost of a batch.
READY = "arena:ready"
READY_SINCE = "arena:ready:since"
READY_SHARES = "arena:ready:shares"
READY_CLOCK = "arena:ready:clock"
READY_COSTS = "arena:ready:costs"

# Hash: since when each tournament has had waiting batches and no worker.
QUEUED = "arena:queued"

# Prefix; followed by a tournament's number, a sorted set of its waiting batches.
READY_BATCHES = "arena:ready:batches:"

# Prefix; followed by a tournament and a batch ("7:3"), the lease with its holder.
LEASE = "arena:batch:"

# Sorted set: batches in play, by the expiry time of their leases.
PLAYING = "arena:playing"

# Pub/sub channel: "PLAYER SESSION GATEWAY", published for each newest session of a player.
REPLACED = "arena:replaced"


def gateway(gateway_id: str) -> str:
    """Heartbeat of a gateway."""
    return f"arena:gateway:{gateway_id}"


def workers(queue: str) -> str:
    """Sorted set: the last heartbeat of each worker that takes tasks from this queue."""
    return f"arena:workers:{queue}"


def inbox(gateway_id: str) -> str:
    """List of Delivery messages for the bots of a gateway."""
    return f"arena:gateway:{gateway_id}:inbox"


def presence(player: int) -> str:
    """A player's connection."""
    return f"arena:presence:{player}"


def hosted(player: int) -> str:
    """Lease of a host on a hosted player."""
    return f"arena:hosted:{player}"


def held(player: int) -> str:
    """Mark: a gateway has the player's stream. It outlives `presence` if the gateway falls
    silent."""
    return f"arena:held:{player}"


def allowance(player: int) -> str:
    """The rest of the grace time of a player who recently lost a stream, and when that was."""
    return f"arena:allowance:{player}"


def paces(player: int) -> str:
    """A player's answer rates when it was last connected."""
    return f"arena:paces:{player}"


def first_forecast(tournament: int) -> str:
    """The expected duration of a tournament at its start, in seconds."""
    return f"arena:forecast:{tournament}"


def gone(player: int) -> str:
    """Mark: the player used up the grace time, and since when (Unix seconds). Connecting removes
    it."""
    return f"arena:gone:{player}"


def new_reply_list() -> str:
    """A new name for the list of replies to a batch."""
    return f"arena:replies:{secrets.token_hex(8)}"


def batch(tournament: int, number: int) -> str:
    """Lease of a batch with its holder."""
    return f"{LEASE}{tournament}:{number}"


def failures(tournament: int, number: int) -> str:
    """The recent number of errors while playing a batch."""
    return f"{batch(tournament, number)}:failures"


def outages(tournament: int, number: int) -> str:
    """The recent number of outages of the database or Redis while playing a batch."""
    return f"{batch(tournament, number)}:outages"


def advancing(tournament: int) -> str:
    """Mark: a task that advances the tournament waits in the queue."""
    return f"arena:advancing:{tournament}"


def incident(tournament: int) -> str:
    """The error of a tournament; expires unless it occurs again."""
    return f"arena:trouble:{tournament}"


def answered(ticket: int) -> str:
    """Mark: a person has just answered this decision."""
    return f"arena:answered:{ticket}"


def left(player: int) -> str:
    """Mark: the person left the game for good."""
    return f"arena:left:{player}"


def lobby(code: str) -> str:
    """A table of friends: a Lobby."""
    return f"arena:lobby:{code}"


def lobbies(opener: str) -> str:
    """Sorted set: the codes of the open tables of friends of a person or an address, by the time
    at which they end."""
    return f"arena:lobbies:{opener}"


def next_lobby(tournament: int) -> str:
    """The code of the table at which the people of a game play again."""
    return f"arena:lobby-after:{tournament}"


def watched(tournament: int) -> str:
    """Mark: the tournament has spectators."""
    return f"arena:watched:{tournament}"


def on_stage(tournament: int) -> str:
    """The id of the featured match in play, renewed by the worker that plays it."""
    return f"arena:stage:{tournament}"


def on_show(tournament: int) -> str:
    """The featured match up to its last scored round: a SuspendedMatch."""
    return f"arena:show:{tournament}"


def tables(tournament: int) -> str:
    """Other matches in play next to the featured one: their scores after the last scored round."""
    return f"arena:tables:{tournament}"


def screening(tournament: int) -> str:
    """The featured stored match, and since when it is shown."""
    return f"arena:screening:{tournament}"
