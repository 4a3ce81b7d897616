"""The list of tournaments says who won."""

import re
import time

import redis

from arena.base.config import Settings
from arena.service.live import ready
from arena.store import Store
from arena.store.reports.standings import standings, winners
from arena.store.tournaments import tournaments
from dashboard import create_app
from tests.integration.api_world import data
from tests.integration.played import play, register
from tests.made_results import entered


def test_a_finished_tournament_is_listed_with_its_format_and_its_winner(
    sqlite_store: Store,
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    finished = play(sqlite_store, "ann", "bob", "cho")
    entered(sqlite_store, names=("ann", "bob", "cho"))
    browser = create_app(Settings(), sqlite_store, None).test_client()

    rows = re.findall(r"<tr>.*?</tr>", browser.get("/tournaments").text, re.DOTALL)[1:]

    with sqlite_store.read() as conn:
        first = [line.bot for line in standings(conn, finished.id) if line.rank == 1]
        every = tournaments.all_tournaments(conn)
        assert winners(conn, every) == {finished.id: tuple(first)}
    waiting, won = rows
    assert "not started" in waiting
    assert [f'href="/bots/{name}"' in won for name in ("ann", "bob", "cho")] == [
        name in first for name in ("ann", "bob", "cho")
    ]
    assert "round-robin" in won


def test_a_tournament_that_waits_for_a_worker_is_queued_and_says_behind_whom(
    sqlite_store: Store, redis_client: redis.Redis
) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    made = [entered(sqlite_store, names=("ann", "bob", "cho")) for _ in range(3)]
    with sqlite_store.write() as conn:
        for each in made:
            tournaments.set_state(conn, each.id, "running", now=time.time() - 60)
    for each in made:
        ready.add(redis_client, each.id, [0], matches=4)
    ready.claim(redis_client, "run", 30, room=1)  # the first is played
    ready.note_queued(redis_client, time.time() - 40)
    browser = create_app(Settings(), sqlite_store, redis_client).test_client()

    page = browser.get(f"/tournaments/{made[2].id}").text
    listed = browser.get("/tournaments").text
    as_json = data(browser, f"/api/tournaments/{made[2].id}")["queued"]

    name = made[1].spec.name
    assert f"Second in line, behind {name}; no worker is running." in page
    assert ">queued</span>" in page
    assert re.search(r"<dt>Queued</dt><dd>4\d s</dd>", page)
    assert re.findall(r'state-(\w+)">.*?</span>(?: <small>(\w+)</small>)?', listed) == [
        ("queued", "2nd"),
        ("queued", "1st"),
        ("running", ""),
    ]
    assert (as_json["place"], as_json["behind"]) == (2, [name])
