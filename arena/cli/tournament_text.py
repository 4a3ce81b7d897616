"""A tournament, its standings and its forecast as text."""

from collections import Counter
from collections.abc import Sequence

from arena.base import instant
from arena.base.text import plural
from arena.cli.ratings_text import NONE, estimate
from arena.cli.screen import note, print_json, print_table, say, when
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import read_spec
from arena.service.control.sentences import (
    TWO_NUMBERS,
    UNRATED,
    dealt,
    left_out_text,
    luck_lines,
    match_luck_lines,
    secret_lines,
    withdrawn_text,
)
from arena.tournaments.formats.terms import TERMS

LUCK = ("bot", "matches", "mean luck", "luck-adjusted score")
SEASON = ("rank", "bot", "points", "results counted", "tournaments")
STANDINGS = (
    "rank",
    "bot",
    "rating",
    "Elo",
    "matches",
    "wins",
    "shared wins",
    "mean points",
    "score",
    "faults",
    "forfeits",
)
WITH_SIBLINGS = ("with siblings", "without")  # score and matches, if some have met


def print_forecast(forecast: pb.Forecast, json_: bool) -> None:
    if json_:
        print_json(forecast)
        return
    say(f"{'At most ' if forecast.at_most else ''}{forecast.matches:,} matches.")
    for sentence in forecast.sentences:
        say(sentence)


def print_tournament(item: pb.Tournament, json_: bool) -> None:
    """Print a tournament with its standings."""
    if json_:
        print_json(item)
        return
    say(f"Tournament {item.id}: {item.spec.name}")
    state = state_word(item, instant.now())
    if item.HasField("sign_up"):
        bots = f"{len(item.spec.bots)} of {plural(item.sign_up.max_bots, 'place')} taken"
        each = plural(item.sign_up.bots_per_author, "bot")
        say(f"{state}; open for sign-up, {bots}, up to {each} per author")
    else:
        say(f"{state}; {item.played} of {item.planned} matches played")
    if item.note:
        say(item.note)
    if state == "scheduled":
        say(f"Starts at {when(item.starts_at)}, your time.")
    if item.series:
        say(f"One of series {item.series}: `arena tournament series {item.series}`.")
    if item.priority != "normal":
        say(f"Priority: {item.priority}.")
    for sentence in item.forecast.sentences:
        say(sentence)
    if item.HasField("forecast_check"):
        say(item.forecast_check.sentence)
    if item.verdict.decisions:
        say(f"Verdict: {item.verdict.sentence}")
    say(
        f"{item.spec.game}, {item.spec.format}, {item.spec.seats} seats, "
        f"{item.spec.move_ms} ms per move"
    )
    terms = read_spec(item.spec)
    say(f"{dealt(terms)}.")
    for term in TERMS:
        if sentence := term.sentence(term.of(terms)):
            say(sentence)
    for line in secret_lines(item):
        say(line)
    for remark in item.remarks:
        say(remark)
    if item.standings:
        _print_standings(item.standings)
    if text := left_out_text(item.left_out):
        say(text)
    if text := withdrawn_text([e.bot for e in item.entrants if e.HasField("withdrawn")]):
        say(text)
    for line in (*luck_lines(item.luck), *match_luck_lines(item.match_luck, item.played)):
        say(line)
    if item.match_luck.bots:
        print_table(LUCK, map(_luck, item.match_luck.bots), left=("bot",))
        note("Luck is in wins against the match's mean opponent. A tie counts ½.")


def print_series(item: pb.Series, json_: bool) -> None:
    """Print a series with the standings of its season."""
    if json_:
        print_json(item)
        return
    say(f"Series {item.id}: {item.name}")
    say(item.sentence)
    say(f"Tournaments, newest first: {', '.join(map(str, item.tournaments))}.")
    coming = f"The next one opens for {when(item.starts[0])}, your time." if item.starts else ""
    say(coming or "No further tournament follows.")
    if item.standings:
        lines = (
            (rank, line.bot, f"{line.points:g}", len(line.counted), len(line.results))
            for rank, line in enumerate(item.standings, 1)
        )
        print_table(SEASON, lines, left=("bot",))


def state_word(item: pb.Tournament, now: float) -> str:
    """Return the state to display: "scheduled" before the start time."""
    return "scheduled" if item.state == "waiting" and item.starts_at > now else item.state


def _luck(bot: pb.BotLuck) -> tuple[object, ...]:
    error = f" ± {bot.plus_minus:.3f}" if bot.HasField("plus_minus") else ""
    return bot.bot, bot.matches, f"{bot.luck:+.3f}", f"{bot.score:.3f}{error}"


def _print_standings(standings: Sequence[pb.Standing]) -> None:
    met = any(line.sibling_matches for line in standings)
    lines = Counter(line.bot for line in standings)
    rows = (
        (*_standing(s, lines[s.bot] > 1), *(_beside_siblings(s) if met else ())) for s in standings
    )
    print_table((*STANDINGS, *(WITH_SIBLINGS if met else ())), rows, left=("bot",))
    note(TWO_NUMBERS)
    if not all(line.HasField("rating") for line in standings):
        note(f"{NONE} {UNRATED}.")


def _standing(standing: pb.Standing, versions: bool) -> tuple[object, ...]:
    """Return a row, with the bot's version if several `versions` of it played."""
    doubts = standing.rating_provisional, standing.rating_disconnected
    return (
        standing.rank,
        f"{standing.bot}@{standing.version}" if versions else standing.bot,
        estimate(standing, standing.rating_plus_minus, *doubts),
        f"{standing.elo:.0f}",
        standing.matches,
        standing.wins,
        standing.shared_wins,
        f"{standing.mean_points:.2f}",
        f"{standing.score:.3f}",
        standing.faults,
        standing.forfeits,
    )


def _beside_siblings(line: pb.Standing) -> tuple[str, str]:
    """Return the scores with and without siblings, each with its number of matches."""
    with_, others = line.sibling_matches, line.matches - line.sibling_matches
    return (
        f"{line.score_with_siblings:.3f} in {with_}" if with_ else NONE,
        f"{line.score_without_siblings:.3f} in {others}" if others else NONE,
    )
