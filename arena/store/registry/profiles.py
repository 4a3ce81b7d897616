"""What authors say of their bots and of themselves, for everybody to read.

It is written by strangers: short, one paragraph, without characters that hide or turn text round,
and a link leads to the web and nowhere else. Organisers can remove it. Nobody has a public page
who did not ask for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Connection, bindparam, delete, select

from arena.base.errors import InvalidRequest, NotFound
from arena.store.registry.accounts import Account
from arena.store.tables import author_profiles, bot_profiles

LONGEST = 300  # characters of a description
LONGEST_LINK = 200
LANGUAGES = (
    *("C", "C#", "C++", "Clojure", "Dart", "Elixir", "Erlang", "F#", "Go", "Haskell", "Java"),
    *("JavaScript", "Julia", "Kotlin", "Lua", "Nim", "OCaml", "PHP", "Perl", "Python", "R"),
    *("Ruby", "Rust", "Scala", "Swift", "TypeScript", "Zig", "another language"),
)

_row = bot_profiles.c
OF_BOT = select(_row.description, _row.link, _row.language).where(_row.bot == bindparam("of"))


@dataclass(frozen=True)
class BotProfile:
    """What an author says of a bot; whatever is not said is empty."""

    description: str = ""
    link: str = ""
    language: str = ""

    def checked(self) -> BotProfile:
        """As it is stored. Raises InvalidRequest."""
        if self.language not in ("", *LANGUAGES):
            raise InvalidRequest(f'"{_shown(self.language)}" is not in the list of languages.')
        return BotProfile(_text(self.description), _link(self.link), self.language)

    @property
    def host(self) -> str:
        """Where the link leads, which is all that is shown of it."""
        return host(self.link)


@dataclass(frozen=True)
class AuthorProfile:
    """What an author says on a page of their own."""

    about: str = ""
    link: str = ""

    def checked(self) -> AuthorProfile:
        """As it is stored. Raises InvalidRequest."""
        return AuthorProfile(_text(self.about), _link(self.link))

    @property
    def host(self) -> str:
        """Where the link leads."""
        return host(self.link)


def host(link: str) -> str:
    """The name of the machine that a link leads to."""
    return urlsplit(link).hostname or ""


def of_bot(conn: Connection, bot: int) -> BotProfile:
    """What is said of a bot."""
    found = conn.execute(OF_BOT, {"of": bot}).one_or_none()
    return BotProfile(*found) if found else BotProfile()


def describe(conn: Connection, bot: int, profile: BotProfile) -> None:
    """Stores what is said of a bot. Raises InvalidRequest."""
    said = profile.checked()
    conn.execute(delete(bot_profiles).where(bot_profiles.c.bot == bot))
    if said != BotProfile():
        conn.execute(bot_profiles.insert().values(bot=bot, **vars(said)))


def of_author(conn: Connection, account: int) -> AuthorProfile | None:
    """The public page of an author; None for who has none."""
    row = author_profiles.c
    query = select(row.about, row.link).where(row.account == account)
    found = conn.execute(query).one_or_none()
    return AuthorProfile(*found) if found else None


def publish(conn: Connection, account: Account, profile: AuthorProfile | None) -> None:
    """Gives an author a public page, or takes it away. Raises InvalidRequest."""
    said = profile.checked() if profile else None
    conn.execute(delete(author_profiles).where(author_profiles.c.account == account.id))
    if said:
        conn.execute(author_profiles.insert().values(account=account.id, **vars(said)))


def of_public_author(conn: Connection, account: Account | None) -> AuthorProfile:
    """The public page of an author. Raises NotFound where there is none, whyever."""
    found = of_author(conn, account.id) if account else None
    if found is None:
        raise NotFound("There is no author with a public page of this name.")
    return found


def _text(said: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    if len(text) > LONGEST:
        raise InvalidRequest(
            f"A description has {LONGEST} characters at most, and this has {len(text)}."
        )
    return text


def _link(said: str) -> str:
    link = said.strip()
    if not link:
        return ""
    wrong = InvalidRequest(
        f'"{_shown(link)}" is no link to a web page: give one like https://example.org/my-bot, '
        f"of {LONGEST_LINK} characters at most."
    )
    if len(link) > LONGEST_LINK or not link.isascii() or not link.isprintable() or " " in link:
        raise wrong
    try:
        parts = urlsplit(link)
        there = "." in (parts.hostname or "") and parts.port != 0  # a port that is none raises
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not there or "@" in parts.netloc:
        raise wrong
    return link


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:60])
