"""A bot's page and its data, as pages and as JSON."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event, text

from arena.games.packed_log import latency_code, replay
from arena.store import Store
from arena.store.cache import forget_all
from arena.store.matches import matches
from arena.store.projections import latencies, rating_history, seat_totals
from arena.store.registry import accounts, bots
from arena.store.reports import leaderboard
from arena.store.reports.standings import standings
from arena.store.save import save_results
from arena.store.tournaments import creation, guests
from arena.store.tournaments.tournaments import State, Tournament, set_state
from arena.tournaments.formats import PlannedMatch, TournamentSpec, check_spec
from dashboard.bots.profile.queries import lately
from dashboard.bots.profile.replayed import style_of
from tests.integration.api_world import browser_on, data
from tests.integration.dashboard.test_dashboard import page
from tests.integration.played import play, register
from tests.integration.played import played as played_match
from tests.made_results import NAMES, SALT, entered, results, save


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    """On an arena with a tournament of five bots at tables of three, and answers measured."""
    found = results(entered(sqlite_store, deals=6))
    codes = bytes([latency_code(900)] * 98 + [latency_code(70_000)] * 2)
    save(sqlite_store, [replace(r, latencies=(codes,) * 3) for r in found])
    return browser_on(sqlite_store)


@pytest.fixture
def played(sqlite_store: Store) -> FlaskClient:
    """On an arena with matches really played, some with faults; the last one is locked."""
    register(sqlite_store, "ada", "bob", "cyd")
    play(sqlite_store, "ada", "bob", "cyd")
    play(sqlite_store, "ada", "bob", "cyd", only=1)
    return browser_on(sqlite_store)


def player(store: Store, name: str) -> int:
    with store.read() as conn:
        return bots.get(conn, name).player


def rows(browser: FlaskClient, path: str) -> list[dict[str, str]]:
    """The lines of a table as CSV."""
    answer = browser.get(path)
    assert answer.mimetype == "text/csv", answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


# People


def with_a_person(store: Store) -> FlaskClient:
    """On an arena in which the account "ann" has played a casual game against ada."""
    register(store, "ada")
    with store.write() as conn:
        ann = accounts.sign_up(conn, "ann", "hashed")
        guest = guests.arrive(conn, (ann.id, ann.name))
        asked = TournamentSpec(
            bots=(guest.name, "ada"),
            seats=2,
            format="sitting",
            deals=1,
            repeats=7,
            salt=SALT,
            trusted=True,
        )
        table = creation.create(conn, check_spec(asked, sitting=True), kind="table")
        save_results(conn, [played_match(table, PlannedMatch(0, 0, (0, 1)))])
    return browser_on(store)


def test_a_person_is_not_found_as_a_bot(sqlite_store: Store, subtests: pytest.Subtests) -> None:
    browser = with_a_person(sqlite_store)
    rules = [
        str(rule)
        for rule in browser.application.url_map.iter_rules()
        if "<bot:name>" in str(rule) and rule.methods and "GET" in rule.methods
    ]
    addresses = [rule.replace("<bot:name>", "{}") for rule in rules if "<number:" not in rule]
    addresses += ["/matches?bot={}", "/api/matches?bot={}", "/api/matches.csv?opponent={}"]
    addresses += [f"{each}?bot=ada&opponent={{}}" for each in ("/matches", "/api/matches")]
    addresses += ["/api/matches?tournament=1&bot={}"]
    assert "/bots/{}/feed" in addresses

    for address in addresses:
        with subtests.test(address=address):
            found, missing = (
                browser.get(address.format(name)) for name in ("guest-ann", "guest-bob")
            )

            assert found.status_code == missing.status_code
            assert found.status_code in (303, 404)  # 303: to sign in
            assert found.text.replace("guest-ann", "guest-bob") == missing.text


def test_names_of_people_in_records_are_no_links(sqlite_store: Store) -> None:
    text = page(with_a_person(sqlite_store), "/tournaments/1")

    assert 'href="/bots/ada"' in text
    assert "/bots/guest-ann" not in text


# Its matches


def test_its_matches_name_their_tournament(played: FlaskClient) -> None:
    text = page(played, "/bots/ada/matches")
    name = data(played, "/api/tournaments/1")["spec"]["name"]

    assert f'<a href="/tournaments/1">{name}</a>' in text
    assert ">Tournament 1<" not in text or name == "Tournament 1"


def test_each_of_its_tables_is_to_be_had_for_a_spreadsheet(browser: FlaskClient) -> None:
    text = page(browser, "/bots/ada") + page(browser, "/bots/ada/analysis")
    links = [unescape(link) for link in re.findall(r'href="([^"]*format=csv[^"]*)"', text)]

    assert [link.partition("?")[0] for link in links] == [
        f"/api/bots/ada/{name}" for name in ("history", "opponents", "seats")
    ]
    for link in links:
        assert rows(browser, link)


# How it plays


def test_the_style_of_a_bot_is_counted_over_its_matches(
    played: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.read() as conn:
        style = style_of(conn, "ada", "lama")
        every = [each for each in matches.iterate_matches(conn) if each.seat_of("ada")]
        whole = [match for match in every if not match.locked]
    rounds = [log for each in whole for log in replay(each.setup, each.log).game.rounds]

    assert style.matches == len(whole)
    assert style.own.rounds == len(rounds)
    assert style.others.rounds == len(rounds)
    assert style.own.points + style.others.points == sum(sum(log.penalties) for log in rounds)
    assert 0 < style.own.quits <= style.own.rounds
    shown = page(played, "/bots/ada").partition('id="style"')[2].partition("</table>")[0]
    assert f"{style.own.mean_points:.1f}" in shown


def test_best_wins_are_against_the_strongest_and_lead_to_the_replays(
    played: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.read() as conn:
        best = lately(conn, bots.get(conn, "ada").id).best
    shown = page(played, "/bots/ada").partition('id="best-wins"')[2].partition("</section>")[0]

    assert 0 < len(best) == len({win.opponent.bot for win in best})
    elos = [win.opponent.elo_before or 0 for win in best]
    assert elos == sorted(elos, reverse=True)
    for win in best:
        own = win.match.seat_of("ada")
        assert own is not None
        assert own.rank == 1 < win.opponent.rank
        assert f'href="/matches/{win.match.id}/replay"' in shown or win.match.locked


# Which matches its numbers count


@pytest.fixture
def late(sqlite_store: Store) -> Tournament:
    """A tournament of 4 bots at tables of two whose second match is still in play, so that only the
    first one is rated. And a test of ada's with 2 matches."""
    tournament = entered(sqlite_store, ("ada", "bob", "cyd", "dan"), seats=2, matches=10)
    found = results(tournament)
    save(sqlite_store, [found[0], *found[2:]])
    with sqlite_store.write() as conn:
        set_state(conn, tournament.id, "running")
        spec = check_spec(replace(tournament.spec, bots=("ada", "bob"), matches=2))
        test = creation.create(conn, spec, kind="test")
    save(sqlite_store, results(test))
    return tournament


