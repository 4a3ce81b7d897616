"""What came of a test: did the bot play, how fast, and if something went wrong, what exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, median

from arena.match import Match
from arena.record import PackedDecision, unpack
from arena.rules.view import View
from arena.store.matches.matches import StoredMatch

# What the author can do about it; the reason stands before.
ADVICE = {
    "illegal": "An answer is one of the actions offered with the question, or its index.",
    "timeout": "The clock of a decision runs from when the question is sent until the answer is "
    "here. If several run at once because the bot declares a large max_in_flight, they share "
    "its time.",
    "disconnect": "The program ended, or lost its connection for longer than the grace time. "
    "What it printed last tells why.",
    "error": "This comes from your program: the same with a traceback is on its own stderr.",
}

# The same of a bot that the arena plays itself.
HOSTED_ADVICE = {
    **ADVICE,
    "timeout": "What counts is the CPU time that the bot's process used since its last answer.",
    "error": "This comes from your program: what it wrote then, with the traceback, is among the "
    "runs of the bot.",
}


@dataclass(frozen=True)
class Trouble:
    """One fault of the bot, and what it had been asked."""

    match: str
    number: int  # of the decision
    kind: str
    reason: str
    instead: str
    legal_actions: tuple[str, ...]
    forfeits: bool
    hosted: bool

    @property
    def advice(self) -> str:
        """What its author can do."""
        return (HOSTED_ADVICE if self.hosted else ADVICE).get(self.kind, "")


@dataclass(frozen=True)
class TrialVerdict:
    """All matches of a test together; times are microseconds, None where nothing was asked."""

    questions: int
    troubles: tuple[Trouble, ...]
    usual_us: int | None  # the median
    longest_us: int | None
    forfeited: int  # matches
    matches: int
    won: int  # of them, alone or shared
    mean_points: float | None

    @property
    def kinds(self) -> list[str]:
        """The kinds of faults, the first that happened first."""
        return list(dict.fromkeys(trouble.kind for trouble in self.troubles))


def verdict(matches: list[StoredMatch], player: int, *, hosted: bool = False) -> TrialVerdict:
    """What came of these matches for a player, which may be `hosted`."""
    troubles: list[Trouble] = []
    latencies: list[int] = []
    seats = [[each.player for each in stored.seats].index(player) for stored in matches]
    own = [stored.seats[seat] for stored, seat in zip(matches, seats, strict=True)]
    for stored, seat in zip(matches, seats, strict=True):
        for view, step in questions(stored):
            if view.seat != seat:
                continue
            latencies.append(step.latency_us)
            if step.fault is not None:
                troubles.append(_trouble(stored, view, step, hosted))
    return TrialVerdict(
        questions=len(latencies),
        troubles=tuple(troubles),
        usual_us=round(median(latencies)) if latencies else None,
        longest_us=max(latencies, default=None),
        forfeited=sum(each.forfeited for each in own),
        matches=len(own),
        won=sum(each.rank == 1 and not each.forfeited for each in own),
        mean_points=mean(each.points for each in own) if own else None,
    )


def questions(stored: StoredMatch) -> Iterator[tuple[View, PackedDecision]]:
    """Every question of a match, and what the log says of the answer."""
    match = Match(stored.setup)
    for step in unpack(stored.log):
        view = match.decision
        assert view is not None
        yield view, step
        if step.fault is None:
            match.answer(step.action, step.latency_us)
        else:
            match.fail(step.fault, "", step.latency_us, step.forfeited)


def _trouble(stored: StoredMatch, view: View, step: PackedDecision, hosted: bool) -> Trouble:
    note = next((n for n in stored.notes if n.seat == view.seat and n.number == view.number), None)
    return Trouble(
        match=stored.id,
        number=view.number,
        kind=str(step.fault),
        reason=note.reason if note else "",
        instead=note.instead if note else "",
        legal_actions=view.actions,
        forfeits=step.forfeited,
        hosted=hosted,
    )
