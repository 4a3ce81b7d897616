"""The first message of a bot to an arena."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena import __version__
from arena.games.rules.rows import VERSION
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.declared import declared

if TYPE_CHECKING:
    from arena.sdk.bot import Bot


def hello_of(bot: Bot, version: str = "") -> pb.Hello:
    """Returns the bot's Hello. `version` defaults to the newest. Raises InvalidRequest if the bot's
    attributes are invalid."""
    return pb.Hello(
        **declared(bot)._asdict(),
        sdk=f"lama-arena-python/{__version__}",
        protocol=PROTOCOL,
        notices=bot.wants_notices(),
        packed=VERSION,
        version=version,
    )
