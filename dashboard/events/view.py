"""`/events`: what changes, as server-sent events."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, current_app, request

from dashboard.events.broadcaster import Listener
from dashboard.events.part import broadcaster
from dashboard.events.topics import check

page = Blueprint("events", __name__)

# A browser that went away is noticed when it is written to, so that must not be seldom.
HEARTBEAT_S = 5.0
RETRY_MS = 3000
FULL_S = 30

STREAM = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # a proxy must not wait for more
}


@page.get("/events")
def stream() -> Response:
    """`?topic=...`: first how each topic stands, then each change, "event: mark" with "TOPIC MARK".

    503 when too many listen already: the page then asks by itself from time to time.
    """
    wanted = check(request.args.getlist("topic"))
    if request.method == "HEAD":
        return Response(headers=STREAM)
    listener = broadcaster(current_app).listen(wanted)
    if listener is None:
        sentence = "Too many pages are listening at once; this one asks by itself.\n"
        return Response(sentence, 503, {"Retry-After": str(FULL_S)}, mimetype="text/plain")
    response = Response(_lines(listener), headers=STREAM)
    # Also where the stream was never read, as when the browser has gone by then.
    response.call_on_close(listener.close)
    return response


def _lines(listener: Listener) -> Iterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    while (news := listener.wait(HEARTBEAT_S)) is not None:
        if news:
            yield "".join(f"event: mark\ndata: {topic} {mark}\n\n" for topic, mark in news.items())
        else:
            yield ": still here\n\n"
