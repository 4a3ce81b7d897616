"""Tournaments, bots and results as messages of control.proto, and tournaments from messages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

from google.protobuf.message import Message

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import included_lines
from arena.service.control.start_time import check_start
from arena.service.forecast import Forecast, Slow
from arena.service.forecast.sentences import reservations, summary
from arena.service.live.player_presence import Presence
from arena.store.matches.matches import MatchRow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.faults import FaultRow, FirstFault
from arena.store.reports.fits import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.series import Recurrence, SeasonLine, read_date
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS, SignUp
from arena.tournaments.formats.terms import TERMS, Term
from arena.tournaments.ratings.match_luck import MatchLuck
from arena.tournaments.ratings.pairs import Pair

Made = TypeVar("Made", bound=Message)


def filled(kind: type[Made], item: object, **more: Any) -> Made:
    """A message with the fields that the object has, and with `more`."""
    same = {
        name: getattr(item, name)
        for name in kind.DESCRIPTOR.fields_by_name
        if name not in more and hasattr(item, name)
    }
    make: Callable[..., Made] = kind
    return make(**same, **more)


def read_spec(message: pb.TournamentSpec) -> TournamentSpec:
    """The requested spec, with the defaults of the terms; unchecked."""
    return TournamentSpec(**{term.attribute or term.name: _given(message, term) for term in TERMS})


def _given(message: pb.TournamentSpec, term: Term) -> Any:
    """The value of a term in a message; the default if it is left out."""
    value = getattr(message, term.name)
    if message.DESCRIPTOR.fields_by_name[term.name].has_presence:
        return value if message.HasField(term.name) else term.default
    if isinstance(term.default, tuple | dict):
        return type(term.default)(value)
    return value if value or term.required else term.default


def spec(item: TournamentSpec) -> pb.TournamentSpec:
    """A complete spec, without the seed of its schedule, which stays secret."""
    return pb.TournamentSpec(**{term.name: term.of(item) for term in TERMS})


def read_sign_up(message: pb.TournamentSpec) -> SignUp | None:
    """The requested sign-up, with the defaults of control.proto; None without a sign-up. Raises
    InvalidRequest if it has no end."""
    if not message.HasField("sign_up"):
        return None
    if not message.HasField("starts_at"):
        raise InvalidRequest("A sign-up needs an end. Set the tournament's start time.")
    requested = message.sign_up
    return SignUp(requested.max_bots or MOST_BOTS, requested.bots_per_author or BOTS_PER_AUTHOR)


def read_starts_at(message: pb.TournamentSpec) -> float | None:
    """The requested start time in Unix seconds, if there is one. Raises InvalidRequest."""
    if not message.HasField("starts_at"):
        return None
    return check_start(message.starts_at, instant.now())


def read_recurrence(message: pb.TournamentSpec) -> Recurrence | None:
    """The requested recurrence, None if the tournament does not repeat. Raises InvalidRequest if
    the last day is not a date."""
    if not message.HasField("recurrence"):
        return None
    requested = message.recurrence
    until = read_date(requested.until)
    return Recurrence(requested.days, requested.zone or "UTC", until, requested.counted)


def tournament(
    item: Tournament,
    standings: Iterable[Standing] = (),
    ratings: Mapping[int, Rating] | None = None,
) -> pb.Tournament:
    """A tournament with its standings, and the ratings of its players if given."""
    rated = ratings or {}
    return filled(
        pb.Tournament,
        item,
        spec=spec(replace(item.spec, repeats=item.open_seed, salt=item.open_salt)),
        sign_up=filled(pb.SignUp, item.sign_up) if item.sign_up else None,
        standings=[standing(line, rated.get(line.player)) for line in standings],
    )


def remarks_and_test(item: Tournament, so_far: SoFar) -> pb.Tournament:
    """The remarks and the test of a tournament's format, to be merged into its message."""
    report = format_state.report(item, so_far)
    return pb.Tournament(
        remarks=report.sentences,
        test=None if report.test is None else pb.SequentialTest(**asdict(report.test)),
    )


def forecast(estimate: Forecast, spec: TournamentSpec, *, left: bool = False) -> pb.Forecast:
    """The forecast of a tournament, or of the remainder (`left`) of a running one."""
    at_most, likely_s = format_of(spec.format).ends_early, estimate.likely_seconds
    return filled(
        pb.Forecast,
        estimate,
        at_most=at_most,
        seconds=round(estimate.seconds, 1),
        alone=round(estimate.alone, 1),
        likely_matches=estimate.likely,
        likely_seconds=None if likely_s is None else round(likely_s, 1),
        matches_per_second=round((estimate.rate or estimate.speed).per_second, 1),
        slowest=None if estimate.slowest is None else slow_bot(estimate.slowest),
        without_slowest=round(estimate.without_slowest, 1),
        sentences=[summary(estimate, at_most=at_most, left=left), *reservations(estimate)],
    )


