"""What a bot says of itself when it comes to an arena."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena import __version__
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import play_pb2 as pb
from arena.rules.rows import VERSION

if TYPE_CHECKING:
    from arena.sdk.bot import Bot


def hello_of(bot: Bot, version: str = "") -> pb.Hello:
    """The bot's Hello message; it plays as this version, or as the newest."""
    return pb.Hello(
        games=bot.games,
        min_seats=bot.min_seats,
        max_seats=bot.max_seats,
        max_in_flight=bot.max_in_flight,
        sdk=f"lama-arena-python/{__version__}",
        protocol=PROTOCOL,
        notices=bot.wants_notices(),
        packed=VERSION,
        version=version,
        max_matches=bot.max_matches,
    )
