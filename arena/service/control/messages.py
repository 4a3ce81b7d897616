"""The store's dataclasses as messages of the control contract: the only such mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import included_lines
from arena.service.forecast import Forecast, Slow
from arena.service.forecast.check import ForecastCheck
from arena.service.forecast.sentences import reservations, summary
from arena.service.live.presence import Presence
from arena.store.matches.faults import FaultRow
from arena.store.matches.matches import MatchRow, SeatRow
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.crosstable import Meeting
from arena.store.reports.first_faults import FirstFault
from arena.store.reports.included import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from arena.store.reports.verdict import TrustVerdict
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.luck import CORRECTED
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS, SignUp
from arena.tournaments.formats.spec import BY_MATCH
from arena.tournaments.ratings.match_luck import MatchLuck
from arena.tournaments.ratings.pairs import Pair
from arena.tournaments.ratings.variance import Luck

MOVE_MS = 2000
START_GRACE_S = 30
FAULT_LIMIT = 3


def read_spec(message: pb.TournamentSpec) -> TournamentSpec:
    """What the organiser asks for, with the defaults that the contract names; unchecked."""
    return TournamentSpec(
        name=message.name,
        game=message.game,
        options=dict(message.options),
        format=message.format or "round-robin",
        seats=message.seats,
        bots=tuple(message.bots),
        deals=message.deals,
        matches=message.matches,
        trusted=message.trusted,
        repeats=message.seed if message.HasField("seed") else None,
        salt=message.salt,
        move_ms=message.move_ms or MOVE_MS,
        start_grace_s=(
            message.start_grace_s if message.HasField("start_grace_s") else START_GRACE_S
        ),
        fault_limit=message.fault_limit or FAULT_LIMIT,
        format_options=dict(message.format_options),
        isolation=message.isolation or BY_MATCH,
        luck=message.luck or CORRECTED,
    )


def read_sign_up(message: pb.TournamentSpec) -> SignUp | None:
    """How many bots may enter, with the defaults that the contract names; None where no sign-up is
    asked for. Raises InvalidRequest for one without an end."""
    if not message.HasField("sign_up"):
        return None
    if not message.HasField("starts_at"):
        raise InvalidRequest("Open for sign-up until when? Give the tournament a start time.")
    asked = message.sign_up
    return SignUp(asked.max_bots or MOST_BOTS, asked.bots_per_author or BOTS_PER_AUTHOR)


def sign_up(item: SignUp) -> pb.SignUp:
    """How many bots may enter."""
    return pb.SignUp(max_bots=item.max_bots, bots_per_author=item.bots_per_author)


def spec(item: TournamentSpec) -> pb.TournamentSpec:
    """A spec, complete; but the seed of its schedule is nobody's business."""
    return pb.TournamentSpec(
        name=item.name,
        game=item.game,
        options=dict(item.options),
        format=item.format,
        seats=item.seats,
        bots=item.bots,
        deals=item.deals,
        matches=item.matches,
        trusted=item.trusted,
        seed=item.repeats,
        salt=item.salt,
        move_ms=item.move_ms,
        start_grace_s=item.start_grace_s,
        fault_limit=item.fault_limit,
        format_options=dict(item.format_options),
        isolation=item.isolation,
        luck=item.luck,
    )


def tournament(
    item: Tournament,
    standings: Iterable[Standing] = (),
    ratings: Mapping[int, Rating] | None = None,
) -> pb.Tournament:
    """A tournament, with its standings and the ratings of its players where they are asked for."""
    rated = ratings or {}
    spec_message = spec(replace(item.spec, repeats=item.open_seed, salt=item.open_salt))
    return pb.Tournament(
        id=item.id,
        spec=spec_message,
        commitment=item.commitment,
        secret=item.secret,
        repeatable=item.repeatable,
        state=item.state,
        priority=item.priority,
        starts_at=item.starts_at,
        sign_up=sign_up(item.sign_up) if item.sign_up else None,
        left_out=item.left_out,
        note=item.note,
        created=item.created,
        started=item.started,
        finished=item.finished,
        planned=item.planned,
        played=item.played,
        standings=[standing(line, rated.get(line.player)) for line in standings],
    )


