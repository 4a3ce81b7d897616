"""The replay of a match: its states, the view of one seat, its page, sealed matches."""

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.games.packed_log import replay
from arena.games.record import export
from arena.games.rules import GAMES
from arena.store import Store
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from tests.integration.played import play, register

NAMES = ("ada", "bob", "cyd")
CARD_GAMES = sorted(set(GAMES) - {"dice"})


def a_match(store: Store, game: str, only: int | None = None) -> StoredMatch:
    """The first match of a tournament with three seats, which contains a fault."""
    register(store, *NAMES)
    tournament = play(store, *NAMES, seats=3, game=game, only=only)
    with store.read() as conn:
        rows = matches.list_matches(conn, tournament=tournament.id)[0]
        found = [matches.get_match(conn, row.id) for row in rows]
    return next(match for match in found if match.notes)


def page(browser: FlaskClient, path: str, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status, answer.text
    return answer.text


def data(browser: FlaskClient, path: str, status: int = 200) -> dict[str, Any]:
    answer = browser.get(path)
    assert answer.status_code == status, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def all_states(browser: FlaskClient, match: str, query: str = "") -> list[dict[str, Any]]:
    """The states of all rounds."""
    address = f"/api/matches/{match}/replay?{query}&round="
    rounds = data(browser, f"{address}1")["rounds"]
    return [
        state
        for number in range(1, rounds + 1)
        for state in data(browser, f"{address}{number}")["states"]
    ]


# States


@pytest.mark.parametrize("game", GAMES)
def test_each_move_and_each_scoring_has_a_state(
    browser: FlaskClient, sqlite_store: Store, game: str
) -> None:
    match = a_match(sqlite_store, game)
    record = export(replay(match.setup, match.log))

    states = all_states(browser, match.id)

    told = [(state["move"]["seat"], state["move"]["action"]) for state in states if state["move"]]
    assert told == [(m["seat"], m["action"]) for r in record["rounds"] for m in r["moves"]]
    scored = [state for state in states if not state["move"]]
    assert [[p["points"] for p in s["places"]] for s in scored] == [
        r["points"] for r in record["rounds"]
    ]
    assert [[p["scored"] for p in s["places"]] for s in scored] == [
        r["penalties"] for r in record["rounds"]
    ]
    assert states[-1]["winners"] == record["result"]["winners"]


@pytest.mark.parametrize("game", CARD_GAMES)
def test_unrestricted_view_shows_every_card_of_the_record(
    browser: FlaskClient, sqlite_store: Store, game: str
) -> None:
    match = a_match(sqlite_store, game)
    rounds = export(replay(match.setup, match.log))["rounds"]
    kinds = GAMES[game].kinds

    for number, told in enumerate(rounds, 1):
        first = data(browser, f"/api/matches/{match.id}/replay?round={number}")["states"][0]
        assert [place["hand"] for place in first["places"]] == [
            sorted(hand, key=kinds.index) for hand in told["hands"]
        ]
        assert first["discards"] == [told["top"]]
        assert first["coming"] == told["pile"][0]


@pytest.mark.parametrize("game", GAMES)
def test_chosen_action_was_legal(browser: FlaskClient, sqlite_store: Store, game: str) -> None:
    match = a_match(sqlite_store, game)

    for state in all_states(browser, match.id):
        if state["move"]:
            assert state["move"]["action"] in state["offered"]


# The view of one seat


@pytest.mark.parametrize("game", CARD_GAMES)
@pytest.mark.parametrize("eyes", range(3))
def test_view_of_one_seat_contains_nothing_hidden(
    browser: FlaskClient, sqlite_store: Store, game: str, eyes: int
) -> None:
    match = a_match(sqlite_store, game)
    reason = match.notes[0].reason
    others = {0, 1, 2} - {eyes}

    states = all_states(browser, match.id, f"seat={eyes}")

    for state in states:
        if not state["move"]:
            continue  # at the end of a round all cards are open
        for seat in others:
            assert state["places"][seat]["hand"] is None
            assert state["places"][seat]["penalty"] is None
        assert state["places"][eyes]["hand"] is not None
        assert state["coming"] == ""
        assert (state["offered"] is None) == (state["seat"] != eyes)
        move = state["move"]
        if move["seat"] != eyes:
            assert move["latency_us"] is None  # would reveal forced moves
            assert move["action"] != "draw" or move["drawn"] == []
    assert (reason in json.dumps(states)) == (match.notes[0].seat == eyes)
    assert match.seed.hex() not in json.dumps(states)


@pytest.mark.parametrize("game", CARD_GAMES)
def test_cards_of_other_seats_are_rendered_face_down(
    browser: FlaskClient, sqlite_store: Store, game: str
) -> None:
    match = a_match(sqlite_store, game)

    told = data(browser, f"/api/matches/{match.id}/replay?drawn=1&seat=1")

    for state in told["states"][:-1]:
        for seat, place in enumerate(state["places"]):
            html = told["pieces"][state["drawn"][f"seat-{seat}"]]
            (hand,) = re.findall(r'<p class="hand-line"[^>]*>(.*?)</p>', html, re.DOTALL)
            assert hand.count("card back") == (0 if seat == 1 else place["size"])
            assert seat == 1 or not re.search(r"card-\w", hand)


@pytest.mark.parametrize("game", CARD_GAMES)
def test_view_of_one_seat_does_not_depend_on_other_hands(
    browser: FlaskClient, sqlite_store: Store, game: str
) -> None:
    match = a_match(sqlite_store, game)
    alike = data(browser, f"/api/matches/{match.id}/replay?seat=0")["states"][0]
    full = data(browser, f"/api/matches/{match.id}/replay")["states"][0]
    hidden = [card for place in full["places"][1:] for card in place["hand"]]

    # The only named cards are the seat's hand, its legal actions, and the start card.
    named = set(alike["places"][0]["hand"]) | set(alike["discards"])
    text = json.dumps({**alike, "said": "", "move": None})
    for card in set(hidden) - named:
        assert f'"{card}"' not in text
        assert f"play {card}" not in text


def test_all_rows_are_open_in_dice(browser: FlaskClient, sqlite_store: Store) -> None:
    match = a_match(sqlite_store, "dice")

    seen, all_seen = all_states(browser, match.id, "seat=2"), all_states(browser, match.id)

    assert [s["places"] for s in seen] == [s["places"] for s in all_seen]
    assert [s["offered"] for s in seen] == [s["offered"] for s in all_seen]


# The page


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_is_read_without_javascript_from_link_to_link(
    browser: FlaskClient, sqlite_store: Store, game: str
) -> None:
    match = a_match(sqlite_store, game)
    states = all_states(browser, match.id)
    address, seen = f"/matches/{match.id}/replay", []

    while address:
        text = page(browser, address)
        seen += re.findall(r'<span id="said"[^>]*>([^<]*)<', text)
        step = re.search(r'id="forward"[^>]*? href="([^"]+)"', text)
        address = step[1].replace("&amp;", "&") if step else ""

    assert seen == [state["said"] for state in states]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("eyes", ["", "&seat=1"])
def test_the_page_and_the_drawn_states_are_the_same(
    browser: FlaskClient, sqlite_store: Store, game: str, eyes: str
) -> None:
    match = a_match(sqlite_store, game)

    told = data(browser, f"/api/matches/{match.id}/replay?drawn=1{eyes}")

    for state in told["states"]:
        text = page(browser, f"/matches/{match.id}/replay?{state['key'].replace('-', '=')}{eyes}")
        assert len(state["drawn"]) == 5  # three seats, the middle, the decision
        for where, piece in state["drawn"].items():
            assert told["pieces"][piece].strip() in text, (state["key"], where)


def test_a_fault_is_marked_with_its_reason(browser: FlaskClient, sqlite_store: Store) -> None:
    match = a_match(sqlite_store, "lama")
    (note,) = match.notes

    text = page(browser, f"/matches/{match.id}/replay?move={note.number}")

    assert f'<span class="tag">{note.kind}</span> The default was played' in text
    assert f">{note.reason}</p>" in text  # alone, so that its characters reorder nothing else


def test_points_are_a_chart_and_a_table(browser: FlaskClient, sqlite_store: Store) -> None:
    match = a_match(sqlite_store, "party")
    record = export(replay(match.setup, match.log))

    text = page(browser, f"/matches/{match.id}/replay")

    cells = re.findall(r'<td class="num held">(\d+)</td>', text)
    assert [int(cell) for cell in cells] == [p for r in record["rounds"] for p in r["points"]]
    chart = text[text.index('class="points-chart"') :].split("</svg>")[0]
    assert chart.count("<polyline") == 3


def test_chart_of_kadabra_starts_at_three_white_tokens(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    lama = a_match(sqlite_store, "lama")
    text = page(browser, f"/matches/{lama.id}/replay")
    tournament = play(sqlite_store, *NAMES, seats=3, game="kadabra")
    with sqlite_store.read() as conn:
        kadabra = matches.list_matches(conn, tournament=tournament.id)[0][0]
    other = page(browser, f"/matches/{kadabra.id}/replay")

    (zero,) = set(re.findall(r'<polyline class="line" points="34\.0,([\d.]+) ', text))
    (three,) = set(re.findall(r'<polyline class="line" points="34\.0,([\d.]+) ', other))
    assert float(three) < float(zero)


def test_the_score_sheet_leads_to_the_replay(browser: FlaskClient, sqlite_store: Store) -> None:
    match = a_match(sqlite_store, "lama")

    assert f'href="/matches/{match.id}/replay"' in page(browser, f"/matches/{match.id}")


def test_server_verifies_the_record_against_its_seed(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    match = a_match(sqlite_store, "lama")

    assert 'class="verdict good" id="server-verdict"' in page(
        browser, f"/matches/{match.id}/replay"
    )


# Sealed and unknown matches


def test_a_locked_match_has_no_replay(browser: FlaskClient, sqlite_store: Store) -> None:
    match = a_match(sqlite_store, "lama", only=1)

    text = page(browser, f"/matches/{match.id}/replay")
    refused = data(browser, f"/api/matches/{match.id}/replay", 409)

    assert "sealed until every match of its deal is played" in text
    assert 'class="card' not in text
    assert match.seed.hex() not in text
    assert "sealed" in str(refused["error"])


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("move=0", 400, "a whole number of at least 1"),
        ("move=99999", 404, "no move 99999"),
        ("scored=999", 404, "no round 999"),
        ("seat=3", 404, "This match has no seat 3. Choose one from 0 to 2."),
        ("seat=ada", 400, "is not a valid seat"),
    ],
)
def test_unknown_place_is_refused_with_a_reason(
    browser: FlaskClient, sqlite_store: Store, query: str, status: int, sentence: str
) -> None:
    match = a_match(sqlite_store, "lama")

    assert sentence in page(browser, f"/matches/{match.id}/replay?{query}", status)


def test_the_api_takes_the_seats_that_a_table_can_have(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    match = a_match(sqlite_store, "lama")
    address = f"/api/matches/{match.id}/replay"

    assert "no seat 5." in data(browser, f"{address}?seat=5", 404)["error"]
    assert "from 0 to 5" in data(browser, f"{address}?seat=6", 400)["error"]
    assert "no round 99." in data(browser, f"{address}?round=99", 404)["error"]


def test_unknown_match_has_no_replay(browser: FlaskClient) -> None:
    assert "nosuchmatch" in page(browser, "/matches/nosuchmatch/replay", 404)
    assert data(browser, "/api/matches/nosuchmatch/replay", 404)["error"]
