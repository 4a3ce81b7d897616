"""The daily deal with a real worker: one attempt, and no way to learn the cards before it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from arena.base import instant
from arena.games.record import verify
from arena.games.rules import GAMES
from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.reports import people
from arena.store.tables import person_ratings
from arena.store.tournaments import daily, tournaments
from dashboard.play.daily.view import OPPONENTS
from tests.integration.api_world import browser_on
from tests.integration.people import person
from tests.integration.play_world import Person, PlayWorld, play_world, until


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    with play_world(tmp_path_factory.mktemp("daily")) as made:
        with made.store.write() as conn:
            for name in OPPONENTS:
                made.players[name] = bots.register(conn, name, kind="house")[0].player
            now = instant.now()
            daily.add(conn, [*daily.missing(conn, GAMES, now), ("lama", daily.day_of(now) - 1)])
        made.all_here()
        yield made


def start(world: PlayWorld, who: Person, game: str = "lama") -> int:
    """Starts the attempt, or returns to it."""
    world.all_here()
    answer = who.send("/play/daily", "/play", game=game)
    assert answer.status_code == 303, answer.text
    who.number = int(answer.location.rpartition("/")[2])
    return who.number


def play(who: Person) -> None:
    """Plays the first card on offer to the end."""
    while who.wait() != "over":
        who.press(who.choices[0])
    until(lambda: _has_ended(who))


def _has_ended(who: Person) -> bool:
    with who.world.store.read() as conn:
        return tournaments.get(conn, who.number).state == "finished"


SEALED = "This match is sealed until its daily deal is opened."


def member(world: PlayWorld, name: str) -> Person:
    return Person(world, person(world.app, world.store, name))


def test_everyone_gets_the_same_match_once_and_nobody_sees_it_before(world: PlayWorld) -> None:
    ann, bea = member(world, "ann"), member(world, "bea")
    assert "Play today" in ann.browser.get("/play/daily").text

    number = start(world, ann)
    assert start(world, ann) == number  # in another tab
    assert "Continue your game" in ann.browser.get("/play/daily").text
    ann.wait()
    assert "/hint" not in ann.text
    hint = ann.send(f"{ann.path}/hint", ann.path, ticket=ann.ticket)
    assert (hint.status_code, "no hints" in hint.text) == (409, True)
    play(ann)

    assert start(world, ann) == number  # no second attempt
    page = ann.browser.get("/play/daily").text
    assert "You are 1st of 1" in page
    assert "1</b><small>day in a row" in page
    assert "Ranking of the day" in ann.text
    assert "replay" not in ann.part(r'<div class="buttons after">(.*?)</div>')
    assert "/replay" not in ann.browser.get("/play/record").text

    # The deal is secret to all others, and to ann's programs.
    with world.store.read() as conn:
        source = tournaments.source(conn, number)
        today = daily.get(conn, "lama", daily.day_of(instant.now()))
    assert today is not None
    match = source.match_id(0)
    hidden = (source.deal_seed(0).hex(), source.cards.secret.hex())  # type: ignore[attr-defined]
    for browser in (ann.browser, bea.browser, world.app.test_client()):
        for path in refused(match, number):
            assert (path, browser.get(path).status_code) == (path, 409)
        for path in paths(world, match, number):
            answer = browser.get(path)
            assert answer.status_code < 500, path
            assert not any(each in answer.text for each in hidden), path
            assert '"shuffles"' not in answer.text, path
            assert "card card-" not in answer.text, path
        for path in (f"/matches/{match}", f"/matches/{match}/replay", f"/embed/matches/{match}"):
            assert (path, SEALED in browser.get(path).text) == (path, True)
        assert SEALED in browser.get(f"/api/matches/{match}").get_json()["error"]
        assert SEALED in browser.get(f"/matches/{match}/replay/frames").text
    review = bea.send(f"/matches/{match}/review", "/play", move="1")
    assert (review.status_code, SEALED in review.text) == (409, True)
    assert bea.browser.get(f"/play/{number}").location == f"/matches/{match}/replay"

    # Equal play gives an equal match.
    start(world, bea)
    play(bea)
    page = bea.browser.get("/play/daily").text
    assert "You are 1st of 2" in page
    assert "not shown" in page
    with world.store.write() as conn:
        accounts.set_listed(conn, accounts.by_name(conn, "ann"), True)
        daily.open_deals(conn, [today.id], instant.now())
    page = bea.browser.get("/play/daily").text
    assert "<bdi>ann</bdi>" in page
    assert today.commitment in page
    records = [
        world.app.test_client().get(f"/api/matches/{each}").get_json()
        for each in re.findall(r'href="/matches/(\w+)/replay"', page)
    ]
    assert len(records) == 2
    for record in records:
        verify(record)
    one, other = records
    assert one["seed"] == other["seed"] == hidden[0]
    assert moves(one) == moves(other)
    assert one["id"] != other["id"]


def test_a_deal_made_on_its_day_claims_no_commitment_of_the_day_before(
    sqlite_store: Store,
) -> None:
    with sqlite_store.write() as conn:
        daily.add(conn, daily.missing(conn, GAMES, instant.now()))

    page = browser_on(sqlite_store).get("/play/daily").text

    assert "fixed before the first attempt" in page
    assert "fixed before the day" not in page


def test_earlier_deals_are_linked_across_days_without_one(sqlite_store: Store) -> None:
    today = daily.day_of(instant.now())
    with sqlite_store.write() as conn:
        daily.add(conn, [("lama", today - 3), ("lama", today - 2), ("lama", today)])
    browser = browser_on(sqlite_store)

    def before(path: str) -> list[tuple[str, str]]:
        found = re.findall(
            r'"(/play/daily/[\d-]+)\?game=lama">(The \w+ before)', browser.get(path).text
        )
        assert len(found) <= 1
        return found

    (gap,) = before("/play/daily")
    assert gap == (f"/play/daily/{daily.date_of(today - 2)}", "The deal before")
    assert before(gap[0]) == [(f"/play/daily/{daily.date_of(today - 3)}", "The day before")]
    assert before(f"/play/daily/{daily.date_of(today - 3)}") == []


def moves(record: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The cards and moves of each round."""
    return [
        (each["hands"], each["pile"], [(move["seat"], move["action"]) for move in each["moves"]])
        for each in record["rounds"]
    ]