def remarks_and_test(item: Tournament, so_far: SoFar) -> pb.Tournament:
    """What the format says of a tournament; to be merged into its message."""
    told = format_state.report(item, so_far)
    return pb.Tournament(
        remarks=told.sentences,
        test=None if told.test is None else pb.SequentialTest(**asdict(told.test)),
    )


def forecast(estimate: Forecast, spec: TournamentSpec, *, left: bool = False) -> pb.Forecast:
    """How long such a tournament takes, or what is `left` of one that runs."""
    at_most, likely_s = format_of(spec.format).ends_early, estimate.likely_seconds
    return pb.Forecast(
        matches=estimate.matches,
        at_most=at_most,
        seconds=round(estimate.seconds, 1),
        alone=round(estimate.alone, 1),
        likely_matches=estimate.likely,
        likely_seconds=None if likely_s is None else round(likely_s, 1),
        matches_per_second=round((estimate.rate or estimate.speed).per_second, 1),
        slowest=None if estimate.slowest is None else slow_bot(estimate.slowest),
        waits=estimate.waits,
        without_slowest=round(estimate.without_slowest, 1),
        unmeasured=estimate.unmeasured,
        away=estimate.away,
        sentences=[summary(estimate, at_most=at_most, left=left), *reservations(estimate)],
    )


def verdict(item: TrustVerdict) -> pb.Verdict:
    """Whether a tournament's results can be trusted."""
    return pb.Verdict(**{**asdict(item), "bots": [pb.BotAtFault(**asdict(b)) for b in item.bots]})


def forecast_check(item: ForecastCheck) -> pb.ForecastCheck:
    """A forecast, and the time that it took in the end."""
    return pb.ForecastCheck(**asdict(item))


def slow_bot(slow: Slow) -> pb.SlowBot:
    """How fast a bot answers."""
    return pb.SlowBot(
        bot=slow.bot,
        seconds=round(slow.seconds, 1),
        per_second=round(slow.per_second, 2),
        p50_us=slow.p50_us,
        at_once=slow.at_once,
    )


def entrant(bot: RegisteredBot, author: int | None, withdrawn: float | None = None) -> pb.Entrant:
    """A bot in the version in which it entered, the number of its author, and when it was
    withdrawn (Unix seconds)."""
    return pb.Entrant(bot=bot.name, version=bot.version, author=author, withdrawn=withdrawn)


def luck(item: Luck) -> pb.Luck:
    """What cards and seats did."""
    return pb.Luck(
        deals=item.deals,
        saved=item.saved,
        matches=item.matches,
        mean_points=item.mean_points,
        plus_minus=item.plus_minus,
        shared=item.shared,
    )


