"""What a host's builder does beside building what was uploaded just now."""

import asyncio
import errno
import io
import time
from pathlib import Path

import pytest

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import InvalidRequest, NotFound, NotNow, Unavailable
from arena.hosting.hosted.building.build import Build, Unpacked
from arena.hosting.sandbox.control_group import PROCESSES, ControlGroup
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.submission import artifact
from arena.service.host.artifacts import ArtifactCache
from arena.service.host.builder import Builder
from arena.service.host.builds import Builds, IdleCores
from arena.service.host.store_calls import StoreCalls
from arena.store import Store
from arena.store.registry import bots, built, submissions
from arena.store.registry.built import FAILED_REBUILDS, FAILING_S, GIVEN_UP
from arena.store.registry.submissions import DAY_S, KEPT_DAYS
from tests.made_uploads import BOT, upload, wheel
from tests.package_index import lock_line, package_index

PATIENCE_S = 60.0
LATER = time.time() + (KEPT_DAYS + 1) * DAY_S


def submitted(store: Store, source: str, label: str = "") -> int:
    with store.write() as conn:
        bot = bots.get(conn, "ada")
        return submissions.submit(conn, bot, source.encode(), label).id


@pytest.fixture
def failures() -> list[tuple[str, str]]:
    """What the builder could not do, and why."""
    return []


@pytest.fixture
def builder(sqlite_store: Store, open_folder: Path, failures: list[tuple[str, str]]) -> Builder:
    settings = Settings(_env_file=None)
    artifacts = ArtifactCache(open_folder / "hosted")

    async def failed(what: str, error: object) -> None:
        failures.append((what, str(error)))

    return Builder(
        StoreCalls(sqlite_store), settings, find_sandbox, artifacts, "host", failed=failed
    )


def build_next(builder: Builder) -> None:
    """Builds the submission that waits."""

    async def build() -> None:
        found = await builder.take()
        assert found is not None
        await builder.build(found)

    asyncio.run(build())


def test_a_bot_is_tried_within_what_all_hosted_bots_may_use_together(
    sqlite_store: Store, open_folder: Path, tmp_path: Path
) -> None:
    store, group = sqlite_store, ControlGroup([tmp_path])  # as far as files can be one
    settings = Settings(_env_file=None)
    artifacts = ArtifactCache(open_folder / "hosted")
    builder = Builder(StoreCalls(store), settings, find_sandbox, artifacts, "host", group)
    with store.write() as conn:
        bots.register(conn, "ada")
    number = submitted(store, BOT)
    build_next(builder)
    with store.read() as conn:
        assert submissions.get(conn, number).state == "accepted"
    assert int((tmp_path / PROCESSES).read_text()) > 1  # the sandbox


SLEEPER = BOT.replace("return", "import time; time.sleep(600); return")


def test_a_bot_that_sleeps_does_not_delay_the_uploads_of_other_authors(
    sqlite_store: Store, open_folder: Path
) -> None:
    settings = Settings(_env_file=None, host_wait_s=600.0)
    artifacts = ArtifactCache(open_folder / "hosted")
    builder = Builder(StoreCalls(sqlite_store), settings, find_sandbox, artifacts, "host")
    with sqlite_store.write() as conn:
        names = ("eve", "ada")
        made = [
            submissions.submit(conn, bots.register(conn, name)[0], source.encode()).id
            for name, source in zip(names, (SLEEPER, BOT), strict=True)
        ]

    def states() -> list[str]:
        with sqlite_store.read() as conn:
            return [submissions.get(conn, number).state for number in made]

    async def run() -> None:
        idle = IdleCores(idle_s=lambda: 2 * time.monotonic())  # two idle cores
        running = asyncio.create_task(Builds(builder, 2, idle).run())
        async with asyncio.timeout(PATIENCE_S):
            while states() != ["validating", "accepted"]:  # noqa: ASYNC110 (there is no event)
                await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())


def test_a_version_that_is_wanted_again_is_built_again(
    sqlite_store: Store, builder: Builder
) -> None:
    store = sqlite_store
    with store.write() as conn:
        bots.register(conn, "ada")
    first = submitted(store, BOT, "first")
    build_next(builder)
    second = submitted(store, BOT + "# better\n")
    build_next(builder)
    with store.write() as conn:
        newest = bots.get(conn, "ada").player
        assert submissions.get(conn, second).player == newest
        played = submissions.get(conn, first).player
        assert played is not None
        before = built.tree_of(conn, played).tree
        assert built.prune(conn, [newest], LATER, 9) == 1  # of the first
        assert built.prune(conn, [newest], LATER, 9) == 0
        back = submissions.rollback(conn, bots.get(conn, "ada"), first)
        assert back.player is not None
        with pytest.raises(NotNow, match=f"Submission {back.id} has to be built again"):
            built.tree_of(conn, back.player)

    assert asyncio.run(builder.run_again())

    with store.read() as conn:
        again = built.tree_of(conn, back.player).tree
        assert sources(again) == sources(before)
    assert not asyncio.run(builder.run_again())


