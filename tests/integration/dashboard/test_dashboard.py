"""The dashboard's pages and JSON, on a real store and a real Redis."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import redis
import redis.asyncio
from flask.testing import FlaskClient
from sqlalchemy import update

from arena.base.config import Settings
from arena.games.record import verify
from arena.service.live.player_presence import Presence
from arena.service.live.presence import beat, claim
from arena.service.live.reader import UNKNOWN
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import accounts, bots, profiles
from arena.store.registry.profiles import AuthorProfile
from arena.store.tables import matches as matches_table
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.layout.markup import outcome
from dashboard.sources import Sources
from tests.integration.addresses import address
from tests.integration.conftest import NAMES
from tests.integration.people import HASHED
from tests.integration.played import play, register
from tests.servers import no_redis


@pytest.fixture
def half_played(sqlite_store: Store) -> Tournament:
    """A running tournament with one rotation of one deal stored: a locked match."""
    register(sqlite_store, *NAMES)
    return play(sqlite_store, *NAMES, only=1)


def any_match(store: Store) -> matches.MatchRow:
    with store.read() as conn:
        return matches.list_matches(conn)[0][-1]


def page(browser: FlaskClient, path: str, status: int = 200) -> str:
    answer = browser.get(path, buffered=True)
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "text/html"
    return answer.text


def data(browser: FlaskClient, path: str, status: int = 200) -> dict[str, Any]:
    answer = browser.get(path, buffered=True)
    assert answer.status_code == status, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


# Nothing there yet


@pytest.mark.parametrize("path", ["/", "/ratings", "/tournaments", "/matches", "/bots", "/json"])
def test_every_list_is_a_page_in_an_empty_arena_too(browser: FlaskClient, path: str) -> None:
    text = page(browser, path)

    assert "<h1" in text
    assert "<table" not in text or path == "/json"


def test_an_empty_arena_says_how_to_begin(browser: FlaskClient) -> None:
    assert "arena bot add NAME" in page(browser, "/")


# Lists and tables


def test_the_rating_table_shows_every_bot_best_first(
    browser: FlaskClient, finished: Tournament
) -> None:
    told = data(browser, "/api/ratings")["ratings"]
    shown = re.findall(
        r'<th scope="row">.*?<a class="bot" href="/bots/(\w+)"', page(browser, "/ratings")
    )

    assert [line["bot"] for line in told] == shown
    assert sorted(shown) == sorted(NAMES)
    assert [line["elo"] for line in told] == sorted((line["elo"] for line in told), reverse=True)


def test_ratings_are_kept_for_each_number_of_seats(
    browser: FlaskClient, finished: Tournament
) -> None:
    assert data(browser, "/api/ratings?seats=2")["seats"] == 2
    assert data(browser, "/api/ratings?seats=3")["ratings"] == []
    assert 'href="/ratings?game=lama&amp;seats=2"' in page(browser, "/ratings")


def test_matches_are_found_by_bot_and_tournament(
    browser: FlaskClient, finished: Tournament
) -> None:
    every = data(browser, "/api/matches")["matches"]
    of_ada = data(browser, f"/api/matches?bot=ADA&tournament={finished.id}")["matches"]

    assert len(every) == finished.planned
    assert of_ada == [m for m in every if "ada" in {seat["bot"] for seat in m["seats"]}]
    assert '<option value="ada" selected>ada</option>' in page(browser, "/matches?bot=ADA")


def test_matches_of_a_bot_are_narrowed_to_the_lost_the_faulty_and_the_worst(
    browser: FlaskClient, finished: Tournament
) -> None:
    def ids(**flags: str) -> list[str]:
        query = "&".join(f"{name}={value}" for name, value in flags.items())
        return [row["id"] for row in data(browser, f"/api/matches?bot=ada&{query}")["matches"]]

    def ada(row: dict[str, Any]) -> dict[str, Any]:
        (seat,) = (seat for seat in row["seats"] if seat["bot"] == "ada")
        return dict(seat)

    every = data(browser, "/api/matches?bot=ada")["matches"]
    lost = [row["id"] for row in every if ada(row)["rank"] > 1 or ada(row)["forfeited"]]
    faulty = [row["id"] for row in every if ada(row)["faults"]]

    assert 0 < len(lost) < len(every)
    assert 0 < len(faulty) < len(every)
    assert ids(lost="true") == lost
    assert ids(faults="true") == faulty
    assert sorted(ids(worst="true")) == sorted(row["id"] for row in every)
    assert ids(worst="true", limit="1") == ids(worst="true")[:1]
    shown = page(browser, "/matches?bot=ada&lost=true&worst=true")
    assert set(re.findall(r'href="/matches/([^"?/]+)"', shown)) == set(lost)
    assert "biggest underperformances" in shown
    assert 'name="lost" value="true" checked' in shown
    assert '<option value="any">any fault</option>' in shown


def test_title_of_filtered_matches_names_the_filters(
    browser: FlaskClient, finished: Tournament
) -> None:
    filters = "bot=ada&opponent=bob&game=lama&margin=0&fault=any&since=2026-01-31&lost=true"
    expected = "ada, against bob, L.A.M.A., shared victory, fault: any, not won, from 2026-01-31"

    assert f"<title>Matches: {expected} · lama-arena" in page(browser, f"/matches?{filters}")
    assert "<title>Matches · lama-arena" in page(browser, "/matches?bot=&game=")


def test_older_pages_keep_what_was_asked_for(browser: FlaskClient, finished: Tournament) -> None:
    def lost(bot: str) -> int:
        return len(data(browser, f"/api/matches?bot={bot}&lost=true")["matches"])

    bot = max(NAMES, key=lost)
    assert lost(bot) > 1

    shown = page(browser, f"/matches?bot={bot}&lost=true&limit=1")

    assert re.search(rf'href="/matches\?bot={bot}&amp;lost=true&amp;after=\d+">Older', shown)


@pytest.mark.parametrize(
    "asked",
    [
        {"game": "lama", "bot": "ada", "opponent": "cyd"},
        {"margin": "3"},
        {"fault": "any"},
        {"since": "1970-01-01", "until": "2100-12-31"},
    ],
)
def test_filters_are_kept_in_the_form_and_other_pages(
    browser: FlaskClient, finished: Tournament, asked: dict[str, str]
) -> None:
    query = urlencode(asked)
    every = data(browser, f"/api/matches?{query}")["matches"]

    shown = page(browser, f"/matches?{query}&tournament=&limit=1&utm_source=mail")

    assert every
    assert re.findall(r'<a href="/matches/([^"?/]+)"', shown) == [every[0]["id"]]
    (older,) = re.findall(r'href="(/matches\?[^"]+)">Older', shown)
    assert asked.items() <= dict(parse_qsl(urlsplit(unescape(older)).query)).items()
    for value in asked.values():
        assert re.search(f'value="{value}"( selected)?>', shown)
    assert "Clear filters" in shown


@pytest.mark.parametrize(
    "query", ["since=2026-02-30", "since=20260201", "margin=-1", "fault=late", "game=chess"]
)
def test_a_filter_that_cannot_be_says_what_to_give(browser: FlaskClient, query: str) -> None:
    response = browser.get(f"/matches?{query}")

    assert response.status_code == 400
    assert "Give" in response.text


def test_every_button_of_a_match_leads_somewhere(
    browser: FlaskClient, finished: Tournament
) -> None:
    shown = page(browser, "/matches?limit=3")

    links = re.findall(r'href="(/matches/[^"#]+)[^"]*"[^>]*>(Watch|Score sheet|Analyse)', shown)
    assert {word for _, word in links} == {"Watch", "Score sheet", "Analyse"}
    assert {browser.get(address).status_code for address, _ in links} == {200}


def test_matches_have_a_heading_for_each_day_and_the_notable_ones_come_first(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        rows, _ = matches.list_matches(conn)
        older = matches_table.c.number < rows[0].number
        conn.execute(update(matches_table).where(older).values(finished=0.0))
        conn.execute(update(matches_table).where(~older).values(finished=86_400.0))
    shown, second = page(browser, "/matches"), page(browser, f"/matches?after={rows[0].number}")

    days = re.findall(r'<h2 class="day">(.*?) <small>', shown)
    assert days == ["Friday, 2 January 1970", "Thursday, 1 January 1970"]
    assert shown.index('id="faulty"') < shown.index('class="day"')
    assert 'id="faulty"' not in second
    assert 'id="faulty"' not in page(browser, "/matches?game=lama")


def test_an_opponent_alone_is_the_bot(browser: FlaskClient, finished: Tournament) -> None:
    shown = page(browser, "/matches?bot=&opponent=ada")

    assert '<option value="ada" selected>ada</option>' in shown
    assert "won</span>" in shown


def test_pages_of_matches_follow_one_another_without_gap(
    browser: FlaskClient, finished: Tournament
) -> None:
    found: list[str] = []
    after = ""
    while True:
        told = data(browser, f"/api/matches?limit=4&after={after}")
        rows = told["matches"]
        found += [row["id"] for row in rows]
        after = str(told["next"])
        if not after:
            break

    assert len(found) == len(set(found)) == finished.planned


def test_a_finished_tournament_shows_its_standings_and_its_seed(
    browser: FlaskClient, finished: Tournament
) -> None:
    text = page(browser, f"/tournaments/{finished.id}")
    told = data(browser, f"/api/tournaments/{finished.id}")

    assert all(f'href="/bots/{name}"' in text for name in NAMES)
    assert told["spec"]["seed"] == finished.open_seed == 7
    terms = page(browser, f"/tournaments/{finished.id}/terms")
    assert f"--seed 7 --salt {finished.open_salt}</code>" in terms
    assert told["secret"] == finished.secret
    assert finished.secret in terms
    assert 'data-live="tournament-' not in text  # nothing will change but the match on the table


def test_the_list_of_bots_shows_the_rating_in_the_game_played_most(
    browser: FlaskClient, finished: Tournament
) -> None:
    text = page(browser, "/bots")
    rated = data(browser, "/api/ratings?game=lama")["ratings"]

    assert len(rated) == len(NAMES)
    for line in rated:
        assert f"<b>{line['rating']:.0f}</b> <small>± " in text
    assert '<span class="own-line">L.A.M.A.</span>' in text


# Live parts


def test_a_running_tournament_fetches_itself_anew(
    browser: FlaskClient, half_played: Tournament
) -> None:
    text = page(browser, f"/tournaments/{half_played.id}")
    part = page(browser, f"/tournaments/{half_played.id}/live")

    assert f'hx-get="/tournaments/{half_played.id}/live?elo=1"' in text
    assert f'href="/tournaments/{half_played.id}/watch">Watch</a>' in text
    assert part.lstrip().startswith('<div id="live"')
    assert f'<progress value="1" max="{half_played.planned}"' in part


@pytest.mark.parametrize("path", ["/", "/tournaments", "/bots", "/bots/ada/status"])
def test_live_fragment_fetches_itself(
    browser: FlaskClient, half_played: Tournament, path: str
) -> None:
    (address,) = re.findall(r'id="live"[^>]* hx-get="([^"]+)"', page(browser, path))

    part = page(browser, address)

    assert part.count('id="live"') == 1
    assert "<html" not in part


# One match


def test_a_match_is_told_move_by_move(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    match = any_match(sqlite_store)
    record = data(browser, f"/api/matches/{match.id}")
    verify(record)
    text = page(browser, f"/matches/{match.id}")

    rounds = record["rounds"]
    moves = sum(len(told["moves"]) for told in rounds)
    shown = re.findall(r'id="move-(\d+)"', text)
    assert [int(number) for number in shown] == list(range(1, moves + 1))
    assert text.count('class="sheet round"') == len(rounds)


def test_a_match_is_headed_by_its_result_and_has_its_id_in_a_link(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    match = any_match(sqlite_store)
    said = outcome(match)
    head = page(browser, f"/matches/{match.id}").partition("</header>\n\n")[0]
    replayed = page(browser, f"/matches/{match.id}/replay")

    assert re.fullmatch(r"\w+ won by \d+ points?|\w+ and \w+ share the victory", said)
    assert f"<h1>{said}</h1>" in head
    assert f"<title>{said}" in head
    assert f'href="/matches/{match.id}">{match.id}</a>' in head
    names = ", ".join(seat.bot for seat in match.seats)
    assert f"<h1>Replay <small>{names}</small></h1>" in replayed
    assert f">{match.id}<" not in replayed


def test_a_fault_is_marked_at_its_move_with_its_reason(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    with sqlite_store.read() as conn:
        faulty = next(m for m in matches.iterate_matches(conn) if m.notes)
    (note,) = faulty.notes
    text = page(browser, f"/matches/{faulty.id}")

    assert re.search(rf'id="move-{note.number}" class="move at-fault', text)
    assert re.search(rf'id="fault-{note.number}">.*{re.escape(note.reason)}', text)
    assert f"/matches/{faulty.id}#move-{note.number}" in page(
        browser, f"/bots/{faulty.seats[note.seat].bot}/status"
    )


def test_a_match_stays_locked_until_its_deal_is_played(
    browser: FlaskClient, half_played: Tournament, sqlite_store: Store
) -> None:
    match = any_match(sqlite_store)
    with sqlite_store.read() as conn:
        seed = matches.get_match(conn, match.id).seed
    text = page(browser, f"/matches/{match.id}")
    refused = data(browser, f"/api/matches/{match.id}", 409)

    assert "sealed until every match of its deal is played" in text
    assert "sealed until every match of its deal is played" in str(refused["error"])
    assert "move-1" not in text
    assert seed.hex() not in text


def test_nothing_tells_the_seed_or_the_deals_of_a_tournament_under_way(
    browser: FlaskClient, half_played: Tournament
) -> None:
    told = data(browser, f"/api/tournaments/{half_played.id}")
    listed = data(browser, "/api/tournaments")["tournaments"]
    running = data(browser, "/api/overview")["running"]
    rows = data(browser, "/api/matches")["matches"]

    for each in (told, listed[0], running[0]):
        assert "seed" not in each["spec"]
        assert each["secret"] == ""
    assert rows[0]["locked"]
    assert rows[0]["deal"] is None
    assert "published when the tournament is finished" in page(
        browser, f"/tournaments/{half_played.id}/terms"
    )


def test_a_cancelled_tournament_may_go_on_so_its_seed_stays_hidden(
    browser: FlaskClient, half_played: Tournament, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, half_played.id, "cancelled")

    told = data(browser, f"/api/tournaments/{half_played.id}")

    assert "seed" not in told["spec"]
    assert told["secret"] == ""


def test_the_fault_of_a_locked_match_keeps_its_reason(
    browser: FlaskClient, half_played: Tournament, sqlite_store: Store
) -> None:
    match = any_match(sqlite_store)
    with sqlite_store.read() as conn:
        (note,) = matches.get_match(conn, match.id).notes
    name = match.seats[note.seat].bot

    (fault,) = data(browser, f"/api/bots/{name}")["faults"]

    assert fault["kind"] == note.kind
    assert fault["reason"] is fault["instead"] is None
    assert note.reason not in page(browser, f"/bots/{name}/status")


# Who is connected


@pytest.fixture
def running(sqlite_store: Store, redis_client: redis.Redis) -> FlaskClient:
    """A browser on the dashboard of an arena that runs."""
    return create_app(Settings(), sqlite_store, redis_client).test_client()


def connect_bot(url: str, bot: bots.RegisteredBot) -> None:
    async def go() -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await beat(client, "g1")
            await claim(client, presence(bot))

    asyncio.run(go())


def presence(bot: bots.RegisteredBot) -> Presence:
    return Presence(
        player=bot.player, bot=bot.name, version=bot.version, gateway="g1", session="",
        since=1000.0, games=("lama",), min_seats=2, max_seats=6, max_in_flight=8,
        sdk="arena-sdk 0.1", in_flight=3, latency_ms=1.25,
    )  # fmt: skip


def test_a_bot_is_shown_connected_while_it_is(
    running: FlaskClient, redis_url: str, sqlite_store: Store
) -> None:
    register(sqlite_store, "ada", "bob")
    with sqlite_store.read() as conn:
        connect_bot(redis_url, bots.get(conn, "ada"))

    told = {bot["name"]: bot["connection"] for bot in data(running, "/api/bots")["bots"]}

    assert told["ada"]["state"] == "connected"
    assert told["ada"]["latency_ms"] == 1.25
    assert told["bob"] == {"state": "offline"}
    assert "gateway" not in told["ada"]
    for path in ("/bots/ada/live", "/bots"):
        shown = page(running, path)
        assert "link-connected" in shown
        assert "arena-sdk 0.1" not in shown  # the owner's and the operator's business
    assert "link-offline" in page(running, "/bots/bob/live")
    overview = data(running, "/api/overview")
    assert (overview["connected"], overview["gateway"]) == (1, True)


def test_without_redis_pages_say_that_connections_are_unknown(sqlite_store: Store) -> None:
    register(sqlite_store, "ada")
    browser = create_app(Settings(), sqlite_store, no_redis()).test_client()

    assert "link-unknown" in page(browser, "/bots/ada/status")
    assert "Live data is unavailable" in page(browser, "/bots")
    assert "unknown" in page(browser, "/status")
    assert data(browser, "/healthz")["missing"] == {"redis": "Redis cannot be reached."}


def test_a_silent_redis_is_not_asked_for_each_page(sqlite_store: Store) -> None:
    asked: list[object] = []

    class Silent(redis.Redis):
        def execute_command(self, *command: object, **options: object) -> object:
            asked.append(command)
            raise redis.ConnectionError("gone")

    found = Sources(Settings(), sqlite_store, Silent())

    assert [found.live([1]), found.live([1]), found.live([1])] == [UNKNOWN] * 3
    assert len(asked) == 1


# What is asked wrongly, and what breaks


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/bots/nobody", 404),
        ("/bots/no%00body", 404),
        ("/bots/%3Cscript%3E", 404),
        ("/matches/nosuchmatch", 404),
        ("/matches/a%20b", 404),
        ("/tournaments/99", 404),
        ("/tournaments/99999999999999999999", 404),
        ("/ratings?game=chess", 400),
        ("/ratings?seats=9", 400),
        ("/ratings?seats=many", 400),
        ("/matches?bot=nobody", 404),
        ("/matches?bot=%3Cb%3E", 400),
        ("/matches?tournament=99", 404),
        ("/matches?tournament=-1", 400),
        ("/matches?limit=0", 400),
        ("/matches?limit=1001", 400),
        ("/matches?after=here", 400),
        ("/matches?worst=true", 400),
        ("/matches?bot=ada&worst=true&after=3", 400),
        ("/matches?bot=ada&lost=perhaps", 400),
        ("/tournaments?before=x", 400),
    ],
)
def test_unanswerable_requests_get_a_sentence(
    browser: FlaskClient, finished: Tournament, path: str, status: int
) -> None:
    text = page(browser, path, status)
    error = data(browser, f"/api{path}", status)["error"]

    assert '<div class="notice">' in text
    assert str(error).endswith(".")
    assert "<b>" not in text
    assert "Traceback" not in text


def test_a_page_can_only_be_read(browser: FlaskClient) -> None:
    answer = browser.post("/bots")

    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert "does not accept this request" in answer.text


def test_a_bug_is_told_without_its_details(sqlite_store: Store) -> None:
    app = create_app(Settings(), sqlite_store, None)

    def broken() -> str:
        raise KeyError("secret")

    app.view_functions["bots.as_json"] = broken

    answer = app.test_client().get("/api/bots")

    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.get_json()["error"]


def test_health_follows_the_database(browser: FlaskClient, sqlite_store: Store) -> None:
    assert browser.get("/healthz").status_code == 200
    sqlite_store.dispose()
    file = Path(str(sqlite_store.url.database))
    file.write_bytes(b"no database at all" * 100)

    answer = browser.get("/healthz")

    assert answer.status_code == 503
    assert answer.get_json()["status"] == "unavailable"
    assert browser.get("/").status_code >= 500


# How it is made


def every_address(browser: FlaskClient, store: Store) -> Iterator[str]:
    """An address for each route that can be read. ada gets a public page."""
    with store.write() as conn:
        profiles.publish(conn, accounts.sign_up(conn, "ada", HASHED), AuthorProfile("Writes bots."))
    match = any_match(store).id
    for rule in browser.application.url_map.iter_rules():
        # A stream has no end; test_events reads it.
        if "GET" in (rule.methods or ()) and rule.endpoint != "events.stream":
            yield address(rule, name="ada", match=match)


NOT_HERE = (
    "/join/",
    "/series/",
    "/api/series/",
    "/play/puzzles/",
    "/api/puzzles/",
)  # this arena has none of them


@pytest.mark.usefixtures("small_package")
def test_every_answer_forbids_what_is_not_ours(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    for path in every_address(browser, sqlite_store):
        answer = browser.get(path, buffered=True)
        private = (answer.location or "").startswith("/sign-in?")
        no_table = path.startswith("/play/") and answer.status_code in (404, 503)
        not_running = path == "/readyz" and answer.status_code == 503
        no_show = path.endswith("/watch/frames") and answer.status_code == 404
        no_token = path == "/unsubscribe" and answer.status_code == 400
        no_provider = path.startswith("/sign-in/") and answer.status_code == 404
        no_start = path.endswith("/calendar.ics") and answer.status_code == 404
        missing = path.startswith(NOT_HERE) and answer.status_code == 404
        known = private or no_table or not_running or no_show or no_token or no_provider or no_start
        assert answer.status_code == 200 or known or missing, path
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.usefixtures("small_package")
def test_no_page_has_scripts_or_styles_in_it(
    browser: FlaskClient, finished: Tournament, sqlite_store: Store
) -> None:
    for path in every_address(browser, sqlite_store):
        answer = browser.get(path, buffered=True)
        if answer.mimetype == "text/html":
            assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", answer.text), path
            assert not re.search(r"<script(?![^>]* src=)", answer.text), path
            assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text), path


def test_every_json_answer_is_listed_with_what_it_gives(browser: FlaskClient) -> None:
    listed = data(browser, "/api")["answers"]
    paths = {answer["path"] for answer in listed}

    assert {"/api/ratings", "/api/matches/{match}", "/api/bots/{name}"} <= paths
    assert all(answer["gives"].endswith(".") for answer in listed)


@pytest.mark.usefixtures("small_package")
def test_json_holds_no_number_that_json_does_not_know(
    browser: FlaskClient, half_played: Tournament, sqlite_store: Store
) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    check: Callable[[str], object] = lambda text: json.loads(text, parse_constant=refuse)  # noqa: E731
    for path in every_address(browser, sqlite_store):
        answer = browser.get(path, buffered=True)
        if answer.mimetype == "application/json":
            assert check(answer.text) is not None
