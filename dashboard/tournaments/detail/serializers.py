"""A tournament as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.service.forecast import Slow
from arena.service.forecast.check import ForecastCheck
from arena.service.forecast.waits import Queued
from arena.store.reports.crosstable import Meeting
from arena.store.reports.first_faults import FirstFault
from arena.store.reports.included import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from arena.store.reports.verdict import TrustVerdict
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec
from arena.tournaments.ratings.sprt import Verdict
from arena.tournaments.ratings.variance import Luck
from dashboard.api.shape import Many, Shape
from dashboard.tournaments.detail.progress import Progress

SPEC = Shape(
    "TournamentSpec",
    TournamentSpec,
    about="A tournament as asked for. `matches` are for each table of bots (in versus for each "
    "block) where every match has a deal of its own; where deals are shared, `deals` are. `seed` "
    "is there once it is finished: the number that a repeatable one repeats, with the random bits "
    "in `salt`. `authors` "
    "stand for whose the bots are, in the order of `bots`: equal numbers are one account's, which "
    "the schedule keeps apart unless siblings are allowed; bots of the house and of no account "
    "have one of their own.",
    hidden=("repeats",),
    sometimes=("seed", "salt"),
)
TOURNAMENT = Shape(
    "Tournament",
    Tournament,
    about="A tournament. All its cards, match ids and its schedule follow from a secret: "
    "`commitment` is SHA-256 of it, published from the beginning, `secret` "
    "the secret itself, empty until the tournament is finished; both hexadecimal. "
    "`repeatable`: the secret was made of a number that the organiser gave and a salt. It does not "
    "begin before `starts_at` (Unix seconds), null where it may begin at once; until then its "
    "state is waiting. `sign_up` is null unless bots may enter until then: at most `max_bots` in "
    "all, and `bots_per_author` of each author. Then nothing is planned yet. `left_out` has bots "
    "that had entered and did not play when the sign-up closed, with the reasons: benched or "
    "retired.",
    hidden=("players", "waiting_since", "owner"),
    more={"spec": SPEC, "repeatable": bool},
)
RUNNING = Shape(
    "RunningTournament",
    about="A tournament under way, with its pace as it is now, and how long the rest takes. "
    "`waits_for` is the bot that all wait for, null where there is none or it is not known: it "
    "needs `seconds` for its own questions, answers `per_second` of them, half of them within "
    "`p50_us` microseconds, and takes `at_once` at a time. `likely_seconds_left` is the time to "
    "the end of a sequential test if results go on as so far, null while too little is known. "
    "`queued` is its place in line while batches of it wait and no worker plays any, else null. Of "
    "the time since it first began, `queued_s` seconds went by like that, up to the last time, and "
    "`stopped_s` while it was stopped or waited for its bots once more.",
    more={
        **TOURNAMENT.fields,
        "matches_per_second": float,
        "seconds_left": float | None,
        "likely_seconds_left": float | None,
        "waits_for": Slow | None,
        "queued": Queued | None,
    },
)
LUCK = Shape(
    "Luck",
    Luck,
    about="What cards and seats did. Where deals are `shared`, `saved` is the share of a match's "
    "variance that this saves, within `plus_minus` in 95 of 100 cases, measured on so many deals; "
    "both are null while unknown. The mean points are by seat, over so many matches.",
    hidden=("ratio", "error"),
    more={"saved": float | None, "plus_minus": float | None},
)
STANDING = Shape(
    "Standing",
    Standing,
    about="A line of the standings: `score` is the share of opponents finished ahead of, and is "
    "within `plus_minus` of what it would be after very many deals in 95 of 100 cases; null while "
    "too few deals are whole. In `sibling_matches` a bot of the same author sat at the table, too; "
    "the scores with and without are null where there are none. `withdrawn` is when it was, as it "
    "was not connected and forfeited too many matches in a row, else null; what was not begun then "
    "is not played. `rating` is the bot's in the game "
    "now, over all its tournaments and numbers of seats, within `rating_plus_minus` in 95 "
    "of 100 cases; both are null until a deal is complete. `elo` is live.",
    hidden=("called",),
    more={
        "plus_minus": float | None,
        "rating": float | None,
        "rating_plus_minus": float | None,
    },
)
WHOLE = Shape(
    "TournamentWithStandings",
    about="A tournament with its pace and its standings, best first. `remarks` are what its format "
    "says of the schedule; `test` is where a sequential test stands, null in other formats. "
    "`included` is what the ratings in the standings include. `verdict` is null while bots may "
    "enter, `forecast_check` where no forecast was kept and before the start.",
    more={
        **RUNNING.fields,
        "verdict": TrustVerdict | None,
        "forecast_check": ForecastCheck | None,
        "standings": Many(STANDING),
        "remarks": list[str],
        "test": Verdict | None,
        "luck": LUCK,
        "included": Included,
    },
)
CROSSTABLE = Shape(
    "Crosstable",
    about="A page of the pairs that met, from either side, as it was after `played` matches.",
    more={"tournament": int, "played": int, "meetings": list[Meeting], "next": str},
)
STANDINGS = Shape(
    "Standings",
    about="A page of a tournament's standings, best first. `included` is what the ratings include.",
    more={"tournament": int, "standings": Many(STANDING), "included": Included, "next": str},
)
FIRST_FAULT = Shape(
    "FirstFault",
    about="A bot of a tournament, its `faults` and `forfeits` there, and its first fault: in the "
    "match that ended first. The reason and the default action that was played `instead` tell of "
    "its cards, so they are null while the match is `locked`. Without a fault all else is null.",
    more={
        "bot": str,
        "version": str,
        "faults": int,
        "forfeits": int,
        "match": str | None,
        "finished": float | None,
        "locked": bool,
        "seat": int | None,
        "decision": int | None,
        "kind": str | None,
        "reason": str | None,
        "instead": str | None,
    },
)
FIRST_FAULTS = Shape(
    "FirstFaults",
    about="The first fault of each bot of a tournament, in the order of the standings.",
    more={"tournament": int, "faults": Many(FIRST_FAULT), "next": str},
)
TOURNAMENTS = Shape(
    "Tournaments",
    about="A page of tournaments, newest first.",
    more={"tournaments": Many(TOURNAMENT), "next": str},
)


BOT_LUCK = Shape(
    "BotLuck",
    BotLuck,
    about="The luck of a bot in a tournament, in games: against one opponent a win is 1, a tie a "
    "half. `matches` are those of whole deals whose luck is known, `luck` is the mean in one of "
    "them against one opponent, `total` their sum, `kinds` the mean by kind of event. `score` is "
    "the score with luck, times the coefficient, taken out, which may lie below 0 or above 1, "
    "within `plus_minus` in 95 of 100 cases (null of few deals). `wins` are those with the most "
    "luck, the luckiest first.",
    hidden=("player",),
    more={"bot": str, "version": str, "wins": list[LuckyWin]},
)
TOURNAMENT_LUCK = Shape(
    "TournamentLuck",
    about="What luck did in a tournament, to its bots in the order of the standings. `matches` are "
    "those of whole deals whose luck is known, of those `looked_at`, of those `played`; `model` is "
    "the version of what valued it, empty where there is none for game, seats and options. "
    "`corrected`: ratings go by scores with luck taken out. `factor` times as many matches as "
    "played are worth as much, from `factor_low` to `factor_high` in 95 of 100 cases; all three "
    "are null while unknown. `coefficient` is the mean one with which luck is taken out, fitted to "
    "these matches (1: that of the net), null while no luck is known.",
    more={
        "tournament": int,
        "matches": int,
        "looked_at": int,
        "played": int,
        "model": str,
        "corrected": bool,
        "factor": float | None,
        "factor_low": float | None,
        "factor_high": float | None,
        "coefficient": float | None,
        "bots": Many(BOT_LUCK),
        "next": str,
    },
)


def serialize_luck(
    tournament: int,
    found: TournamentLuck,
    played: int,
    lines: Sequence[Standing],
    wins: Mapping[int, Sequence[LuckyWin]],
    following: str,
) -> dict[str, Any]:
    """What luck did to these bots."""
    return TOURNAMENT_LUCK.tell(
        tournament=tournament,
        matches=found.matches,
        looked_at=found.looked_at,
        played=played,
        model=found.model,
        corrected=found.corrected,
        factor=found.saved.factor,
        factor_low=found.saved.low,
        factor_high=found.saved.high,
        coefficient=found.saved.coefficient,
        bots=[
            BOT_LUCK.tell(
                found.bots[line.player],
                bot=line.bot,
                version=line.version,
                wins=wins.get(line.player, []),
            )
            for line in lines
        ],
        next=following,
    )


def serialize_first_fault(found: FirstFault) -> dict[str, Any]:
    """A bot of a tournament with its first fault, without what tells of cards that are secret."""
    row = found.fault
    note = row.note if row else None
    told = note if row and not row.locked else None
    return FIRST_FAULT.tell(
        found.line,
        match=row and row.match,
        finished=row and row.finished,
        locked=row is not None and row.locked,
        seat=note and note.seat,
        decision=note and note.number,
        kind=note and note.kind,
        reason=told and told.reason,
        instead=told and told.instead,
    )


def serialize(tournament: Tournament) -> dict[str, Any]:
    """What everybody may know of a tournament."""
    seed = tournament.open_seed
    public_spec = replace(tournament.spec, seed=seed or 0, salt=tournament.open_salt)
    closed = [*(["seed"] if seed is None else []), *([] if tournament.open_salt else ["salt"])]
    spec = SPEC.tell(public_spec, without=closed)
    return TOURNAMENT.tell(tournament, spec=spec, repeatable=tournament.repeatable)


def serialize_running(pace: Progress) -> dict[str, Any]:
    """A tournament with its pace."""
    forecast = pace.forecast
    return RUNNING.tell(
        **serialize(pace.tournament),
        matches_per_second=pace.speed,
        seconds_left=pace.left_s,
        likely_seconds_left=forecast.likely_seconds if forecast else None,
        waits_for=forecast.slowest if forecast and forecast.waits else None,
        queued=pace.queued,
    )


def serialize_standings(
    standings: Sequence[Standing], errors: Mapping[int, float], rated: Mapping[int, Rating]
) -> list[dict[str, Any]]:
    """Lines of the standings."""
    return [
        _serialize_standing(line, errors.get(line.player), rated.get(line.player))
        for line in standings
    ]


def _serialize_standing(
    line: Standing, error: float | None, rated: Rating | None
) -> dict[str, Any]:
    return STANDING.tell(
        line,
        plus_minus=error,
        rating=rated.rating if rated else None,
        rating_plus_minus=rated.plus_minus if rated else None,
    )


@dataclass(frozen=True)
class Judged:
    """Whether a tournament's results can be trusted, and how good its first forecast was."""

    verdict: TrustVerdict | None
    forecast: ForecastCheck | None


def serialize_whole(
    pace: Progress,
    standings: Sequence[Standing],
    errors: Mapping[int, float],
    rated: Mapping[int, Rating],
    so_far: SoFar,
    known: Luck,
    included: Included,
    judged: Judged,
) -> dict[str, Any]:
    """A tournament with its pace and standings, and what its format and its deals tell."""
    told = format_state.report(pace.tournament, so_far)
    return WHOLE.tell(
        **serialize_running(pace),
        verdict=judged.verdict,
        forecast_check=judged.forecast,
        standings=serialize_standings(standings, errors, rated),
        remarks=told.sentences,
        test=told.test,
        luck=LUCK.tell(known),
        included=included,
    )
