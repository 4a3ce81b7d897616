"""The form for a new tournament, its preview, and the creation."""

from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import ArenaError
from arena.service.control.sentences import rounded_up
from arena.service.forecast import measured
from arena.service.live.reader import Live
from arena.store.registry import bot_lists, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import tournaments
from arena.tournaments.formats import format_of
from arena.tournaments.formats.series import EVERY
from dashboard.account.guard import limited
from dashboard.account.rights import organiser, the_account
from dashboard.bots.index.connection import connection
from dashboard.sources import sources
from dashboard.system import errors
from dashboard.tournaments.create import form as forms
from dashboard.tournaments.create import reading
from dashboard.tournaments.create.preview import Preview, absentees, misfits
from dashboard.tournaments.create.preview import preview as preview_of
from dashboard.urls import requested_number

page = Blueprint("new_tournament", __name__)

OLDER = 3  # older versions of each bot that can be selected


@page.get("/tournaments/new")
@organiser
def show() -> ResponseReturnValue:
    number = requested_number("like", None)
    form = forms.blank()
    if number is not None:
        with sources().read() as conn:
            form = forms.like(tournaments.get(conn, number).spec)
    known = _known()
    reading.check(form, known, the_account().id, thorough=False)
    form.wrong.clear()  # the user has not typed anything yet
    return _page(form, known, show_wrong=False)


@page.post("/tournaments/new/preview")
@organiser
@limited("600 per minute")
def preview() -> ResponseReturnValue:
    known = _known()
    form = reading.read(request.form, known, the_account().id, thorough=False)
    if request.headers.get("HX-Request"):
        return render_template("tournaments/create/preview.html", **_context(form), parted=True)
    return _page(form, known, show_wrong=True)


@page.post("/tournaments")
@organiser
def create() -> ResponseReturnValue:
    known = _known()
    form = reading.read(request.form, known, the_account().id)
    if form.spec is None:
        return _page(form, known, show_wrong=True), 400
    try:
        made = sources().control.create_tournament(form.message(), owner=the_account().id)
    except ArenaError as error:
        refused = errors.sentence_of(error)
        return _page(form, known, show_wrong=True, refused=refused), errors.status_of(error)
    return redirect(url_for("tournament.show", number=made.id), 303)


def _known() -> dict[str, RegisteredBot]:
    """Return the bots that can be entered, as NAME (newest version) or NAME@VERSION."""
    with sources().read() as conn:
        older = {bot.label: bot for bot in bot_lists.older_versions(conn, OLDER)}
        return {bot.name: bot for bot in bots.all_bots(conn)} | older


def _page(
    form: forms.TournamentForm,
    known: Mapping[str, RegisteredBot],
    *,
    show_wrong: bool,
    refused: str = "",
) -> str:
    """Render the page; with `show_wrong`, each problem is shown next to its field."""
    live = sources().live(bot.player for bot in known.values())
    listed = [name for name, bot in known.items() if name == bot.name or name in form.bots]
    return render_template(
        "tournaments/create/page.html",
        **_context(form, live),
        parted=False,
        show_wrong=show_wrong,
        refused=refused,
        games=forms.games(),
        formats=forms.formats(),
        seats=forms.SEATS_AT_TABLE,
        matches=forms.MATCHES_EACH,
        rules=forms.RULES,
        places=forms.PLACES,
        intervals=[("", "never"), *((name, name) for name in EVERY)],
        counted=forms.COUNTED,
        choices=forms.CHOICES,
        bots=[(name, known[name], connection(live, known[name].player)) for name in listed],
        names=list(known),
        live=live,
    )


def _context(form: forms.TournamentForm, live: Live | None = None) -> dict[str, object]:
    spec = form.spec
    siblings = format_of(spec.format).siblings_meet(spec) if spec and not form.sign_up else ""
    return {"form": form, "preview": _preview(form, live), "siblings": siblings}


def _preview(form: forms.TournamentForm, live: Live | None) -> Preview | None:
    spec = form.spec
    if spec is None or form.sign_up is not None:
        return None
    with sources().read() as conn:
        entered = bots.get_all(conn, spec.bots)
        speeds = measured(conn, spec, [bot.player for bot in entered])
    seen, in_flight = sources().seen(speeds.players), sources().settings.in_flight
    live = live or sources().live(bot.player for bot in entered)
    made, wanted = (
        format_of(spec.format).matches_each(spec),
        int(form.values[forms.MATCHES_EACH.name]),
    )
    return replace(
        preview_of(spec, speeds, seen, in_flight),
        rounded=f"For each table {rounded_up(wanted, made)}" if made > wanted else "",
        absent=absentees(spec, entered, live),
        hostless=absentees(spec, entered, live, hosted=True),
        unfit=misfits(spec, entered, live),
    )
