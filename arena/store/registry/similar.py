"""Refuses new names that can be confused with another user's account or bot.

Names are compared by `names.alike`, which is stored with them. An account may have bots that look
like it and like each other. Bots that the operator registers without an owner are not checked: an
author may sign up under the name of one and be given it.
"""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import CompoundSelect, Connection, select

from arena.base.errors import InvalidRequest
from arena.store.dialects import lock_number
from arena.store.registry.names import alike
from arena.store.tables import accounts, bots


def check_bot(conn: Connection, name: str, owner: int) -> None:
    """Raises InvalidRequest for the name of a new bot of this account that looks like another's."""
    key = _lock(conn, name)
    person, bot = accounts.c, bots.c
    people = select(person.name).where(person.alike == key, person.id != owner)
    others = select(bot.name).where(bot.alike == key, bot.owner.is_distinct_from(owner))
    _refuse(conn, name, people.union_all(others.where(bot.name_key != name.lower())))


def check_account(conn: Connection, name: str) -> None:
    """Raises InvalidRequest for the name of a new account that looks like another's or a bot's."""
    key = _lock(conn, name)
    person, bot = accounts.c, bots.c
    people = select(person.name).where(person.alike == key, person.name_key != name.lower())
    given = (bot.name_key == name.lower()) & bot.owner.is_(None) & (bot.kind == "bot")
    _refuse(conn, name, people.union_all(select(bot.name).where(bot.alike == key, ~given)))


def check_guest(conn: Connection, name: str) -> None:
    """Raises InvalidRequest for the name of a guest that looks like any account's or bot's."""
    key = _lock(conn, name)
    people = select(accounts.c.name).where(accounts.c.alike == key)
    _refuse(conn, name, people.union_all(select(bots.c.name).where(bots.c.alike == key)))


def _refuse(conn: Connection, name: str, found: CompoundSelect[str]) -> None:
    other = conn.scalar(found.limit(1))
    if other is not None:
        raise InvalidRequest(
            f'The name "{name}" is not available. It looks like "{other}". Choose another name.'
        )


def _lock(conn: Connection, name: str) -> str:
    """The key of a name, which other transactions cannot check until this one ends."""
    key = alike(name)
    digest = sha256(f"name {key}".encode()).digest()
    lock_number(conn, int.from_bytes(digest[:8], "big", signed=True))
    return key
