"""The secret of a bot from which `view.rng()` is derived."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.sdk.bot import Bot


def take_key(bot: Bot, key: str | None = None) -> None:
    """Sets the bot's key from a text, else from ARENA_BOT_KEY. Without either, it stays random."""
    if text := key or os.environ.get("ARENA_BOT_KEY"):
        bot.key = sha256(text.encode()).digest()
