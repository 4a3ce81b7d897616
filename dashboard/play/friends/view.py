"""The pages of tables of friends. Every form works with and without JavaScript."""

import zlib
from collections.abc import Callable
from dataclasses import replace

import redis
from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from arena.base.errors import InvalidRequest, LimitReached, NotFound, NotNow
from arena.games.rules import GAMES
from arena.service.live import lobbies
from arena.service.live.lobbies import Lobby, Member
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import guests
from dashboard.account.guard import address, limited
from dashboard.play import guests as visitors
from dashboard.play.friends import tables
from dashboard.play.friends.tables import MOVE_TIMES, SEATS, Wish, new_member, opened, started
from dashboard.play.guests import Visitor, visitor
from dashboard.play.starting import LENGTHS, available, check_open, closed_to, no_redis, not_yours
from dashboard.play.table_state import NotYours, TableState, look
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("friends", __name__)
page.register_error_handler(redis.RedisError, no_redis)
page.register_error_handler(NotYours, not_yours)

USUAL = ("five", "careful", "sharp", "timid")  # the house bots of a new table
REFUSED = (InvalidRequest, NotNow, LimitReached)

NOT_HOST = "Only the person who opened this table may do that."
NOT_THERE = "You are not at this table. Join it first."


@page.get("/play/tables")
def new() -> str:
    return _form(Wish(request.args.get("game", ""), bots=USUAL, called=visitor().called))


@page.post("/play/tables")
@limited("10 per minute", "100 per hour")
def create() -> ResponseReturnValue:
    who, form = visitor(), request.form
    check_open(who)
    wish = Wish(
        form.get("game", ""),
        form.get("seats", ""),
        tuple(form.getlist("with")),
        form.get("length", ""),
        form.get("move_s", ""),
        form.get("called", who.called).strip(),
    )
    try:
        return _opened(wish, who)
    except REFUSED as error:
        return _form(wish, str(error)), 400


@page.get("/play/tables/<code>")
def show(code: str) -> ResponseReturnValue:
    """Shows a table before its start; later leads to the game."""
    lobby = lobbies.get(sources().redis, code)
    if lobby.tournament and tables.member_of(lobby, visitor()):
        return redirect(url_for("play.table", number=lobby.tournament))
    return redirect(url_for("seen.show", code=code)) if lobby.tournament else _page(lobby)


@page.get("/play/tables/<code>/live")
def live(code: str) -> ResponseReturnValue:
    """Returns the live part of the page, or 204 if its key is still `seen`."""
    try:
        lobby = lobbies.get(sources().redis, code)
    except NotFound:
        return render_template("play/friends/gone.html", said=lobbies.GONE)
    if lobby.tournament:
        return "", 204, {"HX-Redirect": url_for("friends.show", code=code)}
    if request.args.get("seen") == _key(lobby):
        return "", 204
    return _page(lobby, part=True)


@page.post("/play/tables/<code>/join")
@limited("10 per minute", "100 per hour")
def join(code: str) -> ResponseReturnValue:
    who = visitor()
    check_open(who)
    lobby = lobbies.get(sources().redis, code)
    called = request.form.get("called", who.called).strip()
    try:
        return _joined(lobby, who, called)
    except REFUSED as error:
        return _page(lobby, str(error), called), 409


@page.post("/play/tables/<code>/ready")
def ready(code: str) -> ResponseReturnValue:
    """Marks the visitor as ready, or no longer ready. The last of a full table starts the game."""
    _, me = _mine(code)
    yes = request.form.get("ready") == "yes"
    return _changed(code, lambda lobby: tables.marked(lobby, me.guest, ready=yes), starts=True)


@page.post("/play/tables/<code>/leave")
def leave(code: str) -> ResponseReturnValue:
    _, me = _mine(code)
    return _changed(code, lambda lobby: tables.left(lobby, me.guest))


@page.post("/play/tables/<code>/remove")
def remove(code: str) -> ResponseReturnValue:
    _hosted(code)
    guest = request.form.get("person", "")
    number = int(guest) if guest.isascii() and guest.isdigit() and len(guest) < 20 else 0
    return _changed(code, lambda lobby: tables.removed(lobby, number))


@page.post("/play/tables/<code>/start")
def start(code: str) -> ResponseReturnValue:
    return _started(_hosted(code))


@page.post("/play/tables/<code>/close")
def close(code: str) -> ResponseReturnValue:
    lobby = _hosted(code)
    try:
        tables.check_open(lobby)
    except NotNow as error:
        return _page(lobby, str(error)), 409
    lobbies.close(sources().redis, lobby)
    return redirect(url_for("friends.new"), 303)


