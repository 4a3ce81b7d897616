"""The game of a table of friends for spectators who have the link: its scored rounds."""

import redis
from flask import Blueprint, Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import NotFound
from arena.service.live import lobbies
from arena.store.tournaments.tournaments import Tournament
from dashboard.play.starting import no_redis, not_yours
from dashboard.play.table_state import NotYours, watched
from dashboard.sources import sources
from dashboard.watch.show import TIMES, Show, up_to_now
from dashboard.watch.view import frames_of

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
    return _shown("play/friends/watch.html", code, tournament, found, state)


@page.get("/play/tables/<code>/watch/live")
def live(code: str) -> ResponseReturnValue:
    """The live fragment for the script. After the match, it leads to the replay."""
    try:
        tournament, found = _on_show(code)
    except NotYours:
        return "", 204, {"HX-Redirect": url_for("seen.show", code=code)}
    if tournament is None:
        return redirect(url_for("friends.show", code=code))
    return _shown("watch/live.html", code, tournament, found)


@page.get("/play/tables/<code>/watch/frames")
def parts(code: str) -> Response:
    """A scored round. Raises NotFound, InvalidRequest."""
    _, found = _on_show(code)
    if found is None:
        raise NotFound("No round has been scored yet.")
    return frames_of(found)


def _on_show(code: str) -> tuple[Tournament | None, Show | None]:
    """The game of a table, if it has started, and its scored rounds. Raises NotFound, NotYours."""
    lobby = lobbies.get(sources().redis, code)
    if not lobby.tournament:
        return None, None
    with sources().read() as conn:
        tournament, match = watched(conn, lobby.tournament)
    scored = up_to_now(match) if match else None
    return tournament, Show.of(scored.match, scored) if scored else None


def _shown(
    template: str, code: str, tournament: Tournament, found: Show | None, state: object = None
) -> str:
    context = {"code": code, "part": None, "tournament": tournament, "times": TIMES}
    return render_template(template, **context, show=found, state=state)
