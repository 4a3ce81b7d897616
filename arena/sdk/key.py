"""The secret of a bot from which `view.rng()` is derived."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.sdk.bot import Bot


def take_key(bot: Bot, key: str | None = None) -> None:
    """Gives a bot the key of a text, else of ARENA_BOT_KEY; else it keeps its random one."""
    if text := key or os.environ.get("ARENA_BOT_KEY"):
        bot.key = sha256(text.encode()).digest()
