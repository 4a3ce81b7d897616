"""Registered bots, their versions, and the tokens they connect with."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

from sqlalchemy import Connection, Select, bindparam, func, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, LimitReached, NotFound
from arena.store.dialects import insert
from arena.store.registry import names
from arena.store.registry.names import printable as printable  # used as bots.printable
from arena.store.registry.tokens import by_digest, digest, new_token
from arena.store.tables import bots, players

# "house" bots come with the arena; a "guest" is a person's seat in a casual game and is not listed.
Kind = Literal["bot", "house", "guest"]

MOST_VERSIONS = 1_000  # per bot
OF_VERSION = "@"  # between a name and a version; a name alone means the newest version
TOKEN_PREFIX = "lama_"  # noqa: S105
SHOWN = 5  # versions named in an error

# All versions of all bots, as the fields of RegisteredBot.
ALL_VERSIONS: Select[Any] = (
    select(bots.c.id, bots.c.name, players.c.version, players.c.id, bots.c.created)
    .add_columns(bots.c.owner, bots.c.retired, bots.c.kind)
    .add_columns(players.c.hosted, players.c.program)
    .join_from(bots, players)
)
_version = players.alias()
_newest = select(func.max(_version.c.id)).where(_version.c.bot == bots.c.id)
NEWEST_VERSIONS = ALL_VERSIONS.where(players.c.id == _newest.scalar_subquery())
NAMED = NEWEST_VERSIONS.where(bots.c.name_key == bindparam("key"))
NEWEST_PLAYERS = (
    NEWEST_VERSIONS.where(bots.c.kind != "guest", bots.c.retired.is_(None))
    .with_only_columns(players.c.id)
    .order_by(players.c.id)
)
VERSIONS_OF = ALL_VERSIONS.where(bots.c.id == bindparam("of")).order_by(players.c.id.desc())


@dataclass(frozen=True, slots=True)
class RegisteredBot:
    """One version of a bot; `player` is the number of that version."""

    id: int
    name: str
    version: str
    player: int
    created: float  # when the bot was registered
    owner: int | None = None  # an account
    retired: float | None = None  # since when; a retired bot cannot connect and is not listed
    kind: Kind = "bot"
    hosted: bool = False  # only the arena's hosts play this version
    program: bool = False  # hosted, in a language other than Python

    @property
    def waits_for_host(self) -> bool:
        """Whether the arena has to connect it, so that its absence is not a fault."""
        return self.hosted and self.retired is None

    @property
    def author(self) -> int:
        """The account, or the bot itself (negative) if it has no account."""
        return -self.id if self.owner is None else self.owner

    @property
    def label(self) -> str:
        """The name of this version in lists of bots: NAME@VERSION."""
        return f"{self.name}{OF_VERSION}{self.version}"

    def called(self, asked: str) -> str:
        """Its name as the user asked for it: with or without the version."""
        return self.label if OF_VERSION in asked else self.name


def register(
    conn: Connection,
    name: str,
    now: float | None = None,
    *,
    owner: int | None = None,
    kind: Kind = "bot",
) -> tuple[RegisteredBot, str]:
    """Registers a bot with version "1". Returns it and its token, which is not stored.

    Names must differ in more than capitals; for bots with an owner, `names` checks more. Raises
    InvalidRequest, AlreadyExists.
    """
    names.check_name(name)
    if kind == "bot":
        names.check_free_to_take(name)
        if owner is not None:
            names.check_new_bot(conn, name, owner)
    token = new_token(TOKEN_PREFIX)
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
            f'There is already a bot named "{name}". Choose another name, or rotate its token.'
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
    """Adds a version to a bot. It is a player with its own ratings.

    The bot plays as this version from its next connection on; a `hosted` version is played by the
    arena's hosts instead. The token stays the same. The default `version` is the number of
    versions plus one. Raises InvalidRequest, NotFound, AlreadyExists, LimitReached.
    """
    if version:
        names.check_version(version)
    bot = get(conn, name)
    # The row lock keeps two transactions from drawing the same number.
    conn.execute(select(bots.c.id).where(bots.c.id == bot.id).with_for_update())
    labels = set(conn.scalars(select(players.c.version).where(players.c.bot == bot.id)))
    if len(labels) >= MOST_VERSIONS and bot.kind != "guest":  # guests have one per casual game
        raise LimitReached(
            f"{bot.name} already has {len(labels):,} versions, the maximum. Register a new bot."
        )
    label = version or next(str(n) for n in count(len(labels) + 1) if str(n) not in labels)
    if label in labels:
        raise AlreadyExists(f"{bot.name} already has a version {label}. Choose another version.")
    created = instant.now() if now is None else now
    row = {"bot": bot.id, "version": label, "created": created}
    row |= {"hosted": hosted, "program": program}
    player = conn.scalar(insert(conn, players).values(row).returning(players.c.id))
    return replace(bot, version=label, player=int(player or 0), hosted=hosted, program=program)


def set_hosted(conn: Connection, player: int, *, hosted: bool) -> None:
    """Sets whether the arena's hosts play a version, or a program that connects with the bot's
    token. Raises NotFound."""
    row = update(players).where(players.c.id == player).values(hosted=hosted)
    if not conn.execute(row).rowcount:
        raise NotFound(f"There is no version with the number {player}.")


def rotate_token(conn: Connection, name: str) -> str:
    """Gives a bot a new token and returns it; the old one no longer works. Raises NotFound."""
    bot = get(conn, name)
    token = new_token(TOKEN_PREFIX)
    conn.execute(update(bots).where(bots.c.id == bot.id).values(token_digest=digest(token)))
    return token


def set_owner(conn: Connection, name: str, owner: int | None) -> RegisteredBot:
    """Gives a bot to an account; None removes its owner. Raises NotFound."""
    return _change(conn, name, owner=owner)


def retire(conn: Connection, name: str, now: float | None = None) -> RegisteredBot:
    """Retires a bot: it cannot connect and is not listed; its results stay. Raises NotFound."""
    return _change(conn, name, retired=instant.now() if now is None else now)


def reinstate(conn: Connection, name: str) -> RegisteredBot:
    """Reinstates a retired bot, with the same token. Raises NotFound."""
    return _change(conn, name, retired=None)


def _change(conn: Connection, name: str, **values: Any) -> RegisteredBot:
    bot = get(conn, name)
    conn.execute(update(bots).where(bots.c.id == bot.id).values(**values))
    return replace(bot, **values)


def by_token(conn: Connection, token: str) -> RegisteredBot | None:
    """The bot with this token, in its newest version; it may be retired."""
    return _one(conn, NEWEST_VERSIONS.where(bots.c.token_digest == digest(token)))


def by_tokens(conn: Connection, tokens: Collection[str]) -> dict[str, RegisteredBot]:
    """By token, the bot that has it; unknown tokens are left out."""
    holders: dict[str, RegisteredBot] = {}
    for some in by_digest(tokens):
        query = NEWEST_VERSIONS.where(bots.c.token_digest.in_(some))
        for *row, found in conn.execute(query.add_columns(bots.c.token_digest)):
            holders[some[found]] = RegisteredBot(*row)
    return holders


def get(conn: Connection, name: str) -> RegisteredBot:
    """The bot of that name, in its newest version; case is ignored. Raises NotFound."""
    bot = _one(conn, NAMED, {"key": name.lower()})
    if bot is None:
        raise NotFound(f'There is no bot named "{printable(name)}".')
    return bot


def public(conn: Connection, name: str) -> RegisteredBot:
    """The same for visitors. Raises NotFound for people, too: their games are private."""
    bot = get(conn, name)
    if bot.kind == "guest":
        raise NotFound(f'There is no bot named "{printable(name)}".')
    return bot


def owned_by(conn: Connection, account: int) -> list[RegisteredBot]:
    """The bots of an account by name, retired ones last; without guests."""
    return owned_by_each(conn, [account])[account]


def owned_by_each(conn: Connection, accounts: Collection[int]) -> dict[int, list[RegisteredBot]]:
    """By account, its bots as in `owned_by`."""
    found: dict[int, list[RegisteredBot]] = {account: [] for account in accounts}
    query = NEWEST_VERSIONS.where(bots.c.owner.in_(accounts), bots.c.kind != "guest")
    for bot in read(conn, query.order_by(bots.c.retired.is_not(None), bots.c.name_key)):
        if bot.owner is not None:
            found[bot.owner].append(bot)
    return found


def versions(conn: Connection, bot: int) -> list[RegisteredBot]:
    """All versions of a bot, newest first."""
    return read(conn, VERSIONS_OF, {"of": bot})


def get_all(conn: Connection, names: Iterable[str]) -> list[RegisteredBot]:
    """The bots of each NAME (the newest version) or NAME@VERSION, in order. Raises NotFound."""
    wanted = [name.partition(OF_VERSION) for name in names]
    keys = [name.lower() for name, _, _ in wanted]
    found = read(conn, NEWEST_VERSIONS.where(bots.c.name_key.in_(keys)))
    by_key = {bot.name.lower(): bot for bot in found}
    missing = [name for name in keys if name not in by_key]
    if missing:
        raise NotFound(f"There is no bot named {', '.join(missing)}. Register it first.")
    return [
        in_version(conn, by_key[key], version) if separator else by_key[key]
        for key, (_, separator, version) in zip(keys, wanted, strict=True)
    ]


def in_version(conn: Connection, bot: RegisteredBot, version: str) -> RegisteredBot:
    """One version of a bot. Raises NotFound, which names the newest versions."""
    of_bot = ALL_VERSIONS.where(bots.c.id == bot.id)
    found = _one(conn, of_bot.where(players.c.version == version))
    if found is None:
        newest = read(conn, of_bot.order_by(players.c.id.desc()).limit(SHOWN))
        listed = ", ".join(each.version for each in newest)
        raise NotFound(
            f'{bot.name} has no version "{printable(version)}". Its newest versions: {listed}.'
        )
    return found


def all_bots(conn: Connection, *, retired: bool = False) -> list[RegisteredBot]:
    """All bots in their newest version, by name; without guests and, by default, retired bots."""
    query = NEWEST_VERSIONS.where(bots.c.kind != "guest")
    if not retired:
        query = query.where(bots.c.retired.is_(None))
    return read(conn, query.order_by(bots.c.name_key))


def newest_players(conn: Connection) -> tuple[int, ...]:
    """The players of `all_bots`, without retired ones."""
    return tuple(conn.scalars(NEWEST_PLAYERS))


def by_players(conn: Connection, player_ids: Iterable[int]) -> dict[int, RegisteredBot]:
    """By player, in order, the bot in that version; unknown players are left out."""
    ids = set(player_ids)
    query = ALL_VERSIONS.where(players.c.id.in_(ids)).order_by(players.c.id)
    found = read(conn, query) if ids else ()
    return {bot.player: bot for bot in found}


def read(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[RegisteredBot]:
    """The bots that a query with the columns of `ALL_VERSIONS` finds."""
    return [RegisteredBot(*row) for row in conn.execute(query, values)]


def _one(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> RegisteredBot | None:
    row = conn.execute(query, values).first()
    return None if row is None else RegisteredBot(*row)
