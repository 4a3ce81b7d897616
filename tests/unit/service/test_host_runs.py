"""What hosts report of processes: how much of it is stored, and what happens without a store."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from arena.base.errors import Unavailable
from arena.hosting.hosted.output import LogPart
from arena.hosting.hosted.report import IDLE, LET_GO, NO_ROOM, Report
from arena.service.host import runs as host_runs
from arena.service.host.runs import MOST_AT_ONCE, MOST_CHARACTERS, MOST_KEPT, RunLog
from arena.service.host.store_calls import StoreCalls
from arena.store.registry import runs
from arena.store.registry.runs import NewRun, RunKind, RunLimits

PLAYER = 7
MATCH = b"m1".ljust(16, b"\0")


class Calls:
    """A store that is asked, and may be away."""

    def __init__(self) -> None:
        self.away = False
        self.times = 0

    async def write(self, what: Callable[[Any], object]) -> None:
        self.times += 1
        if self.away:
            raise Unavailable("The database does not answer.")
        what(None)


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> list[NewRun]:
    """What came to the store."""
    rows: list[NewRun] = []
    monkeypatch.setattr(runs, "add", lambda conn, new, limits: rows.extend(new))
    return rows


@pytest.fixture
def run_log(calls: Calls) -> RunLog:
    return RunLog(cast("StoreCalls", calls), RunLimits())


def report(why: str = "", text: str = "", purpose: bytes | int | None = MATCH) -> Report:
    parts = (LogPart("decision", text, "m1", 3),) if text else ()
    return Report(purpose, 5.0, 0.5, 2.5, 9000, why, text, parts)


def store(run_log: RunLog) -> None:
    asyncio.run(run_log.store())


def test_a_report_is_stored_with_the_match_and_what_was_written(
    run_log: RunLog, stored: list[NewRun]
) -> None:
    run_log.add(PLAYER, report("It ended.", "hm\n"))
    store(run_log)

    parts = (runs.OutputPart("decision", "hm\n", "m1", 3, 0),)
    (run,) = stored
    assert run.began == pytest.approx(5.0, abs=0.1)  # by another clock
    ended = NewRun(PLAYER, "m1", RunKind.ENDED, run.began, 0.5, 9000, "It ended.", parts, 2.5)
    assert run == ended


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (report(), RunKind.OTHER),
        (report(text="hm"), RunKind.WROTE),
        (report("It ended.", "hm"), RunKind.ENDED),
        (report(NO_ROOM), RunKind.OTHER),
        (report(LET_GO, "hm"), RunKind.WROTE),
        (report("It ended.", purpose=None), RunKind.ENDED),
    ],
)
def test_runs_are_told_apart_by_what_is_remarkable_of_them(made: Report, kind: RunKind) -> None:
    assert host_runs.kind_of(made) is kind


def test_process_of_a_tournament_names_no_match(run_log: RunLog, stored: list[NewRun]) -> None:
    run_log.add(PLAYER, report(purpose=5))
    store(run_log)

    assert stored[0].match == ""


def test_spare_process_is_not_reported(run_log: RunLog, stored: list[NewRun], calls: Calls) -> None:
    run_log.add(PLAYER, report(IDLE, purpose=None))
    run_log.add(PLAYER, report(LET_GO, "imported\n", purpose=None))
    store(run_log)

    assert (stored, calls.times) == ([], 0)


@pytest.mark.parametrize("kind", RunKind)
def test_only_some_of_many_reports_are_stored_per_version(
    run_log: RunLog, stored: list[NewRun], kind: RunKind
) -> None:
    made = {
        RunKind.OTHER: report(),
        RunKind.WROTE: report("", "hm"),
        RunKind.ENDED: report("It ended."),
    }
    for player in (PLAYER, PLAYER + 1):
        for _ in range(100):
            run_log.add(player, made[kind])
    store(run_log)
    assert len(stored) == 2 * MOST_AT_ONCE[kind]

    run_log.add(PLAYER, made[kind])
    store(run_log)
    assert len(stored) == 2 * MOST_AT_ONCE[kind] + 1


def test_while_the_store_is_away_so_much_is_kept_and_it_is_said_once(
    run_log: RunLog, stored: list[NewRun], calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(host_runs.log, "warning", lambda event, **_: said.append(event))
    calls.away = True
    for player in range(MOST_KEPT):
        for _ in range(2):
            run_log.add(player, report("It ended."))
        if player % 400 == 0:
            store(run_log)
    calls.away = False
    store(run_log)

    assert len(stored) == MOST_KEPT
    assert len(said) == 1
    run_log.add(PLAYER, report("It ended."))
    store(run_log)
    assert len(stored) == MOST_KEPT + 1


def test_output_kept_without_a_store_is_limited(
    run_log: RunLog, stored: list[NewRun], calls: Calls
) -> None:
    calls.away = True
    long = report("It ended.", "x" * (MOST_CHARACTERS // 4))
    for player in range(9):
        run_log.add(player, long)
    store(run_log)
    calls.away = False
    store(run_log)
    assert len(stored) == 4

    for player in range(9):
        run_log.add(player, long)
    store(run_log)
    assert len(stored) == 8, "what is stored leaves room"
