"""The pages about process runs of a hosted bot."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.hosting.submission.manifest import Manifest
from arena.store import Store
from arena.store.matches.matches import list_matches
from arena.store.registry import bots, building, runs, submissions
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from dashboard import create_app
from dashboard.bots.runs.view import SHOWN
from tests.integration.people import bot_of, person
from tests.integration.played import play, register

HERE = "/my/bots/nora/runs"
SCRIPT = "<script>window.owned=1</script>"


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(runs_kept=50), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    browser = person(app, sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "nora")
    return browser


@pytest.fixture
def match(sqlite_store: Store) -> str:
    """The id of a match that is stored."""
    register(sqlite_store, "one", "two")
    play(sqlite_store, "one", "two")
    with sqlite_store.read() as conn:
        return list_matches(conn, limit=1)[0][0].id


def report(
    store: Store,
    *parts: OutputPart,
    kind: RunKind = RunKind.WROTE,
    match: str = "m1",
    ending: str = "",
    name: str = "nora",
    wall_s: float | None = None,
) -> int:
    """A host reports a process; the number of the run."""
    with store.write() as conn:
        bot = bots.get(conn, name)
        runs.add(conn, [NewRun(bot.player, match, kind, 1e9, 0.25, 9000, ending, parts, wall_s)])
        return runs.of_bot(conn, bot.id)[0].id


def host(store: Store) -> None:
    """The bot's newest version is one that was uploaded."""
    with store.write() as conn:
        made = submissions.submit(conn, bots.get(conn, "nora"), b"# nora\n")
        building.claim(conn, "h", 1e9, 60.0)
        building.accept(conn, made.id, "h", b"tree", Manifest(entry="bot.py"), b"hello")


def test_runs_are_listed_newest_first_with_what_they_used(
    ada: FlaskClient, sqlite_store: Store, match: str
) -> None:
    assert "No runs yet." in ada.get(HERE).text
    first = report(sqlite_store, OutputPart("end", "hm\n", "", 0, 0), match=match)
    second = report(
        sqlite_store, kind=RunKind.ENDED, ending=f"It {SCRIPT} ended.", match="", wall_s=28.0
    )

    shown = ada.get(HERE).text

    listed = re.findall(r'href="/my/bots/nora/runs/(\d+)"', shown)
    assert listed == [str(second), str(first)]
    assert f'href="/matches/{match}"' in shown
    assert re.findall(r'<td class="num">([\d.]+ m?s)</td>', shown) == ["250 ms", "28 s", "250 ms"]
    assert "8.8 MB" in shown
    assert "<dt>Wall time</dt><dd>28 s</dd>" in ada.get(f"{HERE}/{second}").text
    assert "<dt>Wall time</dt><dd>unknown</dd>" in ada.get(f"{HERE}/{first}").text
    assert "It &lt;script&gt;window.owned=1&lt;/script&gt; ended." in shown


def test_a_match_that_is_not_over_is_no_link(ada: FlaskClient, sqlite_store: Store) -> None:
    number = report(sqlite_store, OutputPart("decision", "hm\n", "m1", 7, 0))

    assert 'href="/matches/' not in ada.get(HERE).text.partition("<main")[2]
    assert "not visible yet" in ada.get(f"{HERE}/{number}").text
    assert "in the replay" not in ada.get(f"{HERE}/{number}").text


def test_only_those_that_were_ended(ada: FlaskClient, sqlite_store: Store) -> None:
    assert "ended before its match" in ada.get(f"{HERE}?ended=true").text
    report(sqlite_store)
    ended = report(sqlite_store, kind=RunKind.ENDED, ending="It ended.")

    shown = ada.get(f"{HERE}?ended=true").text

    assert re.findall(r'href="/my/bots/nora/runs/(\d+)"', shown) == [str(ended)]
    assert 'hx-get="/my/bots/nora/runs/-/live?ended=true"' in shown
    assert ada.get(f"{HERE}?ended=perhaps").status_code == 400


def test_the_list_has_pages(
    ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.bots.runs.view.LISTED", 2)
    numbers = [report(sqlite_store) for _ in range(3)]

    first = ada.get(HERE).text
    (older,) = re.findall(r'href="([^"]+\?before=\d+)"', first)
    second = ada.get(older).text

    assert re.findall(rf'href="{HERE}/(\d+)"', first) == [str(numbers[2]), str(numbers[1])]
    assert re.findall(rf'href="{HERE}/(\d+)"', second) == [str(numbers[0])]
    assert 'data-live="' not in second, "what is older does not change"


def test_output_is_listed_by_decision_with_links_to_the_replay(
    ada: FlaskClient, sqlite_store: Store, match: str
) -> None:
    parts = (
        OutputPart("start", "ready\n", "", 0, 0),
        OutputPart("decision", f"{SCRIPT}\n", match, 7, 0),
        OutputPart("decision", "both\n", "m2", 8, 2),
        OutputPart("unanswered", "oh\n", match, 9, 0),
        OutputPart("late", "late\n", "", 0, 0),
        OutputPart("end", "bye\n", "", 0, 0),
    )
    number = report(sqlite_store, *parts, match=match, kind=RunKind.ENDED, ending="It ended.")

    shown = ada.get(f"{HERE}/{number}").text
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown.partition("<ol")[2]))

    for said in (
        "Before the first decision ready",
        "Decision 7 in the replay &lt;script&gt;",
        "Decision 8 of m2 and 2 more both",
        "Decision 9 not answered in the replay oh",
        "After time ran out late",
        "After the last answer bye",
    ):
        assert said in text
    assert f'href="/matches/{match}/replay?move=7"' in shown
    assert ada.get(f"/matches/{match}/replay?move=7").status_code == 200


