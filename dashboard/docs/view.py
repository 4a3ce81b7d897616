"""The documentation: contents, pages, search, and a text version for AI assistants."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena import __version__
from arena.base.errors import NotFound
from dashboard.account.guard import limited
from dashboard.docs import assistants
from dashboard.docs.contents import ENTRIES, GROUPS, MOVED, group_of, neighbours
from dashboard.docs.files import FOLDER, PLACEHOLDER, mimetype
from dashboard.docs.rendered import rendered
from dashboard.docs.search import MOST, search
from dashboard.site import home

page = Blueprint("docs", __name__)

LONGEST = 80
OFTEN = "60 per minute"
SUFFIXES = (".md", ".html")


@page.get("/docs")
def index() -> str:
    """All pages, by reader."""
    return render_template("docs/index.html", groups=GROUPS, version=__version__)


@page.get("/docs/search")
@limited(OFTEN, reading=True)
def find() -> str:
    """The sections that contain all words."""
    wanted = request.args.get("q", "")[:LONGEST].strip()
    hits = search(wanted, request.script_root)
    return render_template("docs/search.html", wanted=wanted, hits=hits, most=MOST)


@page.get("/docs/<path:entry>")
def show(entry: str) -> ResponseReturnValue:
    """A page, or a file that a page shows."""
    if entry in ENTRIES:
        return _page(entry)
    if entry.endswith(SUFFIXES) and (stem := entry.rpartition(".")[0]) in ENTRIES:
        return redirect(url_for("docs.show", entry=stem), 301)
    if new := MOVED.get(entry.removesuffix(".md")):
        return redirect(url_for("docs.show", entry=new), 301)
    if kind := mimetype(entry):
        return Response((FOLDER / entry).read_bytes(), mimetype=kind)
    raise NotFound(
        f"The documentation has no page {entry[:80]!r}. See {url_for('docs.index')} for all pages."
    )


@page.get(f"/docs/{assistants.NAME}")
def full_text() -> Response:
    """Everything needed to write a bot, in one file."""
    return Response(assistants.full_text(home()), mimetype="text/plain")


@page.get("/llms.txt")
def short_text() -> Response:
    """The list of pages in the format of llmstxt.org."""
    text = render_template("docs/llms.txt", groups=GROUPS, full=assistants.NAME)
    return Response(text, mimetype="text/plain")


def _page(name: str) -> str:
    made = rendered(name, request.script_root)
    before, after = neighbours(name)
    return render_template(
        "docs/page.html",
        entry=ENTRIES[name],
        group=group_of(name),
        title=made.sections[0],
        body=made.body.replace(PLACEHOLDER, home()),
        sections=[section for section in made.sections[1:] if section.level < 4],
        before=before,
        after=after,
    )
