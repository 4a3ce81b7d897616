"""A sans-IO match: it presents a decision and takes the answer.

    match = Match(setup)
    while match.decision:                           # a View, or None when the match is over
        match.answer("play 4")                      # or match.fail("timeout", "...")
    match.result

Workers, the local harness, replays and tests all use this class. It never waits, reads a clock
or uses randomness. A decision with a single legal action is forced: it is carried out without
asking the player, and belongs to the round's moves like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from arena.games.rules import View, game_class
from arena.games.rules.errors import BadAction, OutOfTurn
from arena.games.rules.rows import match_bytes

FaultKind = Literal["illegal", "timeout", "disconnect", "error"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


@dataclass(frozen=True, slots=True)
class Seat:
    """The bot version in a seat."""

    bot: str
    version: str = "1"


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """Everything that determines a match except the players' decisions."""

    id: str
    game: str
    seed: bytes  # 16 bytes; determines the deal
    seats: tuple[Seat, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    fault_limit: int = 3  # a seat forfeits at this many faults
    ruleset: str = ""  # for replaying older matches; empty: the game's newest


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault. The game's default action was played instead."""

    seat: int
    number: int  # number of the decision
    kind: FaultKind
    reason: str  # a sentence for the bot's owner
    instead: str  # the action played, in notation
    forfeited: bool  # the seat forfeits: it gets no more decisions and ranks last


class LoggedDecision:
    """A decision that a bot was asked, with the action played."""

    # Not a dataclass or tuple: when compiled, creating those takes five times as long.
    __slots__ = ("action", "fault", "latency_us", "number")

    def __init__(
        self, number: int, action: int, latency_us: int, fault: FaultKind | None = None
    ) -> None:
        """`number` is the decision's number, over all seats and including forced ones."""
        self.number, self.action, self.latency_us, self.fault = number, action, latency_us, fault


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match; sequences are by seat."""

    points: tuple[int, ...]
    ranks: tuple[int, ...]  # from 1; ties share a rank; forfeited seats rank below all others
    winners: tuple[int, ...]  # seats
    faults: tuple[FaultKind | None, ...]  # the kind of fault at which a seat forfeited


class Match:
    """A match in progress."""

    def __init__(self, setup: MatchSetup) -> None:
        """Deals and advances to the first decision. Raises RulesError for an invalid setup."""
        self.setup = setup
        kind = game_class(setup.game, setup.ruleset)
        self.game = kind(len(setup.seats), setup.seed, setup.options)
        self.logged: list[LoggedDecision] = []
        self.faults: list[Fault] = []
        self._view: View | None = None  # cache of `decision`
        self._pending = False
        self._number = 0  # decisions so far, forced ones included
        self._fault_counts = [0] * len(setup.seats)
        self._forfeited: list[FaultKind | None] = [None] * len(setup.seats)
        self._advance()

    @property
    def decision(self) -> View | None:
        """The pending decision; None when the match is over."""
        # Created on demand: replays do not need views, which would take a third of their time.
        if self._view is None and self._pending:
            self._view = self.game.view(self.setup.id, self._number)
        return self._view

    def packed(self) -> tuple[bytes, bytes] | None:
        """Returns the pending decision as a row of bytes, with the round's moves
        (`arena.games.rules.packed`); None if it does not fit into a row."""
        if not self.game.most_legal:
            return None
        try:
            return self.game.packed(match_bytes(self.setup.id), self._number)
        except ValueError:
            return None

    def answer(self, action: str | int, latency_us: int = 0) -> Fault | None:
        """Takes the deciding seat's action, in notation or as an index. Returns the fault if the
        action is malformed or illegal, else None. Raises OutOfTurn when the match is over."""
        self._check_pending()
        try:
            index = self.game.parse(action) if isinstance(action, str) else action
            self.game.apply(index)
        except BadAction as error:
            return self.fail("illegal", str(error), latency_us)
        self.logged.append(LoggedDecision(self._number, index, latency_us))
        self._advance()
        return None

    def fail(
        self, kind: FaultKind, reason: str, latency_us: int = 0, forfeit: bool = False
    ) -> Fault:
        """Charges a fault to the deciding seat and plays the game's default action.

        With `forfeit`, the seat forfeits at once regardless of the limit, for absent players.
        Raises OutOfTurn when the match is over.
        """
        self._check_pending()
        seat = self.game.seat
        self._fault_counts[seat] += 1
        forfeits = forfeit or self._fault_counts[seat] >= self.setup.fault_limit
        if forfeits:
            self._forfeited[seat] = kind
        action = self.game.default_action()
        instead = self.game.notation[action]
        fault = Fault(seat, self._number, kind, reason, instead, forfeits)
        self.faults.append(fault)
        self.game.apply(action)
        self.logged.append(LoggedDecision(self._number, action, latency_us, kind))
        self._advance()
        return fault

    def _check_pending(self) -> None:
        if not self._pending:
            raise OutOfTurn("The match is over.")

    def _advance(self) -> None:
        """Plays forced moves and moves of forfeited seats, up to a decision or the end."""
        game = self.game
        self._view = None
        while not game.finished:
            self._number += 1
            if self._forfeited[game.seat]:
                game.apply(game.default_action())
            elif len(game.legal_actions) == 1:
                game.apply(game.legal_actions[0])
            else:
                self._pending = True
                return
        self._pending = False

    def fault_counts(self) -> tuple[int, ...]:
        """Returns the number of faults, by seat."""
        return tuple(self._fault_counts)

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return not self._pending

    @property
    def result(self) -> Result:
        """The result. Raises OutOfTurn while the match is in progress."""
        if not self.finished:
            raise OutOfTurn("The match is not over.")
        return result_of(self.game.points, self._forfeited)


def result_of(points: list[int], forfeited: list[FaultKind | None]) -> Result:
    """Ranks seats by fewest points; ties share. Forfeited seats rank below all others."""
    standing = [(fault is not None, held) for fault, held in zip(forfeited, points, strict=True)]
    ranks = tuple([1 + sum(other < mine for other in standing) for mine in standing])
    winners = [seat for seat, rank in enumerate(ranks) if rank == 1 and forfeited[seat] is None]
    return Result(tuple(points), ranks, tuple(winners), tuple(forfeited))
