"""Test matches against bots of the house, and what they tell."""

import re
from collections.abc import Callable

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import pack
from arena.hosting.submission.manifest import Manifest
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots, building, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.save import FaultNote, MatchResult, save_results
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from dashboard import create_app
from tests.integration.dashboard.test_my_bots import connected
from tests.integration.people import bot_of, csrf, person

Spoil = Callable[[Match], bool]


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """The dashboard of an arena that runs."""
    return create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "ada")


@pytest.fixture
def nora(ada: FlaskClient, sqlite_store: Store) -> RegisteredBot:
    """A bot of ada's, not connected."""
    return bot_of(sqlite_store, "ada", "nora")[0]


@pytest.fixture
def house(sqlite_store: Store, redis_url: str) -> list[RegisteredBot]:
    """Two bots of the house, connected, and one that is not."""
    with sqlite_store.write() as conn:
        found = [bots.register(conn, name, kind="house")[0] for name in ("five", "sharp", "timid")]
    for bot in found[:2]:
        connected(redis_url, bot)
    return found


def press(
    browser: FlaskClient, game: str = "lama", seats: str = "2", move_s: str = "2"
) -> tuple[int, str]:
    """Presses the button; gives the status and what it led to, or the page."""
    token = csrf(browser, "/my/bots/nora")
    fields = {"game": game, "seats": seats, "move_s": move_s, "csrf_token": token}
    answer = browser.post("/my/bots/nora/tests", data=fields)
    return answer.status_code, answer.location or answer.text


def test_a_test_is_an_unrated_tournament_against_connected_bots_of_the_house(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    sqlite_store: Store,
    redis_url: str,
) -> None:
    connected(redis_url, nora)

    status, location = press(ada, seats="3")

    assert (status, location) == (303, "/my/bots/nora/tests/1")
    with sqlite_store.read() as conn:
        test = tournaments.get(conn, 1)
        assert tournaments.all_tournaments(conn) == []
    assert (test.kind, test.planned, test.spec.matches) == ("test", 3, 3)
    assert set(test.spec.bots) == {"nora", "five", "sharp"}
    page = ada.get(location).text
    assert "Starting" in page
    assert 'hx-get="/my/bots/nora/tests/1/live"' in page
    assert 'href="/my/bots/nora/tests/1"' in ada.get("/my/bots/nora").text


def test_while_a_test_is_under_way_the_button_leads_to_it(
    ada: FlaskClient, nora: RegisteredBot, house: list[RegisteredBot], redis_url: str
) -> None:
    connected(redis_url, nora)

    assert press(ada) == press(ada) == (303, "/my/bots/nora/tests/1")


@pytest.mark.parametrize(
    ("here", "game", "seats", "status", "said"),
    [
        (None, "lama", "2", 409, "nora is not connected. Start your program"),
        ({"away_since": 5.0}, "lama", "2", 409, "nora is not connected"),
        ({"games": ("dice",)}, "lama", "2", 409, "nora plays dice, not lama"),
        ({"min_seats": 3}, "lama", "2", 409, "nora plays at 3 to 4 seats, not at 2"),
        ({}, "lama", "4", 409, "needs 3 house bots that play lama, but only 2 are connected"),
        ({}, "chess", "2", 400, "chess"),
        ({}, "lama", "9", 400, "9"),
        ({}, "lama", "<b>", 400, "2"),
    ],
)
def test_page_says_why_a_test_cannot_start(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    redis_url: str,
    here: dict[str, object] | None,
    game: str,
    seats: str,
    status: int,
    said: str,
) -> None:
    if here is not None:
        connected(redis_url, nora, **here)

    answered, text = press(ada, game, seats)

    assert answered == status
    assert said in text
    assert '<div class="form-problem" role="alert" tabindex="-1" autofocus>' in text
    assert '<a href="#test">' in text


