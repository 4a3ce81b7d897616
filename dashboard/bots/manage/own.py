"""Access to the user's own bots. Other users' bots are reported as missing."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.base.errors import NotFound
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from dashboard.account.rights import the_account


def my_bot(conn: Connection, name: str) -> RegisteredBot:
    """Return the bot of that name, if it belongs to the signed-in account. Raises NotFound."""
    try:
        bot = bots.get(conn, name)
    except NotFound:
        bot = None
    if bot is None or bot.kind == "guest" or bot.owner != the_account().id:
        raise NotFound(f'You have no bot named "{name}".')
    return bot
