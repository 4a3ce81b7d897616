"""The store's dataclasses as messages of the control contract: the only such mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from arena.live.presence import Presence
from arena.pairing import SoFar, TournamentSpec, format_of
from arena.protocol.v1 import control_pb2 as pb
from arena.rating.pairs import Pair
from arena.rating.variance import Luck
from arena.store.bots import Bot
from arena.store.crosstable import Meeting
from arena.store.matches import MatchRow, SeatRow
from arena.store.ratings import Rating
from arena.store.standings import Standing
from arena.store.tournaments import Tournament

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
        move_ms=message.move_ms or MOVE_MS,
        start_grace_s=(
            message.start_grace_s if message.HasField("start_grace_s") else START_GRACE_S
        ),
        fault_limit=message.fault_limit or FAULT_LIMIT,
        format_options=dict(message.format_options),
    )


def spec(wanted: TournamentSpec) -> pb.TournamentSpec:
    """A spec, complete; but the seed of its schedule is nobody's business."""
    return pb.TournamentSpec(
        name=wanted.name,
        game=wanted.game,
        options=dict(wanted.options),
        format=wanted.format,
        seats=wanted.seats,
        bots=wanted.bots,
        deals=wanted.deals,
        matches=wanted.matches,
        trusted=wanted.trusted,
        seed=wanted.repeats,
        move_ms=wanted.move_ms,
        start_grace_s=wanted.start_grace_s,
        fault_limit=wanted.fault_limit,
        format_options=dict(wanted.format_options),
    )


def tournament(item: Tournament, standings: Iterable[Standing] = ()) -> pb.Tournament:
    """A tournament, with its standings where they are asked for."""
    asked = spec(replace(item.spec, repeats=item.open_seed))
    return pb.Tournament(
        id=item.id,
        spec=asked,
        commitment=item.commitment,
        secret=item.secret,
        repeatable=item.repeatable,
        state=item.state,
        note=item.note,
        created=item.created,
        started=item.started,
        finished=item.finished,
        planned=item.planned,
        played=item.played,
        standings=map(standing, standings),
    )


def told(item: Tournament, so_far: SoFar) -> pb.Tournament:
    """What the format says of a tournament; to be merged into its message."""
    format_ = format_of(item.spec.format)
    found = format_.verdict(item.spec, so_far)
    return pb.Tournament(
        remarks=format_.remarks(item.spec, so_far),
        test=None if found is None else pb.SequentialTest(**asdict(found)),
    )


def entrant(bot: Bot) -> pb.Entrant:
    """A bot in the version in which it entered."""
    return pb.Entrant(bot=bot.name, version=bot.version)


def luck(known: Luck) -> pb.Luck:
    """What cards and seats did."""
    return pb.Luck(
        deals=known.deals,
        saved=known.saved,
        matches=known.matches,
        mean_points=known.mean_points,
        plus_minus=known.plus_minus,
        shared=known.shared,
    )


def standing(line: Standing) -> pb.Standing:
    """A line of the standings."""
    return pb.Standing(
        rank=line.rank,
        bot=line.bot,
        elo=line.elo,
        matches=line.matches,
        wins=line.wins,
        shared_wins=line.shared_wins,
        mean_points=line.mean_points,
        score=line.score,
        faults=line.faults,
        forfeits=line.forfeits,
        version=line.version,
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


def pair(found: Pair, lines: Mapping[int, Rating]) -> pb.Pair:
    """How two bots stand to each other; `lines` has those of both by player."""
    one, other = lines[found.player], lines[found.other]
    return pb.Pair(
        bot=one.bot,
        version=one.version,
        other=other.bot,
        other_version=other.version,
        deals=found.deals,
        observed=found.observed,
        expected=found.expected,
        residual=found.residual,
        difference=found.difference,
        plus_minus=found.plus_minus,
        stronger=found.stronger,
        surely=found.surely,
    )


def bot_status(bot: Bot, presence: Presence | None, matches: int) -> pb.BotStatus:
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


def match(row: MatchRow) -> pb.Match:
    """A line of the list of matches."""
    return pb.Match(
        id=row.id,
        tournament=row.tournament,
        game=row.game,
        deal=row.deal,
        position=row.position,
        finished=row.finished,
        seats=map(seat, row.seats),
    )


def seat(row: SeatRow) -> pb.SeatResult:
    """How one seat did."""
    return pb.SeatResult(
        bot=row.bot,
        version=row.version,
        points=row.points,
        rank=row.rank,
        faults=row.faults,
        forfeited=row.forfeited,
        elo_change=row.elo_change,
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
