"""The host: claims versions by leases, and plays them."""

import asyncio
import os
import secrets
import socket
import time
from contextlib import suppress
from functools import partial
from itertools import count
from math import ceil
from pathlib import Path

import redis
import redis.asyncio
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from arena.base import instant, liveness
from arena.base.config import Settings
from arena.base.errors import ArenaError, NotFound, NotNow
from arena.hosting.hosted.room import UNIT_MB, Room, places
from arena.hosting.sandbox.control_group import ControlGroup
from arena.hosting.sandbox.kinds import USERS, numbered
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.address import Address
from arena.service.host.artifacts import ArtifactCache
from arena.service.host.builder import Builder
from arena.service.host.builds import Builds, Turns, builds_at_once
from arena.service.host.programs import allowance_of, memory_mb, program_of
from arena.service.host.runs import RunLog
from arena.service.host.session import HostSession
from arena.service.host.store_calls import StoreCalls
from arena.service.live import hosting
from arena.service.live.vitals import this_process
from arena.store import Store
from arena.store.registry import building, built, hosts
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.built import HostedVersion
from arena.store.registry.runs import RunLimits
from arena.store.tournaments import hosted

log = structlog.get_logger(__name__)

LOOK_S = 1.0
STOP_S = 5.0  # for releasing everything at the end
KEPT_S = 3600.0  # between two liveness signals in the database, and between two prunings
FILLED = 0.85  # of the memory limit, since the kernel counts more than we do
BROKEN_S = 60.0  # after which a sandbox that failed to start is tried again
BUILT_AGAIN_S = 15.0  # the same for a version that has to be rebuilt