def test_authors_take_turns_when_old_versions_are_built_again(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, ada, tried = 1, 2, list[int]()

    def source(conn: object, number: int) -> bytes:
        tried.append(number)
        raise NotFound("It is gone.")

    monkeypatch.setattr(
        "arena.service.host.builder._missing", lambda conn: {3: eve, 4: eve, 5: eve, 6: ada}
    )
    monkeypatch.setattr("arena.service.host.builder.LOOK_AGAIN_S", 0.0)
    monkeypatch.setattr(submissions, "source", source)
    for _ in range(4):
        with pytest.raises(NotFound):
            asyncio.run(builder.run_again())

    assert tried == [3, 6, 4, 5]
    assert not asyncio.run(builder.run_again()), "each was tried within this minute"


def test_a_version_whose_packages_are_gone_is_given_up_until_they_are_back(
    sqlite_store: Store, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.host.builder.LOOK_AGAIN_S", 0.0)
    monkeypatch.setattr("arena.service.host.builder.AGAIN_S", 0.0)
    store, content, began = sqlite_store, wheel("deep", {"deep.py": ""}), time.time()
    with package_index() as index:
        index.add("deep", {"deep-1.0-py3-none-any.whl": content})
        settings = Settings(_env_file=None, host_index=index.url)
        artifacts = ArtifactCache(open_folder / "hosted")
        builder = Builder(StoreCalls(store), settings, find_sandbox, artifacts, "host")
        lock = {"requirements.lock": lock_line("deep", content).encode()}
        with store.write() as conn:
            bot, _ = bots.register(conn, "ada")
            number = submissions.submit(conn, bot, upload(f"import deep\n{BOT}", lock)).id
        build_next(builder)
        with store.write() as conn:
            player = bots.get(conn, "ada").player
            assert built.prune(conn, [], LATER, 9) == 1

        def fail() -> dict[int, str]:
            with pytest.raises(InvalidRequest):
                asyncio.run(builder.run_again())
            with store.read() as conn:
                return built.given_up(conn, [player])

        there = dict(index.answers)
        index.answers.clear()
        assert [fail() for _ in range(FAILED_REBUILDS)] == [{}] * FAILED_REBUILDS, "too soon"
        monkeypatch.setattr(instant, "now", lambda: began + FAILING_S + PATIENCE_S)
        assert fail()[player].startswith(f"{GIVEN_UP} The package index has no package deep.")
        with store.read() as conn:
            assert submissions.get(conn, number).reason == built.given_up(conn, [player])[player]

        index.answers.update(there)
        assert asyncio.run(builder.run_again())
        with store.read() as conn:
            assert built.given_up(conn, [player]) == {}


def test_trouble_of_the_host_is_not_counted_against_a_version(
    sqlite_store: Store,
    builder: Builder,
    failures: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def unpack(build: Build, source: bytes) -> Unpacked:
        raise Unavailable("A step of the build failed.")

    with sqlite_store.write() as conn:
        bots.register(conn, "ada")
    number = submitted(sqlite_store, BOT)
    build_next(builder)
    with sqlite_store.write() as conn:
        built.prune(conn, [], LATER, 9)
    monkeypatch.setattr(Build, "unpack", unpack)

    with pytest.raises(Unavailable):
        asyncio.run(builder.run_again())

    with sqlite_store.read() as conn:
        found = submissions.get(conn, number)
    assert (found.attempts, found.lease_until, found.reason) == (1, None, "")
    assert failures == [(f"Submission {number} cannot be rebuilt", "A step of the build failed.")]


def test_an_upload_waits_for_a_host_whose_disk_has_room(
    sqlite_store: Store,
    builder: Builder,
    failures: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def place(artifacts: ArtifactCache, content: bytes) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    with sqlite_store.write() as conn:
        bots.register(conn, "ada")
    number = submitted(sqlite_store, BOT)
    monkeypatch.setattr("arena.service.host.builder.RENEW_S", 0.0)
    with monkeypatch.context() as full:
        full.setattr(ArtifactCache, "place", place)
        build_next(builder)
    with sqlite_store.read() as conn:
        found = submissions.get(conn, number)
    assert (found.state, found.attempts) == ("waiting", 0)
    assert failures == [
        (f"Submission {number} of ada cannot be built", "[Errno 28] No space left on device")
    ]

    build_next(builder)
    with sqlite_store.read() as conn:
        assert submissions.get(conn, number).state == "accepted"


def sources(content: bytes) -> dict[str, bytes]:
    """Byte code may differ, whenever it is made."""
    files = artifact.read(io.BytesIO(content))
    return {file.name: file.content for file in files if not file.name.endswith(".pyc")}


def test_a_bot_is_tried_with_the_packages_that_it_brings_along(
    sqlite_store: Store, builder: Builder
) -> None:
    packed = {"wheels/deep-1.0-py3-none-any.whl": wheel("deep", {"deep.py": ""})}
    with sqlite_store.write() as conn:
        bot, _ = bots.register(conn, "ada")
        number = submissions.submit(conn, bot, upload(f"import deep\n{BOT}", packed)).id
    build_next(builder)
    with sqlite_store.read() as conn:
        found = submissions.get(conn, number)
    assert (found.state, found.reason) == ("accepted", "")
    assert found.log.splitlines()[1:4] == [
        "Installed: deep 1.0.",
        "Compiled: 2 of 2 Python files.",
        "lama: a match without a fault against careful.",
    ]
