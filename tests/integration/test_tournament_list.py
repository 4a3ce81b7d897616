"""The list of tournaments says who won."""

from __future__ import annotations

import re

from arena.config import Settings
from arena.store import Store
from arena.store.reports.standings import standings
from arena.store.reports.winners import winners
from arena.store.tournaments import tournaments
from dashboard import create_app
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
    assert "not begun" in waiting
    assert [f'href="/bots/{name}"' in won for name in ("ann", "bob", "cho")] == [
        name in first for name in ("ann", "bob", "cho")
    ]
    assert "round-robin" in won
