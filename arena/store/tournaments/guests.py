"""People who play: each is a bot of kind "guest", with a version per casual game.

So a person may play several games at once, and no game reveals anything about another.
"""

import secrets
from itertools import chain, repeat

from sqlalchemy import Connection, func, select, update

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.store.dialects import insert
from arena.store.registry import bots, names
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import bots as bot_rows
from arena.store.tables import entrants, hints, players, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.deals import ALPHABET

PREFIX = names.GUEST
LONGEST = 40  # of a bot's name
LONGEST_CALLED = 24  # of the name that a person without an account enters
TABLE_OF = "Table of "  # a casual game is called after its people
UNNAMED = "a guest"


def of_account(conn: Connection, account: int, name: str) -> RegisteredBot | None:
    """The guest with the name of this account, if it has played."""
    own = (PREFIX + name)[:LONGEST]
    return next((guest for guest in all_of_account(conn, account) if guest.name == own), None)


def all_of_account(conn: Connection, account: int) -> list[RegisteredBot]:
    """All guests of an account, with those whose games it took over."""
    query = select(bot_rows.c.name).where(bot_rows.c.owner == account, bot_rows.c.kind == "guest")
    return [bots.get(conn, name) for name in conn.scalars(query.order_by(bot_rows.c.id))]


def check_called(conn: Connection, name: str) -> str:
    """Returns the name that a person without an account enters. Raises InvalidRequest if it is not
    a valid name, or could be confused with the arena, an account or a bot."""
    if len(name) > LONGEST_CALLED:
        raise InvalidRequest(
            f"The name has {len(name)} characters. At most {LONGEST_CALLED} are allowed. "
            "Choose a shorter name."
        )
    names.check_free_to_take(names.check_name(name, "player"))
    names.check_new_guest(conn, name)
    return name


def shown_name(account: str = "", called: str = "") -> str:
    """The name of a person for others: of the account, or the name that they entered, if any. It
    contains a space, so it cannot be the name of a bot, and no comma."""
    entered = f"{called} (guest)" if called else UNNAMED
    return f"{account} (player)" if account else entered


def table_name(*people: str) -> str:
    """The name of a casual game: with the shown names of its people, in the order of their
    seats."""
    return TABLE_OF + ", ".join(people or [UNNAMED])


def shown_people(spec: TournamentSpec) -> dict[str, str]:
    """The people of a casual game: the shown name of each guest, in the order of their seats."""
    named = spec.name.removeprefix(TABLE_OF).split(", ") if spec.name.startswith(TABLE_OF) else []
    found = [bot for bot in spec.bots if bot.startswith(PREFIX)]
    return dict(zip(found, chain(named, repeat(UNNAMED)), strict=False))


def take_over(conn: Connection, guest: int, account: int) -> None:
    """Gives an account the games of a guest without one."""
    mine = bot_rows.c.id == guest, bot_rows.c.kind == "guest", bot_rows.c.owner.is_(None)
    conn.execute(update(bot_rows).where(*mine).values(owner=account))


def nameless(conn: Connection, guest: int) -> RegisteredBot | None:
    """The guest with this number, if it has no account."""
    query = select(bot_rows.c.name).where(bot_rows.c.id == guest, bot_rows.c.kind == "guest")
    name = conn.scalar(query.where(bot_rows.c.owner.is_(None)))
    return None if name is None else bots.get(conn, name)


def arrive(conn: Connection, account: tuple[int, str] | None) -> RegisteredBot:
    """A new guest of an account (number and name), or of none. An account whose name a bot has gets
    the guest that it already has, if any."""
    if account is not None:
        number, name = account
        try:
            return bots.register(conn, (PREFIX + name)[:LONGEST], owner=number, kind="guest")[0]
        except AlreadyExists:  # the name of a bot
            found = all_of_account(conn, number)
            return found[0] if found else _arrive(conn, number)
    return _arrive(conn, None)


def _arrive(conn: Connection, owner: int | None) -> RegisteredBot:
    name = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(8))
    return bots.register(conn, name, owner=owner, kind="guest")[0]


def sit(conn: Connection, guest: RegisteredBot, now: float | None = None) -> RegisteredBot:
    """The guest in a version that has not played yet."""
    query = select(func.count()).select_from(entrants).where(entrants.c.player == guest.player)
    return bots.new_version(conn, guest.name, now=now) if conn.scalar(query) else guest


def tables(conn: Connection, guests: list[int], limit: int) -> list[int]:
    """Numbers of the casual games of these guests, newest first."""
    query = (
        select(tournaments.c.id)
        .join_from(tournaments, entrants)
        .join(players)
        .where(tournaments.c.kind == "table", players.c.bot.in_(guests))
        .order_by(tournaments.c.id.desc())
        .limit(limit)
    )
    return list(conn.scalars(query))


def count_open(conn: Connection, guest: int | None = None) -> int:
    """Number of casual games under way, of one guest or of all."""
    query = select(func.count()).select_from(tournaments)
    if guest is not None:
        query = query.join(entrants).join(players).where(players.c.bot == guest)
    open_ones = query.where(tournaments.c.kind == "table", tournaments.c.state.in_(UNDER_WAY))
    return conn.scalar(open_ones) or 0


def count_hints(conn: Connection, table: int) -> int:
    """Number of hints given in the casual game with this tournament number."""
    return conn.scalar(select(hints.c.given).where(hints.c.tournament == table)) or 0


def add_hint(conn: Connection, table: int) -> int:
    """Counts another hint; returns their number."""
    made = insert(conn, hints).values(tournament=table, given=1)
    again = made.on_conflict_do_update(
        index_elements=[hints.c.tournament], set_={"given": hints.c.given + 1}
    )
    conn.execute(again)
    return count_hints(conn, table)
