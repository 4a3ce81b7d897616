"""The names of all keys in Redis, except Celery's queues. Lower-case names are functions of the
parts in braces."""

import re
import secrets
from collections.abc import Callable
from typing import TypeAlias

OfNumber: TypeAlias = Callable[[int], str]  # of a player, a tournament or a ticket
OfText: TypeAlias = Callable[[str], str]
OfBatch: TypeAlias = Callable[[int, int], str]  # a tournament and the number of its batch


def _key(pattern: str) -> Callable[..., str]:
    return re.sub(r"{\w+}", "{}", pattern).format


# Processes

# Sorted sets: the time of the last heartbeat of each gateway, beat and host, by the clock of Redis;
# of each worker that takes tasks from a queue; and of the last report of each hanging worker.
GATEWAYS, BEATS, HOSTS = "arena:gateways", "arena:beats", "arena:hosts"
workers: OfText = _key("arena:workers:{queue}")
HANGING = "arena:hanging"

ANY_GATEWAY = "arena:gateway"  # joint heartbeat of all gateways: exists while one is alive
gateway: OfText = _key("arena:gateway:{gateway}")  # heartbeat
inbox: OfText = _key("arena:gateway:{gateway}:inbox")  # list of Delivery messages for its bots

host_failure: OfText = _key("arena:host-failure:{host}")  # what it failed to do lately, and why

HOUSE = "arena:house"  # lease: the `arena house` process that connects the house bots
PROBE = "arena:probe"  # written to test whether Redis accepts writes; expires at once
OVERLOAD = "arena:overload"  # hash: the share of matches played at once after an overload

# Sorted set: the time of the last clock report of each process, PROCESS@HOST. Hash: the seconds by
# which its clock is ahead of the clock of Redis.
CLOCKS_REPORTED = "arena:clocks:reported"
CLOCKS = "arena:clocks"

SWEPT = "arena:swept"  # mark: a sweep was completed recently
SWEEP_BEGAN = "arena:sweep-began"  # mark: a sweep was started within the last half second
SWEEPING = "arena:sweeping"  # lock: a sweep is running
CALCULATING_LUCK = "arena:luck"  # lock: a process calculates the luck of matches


# Players

REPLACED = "arena:replaced"  # channel: "PLAYER SESSION GATEWAY" for each newest session of a player
presence: OfNumber = _key("arena:presence:{player}")  # its connection
# Mark: a gateway has the player's stream. It outlives `presence` if the gateway falls silent.
held: OfNumber = _key("arena:held:{player}")
hosted: OfNumber = _key("arena:hosted:{player}")  # lease of a host
# The rest of the grace time of a player who recently lost a stream, and when that was.
allowance: OfNumber = _key("arena:allowance:{player}")
# Mark: the player used up the grace time, and since when (Unix seconds). Connecting removes it.
gone: OfNumber = _key("arena:gone:{player}")
left: OfNumber = _key("arena:left:{player}")  # mark: the person left the game for good
answered: OfNumber = _key("arena:answered:{ticket}")  # mark: a person has just answered this
paces: OfNumber = _key("arena:paces:{player}")  # its answer rates when it was last connected


# Batches

# Batches that wait for a worker; see `ready`. Sorted sets: tournaments by virtual time, batches by
# arrival time, virtual times. String: the clock of virtual time. Hash: the cost of a batch.
READY = "arena:ready"
READY_SINCE = "arena:ready:since"
READY_SHARES = "arena:ready:shares"
READY_CLOCK = "arena:ready:clock"
READY_COSTS = "arena:ready:costs"
READY_BATCHES = "arena:ready:batches:"  # and a tournament: sorted set of its waiting batches
QUEUED = "arena:queued"  # hash: since when tournaments have had waiting batches and no worker
PLAYING = "arena:playing"  # sorted set: batches in play, by the expiry time of their leases

LEASE = "arena:batch:"  # and a tournament and a batch ("7:3"): the lease with its holder
batch: OfBatch = _key(LEASE + "{tournament}:{batch}")
# The recent numbers of errors, and of outages of the database or Redis, while playing a batch.
failures: OfBatch = _key(LEASE + "{tournament}:{batch}:failures")
outages: OfBatch = _key(LEASE + "{tournament}:{batch}:outages")


# Tournaments

# Mark: a task that advances the tournament waits in the queue.
advancing: OfNumber = _key("arena:advancing:{tournament}")
incident: OfNumber = _key("arena:trouble:{tournament}")  # its error; expires unless it occurs again
first_forecast: OfNumber = _key("arena:forecast:{tournament}")  # expected seconds at its start

watched: OfNumber = _key("arena:watched:{tournament}")  # mark: it has spectators
# The id of the featured match in play, renewed by the worker that plays it.
on_stage: OfNumber = _key("arena:stage:{tournament}")
# The featured match up to its last scored round: a SuspendedMatch.
on_show: OfNumber = _key("arena:show:{tournament}")
# Other matches in play next to the featured one: their scores after the last scored round.
tables: OfNumber = _key("arena:tables:{tournament}")
# The featured stored match, and since when it is shown.
screening: OfNumber = _key("arena:screening:{tournament}")


# Tables of friends

lobby: OfText = _key("arena:lobby:{code}")  # a Lobby
# Sorted set: the codes of the open tables of a person or an address, by the time at which they end.
lobbies: OfText = _key("arena:lobbies:{opener}")
# The code of the table at which the people of a game play again.
next_lobby: OfNumber = _key("arena:lobby-after:{tournament}")


def new_reply_list() -> str:
    """A new name for the list of replies to a batch."""
    return f"arena:replies:{secrets.token_hex(8)}"
