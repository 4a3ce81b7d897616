"""Tournaments and bots as messages of control.proto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.result_messages import standing
from arena.service.forecast import Forecast, Slow
from arena.service.forecast.check import ForecastCheck
from arena.service.forecast.sentences import reservations, summary
from arena.service.live.presence import Presence
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.leaderboard import Rating
from arena.store.reports.standings import Standing
from arena.store.reports.verdict import TrustVerdict
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.luck import CORRECTED
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS, SignUp
from arena.tournaments.formats.spec import BY_MATCH

MOVE_MS = 2000
START_GRACE_S = 30
FAULT_LIMIT = 3


def read_spec(message: pb.TournamentSpec) -> TournamentSpec:
    """The requested spec, with the defaults of control.proto; unchecked."""
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
    """The requested sign-up, with the defaults of control.proto; None without a sign-up. Raises
    InvalidRequest if it has no end."""
    if not message.HasField("sign_up"):
        return None
    if not message.HasField("starts_at"):
        raise InvalidRequest("A sign-up needs an end. Set the tournament's start time.")
    requested = message.sign_up
    return SignUp(requested.max_bots or MOST_BOTS, requested.bots_per_author or BOTS_PER_AUTHOR)


def sign_up(item: SignUp) -> pb.SignUp:
    """The limits of a sign-up."""
    return pb.SignUp(max_bots=item.max_bots, bots_per_author=item.bots_per_author)


def spec(item: TournamentSpec) -> pb.TournamentSpec:
    """A complete spec, without the seed of its schedule, which stays secret."""
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
    """A tournament with its standings, and the ratings of its players if given."""
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
    """The remarks and the test of a tournament's format, to be merged into its message."""
    report = format_state.report(item, so_far)
    return pb.Tournament(
        remarks=report.sentences,
        test=None if report.test is None else pb.SequentialTest(**asdict(report.test)),
    )


def forecast(estimate: Forecast, spec: TournamentSpec, *, left: bool = False) -> pb.Forecast:
    """The forecast of a tournament, or of the remainder (`left`) of a running one."""
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
    """A forecast, compared with the actual duration."""
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
    """An entrant: the bot version, the number of its author, and when it was withdrawn (Unix
    seconds)."""
    return pb.Entrant(bot=bot.name, version=bot.version, author=author, withdrawn=withdrawn)


def bot_status(bot: RegisteredBot, presence: Presence | None, matches: int) -> pb.BotStatus:
    """A bot with the state of its connection."""
    return pb.BotStatus(
        name=bot.name,
        version=bot.version,
        created=bot.created,
        connected=presence is not None,
        sdk=presence.sdk if presence else "",
        games=presence.games if presence else (),
        matches=matches,
    )
