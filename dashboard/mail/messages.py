"""The texts of e-mails, written right before sending, so that secret links are not stored."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlencode

from sqlalchemy import Connection, select

from arena.base.errors import LimitReached, NotFound
from arena.base.text import plural
from arena.store.registry import accounts, invitations
from arena.store.registry.accounts import Account
from arena.store.registry.mail import addresses, links
from arena.store.registry.mail.addresses import Notice
from arena.store.registry.mail.outbox import Mail
from arena.store.reports import standings
from arena.store.tables import bots
from arena.store.tournaments import tournaments
from dashboard import keys
from dashboard.mail.delivery import Message

FEW = 5  # places listed in a notification


@dataclass(frozen=True)
class Writer:
    """Writes messages for the arena at `public_url`; `key` signs unsubscribe links."""

    public_url: str
    key: str = field(repr=False)

    def message(self, conn: Connection, mail: Mail, now: float) -> Message | None:
        """Return the message of a queued e-mail; None if it is no longer wanted or possible."""
        try:
            return self._of_kind(conn, mail, now)
        except (NotFound, LimitReached):  # the account is deleted, or has its daily links already
            return None

    def _of_kind(self, conn: Connection, mail: Mail, now: float) -> Message | None:
        if mail.kind == "reset":
            return self._reset(conn, mail.about, now)
        if mail.kind == "invited":
            return self._invited(conn, int(mail.about), now)
        assert mail.account is not None
        account = accounts.get(conn, mail.account)
        if mail.kind == "confirm":
            return self._confirm(conn, account, mail.about, now)
        if mail.kind == "moved":
            return Message(mail.about, "Your e-mail address was changed", MOVED % account.name)
        if (email := addresses.of_account(conn, account.id)) is None:
            return None
        if mail.kind == "password":
            text = CHANGED % (account.name, self._page("/reset-password"))
            return Message(email.address, "Your password was changed", text)
        if mail.kind == "finished" and email.finished:
            return self._finished(conn, account, email.address, int(mail.about))
        if mail.kind == "offline" and email.offline:
            return self._offline(conn, account, email.address, int(mail.about))
        return None

    def _confirm(self, conn: Connection, account: Account, address: str, now: float) -> Message:
        secret = links.make(conn, "confirm", account.id, address, now)
        link = self._page("/account/email/confirm", token=secret)
        text = CONFIRM % (account.name, link)
        return Message(address, "Confirm your address", text, secrets=(secret,))

    def _reset(self, conn: Connection, asked: str, now: float) -> Message | None:
        """Return one message with a link for each account of that name or address, if any."""
        address, secrets, lines = "", [], []
        for number in _asked_for(conn, asked):
            account, email = accounts.get(conn, number), addresses.of_account(conn, number)
            if email is None:
                continue
            with suppress(LimitReached):
                secrets.append(links.make(conn, "reset", number, email.address, now))
                link = self._page("/reset-password/new", token=secrets[-1])
                lines.append(f"{account.name}\n{link}")
                address = email.address
        if not address:
            return None
        text = RESET % "\n\n".join(lines)
        return Message(address, "Choose a new password", text, secrets=tuple(secrets))

    def _invited(self, conn: Connection, number: int, now: float) -> Message | None:
        found = invitations.get(conn, number)
        if not found.address or now >= found.expires:
            return None
        link = self._page(f"/join/{keys.invitation_code(number, [self.key])}")
        until = datetime.fromtimestamp(found.expires, UTC)
        text = INVITED % (found.title, f"{until:%Y-%m-%d %H:%M}", link)
        return Message(found.address, f"Invitation: {found.title}", text)

    def _finished(self, conn: Connection, account: Account, to: str, number: int) -> Message:
        tournament = tournaments.get(conn, number)
        name = tournament.spec.name  # one line, as the spec has it
        places = standings.standings(conn, number)[:FEW]
        lines = "\n".join(f"  {each.rank}. {each.called}" for each in places)
        page = self._page(f"/tournaments/{number}")
        text = FINISHED % (name, plural(tournament.played, "match", "matches"), lines, page)
        return self._notice(account, to, f"{name} is finished", text, "finished")

    def _offline(self, conn: Connection, account: Account, to: str, number: int) -> Message:
        name = conn.scalar(select(bots.c.name).where(bots.c.id == number))
        text = OFFLINE % (name, self._page(f"/my/bots/{name}"))
        return self._notice(account, to, f"{name} went offline", text, "offline")

    def _notice(
        self, account: Account, to: str, subject: str, text: str, notice: Notice
    ) -> Message:
        token = keys.signed(self.key, keys.Switch(account.id, notice))
        off = self._page("/unsubscribe", token=token)
        return Message(to, subject, text + STOP % off, off)

    def _page(self, path: str, **query: str) -> str:
        asked = f"?{urlencode(query)}" if query else ""
        return self.public_url.rstrip("/") + path + asked


def _asked_for(conn: Connection, asked: str) -> Sequence[int]:
    if "@" in asked:
        return addresses.accounts_at(conn, asked)
    account = accounts.find(conn, asked)
    return [account.id] if account else []


CONFIRM = """\
Someone, probably you, entered this address for the account %s on lama-arena.

Open this page within a day to confirm it:
%s

If it was not you, ignore this e-mail. Nothing more will be sent.
"""
RESET = """\
Someone, probably you, asked for a new password on lama-arena.

Open this link within a day to choose one. Each link works once, for the account above it:

%s

If it was not you, ignore this e-mail. Your password stays the same.
"""
INVITED = """\
You are invited to lama-arena, where bots play card games: %s

Open this link to create your account. It works once, until %s UTC:
%s

If you do not know why, ignore this e-mail. Nothing more will be sent.
"""
CHANGED = """\
The password of your account %s on lama-arena has just been changed, and all browsers were
signed out.

If it was not you, choose a new one now: %s
"""
MOVED = """\
The e-mail address of your account %s on lama-arena was changed. This address gets no more e-mail.

If it was not you, contact the operator of the arena.
"""
FINISHED = """\
%s is finished after %s.

%s

Standings, matches and replays: %s
"""
OFFLINE = """\
%s is playing in a tournament, but has been disconnected for two minutes. Until it reconnects, it
forfeits matches. After many forfeits in a row, it is withdrawn.

See its page for its current state: %s
"""
STOP = """
--\x20
You get this e-mail because you turned on notifications. To unsubscribe: %s
"""