def test_the_replay_shows_what_the_bot_saw(ada: FlaskClient, sqlite_store: Store) -> None:
    register(sqlite_store, "two")
    play(sqlite_store, "nora", "two")
    with sqlite_store.read() as conn:
        found = list_matches(conn, limit=1)[0][0]
    seat = [each.bot for each in found.seats].index("nora")
    number = report(sqlite_store, OutputPart("decision", "hm\n", found.id, 7, 0), match=found.id)

    shown = ada.get(f"{HERE}/{number}").text

    (link,) = re.findall(r'href="([^"]*/replay[^"]*)"', shown)
    assert link == f"/matches/{found.id}/replay?move=7&amp;seat={seat}"
    assert ada.get(link.replace("&amp;", "&")).status_code == 200


def test_all_that_it_wrote_is_a_file_and_the_page_shows_the_beginning(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    texts = "a" * (SHOWN - 10), "b" * 20, "c"
    number = report(sqlite_store, *(OutputPart("end", text, "", 0, 0) for text in texts))

    shown, saved = ada.get(f"{HERE}/{number}").text, ada.get(f"{HERE}/{number}/output")

    assert re.findall(r'<pre tabindex="0"><code>(\w+)', shown) == [texts[0], "b" * 10]
    assert "Showing the first" in shown
    assert saved.text == "".join(texts)
    assert saved.headers["Content-Disposition"] == f'attachment; filename="nora-run-{number}.txt"'
    assert saved.headers["X-Content-Type-Options"] == "nosniff"


def test_curves_are_drawn_of_the_last_runs_oldest_first(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        player = bots.get(conn, "nora").player
        used = (0.1, 1024), (0.2, 0), (0.3, 2048)
        runs.add(conn, [NewRun(player, "m", RunKind.OTHER, 5.0, *each, "") for each in used])

    told = ada.get(f"{HERE}/-/figures").json
    shown = ada.get(HERE).text

    assert told == {
        "runs": [
            {"run": 1, "cpu_ms": 100.0, "memory_mb": 1.0},
            {"run": 2, "cpu_ms": 200.0, "memory_mb": None},
            {"run": 3, "cpu_ms": 300.0, "memory_mb": 2.0},
        ]
    }
    assert shown.count('data-src="/my/bots/nora/runs/-/figures"') == 2
    assert '<polyline points="0.0,114.0 300.0,60.0 600.0,6.0"/>' in shown


def test_runs_of_others_are_not_found(app: Flask, ada: FlaskClient, sqlite_store: Store) -> None:
    hers = report(sqlite_store)
    bob = person(app, sqlite_store, "bob")
    bot_of(sqlite_store, "bob", "his")

    for path in (f"{hers}", f"{hers}/output", "99", str(2**63 - 1)):
        assert bob.get(f"/my/bots/his/runs/{path}").status_code == 404
    for path in ("", "/-/live", "/-/figures", f"/{hers}", f"/{hers}/output"):
        assert bob.get(f"{HERE}{path}").status_code == 404
    assert "his has no run" in bob.get(f"/my/bots/his/runs/{hers}").text


def mark(browser: FlaskClient) -> str:
    (found,) = re.findall(r'data-mark="([^"]+)"', browser.get(HERE).text)
    return str(found)


def test_the_list_is_new_with_each_run_and_its_mark_tells_others_nothing(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    report(sqlite_store)
    marks = [mark(ada)]
    report(sqlite_store)
    marks.append(mark(ada))
    host(sqlite_store)
    marks.append(mark(ada))

    assert len(set(marks)) == 3


def test_the_bots_page_says_what_a_hosted_one_needs(ada: FlaskClient, sqlite_store: Store) -> None:
    before = ada.get("/my/bots/nora").text
    host(sqlite_store)
    after = ada.get("/my/bots/nora").text

    assert 'id="connect"' in before
    assert "upload it</a>" in before
    assert f'href="{HERE}"' not in before
    assert 'id="connect"' not in after
    assert "Hosted by the arena" in after
    assert "need to connect anything" in after
    assert f'href="{HERE}"' in after
    assert 'href="/my/bots/nora/submissions">hosted<' in ada.get("/my/bots").text
    assert "hosted by the arena" in ada.get("/bots/nora/status").text


def test_older_connected_versions_of_a_hosted_bot_may_still_connect(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    host(sqlite_store)
    assert "ARENA_BOT_VERSION=1 " in ada.get("/my/bots/nora").text
    with sqlite_store.write() as conn:
        older = bots.versions(conn, bots.get(conn, "nora").id)[1]
        bots.set_hosted(conn, older.player, hosted=True)
    shown = ada.get("/my/bots/nora").text
    assert "ARENA_BOT_VERSION=1 " not in shown
    assert "the arena runs them in the tournaments" in shown
