"""One tournament."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import NotNow, Unavailable
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import audit as audits
from arena.service.control.messages import included_words
from arena.service.control.pages import all_matches
from arena.service.control.sentences import dealt, left_out_text, withdrawn_text
from arena.store.archive import notice as archive_notice
from arena.store.archive import open_files
from arena.store.matches import matches
from arena.store.reports import leaderboard, match_luck, standings, variance_reduction
from arena.store.reports.first_faults import first_faults
from arena.store.reports.included import included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.score_errors import score_errors
from arena.store.reports.standings import Standing
from arena.store.reports.verdict import verdict_on
from arena.store.tournaments import format_state, sign_up, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from arena.tournaments.formats.plan import SoFar
from arena.tournaments.formats.priority import WEIGHTS
from dashboard.account.guard import limited
from dashboard.account.session import current_account
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, limit
from dashboard.events.part import LivePart, live_part
from dashboard.sources import sources
from dashboard.system.slow_views import reads_much
from dashboard.tournaments.detail import luck_sentences
from dashboard.tournaments.detail.crossings import AT_ONCE, Counted, meetings
from dashboard.tournaments.detail.progress import forecast_check, progress, with_forecasts
from dashboard.tournaments.detail.rounds import rounds
from dashboard.tournaments.detail.serializers import (
    CROSSTABLE,
    FIRST_FAULTS,
    STANDINGS,
    TOURNAMENT_LUCK,
    WHOLE,
    Judged,
    serialize_first_fault,
    serialize_luck,
    serialize_standings,
    serialize_whole,
)
from dashboard.tournaments.lifecycle.view import can_enter, can_withdraw
from dashboard.tournaments.race.view import BY, course

page = Blueprint("tournament", __name__)

LATEST = 8
LATEST_ROUNDS = 12
MOST = 40  # rows and columns of the crosstable


@page.get("/tournaments/<number:number>")
def show(number: int) -> str:
    seen = _seen(number)
    return render_template(
        "tournaments/detail/page.html",
        **{**_live_context(seen), **_tables(seen), **_standing_by(seen)},
        priorities=list(WEIGHTS),
    )


@page.get("/tournaments/<number:number>/live")
def live(number: int) -> str:
    """The part of the page that changes with every match."""
    seen = _seen(number)
    return render_template("tournaments/detail/live.html", **_live_context(seen))


@page.get("/tournaments/<number:number>/tables")
def tables(number: int) -> str:
    """The part of the page that changes less quickly: rounds, crosstable, seats, latest."""
    seen = _seen(number)
    return render_template("tournaments/detail/tables.html", **_tables(seen))


@page.get("/tournaments/<number:number>/crosstable")
@reads_much
def crosstable(number: int) -> str:
    """The crosstable on a page of its own, however many matches there are."""
    seen = _seen(number)
    return render_template(
        "tournaments/detail/crosstable.html", **_tables(seen, however_large=True)
    )


@page.get("/tournaments/<number:number>/audit.jsonl")
@reads_much
def audit(number: int) -> ResponseReturnValue:
    """What `arena tournament verify` takes, of a finished tournament."""
    control = sources().control
    item = control.get_tournament(pb.TournamentId(id=number))
    if item.state != "finished":
        raise NotNow(f"Tournament {number} is {item.state}: it can be checked when it is finished.")
    with sources().read() as conn:
        open_files.check_there(conn, number)  # before the answer begins
    records = audits.lines(item, all_matches(control, number))
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in records)
    return Response(lines, mimetype="application/jsonl")


@page.get("/api/tournaments/<number:number>")
@answers(WHOLE)
def as_json(number: int) -> dict[str, Any]:
    """A tournament with its progress and standings; its seed once it is finished."""
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        pace = progress(conn, tournament, instant.now())
        so_far = format_state.get(conn, number).so_far
        table = standings.standings_of(conn, tournament, so_far)
        known = variance_reduction.luck(conn, number)
        errors = score_errors(conn, number)
        rated = _rated(conn, tournament)
        basis = included(conn, tournament.spec.game)
        trust = None if tournament.sign_up else verdict_on(conn, number)
    (pace,) = with_forecasts([pace])
    judged = Judged(trust, forecast_check(pace))
    return serialize_whole(pace, table, errors, rated, so_far, known, basis, judged)


@page.get("/api/tournaments/<number:number>/standings.csv")
@page.get("/api/tournaments/<number:number>/standings")
@answers(STANDINGS, query=(limit(200), AFTER), rows="standings")
def standings_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The standings of a tournament, best first."""
    with sources().read() as conn:
        lines, following = page_of(standings.standings(conn, number), limit, after)
        tournament = tournaments.get(conn, number)
        rows = serialize_standings(lines, score_errors(conn, number), _rated(conn, tournament))
        basis = included(conn, tournament.spec.game)
    return STANDINGS.tell(tournament=number, standings=rows, included=basis, next=following)


