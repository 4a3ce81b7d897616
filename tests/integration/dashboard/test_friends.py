"""Games with friends, with a real worker and a cookie jar for each person."""

import json
import random
import re
from collections.abc import Iterator

import pytest

from arena.service.live import keys, lobbies
from arena.store.matches import matches
from arena.store.registry import accounts
from arena.store.tournaments import tournaments
from dashboard import create_app
from dashboard.play.guests import Visitor
from dashboard.play.table_state import look
from tests.integration.friends import Friend, begin, names_at, play_on
from tests.integration.people import person
from tests.integration.play_world import BOTS, PlayWorld, play_world, until
from tests.servers import no_redis


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


def test_two_friends_and_a_bot_play_a_match_to_its_end(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, seats="3")
    assert host.number == friend.number
    ivy = Friend(world)
    assert ivy.browser.get(host.path).status_code == 403

    play_on(host, friend, chance=random.Random(1))

    for each, other in ((host, "Mia0 (guest)"), (friend, "Hal (guest)")):
        assert re.search(r'<h2 id="status">[^<]*win', each.text)
        assert other in each.text
        assert "Games with friends are not rated" in each.text
        assert "guest-" not in each.text
    path = host.part(r'href="(/matches/\w+/replay)"')
    shown = ivy.browser.get(path).text
    assert "Hal (guest)" in shown
    assert "Mia0 (guest)" in shown
    assert "guest-" not in shown + ivy.browser.get(path.removesuffix("/replay")).text
    for each, other in ((host, "Mia0"), (friend, "Hal")):
        assert f"{other} (guest)" in each.browser.get("/play").text
        assert "You have not finished a game yet" in each.browser.get("/play/record").text


