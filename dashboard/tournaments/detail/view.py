"""One tournament."""

import json
from typing import Any

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import NotFound, NotNow
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import audit as audits
from arena.service.control.port import all_matches
from arena.service.control.sentences import dealt
from arena.store.archive import open_files
from arena.store.reports import match_luck, standings, variance
from arena.store.reports.faults import first_faults
from arena.store.reports.fits import included
from arena.store.reports.variance import score_errors
from arena.store.reports.verdict import verdict_on
from arena.store.tournaments import daily, format_state, tournaments
from arena.tournaments.formats.priority import WEIGHTS
from arena.tournaments.formats.terms import TERMS
from dashboard.account.guard import limited
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, limit
from dashboard.sources import sources
from dashboard.system.slow_views import reads_much
from dashboard.tournaments.detail import serializers
from dashboard.tournaments.detail.crossings import meetings
from dashboard.tournaments.detail.progress import forecast_check, progress, with_forecasts
from dashboard.tournaments.detail.sections import (
    entry_context,
    latest_context,
    live_context,
    page_data,
    race_context,
    ratings_of,
    rounds_context,
    tables_context,
)

page = Blueprint("tournament", __name__)


@page.get("/tournaments/<number:number>")
def show(number: int) -> str:
    data = page_data(number)
    return render_template(
        "tournaments/detail/page.html",
        tab="show",
        **{**live_context(data), **rounds_context(data), **entry_context(data)},
        priorities=list(WEIGHTS),
    )


@page.get("/tournaments/<number:number>/matches")
def matches(number: int) -> str:
    context = latest_context(page_data(number))
    return render_template("tournaments/detail/matches.html", tab="matches", **context)


@page.get("/tournaments/<number:number>/analysis")
def analysis(number: int) -> str:
    data = page_data(number)
    context = {**tables_context(data), **race_context(data)}
    return render_template("tournaments/detail/analysis.html", tab="analysis", **context)


@page.get("/tournaments/<number:number>/terms")
def terms(number: int) -> str:
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
    return render_template(
        "tournaments/detail/terms.html",
        tab="terms",
        tournament=tournament,
        dealt=dealt(tournament.spec),
        terms=TERMS,
    )


@page.get("/tournaments/<number:number>/live")
def live(number: int) -> str:
    data = page_data(number)
    return render_template("tournaments/detail/live.html", **live_context(data))


# The parts of the pages that change less quickly than the standings.
PARTS = {"rounds": rounds_context, "tables": tables_context, "latest": latest_context}


@page.get("/tournaments/<number:number>/tables")
def tables(number: int) -> str:
    """One of these parts."""
    of = request.args.get("of", "tables")
    if of not in PARTS:
        raise NotFound(f"A tournament has no part {of[:20]!r}. Ask for {', '.join(PARTS)}.")
    return render_template(f"tournaments/detail/{of}.html", **PARTS[of](page_data(number)))


@page.get("/tournaments/<number:number>/crosstable")
@reads_much
def crosstable(number: int) -> str:
    data = page_data(number)
    return render_template(
        "tournaments/detail/crosstable.html", **tables_context(data, however_large=True)
    )


@page.get("/tournaments/<number:number>/audit.jsonl")
@reads_much
def audit(number: int) -> ResponseReturnValue:
    control = sources().control
    item = control.get_tournament(pb.TournamentId(id=number))
    if item.state != "finished":
        raise NotNow(f"Tournament {number} is {item.state}. Verify it when it is finished.")
    with sources().read() as conn:
        if daily.of_table(conn, number) is not None:
            raise NotNow(
                f"Game {number} cannot be verified by itself. Its cards come from a daily deal. "
                "Check the deal's secret instead."
            )
        open_files.check_there(conn, number)  # before the response starts
    records = audits.lines(item, all_matches(control, number))
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in records)
    return Response(lines, mimetype="application/jsonl")


