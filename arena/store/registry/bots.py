"""Registered bots, their versions, and the tokens they connect with.

Of a token only the SHA-256 digest is stored; 192 random bits need no slow hash.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any, Literal

from sqlalchemy import Connection, Select, bindparam, func, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound
from arena.store.registry import names, similar
from arena.store.tables import bots, entrants, players, tournaments
from arena.store.upsert import insert

# A "house" bot comes with the arena; a "guest" is a human's seat at a table, which is not listed.
Kind = Literal["bot", "house", "guest"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
MOST_VERSIONS = 1_000  # of one bot
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}", re.ASCII)
OF_VERSION = "@"  # between a name and a version, where the newest is not meant
TOKEN_PREFIX = "lama_"  # noqa: S105
TOKENS_AT_A_TIME = 500  # in one query
SHOWN = 5  # versions named in a sentence


@dataclass(frozen=True, slots=True)
class RegisteredBot:
    """A bot in one of its versions, of which `player` is the number."""

    id: int
    name: str
    version: str
    player: int
    created: float  # when the bot was registered
    owner: int | None = None  # an account
    retired: float | None = None  # since when; it cannot connect and is not listed
    kind: Kind = "bot"
    hosted: bool = False  # this version is played by the arena's hosts, and by nobody else
    program: bool = False  # hosted, in another language than Python

    @property
    def waits_for_host(self) -> bool:
        """Whether it is the arena that is to connect it, so that its absence is no fault of its."""
        return self.hosted and self.retired is None

    @property
    def label(self) -> str:
        """What this version is called in a list of bots: NAME@VERSION."""
        return f"{self.name}{OF_VERSION}{self.version}"

    def called(self, asked: str) -> str:
        """What it is called where it was asked for in these words: with its version, or without."""
        return self.label if OF_VERSION in asked else self.name


def check_name(name: str) -> str:
    """The name, if bots may have it. Raises InvalidRequest."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f'"{printable(name)}" cannot be a bot\'s name: take 1 to 40 letters, digits, ".", "_" '
            'and "-", beginning with a letter or digit.'
        )
    return name


def check_version(version: str) -> str:
    """The label, if versions may have it. Raises InvalidRequest."""
    if not VERSION.fullmatch(version):
        raise InvalidRequest(
            f'"{printable(version)}" cannot be a version: take 1 to 40 letters, digits, ".", "_", '
            '"+" and "-", beginning with a letter or digit.'
        )
    return names.check_reads_as_text(version)


def printable(text: str) -> str:
    """The beginning of what a user wrote, to be repeated in a sentence: without characters that
    cannot be seen or turn the writing round."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:60])


def register(
    conn: Connection,
    name: str,
    now: float | None = None,
    *,
    owner: int | None = None,
    kind: Kind = "bot",
) -> tuple[RegisteredBot, str]:
    """A new bot with version "1", and its token, which cannot be had again.

    Names differ in more than capitals, and for bots of accounts as `similar` says. Raises
    InvalidRequest, AlreadyExists.
    """
    check_name(name)
    if kind == "bot":
        names.check_free_to_take(name)
        if owner is not None:
            similar.check_bot(conn, name, owner)
    token = new_token()
    created = instant.now() if now is None else now
    row = {"name": name, "created": created, "owner": owner, "kind": kind, **names.keys(name)}
    bot = conn.scalar(
        insert(conn, bots)
        .values(**row, token_digest=digest(token))
        .on_conflict_do_nothing(index_elements=[bots.c.name_key])
        .returning(bots.c.id)
    )
    if bot is None:
        raise AlreadyExists(
            f'There is a bot named "{name}" already: take another name, or rotate its token.'
        )
    player = conn.scalar(
        insert(conn, players).values(bot=bot, version="1", created=created).returning(players.c.id)
    )
    return RegisteredBot(bot, name, "1", int(player or 0), created, owner, None, kind), token


def new_version(
    conn: Connection,
    name: str,
    version: str = "",
    now: float | None = None,
    *,
    hosted: bool = False,
    program: bool = False,
) -> RegisteredBot:
    """The same bot in a new version: a player of its own, with ratings of its own.

    From its next connection on the bot plays as this version, unless the arena's hosts do, since
    it is `hosted`, maybe as a `program`; its token stays. Without a `version` it is the number of
    its versions plus one. Raises InvalidRequest, NotFound, AlreadyExists, LimitReached.
    """
    if version:
        check_version(version)
    bot = get(conn, name)
    # The row is locked so that two at once do not draw the same number.
    conn.execute(select(bots.c.id).where(bots.c.id == bot.id).with_for_update())
    labels = set(conn.scalars(select(players.c.version).where(players.c.bot == bot.id)))
    if len(labels) >= MOST_VERSIONS and bot.kind != "guest":  # a person has one for each table
        raise LimitReached(
            f"{bot.name} has {len(labels):,} versions, which is the most: register a new bot."
        )
    label = version or next(str(n) for n in count(len(labels) + 1) if str(n) not in labels)
    if label in labels:
        raise AlreadyExists(f"{bot.name} has a version {label} already: give it another one.")
    created = instant.now() if now is None else now
    row = {"bot": bot.id, "version": label, "created": created}
    row |= {"hosted": hosted, "program": program}
    player = conn.scalar(insert(conn, players).values(row).returning(players.c.id))
    return replace(bot, version=label, player=int(player or 0), hosted=hosted, program=program)


def set_hosted(conn: Connection, player: int, *, hosted: bool) -> None:
    """Has a version played by the arena's hosts from now on, or by a program with the bot's token.
    Raises NotFound."""
    row = update(players).where(players.c.id == player).values(hosted=hosted)
    if not conn.execute(row).rowcount:
        raise NotFound(f"There is no version with the number {player}.")


def rotate_token(conn: Connection, name: str) -> str:
    """A new token for a bot; the old one is void. Raises NotFound."""
    bot = get(conn, name)
    token = new_token()
    conn.execute(update(bots).where(bots.c.id == bot.id).values(token_digest=digest(token)))
    return token


def set_owner(conn: Connection, name: str, owner: int | None) -> RegisteredBot:
    """Gives a bot to an account, or with None to nobody. Raises NotFound."""
    return _change(conn, name, owner=owner)


def retire(conn: Connection, name: str, now: float | None = None) -> RegisteredBot:
    """Keeps a bot from connecting and from the lists; its results stay. Raises NotFound."""
    return _change(conn, name, retired=instant.now() if now is None else now)


def bring_back(conn: Connection, name: str) -> RegisteredBot:
    """Ends a bot's retirement; its token is what it was. Raises NotFound."""
    return _change(conn, name, retired=None)


