"""The contexts for the templates of a tournament's page."""

from dataclasses import dataclass
from functools import cached_property

from flask import request
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import Unavailable
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import filled, included_words
from arena.service.control.messages import match_luck as match_luck_message
from arena.service.control.sentences import (
    dealt,
    left_out_text,
    luck_lines,
    match_luck_lines,
    withdrawn_text,
)
from arena.store.archive import catalogue
from arena.store.matches import matches
from arena.store.reports import leaderboard, match_luck, standings, variance
from arena.store.reports.fits import included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.standings import Standing
from arena.store.reports.variance import score_errors
from arena.store.reports.verdict import verdict_on
from arena.store.tournaments import discussion, format_state, series, sign_up, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.seeding import seeded
from arena.tournaments.formats.stages import Staged, TableResult, stages_of
from dashboard.account.session import current_account
from dashboard.events.topics import LivePart, live_part
from dashboard.sources import sources
from dashboard.tournaments.detail.crossings import AT_ONCE, Counted, meetings
from dashboard.tournaments.detail.progress import forecast_check, progress, with_forecasts
from dashboard.tournaments.lifecycle.view import can_enter, can_withdraw
from dashboard.tournaments.race.view import BY, course

LATEST = 20  # matches
ANNOUNCED = 2
LATEST_ROUNDS = 12
MOST = 40  # rows and columns of the crosstable


@dataclass(frozen=True)
class PageData:
    """A tournament with the data for all parts of its page; `part` was created before reading."""

    part: LivePart
    tournament: Tournament
    so_far: SoFar

    @cached_property
    def standings(self) -> list[Standing]:
        """The standings, which not every part needs."""
        with sources().read() as conn:
            return standings.standings_of(conn, self.tournament, self.so_far)


def page_data(number: int) -> PageData:
    part = live_part(f"tournament-{number}")
    with sources().read() as conn:
        tournament, so_far = tournaments.get(conn, number), format_state.get(conn, number).so_far
        return PageData(part, tournament, so_far)


def live_context(data: PageData) -> dict[str, object]:
    tournament, table = data.tournament, data.standings
    format_ = format_of(tournament.spec.format)
    told = format_state.report(tournament, data.so_far)
    with sources().read() as conn:
        pace = progress(conn, tournament, instant.now())
        opened = tournament.sign_up is not None
        there = sign_up.present(conn, tournament) if opened else {}
        bench_after = sources().settings.bench_after
        out = sign_up.benched(conn, tournament, there, bench_after) if opened else set()
        context = {
            "part": data.part,
            "tournament": tournament,
            # A page opened before the end keeps its Elo column, so that the table does not jump.
            "live": tournament.state in ("waiting", "running") or "elo" in request.args,
            "standings": table,
            "left_out": left_out_text(tournament.left_out),
            "withdrawn": withdrawn_text([line.bot for line in table if line.withdrawn]),
            "errors": score_errors(conn, tournament.id),
            "rated": ratings_of(conn, tournament),
            "included": included_words(included(conn, tournament.spec.game)),
            "order": format_.standings_order,
            "dealt": dealt(tournament.spec),
            "per_deal": format_.matches_per_deal(tournament.spec),
            "remarks": told.remarks,
            "siblings": told.siblings,
            "test": told.test,
            "verdict": None if tournament.sign_up else verdict_on(conn, tournament.id),
            "entered": list(there),
            "benched": out,
        }
    (pace,) = with_forecasts([pace])
    return {**context, "progress": pace, "forecast_check": forecast_check(pace)}


def ratings_of(conn: Connection, tournament: Tournament) -> dict[int, Rating]:
    lines = leaderboard.by_player(conn, tournament.spec.game)
    return {player: lines[player] for player in tournament.players if player in lines}


def entry_context(data: PageData) -> dict[str, object]:
    """The bots that the visitor can enter or withdraw, the series that they enter, and the newest
    announcements."""
    tournament, account = data.tournament, current_account()
    with sources().read() as conn:
        number = series.number_of(conn, tournament.id)
        announced = discussion.read(conn, tournament.id, ANNOUNCED, only=True)
        entering = can_enter(conn, tournament, account)
        leaving = can_withdraw(conn, tournament, account)
    return {
        "can_enter": entering,
        "can_withdraw": leaving,
        "series": number,
        "announcements": announced,
    }


