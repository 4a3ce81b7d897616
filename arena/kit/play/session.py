"""One run of the command: matches in order, progress, records and faults."""

import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO

from arena import __version__
from arena.base.errors import BotDied, InvalidRequest
from arena.base.text import duration, plural
from arena.kit.play.bar import Bar
from arena.kit.play.fault_log import FaultLog, debug_command
from arena.kit.play.job import MOST_UNANSWERED, PlayedMatch
from arena.kit.play.plan import Plan
from arena.kit.play.pool import Pool
from arena.kit.play.standing import DiedDeciding
from arena.tournaments.formats import PlannedMatch


class Hopeless(Exception):
    """A bot gives no answers. The message is its name."""


class Session:
    """A run: its plan, its record files and its faults."""

    def __init__(
        self, plan: Plan, jobs: int, out: Path | None, fault_records: Path, as_json: bool
    ) -> None:
        self.plan = plan
        self._as_json = as_json
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
        return time.monotonic() - self._begun

    @contextmanager
    def playing(self, words: Callable[[], str] = str) -> Iterator[Iterator[PlayedMatch]]:
        """Yield an iterator over all matches in scheduled order. Play ends with the context or
        Ctrl-C.

        The records and faults of consumed matches are stored. `words` is shown after the bar.
        Raises ArenaError.
        """
        with ExitStack() as stack:
            out = stack.enter_context(_open(self._out)) if self._out else None
            job = self.plan.job
            if job.sandbox:
                from arena.kit.play.sandboxed import with_packages  # slow to import

                job = stack.enter_context(with_packages(job))
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
                    f"The run was stopped, because {hopeless} gave no answer {MOST_UNANSWERED}"
                    " times. Complete deals count."
                )
            except DiedDeciding as died:
                raise BotDied(f"{died} To debug it: {self._debug_command(died, out)}") from None

    def _debug_command(self, died: DiedDeciding, out: IO[str] | None) -> str:
        """Write the match in which a bot died and return the command that repeats the decision."""
        with nullcontext(out) if out else _open(self._fault_records) as file:
            file.write(f"{died.record}\n")
        source = self.plan.players[died.entrant].source
        return debug_command(self.records, died.match, died.decision, source, step=True)

    def _taken(self, outcomes: Iterator[PlayedMatch], out: IO[str] | None) -> Iterator[PlayedMatch]:
        for outcome in outcomes:
            if out:
                out.write(f"{outcome.record}\n")
            self.faults.add(outcome)
            yield outcome
            if self.faults.hopeless:
                raise Hopeless(self.faults.hopeless)

    @property
    def records(self) -> Path:
        """The file with the records of matches with faults."""
        return self._out or self._fault_records

    def what_was_played(self, deals: int, matches: int) -> str:
        """Return a summary with the seed."""
        spec = self.plan.spec
        options = [f"{name}={value}" for name, value in self.plan.changed_options.items()]
        game = ", ".join([spec.game, *options])
        return (
            f"{game}, {spec.seats} seats: {plural(deals, 'deal')}, "
            f"{plural(matches, 'match', 'matches')} in {duration(self.seconds)}; "
            f"repeat with --seed {self.plan.seed}."
        )

    def about(self, deals: int, matches: int) -> dict[str, object]:
        """Return the same as JSON."""
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

    def end(self, as_json: Callable[[], dict[str, object]], lines: Iterator[str]) -> int:
        """Write the matches with faults, unless all matches are written. Print the result, and why
        the run ended early, if it did. Returns the exit status."""
        if self.faults.groups and self._out is None:
            with _open(self._fault_records) as file:
                file.writelines(f"{record}\n" for record in self.faults.records)
        if self._as_json:
            print(json.dumps(as_json(), indent=2))
        else:
            for line in lines:
                print(line)
        if self.stopped:
            sys.stderr.write(f"Error: {self.stopped}\n")
            return 2
        if self.interrupted:
            waited = f" Waiting for {', '.join(self._waited_for)}." if self._waited_for else ""
            sys.stderr.write(f"Interrupted. Complete deals count.{waited}\n")
            return 130
        return 0


def _open(file: Path) -> IO[str]:
    """Open a file for writing. Raises InvalidRequest."""
    try:
        return file.open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written: {error.strerror}.") from None


def in_order(
    chunks: Iterable[Sequence[PlannedMatch]],
    play: Callable[[Iterable[Sequence[PlannedMatch]]], Iterable[PlayedMatch]],
) -> Iterator[PlayedMatch]:
    """Yield the outcomes of `play` in the order of the matches in `chunks`."""
    awaited: deque[int] = deque()
    early: dict[int, PlayedMatch] = {}

    def noted() -> Iterator[Sequence[PlannedMatch]]:
        for chunk in chunks:
            awaited.extend(match.position for match in chunk)
            yield chunk

    for outcome in play(noted()):
        early[outcome.planned.position] = outcome
        while awaited and awaited[0] in early:
            yield early.pop(awaited.popleft())
