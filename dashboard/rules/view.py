"""The rules of the games: an illustrated guide, then the output of `arena rules GAME`."""

from functools import cache
from typing import Any

from flask import Blueprint, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.base.errors import NotFound
from arena.games.guides import guide
from arena.games.rules import GAMES
from dashboard.api.answer import answers
from dashboard.api.shape import Shape

page = Blueprint("rules", __name__)

# A guide continues for bot authors here; one made from the class alone does so at its options.
REFERENCE, OPTIONS = "**Decisions.**", "## Options"

RULES = Shape(
    "Rules",
    about="The rules of a game. `options` have their default values, `sheet` is Markdown.",
    more={
        "game": str,
        "title": str,
        "ruleset": str,
        "options": dict[str, str],
        "actions": tuple[str, ...],
        "sheet": str,
    },
)


@page.get("/rules")
def index() -> str:
    return render_template("rules/index.html")


@page.get("/rules/<game>")
def show(game: str) -> str:
    rules, reference = body(known(game))
    return render_template("rules/page.html", game=game, rules=rules, reference=reference)


@page.get("/api/rules/<game>")
@answers(RULES, path={"game": {"type": "string", "enum": list(GAMES)}})
def as_json(game: str) -> dict[str, Any]:
    """A game's rules in Markdown, its options, and its actions by stable index."""
    kind = GAMES[known(game)]
    return RULES.tell(
        kind,
        game=kind.name,
        options={name: option.default for name, option in kind.known_options.items()},
        actions=kind.notation,
        sheet=guide(game),
    )


def known(game: str) -> str:
    """Return the name if the game exists. Raises NotFound."""
    if game not in GAMES:
        raise NotFound(f"There is no game {game[:40]!r}. Games: {', '.join(GAMES)}.")
    return game


@cache
def body(game: str) -> tuple[Markup, Markup]:
    """Return the rules as HTML without the heading: for players, and the rest for bot authors."""
    text = guide(game).partition("\n\n")[2]
    at = text.find(REFERENCE)
    at = at if at >= 0 else text.index(OPTIONS)
    return _rendered(text[:at]), _rendered(text[at:])


def _rendered(text: str) -> Markup:
    """Render Markdown. The source is trusted."""
    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    scrolling = rendered.replace("<table>", '<div class="scroll" tabindex="0"><table>')
    return Markup(scrolling.replace("</table>", "</table></div>"))  # noqa: S704