def _change(conn: Connection, name: str, **values: Any) -> RegisteredBot:
    bot = get(conn, name)
    conn.execute(update(bots).where(bots.c.id == bot.id).values(**values))
    return replace(bot, **values)


def by_token(conn: Connection, token: str) -> RegisteredBot | None:
    """The bot that has this token, in its newest version; it may be retired."""
    return _one(conn, _newest().where(bots.c.token_digest == digest(token)))


def by_tokens(conn: Connection, tokens: Collection[str]) -> dict[str, RegisteredBot]:
    """Of each of these tokens that a bot has, this bot."""
    holders: dict[str, RegisteredBot] = {}
    listed = list(tokens)
    for first in range(0, len(listed), TOKENS_AT_A_TIME):
        by_digest = {digest(token): token for token in listed[first : first + TOKENS_AT_A_TIME]}
        query = _newest().where(bots.c.token_digest.in_(by_digest))
        for *row, found in conn.execute(query.add_columns(bots.c.token_digest)):
            holders[by_digest[found]] = RegisteredBot(*row)
    return holders


def get(conn: Connection, name: str) -> RegisteredBot:
    """The bot of that name, capitals or not, in its newest version. Raises NotFound."""
    bot = _one(conn, _named(), {"key": name.lower()})
    if bot is None:
        raise NotFound(f'There is no bot named "{printable(name)}".')
    return bot


def owned_by(conn: Connection, account: int) -> list[RegisteredBot]:
    """An account's bots by name, the retired ones last; the guest it plays as is none of them."""
    query = _newest().where(bots.c.owner == account, bots.c.kind != "guest")
    return [
        RegisteredBot(*row)
        for row in conn.execute(query.order_by(bots.c.retired.is_not(None), bots.c.name_key))
    ]


def versions(conn: Connection, bot: int) -> list[RegisteredBot]:
    """A bot in all its versions, newest first."""
    return [RegisteredBot(*row) for row in conn.execute(_versions_of(), {"of": bot})]


def get_all(conn: Connection, names: Iterable[str]) -> list[RegisteredBot]:
    """The bots of these names, in this order: as NAME in the newest version, as NAME@VERSION in
    that one. Raises NotFound naming those that are missing."""
    wanted = [name.partition(OF_VERSION) for name in names]
    keys = [name.lower() for name, _, _ in wanted]
    rows = conn.execute(_newest().where(bots.c.name_key.in_(keys)))
    by_key = {bot.name.lower(): bot for bot in (RegisteredBot(*row) for row in rows)}
    missing = [name for name in keys if name not in by_key]
    if missing:
        raise NotFound(f"There is no bot named {', '.join(missing)}: register it first.")
    return [
        in_version(conn, by_key[key], version) if separator else by_key[key]
        for key, (_, separator, version) in zip(keys, wanted, strict=True)
    ]


