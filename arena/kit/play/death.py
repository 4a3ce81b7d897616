"""Errors for bots that end their process."""

from __future__ import annotations

import json
import signal
from typing import Any

from arena.base.errors import BotDied
from arena.games.match import Match
from arena.games.record import export
from arena.kit.play.job import Job
from arena.kit.play.standing import Standing
from arena.tournaments.formats import PlannedMatch


class DiedDeciding(BotDied):
    """A bot ended the process during a decision. `record` is the match as JSON, completed."""

    def __init__(self, sentence: str, match: str, entrant: int, decision: int, record: str) -> None:
        super().__init__(sentence)
        self.match, self.entrant, self.decision, self.record = match, entrant, decision, record


def died_deciding(job: Job, planned: PlannedMatch, standing: Standing, how: str) -> DiedDeciding:
    """Return the error, with the bot, the match and the decision."""
    setup = job.setup(planned)
    return DiedDeciding(
        f"{job.players[standing.entrant].name} ended its process {how} in match {setup.id} (deal "
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


def in_words(code: int | None) -> str:
    """Describe how a process ended, from its exit code."""
    if code is None:
        return "(it hangs)"
    if code >= 0:
        return f"(exit status {code})"
    return f"(killed by {signal.Signals(-code).name})"
