"""Where a process stands, in memory that is still there when a bot has ended the process."""

from __future__ import annotations

from multiprocessing.sharedctypes import RawArray

from arena.match import Match, MatchSetup

NOBODY = -1
MOST = 1 << 15  # answers of a match that are kept
FAULT, FORFEIT = 1 << 8, 1 << 9  # beside the action


class Standing:
    """A match, who is deciding in it, and all answers before. One process writes, one reads."""

    def __init__(self) -> None:
        self._where = RawArray("q", [NOBODY, NOBODY, 0, 0])  # position, entrant, decision, answers
        self._answers = RawArray("H", MOST)

    def begin(self, position: int) -> None:
        """A match begins."""
        self._where[:] = [position, NOBODY, 0, 0]

    def ask(self, entrant: int, number: int, match: Match) -> None:
        """Somebody is going to decide."""
        kept = self._where[3]
        for entry in match.logged[kept:MOST]:
            self._answers[kept] = entry.action
            if entry.fault:
                forfeits = any(
                    fault.number == entry.number for fault in match.faults if fault.forfeited
                )
                self._answers[kept] |= FAULT | (FORFEIT if forfeits else 0)
            kept += 1
        self._where[1:] = [entrant, number, kept]

    def end(self) -> None:
        """Nobody is deciding."""
        self._where[1] = NOBODY

    @property
    def position(self) -> int:
        """Of the match in the schedule."""
        return int(self._where[0])

    @property
    def entrant(self) -> int:
        """Who is deciding, or NOBODY."""
        return int(self._where[1])

    @property
    def number(self) -> int:
        """Of the decision."""
        return int(self._where[2])

    def match(self, setup: MatchSetup) -> Match:
        """The match at that decision. Why something was a fault is not kept."""
        match = Match(setup)
        for answer in self._answers[: self._where[3]]:
            if answer & FAULT:
                match.fail("error", "", forfeit=bool(answer & FORFEIT))
            else:
                match.answer(answer)
        return match
