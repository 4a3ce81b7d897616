"""The application that shows the matches in a file: its list of them, and its server."""

import logging
import socket
from collections.abc import Callable

from flask import Blueprint, Flask, render_template, request
from werkzeug.routing import BaseConverter
from werkzeug.serving import make_server

from arena.base.errors import Unavailable
from dashboard import assets, layout
from dashboard.layout.frame import NavigationEntry
from dashboard.matches import shown
from dashboard.matches.detail.view import page as match
from dashboard.matches.replay.view import page as replay
from dashboard.new_app import new_app
from dashboard.replay_alone.records import RecordFile
from dashboard.system import errors, headers
from dashboard.urls import requested_number

HOST = "127.0.0.1"
HOSTS = (HOST, "localhost")  # prevents DNS rebinding
PAGE = 200

# The blueprints have the names that the pages of a match link to.
home = Blueprint("overview", __name__)
matches = Blueprint("matches", __name__)
bot = Blueprint("bot", __name__)


class AnyMatchId(BaseConverter):
    """The id of a match, which can be any text in a record."""

    regex = r"[^/]+"


@home.get("/")
@matches.get("/matches")
@bot.get("/bots/<path:name>")
def show(name: str = "") -> str:
    """All matches, or the matches of a bot; only those with faults for `?faults=1`."""
    source = shown.shown()
    assert isinstance(source, RecordFile)
    after = requested_number("after", 0) or 0
    faults = bool(requested_number("faults", 0))
    rows = [
        row
        for row in source.rows
        if (not name or any(seat.bot == name for seat in row.seats))
        and (not faults or any(seat.faults for seat in row.seats))
    ]
    return render_template(
        "replay_alone/page.html",
        file=source.file.name,
        name=name,
        faults=faults,
        count=len(rows),
        after=after,
        rows=rows[after : after + PAGE],
        following=after + PAGE if after + PAGE < len(rows) else 0,
        path=request.path,
    )


def create_replay_app(records: RecordFile) -> Flask:
    """Return an application with the list of matches, their score sheets and replays."""
    app = new_app(match=AnyMatchId)
    shown.register(app, records)
    assets.register(app)
    layout.register(app)
    headers.register(app)
    errors.register(app)
    for page in (home, matches, bot, match, replay):
        app.register_blueprint(page)

    @app.before_request
    def refuse_strangers() -> tuple[str, int] | None:
        host = request.host.rpartition(":")[0] or request.host
        return None if host in HOSTS else ("This server only answers its own machine.\n", 400)

    @app.context_processor
    def of_this_application() -> dict[str, object]:
        return {"alone": True, "navigation": [NavigationEntry("Matches", "/", here=True)]}

    return app


def serve(records: RecordFile, port: int, ready: Callable[[str], object]) -> None:
    """Serve until Ctrl-C. Port 0 is any free one; `ready` gets the address (http://...). Raises
    Unavailable if the port is taken."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for each request
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        raise Unavailable(
            f"Cannot listen on {HOST}:{port} ({error.strerror}). Choose another --port, or omit it "
            "to use any free one."
        ) from None
    app = create_replay_app(records)
    with listening, make_server(HOST, port, app, threaded=True, fd=listening.fileno()) as server:
        ready(f"http://{HOST}:{listening.getsockname()[1]}/")
        server.serve_forever()
