"""`arena replay`: the matches of a file in the browser, served alone."""

import importlib
import json
import re
import socket
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.base.errors import ArenaError, NotFound, Unavailable
from arena.bots import HOUSE
from arena.games.rules import GAMES
from arena.kit.commands import run
from arena.sdk import Bot, View, play
from dashboard.replay_alone import RecordFile, create_replay_app


class Wrong(Bot):
    games = tuple(GAMES)

    def choose(self, view: View) -> str:
        return "play 77" if view.round == 1 else view.actions[0]

    def on_fault(self, fault: object) -> None:
        """Silent."""


def write(file: Path, *records: dict[str, Any]) -> Path:
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of each game, and one with a fault."""
    sharp, five = HOUSE["sharp"], HOUSE["five"]
    matches = [play([sharp(), five()], game, seed=1, match=game) for game in GAMES]
    faulty = play([Wrong(), five(), sharp()], seed=2, match="faulty")
    return write(tmp_path_factory.mktemp("played") / "played.jsonl", *matches, faulty)


@pytest.fixture
def browser(file: Path) -> FlaskClient:
    return create_replay_app(RecordFile(file)).test_client()


def page(browser: FlaskClient, path: str, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status, answer.text
    return answer.text


def links(text: str) -> set[str]:
    """The local links of a page."""
    found = re.findall(r'(?:href|src|data-states|data-record)="(/[^"#?]*)', text)
    return set(found)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_replayed_as_on_the_dashboard(browser: FlaskClient, game: str) -> None:
    text = page(browser, f"/matches/{game}/replay")
    assert "<h1>Replay <small>" in text
    assert "Every card, score and result is correct" in text
    states = browser.get(f"/api/matches/{game}/replay?round=1&drawn=1").get_json()
    assert states["rounds"] >= 1
    assert states["states"][0]["drawn"]


def test_every_link_leads_somewhere(browser: FlaskClient) -> None:
    seen: set[str] = set()
    ahead = {"/"}
    while ahead:
        address = ahead.pop()
        seen.add(address)
        with browser.get(address) as answer:
            assert answer.status_code == 200, address
            if answer.mimetype == "text/html":
                ahead |= links(answer.get_data(as_text=True)) - seen
    assert {"/matches/faulty/replay", "/matches/faulty", "/bots/Wrong"} <= seen


def test_pages_do_not_mention_an_arena(browser: FlaskClient) -> None:
    for path in ("/", "/matches/faulty", "/matches/faulty/replay", "/nowhere"):
        text = browser.get(path).text
        assert "Sign in" not in text
        assert "Elo" not in text
        assert "1970" not in text


def test_the_list_shows_a_bot_or_faults_alone(browser: FlaskClient) -> None:
    def listed(path: str) -> list[str]:
        return re.findall(r'class="watch" href="/matches/([^/]+)/replay"', page(browser, path))

    assert listed("/") == [*GAMES, "faulty"]
    assert listed("/?faults=1") == ["faulty"]
    assert listed("/bots/Wrong") == ["faulty"]
    assert listed("/bots/nobody") == []


def test_a_fault_is_marked(browser: FlaskClient) -> None:
    text = page(browser, "/matches/faulty")
    assert 'class="tag" href="#fault-' in text


def test_the_record_is_the_one_in_the_file(browser: FlaskClient, file: Path) -> None:
    [mine] = [json.loads(line) for line in file.read_text().splitlines() if '"faulty"' in line]
    told = browser.get("/api/matches/faulty").get_json()
    assert told == mine


def test_matches_of_one_id_are_told_apart(tmp_path: Path) -> None:
    bots = [HOUSE["sharp"](), HOUSE["five"]()]
    file = write(tmp_path / "local.jsonl", play(bots, seed=1), play(bots, seed=2))
    records = RecordFile(file)
    assert [row.id for row in records.rows] == ["local", "local-2"]
    assert records.match("local").seed != records.match("local-2").seed


def test_a_match_keeps_an_id_that_a_copy_of_another_would_get(tmp_path: Path) -> None:
    bots, ids = [HOUSE["sharp"](), HOUSE["five"]()], ("local", "local", "local-2", "local-2")
    played = [play(bots, seed=seed, match=match) for seed, match in enumerate(ids)]
    records = RecordFile(write(tmp_path / "local.jsonl", *played))

    shown = [row.id for row in records.rows]
    assert shown == ["local", "local-3", "local-2", "local-2-2"]
    assert [records.match(each).seed.hex() for each in shown] == [each["seed"] for each in played]


@pytest.mark.parametrize("odd", ["/", "my match/1", "", ".", "..", "é" * 150, "x" * 300, "50%?#"])
def test_a_match_of_any_id_has_an_address(
    odd: str, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = play([HOUSE["sharp"](), HOUSE["five"]()], seed=1)
    file = write(tmp_path / "odd.jsonl", record, {**record, "id": odd})
    browser = create_replay_app(RecordFile(file)).test_client()
    _, address = re.findall(r'class="watch" href="([^"]+)"', page(browser, "/"))

    page(browser, address)
    page(browser, address.removesuffix("/replay"))
    assert not {".", ".."} & set(address.split("/")), "browsers resolve them"
    monkeypatch.setattr(
        "dashboard.replay_alone.serve", lambda _records, _port, ready: ready("http://here/")
    )
    assert run("replay", [str(file), "--match", odd or "2"]) == 0
    assert opened == [f"http://here{address}"]


def test_a_match_is_named_by_its_id_or_its_number(file: Path) -> None:
    records = RecordFile(file)
    assert records.named("faulty") == "faulty"
    assert records.named("1") == next(iter(GAMES))
    for wrong in ("0", "99", "x"):
        with pytest.raises(NotFound, match="from 1 to 5"):
            records.named(wrong)


def test_a_match_that_is_not_there(browser: FlaskClient) -> None:
    assert "There is no match" in page(browser, "/matches/elsewhere/replay", 404)


def test_another_name_of_this_machine_gets_nothing(browser: FlaskClient) -> None:
    answer = browser.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "faulty" not in answer.text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        ("", "has no match"),
        ("no json", "line 1: The record is not valid JSON"),
        ('{"format": "lama-arena/match/9"}', "Install a newer lama-arena"),
        ('{"format": "lama-arena/match/1"}', "match 1: the record is incomplete"),
    ],
)
def test_a_bad_file_gets_a_sentence(tmp_path: Path, content: str | None, sentence: str) -> None:
    file = tmp_path / "bad.jsonl"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ArenaError, match=sentence):
        run("replay", [str(file), "--no-browser"])


# The command


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs opened in the browser."""
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", addresses.append)
    return addresses


