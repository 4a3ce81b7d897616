"""Sending messages through a mail server by SMTP."""

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email._header_value_parser import TokenList
from email.errors import MessageError
from email.header import Header
from email.headerregistry import HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Any
from urllib.parse import unquote

from arena.base.config import Settings
from arena.base.errors import ArenaError
from arena.service.health.external_services import smtp_address

TIMEOUT_S = 20.0
LINE = 76  # characters of a line with encoded words (RFC 2047)
PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}


class Subject(UniqueUnstructuredHeader):
    """A subject, folded by `email.header`: the policy's own folding loses spaces. Encoded words in
    it are text. The library would decode them, and add the lines that they hold."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"], kwds["decoded"] = TokenList(), value

    def fold(self, *, policy: Policy) -> str:
        text, name = str(self), "Subject"
        fits = text.isascii() and "=?" not in text and len(f"{name}: {text}") <= LINE
        words = Header(text, "us-ascii" if fits else "utf-8", LINE, name)
        return f"{name}: {words.encode(linesep=policy.linesep)}{policy.linesep}"


HEADERS = HeaderRegistry()
HEADERS.map_to_type("subject", Subject)  # type: ignore[arg-type]  # which adds BaseHeader
# Folding would encode a long address in List-Unsubscribe, which mail programs do not read (RFC
# 2369). A line may have 998 characters.
POLICY = SMTP.clone(max_line_length=900, header_factory=HEADERS)


class Undelivered(ArenaError):
    """A message could not be sent; `lasting` if retrying would not help."""

    def __init__(self, sentence: str, *, lasting: bool = False) -> None:
        super().__init__(sentence)
        self.lasting = lasting


@dataclass(frozen=True)
class Message:
    """An e-mail, with the secrets of the links in it."""

    to: str
    subject: str
    text: str
    unsubscribe: str = ""  # address to unsubscribe from such notifications
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class MailServer:
    """A mail server and the sender of all messages."""

    scheme: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    sender: str

    def send(self, message: Message) -> None:
        """Send a message. Raises Undelivered."""
        try:
            written = email_message(message, self.sender)
            smtp = self._connected()
            try:
                smtp.send_message(written, parseaddr(self.sender)[1], [message.to])
            finally:
                # The message was accepted or refused before, so errors of QUIT do not matter.
                with suppress(OSError, smtplib.SMTPException):
                    smtp.quit()
                smtp.close()
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            raise Undelivered(f"refused ({codes})", lasting=all(c >= 500 for c in codes)) from None
        except (ValueError, MessageError) as error:
            raise Undelivered(f"not a message: {error}", lasting=True) from None
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
    """Return the configured mail server, or None. Raises InvalidRequest."""
    parts = smtp_address(settings)
    if parts is None:
        return None
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return MailServer(parts.scheme, host, port, user, password, settings.mail_from)


def email_message(message: Message, sender: str) -> EmailMessage:
    """Return the message with its headers. The policy rejects texts that would add headers."""
    written = EmailMessage(policy=POLICY)
    written["From"], written["To"], written["Subject"] = sender, message.to, message.subject
    written["Date"] = format_datetime(datetime.now(UTC))
    written["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].partition("@")[2])
    written["Auto-Submitted"] = "auto-generated"
    if message.unsubscribe:
        written["List-Unsubscribe"] = f"<{message.unsubscribe}>"
        written["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    written.set_content(message.text)
    return written


def _brief(error: Exception) -> str:
    """Describe an error. A server's answer may quote the message, so only its code is used."""
    if isinstance(error, smtplib.SMTPResponseException):
        return str(error.smtp_code)
    return str(error)[:200] if isinstance(error, OSError) else ""