@page.post("/play/<number:number>/again")
@limited("10 per minute", "100 per hour")
def again(number: int) -> ResponseReturnValue:
    """Opens a table with the settings of a finished game, or joins the one of another player."""
    who = visitor()
    check_open(who)
    with sources().read() as conn:
        table = look(conn, number, who)
    if not (table.over and table.with_friends):
        return redirect(url_for("play.table", number=number), 303)
    code = lobbies.next_of(sources().redis, number)
    try:
        try:
            return _joined(lobbies.get(sources().redis, code), who, who.called)
        except NotFound:
            return _opened(_same(table, who), who, after=number)
    except REFUSED as error:
        return errors.answer(409, str(error))


def _same(table: TableState, who: Visitor) -> Wish:
    spec = table.tournament.spec
    length = spec.options["max_rounds"]
    return Wish(
        spec.game,
        str(spec.seats),
        tuple([bot for bot in spec.bots if bot not in table.people]),
        length if length in LENGTHS else "",
        str(spec.move_ms // 1000),
        who.called,
    )


def _opened(wish: Wish, who: Visitor, after: int = 0) -> ResponseReturnValue:
    """Opens a table, or joins the one that others opened meanwhile `after` the same game."""
    around = available(wish.game)
    lobby, client = opened(wish, around), sources().redis
    with sources().store.write() as conn:
        host, guest = new_member(conn, who, wish.called)
    lobby = replace(lobby, members=(host,))
    lobbies.create(
        client, lobby, address(), lobbies.MOST_OF_ONE * sources().settings.people_per_address
    )
    if after and (code := lobbies.follow(client, after, lobby.code)) != lobby.code:
        lobbies.close(client, lobby)
        return _joined(lobbies.get(client, code), who, wish.called)
    return _seated(lobby, guest, wish.called)


def _joined(lobby: Lobby, who: Visitor, called: str) -> ResponseReturnValue:
    if tables.member_of(lobby, who):
        return redirect(url_for("friends.show", code=lobby.code), 303)
    tables.check_seats(lobby)
    with sources().store.write() as conn:
        new, guest = new_member(conn, who, called)
    lobbies.change(sources().redis, lobby.code, lambda now: tables.joined(now, new))
    return _seated(lobby, guest, called)


def _seated(lobby: Lobby, guest: RegisteredBot, called: str) -> Response:
    response = redirect(url_for("friends.show", code=lobby.code), 303)
    visitors.remember(response, guest, called)
    return response


def _mine(code: str) -> tuple[Lobby, Member]:
    """The table and the visitor's place. Answers 403 to others."""
    lobby = lobbies.get(sources().redis, code)
    me = tables.member_of(lobby, visitor())
    if me is None:
        abort(403, NOT_THERE)
    return lobby, me


def _hosted(code: str) -> Lobby:
    """The visitor's own table. Answers 403 to others."""
    lobby = lobbies.get(sources().redis, code)
    if not tables.is_host(lobby, visitor()):
        abort(403, NOT_HOST)
    return lobby


def _changed(
    code: str, step: Callable[[Lobby], Lobby], *, starts: bool = False
) -> ResponseReturnValue:
    try:
        lobby = lobbies.change(sources().redis, code, step)
    except NotNow as error:
        return _page(lobbies.get(sources().redis, code), str(error)), 409
    if starts and lobby.full and lobby.all_ready:
        return _started(lobby)
    return redirect(url_for("friends.show", code=code), 303)


def _started(lobby: Lobby) -> ResponseReturnValue:
    try:
        table = started(lobby, available(lobby.game))
    except REFUSED as error:
        return _page(lobbies.get(sources().redis, lobby.code), str(error)), 409
    return redirect(url_for("play.table", number=table.id), 303)


def _form(wish: Wish, problem: str = "") -> str:
    game = wish.game if wish.game in GAMES else next(iter(GAMES))
    return render_template(
        "play/friends/new.html",
        wish=replace(wish, game=game),
        problem=problem,
        around=[each for each in available(game) if each.house],
        seats=SEATS,
        lengths=LENGTHS,
        move_times=MOVE_TIMES,
        minutes=lobbies.OPEN_S // 60,
        longest=guests.LONGEST_CALLED,
        closed=closed_to(visitor()),
    )


def _page(lobby: Lobby, problem: str = "", called: str = "", *, part: bool = False) -> str:
    who = visitor()
    return render_template(
        f"play/friends/{'live' if part else 'page'}.html",
        lobby=lobby,
        key=_key(lobby),
        me=tables.member_of(lobby, who),
        hosting=tables.is_host(lobby, who),
        removed=tables.was_removed(lobby, who),
        called=called or who.called,
        problem=problem,
        lengths=LENGTHS,
        move_times=MOVE_TIMES,
        longest=guests.LONGEST_CALLED,
        closed=closed_to(who),
    )


def _key(lobby: Lobby) -> str:
    """The version of a table; changes when its page would look different."""
    return f"{zlib.crc32(repr(lobby).encode()):x}"
