"""Faults of the bots, grouped, with counts and the command that repeats them."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.base.text import plural
from arena.kit.play.job import MOST_UNANSWERED, FaultReport, PlayedMatch
from arena.kit.players import Player

MOST = 20  # groups


@dataclass(slots=True)
class FaultGroup:
    """Equal faults of one player: the first report, the record of its match, and counts."""

    first: FaultReport
    record: str
    count: int = 0
    matches: int = 0


class FaultLog:
    """The faults of all matches. Add matches in scheduled order."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.others = 0  # faults beyond MOST groups
        self._players = players
        self._groups: dict[tuple[int, str, str], FaultGroup] = {}
        # By entrant: unanswered decisions, matches with one, matches.
        self._unanswered = Counter[int]()
        self._affected = Counter[int]()
        self._matches = Counter[int]()

    def add(self, outcome: PlayedMatch) -> None:
        in_this_match = set()
        self._matches.update(outcome.planned.seats)
        self._affected.update({each.entrant for each in outcome.faults if each.unanswered})
        for report in outcome.faults:
            self._unanswered[report.entrant] += report.unanswered
            key = report.entrant, report.kind or "", report.place
            if key not in self._groups and len(self._groups) >= MOST:
                self.others += 1
                continue
            group = self._groups.setdefault(key, FaultGroup(report, outcome.record))
            group.count += 1
            in_this_match.add(key)
        for key in in_this_match:
            self._groups[key].matches += 1

    @property
    def hopeless(self) -> str:
        """A bot that gives no answers in at least half of its matches, or ""."""
        for entrant, count in self._unanswered.items():
            if count >= MOST_UNANSWERED and 2 * self._affected[entrant] >= self._matches[entrant]:
                return self._players[entrant].name
        return ""

    @property
    def groups(self) -> list[FaultGroup]:
        """All groups, the most frequent first."""
        return sorted(self._groups.values(), key=lambda group: -group.count)

    @property
    def records(self) -> list[str]:
        """The record of each group's match, without duplicates."""
        return list(dict.fromkeys(group.record for group in self.groups))

    def as_json(self, file: Path) -> Iterator[dict[str, object]]:
        for group in self.groups:
            report = group.first
            yield {
                "player": self._players[report.entrant].name,
                "kind": report.kind,
                "count": group.count,
                "matches": group.matches,
                "match": report.match,
                "decision": report.number,
                "reason": report.reason,
                "traceback": report.traceback,
                "view": report.view,
                "debug": self.debug_command(group, file),
            }

    def debug_command(self, group: FaultGroup, file: Path) -> str:
        """Return the command that repeats the decision, or "" for a hook."""
        report = group.first
        if report.kind is None:
            return ""
        player = self._players[report.entrant]
        step = not (report.traceback or report.unanswered or player.program)
        return debug_command(file, report.match, report.number, player.source, step)

    def lines(self, file: Path) -> Iterator[str]:
        for group in self.groups:
            yield from self._lines_of(group, file)
        if self.others:
            yield f"... and {self.others:,} other faults."

    def _lines_of(self, group: FaultGroup, file: Path) -> Iterator[str]:
        report = group.first
        name = self._players[report.entrant].name
        kind = f"fault ({report.kind})" if report.kind else "exception in a hook (not a fault)"
        yield ""
        yield f"{name}: {kind}, {_times(group)}. {report.reason}"
        yield from _indented(report.traceback)
        if report.view:
            yield f"  first in match {report.match}, decision {report.number}:"
            yield from _indented(report.view, 4)
        if command := self.debug_command(group, file):
            yield "  to debug it:"
            yield f"    {command}"


def debug_command(file: Path, match: str, decision: int, source: str, step: bool) -> str:
    """Return the command that repeats a decision; `step` is for faults without a traceback."""
    words = ["arena", "debug", str(file), "--match", match, "--decision", str(decision)]
    return shlex.join([*words, "--bot", source, *(["--step"] if step else [])])


def _times(group: FaultGroup) -> str:
    times = "once" if group.count == 1 else f"{group.count:,} times"
    return f"{times} in {plural(group.matches, 'match', 'matches')}"


def _indented(text: str, by: int = 2) -> Iterator[str]:
    return (f"{' ' * by}{line}" for line in text.splitlines())
