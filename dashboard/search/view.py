"""What was found, as a page and as JSON."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, request, url_for

from arena.store.reports.search import MOST, Hit, search
from dashboard.account.guard import limited
from dashboard.api.answer import answers
from dashboard.api.parameters import text
from dashboard.api.shape import Many, Shape
from dashboard.sources import sources

page = Blueprint("search", __name__)

LONGEST = 80
OFTEN = "60 per minute"  # a person who types, not a program that lists all there is
KINDS = {"bot": "Bots", "author": "Authors", "tournament": "Tournaments", "match": "Matches"}

HIT = Shape("Hit", Hit, about="Something that was found.", more={"address": str})
HITS = Shape(
    "Hits",
    about=f"What fits, at most {MOST} of each kind, the best first.",
    more={"hits": Many(HIT)},
)
Q = text(
    "q",
    "A part of a bot's, author's or tournament's name, a tournament's number, or the beginning of "
    "a match's id (four letters at least).",
    f"a text of at most {LONGEST} letters",
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


@page.get("/api/search")
@limited(OFTEN, reading=True)
@answers(HITS, query=(Q,), refuses=(429,))
def as_json(q: str) -> dict[str, Any]:
    """Bots, authors, tournaments and matches by a part of their names."""
    return HITS.tell(hits=[HIT.tell(hit, address=address(hit)) for hit in _found(q)])


@page.app_template_filter("hit_address")
def address(hit: Hit) -> str:
    """The page of what was found."""
    if hit.kind == "bot":
        return url_for("bot.show", name=hit.key)
    if hit.kind == "author":
        return url_for("author.show", name=hit.key)
    if hit.kind == "tournament":
        return url_for("tournament.show", number=int(hit.key))
    return url_for("match.show", match=hit.key)


def _found(wanted: str) -> list[Hit]:
    with sources().read() as conn:
        return search(conn, wanted)
