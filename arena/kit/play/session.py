"""One run of the command: its matches in order, with the bar, the records and the faults."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO

from arena import __version__
from arena.base.durations import duration
from arena.base.errors import BotDied, InvalidRequest
from arena.base.text import plural
from arena.kit.play.bar import Bar
from arena.kit.play.building import with_packages
from arena.kit.play.death import DiedDeciding
from arena.kit.play.fault_log import FaultLog, debug_command
from arena.kit.play.outcome import Outcome
from arena.kit.play.patience import MOST_UNANSWERED
from arena.kit.play.plan import Plan
from arena.kit.play.pool import Pool
from arena.kit.text import listed
from arena.tournaments.formats import PlannedMatch


class Hopeless(Exception):
    """A bot gives no answers; says which."""


class Session:
    """What is played, where its records go, and what went wrong."""

    def __init__(
        self, plan: Plan, jobs: int, out: Path | None, fault_records: Path, as_json: bool
    ) -> None:
        self.plan = plan
        self.as_json = as_json
        self.faults = FaultLog(plan.players)
        self.interrupted = False
        self.stopped = ""  # why the run ended early, as a sentence
        self._waited_for: list[str] = []
        self._jobs = min(jobs, plan.matches)
        self._out = out
        self._fault_records = fault_records
        self._begun = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._begun

    @contextmanager
    def playing(self, words: Callable[[], str] = str) -> Iterator[Iterator[Outcome]]:
        """All matches as they are played, in scheduled order; at the end of the context, or with
        Ctrl-C, whoever plays stops.

        What is taken counts: its record is written and its faults are noted. `words` are shown
        behind the bar. Raises ArenaError.
        """
        with ExitStack() as stack:
            out = stack.enter_context(_open(self._out)) if self._out else None
            job = stack.enter_context(with_packages(self.plan.job))
            pool = stack.enter_context(Pool(job, self._jobs))
            bar = stack.enter_context(Bar(self.plan.matches))
            try:
                played = in_order(
                    self.plan.chunks(), lambda chunks: bar.over(pool.play(chunks), words)
                )
                yield self._taken(played, out)
            except KeyboardInterrupt:
                self.interrupted = True
                self._waited_for = pool.waits_for()
            except Hopeless as hopeless:
                self.stopped = (
                    f"{hopeless} gave no answer {MOST_UNANSWERED} times, so the run was stopped."
                    " Deals that were complete count."
                )
            except DiedDeciding as died:
                raise BotDied(f"{died} To look into it: {self._look_into(died, out)}") from None

    def _look_into(self, died: DiedDeciding, out: IO[str] | None) -> str:
        """Writes the match in which a bot died; returns the command that asks it once more."""
        with nullcontext(out) if out else _open(self._fault_records) as file:
            file.write(f"{died.record}\n")
        source = self.plan.players[died.entrant].source
        return debug_command(self.records, died.match, died.decision, source, step=True)

    def _taken(self, outcomes: Iterator[Outcome], out: IO[str] | None) -> Iterator[Outcome]:
        for outcome in outcomes:
            if out:
                out.write(f"{outcome.record}\n")
            self.faults.add(outcome)
            yield outcome
            if self.faults.hopeless:
                raise Hopeless(self.faults.hopeless)

    @property
    def records(self) -> Path:
        """Where matches with faults are to be found."""
        return self._out or self._fault_records

    def save_faults(self) -> None:
        """Writes the matches that bots failed in, if all are not written anyway."""
        if self.faults.groups and self._out is None:
            with _open(self._fault_records) as file:
                file.writelines(f"{record}\n" for record in self.faults.records)

    def what_was_played(self, deals: int, matches: int) -> str:
        """In a sentence, with what repeats it."""
        spec = self.plan.spec
        options = [f"{name}={value}" for name, value in self.plan.changed_options.items()]
        game = listed([spec.game, *options])
        return (
            f"{game}, {spec.seats} seats: {plural(deals, 'deal')}, "
            f"{plural(matches, 'match', 'matches')} in {duration(self.seconds)}; "
            f"repeat with --seed {self.plan.seed}."
        )

    def about(self, deals: int, matches: int) -> dict[str, object]:
        """The same for programs."""
        spec = self.plan.spec
        return {
            "arena": __version__,
            "game": spec.game,
            "options": dict(spec.options),
            "seats": spec.seats,
            "seed": self.plan.seed,
            "deals": deals,
            "matches": matches,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "stopped": self.stopped,
            "players": {player.name: player.source for player in self.plan.players},
            "faults": list(self.faults.as_json(self.records)),
        }

    def end(self) -> int:
        """The exit status."""
        if self.stopped:
            sys.stderr.write(f"Error: {self.stopped}\n")
            return 2
        if self.interrupted:
            thinking = f"; {listed(self._waited_for)} had to decide" if self._waited_for else ""
            sys.stderr.write(f"Interrupted: deals that were complete count{thinking}.\n")
            return 130
        return 0


def _open(file: Path) -> IO[str]:
    """Raises InvalidRequest where it cannot be written."""
    try:
        return file.open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written: {error.strerror}.") from None


def in_order(
    chunks: Iterable[Sequence[PlannedMatch]],
    play: Callable[[Iterable[Sequence[PlannedMatch]]], Iterable[Outcome]],
) -> Iterator[Outcome]:
    """What `play` makes of chunks, in the order of the matches in these."""
    awaited: deque[int] = deque()
    early: dict[int, Outcome] = {}

    def noted() -> Iterator[Sequence[PlannedMatch]]:
        for chunk in chunks:
            awaited.extend(match.position for match in chunk)
            yield chunk

    for outcome in play(noted()):
        early[outcome.planned.position] = outcome
        while awaited and awaited[0] in early:
            yield early.pop(awaited.popleft())
