"""The discussion of a tournament: posts, and announcements of organisers."""

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import InvalidRequest, NotFound
from arena.store.registry import audit_log
from arena.store.tournaments import discussion, tournaments
from dashboard.account.guard import limited
from dashboard.account.rights import acting, signed_in, the_account
from dashboard.sources import sources
from dashboard.urls import requested_number

page = Blueprint("discussion", __name__)

PAGE = 30


@page.get("/tournaments/<number:number>/discussion")
def show(number: int, text: str = "", problem: str = "") -> str:
    before = requested_number("before", None)
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        if tournament.kind != "tournament":
            raise NotFound(f"There is no tournament {number}.")
        posts = discussion.read(conn, number, PAGE + 1, before)
    return render_template(
        "tournaments/discussion/page.html",
        tab="discussion",
        tournament=tournament,
        posts=posts[:PAGE],
        older=posts[PAGE - 1].id if len(posts) > PAGE else None,
        text=text,
        problem=problem,
        longest=discussion.LONGEST,
    )


@page.post("/tournaments/<number:number>/discussion")
@signed_in
@limited("10 per minute", "60 per hour")
def write(number: int) -> ResponseReturnValue:
    """Add a post; with `announcement`, an organiser's announcement."""
    account, text = the_account(), request.form.get("text", "")
    announcement = account.organiser and bool(request.form.get("announcement"))
    try:
        with sources().store.write() as conn:
            now = instant.now()
            discussion.write(conn, number, account, text, now, announcement=announcement)
    except InvalidRequest as error:
        return show(number, text, str(error)), 400
    return redirect(url_for("discussion.show", number=number), 303)


@page.post("/tournaments/<number:number>/discussion/<number:post>/delete")
@signed_in
def delete(number: int, post: int) -> ResponseReturnValue:
    """Delete a post permanently, as its author or an organiser. The audit log keeps the text of
    another account's post."""
    account = the_account()
    with sources().store.write() as conn:
        found = discussion.get(conn, number, post)
        if account.id != found.account:
            if not account.organiser:
                abort(403, "You can delete your own posts; organisers delete any.")
            about = f"post of {found.author} on tournament {number}"
            audit_log.note(conn, acting(), "deleted", about, found.text)
        discussion.remove(conn, found)
    return redirect(url_for("discussion.show", number=number), 303)
