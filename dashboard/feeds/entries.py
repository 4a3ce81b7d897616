"""The entries of feeds. A locked match has a result, but no cards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from arena.base.text import plural, together
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments.tournaments import Tournament
from dashboard.feeds.atom import FeedEntry
from dashboard.layout.numbers import change, format_title, game, ordinal
from dashboard.site import link

MOST_NAMES = 5


def finished(tournament: Tournament, winners: Sequence[str]) -> FeedEntry:
    """Return an entry about the result of a finished tournament."""
    spec = tournament.spec
    won = f"{listed(winners)} won {spec.name}" if winners else f"{spec.name} has no winner"
    played = plural(tournament.played, "match", "matches")
    return FeedEntry(
        f"{_key(tournament)}/finished",
        won,
        f"{game(spec.game)}, {format_title(spec.format)}, "
        f"{plural(len(spec.bots), 'bot')}, {played}.",
        _page(tournament),
        tournament.finished or tournament.created,
    )


def begun(tournament: Tournament) -> FeedEntry:
    """Return an entry about a started tournament."""
    spec = tournament.spec
    return FeedEntry(
        f"{_key(tournament)}/begun",
        f"{spec.name} has started",
        f"{game(spec.game)}, {format_title(spec.format)}: {listed(spec.bots)}.",
        _page(tournament),
        tournament.started or tournament.created,
    )


def came(bot: RegisteredBot) -> FeedEntry:
    """Return an entry about a new bot."""
    page = link("bot.show", name=bot.name)
    return FeedEntry(
        f"bot/{bot.id}/{bot.created:.6f}",
        f"{bot.name} joined",
        f"A new bot: {bot.name}, version {bot.version}.",
        page,
        bot.created,
    )


def played(match: MatchRow, bot: str, tournaments: Mapping[int, str]) -> FeedEntry:
    """Return an entry about a match, from the side of one of the bots."""
    own = [seat for seat in match.seats if seat.bot == bot]
    best = min(own, key=lambda seat: seat.rank)
    others = [seat.bot for seat in match.seats if seat is not best]
    where = tournaments.get(match.tournament)
    return FeedEntry(
        f"match/{match.id}",
        f"{bot} {_did(match, best)} against {listed(others)}",
        f"{game(match.game)}{f', {where}' if where else ''}. {_points(match)}{_elo(best)}",
        link("match.show", match=match.id),
        match.finished,
    )


def listed(names: Collection[str]) -> str:
    """Return "a, b and c", shortened for many names."""
    some = list(names)
    if len(some) > MOST_NAMES:
        some = [*some[: MOST_NAMES - 1], f"{len(some) - MOST_NAMES + 1} more"]
    return together(some)


def _did(match: MatchRow, seat: SeatRow) -> str:
    if seat.forfeited:
        return "forfeited"
    if seat.rank > 1:
        return f"came {ordinal(seat.rank)}"
    return "shared the win" if match.shared else "won"


def _points(match: MatchRow) -> str:
    seats = sorted(match.seats, key=lambda seat: (seat.forfeited, seat.rank))
    return ", ".join(
        f"{seat.bot} {'forfeited' if seat.forfeited else plural(seat.points, 'point')}"
        for seat in seats
    ) + "."  # fmt: skip


def _elo(seat: SeatRow) -> str:
    return "" if seat.elo_change is None else f" Elo {change(seat.elo_change)}."


def _key(tournament: Tournament) -> str:
    """Return a key that is the same in every feed and unique across arenas."""
    return f"tournament/{tournament.id}/{tournament.commitment}"


def _page(tournament: Tournament) -> str:
    return link("tournament.show", number=tournament.id)
