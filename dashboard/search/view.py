"""Search results as a page, as suggestions while typing, and as JSON."""

from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for

from arena.store.reports.search import MOST, Hit, search
from dashboard.account.guard import limited
from dashboard.api.answer import answers
from dashboard.api.parameters import text
from dashboard.api.shape import Many, Shape
from dashboard.sources import sources

page = Blueprint("search", __name__)

LONGEST = 80
OFTEN = "60 per minute"  # too few to list everything
TYPING = "120 per minute"
SUGGESTED = 3  # of each kind
LASTS_S = 60  # suggestions in the browser's cache
KINDS = {"bot": "Bots", "author": "Authors", "tournament": "Tournaments", "match": "Matches"}

HIT = Shape("Hit", Hit, about="A search result.", more={"address": str})
HITS = Shape(
    "Hits",
    about=f"Search results, at most {MOST} of each kind, best first.",
    more={"hits": Many(HIT)},
)
Q = text(
    "q",
    "Part of a bot's, author's or tournament's name, a tournament's number, or at least the first "
    "four characters of a match id.",
    f"a text of at most {LONGEST} characters",
    rf".{{0,{LONGEST}}}",
    "",
)


@page.get("/search")
@limited(OFTEN, reading=True)
def show() -> str:
    wanted = request.args.get("q", "")[:LONGEST].strip()
    hits = _found(wanted)
    found = {title: [hit for hit in hits if hit.kind == kind] for kind, title in KINDS.items()}
    return render_template("search/page.html", wanted=wanted, found=found, most=MOST)


@page.get("/search/parts")
@limited(TYPING, reading=True)
def parts() -> Response:
    """The first results, as options of a list."""
    hits = _found(request.args.get("q", "")[:LONGEST])
    first = [hit for kind in KINDS for hit in [h for h in hits if h.kind == kind][:SUGGESTED]]
    response = make_response(render_template("search/options.html", hits=first))
    response.cache_control.public = True
    response.cache_control.max_age = LASTS_S
    return response


@page.get("/api/search")
@limited(OFTEN, reading=True)
@answers(HITS, query=(Q,), refuses=(429,))
def as_json(q: str) -> dict[str, Any]:
    """Bots, authors, tournaments and matches by part of their names."""
    return HITS.tell(hits=[HIT.tell(hit, address=address(hit)) for hit in _found(q)])


@page.app_template_filter("hit_address")
def address(hit: Hit) -> str:
    part = {"tournament": "number", "match": "match"}.get(hit.kind, "name")
    key: dict[str, Any] = {part: hit.key}
    return url_for(f"{hit.kind}.show", **key)


def _found(wanted: str) -> list[Hit]:
    with sources().read() as conn:
        return search(conn, wanted)
