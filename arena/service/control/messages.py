"""Tournaments and bots as messages of control.proto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.conversion import filled, spec
from arena.service.control.result_messages import standing
from arena.service.control.start_time import check_start
from arena.service.forecast import Forecast, Slow
from arena.service.forecast.sentences import reservations, summary
from arena.service.live.presence import Presence
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.leaderboard import Rating
from arena.store.reports.standings import Standing
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS, SignUp


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
    """How fast a bot answers."""
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
