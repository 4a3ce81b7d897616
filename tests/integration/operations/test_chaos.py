"""What `make chaos` sees of an arena that broke a promise, and what it does to processes."""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
import redis
from click.testing import CliRunner
from sqlalchemy import delete, select, update

from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor
from arena.service.live import keys
from arena.store import Store
from arena.store.tables import entrants, fault_notes, match_seats, matches, tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.chaos.__main__ import main
from tests.chaos.deployment import Deployment
from tests.chaos.stored import Stored, examine
from tests.integration.operations.test_supervise import gone, wait_for
from tests.integration.played import play, register


@pytest.fixture
def tournament(sqlite_store: Store) -> Tournament:
    """A finished one, in which bots are at fault in every third match."""
    register(sqlite_store, "ada", "bob", "cyd")
    found = play(sqlite_store, "ada", "bob", "cyd")
    with sqlite_store.write() as conn:
        conn.execute(update(tournaments).values(planned=found.played))
    return found


def seen(store: Store, client: redis.Redis, tournament: Tournament) -> Stored:
    return examine(store, client, tournament.id)


def test_blamed_bots_are_counted_with_the_reason(
    sqlite_store: Store, redis_client: redis.Redis, tournament: Tournament
) -> None:
    found = seen(sqlite_store, redis_client, tournament)

    assert (found.state, found.planned) == ("finished", 6)
    assert (found.lost, found.twice, found.blamed) == (0, 0, 2)
    assert found.remarks == ("Blamed 2 times: timeout (No answer within 2000 ms.)",)
    assert not found.sound


def test_a_match_that_is_gone_is_lost_and_ratings_say_so_too(
    sqlite_store: Store, redis_client: redis.Redis, tournament: Tournament
) -> None:
    with sqlite_store.write() as conn:
        number = conn.scalar(select(matches.c.number).order_by(matches.c.number.desc()))
        for table in (fault_notes, match_seats):
            conn.execute(delete(table).where(table.c.match == number))
        conn.execute(delete(matches).where(matches.c.number == number))

    found = seen(sqlite_store, redis_client, tournament)

    assert found.lost == 1
    assert "The tournament counts 6 matches, 5 are stored." in found.remarks
    assert len(found.remarks) > 3


def test_double_counts_show_in_the_standings(
    sqlite_store: Store, redis_client: redis.Redis, tournament: Tournament
) -> None:
    with sqlite_store.write() as conn:
        twice = update(entrants).where(entrants.c.entrant == 0)
        conn.execute(twice.values(matches=entrants.c.matches + 1))

    assert seen(sqlite_store, redis_client, tournament).twice == 1


def test_leases_of_what_is_done_are_left_behind(
    sqlite_store: Store, redis_client: redis.Redis, tournament: Tournament
) -> None:
    redis_client.set(keys.batch(tournament.id, 0), "somebody")
    redis_client.set(keys.failures(tournament.id, 0), 1)  # fades by itself

    *_, left = seen(sqlite_store, redis_client, tournament).remarks

    assert left == f"Left in Redis: {keys.batch(tournament.id, 0)}."


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Deployment]:
    """One process with a child of its own, "worker-1", and a supervisor: enough for faults."""
    code = "import os, time; os.fork(); time.sleep(60)"
    with Supervisor(tmp_path) as supervisor:
        supervisor.start(ChildSpec("worker-1", (sys.executable, "-S", "-c", code)))
        nothing = cast(Any, None)
        yield Deployment(tmp_path, supervisor, nothing, nothing, None, nothing, nothing)


def both(arena: Deployment) -> list[psutil.Process]:
    """The process and its child, when both are there."""
    limit = time.monotonic() + 10
    while True:
        with suppress(psutil.NoSuchProcess):
            if len(found := arena.processes("worker-1")) == 2:
                return found
        assert time.monotonic() < limit, "it was not started"
        arena.pause(0.02)


def test_killed_process_ends_with_its_children_and_restarts(arena: Deployment) -> None:
    before = both(arena)

    arena.kill("worker-1")
    wait_for(lambda: all(gone(process.pid) for process in before))

    assert not set(both(arena)) & set(before)


def test_frozen_process_stops_with_its_children(arena: Deployment) -> None:
    stopped = psutil.STATUS_STOPPED
    processes = both(arena)

    with arena.frozen("worker-1"):
        wait_for(lambda: [process.status() for process in processes] == [stopped] * 2)

    wait_for(lambda: stopped not in [process.status() for process in processes])


def test_absent_process_does_not_return_early(arena: Deployment) -> None:
    before = both(arena)

    with arena.away("worker-1"):
        arena.pause(0.5)  # a supervisor restarts after 0.2 s
        assert all(gone(process.pid) for process in before)
        with pytest.raises(KeyError):
            arena.supervisor.pid("worker-1")

    assert len(both(arena)) == 2


def test_a_fault_that_there_is_not_is_said(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--only", "earthquake"])

    assert done.exit_code == 2
    assert "There is no such fault. There are: worker killed, " in done.output
