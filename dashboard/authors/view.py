"""The public page of an author with their bots, and the form to turn it on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base.errors import InvalidRequest
from arena.store.registry import accounts, audit_log, bots, profiles
from arena.store.registry.profiles import AuthorProfile, BotProfile
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import OVERALL, Rating
from dashboard.account.guard import limited
from dashboard.account.rights import acting, organiser, signed_in, the_account
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bots.profile.results import PLACE
from dashboard.sources import sources

page = Blueprint("author", __name__)


AUTHORS_BOT = Shape(
    "AuthorsBot",
    BotProfile,
    about="A bot with its author's description, and its lines in the leaderboards over all tables,"
    " best rank first.",
    more={"name": str, "ratings": Many(PLACE)},
)
AUTHOR = Shape(
    "Author",
    AuthorProfile,
    about="An author with a public page: their description and their bots.",
    more={"name": str, "created": float, "bots": Many(AUTHORS_BOT)},
)


@page.get("/authors/<bot:name>")
def show(name: str) -> str:
    return render_template("authors/page.html", **_public(name))


@page.get("/api/authors/<bot:name>")
@answers(AUTHOR)
def as_json(name: str) -> dict[str, Any]:
    """An author with a public page, with the descriptions and ratings of their bots."""
    author, profile, lines, standings = _public(name).values()
    return AUTHOR.tell(
        profile,
        name=author.name,
        created=author.created,
        bots=[
            AUTHORS_BOT.tell(
                said,
                name=bot.name,
                ratings=[
                    PLACE.tell(each.line, game=each.game, seats=OVERALL)
                    for each in standings[bot.player]
                ],
            )
            for bot, said in lines
        ],
    )


def _public(name: str) -> dict[str, Any]:
    """Return the public data of an author. Raises NotFound without a public page."""
    with sources().read() as conn:
        author = accounts.find(conn, name)
        profile = profiles.of_public_author(conn, author)
        assert author is not None
        own = [bot for bot in bots.owned_by(conn, author.id) if bot.retired is None]
        return {
            "author": author,
            "profile": profile,
            "lines": [(bot, profiles.of_bot(conn, bot.id)) for bot in own],
            "standings": standings_of(conn, [bot.player for bot in own]),
        }


@page.get("/account/public")
@signed_in
def edit() -> str:
    with sources().read() as conn:
        profile = profiles.of_author(conn, the_account().id)
    return _form(profile or AuthorProfile(), profile is not None)


@page.post("/account/public")
@signed_in
@limited("30 per hour")
def publish() -> ResponseReturnValue:
    public = request.form.get("public") == "yes"
    said = AuthorProfile(request.form.get("about", ""), request.form.get("link", ""))
    wrong = "about"
    try:
        if public:
            AuthorProfile(said.about).checked()
        wrong = "link"
        with sources().store.write() as conn:
            profiles.publish(conn, the_account(), said if public else None)
    except InvalidRequest as error:
        return _form(said, public, str(error), wrong), 400
    return redirect(url_for("author.edit", done="saved"), 303)


@page.post("/authors/<bot:name>/remove")
@organiser
def remove(name: str) -> ResponseReturnValue:
    """Remove an author's page, as an organiser; the audit log keeps its text."""
    with sources().store.write() as conn:
        author = accounts.by_name(conn, name)
        said = profiles.of_author(conn, author.id) or AuthorProfile()
        profiles.publish(conn, author, None)
        words = f"{said.about} {said.link}".strip()
        audit_log.note(conn, acting(), "removed the public page", f"account {author.name}", words)
    return redirect(url_for("bots.show"), 303)


def _form(profile: AuthorProfile, public: bool, problem: str = "", wrong: str = "") -> str:
    return render_template(
        "authors/form.html",
        profile=profile,
        public=public,
        problem=problem,
        wrong=wrong,
        done=request.args.get("done") == "saved" and not problem,
        longest=profiles.LONGEST,
    )


class LeaderboardPlace(NamedTuple):
    """A bot's line in the leaderboard of a game over all tables, which has `of` lines."""

    game: str
    of: int
    line: Rating


def standings_of(conn: Connection, players: Collection[int]) -> dict[int, list[LeaderboardPlace]]:
    """Return the lines in all leaderboards by player, best rank first."""
    found: dict[int, list[LeaderboardPlace]] = {player: [] for player in players}
    for game in leaderboard.games(conn):
        table = leaderboard.table(conn, game)
        for line in table:
            if line.player in found:
                found[line.player].append(LeaderboardPlace(game, len(table), line))
    return {player: sorted(rows, key=lambda each: each.line.rank) for player, rows in found.items()}
