"""Tables of friends against people who try more than they may."""

import random
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.service.live import lobbies
from arena.store.registry import accounts
from arena.store.tournaments import departure, tournaments
from dashboard import create_app
from tests.integration.friends import Friend, begin, names_at
from tests.integration.people import csrf, person
from tests.integration.play_world import PlayWorld, play_world, until


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    with play_world(tmp_path_factory.mktemp("friends")) as made:
        yield made


@pytest.fixture
def world(running: PlayWorld) -> PlayWorld:
    running.all_here()
    return running


@pytest.fixture
def host(world: PlayWorld) -> Friend:
    return Friend(world)


@pytest.fixture
def friend(world: PlayWorld) -> Friend:
    return Friend(world)


def test_hands_of_others_never_reach_a_browser(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, seats="2", length="")
    chance = random.Random(2)
    for _ in range(6):
        until(lambda: "mine" in (host.look(), friend.look()))
        for each in (host, friend):
            for text in (each.text, each.browser.get(f"{each.path}/live").text):
                hands = re.findall(
                    r'aria-label="Seat \d, ([^"]+)".*?<p class="hand-line"[^>]*>(.*?)</p>',
                    text,
                    re.DOTALL,
                )
                shown = {
                    name: set(re.findall(r"card (card-\w+|back)", hand)) for name, hand in hands
                }
                own = shown.pop("you")
                assert "back" not in own
                assert own
                assert [*shown.values()] == [{"back"}]
                of_others = re.findall(r'<li class="event"[^>]*>(.*?)</li>', text, re.DOTALL)
                assert not [line for line in of_others if "you get" in line]
        mover = host if host.look() == "mine" else friend
        mover.press(chance.choice(mover.choices[:-1] or mover.choices))


def test_nobody_acts_for_another_seat(world: PlayWorld, host: Friend, friend: Friend) -> None:
    begin(host, friend)
    until(lambda: "mine" in (host.look(), friend.look()))
    mover, other = (host, friend) if host.look() == "mine" else (friend, host)

    refused = other.press(mover.choices[0], mover.ticket)

    assert refused.status_code == 409
    assert mover.look() == "mine"
    stranger = Friend(world)
    stranger.number = host.number
    for path in (host.path, f"{host.path}/leave", f"{host.path}/again"):
        fields = {"ticket": mover.ticket, "choice": mover.choices[0]}
        assert stranger.send(path, "/play", **fields).status_code == 403
    assert mover.look() == "mine"
    assert mover.press(mover.choices[0]).status_code == 303


