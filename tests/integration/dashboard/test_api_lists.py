"""Lists under /api: pages of them, tables as CSV, and answers that need not be sent again."""

import csv
import io
import re
import time
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.base import instant
from arena.store import Store
from arena.store.matches import matches
from arena.store.tournaments import creation, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard.api.answer import Answer, columns
from dashboard.api.document import routes
from tests.integration.api_world import NAMES, browser_on, data, filled

TABLES = (
    "/api/ratings",
    "/api/tournaments",
    "/api/tournaments/1/standings",
    "/api/matches",
    "/api/bots",
)


@pytest.fixture(scope="module")
def browser(module_store: Store) -> FlaskClient:
    filled(module_store)
    return browser_on(module_store)


@pytest.fixture
def changing(sqlite_store: Store) -> FlaskClient:
    """A client of the dashboard for a store that the test changes."""
    filled(sqlite_store)
    return browser_on(sqlite_store)


def table(browser: FlaskClient, path: str) -> list[dict[str, str]]:
    """A CSV answer as rows by column."""
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def rows(told: dict[str, Any]) -> list[Any]:
    (found,) = (value for value in told.values() if isinstance(value, list))
    return found


# Pages


@pytest.mark.parametrize("path", TABLES)
def test_following_next_gives_the_whole_list_without_gap(browser: FlaskClient, path: str) -> None:
    whole = rows(data(browser, path))
    found: list[Any] = []
    after = ""
    while True:
        told = data(browser, f"{path}?limit=1&after={after}")
        assert len(rows(told)) == 1
        found += rows(told)
        after = told["next"]
        if not after:
            break

    assert len(whole) > 1
    assert found == whole


