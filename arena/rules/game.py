"""What every game of the family has: seats, points, rounds, and one decision at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arena.rules.errors import ActionNotOffered, BadDeck, BadSeats, MalformedAction, OutOfTurn
from arena.rules.options import Option, completed, whole_number
from arena.rules.shuffles import SEED_BYTES, shuffled
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

    A variant is a subclass: data (the class variables) and the functions that differ. Its
    notation has "keep" and, right after it, a "return" for each of `returns`. Playing is

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
    kinds: ClassVar[tuple[str, ...]]  # cards in notation, in the order of a sorted hand
    deck: ClassVar[tuple[int, ...]]  # kinds, in the order from which they are shuffled
    returns: ClassVar[tuple[int, ...]]  # tokens that may be given back, ascending
    keep: ClassVar[int]  # the action "keep"; those of `returns` come right after it
    known_options: ClassVar[Mapping[str, Option]] = {"max_rounds": MAX_ROUNDS}

    __slots__ = (
        "active",
        "ask",
        "changed",
        "emptier",
        "finished",
        "history",
        "in_round",
        "last_actor",
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
        known = self.known_options
        self.changed = {name: v for name, v in self.options.items() if v != known[name].default}
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
        """Sets the notation. An action's index is its place in it."""
        cls.notation = actions
        cls.keep = actions.index("keep")
        cls.numbering = {action: number for number, action in enumerate(actions)}
        seats = range(MOST_SEATS)
        cls.said = tuple([tuple([f"{seat} {action}" for action in actions]) for seat in seats])

    # What a variant fills in

    def set_up(self) -> None:
        """What happens once, before the first round: everybody starts without points (LAMA-2)."""
        self.points = [0] * self.seats

    def make_deck(self) -> tuple[int, ...]:
        """The cards from which a round is dealt."""
        return self.deck

    @abstractmethod
    def lay_out(self, deck: list[int]) -> None:
        """Gives out the shuffled cards, the top one first."""

    @abstractmethod
    def ask_turn(self, seat: int) -> None:
        """Asks a player for his turn."""

    @abstractmethod
    def carry_out(self, action: int) -> None:
        """Does an offered action and moves on to the next decision."""

    @abstractmethod
    def end_play(self) -> None:
        """The round is over: scores it."""

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

    # A round

    def begin_round(self, starter: int) -> None:
        """All cards are shuffled for the next round (LAMA-30, PARTY-40, DICE-31, KAD-61)."""
        self.open_round(shuffled(self.seed, len(self.rounds) + 1, self.make_deck()), starter)

    def deal(self, deck: list[int], starter: int) -> None:
        """Begins a round with these cards, the top one first.

        Raises BadDeck if they are not the game's; the state is then unchanged.
        """
        if sorted(deck) != sorted(self.make_deck()):
            self._refuse_deck(deck)
        self.open_round(deck, starter)

    def _refuse_deck(self, deck: list[int]) -> None:
        given, whole = Counter(deck), Counter(self.make_deck())
        raise BadDeck(
            f"These cards are not the deck of {self.title}: "
            f"{(whole - given).total()} are missing and {(given - whole).total()} too many."
        )

    def open_round(self, deck: list[int], starter: int) -> None:
        """Begins a round in which everybody takes part, with its log."""
        self.log = RoundLog(len(self.rounds) + 1, starter, deck)
        self.history: list[str] = []  # the public moves of this round, "SEAT ACTION"
        self.rounds.append(self.log)
        self.active = [True] * self.seats
        self.in_round = self.seats
        self.emptier = NOBODY  # who got rid of his last card
        self.last_actor = NOBODY  # whose turn was the last one
        self.lay_out(deck)
        self.ask_turn(starter)

    def next_active(self) -> int:
        """The next player on the left who has not quit (COM-2, COM-3); alone the same again."""
        seat = (self.seat + 1) % self.seats
        while not self.active[seat]:
            seat = (seat + 1) % self.seats
        return seat

    def quit(self) -> None:
        """The player leaves the round; the last one to leave ends it (LAMA-15, DICE-24)."""
        self.active[self.seat] = False
        self.in_round -= 1
        if self.in_round:
            self.ask_turn(self.next_active())
        else:
            self.end_play()

    def score(self, penalties: list[int]) -> None:
        """All score at once what their cards are worth (COM-4), whatever the box holds (COM-8).

        Then the emptier may give a token back, if he has one (LAMA-25, LAMA-27, LAMA-28). Only
        in Kadabra can he hold 40 points then (COM-14, KAD-58).
        """
        self.log.penalties = penalties
        for seat, penalty in enumerate(penalties):
            self.receive(seat, penalty)
        if self.emptier != NOBODY and self.points[self.emptier]:
            self.ask_return(self.emptier)
        else:
            self.end_round()

    def receive(self, seat: int, points: int) -> None:
        """A player takes tokens for his points (LAMA-23, PARTY-36)."""
        self.points[seat] += points

    def ask_return(self, seat: int) -> None:
        """One token of those he holds may go back, or none (COM-11, COM-12, LAMA-29)."""
        self.seat, self.ask = seat, "return"
        back = [self.keep + 1 + self.returns.index(token) for token in self.returnable(seat)]
        self.offered = (self.keep, *back)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """Tokens a player may give back: swapped freely, points alone decide.

        LAMA-24, LAMA-26, PARTY-33, PARTY-34; the box sets no limit (PARTY-35).
        """
        held = self.points[seat]
        return tuple([token for token in self.returns if token <= held])

    def give_back(self, action: int) -> None:
        """The token leaves the player's points, or he keeps it."""
        if action > self.keep:
            self.return_token(self.returns[action - self.keep - 1])
        self.after_return()

    def return_token(self, token: int) -> None:
        """A token leaves the player's points."""
        self.points[self.seat] -= token

    def after_return(self) -> None:
        """Tokens are given back when the round has been scored."""
        self.end_round()

    def end_round(self) -> None:
        """Ends the match if somebody holds 40 points or more, or deals the next round.

        Points held now count (COM-5, -6, -7; LAMA-34, PARTY-43, DICE-33, KAD-63), so that in
        LAMA 39 and 31 make 70 at most (LAMA-35).
        """
        self.log.points = list(self.points)
        if max(self.points) >= GAME_ENDS_AT or self.round >= self.max_rounds:
            self.finished, self.seat, self.ask, self.offered = True, NOBODY, "", ()
        else:
            self.begin_round(self.next_starter())

    def next_starter(self) -> int:
        """The last to take a turn starts the next round, even if he quit, played or not.

        PARTY-27, PARTY-41, PARTY-42, DICE-32, KAD-62. LAMA has a rule of its own.
        """
        return self.last_actor
