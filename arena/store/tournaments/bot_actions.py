"""What authors and operators do with a bot; the audit log notes the actor.

Each raises NotFound for an unknown bot.
"""

from sqlalchemy import Connection

from arena.store.registry import audit_log, bots
from arena.store.registry.audit_log import Actor
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import bench, sign_up


def new_token(conn: Connection, actor: Actor | None, name: str) -> str:
    """Replaces the token of a bot; returns the new one."""
    token = bots.rotate_token(conn, name)
    audit_log.note(conn, actor, "gave a new token", f"bot {name}")
    return token


def new_version(conn: Connection, actor: Actor | None, name: str, version: str) -> RegisteredBot:
    """Creates a version of a bot. Raises InvalidRequest, AlreadyExists."""
    bot = bots.new_version(conn, name, version)
    audit_log.note(conn, actor, "gave a new version", f"bot {bot.name}", bot.version)
    return bot


def retire(conn: Connection, actor: Actor | None, name: str) -> RegisteredBot:
    """Retires a bot, and withdraws it from tournaments that are open for sign-up."""
    bot = bots.retire(conn, name)
    sign_up.withdraw_everywhere(conn, [bot.id])
    audit_log.note(conn, actor, "retired", f"bot {bot.name}")
    return bot


def bring_back(conn: Connection, actor: Actor | None, name: str) -> RegisteredBot:
    """Reinstates a retired bot."""
    bot = bots.reinstate(conn, name)
    audit_log.note(conn, actor, "brought back", f"bot {bot.name}")
    return bot


def clear_bench(conn: Connection, actor: Actor | None, name: str) -> RegisteredBot:
    """Lets a benched bot enter tournaments again."""
    bot = bench.clear(conn, name)
    audit_log.note(conn, actor, "cleared the bench", f"bot {bot.name}")
    return bot