@pytest.mark.parametrize("path", TABLES)
@pytest.mark.parametrize("form", ["", ".csv"])
def test_the_link_header_has_the_address_of_the_next_page(
    browser: FlaskClient, path: str, form: str
) -> None:
    seen: list[str] = []
    following = f"{path}{form}?limit=2"
    while following:
        answer = browser.get(following)
        seen.append(answer.text)
        link = re.fullmatch(r'<(.+)>; rel="next"', answer.headers.get("Link", '<>; rel=""'))
        following = link[1] if link else ""

    assert len(seen) == len(set(seen)) == -(-len(rows(data(browser, path))) // 2)


def test_behind_the_end_of_a_list_there_is_nothing(store: Store) -> None:
    filled(store)
    browser = browser_on(store)

    for path, after in (
        ("/api/ratings", "9" * 9),
        ("/api/tournaments/1/standings", "9" * 9),
        ("/api/bots", "z" * 40),
        ("/api/matches", "0"),
        ("/api/tournaments", "0"),
    ):
        assert rows(data(browser, f"{path}?after={after}")) == [], path
    newest_first = (("/api/matches", "9" * 18), ("/api/tournaments", "9" * 9))
    for path, after in newest_first:
        assert rows(data(browser, f"{path}?after={after}")) == rows(data(browser, path)), path


def test_an_opponent_without_a_bot_is_the_bot(browser: FlaskClient) -> None:
    of_ada = data(browser, "/api/matches?bot=ada")["matches"]

    assert data(browser, "/api/matches?opponent=ada")["matches"] == of_ada != []
    assert data(browser, "/api/matches?opponent=ada&lost=true")["matches"]
    assert "no bot named" in data(browser, "/api/matches?opponent=0", 404)["error"]


def test_the_link_to_the_next_page_keeps_what_was_asked_for(browser: FlaskClient) -> None:
    link = browser.get("/api/matches?bot=ada&tournament=1&limit=1").headers["Link"]

    assert re.search(r"[?&]bot=ada&tournament=1&limit=1&after=\d+>", link)


# A course has some 250 points at most, however many matches there are; seats are six, and reviews
# told are 200.
BOUNDED = {"bot.history", "bot.from_seats", "bot_reviews.as_json"}


def test_every_list_that_can_grow_has_pages(browser: FlaskClient) -> None:
    app = browser.application
    for rule in routes(app):
        view = app.view_functions[rule.endpoint]
        if isinstance(view, Answer) and view.rows and rule.endpoint not in BOUNDED:
            names = {parameter.name for parameter in view.query}
            assert view.paged, rule
            assert {"limit", "after"} <= names, rule


# CSV


@pytest.mark.parametrize("path", TABLES)
def test_a_table_is_had_as_csv_at_its_own_address_or_by_format(
    browser: FlaskClient, path: str
) -> None:
    named, chosen = browser.get(f"{path}.csv"), browser.get(f"{path}?format=csv")

    assert named.data == chosen.data
    assert named.mimetype == "text/csv"
    assert re.fullmatch(r'attachment; filename="[a-z]+\.csv"', named.headers["Content-Disposition"])
    assert "Link" not in named.headers


def test_csv_has_what_the_json_has(browser: FlaskClient) -> None:
    told = data(browser, "/api/ratings")["ratings"]
    lines = table(browser, "/api/ratings.csv")

    assert list(lines[0]) == list(told[0])
    assert [line["bot"] for line in lines] == [each["bot"] for each in told]
    assert [float(line["elo"]) for line in lines] == [each["elo"] for each in told]


def test_a_match_has_a_line_for_each_seat(browser: FlaskClient) -> None:
    told = data(browser, "/api/matches")["matches"]
    lines = table(browser, "/api/matches.csv")

    assert [(line["id"], line["seat"], line["bot"]) for line in lines] == [
        (match["id"], str(number), seat["bot"])
        for match in told
        for number, seat in enumerate(match["seats"])
    ]


def test_nested_objects_have_separate_columns(browser: FlaskClient) -> None:
    line = table(browser, "/api/tournaments.csv")[-1]

    assert line["spec.bots"] == " ".join(NAMES)
    assert line["spec.options"].startswith('{"')
    assert line["spec.seed"] == "7"


def test_an_empty_table_has_its_headings(sqlite_store: Store) -> None:
    answer = browser_on(sqlite_store).get("/api/ratings.csv")

    assert answer.text.startswith("rank,player,bot,")
    assert answer.text.count("\r\n") == 1


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1dA1", '=HYPERLINK("//x","y")']
)
def test_no_name_is_a_formula_in_a_spreadsheet(
    changing: FlaskClient, sqlite_store: Store, name: str
) -> None:
    with sqlite_store.write() as conn:
        creation.create(conn, check_spec(TournamentSpec(name=name, bots=NAMES, seats=2, matches=2)))

    line = table(changing, "/api/tournaments.csv")[0]

    assert line["spec.name"] == f"'{name}"
    assert data(changing, "/api/tournaments")["tournaments"][0]["spec"]["name"] == name


# What is not told


def test_no_table_tells_the_seed_or_the_deals_of_a_tournament_under_way(
    browser: FlaskClient,
) -> None:
    running, over = table(browser, "/api/tournaments.csv")
    locked = table(browser, "/api/matches.csv?tournament=2")

    assert (running["spec.seed"], over["spec.seed"]) == ("", "7")
    assert {line["deal"] for line in locked} == {""}
    assert {line["locked"] for line in locked} == {"1"}


def test_the_lists_of_matches_do_not_say_where_in_the_schedule_one_stands(
    browser: FlaskClient,
) -> None:
    (view,) = {
        browser.application.view_functions[rule.endpoint]
        for rule in routes(browser.application)
        if rule.rule == "/api/matches"
    }
    assert isinstance(view, Answer)

    assert not {"position", "number", "batch"} & {*columns(view.line(), view.per)}


# Answers that need not be sent again


