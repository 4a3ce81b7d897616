"""What a gateway announces of a bot."""

from __future__ import annotations

from arena.protocol.v1.play_pb2 import Hello
from arena.service.gateway.auth import CallingBot
from arena.service.live.player_presence import Presence


def announced(caller: CallingBot, hello: Hello, gateway_id: str, since: float) -> Presence:
    """Return the presence to claim for a bot with a valid Hello. It has no session yet."""
    return Presence(
        player=caller.bot.player,
        bot=caller.bot.name,
        version=caller.bot.version,
        gateway=gateway_id,
        session="",
        since=since,
        games=tuple(hello.games),
        min_seats=hello.min_seats,
        max_seats=hello.max_seats,
        max_in_flight=hello.max_in_flight,
        sdk=hello.sdk,
        notices=hello.notices,
        packed=hello.packed,
        hosted=bool(caller.host_of),
        max_matches=hello.max_matches,
    )
