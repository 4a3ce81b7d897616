"""The base of all games: seats, options, notation, and one decision at a time."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Self

from arena.games.rules.errors import (
    BadOption,
    BadSeats,
    BadView,
    IllegalAction,
    MalformedAction,
    NotSampled,
    OutOfTurn,
)
from arena.games.rules.options import Option, complete_options, is_count, whole_number
from arena.games.rules.rounds import NOBODY, RoundLog, Rounds
from arena.games.rules.shuffles import SEED_BYTES
from arena.games.rules.view import View

FEWEST_SEATS: Final = 2
MOST_SEATS: Final = 6

MAX_ROUNDS = Option(  # COM-15
    default="500",
    about="Rounds after which a match ends, whatever the points",
    normalize=whole_number(1, 10_000),
    title="Round limit",
)


class Game(Rounds):
    """A match in progress: mutable and deterministic, without IO, a clock or randomness.

    A game is a subclass with its data (the class variables) and the methods that differ. Its
    notation contains "keep", directly followed by a "return" for each of `returns`. To play:

        while not game.finished:
            game.apply(one of game.legal_actions)       # for game.seat

    Seats count from 0. Actions are indices into `notation`.
    """

    name: ClassVar[str]
    ruleset: ClassVar[str]  # its number increases when recorded moves change their meaning
    notation: ClassVar[tuple[str, ...]]  # by index: the action as text
    action_index: ClassVar[Mapping[str, int]]  # the index of each action in `notation`
    move_texts: ClassVar[tuple[tuple[str, ...], ...]]  # by seat and action: "SEAT ACTION"
    kinds: ClassVar[tuple[str, ...]]  # cards in notation, in the order of a sorted hand
    known_options: ClassVar[Mapping[str, Option]] = {"max_rounds": MAX_ROUNDS}
    chance: ClassVar[str] = "cards"  # the source of luck
    # In a match, all seats together, for 2 to 6 seats: means of random house bots without options.
    typical_decisions: ClassVar[tuple[int, ...]] = (80, 90, 100, 105, 110)
    # For packed views; games without these leave them out.
    phases: ClassVar[tuple[str, ...]] = ("turn", "return")  # kinds of decisions
    most_legal: ClassVar[int] = 0  # largest number of legal actions; 0: not packed
    move_bytes: ClassVar[int] = 2  # bytes of a move: the seat, the action, other public data

    __slots__ = ("changed_options", "options")

    def __init__(
        self, seats: int, seed: bytes, options: Mapping[str, str] | None = None, dealt: bool = True
    ) -> None:
        """Sets up the match, and if `dealt`, the first round, in which seat 0 starts (COM-10).
        Raises BadSeats, BadOption, or ValueError for a seed that is not 16 bytes."""
        self.seats = self.check_seats(seats)
        self.options = self.check_options(options or {})
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed must have {SEED_BYTES} bytes, not {len(seed)}")
        self.seed = seed
        known = self.known_options
        self.changed_options = {
            name: value for name, value in self.options.items() if value != known[name].default
        }
        self.max_rounds = int(self.options["max_rounds"])
        self.points = []
        self.rounds = []
        self.finished = False
        self.seat = NOBODY
        self.phase = ""
        self.legal_actions = ()
        self.set_up()
        if dealt:
            self.begin_round(starter=0)

    @classmethod
    def name_actions(cls, *actions: str) -> None:
        """Sets the notation. An action's index is its position here."""
        cls.notation = actions
        cls.keep = actions.index("keep")
        cls.action_index = {action: number for number, action in enumerate(actions)}
        seats = range(MOST_SEATS)
        cls.move_texts = tuple(
            [tuple([f"{seat} {action}" for action in actions]) for seat in seats]
        )

    # Implemented by each game

    def set_up(self) -> None:
        """Runs once, before the first round: every player starts without points (LAMA-2)."""
        self.points = [0] * self.seats

    @abstractmethod
    def perform(self, action: int) -> None:
        """Carries out a legal action and advances to the next decision."""

    @abstractmethod
    def default_action(self) -> int:
        """Returns the legal action to play for a bot at fault (COM-16)."""

    @abstractmethod
    def view(self, match: str = "", number: int = 0) -> View:
        """Returns the information of the deciding seat."""

    @abstractmethod
    def round_start(self, log: RoundLog) -> dict[str, object]:
        """Returns the start of a round for the match record: hands, top card, pile."""

    @abstractmethod
    def final_hands(self, log: RoundLog) -> list[tuple[str, ...]]:
        """Returns the hands at the end of a round, by seat."""

    @classmethod
    def more_columns(cls, seats: int) -> list[tuple[str, int]]:
        """Returns the additional columns of this game's packed views, with their widths."""
        return []

    def packed(self, match: bytes, number: int) -> tuple[bytes, bytes]:
        """Returns `view` as a row of bytes, and the round's moves (`arena.games.rules.packed`).
        `match` is the result of `match_bytes`. Raises ValueError if a number does not fit."""
        raise NotImplementedError(f"Views of {self.title} cannot be packed.")

    def move_result(self, log: RoundLog, move: int) -> dict[str, object]:
        """Returns the random outcome of a move for the match record: the dice of a roll."""
        return {}

    def restore_cards(self, view: View) -> list[tuple[int, int]]:
        """Sets cards, tokens and dice from the view, for `sample_states`.

        Runs after seats, points and moves are set. Fills `log.deck` except for the hidden cards.
        Returns the place of each hidden card in `log.deck`, with the seat that holds it, or
        NOBODY. Raises BadView.
        """
        raise NotSampled(
            f"States of {self.title} cannot be sampled: its class has no `restore_cards`."
        )

    def begin_phase(self, phase: str) -> None:
        """Asks the deciding seat for a decision of this phase."""
        if phase == "return":
            self.begin_return(self.seat)
        else:
            self.begin_turn(self.seat)

    def deal_hidden(self, hidden: list[tuple[int, int]], cards: list[int]) -> None:
        """Assigns `cards` to the hidden places returned by `restore_cards`."""
        self.log.deck = list(self.log.deck)  # clones share it
        for (place, _), card in zip(hidden, cards, strict=True):
            self.log.deck[place] = card

    # Shared by all games

    @classmethod
    def check_seats(cls, seats: int) -> int:
        """Returns `seats` if valid: a game has two to six players (COM-1). Raises BadSeats."""
        if not FEWEST_SEATS <= seats <= MOST_SEATS:
            raise BadSeats(f"{cls.title} needs {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}.")
        return seats

    @classmethod
    def check_options(cls, given: Mapping[str, str]) -> dict[str, str]:
        """Returns all options with normalized values. Raises BadOption."""
        return complete_options(cls.known_options, given, cls.title, BadOption)

    @classmethod
    def parse(cls, text: str) -> int:
        """Returns the index of an action given as text. Raises MalformedAction."""
        try:
            return cls.action_index[text]
        except KeyError:
            raise MalformedAction(
                f"{text[:40]!r} is not an action of {cls.title}; "
                f"`arena rules {cls.name}` lists them."
            ) from None

    def parse_move(self, text: str) -> tuple[int, int]:
        """Returns seat and action of a public move, "SEAT ACTION". Raises BadView."""
        seat, _, action = text.partition(" ")
        if not is_count(seat) or int(seat) >= self.seats or action not in self.action_index:
            raise BadView(f"{text[:40]!r} is not a move of {self.title} at {self.seats} seats.")
        return int(seat), self.action_index[action]

    def count_cards(self, cards: Sequence[str]) -> list[int]:
        """Counts the cards of each kind among cards in notation. Raises BadView."""
        counts = [0] * len(self.kinds)
        for card in cards:
            if card not in self.kinds:
                raise BadView(f"{card[:40]!r} is not a card of {self.title}.")
            counts[self.kinds.index(card)] += 1
        return counts

    def apply(self, action: int, seat: int | None = None) -> None:
        """Carries out an action of the deciding seat.

        Raises OutOfTurn if the match is over or `seat` is given and not the deciding seat, and
        IllegalAction if the action is not in `legal_actions`. The state is then unchanged.
        """
        if action not in self.legal_actions or (seat is not None and seat != self.seat):
            self._refuse(action, seat)
        self.log.moves.append((self.seat, action))
        self.history.append(self.move_texts[self.seat][action])
        self.perform(action)

    def _refuse(self, action: int, seat: int | None) -> None:
        if self.finished:
            raise OutOfTurn("The match is over.")
        if seat is not None and seat != self.seat:
            raise OutOfTurn(f"Seat {self.seat} is to act, not seat {seat}.")
        known = 0 <= action < len(self.notation)
        text = self.notation[action] if known else f"action {action}"
        legal = ", ".join(self.notation[index] for index in self.legal_actions)
        raise IllegalAction(f"{text!r} is not legal here. Legal actions: {legal}.")

    def clone(self) -> Self:
        """Returns an independent copy. Immutable parts are shared: decks and past rounds."""
        other = type(self)(self.seats, self.seed, dealt=False)
        other.options = self.options
        other.changed_options = self.changed_options
        other.max_rounds = self.max_rounds
        other.points = list(self.points)
        other.log = self.log.clone()
        other.rounds = [*self.rounds[:-1], other.log]
        other.history = list(self.history)
        other.codes = self.codes
        other.active = list(self.active)
        other.in_round = self.in_round
        other.went_out = self.went_out
        other.scored = self.scored
        other.last_actor = self.last_actor
        other.seat = self.seat
        other.phase = self.phase
        other.legal_actions = self.legal_actions
        other.finished = self.finished
        return other