def test_it_is_served_to_this_machine_and_opened(
    file: Path,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    serving = importlib.import_module("dashboard.replay_alone.app")
    made = serving.make_server
    fetched: list[tuple[int, str]] = []

    def made_for_one_visit(*args: Any, **kwargs: Any) -> Any:
        server = made(*args, **kwargs)

        def visit() -> None:
            connection = HTTPConnection("127.0.0.1", server.socket.getsockname()[1])
            connection.request("GET", "/matches/faulty/replay")
            answer = connection.getresponse()
            fetched.append((answer.status, answer.read().decode()))
            server.shutdown()

        threading.Thread(target=visit).start()
        return server

    monkeypatch.setattr(serving, "make_server", made_for_one_visit)
    assert run("replay", [str(file), "--match", "faulty"]) == 0

    assert fetched[0][0] == 200
    assert "Replay" in fetched[0][1]
    [address] = opened
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/matches/faulty/replay", address)
    assert address in capsys.readouterr().out


def test_a_port_that_is_taken(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=f"127.0.0.1:{port} .* another --port"):
            run("replay", [str(file), "--no-browser", "--port", str(port)])


def test_without_the_server_it_says_what_to_install(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("dashboard.replay_alone")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flask", None)
    with pytest.raises(Unavailable, match="`arena replay` needs the extra 'server'"):
        run("replay", [str(file)])
