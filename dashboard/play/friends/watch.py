"""The game of a table of friends for spectators who have the link: its scored rounds."""

import redis
from flask import Blueprint, Response, jsonify, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import NotFound
from arena.service.live import lobbies
from arena.store.tournaments.tournaments import Tournament
from dashboard.matches.replay.drawing import frames
from dashboard.play.starting import no_redis, not_yours
from dashboard.play.table_state import NotYours, watched
from dashboard.sources import sources
from dashboard.urls import requested_number
from dashboard.watch.show import TIMES, Show, up_to_now

page = Blueprint("seen", __name__)
page.register_error_handler(redis.RedisError, no_redis)
page.register_error_handler(NotYours, not_yours)


@page.get("/play/tables/<code>/watch")
def show(code: str) -> ResponseReturnValue:
    """Shows the scored rounds; without JavaScript, where the newest one starts."""
    tournament, found = _on_show(code)
    if tournament is None:
        return redirect(url_for("friends.show", code=code))
    state = found.state() if found else None
    return render_template("play/friends/watch.html", **_context(code, tournament, found, state))


@page.get("/play/tables/<code>/watch/live")
def live(code: str) -> ResponseReturnValue:
    """The live fragment for the script. After the match, it leads to the replay."""
    try:
        tournament, found = _on_show(code)
    except NotYours:
        return "", 204, {"HX-Redirect": url_for("seen.show", code=code)}
    if tournament is None:
        return redirect(url_for("friends.show", code=code))
    return render_template("watch/live.html", **_context(code, tournament, found))


@page.get("/play/tables/<code>/watch/frames")
def parts(code: str) -> Response:
    """A scored round. Raises NotFound, InvalidRequest."""
    _, found = _on_show(code)
    if found is None:
        raise NotFound("No round has been scored yet.")
    answer = jsonify(frames(found.states(requested_number("round", 1, lowest=1) or 1), None))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _on_show(code: str) -> tuple[Tournament | None, Show | None]:
    """The game of a table, if it has started, and its scored rounds. Raises NotFound, NotYours."""
    lobby = lobbies.get(sources().redis, code)
    if not lobby.tournament:
        return None, None
    with sources().read() as conn:
        tournament, match = watched(conn, lobby.tournament)
    scored = up_to_now(match) if match else None
    return tournament, Show.of(scored.match, scored) if scored else None


def _context(
    code: str, tournament: Tournament, found: Show | None, state: object = None
) -> dict[str, object]:
    return {
        "code": code,
        "part": None,
        "tournament": tournament,
        "show": found,
        "state": state,
        "times": TIMES,
    }