def finished_of(store: Store, tournament: Tournament, name: str) -> int:
    with store.read() as conn:
        lines = standings(conn, tournament.id)
    return next(line.matches for line in lines if line.bot == name)


def test_a_bots_page_says_which_matches_each_number_counts(
    sqlite_store: Store, late: Tournament
) -> None:
    name = results(late)[0].players[0]
    with sqlite_store.read() as conn:
        bot = next(each.name for each in bots.all_bots(conn) if each.player == name)
    finished = finished_of(sqlite_store, late, bot)

    text = " ".join(page(browser_on(sqlite_store), f"/bots/{bot}").split())

    assert f"{finished} matches finished in tournaments, in all versions and games." in text
    assert "1 of them is rated so far" in text
    assert f"The other {finished - 1} wait" in text
    assert "No rated matches" not in text
    assert "1 rated match so far" in text  # instead of a chart
    assert f"</b> of {finished}<small>latest tournament matches won</small>" in text
    assert re.search(r"<b>#\d</b> of 2<small>", text)
    assert f"rating ± 95% from {finished} deals</small>" in text


def test_test_matches_are_told_apart(sqlite_store: Store, late: Tournament) -> None:
    text = " ".join(page(browser_on(sqlite_store), "/bots/ada").split())
    assert "2 more matches were tests or games against people, and not rated." in text
    told = data(browser_on(sqlite_store), "/api/bots/ada")
    finished = finished_of(sqlite_store, late, "ada")
    assert told["matches"] == finished
    assert told["unrated"] == 2
    assert told["rated"] + told["elo_pending"] == finished


def test_matches_after_a_gap_wait_only_until_their_tournament_is_cancelled(
    sqlite_store: Store, late: Tournament
) -> None:
    browser, stored = browser_on(sqlite_store), len(results(late)) - 1
    finished = finished_of(sqlite_store, late, "ada")
    rated = data(browser, "/api/bots/ada")["rated"]
    states: tuple[State, ...] = ("running", "cancelled", "waiting")
    for state in states:
        with sqlite_store.write() as conn:
            set_state(conn, late.id, state)
        forget_all()

        text = " ".join(page(browser, "/bots/ada").split())

        waits, stops = (0, finished - rated) if state == "cancelled" else (finished - rated, 0)
        assert data(browser, "/api/bots/ada")["elo_pending"] == waits
        assert data(browser, "/api/ratings")["elo_pending"] == (stored - 1 if waits else 0)
        assert ("earlier matches of the schedule" in text) == bool(waits)
        assert (f"{stops} of them will only be rated if" in text) == bool(stops)