def test_hosted_bot_without_a_host_is_reported(
    ada: FlaskClient, nora: RegisteredBot, house: list[RegisteredBot], sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        bots.set_hosted(conn, nora.player, hosted=True)

    status, text = press(ada)

    assert status == 409
    assert "nora is not running yet" in text


def test_pages_report_an_arena_that_is_not_running(sqlite_store: Store) -> None:
    ada = person(create_app(Settings(), sqlite_store, None), sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "nora")

    status, text = press(ada)

    assert status == 503
    assert "The arena is not running" in text


def test_a_retired_bot_is_not_tested(
    ada: FlaskClient, nora: RegisteredBot, house: list[RegisteredBot], sqlite_store: Store
) -> None:
    token = csrf(ada, "/my/bots/nora")
    with sqlite_store.write() as conn:
        bots.retire(conn, "nora")

    answer = ada.post("/my/bots/nora/tests", data={"game": "lama", "csrf_token": token})

    assert answer.status_code in (400, 409)


# What came of it


def play(store: Store, nora: RegisteredBot, spoil: Spoil, state: str = "finished") -> Tournament:
    """Plays nora's newest test as workers would; `spoil` may let her questions go wrong."""
    with store.write() as conn:
        test = tournaments.get(conn, 1)
        tournaments.set_state(conn, test.id, "running")
        source = tournaments.source(conn, test.id)
        for planned in format_of(test.spec.format).block(test.spec, 0):
            names = tuple(test.spec.bots[entrant] for entrant in planned.seats)
            setup = MatchSetup(
                source.match_id(planned.position),
                test.spec.game,
                source.deal_seed(planned.deal),
                tuple(map(Seat, names)),
                test.spec.options,
                test.spec.fault_limit,
            )
            match = Match(setup)
            while match.decision:
                if names[match.decision.seat] != "nora" or not spoil(match):
                    match.answer(match.decision.actions[0], latency_us=1500)
            save_results(conn, [result(test, planned.position, planned.deal, planned.seats, match)])
        tournaments.set_state(conn, test.id, state)  # type: ignore[arg-type]
        return test


def result(
    test: Tournament, position: int, deal: int, seats: tuple[int, ...], match: Match
) -> MatchResult:
    notes = [FaultNote(f.seat, f.number, f.kind, f.reason, f.instead) for f in match.faults]
    return MatchResult(
        id=match.setup.id,
        tournament=test.id,
        batch=0,
        position=position,
        deal=deal,
        game=test.spec.game,
        ruleset=match.game.ruleset,
        options=match.game.options,
        seed=match.setup.seed,
        players=tuple(test.players[entrant] for entrant in seats),
        points=match.result.points,
        ranks=match.result.ranks,
        faults=match.fault_counts(),
        forfeited=tuple(fault is not None for fault in match.result.faults),
        log=pack(match),
        started=1.0,
        finished=2.0,
        notes=tuple(notes),
    )


@pytest.fixture
def begun(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> RegisteredBot:
    """Nora, with a test that has begun; always the same cards."""
    connected(redis_url, nora)
    monkeypatch.setattr(
        "arena.store.tournaments.creation.token_bytes", lambda size: bytes([1]) * size
    )
    assert press(ada)[0] == 303
    return nora


def test_how_a_test_went_is_told_in_a_line_with_the_way_to_its_replays(
    ada: FlaskClient, begun: RegisteredBot, sqlite_store: Store
) -> None:
    play(sqlite_store, begun, lambda match: False)
    with sqlite_store.read() as conn:
        played = list(matches.iterate_matches(conn, 1))
    own = [seat for match in played for seat in match.seats if seat.bot == "nora"]
    won, mean = sum(seat.rank == 1 for seat in own), sum(seat.points for seat in own) / len(own)

    page = ada.get("/my/bots/nora/tests/1").text

    assert f"<strong>Won {won} of 2</strong>" in page
    assert f"mean {mean:.1f} points" in page
    assert "without a fault" in page
    assert "answers in 1.5 ms" in page
    for match in played:
        assert f'<a class="watch" href="/matches/{match.id}/replay">' in page
    assert 'hx-get="/my/' not in page


def once(go_wrong: Callable[[Match], object]) -> Spoil:
    """Goes wrong at the first question of all."""
    done: list[object] = []

    def spoil(match: Match) -> bool:
        if done:
            return False
        done.append(match.decision)
        go_wrong(match)
        return True

    return spoil


@pytest.mark.parametrize(
    ("go_wrong", "kind", "reason"),
    [
        (lambda match: match.answer("play 9"), "illegal", "play 9"),
        (
            lambda match: match.fail("timeout", "No answer within 2000 ms.", 2_000_000),
            "timeout",
            "No answer within 2000 ms.",
        ),
        (
            lambda match: match.fail("error", "ValueError: <script>alert(1)</script>\u202e"),
            "error",
            "ValueError: &lt;script&gt;alert(1)&lt;/script&gt;",
        ),
        (
            lambda match: match.fail("disconnect", "nora was not connected.", forfeit=True),
            "disconnect",
            "nora was not connected.",
        ),
    ],
)
def test_faults_are_listed_with_legal_actions_and_a_link(
    ada: FlaskClient,
    begun: RegisteredBot,
    sqlite_store: Store,
    go_wrong: Callable[[Match], object],
    kind: str,
    reason: str,
) -> None:
    play(sqlite_store, begun, once(go_wrong))

    page = ada.get("/my/bots/nora/tests/1").text

    assert "Something went wrong" in page
    assert f"1 fault ({kind})" in page
    assert reason in page
    assert "<script>alert" not in page
    assert "<code>draw</code>" in page or "<code>play" in page
    assert re.search(r"/matches/[a-z0-9]+#move-\d+", page)
    assert ("This forfeited the match" in page) == (kind == "disconnect")


def test_advice_for_a_hosted_bot_links_to_its_runs(
    ada: FlaskClient, begun: RegisteredBot, sqlite_store: Store
) -> None:
    runs = 'href="/my/bots/nora/runs"'
    play(sqlite_store, begun, once(lambda match: match.fail("error", "KeyError: 4")))
    before = ada.get("/my/bots/nora/tests/1").text
    with sqlite_store.write() as conn:
        bots.set_hosted(conn, begun.player, hosted=True)
    after = ada.get("/my/bots/nora/tests/1").text

    assert ("on its stderr" in before, "on its stderr" in after) == (True, False)
    assert (runs in before, runs in after) == (False, True)


def accepted(store: Store) -> RegisteredBot:
    """Makes ada's upload for nora the bot's current version."""
    with store.write() as conn:
        made = submissions.submit(conn, bots.get(conn, "nora"), b"# nora\n")
        building.claim(conn, "h", 1e9, 60.0)
        building.accept(conn, made.id, "h", b"tree", Manifest(entry="bot.py"), b"hello")
        return bots.get(conn, "nora")


def test_what_was_accepted_is_tried_from_its_page_as_soon_as_a_host_has_it(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    sqlite_store: Store,
    redis_url: str,
) -> None:
    there = "/my/bots/nora/submissions/1"
    version = accepted(sqlite_store)
    before = ada.get(there).text
    connected(redis_url, version)
    after = ada.get(there).text

    assert "data-try" not in before
    assert "Then you can play a test match here" in before
    assert 'data-live="bot-nora"' in before, "it notices by itself that a host has it"
    (form,) = re.findall(r'<form[^>]*action="/my/bots/nora/tests".*?</form>', after, re.S)
    assert "data-try" in form
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    answer = ada.post("/my/bots/nora/tests", data=fields)
    assert (answer.status_code, answer.location) == (303, "/my/bots/nora/tests/1")


def test_a_slow_bot_is_tested_with_more_time(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    sqlite_store: Store,
    redis_url: str,
) -> None:
    connected(redis_url, nora)
    assert ">10 min</option>" in ada.get("/my/bots/nora").text

    refused = press(ada, move_s="3600")
    assert refused[0] == 400
    assert "The time for a move is 3600 s. Choose 2 or 30 or 120 or 600 s." in refused[1]
    assert press(ada, move_s="600")[0] == 303

    with sqlite_store.read() as conn:
        assert tournaments.get(conn, 1).spec.move_ms == 600_000


def test_hosted_bots_have_two_seconds_in_a_test(
    ada: FlaskClient,
    nora: RegisteredBot,
    house: list[RegisteredBot],
    sqlite_store: Store,
    redis_url: str,
) -> None:
    connected(redis_url, accepted(sqlite_store))

    assert 'name="move_s"' not in ada.get("/my/bots/nora").text
    status, text = press(ada, move_s="600")
    assert (status, "Choose 2 s." in text) == (400, True)


def test_outdated_version_is_not_tested(
    ada: FlaskClient, nora: RegisteredBot, sqlite_store: Store, redis_url: str
) -> None:
    connected(redis_url, accepted(sqlite_store))
    with sqlite_store.write() as conn:
        connected(redis_url, bots.new_version(conn, "nora"))

    shown = ada.get("/my/bots/nora/submissions/1").text

    assert "data-try" not in shown
    assert 'data-live="bot-' not in shown


def test_submit_and_test_leads_to_the_page_that_tests(
    ada: FlaskClient, nora: RegisteredBot
) -> None:
    editor = "/my/bots/nora/submissions/-/editor"
    fields = {"csrf_token": csrf(ada, editor), "program": "# nora\n", "try": "yes"}
    answer = ada.post(editor, data=fields)

    assert answer.location == "/my/bots/nora/submissions/1?then=try"
    assert "/try.js" in re.sub(r"\.[0-9a-f]{6,}\.", ".", ada.get(answer.location).text)
    assert "/try." not in ada.get("/my/bots/nora/submissions/1").text


def test_a_bot_that_always_fails_forfeits_and_that_is_told(
    ada: FlaskClient, begun: RegisteredBot, sqlite_store: Store
) -> None:
    def fail(match: Match) -> bool:
        match.fail("error", "KeyError: 4")
        return True

    play(sqlite_store, begun, fail)

    page = ada.get("/my/bots/nora/tests/1").text

    assert "6 faults (error) in 6 decisions; 2 matches forfeited" in page
    assert "the limit is 3 faults" in page


def test_a_test_counts_nowhere_and_others_cannot_see_its_page(
    ada: FlaskClient, app: Flask, begun: RegisteredBot, sqlite_store: Store
) -> None:
    play(sqlite_store, begun, lambda match: False)
    bob = person(app, sqlite_store, "bob")
    bot_of(sqlite_store, "bob", "bobs")

    assert bob.get("/my/bots/nora/tests/1").status_code == 404
    assert bob.get("/my/bots/bobs/tests/1").status_code == 404
    assert ada.get("/my/bots/nora/tests/7").status_code == 404
    told = app.test_client()
    assert told.get("/api/matches").get_json()["matches"] == []
    assert told.get("/api/tournaments").get_json()["tournaments"] == []
    assert told.get("/api/ratings").get_json()["ratings"] == []


def test_a_match_of_the_test_can_be_looked_into_as_soon_as_it_is_over(
    ada: FlaskClient, begun: RegisteredBot, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        test = tournaments.get(conn, 1)
        tournaments.set_state(conn, 1, "running")
        planned = format_of(test.spec.format).block(test.spec, 0)[0]
        names = [test.spec.bots[entrant] for entrant in planned.seats]
        seed = tournaments.source(conn, test.id).deal_seed(planned.deal)
        setup = MatchSetup("m1", "lama", seed, tuple(map(Seat, names)), test.spec.options)
        match = Match(setup)
        while match.decision:
            if match.decision.number < 3:
                match.fail("error", "nothing to see yet")
            else:
                match.answer(match.decision.actions[0])
        save_results(conn, [result(test, 0, planned.deal, planned.seats, match)])

    page = ada.get("/my/bots/nora/tests/1/live").text

    assert "1 of 2 matches" in page
    assert f'href="/matches/{match.setup.id}"' in page
