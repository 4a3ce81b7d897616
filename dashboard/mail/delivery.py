"""A mail server, to which letters are handed over by SMTP."""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from urllib.parse import unquote, urlsplit

from arena.base.config import Settings
from arena.base.errors import ArenaError, InvalidRequest
from arena.store.registry.mail.addresses import check_address

TIMEOUT_S = 20.0
PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}

INCOMPLETE = (
    "ARENA_SMTP_URL is set, so ARENA_MAIL_FROM and ARENA_PUBLIC_URL have to be, too: the sender of "
    "e-mails, and the address that links in them lead to."
)


class Undelivered(ArenaError):
    """A letter could not be handed over; `lasting` where trying again would not help."""

    def __init__(self, sentence: str, *, lasting: bool = False) -> None:
        super().__init__(sentence)
        self.lasting = lasting


@dataclass(frozen=True)
class Letter:
    """A mail as it is sent, with the secrets of the links that are in it."""

    to: str
    subject: str
    text: str
    unsubscribe: str = ""  # an address that switches off what the letter is about
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class MailServer:
    """Where letters are handed over, and from whom they are."""

    scheme: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    sender: str

    def send(self, letter: Letter) -> None:
        """Hands a letter over. Raises Undelivered."""
        message = written(letter, self.sender)
        try:
            smtp = self._connected()
            try:
                smtp.send_message(message, parseaddr(self.sender)[1], [letter.to])
            finally:
                # The letter is taken, or is not, whatever becomes of the goodbye.
                with suppress(OSError, smtplib.SMTPException):
                    smtp.quit()
                smtp.close()
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            raise Undelivered(f"refused ({codes})", lasting=all(c >= 500 for c in codes)) from None
        except (OSError, smtplib.SMTPException) as error:
            raise Undelivered(f"{type(error).__name__}: {_brief(error)}") from None

    def _connected(self) -> smtplib.SMTP:
        safe = ssl.create_default_context()
        if self.scheme == "smtps":
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=TIMEOUT_S, context=safe
            )
        else:
            smtp = smtplib.SMTP(self.host, self.port, timeout=TIMEOUT_S)
        try:
            if self.scheme == "smtp":
                smtp.starttls(context=safe)
            if self.user:
                smtp.login(self.user, self.password)
        except BaseException:
            smtp.close()
            raise
        return smtp


def mail_server(settings: Settings) -> MailServer | None:
    """The settings' mail server; None where no mail is sent. Raises InvalidRequest."""
    if not settings.smtp_url:
        return None
    if not settings.mail_from or not settings.public_url:
        raise InvalidRequest(INCOMPLETE)
    sender = parseaddr(settings.mail_from)[1]
    check_address(sender)
    parts = urlsplit(settings.smtp_url)
    try:
        host, port = parts.hostname, parts.port or PORTS[parts.scheme]
    except ValueError:
        host = None
    if not host:
        raise InvalidRequest("ARENA_SMTP_URL is no address of a mail server: smtp://HOST:587.")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return MailServer(parts.scheme, host, port, user, password, settings.mail_from)


def written(letter: Letter, sender: str) -> EmailMessage:
    """The letter as a message. None of its words can add a header: the policy refuses that."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = sender, letter.to, letter.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    if letter.unsubscribe:
        message["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(letter.text)
    return message


def _brief(error: Exception) -> str:
    """What went wrong; a server's answer may repeat what it was sent, so only its code is told."""
    if isinstance(error, smtplib.SMTPResponseException):
        return str(error.smtp_code)
    return str(error)[:200] if isinstance(error, OSError) else ""
