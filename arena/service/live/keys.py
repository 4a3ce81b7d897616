"""The names of all keys in Redis, except Celery's queues.

Lower-case names are functions of a player, a tournament and so on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeAlias

OfPlayer: TypeAlias = Callable[[int], str]
OfTournament: TypeAlias = Callable[[int], str]
OfTicket: TypeAlias = Callable[[int], str]
OfText: TypeAlias = Callable[[str], str]
OfBatch: TypeAlias = Callable[[int, int], str]  # a tournament and the number of its batch

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

# Heartbeat of a gateway.
gateway: OfText = "arena:gateway:{}".format

# Sorted set: the last heartbeat of each worker that takes tasks from this queue.
workers: OfText = "arena:workers:{}".format

# List of Delivery messages for the bots of a gateway.
inbox: OfText = "arena:gateway:{}:inbox".format

# A player's connection.
presence: OfPlayer = "arena:presence:{}".format

# Lease of a host on a hosted player.
hosted: OfPlayer = "arena:hosted:{}".format

# Mark: a gateway has the player's stream. It outlives `presence` if the gateway falls silent.
held: OfPlayer = "arena:held:{}".format

# The rest of the grace time of a player who recently lost a stream, and when that was.
allowance: OfPlayer = "arena:allowance:{}".format

# A player's answer rates when it was last connected.
paces: OfPlayer = "arena:paces:{}".format

# The expected duration of a tournament at its start, in seconds.
first_forecast: OfTournament = "arena:forecast:{}".format

# Mark: the player used up the grace time, and since when (Unix seconds). Connecting removes it.
gone: OfPlayer = "arena:gone:{}".format

# Lease of a batch with its holder.
batch: OfBatch = (LEASE + "{}:{}").format

# The recent number of errors while playing a batch.
failures: OfBatch = (LEASE + "{}:{}:failures").format

# The recent number of outages of the database or Redis while playing a batch.
outages: OfBatch = (LEASE + "{}:{}:outages").format

# Mark: a task that advances the tournament waits in the queue.
advancing: OfTournament = "arena:advancing:{}".format

# The error of a tournament; expires unless it occurs again.
incident: OfTournament = "arena:trouble:{}".format

# Mark: a person has just answered this decision.
answered: OfTicket = "arena:answered:{}".format

# Mark: the person left the game for good.
left: OfPlayer = "arena:left:{}".format

# A table of friends: a Lobby.
lobby: OfText = "arena:lobby:{}".format

# Sorted set: the codes of the open tables of friends of a person or an address, by the time at
# which they end.
lobbies: OfText = "arena:lobbies:{}".format

# The code of the table at which the people of a game play again.
next_lobby: OfTournament = "arena:lobby-after:{}".format

# Mark: the tournament has spectators.
watched: OfTournament = "arena:watched:{}".format

# The id of the featured match in play, renewed by the worker that plays it.
on_stage: OfTournament = "arena:stage:{}".format

# The featured match up to its last scored round: a SuspendedMatch.
on_show: OfTournament = "arena:show:{}".format

# Other matches in play next to the featured one: their scores after the last scored round.
tables: OfTournament = "arena:tables:{}".format

# The featured stored match, and since when it is shown.
screening: OfTournament = "arena:screening:{}".format


def new_reply_list() -> str:
    """A new name for the list of replies to a batch."""
    return f"arena:replies:{secrets.token_hex(8)}"
