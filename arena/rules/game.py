"""What every game of the family has: seats, points, rounds, and one decision at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arena.rules.errors import ActionNotOffered, BadSeats, MalformedAction, OutOfTurn
from arena.rules.options import Option, completed, whole_number
from arena.rules.shuffles import SEED_BYTES
from arena.rules.view import View

NOBODY = -1
GAME_ENDS_AT = 40  # points; COM-6, LAMA-34
FEWEST_SEATS, MOST_SEATS = 2, 6

MAX_ROUNDS = Option(
    default="500",
    about="Rounds after which the match ends whatever the points (COM-15)",
    normal=whole_number(1, 10_000),
)


@dataclass(slots=True)
class RoundLog:
    """What happened in one round; the start of it is fixed by the seed, the rest by `moves`."""

    number: int  # from 1
    starter: int
    deck: list[int]  # card kinds, top first, as shuffled
    moves: list[tuple[int, int]] = field(default_factory=list)  # seat, action
    left: list[list[int]] = field(default_factory=list)  # by seat: kinds held at scoring
    penalties: list[int] = field(default_factory=list)  # by seat: points scored for cards
    points: list[int] = field(default_factory=list)  # by seat: held after scoring and returns


class Game(ABC):
    """A match in progress: mutable, deterministic, without IO, clock or chance of its own.

    A variant is a subclass: data (the class variables) and the functions that differ. Playing is

        while not game.finished:
            game.apply(some action of game.offered)       # for game.seat

    Seats count from 0. Actions are stable indices into `notation`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    ruleset: ClassVar[str]  # grows when the same moves would mean something else
    notation: ClassVar[tuple[str, ...]]  # the action with index i, in words
    numbering: ClassVar[Mapping[str, int]]  # the other way
    said: ClassVar[tuple[tuple[str, ...], ...]]  # by seat and action: "SEAT ACTION"
    known_options: ClassVar[Mapping[str, Option]] = {"max_rounds": MAX_ROUNDS}

    __slots__ = (
        "ask",
        "changed",
        "finished",
        "history",
        "log",
        "max_rounds",
        "offered",
        "options",
        "points",
        "rounds",
        "seat",
        "seats",
        "seed",
    )

    def __init__(self, seats: int, seed: bytes, options: Mapping[str, str] | None = None) -> None:
        """Sets up the first round, in which seat 0 starts (COM-10).

        Raises BadSeats, BadOption; ValueError for a seed that is not 16 bytes.
        """
        self.seats = self.check_seats(seats)
        self.options = self.check_options(options or {})
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self.seed = seed
        defaults = self.check_options({})
        self.changed = {name: v for name, v in self.options.items() if v != defaults[name]}
        self.max_rounds = int(self.options["max_rounds"])
        self.points: list[int] = []  # held, by seat
        self.rounds: list[RoundLog] = []
        self.finished = False
        self.seat = NOBODY  # who decides now
        self.ask = ""  # what is decided: "turn", "return", ...
        self.offered: tuple[int, ...] = ()  # legal actions of that seat
        self.set_up()
        self.begin_round(starter=0)

    @classmethod
    def name_actions(cls, *actions: str) -> None:
        """Sets the notation."""
        cls.notation = actions
        cls.numbering = {action: number for number, action in enumerate(actions)}
        seats = range(MOST_SEATS)
        cls.said = tuple([tuple([f"{seat} {action}" for action in actions]) for seat in seats])

    # What a variant fills in

    def set_up(self) -> None:
        """What happens once, before the first round: everybody starts without points (LAMA-2)."""
        self.points = [0] * self.seats

    @abstractmethod
    def begin_round(self, starter: int) -> None:
        """Deals, opens `self.log` and asks `starter` for his first turn."""

    @abstractmethod
    def carry_out(self, action: int) -> None:
        """Does an offered action and moves on to the next decision."""

    @abstractmethod
    def default_action(self) -> int:
        """The offered action that stands in for a bot at fault (COM-16)."""

    @abstractmethod
    def view(self, match: str = "", number: int = 0) -> View:
        """What the seat to decide may know."""

    @abstractmethod
    def opening(self, log: RoundLog) -> dict[str, object]:
        """How a round began, for the match record: hands, top card, pile."""

    @abstractmethod
    def closing(self, log: RoundLog) -> list[tuple[str, ...]]:
        """The cards that each seat was left with at the end of a round."""

    def outcome(self, log: RoundLog, move: int) -> dict[str, object]:
        """What a record tells of a move beside seat and action: of a roll, the dice."""
        return {}

    # What all games share

    @classmethod
    def check_seats(cls, seats: int) -> int:
        """Two to six players play (COM-1)."""
        if not FEWEST_SEATS <= seats <= MOST_SEATS:
            raise BadSeats(
                f"{cls.title} is played at {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}."
            )
        return seats

    @classmethod
    def check_options(cls, given: Mapping[str, str]) -> dict[str, str]:
        """All options with their values in normal form. Raises BadOption."""
        return completed(cls.known_options, given, cls.title)

    @classmethod
    def parse(cls, text: str) -> int:
        """The stable index of an action in notation. Raises MalformedAction."""
        try:
            return cls.numbering[text]
        except KeyError:
            raise MalformedAction(
                f"{text[:40]!r} is not an action of {cls.title}; "
                f"`arena rules {cls.name}` lists them."
            ) from None

    @property
    def round(self) -> int:
        """The round being played, from 1."""
        return len(self.rounds)

    def apply(self, action: int, seat: int | None = None) -> None:
        """Carries out an action of the seat whose decision it is.

        Raises OutOfTurn if the match is over or `seat` is given and another is asked,
        ActionNotOffered if the action is not in `offered`; the state is then unchanged.
        """
        if action not in self.offered or (seat is not None and seat != self.seat):
            self._refuse(action, seat)
        self.log.moves.append((self.seat, action))
        self.history.append(self.said[self.seat][action])
        self.carry_out(action)

    def _refuse(self, action: int, seat: int | None) -> None:
        if self.finished:
            raise OutOfTurn("The match is over.")
        if seat is not None and seat != self.seat:
            raise OutOfTurn(f"Seat {self.seat} is to act, not seat {seat}.")
        known = 0 <= action < len(self.notation)
        said = self.notation[action] if known else f"action {action}"
        offered = ", ".join(self.notation[index] for index in self.offered)
        raise ActionNotOffered(f"{said!r} is not offered; offered are: {offered}.")

    def open_log(self, starter: int, deck: list[int]) -> None:
        """Begins the log of a round."""
        self.log = RoundLog(len(self.rounds) + 1, starter, deck)
        self.history: list[str] = []  # the public moves of this round, "SEAT ACTION"
        self.rounds.append(self.log)

    def score(self, penalties: list[int]) -> None:
        """All players score at once what their cards are worth (COM-4)."""
        self.log.penalties = penalties
        for seat, penalty in enumerate(penalties):
            self.points[seat] += penalty

    def end_round(self, next_starter: int) -> None:
        """Ends the match if somebody holds 40 points or more (COM-5), or deals the next round."""
        self.log.points = list(self.points)
        if max(self.points) >= GAME_ENDS_AT or self.round >= self.max_rounds:
            self.finished, self.seat, self.ask, self.offered = True, NOBODY, "", ()
        else:
            self.begin_round(next_starter)
