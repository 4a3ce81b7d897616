"""A process that loads all bots and plays portions of matches.

Each portion has new bots, so that their memory does not depend on the process. Only bots with a
`prepare` are created once. Output of bots goes to stderr.
"""

import asyncio
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from arena.base.errors import InvalidRequest
from arena.base.extras import MissingExtra
from arena.games.match import Match
from arena.games.record import export
from arena.kit.homes import Home
from arena.kit.play.job import Job, PlayedMatch, Portion
from arena.kit.play.observed import ObservedMatch, Seated
from arena.kit.play.standing import MatchState, Unwatched
from arena.kit.players import Player
from arena.kit.seeding import seed_generators
from arena.sdk import Bot
from arena.sdk.answer import own_frames, own_traceback
from arena.sdk.asking import prepared
from arena.sdk.declared import declared
from arena.tournaments.formats import Played


@dataclass(frozen=True, slots=True)
class Refused:
    """A bot that cannot play, with the reason and its traceback."""

    sentence: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """All bots are loaded, or a portion is done."""


def begin() -> None:
    """Set up a process: output of bots goes to stderr, and the process leads a group, so that its
    children end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles Ctrl-C
    if os.name == "posix":
        os.setpgid(0, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def work(job: Job, connection: Connection, standing: MatchState) -> None:
    """Play until the connection is closed."""
    begin()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(_unless_exit)
        team = None
        try:
            team = Team(job)
            runner.run(team.prepare())
            connection.send(Ready())
            while True:
                runner.run(_play(job, team, connection.recv(), standing, connection.send))
                connection.send(Ready())
        except (InvalidRequest, MissingExtra) as error:
            cause = error.__cause__
            connection.send(Refused(str(error), own_traceback(cause) if cause else ""))
        finally:
            if team is not None:
                runner.run(team.close())


def _unless_exit(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Print an unhandled exception of a task, unless a bot called `sys.exit`; the main process
    reports that."""
    if not isinstance(context.get("exception"), SystemExit):
        loop.default_exception_handler(context)


class Team:
    """The classes of all bots."""

    def __init__(self, job: Job) -> None:
        """Load the classes. Raises InvalidRequest if one cannot be loaded or does not play this."""
        self._job = job
        homes = {player.home: Home(player.home) for player in job.players if player.home}
        self._of = [homes[player.home] if player.home else None for player in job.players]
        self._classes: dict[str, type[Bot]] = {}
        self._lasting: dict[int, Seated] = {}  # by entrant
        for player, home in zip(job.players, self._of, strict=True):
            if not job.is_apart(player) and player.source not in self._classes:
                kind = player.load(home)
                _check(kind, player.name, job)
                self._classes[player.source] = kind

    async def prepare(self) -> None:
        """Prepare the bots that need it; they live as long as the process. Raises InvalidRequest if
        that fails, MissingExtra for a house bot that lacks a package."""
        for entrant, player in enumerate(self._job.players):
            if self._job.is_apart(player):
                bot = await self._outside(player)
                _check(bot, player.name, self._job)
                self._lasting[entrant] = Seated(bot, None)
                continue
            if self._classes[player.source].prepare is Bot.prepare:
                continue
            seated = self._make(entrant, "")
            try:
                await prepared(seated.bot)
            except MissingExtra:
                raise
            except Exception as error:
                raise InvalidRequest(
                    f"{player.name} failed in prepare. {type(error).__name__}: {error}"
                ) from error
            self._lasting[entrant] = seated

    async def _outside(self, player: Player) -> Bot:
        if self._job.sandbox and not player.house:
            from arena.kit.play.sandboxed import sandboxed  # slow to import

            return await sandboxed(player, self._job)
        from arena.kit.play.programs import ProgramBot  # which needs gRPC

        bot = ProgramBot(player.name, player.source, self._job.move_ms, self._job.start_s)
        await prepared(bot)
        return bot

    async def close(self) -> None:
        """End the programs."""
        for entrant, seated in self._lasting.items():
            if self._job.players[entrant].program and not self._job.sandbox:
                await seated.bot.close()  # type: ignore[attr-defined]

    @property
    def at_once(self) -> int:
        """The maximum number of matches at the same time."""
        if not self._job.together:
            return 1
        bots = [seated.bot for seated in self._lasting.values()]
        return min(min(bot.max_in_flight, bot.max_matches or bot.max_in_flight) for bot in bots)

    def made(self, match: str) -> list[Seated]:
        """Create a new bot of each, starting with this match. Raises InvalidRequest."""
        entrants = range(len(self._of))
        return [self._lasting.get(entrant) or self._make(entrant, match) for entrant in entrants]

    def _make(self, entrant: int, match: str) -> Seated:
        player, home = self._job.players[entrant], self._of[entrant]
        if home is not None:
            home.enter()
            seed_generators(b"", f"{match} made {entrant}")
        try:
            return Seated(self._classes[player.source](), home)
        except Exception as error:
            raise InvalidRequest(f"{player.name} {_not_made(error)}") from error


def _not_made(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, TypeError) and own_frames(error) is None:
        return f"must be a class that can be created without arguments. {said}"
    return f"failed in __init__. {said}"


def _check(kind: type[Bot] | Bot, name: str, job: Job) -> None:
    said = declared(kind)
    if job.game not in said.games:
        raise InvalidRequest(
            f"{name} does not play {job.game}. Its class has games = {said.games!r}. Add it there,"
            " or choose another --game."
        )
    if not said.min_seats <= job.seats <= said.max_seats:
        raise InvalidRequest(
            f"{name} does not play at {job.seats} seats. Its class allows {said.min_seats} to "
            f"{said.max_seats}. Change it there, or choose another --seats."
        )


async def _play(
    job: Job,
    team: Team,
    portion: Portion,
    standing: MatchState,
    send: Callable[[PlayedMatch], None],
) -> None:
    """Play a portion, up to `at_once` matches at the same time, and send each outcome."""
    made = team.made(job.setup(portion.matches[0]).id)
    waiting = deque(portion.matches)
    if team.at_once > 1:
        standing = Unwatched(standing)

    async def play_on() -> None:
        while waiting:
            planned = waiting.popleft()
            standing.begin(planned.position)
            seated = [made[entrant] for entrant in planned.seats]
            unanswered = portion.unanswered.get(planned.position, ())
            match = ObservedMatch(
                Match(job.setup(planned)), planned, seated, job.move_ms, standing, unanswered
            )
            await match.play()
            standing.end()
            if job.sandbox:
                await _settled(made)
            send(_outcome(job, match))

    await asyncio.gather(*(play_on() for _ in range(min(team.at_once, len(waiting)))))


async def _settled(seated: Sequence[Seated]) -> None:
    """Print the output of bots in sandboxes, because this process may end after the match."""
    from arena.hosting.hosted.sandboxed import SandboxedBot

    for each in seated:
        if isinstance(each.bot, SandboxedBot):
            await each.bot.settle()


def _outcome(job: Job, observed: ObservedMatch) -> PlayedMatch:
    match, result = observed.match, observed.match.result
    forfeited = tuple(fault is not None for fault in result.faults)
    wanted = job.keep == "all" or observed.reports
    rounds = match.game.rounds
    return PlayedMatch(
        Played(observed.planned, result.points, result.ranks, forfeited),
        result.winners,
        tuple(map(sum, zip(*(log.penalties for log in rounds), strict=True))),
        len(rounds),
        tuple(observed.decisions),
        tuple(observed.thought_ns),
        tuple(observed.reports),
        json.dumps(export(match)) if wanted else "",
    )