def slow_bot(slow: Slow) -> pb.SlowBot:
    seconds, per_second = round(slow.seconds, 1), round(slow.per_second, 2)
    return filled(pb.SlowBot, slow, seconds=seconds, per_second=per_second)


def entrant(bot: RegisteredBot, author: int | None, withdrawn: float | None = None) -> pb.Entrant:
    """An entrant: the bot version, the number of its author, and when it was withdrawn (Unix
    seconds)."""
    return pb.Entrant(bot=bot.name, version=bot.version, author=author, withdrawn=withdrawn)


def bot_status(bot: RegisteredBot, presence: Presence | None, matches: int) -> pb.BotStatus:
    """A bot with the state of its connection."""
    return filled(
        pb.BotStatus,
        bot,
        connected=presence is not None,
        sdk=presence.sdk if presence else "",
        games=presence.games if presence else (),
        matches=matches,
    )


def match_luck(
    item: TournamentLuck, lines: Iterable[Standing], wins: Mapping[int, Sequence[LuckyWin]]
) -> pb.TournamentLuck:
    """The luck in a tournament, with its bots in the order of the standings."""
    return filled(
        pb.TournamentLuck,
        item,
        factor=item.saved.factor,
        factor_low=item.saved.low,
        factor_high=item.saved.high,
        coefficient=item.saved.coefficient,
        bots=[
            bot_luck(line, item.bots[line.player], wins.get(line.player, ()))
            for line in lines
            if line.player in item.bots
        ],
    )


def bot_luck(line: Standing, item: BotLuck, wins: Sequence[LuckyWin]) -> pb.BotLuck:
    lucky = [filled(pb.LuckyWin, win) for win in wins]
    return filled(pb.BotLuck, item, bot=line.bot, version=line.version, wins=lucky)


def standing(line: Standing, rated: Rating | None) -> pb.Standing:
    """A line of the standings, with the bot's rating if given."""
    return filled(
        pb.Standing,
        line,
        rating=rated.rating if rated else None,
        rating_plus_minus=rated.plus_minus if rated else None,
        rating_provisional=bool(rated and rated.provisional),
        rating_disconnected=bool(rated and rated.disconnected),
    )


def pair(item: Pair, lines: Mapping[int, Rating]) -> pb.Pair:
    """The comparison of two bots. `lines` maps players to their lines of the leaderboard."""
    one, other = lines[item.player], lines[item.other]
    return filled(
        pb.Pair,
        item,
        bot=one.bot,
        version=one.version,
        other=other.bot,
        other_version=other.version,
    )


def match(row: MatchRow, lucky: MatchLuck | None = None) -> pb.Match:
    """A line of the list of matches, with its luck if known."""
    by_seat: Sequence[float | None] = lucky.scores if lucky else [None] * len(row.seats)
    lucks = zip(row.seats, by_seat, strict=True)
    seats = [filled(pb.SeatResult, seat, luck=luck) for seat, luck in lucks]
    return filled(pb.Match, row, seats=seats)


def fault(row: FaultRow) -> pb.BotFault:
    """A fault of a bot, and where it happened."""
    where = {"match": row.match, "tournament": row.tournament, "finished": row.finished}
    return filled(pb.BotFault, row.note, decision=row.note.number, **where)


def included_words(found: Included) -> list[str]:
    """Sentences on the matches that a leaderboard includes, and on pending ones."""
    return list(included_lines(pb.RatingTable(**asdict(found))))


def first_fault(found: FirstFault) -> pb.FirstFault:
    """A bot of a tournament with its first fault, if any."""
    line, row = found.line, found.fault
    message = filled(pb.FirstFault, line)
    if row is not None:
        note = row.note
        where = {"match": row.match, "finished": row.finished, "decision": note.number}
        message.MergeFrom(filled(pb.FirstFault, note, **where))
    return message


def recurrence(item: Recurrence) -> pb.Recurrence:
    """When a series repeats, as a message."""
    return filled(pb.Recurrence, item, until=item.until.isoformat())


def season_line(line: SeasonLine) -> pb.SeasonLine:
    """A bot's line in the standings of a season."""
    return filled(pb.SeasonLine, line, points=line.total, counted=sorted(line.counted))
