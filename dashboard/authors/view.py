"""The page of an author: who asked for one has it, with their bots; nobody else."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.errors import InvalidRequest
from arena.store.registry import accounts, audit_log, bots, profiles
from arena.store.registry.profiles import AuthorProfile
from dashboard.account.guard import limited
from dashboard.account.rights import acting, organiser, signed_in, the_account
from dashboard.authors.standing import standings_of
from dashboard.sources import sources

page = Blueprint("author", __name__)


@page.get("/authors/<bot:name>")
def show(name: str) -> str:
    """The page."""
    with sources().read() as conn:
        author = accounts.find(conn, name)
        profile = profiles.of_public_author(conn, author)
        assert author is not None
        own = [bot for bot in bots.owned_by(conn, author.id) if bot.retired is None]
        return render_template(
            "authors/page.html",
            author=author,
            profile=profile,
            lines=[(bot, profiles.of_bot(conn, bot.id)) for bot in own],
            standings=standings_of(conn, [bot.player for bot in own]),
        )


@page.get("/account/public")
@signed_in
def edit() -> str:
    """The form about one's own page."""
    with sources().read() as conn:
        profile = profiles.of_author(conn, the_account().id)
    return _form(profile or AuthorProfile(), profile is not None)


@page.post("/account/public")
@signed_in
@limited("30 per hour")
def publish() -> ResponseReturnValue:
    """Gives one a public page, or takes it away."""
    public = request.form.get("public") == "yes"
    said = AuthorProfile(request.form.get("about", ""), request.form.get("link", ""))
    try:
        with sources().store.write() as conn:
            profiles.publish(conn, the_account(), said if public else None)
    except InvalidRequest as error:
        return _form(said, public, str(error)), 400
    return redirect(url_for("author.edit", done="saved"), 303)


@page.post("/authors/<bot:name>/remove")
@organiser
def remove(name: str) -> ResponseReturnValue:
    """Takes an author's page away; the audit log keeps what it said."""
    with sources().store.write() as conn:
        author = accounts.by_name(conn, name)
        said = profiles.of_author(conn, author.id) or AuthorProfile()
        profiles.publish(conn, author, None)
        words = f"{said.about} {said.link}".strip()
        audit_log.note(conn, acting(), "removed the public page", f"account {author.name}", words)
    return redirect(url_for("bots.show"), 303)


def _form(profile: AuthorProfile, public: bool, problem: str = "") -> str:
    return render_template(
        "authors/form.html",
        profile=profile,
        public=public,
        problem=problem,
        done=request.args.get("done") == "saved" and not problem,
        longest=profiles.LONGEST,
    )
