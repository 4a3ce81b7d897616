"""The state of a match in shared memory, which survives the end of its process, and the error for
a bot that ended it.

Times are from the monotonic clock, which all processes of a machine share.
"""

import json
import time
from multiprocessing.sharedctypes import RawArray
from typing import Any

from arena.base.errors import BotDied
from arena.games.match import Match, MatchSetup
from arena.games.record import export
from arena.kit.play.job import Job
from arena.tournaments.formats import PlannedMatch

NOBODY = -1
MOST = 1 << 15  # stored answers of a match
FAULT, FORFEIT = 1 << 8, 1 << 9  # flags added to the action


class MatchState:
    """A match, its deciding player and all earlier answers. One process writes, one reads."""

    def __init__(self) -> None:
        # Position, entrant, decision (0: a hook), answers, time of the last change in nanoseconds.
        self._where = RawArray("q", [NOBODY, NOBODY, 0, 0, 0])
        self._answers = RawArray("H", MOST)

    def begin(self, position: int) -> None:
        self._where[:] = [position, NOBODY, 0, 0, time.monotonic_ns()]

    def ask(self, entrant: int, number: int, match: Match) -> None:
        """Note that a player is about to decide."""
        kept = self._where[3]
        for entry in match.logged[kept:MOST]:
            self._answers[kept] = entry.action
            if entry.fault:
                forfeits = any(
                    fault.number == entry.number for fault in match.faults if fault.forfeited
                )
                self._answers[kept] |= FAULT | (FORFEIT if forfeits else 0)
            kept += 1
        # The time first: see `changed`.
        self._where[4] = time.monotonic_ns()
        self._where[1:4] = [entrant, number, kept]

    def call(self, entrant: int) -> None:
        """Note that a hook of a bot is about to be called."""
        self._where[4] = time.monotonic_ns()
        self._where[1:3] = [entrant, 0]

    def end(self) -> None:
        """Note that no bot's code is running."""
        self._where[1] = NOBODY
        self._where[4] = time.monotonic_ns()

    @property
    def changed(self) -> float:
        """Time of the last change, in seconds of the monotonic clock. Read `entrant` before this,
        so that the time is never older than that player's decision."""
        return float(self._where[4]) / 1e9

    @property
    def position(self) -> int:
        """The position of the match in the schedule."""
        return int(self._where[0])

    @property
    def entrant(self) -> int:
        """The deciding player, or NOBODY."""
        return int(self._where[1])

    @property
    def number(self) -> int:
        """The number of the decision; 0 in a hook."""
        return int(self._where[2])

    def match(self, setup: MatchSetup) -> Match:
        """Return the match at that decision, without the reasons of faults."""
        match = Match(setup)
        for answer in self._answers[: self._where[3]]:
            if answer & FAULT:
                match.fail("error", "", forfeit=bool(answer & FORFEIT))
            else:
                match.answer(answer)
        return match


class Unwatched(MatchState):
    """For a process that plays several matches at once with self-timed bots. Stores only the time
    of the last change."""

    def __init__(self, standing: MatchState) -> None:
        self._where = standing._where

    def begin(self, position: int) -> None:
        self.end()

    def ask(self, entrant: int, number: int, match: Match) -> None:
        self.end()

    def call(self, entrant: int) -> None:
        self.end()


class DiedDeciding(BotDied):
    """A bot ended the process during a decision. `record` is the match as JSON, completed."""

    def __init__(self, sentence: str, match: str, entrant: int, decision: int, record: str) -> None:
        super().__init__(sentence)
        self.match, self.entrant, self.decision, self.record = match, entrant, decision, record


def died_deciding(job: Job, planned: PlannedMatch, standing: MatchState, how: str) -> DiedDeciding:
    """Return the error, with the bot, the match and the decision."""
    setup = job.setup(planned)
    return DiedDeciding(
        f"The process of {job.players[standing.entrant].name} {how} in match {setup.id} (deal "
        f"{planned.deal + 1}, seed {setup.seed.hex()}) at decision {standing.number}.",
        setup.id,
        standing.entrant,
        standing.number,
        json.dumps(finished_without(standing.match(setup))),
    )


def finished_without(match: Match) -> dict[str, Any]:
    """Return the record of a match whose deciding bot forfeits, completed with default actions."""
    match.fail("disconnect", "The bot ended its process.", forfeit=True)
    while not match.finished:
        match.answer(match.game.default_action())
    return export(match)