def match_luck(
    item: TournamentLuck, lines: Iterable[Standing], wins: Mapping[int, Sequence[LuckyWin]]
) -> pb.TournamentLuck:
    """What luck did in a tournament, to the bots in the order of its standings."""
    return pb.TournamentLuck(
        matches=item.matches,
        looked_at=item.looked_at,
        model=item.model,
        corrected=item.corrected,
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
    """The luck of one of them."""
    return pb.BotLuck(
        bot=line.bot,
        version=line.version,
        matches=item.matches,
        luck=item.luck,
        total=item.total,
        kinds=item.kinds,
        score=item.score,
        plus_minus=item.plus_minus,
        wins=[pb.LuckyWin(match=win.match, luck=win.luck) for win in wins],
    )


def standing(line: Standing, rated: Rating | None) -> pb.Standing:
    """A line of the standings, with the bot's line in the rating table if it is asked for."""
    return pb.Standing(
        rank=line.rank,
        bot=line.bot,
        rating=rated.rating if rated else None,
        rating_plus_minus=rated.plus_minus if rated else None,
        rating_provisional=bool(rated and rated.provisional),
        rating_disconnected=bool(rated and rated.disconnected),
        elo=line.elo,
        matches=line.matches,
        wins=line.wins,
        shared_wins=line.shared_wins,
        mean_points=line.mean_points,
        score=line.score,
        faults=line.faults,
        forfeits=line.forfeits,
        version=line.version,
        sibling_matches=line.sibling_matches,
        score_with_siblings=line.score_with_siblings,
        score_without_siblings=line.score_without_siblings,
    )


def rating(line: Rating) -> pb.Rating:
    """A line of a rating table."""
    return pb.Rating(
        rank=line.rank,
        bot=line.bot,
        version=line.version,
        elo=line.elo,
        matches=line.matches,
        wins=line.wins,
        shared_wins=line.shared_wins,
        mean_points=line.mean_points,
        faults=line.faults,
        rating=line.rating,
        plus_minus=line.plus_minus,
        rank_low=line.rank_low,
        rank_high=line.rank_high,
        deals=line.deals,
        provisional=line.provisional,
        disconnected=line.disconnected,
        latest=line.latest,
    )


def pair(item: Pair, lines: Mapping[int, Rating]) -> pb.Pair:
    """How two bots stand to each other; `lines` has those of both by player."""
    one, other = lines[item.player], lines[item.other]
    return pb.Pair(
        bot=one.bot,
        version=one.version,
        other=other.bot,
        other_version=other.version,
        deals=item.deals,
        observed=item.observed,
        expected=item.expected,
        residual=item.residual,
        difference=item.difference,
        plus_minus=item.plus_minus,
        stronger=item.stronger,
        surely=item.surely,
        score_plus_minus=item.score_plus_minus,
    )


def bot_status(bot: RegisteredBot, presence: Presence | None, matches: int) -> pb.BotStatus:
    """A bot, and what is known of its connection."""
    return pb.BotStatus(
        name=bot.name,
        version=bot.version,
        created=bot.created,
        connected=presence is not None,
        sdk=presence.sdk if presence else "",
        games=presence.games if presence else (),
        matches=matches,
    )


def match(row: MatchRow, lucky: MatchLuck | None = None) -> pb.Match:
    """A line of the list of matches, with its luck where it is known."""
    by_seat: Sequence[float | None] = lucky.scores if lucky else [None] * len(row.seats)
    return pb.Match(
        id=row.id,
        tournament=row.tournament,
        game=row.game,
        deal=row.deal,
        position=row.position,
        finished=row.finished,
        seats=map(seat, row.seats, by_seat),
    )


def fault(row: FaultRow) -> pb.BotFault:
    """A fault of a bot, and where it happened."""
    return pb.BotFault(
        match=row.match,
        tournament=row.tournament,
        finished=row.finished,
        seat=row.note.seat,
        decision=row.note.number,
        kind=row.note.kind,
        reason=row.note.reason,
        instead=row.note.instead,
    )


def included_words(found: Included) -> list[str]:
    """What a rating table includes and still waits for, in sentences."""
    return list(included_lines(pb.RatingTable(**asdict(found))))


def first_fault(found: FirstFault) -> pb.FirstFault:
    """A bot of a tournament with its first fault, if there is one."""
    line, row = found.line, found.fault
    message = pb.FirstFault(
        bot=line.bot, version=line.version, faults=line.faults, forfeits=line.forfeits
    )
    if row is not None:
        message.match, message.finished = row.match, row.finished
        message.seat, message.decision = row.note.seat, row.note.number
        message.kind, message.reason = row.note.kind, row.note.reason
        message.instead = row.note.instead
    return message


def seat(row: SeatRow, lucky: float | None) -> pb.SeatResult:
    """How one seat did."""
    return pb.SeatResult(
        bot=row.bot,
        version=row.version,
        points=row.points,
        rank=row.rank,
        faults=row.faults,
        forfeited=row.forfeited,
        elo_change=row.elo_change,
        luck=lucky,
    )


def meeting(line: Meeting) -> pb.Meeting:
    """A line of a crosstable."""
    return pb.Meeting(
        bot=line.bot,
        opponent=line.opponent,
        matches=line.matches,
        score=line.score,
        point_difference=line.point_difference,
    )
