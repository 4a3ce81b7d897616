"""The feeds, which are the same for all users and can be cached."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, Response, request, url_for

from arena.store.matches import matches
from arena.store.registry import bot_lists, bots
from arena.store.reports.winners import winners
from arena.store.tournaments import lists
from dashboard.account.guard import limited
from dashboard.feeds import entries
from dashboard.feeds.atom import MIMETYPE, Feed, FeedEntry, document
from dashboard.site import home, link, this_page
from dashboard.sources import sources


class FeedLink(NamedTuple):
    """A feed and its title."""

    title: str
    address: str


def feed_links() -> list[FeedLink]:
    """Return the feeds of the current page, most specific first."""
    found = [FeedLink("News of the arena", url_for("feeds.site"))]
    blueprint = (request.endpoint or "").partition(".")[0]
    if blueprint in ("tournaments", "tournament", "watch"):
        found.insert(0, FeedLink("Tournament results", url_for("feeds.tournaments")))
    if blueprint == "bot":
        name = (request.view_args or {})["name"]
        found.insert(0, FeedLink(f"Matches of {name}", url_for("feeds.bot", name=name)))
    return found


page = Blueprint("feeds", __name__)
page.add_app_template_global(feed_links)

MOST = 30
OFTEN = "30 per minute"  # feed readers poll every few minutes
LASTS_S = 60


@page.get("/feed")
@limited(OFTEN, reading=True)
def site() -> Response:
    """News of the arena: started and finished tournaments, and new bots."""
    with sources().read() as conn:
        ended = lists.latest_finished(conn, MOST)
        begun = lists.latest_started(conn, MOST)
        won = winners(conn, ended)
        joined = bot_lists.newest(conn, MOST)
    told = [entries.finished(each, won.get(each.id, ())) for each in ended]
    told += [entries.begun(each) for each in begun]
    told += [entries.came(bot) for bot in joined]
    return _answer("lama-arena", home(), told)


@page.get("/tournaments/feed")
@limited(OFTEN, reading=True)
def tournaments() -> Response:
    """Results of tournaments."""
    with sources().read() as conn:
        ended = lists.latest_finished(conn, MOST)
        won = winners(conn, ended)
    told = [entries.finished(each, won.get(each.id, ())) for each in ended]
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
    told = [entries.played(row, whose.name, where) for row in rows]
    own = link("bot.show", name=whose.name)
    return _answer(f"Matches of {whose.name} · lama-arena", own, told)


def _answer(title: str, about: str, told: list[FeedEntry]) -> Response:
    newest = sorted(told, key=lambda entry: -entry.at)[:MOST]
    feed = Feed(title, this_page(), about, newest)
    response = Response(document(feed), mimetype=MIMETYPE)
    response.cache_control.public = True
    response.cache_control.max_age = LASTS_S
    return response
