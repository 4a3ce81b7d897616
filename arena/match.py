"""A match, sans-IO: it says which decision it waits for and takes the answer.

    match = Match(setup)
    while match.decision:                           # a View, or None when the match is over
        match.answer("play 4")                      # or match.fail("timeout", "...")
    match.result

The same object serves workers, the local harness, replays and tests. It never waits, sleeps,
reads a clock or draws chance. Decisions with one legal action are not asked; they are carried
out and logged like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from arena.rules import View, game_class
from arena.rules.errors import BadAction, OutOfTurn

FaultKind = Literal["illegal", "timeout", "disconnect", "error"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits in a seat."""

    bot: str
    version: str = "1"


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """All that a match follows from, besides the players' decisions."""

    id: str
    game: str
    seed: bytes  # 16 bytes: the deal
    seats: tuple[Seat, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    fault_limit: int = 3  # faults of one seat at which it forfeits
    ruleset: str = ""  # of a match played before; the game's newest when empty


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; the game's default action was played instead."""

    seat: int
    number: int  # of the decision
    kind: FaultKind
    reason: str  # in words, for the bot's owner
    instead: str  # the action played, in notation
    forfeited: bool  # the limit is reached: the seat is asked nothing more and ranks last


class Asked(NamedTuple):
    """A decision that was asked of a bot, and what came of it."""

    number: int  # of the decision, counted over all seats, forced ones included
    action: int
    latency_us: int
    fault: FaultKind | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended; sequences are by seat."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]  # from 1, shared when equal; who forfeited ranks below all others
    winners: tuple[int, ...]  # seats
    faults: tuple[FaultKind | None, ...]  # the fault by which a seat forfeited


class Match:
    """One match in progress."""

    def __init__(self, setup: MatchSetup) -> None:
        """Deals and goes to the first decision. Raises RulesError for a setup that cannot be."""
        self.setup = setup
        kind = game_class(setup.game, setup.ruleset)
        self.game = kind(len(setup.seats), setup.seed, setup.options)
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.decision: View | None = None
        self._number = 0  # decisions so far, forced ones included
        self._fault_counts = [0] * len(setup.seats)
        self._forfeited: list[FaultKind | None] = [None] * len(setup.seats)
        self._go_on()

    def answer(self, action: str | int, latency_us: int = 0) -> Fault | None:
        """Takes the asked seat's action, in notation or by stable index.

        An action that is malformed or not offered is an `illegal` fault, which is returned.
        Raises OutOfTurn when the match is over.
        """
        view = self._asked_view()
        try:
            index = self.game.parse(action) if isinstance(action, str) else action
            self.game.apply(index)
        except BadAction as error:
            return self.fail("illegal", str(error), latency_us)
        self.asked.append(Asked(view.number, index, latency_us))
        self._go_on()
        return None

    def fail(
        self, kind: FaultKind, reason: str, latency_us: int = 0, forfeit: bool = False
    ) -> Fault:
        """Charges a fault to the asked seat; the game's default action is played instead.

        With `forfeit` the seat forfeits whatever the limit is, for a player who never came.
        Raises OutOfTurn when the match is over.
        """
        view = self._asked_view()
        self._fault_counts[view.seat] += 1
        forfeits = forfeit or self._fault_counts[view.seat] >= self.setup.fault_limit
        if forfeits:
            self._forfeited[view.seat] = kind
        action = self.game.default_action()
        instead = self.game.notation[action]
        fault = Fault(view.seat, view.number, kind, reason, instead, forfeits)
        self.faults.append(fault)
        self.game.apply(action)
        self.asked.append(Asked(view.number, action, latency_us, kind))
        self._go_on()
        return fault

    def _asked_view(self) -> View:
        if self.decision is None:
            raise OutOfTurn("The match is over.")
        return self.decision

    def _go_on(self) -> None:
        """Carries out what nobody is asked for, up to the next decision or the end."""
        game = self.game
        while not game.finished:
            self._number += 1
            if self._forfeited[game.seat]:
                game.apply(game.default_action())
            elif len(game.offered) == 1:
                game.apply(game.offered[0])
            else:
                self.decision = game.view(self.setup.id, self._number)
                return
        self.decision = None

    def fault_counts(self) -> tuple[int, ...]:
        """Faults, by seat."""
        return tuple(self._fault_counts)

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return self.decision is None

    @property
    def result(self) -> Result:
        """The result of a match that is over."""
        if not self.finished:
            raise OutOfTurn("The match is not over.")
        return result_of(self.game.points, self._forfeited)


def result_of(points: list[int], forfeited: list[FaultKind | None]) -> Result:
    """Fewest points win, equal ones share; who forfeited ranks below everyone who did not."""
    standing = [(fault is not None, held) for fault, held in zip(forfeited, points, strict=True)]
    ranks = tuple([1 + sum(other < mine for other in standing) for mine in standing])
    winners = [seat for seat, rank in enumerate(ranks) if rank == 1 and forfeited[seat] is None]
    return Result(tuple(points), ranks, tuple(winners), tuple(forfeited))
