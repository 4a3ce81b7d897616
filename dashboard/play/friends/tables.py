"""Tables of friends before their game: opening one, its changes, and starting the game.

A change returns the next state of a table, and raises NotNow with a message for the visitor.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import InvalidRequest, NotFound, NotNow
from arena.games.rules import game_class
from arena.games.rules.game import MOST_SEATS
from arena.service.live import lobbies
from arena.service.live.lobbies import Lobby, Member
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.names import looks
from arena.store.tournaments import creation, guests
from arena.store.tournaments.tournaments import Tournament
from dashboard.play.guests import Visitor, guest_of
from dashboard.play.starting import LENGTHS, Opponent, check_room, deal, plays_enough, table_spec
from dashboard.sources import sources

MOVE_TIMES = {"30": "30 seconds", "120": "2 minutes", "600": "10 minutes"}
SEATS = [str(number) for number in range(2, MOST_SEATS + 1)]


def member_of(lobby: Lobby, who: Visitor) -> Member | None:
    """The visitor's place at the table. Someone who has signed in since keeps it."""
    return next((member for member in lobby.members if _is(member, who)), None)


def _is(member: Member, who: Visitor) -> bool:
    if member.account is not None:
        return member.account == who.owner
    return member.guest == who.nameless


def is_host(lobby: Lobby, who: Visitor) -> bool:
    return _is(lobby.host, who)


def was_removed(lobby: Lobby, who: Visitor) -> bool:
    """Whether the host has removed the visitor."""
    if who.account is None or not lobby.removed:
        return who.nameless in lobby.removed
    with sources().read() as conn:
        guest = guests.of_account(conn, who.account.id, who.account.name)
    return guest is not None and guest.id in lobby.removed


def check_open(lobby: Lobby) -> None:
    """Raises NotNow if the game has started."""
    if not lobby.is_open:
        raise NotNow("The people at this table can no longer change. Its game has started.")


def check_seats(lobby: Lobby) -> None:
    """Raises NotNow if the table takes no more people."""
    check_open(lobby)
    if lobby.full:
        raise NotNow(f"You cannot join. All {lobby.seats} seats are taken. Ask for another table.")


def joined(lobby: Lobby, new: Member) -> Lobby:
    if any(new.guest == member.guest for member in lobby.members):  # in another tab
        return lobby
    check_seats(lobby)
    if new.guest in lobby.removed:
        raise NotNow("You cannot join. The host has removed you from this table.")
    if looks(new.shown) in {looks(member.shown) for member in lobby.members}:
        raise NotNow(f"{new.shown} is already at this table. Choose another name.")
    return replace(lobby, members=(*lobby.members, new))


def left(lobby: Lobby, guest: int) -> Lobby:
    check_open(lobby)
    others = [each for each in lobby.members if each.guest != guest or each == lobby.host]
    return replace(lobby, members=tuple(others))


def removed(lobby: Lobby, guest: int) -> Lobby:
    there = {member.guest for member in lobby.members[1:]}
    if guest not in there:
        return lobby
    return replace(left(lobby, guest), removed=(*lobby.removed, guest))


def marked(lobby: Lobby, guest: int, *, ready: bool) -> Lobby:
    check_open(lobby)
    people = [replace(each, ready=ready) if each.guest == guest else each for each in lobby.members]
    return replace(lobby, members=tuple(people))


def claimed(lobby: Lobby) -> Lobby:
    """The table whose game is being started, so that it does not start twice."""
    check_open(lobby)
    if len(lobby.members) < 2:
        raise NotNow("The game needs at least two people. Send the link to someone.")
    waited_for = [member.shown for member in lobby.members if not member.ready]
    if waited_for:
        raise NotNow(f"Not everyone is ready. The table waits for {', '.join(waited_for)}.")
    return replace(lobby, starting=instant.now())


@dataclass(frozen=True)
class Wish:
    """The form's values, not validated yet."""

    game: str
    seats: str = "4"
    bots: tuple[str, ...] = ()
    length: str = ""
    move_s: str = "120"
    called: str = ""  # the name of a person without an account


def new_member(conn: Connection, who: Visitor, called: str) -> tuple[Member, RegisteredBot]:
    """The visitor as a member of a table, and their guest. Raises InvalidRequest for a missing or
    misleading name, and NotNow if they play too many games."""
    if who.account is None and not called:
        raise InvalidRequest("Your name is missing. Enter the name that your friends know.")
    name = "" if who.account else guests.check_called(conn, called)
    guest = guest_of(conn, who)
    if plays_enough(conn, guest):
        raise NotNow(
            "You are already playing the maximum number of games. Finish or leave one first."
        )
    shown = guests.shown_name(who.account.name if who.account else "", name)
    return Member(guest.id, guest.name, who.owner, shown), guest


def opened(wish: Wish, around: Sequence[Opponent]) -> Lobby:
    """A new table without people; `around` are the available opponents. Raises InvalidRequest."""
    game = game_class(wish.game)
    if wish.length not in LENGTHS or wish.move_s not in MOVE_TIMES or wish.seats not in SEATS:
        raise InvalidRequest("Choose a number of seats, a length and a move time from the form.")
    known = {each.bot.name for each in around if each.house}
    strange = [bots.printable(name) for name in wish.bots if name not in known]
    if strange:
        raise InvalidRequest(f"{strange[0]} is not a connected house bot. Choose another bot.")
    return Lobby(
        code=lobbies.new_code(),
        game=game.name,
        length=wish.length,
        seats=int(wish.seats),
        move_s=int(wish.move_s),
        bots=tuple(dict.fromkeys(wish.bots)),
        members=(),
        until=instant.now() + lobbies.OPEN_S,
    )


def started(lobby: Lobby, around: Sequence[Opponent]) -> Tournament:
    """Starts the game of a lobby whose people are all ready, once. Raises NotNow."""
    client = sources().redis
    lobby = lobbies.change(client, lobby.code, claimed)
    try:
        with sources().store.write() as conn:
            table, people = _created(conn, lobby, around)
    except Exception:
        lobbies.change(client, lobby.code, lambda now: replace(now, starting=0.0))
        raise
    lobbies.start(client, lobby.code, table.id)
    deal(table, people)
    return table


def _created(
    conn: Connection, lobby: Lobby, around: Sequence[Opponent]
) -> tuple[Tournament, list[RegisteredBot]]:
    check_room(conn)
    people = [_sitting(conn, member) for member in lobby.members]
    here = {
        each.bot.name
        for each in around
        if each.house and each.presence.plays(lobby.game, lobby.seats)
    }
    connected = tuple([name for name in lobby.bots if name in here])
    fillers = replace(lobby, bots=connected).fillers
    shown = {bot.name: member.shown for bot, member in zip(people, lobby.members, strict=True)}
    names = [*shown, *fillers]
    seated = random.SystemRandom().sample(names, len(names))
    title = guests.table_name(*(shown[name] for name in seated if name in shown))
    spec = table_spec(title, lobby.game, lobby.length, seated, 1000 * lobby.move_s)
    # Without an owner: the game goes on if the host's account is deleted.
    return creation.create(conn, spec, kind="table"), people


def _sitting(conn: Connection, member: Member) -> RegisteredBot:
    try:
        guest = bots.get(conn, member.bot)
    except NotFound:
        guest = None
    if guest is None or guest.retired is not None:
        raise NotNow(f"{member.shown} has deleted the account. Remove them, then start again.")
    if plays_enough(conn, guest):
        raise NotNow(
            f"{member.shown} is already playing too many games and has to finish one first."
        )
    return guests.sit(conn, guest)
