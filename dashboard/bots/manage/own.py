"""Whose bots are whose: others' are as if they did not exist."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.errors import NotFound
from arena.store.registry import bots
from arena.store.registry.bots import Bot
from dashboard.account.rights import the_account


def my_bot(conn: Connection, name: str) -> Bot:
    """The bot of that name, if it is in the account that is signed in. Raises NotFound."""
    try:
        found = bots.get(conn, name)
    except NotFound:
        found = None
    if found is None or found.kind == "guest" or found.owner != the_account().id:
        raise NotFound(f'You have no bot named "{name}".')
    return found
