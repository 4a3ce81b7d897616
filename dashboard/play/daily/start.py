"""Starting an attempt at a daily deal: a casual game against fixed house bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from arena.base.errors import NotNow
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import daily, guests
from arena.store.tournaments.daily import Deal
from arena.store.tournaments.tournaments import Tournament
from dashboard.play.guests import Visitor
from dashboard.play.opponents import Opponent
from dashboard.play.tables import start, table_spec, take_seat

# House bots whose choices follow from what they see. They do not use random numbers, so the same
# play gives the same match.
OPPONENTS: Final = ("five", "careful", "sharp")
SEATS: Final = len(OPPONENTS) + 1
LENGTH: Final = "3"  # rounds


def playable(conn: Connection, who: Visitor, game: str, now: float) -> Deal | None:
    """The deal of a game that the visitor may play.

    Accounts play today's. Others could play it in one browser to learn the cards for another, so
    they get the newest one that is open to all.
    """
    if who.account is not None:
        return daily.get(conn, game, daily.day_of(now))
    return daily.newest_open(conn, game)


def sit_down(
    conn: Connection, who: Visitor, deal: Deal, around: Sequence[Opponent], now: float
) -> tuple[Tournament, RegisteredBot]:
    """Starts the visitor's attempt. Returns the game and the visitor's guest.

    Raises AlreadyExists if there is one, and NotNow with a message for the visitor.
    """
    _check_here(deal, around)
    guest = take_seat(conn, who)
    seated = list(OPPONENTS)
    seated.insert(daily.seat_of(conn, deal, SEATS), guest.name)
    name = guests.table_name(guests.shown_name(who.account.name if who.account else ""))
    spec = table_spec(name, deal.game, LENGTH, seated)
    table = start(conn, who, spec)
    daily.enter(conn, deal, table.id, guest, who.owner, now)
    return table, guest


def _check_here(deal: Deal, around: Sequence[Opponent]) -> None:
    here = {
        each.bot.name for each in around if each.house and each.presence.plays(deal.game, SEATS)
    }
    missing = [name for name in OPPONENTS if name not in here]
    if missing:
        raise NotNow(
            f"The deal cannot be played now. {' and '.join(missing)} of the house bots "
            f"{'is' if len(missing) == 1 else 'are'} not connected. Try again later."
        )
