"""`/events`: changes as server-sent events."""

from collections.abc import Iterator

from flask import Blueprint, Response, current_app, request

from dashboard.account.guard import address
from dashboard.account.session import current_account
from dashboard.events.broadcaster import STREAMS, Listener, NoRoom, NoRoomForClient
from dashboard.events.topics import broadcaster, check
from dashboard.sources import sources

page = Blueprint("events", __name__)

# A closed connection is only detected when writing to it.
HEARTBEAT_S = 5.0
RETRY_MS = 3000
FULL_S = 30

# Streams of one person. A browser has a few (see live.js), and old ones close late.
OF_ACCOUNT = 12
OF_PERSON = 2  # times the number of people behind one address
OF_ADDRESS = STREAMS * 3 // 4  # limit of one address, to leave room for others

FULL = "Too many open live connections. This page polls instead.\n"
FULL_FOR_CLIENT = "You have too many open live connections. This page polls instead.\n"

STREAM = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # a proxy must not buffer
}


@page.get("/events")
def stream() -> Response:
    """`?topic=...`: the current mark of each topic, then each change: "event: mark", "TOPIC MARK".

    429 if the client has too many streams, 503 if there are too many in all. The page then polls.
    """
    wanted = check(request.args.getlist("topic"))
    if request.method == "HEAD":
        return Response(headers=STREAM)
    try:
        listener = broadcaster(current_app).listen(wanted, clients())
    except NoRoomForClient:
        return _refused(429, FULL_FOR_CLIENT)
    except NoRoom:
        return _refused(503, FULL)
    response = Response(_lines(listener), headers=STREAM)
    # This also covers streams that are never read because the browser has disconnected.
    response.call_on_close(listener.close)
    return response


def clients() -> dict[str, int]:
    """Return the keys that the current stream is counted for, with their limits."""
    account, people = current_account(), sources().settings.people_per_address
    counted = {f"address {address()}": min(OF_PERSON * people, OF_ADDRESS)}
    return counted | ({f"account {account.id}": OF_ACCOUNT} if account else {})


def _refused(status: int, sentence: str) -> Response:
    return Response(sentence, status, {"Retry-After": str(FULL_S)}, mimetype="text/plain")


def _lines(listener: Listener) -> Iterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    while (news := listener.wait(HEARTBEAT_S)) is not None:
        if news:
            yield "".join(f"event: mark\ndata: {topic} {mark}\n\n" for topic, mark in news.items())
        else:
            yield ": still here\n\n"
