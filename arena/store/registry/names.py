"""Which names of accounts and bots nobody can take: the one list of them.

Names are shown as who somebody is, and stand in addresses. So they must not sound like the arena
itself, nor be a word that stands in the same place of an address. Only new names are checked:
accounts and bots that have such a name already keep it.

Names are ASCII, so no letters of other alphabets look like ours; but digits and separators do
much the same ("adm1n", "r00t", "sup-port"). Who could be taken for somebody is compared by what
the name looks like; words of addresses have to be the same, so that "bot-5" is not "bots".
"""

from __future__ import annotations

import re

from arena.base.errors import InvalidRequest

# Words that stand in addresses, or may one day, where a name can stand as well. A test walks
# all routes for them.
ADDRESSES = """
    about account accounts api author authors bots docs edit embed events favicon.ico feed
    health healthz help index json legal live livez llms.txt login logout matches me metrics my
    new overview play pairs preview privacy profile ratings readyz register replay
    reset-password robots robots.txt rules sdk search session sessions settings sign-in sign-out
    sign-up signin signout signup static status terms theme tournaments unsubscribe user users
"""
# Who speaks for the arena, or is nobody in particular.
ROLES = """
    abuse admin administrator admins all amigo anonymous anybody arena arena-bot beat dashboard
    everybody everyone gateway guest host house house-bot info lama-arena legal mod moderator nobody
    none null official operator organiser organisers organizer organizers owner postmaster
    root security server service somebody staff superuser support sysadmin sysop system team
    undefined unknown webmaster worker
"""
# Programs that read tables (pandas, R, spreadsheets) take these for a missing value, a truth value
# or a number, whatever else stands in the column.
VALUES = frozenset("false inf infinity na nan nil none null true".split())  # noqa: SIM905
# People at a table are called so.
GUEST = "guest-"
# An address that ends so is a table, a document or a picture of what stands before it.
FORMATS = (".csv", ".ics", ".json", ".png")

ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "3": "e", "4": "a", "5": "s", "7": "t"})
ALIKE_NUMBERS = str.maketrans({"0": "o", "1": "l"})
SEPARATORS = str.maketrans("", "", "._-")
# Digits at the end count something: they are no letters.
NUMBERED = re.compile(r"(.*?)(\d*)", re.DOTALL)


def check_free_to_take(name: str) -> str:
    """The name, if tables can hold it and it is not reserved. Raises InvalidRequest."""
    check_reads_as_text(name)
    if _is_number(name):
        raise InvalidRequest(
            f'"{name}" cannot be a name: programs that read tables would take it for a number. '
            "Choose another name."
        )
    if is_reserved(name):
        raise InvalidRequest(f'"{name}" is reserved for the arena itself. Choose another name.')
    return name


def check_reads_as_text(label: str) -> str:
    """The name or version, if no program takes it for a value. Raises InvalidRequest."""
    if label.lower() in VALUES:
        raise InvalidRequest(
            f'"{label}" cannot be a name or version: programs that read tables would take it for a '
            "missing value, a truth value or a number. Choose another."
        )
    return label


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def is_reserved(name: str) -> bool:
    """Whether a new account or bot cannot have this name, capitals or not."""
    lower = name.lower()
    if lower in RESERVED or lower.startswith(GUEST) or lower.endswith(FORMATS):
        return True
    return looks(name) in IMPERSONATED


def looks(name: str) -> str:
    """The same for names that look much alike: "Admin", "adm1n", "ad-min", "adrnin"."""
    match = NUMBERED.fullmatch(name.lower().translate(SEPARATORS))
    assert match is not None
    letters, number = match.groups()
    return letters.translate(ALIKE).replace("rn", "m").replace("vv", "w") + number


def alike(name: str) -> str:
    """The same for names that can be taken for one another: also "bot1" and "botl". It is stored
    with accounts and bots (`similar`), so a change of it takes a migration."""
    return looks(name).translate(ALIKE_NUMBERS)


def keys(name: str) -> dict[str, str]:
    """What is stored with a name, to find it and those that look like it."""
    return {"name_key": name.lower(), "alike": alike(name)}


RESERVED = frozenset((ADDRESSES + ROLES).split())
IMPERSONATED = frozenset(looks(word) for word in ROLES.split())
