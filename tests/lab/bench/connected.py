"""Makes bots look connected, by writing to Redis as a gateway does."""

import time

from arena.base.config import Settings
from arena.service.live import keys
from arena.service.live.connect import connect
from arena.service.live.player_presence import Presence, encode
from arena.store import open_store
from arena.store.registry import bots

LASTS_S = 86_400


def connect_some(settings: Settings) -> None:
    """Marks every second bot as connected for a day, and one gateway as alive."""
    store = open_store(settings.database)
    with store.read() as conn:
        chosen = bots.all_bots(conn)[::2]
    store.dispose()
    with connect(settings.redis_url) as client, client.pipeline(transaction=False) as pipeline:
        pipeline.set(keys.ANY_GATEWAY, "g1", ex=LASTS_S)
        pipeline.set(keys.gateway("g1"), 1, ex=LASTS_S)
        for bot in chosen:
            pipeline.set(keys.presence(bot.player), encode(_presence(bot)), ex=LASTS_S)
        pipeline.execute()


def _presence(bot: bots.RegisteredBot) -> Presence:
    return Presence(
        player=bot.player,
        bot=bot.name,
        version=bot.version,
        gateway="g1",
        session="1",
        since=time.time() - 3600.0,
        games=("lama",),
        min_seats=2,
        max_seats=6,
        max_in_flight=256,
        sdk="arena-sdk 0.1",
        in_flight=12,
        latency_ms=1.5,
    )