def in_version(conn: Connection, bot: RegisteredBot, version: str) -> RegisteredBot:
    """A bot in one of its versions. Raises NotFound naming the newest that there are."""
    of_bot = _versions().where(bots.c.id == bot.id)
    found = _one(conn, of_bot.where(players.c.version == version))
    if found is None:
        newest = conn.execute(of_bot.order_by(players.c.id.desc()).limit(SHOWN)).all()
        listed = ", ".join(RegisteredBot(*row).version for row in newest)
        raise NotFound(
            f'{bot.name} has no version "{printable(version)}"; the newest it has: {listed}.'
        )
    return found


def all_bots(conn: Connection, *, retired: bool = False) -> list[RegisteredBot]:
    """All bots in their newest version, by name; no guests, and retired ones only if asked for."""
    query = _newest().where(bots.c.kind != "guest")
    if not retired:
        query = query.where(bots.c.retired.is_(None))
    return [RegisteredBot(*row) for row in conn.execute(query.order_by(bots.c.name_key))]


def newest(conn: Connection, limit: int) -> list[RegisteredBot]:
    """So many bots of authors that are not retired, the one that came last first."""
    query = _newest().where(bots.c.kind == "bot", bots.c.retired.is_(None))
    rows = conn.execute(query.order_by(bots.c.id.desc()).limit(limit))
    return [RegisteredBot(*row) for row in rows]


def older_versions(conn: Connection, each: int) -> list[RegisteredBot]:
    """Of every one of those bots so many versions before its newest, newest first."""
    place = func.row_number().over(partition_by=players.c.bot, order_by=players.c.id.desc())
    ranked = (
        select(players.c.id, place.label("place"))
        .join(bots)
        .where(bots.c.kind != "guest", bots.c.retired.is_(None))
        .subquery()
    )
    query = _versions().join(ranked, ranked.c.id == players.c.id)
    query = query.where(ranked.c.place.between(2, each + 1))
    rows = conn.execute(query.order_by(bots.c.name_key, players.c.id.desc()))
    return [RegisteredBot(*row) for row in rows]


def page(conn: Connection, limit: int, after: str = "") -> tuple[list[RegisteredBot], str]:
    """So many of those bots, from the name on that is `after`; and the next page's `after`, empty
    at the end."""
    query = _newest().where(bots.c.kind != "guest", bots.c.retired.is_(None))
    query = query.where(bots.c.name_key > after.lower()).order_by(bots.c.name_key)
    rows = [RegisteredBot(*row) for row in conn.execute(query.limit(limit + 1))]
    listed = rows[:limit]
    return listed, listed[-1].name.lower() if len(rows) > limit else ""


def by_players(conn: Connection, player_ids: Iterable[int]) -> dict[int, RegisteredBot]:
    """For each of these players its bot in that version; unknown ones are left out."""
    ids = set(player_ids)
    rows = conn.execute(_versions().where(players.c.id.in_(ids))) if ids else ()
    return {bot.player: bot for bot in (RegisteredBot(*row) for row in rows)}


def match_counts(conn: Connection, of: Collection[int]) -> dict[int, int]:
    """By bot id, the matches that these bots have finished in tournaments, rated already or not,
    in all versions; without bots that have none."""
    rows = conn.execute(
        select(players.c.bot, func.sum(entrants.c.matches))
        .join_from(entrants, players)
        .join(tournaments, tournaments.c.id == entrants.c.tournament)
        .where(tournaments.c.kind == "tournament", players.c.bot.in_(of))
        .group_by(players.c.bot)
    )
    return {bot: int(count) for bot, count in rows if count}


def new_token() -> str:
    """ "lama_" and 32 random characters."""
    return TOKEN_PREFIX + secrets.token_urlsafe(24)


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


@cache  # making a query takes longer than carrying it out
def _versions() -> Select[Any]:
    return (
        select(bots.c.id, bots.c.name, players.c.version, players.c.id, bots.c.created)
        .add_columns(bots.c.owner, bots.c.retired, bots.c.kind)
        .add_columns(players.c.hosted, players.c.program)
        .join_from(bots, players)
    )


@cache
def _newest() -> Select[Any]:
    version = players.alias()
    newest = select(func.max(version.c.id)).where(version.c.bot == bots.c.id)
    return _versions().where(players.c.id == newest.scalar_subquery())


@cache
def _named() -> Select[Any]:
    return _newest().where(bots.c.name_key == bindparam("key"))


@cache
def _versions_of() -> Select[Any]:
    return _versions().where(bots.c.id == bindparam("of")).order_by(players.c.id.desc())


def _one(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> RegisteredBot | None:
    row = conn.execute(query, values).first()
    return None if row is None else RegisteredBot(*row)
