"""The player at a table: an account, or a guest without one, known by a signed cookie.

The cookie is separate from the session, so signing in or out during a match does not lose the
seat. It grants access to the guest's seats and nothing else.
"""

from dataclasses import dataclass

from flask import request
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import Connection
from werkzeug.wrappers import Response

from arena.store.registry.accounts import Account
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import guests
from dashboard import keys
from dashboard.account.session import current_account

COOKIE = "arena_guest"
LASTS_S = 30 * 86_400


@dataclass(frozen=True)
class Visitor:
    """The sender of a request: an account, a nameless guest's number, both or none. `called` is the
    name that a person without an account last played under; "" for none."""

    account: Account | None
    nameless: int | None
    called: str = ""

    @property
    def owner(self) -> int | None:
        return self.account.id if self.account else None

    def is_player(self, bot: RegisteredBot) -> bool:
        if bot.kind != "guest":
            return False
        if bot.owner is None:
            return bot.id == self.nameless
        return self.account is not None and bot.owner == self.account.id


def visitor() -> Visitor:
    return Visitor(current_account(), *_remembered(request.cookies.get(COOKIE, "")))


def _remembered(cookie: str) -> tuple[int | None, str]:
    try:
        value = _signer().loads(cookie)
    except BadSignature:
        return None, ""
    number, called = value if isinstance(value, list) else (value, "")  # older ones are numbers
    return number, called


def all_known(conn: Connection, who: Visitor) -> list[RegisteredBot]:
    found = guests.all_of_account(conn, who.account.id) if who.account else []
    guest = guests.nameless(conn, who.nameless) if who.nameless is not None else None
    return [*found, guest] if guest else found


def count_claimable(conn: Connection, who: Visitor, most: int) -> int:
    """Number of games without an account that can be added to one, up to `most`."""
    if who.nameless is None or guests.nameless(conn, who.nameless) is None:
        return 0
    return len(guests.tables(conn, [who.nameless], most))


def guest_of(conn: Connection, who: Visitor) -> RegisteredBot:
    """The guest that the visitor plays as from now on; creates one at the first game."""
    if who.account is not None:
        guest = guests.of_account(conn, who.account.id, who.account.name)
        return guest or guests.arrive(conn, (who.account.id, who.account.name))
    guest = guests.nameless(conn, who.nameless) if who.nameless is not None else None
    return guest or guests.arrive(conn, None)


def remember(response: Response, guest: RegisteredBot, called: str) -> None:
    """Sets the cookie that lets a nameless guest return to the table, with the entered name."""
    if guest.owner is None:
        response.set_cookie(
            COOKIE,
            _signer().dumps([guest.id, called]),
            max_age=LASTS_S,
            secure=request.is_secure,
            httponly=True,
            samesite="Lax",
        )


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(keys.accepted(), salt="guest")
