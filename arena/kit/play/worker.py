"""A process that plays: loads all bots, then plays one chunk of matches after the other.

Each chunk has bots made anew, so that what they keep of their matches does not depend on which
process played what; only those that have something to prepare are made once. What they print goes
to stderr: stdout is for results.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from arena.errors import InvalidRequest
from arena.hosted.jailed import JailedBot
from arena.kit.homes import Home
from arena.kit.play.jailed import jailed
from arena.kit.play.job import Job
from arena.kit.play.observed import ObservedMatch, Seated
from arena.kit.play.outcome import Outcome
from arena.kit.play.shown import own_frames
from arena.kit.play.standing import Standing
from arena.kit.players import Player
from arena.kit.seeding import seed_generators
from arena.match import Match
from arena.pairing import PlannedMatch, Played
from arena.record import export
from arena.sdk import Bot
from arena.sdk.answer import prepared


@dataclass(frozen=True, slots=True)
class Refused:
    """A bot that cannot play: in a sentence, and where its code failed."""

    sentence: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """A chunk is done, or all bots are loaded."""


def begin() -> None:
    """Runs once in each process: what bots print goes to stderr, for stdout is ours."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def work(job: Job, connection: Connection, standing: Standing) -> None:
    """Plays until the connection is closed."""
    begin()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), asyncio.Runner() as runner:
        try:
            team = Team(job)
            runner.run(team.prepare())
            connection.send(Ready())
            while True:
                for outcome in _chunk(job, team, connection.recv(), runner, standing):
                    connection.send(outcome)
                connection.send(Ready())
        except InvalidRequest as error:
            connection.send(Refused(str(error), _of_the_author(error.__cause__)))


def _of_the_author(error: BaseException | None) -> str:
    if error is None:
        return ""
    return "".join(traceback.format_exception(type(error), error, own_frames(error)))


class Team:
    """The classes of all bots."""

    def __init__(self, job: Job) -> None:
        """Loads them. Raises InvalidRequest for one that cannot be had, or does not play this."""
        self._job = job
        self._homes: dict[Path, Home] = {}
        self._classes: dict[str, type[Bot]] = {}
        self._lasting: dict[int, Seated] = {}  # by entrant
        self._of = [self._home_of(player.home) for player in job.players]
        for player, home in zip(job.players, self._of, strict=True):
            if player.source not in self._classes and not self._in_jail(player):
                kind = player.load(home)
                _check(kind, player.name, job)
                self._classes[player.source] = kind

    def _in_jail(self, player: Player) -> bool:
        return self._job.jail and not player.house

    def _home_of(self, folder: Path | None) -> Home | None:
        return self._homes.setdefault(folder, Home(folder)) if folder else None

    async def prepare(self) -> None:
        """Prepares the bots for which that takes long: they last as long as the process. Raises
        InvalidRequest where it fails."""
        for entrant, player in enumerate(self._job.players):
            if self._in_jail(player):
                bot = await jailed(player, self._job)
                _check(bot, player.name, self._job)
                self._lasting[entrant] = Seated(bot, None)
                continue
            if self._classes[player.source].prepare is Bot.prepare:
                continue
            seated = self._make(entrant, "")
            try:
                await prepared(seated.bot)
            except Exception as error:
                raise InvalidRequest(
                    f"{player.name} fails in prepare: {type(error).__name__}: {error}"
                ) from error
            self._lasting[entrant] = seated

    def made(self, match: str) -> list[Seated]:
        """A new bot of each; this match is their first. Raises InvalidRequest where it fails."""
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
            raise InvalidRequest(
                f"{player.name} cannot be made without arguments: {type(error).__name__}: {error}"
            ) from error


def _check(kind: type[Bot] | Bot, name: str, job: Job) -> None:
    if job.game not in kind.games:
        raise InvalidRequest(
            f"{name} does not play {job.game}; its class says games = "
            f"{tuple(kind.games)!r}: add it there, or take another --game."
        )
    if not kind.min_seats <= job.seats <= kind.max_seats:
        raise InvalidRequest(
            f"{name} plays at {kind.min_seats} to {kind.max_seats} seats, as its class says, not "
            f"at {job.seats}: take another --seats."
        )


def _chunk(
    job: Job,
    team: Team,
    chunk: Sequence[PlannedMatch],
    runner: asyncio.Runner,
    standing: Standing,
) -> Iterator[Outcome]:
    made = team.made(job.setup(chunk[0]).id)
    for planned in chunk:
        standing.begin(planned.position)
        seated = [made[entrant] for entrant in planned.seats]
        match = ObservedMatch(Match(job.setup(planned)), planned, seated, job.move_ms, standing)
        runner.run(match.play())
        standing.end()
        runner.run(_settled(made))
        yield _outcome(job, match)


async def _settled(seated: Sequence[Seated]) -> None:
    """What bots in jails wrote in the match is told: this process may be ended after it."""
    for each in seated:
        if isinstance(each.bot, JailedBot):
            await each.bot.settle()


def _outcome(job: Job, observed: ObservedMatch) -> Outcome:
    match, result = observed.match, observed.match.result
    forfeited = tuple(fault is not None for fault in result.faults)
    wanted = job.keep == "all" or observed.reports
    rounds = match.game.rounds
    return Outcome(
        Played(observed.planned, result.points, result.ranks, forfeited),
        result.winners,
        tuple(map(sum, zip(*(log.penalties for log in rounds), strict=True))),
        len(rounds),
        tuple(observed.decisions),
        tuple(observed.thought_ns),
        tuple(observed.reports),
        json.dumps(export(match)) if wanted else "",
    )
