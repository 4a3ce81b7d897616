"""The documentation: contents, pages, search, and a text version for AI assistants."""

import re
from collections.abc import Sequence

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup, escape

from arena import __version__
from arena.base.errors import NotFound
from dashboard.account.guard import limited
from dashboard.docs import assistants, contents
from dashboard.docs.markdown import Section
from dashboard.site import home

page = Blueprint("docs", __name__)

LONGEST = 80  # characters to search for
MOST = 30  # results
AROUND = 110  # characters of an excerpt before and after the first word
OFTEN = "60 per minute"
SUFFIXES = (".md", ".html")


@page.get("/docs")
def index() -> str:
    return render_template("docs/index.html", groups=contents.GROUPS, version=__version__)


@page.get("/docs/search")
@limited(OFTEN, reading=True)
def find() -> str:
    wanted = request.args.get("q", "")[:LONGEST].strip()
    hits = search(wanted, request.script_root)
    return render_template("docs/search.html", wanted=wanted, hits=hits, most=MOST)


@page.get("/docs/<path:entry>")
def show(entry: str) -> ResponseReturnValue:
    if entry in contents.ENTRIES:
        made = contents.rendered(entry, request.script_root)
        before, after = contents.neighbours(entry)
        return render_template(
            "docs/page.html",
            entry=contents.ENTRIES[entry],
            group=contents.group_of(entry),
            title=made.sections[0],
            body=made.body.replace(contents.PLACEHOLDER, home()),
            sections=[section for section in made.sections[1:] if section.level < 4],
            before=before,
            after=after,
        )
    if entry.endswith(SUFFIXES) and (stem := entry.rpartition(".")[0]) in contents.ENTRIES:
        return redirect(url_for("docs.show", entry=stem), 301)
    if new := contents.MOVED.get(entry.removesuffix(".md")):
        return redirect(url_for("docs.show", entry=new), 301)
    if kind := contents.mimetype(entry):
        return Response((contents.FOLDER / entry).read_bytes(), mimetype=kind)
    raise NotFound(
        f"The documentation has no page {entry[:80]!r}. See {url_for('docs.index')} for all pages."
    )


@page.get(f"/docs/{assistants.NAME}")
def full_text() -> Response:
    return Response(assistants.full_text(home()), mimetype="text/plain")


@page.get("/llms.txt")
def short_text() -> Response:
    text = render_template("docs/llms.txt", groups=contents.GROUPS, full=assistants.NAME)
    return Response(text, mimetype="text/plain")


def search(wanted: str, root: str) -> list[dict[str, object]]:
    """Return the sections that contain all words, those with words in the title first."""
    words = list(dict.fromkeys(wanted.lower().split()))
    found = [
        (_rank(section, words), entry, section)
        for entry in contents.ENTRIES.values()
        for section in contents.rendered(entry.name, root).sections
        if words and all(word in f"{section.title} {section.text}".lower() for word in words)
    ]
    best = sorted(found, key=lambda each: each[0], reverse=True)[:MOST]
    return [
        {"entry": entry, "section": section, "excerpt": _excerpt(section.text, words)}
        for _, entry, section in best
    ]


def _rank(section: Section, words: Sequence[str]) -> tuple[int, int]:
    title, text = section.title.lower(), section.text.lower()
    return sum(word in title for word in words), sum(text.count(word) for word in words)


def _excerpt(text: str, words: Sequence[str]) -> Markup:
    any_word = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = any_word.search(text)
    start = max(0, first.start() - AROUND) if first else 0
    end = start + 2 * AROUND
    shown = f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
    pieces = re.split(f"({any_word.pattern})", shown, flags=re.IGNORECASE)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(piece) if at % 2 else escape(piece)
        for at, piece in enumerate(pieces)
    )
