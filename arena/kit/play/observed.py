"""A match in this process, with the bots' times and faults."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from arena.base.text import latency
from arena.games.match import Fault, FaultKind, Match
from arena.games.rules import View
from arena.kit.homes import Home
from arena.kit.play.job import FaultReport, no_answer, patience_s
from arena.kit.play.standing import MatchState
from arena.kit.seeding import seed_for_decision, seed_for_hook
from arena.sdk import Bot
from arena.sdk.answer import BadAnswer, ToldElsewhere, call, is_ours, own_frames, own_traceback
from arena.sdk.asking import answer
from arena.sdk.local import LocalMatch
from arena.tournaments.formats import PlannedMatch


@dataclass(frozen=True, slots=True)
class Seated:
    """A bot with its home, which is None for house bots."""

    bot: Bot
    home: Home | None


class SelfTimed(Bot):
    """A bot that measures its own time, without the start of its process."""

    spent_ns = 0


class ObservedMatch(LocalMatch):
    """One planned match, with its state in `standing`. `unanswered` has entrants and decision
    numbers at which a bot hung before. They are not asked again."""

    def __init__(
        self,
        match: Match,
        planned: PlannedMatch,
        seated: Sequence[Seated],
        move_ms: int | None,
        standing: MatchState,
        unanswered: Sequence[tuple[int, int]] = (),
    ) -> None:
        super().__init__(match, [each.bot for each in seated])
        self.planned = planned
        self.reports: list[FaultReport] = []
        self.decisions = [0] * len(seated)
        self.thought_ns = [0] * len(seated)
        self._homes = [each.home for each in seated]
        self._move_ms = move_ms
        self._standing = standing
        self._unanswered = sorted(unanswered, key=lambda each: each[1])

    async def ask(self, view: View) -> Fault | None:
        """Ask the deciding bot and measure its time."""
        seat = view.seat
        if self._gave_no_answer(view):
            return self._give_up(view)
        self._standing.ask(self.planned.seats[seat], view.number, self.match)
        if self._enter(seat):
            seed_for_decision(view)
        error: Exception | None = None
        given: str | int = ""
        begun = perf_counter_ns()
        try:
            given = await answer(self.bots[seat], view)
        except Exception as raised:
            error = raised
        spent = perf_counter_ns() - begun
        if isinstance(bot := self.bots[seat], SelfTimed):
            spent = bot.spent_ns
        self._standing.end()
        self.decisions[seat] += 1
        self.thought_ns[seat] += spent
        fault = self._take(given, error, spent // 1000)
        if fault is not None:
            self._report(seat, fault.kind, view, fault.reason, error)
        return fault

    def _gave_no_answer(self, view: View) -> bool:
        """Whether the bot hung at this decision before. The numbers of a nondeterministic bot may
        differ, so its next decision counts."""
        for each in self._unanswered:
            if each[0] == self.planned.seats[view.seat] and each[1] <= view.number:
                self._unanswered.remove(each)
                return True
        return False

    def _give_up(self, view: View) -> Fault:
        spent_ns = round(1e9 * patience_s(self._move_ms))
        self.decisions[view.seat] += 1
        self.thought_ns[view.seat] += spent_ns
        fault = self.match.fail("timeout", no_answer(self._move_ms), spent_ns // 1000)
        self._report(view.seat, fault.kind, view, fault.reason, None, unanswered=True)
        return fault

    def _take(self, given: str | int, error: Exception | None, spent_us: int) -> Fault | None:
        if isinstance(error, ToldElsewhere):
            return self.match.fail(error.kind, str(error), spent_us)
        if error is not None:
            return self.match.fail("error", f"{type(error).__name__}: {error}", spent_us)
        limit_us = self._move_ms and 1000 * self._move_ms
        if limit_us and spent_us > limit_us:
            reason = f"The answer took {latency(spent_us)}, over {latency(limit_us)}."
            return self.match.fail("timeout", reason, spent_us)
        return self.match.answer(given, spent_us)

    async def notify(self, seat: int, hook: Callable[[Any], Any], notice: object) -> None:
        """Call a hook and report its exception, if any."""
        if getattr(hook, "__func__", None) is Bot.on_fault:
            return  # the default hook only prints a line
        if self._enter(seat):
            seed_for_hook(self.keys[seat], self.match.setup.id, hook, self.rounds)
        self._standing.call(self.planned.seats[seat])
        try:
            await call(hook, notice)
        except Exception as error:
            reason = f"{getattr(hook, '__name__', 'a hook')} raised {type(error).__name__}."
            self._report(seat, None, None, reason, error)
        finally:
            self._standing.end()

    def _enter(self, seat: int) -> bool:
        """Switch imports to the bot's home. Returns False for a house bot."""
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
        *,
        unanswered: bool = False,
    ) -> None:
        shown, place = "", "no answer" * unanswered
        if isinstance(error, ToldElsewhere):  # its traceback does not show the bot's code
            shown = f"Output of the program:\n{error.output}" * bool(error.output)
            place, unanswered = str(error) * bool(error.output), error.unanswered
        elif error:
            shown, place = traceback_from_bot(error), place_of(error)
        self.reports.append(
            FaultReport(
                self.planned.position,
                self.match.setup.id,
                self.planned.seats[seat],
                kind,
                view.number if view else 0,
                reason,
                shown,
                place,
                view_in_short(view) if view else "",
                unanswered,
            )
        )


def view_in_short(view: View) -> str:
    by_seat = " ".join(map(str, view.points))
    lines = [f"round {view.round}, {view.ask}, seat {view.seat} of {view.seats}, points {by_seat}"]
    if view.rows:
        rows = " | ".join(" ".join(row) or "-" for row in view.rows)
        lines.append(f"rows {rows}; llama row {' '.join(view.llama_row)}")
        if view.dice:
            lines.append(f"dice {' '.join(view.dice)}")
    else:
        sizes = " ".join(map(str, view.hand_sizes))
        lines.append(
            f"hand {' '.join(view.hand) or '-'}; top {view.top}; hand sizes {sizes}; "
            f"pile {view.pile}"
        )
    lines.append(f"actions {', '.join(view.actions)}")
    return "\n".join(lines)


def traceback_from_bot(error: BaseException) -> str:
    """Return the bot's part of the traceback; "" if only the answer is wrong."""
    if isinstance(error, BadAnswer):
        return ""
    return own_traceback(error).rstrip("\n")


def place_of(error: BaseException) -> str:
    """Return the exception's class and the line of the bot's code."""
    frames = traceback.extract_tb(own_frames(error))
    last = next((f for f in reversed(frames) if not is_ours(f.filename)), None)
    where = f"{last.filename}:{last.lineno}" if last else ""
    return f"{type(error).__name__} {where}"
