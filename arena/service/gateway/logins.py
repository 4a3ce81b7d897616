"""Checks the logins of bots and hosts in the database. Blocking."""

from collections.abc import Collection

from arena.base.errors import ArenaError, InvalidRequest
from arena.service.gateway.sessions import Login
from arena.store import Store
from arena.store.registry import bots, hosts

RETIRED = (
    "{} is retired and cannot connect. Its owner can reinstate it on the dashboard, an organiser"
    " with `arena bot retire {} --back`."
)
NO_BOT = (
    "This token belongs to no bot. Check ARENA_TOKEN. You can create a new token under My bots on"
    " the arena's website."
)
REVOKED = "This bot's token is no longer valid. Start the bot with its new token."
NEW_VERSION = "{} has a new version. Restart its program to play as that version."
HOSTED = (
    "{0.label} is hosted, so programs cannot connect as it. Create a new version for the program on"
    " the bot's page under My bots, or name an older version that is not hosted (ARENA_BOT_VERSION,"
    " Hello.version)."
)
NO_HOST = "This token does not belong to a host. Restart the host to register it."
NO_HOSTED_BOT = (
    "The call does not name a bot. Hosts must send the metadata arena-bot: NAME@VERSION."
)
NOT_HOSTED = "{0.label} is not hosted. Connect with the bot's token instead."


class Unauthenticated(ArenaError):
    """The call carries no valid token."""


class UnknownHost(Unauthenticated):
    """No host has this token."""


def bot_of_token(store: Store, token: str) -> bots.RegisteredBot | None:
    """Return the bot with this token, in its newest version. It may be retired."""
    with store.read() as connection:
        return bots.by_token(connection, token)


def in_version(store: Store, bot: bots.RegisteredBot, version: str) -> bots.RegisteredBot:
    """Return a version of a bot. Raises NotFound."""
    with store.read() as connection:
        return bots.in_version(connection, bot, version)


def hosted_bot(store: Store, token: str, host_of: str) -> bots.RegisteredBot:
    """Return the hosted version that a host calls for. Raises UnknownHost, InvalidRequest,
    NotFound, Unauthenticated."""
    name, _, version = host_of.partition(bots.OF_VERSION)
    with store.read() as connection:
        if hosts.by_token(connection, token) is None:
            raise UnknownHost(NO_HOST)
        if not name or not version:
            raise InvalidRequest(NO_HOSTED_BOT)
        (bot,) = bots.get_all(connection, [host_of])
    if bot.retired is not None:
        raise Unauthenticated(RETIRED.format(bot.name, bot.name))
    if not bot.hosted:
        raise InvalidRequest(NOT_HOSTED.format(bot))
    return bot


def revoked(store: Store, logins: Collection[Login]) -> dict[Login, str]:
    """Return logins that are no longer valid, with the reasons."""
    of_hosts = {login.token for login in logins if login.host_of}
    of_bots = {login.token for login in logins if not login.host_of}
    with store.read() as connection:
        known = hosts.by_tokens(connection, of_hosts)
        holders = bots.by_tokens(connection, of_bots)
        versions = bots.by_players(connection, {login.player for login in logins})
    reasons: dict[Login, str] = {}
    for login in logins:
        version = versions.get(login.player)
        if login.host_of:
            reason = NO_HOST if login.token not in known else _host_revoked(version)
        else:
            reason = _revoked(login, holders.get(login.token), version)
        if reason:
            reasons[login] = reason
    return reasons


def _revoked(
    login: Login, bot: bots.RegisteredBot | None, version: bots.RegisteredBot | None
) -> str:
    """Return why a bot's login is no longer valid, or "". `bot` has the token, in its newest
    version; `version` is the login's."""
    if bot is None or version is None:
        return REVOKED
    if bot.retired is not None:
        return RETIRED.format(bot.name, bot.name)
    if bot.player != login.player and not login.names_version:
        return HOSTED.format(bot) if bot.hosted else NEW_VERSION.format(bot.name)
    return HOSTED.format(version) if version.hosted else ""


def _host_revoked(version: bots.RegisteredBot | None) -> str:
    """Return why a host may no longer play a version, or ""."""
    if version is None:
        return NO_HOSTED_BOT
    if version.retired is not None:
        return RETIRED.format(version.name, version.name)
    return "" if version.hosted else NOT_HOSTED.format(version)