class HostProcess:
    """One host, with this kind of sandbox."""

    def __init__(
        self,
        store: Store,
        client: redis.asyncio.Redis,
        settings: Settings,
        arena: Address,
        sandbox: Sandbox,
        group: ControlGroup | None = None,
    ) -> None:
        """`group`: the control group of hosted bots, if there is one."""
        self._calls, self._client, self._settings = StoreCalls(store), client, settings
        self._group = group
        self._arena, self._sandbox = arena, sandbox
        self._numbers = count(secrets.randbelow(USERS))  # this machine may have other hosts
        self._id = this_process(secrets.token_hex(8))
        self._artifacts = ArtifactCache(settings.data / "hosted")
        self._units = int(FILLED * memory_mb(settings)) // UNIT_MB
        self._room = Room(settings.host_processes, self._units)
        self._sessions: dict[int, HostSession] = {}
        self._folders: dict[int, Path] = {}  # of the sessions
        self._new: dict[int, RegisteredBot] = {}  # leased, without a session yet
        self._any_new = asyncio.Event()
        self._turns = Turns()  # of their authors
        self._demand = 0, 0  # versions to host, over all hosts: one process per match, or for all
        self._broken: dict[int, float] = {}  # by player: since when
        limits = RunLimits(settings.runs_kept, settings.runs_output_kb * 1024)
        self._runs = RunLog(self._calls, limits)

    async def run(self) -> None:
        """Host bots until cancelled. Raises ArenaError if it cannot start."""
        await self._register()
        builder = Builder(
            self._calls,
            self._settings,
            self._next_sandbox,
            self._artifacts,
            self._id,
            self._group,
            failed=self._note_failure,
        )
        builds = Builds(builder, builds_at_once(self._settings.host_builds))
        working = builds.run(), self._open(), self._tidy(), self._runs.keep()
        tasks = [asyncio.create_task(each) for each in working]
        try:
            while True:
                await self._look()
                liveness.alive()
                await asyncio.sleep(LOOK_S)
        finally:
            for task in tasks:
                task.cancel()
            with suppress(TimeoutError):  # its leases expire anyway
                async with asyncio.timeout(STOP_S):
                    await self._leave()

    async def _register(self) -> None:
        name = f"{socket.gethostname()}:{os.getpid()}"
        host, self._token = await self._calls.write(lambda conn: hosts.register(conn, name))
        self._number, self._kept = host.id, time.monotonic()

    async def _keep(self) -> None:
        """Keep this host registered. Sessions with an old token are closed."""
        try:
            await self._calls.write(lambda conn: hosts.keep(conn, self._number))
            self._kept = time.monotonic()
        except NotFound:  # the database was away for a day
            await self._register()
            for player in list(self._sessions):
                await self._close(player)

    async def _note_failure(self, what: str, error: object) -> None:
        """Show a failure in the arena's status."""
        reason = " ".join(str(error).split()) or type(error).__name__
        with suppress(redis.RedisError):
            failure = hosting.HostFailure(self._id, what, reason)
            await hosting.note_failure(self._client, failure)

    def _next_sandbox(self) -> Sandbox:
        return numbered(self._sandbox, next(self._numbers))

    # Versions

    async def _look(self) -> None:
        """Renew leases, find new ones, and close the sessions of lost ones. Without Redis or the
        database nothing changes."""
        try:
            if time.monotonic() - self._kept > KEPT_S:
                await self._keep()
            wanted = {bot.player: bot for bot in await self._calls.read(hosted.wanted)}
            alive = max(1, await hosting.beat(self._client, self._id))
            ours = await self._leases(wanted, ceil(len(wanted) / alive))
        except (redis.RedisError, SQLAlchemyError, ArenaError) as error:
            log.warning("a host waits", error=str(error))
            return
        for player in self._sessions.keys() - ours:
            await self._close(player)
        for player, session in list(self._sessions.items()):
            if session.broken:
                await self._close(player)
                self._broken[player] = time.monotonic()
                await self._note_failure(f"{session.name} cannot be hosted", session.broken)
        self._broken = {
            player: since
            for player, since in self._broken.items()
            if time.monotonic() - since < BROKEN_S
        }
        new = ours - self._sessions.keys() - self._broken.keys()
        self._new = {player: wanted[player] for player in sorted(new)}
        if new:
            self._any_new.set()
        together = sum(map(_plays_together, wanted.values()))
        self._demand = len(wanted) - together, together

    async def _leases(self, wanted: dict[int, RegisteredBot], share: int) -> set[int]:
        """Claim versions up to this host's fair share, and release any surplus. Return the claimed
        ones."""
        # Sessions may be opened during the calls below, so choose before them.
        mine = [player for player in self._sessions if player in wanted]
        # Versions that failed here are left to other hosts.
        tried_here = self._sessions.keys() | self._broken.keys()
        others = [player for player in wanted if player not in tried_here]
        unwanted = [player for player in self._sessions if player not in wanted]
        await hosting.let_go(self._client, self._id, [*mine[share:], *unwanted])
        ours = await hosting.take(self._client, self._id, mine[:share])
        while others and len(ours) < share:
            tried, others = others[: share - len(ours)], others[share - len(ours) :]
            ours |= await hosting.take(self._client, self._id, tried)
        return ours

    async def _open(self) -> None:
        """Open sessions for new leases until cancelled, one at a time: it may take longer than a
        lease lasts. Authors take turns."""
        while True:
            await self._any_new.wait()
            self._any_new.clear()
            while self._new:
                author, *_ = self._turns.in_order(bot.author for bot in self._new.values())
                self._turns.took(author)
                bot = next(each for each in self._new.values() if each.author == author)
                await self._begin(bot)
                self._new.pop(bot.player, None)

    async def _begin(self, bot: RegisteredBot) -> None:
        """Open a session for a version. A failure must not stop other versions."""
        try:
            found = await self._calls.read(lambda conn: built.tree_of(conn, bot.player))
            self._sessions[bot.player] = await self._session(bot, found)
        except NotNow as error:
            log.info("a version is being rebuilt", bot=bot.label, reason=str(error))
            self._broken[bot.player] = time.monotonic() - BROKEN_S + BUILT_AGAIN_S
        except Exception as error:
            bug = not isinstance(error, ArenaError | OSError | SQLAlchemyError)
            say = log.exception if bug else log.warning
            say("a version cannot be hosted here", bot=bot.label, error=str(error))
            self._broken[bot.player] = time.monotonic()
            await self._note_failure(f"{bot.label} cannot be hosted", error)

    async def _close(self, player: int) -> None:
        await self._sessions.pop(player).close()
        self._artifacts.release(self._folders.pop(player))

    async def _session(self, bot: RegisteredBot, found: HostedVersion) -> HostSession:
        folder = await asyncio.to_thread(self._artifacts.place, found.tree)
        try:
            session = self._made(bot, found, folder)
        except BaseException:
            self._artifacts.release(folder)
            raise
        self._folders[bot.player] = folder
        return session

    def _made(self, bot: RegisteredBot, found: HostedVersion, folder: Path) -> HostSession:
        program = program_of(found.manifest, folder, found.key, bot.name, bot.version)
        together = _plays_together(bot)
        log.info("a version is hosted", bot=bot.label)
        return HostSession(
            self._arena,
            self._token,
            self._next_sandbox(),
            program,
            allowance_of(found.manifest, self._settings, self._group),
            pb.Hello.FromString(found.hello),
            0 if together else self._matches(),
            self._room,
            together=together,
            report=partial(self._runs.add, bot.player),
        )

    def _matches(self) -> int:
        """Return how many matches each worker process may have under way with a bot."""
        room = places(self._settings.host_processes, self._units, *self._demand)
        return max(1, min(self._settings.host_matches, room // max(1, self._settings.workers)))

    async def _tidy(self) -> None:
        """Prune the store and the artifact cache, until cancelled."""
        kept = self._settings.submissions_kept
        while True:
            try:
                while await self._calls.write(partial(_prune, kept=kept)):
                    continue
                await asyncio.to_thread(self._artifacts.prune)
            except (SQLAlchemyError, ArenaError, OSError) as error:
                log.warning("a host cannot prune", error=str(error))
            await asyncio.sleep(KEPT_S)

    async def _leave(self) -> None:
        players = [*self._sessions, *self._new]
        await asyncio.gather(*(session.close() for session in self._sessions.values()))
        await self._runs.store()
        try:
            await hosting.let_go(self._client, self._id, players)
            await hosting.stop_beating(self._client, self._id)
            await self._calls.write(lambda conn: building.give_back(conn, self._id))
            await self._calls.write(lambda conn: hosts.remove(conn, self._number))
        except (redis.RedisError, SQLAlchemyError, ArenaError) as error:
            log.warning("a host could not release its versions", error=str(error))


def _plays_together(bot: RegisteredBot) -> bool:
    """Return whether all matches of the bot share one process, as those of house bots, which keep
    no state."""
    return bot.kind == "house"


def _prune(conn: Connection, kept: int) -> int:
    played = [bot.player for bot in hosted.wanted(conn)]
    return built.prune(conn, played, instant.now(), kept)