def test_a_bot_none_of_whose_matches_is_rated_yet_says_why(
    sqlite_store: Store, late: Tournament
) -> None:
    tournament = entered(sqlite_store, ("eve", "fay"), seats=2, matches=8, game="dice")
    save(sqlite_store, results(tournament)[1:])
    with sqlite_store.write() as conn:
        set_state(conn, tournament.id, "running")

    text = " ".join(page(browser_on(sqlite_store), "/bots/eve").split())

    assert "No rated matches yet." not in text
    assert "Its matches are not rated yet." in text
    assert "They are not rated yet, because earlier matches of the schedule are unfinished." in text


def test_a_new_version_says_that_other_numbers_are_of_all_versions(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "ada", "2.0")
    save(sqlite_store, results(entered(sqlite_store, seats=2, matches=2), luck=5))

    text = " ".join(page(browser, "/bots/ada").split())

    assert "tournament matches won, all versions" in text
    assert re.search(r"<b>#\d</b> of 5<small>[^<]+, version 2.0</small>", text)


# The course of Elo


def test_the_history_is_the_course_of_the_store(browser: FlaskClient, sqlite_store: Store) -> None:
    told = data(browser, "/api/bots/ADA/history")

    with sqlite_store.read() as conn:
        points = rating_history.history(conn, "lama", player(sqlite_store, "ada"))
        table = {line.bot: line for line in leaderboard.table(conn, "lama")}
    assert (told["bot"], told["version"], told["game"], told["seats"]) == ("ada", "1", "lama", 0)
    assert [point["match"] for point in told["points"]] == [point.match for point in points]
    first, last = told["points"][0], told["points"][-1]
    assert (first["match"], first["elo"], first["finished"]) == (0, 1500, None)
    assert (last["match"], last["elo"]) == (table["ada"].matches, table["ada"].elo)
    assert all(point["low"] < point["elo"] < point["high"] for point in told["points"])
    assert len(rows(browser, "/api/bots/ada/history.csv")) == len(points)


def test_the_history_is_drawn_and_told_as_a_table(browser: FlaskClient) -> None:
    shown = page(browser, "/bots/ada")

    figure = shown.partition('<figure class="chart"')[2].partition("</figure>")[0]
    assert 'data-src="/api/bots/ada/history?game=lama&amp;version=1"' in figure
    assert '<svg class="curve"' in figure  # without JavaScript
    points = data(browser, "/api/bots/ada/history?game=lama&version=1")["points"]
    assert figure.count('<th scope="row"') == len(points)


def test_there_is_a_history_for_each_number_of_seats_and_version(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "ada", "2.0")
    save(sqlite_store, results(entered(sqlite_store, seats=2), luck=5))

    newest = data(browser, "/api/bots/ada/history")
    oldest = data(browser, "/api/bots/ada/history?version=1&seats=3")

    assert (newest["version"], newest["points"][-1]["match"]) == ("2.0", 16)
    assert (oldest["version"], oldest["points"][-1]["match"]) == ("1", 108)
    assert data(browser, "/api/bots/ada/history?version=1&seats=2")["points"] == []
    assert data(browser, "/api/bots/ada/history?version=3", 404)["error"] == (
        'ada has no version "3".'
    )
    assert "(version 1)" in page(browser, "/bots/ada?version=1")
    text = page(browser, "/bots/ada/status?version=1")
    assert 'href="/bots/ada?game=lama"' in text  # to the version that is usually shown


@pytest.mark.parametrize(
    ("query", "status"),
    [("game=chess", 400), ("seats=7", 400), ("seats=x", 400), ("version=nine", 404)],
)
def test_what_a_bot_has_not_is_said_in_a_sentence(
    browser: FlaskClient, query: str, status: int
) -> None:
    assert '<div class="notice">' in page(browser, f"/bots/ada?{query}", status)
    assert data(browser, f"/api/bots/ada/history?{query}", status)["error"].endswith(".")


# Opponents and seats


