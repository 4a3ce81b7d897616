"""Limits on what strangers may send to a gateway. docs/limits.md lists them all.

What operators may want to change is a setting; the rest is here.
"""

from __future__ import annotations

from arena.base.config import Settings
from arena.base.keepalive import GATEWAY_PING_S, GATEWAY_PING_TIMEOUT_S, LEAST_PING_S

# Of one bot. A program that has lost its network opens a stream or two before the old ones end.
MOST_STREAMS_OF_A_BOT = 8

# Streams of the health and reflection services, which need no token.
MOST_OPEN_TO_ALL = 64

# Of the first message, before it is decoded.
HELLO_WITHIN_S = 10.0
LARGEST_HELLO = 16 * 1024  # bytes
MOST_GAMES = 32
LONGEST_SDK_NAME = 80
MOST_IN_FLIGHT = 4096

# Of what comes after it. Nobody has more decisions to answer than this.
MOST_CHOICES = MOST_IN_FLIGHT
LONGEST_ACTION, LONGEST_ERROR = 100, 500

# A decision may be answered late, but nobody saves up answers.
MOST_DUE = 4 * MOST_IN_FLIGHT
# A message counts as a choice for each that is in it, and for each piece of so many bytes.
CHOICE_BYTES = 4096
# While a bot sends more than it was asked for, its stream is read once in so many seconds.
PAUSE_S = 1.0
# Choices of one message that answer nothing are explained one by one up to here.
MOST_EXPLAINED = 16

# Of uploads and downloads of sources: each has one whole in memory.
MOST_TRANSFERS = 16
MOST_TRANSFERS_OF_AN_AUTHOR = 2
UPLOAD_WITHIN_S = 120.0

# Of what goes out: contents of one message, so that it stays well below 4 MB.
MOST_IN_A_MESSAGE = 512
# A bot that sends nonsense faster than it reads the problems does not get an error for each.
MOST_QUEUED = 1000
# A message that a bot has not read by then, though it has no decision to think about, ends its
# stream.
READ_WITHIN_S = 30.0
# How long a closed stream waits for a bot that does not read.
CLOSE_WITHIN_S = 5.0

# Of an error's sentence: clients refuse more than 8 kB of metadata, in which each byte may take
# three.
LONGEST_SENTENCE = 600


def server_options(settings: Settings) -> tuple[tuple[str, int], ...]:
    """The options of the gRPC server."""
    return (
        ("grpc.max_receive_message_length", settings.max_message),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        ("grpc.max_concurrent_streams", settings.max_streams),  # of one connection
        ("grpc.max_metadata_size", 8 * 1024),
        ("grpc.absolute_max_metadata_size", 16 * 1024),
        # Connections that never send anything, and those that are idle.
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 30_000),
        # Otherwise Linux lets two programs listen on one port, to their owner's surprise.
        ("grpc.so_reuseport", int(settings.share_port)),
        # Bots ping; by default a server takes more than two pings for an attack.
        ("grpc.http2.min_ping_interval_without_data_ms", round(1000 * LEAST_PING_S)),
        ("grpc.keepalive_permit_without_calls", 1),
        # A bot whose machine vanished is noticed within half a minute.
        ("grpc.keepalive_time_ms", round(1000 * GATEWAY_PING_S)),
        ("grpc.keepalive_timeout_ms", round(1000 * GATEWAY_PING_TIMEOUT_S)),
    )
