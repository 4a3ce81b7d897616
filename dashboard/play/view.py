"""The pages of casual games. Every form works with and without JavaScript."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import redis
from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import ArenaError, InvalidRequest, NotNow
from arena.games.rules import GAMES
from arena.service.live import people
from arena.service.live.dispatch import send_play
from arena.store.reports import people as ratings
from arena.store.tournaments import guests, tournaments
from arena.tournaments.formats import TournamentSpec
from arena.value.review import Option
from dashboard.account.guard import limited
from dashboard.play import guests as visitors
from dashboard.play import starting
from dashboard.play.at_table import Scene, full_scene, hint_for, open_decision, outline
from dashboard.play.guests import visitor
from dashboard.play.record import LATEST, record
from dashboard.play.table_state import BATCH, NotYours, TableState, look
from dashboard.sources import sources

page = Blueprint("play", __name__)
page.register_error_handler(redis.RedisError, starting.no_redis)
page.register_error_handler(NotYours, starting.not_yours)

LISTED = 8  # of the visitor's games
FIRST = ("timid", "stubborn", "five")  # easy opponents for a first match
ANSWER_WITHIN_S = 0.8  # how long the answer to a form waits for its effect

TOO_LATE = "You have already answered. This is the table now."
NOT_OFFERED = "You can't play that now. Choose one of the actions on offer."
NO_HINTS = "There are no hints in a daily deal, nor in a game with friends."


@page.get("/play")
def show() -> ResponseReturnValue:
    asked = request.args
    wish = starting.TableRequest(
        asked.get("game", ""),
        tuple(asked.getlist("with")),
        asked.get("length", ""),
        visitor().called,
    )
    return _choosing(wish)


@page.post("/play")
@limited("10 per minute", "100 per hour")
def sit() -> ResponseReturnValue:
    who = visitor()
    wish = starting.TableRequest(
        request.form.get("game", ""),
        tuple(request.form.getlist("with")),
        request.form.get("length", ""),
        request.form.get("called", who.called).strip(),
    )
    starting.check_open(who)
    try:
        around = starting.available(wish.game)
        with sources().store.write() as conn:
            table, me = starting.sit_down(conn, who, wish, around)
    except (InvalidRequest, NotNow) as error:
        return _choosing(wish, str(error)), 400
    return starting.begin(table, me, wish.called)


def _choosing(wish: starting.TableRequest, problem: str = "") -> str:
    with sources().read() as conn:
        mine = {guest.id: guest.name for guest in visitors.all_known(conn, visitor())}
        numbers = guests.tables(conn, list(mine), LISTED)
        own = [tournaments.get(conn, number) for number in numbers]
    wish = wish if wish.game in GAMES else replace(wish, game=next(iter(GAMES)))
    around = starting.available(wish.game)
    here = {one.bot.name for one in around}
    last = own[0].spec.bots if own else ()
    usual = tuple(name for name in last if name in here) or FIRST
    return render_template(
        "play/start.html",
        wish=wish if wish.against else replace(wish, against=usual),
        first=[name for name in usual if name in here] or [one.bot.name for one in around[:3]],
        problem=problem,
        around=around,
        known=sources().live([]).known,
        lengths=starting.LENGTHS,
        tables=[(table, _others(table.spec, mine.values())) for table in own],
        longest=guests.LONGEST_CALLED,
        closed=starting.closed_to(visitor()),
    )


def _others(spec: TournamentSpec, mine: Collection[str]) -> list[str]:
    """The names of the other players of a game, as they are shown."""
    people = guests.shown_people(spec)
    return [people.get(bot, bot) for bot in spec.bots if bot not in mine]


@page.get("/play/record")
def own_record() -> str:
    with sources().read() as conn:
        people = visitors.all_known(conn, visitor())
        found = record(conn, people)
        claimable = visitors.count_claimable(conn, visitor(), LATEST)
    return render_template("play/record.html", record=found, claimable=claimable, latest=LATEST)


@page.post("/play/record/claim")
@limited("10 per minute")
def claim() -> ResponseReturnValue:
    """Gives the signed-in account the games that this browser played without one."""
    who = visitor()
    if who.account is None:
        abort(403, "You need an account to keep these games. Sign in first.")
    if who.nameless is not None:
        with sources().store.write() as conn:
            guests.take_over(conn, who.nameless, who.account.id)
            ratings.mark(conn, who.account.id, GAMES)
    return redirect(url_for("play.own_record"), 303)


# At the table


@page.get("/play/<number:number>")
def table(number: int) -> ResponseReturnValue:
    return _page(_here(number))


@page.get("/play/<number:number>/live")
def live(number: int) -> ResponseReturnValue:
    """Returns the live part of the page, or 204 if its key is still `seen`."""
    scene = _here(number)
    if request.args.get("seen") in (scene.key_if(my_turn=True), scene.key_if(my_turn=False)):
        return "", 204
    return _page(scene, part=True)


@page.post("/play/<number:number>")
@limited("10 per second", "300 per minute")
def act(number: int) -> ResponseReturnValue:
    scene = _whole_scene(_here(number))
    question, view = scene.table.question, open_decision(scene)
    if question is None or view is None or str(question.ticket) != request.form.get("ticket"):
        return _after(scene, TOO_LATE)
    index = request.form.get("choice", "")
    if index not in map(str, view.indices):
        return _after(scene, NOT_OFFERED)
    first, to_queue = people.answer(sources().redis, question, int(index))
    if to_queue:
        send_play(sources().settings.redis_url, number, BATCH)
    starting.until(lambda: _table_state(number).mark != scene.table.mark, ANSWER_WITHIN_S)
    return _after(_here(number), "" if first else TOO_LATE)


@page.post("/play/<number:number>/hint")
@limited("20 per minute", "300 per hour")
def hint(number: int) -> ResponseReturnValue:
    """Shows the value of each action, given what the player knows, and counts the hint."""
    scene = _whole_scene(_here(number))
    question, view = scene.table.question, open_decision(scene)
    if scene.table.daily is not None or scene.table.with_friends:
        return _after(scene, NO_HINTS)
    if question is None or view is None or str(question.ticket) != request.form.get("ticket"):
        return _after(scene, TOO_LATE)
    try:
        given = hint_for(view)
    except ArenaError as error:
        return _after(scene, str(error))
    with sources().store.write() as conn:
        guests.add_hint(conn, number)
    return _page(scene, hint=given, part=_is_part())


@page.post("/play/<number:number>/leave")
def leave(number: int) -> ResponseReturnValue:
    """Leaves the table: forfeits the match, which continues without the player."""
    table_state = _table_state(number)
    if not table_state.over:
        people.leave(sources().redis, table_state.me.player)
        if people.wake(sources().redis, number, BATCH):
            send_play(sources().settings.redis_url, number, BATCH)
        starting.until(lambda: _table_state(number).over, ANSWER_WITHIN_S)
    return redirect(url_for("play.table", number=number), 303)


def _table_state(number: int) -> TableState:
    with sources().read() as conn:
        return look(conn, number, visitor())


def _here(number: int) -> Scene:
    """The outline of the scene; marks the player as present."""
    table_state = _table_state(number)
    spec = table_state.tournament.spec
    if not table_state.over:
        people.mark_present(
            sources().redis, table_state.me.player, table_state.me.name, spec.game, spec.seats
        )
    return outline(table_state)


def _whole_scene(scene: Scene) -> Scene:
    with sources().read() as conn:
        return full_scene(conn, scene)


def _is_part() -> bool:
    """Whether the page's script sent the request, which needs only the live part."""
    return bool(request.headers.get("HX-Request"))


def _page(
    scene: Scene, notice: str = "", hint: Sequence[Option] = (), *, part: bool = False
) -> str:
    with sources().read() as conn:
        whole = full_scene(conn, scene)
        given = guests.count_hints(conn, scene.table.tournament.id)
    table_state, spec = whole.table, whole.table.tournament.spec
    length = spec.options["max_rounds"]
    again = [
        ("game", spec.game),
        ("length", length if length in starting.LENGTHS else ""),
        *(("with", bot.name) for bot in table_state.players if bot != table_state.me),
    ]
    return render_template(
        f"play/{'live' if part else 'table'}.html",
        scene=whole,
        table=table_state,
        state=whole.state,
        notice=notice,
        hint={option.action: option for option in hint},  # best first
        hints=given,
        again=again,
    )


def _after(scene: Scene, notice: str) -> ResponseReturnValue:
    """The answer to a form: the live part for a script, else the page or a redirect to it."""
    status = 409 if notice else 200
    if notice or _is_part():
        return _page(scene, notice, part=_is_part()), status
    return redirect(url_for("play.table", number=scene.table.tournament.id), 303)
