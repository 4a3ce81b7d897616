"""Making a tournament on the dashboard."""

import json
import re
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from arena.tournaments.formats import FORMATS, format_of
from dashboard import create_app
from dashboard.tournaments.create.form import blank, like
from tests.integration.dashboard.test_events import connect_bot
from tests.integration.people import csrf, person
from tests.integration.played import register
from tests.made_results import entered, results, save

NAMES = ("ada", "bob", "cyd", "dan", "eve")


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """The dashboard of an arena that runs, with five bots."""
    register(sqlite_store, *NAMES)
    return create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)


@pytest.fixture
def olga(app: Flask, sqlite_store: Store) -> FlaskClient:
    """An organiser."""
    return person(app, sqlite_store, "olga", organiser=True)


def filled(**changed: Any) -> dict[str, Any]:
    """The form with three seats and all bots; names have underscores instead of dots."""
    fields = {**blank().values, "seats": "3", "table_matches": "6", "bots": list(NAMES)}
    return fields | changed


def send(browser: FlaskClient, fields: dict[str, Any], path: str = "/tournaments") -> TestResponse:
    return browser.post(path, data={**fields, "csrf_token": csrf(browser)})


def preview(browser: FlaskClient, fields: dict[str, Any]) -> str:
    """The answer for htmx."""
    token = csrf(browser)
    answer = browser.post(
        "/tournaments/new/preview",
        data={**fields, "csrf_token": token},
        headers={"HX-Request": "true"},
    )
    assert answer.status_code == 200
    assert "<html" not in answer.text
    return answer.text


