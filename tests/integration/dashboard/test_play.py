"""Casual games with a real worker, without JavaScript."""

import random
import re
import time
from collections.abc import Iterator

import pytest

from arena.base.config import Settings
from arena.games.record import verify
from arena.games.rules import GAMES
from arena.service.live import keys, people
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.reports import leaderboard
from arena.store.tournaments import tournaments
from arena.tournaments.formats import FromSecret
from dashboard import create_app
from tests.integration.people import person
from tests.integration.play_world import BOTS, Person, PlayWorld, play_world, until
from tests.servers import no_redis


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    with play_world(tmp_path_factory.mktemp("play")) as made:
        yield made


@pytest.fixture
def world(running: PlayWorld) -> PlayWorld:
    running.all_here()
    return running


@pytest.fixture
def me(world: PlayWorld) -> Person:
    return Person(world)


def play_to_the_end(me: Person, chance: random.Random) -> int:
    """Presses random buttons, rarely the last one, which quits the round. Returns their number."""
    pressed = 0
    while me.look() != "over":
        if me.wait() == "over":
            break
        choices = me.choices
        choice = choices[-1] if chance.random() < 0.1 else chance.choice(choices[:-1] or choices)
        while (answer := me.press(choice)).status_code == 429:
            time.sleep(0.2)  # ten per second are allowed
        assert answer.status_code == 303
        pressed += 1
    return pressed


@pytest.mark.parametrize(("game", "against"), [(game, 1 + i) for i, game in enumerate(GAMES)])
def test_a_whole_match_of_each_game(world: PlayWorld, me: Person, game: str, against: int) -> None:
    me.sit(game, *BOTS[:against], length="1")

    assert play_to_the_end(me, random.Random(game)) > 1

    assert re.search(r"win", me.part(r'<h2 id="status">([^<]+)'))
    replay = me.part(r'href="(/matches/\w+/replay)"')
    assert world.app.test_client().get(replay).status_code == 200
    match = replay.split("/")[2]
    record = world.app.test_client().get(f"/api/matches/{match}").get_json()
    verify(record)
    assert len(record["rounds"]) == 1
    assert len(record["seats"]) == 1 + against
    assert record["result"]["faults"] == [None] * (1 + against)


def test_form_ignores_an_unknown_game(world: PlayWorld) -> None:
    text = Person(world).browser.get("/play?game=chess&with=nobody&length=9").text
    assert 'value="chess"' not in text
    assert "chess against" not in text
    assert 'name="game" value="lama" checked' in text


def test_casual_games_do_not_count(world: PlayWorld, me: Person) -> None:
    me.sit("lama", "ada", length="1")
    play_to_the_end(me, random.Random(1))

    with world.store.read() as conn:
        assert leaderboard.table(conn, "lama") == []
        assert matches.list_matches(conn)[0] == []
        assert {bot.name for bot in bots.all_bots(conn)} == set(BOTS)
    for path in ("/bots", "/matches", "/tournaments", "/ratings"):
        assert "guest-" not in world.app.test_client().get(path).text


def test_others_cards_stay_face_down(world: PlayWorld, me: Person) -> None:
    me.sit("lama", "ada", "bob", length="1")
    chance = random.Random(2)
    while me.wait() != "over":
        seats = re.findall(
            r'aria-label="Seat \d, (\w+)".*?<p class="hand-line"[^>]*>(.*?)</p>', me.text, re.DOTALL
        )
        shown = {name: set(re.findall(r"card (card-\w+|back)", hand)) for name, hand in seats}
        assert shown["ada"] <= {"back"}
        assert shown["bob"] <= {"back"}
        assert shown["you"] - {"back"} == shown["you"] != set()
        me.press(chance.choice(me.choices))


def test_a_question_is_answered_once(world: PlayWorld, me: Person) -> None:
    me.sit()
    ticket, (first, *_) = me.ticket, me.choices

    assert me.press(first).status_code == 303
    again = me.press(first, ticket)

    assert again.status_code == 409
    assert "You have already answered" in again.text
    me.wait()
    assert me.ticket != ticket


def test_hint_uses_only_the_players_view_and_is_counted(world: PlayWorld, me: Person) -> None:
    me.sit("lama", *BOTS[:2])
    answer = me.send(f"{me.path}/hint", me.path, ticket=me.ticket)
    assert answer.status_code == 200, answer.text
    told = answer.text.count('<span class="told">')
    assert told == len(me.choices)
    assert answer.text.count("is-best") == 1
    assert "1 hint so far" in answer.text
    me.look()
    assert len(me.choices) == told  # the question is still open

    late = me.send(f"{me.path}/hint", me.path, ticket="1")
    assert late.status_code == 409
    assert "1 hint so far" in late.text


