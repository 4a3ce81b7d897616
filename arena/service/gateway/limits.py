"""Limits for untrusted callers of a gateway. docs/limits.md lists those that clients meet.

Limits that operators may want to change are settings.
"""

from arena.base.config import Settings
from arena.base.keepalive import GATEWAY_PING_S, GATEWAY_PING_TIMEOUT_S, LEAST_PING_S
from arena.protocol.hello import MOST_IN_FLIGHT

# Of one bot. After a network failure a program may open new streams before the old ones end.
MOST_STREAMS_OF_A_BOT = 8

# Streams of the health and reflection services, which need no token.
MOST_OPEN_TO_ALL = 64

# Of the first message, before it is decoded.
HELLO_WITHIN_S = 10.0
LARGEST_HELLO = 16 * 1024  # bytes

# Of later messages. No bot has more decisions to answer.
MOST_CHOICES = MOST_IN_FLIGHT

# Decisions that may still be answered, including late ones.
MOST_DUE = 4 * MOST_IN_FLIGHT
# A message counts as one choice per choice in it, or per CHOICE_BYTES bytes if that is more.
CHOICE_BYTES = 4096
# Between two reads while a bot sends more choices than decisions.
PAUSE_S = 1.0
# Problems per message for choices that answer nothing.
MOST_EXPLAINED = 16

# Calls of a bot that store the notes of a match.
NOTES_PER_MINUTE = 120
NOTES_BYTES = 256 * 1024  # of a message with notes, whose texts have 64 kB

# Uploads and downloads of sources, each of which is whole in memory.
MOST_TRANSFERS = 16
MOST_TRANSFERS_OF_AN_AUTHOR = 2
TRANSFER_WITHIN_S = 120.0

# Decisions in one message to a bot, which keeps it well below 4 MB.
MOST_IN_A_MESSAGE = 512
# Queued messages per stream; further problems are dropped.
MOST_QUEUED = 1000
# A bot without decisions that does not read a message within this time loses its stream.
READ_WITHIN_S = 30.0
# How long a closed stream waits for a bot that does not read.
CLOSE_WITHIN_S = 5.0

# Of an error's sentence: clients refuse more than 8 kB of metadata, where a byte may take three.
LONGEST_SENTENCE = 600


def server_options(settings: Settings) -> tuple[tuple[str, int], ...]:
    return (
        ("grpc.max_receive_message_length", settings.max_message),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        ("grpc.max_concurrent_streams", settings.max_streams),  # of one connection
        ("grpc.max_metadata_size", 8 * 1024),
        ("grpc.absolute_max_metadata_size", 16 * 1024),
        # Silent and idle connections.
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 30_000),
        # By default Linux would let two programs listen on one port.
        ("grpc.so_reuseport", int(settings.share_port)),
        # Bots ping; by default a server treats more than two pings as an attack.
        ("grpc.http2.min_ping_interval_without_data_ms", round(1000 * LEAST_PING_S)),
        ("grpc.keepalive_permit_without_calls", 1),
        # A bot whose machine vanished is noticed within half a minute.
        ("grpc.keepalive_time_ms", round(1000 * GATEWAY_PING_S)),
        ("grpc.keepalive_timeout_ms", round(1000 * GATEWAY_PING_TIMEOUT_S)),
    )