@page.get("/api/tournaments/<number:number>/crosstable.csv")
@page.get("/api/tournaments/<number:number>/crosstable")
@reads_much
@answers(CROSSTABLE, query=(limit(200), AFTER), rows="meetings")
def crosstable_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """Who did how against whom in a tournament.

    Counting takes seconds where there are very many matches; while such a tournament runs, the
    answer is some seconds old.
    """
    with sources().read() as conn:
        table = meetings(conn, tournaments.get(conn, number))
    lines, following = page_of(table.meetings, limit, after)
    return CROSSTABLE.tell(tournament=number, played=table.played, meetings=lines, next=following)


@page.get("/api/tournaments/<number:number>/faults.csv")
@page.get("/api/tournaments/<number:number>/faults")
@limited("60 per minute", reading=True)
@answers(FIRST_FAULTS, query=(limit(200), AFTER), rows="faults", refuses=(429,))
def first_faults_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The first fault of every bot of a tournament, in the order of its standings."""
    with sources().read() as conn:
        rows, following = page_of(first_faults(conn, number), limit, after)
    faults = list(map(serialize_first_fault, rows))
    return FIRST_FAULTS.tell(tournament=number, faults=faults, next=following)


@page.get("/api/tournaments/<number:number>/luck.csv")
@page.get("/api/tournaments/<number:number>/luck")
@answers(TOURNAMENT_LUCK, query=(limit(200), AFTER), rows="bots")
def luck_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """What luck did to the bots of a tournament, in the order of its standings."""
    with sources().read() as conn:
        found = match_luck.match_luck(conn, number)
        lines = [line for line in standings.standings(conn, number) if line.player in found.bots]
        wins = match_luck.luckiest_wins(conn, number)
        played = tournaments.played(conn, number)
    some, following = page_of(lines, limit, after)
    return serialize_luck(number, found, played, some, wins, following)


@dataclass(frozen=True)
class _Seen:
    """A tournament and what all parts of its page need; `part` was made before it was read."""

    part: LivePart
    tournament: Tournament
    standings: list[Standing]
    so_far: SoFar


def _seen(number: int) -> _Seen:
    part = live_part(f"tournament-{number}")
    with sources().read() as conn:
        tournament, so_far = tournaments.get(conn, number), format_state.get(conn, number).so_far
        return _Seen(part, tournament, standings.standings_of(conn, tournament, so_far), so_far)


def _live_context(seen: _Seen) -> dict[str, object]:
    tournament, table = seen.tournament, seen.standings
    format_ = format_of(tournament.spec.format)
    told = format_state.report(tournament, seen.so_far)
    with sources().read() as conn:
        pace = progress(conn, tournament, instant.now())
        context = {
            "part": seen.part,
            "tournament": tournament,
            # A page that was opened before the end keeps its column of Elo: nothing on it jumps.
            "live": tournament.state in ("waiting", "running") or "elo" in request.args,
            "standings": table,
            "left_out": left_out_text(tournament.left_out),
            "withdrawn": withdrawn_text([line.bot for line in table if line.withdrawn]),
            "errors": score_errors(conn, tournament.id),
            "rated": _rated(conn, tournament),
            "included": included_words(included(conn, tournament.spec.game)),
            "order": format_of(tournament.spec.format).order,
            "dealt": dealt(tournament.spec),
            "per_deal": format_.matches_per_deal(tournament.spec),
            "remarks": told.remarks,
            "siblings": told.siblings,
            "test": told.test,
            "verdict": None if tournament.sign_up else verdict_on(conn, tournament.id),
            **_signed_up(conn, tournament),
        }
    (pace,) = with_forecasts([pace])
    return {**context, "progress": pace, "forecast_check": forecast_check(pace)}


def _signed_up(conn: Connection, tournament: Tournament) -> dict[str, object]:
    """Who has entered a tournament that is open for sign-up, and who of them is benched."""
    if tournament.sign_up is None:
        return {"entered": [], "benched": set()}
    there = sign_up.present(conn, tournament)
    out = sign_up.benched(conn, tournament, there, sources().settings.bench_after)
    return {"entered": list(there), "benched": out}


def _rated(conn: Connection, tournament: Tournament) -> dict[int, Rating]:
    """The lines of its players in the rating table of the game, by player."""
    lines = leaderboard.by_player(conn, tournament.spec.game)
    return {player: lines[player] for player in tournament.players if player in lines}


def _standing_by(seen: _Seen) -> dict[str, object]:
    """What is on the page and stays there."""
    tournament, by, account = seen.tournament, request.args.get("race", ""), current_account()
    raced = tournament.kind == "tournament" and tournament.sign_up is None
    with sources().read() as conn:
        race = course(conn, tournament, seen.standings, by) if raced else None
        entering = can_enter(conn, tournament, account)
        leaving = can_withdraw(conn, tournament, account)
    return {"race": race, "races": BY, "can_enter": entering, "can_withdraw": leaving}


def _counted(
    conn: Connection, tournament: Tournament, *, however_large: bool
) -> tuple[Counted | None, str]:
    """The crosstable, or why it cannot be counted; on a page of its own the reason is raised."""
    if not tournament.played or not (however_large or tournament.played <= AT_ONCE):
        return None, ""
    try:
        return meetings(conn, tournament), ""
    except Unavailable as error:  # an archive is missing: the rest of the page needs none
        if however_large:
            raise
        return None, str(error)


def _tables(seen: _Seen, *, however_large: bool = False) -> dict[str, object]:
    """What the heat map, the seats and the rounds need; a large crosstable is left out."""
    tournament, table, number = seen.tournament, seen.standings, seen.tournament.id
    with sources().read() as conn:
        counted, lacking = _counted(conn, tournament, however_large=however_large)
        known = variance_reduction.luck(conn, number)
        latest, more = matches.list_matches(conn, tournament=number, limit=LATEST)
        chance = match_luck.match_luck(conn, number)
        wins = match_luck.luckiest_wins(conn, number)
        archived = "" if more else archive_notice.older(conn, tournament=number)
    finished = rounds(tournament.spec, seen.so_far)
    names = list(dict.fromkeys(line.called for line in table))  # in a ladder a bot may be twice
    return {
        "part": seen.part,
        "tournament": tournament,
        "names": names[:MOST],
        "bots": len(names),
        "crossings": counted.crossings if counted else None,
        "counted": counted.played if counted else 0,
        "lacking": lacking,
        "luck": known,
        "saved": luck_sentences.saved(known),
        "chance": chance,
        "chance_words": luck_sentences.chance(chance, tournament.played),
        "chance_lines": [
            (line, chance.bots[line.player], next(iter(wins.get(line.player, [])), None))
            for line in table[:MOST]
            if line.player in chance.bots
        ],
        "bracket": format_of(tournament.spec.format).eliminates,
        "rounds": finished[:LATEST_ROUNDS],
        "rounds_in_all": len(finished),
        "latest": latest,
        "archived": archived,
    }
