"""The daily deal: playing it, and the ranking of a day."""

from collections.abc import Sequence
from typing import Final

import redis
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import AlreadyExists, NotFound, NotNow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import daily as results
from arena.store.tournaments import creation, daily, guests
from arena.store.tournaments.daily import DailyAttempt, Deal
from arena.store.tournaments.tournaments import Tournament
from dashboard.account.guard import limited
from dashboard.play import starting
from dashboard.play.guests import Visitor, visitor
from dashboard.sources import sources

page = Blueprint("daily", __name__)
page.register_error_handler(redis.RedisError, starting.no_redis)

# House bots whose choices follow from what they see. They do not use random numbers, so the same
# play gives the same match.
OPPONENTS: Final = ("five", "careful", "sharp")
SEATS: Final = len(OPPONENTS) + 1
LENGTH: Final = "3"  # rounds
LISTED = 50  # lines of a ranking

NO_DEAL = "There is no deal to play yet. Try again later."


@page.get("/play/daily")
def show() -> str:
    return _shown(starting.asked_game(request.args), daily.day_of(instant.now()))


@page.get("/play/daily/<day>")
def of_day(day: str) -> str:
    return _shown(starting.asked_game(request.args), daily.day_from(day))


@page.post("/play/daily")
@limited("10 per minute", "100 per hour")
def play() -> ResponseReturnValue:
    who, game, now = visitor(), starting.asked_game(request.form), instant.now()
    starting.check_open(who)
    with sources().read() as conn:
        deal = playable(conn, who, game, now)
        before = _attempt(conn, deal, who)
    if before is not None:
        return redirect(url_for("play.table", number=before.tournament), 303)
    if deal is None:
        return _shown(game, daily.day_of(now), NO_DEAL), 409
    opponents = starting.available(game)
    try:
        with sources().store.write() as conn:
            table, me = sit_down(conn, who, deal, opponents, now)
    except AlreadyExists:  # in another tab
        return redirect(url_for("daily.show", game=game), 303)
    except NotNow as error:
        return _shown(game, daily.day_of(now), str(error)), 409
    return starting.begin(table, me, who.called)


def _attempt(conn: Connection, deal: Deal | None, who: Visitor) -> DailyAttempt | None:
    return daily.attempt(conn, deal.id, who.owner, who.nameless) if deal else None


def _shown(game: str, day: int, problem: str = "") -> str:
    now, who = instant.now(), visitor()
    today, account = daily.day_of(now), who.owner
    if day > today:
        raise NotFound(f"The deal of {daily.date_of(day)} has not been played yet. Come back then.")
    with sources().read() as conn:
        deal = daily.get(conn, game, day)
        if deal is None and day != today:
            raise NotFound(f"There was no deal on {daily.date_of(day)}. Choose another day.")
        offered = playable(conn, who, game, now)
        return render_template(
            "play/daily/page.html",
            game=game,
            day=day,
            today=today,
            date_of=daily.date_of,
            deal=deal,
            offered=offered,
            attempt=_attempt(conn, deal, who),
            guests_attempt=None if who.account else _attempt(conn, offered, who),
            lines=results.ranking(conn, deal.id, LISTED, account) if deal else [],
            count=results.count(conn, deal.id) if deal else 0,
            streak=results.streak(conn, account, today) if account is not None else 0,
            before=daily.latest_before(conn, game, day),
            tomorrow=daily.get(conn, game, today + 1),
            me=account,
            opponents=OPPONENTS,
            length=starting.LENGTHS[LENGTH],
            closed=starting.closed_to(who),
            problem=problem,
        )


def playable(conn: Connection, who: Visitor, game: str, now: float) -> Deal | None:
    """The deal of a game that the visitor may play. Accounts play today's. Others could play it in
    one browser to learn the cards for another, so they get the newest one that is open to all."""
    if who.account is not None:
        return daily.get(conn, game, daily.day_of(now))
    return daily.newest_open(conn, game)


def sit_down(
    conn: Connection, who: Visitor, deal: Deal, around: Sequence[starting.Opponent], now: float
) -> tuple[Tournament, RegisteredBot]:
    """Starts the visitor's attempt. Returns the game and the visitor's guest. Raises AlreadyExists
    if there is one, and NotNow with a message for the visitor."""
    _check_here(deal, around)
    guest = starting.take_seat(conn, who)
    seated = list(OPPONENTS)
    seated.insert(daily.seat_of(conn, deal, SEATS), guest.name)
    name = guests.table_name(guests.shown_name(who.account.name if who.account else ""))
    spec = starting.table_spec(name, deal.game, LENGTH, seated)
    table = creation.create(conn, spec, owner=who.owner, kind="table")
    daily.enter(conn, deal, table.id, guest, who.owner, now)
    return table, guest


def _check_here(deal: Deal, around: Sequence[starting.Opponent]) -> None:
    here = {
        each.bot.name for each in around if each.house and each.presence.plays(deal.game, SEATS)
    }
    missing = [name for name in OPPONENTS if name not in here]
    if missing:
        raise NotNow(
            f"The deal cannot be played now. {' and '.join(missing)} of the house bots "
            f"{'is' if len(missing) == 1 else 'are'} not connected. Try again later."
        )