def race_context(data: PageData) -> dict[str, object]:
    tournament = data.tournament
    raced = tournament.kind == "tournament" and tournament.sign_up is None
    by = request.args.get("race", "")
    with sources().read() as conn:
        race = course(conn, tournament, data.standings, by) if raced else None
    return {"race": race, "races": BY}


def rounds_context(data: PageData) -> dict[str, object]:
    spec = data.tournament.spec
    finished = rounds(spec, data.so_far)
    return {
        "part": data.part,
        "tournament": data.tournament,
        "bracket": format_of(spec.format).eliminates,
        "rounds": finished[:LATEST_ROUNDS],
        "rounds_in_all": len(finished),
    }


def latest_context(data: PageData) -> dict[str, object]:
    number = data.tournament.id
    with sources().read() as conn:
        latest, more = matches.list_matches(conn, tournament=number, limit=LATEST)
        archived = "" if more else catalogue.older(conn, tournament=number)
    return {
        "part": data.part,
        "tournament": data.tournament,
        "latest": latest,
        "archived": archived,
    }


def _counted(
    conn: Connection, tournament: Tournament, *, however_large: bool
) -> tuple[Counted | None, str]:
    """Return the crosstable, or None and the reason why it is unavailable. With `however_large`,
    raises Unavailable instead."""
    if not tournament.played or not (however_large or tournament.played <= AT_ONCE):
        return None, ""
    try:
        return meetings(conn, tournament), ""
    except Unavailable as error:  # an archive is missing; the rest of the page does not need it
        if however_large:
            raise
        return None, error.public


def tables_context(data: PageData, *, however_large: bool = False) -> dict[str, object]:
    """The crosstable, the seats and luck; a large crosstable is left out."""
    tournament, table, number = data.tournament, data.standings, data.tournament.id
    with sources().read() as conn:
        counted, lacking = _counted(conn, tournament, however_large=however_large)
        known = variance.luck(conn, number)
        chance = match_luck.match_luck(conn, number)
        wins = match_luck.luckiest_wins(conn, number)
    names = list(dict.fromkeys(line.called for line in table))  # in a ladder a bot may be twice
    return {
        "part": data.part,
        "tournament": tournament,
        "names": names[:MOST],
        "bots": len(names),
        "crossings": counted.crossings if counted else None,
        "counted": counted.played if counted else 0,
        "lacking": lacking,
        "luck": known,
        "saved": next(luck_lines(filled(pb.Luck, known)), "") if known.shared else "",
        "chance": chance,
        "chance_words": list(
            match_luck_lines(match_luck_message(chance, (), {}), tournament.played)
        ),
        "chance_lines": [
            (line, chance.bots[line.player], next(iter(wins.get(line.player, [])), None))
            for line in table[:MOST]
            if line.player in chance.bots
        ],
    }


def rounds(spec: TournamentSpec, so_far: SoFar) -> list[dict[str, object]]:
    """Return the finished rounds, newest first: the number, the tables with the best first, and the
    bots that had a bye. In formats without rounds, there are none."""
    format_ = format_of(spec.format)
    if not isinstance(format_, Staged):
        return []
    stages = stages_of(so_far)
    seed = {entrant: place for place, entrant in enumerate(seeded(spec))}
    finished = []
    for number, stage in enumerate(stages, 1):
        still_in = set(format_.still_in(spec, stages[:number]))
        seated = {entrant for table in stage for entrant in table.entrants}
        byes = set(format_.still_in(spec, stages[: number - 1])) - seated
        tables = sorted(stage, key=lambda table: min(seed[each] for each in table.entrants))
        finished.append(
            {
                "number": number,
                "tables": [_seats(spec, table, seed, still_in) for table in tables],
                "byes": [spec.bots[entrant] for entrant in sorted(byes, key=seed.__getitem__)],
            }
        )
    return finished[::-1]


def _seats(
    spec: TournamentSpec, table: TableResult, seed: dict[int, int], still_in: set[int]
) -> list[dict[str, object]]:
    """Return the results of the bots at a table, the best first; `through` if they advanced."""
    return [
        {
            "bot": spec.bots[table.entrants[at]],
            "score": table.halves[at] / table.most,
            "mean_points": table.points[at] / table.matches,
            "through": table.entrants[at] in still_in,
        }
        for at in table.ranking(seed)
    ]
