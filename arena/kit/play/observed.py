"""A match in this process that is watched: how long bots think, and what goes wrong in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from arena.durations import latency
from arena.kit.homes import Home
from arena.kit.play.outcome import FaultReport
from arena.kit.play.shown import place_of, traceback_from_bot, view_in_short
from arena.kit.play.standing import Standing
from arena.kit.seeding import seed_for_decision, seed_for_hook
from arena.match import Fault, FaultKind, Match
from arena.pairing import PlannedMatch
from arena.rules import View
from arena.sdk import Bot
from arena.sdk.answer import ToldElsewhere, answer, call
from arena.sdk.local import LocalMatch


@dataclass(frozen=True, slots=True)
class Seated:
    """A bot with its home; a house bot has none."""

    bot: Bot
    home: Home | None


class ObservedMatch(LocalMatch):
    """One planned match. `standing` is told who is about to decide."""

    def __init__(
        self,
        match: Match,
        planned: PlannedMatch,
        seated: Sequence[Seated],
        move_ms: int | None,
        standing: Standing,
    ) -> None:
        super().__init__(match, [each.bot for each in seated])
        self.planned = planned
        self.reports: list[FaultReport] = []
        self.decisions = [0] * len(seated)
        self.thought_ns = [0] * len(seated)
        self._homes = [each.home for each in seated]
        self._limit_us = move_ms and move_ms * 1000
        self._standing = standing

    async def ask(self, view: View) -> Fault | None:
        """Has the deciding bot decide, by the clock."""
        seat = view.seat
        self._standing.ask(self.planned.seats[seat], view.number, self.match)
        if self._enter(seat):
            seed_for_decision(view)
        error: Exception | None = None
        given: str | int = ""
        begun = perf_counter_ns()
        try:
            given = await answer(self.bots[seat], view)
        except Exception as raised:
            # Any exception of the bot is its fault, as in the arena.
            error = raised
        spent = perf_counter_ns() - begun
        self.decisions[seat] += 1
        self.thought_ns[seat] += spent
        fault = self._take(given, error, spent // 1000)
        if fault is not None:
            self._report(seat, fault.kind, view, fault.reason, error)
        return fault

    def _take(self, given: str | int, error: Exception | None, spent_us: int) -> Fault | None:
        if isinstance(error, ToldElsewhere):
            return self.match.fail(error.kind, str(error), spent_us)
        if error is not None:
            return self.match.fail("error", f"{type(error).__name__}: {error}", spent_us)
        if self._limit_us and spent_us > self._limit_us:
            reason = f"The answer took {latency(spent_us)}, over {latency(self._limit_us)}."
            return self.match.fail("timeout", reason, spent_us)
        return self.match.answer(given, spent_us)

    async def notify(self, seat: int, hook: Callable[[Any], Any], notice: object) -> None:
        """Calls a hook that the bot has of its own; an exception of it is reported."""
        if getattr(hook, "__func__", None) is Bot.on_fault:
            return  # its line on stderr is for who watches one match
        if self._enter(seat):
            seed_for_hook(self.keys[seat], self.match.setup.id, hook, self.rounds)
        try:
            await call(hook, notice)
        except Exception as error:
            reason = f"{getattr(hook, '__name__', 'a hook')} raised {type(error).__name__}."
            self._report(seat, None, None, reason, error)

    def _enter(self, seat: int) -> bool:
        """Makes imports those of the bot in a seat; whether it is somebody's own."""
        home = self._homes[seat]
        if home is None:
            return False
        home.enter()
        return True

    def _report(
        self,
        seat: int,
        kind: FaultKind | None,
        view: View | None,
        reason: str,
        error: Exception | None,
    ) -> None:
        if isinstance(error, ToldElsewhere):
            error = None  # what it would show is not the bot's code
        self.reports.append(
            FaultReport(
                self.planned.position,
                self.match.setup.id,
                self.planned.seats[seat],
                kind,
                view.number if view else 0,
                reason,
                traceback_from_bot(error) if error else "",
                place_of(error) if error else "",
                view_in_short(view) if view else "",
            )
        )