def test_host_removes_a_person_who_cannot_come_back(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    host.open(seats="3", called="Hal")
    friend.join(host.table)
    number = re.search(r'name="person" value="(\d+)"', host.sees())
    assert number
    assert 'name="person"' not in friend.sees()
    third = Friend(world)
    third.table = friend.table
    for each in (friend, third):
        for what in ("remove", "start", "close"):
            assert each.does(what, person=number[1]).status_code == 403
    assert names_at(host.sees()) == ["Hal (guest)", "Mia (guest)"]
    assert host.sees().count('<li aria-atomic="true">') == 2  # announced with their names

    host.does("remove", person=number[1])

    assert names_at(host.sees()) == ["Hal (guest)"]
    for path in (host.table, f"{host.table}/live?seen=before"):
        told = friend.browser.get(path).text
        assert '<p role="alert">The host has removed you from this table.' in told
        assert 'name="called"' not in told
    assert "The host has removed you" not in third.sees() + host.sees()
    again = friend.join(host.table)
    assert again.status_code == 409
    assert "The host has removed you" in again.text
    for what in ("ready", "leave"):
        assert friend.does(what, ready="yes").status_code == 403


def test_host_cannot_be_removed_or_leave(world: PlayWorld, host: Friend, friend: Friend) -> None:
    host.open(seats="3", called="Hal")
    friend.join(host.table)
    lobby = lobbies.get(world.client, host.table.rpartition("/")[2])

    host.does("remove", person=lobby.host.guest)
    host.does("leave")

    assert names_at(host.sees()) == ["Hal (guest)", "Mia (guest)"]


def test_started_table_takes_nobody_and_does_not_start_twice(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, seats="3")
    late = Friend(world)

    refused = late.join(host.table, "Zoe")

    assert refused.status_code == 409
    assert "Its game has started" in refused.text
    for each, what in ((host, "start"), (host, "close"), (friend, "leave"), (host, "remove")):
        assert each.does(what).status_code in (303, 409)
    with world.store.read() as conn:
        assert len(tournaments.get(conn, host.number).players) == 3
    host.is_sent_to_the_game()
    assert late.browser.get(host.path).status_code == 403


def test_two_people_at_a_table_cannot_look_the_same(host: Friend, friend: Friend) -> None:
    host.open(seats="3", called="Mia")
    refused = friend.join(host.table, "m1a")
    assert refused.status_code == 409
    assert "is already at this table" in refused.text


def test_a_person_has_at_most_three_open_tables(world: PlayWorld, host: Friend) -> None:
    tables = []
    for _ in range(lobbies.MOST_OF_ONE):
        assert host.open(called="Hal").status_code == 303
        tables.append(host.table)

    refused = host.open(called="Hal")
    assert refused.status_code == 400
    assert "3 tables are open, the maximum" in refused.text
    host.does("close")
    assert host.open(called="Hal").status_code == 303


def test_code_is_random_and_on_no_public_page(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend)
    code = host.table.rpartition("/")[2]
    assert lobbies.CODE.fullmatch(code)
    waiting = Friend(world)
    waiting.open(called="Zed")
    codes = (code, waiting.table.rpartition("/")[2])
    stranger = world.app.test_client()

    for path in (
        *("/", "/play", "/play/tables", "/play/people", "/tournaments", "/matches", "/status"),
        *("/llms.txt", "/feeds/news.atom", f"/tournaments/{host.number}"),
        *(f"/api/tournaments/{host.number}", "/api/tournaments"),
    ):
        text = stranger.get(path).text
        assert not any(each in text for each in codes), path
    assert "noindex" in waiting.sees()
    assert stranger.get(f"/play/tables/{'0' * len(code)}").status_code == 404
    assert stranger.get("/play/tables/*").status_code == 404
    log = (world.settings.data / "worker.log").read_text()
    assert not any(each in log for each in codes)


def test_account_that_was_deleted_does_not_start_and_can_be_removed(
    world: PlayWorld, host: Friend
) -> None:
    gone = Friend(world, person(world.app, world.store, "goner"))
    third = Friend(world)
    host.open(seats="4", called="Hal")
    gone.join(host.table)
    third.join(host.table, "Zoe")
    for each in (host, gone, third):
        each.does("ready", ready="yes")
    with world.store.write() as conn:
        departure.delete_account(conn, accounts.by_name(conn, "goner").id, 0.0)

    refused = host.does("start")
    assert refused.status_code == 409
    assert "goner (player) has deleted the account" in refused.text
    (person_,) = [
        each.guest
        for each in lobbies.get(world.client, host.table.rpartition("/")[2]).members
        if each.account
    ]
    host.does("remove", person=person_)
    assert host.does("start").status_code == 303


def test_arena_that_requires_accounts_lets_no_guest_join(world: PlayWorld, host: Friend) -> None:
    host.open(seats="3", called="Hal")
    settings = world.settings.model_copy(update={"play": "accounts"})
    stranger = Friend(world, create_app(settings, world.store, world.client).test_client())
    stranger.table = host.table

    assert "You need an account to play" in stranger.sees()
    assert "You need an account" in stranger.browser.get("/play/tables").text
    for path in (f"{host.table}/join", "/play/tables"):
        assert stranger.send(path, "/sign-in", called="Mia").status_code == 403


def test_spectator_with_the_link_sees_only_scored_rounds(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, length="3")
    stranger = world.app.test_client()
    watch = stranger.get(host.table).location
    assert watch == f"{host.table}/watch"
    assert "Nothing on the table yet" in stranger.get(watch).text
    assert stranger.get(f"{watch}/frames").status_code == 404

    def scored() -> bool:
        for each in (host, friend):
            if "data-lengths" in stranger.get(watch).text:
                return True
            if each.look() == "mine":
                each.press(each.choices[-1])  # quits the round
        return False

    until(scored)
    text = stranger.get(f"{watch}/live").text
    assert re.search(r'data-lengths="\d+"', text)  # a single round
    assert "one round behind" in text
    assert "Hal (guest)" in text
    assert "guest-" not in text
    assert stranger.get(f"{watch}/frames?round=1").status_code == 200
    assert stranger.get(f"{watch}/frames?round=2").status_code == 404

    host.send(f"{host.path}/leave", host.path)
    friend.send(f"{friend.path}/leave", friend.path)
    until(lambda: host.look() == "over")
    assert stranger.get(f"{watch}/live").headers["HX-Redirect"] == watch
    assert stranger.get(watch).location.endswith("/replay")
    assert friend.browser.get(host.table).location == friend.path


def test_only_as_many_as_there_are_seats_join_at_once(world: PlayWorld, host: Friend) -> None:
    host.open(seats="4", called="Hal")
    people = [Friend(world) for _ in range(8)]
    sent = [{"called": f"Pal{n}", "csrf_token": csrf(p.browser)} for n, p in enumerate(people)]
    at_once = threading.Barrier(len(people))

    def join(number: int) -> int:
        at_once.wait()
        return people[number].browser.post(f"{host.table}/join", data=sent[number]).status_code

    with ThreadPoolExecutor(len(people)) as threads:
        answers = sorted(threads.map(join, range(len(people))))

    assert answers == [303] * 3 + [409] * 5
    assert len(names_at(host.sees())) == 4


def test_two_starts_at_once_make_one_game(world: PlayWorld, host: Friend, friend: Friend) -> None:
    host.open(seats="3", called="Hal")
    friend.join(host.table)
    for each in (host, friend):
        each.does("ready", ready="yes")
    token, at_once = csrf(host.browser, host.table), threading.Barrier(2)
    cookies = [host.browser.get_cookie(name) for name in ("arena_guest", "arena_session")]

    def start(_: int) -> int:
        tab = world.app.test_client()
        for cookie in cookies:
            assert cookie is not None
            tab.set_cookie(cookie.key, cookie.value)
        at_once.wait()
        answer = tab.post(f"{host.table}/start", data={"csrf_token": token})
        return answer.status_code

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(start, range(2))) == [303, 409]
    assert host.browser.get("/play").text.count("state-running") == 1
