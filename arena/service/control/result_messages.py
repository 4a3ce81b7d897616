"""Results as messages of control.proto: standings, ratings, matches, faults, luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.conversion import filled
from arena.service.control.sentences import included_lines
from arena.store.matches.matches import MatchRow
from arena.store.reports.faults import FaultRow, FirstFault
from arena.store.reports.fits import Included
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from arena.tournaments.ratings.match_luck import MatchLuck
from arena.tournaments.ratings.pairs import Pair


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
    """The luck of one bot."""
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