def test_two_tabs_show_the_same_table(world: PlayWorld, me: Person) -> None:
    me.sit()
    other_tab = Person(world, me.browser)
    other_tab.number = me.number
    assert (other_tab.look(), other_tab.ticket) == ("mine", me.ticket)

    me.press(me.choices[0])
    late = other_tab.press(other_tab.choices[-1], other_tab.ticket)

    assert late.status_code == 409
    assert 'role="alert"' in late.text


@pytest.mark.parametrize("choice", ["999", "-1", "x", ""])
def test_illegal_choice_is_rejected_and_the_question_stays_open(
    world: PlayWorld, me: Person, choice: str
) -> None:
    me.sit()
    ticket = me.ticket

    refused = me.press(choice)

    assert refused.status_code == 409
    assert "play that now" in refused.text
    assert me.look() == "mine"
    assert me.ticket == ticket


def test_live_part_is_sent_only_after_a_change(world: PlayWorld, me: Person) -> None:
    me.sit()
    key = me.part(r'data-key="([^"]+)"')

    assert me.browser.get(f"{me.path}/live?seen={key}").status_code == 204
    part = me.browser.get(f"{me.path}/live?seen=older")
    assert part.status_code == 200
    assert "<html" not in part.text
    assert 'class="playing"' in part.text


def test_game_of_another_player_is_refused(world: PlayWorld, me: Person) -> None:
    me.sit()
    stranger = Person(world)
    stranger.number = me.number

    for path in (me.path, f"{me.path}/live"):
        answer = stranger.browser.get(path)
        assert answer.status_code == 403
        assert "This is another player" in answer.text
    for path in (me.path, f"{me.path}/leave"):
        answer = stranger.send(path, "/play", ticket=me.ticket, choice=me.choices[0])
        assert answer.status_code == 403
    assert me.look() == "mine"


def test_forged_cookie_gives_no_access(world: PlayWorld, me: Person) -> None:
    me.sit()
    stranger = Person(world)
    for value in ("1", "MQ.forged", me.browser.get_cookie("arena_guest").value + "x"):  # type: ignore[union-attr]
        stranger.browser.set_cookie("arena_guest", value)
        assert stranger.browser.get(me.path).status_code == 403


def test_finished_game_redirects_others_to_the_replay(world: PlayWorld, me: Person) -> None:
    me.sit("dice", "ada", length="1")
    play_to_the_end(me, random.Random(5))

    answer = world.app.test_client().get(me.path)

    assert answer.status_code == 303
    assert re.fullmatch(r"/matches/\w+/replay", answer.location)


def replay_of(me: Person) -> str:
    assert me.wait() == "over"
    path = me.part(r'href="(/matches/\w+/replay)"')
    other = Person(me.world)
    frames = other.browser.get(f"{path}/frames?round=1").text
    frame = other.browser.get(f"/embed{path.removesuffix('/replay')}").text
    assert "guest-" not in frames + frame
    return other.browser.get(path).text + other.browser.get(path.removesuffix("/replay")).text


def test_name_of_a_guest_is_shown_to_others_and_kept_for_the_next_game(me: Person) -> None:
    me.sit(length="1", called=" Mia ")
    me.send(f"{me.path}/leave", me.path)
    shown = replay_of(me)

    assert '<span class="bot">Mia (guest)</span>' in shown
    assert "guest-" not in shown
    assert 'name="called" type="text" value="Mia"' in me.browser.get("/play").text
    assert "Mia" not in Person(me.world).browser.get("/play").text


def test_guest_without_a_name_is_a_guest_and_an_account_has_its_name(
    world: PlayWorld, me: Person
) -> None:
    me.sit(length="1")
    me.send(f"{me.path}/leave", me.path)
    assert '<span class="bot">a guest</span>' in replay_of(me)

    ivy = Person(world, person(world.app, world.store, "ivy"))
    ivy.sit(length="1", called="Mia")
    ivy.send(f"{ivy.path}/leave", ivy.path)
    assert '<span class="bot">ivy (player)</span>' in replay_of(ivy)


@pytest.mark.parametrize("name", [*BOTS[:1], "ADA", "4da", "Adm1n", "nan", "x" * 25, "<b>", "a\tb"])
def test_guest_cannot_have_a_name_that_misleads(me: Person, name: str) -> None:
    answer = me.wish("lama", *BOTS[:2], called=name)

    assert answer.status_code == 400
    assert re.search(r"Choose (another|a shorter|1 to 40)", answer.text)


def test_account_finds_its_game_in_another_browser(world: PlayWorld) -> None:
    here = Person(world, person(world.app, world.store, "zoe"))
    here.sit()
    there = Person(world)
    there.send("/sign-in", "/sign-in", name="zoe", password="correct horse battery")
    there.number = here.number

    assert (there.look(), there.ticket) == ("mine", here.ticket)
    assert f'href="{here.path}"' in there.browser.get("/play").text
    with world.store.read() as conn:
        guest = bots.get(conn, "guest-zoe")
    assert (guest.kind, guest.owner is not None) == ("guest", True)