def test_opponents_are_the_pairs_of_the_rating_table(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    told = data(browser, "/api/bots/cyd/opponents")["opponents"]

    with sqlite_store.read() as conn:
        lines = {line.player: line for line in leaderboard.table(conn, "lama")}
        own = player(sqlite_store, "cyd")
        pairs = leaderboard.pairs(conn, "lama", 0, [own, *(p for p in lines if p != own)])
    expected = {lines[pair.other].bot: pair for pair in pairs if pair.player == own}
    assert [each["other"] for each in told] == [
        line.bot for line in lines.values() if line.bot != "cyd"
    ]
    for each in told:
        assert each["observed"] == expected[each["other"]].observed
        assert each["difference"] == expected[each["other"]].difference
    assert len(rows(browser, "/api/bots/cyd/opponents.csv")) == len(NAMES) - 1


def test_each_opponent_leads_to_the_two_head_to_head(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "bob", "2")
    save(sqlite_store, results(entered(sqlite_store, repeats=8), luck=2))
    told = data(browser, "/api/bots/ada/opponents")["opponents"]

    with sqlite_store.write() as conn:
        bots.retire(conn, "cyd")

    links = re.findall(r'href="(/ratings/pairs[^"]*)"', page(browser, "/bots/ada/analysis"))

    assert len(links) == len(told) == len(NAMES)  # bob in both versions
    for link, pair in zip(links, told, strict=True):
        duel = page(browser, unescape(link))
        assert "Score of ada" in duel
        assert f"{100 * pair['observed']:.1f}" in duel


def test_results_by_seat_are_those_of_the_store(browser: FlaskClient, sqlite_store: Store) -> None:
    told = data(browser, "/api/bots/eve/seats")["lines"]

    with sqlite_store.read() as conn:
        lines = seat_totals.by_seat(conn, "lama", player(sqlite_store, "eve"))
    assert [(line["seats"], line["seat"], line["score"]) for line in told] == [
        (line.seats, line.seat, line.score) for line in lines
    ]
    shown = page(browser, "/bots/eve/analysis").partition('id="seats"')[2].partition("</table>")[0]
    assert [f"{100 * line.score:.1f}" in shown for line in lines] == [True] * 3


def test_an_older_version_leads_to_its_own_pairs(browser: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "ada", "2")
    save(sqlite_store, results(entered(sqlite_store, seats=2), luck=2))

    for query in ("version=1", "version=1&seats=3", "version=2&seats=2"):
        shown = page(browser, f"/bots/ada/analysis?{query}")
        links = re.findall(r'href="(/ratings/pairs[^"]*)"', shown)
        assert len(links) == len(NAMES) - 1
        for link in links:
            assert "Score of ada" in page(browser, unescape(link))


# Times to answer


def test_times_to_answer_are_shown_by_version_and_game(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    told = data(browser, "/api/bots/ada")

    with sqlite_store.read() as conn:
        ada = player(sqlite_store, "ada")
        known = latencies.of_players(conn, [ada])[ada]["lama"]
    (answers,) = told["answers"]
    assert (answers["game"], answers["version"]) == ("lama", "1")
    assert (answers["p50_us"], answers["p99_us"]) == (known.p50_us, known.p99_us)
    assert known.p50_us == pytest.approx(900, rel=0.04)
    assert known.p99_us == pytest.approx(70_000, rel=0.04)
    assert told["versions"] == [{"version": "1", "matches": 108}]
    shown = page(browser, "/bots/ada/status").partition('id="versions"')[2].partition("</table>")[0]
    assert re.findall(r"([\d.]+) (µs|ms)</td>", shown)[0][1] == "µs"


# Faults


def test_a_fault_is_shown_with_what_the_bot_saw_and_was_offered(
    played: FlaskClient, sqlite_store: Store
) -> None:
    seen = 0
    for name in ("ada", "bob", "cyd"):
        text = page(played, f"/bots/{name}/status")
        for fault in data(played, f"/api/bots/{name}")["faults"]:
            if fault["locked"]:
                continue
            seen += 1
            where = f"/matches/{fault['match']}/replay?move={fault['number']}&seat={fault['seat']}"
            assert where.replace("&", "&amp;") in text
            assert "Replay from its seat" in text
            state = _state(played, fault)
            assert fault["offered"] == state["offered"]
            assert fault["instead"] in fault["offered"]
            assert fault["hand"] == state["places"][fault["seat"]]["hand"]
            assert page(played, where)
    assert seen


def _state(browser: FlaskClient, fault: dict[str, Any]) -> dict[str, Any]:
    """The replay at a fault, as seen by that seat."""
    for number in range(1, 100):
        query = f"round={number}&seat={fault['seat']}"
        told = data(browser, f"/api/matches/{fault['match']}/replay?{query}")
        for state in told["states"]:
            if state["key"] == f"move-{fault['number']}":
                assert isinstance(state, dict)
                return state
    raise AssertionError(fault)


def test_a_fault_in_a_locked_match_tells_nothing_of_its_cards(
    played: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.read() as conn:
        locked = [row for row in matches.list_matches(conn)[0] if row.locked]
    faults = [
        (name, fault)
        for name in ("ada", "bob", "cyd")
        for fault in data(played, f"/api/bots/{name}")["faults"]
        if fault["locked"]
    ]

    assert [fault["match"] for _, fault in faults] == [row.id for row in locked]
    for name, fault in faults:
        assert [fault[part] for part in ("hand", "offered", "reason", "instead")] == [None] * 4
        listed = page(played, f"/bots/{name}/status").partition('id="faults"')[2]
        (line,) = [each for each in listed.split("<li>") if fault["match"] in each]
        assert "replay" not in line
        assert "held" not in line


# Rating tables


def test_a_table_shows_where_elo_went_lately(browser: FlaskClient, sqlite_store: Store) -> None:
    text = page(browser, "/ratings")

    with sqlite_store.read() as conn:
        trends = rating_history.trends(conn, "lama")
    assert text.count('<svg class="spark"') == len(NAMES)
    for values in trends.values():
        assert f'aria-label="Elo from {values[0]:.0f} to {values[-1]:.0f}"' in text
    assert 'id="trend"' in page(browser, "/help/ratings")


def test_a_bot_is_found_by_letters_of_its_name_and_keeps_its_rank(browser: FlaskClient) -> None:
    every = data(browser, "/api/ratings")["ratings"]
    wanted = [line for line in every if "d" in line["bot"]]

    told = data(browser, "/api/ratings?find=D")["ratings"]
    shown = page(browser, "/ratings?find=D&sort=bot")

    assert told == wanted
    assert 0 < len(wanted) < len(every)
    assert re.findall(r'<th scope="row">.*?<a class="bot" href="/bots/(\w+)"', shown) == sorted(
        line["bot"] for line in wanted
    )
    assert f"{len(wanted)} of 5 bots" in shown
    assert '<input type="hidden" name="sort" value="bot">' in shown


def test_a_search_without_a_hit_says_so_and_shows_the_way_back(browser: FlaskClient) -> None:
    shown = page(browser, "/ratings?find=zzz")

    assert "No bot here has “zzz” in its name." in shown
    assert 'href="/ratings?game=lama"' in shown


def test_search_text_is_not_a_pattern(browser: FlaskClient) -> None:
    shown = page(browser, '/ratings?find="><script>alert(1)</script>')

    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown


# Times


def test_every_time_can_be_told_in_the_readers_zone(browser: FlaskClient) -> None:
    for path in ("/", "/bots", "/bots/ada/matches", "/matches", "/tournaments/1"):
        shown = page(browser, path)
        assert "/times" in shown
        for time in re.findall(r"<time [^>]*>", shown):
            assert re.search(r'datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"', time), time
            assert re.search(r'data-form="(ago|moment|appointment)"', time), time


# What it costs

LARGE = ("matches", "match_seats", "fault_notes")


@contextmanager
def statements(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """Those that are sent to the database meanwhile."""
    found: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        found.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    "path",
    [
        "/bots/ada",
        "/bots/ada/matches",
        "/bots/ada/analysis",
        "/bots/ada/status",
        "/matches?bot=ada&opponent=bob",
        "/api/bots/ada",
        "/api/bots/ada/history",
        "/api/bots/ada/opponents",
        "/api/bots/ada/seats",
        "/ratings",
        "/ratings?find=a",
    ],
)
def test_pages_of_bots_look_at_no_table_that_grows_with_the_matches(
    sqlite_store: Store, path: str
) -> None:
    register(sqlite_store, "ada", "bob", "cyd")
    play(sqlite_store, "ada", "bob", "cyd", deals=30)
    browser = browser_on(sqlite_store)

    with statements(sqlite_store) as sent:
        assert browser.get(path).status_code == 200

    asked = [(said, values) for said, values in sent if said.startswith("SELECT")]
    assert asked
    with sqlite_store.read() as conn:
        conn.execute(text("ANALYZE"))
        for said, values in asked:
            rows = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}", values)
            plan = [row.detail for row in rows]
            scanned = [s for s in plan if re.match(rf"SCAN ({'|'.join(LARGE)})\b", s)]
            # The newest of all, one after the other along the key, until there are enough.
            assert not scanned or "LIMIT" in said, (said, plan)
