"""The verdict on a test: results, answer times and faults of the bot."""

from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from arena.games.match import Match
from arena.games.packed_log import PackedDecision
from arena.games.rules.view import View
from arena.store.matches.matches import StoredMatch
from dashboard.bots.profile.replayed import logged

# Advice for the author, by kind of fault; shown after the reason.
ADVICE = {
    "illegal": "Answer with one of the legal actions of the decision, or its index.",
    "timeout": "The clock runs from sending the decision to receiving the answer. Decisions sent "
    "together, because the bot accepts several matches at once, share that time.",
    "disconnect": "The program exited, or was disconnected for longer than the grace time. "
    "See its last output for the reason.",
    "error": "Your program raised this; the traceback is on its stderr.",
}

# Advice for hosted bots.
HOSTED_ADVICE = {
    **ADVICE,
    "timeout": "The clock counts the CPU time the bot's process has used since its last answer. A "
    "match also has a budget of wall time for waiting without computing.",
    "error": "Your program raised this; the traceback is in its output, on the page of the bot's "
    "runs.",
}


@dataclass(frozen=True)
class TrialVerdict:
    """All matches of a test; times are in microseconds, None if the bot was never asked."""

    questions: int
    troubles: list[dict[str, Any]]  # faults with their decisions, and advice for the author
    usual_us: int | None  # the median
    longest_us: int | None
    forfeited: int  # matches
    matches: int
    won: int  # of them, alone or shared
    mean_points: float | None

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(trouble["kind"] for trouble in self.troubles))


def verdict(matches: list[StoredMatch], player: int, *, hosted: bool = False) -> TrialVerdict:
    troubles: list[dict[str, Any]] = []
    latencies: list[int] = []
    seats = [[each.player for each in stored.seats].index(player) for stored in matches]
    own = [stored.seats[seat] for stored, seat in zip(matches, seats, strict=True)]
    for stored, seat in zip(matches, seats, strict=True):
        match = Match(stored.setup)
        for step in logged(match, stored.log):
            view = match.decision
            if view is None or view.seat != seat:
                continue
            latencies.append(step.latency_us)
            if step.fault is not None:
                troubles.append(_trouble(stored, view, step, hosted))
    return TrialVerdict(
        questions=len(latencies),
        troubles=troubles,
        usual_us=round(median(latencies)) if latencies else None,
        longest_us=max(latencies, default=None),
        forfeited=sum(each.forfeited for each in own),
        matches=len(own),
        won=sum(each.rank == 1 and not each.forfeited for each in own),
        mean_points=mean(each.points for each in own) if own else None,
    )


def _trouble(stored: StoredMatch, view: View, step: PackedDecision, hosted: bool) -> dict[str, Any]:
    note = next((n for n in stored.notes if n.seat == view.seat and n.number == view.number), None)
    return {
        "match": stored.id,
        "number": view.number,
        "kind": str(step.fault),
        "reason": note.reason if note else "",
        "instead": note.instead if note else "",
        "legal_actions": view.actions,
        "forfeits": step.forfeited,
        "advice": (HOSTED_ADVICE if hosted else ADVICE).get(str(step.fault), ""),
    }