def words(text: str) -> str:
    """A page without its tags, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text).replace("\u202f", ","))


def wrong(text: str) -> dict[str, str]:
    """The messages next to fields, by field."""
    found = re.findall(r'id="wrong-([\w-]+)"[^>]*>([^<]+)<', text)
    return {name: sentence.replace("&#34;", '"').replace("&#39;", "'") for name, sentence in found}


def said(text: str) -> str:
    """The sentence for screen readers."""
    (found,) = re.findall(r'role="status" id="preview-said">(.*?)</p>', text, re.DOTALL)
    return words(str(found))


# Making one


def test_preview_is_announced_in_one_sentence(olga: FlaskClient) -> None:
    possible = preview(olga, filled())
    impossible = preview(olga, filled(bots=["ada"]))

    assert re.fullmatch(r"\d+ matches, about .+\.", said(possible))
    assert said(impossible).startswith("Not possible yet. A table has 3 seats: choose 2 more")
    assert "aria-live" not in possible + impossible


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_made(olga: FlaskClient, sqlite_store: Store, name: str) -> None:
    parts = {"format.gauntlet.candidate": "eve", "format.versus.candidate": "eve"}
    fields = filled(format=name, **parts, **{"format.versus.baseline": "dan"})

    answer = send(olga, fields)

    assert (answer.status_code, answer.location) == (303, "/tournaments/1")
    with sqlite_store.read() as conn:
        made = tournaments.get(conn, 1)
    assert made.spec.format == name
    assert made.planned == format_of(name).count(made.spec)
    first = {"gauntlet": ("eve",), "versus": ("eve", "dan")}.get(name, ())
    assert made.spec.bots == (*first, *(bot for bot in NAMES if bot not in first))
    assert dict(made.spec.format_options) == {
        option: about.default for option, about in FORMATS[name].options.items()
    }
    assert olga.get("/tournaments/1").status_code == 200


def test_an_older_version_can_be_the_one_to_beat(olga: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "eve", "2")
    assert '<option value="eve@1">' in olga.get("/tournaments/new").text
    parts = {"format.versus.candidate": "eve", "format.versus.baseline": "eve@1"}

    made = send(olga, filled(format="versus", **parts, bots=["ada", "bob"]))

    assert made.status_code == 303
    with sqlite_store.read() as conn:
        assert tournaments.get(conn, 1).spec.bots == ("eve", "eve@1", "ada", "bob")
    again = olga.get("/tournaments/new?like=1").text
    assert '<option value="eve@1" selected>' in again


def test_all_that_is_asked_for_is_in_it(olga: FlaskClient, sqlite_store: Store) -> None:
    fields = filled(
        name="Spring", game="dice", seats="2", table_matches="13", seed="11", move_ms="500",
        fault_limit="5", start_grace_s="0", format="swiss", bots=["bob", "eve", "cyd"],
        trusted="yes", isolation="tournament",
        **{"game.dice.max_rounds": "40", "format.swiss.rounds": "3", "format.swiss.seeding": "elo"},
    )  # fmt: skip

    send(olga, fields)

    with sqlite_store.read() as conn:
        made = tournaments.get(conn, 1)
        owner = made.owner
    spec = made.spec
    assert (spec.name, spec.game, spec.seats, spec.matches) == ("Spring", "dice", 2, 14)
    assert (spec.repeats, spec.trusted, spec.isolation) == (11, True, "tournament")
    assert (spec.move_ms, spec.fault_limit, spec.start_grace_s) == (500, 5, 0)
    assert spec.options["max_rounds"] == "40"
    assert spec.format_options == {
        "rounds": "3", "seeding": "elo", "siblings": "apart", "deals": "own",
        "withdraw_after": "20",
    }  # fmt: skip
    assert set(spec.bots) == {"bob", "eve", "cyd"}
    assert owner is not None


def test_without_a_seed_each_gets_its_own(olga: FlaskClient, sqlite_store: Store) -> None:
    for _ in range(2):
        send(olga, filled())

    with sqlite_store.read() as conn:
        one, other = tournaments.all_tournaments(conn)
    assert one.spec.seed != other.spec.seed


# What is wrong


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"seats": "7"}, "seats", "from 2 to 6"),
        ({"seats": "four"}, "seats", "whole number"),
        ({"table_matches": "0"}, "table_matches", "from 1 to"),
        ({"table_matches": "9" * 4000}, "table_matches", "from 1 to"),
        (
            {"table_matches": "9" * 9, "format.round-robin.tables": "all"},
            "table_matches",
            "fewer m",
        ),
        ({"seed": "-1"}, "seed", "from 0 to"),
        ({"move_ms": "1.5"}, "move_ms", "whole number"),
        ({"start_grace_s": "²"}, "start_grace_s", "whole number"),
        ({"fault_limit": ""}, "fault_limit", "whole number"),
        ({"isolation": "bot"}, "isolation", "match or tournament"),
        ({"name": "a" * 121}, "name", "at most 120"),
        ({"name": "a\nb"}, "name", "one line"),
        ({"game": "chess"}, "game", "no game"),
        ({"format": "lottery"}, "format", "no format"),
        ({"game.lama.max_rounds": "0"}, "game-lama-max_rounds", "from 1 to 10000"),
        (
            {"format": "swiss", "format.swiss.rounds": "many"},
            "format-swiss-rounds",
            "from 0 to 200",
        ),
        (
            {"format": "swiss", "format.swiss.seeding": "alphabet"},
            "format-swiss-seeding",
            "entered, elo or random",
        ),
        ({"format": "knockout", "format.knockout.advance": "3"}, "format", "at most 2"),
        ({"bots": ["ada"]}, "bots", "choose 2 more (1 so far)"),
        ({"bots": []}, "bots", "choose 3 more."),
        ({"bots": [*NAMES, "zoe"]}, "bots", "zoe: not registered"),
        ({"format": "gauntlet"}, "format-gauntlet-candidate", "Choose the candidate."),
        (
            {"format": "versus", "format.versus.candidate": "ada", "format.versus.baseline": "ADA"},
            "format-versus-baseline",
            "already the candidate",
        ),
        (
            {"format": "gauntlet", "format.gauntlet.candidate": "zoe"},
            "format-gauntlet-candidate",
            '"zoe" is not registered',
        ),
    ],
)
def test_form_shows_problems_next_to_fields_and_keeps_the_input(
    olga: FlaskClient, sqlite_store: Store, changed: dict[str, Any], field: str, sentence: str
) -> None:
    fields = filled(**{"name": "Mine", **changed})

    answer = send(olga, fields)

    assert answer.status_code == 400
    found = wrong(answer.text)
    assert set(found) == {field}
    assert sentence in found[field]
    assert answer.text.count(" checked") == 2 + len(set(fields["bots"]) & set(NAMES)) - (
        fields["game"] == "chess" or fields["format"] == "lottery"
    )
    if "\n" not in fields["name"]:
        assert f'name="name" value="{fields["name"]}"' in answer.text
    assert f'name="table_matches" value="{fields["table_matches"]}"' in answer.text
    with sqlite_store.read() as conn:
        assert tournaments.all_tournaments(conn) == []


def test_hostile_text_stays_text(olga: FlaskClient) -> None:
    evil = '"><script>alert(1)</script>'
    fields = filled(table_matches=evil, game=evil, bots=[evil], **{"format.versus.candidate": evil})

    for text in (send(olga, fields).text, preview(olga, fields)):
        assert "<script>alert" not in text


def test_a_bot_that_retires_meanwhile_is_named(olga: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        bots.retire(conn, "bob")

    assert "bob: not registered, or retired" in wrong(send(olga, filled()).text)["bots"]


def test_when_the_arena_does_not_run_the_form_says_so_and_keeps_everything(
    sqlite_store: Store,
) -> None:
    register(sqlite_store, *NAMES)
    olga = person(create_app(Settings(), sqlite_store, None), sqlite_store, "olga", organiser=True)

    answer = send(olga, filled(name="Mine"))

    assert answer.status_code == 503
    assert "The arena is not running." in answer.text
    assert "arena up" not in answer.text, "that is for operators"
    assert 'value="Mine"' in answer.text
    with sqlite_store.read() as conn:
        assert tournaments.all_tournaments(conn) == []


# The preview


def test_the_preview_tells_matches_balance_and_time(olga: FlaskClient) -> None:
    text = words(preview(olga, filled()))

    assert "60 matches" in text
    assert "every pair of bots meets in 18 matches" in text
    assert "About 1 s" in text
    assert "no such matches have been played here yet" in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gauntlet", "eve meets each of the field"),
        ("knockout", "5 still in"),
        ("swiss", "4 rounds of 1 table, with 2 bots sitting out."),
        ("versus", "At most 10,000 matches eve against dan"),
        ("ladder", "At most 99,996 matches"),
    ],
)
def test_each_format_tells_what_it_would_be(olga: FlaskClient, name: str, sentence: str) -> None:
    parts = {"format.gauntlet.candidate": "eve", "format.versus.candidate": "eve"}
    fields = filled(format=name, **parts, **{"format.versus.baseline": "dan"})

    assert sentence in words(preview(olga, fields))


def test_preview_estimates_slow_schedules(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.tournaments.create.preview.MOST", 0)
    fields = filled(**{"format.round-robin.tables": "balanced"})

    text = words(preview(olga, fields))

    assert "About 30 matches" in text
    assert "Balanced tables" in text
    assert send(olga, fields).status_code == 303


def test_the_time_follows_from_what_was_measured_here(
    olga: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store, NAMES)
    save(sqlite_store, results(tournament))  # a match each second
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")

    text = words(preview(olga, filled(table_matches="30")))

    assert "About 2 min" in text, "the end of a tournament, when little is in flight, counts apart"
    assert "plays 3.8 matches/s: measured over the latest 60 matches of L.A.M.A. at 3 seats" in text
    assert "latest 60 matches of other kinds" in words(preview(olga, filled(seats="4")))


def test_bots_that_are_not_connected_or_do_not_play_this_are_told(
    olga: FlaskClient, sqlite_store: Store, redis_url: str
) -> None:
    with sqlite_store.read() as conn:
        registered = {bot.name: bot for bot in bots.all_bots(conn)}
    connect_bot(redis_url, registered["ada"])
    connect_bot(redis_url, registered["bob"])

    text = words(preview(olga, filled(game="dice", bots=["ada", "bob", "eve"])))

    assert "Not connected: eve." in text
    assert "waits 30 s" in text
    assert "ada, bob: connected, but they don't play LAMA Dice at 3 seats" in text
    assert "No host" not in text


def test_preview_lists_hosted_bots_without_a_host(olga: FlaskClient, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        bots.new_version(conn, "eve", hosted=True)

    text = words(preview(olga, filled(bots=["ada", "bob", "eve"])))

    assert "Not connected: ada, bob." in text
    assert "Hosted, but not running: eve. Their matches wait until a host runs them." in text


def test_while_typing_only_what_is_wrong_is_told_beside_its_field(olga: FlaskClient) -> None:
    text = preview(olga, filled(table_matches="x", bots=[]))

    assert set(wrong(text)) == {"table_matches"}
    assert 'id="wrong-seats" hx-swap-oob="true"' in text
    assert "choose 3 more" in words(text)


def test_without_javascript_the_preview_is_a_page_that_keeps_the_form(olga: FlaskClient) -> None:
    answer = send(olga, filled(name="Mine"), "/tournaments/new/preview")

    assert answer.status_code == 200
    assert "60 matches" in words(answer.text)
    assert 'value="Mine"' in answer.text
    assert f'formaction="/tournaments/new/preview"' in answer.text  # noqa: F541


def test_no_field_hides_what_scripts_call_on_the_form(olga: FlaskClient) -> None:
    """htmx calls form.matches(...), which a field of that name would hide."""
    names = re.findall(r' name="([^"]+)"', olga.get("/tournaments/new").text)

    assert not {"matches", "closest", "action", "method", "submit", "children"} & set(names)


# Opening the form


def test_the_form_opens_without_complaints(olga: FlaskClient) -> None:
    text = olga.get("/tournaments/new").text

    assert wrong(text) == {}
    assert "choose 4 more" in words(text)
    assert all(f'value="{name}"' in text for name in (*NAMES, *FORMATS))


def test_the_form_can_be_filled_in_like_another_tournament(
    olga: FlaskClient, sqlite_store: Store
) -> None:
    send(
        olga, filled(format="gauntlet", table_matches="27", **{"format.gauntlet.candidate": "eve"})
    )
    with sqlite_store.read() as conn:
        spec = tournaments.get(conn, 1).spec

    text = olga.get("/tournaments/new?like=1").text

    assert like(spec).values["format.gauntlet.candidate"] == "eve"
    assert re.search(r'<option value="eve" selected>', text)
    assert 'name="table_matches" value="27"' in text
    assert 'name="seed" value=""' in text
    assert text.count(" checked") == 2 + 4
    assert olga.get("/tournaments/new?like=77").status_code == 404


def test_bots_are_shown_with_their_connection(
    olga: FlaskClient, sqlite_store: Store, redis_url: str
) -> None:
    with sqlite_store.read() as conn:
        connect_bot(redis_url, bots.get(conn, "ada"))

    text = olga.get("/tournaments/new").text

    assert re.search(r'value="ada" data-state="connected"', text)
    assert re.search(r'value="bob" data-state="offline"', text)


# Rights


def test_others_may_not(app: Flask, sqlite_store: Store, olga: FlaskClient) -> None:
    ann = person(app, sqlite_store, "ann")
    token = csrf(ann)

    assert app.test_client().get("/tournaments/new").status_code == 303
    assert ann.get("/tournaments/new").status_code == 403
    assert ann.post("/tournaments", data={**filled(), "csrf_token": token}).status_code == 403
    assert olga.post("/tournaments", data=filled()).status_code == 400
    with sqlite_store.read() as conn:
        assert tournaments.all_tournaments(conn) == []


def test_what_only_an_operator_needs_is_not_shown(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Unavailable("The database at db7:5432 is full.", "The database does not work.")

    monkeypatch.setattr(ControlService, "create_tournament", fail)

    refused = send(olga, filled())

    assert refused.status_code == 503
    assert "The database does not work." in refused.text
    assert "db7" not in refused.text


def test_only_organisers_are_offered_it(app: Flask, olga: FlaskClient) -> None:
    assert 'href="/tournaments/new"' in olga.get("/tournaments").text
    assert 'href="/tournaments/new"' not in app.test_client().get("/tournaments").text


# Deals that come again


SHARED = {"format.round-robin.deals": "duplicate"}


def test_shared_deals_take_the_organisers_word(olga: FlaskClient, sqlite_store: Store) -> None:
    refused = send(olga, filled(table_matches="7", **SHARED))
    assert refused.status_code == 400
    assert "Neither your bots nor house bots" in wrong(refused.text)["trusted"]

    assert send(olga, filled(table_matches="7", trusted="yes", **SHARED)).status_code == 303

    with sqlite_store.read() as conn:
        made = tournaments.get(conn, 1).spec
    assert (made.deals, made.matches, made.trusted) == (3, 0, True)
    page = words(olga.get("/tournaments/1/terms").text)
    assert "3 shared deals for each table, each played 3 times" in page
    assert "the organiser trusts every entrant" in page
    again = olga.get("/tournaments/new?like=1").text
    assert 'name="table_matches" value="9"' in again
    assert 'value="duplicate" selected' in again


def test_the_preview_of_shared_deals_counts_as_the_tournament_does(
    olga: FlaskClient, sqlite_store: Store
) -> None:
    text = words(preview(olga, filled(table_matches="7", trusted="yes", **SHARED)))

    send(olga, filled(table_matches="7", trusted="yes", **SHARED))

    with sqlite_store.read() as conn:
        planned = tournaments.get(conn, 1).planned
    assert f"About {planned} matches" in text or f"{planned} matches" in text


def test_matches_that_are_rounded_up_are_said_to_be(olga: FlaskClient) -> None:
    text = words(preview(olga, filled(table_matches="7")))

    assert "For each table 9 matches instead of 7, to play every seat equally often." in text
    assert "not 6" not in words(preview(olga, filled(table_matches="6")))


def test_a_seed_takes_the_organisers_word_and_is_marked(
    olga: FlaskClient, sqlite_store: Store
) -> None:
    assert "seed and salt" in wrong(send(olga, filled(seed="3")).text)["trusted"]

    send(olga, filled(seed="3", trusted="yes"))

    assert "derived from a seed and a random salt" in words(olga.get("/tournaments/1/terms").text)
    assert "repeatable" in olga.get("/tournaments").text
    assert json.loads(olga.get("/api/tournaments/1").text)["repeatable"] is True
    assert "<code>3</code>" not in olga.get("/tournaments/1/terms").text
