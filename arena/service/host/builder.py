"""Builds a submission: from an upload to a new version, or to the reason of a refusal."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import AlreadyExists, ArenaError, InvalidRequest, LimitReached, NotNow
from arena.hosting.hosted.building.build import Build
from arena.hosting.hosted.sandboxed import SandboxedBot
from arena.hosting.sandbox.control_group import ControlGroup
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission.manifest import Manifest
from arena.protocol.v1 import play_pb2 as pb
from arena.service.host.artifacts import ArtifactCache
from arena.service.host.builds import Turns
from arena.service.host.programs import allowance_of, build_allowed, offered, program_of
from arena.service.host.store_calls import StoreCalls
from arena.service.host.validation import validated
from arena.store.registry import building, built, submissions
from arena.store.registry.building import BUILDS_STORED
from arena.store.registry.submissions import Submission
from arena.store.tournaments import hosted

log = structlog.get_logger(__name__)

LEASE_S = 60.0
RENEW_S = 10.0
AGAIN_S = 60.0  # after which a failed rebuild is tried again
LOOK_AGAIN_S = 10.0  # between two checks for missing artifacts
MOST_OUTPUT = 8_000  # characters of the bot's output in the log


class Builder:
    """Builds submissions, each in a new `sandbox()`."""

    def __init__(
        self,
        calls: StoreCalls,
        settings: Settings,
        sandbox: Callable[[], Sandbox],
        artifacts: ArtifactCache,
        host: str,
        group: ControlGroup | None = None,
        failed: Callable[[str, object], Awaitable[object]] | None = None,
    ) -> None:
        """`group`: the control group of hosted bots, which trial matches join. `failed` gets what
        the host failed to build, and the error."""
        self._failed = failed
        self._calls, self._settings, self._artifacts = calls, settings, artifacts
        self._sandbox, self._host, self._group = sandbox, host, group
        self._most_stored = BUILDS_STORED * build_allowed(settings).limits.total_bytes
        self._looked = -math.inf  # for missing artifacts
        self._turns = Turns()  # of rebuilds
        self._tried: dict[int, float] = {}  # time of the last rebuild

    async def take(
        self, in_turn: Callable[[Iterable[int]], Iterable[int]] = lambda authors: authors
    ) -> Submission | None:
        """Claim the next submission, if one waits. `in_turn` is that of `building.claim`."""
        if not await self._calls.read(building.is_open):
            return None
        return await self._calls.write(
            lambda conn: building.claim(conn, self._host, instant.now(), LEASE_S, in_turn)
        )

    async def build(self, found: Submission) -> None:
        """Build a submission that this host has claimed. Several may be built at once."""
        log.info("a submission is built", submission=found.id, bot=found.bot)
        renewing = asyncio.create_task(self._keep(found.id))
        try:
            await self._build(found)
        except NotNow:
            log.info("a submission is another host's now", submission=found.id)
        except (InvalidRequest, AlreadyExists, LimitReached) as error:
            await self._refuse(found, str(error))
        except (OSError, ArenaError) as error:
            log.warning("a submission was not built", submission=found.id, error=str(error))
            await self._note_failure(f"Submission {found.id} of {found.bot} cannot be built", error)
            if isinstance(error, OSError):  # the disk is full or fails: it waits for another host
                await self._calls.write(lambda conn: building.give_back(conn, self._host, found.id))
            # Otherwise the arena is to blame: a host tries again, three times in all.
            await asyncio.sleep(RENEW_S)
        finally:
            renewing.cancel()

    async def _note_failure(self, what: str, error: Exception) -> None:
        if self._failed is not None:
            await self._failed(what, error)

    async def run_again(self) -> bool:
        """Rebuild the pruned artifact of a version that is played again, with authors taking turns.
        Return False if there is nothing to rebuild. Raises InvalidRequest or LimitReached, which
        count against the version, and other errors, which do not."""
        now = time.monotonic()
        if now - self._looked < LOOK_AGAIN_S:
            return False
        self._looked = now
        missing = await self._calls.read(_missing)
        due = {
            author: number  # the oldest of each author
            for number, author in reversed(missing.items())
            if now - self._tried.get(number, -math.inf) >= AGAIN_S
        }
        if not due:
            return False
        author = self._turns.in_order(sorted(due, key=due.__getitem__))[0]
        self._turns.took(author)
        number = due[author]
        self._tried[number] = now
        source = await self._calls.read(lambda conn: submissions.source(conn, number))
        build = Build(self._sandbox(), build_allowed(self._settings))
        try:
            artifact, _ = await build.finish(await build.unpack(source))
            await self._calls.write(
                lambda conn: built.built_again(conn, number, artifact, self._most_stored)
            )
        except (InvalidRequest, LimitReached) as error:
            said, full = str(error), isinstance(error, LimitReached)
            await self._calls.write(
                lambda conn: built.not_built_again(conn, number, said, instant.now(), for_good=full)
            )
            raise
        except (ArenaError, OSError) as error:
            await self._note_failure(f"Submission {number} cannot be rebuilt", error)
            raise
        log.info("a submission was built again", submission=number)
        self._looked = -math.inf  # there may be more
        return True

    async def _build(self, found: Submission) -> None:
        source = await self._calls.read(lambda conn: submissions.source(conn, found.id))
        build = Build(self._sandbox(), build_allowed(self._settings))
        upload = await build.unpack(source)
        manifest = upload.manifest
        manifest.check_allowed(self._settings.submission_memory_mb, offered(self._settings))
        await self._note(found, upload.log)
        artifact, log_text = await build.finish(upload)
        if log_text:
            await self._note(found, log_text)
        await self._calls.write(lambda conn: building.validating(conn, found.id, self._host))
        hello = await self._validate(found, artifact, manifest)
        await self._calls.write(
            lambda conn: building.accept(
                conn,
                found.id,
                self._host,
                artifact,
                manifest,
                hello.SerializeToString(),
                most_stored=self._most_stored,
            )
        )
        log.info("a submission is accepted", submission=found.id, bot=found.bot)

    async def _validate(self, found: Submission, artifact: bytes, manifest: Manifest) -> pb.Hello:
        folder = await asyncio.to_thread(self._artifacts.place, artifact)
        try:
            return await self._tried_in(folder, found, manifest)
        finally:
            self._artifacts.release(folder)

    async def _tried_in(self, folder: Path, found: Submission, manifest: Manifest) -> pb.Hello:
        program = program_of(manifest, folder, found.id.to_bytes(32, "big"), found.bot, "new")
        allowance = allowance_of(manifest, self._settings, self._group)
        bot = SandboxedBot(self._sandbox(), program, allowance)
        try:
            hello, lines = await validated(bot)
            await self._note(found, "\n".join([*lines, ""]))
        finally:
            bot.close()
            if written := "".join(report.output for report in bot.reports):
                await self._note(found, f"The bot wrote:\n{shortened(written)}\n")
        return hello

    # The store, in threads

    async def _keep(self, number: int) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            with suppress(SQLAlchemyError, ArenaError):  # the next attempt may still be in time
                await self._calls.write(
                    lambda conn: building.renew(conn, number, self._host, instant.now(), LEASE_S)
                )

    async def _note(self, found: Submission, text: str) -> None:
        await self._calls.write(lambda conn: building.note(conn, found.id, self._host, text))

    async def _refuse(self, found: Submission, reason: str) -> None:
        log.info("a submission is refused", submission=found.id, bot=found.bot)
        await self._calls.write(lambda conn: building.refuse(conn, found.id, self._host, reason))


def _missing(conn: Connection) -> dict[int, int]:
    return built.to_build_again(conn, [bot.player for bot in hosted.wanted(conn)])


def shortened(written: str) -> str:
    """Return the start and the end of a bot's output, which ends with the error."""
    if len(written) <= MOST_OUTPUT:
        return written
    half = MOST_OUTPUT // 2
    left_out = f"\n[{len(written) - 2 * half:,} characters left out]\n"
    return f"{written[:half]}{left_out}{written[-half:]}"
