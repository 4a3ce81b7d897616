"""The user's own bots and their latest test matches. Other users' bots are reported as missing."""

from sqlalchemy import Connection, exists, select

from arena.base.errors import NotFound
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import entrants, players
from arena.store.tables import tournaments as rows
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.account.rights import the_account

# Times for a move in a test match, in seconds. Hosted bots have the first.
TRIAL_MOVES_S = {2: "2 s", 30: "30 s", 120: "2 min", 600: "10 min"}


def my_bot(conn: Connection, name: str) -> RegisteredBot:
    """Return the bot of that name, if it belongs to the signed-in account. Raises NotFound."""
    try:
        bot = bots.get(conn, name)
    except NotFound:
        bot = None
    if bot is None or bot.kind == "guest" or bot.owner != the_account().id:
        raise NotFound(f'You have no bot named "{name}".')
    return bot


def latest_tests(conn: Connection, owner: int, bot: int, limit: int) -> list[Tournament]:
    """Return the newest test matches of an account's bot."""
    entered = (
        exists()
        .where(entrants.c.tournament == rows.c.id)
        .where(players.c.id == entrants.c.player, players.c.bot == bot)
    )
    query = select(rows.c.id).where(rows.c.kind == "test", rows.c.owner == owner, entered)
    newest = conn.scalars(query.order_by(rows.c.id.desc()).limit(limit)).all()
    return [tournaments.get(conn, number) for number in newest]