@page.get("/api/tournaments/<number:number>")
@answers(serializers.WHOLE)
def as_json(number: int) -> dict[str, Any]:
    """A tournament with its progress and standings, and its seed once it is finished."""
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        pace = progress(conn, tournament, instant.now())
        so_far = format_state.get(conn, number).so_far
        table = standings.standings_of(conn, tournament, so_far)
        known = variance.luck(conn, number)
        errors = score_errors(conn, number)
        rated = ratings_of(conn, tournament)
        basis = included(conn, tournament.spec.game)
        trust = None if tournament.sign_up else verdict_on(conn, number)
    (pace,) = with_forecasts([pace])
    told = format_state.report(tournament, so_far)
    return serializers.WHOLE.tell(
        **serializers.serialize_running(pace),
        verdict=trust,
        forecast_check=forecast_check(pace),
        standings=serializers.serialize_standings(table, errors, rated),
        remarks=told.sentences,
        test=told.test,
        luck=serializers.LUCK.tell(known),
        included=basis,
    )


@page.get("/api/tournaments/<number:number>/standings.csv")
@page.get("/api/tournaments/<number:number>/standings")
@answers(serializers.STANDINGS, query=(limit(200), AFTER), rows="standings")
def standings_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The standings of a tournament, best first."""
    with sources().read() as conn:
        lines, following = page_of(standings.standings(conn, number), limit, after)
        tournament = tournaments.get(conn, number)
        rows = serializers.serialize_standings(
            lines, score_errors(conn, number), ratings_of(conn, tournament)
        )
        basis = included(conn, tournament.spec.game)
    return serializers.STANDINGS.tell(
        tournament=number, standings=rows, included=basis, next=following
    )


@page.get("/api/tournaments/<number:number>/crosstable.csv")
@page.get("/api/tournaments/<number:number>/crosstable")
@reads_much
@answers(serializers.CROSSTABLE, query=(limit(200), AFTER), rows="meetings")
def crosstable_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The results of each pair of bots in a tournament.

    With very many matches this takes seconds, and while the tournament runs the response may be a
    few seconds old.
    """
    with sources().read() as conn:
        table = meetings(conn, tournaments.get(conn, number))
    lines, following = page_of(table.meetings, limit, after)
    return serializers.CROSSTABLE.tell(
        tournament=number, played=table.played, meetings=lines, next=following
    )


@page.get("/api/tournaments/<number:number>/faults.csv")
@page.get("/api/tournaments/<number:number>/faults")
@limited("60 per minute", reading=True)
@answers(serializers.FIRST_FAULTS, query=(limit(200), AFTER), rows="faults", refuses=(429,))
def first_faults_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The first fault of every bot of a tournament, in the order of its standings."""
    with sources().read() as conn:
        rows, following = page_of(first_faults(conn, number), limit, after)
    faults = list(map(serializers.serialize_first_fault, rows))
    return serializers.FIRST_FAULTS.tell(tournament=number, faults=faults, next=following)


@page.get("/api/tournaments/<number:number>/luck.csv")
@page.get("/api/tournaments/<number:number>/luck")
@answers(serializers.TOURNAMENT_LUCK, query=(limit(200), AFTER), rows="bots")
def luck_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The luck of the bots of a tournament, in the order of its standings."""
    with sources().read() as conn:
        found = match_luck.match_luck(conn, number)
        lines = [line for line in standings.standings(conn, number) if line.player in found.bots]
        wins = match_luck.luckiest_wins(conn, number)
        played = tournaments.played(conn, number)
    some, following = page_of(lines, limit, after)
    return serializers.TOURNAMENT_LUCK.tell(
        found,
        tournament=number,
        played=played,
        factor=found.saved.factor,
        factor_low=found.saved.low,
        factor_high=found.saved.high,
        coefficient=found.saved.coefficient,
        bots=[
            serializers.BOT_LUCK.tell(
                found.bots[line.player],
                bot=line.bot,
                version=line.version,
                wins=wins.get(line.player, []),
            )
            for line in some
        ],
        next=following,
    )
