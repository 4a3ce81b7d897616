"""The pages of one bot: how strong it is and how it plays, its matches, its numbers, its status."""

from flask import Blueprint, render_template
from sqlalchemy import Connection

from arena.bots import CHARACTERS
from arena.store.archive import catalogue
from arena.store.matches import bot_notes
from arena.store.matches import matches as stored
from arena.store.projections import latencies, player_luck, rating_history, seat_totals
from arena.store.registry import accounts, anchors, bots, profiles
from arena.store.reports import leaderboard, match_luck
from arena.store.reports.faults import recent_faults
from arena.store.tournaments import lists
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.match_luck import GAME
from dashboard.bots.index.connection import connection
from dashboard.bots.profile import queries
from dashboard.bots.profile.query import bot_query
from dashboard.bots.profile.replayed import seen_faults, style_of
from dashboard.events.topics import live_part
from dashboard.ratings.pairs.view import key
from dashboard.sources import sources

page = Blueprint("bot", __name__)

LATEST = 15  # matches
FAULTS = 10
VERSIONS = 20
MOST_OPPONENTS = 12  # shown without expanding the list


@page.get("/bots/<bot:name>")
def show(name: str) -> str:
    """Its rating, its style, its best wins and its rivals."""
    with sources().read() as conn:
        query = bot_query(conn, name)
        bot, game, player, seats = query.bot, query.game, query.version.player, query.seats
        lines = leaderboard.by_player(conn, game, seats)
        own = lines.get(player)
        standing = {  # the version of the cached part of the page
            "query": query,
            "own": own,
            "anchor": anchors.anchor(conn, game),
            "anchored": player == anchors.anchor_player(conn, game) and own is not None,
            "history": rating_history.history(conn, game, player, seats),
            "rivals": queries.rivals(queries.opponents(conn, game, seats, player, lines)),
        }
        context = {
            "standing": standing,
            **standing,
            "bot": bot,
            "places": queries.places(conn, bot),
            "profile": profiles.of_bot(conn, bot.id),
            "notes_public": bot_notes.are_public(conn, bot.id),
            "author": _author(conn, bot.owner),
            "character": CHARACTERS.get(bot.name, "") if bot.kind == "house" else "",
            "style": style_of(conn, bot.name, game),
            "lately": queries.lately(conn, bot.id),
            "archived": catalogue.older(conn, bot.id),
            "counted": queries.counts_in_words(queries.match_counts(conn, bot.id)),
            "start": START,
            "key": key,
        }
    return render_template("bots/profile/page.html", tab="show", **context)


@page.get("/bots/<bot:name>/matches")
def matches(name: str) -> str:
    with sources().read() as conn:
        bot = bots.public(conn, name)
        latest, _ = stored.list_matches(conn, bot=bot.name, limit=LATEST)
        context = {
            "bot": bot,
            "matches": latest,
            "names": lists.names(conn, {match.tournament for match in latest}),
            "archived": catalogue.older(conn, bot.id),
        }
    return render_template("bots/profile/matches.html", tab="matches", **context)


@page.get("/bots/<bot:name>/analysis")
def analysis(name: str) -> str:
    with sources().read() as conn:
        query = bot_query(conn, name)
        game, player, seats = query.game, query.version.player, query.seats
        lines = leaderboard.by_player(conn, game, seats)
        lucks = player_luck.by_seats(conn, player, game)
        numbers = {  # the version of the cached part of the page
            "query": query,
            "own": lines.get(player),
            "places": [place for place in queries.places(conn, query.bot) if place[0] == game],
            "opponents": queries.opponents(conn, game, seats, player, lines),
            "seat_lines": seat_totals.by_seat(conn, game, player),
            "lucks": lucks,
            "lucky_wins": match_luck.luckiest_wins_of(conn, lucks),
        }
    return render_template(
        "bots/profile/analysis.html",
        tab="analysis",
        bot=query.bot,
        numbers=numbers,
        **numbers,
        most=MOST_OPPONENTS,
        key=key,
        game_units=GAME,
    )


@page.get("/bots/<bot:name>/status")
def status(name: str) -> str:
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        query = bot_query(conn, name)
        bot, versions = query.bot, query.versions[:VERSIONS]
        found = {  # the version of the cached table
            "query": query,
            "versions": versions,
            "rated": queries.rated(conn, query.games, [each.player for each in query.versions]),
            "latencies": latencies.of_players(conn, [each.player for each in versions]),
        }
        faults = seen_faults(conn, recent_faults(conn, bot.name, FAULTS))
        archived = catalogue.older(conn, bot.id)
    return render_template(
        "bots/profile/status.html",
        tab="status",
        part=part,
        bot=bot,
        connection=connection(sources().live([bot.player]), bot.player),
        found=found,
        **found,
        faults=faults,
        archived=archived,
    )


@page.get("/bots/<bot:name>/live")
def live(name: str) -> str:
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        bot = bots.public(conn, name)
    link = connection(sources().live([bot.player]), bot.player)
    return render_template("bots/profile/live.html", part=part, bot=bot, connection=link)


def _author(conn: Connection, owner: int | None) -> str:
    """Return the author's name if they have a public page, else ""."""
    if owner is None or profiles.of_author(conn, owner) is None:
        return ""
    return accounts.get(conn, owner).name
