"""A tournament as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.service.forecast import Slow
from arena.service.forecast.waits import ForecastCheck, Queued
from arena.store.reports.crosstable import Meeting
from arena.store.reports.faults import FirstFault
from arena.store.reports.fits import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin
from arena.store.reports.standings import Standing
from arena.store.reports.verdict import TrustVerdict
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.ratings.sprt import Verdict
from arena.tournaments.ratings.variance import Luck
from dashboard.api.shape import Many, Shape
from dashboard.tournaments.detail.progress import TournamentPace

SPEC = Shape(
    "TournamentSpec",
    TournamentSpec,
    about="A tournament as requested. `matches` is the number of matches per table of bots (in "
    "versus per block); with duplicate deals, `deals` is the number of deals instead. `seed` and "
    "`salt` of a repeatable tournament are present once it is finished. `authors` are in the order "
    "of `bots`: equal numbers mean the same owner. The schedule keeps these bots apart, unless "
    "siblings are allowed. House bots and bots without an account each have a separate number.",
    hidden=("repeats",),
    sometimes=("seed", "salt"),
)
TOURNAMENT = Shape(
    "Tournament",
    Tournament,
    about="A tournament. All its cards, match ids and its schedule are derived from a secret. "
    "`commitment` is its SHA-256, published from the beginning. `secret` is empty until the "
    "tournament is finished. Both are hexadecimal. `repeatable`: the secret was derived from the "
    "organiser's seed and a salt. The state is waiting until `starts_at` (Unix seconds, null to "
    "start as soon as possible). `sign_up` is null unless bots may enter until then: at most "
    "`max_bots` in all, and `bots_per_author` per author. Nothing is planned during sign-up. "
    "`left_out` has the entered bots that did not play because they were benched or retired at "
    "the start, with the reasons.",
    hidden=("players", "waiting_since", "owner"),
    more={"spec": SPEC, "repeatable": bool},
)
RUNNING = Shape(
    "RunningTournament",
    about="A tournament with its current pace and the remaining time. `waits_for` is the bot that "
    "slows it down, null if unknown or not found. That bot needs `seconds` for its "
    "remaining decisions, answers `per_second` of them, half of them within `p50_us` microseconds, "
    "and takes `at_once` at a time. `likely_seconds_left` is the time to the end of a sequential "
    "test if results continue as before, null while too little is known. `queued` is its place in "
    "line while no worker plays it, else null. `queued_s` is the time it spent in line, up to the "
    "last time. `stopped_s` is the time it was cancelled or waited for its bots after resuming.",
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
    about="The effect of cards and seats. With duplicate deals (`shared`), `saved` is the share of "
    "a match's variance that they save, within `plus_minus` in 95 of 100 cases, measured on "
    "`deals` deals. Both are null while unknown. `mean_points` are by seat, over `matches`.",
    hidden=("ratio", "error"),
    more={"saved": float | None, "plus_minus": float | None},
)
STANDING = Shape(
    "Standing",
    Standing,
    about="A line of the standings. `score` is the share of opponents finished ahead of. In 95 of "
    "100 cases it is within `plus_minus` of the score after very many deals (null while too few "
    "deals are complete). `sibling_matches` had another bot of the same owner at the table; the "
    "scores with and without are null if there are no such matches. `withdrawn` is the time at "
    "which the bot was withdrawn because it was disconnected and forfeited too many matches in a "
    "row, else null. `rating` is the bot's current rating in the game, over all tournaments and "
    "numbers of seats, within `rating_plus_minus` in 95 of 100 cases. Both are null until a deal "
    "is complete. `elo` is live.",
    hidden=("called",),
    more={
        "plus_minus": float | None,
        "rating": float | None,
        "rating_plus_minus": float | None,
    },
)
WHOLE = Shape(
    "TournamentWithStandings",
    about="A tournament with its pace and its standings, best first. `remarks` are sentences about "
    "the schedule. `test` is the state of a sequential test, null in other formats. `included` "
    "describes the matches that the ratings include. `verdict` is null while bots may enter. "
    "`forecast_check` is null before the start, and if no forecast was stored.",
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
    about="A page of the pairs that met, from either side, after `played` matches.",
    more={"tournament": int, "played": int, "meetings": list[Meeting], "next": str},
)
STANDINGS = Shape(
    "Standings",
    about="A page of a tournament's standings, best first. `included` describes the rated matches.",
    more={"tournament": int, "standings": Many(STANDING), "included": Included, "next": str},
)
FIRST_FAULT = Shape(
    "FirstFault",
    about="A bot of a tournament, its `faults` and `forfeits`, and its first fault in the match "
    "that ended first. `reason` and `instead`, the default action, would reveal its cards, so they "
    "are null while the match is `locked`. Without a fault, the other fields are null.",
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
BOT_LUCK = Shape(
    "BotLuck",
    BotLuck,
    about="The luck of a bot in a tournament, in wins against one opponent (a tie counts 0.5). "
    "`matches` are matches of whole deals whose luck is known. `luck` is the mean per match, "
    "`total` the sum, and `kinds` the mean by kind of event. `score` is the luck-adjusted score: "
    "luck times its coefficient is subtracted, so it may be below 0 or above 1. It is within "
    "`plus_minus` in 95 of 100 cases (null with few deals). `wins` are the luckiest wins.",
    hidden=("player",),
    more={"bot": str, "version": str, "wins": list[LuckyWin]},
)
TOURNAMENT_LUCK = Shape(
    "TournamentLuck",
    about="The luck in a tournament, with its bots in the order of the standings. `played` is the "
    "number of matches, `looked_at` of those whose luck was computed, and `matches` of those in "
    "whole deals with known luck. `model` is the version of the luck model, empty without one "
    "for the game, seats and options. `corrected`: ratings use luck-adjusted scores. Adjusting is "
    "worth as much as playing `factor` times the matches, from `factor_low` to `factor_high` in 95 "
    "of 100 cases. All three are null while unknown. `coefficient` is the mean factor with which "
    "luck is subtracted, fitted to these matches (1 trusts the model fully), null while no luck is "
    "known.",
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
TOURNAMENTS = Shape(
    "Tournaments",
    about="A page of tournaments, newest first.",
    more={"tournaments": Many(TOURNAMENT), "next": str},
)


def serialize_first_fault(found: FirstFault) -> dict[str, Any]:
    """Return a bot with its first fault, without fields that reveal hidden cards."""
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
    seed = tournament.open_seed
    public_spec = replace(tournament.spec, seed=seed or 0, salt=tournament.open_salt)
    closed = [*(["seed"] if seed is None else []), *([] if tournament.open_salt else ["salt"])]
    spec = SPEC.tell(public_spec, without=closed)
    return TOURNAMENT.tell(tournament, spec=spec, repeatable=tournament.repeatable)


def serialize_running(pace: TournamentPace) -> dict[str, Any]:
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
    lines = [(line, rated.get(line.player)) for line in standings]
    return [
        STANDING.tell(
            line,
            plus_minus=errors.get(line.player),
            rating=own and own.rating,
            rating_plus_minus=own and own.plus_minus,
        )
        for line, own in lines
    ]