def test_signing_in_keeps_the_seat(world: PlayWorld, me: Person) -> None:
    me.sit()
    browser = person(world.app, world.store, "yan")
    browser.set_cookie("arena_guest", me.browser.get_cookie("arena_guest").value)  # type: ignore[union-attr]

    assert browser.get(me.path).status_code == 200


def test_player_who_leaves_forfeits_and_the_others_play_on(world: PlayWorld, me: Person) -> None:
    me.sit()

    assert me.send(f"{me.path}/leave", me.path).status_code == 303

    assert me.wait() == "over"
    assert "You have forfeited the match" in me.text


def test_closed_page_forfeits_after_the_grace_period(world: PlayWorld, me: Person) -> None:
    me.sit()
    with world.store.read() as conn:
        player = bots.by_players(conn, range(1, 1000))
    mine = max(number for number, bot in player.items() if bot.kind == "guest")
    assert 0 < world.client.ttl(keys.presence(mine)) <= people.GRACE_S

    world.client.delete(keys.presence(mine))  # as it expires
    world.client.delete(keys.batch(me.number, 0))  # so does the wait
    world.sweep()

    def ended() -> bool:
        with world.store.read() as conn:
            return bool(list(matches.iterate_matches(conn, me.number)))

    until(ended)
    assert me.look() == "over"
    with world.store.read() as conn:
        (match,) = matches.iterate_matches(conn, me.number)
    assert {note.kind for note in match.notes} == {"disconnect"}


@pytest.mark.parametrize(
    ("game", "against", "length", "said"),
    [
        ("lama", (), "", "Choose one to five opponents"),
        ("lama", ("ada", "nobody"), "", "nobody is no longer connected"),
        ("chess", ("ada",), "", "There is no game"),
        ("lama", ("ada",), "9", "Choose a length"),
    ],
)
def test_form_shows_why_a_game_cannot_start(
    world: PlayWorld, me: Person, game: str, against: tuple[str, ...], length: str, said: str
) -> None:
    answer = me.wish(game, *against, length=length)

    assert answer.status_code == 400
    assert said.lower() in answer.text.lower()


def test_player_has_at_most_three_open_games(world: PlayWorld, me: Person) -> None:
    for _ in range(3):
        me.sit("dice", "ada")

    refused = me.wish("dice", "ada")

    assert refused.status_code == 400
    assert "You are already playing 3 games" in refused.text


def test_page_names_a_disconnected_bot(world: PlayWorld, me: Person) -> None:
    me.sit("lama", "ada", "bob")
    world.gateway.disconnect(world.players["bob"])

    me.look()

    assert re.search(r"<b>bob</b> lost the connection", me.text)
    assert me.wish("lama", "bob").status_code == 400


def test_page_says_that_the_arena_is_down_without_redis(world: PlayWorld, me: Person) -> None:
    me.sit()
    app = create_app(world.settings, world.store, no_redis())
    browser = app.test_client()
    browser.set_cookie("arena_guest", me.browser.get_cookie("arena_guest").value)  # type: ignore[union-attr]

    answer = browser.get(me.path)

    assert answer.status_code == 503
    assert "The arena is not reachable" in answer.text


def test_page_says_that_a_game_was_cancelled(world: PlayWorld, me: Person) -> None:
    me.sit()
    with world.store.write() as conn:
        tournaments.set_state(conn, me.number, "cancelled", note="The hall is locked up.")

    assert me.look() == "over"
    assert "This game was cancelled" in me.text
    assert "The hall is locked up." in me.text
    assert me.choices == []


def test_seed_of_a_running_game_stays_secret(world: PlayWorld, me: Person) -> None:
    me.sit()
    with world.store.read() as conn:
        source = tournaments.source(conn, me.number)
    assert isinstance(source, FromSecret)
    hidden = (source.secret.hex(), source.deal_seed(0).hex(), str(source.schedule_seed))

    for path in (f"/api/tournaments/{me.number}", f"/tournaments/{me.number}", me.path):
        answer = me.browser.get(path)
        assert answer.status_code == 200
        assert not any(each in answer.text for each in hidden)


def test_arena_can_require_an_account_to_play(world: PlayWorld) -> None:
    settings: Settings = world.settings.model_copy(update={"play": "accounts"})
    app = create_app(settings, world.store, world.client)
    stranger = Person(world, app.test_client())

    assert "You need an account to play" in stranger.browser.get("/play").text
    assert stranger.send("/play", "/sign-in", game="lama", **{"with": ["ada"]}).status_code == 403
