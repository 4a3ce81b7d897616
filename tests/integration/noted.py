"""A finished match, and the decisions of its seats for notes."""

from arena.games.packed_log import replay
from arena.store import Store
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from arena.store.registry import accounts
from arena.store.registry.bots import RegisteredBot
from tests.integration.people import HASHED, bot_of
from tests.integration.played import play, register


def authors(store: Store) -> tuple[RegisteredBot, str]:
    """The bot "ada" of the account "ann", and its token; "bob" has no owner."""
    with store.write() as conn:
        accounts.sign_up(conn, "ann", HASHED)
    register(store, "bob")
    return bot_of(store, "ann", "ada")


def played_match(store: Store, only: int | None = None) -> StoredMatch:
    """The first match between ada and bob; locked with `only`=1."""
    return all_played(store, only)[0]


def all_played(store: Store, only: int | None = None, deals: int = 1) -> list[StoredMatch]:
    """The matches of a tournament of ada and bob."""
    tournament = play(store, "ada", "bob", only=only, deals=deals)
    with store.read() as conn:
        rows = matches.list_matches(conn, tournament=tournament.id)[0]
        return [matches.get_match(conn, row.id) for row in rows]


def seat_of(match: StoredMatch, bot: str) -> int:
    return [seat.bot for seat in match.seats].index(bot)


def decisions_of(match: StoredMatch, seat: int) -> list[int]:
    """The numbers of a seat's decisions."""
    rounds = replay(match.setup, match.log).game.rounds
    movers = [mover for played in rounds for mover, _ in played.moves]
    return [number for number, mover in enumerate(movers, 1) if mover == seat]
