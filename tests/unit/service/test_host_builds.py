"""How many submissions a host builds at once, and whose."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from arena.service.host import builds
from arena.service.host.builds import LONG_S, Builds, IdleCores, builds_at_once, idle_seconds
from arena.store.registry.submissions import Submission

PATIENCE_S = 60.0
EVE, ADA, BOB = 1, 2, 3


def waiting(number: int, author: int) -> Submission:
    return Submission(
        id=number,
        bot=f"bot{number}",
        author=author,
        version="",
        player=None,
        files_of=None,
        label="",
        created=0.0,
        state="waiting",
        attempts=0,
        host="",
        lease_until=None,
        size=1,
        sha256=b"",
        manifest="",
        reason="",
        log="",
    )


class Host:
    """A builder whose builds end when the test says so, and its machine."""

    def __init__(self, *authors: int) -> None:
        self.queue = [waiting(number, author) for number, author in enumerate(authors)]
        self.building: dict[int, asyncio.Event] = {}  # by submission
        self.begun: list[int] = []  # their authors
        self.failing: dict[int, Exception] = {}  # by submission
        self.rebuilds = 0  # tried, one per look
        self.time = self.idle = 0.0

    async def take(self, in_turn: Callable[[Iterable[int]], Iterable[int]]) -> Submission | None:
        oldest = {each.author: each for each in reversed(self.queue)}
        for author in in_turn(sorted(oldest, key=lambda author: oldest[author].id)):
            self.queue.remove(oldest[author])
            return oldest[author]
        return None

    async def build(self, found: Submission) -> None:
        self.begun.append(found.author)
        if found.id in self.failing:
            raise self.failing[found.id]
        self.building[found.id] = asyncio.Event()
        await self.building[found.id].wait()

    async def run_again(self) -> bool:
        self.rebuilds += 1
        if self.failing:
            raise RuntimeError("an odd tree")
        return False

    def now(self) -> float:
        return self.time

    async def passes(self, seconds: float, idle_cores: float) -> None:
        """Lets time pass, and gives the host several chances to start another build."""
        self.time += seconds
        self.idle += seconds * idle_cores
        seen = self.rebuilds
        await until(lambda: self.rebuilds > seen + 10)

    def end(self, number: int) -> None:
        """Ends a build."""
        self.building.pop(number).set()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 (there is no event for it)
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "LOOK_S", 0.001)


def run(host: Host, most: int, then: Callable[[], Awaitable[None]]) -> None:
    """Runs builds for this host until the test is through."""

    async def both() -> None:
        idle = IdleCores(lambda: host.idle, host.now)
        running = asyncio.create_task(Builds(host, most, idle, host.now).run())
        await then()
        assert not running.done()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(both())


def test_authors_take_turns() -> None:
    host = Host(EVE, EVE, EVE, ADA, BOB)

    async def then() -> None:
        for number in (0, 3, 4, 1, 2):
            await until(partial(host.building.__contains__, number))
            host.end(number)

    run(host, 1, then)
    assert host.begun == [EVE, ADA, BOB, EVE, EVE]


def test_a_bot_that_takes_long_delays_only_its_author() -> None:
    host = Host(EVE, EVE, EVE, EVE)

    async def then() -> None:
        await until(lambda: host.begun)
        for _ in range(8):
            await host.passes(1.0, idle_cores=3.0)
        assert host.begun == [EVE, EVE], "no more than half of the places"
        host.queue += [waiting(7, ADA), waiting(8, BOB)]
        await host.passes(1.0, idle_cores=3.0)
        await host.passes(1.0, idle_cores=3.0)
        await until(lambda: host.begun == [EVE, EVE, ADA, BOB])
        host.queue += [waiting(9, BOB)]
        host.end(7)
        await host.passes(1.0, idle_cores=3.0)
        await until(lambda: host.begun == [EVE, EVE, ADA, BOB, BOB])

    run(host, 4, then)
    assert [each.author for each in host.queue] == [EVE, EVE]


def test_another_build_starts_only_while_a_core_is_idle() -> None:
    host = Host(EVE, ADA, BOB)

    async def then() -> None:
        await until(lambda: host.begun)
        for _ in range(5):
            await host.passes(1.0, idle_cores=0.2)
        assert host.begun == [EVE]
        await host.passes(1.0, idle_cores=0.6)
        await until(lambda: host.begun == [EVE, ADA])
        await host.passes(1.0, idle_cores=2.0)
        assert host.begun == [EVE, ADA], "two at most here"
        host.end(0)
        await host.passes(1.0, idle_cores=2.0)
        await until(lambda: host.begun == [EVE, ADA, BOB])

    run(host, 2, then)


def test_on_a_busy_machine_a_long_build_does_not_keep_others_from_starting() -> None:
    host = Host(EVE, EVE, ADA, BOB)

    async def then() -> None:
        await until(lambda: host.begun)
        await host.passes(LONG_S, idle_cores=0.0)
        assert host.begun == [EVE]
        await host.passes(1.0, idle_cores=0.0)
        await until(lambda: host.begun == [EVE, ADA])
        await host.passes(LONG_S, idle_cores=0.0)
        assert host.begun == [EVE, ADA]

    run(host, 3, then)


def test_a_build_that_fails_stops_no_other_one() -> None:
    host = Host(EVE, ADA, BOB)
    host.failing = {0: RuntimeError("an odd upload"), 1: OSError("no space left")}

    async def then() -> None:
        await until(lambda: 2 in host.building)
        await until(lambda: host.rebuilds > 2)

    run(host, 1, then)
    assert host.begun == [EVE, ADA, BOB]


def test_a_claim_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(EVE)
    take, failures = host.take, [OperationalError("no database", None, OSError()), KeyError("odd")]

    async def failing(in_turn: Callable[[Iterable[int]], Iterable[int]]) -> Submission | None:
        if failures:
            raise failures.pop()
        return await take(in_turn)

    monkeypatch.setattr(host, "take", failing)
    run(host, 1, lambda: until(lambda: 0 in host.building))


def test_a_host_has_as_many_builds_as_cores_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {}
    for number in (None, 1, 3, 64):
        monkeypatch.setattr("os.cpu_count", partial(int, number) if number else lambda: None)
        cores[number] = builds_at_once(0)
    assert cores == {None: 2, 1: 2, 3: 3, 64: 4}
    assert builds_at_once(7) == 7


def test_the_kernel_reports_how_long_cores_were_idle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 2})
    monkeypatch.setattr("os.sysconf", lambda name: 100)
    stat = tmp_path / "stat"
    stat.write_text(
        "cpu  9 9 9 9000 900 0 0 0 0 0\n"
        "cpu0 1 2 3 400 50 0 0 0 0 0\ncpu1 1 2 3 7000 800 0 0 0 0 0\ncpu2 1 2 3 300 0 0 0 0 0 0\n"
        "intr 5 0\n\nctxt 7\n"
    )

    assert idle_seconds(stat) == 7.5
    assert idle_seconds(tmp_path / "missing") == 0.0
    assert idle_seconds() >= 0.0
