"""The feeds, which are the same for all users and can be cached.

A locked match has an entry with its result, but no cards.
"""

from __future__ import annotations

import re
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, request, url_for

from arena.base.text import plural, together
from arena.store.matches import matches
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.registry import bot_lists, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.standings import winners
from arena.store.tournaments import lists
from arena.store.tournaments.tournaments import Tournament
from dashboard.account.guard import limited
from dashboard.layout.numbers import change, format_title, game, ordinal
from dashboard.site import home, link, this_page
from dashboard.sources import sources

page = Blueprint("feeds", __name__)

MOST = 30
OFTEN = "30 per minute"  # feed readers poll every few minutes
LASTS_S = 60
MOST_NAMES = 5  # in a list of bots
MIMETYPE = "application/atom+xml"
NAMESPACE = "http://www.w3.org/2005/Atom"
# Characters that XML 1.0 does not allow.
UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@page.app_template_global()
def feed_links() -> list[tuple[str, str]]:
    """Return title and address of the feeds of the current page, most specific first."""
    found = [("News of the arena", url_for("feeds.site"))]
    blueprint = (request.endpoint or "").partition(".")[0]
    if blueprint in ("tournaments", "tournament", "watch"):
        found.insert(0, ("Tournament results", url_for("feeds.tournaments")))
    if blueprint == "bot":
        name = (request.view_args or {})["name"]
        found.insert(0, (f"Matches of {name}", url_for("feeds.bot", name=name)))
    return found


@page.get("/feed")
@limited(OFTEN, reading=True)
def site() -> Response:
    with sources().read() as conn:
        ended = lists.latest_finished(conn, MOST)
        started = lists.latest_started(conn, MOST)
        won = winners(conn, ended)
        joined = bot_lists.newest(conn, MOST)
    told = [finished(each, won.get(each.id, ())) for each in ended]
    told += [begun(each) for each in started]
    told += [came(bot) for bot in joined]
    return _answer("lama-arena", home(), told)


@page.get("/tournaments/feed")
@limited(OFTEN, reading=True)
def tournaments() -> Response:
    with sources().read() as conn:
        ended = lists.latest_finished(conn, MOST)
        won = winners(conn, ended)
    told = [finished(each, won.get(each.id, ())) for each in ended]
    where = link("tournaments.show")
    return _answer("Tournament results · lama-arena", where, told)


@page.get("/bots/<bot:name>/feed")
@limited(OFTEN, reading=True)
def bot(name: str) -> Response:
    """The latest matches of a bot. Raises NotFound."""
    with sources().read() as conn:
        whose = bots.public(conn, name)
        rows, _ = matches.list_matches(conn, bot=whose.name, limit=MOST)
        where = lists.names(conn, {row.tournament for row in rows})
    told = [played(row, whose.name, where) for row in rows]
    own = link("bot.show", name=whose.name)
    return _answer(f"Matches of {whose.name} · lama-arena", own, told, since=whose.created)


def _answer(title: str, about: str, told: list[FeedEntry], since: float = 0.0) -> Response:
    newest = sorted(told, key=lambda entry: -entry.at)[:MOST]
    response = Response(document(title, this_page(), about, newest, since), mimetype=MIMETYPE)
    response.cache_control.public = True
    response.cache_control.max_age = LASTS_S
    return response


def finished(tournament: Tournament, winners: Sequence[str]) -> FeedEntry:
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
    spec = tournament.spec
    return FeedEntry(
        f"{_key(tournament)}/begun",
        f"{spec.name} has started",
        f"{game(spec.game)}, {format_title(spec.format)}: {listed(spec.bots)}.",
        _page(tournament),
        tournament.started or tournament.created,
    )


def came(bot: RegisteredBot) -> FeedEntry:
    page = link("bot.show", name=bot.name)
    return FeedEntry(
        f"bot/{bot.id}/{bot.created:.6f}",
        f"{bot.name} joined",
        f"A new bot: {bot.name}, version {bot.version}.",
        page,
        bot.created,
    )


def played(match: MatchRow, bot: str, tournaments: Mapping[int, str]) -> FeedEntry:
    own = [seat for seat in match.seats if seat.bot == bot]
    best = min(own, key=lambda seat: seat.rank)
    others = [seat.bot for seat in match.seats if seat is not best]
    where = tournaments.get(match.tournament)
    elo = "" if best.elo_change is None else f" Elo {change(best.elo_change)}."
    return FeedEntry(
        f"match/{match.id}",
        f"{bot} {_did(match, best)} against {listed(others)}",
        f"{game(match.game)}{f', {where}' if where else ''}. {_points(match)}{elo}",
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


def _key(tournament: Tournament) -> str:
    """Return a key that is the same in every feed and unique across arenas."""
    return f"tournament/{tournament.id}/{tournament.commitment}"


def _page(tournament: Tournament) -> str:
    return link("tournament.show", number=tournament.id)


@dataclass(frozen=True)
class FeedEntry:
    """An event. `key` never changes and is the same in every feed, so readers show it once."""

    key: str
    title: str
    summary: str
    address: str
    at: float  # Unix seconds


def document(
    title: str, address: str, about: str, entries: Sequence[FeedEntry], since: float = 0.0
) -> bytes:
    """Return a feed about the page `about` as XML in UTF-8 (RFC 4287). Without entries, it was
    updated at `since`, in Unix seconds."""
    root = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    newest = max((entry.at for entry in entries), default=since)
    _texts(root, id=address, title=title, updated=_moment(newest))
    _texts(ET.SubElement(root, "author"), name="lama-arena")
    ET.SubElement(root, "link", rel="self", type=MIMETYPE, href=address)
    ET.SubElement(root, "link", rel="alternate", type="text/html", href=about)
    for entry in entries:
        _add(root, entry)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _add(root: ET.Element, entry: FeedEntry) -> None:
    element = ET.SubElement(root, "entry")
    key = uuid.uuid5(uuid.NAMESPACE_URL, f"lama-arena/{entry.key}").urn
    _texts(element, id=key, title=entry.title, updated=_moment(entry.at), summary=entry.summary)
    ET.SubElement(element, "link", rel="alternate", type="text/html", href=entry.address)


def _texts(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(parent, name).text = UNWRITABLE.sub("\ufffd", text)


def _moment(unix: float) -> str:
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