@pytest.mark.parametrize(
    "path",
    [*TABLES, "/api", "/api/openapi.json", "/api/ratings.csv", "/json", "/bots"],
)
def test_unchanged_responses_give_304(browser: FlaskClient, path: str) -> None:
    first = browser.get(path)
    again = browser.get(path, headers={"If-None-Match": first.headers["ETag"]})
    other = browser.get(path, headers={"If-None-Match": '"another"'})

    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert "default-src 'none'" in again.headers["Content-Security-Policy"]
    assert (other.status_code, other.data) == (200, first.data)


def test_the_overview_changes_with_the_clock_alone_while_a_tournament_runs(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(instant, "now", lambda: now)
    etag = browser.get("/api/overview").headers["ETag"]

    assert browser.get("/api/overview", headers={"If-None-Match": etag}).status_code == 304
    now += 10
    assert browser.get("/api/overview", headers={"If-None-Match": etag}).status_code == 200


def test_a_change_changes_the_etag(changing: FlaskClient, sqlite_store: Store) -> None:
    before = changing.get("/api/tournaments/2").headers["ETag"]
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, 2, "cancelled")

    after = changing.get("/api/tournaments/2", headers={"If-None-Match": before})

    assert after.status_code == 200
    assert after.headers["ETag"] != before


def test_head_tells_the_etag_without_the_answer(browser: FlaskClient) -> None:
    answer = browser.head("/api/ratings")

    assert answer.data == b""
    assert answer.headers["ETag"] == browser.get("/api/ratings").headers["ETag"]


def test_errors_have_no_etag(browser: FlaskClient, module_store: Store) -> None:
    with module_store.read() as conn:
        locked = matches.list_matches(conn)[0][0].id

    for path, status in (("/api/bots/nobody", 404), (f"/api/matches/{locked}", 409)):
        answer = browser.get(path)
        assert (answer.status_code, answer.headers.get("ETag")) == (status, None)
        assert set(answer.get_json()) == {"error"}


# What is asked wrongly


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (
            "/api/bots?limits=5",
            '"limits" is not a parameter here. Parameters: after, format, limit.',
        ),
        ("/api?x=1", 'This address has no parameters. Remove "x".'),
        ("/api/bots?limit=5&limit=6", "limit is given 2 times. Give it once."),
        ("/api/bots?limit=", '"" is not a valid limit. Give a whole number from 1 to 1000.'),
        (
            "/api/bots?limit=\u0665",
            '"\u0665" is not a valid limit. Give a whole number from 1 to 1000.',
        ),
        (
            "/api/ratings?after=-1",
            '"-1" is not a valid after. Give the "next" of the previous page.',
        ),
        (
            "/api/ratings?all_versions=1",
            '"1" is not a valid all_versions. Give one of false, true.',
        ),
        ("/api/bots?format=xml", '"xml" is not a valid format. Give one of json, csv.'),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_would_be_right(
    browser: FlaskClient, path: str, says: str
) -> None:
    assert data(browser, path, 400)["error"] == says


def test_a_table_as_csv_is_refused_in_json(browser: FlaskClient) -> None:
    assert "limit" in data(browser, "/api/ratings.csv?limit=0", 400)["error"]


def test_ratings_of_all_versions_or_of_those_who_played_lately(browser: FlaskClient) -> None:
    every = data(browser, "/api/ratings?all_versions=true&seats=2")["ratings"]
    lately = data(browser, "/api/ratings?active_days=1")["ratings"]

    assert {line["bot"] for line in every} == {*NAMES}
    assert lately == []  # these matches were played at the beginning of 1970


# For people


def test_the_page_tells_of_every_address_with_an_example(browser: FlaskClient) -> None:
    text = browser.get("/json").text
    told = data(browser, "/api")["answers"]

    for answer in told:
        assert f"<code>{answer['path']}</code></h2>" in text
    assert text.count("Example response") == len(told)
    assert "<code>all_versions</code>" in text
    assert "&#34;plus_minus&#34;" in text
