"""What `arena rules GAME` prints, as a page."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response, jsonify, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.errors import NotFound
from arena.rules import GAMES
from arena.sheets import sheet

page = Blueprint("rules", __name__)


@page.get("/rules")
def index() -> str:
    """All games."""
    return render_template("rules/index.html", games=GAMES.values())


@page.get("/rules/<game>")
def show(game: str) -> str:
    """One game."""
    return render_template("rules/page.html", game=known(game), body=body(game), games=GAMES)


@page.get("/api/rules/<game>")
def as_json(game: str) -> Response:
    """A game's page in Markdown, its options and its actions by stable index."""
    kind = GAMES[known(game)]
    return jsonify(
        game=kind.name,
        title=kind.title,
        ruleset=kind.ruleset,
        options={name: option.default for name, option in kind.known_options.items()},
        actions=kind.notation,
        sheet=sheet(game),
    )


def known(game: str) -> str:
    """The name, if there is such a game. Raises NotFound."""
    if game not in GAMES:
        raise NotFound(f"There is no game {game[:40]!r}; the games are: {', '.join(GAMES)}.")
    return game


@cache
def body(game: str) -> Markup:
    """The page as HTML, without its heading; the text is our own, so it is safe."""
    text = sheet(game).partition("\n\n")[2]
    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    scrolling = rendered.replace("<table>", '<div class="scroll" tabindex="0"><table>')
    return Markup(scrolling.replace("</table>", "</table></div>"))  # noqa: S704
