"""Public descriptions of bots and authors, written by the authors.

The texts are untrusted: short, one paragraph, without characters that hide or reverse text, and
links lead only to web pages. Organisers can remove them. Authors have a public page only if they
ask for one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Connection, bindparam, delete, select

from arena.base.errors import InvalidRequest, NotFound
from arena.store.registry.accounts import Account
from arena.store.registry.names import printable
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
    """An author's description of a bot; fields may be empty."""

    description: str = ""
    link: str = ""
    language: str = ""

    def checked(self) -> BotProfile:
        """The profile as it is stored. Raises InvalidRequest."""
        if self.language not in ("", *LANGUAGES):
            raise InvalidRequest(f'"{printable(self.language)}" is not in the list of languages.')
        return BotProfile(_text(self.description), _link(self.link), self.language)

    @property
    def host(self) -> str:
        """The host name of the link; only this part is shown."""
        return host(self.link)


@dataclass(frozen=True)
class AuthorProfile:
    """An author's description of themselves."""

    about: str = ""
    link: str = ""

    def checked(self) -> AuthorProfile:
        """The profile as it is stored. Raises InvalidRequest."""
        return AuthorProfile(_text(self.about), _link(self.link))

    @property
    def host(self) -> str:
        return host(self.link)


def host(link: str) -> str:
    return urlsplit(link).hostname or ""


def of_bot(conn: Connection, bot: int) -> BotProfile:
    """The profile of a bot; empty if it has none."""
    found = conn.execute(OF_BOT, {"of": bot}).one_or_none()
    return BotProfile(*found) if found else BotProfile()


def descriptions(conn: Connection, of: Collection[int]) -> dict[int, str]:
    """The descriptions of these bots, by bot id; bots without one are left out."""
    query = select(_row.bot, _row.description).where(_row.bot.in_(of), _row.description != "")
    return {row.bot: row.description for row in conn.execute(query)}


def describe(conn: Connection, bot: int, profile: BotProfile) -> None:
    """Stores the profile of a bot. Raises InvalidRequest."""
    said = profile.checked()
    conn.execute(delete(bot_profiles).where(bot_profiles.c.bot == bot))
    if said != BotProfile():
        conn.execute(bot_profiles.insert().values(bot=bot, **vars(said)))


def of_author(conn: Connection, account: int) -> AuthorProfile | None:
    """The public profile of an author, or None."""
    row = author_profiles.c
    query = select(row.about, row.link).where(row.account == account)
    found = conn.execute(query).one_or_none()
    return AuthorProfile(*found) if found else None


def publish(conn: Connection, account: Account, profile: AuthorProfile | None) -> None:
    """Sets an author's public profile; None removes it. Raises InvalidRequest."""
    said = profile.checked() if profile else None
    conn.execute(delete(author_profiles).where(author_profiles.c.account == account.id))
    if said:
        conn.execute(author_profiles.insert().values(account=account.id, **vars(said)))


def of_public_author(conn: Connection, account: Account | None) -> AuthorProfile:
    """The public profile of an author. Raises NotFound if there is no account or no profile."""
    found = of_author(conn, account.id) if account else None
    if found is None:
        raise NotFound("There is no author with a public page under this name.")
    return found


def _text(said: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    if len(text) > LONGEST:
        raise InvalidRequest(
            f"The description is too long. It has {len(text)} characters; {LONGEST} are allowed."
        )
    return text


def _link(said: str) -> str:
    link = said.strip()
    if not link:
        return ""
    wrong = InvalidRequest(
        f'"{printable(link)}" is not a link to a web page. Give one like '
        f"https://example.org/my-bot, with at most {LONGEST_LINK} characters."
    )
    if len(link) > LONGEST_LINK or not link.isascii() or not link.isprintable() or " " in link:
        raise wrong
    try:
        parts = urlsplit(link)
        there = "." in (parts.hostname or "") and parts.port != 0  # an invalid port raises
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not there or "@" in parts.netloc:
        raise wrong
    return link
