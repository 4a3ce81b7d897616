"""Results as messages of control.proto: standings, ratings, matches, faults, luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import included_lines
from arena.store.matches.faults import FaultRow
from arena.store.matches.matches import MatchRow, SeatRow
from arena.store.reports.crosstable import Meeting
from arena.store.reports.first_faults import FirstFault
from arena.store.reports.included import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from arena.tournaments.ratings.match_luck import MatchLuck
from arena.tournaments.ratings.pairs import Pair
from arena.tournaments.ratings.variance import Luck


def luck(item: Luck) -> pb.Luck:
    """The effect of duplicate deals and of seats."""
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
    """The luck in a tournament, with its bots in the order of the standings."""
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
    """The luck of one bot."""
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
    """A line of the standings, with the bot's rating if given."""
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
    """A line of a leaderboard."""
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
    """The comparison of two bots. `lines` maps players to their lines of the leaderboard."""
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


def match(row: MatchRow, lucky: MatchLuck | None = None) -> pb.Match:
    """A line of the list of matches, with its luck if known."""
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
    """Sentences on the matches that a leaderboard includes, and on pending ones."""
    return list(included_lines(pb.RatingTable(**asdict(found))))


def first_fault(found: FirstFault) -> pb.FirstFault:
    """A bot of a tournament with its first fault, if any."""
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
    """The result of one seat."""
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