def test_table_starts_by_itself_once_all_seats_are_people_and_ready(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    host.open(seats="2", called="Hal")
    assert friend.join(host.table).status_code == 303
    assert names_at(host.sees()) == ["Hal (guest)", "Mia (guest)"]

    assert friend.does("ready", ready="yes").location == host.table
    started = host.does("ready", ready="yes")

    assert re.fullmatch(r"/play/\d+", started.location)
    polled = friend.browser.get(f"{host.table}/live")
    assert (polled.status_code, polled.headers["HX-Redirect"]) == (204, host.table)


def test_another_tab_and_another_device_return_to_the_seat(
    world: PlayWorld, friend: Friend
) -> None:
    host = Friend(world, person(world.app, world.store, "uma"))
    begin(host, friend)

    there = Friend(world)
    there.send("/sign-in", "/sign-in", name="uma", password="correct horse battery")
    there.table = host.table
    there.is_sent_to_the_game()

    until(lambda: "mine" in (host.look(), friend.look()))
    assert there.look() == host.look()
    tab = Friend(world, friend.browser)
    tab.number = friend.number
    assert tab.look() == friend.look()
    assert "uma (player)" in friend.text


def test_others_play_on_when_somebody_leaves(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    third = Friend(world)
    begin(host, friend, third)

    assert third.send(f"{third.path}/leave", third.path).status_code == 303
    play_on(host, friend, chance=random.Random(3))

    assert "Mia1 (guest) forfeited" in host.text
    third.look()
    assert "You have forfeited the match" in third.text


def test_default_action_is_played_when_the_move_time_is_over(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, move_s="30")
    until(lambda: "mine" in (host.look(), friend.look()))
    assert 0 < world.client.ttl(keys.batch(host.number, 0)) <= 20
    mover, other = (host, friend) if host.look() == "mine" else (friend, host)
    with world.store.write() as conn:  # as after half a minute
        spec = json.loads(
            conn.exec_driver_sql(
                f"SELECT spec FROM tournaments WHERE id={host.number}"
            ).scalar_one()
        )
        spec["move_ms"] = 1
        conn.exec_driver_sql(
            "UPDATE tournaments SET spec=? WHERE id=?", (json.dumps(spec), host.number)
        )
    world.client.delete(keys.batch(host.number, 0))
    world.sweep()

    until(lambda: "timeout" in (other.look(), other.text)[1])

    assert "the default was played" in other.text
    assert "timeout" in (mover.look(), mover.text)[1]


def test_leaving_frees_the_seat_and_a_closed_table_is_gone(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    host.open(seats="2", called="Hal")
    friend.join(host.table)
    late = Friend(world)
    full = late.join(host.table, "Zoe")
    assert full.status_code == 409
    assert "All 2 seats are taken" in full.text

    friend.does("leave")
    assert late.join(host.table, "Zoe").status_code == 303

    assert host.does("close").status_code == 303
    assert late.browser.get(host.table).status_code == 404
    assert "This table has ended" in late.browser.get(f"{host.table}/live").text
    assert late.does("ready", ready="yes").status_code == 404


def test_host_starts_only_when_two_people_are_here_and_ready(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    host.open("ada", seats="3", called="Hal")
    host.does("ready", ready="yes")
    assert "at least two people" in host.does("start").text
    friend.join(host.table)

    waits = host.does("start")

    assert waits.status_code == 409
    assert "The table waits for Mia (guest)" in waits.text
    friend.does("ready", ready="yes")
    host.does("ready", ready="no")
    assert host.does("start").status_code == 409


def test_bots_that_disconnected_are_left_out(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    host.open("ada", "bob", seats="4", called="Hal")
    friend.join(host.table)
    world.gateway.disconnect(world.players["ada"])
    for each in (host, friend):
        each.does("ready", ready="yes")

    assert host.does("start").status_code == 303

    host.is_sent_to_the_game()
    with world.store.read() as conn:
        bots = set(tournaments.get(conn, host.number).spec.bots)
    assert bots & set(BOTS) == {"bob"}
    assert len(bots) == 3


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"game": "chess"}, "There is no game"),
        ({"seats": "7"}, "Choose a number of seats"),
        ({"move_s": "1"}, "a move time from the form"),
        ({"length": "9"}, "a length"),
        ({"called": ""}, "Your name is missing"),
        ({"called": "ada"}, "looks like"),
        ({"called": "<b>"}, "not a valid player name"),
        ({"called": "x" * 25}, "At most 24"),
    ],
)
def test_form_says_why_a_table_cannot_be_opened(
    host: Friend, wish: dict[str, str], said: str
) -> None:
    answer = host.open(**{"called": "Hal", **wish})

    assert answer.status_code == 400
    assert said in answer.text


def test_only_house_bots_fill_seats(host: Friend) -> None:
    answer = host.open("<script>", called="Hal")
    assert answer.status_code == 400
    assert "&lt;script&gt; is not a connected house bot" in answer.text


def test_play_again_brings_the_same_people_to_a_new_table(
    world: PlayWorld, host: Friend, friend: Friend
) -> None:
    begin(host, friend, seats="3")
    play_on(host, friend, chance=random.Random(4))
    old = host.table

    host.table = host.send(f"{host.path}/again", host.path).location
    friend.table = friend.send(f"{friend.path}/again", friend.path).location

    assert host.table == friend.table != old
    assert names_at(host.sees()) == ["Hal (guest)", "Mia0 (guest)"]
    lobby = lobbies.get(world.client, host.table.rpartition("/")[2])
    assert (lobby.seats, lobby.length, lobby.move_s, len(lobby.bots)) == (3, "1", 600, 1)


def test_games_with_friends_do_not_count_for_the_rating(world: PlayWorld, friend: Friend) -> None:
    host = Friend(world, person(world.app, world.store, "rat"))
    begin(host, friend, seats="3")
    play_on(host, friend, chance=random.Random(5))

    with world.store.read() as conn:
        who = Visitor(accounts.by_name(conn, "rat"), None)
        table = look(conn, host.number, who)
        assert matches.of_people(conn, [table.me.id], 10) == []
    host.sit("lama", "ada", length="1")
    play_on(host, chance=random.Random(6))
    with world.store.read() as conn:
        assert len(matches.of_people(conn, [table.me.id], 10)) == 1


def test_hints_are_refused(world: PlayWorld, host: Friend, friend: Friend) -> None:
    begin(host, friend)
    until(lambda: "mine" in (host.look(), friend.look()))
    mover = host if host.look() == "mine" else friend
    assert ">Hint</button>" not in mover.text
    refused = mover.send(f"{mover.path}/hint", mover.path, ticket=mover.ticket)
    assert refused.status_code == 409
    assert "nor in a game with friends" in refused.text


def test_a_table_ends_half_an_hour_after_it_was_opened(world: PlayWorld, host: Friend) -> None:
    host.open(called="Hal")
    code = host.table.rpartition("/")[2]
    host.does("ready", ready="yes")
    assert lobbies.OPEN_S - 30 < world.client.ttl(keys.lobby(code)) <= lobbies.OPEN_S


def test_pages_say_that_the_arena_is_down_without_redis(world: PlayWorld) -> None:
    browser = create_app(world.settings, world.store, no_redis()).test_client()
    table = f"/play/tables/{lobbies.new_code()}"

    for path in (table, f"{table}/live", f"{table}/watch"):
        answer = browser.get(path)
        assert answer.status_code == 503
        assert "The arena is not reachable" in answer.text


def test_an_address_cannot_open_tables_without_end(world: PlayWorld) -> None:
    settings = world.settings.model_copy(update={"people_per_address": 1})
    app = create_app(settings, world.store, world.client)
    answers = []
    for _ in range(lobbies.MOST_OF_ONE + 1):
        someone = Friend(world, app.test_client())
        someone.browser.environ_base["REMOTE_ADDR"] = "10.9.9.9"
        answers.append(someone.open(called="Hal").status_code)

    assert answers == [303] * lobbies.MOST_OF_ONE + [400]
