"""The rules for names of accounts, bots and versions.

Names identify users and appear in URLs. So they must not sound like the arena itself, and must not
equal a fixed word at the same place of a URL. Existing accounts and bots keep their names.

Names are ASCII, so no letters of other alphabets can imitate ours. Digits and separators work
much the same ("adm1n", "r00t", "sup-port"), so roles are compared by `looks`. Words of URLs must be
equal: "bot-5" is not "bots".

New names must not look like another user's account or bot (`alike`). An account may have bots that
look like it and like each other. Bots that the operator registers without an owner are not checked:
an author may sign up under the name of one and be given it.
"""

import re
from hashlib import sha256

from sqlalchemy import CompoundSelect, Connection, select

from arena.base.errors import InvalidRequest
from arena.base.text import printable as _printable
from arena.store.dialects import lock_number
from arena.store.tables import accounts, bots

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}", re.ASCII)
# Words of URLs, now or perhaps later, where a name can appear as well. A test walks all routes for
# them.
ADDRESSES = """
    about account accounts api author authors bots docs edit embed events favicon.ico feed health
    healthz help index invitations join json legal live livez llms.txt login logout matches me
    metrics my new overview pairs play preview privacy profile puzzles ratings readyz register
    replay reset-password robots robots.txt rules sdk search series session sessions settings
    sign-in sign-out sign-up signin signout signup static status terms theme tournaments unsubscribe
    user users
"""
# Roles that speak for the arena, and words that name no particular user.
ROLES = """
    abuse admin administrator admins all amigo anonymous anybody arena arena-bot beat dashboard
    everybody everyone gateway guest host house house-bot info lama-arena legal mod moderator nobody
    none null official operator organiser organisers organizer organizers owner postmaster
    root security server service somebody staff superuser support sysadmin sysop system team
    undefined unknown webmaster worker
"""
# Programs that read tables (pandas, R, spreadsheets) take these for a missing value, a truth value
# or a number, whatever the rest of the column contains.
VALUES = frozenset("false inf infinity na nan nil none null true".split())  # noqa: SIM905
# The prefix of guests' names in casual games.
GUEST = "guest-"
# A URL with such an ending is a table, a document or a picture of the page without it.
FORMATS = (".csv", ".ics", ".json", ".png")

ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "3": "e", "4": "a", "5": "s", "7": "t"})
ALIKE_NUMBERS = str.maketrans({"0": "o", "1": "l"})
SEPARATORS = str.maketrans("", "", "._-")
# Digits at the end are a number, not letters.
NUMBERED = re.compile(r"(.*?)(\d*)", re.DOTALL)


def check_name(name: str, of: str = "bot") -> str:
    """Returns the name if a bot or account may have it. Raises InvalidRequest."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f'"{printable(name)}" is not a valid {of} name. Choose 1 to 40 letters, digits, ".", '
            '"_" and "-", starting with a letter or digit.'
        )
    return name


def check_version(version: str) -> str:
    """Returns the label if a version may have it. Raises InvalidRequest."""
    if not VERSION.fullmatch(version):
        raise InvalidRequest(
            f'"{printable(version)}" is not a valid version. Choose 1 to 40 letters, digits, ".", '
            '"_", "+" and "-", starting with a letter or digit.'
        )
    return check_reads_as_text(version)


def printable(text: str) -> str:
    """The start of a user's text, safe to repeat in a sentence."""
    return _printable(text[:60])


def check_free_to_take(name: str) -> str:
    """Returns the name if it reads as text and is not reserved. Raises InvalidRequest."""
    check_reads_as_text(name)
    if _is_number(name):
        raise InvalidRequest(
            f'"{name}" cannot be a name. Programs that read tables would mistake it for a number. '
            "Choose another name."
        )
    if is_reserved(name):
        raise InvalidRequest(f'"{name}" is reserved for the arena. Choose another name.')
    return name


def check_reads_as_text(label: str) -> str:
    """Returns the name or version if no program takes it for a value. Raises InvalidRequest."""
    if label.lower() in VALUES:
        raise InvalidRequest(
            f'"{label}" cannot be a name or version. Programs that read tables would mistake it '
            "for a missing value, a truth value or a number. Choose another one."
        )
    return label


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def is_reserved(name: str) -> bool:
    """Whether a new account or bot cannot have this name; case is ignored."""
    lower = name.lower()
    if lower in RESERVED or lower.startswith(GUEST) or lower.endswith(FORMATS):
        return True
    return looks(name) in IMPERSONATED


def looks(name: str) -> str:
    """A key shared by names that look the same: "Admin", "adm1n", "ad-min", "adrnin"."""
    match = NUMBERED.fullmatch(name.lower().translate(SEPARATORS))
    assert match is not None
    letters, number = match.groups()
    return letters.translate(ALIKE).replace("rn", "m").replace("vv", "w") + number


def alike(name: str) -> str:
    """A key that even "bot1" and "botl" share. It is stored with accounts and bots, so changing it
    takes a migration."""
    return looks(name).translate(ALIKE_NUMBERS)


def keys(name: str) -> dict[str, str]:
    """The columns that are stored with a name, to find it and names that look like it."""
    return {"name_key": name.lower(), "alike": alike(name)}


RESERVED = frozenset((ADDRESSES + ROLES).split())
IMPERSONATED = frozenset(looks(word) for word in ROLES.split())


# Names that can be confused with another user's


def check_new_bot(conn: Connection, name: str, owner: int) -> None:
    """Raises InvalidRequest for the name of a new bot of this account that looks like another's."""
    key = _lock(conn, name)
    person, bot = accounts.c, bots.c
    people = select(person.name).where(person.alike == key, person.id != owner)
    others = select(bot.name).where(bot.alike == key, bot.owner.is_distinct_from(owner))
    _refuse(conn, name, people.union_all(others.where(bot.name_key != name.lower())))


def check_new_account(conn: Connection, name: str) -> None:
    """Raises InvalidRequest for the name of a new account that looks like another's or a bot's."""
    key = _lock(conn, name)
    person, bot = accounts.c, bots.c
    people = select(person.name).where(person.alike == key, person.name_key != name.lower())
    given = (bot.name_key == name.lower()) & bot.owner.is_(None) & (bot.kind == "bot")
    _refuse(conn, name, people.union_all(select(bot.name).where(bot.alike == key, ~given)))


def check_new_guest(conn: Connection, name: str) -> None:
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