def refused(match: str, number: int) -> list[str]:
    parts = ("", "/luck", "/replay", "/review")
    others = f"/matches/{match}/replay/frames", f"/tournaments/{number}/audit.jsonl"
    return [*others, *(f"/api/matches/{match}{part}" for part in parts)]


def paths(world: PlayWorld, match: str, number: int) -> list[str]:
    """Every page, export and feed that is about a match or its tournament, and lists."""
    about = [
        rule.rule.replace("<match:match>", match).replace("<number:number>", str(number))
        for rule in world.app.url_map.iter_rules()
        if "GET" in (rule.methods or ())
        and re.search(r"<match:match>|tournaments/<number:number>", rule.rule)
        and not rule.rule.endswith(".png")
    ]
    assert len(about) > 20
    return [*about, "/", "/matches", "/api/matches", f"/api/matches?tournament={number}"]


def test_a_visitor_without_an_account_plays_only_an_open_deal(world: PlayWorld) -> None:
    guest = Person(world)
    refused = guest.send("/play/daily", "/play", game="dice")
    assert (refused.status_code, "no deal to play yet" in refused.text) == (409, True)

    with world.store.write() as conn:
        yesterday = daily.get(conn, "lama", daily.day_of(instant.now()) - 1)
        assert yesterday is not None
        daily.open_deals(conn, [yesterday.id], instant.now())
        before = daily.newest_open(conn, "lama")
    assert before is not None
    number = start(world, guest)
    play(guest)

    assert start(world, guest) == number
    page = guest.browser.get(f"/play/daily/{before.date}").text
    assert "not ranked" not in page
    with world.store.read() as conn:
        attempt = daily.of_table(conn, number)
    assert attempt is not None
    assert attempt.deal == before.id


def test_leaving_is_a_forfeit_and_no_way_to_retry(world: PlayWorld) -> None:
    ines = member(world, "ines")
    number = start(world, ines, "dice")
    ines.wait()
    ines.send(f"{ines.path}/leave", ines.path)
    assert ines.wait() == "over"

    assert start(world, ines, "dice") == number
    assert "You forfeited" in ines.browser.get("/play/daily?game=dice").text


def test_the_deal_needs_its_opponents(world: PlayWorld) -> None:
    fay = member(world, "fay")
    world.all_here()
    world.gateway.disconnect(world.players["sharp"])
    try:
        refused = fay.send("/play/daily", "/play", game="kadabra")
    finally:
        world.all_here()

    assert refused.status_code == 409
    assert "sharp of the house bots is not connected" in refused.text


def test_the_page_says_so_if_redis_dies_at_the_start(
    world: PlayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise redis.ConnectionError

    hal = member(world, "hal")
    world.all_here()
    monkeypatch.setattr("arena.service.live.people.mark_present", away)

    answer = hal.send("/play/daily", "/play", game="dice")

    assert answer.status_code == 503
    assert "The arena is not reachable. Your game is saved." in answer.text
    monkeypatch.undo()
    assert "Continue your game" in hal.browser.get("/play/daily?game=dice").text


def test_an_unknown_game_is_named_in_short(world: PlayWorld) -> None:
    for page in ("/play/daily", "/play/people"):
        refused = world.app.test_client().get(f"{page}?game={500 * 'x'}")
        assert refused.status_code == 400
        assert f"There is no game &#39;{40 * 'x'}&#39;." in refused.text


@pytest.mark.parametrize("day", ["2026-02-30", "soon", "9999-01-01", "1999-01-01"])
def test_other_days_have_no_deal(world: PlayWorld, day: str) -> None:
    assert world.app.test_client().get(f"/play/daily/{day}").status_code == 404


def test_people_are_listed_when_they_agree(world: PlayWorld) -> None:
    gil = member(world, "gil")
    with world.store.write() as conn:
        account = accounts.by_name(conn, "gil").id
        row: dict[str, Any] = {"games": people.FEWEST, "wins": 2, "score": 0.5, "rating": 1512.0}
        row |= {"account": account, "game": "lama", "plus_minus": 80.0, "pending": 0}
        conn.execute(person_ratings.insert().values(**row))
    assert "gil" not in world.app.test_client().get("/play/people").text

    answer = gil.send("/play/people", "/play/people", listed="yes")

    assert answer.status_code == 303
    page = world.app.test_client().get("/play/people").text
    assert re.search(r"<bdi>gil</bdi></th>\s*<td[^>]*>1512 <small>± 80", page)
    gil.send("/play/people", "/play/people", listed="no")
    assert "gil" not in world.app.test_client().get("/play/people").text
